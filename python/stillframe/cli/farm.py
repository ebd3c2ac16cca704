"""`stillframe farm up`, `down` and `status`: a crawl whose queue is in a database, on the nodes of a Ray cluster."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from stillframe.cli.crawl import NOTHINGS, counted, reported
from stillframe.cli.farm_queue import check_queue, joined, opened, read_sitemaps
from stillframe.cli.output import print_json
from stillframe.farm.crawl import add_start
from stillframe.farm.crawl.run import reason_of
from stillframe.farm.crawl.settings import read_settings
from stillframe.farm.crawl.sitemap_progress import STATE as SITEMAPS
from stillframe.farm.crawl.sitemap_progress import report_of
from stillframe.farm.crawl.summary import bounded
from stillframe.farm.errors import ClusterUnavailable
from stillframe.farm.exits import CrawlExit
from stillframe.farm.store.health import Health, health_of
from stillframe.farm.traps.ledger import PREFIX
from stillframe.farm.traps.traps import described, left_out_of

if TYPE_CHECKING:
    from stillframe.farm.ray import SupervisorStatus
    from stillframe.farm.store import Counts, CrawlStore, WorkerStatus

POLL_S = 0.5


@contextmanager
def cluster(address: str) -> Iterator[Any]:
    """Connect to a cluster, and yield `stillframe.farm.ray`. Raises ClusterUnavailable, also where Ray is missing."""
    try:
        from stillframe.farm import ray
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "ray":
            raise
        why = "Ray is not installed (pip install 'stillframe[ray]'), so no cluster can be reached"
        raise ClusterUnavailable(why, address=address) from None
    with ray.connected(address):
        yield ray


# -- up and down ----------------------------------------------------------------------------------


def up(  # noqa: PLR0913  by keyword
    settings: dict[str, Any] | None,
    *,
    queue: str,
    name: str,
    address: str,
    resume: bool,
    concurrency: str,
    metrics_port: int | None,
    metrics_host: str,
    as_json: bool,
) -> int:
    """Create or resume a crawl and start supervisors."""

    async def run() -> int:
        check_queue(queue)
        with cluster(address) as ray:
            async with await opened(queue, name, settings, resume=resume) as store:
                recorded = read_settings(store.settings)
                await add_start(store, recorded)
                started = ray.start_supervisors(
                    ray.WorkOrder(
                        queue=queue,
                        crawl=name,
                        concurrency=concurrency,
                        metrics_port=metrics_port,
                        metrics_host=metrics_host,
                    )
                )
                alive = sum(node.alive for node in ray.nodes())
                if not as_json:
                    sys.stderr.write(f"{name}: started {len(started)} supervisors on {alive} nodes\n")
                # The workers are at the start already, and wait for what is added here.
                await read_sitemaps(store, recorded)
                report = report_of(await store.get_state(SITEMAPS))
                code, reason = await nothing_of(store)
        if as_json:
            told = {"crawl": name, "started": [node.address for node in started], "nodes": alive, "sitemaps": report}
            print_json({**told, "exit": int(code), "reason": reason})
            return code
        if report is not None:
            sys.stderr.write(f"{name}: sitemaps: {report}\n")
        if reason is not None:
            sys.stderr.write(f"{name}: no page was crawled: {NOTHINGS[reason]}\n")
        return code

    return reported(run, as_json=as_json)


async def nothing_of(store: CrawlStore) -> tuple[CrawlExit, str | None]:
    """Return NOTHING and the reason if a crawl is over and has no page, else OK."""
    counts = await store.counts()
    reason = reason_of(counts) if await store.is_finished() else None
    return (CrawlExit.OK if reason is None else CrawlExit.NOTHING), reason


def down(*, queue: str, name: str, address: str, wait_s: float, as_json: bool) -> int:
    """Stop a crawl, wait for its open pages, and end its supervisors if there is a cluster."""

    async def run() -> int:
        async with await joined(queue, name) as store:
            await store.stop()
            until = time.monotonic() + wait_s
            while (counts := await store.counts()).leased and time.monotonic() < until:  # noqa: ASYNC110 - a database
                await asyncio.sleep(POLL_S)
        ended, missing = 0, ""
        try:
            with cluster(address) as ray:
                ended = ray.end_supervisors(name)
        except ClusterUnavailable as error:
            missing = str(error)  # the workers have been told by the database
        if as_json:
            told = {"crawl": name, "ended": ended, "leased": counts.leased, "pending": counts.pending}
            print_json({**told, "cluster": missing})
        else:
            supervisors = missing or f"ended {ended} supervisors"
            sys.stderr.write(f"{name}: {supervisors}; {counts.leased} pages open, {counts.pending} pending\n")
        return CrawlExit.OK

    return reported(run, as_json=as_json)


# -- status ---------------------------------------------------------------------------------------


def status(*, queue: str, name: str, address: str, as_json: bool) -> int:
    """Print the progress of a crawl from the database; say so if the cluster is gone."""

    async def run() -> int:
        async with await joined(queue, name) as store:
            counts, workers, health = await store.counts(), await store.workers(), await health_of(store)
            traps, budgets = left_out_of((await store.states_from(PREFIX)).values())
        missing = ""
        supervisors: list[SupervisorStatus] = []
        try:
            with cluster(address) as ray:
                supervisors = ray.statuses(name)
        except ClusterUnavailable as error:
            missing = str(error)
        if as_json:
            told = {"crawl": name, "counts": counts, "health": health, "workers": workers}
            print_json({**told, "supervisors": supervisors, "cluster": missing, "traps": traps, "budgets": budgets})
        else:
            _show(name, counts, health)
            _show_nodes(workers, supervisors, missing)
            for line in (*described(traps), *described(budgets)):
                Console(highlight=False).print(line, markup=False)
        return CrawlExit.OK

    return reported(run, as_json=as_json)


def _show(name: str, counts: Counts, health: Health) -> None:
    console = Console(highlight=False, soft_wrap=True)
    finished = f"{counts.finished} finished ({counted(bounded(counts.outcomes))})"
    console.print(f"{name}: {finished}, {counts.leased} open, {counts.pending} pending")
    if counts.oldest_lease_s:
        console.print(f"the oldest page is open for {counts.oldest_lease_s:.0f} s")
    for line in lines_of(health):
        console.print(line, markup=False)


def lines_of(health: Health) -> list[str]:
    """Return what stands against a crawl, as lines; none if nothing does."""
    waiting = {reason: count for reason, count in health.hosts.items() if count}
    lines = [f"hosts that may start no page now: {counted(waiting)}"] if waiting else []
    if health.held:
        lines.append("held longest: " + ", ".join(f"{each.host} for {each.for_s:.0f} s" for each in health.held))
    if health.robots_refused or health.robots_unreachable:
        lines.append(
            f"robots.txt: pages it forbids: {health.robots_refused}, hosts where it cannot be read: "
            f"{health.robots_unreachable}"
        )
    lines += [
        f"export {lag.export}: {lag.rows} rows in no file, the oldest {lag.oldest_s:.0f} s old"
        for lag in health.exports
        if lag.rows
    ]
    if health.lock_waits:
        lines.append(f"database: {health.lock_waits} connections wait for a lock, one for {health.lock_wait_s:.0f} s")
    return lines


def _show_nodes(workers: list[WorkerStatus], supervisors: list[SupervisorStatus], missing: str) -> None:
    console = Console(highlight=False)
    table = Table("node", "supervisor", "restarts", "last exit", box=None, pad_edge=False)
    for each in supervisors:
        table.add_row(each.address, each.state, str(each.restarts), "" if each.exit is None else str(each.exit))
    console.print(missing or table, markup=False)
    heard = Table("worker", "open pages", "last heard", box=None, pad_edge=False)
    for worker in workers:
        heard.add_row(worker.worker, str(worker.leased), f"{worker.seen_s:.0f} s ago")
    console.print(heard)
