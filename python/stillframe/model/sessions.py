"""Values that describe sessions; their JSON keys are camelCase."""

from __future__ import annotations

from typing import Literal

import msgspec

SessionKind = Literal["context", "browser", "page"]
"""What a session owns and closes: a context of a browser that it shares, a browser, or nothing because the caller owns
the page."""

SessionState = Literal["open", "crashed", "dead"]
"""`crashed`: the renderer is gone; a navigation or a reload starts a new one. `dead`: the tab or the browser is
gone."""


class TabInfo(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A tab that a session can switch to; its calls act on the `current` one."""

    target_id: str
    url: str
    current: bool


class SessionInfo(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The state of a session.

    `calls` is the number of calls that have ended, `running` whether one runs now, and `waiting` the number of calls in
    the queue behind it. `idle_ms` is the time since the last call. `why` is the reason of a crash or death.
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


class SessionCountWarning(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A warning that more sessions are open than a common machine has memory for; nothing was refused."""

    open: int
    limit: int
    advice: str
