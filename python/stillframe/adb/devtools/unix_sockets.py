"""The DevTools sockets in `/proc/net/unix`, and what their names say about who owns them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

SocketKind = Literal["chrome", "webview", "weblayer", "xweb", "content_shell", "samsung", "embedded", "other"]
"""Who serves a DevTools socket; `embedded` is a Chromium inside an app, `other` a name that says nothing."""

KINDS: dict[str, SocketKind] = {
    "chrome": "chrome",
    "webview": "webview",
    "weblayer": "weblayer",
    "xweb": "xweb",
    "content_shell": "content_shell",
    "Terrace": "samsung",
}
"""The first word of a name and the kind it stands for: Chromium's sources, Appium's tests, and WeChat for xweb."""

PACKAGES: dict[SocketKind, tuple[str, ...]] = {
    "chrome": ("com.android.chrome", "com.chrome.beta", "com.chrome.dev", "com.chrome.canary", "org.chromium.chrome"),
    "samsung": ("com.sec.android.app.sbrowser", "com.sec.android.app.sbrowser.beta"),
    "content_shell": ("org.chromium.content_shell_apk",),
}
"""The packages that may own a socket whose name has neither a pid nor a package."""

MAX_PID = 1 << 22
"""The largest pid that Linux gives (PID_MAX_LIMIT); longer numbers in a name are something else."""

_LISTENING = "00010000"
"""The flag __SO_ACCEPTCON of net/unix/af_unix.c: connections to the socket have the same name, and other flags."""
_UNCONNECTED = "01"
_NAME = re.compile(r"(?P<owner>.+?)_devtools_remote(?:_(?P<rest>.*))?", re.DOTALL)
_PACKAGE = re.compile(r"[A-Za-z]\w*(?:\.[A-Za-z]\w*)+", re.ASCII)
_NOT_CHROMIUM = re.compile(r"stetho_|node_devtools_remote$")
"""Stetho speaks an old dialect without Chromium, and Node is not a browser."""


class DevtoolsSocket(NamedTuple):
    """A socket in the abstract namespace of a device; `pid` and `package` are None where its name has neither."""

    name: str
    kind: SocketKind
    pid: int | None
    package: str | None


def parse_unix_sockets(table: bytes) -> list[DevtoolsSocket]:
    """Return the DevTools sockets that listen, in the order of `/proc/net/unix`, each once.

    Rows that do not fit the format are left out: other processes choose their names, of any bytes.
    """
    # Few of some hundred rows are of interest; to look at the others takes four times as long as all the rest.
    rows = b"\n".join(row for row in table.split(b"\n") if b"_devtools_remote" in row)
    found = {name: parse_socket_name(name) for name in _listening(rows.decode("utf-8", "replace"))}
    return [each for each in found.values() if each is not None]


def parse_socket_name(name: str) -> DevtoolsSocket | None:
    """Return what the name of a socket says, without its `@`; None if it is not a DevTools socket of Chromium."""
    parts = _NAME.fullmatch(name)
    if parts is None or _NOT_CHROMIUM.match(name):
        return None
    owner = parts["owner"]
    package = owner if is_package(owner) else None
    kind = KINDS.get(owner, "embedded" if package else "other")
    return DevtoolsSocket(name, kind, _pid_in(parts["rest"] or ""), package)


def is_package(text: str) -> bool:
    """Return whether a text has the form of the name of an Android package."""
    return _PACKAGE.fullmatch(text) is not None


def _listening(table: str) -> Iterator[str]:
    # Not splitlines(): a name may have any character, and the kernel ends rows with \n (a pty makes it \r\n).
    for line in table.split("\n"):
        columns = line.rstrip("\r").split(maxsplit=7)
        if len(columns) == 8 and columns[3] == _LISTENING and columns[5] == _UNCONNECTED and columns[7][0] == "@":
            yield columns[7][1:]


def _pid_in(rest: str) -> int | None:
    """Return the last token that may be a pid: vendors put words before it (`m6x_123`) and after it (`123_zeus`)."""
    numbers = (int(token) for token in reversed(rest.split("_")) if re.fullmatch(r"[0-9]{1,7}", token))
    return next((number for number in numbers if 0 < number <= MAX_PID), None)
