"""One worker of a crawl: browsers, the loop that visits pages, and the queue in the crawl's database."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import Callable, Coroutine, Mapping
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any, Literal

from stillframe.farm.crawl.access import context_options
from stillframe.farm.crawl.handling import PageHandler
from stillframe.farm.crawl.loop import WorkerLoop
from stillframe.farm.crawl.priorities import Priorities
from stillframe.farm.crawl.progress import Progress
from stillframe.farm.crawl.scope import Scope
from stillframe.farm.crawl.settings import CrawlSettings, read_settings
from stillframe.farm.crawl.sitemaps import Feeding, fed_elsewhere
from stillframe.farm.crawl.visiting import Visitor
from stillframe.farm.leases import Leases
from stillframe.farm.loading.deferring import Holds
from stillframe.farm.loading.judging import RobotsJudge
from stillframe.farm.loading.links import request_of
from stillframe.farm.loading.loader import PageLoader
from stillframe.farm.loading.navigating import LoadOptions
from stillframe.farm.loading.near_duplicates import NearDuplicates
from stillframe.farm.output.bodies import PDF
from stillframe.farm.pool import BrowserPool, PoolSettings
from stillframe.farm.store import CrawlStore
from stillframe.security.redaction import logger

if TYPE_CHECKING:
    from stillframe.farm.metrics import CrawlMetrics

_log = logger(__name__)
Concurrency = int | Literal["auto"]
PAGES_PER_BROWSER = 8
"""Browsers are added so that none has more pages at once: one that ends takes few with it. Our choice."""
AUTO_PAGES_PER_CORE = 2
"""Pages at once per core with `auto`: on two cores, four pages are faster than two, and eight are not (measured)."""
OBSERVE_S = 0.5
ACCEPTED = frozenset(range(400, 500)) - {429}
"""Pages with these statuses are pages as well, and recorded with their status."""


async def add_start(store: CrawlStore, settings: CrawlSettings) -> None:
    """Add the URLs that a crawl begins with, if they are not there."""
    found = (request_of(url, 0, settings.links) for url in settings.urls)
    await store.add(Priorities(settings).given([request for request in found if request is not None]))


def pages_at_once(concurrency: Concurrency) -> int:
    """Return how many pages are open at once."""
    return AUTO_PAGES_PER_CORE * (os.cpu_count() or 1) if concurrency == "auto" else concurrency


def pool_settings(settings: CrawlSettings, concurrency: Concurrency) -> PoolSettings:
    """Return as few browsers as the pages need, with the pages spread evenly over them."""
    pages = pages_at_once(concurrency)
    browsers = -(-pages // PAGES_PER_BROWSER)
    return PoolSettings(
        browsers=browsers, pages_per_browser=-(-pages // browsers), recycle_pages=settings.recycle_pages
    )


async def work(  # noqa: PLR0913  by keyword
    store: CrawlStore,
    *,
    concurrency: Concurrency = "auto",
    pool: PoolSettings | None = None,
    browser_options: Mapping[str, Any] | None = None,
    stop: asyncio.Event | None = None,
    observe: Callable[[Progress], None] | None = None,
    metrics: CrawlMetrics | None = None,
    progress: Progress | None = None,
    scope: Scope | None = None,
    feeding: Feeding | None = None,
) -> Progress:
    """Crawl with one worker until the crawl is finished, was stopped, or `stop` is set, which drains this worker.

    `observe` is called twice a second. `scope` is shared with what adds pages in this process, and `feeding` says
    whether it still does; by default another process may read the crawl's sitemaps. Raises BrowserError if no browser
    starts, StoreUnavailable, DiskFull, and what the handlers cannot answer for; pages that fail raise nothing.
    """
    settings = read_settings(store.settings)
    stop = stop or asyncio.Event()
    progress = progress or Progress(started=time.monotonic())
    # Of the browser, so that pages without other options of their own have its default context.
    options = {"service_workers": settings.service_workers, **(browser_options or {})}
    browsers = BrowserPool(pool or pool_settings(settings, concurrency), options=options)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(browsers)
        feeding = feeding or fed_elsewhere(store, settings)
        leases = await stack.enter_async_context(Leases(store, pages_at_once(concurrency), feeding=feeding))
        if metrics is not None:
            from stillframe.farm.metrics import watching_crawl

            await stack.enter_async_context(watching_crawl(metrics, store, browsers.status))
        scope = await stack.enter_async_context(scope or Scope(store, settings))
        holds = await stack.enter_async_context(Holds())
        judge = await _judge(stack, store, settings, browsers, holds)
        handler = PageHandler(settings, scope, progress, metrics)
        visitor = Visitor(
            PageLoader(browsers, _load_options(settings), holds, judge),
            scope,
            handler,
            handler_s=settings.handler_s,
            accepted=ACCEPTED,
            context=context_options(settings) or None,
            near_duplicates=await _near_duplicates(stack, store, settings),
        )
        loop = WorkerLoop(leases, visitor, handler, pages=pages_at_once(concurrency), retries=settings.retries)
        await _until_over(loop, _watch(store, loop, browsers, stop, progress, scope, observe))
    return progress


async def _until_over(loop: WorkerLoop, watch: Coroutine[Any, Any, None]) -> None:
    """Run the loop beside what watches it, and raise what ends either."""
    running = asyncio.create_task(loop.run(), name="crawl")
    watcher = asyncio.create_task(watch, name="watch crawl")
    try:
        await asyncio.wait({running, watcher}, return_when=asyncio.FIRST_COMPLETED)
        if not running.done():
            loop.stop()
        await running
        if watcher.done():
            watcher.result()
    finally:
        for task in (running, watcher):
            task.cancel()
        await asyncio.gather(running, watcher, return_exceptions=True)


def _load_options(settings: CrawlSettings) -> LoadOptions:
    return LoadOptions(
        navigation_s=settings.navigation_s,
        goto={"settle_timeout_ms": 1000 * settings.settle_s},
        max_document_bytes=settings.max_document_bytes,
        download_types=frozenset({PDF}),
    )


async def _judge(
    stack: AsyncExitStack, store: CrawlStore, settings: CrawlSettings, browsers: BrowserPool, holds: Holds
) -> RobotsJudge | None:
    if not settings.respect_robots:
        _log.warning("robots.txt is not honoured in this crawl: respect_robots=False")
        return None
    judge = RobotsJudge(
        browsers.options | context_options(settings),
        token=settings.robots_token,
        wait_s=settings.robots_wait_s,
        store=store,
        holds=holds,
    )
    return await stack.enter_async_context(judge)


async def _near_duplicates(stack: AsyncExitStack, store: CrawlStore, settings: CrawlSettings) -> NearDuplicates | None:
    if not settings.skip_near_duplicates:
        return None
    return await stack.enter_async_context(NearDuplicates(load=store.get_states, save=store.add_state))


async def _watch(
    store: CrawlStore,
    loop: WorkerLoop,
    browsers: BrowserPool,
    stop: asyncio.Event,
    progress: Progress,
    scope: Scope,
    observe: Callable[[Progress], None] | None,
) -> None:
    """Report how the crawl goes, and drain the worker when it is asked to stop.

    The queue is counted only for somebody who looks: in a farm of hundreds of workers, nobody does.
    """
    while True:
        await scope.traps.sync(time.monotonic())
        progress.pool = browsers.status()
        if stop.is_set() and not progress.draining:
            progress.draining = True
            loop.stop()
        if observe is not None:
            counts = await store.counts()
            progress.pending = counts.pending + counts.leased
            progress.total_done = counts.of("done")
            observe(progress)
        if progress.draining:
            await asyncio.sleep(OBSERVE_S)
            continue
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(OBSERVE_S):  # noqa: TID251  a pause, nothing fails at its end
                await stop.wait()
