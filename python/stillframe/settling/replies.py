"""Several answers to one message: what an answer announces, and what the answers to its like were before.

Nothing in a socket or a stream says which of its messages is the last. Some servers say so in words, within messages
that are made for machines (`"status": "busy"`, later `"idle"`); of the others one can know what they did the last time.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from typing import Literal

import msgspec

from stillframe.settling.shape import shape_of

Says = Literal["", "more", "last"]
"""What a message says of those after it."""

LOOK = 2048
"""How many characters of a message are looked at: a Jupyter kernel's status, with all its headers, has 700."""
FIELDS = 40
"""How many fields of a message are looked at."""
SHORT = 40
"""A text without fields that is no longer than this may be a word of state itself."""
TYPE = re.compile(r'"(?:msg_?type|type|event|kind|op|method|action|cmd|command|target)"\s*:\s*"([^"\\]{1,60})"')
FIELD = re.compile(r'"([\w-]{1,40})"\s*:\s*(?:"([^"\\]{1,40})"|(true|false)\b)')
EVENT = re.compile(r'\s*\d*\s*\[\s*"([^"\\]{1,40})"')
"""What a message that is a list begins with: the name of an event, after the digits of socket.io."""
LIST = re.compile(r":\s*\[")
"""Where the items of a list begin: what they say of themselves is not said of the answer."""
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
STATES = frozenset({"status", "state", "type", "event", "msg", "phase", "stage", "kind"})
"""Words of which one is in the name of a field that says where an answer stands."""
MORE = frozenset({
    "busy", "start", "starts", "started", "starting", "begin", "begins", "began", "running", "pending", "queued",
    "queue", "processing", "progress", "generating", "working", "waiting", "partial", "estimation", "streaming",
})  # fmt: skip
LAST = frozenset({
    "idle", "complete", "completed", "completes", "done", "finish", "finished", "finishes", "end", "ended", "final",
    "failed", "failure", "error", "success", "succeeded", "cancelled", "canceled", "aborted", "stopped",
})  # fmt: skip
TRUE_IF_LAST = frozenset(
    {"final", "last", "done", "complete", "completed", "finished", "is_final", "is_last", "isFinal"}
)
TRUE_IF_MORE = frozenset({"more", "partial", "running", "busy", "streaming", "processing", "generating", "in_progress"})

EXCHANGE_MS = 5000.0
"""Messages that come later than this after what was sent are no answers to it; the default timeout of a wait."""
REACH, REACH_MS = 1.5, 100.0
"""So many times as long as the last answer took the last time, and so much more, it is waited for."""
MAX_PAST = 256
"""How many kinds of exchanges are remembered."""


def kind(message: str) -> str:
    """Return what a message has in common with its like: the type it names, else its beginning without figures."""
    named = TYPE.search(message[:LOOK]) or EVENT.match(message)
    return named.group(1) if named else shape_of(message)


def says(message: str) -> Says:
    """Tell whether a message announces that more is to come, or that it is the last; "" if it says neither."""
    head = LIST.split(message[:LOOK], 1)[0]
    found: set[Says] = set()
    for number, field in enumerate(FIELD.finditer(head)):
        if number >= FIELDS:
            break
        found.add(_field_says(*field.groups()))
    if event := EVENT.match(message):
        found.add(_word_says(event.group(1)))
    elif not found and len(message) <= SHORT:
        found.add(_word_says(message))
    return "last" if "last" in found else "more" if "more" in found else ""


def _field_says(name: str, text: str | None, truth: str | None) -> Says:
    if truth is not None:
        if name in TRUE_IF_LAST:
            return "last" if truth == "true" else "more"
        if name in TRUE_IF_MORE:
            return "more" if truth == "true" else "last"
        return ""
    words = {word.lower() for word in WORD.findall(name)}
    return _word_says(text or "") if words & STATES else ""


def _word_says(text: str) -> Says:
    words = {word.lower() for word in WORD.findall(text)}
    return "last" if words & LAST else "more" if words & MORE else ""


class Exchange(msgspec.Struct):
    """What was sent over a channel, or its opening, and the answers to it; times in milliseconds."""

    key: str
    """Place and shape of what was sent: the same the next time. Empty for the opening of a channel."""
    sent: float
    replies: int = 0
    last_ms: float = 0.0
    """How long after it was sent the last answer came."""
    final: str = ""
    """The shape of the last answer, if none before looked like it."""
    announced: bool = False
    """Whether the server has said that more is to come, and not yet that this was all."""
    sure: bool = False
    """Whether the last answer of the exchange before looked like that too: then no other is the last."""
    shapes: set[str] = msgspec.field(default_factory=set)

    def reply(self, now: float, shape: str, word: str) -> bool:
        """Take in what may be an answer; tell whether it is one that the next exchange of this kind may have too."""
        if now - self.sent > EXCHANGE_MS:
            return False
        self.replies += 1
        self.last_ms = now - self.sent
        self.final = "" if shape in self.shapes else shape
        self.shapes.add(shape)
        self.announced = word == "more" or (self.announced and word != "last")
        return bool(self.key)


class ExchangeHistory:
    """The exchanges of one page, of which the last of each kind is remembered."""

    def __init__(self) -> None:
        self._past: OrderedDict[str, Exchange] = OrderedDict()

    def learn(self, exchange: Exchange | None) -> None:
        """Remember an exchange that is over."""
        if exchange is None or not exchange.replies or not exchange.key:
            return
        before = self._past.get(exchange.key)
        exchange.sure = before is not None and before.final == exchange.final != ""
        self._past[exchange.key] = exchange
        self._past.move_to_end(exchange.key)
        while len(self._past) > MAX_PAST:
            self._past.popitem(last=False)

    def until(self, exchange: Exchange, shape: str) -> float | None:
        """Return until when more answers are expected after one of this shape: a time that is past if none are.

        None if nothing is known; infinity if the server has announced them.
        """
        if exchange.announced:
            return float("inf")
        before = self._past.get(exchange.key)
        if before is None:
            return None
        over = shape == before.final != "" or (not before.sure and exchange.replies >= before.replies)
        return float("-inf") if over else exchange.sent + REACH * before.last_ms + REACH_MS
