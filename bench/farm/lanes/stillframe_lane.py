"""stillframe's crawler on crawlee, in memory, as crawlee's own lane is."""

from __future__ import annotations

import asyncio
import logging

from crawlee import ConcurrencySettings
from crawlee.configuration import Configuration
from crawlee.storage_clients import MemoryStorageClient
from order import read_order, report

from stillframe.farm.crawler import StillframeCrawler, StillframeCrawlingContext
from stillframe.farm.pool import PoolSettings


async def main() -> None:
    order = read_order()
    count = order.concurrency
    crawler = StillframeCrawler(
        pool_settings=PoolSettings(pages_per_browser=count),
        browser_options={"executable": order.chrome},
        concurrency_settings=ConcurrencySettings(
            min_concurrency=count, desired_concurrency=count, max_concurrency=count
        ),
        storage_client=MemoryStorageClient(),
        configuration=Configuration(purge_on_start=True),
        respect_robots_txt_file=False,
        max_request_retries=0,
        configure_logging=False,
    )

    @crawler.router.default_handler
    async def handle(context: StillframeCrawlingContext) -> None:
        report(context.request.url, await context.page.content())

    await crawler.run(order.urls)


logging.disable(logging.CRITICAL)
asyncio.run(main())
