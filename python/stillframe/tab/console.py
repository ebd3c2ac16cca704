"""Watch the console messages of a tab without Runtime.enable.

Console.enable reports the arguments of console methods as text. V8 produces that text for every call anyway, so pages
notice nothing: on Chromium 156 a page with getters on everything that it logs (stack, message, name, toStringTag,
elements of arrays, Error.prepareStackTrace) sees the same reads in the same order with and without it, whereas
Runtime.enable reads the stack and the name once more. Wrappers around the console's methods would be visible in their
source text and in Chrome's locations. Log.enable adds the browser's own messages, which pages cannot see either.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from stillframe.cdp_types import console, log, page
from stillframe.model.events import ConsoleMessage, SourceLocation

if TYPE_CHECKING:
    from stillframe.cdp import CDPSession

TYPES = {"verbose": "debug"}
"""Levels of the Log domain that have another name in the Console domain."""


class Console:
    """Watches the consoles of one tab while there are listeners."""

    def __init__(self, sessions: Callable[[], Iterable[CDPSession]], report: Callable[[ConsoleMessage], None]) -> None:
        self._sessions = sessions
        self._report = report
        self._removers: list[Callable[[], None]] | None = None

    def start(self) -> None:
        """Report messages from now on; awaits nothing."""
        self._removers = []
        for session in self._sessions():
            self._watch(session, fresh=False)

    def stop(self) -> None:
        """Stop reporting; awaits nothing."""
        removers, self._removers = self._removers or [], None
        for remove in removers:
            remove()
        for session in self._sessions():
            if session.error is None:
                session.post(console.Disable())
                session.post(log.Disable())

    def joined(self, session: CDPSession) -> None:
        """Watch a new session of the tab, if there are listeners."""
        if self._removers is not None:
            # The page session joins late if the tab was open before stillframe attached to it.
            self._watch(session, fresh=session.target_type != "page")

    def _watch(self, session: CDPSession, *, fresh: bool) -> None:
        assert self._removers is not None  # it was started
        # Chrome first sends all earlier messages of the document, before its reply; the caller wants only later ones.
        calls, entries = session.post(console.Enable()), session.post(log.Enable())
        committed = fresh

        def commit(event: page.FrameNavigated) -> None:
            nonlocal committed
            committed = committed or event.frame.parent_id is None

        self._removers += [
            session.on(page.FrameNavigated, commit),
            session.on(console.MessageAdded, lambda event: self._called(event) if committed or calls.done() else None),
            session.on(log.EntryAdded, lambda event: self._logged(event) if committed or entries.done() else None),
        ]

    def _called(self, event: console.MessageAdded) -> None:
        message = event.message
        self._report(
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
        self._report(
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
