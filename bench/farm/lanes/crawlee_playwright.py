"""crawlee's PlaywrightCrawler, in memory, with the pages of one shared context."""

from __future__ import annotations

import asyncio
import logging
from datetime import timedelta

from crawlee.crawlers import PlaywrightCrawler, PlaywrightCrawlingContext
from crawlee_options import in_memory
from order import CHROME_ARGS, read_order, report


async def main() -> None:
    order = read_order()
    selector = None if order.wait in ("load", "networkidle") else order.wait
    crawler = PlaywrightCrawler(
        browser_launch_options={"executable_path": order.chrome, "args": list(CHROME_ARGS), "chromium_sandbox": False},
        headless=True,
        fingerprint_generator=None,
        goto_options={"wait_until": "commit" if selector else order.wait},
        **in_memory(order.concurrency),
        request_handler_timeout=timedelta(seconds=30),
    )

    @crawler.router.default_handler
    async def handle(context: PlaywrightCrawlingContext) -> None:
        if selector is not None:
            await context.page.wait_for_selector(selector)
        report(context.request.url, await context.page.content())

    await crawler.run(order.urls)


logging.disable(logging.CRITICAL)
asyncio.run(main())
