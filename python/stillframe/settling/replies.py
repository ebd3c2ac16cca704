"""Decide whether more replies to one message follow: from what a reply announces, and from earlier exchanges.

Neither WebSocket nor server-sent events mark the last message. Some servers announce it in a machine-readable field
(`"status": "busy"`, later `"idle"`); for the others, the previous exchange of the same kind is the guide.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from typing import Literal

import msgspec

from stillframe.settling.message_ids import MessageId
from stillframe.settling.shape import shape_of

Announcement = Literal["", "more", "last"]
"""What a message announces about the messages after it."""

MAX_CHARS = 2048
"""How many characters of a message to scan: a Jupyter kernel's status, with all its headers, has 700."""
MAX_FIELDS = 40
"""How many fields of a message to scan."""
MAX_WORD_CHARS = 40
"""A text without fields up to this length may itself be a state word."""
TYPE = re.compile(r'"(?:msg_?type|type|event|kind|op|method|action|cmd|command|target)"\s*:\s*"([^"\\]{1,60})"')
FIELD = re.compile(r'"([\w-]{1,40})"\s*:\s*(?:"([^"\\]{1,40})"|(true|false)\b)')
EVENT = re.compile(r'\s*\d*\s*\[\s*"([^"\\]{1,40})"')
"""The start of a message that is a list: the name of an event, after the digits of socket.io."""
LIST = re.compile(r":\s*\[")
"""Where the items of a list begin: their states are not the state of the reply."""
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
STATE_FIELD_WORDS = frozenset({"status", "state", "type", "event", "msg", "phase", "stage", "kind"})
"""A field whose name contains one of these words gives the state of the reply."""
BARE = frozenset({"start", "begin", "queue"})
"""In a field such as `state` these name a state, in one such as `type` the beginning of something."""
STATES = frozenset({"status", "state", "phase", "stage"})
TOPIC_FIELD_WORDS = frozenset({"topic", "channel", "subject", "type", "event", "kind", "op", "method"})
"""A field whose name contains one of these words says what the message is about."""
NEWS = frozenset({
    "notification", "notifications", "notify", "notice", "broadcast", "heartbeat", "ping", "pong", "keepalive",
})  # fmt: skip
"""A message about one of these is not a reply: its states are those of something else."""
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
"""A message that comes later than this after the sent one is not a reply to it; the default timeout of a wait."""
REPLY_FACTOR, REPLY_EXTRA_MS = 1.5, 100.0
"""A reply is awaited for this many times as long as the last reply took the previous time, plus this much."""
MAX_JOBS = 64
"""How many jobs that a server has announced to remember."""
MAX_EXCHANGES = 256
"""How many kinds of exchanges to remember."""


def message_type(message: str) -> str:
    """Return what similar messages have in common: the type that they name, else their beginning without digits."""
    named = TYPE.search(message[:MAX_CHARS]) or EVENT.match(message)
    return named.group(1) if named else shape_of(message)


def announcement(message: str) -> Announcement:
    """Return whether a message announces `more` messages or is the `last` one; "" if it announces neither."""
    head = LIST.split(message[:MAX_CHARS], 1)[0]
    found: set[Announcement] = set()
    for number, field in enumerate(FIELD.finditer(head)):
        if number >= MAX_FIELDS:
            break
        if _is_news(*field.group(1, 2)):
            return ""
        found.add(_field_announcement(*field.groups()))
    if event := EVENT.match(message):
        found.add(_word_announcement(event.group(1)))
    elif not found and len(message) <= MAX_WORD_CHARS:
        found.add(_word_announcement(message))
    return "last" if "last" in found else "more" if "more" in found else ""


def _field_announcement(name: str, text: str | None, flag: str | None) -> Announcement:
    if flag is not None:
        if name in TRUE_IF_LAST:
            return "last" if flag == "true" else "more"
        if name in TRUE_IF_MORE:
            return "more" if flag == "true" else "last"
        return ""
    words = _words(name)
    if words & STATES and (text or "").lower() in BARE:
        return ""
    return _word_announcement(text or "") if words & STATE_FIELD_WORDS else ""


def _is_news(name: str, text: str | None) -> bool:
    return text is not None and bool(_words(name) & TOPIC_FIELD_WORDS and _words(text) & NEWS)


def _word_announcement(text: str) -> Announcement:
    words = _words(text)
    return "last" if words & LAST else "more" if words & MORE else ""


def _words(text: str) -> set[str]:
    return {word.lower() for word in WORD.findall(text)}


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
    jobs: list[frozenset[MessageId]] = msgspec.field(default_factory=list)
    """What the server has announced more replies for, and not yet the last one: the ids of each job, if any."""
    final_repeated: bool = False
    """Whether the last reply of the previous exchange had the same shape: then no other shape is the last."""
    shapes: set[str] = msgspec.field(default_factory=set)

    @property
    def announced(self) -> bool:
        """Whether the server has announced more replies."""
        return bool(self.jobs)

    def record_reply(self, now: float, shape: str, announces: str, ids: tuple[MessageId, ...] = ()) -> bool:
        """Record a possible reply; return whether the next exchange of this kind may have it too."""
        if now - self.sent > EXCHANGE_MS:
            return False
        self.replies += 1
        self.last_ms = now - self.sent
        self.final = "" if shape in self.shapes else shape
        self.shapes.add(shape)
        self._announce(announces, frozenset(one for one in ids if one.is_of_job))
        return bool(self.key)

    def _announce(self, announces: str, job: frozenset[MessageId]) -> None:
        """Record that a job goes on, or that those with most of these ids are over: all if none has any of them."""
        if announces == "more":
            self.jobs = [*[other for other in self.jobs if not other <= job][1 - MAX_JOBS :], job]
        elif announces == "last":
            most = max((len(other & job) for other in self.jobs), default=0)
            self.jobs = [other for other in self.jobs if other and len(other & job) < most]


class ExchangeHistory:
    """The last exchange of each kind on one page."""

    def __init__(self) -> None:
        self._exchanges: OrderedDict[str, Exchange] = OrderedDict()

    def learn(self, exchange: Exchange | None) -> None:
        """Remember an exchange that is over."""
        if exchange is None or not exchange.replies or not exchange.key:
            return
        before = self._exchanges.get(exchange.key)
        exchange.final_repeated = before is not None and before.final == exchange.final != ""
        self._exchanges[exchange.key] = exchange
        self._exchanges.move_to_end(exchange.key)
        while len(self._exchanges) > MAX_EXCHANGES:
            self._exchanges.popitem(last=False)

    def expected_until(self, exchange: Exchange, shape: str) -> float | None:
        """Return until when to await more replies after one of this shape; a time in the past if none follow.

        None means that nothing is known, infinity that the server has announced more replies.
        """
        if exchange.announced:
            return float("inf")
        before = self._exchanges.get(exchange.key)
        if before is None:
            return None
        over = shape == before.final != "" or (not before.final_repeated and exchange.replies >= before.replies)
        return float("-inf") if over else exchange.sent + REPLY_FACTOR * before.last_ms + REPLY_EXTRA_MS
