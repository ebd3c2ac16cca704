"""Track WebSockets: which replies are expected, and for how long.

A reply is expected only to a message that was sent after the actions began: a socket may be silent for ever. One
message may have several replies: `replies` decides which are still to come. Where a reply repeats the id of its
message, the exchange is over when that reply comes (`correlation`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from stillframe.settling.channels import STREAM_GRACE_MS, Channels, InitialMessages, UnsolicitedMessages
from stillframe.settling.correlation import Correlation, Correlations, SentMessage
from stillframe.settling.replies import Exchange, ExchangeHistory
from stillframe.settling.rows import PendingRow, Rows, without_query

if TYPE_CHECKING:
    from stillframe.settling.signals import SocketClosed, SocketOpening, SocketReceived, SocketSent

SOCKET_REPLY_MS = 500.0
"""How long to expect a reply to a message sent over a socket."""
REPLIED_MS = 250.0
"""How long to expect more after the reply with the id: servers push the change after the acknowledgement, 45 to 200 ms
later (measured with Bokeh)."""
MAX_REST_MS = 1000.0
"""How long that may go on while messages come: from then on they are news of their own."""
MAX_UNANSWERED = 3
"""After this many messages in a row without a reply, a place is known not to reply."""


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


class Sockets(Channels):
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
            # It is not a reply to what is awaited, so it announces none.
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
        self._rows.open(
            PendingRow("websocket", id_, what, now, url or None, until=end, rest=end is not None, lasting=lasting)
        )

    def _answered(self, now: float, signal: SocketReceived, socket: Socket, row: PendingRow) -> None:
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
        self._rows.open(PendingRow("websocket", id_, what, now, socket.url or None, until=until))

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
        self._rows.open(PendingRow("websocket", id_, url or "a socket", now, url or None, until=until, opening=opening))
        return True


def _patience(socket: Socket) -> float:
    return max((message.patience_ms for message in socket.awaited), default=0.0)


def _is_sure(socket: Socket) -> bool:
    return _patience(socket) == float("inf")


def _key(socket: Socket) -> str:
    return f"websocket {without_query(socket.url)}"
