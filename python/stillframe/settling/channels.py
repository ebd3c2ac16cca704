"""Tell the replies of a channel, which is a WebSocket or an event stream, from the messages that come by themselves.

The shape and the rate of messages distinguish them: only a message with a new shape, or one beyond the rhythm that was
learned while no actions ran, is a reply.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from stillframe.settling.noise import Recurrence

if TYPE_CHECKING:
    from stillframe.settling.replies import Exchange, ExchangeHistory
    from stillframe.settling.rows import Rows
    from stillframe.settling.signals import SocketReceived, StreamMessage

STREAM_GRACE_MS = 400.0
"""How long an open event stream may take to deliver the effect of a request that is not a GET, and a channel that the
actions opened its first message; 300 ms would just miss a message that is pushed after 300 ms."""
CHATTY_MS, CHATTY_MESSAGES = 1000.0, 3
"""A socket that delivered this many messages in this time before the actions is chatty: its next message is not
a reply."""
MAX_SHAPES = 32
"""How many message shapes to remember per channel; a channel with more cannot be judged by shape."""
NEXT_MESSAGE_MS, NEXT_MESSAGE_GAPS = 250.0, 2
"""How long a channel of a loading document gets after each message for the next one: this, or this many times the
longest gap before, at most `STREAM_GRACE_MS`."""
TICKER_MS = 1500.0
"""Messages that have come at even intervals for this long are those of a ticker; a server that sends a page part by
part may do so at even intervals as well, but ends."""


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


class Channels:
    """The common part of sockets and event streams: what decides whether a message is a reply."""

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
