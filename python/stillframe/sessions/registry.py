"""The session registry: which names are taken, which sessions are open, which were idle too long.

Time is an argument.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from stillframe.errors import OptionInvalid, SessionExists, SessionUnknown
from stillframe.model.bounds import short
from stillframe.model.sessions import SessionCountWarning, SessionKind
from stillframe.model.suggest import did_you_mean

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
"""A valid session id: logs, file names and command lines take it without quoting."""

MAX_CLOSED = 256
"""Closed sessions whose reason to close is kept; enough for a caller that comes back late."""

Stage = Literal["opening", "open", "closing"]


class IdleClock:
    """Counts the users of something, and the time since the last one left."""

    __slots__ = ("since", "users")

    def __init__(self, now: float) -> None:
        self.users = 0
        self.since = now

    def begin(self) -> None:
        """Add a user; nothing is idle while it has users."""
        self.users += 1

    def end(self, now: float) -> None:
        """Remove a user; the idle time starts when the last one leaves."""
        self.users -= 1
        self.since = now

    def deadline(self, idle_s: float | None) -> float | None:
        """Return when the idle time reaches `idle_s`, or None while there are users or no limit."""
        return None if self.users or idle_s is None else self.since + idle_s


class SessionEntry:
    """The entry of one name in the registry."""

    __slots__ = ("calls", "idle", "stage")

    def __init__(self, now: float) -> None:
        self.stage: Stage = "opening"
        self.idle = IdleClock(now)
        self.calls = 0


class SessionRegistry:
    """Keeps the names of sessions and the time they are idle.

    A name is taken from `reserve` to `free`, that is also while its session opens and closes. The registry never gives
    an automatic name twice. `idle_s` is in seconds, None for no limit. `warning` reports more than `soft_limit` open
    sessions.
    """

    def __init__(self, *, idle_s: float | None = None, soft_limit: int | None = None) -> None:
        self.idle_s = idle_s
        self.soft_limit = soft_limit
        self._entries: dict[str, SessionEntry] = {}
        self._numbers: dict[str, int] = {}
        self._closed: dict[str, str] = {}

    # -- names ---------------------------------------------------------------------------------

    @property
    def open(self) -> list[str]:
        """The names of the open sessions, oldest first."""
        return [name for name, entry in self._entries.items() if entry.stage == "open"]

    def reserve(self, session_id: str | None, kind: SessionKind, now: float) -> str:
        """Take a name, or the next automatic one; raises OptionInvalid and SessionExists."""
        name = self._next_name(kind) if session_id is None else _checked(session_id)
        entry = self._entries.get(name)
        if entry is not None:
            raise SessionExists(_exists(name, entry.stage), session_id=name)
        self._entries[name] = SessionEntry(now)
        self._closed.pop(name, None)
        return name

    def mark_open(self, name: str, now: float) -> SessionEntry:
        """Mark a reserved name as open and start its idle time."""
        entry = self._entries[name]
        entry.stage = "open"
        entry.idle.since = now
        return entry

    def find(self, name: str) -> SessionEntry:
        """Return the entry of an open session; raises SessionUnknown, which lists the open sessions."""
        entry = self._entries.get(name) if isinstance(name, str) else None
        if entry is None or entry.stage != "open":
            raise SessionUnknown(self._unknown(name, entry), session_id=str(name))
        return entry

    def begin_close(self, name: str, why: str) -> bool:
        """Mark a session as closing; return False if it is closing or closed already.

        Raises SessionUnknown for a name that was never open.
        """
        entry = self._entries.get(name) if isinstance(name, str) else None
        if entry is None and isinstance(name, str) and name in self._closed:
            return False
        if entry is None or entry.stage == "opening":
            raise SessionUnknown(self._unknown(name, entry), session_id=str(name))
        if entry.stage == "closing":
            return False
        entry.stage = "closing"
        self._remember(name, why)
        return True

    def free(self, name: str) -> None:
        """Free a name, so that another session can take it."""
        self._entries.pop(name, None)

    # -- time ----------------------------------------------------------------------------------

    def expired(self, now: float) -> list[str]:
        """Return the open sessions that have been idle too long."""
        return [name for name, deadline in self._deadlines() if deadline <= now]

    def next_deadline(self) -> float | None:
        """Return when the next session expires, or None if no time is known."""
        return min((deadline for _, deadline in self._deadlines()), default=None)

    def warning(self) -> SessionCountWarning | None:
        """Return a warning if more than `soft_limit` sessions are open."""
        count = len(self.open)
        if self.soft_limit is None or count <= self.soft_limit:
            return None
        advice = (
            f"{count} sessions are open, more than {self.soft_limit}: close the ones that you no longer need; a "
            "browser takes 200 to 500 MB of memory, a context in a shared browser about 50 MB"
        )
        return SessionCountWarning(open=count, limit=self.soft_limit, advice=advice)

    # -- plumbing ------------------------------------------------------------------------------

    def _deadlines(self) -> Iterator[tuple[str, float]]:
        for name, entry in self._entries.items():
            deadline = entry.idle.deadline(self.idle_s)
            if entry.stage == "open" and deadline is not None:
                yield name, deadline

    def _next_name(self, kind: SessionKind) -> str:
        while True:
            number = self._numbers[kind] = self._numbers.get(kind, 0) + 1
            name = f"{kind}-{number}"
            if name not in self._entries and name not in self._closed:
                return name

    def _remember(self, name: str, why: str) -> None:
        self._closed[name] = why
        while len(self._closed) > MAX_CLOSED:
            del self._closed[next(iter(self._closed))]

    def _unknown(self, name: object, entry: SessionEntry | None) -> str:
        shown = _cut(name)
        if entry is not None:
            return f"session {shown} is still {'opening' if entry.stage == 'opening' else 'closing'}"
        if isinstance(name, str) and name in self._closed:
            return f"session {shown} was closed {self._closed[name]}; open it again{self._open_names('')}"
        return f"no session {shown} is open{self._open_names(str(name))}"

    def _open_names(self, name: str) -> str:
        names = self.open
        if not names:
            return "; no session is open"
        return f"{did_you_mean(name, names) if name else ''}; open sessions: {', '.join(names)}"


def _checked(session_id: object) -> str:
    if isinstance(session_id, str) and NAME.fullmatch(session_id):
        return session_id
    raise OptionInvalid(
        f"session id {_cut(session_id)} is invalid: use 1 to 64 letters, digits, dots, dashes and underscores, and "
        "start with a letter or a digit",
        option="session_id",
    )


def _cut(name: object) -> str:
    """Return a name for a message, cut: a caller may pass anything."""
    return short(repr(name), 80)


def _exists(name: str, stage: Stage) -> str:
    if stage == "closing":
        return f"session {name!r} is still closing; wait until it is closed, or use another name"
    verb = "is already open" if stage == "open" else "is already opening"
    return f"session {name!r} {verb}: use it, close it first, or use another name"
