"""Looks at the pool and at the queue from time to time, for the metrics."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from stillframe.farm.errors import FarmError
from stillframe.farm.store.health import shared_health
from stillframe.security.redaction import logger

if TYPE_CHECKING:
    from stillframe.farm.metrics.crawl_metrics import CrawlMetrics
    from stillframe.farm.pool import PoolStatus
    from stillframe.farm.store import Counts, CrawlStore
    from stillframe.farm.store.health import Health

EVERY_S = 15.0
"""Seconds between two looks; our choice. Prometheus scrapes every 15 to 60 seconds."""

HEALTH_S = 30.0
"""Seconds between two looks at the database beyond its counts."""

log = logger(__name__)
T = TypeVar("T")


@asynccontextmanager
async def watching(
    metrics: CrawlMetrics,
    *,
    pool: Callable[[], PoolStatus] | None = None,
    queue: Callable[[], Awaitable[Counts]] | None = None,
    health: Callable[[], Awaitable[Health]] | None = None,
    every_s: float = EVERY_S,
    health_every_s: float = HEALTH_S,
) -> AsyncIterator[None]:
    """Report `pool()` and `await queue()` every `every_s` seconds until the block ends, such as `store.counts`.

    `await health()` costs the database more, and is asked every `health_every_s` seconds. While the database does not
    answer, its metrics are absent; that disturbs neither the pool's nor the crawl. At the end of the block all are
    absent.
    """
    tasks = [asyncio.create_task(_watch(metrics.observe_queue, queue, every_s))] if queue is not None else []
    tasks += [asyncio.create_task(_watch(metrics.observe_health, health, health_every_s))] if health is not None else []
    tasks += [asyncio.create_task(_watch_pool(metrics, pool, every_s))] if pool is not None else []
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        metrics.observe_pool(None)
        metrics.observe_queue(None)
        metrics.observe_health(None)


@asynccontextmanager
async def watching_crawl(
    metrics: CrawlMetrics, store: CrawlStore, pool: Callable[[], PoolStatus]
) -> AsyncIterator[None]:
    """Report all that there is about a crawl of one worker until the block ends."""
    store.measure(metrics.store_called, metrics.store_tried_again)
    async with watching(metrics, pool=pool, queue=store.counts, health=partial(shared_health, store, age_s=HEALTH_S)):
        yield


async def _watch_pool(metrics: CrawlMetrics, pool: Callable[[], PoolStatus], every_s: float) -> None:
    while True:
        metrics.observe_pool(pool())
        await asyncio.sleep(every_s)


async def _watch(observe: Callable[[T | None], None], look: Callable[[], Awaitable[T]], every_s: float) -> None:
    while True:
        try:
            observe(await look())
        except FarmError as error:
            observe(None)
            log.warning("the metrics of the queue pause: %s", error)
        await asyncio.sleep(every_s)
