"""A crawl of one process: its database, its worker, and the export to its folder."""

from __future__ import annotations

import asyncio
import contextlib
import time
import uuid
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from stillframe.farm.crawl.access import context_options
from stillframe.farm.crawl.progress import Progress
from stillframe.farm.crawl.retrying import retry
from stillframe.farm.crawl.scope import STATE as SCOPE
from stillframe.farm.crawl.scope import Scope, moved_of
from stillframe.farm.crawl.settings import CrawlSettings, Format, read_settings
from stillframe.farm.crawl.sitemap_progress import STATE as SITEMAPS
from stillframe.farm.crawl.sitemap_progress import report_of
from stillframe.farm.crawl.sitemaps import adding_sitemaps
from stillframe.farm.crawl.summary import (
    ALL_SKIPPED,
    EMPTY,
    FAILED,
    NO_PAGE,
    NOTHING_ALLOWED,
    CrawlSummary,
    bounded,
    errors_of,
)
from stillframe.farm.crawl.work import Concurrency, add_start, work
from stillframe.farm.errors import CrawlUnknown, OutputInvalid
from stillframe.farm.exits import CrawlExit
from stillframe.farm.output import Exporter, JsonLines, OutputFolder, Parquet, Sink, Warc, read_owner
from stillframe.farm.store import Counts, CrawlStore, worker_name
from stillframe.farm.store.counting import ROBOTS_REFUSED, SKIPPED
from stillframe.farm.traps.ledger import PREFIX
from stillframe.farm.traps.traps import left_out_of

if TYPE_CHECKING:
    from stillframe.farm.metrics import CrawlMetrics

DATABASE = "crawl.db"
"""The file of the queue in the output folder."""
EXPORT_S = 0.5
"""How often new rows are appended to the files."""


async def run_crawl(  # noqa: PLR0913  by keyword
    settings: CrawlSettings | None,
    *,
    out: Path,
    queue: str = "sqlite",
    resume: bool = False,
    concurrency: Concurrency = "auto",
    browser_options: Mapping[str, Any] | None = None,
    stop: asyncio.Event | None = None,
    time_limit_s: float | None = None,
    fail_limit: int | None = None,
    observe: Callable[[Progress], None] | None = None,
    metrics: CrawlMetrics | None = None,
    retry_kinds: Sequence[str] = (),
) -> CrawlSummary:
    """Crawl into a folder and return what was done; `exit` says how it ended.

    After an error, `resume` goes on from there.

    Args:
        settings: What to crawl; it may be None with `resume`, which takes the recorded ones.
        out: The folder.
        queue: `sqlite`, for a file in the folder, or the URL of a database.
        resume: Whether to go on with the crawl of the folder.
        concurrency: How many pages are loaded at once.
        browser_options: The options of `stillframe.launch`.
        stop: What ends the crawl when it is set.
        time_limit_s: How long it may take, in seconds.
        fail_limit: How many errors pages may have.
        observe: A function of the progress, called twice a second.
        metrics: What counts and measures it.
        retry_kinds: Kinds of errors whose pages are loaded again first, as `retry` takes them.

    Raises:
        OptionInvalid: An argument is invalid.
        OutputInvalid: The folder is that of another crawl, or damaged.
        CrawlExists: The folder has a crawl, and `resume` is not set.
        CrawlUnknown: There is no crawl to go on with.
        DiskFull: The disk is full.
        StoreUnavailable: The database does not answer.
        BrowserError: Browsers cannot be launched.
    """
    stop = stop or asyncio.Event()
    started = time.monotonic()
    progress = Progress(started=started)
    limits = _Limits(progress, stop, time_limit_s, fail_limit, observe)
    async with opened(settings, out=out, queue=queue, resume=resume) as (store, folder):
        recorded = read_settings(store.settings)
        scope = Scope(store, recorded)
        await add_start(store, recorded)
        if retry_kinds:
            await retry(store, retry_kinds)
        options = {**(browser_options or {}), **context_options(recorded)}
        async with (
            exporting(store, folder, stop, recorded.formats),
            adding_sitemaps(store, recorded, stop, scope, options) as feeding,
        ):
            await work(
                store,
                concurrency=concurrency,
                browser_options=browser_options,
                stop=stop,
                observe=limits.observe,
                metrics=metrics,
                progress=progress,
                scope=scope,
                feeding=feeding,
            )
        counts = await store.counts()
        return await summary_of(store, counts, progress, exit_of(counts, limits.exit), str(folder.path))


class _Limits:
    """Stops a crawl that takes too long or fails too often, and remembers why it stopped."""

    def __init__(
        self,
        progress: Progress,
        stop: asyncio.Event,
        time_limit_s: float | None,
        fail_limit: int | None,
        observe: Callable[[Progress], None] | None,
    ) -> None:
        self._progress = progress
        self._stop = stop
        self._time_limit_s = time_limit_s
        self._fail_limit = fail_limit
        self._observe = observe
        self._reached: CrawlExit | None = None

    def observe(self, progress: Progress) -> None:
        if self._reached is None and not self._stop.is_set():
            self._reached = self._limit(progress)
            if self._reached is not None:
                self._stop.set()
        if self._observe is not None:
            self._observe(progress)

    def _limit(self, progress: Progress) -> CrawlExit | None:
        if self._fail_limit is not None and progress.errors.total() > self._fail_limit:
            return CrawlExit.FAILED_LIMIT
        if self._time_limit_s is not None and time.monotonic() - progress.started > self._time_limit_s:
            return CrawlExit.TIME_LIMIT
        return None

    @property
    def exit(self) -> CrawlExit:
        if self._reached is not None:
            return self._reached
        return CrawlExit.INTERRUPTED if self._stop.is_set() else CrawlExit.OK


def exit_of(counts: Counts, limited: CrawlExit) -> CrawlExit:
    """Return how a run ends: one that got no page has failed, or has nothing if its pages were skipped."""
    if limited != CrawlExit.OK or counts.of("done"):
        return limited
    return CrawlExit.FAILED if reason_of(counts) == NO_PAGE else CrawlExit.NOTHING


def reason_of(counts: Counts) -> str | None:
    """Return the word of `CrawlSummary.reason` for why a crawl got no page, None if it got one."""
    if counts.of("done"):
        return None
    if any(outcome.startswith(FAILED) for outcome in counts.outcomes):
        return NO_PAGE
    if counts.of(ROBOTS_REFUSED):
        return NOTHING_ALLOWED
    return ALL_SKIPPED if counts.of(SKIPPED) else EMPTY


# -- the database and the folder ------------------------------------------------------------------


@contextlib.asynccontextmanager
async def opened(
    settings: CrawlSettings | None, *, out: Path, queue: str, resume: bool
) -> AsyncIterator[tuple[CrawlStore, OutputFolder]]:
    """Claim the folder and open the crawl's database; raises as `run_crawl` does."""
    owner = read_owner(out) if resume else None
    if owner is not None:
        name, crawl_id = owner.name, owner.crawl_id
    elif resume and settings is None:
        raise OutputInvalid(
            f"the folder {out} holds no crawl to resume; name the folder of one with --out", path=str(out)
        )
    else:
        assert settings is not None
        name, crawl_id = settings.name, uuid.uuid4().hex
    if settings is not None:
        settings = msgspec.structs.replace(settings.check(), name=name, crawl_id=crawl_id)
    with OutputFolder.claim(out, name=name, crawl_id=crawl_id) as folder:
        url = f"sqlite:///{folder.path / DATABASE}" if queue == "sqlite" else queue
        try:
            store = await open_crawl(url, name, settings, resume=resume)
        except BaseException:
            if not resume:
                folder.abandon()
            raise
        async with store:
            yield store, folder


async def open_crawl(url: str, name: str, settings: CrawlSettings | None, *, resume: bool) -> CrawlStore:
    """Create a crawl; with `resume` go on with the one that is there, or create it if there are settings."""
    if resume:
        try:
            return await CrawlStore.open(url, name, worker=worker_name(), mode="resume")
        except CrawlUnknown:
            if settings is None:
                raise
    assert settings is not None
    return await CrawlStore.open(url, name, worker=worker_name(), settings=settings.to_builtins())


# -- the export -----------------------------------------------------------------------------------


SINKS: dict[Format, Callable[[Path, str], Sink]] = {
    "jsonl": lambda folder, _name: JsonLines(folder),
    "parquet": lambda folder, _name: Parquet(folder),
    "warc": lambda folder, name: Warc(folder, crawl=name),
}


@contextlib.asynccontextmanager
async def exporting(
    store: CrawlStore, folder: OutputFolder, stop: asyncio.Event, formats: Sequence[Format]
) -> AsyncIterator[None]:
    """Append what is committed to the files until the block ends, and the rest then.

    An error sets `stop`, so that the worker drains, and is raised at the end of the block.
    """
    exporters = [Exporter(store, SINKS[format](folder.path, store.name)) for format in formats]
    for exporter in exporters:
        await exporter.open()
    pumping = asyncio.create_task(_pump(exporters, stop), name="export")
    try:
        yield
    finally:
        pumping.cancel()
        await asyncio.wait({pumping})
        error = None if pumping.cancelled() else pumping.exception()
        for exporter in exporters:
            await exporter.pump(final=True)
    if error is not None:
        raise error


async def export_crawl(store: CrawlStore, out: Path, *, follow: bool = False) -> int:
    """Append what a crawl has to the files of a folder, and return the number of rows.

    Another call with the same folder goes on where this one stopped.

    Args:
        store: The store of the crawl.
        out: The folder.
        follow: Whether to go on until the crawl is finished.

    Raises:
        OutputInvalid: The folder is that of another crawl, or damaged.
        DiskFull: The disk is full.
        StoreUnavailable: The database does not answer.
    """
    settings, total = read_settings(store.settings), 0
    with OutputFolder.claim(out, name=store.name, crawl_id=settings.crawl_id or store.name) as folder:
        exporters = [Exporter(store, SINKS[format](folder.path, store.name)) for format in settings.formats]
        while True:
            over = not follow or await store.is_finished()  # after a stop, too, pages that are open still end
            total += sum([await exporter.pump(final=over) for exporter in exporters][:1])
            if over:
                return total
            await asyncio.sleep(EXPORT_S)


async def _pump(exporters: Sequence[Exporter], stop: asyncio.Event) -> None:
    try:
        while True:
            for exporter in exporters:
                await exporter.pump()
            await asyncio.sleep(EXPORT_S)
    except Exception:
        stop.set()  # it is raised when the worker has drained
        raise


async def summary_of(
    store: CrawlStore, counts: Counts, progress: Progress, exit_code: CrawlExit, out: str | None
) -> CrawlSummary:
    """Return the summary of a run."""
    seconds = time.monotonic() - progress.started
    traps, budgets = left_out_of((await store.states_from(PREFIX)).values())
    failed = sum(count for outcome, count in counts.outcomes.items() if outcome.startswith(FAILED))
    return CrawlSummary(
        name=store.name,
        exit=int(exit_code),
        done=counts.of("done"),
        failed=failed,
        skipped=counts.of(SKIPPED) + counts.of(ROBOTS_REFUSED),
        robots_refused=counts.of(ROBOTS_REFUSED),
        reason=reason_of(counts) if exit_code in (CrawlExit.FAILED, CrawlExit.NOTHING) else None,
        pending=counts.pending + counts.leased,
        errors=errors_of(counts.outcomes),
        verdicts=bounded(progress.verdicts),
        pages=progress.pages,
        seconds=round(seconds, 3),
        pages_per_s=round(progress.pages / seconds, 2) if seconds else 0.0,
        restarts=progress.pool.restarts if progress.pool else 0,
        lost_leases=progress.lost_leases,
        sitemaps=report_of(await store.get_state(SITEMAPS)),
        moved=moved_of(await store.get_state(SCOPE)),
        traps=traps,
        budgets=budgets,
        out=out,
    )
