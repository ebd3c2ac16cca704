"""What leasing one page costs in a short queue, in a long one, and behind hosts that are held."""

from __future__ import annotations

import contextlib
import json
import statistics
import time
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, inspect, make_url

from stillframe.farm.store import CrawlStore

SHORT = 1_000
"""Pages of the short queue."""
SAMPLES = 200
"""How many leases the cost of one is the median of."""
HOSTS = 100
"""Hosts that may start a page."""
EXPLAIN = (
    "EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) "
    "SELECT * FROM stillframe_lease({}, 'w', 60, 1, {}, false, false)"
)
AT_ONCE = 100_000
"""Pages that one statement writes: the time of a statement is limited."""


async def lease_costs(url: str, mark: str, *, queued: int, held: int) -> list[dict[str, Any]]:
    """Return what a lease costs in each case: in milliseconds, and on a server in buffers and in its CPU.

    Each case has tables of its own, and the leases of all cases take turns, so that the machine's load is the same.
    """
    cases = [Case(url, mark, number, *sizes) for number, sizes in enumerate(((SHORT, 0), (queued, 0), (SHORT, held)))]
    try:
        for case in cases:
            await case.open()
        for turn in range(SAMPLES + 20):
            for case in cases:
                await case.sample(keep=turn >= 20)
        return [case.figures() for case in cases]
    finally:
        for case in cases:
            await case.close()


class Case:
    """One queue, and the costs of its leases."""

    def __init__(self, url: str, mark: str, number: int, queued: int, held: int) -> None:
        self._queued, self._held = queued, held
        self._is_file = url.startswith("sqlite")
        self._schema = f"lease_{mark}_{number}"
        self._base = url
        self._url = _beside(url, self._schema)
        self._times: list[float] = []
        self._cpu: list[float] = []
        self._buffers: list[int] = []
        self._stack = contextlib.AsyncExitStack()

    async def open(self) -> None:
        """Make the queue."""
        if not self._is_file:
            async with await CrawlStore.open(self._base, f"base of {self._schema}", worker="w") as base:
                await base._transactions.run(lambda c: c.exec_driver_sql(f"CREATE SCHEMA {self._schema}"))
        self._store = await self._stack.enter_async_context(await CrawlStore.open(self._url, "lease", worker="w"))
        crawl, pages = self._store._crawl, self._queued + self._held
        for first in range(1, pages + 1, AT_ONCE):
            last = min(first + AT_ONCE - 1, pages)
            await self._run(partial(fill, crawl=crawl, first=first, last=last, held=self._held))
        await self._run(partial(fill_hosts, crawl=crawl, pages=pages))

    async def close(self) -> None:
        """Close the store; its tables stay."""
        await self._stack.aclose()

    async def sample(self, *, keep: bool) -> None:
        """Lease one page and complete it; on a server, measure the server's CPU, and explain another lease."""
        before = await self._server_cpu()
        started = time.perf_counter()
        (lease,) = await self._store.lease()
        seconds = time.perf_counter() - started
        after = await self._server_cpu()
        idle = await self._server_cpu()
        await self._store.complete(lease)
        buffers = await self._explained()
        if not keep:
            return
        self._times.append(seconds)
        if before is not None and after is not None and idle is not None:
            self._cpu.append((after - before) - (idle - after))  # without what asking for it costs
        if buffers is not None:
            self._buffers.append(buffers)

    def figures(self) -> dict[str, Any]:
        """Return the medians."""
        found = {"queued": self._queued, "held_hosts": self._held, "lease_ms": round(1000 * _median(self._times), 3)}
        if self._cpu:
            found["server_cpu_ms"] = round(_median(self._cpu) / 1e6, 3)
        if self._buffers:
            found["buffers"] = _median(self._buffers)
        return found

    async def _explained(self) -> int | None:
        """Lease a page under EXPLAIN, complete it, and return how many buffers the server has looked at."""
        if self._is_file:
            return None
        batch = len(self._buffers) + 10
        plan = await self._run(lambda c: c.exec_driver_sql(EXPLAIN.format(self._store._crawl, batch)).scalar())
        plan = json.loads(plan) if isinstance(plan, str) else plan
        node = plan[0]["Plan"]
        # What the EXPLAIN has leased runs out in a minute, after the last sample.
        return int(node["Shared Hit Blocks"] + node["Shared Read Blocks"])

    async def _server_cpu(self) -> int | None:
        """Return the nanoseconds that the process of the connection has run, if it is on this machine."""
        if self._is_file:
            return None
        return _cpu_ns(await self._light("SELECT pg_backend_pid()"))

    async def _light(self, statement: str) -> Any:
        return await self._store._transactions.run(lambda c: c.exec_driver_sql(statement).scalar(), light=True)

    async def _run(self, operation: Any) -> Any:
        return await self._store._transactions.run(operation)


def _cpu_ns(pid: int) -> int | None:
    with contextlib.suppress(OSError, ValueError):
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0])
    return None


def _median(values: Any) -> float:
    return statistics.median(values)


def _beside(url: str, name: str) -> str:
    """Return the URL of other tables on the same server, or of a file beside."""
    parsed = make_url(url)
    if url.startswith("sqlite"):
        return f"sqlite:///{Path(str(parsed.database)).with_name(name + '.db')}"
    return parsed.update_query_dict({"search_path": name}).render_as_string(hide_password=False)


def fill(connection: Connection, crawl: int, first: int, last: int, held: int) -> None:
    """Write pages directly: they are all that the tables have of the crawl. The first ones have held hosts."""
    numbers = f"WITH RECURSIVE g(n) AS (SELECT {first} UNION ALL SELECT n + 1 FROM g WHERE n < {last})"
    host = f"CASE WHEN n <= {held} THEN 'held' || n ELSE 'host' || n % {HOSTS} END"
    connection.exec_driver_sql(
        "INSERT INTO stillframe_requests (crawl, key, url, host, body, depth, position, state, attempts, token) "
        f"{numbers} SELECT {crawl}, 'k' || n, 'http://x/' || n, {host}, '{{}}', 0, n, 'pending', 0, 0 FROM g"
    )


def fill_hosts(connection: Connection, crawl: int, pages: int) -> None:
    """Write the hosts and the count of those pages."""
    columns = {column["name"] for column in inspect(connection).get_columns("stillframe_hosts")}
    later, asleep = time.time() + 9e5, "sleeps_until" in columns
    extra, value = (", sleeps_until", f", CASE WHEN host LIKE 'held%' THEN {later} ELSE 0 END") if asleep else ("", "")
    connection.exec_driver_sql(
        f"INSERT INTO stillframe_hosts (crawl, host, head, leased, held_until, next_start{extra}) "
        f"SELECT crawl, host, min(position), 0, CASE WHEN host LIKE 'held%' THEN {later} ELSE 0 END, 0{value} "
        f"FROM stillframe_requests WHERE crawl = {crawl} GROUP BY crawl, host"
    )
    connection.exec_driver_sql(
        f"INSERT INTO stillframe_tallies (crawl, name, count) VALUES ({crawl}, 'pending', {pages})"
    )
    connection.exec_driver_sql("ANALYZE")
