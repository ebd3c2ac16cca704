"""What a DevTools socket says of its browser (`/json/version`) and of its pages (`/json/list`). No I/O."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

import msgspec

from stillframe.errors import ConnectFailed

_MILESTONE = re.compile(r"(?:Chrome|Chromium)/(\d{1,5})\b")


class EndpointVersion(msgspec.Struct, frozen=True):
    """The browser behind a DevTools socket; texts are empty where it does not say.

    `milestone` is its major version, the only part to rely on, because vendors rewrite the rest; None if unknown.
    `package` is the Android package of the process, None in very old builds.
    """

    browser: str = ""
    milestone: int | None = None
    package: str | None = None
    protocol: str = ""
    user_agent: str = ""
    v8: str = ""
    web_socket_path: str = "/devtools/browser"


class ViewState(msgspec.Struct, frozen=True, rename="camel"):
    """How Android shows a WebView, from the `description` of its target; lengths are in physical pixels.

    `attached` says whether the view is in a window, `never_attached` whether it never was (None in old builds). The
    size is None for a view that is `empty`. A key that is missing counts as that of a usual view.
    """

    attached: bool = True
    never_attached: bool | None = msgspec.field(default=None, name="never_attached")
    visible: bool = True
    empty: bool = False
    screen_x: int = 0
    screen_y: int = 0
    width: int | None = None
    height: int | None = None

    @property
    def area(self) -> int:
        """The size in square pixels, 0 if unknown."""
        return (self.width or 0) * (self.height or 0)


class DevtoolsTarget(msgspec.Struct, frozen=True):
    """A page, worker or other target behind a DevTools socket.

    `path` is that of its WebSocket. `view` is None except for the pages of WebViews.
    """

    id: str
    type: str
    url: str
    title: str
    path: str
    view: ViewState | None = None


def parse_version(body: bytes, *, endpoint: str = "") -> EndpointVersion:
    """Return what the body of `/json/version` says; raises ConnectFailed if it is not a JSON object."""
    row = _decoded(body, "/json/version", endpoint)
    if not isinstance(row, dict):
        raise _unusable("/json/version", endpoint, "it is not an object")
    browser, user_agent = _text(row, "Browser"), _text(row, "User-Agent")
    return EndpointVersion(
        browser=browser,
        milestone=_milestone(browser) or _milestone(user_agent),
        package=_text(row, "Android-Package") or None,
        protocol=_text(row, "Protocol-Version"),
        user_agent=user_agent,
        v8=_text(row, "V8-Version"),
        web_socket_path=_path(row, "/devtools/browser"),
    )


def parse_targets(body: bytes, *, endpoint: str = "") -> list[DevtoolsTarget]:
    """Return the targets in the body of `/json/list`, in its order: the one that was active last first.

    Leaves out rows without an id; other missing or broken fields count as unknown. Raises ConnectFailed if the body
    is not a JSON list.
    """
    rows = _decoded(body, "/json/list", endpoint)
    if not isinstance(rows, list):
        raise _unusable("/json/list", endpoint, "it is not a list")
    return [_target(row) for row in rows if isinstance(row, dict) and _text(row, "id")]


def ranked_pages(targets: Iterable[DevtoolsTarget]) -> list[DevtoolsTarget]:
    """Return the pages, the one that a person most likely looks at first.

    Pages in a window precede others, then those visible, those with a size, the larger, and the more recently active.
    """
    return sorted((each for each in targets if each.type == "page"), key=_rank)


def parse_view(description: str) -> ViewState | None:
    """Return the state of a WebView from the `description` of its target; None if it has none, as in Chrome."""
    try:
        return msgspec.json.decode(description, type=ViewState, strict=False)
    except (msgspec.DecodeError, UnicodeEncodeError):
        return None


def _target(row: dict[str, Any]) -> DevtoolsTarget:
    target_id = _text(row, "id")
    return DevtoolsTarget(
        id=target_id,
        type=_text(row, "type"),
        url=_text(row, "url"),
        title=html.unescape(_text(row, "title")),
        # Before Chrome 63 the address is missing while another client is attached.
        path=_path(row, f"/devtools/page/{target_id}"),
        view=parse_view(_text(row, "description")),
    )


def _rank(target: DevtoolsTarget) -> tuple[bool, bool, bool, int]:
    view = target.view or ViewState()
    return not view.attached, not view.visible, view.empty, -view.area


def _milestone(text: str) -> int | None:
    found = _MILESTONE.search(text)
    return int(found[1]) if found else None


def _text(row: dict[str, Any], key: str) -> str:
    value = row.get(key)
    return value if isinstance(value, str) else ""


def _path(row: dict[str, Any], default: str) -> str:
    try:
        path = urlsplit(_text(row, "webSocketDebuggerUrl")).path
    except ValueError:
        return default
    return path if path.startswith("/devtools/") else default


def _decoded(body: bytes, path: str, endpoint: str) -> Any:
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _unusable(path, endpoint, str(error)) from None


def _unusable(path: str, endpoint: str, what: str) -> ConnectFailed:
    where = f"{endpoint!r}" if endpoint else "the socket"
    return ConnectFailed(
        f"{where} serves no DevTools of a Chromium: its answer to {path} cannot be used ({what}); another program may "
        "use a name like that of a DevTools socket",
        endpoint=endpoint,
    )
