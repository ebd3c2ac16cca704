"""stillframe's crawler on crawlee, in memory, as crawlee's own lane is."""

from __future__ import annotations

import asyncio
import logging

from crawlee_options import in_memory
from order import read_order, report

from stillframe.farm.crawler import StillframeCrawler, StillframeCrawlingContext
from stillframe.farm.pool import PoolSettings


async def main() -> None:
    order = read_order()
    crawler = StillframeCrawler(
        pool_settings=PoolSettings(pages_per_browser=order.concurrency),
        browser_options={"executable": order.chrome},
        **in_memory(order.concurrency),
        respect_robots_txt_file=False,
    )

    @crawler.router.default_handler
    async def handle(context: StillframeCrawlingContext) -> None:
        report(context.request.url, await context.page.content())

    await crawler.run(order.urls)


logging.disable(logging.CRITICAL)
asyncio.run(main())
