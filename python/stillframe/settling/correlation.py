"""Match replies to the messages of a socket by the ids that both carry: an exchange is over when its id comes back.

Which field a protocol uses is learned for each place (the URL of a socket): a value that was sent in one field and came
back in another. Until then a name such as `reqid` is only a hint, and its reply is awaited for a limited time.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from collections.abc import Iterable

import msgspec

from stillframe.settling.message_ids import ANSWER, CALL, MessageId

UNPROVEN_MS = {1: 1000.0, 2: 1750.0}
"""How long after the last message to await a reply with the id, by the rank of its name, where no id has come back:
twice the time for any reply, and nearly the horizon where the name says that a reply has it. A kind of message that
gets none costs that once, and the wait ends as quiet."""
MAX_SENT = 64
"""How many sent messages of a channel to remember."""
MAX_PLACES = 256
"""How many places, and how many kinds of messages, to remember."""
GIVE_UP_MS = 2000.0
"""After this time a reply that surely has the id is missing: the horizon by default."""
MAX_NAMES = 512
"""How many names of fields to remember for a place; one whose messages have more uses names that are values."""
ECHO_MS = 100.0
"""A page that repeats an id within this time after it came answers that message itself."""
RECENT = 16
"""How many received messages to remember."""


class SentMessage(msgspec.Struct):
    """A message that carried ids; times are in milliseconds."""

    kind: str
    """Its place and shape."""
    ids: tuple[MessageId, ...]
    awaited: tuple[MessageId, ...]
    """Those of its ids that a reply is expected to repeat; one is enough. Empty if none is."""
    patience_ms: float
    """How long after the last message to await that reply; infinite where ids are known to come back."""
    at: float


class _Place(msgspec.Struct):
    """What is known about the ids of one place."""

    sent: set[str] = msgspec.field(default_factory=set)
    """The names of the fields whose values come back."""
    received: set[str] = msgspec.field(default_factory=set)
    """The names of the fields in which they do."""
    fresh: Counter[str] = msgspec.field(default_factory=Counter)
    """How often each field had another value than before: most often the one that numbers the messages."""

    def count(self, fresh: Iterable[MessageId]) -> None:
        """Record fields that have another value than before."""
        self.fresh.update(one.name for one in fresh)
        if len(self.fresh) > MAX_NAMES:
            self.fresh = Counter(dict(self.fresh.most_common(MAX_NAMES // 2)))

    def learn(self, sent: MessageId, got: MessageId) -> None:
        """Record that the value of a field came back in another."""
        for names, one in ((self.sent, sent), (self.received, got)):
            if len(names) < MAX_NAMES:
                names.add(one.name)


class Correlations:
    """What is known about the ids of all places of one page."""

    def __init__(self) -> None:
        self._places: OrderedDict[str, _Place] = OrderedDict()
        self._answered: OrderedDict[str, bool] = OrderedDict()
        """By kind of message, whether the last one with an id got a reply with it."""

    def place(self, url: str) -> _Place:
        """Return what is known about a place."""
        place = self._places.setdefault(url, _Place())
        _limit(self._places, url)
        return place

    def answers(self, kind: str) -> bool | None:
        """Return whether messages of a kind get replies with their ids; None if unknown."""
        return self._answered.get(kind)

    def learn(self, kind: str, *, answered: bool) -> None:
        """Record whether a message got a reply with its id."""
        self._answered[kind] = answered
        _limit(self._answered, kind)


def _limit(entries: OrderedDict[str, _Place] | OrderedDict[str, bool], newest: str) -> None:
    entries.move_to_end(newest)
    while len(entries) > MAX_PLACES:
        entries.popitem(last=False)


class Correlation:
    """The ids of one channel that are on their way."""

    def __init__(self, known: Correlations, url: str) -> None:
        self._known = known
        self._place = known.place(url)
        self._sent: deque[SentMessage] = deque(maxlen=MAX_SENT)
        self._values: dict[str, str] = {}
        """The last value of each field that was sent."""
        self._received: deque[tuple[float, frozenset[MessageId]]] = deque(maxlen=RECENT)

    def sent(self, now: float, kind: str, ids: tuple[MessageId, ...]) -> SentMessage | None:
        """Record a message that the page sent; return it if a reply is expected to repeat an id of it."""
        fresh = tuple(one for one in ids if self._values.get(one.name) != one.value and not self._is_echo(now, one))
        if len(self._values) > MAX_NAMES:
            self._values.clear()
        self._values.update((one.name, one.value) for one in ids)
        self._place.count(fresh)
        if not fresh:
            return None
        awaited, patience = self._expected(kind, fresh)
        message = SentMessage(kind, fresh, awaited, patience, now)
        self._sent.append(message)
        return message if awaited else None

    def received(self, now: float, ids: tuple[MessageId, ...]) -> list[SentMessage]:
        """Record a message that came; return the sent messages whose ids it carries."""
        found = [message for message in self._sent if self._answers(message, ids)]
        for message in found:
            self._sent.remove(message)
        self._received.append((now, frozenset(ids)))
        return found

    def give_up(self, now: float, messages: Iterable[SentMessage]) -> None:
        """Record which messages got no reply with their ids in time; one that comes later is still recognized."""
        for message in messages:
            if now - message.at > min(message.patience_ms, GIVE_UP_MS):
                self._known.learn(message.kind, answered=False)

    def _is_echo(self, now: float, one: MessageId) -> bool:
        return one.part != CALL and any(now - at <= ECHO_MS and one in ids for at, ids in self._received)

    def _expected(self, kind: str, ids: tuple[MessageId, ...]) -> tuple[tuple[MessageId, ...], float]:
        if self._known.answers(kind) is False:
            return (), 0.0
        sure = [one for one in ids if one.rank == 3] or [one for one in ids if one.name in self._place.sent]
        if sure:
            most = max(self._place.fresh[one.name] for one in sure)
            return tuple(one for one in sure if self._place.fresh[one.name] == most), float("inf")
        rank = max(one.rank for one in ids)
        return tuple(one for one in ids if one.rank == rank and rank), UNPROVEN_MS.get(rank, 0.0)

    def _answers(self, message: SentMessage, ids: tuple[MessageId, ...]) -> bool:
        pairs = [(sent, got) for sent in message.ids for got in ids if _is_reply(sent, got)]
        place = self._place
        known = [(sent, got) for sent, got in pairs if sent.name in place.sent and got.name in place.received]
        if not known and not any(self._proves(message, sent, got) for sent, got in pairs):
            return False
        for sent, got in pairs:
            if _is_telling(sent, got):
                place.learn(sent, got)
        self._known.learn(message.kind, answered=True)
        return True

    def _proves(self, message: SentMessage, sent: MessageId, got: MessageId) -> bool:
        """Return whether a value that came back in these fields proves a reply: it is not there by accident."""
        if message.awaited:
            expected = sent in message.awaited
            known = bool(self._place.received) and any(one.name in self._place.sent for one in message.awaited)
            return expected and (sent.is_unique or not known)
        return _is_telling(sent, got)


def _is_telling(sent: MessageId, got: MessageId) -> bool:
    """Return whether equal values in these fields are hardly an accident."""
    return sent.is_unique or bool(sent.rank) or (sent.name.startswith("[") and sent.name == got.name)


def _is_reply(sent: MessageId, got: MessageId) -> bool:
    if sent.value != got.value:
        return False
    if sent.part or got.part:
        return sent.part == CALL and got.part == ANSWER
    return True
