"""Looks at the pool and at the queue from time to time, for the metrics."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from stillframe.farm.errors import FarmError
from stillframe.security.redaction import logger

if TYPE_CHECKING:
    from stillframe.farm.metrics.crawl_metrics import CrawlMetrics
    from stillframe.farm.pool import PoolStatus
    from stillframe.farm.store import Counts

EVERY_S = 5.0
"""Seconds between two looks; our choice. Prometheus scrapes every 15 to 60 seconds."""

log = logger(__name__)


@asynccontextmanager
async def watching(
    metrics: CrawlMetrics,
    *,
    pool: Callable[[], PoolStatus] | None = None,
    queue: Callable[[], Awaitable[Counts]] | None = None,
    every_s: float = EVERY_S,
) -> AsyncIterator[None]:
    """Report `pool()` and `await queue()` every `every_s` seconds until the block ends, such as `store.counts`.

    While the database of the queue does not answer, its metrics are absent; that disturbs neither the pool's nor the
    crawl. At the end of the block both are absent.
    """
    tasks = [asyncio.create_task(_watch_queue(metrics, queue, every_s))] if queue is not None else []
    tasks += [asyncio.create_task(_watch_pool(metrics, pool, every_s))] if pool is not None else []
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        metrics.observe_pool(None)
        metrics.observe_queue(None)


async def _watch_pool(metrics: CrawlMetrics, pool: Callable[[], PoolStatus], every_s: float) -> None:
    while True:
        metrics.observe_pool(pool())
        await asyncio.sleep(every_s)


async def _watch_queue(metrics: CrawlMetrics, queue: Callable[[], Awaitable[Counts]], every_s: float) -> None:
    while True:
        try:
            metrics.observe_queue(await queue())
        except FarmError as error:
            metrics.observe_queue(None)
            log.warning("the metrics of the queue pause: %s", error)
        await asyncio.sleep(every_s)
