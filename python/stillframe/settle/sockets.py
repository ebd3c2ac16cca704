"""WebSockets and event streams: which replies are expected, and for how long.

A reply is expected to what was sent after the actions began, and to nothing else: a socket may be silent for ever. What
a chatty socket brings by itself is told from a reply by its shape and its rate: only what looks unlike it, or exceeds
the rhythm learned before, is one.
"""

from __future__ import annotations

from collections import deque

import msgspec

from stillframe.settle.noise import Rhythm
from stillframe.settle.rows import Row, Rows, place
from stillframe.settle.signals import SocketClosed, SocketOpening, SocketReceived, SocketSent, StreamMessage

SOCKET_REPLY_MS = 500.0
"""How long a reply to what was sent over a socket is expected (settle.md §2)."""
STREAM_GRACE_MS = 400.0
"""How long an open event stream may bring the effect of a request that is not a GET, and a channel that the actions
opened its first message: settle.md §2 has 300 ms, which a push after 300 ms just misses."""
CHATTY_MS, CHATTY_MESSAGES = 1000.0, 3
"""A socket that brought this many messages in this time before the actions is chatty: its next message is no reply."""
MAX_SHAPES = 32
"""How many shapes of messages are remembered for a channel; one that has more tells nothing by them."""
SILENT = 3
"""After this many messages in a row that brought no reply, a place is known not to reply."""


class Pushes:
    """The messages that come over one channel by themselves; times in milliseconds."""

    def __init__(self) -> None:
        self._rhythm = Rhythm()
        self._shapes: set[str] = set()
        self._heard = 0
        self._recent: deque[float] = deque(maxlen=CHATTY_MESSAGES)
        self._chatty = False

    def arm(self, now: float) -> None:
        """Note whether the channel is chatty: that can be told only while nobody acts."""
        recent = self._recent
        self._chatty = len(recent) == CHATTY_MESSAGES and now - recent[0] <= CHATTY_MS

    def hear(self, now: float, shape: str, *, learn: bool) -> bool:
        """Take in a message; tell whether it came by itself, and not in reply to anything."""
        if learn:
            self._recent.append(now)
            self._rhythm.learn(now)
            self._heard += 1
            if len(self._shapes) < MAX_SHAPES:
                self._shapes.add(shape)
            return False
        if shape and shape not in self._shapes and len(self._shapes) <= max(1, self._heard // 2):
            # It looks unlike all that came by itself, and those look alike.
            return False
        return self._rhythm.spend(now) if self._rhythm.period is not None else self._chatty

    @property
    def rate(self) -> float:
        """Messages per second, as far as known."""
        if self._rhythm.period is not None:
            return 1000 / self._rhythm.period
        span = self._recent[-1] - self._recent[0] if self._recent else 0.0
        return 1000 * (len(self._recent) - 1) / span if span > 0 else 0.0


class Socket(msgspec.Struct):
    """One WebSocket; times in milliseconds."""

    url: str
    shaken: bool = False
    """Whether its handshake is over."""
    owed: int = 0
    """How many replies are expected."""
    since: float = 0.0
    """When something was sent last."""
    pushes: Pushes = msgspec.field(default_factory=Pushes)


class Sockets:
    """The WebSockets of one page and its workers."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._open: dict[str, Socket] = {}
        self._unanswered: dict[str, int] = {}

    def arm(self, now: float) -> None:
        """Note which sockets are chatty; a reply that is owed from before is not expected any more."""
        for socket in self._open.values():
            self._give_up(now, socket)
            socket.owed = 0
            socket.pushes.arm(now)

    def forget(self) -> None:
        """Forget all sockets: their document is gone. A place that did not reply has to show so but once more."""
        self._open.clear()
        self._unanswered = {key: SILENT - 1 for key, count in self._unanswered.items() if count >= SILENT}

    # -- signals ---------------------------------------------------------------------------------

    def opening(self, now: float, signal: SocketOpening) -> bool:
        """Take in the beginning of a handshake."""
        self._open[signal.id] = Socket(signal.url, since=now)
        self._expect(now, signal.id, SOCKET_REPLY_MS)
        return self._rows.armed

    def sent(self, now: float, signal: SocketSent) -> bool:
        """Take in what the page sent."""
        socket = self._open.setdefault(signal.id, Socket("", shaken=True))
        key = _key(socket)
        if self._rows.is_noise("websocket", key, now):
            return False
        self._give_up(now, socket)
        socket.since = now
        if self._unanswered.get(key, 0) >= SILENT and self._rows.armed:
            self._rows.ignore("websocket", key)
            return True
        socket.owed += 1
        self._expect(now, signal.id, SOCKET_REPLY_MS)
        return self._rows.armed

    def received(self, now: float, signal: SocketReceived) -> bool:
        """Take in a message, or the end of a handshake; tell whether it is a reply."""
        socket = self._open.setdefault(signal.id, Socket("", shaken=True))
        if not socket.shaken:
            socket.shaken = True
            # Nobody opens a socket for nothing: it sends, or it is sent what it was opened for.
            return self._expect(now, signal.id, STREAM_GRACE_MS)
        if socket.pushes.hear(now, signal.shape, learn=not self._rows.armed):
            self._rows.ignore("websocket", place(socket.url), socket.pushes.rate)
            return False
        socket.owed = max(0, socket.owed - 1)
        self._unanswered.pop(_key(socket), None)
        row = self._rows.row("websocket", signal.id)
        if row is not None and not socket.owed:
            # One message may be answered by several, and nothing tells which is the last: not waited for, but told.
            row.later, row.until, row.what = True, now + SOCKET_REPLY_MS, f"{socket.url} (more may come)"
        return row is not None

    def closed(self, now: float, signal: SocketClosed) -> bool:
        """Take in the end of a socket."""
        self._open.pop(signal.id, None)
        return self._rows.close("websocket", signal.id)

    def _give_up(self, now: float, socket: Socket) -> None:
        """Count the replies that are owed for too long."""
        if socket.owed and now - socket.since > SOCKET_REPLY_MS:
            self._unanswered[_key(socket)] = self._unanswered.get(_key(socket), 0) + socket.owed
            socket.owed = 0

    def _expect(self, now: float, id_: str, cap_ms: float) -> bool:
        url = self._open[id_].url
        self._rows.open(Row("websocket", id_, url or "a socket", now, url or None, until=now + cap_ms))
        return True


def _key(socket: Socket) -> str:
    return f"websocket {place(socket.url)}"


class Streams:
    """The event streams of one page and its workers."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._open: dict[str, tuple[str, Pushes]] = {}

    def arm(self, now: float) -> None:
        """Note which streams are chatty."""
        for _, pushes in self._open.values():
            pushes.arm(now)

    def forget(self) -> None:
        """Forget all streams: their document is gone."""
        self._open.clear()

    def opened(self, id_: str, url: str) -> None:
        """Take in that a body turned out to be a stream."""
        self._open.setdefault(id_, (url, Pushes()))

    def ended(self, id_: str) -> None:
        """Take in the end of a body."""
        self._open.pop(id_, None)
        self._rows.close("stream", id_)

    def expect(self, now: float, id_: str) -> None:
        """Expect a message: nobody opens a stream for nothing."""
        url, _ = self._open[id_]
        what = url or "event stream"
        self._rows.open(Row("stream", id_, what, now, url or None, until=now + STREAM_GRACE_MS))

    def expect_any(self, now: float) -> None:
        """Expect a message of any stream: something was asked for whose answer may come that way."""
        for id_ in self._open:
            self.expect(now, id_)

    def message(self, now: float, signal: StreamMessage) -> bool:
        """Take in a message; tell whether it is one that was expected."""
        self.opened(signal.id, "")
        url, pushes = self._open[signal.id]
        if pushes.hear(now, signal.shape, learn=not self._rows.armed):
            self._rows.ignore("stream", place(url), pushes.rate)
            return False
        return self._rows.close("stream", signal.id)
