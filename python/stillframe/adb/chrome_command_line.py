"""The file from which Chrome for Android reads its command line, and how to put it there and away. No I/O."""

from __future__ import annotations

import re
import secrets
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from stillframe.errors import OptionInvalid

if TYPE_CHECKING:
    from stillframe.adb.browsers import AndroidBrowser

SOCKET_SWITCH = "--remote-debugging-socket-name"

DEFAULTS: dict[str, str] = {
    "--disable-fre": "the welcome screen (first run experience) covers the page",
    "--no-default-browser-check": "no question at startup",
    "--no-first-run": "no welcome page, no import from other browsers",
}
"""Switch -> reason; the command line keeps this order."""

RESERVED = {
    SOCKET_SWITCH: "stillframe chooses a name of its own for each launch",
    "--remote-debugging-port": "DevTools of Android listens on a socket, not on a port",
    "--remote-debugging-pipe": "DevTools of Android listens on a socket, not on a pipe",
}

MAX_CHARACTERS = 64 * 1024
"""What Chromium reads of the file at most; newer versions read 96 KiB (its class CommandLine)."""

_MARK = "stillframe_"
"""What the names of our sockets begin with; a file that contains it is one that a broken launch left behind."""
_BACKUP = ".before_stillframe"
_QUOTES = re.compile(r"[\s'\"]")
_SEPARATOR = "-- stillframe --"


def private_socket() -> str:
    """Return a name for a DevTools socket that no other browser has."""
    return f"{_MARK}{secrets.token_hex(8)}_devtools_remote"


# -- the file ------------------------------------------------------------------------------------


def command_line(socket_name: str, args: Sequence[str] = ()) -> str:
    """Return the content of the file: a word that Chromium skips, our switches and then `args`.

    Raises OptionInvalid for an argument that is not a switch, or one that stillframe sets itself.
    """
    for arg in args:
        _check(arg)
    words = ["_", f"{SOCKET_SWITCH}={socket_name}", *DEFAULTS, *args]
    content = " ".join(map(quote, words)) + "\n"
    if len(content) > MAX_CHARACTERS:
        raise OptionInvalid(
            f"launch option 'args': the command line has {len(content)} characters, and Chrome reads {MAX_CHARACTERS}",
            option="args",
        )
    return content


def _check(arg: str) -> None:
    name = arg.partition("=")[0]
    if not re.fullmatch(r"--[A-Za-z0-9][A-Za-z0-9_-]*", name) or "\0" in arg:
        raise OptionInvalid(f"launch option 'args': {arg!r} is not a switch; use --name or --name=value", option="args")
    if name in RESERVED:
        raise OptionInvalid(f"launch option 'args': remove {arg!r}: {RESERVED[name]}", option="args")


def quote(word: str) -> str:
    r"""Return a word as Chromium reads it back from the file.

    Chromium splits at white space outside quotes and takes every backslash as it is, but for one before a quote, which
    makes the quote literal (its class CommandLine). So a word must not end in a backslash inside quotes.

    >>> print(quote('--name=a "b" \\'))
    "--name=a \"b\" "\
    """
    if not _QUOTES.search(word):
        return word
    body = word.rstrip("\\")
    return '"' + body.replace('"', '\\"') + '"' + word[len(body) :]


# -- around the launch ---------------------------------------------------------------------------


class Before(NamedTuple):
    """What a launch changes on the device, as it was: Android's debug app, and whether it waits for a debugger.

    `ours` says that the file there now is left over from a launch of stillframe.
    """

    debug_app: str | None = None
    waits: bool = False
    ours: bool = False


def look_command(browser: AndroidBrowser) -> str:
    """Return the command whose output `parse_before` reads."""
    return (
        f"settings get global debug_app; settings get global wait_for_debugger; echo '{_SEPARATOR}'; "
        f"cat {shlex.quote(browser.command_line_file)} 2>/dev/null; true"
    )


def parse_before(browser: AndroidBrowser, output: str) -> Before:
    """Return how the device was; settings that it does not say count as unset, like those that a launch left behind."""
    settings, _, content = output.partition(_SEPARATOR)
    debug_app, waits, *_ = [*settings.split("\n"), "", ""]
    ours = f"{SOCKET_SWITCH}={_MARK}" in content
    app = debug_app.strip()
    if app in ("null", browser.package if ours else "") or not re.fullmatch(r"[\w.]+", app, re.ASCII):
        return Before(ours=ours)
    return Before(app, waits.strip() == "1", ours)


def prepare_command(browser: AndroidBrowser, before: Before) -> str:
    """Return the command that makes Chrome read the file, and moves a file of another program out of the way."""
    file, backup = _files(browser)
    move = "" if before.ours else f"if [ -e {file} ] && ! [ -e {backup} ]; then mv -f {file} {backup}; fi; "
    # Chrome reads the file only if it is the debug app (release builds of Android), and Android forgets it at the next
    # start of the app without --persistent.
    return f"{move}am set-debug-app --persistent {shlex.quote(browser.package)}"


def restore_command(browser: AndroidBrowser, before: Before) -> str:
    """Return the command that undoes `prepare_command` and removes our file."""
    file, backup = _files(browser)
    debug_app = "am clear-debug-app"
    if before.debug_app:
        waits = "-w " if before.waits else ""
        debug_app = f"am set-debug-app {waits}--persistent {shlex.quote(before.debug_app)}"
    return f"if [ -e {backup} ]; then mv -f {backup} {file}; else rm -f {file}; fi; {debug_app}"


def _files(browser: AndroidBrowser) -> tuple[str, str]:
    file = browser.command_line_file
    return shlex.quote(file), shlex.quote(file + _BACKUP)
