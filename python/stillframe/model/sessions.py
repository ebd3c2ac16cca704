"""What is told about named sessions; in JSON the keys are camelCase."""

from __future__ import annotations

from typing import Literal

import msgspec

Kind = Literal["context", "browser", "page"]
"""What a session has for itself, and what is closed with it: a context of a browser that others use too, a whole
browser, or nothing, because its page is the caller's."""

State = Literal["open", "crashed", "dead"]
"""`crashed`: the renderer is gone, a navigation or a reload brings it back. `dead`: the tab or the browser is gone."""


class TabInfo(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One tab that a session could switch to; `current` is the one its calls act on."""

    target_id: str
    url: str
    current: bool


class SessionInfo(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """How a named session stands.

    `calls` counts those that have ended, `running` says whether one is under way and `waiting` how many stand behind
    it. `idle_s` is the time without any, in seconds. `why` says what made it crash or die.
    """

    session_id: str
    kind: Kind
    state: State
    target_id: str
    url: str
    tabs: tuple[TabInfo, ...]
    calls: int
    running: bool
    waiting: int
    idle_s: float
    why: str = ""


class Crowd(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A soft warning: more sessions are open than a machine of common size bears; nothing was refused."""

    open: int
    limit: int
    advice: str
