"""The queue of a crawl without browsers: simulated workers on one database, and what a lease costs as the queue grows.

`python -m bench.farm.simulation URL` needs an empty database, SQLite or PostgreSQL, and prints one JSON object.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import time
from collections.abc import Sequence
from typing import Any

from sqlalchemy import event

from stillframe.farm.store import DATASET, CrawlStore, DatasetRow, NewRequest

HOSTS = 200
"""Hosts of the simulated pages, so that workers seldom need the same one at once."""
LINKS = 6
"""Links of a simulated page: one new one, and others that the crawl has already."""
BODY = b"x" * 2_000
"""The record of a page: about the text of one."""
SAMPLES = 60
"""How many leases the cost of one is the median of."""


class Trips:
    """How often a client waits for its database: a statement each, and a transaction's begin and commit."""

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
        if connection.get_isolation_level() != "AUTOCOMMIT":
            self.count += 2


def request(n: int) -> NewRequest:
    """Return the n-th page."""
    host = f"host{n % HOSTS}.test"
    return NewRequest(key=f"http://{host}/{n}", url=f"http://{host}/{n}", host=host, body=f'{{"n":{n}}}')


class Simulation:
    """Workers that lease, "load" and complete pages until the time is over."""

    def __init__(self, url: str, name: str, *, workers: int, batch: int, seconds: float) -> None:
        self._url, self._name = url, name
        self._workers, self._batch, self._seconds = workers, batch, seconds
        self._trips = Trips()
        self._leases: list[float] = []
        self._completions: list[float] = []
        self._keys: list[str] = []
        self._next = 0

    async def run(self) -> dict[str, Any]:
        """Run it, and return its figures."""
        stores = [await CrawlStore.open(self._url, self._name, worker="w0")]
        try:
            await stores[0].add([self._fresh() for _ in range(20 * HOSTS)])
            stores += [
                await CrawlStore.open(self._url, self._name, worker=f"w{number}", mode="join")
                for number in range(1, self._workers)
            ]
            for store in stores:
                await self._page(store)  # prepares the statements of its connection
            self._clear(stores)
            started, cpu = time.perf_counter(), time.process_time()
            await asyncio.gather(*(self._work(store, started + self._seconds) for store in stores))
            seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
            trips = self._trips.count
            counts, stored = await stores[0].counts(), await self._stored(stores[0])
        finally:
            for store in stores:
                await store.close()
        pages = len(self._keys)
        return {
            "workers": self._workers,
            "batch": self._batch,
            "pages_per_s": round(pages / seconds, 1),
            "round_trips_a_page": round(trips / max(1, pages), 2),
            "client_cpu_ms_a_page": round(1000 * cpu / max(1, pages), 2),
            "lease_ms": round(1000 * statistics.median(self._leases), 2),
            "complete_ms": round(1000 * statistics.median(self._completions), 2),
            "lost": counts.finished - len(set(stored)),
            "twice": len(stored) - len(set(stored)),
        }

    def _clear(self, stores: Sequence[CrawlStore]) -> None:
        self._keys, self._leases, self._completions = [], [], []
        for store in stores:
            self._trips.watch(store)

    def _fresh(self) -> NewRequest:
        self._next += 1
        return request(self._next)

    async def _work(self, store: CrawlStore, until: float) -> None:
        while time.perf_counter() < until:
            await self._page(store)

    async def _page(self, store: CrawlStore) -> None:
        started = time.perf_counter()
        leases = await store.lease(self._batch)
        self._leases.append(time.perf_counter() - started)
        started = time.perf_counter()
        pages: list[dict[str, Any]] = [
            {
                "rows": [DatasetRow(dataset=DATASET, body=BODY)],
                "links": [self._fresh(), *(request(1 + (self._next + n) % 4000) for n in range(LINKS - 1))],
            }
            for _ in leases
        ]
        if len(leases) > 1 and hasattr(store, "complete_all"):
            from stillframe.farm.store import Completion

            await store.complete_all(
                [Completion(lease=lease, **page) for lease, page in zip(leases, pages, strict=True)]
            )
        else:
            for lease, page in zip(leases, pages, strict=True):
                await store.complete(lease, **page)
        self._completions.append((time.perf_counter() - started) / max(1, len(leases)))
        self._keys += [lease.key for lease in leases]

    async def _stored(self, store: CrawlStore) -> list[str]:
        keys: list[str] = []
        after = 0
        while found := await store.rows(after, 5_000):
            keys += [row.key for row in found]
            after = found[-1].id
        return keys


async def lease_cost(url: str, name: str, *, queued: int, held: int) -> dict[str, Any]:
    """Return what leasing one page costs with `queued` pages and `held` hosts before them that may not start one."""
    async with await CrawlStore.open(url, name, worker="w") as store:
        await store._transactions.run(lambda connection: _fill(connection, store._crawl, queued, held))
        for _ in range(3):
            await store.lease()
        if not store.url.startswith("sqlite"):
            await store._transactions.run(lambda connection: connection.exec_driver_sql("ANALYZE"))
        times = []
        for _ in range(SAMPLES):
            started = time.perf_counter()
            (lease,) = await store.lease()
            times.append(time.perf_counter() - started)
            await store.complete(lease)
    return {"queued": queued, "held_hosts": held, "lease_ms": round(1000 * statistics.median(times), 3)}


def _fill(connection: Any, crawl: int, queued: int, held: int) -> None:
    """Write the pages directly: they are all that the tables have of the crawl."""
    numbers = f"WITH RECURSIVE g(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM g WHERE n < {queued + held})"
    host = f"CASE WHEN n <= {held} THEN 'held' || n ELSE 'host' || n % 100 END"
    columns = {column["name"] for column in _columns(connection, "stillframe_hosts")}
    later, asleep = time.time() + 9e5, "sleeps_until" in columns
    connection.exec_driver_sql(
        "INSERT INTO stillframe_requests (crawl, key, url, host, body, depth, position, state, attempts, token) "
        f"{numbers} SELECT {crawl}, 'k' || n, 'http://x/' || n, {host}, '{{}}', 0, n, 'pending', 0, 0 FROM g"
    )
    extra, value = (", sleeps_until", f", CASE WHEN host LIKE 'held%%' THEN {later} ELSE 0 END") if asleep else ("", "")
    connection.exec_driver_sql(
        f"INSERT INTO stillframe_hosts (crawl, host, head, leased, held_until, next_start{extra}) "
        f"SELECT crawl, host, min(position), 0, CASE WHEN host LIKE 'held%%' THEN {later} ELSE 0 END, 0{value} "
        f"FROM stillframe_requests WHERE crawl = {crawl} GROUP BY crawl, host".replace("%%", "%")
    )
    connection.exec_driver_sql(
        f"INSERT INTO stillframe_tallies (crawl, name, count) VALUES ({crawl}, 'pending', {queued + held})"
    )


def _columns(connection: Any, table: str) -> Any:
    from sqlalchemy import inspect

    return inspect(connection).get_columns(table)


async def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Return all figures that were asked for."""
    found: dict[str, Any] = {"simulated": [], "lease": []}
    for workers in options.workers:
        simulation = Simulation(
            options.url, f"simulation {workers}", workers=workers, batch=options.batch, seconds=options.seconds
        )
        found["simulated"].append(await simulation.run())
        print(found["simulated"][-1], file=sys.stderr)
    for queued, held in ((1_000, 0), (options.queued, 0), (1_000, options.held)) if options.queued else ():
        found["lease"].append(await lease_cost(options.url, f"lease {queued} {held}", queued=queued, held=held))
        print(found["lease"][-1], file=sys.stderr)
    return found


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(prog="bench.farm.simulation", description="Measure the queue without browsers.")
    parser.add_argument("url", help="the URL of an empty database")
    parser.add_argument("--workers", type=int, nargs="*", default=[16, 64, 256])
    parser.add_argument("--batch", type=int, default=4, help="pages that a worker leases and completes at once")
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--queued", type=int, default=1_000_000, help="pages of the long queue; 0 for no leases")
    parser.add_argument("--held", type=int, default=10_000, help="hosts that are held")
    print(json.dumps(asyncio.run(measure(parser.parse_args())), indent=1))


if __name__ == "__main__":
    main()
