"""Why a package has no page to work with: facts in, the error that tells a person what to do out. No I/O."""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec

from stillframe.adb.devtools.frozen_apps import frozen
from stillframe.adb.devtools.socket_listing import FoundSocket
from stillframe.adb.devtools.unix_sockets import PACKAGES
from stillframe.adb.errors import AndroidError, AppNotRunning, NoDebuggableWebView, WebViewHasNoPages

AUTOMATIC_WEBVIEW = "113.0.5656"
"""The first WebView that serves DevTools for every debuggable app without a call of the app (Chromium)."""

BROWSERS = frozenset(package for packages in PACKAGES.values() for package in packages)
"""Packages that are browsers, which serve DevTools without a call."""

_FLAGS = re.compile(r"^\s*(?:pkgFlags|flags)=\[([^\]]*)\]", re.MULTILINE)
_WEBVIEW = re.compile(r"Current WebView package \(name, version\): \(([^,()]+), ([^()\s]+)\)")


class MissingFacts(msgspec.Struct, frozen=True):
    """What is known about a package without a page; None stands for unknown.

    `processes` are its processes by pid, the main one first, `sockets` its own DevTools sockets, `seen_sockets` the
    names of those of others, `pages` the URLs behind its sockets, and `webview` the version of the system's WebView.
    """

    serial: str
    package: str
    installed: bool | None = None
    processes: dict[int, str] = {}
    sockets: tuple[FoundSocket, ...] = ()
    seen_sockets: tuple[str, ...] = ()
    pages: tuple[str, ...] | None = None
    sdk: int | None = None
    debuggable: bool | None = None
    webview: str | None = None

    @property
    def pid(self) -> int | None:
        """The pid of its main process."""
        return next(iter(self.processes), None)


def explain_missing(facts: MissingFacts) -> AndroidError:
    """Return the error for a package without a page that can be used, in the order in which a person solves it."""
    return next(error for explain in _EXPLANATIONS if (error := explain(facts)) is not None)


def parse_sdk(text: str) -> int | None:
    """Return the API level from what `getprop ro.build.version.sdk` prints."""
    return int(text) if re.fullmatch(r"[0-9]{1,3}", text := text.strip()) else None


def parse_package(text: str) -> tuple[bool | None, bool | None]:
    """Return whether a package is installed and debuggable, from what `dumpsys package NAME` prints."""
    flags = _FLAGS.findall(text)
    if flags:
        return True, any("DEBUGGABLE" in each.split() for each in flags)
    return (False if "Unable to find package" in text else None), None


def parse_webview(text: str) -> str | None:
    """Return the version of the system's WebView from what `dumpsys webviewupdate` prints (Android 8 and later)."""
    found = _WEBVIEW.search(text)
    return found[2] if found else None


# -- explanations --------------------------------------------------------------------------------


def _not_installed(facts: MissingFacts) -> AndroidError | None:
    if facts.processes or facts.sockets or facts.installed is not False:
        return None
    return AppNotRunning(
        f"{facts.package} is not installed on {facts.serial}: check the name (`adb -s {facts.serial} shell pm list "
        "packages` lists all), or install the app",
        package=facts.package,
        serial=facts.serial,
    )


def _not_running(facts: MissingFacts) -> AndroidError | None:
    if facts.processes or facts.sockets:
        return None
    return AppNotRunning(
        f"no process of {facts.package} runs on {facts.serial}: start the app, for example with `adb -s {facts.serial} "
        f"shell monkey -p {facts.package} 1`",
        package=facts.package,
        serial=facts.serial,
    )


def _no_socket(facts: MissingFacts) -> AndroidError | None:
    if facts.sockets:
        return None
    others = f"Other sockets: {', '.join(facts.seen_sockets)}." if facts.seen_sockets else "There are no other sockets."
    return NoDebuggableWebView(
        f"{facts.package} (pid {facts.pid}) on {facts.serial} exposes no DevTools socket: {_advice(facts)} {others}",
        package=facts.package,
        pid=facts.pid,
        sdk=facts.sdk,
        debuggable=facts.debuggable,
        seen_sockets=facts.seen_sockets,
    )


def _frozen(facts: MissingFacts) -> AndroidError | None:
    if facts.pages or not all(each.frozen for each in facts.sockets):
        return None
    return frozen(facts.serial, facts.sockets[0].with_package(facts.package), "Android may have frozen it")


def _no_pages(facts: MissingFacts) -> AndroidError:
    pages = facts.pages or ()
    what = f"none of its pages matches; it has {', '.join(pages)}" if pages else "it has no page yet"
    return WebViewHasNoPages(
        f"{facts.package} on {facts.serial} has a DevTools socket, and {what}: open the screen of the app that shows "
        "the page, and wait for it",
        package=facts.package,
        pages=pages,
    )


_EXPLANATIONS: tuple[Callable[[MissingFacts], AndroidError | None], ...] = (
    _not_installed,
    _not_running,
    _no_socket,
    _frozen,
    _no_pages,
)


def _advice(facts: MissingFacts) -> str:
    if facts.package in BROWSERS:
        return "finish its first-run screens and open a tab, and keep USB debugging on."
    call = "WebView.setWebContentsDebuggingEnabled(true)"
    none_yet = "or no WebView was created yet: open a screen that has one."
    if facts.debuggable is False:
        return f"it is a release build, so only its own code can call {call}, {none_yet}"
    system = f"; this device has {facts.webview}" if facts.webview else ""
    return (
        f"call {call} (automatic only for debuggable apps on WebView {AUTOMATIC_WEBVIEW} or later{system}), {none_yet}"
    )
