"""Track event streams: which messages are expected on them, and for how long.

A message is expected after a stream has opened, and after a request that may change something: its effect may arrive
over any stream.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from stillframe.settling.channels import STREAM_GRACE_MS, Channels, UnsolicitedMessages
from stillframe.settling.replies import Exchange, ExchangeHistory
from stillframe.settling.rows import PendingRow, Rows, without_query

if TYPE_CHECKING:
    from stillframe.settling.signals import StreamMessage


class Stream(msgspec.Struct):
    """One event stream; times are in milliseconds."""

    url: str
    unsolicited: UnsolicitedMessages = msgspec.field(default_factory=UnsolicitedMessages)
    exchange: Exchange | None = None
    """What may cause messages since the actions began: its opening, or a request that changes something."""


class Streams(Channels):
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
        self._rows.open(PendingRow("stream", id_, url or "event stream", now, url or None, until=end, opening=opening))
