"""The book of names: which are taken, which are open, which have been idle for too long. Time is an argument."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from stillframe.errors import OptionInvalid, SessionExists, SessionUnknown
from stillframe.model.bounds import short
from stillframe.model.sessions import Crowd, Kind
from stillframe.model.suggest import did_you_mean

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
"""What may be a session id: something that a log, a file name and a command line take as it is."""

REMEMBERED = 256
"""Of so many sessions that were closed it is known why; enough for a caller that comes back late."""

Stage = Literal["opening", "open", "closing"]


class Idle:
    """Whether something is in use, and since when it has not been."""

    __slots__ = ("since", "users")

    def __init__(self, now: float) -> None:
        self.users = 0
        self.since = now

    def begin(self) -> None:
        """One more user; what is in use is never idle."""
        self.users += 1

    def end(self, now: float) -> None:
        """One user less; when the last is gone the time begins to count."""
        self.users -= 1
        self.since = now

    def deadline(self, idle_s: float | None) -> float | None:
        """When it will have been idle for too long, or None while that cannot be told."""
        return None if self.users or idle_s is None else self.since + idle_s


class Entry:
    """One name in the book."""

    __slots__ = ("calls", "idle", "stage")

    def __init__(self, now: float) -> None:
        self.stage: Stage = "opening"
        self.idle = Idle(now)
        self.calls = 0


class Book:
    """Who is open under which name.

    A name is taken from `reserve` until `free`, so also while its session is being opened and closed. Automatic names
    are never given twice. `idle_s` is in seconds, None for no end; more than `soft_limit` sessions make a crowd.
    """

    def __init__(self, *, idle_s: float | None = None, soft_limit: int | None = None) -> None:
        self.idle_s = idle_s
        self.soft_limit = soft_limit
        self._entries: dict[str, Entry] = {}
        self._numbers: dict[str, int] = {}
        self._gone: dict[str, str] = {}

    # -- names ---------------------------------------------------------------------------------

    @property
    def open(self) -> list[str]:
        """The names of the open sessions, oldest first."""
        return [name for name, entry in self._entries.items() if entry.stage == "open"]

    @property
    def taken(self) -> list[str]:
        """All names that cannot be given now."""
        return list(self._entries)

    def reserve(self, session_id: str | None, kind: Kind, now: float) -> str:
        """Take a name, or the next automatic one; raises OptionInvalid and SessionExists."""
        name = self._next(kind) if session_id is None else _checked(session_id)
        entry = self._entries.get(name)
        if entry is not None:
            raise SessionExists(_exists(name, entry.stage), session_id=name)
        self._entries[name] = Entry(now)
        self._gone.pop(name, None)
        return name

    def opened(self, name: str, now: float) -> Entry:
        """The session of a reserved name is there; its idle time begins."""
        entry = self._entries[name]
        entry.stage = "open"
        entry.idle.since = now
        return entry

    def find(self, name: str) -> Entry:
        """Return what is open under a name; raises SessionUnknown, which says what else there is."""
        entry = self._entries.get(name) if isinstance(name, str) else None
        if entry is None or entry.stage != "open":
            raise SessionUnknown(self._unknown(name, entry), session_id=str(name))
        return entry

    def close(self, name: str, why: str) -> bool:
        """Let nobody in any more; False if somebody else closes it already or has closed it.

        Raises SessionUnknown for a name that was never open.
        """
        entry = self._entries.get(name) if isinstance(name, str) else None
        if entry is None and isinstance(name, str) and name in self._gone:
            return False
        if entry is None or entry.stage == "opening":
            raise SessionUnknown(self._unknown(name, entry), session_id=str(name))
        if entry.stage == "closing":
            return False
        entry.stage = "closing"
        self._remember(name, why)
        return True

    def free(self, name: str) -> None:
        """Give a name back."""
        self._entries.pop(name, None)

    # -- time ----------------------------------------------------------------------------------

    def due(self, now: float) -> list[str]:
        """Return the open sessions that have been idle for too long."""
        return [name for name, deadline in self._deadlines() if deadline <= now]

    def wake(self) -> float | None:
        """When to look for `due` ones next; None if no time is known yet."""
        return min((deadline for _, deadline in self._deadlines()), default=None)

    def crowd(self) -> Crowd | None:
        """Return the soft warning, if there are more sessions than the limit."""
        count = len(self.open)
        if self.soft_limit is None or count <= self.soft_limit:
            return None
        advice = (
            f"{count} sessions are open, more than {self.soft_limit}: close those that are done with; a browser of its "
            "own takes 200 to 500 MB of memory, a context of a shared one some 50 MB"
        )
        return Crowd(open=count, limit=self.soft_limit, advice=advice)

    # -- plumbing ------------------------------------------------------------------------------

    def _deadlines(self) -> Iterator[tuple[str, float]]:
        for name, entry in self._entries.items():
            deadline = entry.idle.deadline(self.idle_s)
            if entry.stage == "open" and deadline is not None:
                yield name, deadline

    def _next(self, kind: Kind) -> str:
        while True:
            number = self._numbers[kind] = self._numbers.get(kind, 0) + 1
            name = f"{kind}-{number}"
            if name not in self._entries and name not in self._gone:
                return name

    def _remember(self, name: str, why: str) -> None:
        self._gone[name] = why
        while len(self._gone) > REMEMBERED:
            del self._gone[next(iter(self._gone))]

    def _unknown(self, name: object, entry: Entry | None) -> str:
        shown = _cut(name)
        if entry is not None:
            return f"session {shown} is still {'being opened' if entry.stage == 'opening' else 'being closed'}"
        if isinstance(name, str) and name in self._gone:
            return f"session {shown} was closed {self._gone[name]}; open it anew{self._others('')}"
        return f"no session {shown} is open{self._others(str(name))}"

    def _others(self, name: str) -> str:
        names = self.open
        if not names:
            return "; none is open"
        return f"{did_you_mean(name, names) if name else ''}; open are: {', '.join(names)}"


def _checked(session_id: object) -> str:
    if isinstance(session_id, str) and NAME.fullmatch(session_id):
        return session_id
    raise OptionInvalid(
        f"session id {_cut(session_id)}: it must be 1 to 64 letters, digits, dots, dashes and underscores, and begin "
        "with a letter or a digit",
        option="session_id",
    )


def _cut(name: object) -> str:
    """A caller may send anything; what cannot be a name is not repeated at length."""
    return short(repr(name), 80)


def _exists(name: str, stage: Stage) -> str:
    if stage == "closing":
        return f"session {name!r} is still being closed; wait for its close, or take another name"
    verb = "is open already" if stage == "open" else "is being opened already"
    return f"session {name!r} {verb}: use it, close it first, or take another name"
