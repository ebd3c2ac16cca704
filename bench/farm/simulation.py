"""The queue of a crawl without browsers: simulated workers on one database, and what a lease costs as the queue grows.

`python -m bench.farm.simulation URL` needs a database of its own, SQLite or PostgreSQL, and prints one JSON object. The
workers are in as many processes as there are cores, and the database runs on the same cores.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import statistics
import sys
import time
from typing import Any

import msgspec
import psutil

from bench.farm.lease_cost import lease_costs
from bench.farm.queue_record import NOW, add
from bench.farm.simulated_workers import Plan, request
from stillframe.farm.store import CrawlStore

PROCESSES = os.cpu_count() or 1
SHORT_LEASE_S = 1.0
"""The lease in the runs with faults: so short that a page which stalls loses it soon."""
FAULT_PAGES = 2_000
"""Pages of those runs."""
STALLS, FORGOTTEN = 0.05, 0.02
"""Shares of the pages that stall until after their lease, and that are forgotten."""


async def timed(url: str, name: str, workers: int, options: argparse.Namespace, *, polls: bool) -> dict[str, Any]:
    """Let workers go as fast as they can for some seconds."""
    plan = Plan(url=url, name=name, first=0, workers=workers, batch=options.batch, seconds=options.seconds, polls=polls)
    return {"workers": workers, "polls": polls, **await _run(plan)}


async def with_faults(url: str, name: str, workers: int, options: argparse.Namespace) -> dict[str, Any]:
    """Let workers empty a queue while some of their pages stall or are forgotten."""
    faults = {"stalls": STALLS, "forgotten": FORGOTTEN, "lease_s": SHORT_LEASE_S, "links": False, "known": FAULT_PAGES}
    plan = Plan(url=url, name=name, first=0, workers=workers, batch=options.batch, **faults)  # type: ignore[arg-type]
    return {"workers": workers, "stalls": STALLS, "forgotten": FORGOTTEN, **await _run(plan)}


async def _run(plan: Plan) -> dict[str, Any]:
    async with await CrawlStore.open(plan.url, plan.name, worker="seed") as store:
        await store.add([request(n) for n in range(plan.known)])
        shares = [plan.workers * n // PROCESSES for n in range(PROCESSES + 1)]
        plans = [
            msgspec.structs.replace(plan, first=first, workers=last - first)
            for first, last in itertools.pairwise(shares)
            if last > first
        ]
        processes = [await _started(each) for each in plans]
        await asyncio.gather(*(process.stdout.readline() for process in processes if process.stdout))
        before, server = await store.counts(), await server_cpu_s(store)
        for process in processes:
            assert process.stdin is not None
            process.stdin.write(b"begin\n")
        answers = await asyncio.gather(*(process.communicate() for process in processes))
        found = [json.loads(answer[0]) for answer in answers]
        server = await server_cpu_s(store) - server
        counts, stored = await store.counts(), await _stored(store)
    pages = counts.finished - before.finished
    seconds = max(each["seconds"] for each in found)

    def total(name: str) -> float:
        return sum(each[name] for each in found)

    def median_ms(name: str) -> float | None:
        times = [one for each in found for one in each[name]]
        return round(1000 * statistics.median(times), 2) if times else None

    return {
        "pages": pages,
        "pages_per_s": round(pages / seconds, 1),
        "round_trips_a_page": round(total("trips") / max(1, pages), 2),
        "client_cpu_ms_a_page": round(1000 * total("cpu") / max(1, pages), 2),
        "server_cpu_ms_a_page": round(1000 * server / max(1, pages), 2),
        "lease_ms": median_ms("lease"),
        "complete_ms_a_page": median_ms("complete"),
        "poll_ms": median_ms("poll"),
        "fenced": total("lost"),
        "lost": counts.finished - len(set(stored)) + (0 if plan.seconds else plan.known - counts.finished),
        "twice": len(stored) - len(set(stored)),
        "load": round(os.getloadavg()[0], 1),
    }


async def server_cpu_s(store: CrawlStore) -> float:
    """Return the seconds that all processes of a server on this machine have run; 0 for SQLite, which has none."""
    if store.url.startswith("sqlite"):
        return 0.0
    asked = "SELECT pg_backend_pid()"
    pid = await store._transactions.run(lambda connection: connection.exec_driver_sql(asked).scalar_one(), light=True)
    try:
        parent = psutil.Process(pid).parent()
    except psutil.Error:
        return 0.0
    assert parent is not None
    ended = parent.cpu_times()
    alive = [child.cpu_times() for child in parent.children()]
    return float(ended.children_user + ended.children_system + sum(times.user + times.system for times in alive))


async def _started(plan: Plan) -> asyncio.subprocess.Process:
    pipe = asyncio.subprocess.PIPE
    command = (sys.executable, "-m", "bench.farm.simulated_workers", msgspec.json.encode(plan).decode())
    return await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, limit=1 << 26)


async def _stored(store: CrawlStore) -> list[str]:
    keys: list[str] = []
    after = 0
    while found := await store.rows(after, 5_000):
        keys += [row.key for row in found]
        after = found[-1].id
    return keys


async def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Return all figures that were asked for."""
    found: dict[str, Any] = {"timed": [], "faults": [], "lease": []}

    def keep(kind: str, figures: dict[str, Any]) -> None:
        found[kind].append(figures)
        print(figures, file=sys.stderr, flush=True)

    mark = f"{time.time():.0f}"
    for number in range(options.rounds):
        for workers in options.workers:
            for polls in (False, True) if options.polls else (False,):
                name = f"{mark} {number} {workers} {polls}"
                keep("timed", await timed(options.url, name, workers, options, polls=polls))
    for workers in options.workers if options.faults else ():
        keep("faults", await with_faults(options.url, f"{mark} faults {workers}", workers, options))
    if options.queued:
        for figures in await lease_costs(options.url, mark, queued=options.queued, held=options.held):
            keep("lease", figures)
    return found


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(prog="bench.farm.simulation", description="Measure the queue without browsers.")
    parser.add_argument("url", help="the URL of a database")
    parser.add_argument("--workers", type=int, nargs="*", default=[16, 64, 256])
    parser.add_argument("--batch", type=int, default=4, help="pages that a worker leases and completes at once")
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--polls", action="store_true", help="once more with workers that ask for the counts")
    parser.add_argument("--faults", action="store_true", help="once more with pages that stall or are forgotten")
    parser.add_argument("--queued", type=int, default=1_000_000, help="pages of the long queue; 0 for no leases")
    parser.add_argument("--held", type=int, default=10_000, help="hosts that are held")
    parser.add_argument("--record", help="the name of a file under bench/results to add the figures to")
    parser.add_argument("--label", default=NOW, help="what the record calls this store")
    options = parser.parse_args()
    found = asyncio.run(measure(options))
    if options.record:
        add(options.record, options.label, options.url.partition(":")[0], found)
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
