"""Streams over HTTP that a client can take up again: what was sent on them, and who reads them.

Until protocol 2025-11-25 a client whose stream broke asks with `Last-Event-ID` for the rest. The SDK sends the events
and the request to come back; this keeps them, bounded in number, bytes and time, and knows which calls nobody waits
for.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from contextvars import ContextVar
from typing import NamedTuple

import mcp_types as types
from mcp.server.streamable_http import EventCallback, EventMessage, EventStore

RETRY_MS = 1_000
"""Milliseconds after which a client should come back; the default of the HTML standard is "a few seconds"."""

RETURN_S = 5.0
"""Seconds in which a client must come back before its call is cancelled: some of its attempts at `RETRY_MS`."""

TTL_S = 120.0
"""Seconds that an event can be asked for: a client that comes back does so within its retries."""

MAX_EVENTS = 4_096
"""Events of all clients; a call has one for each action, and its result."""

MAX_BYTES = 32_000_000
"""Bytes of the events of all clients; a result with a picture has about half a million."""


class Reader:
    """One HTTP request: `left` is set when nobody reads its response any longer."""

    def __init__(self) -> None:
        self.left = asyncio.Event()
        self.stream: Stream | None = None
        """The stream that the client may take up again."""
        self.attached = asyncio.Event()
        """Set when the client got the event after which the SDK sends it what is new on the stream."""
        self._attaching = b""

    def attach(self, number: int) -> None:
        """Wait with new events of the stream until this one was sent."""
        self._attaching = f"id: {number}\r\n".encode()

    @property
    def is_attaching(self) -> bool:
        """Whether the SDK is about to send the client what is new."""
        return bool(self._attaching) and not self.attached.is_set()

    def sent(self, body: bytes) -> None:
        """Take notice of a part of the response."""
        if self._attaching and self._attaching in body:
            # The SDK attaches the stream in the step after its event was taken, which may be scheduled but not done.
            loop = asyncio.get_running_loop()
            loop.call_soon(loop.call_soon, self.attached.set)

    def leave(self) -> None:
        """Nobody reads the response any longer."""
        self.left.set()
        self.attached.set()


class Stream:
    """The stream of one request of a client: who reads it now."""

    def __init__(self, reader: Reader) -> None:
        reader.attached.set()
        self._reader = reader
        self._taken_up = asyncio.Event()

    def take_up(self, reader: Reader) -> None:
        """Let another request read the stream."""
        self._reader = reader
        self._taken_up.set()
        self._taken_up = asyncio.Event()

    def prime(self, number: int) -> None:
        """Take the number of the event by which the SDK begins the response of the reader."""
        if not self._reader.attached.is_set():
            self._reader.attach(number)

    async def ready(self) -> None:
        """Return when an event would reach the reader, or there is none."""
        if self._reader.is_attaching:
            await self._reader.attached.wait()

    async def abandoned(self, wanted: asyncio.Event, return_s: float) -> None:
        """Return when its reader has left and none came in `return_s` seconds, or before `wanted` was set."""
        while True:
            reader, taken_up = self._reader, self._taken_up
            await reader.left.wait()
            if self._reader is reader and not await _is_first(taken_up, wanted, return_s):
                return


async def _is_first(event: asyncio.Event, other: asyncio.Event, timeout_s: float) -> bool:
    """Return whether an event is set within the time and before another one."""
    waiting = [asyncio.ensure_future(each.wait()) for each in (event, other)]
    try:
        await asyncio.wait(waiting, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
        return event.is_set()
    finally:
        for each in waiting:
            each.cancel()


current_reader: ContextVar[Reader | None] = ContextVar("current_reader", default=None)
"""The HTTP request that a task serves."""


class _Event(NamedTuple):
    owner: SessionEvents
    stream: str
    message: types.JSONRPCMessage | None
    size: int
    created: float


class EventLog:
    """The events of all clients; the oldest go first. `clock` returns seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._events: OrderedDict[int, _Event] = OrderedDict()
        self._size = 0
        self._last = 0

    def session(self) -> SessionEvents:
        """Return the events of one client, which sees no others."""
        return SessionEvents(self)

    def add(self, owner: SessionEvents, stream: str, message: types.JSONRPCMessage | None) -> int:
        """Keep an event and return its number."""
        size = 0 if message is None else len(message.model_dump_json(by_alias=True, exclude_unset=True).encode())
        self._last += 1
        self._events[self._last] = _Event(owner, stream, message, size, self._clock())
        self._size += size
        self._trim()
        return self._last

    def stream(self, owner: SessionEvents, number: int) -> str | None:
        """Return the stream of an event, or None if the event is gone or of another client."""
        self._trim()
        event = self._events.get(number)
        return None if event is None or event.owner is not owner else event.stream

    def after(self, owner: SessionEvents, stream: str, number: int) -> list[tuple[int, types.JSONRPCMessage]]:
        """Return what came on a stream later than an event."""
        return [
            (at, each.message)
            for at, each in self._events.items()
            if at > number and each.owner is owner and each.stream == stream and each.message is not None
        ]

    def _trim(self) -> None:
        oldest = self._clock() - TTL_S
        while self._events:
            first = next(iter(self._events.values()))
            if len(self._events) <= MAX_EVENTS and self._size <= MAX_BYTES and first.created >= oldest:
                return
            self._events.popitem(last=False)
            self._size -= first.size


class SessionEvents(EventStore):
    """The events of one MCP session."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._streams: dict[str, Stream] = {}

    async def store_event(self, stream_id: str, message: types.JSONRPCMessage | None) -> str:
        """Keep an event and return its id; without a message it is the first of a stream, and tells who reads it."""
        reader, stream = current_reader.get(), self._streams.get(stream_id)
        if message is not None and stream is not None:
            await stream.ready()
        number = self._log.add(self, stream_id, message)
        if message is None and stream is not None:
            stream.prime(number)
        elif message is None and reader is not None:
            reader.stream = self._streams[stream_id] = Stream(reader)
        elif _is_answer(message):
            self._streams.pop(stream_id, None)
        return str(number)

    async def replay_events_after(self, last_event_id: str, send_callback: EventCallback) -> str | None:
        """Send what came after an event; return the stream if more is to come on it."""
        number = int(last_event_id) if _is_number(last_event_id) else 0
        stream_id = self._log.stream(self, number)
        reader, stream = current_reader.get(), self._streams.get(stream_id or "")
        if reader is not None and stream is not None:
            stream.take_up(reader)
        # What is kept while these are sent comes in the next round: nothing may fall between this and the SDK's events.
        while stream_id is not None and (later := self._log.after(self, stream_id, number)):
            for at, message in later:
                await send_callback(EventMessage(message, str(at)))
                number = at
                if _is_answer(message):
                    return None
        return stream_id


def _is_answer(message: types.JSONRPCMessage | None) -> bool:
    return isinstance(message, types.JSONRPCResponse | types.JSONRPCError)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 20
