"""Console messages of a tab, without Runtime.enable.

Console.enable reports what console methods are called with, as text. V8 makes that text for every call in any case, so
pages notice nothing: on Chromium 156 a page with getters on everything that it logs (stack, message, name, toStringTag,
elements of arrays, Error.prepareStackTrace) sees the same reads in the same order with and without it, whereas
Runtime.enable reads the stack and the name once more. Wrappers round the console's methods would show in their text and
in the place that Chrome names. Log.enable adds what the browser itself reports; pages see nothing of that either.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from stillframe.cdp import CDPSession
from stillframe.cdp_types import console, log
from stillframe.model.events import ConsoleMessage, SourceLocation

TYPES = {"verbose": "debug"}
"""Levels of the Log domain whose name in the Console domain is another one."""


class Console:
    """Watches the consoles of one tab while somebody listens."""

    def __init__(self, sessions: Callable[[], Iterable[CDPSession]], tell: Callable[[ConsoleMessage], None]) -> None:
        self._sessions = sessions
        self._tell = tell
        self._removers: list[Callable[[], None]] | None = None

    def start(self) -> None:
        """Report messages from now on; awaits nothing."""
        self._removers = []
        for session in self._sessions():
            self._watch(session, fresh=False)

    def stop(self) -> None:
        """Report no more; awaits nothing."""
        removers, self._removers = self._removers or [], None
        for remove in removers:
            remove()
        for session in self._sessions():
            if session.error is None:
                session.post(console.Disable())
                session.post(log.Disable())

    def joined(self, session: CDPSession) -> None:
        """Watch a new session of the tab, if somebody listens."""
        if self._removers is not None:
            # The tab itself joins late where it was open before stillframe attached to it.
            self._watch(session, fresh=session.target_type != "page")

    def _watch(self, session: CDPSession, *, fresh: bool) -> None:
        assert self._removers is not None  # it was started
        # Chrome begins with all messages so far, before it answers; the caller asked for those from now on.
        calls, entries = session.post(console.Enable()), session.post(log.Enable())
        self._removers += [
            session.on(console.MessageAdded, lambda event: self._called(event) if fresh or calls.done() else None),
            session.on(log.EntryAdded, lambda event: self._logged(event) if fresh or entries.done() else None),
        ]

    def _called(self, event: console.MessageAdded) -> None:
        message = event.message
        self._tell(
            ConsoleMessage(
                type=message.level,
                text=message.text,
                source=message.source,
                location=_location(message.url, message.line, message.column),
                timestamp_ms=time.time() * 1000,
            )
        )

    def _logged(self, event: log.EntryAdded) -> None:
        entry = event.entry
        self._tell(
            ConsoleMessage(
                type=TYPES.get(entry.level, entry.level),
                text=entry.text,
                source=entry.source,
                location=_location(entry.url, (entry.line_number or 0) + 1, 1),
                timestamp_ms=time.time() * 1000,
            )
        )


def _location(url: str | None, line: int | None, column: int | None) -> SourceLocation | None:
    return SourceLocation(url=url, line=line or 1, column=column or 1) if url else None
