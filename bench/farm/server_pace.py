"""How many pages a second the server of a queue does, with pgbench in place of workers written in Python.

`python -m bench.farm.server_pace URL` needs an empty PostgreSQL database on this machine, for each run another crawl in
it. A client of pgbench leases four pages and completes them at once, without a pause; it takes a thirtieth of the CPU
that a worker of `simulation` takes, so that the figures are the server's. Polls are as many as those workers send.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psutil

from bench.farm.processes import ending
from bench.farm.queue_record import NOW, add
from bench.farm.simulated_workers import HOSTS, KNOWN, LINKS, OBSERVE_S, request
from bench.farm.simulation import server_cpu_s
from stillframe.farm.store import CrawlStore

POLLERS = 8
"""Connections that send the polls of all workers."""
BEGUN = 12
"""Pages of each client before the first figure: plans are made, and locks are waited for."""
APPLICATION = "stillframe polls"
WORK = f"""
\\set batch random(1, 4000000000000)
\\set base random(1, 4000000000000)
SELECT coalesce(array_agg(o_key), '{{}}')::text AS keys, coalesce(array_agg(o_token), '{{}}')::text AS tokens, \
count(*) AS n FROM stillframe_lease(CRAWL, 'w' || :client_id::int, 60, 4, :batch::bigint, false, false) \\gset
\\if :n
SELECT stillframe_complete(CRAWL, 'w' || :client_id::int, :keys::text[], :tokens::int[], \
array_fill('done'::text, array[:n::int]), array_fill(null::text, array[:n::int]), \
r.pages, array_fill('pages'::text, array[:n::int]), array_fill(0, array[:n::int]), \
array_fill(convert_to(repeat('x', 2000), 'UTF8'), array[:n::int]), array_fill(null::bytea, array[:n::int]), \
l.pages, l.keys, array_fill(null::text, array[l.n]), l.keys, l.hosts, array_fill('{{}}'::text, array[l.n]), \
array_fill(0, array[l.n]), array_fill(0, array[l.n])) \
FROM (SELECT array_agg(p) AS pages FROM generate_series(1, :n::int) p) r, \
(SELECT count(*)::int AS n, array_agg(p) AS pages, array_agg('http://host' || x % {HOSTS} || '.test/' || x) AS keys, \
array_agg('host' || x % {HOSTS} || '.test') AS hosts FROM (\
SELECT p, CASE WHEN k = 1 THEN {KNOWN} + :base::bigint + p ELSE (random() * ({KNOWN} - 1))::int END AS x \
FROM generate_series(1, :n::int) p, generate_series(1, {LINKS}) k) y) l;
\\endif
"""
POLL = """
SELECT max_pages, stopped, extract(epoch FROM clock_timestamp()) FROM stillframe_crawls WHERE id = CRAWL;
SELECT name, sum(count) FROM stillframe_tallies WHERE crawl = CRAWL GROUP BY name;
SELECT min(leased_at) FROM stillframe_requests WHERE crawl = CRAWL AND state = 'leased';
"""
"""What `CrawlStore.counts` asks."""


@asynccontextmanager
async def running_pgbench(
    options: argparse.Namespace, folder: Path, script: str, *more: str
) -> AsyncIterator[asyncio.subprocess.Process]:
    """Let a pgbench run a script until the end of the block."""
    _write(folder, script)
    process = await asyncio.create_subprocess_exec(
        *(options.pgbench, "-n", "-M", "prepared", "-f", "script.sql", *more, options.url),
        cwd=folder,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        env=os.environ | {"PGAPPNAME": APPLICATION if "-R" in more else "stillframe work"},
    )
    async with ending(process):
        yield process


def _write(folder: Path, script: str) -> None:
    folder.mkdir()
    (folder / "script.sql").write_text(script)


class Meter:
    """What the server and pgbench have done since the last look."""

    def __init__(self, store: CrawlStore, pgbench: psutil.Process) -> None:
        self._store, self._pgbench = store, pgbench

    async def look(self) -> dict[str, float]:
        """Return all counters as they are now."""
        pages, server = (await self._store.counts()).finished, await server_cpu_s(self._store)
        polls = await self._ask(f"SELECT pid FROM pg_stat_activity WHERE application_name = '{APPLICATION}'")
        polling = sum(sum(psutil.Process(pid).cpu_times()[:2]) for (pid,) in polls)
        client = sum(self._pgbench.cpu_times()[:2])
        reads = "SELECT idx_tup_read FROM pg_stat_user_indexes WHERE indexrelname = 'stillframe_hosts_awake'"
        ((entries,),) = await self._ask(reads)
        now = {"at": time.monotonic(), "pages": pages, "server": server, "polling": polling}
        return {**now, "client": client, "entries": entries}

    async def _ask(self, statement: str) -> list[Any]:
        def rows(connection: Any) -> list[Any]:
            return list(connection.exec_driver_sql(statement).all())

        return await self._store._transactions.run(rows, light=True)


async def paced(options: argparse.Namespace, clients: int, polls: float) -> dict[str, Any]:
    """Return the figures of one run; `polls` are polls a second."""
    with tempfile.TemporaryDirectory(prefix="bench-pace-") as name:
        work, poll = Path(name, "work"), Path(name, "poll")
        async with await CrawlStore.open(options.url, f"{time.time()}", worker="seed") as store:
            await store.add([request(n) for n in range(KNOWN)])
            scripts = [script.replace("CRAWL", str(store._crawl)) for script in (WORK, POLL)]
            more = ("-c", str(clients), "-j", "2", "-T", "3600")
            async with running_pgbench(options, work, scripts[0], *more) as pgbench:
                while (await store.counts()).finished < BEGUN * clients:  # noqa: ASYNC110  it is in the database
                    await asyncio.sleep(0.1)
                meter = Meter(store, psutil.Process(pgbench.pid))
                if not polls:
                    return _figures(clients, polls, await _between(meter, options.seconds), [])
                rate = ("-c", str(POLLERS), "-R", str(polls), "-l", "-T", str(int(options.seconds) + 4))
                async with running_pgbench(options, poll, scripts[1], *rate) as polling:
                    await asyncio.sleep(2)
                    looks = await _between(meter, options.seconds)
                    await polling.wait()
                return _figures(clients, polls, looks, _polled(poll))


def _polled(folder: Path) -> list[float]:
    """Return the milliseconds of all polls, from pgbench's log."""
    lines = [line.split() for log in folder.glob("pgbench_log*") for line in log.read_text().splitlines()]
    return [int(line[2]) / 1000 for line in lines]


async def _between(meter: Meter, seconds: float) -> dict[str, float]:
    before = await meter.look()
    await asyncio.sleep(seconds)
    after = await meter.look()
    return {name: after[name] - before[name] for name in after}


def _figures(clients: int, polls: float, did: dict[str, float], poll_ms: list[float]) -> dict[str, Any]:
    pages = max(1.0, did["pages"])
    return {
        "clients": clients,
        "polls_per_s": round(polls, 1),
        "pages_per_s": round(did["pages"] / did["at"], 1),
        "server_cpu_ms_a_page": round(1000 * did["server"] / pages, 3),
        "client_cpu_ms_a_page": round(1000 * did["client"] / pages, 3),
        "cores": round((did["server"] + did["client"]) / did["at"], 2),
        "entries_a_lease": round(4 * did["entries"] / pages),
        "poll_cpu_ms": round(1000 * did["polling"] / (polls * did["at"]), 2) if polls else None,
        "poll_ms": round(statistics.median(poll_ms), 2) if poll_ms else None,
        "load": round(os.getloadavg()[0], 1),
    }


async def measure(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Return the rows that were asked for, rounds in turn."""
    rows = []
    for _ in range(options.rounds):
        for clients in options.clients:
            for polls in (0.0, clients / OBSERVE_S) if options.polls else (0.0,):
                rows.append(await paced(options, clients, polls))
                print(rows[-1], file=sys.stderr, flush=True)
    return rows


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(prog="bench.farm.server_pace", description="Measure the server of a queue.")
    parser.add_argument("url", help="the URL of an empty PostgreSQL database")
    parser.add_argument("--pgbench", default="pgbench", help="the program")
    parser.add_argument("--clients", type=int, nargs="*", default=[16, 64, 256])
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--polls", action="store_true", help="once more with polls of the counts")
    parser.add_argument("--record", help="the name of a file under bench/results to add the figures to")
    parser.add_argument("--label", default=NOW, help="what the record calls this store")
    options = parser.parse_args()
    rows = asyncio.run(measure(options))
    if options.record:
        add(options.record, options.label, "postgresql", {"server": rows})
    print(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
