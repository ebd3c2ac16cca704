"""Values that describe sessions; their JSON keys are camelCase."""

from __future__ import annotations

from typing import Literal

import msgspec

SessionKind = Literal["context", "tab", "browser", "page", "webview"]
"""What a session owns and closes: a context of a browser that it shares, a tab in the default context of one, a
browser, or nothing: the caller owns the page, an app on a device the WebView."""

SessionState = Literal["open", "crashed", "lost", "dead"]
"""`crashed`: the renderer is gone; a navigation or a reload starts a new one. `lost`: the page of a WebView is gone,
and the next call attaches to the WebView again. `dead`: the tab or the browser is gone."""


class TabInfo(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A tab that a session can switch to; its calls act on the `current` one."""

    target_id: str
    url: str
    current: bool


class SessionInfo(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The state of a session.

    `calls` is the number of calls that have ended, `running` whether one runs now, and `waiting` the number of calls in
    the queue behind it. `idle_ms` is the time since the last call. `why` is the reason of a crash, loss or death.
    `reattached` is how often the session has attached to its WebView again; each time, the refs of before became stale.
    """

    session_id: str
    kind: SessionKind
    state: SessionState
    target_id: str
    url: str
    tabs: tuple[TabInfo, ...]
    calls: int
    running: bool
    waiting: int
    idle_ms: float
    why: str = ""
    reattached: int = 0


class SessionCountWarning(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A warning that more sessions are open than a common machine has memory for; nothing was refused."""

    open: int
    limit: int
    advice: str
