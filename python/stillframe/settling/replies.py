"""Decide whether more replies to one message follow: from what a reply announces, and from earlier exchanges.

Neither WebSocket nor server-sent events mark the last message. Some servers announce it in a machine-readable field
(`"status": "busy"`, later `"idle"`); for the others, the previous exchange of the same kind is the guide.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from typing import Literal

import msgspec

from stillframe.settling.shape import shape_of

Says = Literal["", "more", "last"]
"""What a message announces about the messages after it."""

LOOK = 2048
"""How many characters of a message to scan: a Jupyter kernel's status, with all its headers, has 700."""
FIELDS = 40
"""How many fields of a message to scan."""
SHORT = 40
"""A text without fields up to this length may itself be a state word."""
TYPE = re.compile(r'"(?:msg_?type|type|event|kind|op|method|action|cmd|command|target)"\s*:\s*"([^"\\]{1,60})"')
FIELD = re.compile(r'"([\w-]{1,40})"\s*:\s*(?:"([^"\\]{1,40})"|(true|false)\b)')
EVENT = re.compile(r'\s*\d*\s*\[\s*"([^"\\]{1,40})"')
"""The start of a message that is a list: the name of an event, after the digits of socket.io."""
LIST = re.compile(r":\s*\[")
"""Where the items of a list begin: their states are not the state of the reply."""
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
STATES = frozenset({"status", "state", "type", "event", "msg", "phase", "stage", "kind"})
"""A field whose name contains one of these words gives the state of the reply."""
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
"""A message that comes later than this after the sent one is no reply to it; the default timeout of a wait."""
REACH, REACH_MS = 1.5, 100.0
"""A reply is awaited for this many times as long as the last reply took the previous time, plus this much."""
MAX_PAST = 256
"""How many kinds of exchanges to remember."""


def kind(message: str) -> str:
    """Return what similar messages have in common: the type that they name, else their beginning without digits."""
    named = TYPE.search(message[:LOOK]) or EVENT.match(message)
    return named.group(1) if named else shape_of(message)


def says(message: str) -> Says:
    """Return whether a message announces `more` messages or is the `last` one; "" if it announces neither."""
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
    """A message sent over a channel, or the channel's opening, and the replies to it; times are in milliseconds."""

    key: str
    """The place and the shape of the sent message, the same the next time. Empty for the opening of a channel."""
    sent: float
    replies: int = 0
    last_ms: float = 0.0
    """How long after the message the last reply came."""
    final: str = ""
    """The shape of the last reply, if no earlier reply had it."""
    announced: bool = False
    """Whether the server has announced more replies, and not yet the last one."""
    sure: bool = False
    """Whether the last reply of the previous exchange had the same shape: then no other shape is the last."""
    shapes: set[str] = msgspec.field(default_factory=set)

    def reply(self, now: float, shape: str, word: str) -> bool:
        """Record a possible reply; return whether the next exchange of this kind may have it too."""
        if now - self.sent > EXCHANGE_MS:
            return False
        self.replies += 1
        self.last_ms = now - self.sent
        self.final = "" if shape in self.shapes else shape
        self.shapes.add(shape)
        self.announced = word == "more" or (self.announced and word != "last")
        return bool(self.key)


class ExchangeHistory:
    """The last exchange of each kind on one page."""

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
        """Return until when to await more replies after one of this shape; a time in the past if none follow.

        None means that nothing is known, infinity that the server has announced more replies.
        """
        if exchange.announced:
            return float("inf")
        before = self._past.get(exchange.key)
        if before is None:
            return None
        over = shape == before.final != "" or (not before.sure and exchange.replies >= before.replies)
        return float("-inf") if over else exchange.sent + REACH * before.last_ms + REACH_MS
