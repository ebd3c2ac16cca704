"""`stillframe farm` where no Ray is needed: crawls are created, worked on, exported and tidied up in their database."""

from __future__ import annotations

import asyncio
import sys
import time
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from stillframe.cli.crawl import Interrupts, print_summary, reported, served_metrics
from stillframe.cli.output import print_json
from stillframe.errors import OptionInvalid
from stillframe.farm.crawl import CrawlSettings, CrawlSummary, Progress, add_start, export_crawl, work
from stillframe.farm.crawl.access import context_options
from stillframe.farm.crawl.retrying import retry as retry_pages
from stillframe.farm.crawl.run import exit_of, open_crawl, summary_of
from stillframe.farm.crawl.settings import read_settings
from stillframe.farm.crawl.sitemap_progress import STATE as SITEMAPS
from stillframe.farm.crawl.sitemap_progress import report_of
from stillframe.farm.crawl.sitemaps import add_sitemaps
from stillframe.farm.exits import CrawlExit
from stillframe.farm.store import CrawlStore, Vacuumed, vacuum_crawls, worker_name
from stillframe.farm.store import vacuum as vacuum_rows

if TYPE_CHECKING:
    from pathlib import Path

DAY_S = 86_400
MB = 1_000_000


def check_queue(queue: str) -> None:
    """Raise OptionInvalid if no queue was named."""
    if not queue:
        raise OptionInvalid(
            "a farm needs the URL of its PostgreSQL: give --queue, or set STILLFRAME_QUEUE", option="queue"
        )


def create(settings: dict[str, Any] | None, *, queue: str, name: str, resume: bool, as_json: bool) -> int:
    """Create a crawl, or resume one, and read its sitemaps; workers are the caller's."""

    async def run() -> int:
        check_queue(queue)
        async with await opened(queue, name, settings, resume=resume) as store:
            recorded = read_settings(store.settings)
            await add_start(store, recorded)
            await read_sitemaps(store, recorded)
            counts, report = await store.counts(), report_of(await store.get_state(SITEMAPS))
        if as_json:
            print_json({"crawl": name, "pending": counts.pending, "sitemaps": report})
            return CrawlExit.OK
        if report is not None:
            sys.stderr.write(f"{name}: sitemaps: {report}\n")
        sys.stderr.write(f"{name}: {counts.pending} pages pending\n")
        return CrawlExit.OK

    return reported(run, as_json=as_json)


async def read_sitemaps(store: CrawlStore, settings: CrawlSettings) -> None:
    """Add the pages of a crawl's sitemaps; without any, the crawl's secrets need not be known here."""
    if settings.sitemaps:
        await add_sitemaps(store, settings, asyncio.Event(), options=context_options(settings))


async def opened(queue: str, name: str, settings: dict[str, Any] | None, *, resume: bool) -> CrawlStore:
    """Create a crawl with the options of a command line, or go on with one, as `open_crawl` does."""
    wanted = None if settings is None else msgspec.convert(settings, CrawlSettings).check()
    return await open_crawl(queue, name, wanted, resume=resume)


async def joined(queue: str, name: str) -> CrawlStore:
    """Open the crawl that is there; raises OptionInvalid if no queue was named."""
    check_queue(queue)
    return await CrawlStore.open(queue, name, worker=worker_name(), mode="join")


# -- workers and the export -----------------------------------------------------------------------


def worker(
    *,
    queue: str,
    name: str,
    concurrency: int | Literal["auto"],
    lifeline: bool,
    metrics_port: int | None,
    metrics_host: str,
    as_json: bool,
) -> int:
    """Work on a crawl until it is finished or stopped."""

    async def run() -> int:
        check_queue(queue)
        interrupts = Interrupts()
        async with interrupts:
            cut = asyncio.create_task(_cut_with_stdin(interrupts), name="lifeline") if lifeline else None
            try:
                async with served_metrics(metrics_port, metrics_host) as metrics:
                    summary = await _work(queue, name, concurrency, interrupts, metrics)
            finally:
                if cut is not None:
                    cut.cancel()
        print_summary(summary, as_json=as_json)
        return summary.exit

    return reported(run, as_json=as_json)


async def _work(
    queue: str, name: str, concurrency: int | Literal["auto"], interrupts: Interrupts, metrics: Any
) -> CrawlSummary:
    async with await joined(queue, name) as store:
        progress = Progress(started=time.monotonic())
        await _begin(store)
        await work(store, concurrency=concurrency, stop=interrupts.stop, progress=progress, metrics=metrics)
        drained = interrupts.stop.is_set() or await store.stopped()
        counts = await store.counts()
        code = exit_of(counts, CrawlExit.INTERRUPTED if drained else CrawlExit.OK)
        if code == CrawlExit.FAILED:
            code = CrawlExit.NOTHING  # the crawl is over: after FAILED a supervisor starts its worker again
        return await summary_of(store, counts, progress, code, None)


async def _begin(store: CrawlStore) -> None:
    """Add the start of a crawl that has no page: who created it may be about to, or have died before it could."""
    counts = await store.counts()
    if not (counts.pending or counts.leased or counts.finished):
        await add_start(store, read_settings(store.settings))


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
        async with await joined(queue, name) as store:
            rows = await export_crawl(store, out, follow=follow)
        if as_json:
            print_json({"crawl": name, "rows": rows, "out": str(out)})
        else:
            sys.stderr.write(f"{name}: {rows} pages appended to {out}\n")
        return CrawlExit.OK

    return reported(run, as_json=as_json)


# -- again, and no longer -------------------------------------------------------------------------


def retry(*, queue: str, name: str, kinds: list[str], as_json: bool) -> int:
    """Return pages that failed to the queue."""

    async def run() -> int:
        async with await joined(queue, name) as store:
            pages = await retry_pages(store, kinds)
            counts, stopped = await store.counts(), await store.stopped()
        if as_json:
            print_json({"crawl": name, "retried": pages, "pending": counts.pending, "stopped": stopped})
        else:
            how = "workers that run take them" if not stopped else "the crawl is stopped, and --resume goes on with it"
            sys.stderr.write(f"{name}: pages to try again: {pages}, pending in all: {counts.pending}; {how}\n")
        return CrawlExit.OK

    return reported(run, as_json=as_json)


def vacuum(*, queue: str, name: str | None, older_than_days: float | None, unexported: bool, as_json: bool) -> int:
    """Delete exported rows of a crawl, and old crawls."""

    async def run() -> int:
        check_queue(queue)
        rows = size = 0
        gone = Vacuumed()
        if name is not None:
            async with await joined(queue, name) as store:
                found = await vacuum_rows(store)
            rows, size = found.rows, found.bytes
        if older_than_days is not None:
            gone = await vacuum_crawls(queue, older_than_s=older_than_days * DAY_S, unexported=unexported)
        rows, size = rows + gone.rows, size + gone.bytes
        if as_json:
            print_json({"rows": rows, "bytes": size, "crawls": gone.crawls, "unexported": gone.unexported})
            return CrawlExit.OK
        lines = [f"rows deleted: {rows}, {size / MB:.1f} MB"]
        if older_than_days is not None:
            lines.append(f"crawls deleted: {len(gone.crawls)}" + "".join(f"\n  {each}" for each in gone.crawls))
        if gone.unexported:
            kept = ", ".join(gone.unexported)
            lines.append(f"kept, as they have rows that are in no file (--unexported deletes them): {kept}")
        sys.stderr.write("\n".join(lines) + "\n")
        return CrawlExit.OK

    return reported(run, as_json=as_json)
