"""Watch the console messages of a tab without Runtime.enable.

Console.enable reports the arguments of console methods as text. V8 produces that text for every call anyway, so pages
notice nothing: on Chromium 156 a page with getters on everything that it logs (stack, message, name, toStringTag,
elements of arrays, Error.prepareStackTrace) sees the same reads in the same order with and without it, whereas
Runtime.enable reads the stack and the name once more. Wrappers around the console's methods would be visible in their
source text and in Chrome's locations. Log.enable adds the browser's own messages, which pages cannot see either.
What is in objects is not in these texts: `console_objects` reads it for listeners who ask.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterable
from itertools import chain
from typing import TYPE_CHECKING, Any

from msgspec import structs

from stillframe.cdp_types import console, log, page
from stillframe.model.events import ConsoleMessage, SourceLocation
from stillframe.tab.events.console_objects import ConsoleObjects, text_of

if TYPE_CHECKING:
    from stillframe.cdp import CDPSession
    from stillframe.tab.events.worker_debuggers import WorkerDebuggers
    from stillframe.tab.frames import Frame

TYPES = {"verbose": "debug"}
"""Levels of the Log domain that have another name in the Console domain."""

WORKER = "worker"
"""The source of what a dedicated worker logs, which its own session reports as well."""
BLOCKED = "Blocked script execution in "

_Waiting = tuple[ConsoleMessage, "asyncio.Future[list[Any]]"]
"""A message, and the replies with its arguments; cancelled if it has none."""


class Console:
    """Watches the consoles of one tab while there are listeners."""

    def __init__(
        self,
        sessions: Callable[[], Iterable[CDPSession]],
        frames: Callable[[CDPSession], Iterable[Frame]],
        debuggers: WorkerDebuggers,
        report: Callable[[ConsoleMessage], None],
    ) -> None:
        self._sessions = sessions
        self._frames = frames
        self._debuggers = debuggers
        self._report = report
        self._removers: dict[CDPSession, list[Callable[[], None]]] | None = None
        self._shows_objects = False
        self._starts = 0
        self._objects: dict[CDPSession, ConsoleObjects] = {}
        self._waiting: dict[CDPSession, deque[_Waiting]] = {}
        """The messages that wait for the objects of an earlier one, in their order."""
        self._places: dict[CDPSession, str] = {}

    def start(self) -> None:
        """Report messages from now on; awaits nothing."""
        self._removers = {}
        self._starts += 1
        for session in self._sessions():
            self._watch(session, fresh=False)

    def stop(self) -> None:
        """Stop reporting; awaits nothing."""
        removers, self._removers = self._removers or {}, None
        objects, self._objects = self._objects, {}
        for remove in (*chain.from_iterable(removers.values()), *(each.remove for each in objects.values())):
            remove()
        for waiting in self._waiting.values():
            for _, reading in waiting:
                reading.cancel()
        self._waiting.clear()
        for session in self._sessions():
            if session.error is None:
                session.post(console.Disable())
                session.post(log.Disable())

    def show_objects(self) -> None:
        """Tell from now on what is in the objects that pages log; costs each of these messages a round trip."""
        if self._shows_objects:
            return
        self._shows_objects = True
        for session in self._sessions() if self._removers is not None else ():
            self._watch_objects(session)

    def joined(self, session: CDPSession) -> None:
        """Watch a new session of the tab, if there are listeners."""
        if self._removers is not None:
            # The page session joins late if the tab was open before stillframe attached to it.
            self._watch(session, fresh=session.target_type != "page")

    def _watch_objects(self, session: CDPSession) -> None:
        if self._shows_objects:
            self._objects[session] = ConsoleObjects(session, self._starts, self._frames, self._debuggers)

    def _watch(self, session: CDPSession, *, fresh: bool) -> None:
        assert self._removers is not None  # it was started
        # Chrome first sends all earlier messages of the document, before its reply; the caller wants only later ones.
        calls, entries = session.post(console.Enable()), session.post(log.Enable())
        self._watch_objects(session)
        committed = fresh

        def commit(event: page.FrameNavigated) -> None:
            nonlocal committed
            committed = committed or event.frame.parent_id is None

        self._removers[session] = [
            session.on_closed(lambda _: self._left(session)),
            session.on(page.FrameNavigated, commit),
            session.on(
                console.MessageAdded, lambda event: self._called(session, event) if committed or calls.done() else None
            ),
            session.on(
                log.EntryAdded, lambda event: self._logged(session, event) if committed or entries.done() else None
            ),
        ]

    def _left(self, session: CDPSession) -> None:
        """Forget a session that has ended; its last messages still come."""
        if self._removers is not None:
            self._removers.pop(session, None)
        for known in (self._objects, self._places):
            known.pop(session, None)

    def _called(self, session: CDPSession, event: console.MessageAdded) -> None:
        message = event.message
        objects = self._objects.get(session)
        place = objects.announced(message.text) if objects is not None else None
        if place is not None:
            self._places[session] = place
            return
        made = message_of_call(message)
        place = self._places.pop(session, None)
        if objects is None or place is None:
            self._tell(session, made)
            return
        reading = objects.read(place)
        self._waiting.setdefault(session, deque()).append((made, reading))
        reading.add_done_callback(lambda _: self._advance(session))

    def _logged(self, session: CDPSession, event: log.EntryAdded) -> None:
        message = None if event.entry.source == WORKER else message_of_entry(event.entry)
        if message is not None:
            self._tell(session, message)

    def _tell(self, session: CDPSession, message: ConsoleMessage) -> None:
        """Report a message after those of its session that still wait for their objects."""
        waiting = self._waiting.get(session)
        if not waiting:
            self._report(message)
            return
        nothing: asyncio.Future[list[Any]] = asyncio.get_running_loop().create_future()
        nothing.cancel()
        waiting.append((message, nothing))

    def _advance(self, session: CDPSession) -> None:
        waiting = self._waiting.get(session)
        while waiting and waiting[0][1].done():
            message, reading = waiting.popleft()
            text = None if reading.cancelled() else text_of(reading.result())
            self._report(message if text is None else structs.replace(message, text=text))


def message_of_call(message: console.ConsoleMessage) -> ConsoleMessage:
    """Return what a script has logged."""
    return ConsoleMessage(
        type=message.level,
        text=message.text,
        source=message.source,
        location=_location(message.url, message.line, message.column),
        timestamp_ms=time.time() * 1000,
    )


def message_of_entry(entry: log.LogEntry) -> ConsoleMessage | None:
    """Return what the browser has reported; None for what only reports on this package."""
    if _is_ours(entry):
        return None
    return ConsoleMessage(
        type=TYPES.get(entry.level, entry.level),
        text=entry.text,
        source=entry.source,
        location=_location(entry.url, (entry.line_number or 0) + 1, 1),
        timestamp_ms=entry.timestamp,
    )


def _is_ours(entry: log.LogEntry) -> bool:
    """Return whether Chrome reports that a sandboxed document runs no scripts.

    It says so of each attempt of this package, and in the same words, without a place, of the document's own scripts.
    """
    return entry.source == "security" and entry.text.startswith(BLOCKED)


def _location(url: str | None, line: int | None, column: int | None) -> SourceLocation | None:
    return SourceLocation(url=url, line=line or 1, column=column or 1) if url else None
