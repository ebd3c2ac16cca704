"""What goes over the wire, counted on the transport: frames in both directions, with their bytes."""

from __future__ import annotations

from collections import Counter
from types import TracebackType
from typing import Any, Self

import msgspec

from stillframe.cdp import Connection


class Frame(msgspec.Struct, frozen=True):
    """One frame; `method` is a command's or an event's name, empty for an answer."""

    sent: bool
    size: int
    id: int = 0
    method: str = ""
    session: str = ""


class _Head(msgspec.Struct):
    id: int = 0
    method: str = ""
    session_id: str = msgspec.field(name="sessionId", default="")


class Wire:
    """Listens on the transport of a connection for a block."""

    def __init__(self, connection: Connection) -> None:
        # No transport has a door for listeners, since only a measurement needs one.
        self._transport: Any = connection.transport
        self.frames: list[Frame] = []

    def __enter__(self) -> Self:
        transport, frames = self._transport, self.frames
        send, receive = transport.send, transport._on_frame

        def sending(frame: bytes) -> None:
            frames.append(_frame(frame, sent=True))
            send(frame)

        def receiving(frame: bytes) -> None:
            frames.append(_frame(frame, sent=False))
            receive(frame)

        transport.send, transport._on_frame = sending, receiving
        self._receive = receive
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        del self._transport.send
        self._transport._on_frame = self._receive

    @property
    def messages(self) -> int:
        """Frames in both directions."""
        return len(self.frames)

    @property
    def size(self) -> int:
        """Bytes in both directions."""
        return sum(frame.size for frame in self.frames)

    @property
    def round_trips(self) -> int:
        """How often something was sent because of an answer; what is pipelined counts once."""
        trips, answered = 0, True
        for frame in self.frames:
            if frame.sent:
                trips += answered
                answered = False
            elif not frame.method:
                answered = True
        return trips

    def by_method(self) -> list[tuple[str, int, int]]:
        """Return (what, frames, bytes), most bytes first; an answer goes by the name of its command."""
        commands = {frame.id: frame.method for frame in self.frames if frame.sent}
        number: Counter[str] = Counter()
        size: Counter[str] = Counter()
        for frame in self.frames:
            name = frame.method or f"{commands.get(frame.id, '?')} (answer)"
            number[name] += 1
            size[name] += frame.size
        return [(name, number[name], total) for name, total in size.most_common()]


def _frame(data: bytes, *, sent: bool) -> Frame:
    head = msgspec.json.decode(data, type=_Head)
    return Frame(sent=sent, size=len(data), id=head.id, method=head.method, session=head.session_id)
