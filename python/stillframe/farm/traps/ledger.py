"""How many pages of each name a crawl has had, and what its traps brought: counted by all workers together.

Each worker counts by itself and now and then adds what is new to the crawl's database, where a name has its place in
one of many values. Two workers that write one value at once see that, and the later one tries again.
"""

from __future__ import annotations

import hashlib
import secrets
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from copy import copy
from functools import lru_cache

import msgspec

from stillframe.farm.store import CrawlStore

SHARDS = 1_024
"""Over how many values the names are spread: with a million names, one value has 12 KB."""
PREFIX = "budget:"
SYNC_S, SYNC_PAGES, LATEST_S = 5.0, 16, 60.0
"""A worker adds what it has counted after five seconds in which it has counted 16 pages, or after a minute:
three round trips for 16 pages at most. Our choice."""
DECODED = 64
"""How many values a worker keeps decoded; with a million names, one is 100 KB then, and is decoded in 50 µs."""
MAX_NAMED, MAX_COUNTED = 64, 20_000
"""How much one value holds; what has fewer pages gives way."""
TRIES = 8
MARKS = 16
"""How many other writings may come between one whose answer is lost and the look for it; our choice."""
FAITH = 4
"""A trap is believed to bring something until a quarter of the pages that end it have brought nothing; our choice."""
PRECEDENTS = 4
"""A trap has fewer tries if others of its kind have ended on the host: a half, a third, a fourth, a fifth of them, and
from the fourth such trap on no less; our choice."""
REWARD = 10
"""For how many pages that brought nothing one that did makes up; our choice: a list with a new page in ten goes on."""


class Named(msgspec.Struct, array_like=True):
    """What is known of a trap or of a budget that has left out pages.

    `score` are the pages that brought nothing, less `REWARD` for each that did. `own_score` counts only what they
    brought themselves, and not what they led to.
    """

    kind: str
    crawled: int = 0
    left_out: int = 0
    score: int = 0
    ended: bool = False
    own_score: int = 0


class Shard(msgspec.Struct, array_like=True):
    """One value in the database; `writer` is the mark of the last writing, by which its worker knows it again."""

    writer: int = 0
    counted: dict[int, int] = {}
    """Pages by the hash of a name."""
    named: dict[str, Named] = {}
    earlier: list[int] = []
    """The marks of the writings before, the last first."""

    def has(self, writer: int) -> bool:
        """Return whether a writing is in it."""
        return writer == self.writer or writer in self.earlier


class Delta(msgspec.Struct):
    """What a worker has counted of one name since it last told the database."""

    kind: str
    crawled: int = 0
    left_out: int = 0
    barren: int = 0
    fruitful: int = 0
    own: int = 0

    def absorb(self, other: Delta, times: int = 1) -> None:
        """Add what another one has, or with -1 take it away."""
        for field in COUNTED:
            setattr(self, field, getattr(self, field) + times * getattr(other, field))

    def __bool__(self) -> bool:
        """Whether anything was counted."""
        return any(getattr(self, field) for field in COUNTED)


COUNTED = ("crawled", "left_out", "barren", "fruitful", "own")
"""The fields of a delta that add up."""


class Ledger:
    """The counts of one crawl, as one worker knows them: what the database had, and what this worker added since.

    A trap ends when its score reaches `trap_pages`; 0 for never.
    """

    def __init__(self, store: CrawlStore, *, trap_pages: int) -> None:
        self._store = store
        self._trap_pages = trap_pages
        self._deltas: dict[str, Delta] = {}
        self._writing: dict[str, Delta] = {}
        """What is on its way to the database."""
        self._raw: dict[str, bytes] = {}
        """What the database had last; with a million names, 12 MB."""
        self._decoded: OrderedDict[str, Shard] = OrderedDict()
        self._doubtful: dict[str, tuple[int, dict[str, Delta]]] = {}
        """The mark of the last writing of a value, and what was in it, while it is not known whether it was made."""
        self._counted = 0
        self._syncing = False
        self._synced_at = 0.0

    # -- what is known -----------------------------------------------------------------------------

    def crawled(self, name: str) -> int:
        """Return how many pages of a name there were."""
        shard, delta = self._shard(key_of(name)), self._new(name)
        return shard.counted.get(hash_of(name), 0) + (0 if delta is None else delta.crawled)

    def ended(self, trap: str) -> bool:
        """Return whether a trap has ended."""
        known, delta = self._shard(key_of(trap)).named.get(trap), self._new(trap)
        before = UNKNOWN if known is None else known
        return before.ended or (delta is not None and self._is_over(trap, _score(before, delta)))

    def brings(self, trap: str) -> bool:
        """Return whether the pages of a trap have lately brought something themselves."""
        known, delta = self._shard(key_of(trap)).named.get(trap), self._new(trap)
        before = UNKNOWN if known is None else known
        own = before.own_score if delta is None else _own_score(before, delta)
        return own < max(1, self._trap_pages // FAITH)

    def tries(self, trap: str) -> int:
        """Return after how many pages that brought nothing a trap ends; 0 for never."""
        return -(-self._trap_pages // (1 + min(PRECEDENTS, self.crawled(_precedent_of(trap)))))

    def _new(self, name: str) -> Delta | None:
        """Return what the database does not have of a name, None if there is nothing."""
        one, other = self._writing.get(name), self._deltas.get(name)
        if one is None or other is None:
            return one or other
        both = copy(one)
        both.absorb(other)
        return both

    def _is_over(self, trap: str, score: int) -> bool:
        return 0 < self.tries(trap) <= score

    def _shard(self, key: str) -> Shard:
        shard = self._decoded.pop(key, None)
        if shard is None:
            raw = self._raw.get(key)
            shard = NOTHING if raw is None else msgspec.msgpack.decode(raw, type=Shard)
        self._decoded[key] = shard
        if len(self._decoded) > DECODED:
            self._decoded.popitem(last=False)
        return shard

    # -- counting ----------------------------------------------------------------------------------

    def count(self, name: str, kind: str) -> None:
        """Count a page."""
        self._delta(name, kind).crawled += 1
        self._counted += 1

    def leave_out(self, name: str, kind: str) -> None:
        """Count a page that is left out."""
        self._delta(name, kind).left_out += 1

    def judge(self, trap: str, kind: str, *, brings: bool, leads: bool = False, weight: int = 1) -> None:
        """Count a page of a trap by whether it brought anything new, or led to pages that do.

        With `weight`, a page that brought nothing counts for several.
        """
        delta = self._delta(trap, kind)
        delta.crawled += 1
        self._counted += 1
        delta.own += brings
        delta.fruitful += brings or leads
        delta.barren += 0 if brings or leads else weight

    def _delta(self, name: str, kind: str) -> Delta:
        return self._deltas.setdefault(name, Delta(kind=kind))

    # -- the database ------------------------------------------------------------------------------

    def is_due(self, now: float) -> bool:
        """Return whether it is time to sync."""
        waited = now - self._synced_at
        return bool(self._deltas) and waited >= (SYNC_S if self._counted >= SYNC_PAGES else LATEST_S)

    async def load(self) -> None:
        """Read all that the database has."""
        for key, raw in (await self._store.states_from(PREFIX)).items():
            self._keep(key, raw)

    async def sync(self, now: float) -> list[str]:
        """Add what was counted to the database; return the traps that ended by that.

        Costs one round trip if nobody else has written, and three if somebody has.
        """
        if self._syncing or not self._deltas:
            return []
        self._syncing, self._synced_at, self._counted = True, now, 0
        deltas, self._deltas = self._deltas, {}
        self._writing = deltas
        try:
            over = await self._write(deltas)
            for trap in over:
                self._delta(_precedent_of(trap), "precedent").crawled += 1
            return over
        finally:
            self._syncing, self._writing = False, {}
            for name, delta in deltas.items():  # those that were not written
                self._delta(name, delta.kind).absorb(delta)

    async def _write(self, deltas: dict[str, Delta]) -> list[str]:
        """Write deltas, and take out of them what was written."""
        over: list[str] = []
        await self._take_out(deltas)
        for _ in range(TRIES):
            by_key: dict[str, dict[str, Delta]] = {}
            for name, delta in deltas.items():
                by_key.setdefault(key_of(name), {})[name] = delta
            made = {key: self._added(key, some) for key, some in by_key.items()}
            swaps = {key: (self._raw.get(key), msgspec.msgpack.encode(made[key][0])) for key in by_key}
            self._doubtful = {key: (made[key][0].writer, some) for key, some in by_key.items()}
            done = await self._store.swap_states(swaps)
            if missed := [key for key in by_key if key not in done]:
                await self._read(missed)
                # The answer to an earlier try may have been lost.
                done |= {key for key in missed if self._shard(key).has(made[key][0].writer)}
            self._doubtful = {}
            for key in done:
                if key not in missed:
                    self._keep(key, swaps[key][1])
                over += made[key][1]
                for name in by_key[key]:
                    del deltas[name]
            if not deltas:
                break
        return over

    async def _take_out(self, deltas: dict[str, Delta]) -> None:
        """Take out of deltas what is in the database although the call that wrote it has failed."""
        if not self._doubtful:
            return
        await self._read([*self._doubtful])
        for key, (writer, some) in self._doubtful.items():
            for name, delta in some.items() if self._shard(key).has(writer) else ():
                deltas[name].absorb(delta, -1)
                if not deltas[name]:
                    del deltas[name]
        self._doubtful = {}

    def _added(self, key: str, deltas: Mapping[str, Delta]) -> tuple[Shard, list[str]]:
        """Return a value with what was counted, and the traps that ended by it."""
        known, over = self._shard(key), list[str]()
        made = Shard(secrets.randbits(62), dict(known.counted), {n: copy(each) for n, each in known.named.items()})
        made.earlier = [known.writer, *known.earlier][:MARKS]
        for name, delta in deltas.items():
            is_trap = delta.barren or delta.fruitful
            if delta.crawled and not is_trap:
                number = hash_of(name)
                made.counted[number] = made.counted.get(number, 0) + delta.crawled
            if not (is_trap or delta.left_out or name in made.named):
                continue
            named = made.named.setdefault(name, Named(delta.kind))
            named.crawled = named.crawled + delta.crawled if is_trap else made.counted.get(hash_of(name), named.crawled)
            named.left_out += delta.left_out
            named.score, named.own_score = _score(named, delta), _own_score(named, delta)
            if self._is_over(name, named.score) and not named.ended:
                named.ended = True
                over.append(name)
        return _bounded(made), over

    async def _read(self, keys: Sequence[str]) -> None:
        found = await self._store.get_states(keys)
        for key in keys:
            self._keep(key, found.get(key))

    def _keep(self, key: str, raw: bytes | None) -> None:
        self._decoded.pop(key, None)
        if raw is None:
            self._raw.pop(key, None)
        else:
            self._raw[key] = raw


NOTHING, UNKNOWN = Shard(), Named(kind="")


@lru_cache(4_096)
def hash_of(name: str) -> int:
    """Return 63 bits for a name, equal on every machine."""
    return int.from_bytes(hashlib.blake2b(name.encode(errors="replace"), digest_size=8).digest()) >> 1


def key_of(name: str) -> str:
    """Return the key of the value in which a name has its place."""
    return f"{PREFIX}{hash_of(name) % SHARDS}"


def _precedent_of(trap: str) -> str:
    """Return under which name the traps of a kind that have ended on a host are counted."""
    kind, _, pattern = trap.partition(" ")
    return f"ended {kind} {pattern.partition('/')[0]}"


def _score(named: Named, delta: Delta) -> int:
    return max(0, named.score + delta.barren - REWARD * delta.fruitful)


def _own_score(named: Named, delta: Delta) -> int:
    return max(0, named.own_score + delta.barren + delta.fruitful - (REWARD + 1) * delta.own)


def _bounded(shard: Shard) -> Shard:
    if len(shard.named) > MAX_NAMED:
        ranked = sorted(shard.named.items(), key=lambda item: (item[1].ended, item[1].left_out, item[1].crawled))
        shard.named = dict(ranked[-MAX_NAMED:])
    if len(shard.counted) > MAX_COUNTED:
        shard.counted = dict(sorted(shard.counted.items(), key=lambda item: item[1])[-MAX_COUNTED // 2 :])
    return shard
