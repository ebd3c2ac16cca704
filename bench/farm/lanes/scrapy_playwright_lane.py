"""Scrapy with scrapy-playwright: one context, as many pages at once as requests."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import scrapy
from order import CHROME_ARGS, read_order, report
from scrapy.crawler import CrawlerProcess
from scrapy.http import Response

ORDER = read_order()


class Pages(scrapy.Spider):
    name = "pages"

    async def start(self) -> AsyncIterator[Any]:
        meta = {"playwright": True, "playwright_page_goto_kwargs": {"wait_until": ORDER.wait}}
        for url in ORDER.urls:
            yield scrapy.Request(url, meta=meta, dont_filter=True)

    def parse(self, response: Response) -> Iterator[Any]:
        report(response.url, response.text)
        yield from ()


process = CrawlerProcess(
    {
        "DOWNLOAD_HANDLERS": {"http": "scrapy_playwright.handler.ScrapyPlaywrightDownloadHandler"},
        "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
        "PLAYWRIGHT_LAUNCH_OPTIONS": {
            "executable_path": ORDER.chrome,
            "args": list(CHROME_ARGS),
            "chromium_sandbox": False,
            "headless": True,
        },
        "PLAYWRIGHT_MAX_PAGES_PER_CONTEXT": ORDER.concurrency,
        "CONCURRENT_REQUESTS": ORDER.concurrency,
        "CONCURRENT_REQUESTS_PER_DOMAIN": ORDER.concurrency,
        "DOWNLOAD_DELAY": 0,
        "RETRY_ENABLED": False,
        "ROBOTSTXT_OBEY": False,
        "TELNETCONSOLE_ENABLED": False,
        "LOG_ENABLED": False,
    }
)
process.crawl(Pages)
process.start()
