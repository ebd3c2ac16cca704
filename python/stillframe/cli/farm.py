"""`stillframe farm`: a crawl whose queue is in a database, on the nodes of a Ray cluster."""

from __future__ import annotations

import asyncio
import sys
import time
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from rich.console import Console
from rich.table import Table

from stillframe.cli.crawl import Interrupts, counted, print_summary, quiet, reported
from stillframe.cli.output import print_json
from stillframe.errors import OptionInvalid
from stillframe.farm.crawl import CrawlSettings, Progress, add_start, export_crawl, work
from stillframe.farm.crawl.run import exit_of, summary_of
from stillframe.farm.crawl.settings import read_settings
from stillframe.farm.crawl.sitemap_progress import STATE as SITEMAPS
from stillframe.farm.crawl.sitemap_progress import report_of
from stillframe.farm.crawl.sitemaps import add_sitemaps
from stillframe.farm.errors import ClusterUnavailable
from stillframe.farm.exits import CrawlExit
from stillframe.farm.ray import (
    SupervisorStatus,
    WorkOrder,
    connected,
    end_supervisors,
    nodes,
    start_supervisors,
    statuses,
)
from stillframe.farm.store import Counts, CrawlStore, WorkerStatus, worker_name
from stillframe.farm.traps.ledger import PREFIX
from stillframe.farm.traps.traps import described, left_out_of

if TYPE_CHECKING:
    from pathlib import Path

POLL_S = 0.5


def check_queue(queue: str) -> None:
    """Raise OptionInvalid if no queue was named."""
    if not queue:
        raise OptionInvalid(
            "a farm needs the URL of its PostgreSQL: give --queue, or set STILLFRAME_QUEUE", option="queue"
        )


# -- up and down ----------------------------------------------------------------------------------


def up(
    settings: dict[str, Any] | None,
    *,
    queue: str,
    name: str,
    address: str,
    resume: bool,
    concurrency: str,
    as_json: bool,
) -> int:
    """Create or resume a crawl and start supervisors."""

    async def run() -> int:
        check_queue(queue)
        wanted = None if settings is None else msgspec.convert(settings, CrawlSettings).check()
        given: Any = None if wanted is None else wanted.to_builtins()
        mode: Literal["create", "resume"] = "resume" if resume else "create"
        with connected(address):
            async with await CrawlStore.open(queue, name, worker=worker_name(), mode=mode, settings=given) as store:
                recorded = read_settings(store.settings)
                await add_start(store, recorded)
                started = start_supervisors(WorkOrder(queue=queue, crawl=name, concurrency=concurrency))
                alive = sum(node.alive for node in nodes())
                if not as_json:
                    sys.stderr.write(f"{name}: started {len(started)} supervisors on {alive} nodes\n")
                # The workers are at the start already, and wait for what is added here.
                await add_sitemaps(store, recorded, asyncio.Event())
                report = report_of(await store.get_state(SITEMAPS))
        if as_json:
            addresses = [node.address for node in started]
            print_json({"crawl": name, "started": addresses, "nodes": alive, "sitemaps": report})
        elif report is not None:
            sys.stderr.write(f"{name}: sitemaps: {report}\n")
        return CrawlExit.OK

    return reported(run, as_json=as_json)


def down(*, queue: str, name: str, address: str, wait_s: float, as_json: bool) -> int:
    """Stop a crawl, wait for its open pages, and end its supervisors."""

    async def run() -> int:
        check_queue(queue)
        async with await CrawlStore.open(queue, name, worker=worker_name(), mode="join") as store:
            await store.stop()
            until = time.monotonic() + wait_s
            while (counts := await store.counts()).leased and time.monotonic() < until:  # noqa: ASYNC110 - a database
                await asyncio.sleep(POLL_S)
            ended = _end(address, name)
        if as_json:
            print_json({"crawl": name, "ended": ended, "leased": counts.leased, "pending": counts.pending})
        else:
            sys.stderr.write(f"{name}: ended {ended} supervisors; {counts.pending} pages pending\n")
        return CrawlExit.OK

    return reported(run, as_json=as_json)


def _end(address: str, name: str) -> int:
    with connected(address):
        return end_supervisors(name)


# -- status ---------------------------------------------------------------------------------------


def status(*, queue: str, name: str, address: str, as_json: bool) -> int:
    """Print the progress of a crawl from the database; say so if the cluster is gone."""

    async def run() -> int:
        check_queue(queue)
        async with await CrawlStore.open(queue, name, worker=worker_name(), mode="join") as store:
            counts, workers = await store.counts(), await store.workers()
            traps, budgets = left_out_of((await store.states_from(PREFIX)).values())
        cluster = ""
        supervisors: list[SupervisorStatus] = []
        try:
            supervisors = _supervisors(address, name)
        except ClusterUnavailable as error:
            cluster = str(error)
        if as_json:
            print_json(
                {
                    "crawl": name,
                    "counts": counts,
                    "workers": workers,
                    "supervisors": supervisors,
                    "cluster": cluster,
                    "traps": traps,
                    "budgets": budgets,
                }
            )
        else:
            _show(name, counts, workers, supervisors, cluster)
            for line in (*described(traps), *described(budgets)):
                Console(highlight=False).print(line, markup=False)
        return CrawlExit.OK

    return reported(run, as_json=as_json)


def _supervisors(address: str, name: str) -> list[SupervisorStatus]:
    with connected(address):
        return statuses(name)


def _show(
    name: str, counts: Counts, workers: list[WorkerStatus], supervisors: list[SupervisorStatus], cluster: str
) -> None:
    console = Console(highlight=False)
    finished = f"{counts.finished} finished ({counted(counts.outcomes)})"
    console.print(f"{name}: {finished}, {counts.leased} open, {counts.pending} pending")
    if counts.oldest_lease_s:
        console.print(f"the oldest page is open for {counts.oldest_lease_s:.0f} s")
    table = Table("node", "supervisor", "restarts", "last exit", box=None, pad_edge=False)
    for each in supervisors:
        table.add_row(each.address, each.state, str(each.restarts), "" if each.exit is None else str(each.exit))
    console.print(cluster or table, markup=False)
    heard = Table("worker", "open pages", "last heard", box=None, pad_edge=False)
    for worker in workers:
        heard.add_row(worker.worker, str(worker.leased), f"{worker.seen_s:.0f} s ago")
    console.print(heard)


# -- workers and the export -----------------------------------------------------------------------


def worker(*, queue: str, name: str, concurrency: int | Literal["auto"], lifeline: bool) -> int:
    """Work on a crawl until it is finished or stopped."""

    async def run() -> int:
        check_queue(queue)
        quiet()
        interrupts = Interrupts()
        async with interrupts:
            cut = asyncio.create_task(_cut_with_stdin(interrupts), name="lifeline") if lifeline else None
            try:
                return await _work(queue, name, concurrency, interrupts)
            finally:
                if cut is not None:
                    cut.cancel()

    return reported(run, as_json=False)


async def _work(queue: str, name: str, concurrency: int | Literal["auto"], interrupts: Interrupts) -> int:
    async with await CrawlStore.open(queue, name, worker=worker_name(), mode="join") as store:
        progress = Progress(started=time.monotonic())
        await work(store, concurrency=concurrency, stop=interrupts.stop, managers=(interrupts,), progress=progress)
        drained = interrupts.stop.is_set() or await store.stopped()
        counts = await store.counts()
        code = exit_of(counts, CrawlExit.INTERRUPTED if drained else CrawlExit.OK)
        if code == CrawlExit.FAILED:
            code = CrawlExit.NOTHING  # the crawl is over: after FAILED a supervisor starts its worker again
        print_summary(await summary_of(store, counts, progress, code, None), as_json=False)
        return code


async def _cut_with_stdin(interrupts: Interrupts) -> None:
    """End the command when the process that started it is gone."""
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    try:
        await reader.read()
    finally:
        transport.close()
    interrupts.cut()


def export(*, queue: str, name: str, out: Path, follow: bool, as_json: bool) -> int:
    """Append what a crawl has to files."""

    async def run() -> int:
        check_queue(queue)
        async with await CrawlStore.open(queue, name, worker=worker_name(), mode="join") as store:
            rows = await export_crawl(store, out, follow=follow)
        if as_json:
            print_json({"crawl": name, "rows": rows, "out": str(out)})
        else:
            sys.stderr.write(f"{name}: {rows} pages appended to {out}\n")
        return CrawlExit.OK

    return reported(run, as_json=as_json)
