"""Crawl the shop: take each page when it is still, and follow its links.

Needs the extras `crawl` and `crawlee`. It prints:

    /join    Join · Wick & Co.      still
    /login   Log in · Wick & Co.    still
    /shop    Lamps · Wick & Co.     still
    3 pages done, 0 failed
"""

import asyncio
import logging
from urllib.parse import urlsplit

from crawlee import ConcurrencySettings
from crawlee.storage_clients import MemoryStorageClient

from stillframe.demo import Shop
from stillframe.farm.crawler import StillframeCrawler, StillframeCrawlingContext
from stillframe.farm.pool import PoolSettings


async def main() -> None:
    logging.getLogger("stillframe").setLevel(logging.ERROR)
    found: dict[str, str] = {}
    crawler = StillframeCrawler(
        pool_settings=PoolSettings(browsers=1, pages_per_browser=2),
        concurrency_settings=ConcurrencySettings(max_concurrency=2, desired_concurrency=2),
        storage_client=MemoryStorageClient(),
        configure_logging=False,
    )

    @crawler.router.default_handler
    async def handle(context: StillframeCrawlingContext) -> None:
        state = "still" if context.verdict.stable else context.verdict.outcome
        found[urlsplit(context.page.url).path] = f"{await context.page.title():<22} {state}"
        await context.enqueue_links()

    async with Shop() as shop:
        statistics = await crawler.run([shop.url("/login")])
    for path, line in sorted(found.items()):
        print(f"{path:<8} {line}")
    print(f"{statistics.requests_finished} pages done, {statistics.requests_failed} failed")


asyncio.run(main())
