"""crawlee's PlaywrightCrawler, in memory, with the pages of one shared context."""

from __future__ import annotations

import asyncio
import logging
from datetime import timedelta

from crawlee import ConcurrencySettings
from crawlee.configuration import Configuration
from crawlee.crawlers import PlaywrightCrawler, PlaywrightCrawlingContext
from crawlee.storage_clients import MemoryStorageClient
from order import CHROME_ARGS, read_order, report


async def main() -> None:
    order = read_order()
    count = order.concurrency
    crawler = PlaywrightCrawler(
        browser_launch_options={"executable_path": order.chrome, "args": list(CHROME_ARGS), "chromium_sandbox": False},
        headless=True,
        fingerprint_generator=None,
        goto_options={"wait_until": order.wait},
        concurrency_settings=ConcurrencySettings(
            min_concurrency=count, desired_concurrency=count, max_concurrency=count
        ),
        storage_client=MemoryStorageClient(),
        configuration=Configuration(purge_on_start=True),
        max_request_retries=0,
        request_handler_timeout=timedelta(seconds=30),
        configure_logging=False,
    )

    @crawler.router.default_handler
    async def handle(context: PlaywrightCrawlingContext) -> None:
        report(context.request.url, await context.page.content())

    await crawler.run(order.urls)


logging.disable(logging.CRITICAL)
asyncio.run(main())
