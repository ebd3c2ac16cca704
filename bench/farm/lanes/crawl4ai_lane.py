"""crawl4ai's arun_many with its own dispatcher, without its cache."""

from __future__ import annotations

import asyncio

from crawl4ai import AsyncWebCrawler, BrowserConfig, CacheMode, CrawlerRunConfig
from crawl4ai.async_dispatcher import MemoryAdaptiveDispatcher
from order import CHROME_ARGS, read_order, report
from playwright.async_api import BrowserType


def use_installed(chrome: str) -> None:
    """Let Playwright start the installed browser, for which crawl4ai has no option."""
    launch = BrowserType.launch

    async def launch_installed(self: BrowserType, **options: object) -> object:
        options.pop("channel", None)
        return await launch(self, **{**options, "executable_path": chrome})

    BrowserType.launch = launch_installed


async def main() -> None:
    order = read_order()
    use_installed(order.chrome)
    browser = BrowserConfig(headless=True, verbose=False, extra_args=[*CHROME_ARGS, "--no-sandbox"])
    run = CrawlerRunConfig(cache_mode=CacheMode.BYPASS, wait_until=order.wait, stream=True, verbose=False)
    async with AsyncWebCrawler(config=browser) as crawler:
        dispatcher = MemoryAdaptiveDispatcher(max_session_permit=order.concurrency)
        async for result in await crawler.arun_many(order.urls, config=run, dispatcher=dispatcher):
            report(result.url, result.html or "")


asyncio.run(main())
