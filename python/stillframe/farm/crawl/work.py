"""One worker of a crawl: browsers, crawlee's crawler, and the queue in the crawl's database."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Coroutine, Mapping
from contextlib import AsyncExitStack
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Literal

from crawlee import ConcurrencySettings, Request
from crawlee.configuration import Configuration
from crawlee.events import LocalEventManager

from stillframe.farm.crawl.handling import PageHandler
from stillframe.farm.crawl.progress import Progress
from stillframe.farm.crawl.scope import Scope
from stillframe.farm.crawl.settings import CrawlSettings, read_settings
from stillframe.farm.crawl.sitemaps import Feeding, fed_elsewhere
from stillframe.farm.crawler import StillframeCrawler, StoreStorageClient
from stillframe.farm.crawler.links import LinkFilter
from stillframe.farm.crawler.storage_client import new_request
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
SYSTEM_INFO = timedelta(seconds=5)
"""How often crawlee measures the memory of all processes, which takes 40 ms of CPU: as often as it judges it."""
STATUSES = range(400, 500)
"""Pages with these statuses are pages as well, and recorded with their status."""


async def add_start(store: CrawlStore, settings: CrawlSettings) -> None:
    """Add the URLs that a crawl begins with, if they are not there."""
    key = LinkFilter(settings.ignore_parameters).key
    starts = [Request.from_url(url, unique_key=key(url), crawl_depth=0) for url in settings.urls]
    await store.add([new_request(request) for request in starts])


def pages_at_once(concurrency: Concurrency) -> int:
    """Return how many pages are open at once."""
    return AUTO_PAGES_PER_CORE * (os.cpu_count() or 1) if concurrency == "auto" else concurrency


def least_pages_at_once(concurrency: Concurrency) -> int:
    """Return how many pages crawlee may go down to when it takes the machine for overloaded.

    With `auto` that is a page per core: browsers use all of the CPU, and crawlee would leave one page to them.
    """
    return (os.cpu_count() or 1) if concurrency == "auto" else concurrency


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
    managers: tuple[Any, ...] = (),
    metrics: CrawlMetrics | None = None,
    progress: Progress | None = None,
    scope: Scope | None = None,
    feeding: Feeding | None = None,
) -> Progress:
    """Crawl with one worker until the crawl is finished, was stopped, or `stop` is set, which drains this worker.

    `observe` is called twice a second. `managers` are entered around the crawl. `scope` is shared with what adds pages
    in this process, and `feeding` says whether it still does; by default another process may read the crawl's sitemaps.
    Raises BrowserError if no browser
    starts, StoreUnavailable, and what the handlers cannot answer for; pages that fail raise nothing.
    """
    settings = read_settings(store.settings)
    stop = stop or asyncio.Event()
    progress = progress or Progress(started=time.monotonic())
    browsers = BrowserPool(pool or pool_settings(settings, concurrency), options=browser_options)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(browsers)
        client = await stack.enter_async_context(StoreStorageClient(store, concurrency=pages_at_once(concurrency)))
        if metrics is not None:
            from stillframe.farm.metrics import watching

            await stack.enter_async_context(watching(metrics, pool=browsers.status, queue=store.counts))
        scope = scope or Scope(store, settings)
        await scope.load()
        client.queue.wait_for(feeding or fed_elsewhere(store, settings))
        handler = PageHandler(settings, scope, client.queue, progress, metrics)
        crawler = _crawler(settings, concurrency, browsers, client, handler, managers)
        client.queue.on_lost(handler.lost(crawler.lose))
        await _until_over(crawler, _watch(store, crawler, stop, progress, observe))
    return progress


async def _until_over(crawler: StillframeCrawler, watch: Coroutine[Any, Any, None]) -> None:
    """Run the crawler beside what watches it, and raise what ends either."""
    running = asyncio.create_task(_run(crawler), name="crawl")
    watcher = asyncio.create_task(watch, name="watch crawl")
    try:
        await asyncio.wait({running, watcher}, return_when=asyncio.FIRST_COMPLETED)
        if not running.done():
            crawler.stop("the watch of the crawl has failed")
        await running
        if watcher.done():
            watcher.result()
    finally:
        if not running.done():
            crawler.abort()  # or crawlee would wait for the pages that are open
        for task in (running, watcher):
            task.cancel()
        await asyncio.gather(running, watcher, return_exceptions=True)


async def _run(crawler: StillframeCrawler) -> None:
    await crawler.run(purge_request_queue=False)


def _crawler(
    settings: CrawlSettings,
    concurrency: Concurrency,
    browsers: BrowserPool,
    client: StoreStorageClient,
    handler: PageHandler,
    managers: tuple[Any, ...],
) -> StillframeCrawler:
    pages = pages_at_once(concurrency)
    configuration = Configuration(
        purge_on_start=False,
        available_memory_ratio=0.95,
        disable_browser_sandbox=False,
        log_level="ERROR",
        system_info_interval=SYSTEM_INFO,
    )
    crawler = StillframeCrawler(
        pool=browsers,
        storage_client=client,
        configuration=configuration,
        event_manager=LocalEventManager.from_config(configuration),
        concurrency_settings=ConcurrencySettings(
            min_concurrency=least_pages_at_once(concurrency), desired_concurrency=pages, max_concurrency=pages
        ),
        context_options={"block": settings.block} if settings.block else None,
        goto_options={"settle_timeout_ms": 1000 * settings.settle_s},
        navigation_timeout=timedelta(seconds=settings.navigation_s),
        max_document_bytes=settings.max_document_bytes,
        download_types={PDF},
        request_handler_timeout=timedelta(seconds=settings.handler_s),
        max_request_retries=settings.retries,
        max_crawl_depth=settings.depth,
        respect_robots_txt_file=settings.respect_robots,
        user_agent=settings.user_agent,
        robots_token=settings.robots_token,
        robots_wait=timedelta(seconds=settings.robots_wait_s),
        follows=handler.follows,
        ignore_http_error_status_codes=[status for status in STATUSES if status != 429],
        retry_on_blocked=False,
        use_session_pool=False,
        near_duplicates=settings.skip_near_duplicates,
        on_finish=handler.finish,
        configure_logging=False,
        request_handler=handler.handle,
        _additional_context_managers=[KeptInterrupt(), *managers],
    )
    crawler.pre_navigation_hook(handler.before)
    crawler.post_navigation_hook(handler.arrived)
    return crawler


async def _watch(
    store: CrawlStore,
    crawler: StillframeCrawler,
    stop: asyncio.Event,
    progress: Progress,
    observe: Callable[[Progress], None] | None,
) -> None:
    """Report how the crawl goes, and drain the worker when it is asked to stop."""
    while True:
        counts = await store.counts()
        progress.pending = counts.pending + counts.leased
        progress.total_done = counts.of("done")
        progress.pool = crawler.pool.status()
        if stop.is_set() and not progress.draining:
            progress.draining = True
            crawler.stop("the crawl is asked to stop")
        if observe is not None:
            observe(progress)
        if progress.draining:
            await asyncio.sleep(OBSERVE_S)
            continue
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(OBSERVE_S):  # noqa: TID251  a pause, nothing fails at its end
                await stop.wait()


# Ctrl-C while a crawl runs: it means what it meant before, also where crawlee would take it for itself.


class KeptInterrupt:
    """Keeps the handler of SIGINT through a run of crawlee, which swallows the signal and returns as if it were done.

    Make it before the run, and enter it in the run, after crawlee has installed its handler. Callers that use
    `loop.add_signal_handler` add theirs again.
    """

    def __init__(self) -> None:
        is_main = threading.current_thread() is threading.main_thread()
        handler: Any = signal.getsignal(signal.SIGINT) if is_main else None
        of_the_loop = getattr(handler, "__module__", "") == "asyncio.unix_events"
        self._handler = None if of_the_loop else handler

    async def __aenter__(self) -> KeptInterrupt:
        if self._handler is not None:
            asyncio.get_running_loop().remove_signal_handler(signal.SIGINT)
            signal.signal(signal.SIGINT, self._handler)
        return self

    async def __aexit__(self, *exc: object) -> None:
        """Leave the handler as it is."""
