"""Random operations on a store and on an obvious one in memory."""

from __future__ import annotations

import random
from typing import Any

import pytest
from store_cases import TwinStore, opened, page, row

from sampling import sampled
from stillframe.errors import LeaseLost
from stillframe.farm.store import Completion, CrawlStore, Lease, Return

pytestmark = pytest.mark.heavy

HOSTS = "abc"
PRIORITIES = [0, 0, 0, 1, 100, -100]
BOTH_LIMITS = 0
"""The seed whose crawl has a limit of pages and one of pages of a host."""


class Pair:
    """Two workers of a store beside its twin: each step does the same to both and compares."""

    def __init__(self, stores: list[CrawlStore], twin: TwinStore, dice: random.Random) -> None:
        self.stores = stores
        self.twin = twin
        self.dice = dice
        self.leases: list[tuple[Lease, CrawlStore]] = []

    def some(self) -> list[Any]:
        return [
            page(self.dice.randrange(40), self.dice.choice(HOSTS), priority=self.dice.choice(PRIORITIES))
            for _ in range(self.dice.randrange(5))
        ]

    async def add(self) -> None:
        new, first = self.some(), self.dice.random() < 0.3
        answers = await self.dice.choice(self.stores).add(new, first=first)
        assert [(answer.added, answer.finished) for answer in answers] == self.twin.add(new, first)

    async def lease(self) -> None:
        store, limit = self.dice.choice(self.stores), self.dice.randrange(4)
        leases = await store.lease(limit)
        shown = [(lease.key, lease.attempts, lease.token, lease.priority) for lease in leases]
        assert shown == self.twin.lease(limit, store.worker)
        self.leases += [(lease, store) for lease in leases]

    async def complete(self) -> None:
        if not self.leases:
            return
        lease, store = self.dice.choice(self.leases)
        rows, links = [b"%d" % self.dice.randrange(99)], self.some()
        outcome = self.dice.choice(["done", "failed", "skipped"])
        if self.twin.held(lease, store.worker):
            self.twin.complete(lease, rows, links, outcome)
        elif self.twin.pages[lease.key]["state"] != "done" or self.twin.pages[lease.key]["token"] != lease.token:
            with pytest.raises(LeaseLost):
                await store.complete(lease, rows=[row("lost")], links=links, outcome=outcome)
            return
        await store.complete(lease, rows=[row(body.decode()) for body in rows], links=links, outcome=outcome)

    async def complete_all(self) -> None:
        """Complete several leases of one worker at once, some of them twice, or no longer held."""
        store = self.dice.choice(self.stores)
        mine = [lease for lease, holder in self.leases if holder is store]
        pages, lost = [], []
        for lease in self.dice.choices(mine, k=self.dice.randrange(5)) if mine else ():
            rows, links = [b"%d" % self.dice.randrange(99)], self.some()
            pages.append(Completion(lease=lease, rows=[row(rows[0].decode())], links=links))
            if self.twin.held(lease, store.worker):
                self.twin.complete(lease, rows, links, "done")
            elif self.twin.pages[lease.key]["state"] != "done" or self.twin.pages[lease.key]["token"] != lease.token:
                lost.append(lease)
        assert await store.complete_all(pages) == lost

    async def release(self) -> None:
        if not self.leases:
            return
        lease, store = self.leases.pop(self.dice.randrange(len(self.leases)))
        first, attempt = self.dice.random() < 0.3, self.dice.random() < 0.7
        last = not first and self.dice.random() < 0.3
        if self.twin.held(lease, store.worker):
            self.twin.release(lease, first, last, attempt)
            await store.release(Return(lease=lease, first=first, last=last, attempt=attempt))
        else:
            with pytest.raises(LeaseLost):
                await store.release(Return(lease=lease, first=first, last=last, attempt=attempt))

    async def renew(self) -> None:
        store = self.dice.choice(self.stores)
        mine = [lease for lease, holder in self.leases if holder is store]
        assert await store.renew(mine) == [lease for lease in mine if self.twin.held(lease, store.worker)]

    async def stop(self) -> None:
        await self.stores[0].stop()
        self.twin.is_stopped = True

    async def compare(self) -> None:
        store, twin = self.dice.choice(self.stores), self.twin
        counts = await store.counts()
        assert (counts.pending, counts.leased) == (twin.amount("pending"), twin.amount("leased"))
        assert counts.finished == twin.amount("done")
        assert await store.budget() == twin.budget()
        assert [(found.key, found.body) for found in await store.rows(0, 1000)] == twin.rows
        over = not counts.leased and (not counts.pending or twin.budget() == 0)
        assert await store.is_finished() is over


@pytest.mark.parametrize("seed", sampled(range(4), keep=[BOTH_LIMITS]))
async def test_the_store_does_what_an_obvious_one_does(store_url: str, seed: int) -> None:
    dice = random.Random(seed)
    settings = {"max_pages": dice.choice([None, 12]), "pages_per_host": dice.choice([None, 1, 2])}
    async with (
        await opened(store_url, settings=settings) as first,
        await opened(store_url, "v", "join") as second,
    ):
        pair = Pair([first, second], TwinStore(settings["max_pages"], settings["pages_per_host"]), dice)
        steps = [pair.add, pair.lease, pair.lease, pair.complete, pair.complete_all, pair.release, pair.renew]
        for number in range(120):
            await dice.choice(steps)()
            if number == 110:
                await pair.stop()
            if number % 5 == 0:
                await pair.compare()
        await pair.compare()
