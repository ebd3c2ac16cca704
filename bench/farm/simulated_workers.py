"""Some simulated workers of one crawl in one process: they lease, "load" and complete pages. Started by `simulation`.

The argument is a `Plan` as JSON. It prints a line when its workers are ready, begins at a line of its input, and prints
its figures at the end. It runs with older stores as well, so that figures before a change can be had.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import sys
import time
from typing import Any

import msgspec
from sqlalchemy import event

from stillframe.errors import LeaseLost
from stillframe.farm.store import DATASET, CrawlStore, DatasetRow, NewRequest

try:
    from stillframe.farm.store import Completion
except ImportError:  # the store of an older stillframe
    Completion = None  # type: ignore[assignment,misc]

HOSTS = 200
"""Hosts of the simulated pages, so that workers seldom need the same one at once."""
LINKS = 6
"""Links of a simulated page: one new one, and others that the crawl has already."""
KNOWN = 20 * HOSTS
"""Pages that the crawl begins with."""
BODY = b"x" * 2_000
"""The record of a page: about the text of one."""
OBSERVE_S = 15.0
"""How often a worker asks for the counts, as one of `stillframe farm worker --metrics-port` does."""


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What the workers of one process do: for `seconds`, or with 0 until the crawl is finished."""

    url: str
    name: str
    first: int
    workers: int
    batch: int = 4
    seconds: float = 0.0
    lease_s: float = 60.0
    polls: bool = False
    stalls: float = 0.0
    """Which share of the pages stalls until after its lease."""
    forgotten: float = 0.0
    """Which share of the pages is never ended."""
    links: bool = True
    """Whether each page has a link that is new."""
    known: int = KNOWN
    """How many pages the crawl begins with."""


class Trips:
    """How often a client waits for its database: once a statement, and once a commit.

    A transaction on a server also has a BEGIN that no statement shows; SQLite's is a statement.
    """

    def __init__(self) -> None:
        self.count = 0

    def watch(self, store: CrawlStore) -> None:
        """Count the calls of a store."""
        engine = store._transactions.database.engine
        event.listen(engine, "before_cursor_execute", self._statement)
        event.listen(engine, "commit", self._commit)

    def _statement(self, *_: object) -> None:
        self.count += 1

    def _commit(self, connection: Any) -> None:
        if connection.dialect.name == "sqlite":
            self.count += 1
        elif connection.get_isolation_level() != "AUTOCOMMIT":
            self.count += 2


def request(n: int) -> NewRequest:
    """Return the n-th page."""
    host = f"host{n % HOSTS}.test"
    return NewRequest(key=f"http://{host}/{n}", url=f"http://{host}/{n}", host=host, body=f'{{"n":{n}}}')


class Workers:
    """The workers of this process, and what they measured."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._dice = random.Random(plan.first)
        self._next = KNOWN + plan.first * 10_000_000  # so that no two processes find the same page
        self._trips = Trips()
        self._leases: list[float] = []
        self._completions: list[float] = []
        self._polled: list[float] = []
        self.pages = self.lost = 0

    async def run(self) -> dict[str, Any]:
        """Open the stores, wait for the word to begin, and return the figures."""
        plan, mode = self._plan, "join"
        stores = [
            await CrawlStore.open(plan.url, plan.name, worker=f"w{plan.first + n}", mode=mode, lease_s=plan.lease_s)
            for n in range(plan.workers)
        ]
        try:
            if plan.seconds:
                await asyncio.gather(*map(self._warm_up, stores))
            self._leases, self._completions, self.pages = [], [], 0
            for store in stores:
                self._trips.watch(store)
            print("ready", flush=True)
            await asyncio.to_thread(sys.stdin.readline)
            started, cpu = time.perf_counter(), time.process_time()
            await asyncio.gather(*(self._work(store, started) for store in stores))
            seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
        finally:
            for store in stores:
                await store.close()
        figures = {"pages": self.pages, "lost": self.lost, "trips": self._trips.count, "seconds": seconds, "cpu": cpu}
        return figures | {"lease": self._leases, "complete": self._completions, "poll": self._polled}

    async def _work(self, store: CrawlStore, started: float) -> None:
        poll = asyncio.create_task(self._poll(store)) if self._plan.polls else None
        try:
            if self._plan.seconds:
                while time.perf_counter() - started < self._plan.seconds:
                    await self._batch(store)
            else:
                while not await store.is_finished():
                    if not await self._batch(store):
                        await asyncio.sleep(0.1)
        finally:
            if poll is not None:
                poll.cancel()
                await asyncio.gather(poll, return_exceptions=True)

    async def _warm_up(self, store: CrawlStore) -> None:
        """Open the two connections that a worker with polls needs, and let both prepare their statements."""
        await asyncio.gather(self._batch(store), store.counts())
        await asyncio.gather(self._batch(store), store.counts())

    async def _poll(self, store: CrawlStore) -> None:
        await asyncio.sleep(self._dice.random() * OBSERVE_S)
        while True:
            started = time.perf_counter()
            await store.counts()
            self._polled.append(time.perf_counter() - started)
            await asyncio.sleep(OBSERVE_S)

    async def _batch(self, store: CrawlStore) -> int:
        """Work on some pages, and return their number."""
        started = time.perf_counter()
        leases = await store.lease(self._plan.batch)
        self._leases.append(time.perf_counter() - started)
        fates = self._dice.random() if leases else 1.0
        if fates < self._plan.stalls * len(leases):
            await asyncio.sleep(1.5 * self._plan.lease_s)
        ended = [lease for lease in leases if self._dice.random() >= self._plan.forgotten]
        started = time.perf_counter()
        lost = await self._complete(store, ended)
        self._completions.append((time.perf_counter() - started) / max(1, len(ended)))
        self.pages += len(ended) - lost
        self.lost += lost
        return len(leases)

    async def _complete(self, store: CrawlStore, leases: list[Any]) -> int:
        """End pages, and return how many of them another worker has by now."""
        pages: list[dict[str, Any]] = [
            {"rows": [DatasetRow(dataset=DATASET, body=BODY)], "links": self._links()} for _ in leases
        ]
        if Completion is not None and leases:
            given = [Completion(lease=lease, **page) for lease, page in zip(leases, pages, strict=True)]
            return len(await store.complete_all(given))
        lost = len(leases)
        for lease, page in zip(leases, pages, strict=True):
            with contextlib.suppress(LeaseLost):
                await store.complete(lease, **page)
                lost -= 1
        return lost

    def _links(self) -> list[NewRequest]:
        known = [request(self._dice.randrange(self._plan.known)) for _ in range(LINKS - 1)]
        if not self._plan.links:
            return known
        self._next += 1
        return [request(self._next), *known]


def main() -> None:
    """Work, and print the figures."""
    workers = Workers(msgspec.json.decode(sys.argv[1], type=Plan))
    print(json.dumps(asyncio.run(workers.run())), flush=True)


if __name__ == "__main__":
    main()
