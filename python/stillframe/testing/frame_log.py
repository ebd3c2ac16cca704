"""A log of the frames that a connection sends and receives, for tests and measurements of traffic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import TracebackType
from typing import Any, Self

import msgspec

from stillframe import _core
from stillframe.cdp import Connection
from stillframe.cdp.channel import Channel
from stillframe.cdp.wire import is_cbor

Listener = Callable[[bytes], None]


@contextmanager
def tap(connection: Connection | Channel, sending: Listener, receiving: Listener) -> Iterator[None]:
    """Pass every frame of a connection, or of the channel of a session, to a listener first, until the block ends.

    Args:
        connection: The connection, or the channel.
        sending: A function of each frame that is sent.
        receiving: A function of each frame that is received.

    Example:
        with tap(connection, sent.append, received.append):
            await connection.root.call("Browser.getVersion")
    """
    # No transport takes listeners, because only a measurement needs one.
    transport: Any = connection.transport
    delivery = getattr(getattr(transport, "_wire", transport), "delivery", None)
    receiver, name = (transport, "_on_frame") if delivery is None else (delivery, "on_frame")
    send, receive = transport.send, getattr(receiver, name)

    def send_on(frame: bytes) -> None:
        sending(frame)
        send(frame)

    def receive_on(frame: bytes) -> None:
        receiving(frame)
        receive(frame)

    transport.send = send_on
    setattr(receiver, name, receive_on)
    try:
        yield
    finally:
        del transport.send
        if getattr(receiver, name) is receive_on:  # a closed transport may have none
            setattr(receiver, name, receive)


class LoggedFrame(msgspec.Struct, frozen=True):
    """One frame; `method` names a command or an event and is empty for an answer."""

    sent: bool
    size: int
    id: int = 0
    method: str = ""
    session: str = ""


class _Head(msgspec.Struct):
    id: int = 0
    method: str = ""
    session_id: str = msgspec.field(name="sessionId", default="")


class FrameLog:
    """Record the frames of a connection, or of the channel of a session, until the block ends.

    with FrameLog(page.cdp_session.channel) as log:
        await page.settle()
    assert log.round_trips <= 4, log.by_method()
    """

    def __init__(self, connection: Connection | Channel) -> None:
        self.frames: list[LoggedFrame] = []
        self._tap = tap(connection, partial(self._take, sent=True), partial(self._take, sent=False))

    def __enter__(self) -> Self:
        self._tap.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._tap.__exit__(kind, error, trace)

    def _take(self, data: bytes, *, sent: bool) -> None:
        text = _core.cbor_to_json(data) if is_cbor(data) else data
        head = msgspec.json.decode(text, type=_Head)
        frame = LoggedFrame(sent=sent, size=len(data), id=head.id, method=head.method, session=head.session_id)
        self.frames.append(frame)

    @property
    def messages(self) -> int:
        """The number of frames in both directions."""
        return len(self.frames)

    @property
    def size(self) -> int:
        """The number of bytes in both directions."""
        return sum(frame.size for frame in self.frames)

    @property
    def round_trips(self) -> int:
        """How many times the client waited for an answer before it sent more; pipelined commands count once."""
        trips, answered = 0, True
        for frame in self.frames:
            if frame.sent:
                trips += answered
                answered = False
            elif not frame.method:
                answered = True
        return trips

    def by_method(self) -> list[tuple[str, int, int]]:
        """Return name, frames and bytes of each method, most bytes first; an answer counts for its command."""
        commands = {frame.id: frame.method for frame in self.frames if frame.sent}
        number: Counter[str] = Counter()
        size: Counter[str] = Counter()
        for frame in self.frames:
            name = frame.method or f"{commands.get(frame.id, '?')} (answer)"
            number[name] += 1
            size[name] += frame.size
        return [(name, number[name], total) for name, total in size.most_common()]
