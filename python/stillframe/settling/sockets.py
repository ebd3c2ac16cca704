"""Track WebSockets and event streams: which replies are expected, and for how long.

A reply is expected only to a message that was sent after the actions began: a socket may be silent for ever. The shape
and the rate of messages distinguish replies from the unsolicited messages of a chatty socket: only a message with a new
shape, or one beyond the learned rhythm, is a reply. One message may have several replies: `replies` decides which are
still to come. Where a reply repeats the id of its message, the exchange is over when that reply comes (`correlation`).
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import msgspec

from stillframe.settling.correlation import Correlation, Correlations, SentMessage
from stillframe.settling.noise import Recurrence
from stillframe.settling.replies import Exchange, ExchangeHistory
from stillframe.settling.rows import Row, Rows, without_query

if TYPE_CHECKING:
    from stillframe.settling.signals import SocketClosed, SocketOpening, SocketReceived, SocketSent, StreamMessage

SOCKET_REPLY_MS = 500.0
"""How long to expect a reply to a message sent over a socket."""
REPLIED_MS = 250.0
"""How long to expect more after the reply with the id: servers push the change after the acknowledgement, 45 to 200 ms
later (measured with Bokeh)."""
MAX_REST_MS = 1000.0
"""How long that may go on while messages come: from then on they are news of their own."""
STREAM_GRACE_MS = 400.0
"""How long an open event stream may take to deliver the effect of a request that is not a GET, and a channel that the
actions opened its first message; 300 ms would just miss a message that is pushed after 300 ms."""
CHATTY_MS, CHATTY_MESSAGES = 1000.0, 3
"""A socket that delivered this many messages in this time before the actions is chatty: its next message is no
reply."""
MAX_SHAPES = 32
"""How many message shapes to remember per channel; a channel with more cannot be judged by shape."""
NEXT_MESSAGE_MS, NEXT_MESSAGE_GAPS = 250.0, 2
"""How long a channel of a loading document gets after each message for the next one: this, or this many times the
longest gap before, at most `STREAM_GRACE_MS`."""
TICKER_MS = 1500.0
"""Messages that have come at even intervals for this long are those of a ticker; a server that sends a page part by
part may do so at even intervals as well, but ends."""
MAX_UNANSWERED = 3
"""After this many messages in a row without a reply, a place is known not to reply."""


class UnsolicitedMessages:
    """The unsolicited messages of one channel; times are in milliseconds."""

    def __init__(self) -> None:
        self._rhythm = Recurrence()
        self._shapes: set[str] = set()
        self._count = 0
        self._recent: deque[float] = deque(maxlen=CHATTY_MESSAGES)
        self._chatty = False

    def arm(self, now: float) -> None:
        """Record whether the channel is chatty; this can be judged only while no actions run."""
        recent = self._recent
        self._chatty = len(recent) == CHATTY_MESSAGES and now - recent[0] <= CHATTY_MS

    def record(self, now: float, shape: str, *, learn: bool) -> bool:
        """Record a message; return whether it is unsolicited, not a reply."""
        if learn:
            self._recent.append(now)
            self._rhythm.learn(now)
            self._count += 1
            if len(self._shapes) < MAX_SHAPES:
                self._shapes.add(shape)
            return False
        if shape and shape not in self._shapes and len(self._shapes) <= max(1, self._count // 2):
            # Its shape is new, and the unsolicited messages have few shapes.
            return False
        return self._rhythm.spend(now) if self._rhythm.period is not None else self._chatty

    def has_seen(self, shape: str) -> bool:
        """Return whether messages of this shape have come while no actions ran."""
        return shape in self._shapes

    @property
    def rate(self) -> float:
        """Messages per second, 0 if unknown."""
        if self._rhythm.period is not None:
            return 1000 / self._rhythm.period
        span = self._recent[-1] - self._recent[0] if self._recent else 0.0
        return 1000 * (len(self._recent) - 1) / span if span > 0 else 0.0


class InitialMessages:
    """The messages of a channel while its document loads; times are in milliseconds."""

    def __init__(self) -> None:
        self._rhythm = Recurrence()
        self._first: float | None = None
        self._last = 0.0
        self._gap = 0.0

    def record(self, now: float) -> float:
        """Record a message; return how long to expect the next one: 0 if they are those of a ticker."""
        if self._first is None:
            self._first = self._last = now
        self._gap = max(self._gap, now - self._last)
        self._last = now
        self._rhythm.learn(now)
        if self._rhythm.period is not None and now - self._first >= TICKER_MS:
            return 0.0
        return min(STREAM_GRACE_MS, max(NEXT_MESSAGE_MS, NEXT_MESSAGE_GAPS * self._gap))


class Socket(msgspec.Struct, kw_only=True):
    """One WebSocket; times are in milliseconds."""

    url: str
    handshake_done: bool = False
    """Whether its handshake is over."""
    expected: int = 0
    """How many replies are expected."""
    since: float = 0.0
    """When the last message was sent."""
    unsolicited: UnsolicitedMessages = msgspec.field(default_factory=UnsolicitedMessages)
    exchange: Exchange | None = None
    """The last message sent since the actions began, or the opening, with its replies; None if unused."""
    initial: InitialMessages = msgspec.field(default_factory=InitialMessages)
    correlation: Correlation
    awaited: list[SentMessage] = msgspec.field(default_factory=list)
    """The messages sent since the actions began whose ids have not come back."""
    replied: float | None = None
    """When the ids of all messages had come back: what comes now is the rest."""


class _Channels:
    """The common part of sockets and streams."""

    def __init__(self, rows: Rows, history: ExchangeHistory) -> None:
        self._rows = rows
        self._history = history

    def _is_unsolicited(
        self,
        now: float,
        signal: SocketReceived | StreamMessage,
        unsolicited: UnsolicitedMessages,
        exchange: Exchange | None,
    ) -> bool:
        """Record a message; return whether it is unsolicited, not a reply."""
        may_be_reply = exchange is not None and (bool(signal.announces) or not unsolicited.has_seen(signal.shape))
        if (
            exchange is not None
            and may_be_reply
            and exchange.record_reply(now, signal.shape, signal.announces, getattr(signal, "ids", ()))
            and not self._rows.armed
        ):
            # The message is late, but it is a reply: no rhythm can be learned from it.
            return False
        return unsolicited.record(now, signal.shape, learn=not self._rows.armed)


class Sockets(_Channels):
    """The WebSockets of one page and its workers."""

    def __init__(self, rows: Rows, history: ExchangeHistory) -> None:
        super().__init__(rows, history)
        self._open: dict[str, Socket] = {}
        self._unanswered: dict[str, int] = {}
        self._correlations = Correlations()

    def arm(self, now: float) -> None:
        """Record which sockets are chatty, and drop the expected replies of earlier waits."""
        for socket in self._open.values():
            self._count_missing(now, socket)
            self._history.learn(socket.exchange)
            socket.correlation.give_up(now, socket.awaited)
            socket.expected, socket.exchange, socket.awaited, socket.replied = 0, None, [], None
            socket.unsolicited.arm(now)

    def forget(self) -> None:
        """Forget all sockets: their document is gone. One more silent exchange confirms a place as silent."""
        for socket in self._open.values():
            self._history.learn(socket.exchange)
        self._open.clear()
        self._unanswered = {
            key: MAX_UNANSWERED - 1 for key, count in self._unanswered.items() if count >= MAX_UNANSWERED
        }

    # -- signals ---------------------------------------------------------------------------------

    def opening(self, now: float, signal: SocketOpening) -> bool:
        """Record the beginning of a handshake."""
        socket = self._open[signal.id] = self._socket(signal.url)
        socket.since, socket.exchange = now, Exchange("", now)
        self._expect(now, signal.id, SOCKET_REPLY_MS, opening=True)
        return self._rows.armed

    def sent(self, now: float, signal: SocketSent) -> bool:
        """Record a message that the page sent."""
        socket = self._known(signal.id)
        key = _key(socket)
        if self._rows.is_noise("websocket", key, now):
            return False
        self._count_missing(now, socket)
        socket.since, socket.replied = now, None
        if socket.exchange is None or socket.exchange.replies or not socket.exchange.key:
            # Messages that are sent before any reply belong to one exchange.
            self._history.learn(socket.exchange)
            jobs = [] if socket.exchange is None else socket.exchange.jobs
            socket.exchange = Exchange(f"{without_query(socket.url)} {signal.shape}", now, jobs=jobs)
        message = socket.correlation.sent(now, f"{without_query(socket.url)} {signal.shape}", signal.ids)
        if self._unanswered.get(key, 0) >= MAX_UNANSWERED and self._rows.armed:
            self._rows.ignore("websocket", key)
            return True
        socket.expected += 1
        if message is not None:
            socket.awaited.append(message)
        if not socket.exchange.announced:
            self._expect(now, signal.id, max(SOCKET_REPLY_MS, _patience(socket)))
        return self._rows.armed

    def received(self, now: float, signal: SocketReceived) -> bool:
        """Record a message or the end of a handshake; return whether it is a reply."""
        socket = self._known(signal.id)
        if not socket.handshake_done:
            socket.handshake_done = True
            socket.initial.record(now)
            # A page opens a socket for a reason: to send something, or to receive something.
            return self._expect(now, signal.id, STREAM_GRACE_MS, opening=True)
        replied = socket.correlation.received(now, signal.ids)
        if _is_sure(socket) and not replied:
            # It is no reply to what is awaited, so it announces none.
            signal = msgspec.structs.replace(signal, announces="")
        if replied and socket.exchange is not None:
            socket.exchange.record_reply(now, signal.shape, signal.announces, signal.ids)
        elif self._is_unsolicited(now, signal, socket.unsolicited, socket.exchange):
            self._rows.ignore("websocket", without_query(socket.url), socket.unsolicited.rate)
            return False
        self._count_reply(now, socket, replied)
        self._unanswered.pop(_key(socket), None)
        exchange = socket.exchange
        if self._rows.armed and exchange is not None and exchange.announced:
            self._await_more(now, signal.id, socket, None)
            return True
        return self._expect_rest(now, signal, socket)

    def _count_reply(self, now: float, socket: Socket, replied: list[SentMessage]) -> None:
        left = [message for message in socket.awaited if message not in replied]
        if len(left) < len(socket.awaited):
            socket.awaited, socket.expected = left, len(left)
            socket.replied = None if left else now
        elif not left:
            socket.expected = max(0, socket.expected - 1)

    def _expect_rest(self, now: float, signal: SocketReceived, socket: Socket) -> bool:
        """Decide how long to wait for more after a message; return whether any was awaited."""
        row = self._rows.row("websocket", signal.id)
        if row is None:
            return False
        if socket.awaited:
            # The reply is still to come, and this message shows that the server works on it.
            until = now + self._rows.slowdown.factor * _patience(socket)
            self._await_rest(now, signal.id, until, lasting=not _is_sure(socket))
        elif socket.replied is not None and self._rows.armed:
            grace = max(REPLIED_MS, socket.initial.record(now) if self._rows.awaits_loading else 0.0)
            until = min(now + self._rows.slowdown.factor * grace, socket.replied + MAX_REST_MS)
            self._await_rest(now, signal.id, until)
        elif not socket.expected:
            self._answered(now, signal, socket, row)
        return True

    def _await_rest(self, now: float, id_: str, until: float, *, lasting: bool = False) -> None:
        url = self._open[id_].url
        what = f"{url} (more may come)" if lasting else url or "a socket"
        end = None if until == float("inf") else until
        self._rows.open(Row("websocket", id_, what, now, url or None, until=end, rest=end is not None, lasting=lasting))

    def _answered(self, now: float, signal: SocketReceived, socket: Socket, row: Row) -> None:
        """Decide how long to wait for more after the first reply to all sent messages."""
        exchange = socket.exchange
        until = None if exchange is None else self._history.expected_until(exchange, signal.shape)
        if self._rows.awaits_loading and (until is None or until > now):
            longer = now + self._rows.slowdown.factor * socket.initial.record(now)
            until = longer if until is None else max(until, longer)
        if until is None and signal.announces != "last":
            # A message may have several replies, and nothing marks the last one: report it, but do not wait.
            row.beyond_horizon, row.until, row.what = True, now + SOCKET_REPLY_MS, f"{socket.url} (more may come)"
        elif until is None or until <= now:
            self._rows.close("websocket", signal.id)
        else:
            self._await_more(now, signal.id, socket, until)

    def _await_more(self, now: float, id_: str, socket: Socket, until: float | None) -> None:
        what = f"{socket.url or 'a socket'} ({'more replies usually follow' if until else 'the reply announces more'})"
        self._rows.open(Row("websocket", id_, what, now, socket.url or None, until=until))

    def closed(self, _now: float, signal: SocketClosed) -> bool:
        """Record the end of a socket."""
        socket = self._open.pop(signal.id, None)
        if socket is not None:
            self._history.learn(socket.exchange)
        return self._rows.close("websocket", signal.id)

    def _count_missing(self, now: float, socket: Socket) -> None:
        """Count replies that have been missing for too long."""
        if socket.expected and now - socket.since > self._rows.slowdown.factor * SOCKET_REPLY_MS:
            self._unanswered[_key(socket)] = self._unanswered.get(_key(socket), 0) + socket.expected
            socket.expected = 0

    def _known(self, id_: str) -> Socket:
        """Return a socket; one that is older than the observation is created now."""
        if id_ not in self._open:
            self._open[id_] = self._socket("")
            self._open[id_].handshake_done = True
        return self._open[id_]

    def _socket(self, url: str) -> Socket:
        return Socket(url=url, correlation=Correlation(self._correlations, without_query(url)))

    def _expect(self, now: float, id_: str, cap_ms: float, *, opening: bool = False) -> bool:
        url = self._open[id_].url
        until = None if cap_ms == float("inf") else now + self._rows.slowdown.factor * cap_ms
        self._rows.open(Row("websocket", id_, url or "a socket", now, url or None, until=until, opening=opening))
        return True


def _patience(socket: Socket) -> float:
    return max((message.patience_ms for message in socket.awaited), default=0.0)


def _is_sure(socket: Socket) -> bool:
    return _patience(socket) == float("inf")


def _key(socket: Socket) -> str:
    return f"websocket {without_query(socket.url)}"


class Stream(msgspec.Struct):
    """One event stream; times are in milliseconds."""

    url: str
    unsolicited: UnsolicitedMessages = msgspec.field(default_factory=UnsolicitedMessages)
    exchange: Exchange | None = None
    """What may cause messages since the actions began: its opening, or a request that changes something."""


class Streams(_Channels):
    """The event streams of one page and its workers."""

    def __init__(self, rows: Rows, history: ExchangeHistory) -> None:
        super().__init__(rows, history)
        self._open: dict[str, Stream] = {}

    def arm(self, now: float) -> None:
        """Record which streams are chatty."""
        for stream in self._open.values():
            stream.unsolicited.arm(now)
            self._history.learn(stream.exchange)
            stream.exchange = None

    def forget(self) -> None:
        """Forget all streams: their document is gone."""
        for stream in self._open.values():
            self._history.learn(stream.exchange)
        self._open.clear()

    def opened(self, id_: str, url: str) -> None:
        """Record that a response body is a stream."""
        self._open.setdefault(id_, Stream(url))

    def ended(self, id_: str) -> None:
        """Record the end of a response body."""
        stream = self._open.pop(id_, None)
        if stream is not None:
            self._history.learn(stream.exchange)
        self._rows.close("stream", id_)

    def expect(self, now: float, id_: str) -> None:
        """Expect a message: a page opens a stream for a reason."""
        self._open[id_].exchange = Exchange("", now)
        self._wait(now, id_, now + self._rows.slowdown.factor * STREAM_GRACE_MS, opening=True)

    def request_sent(self, now: float, what: str) -> None:
        """Record a request whose effect may arrive over any stream."""
        for stream in self._open.values():
            self._history.learn(stream.exchange)
            jobs = [] if stream.exchange is None else stream.exchange.jobs
            stream.exchange = Exchange(f"{without_query(stream.url)} {what}", now, jobs=jobs)

    def expect_any(self, now: float) -> None:
        """Expect a message on any stream: the server has accepted the request, and its effect may arrive that way."""
        for id_, stream in self._open.items():
            announced = stream.exchange is not None and stream.exchange.announced
            grace = self._rows.slowdown.factor * STREAM_GRACE_MS
            self._wait(now, id_, float("inf") if announced else now + grace)

    def message(self, now: float, signal: StreamMessage) -> bool:
        """Record a message; return whether it was expected."""
        self.opened(signal.id, "")
        stream = self._open[signal.id]
        if self._is_unsolicited(now, signal, stream.unsolicited, stream.exchange):
            self._rows.ignore("stream", without_query(stream.url), stream.unsolicited.rate)
            return False
        awaited = self._rows.close("stream", signal.id)
        until = None if stream.exchange is None else self._history.expected_until(stream.exchange, signal.shape)
        if self._rows.armed and until is not None and until > now:
            self._wait(now, signal.id, until)
        return awaited

    def _wait(self, now: float, id_: str, until: float, *, opening: bool = False) -> None:
        url = self._open[id_].url
        end = None if until == float("inf") else until
        self._rows.open(Row("stream", id_, url or "event stream", now, url or None, until=end, opening=opening))
