"""Detect whether the application in a new document is still loading.

It is loading while it sends requests that it has not sent before, opens channels and receives new kinds of messages,
grows in bursts, or keeps the main thread busy. Recurring activity is not a sign of loading: polls, heartbeats, a ticker
that adds one row at a time. The horizon of a wait counts from the last sign.
"""

from __future__ import annotations

from collections import Counter, deque
from statistics import fmean, pstdev

from stillframe.settling.noise import MAX_VARIATION
from stillframe.settling.rows import without_query
from stillframe.settling.shape import without_digits
from stillframe.settling.signals import (
    DataReceived,
    FrameStartedLoading,
    RequestEnded,
    RequestStarted,
    ResponseStarted,
    Signal,
    SocketOpening,
    SocketReceived,
    StreamMessage,
)

FILE_TYPES = frozenset({"Script", "Stylesheet", "Font", "Document"})
"""Types of requests whose URLs differ by file, digits included."""
MAX_QUERIES = 6
"""How many different queries to one place count as new; a poll with a cursor differs every time as well."""
MAX_SHAPES = 32
"""How many messages with a new shape, and how many that announce something, count as new."""
MAX_REMEMBERED = 2000
"""How many requests of one document to remember; a document with more distinct requests never stops."""
MIN_GROWTH, MIN_SHARE, MIN_RATE = 10, 0.02, 30.0
"""The minimum of one growth step, in elements and as a share of the document, and in elements per second: less is a row
of a ticker or of a log."""
STEPS = 4
"""This many steps of the same size are a ticker, whatever the size."""
BUSY_MS = 100.0
"""A fence that takes this much longer than usual met a busy main thread: two long tasks (50 ms each, by the web's
definition)."""


class Growth:
    """The growth of one document; times are in milliseconds."""

    def __init__(self) -> None:
        self._elements = 0
        self._recorded_at = 0.0
        self._steps: deque[int] = deque(maxlen=STEPS)

    def record(self, now: float, elements: int) -> bool:
        """Record the number of elements; return whether it shows that the document is being built."""
        step, ms = elements - self._elements, now - self._recorded_at
        self._elements, self._recorded_at = elements, now
        if step < max(MIN_GROWTH, MIN_SHARE * elements) or 1000 * step < MIN_RATE * ms:
            return False
        self._steps.append(step)
        return not self._steady

    @property
    def _steady(self) -> bool:
        steps = self._steps
        return len(steps) == STEPS and pstdev(steps) < MAX_VARIATION * fmean(steps)


class Load:
    """The activity of the current document since it was committed."""

    def __init__(self) -> None:
        self._seen: set[str] = set()
        self._places: Counter[str] = Counter()
        self._new: set[str] = set()
        self._shapes: set[str] = set()
        self._announced = 0
        self._growth: dict[str, Growth] = {}

    def record(self, signal: Signal) -> bool:
        """Record a signal; return whether it is a sign that the application is still loading."""
        match signal:
            case RequestStarted():
                return self._requested(signal)
            case ResponseStarted(id=id_) | DataReceived(id=id_) | RequestEnded(id=id_):
                return id_ in self._new
            case SocketOpening(url=url):
                return self._is_new(f"socket {without_query(url)}")
            case SocketReceived(shape=shape, announces=word) | StreamMessage(shape=shape, announces=word):
                return self._is_new_shape(shape) or self._is_new_announcement(word)
            case FrameStartedLoading(frame=frame, main=False):
                return self._is_new(f"frame {frame}")
        return False

    def record_growth(self, now: float, realm: str, elements: int) -> bool:
        """Record the number of elements of a document; return whether it is a sign of loading."""
        return self._growth.setdefault(realm, Growth()).record(now, elements)

    def _requested(self, signal: RequestStarted) -> bool:
        if signal.id in self._new:
            return True
        url = signal.url if signal.type in FILE_TYPES else without_digits(signal.url)
        where = f"{signal.method} {without_query(url)}"
        if not self._is_new(f"{signal.method} {url} {signal.body}") or self._places[where] >= MAX_QUERIES:
            return False
        self._places[where] += 1
        self._new.add(signal.id)
        return True

    def _is_new(self, item: str) -> bool:
        if item in self._seen or len(self._seen) >= MAX_REMEMBERED:
            return False
        self._seen.add(item)
        return True

    def _is_new_announcement(self, word: str) -> bool:
        """Return whether a message says that a part of the load begins or ends; from some number on, it does not."""
        self._announced += bool(word)
        return bool(word) and self._announced <= MAX_SHAPES

    def _is_new_shape(self, shape: str) -> bool:
        if shape in self._shapes or len(self._shapes) >= MAX_SHAPES:
            return False
        self._shapes.add(shape)
        return True
