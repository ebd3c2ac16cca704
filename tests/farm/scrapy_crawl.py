"""Scrapy crawls in a process of their own; prints their outcome as one JSON object. Arguments: site, reactor."""

from __future__ import annotations

import json
import sys
from typing import Any

import scrapy
from scrapy.crawler import Crawler, CrawlerProcess

from stillframe.farm.scrapy import PageMethod
from stillframe.testing.adb_server import free_port

HANDLER = "stillframe.farm.scrapy.StillframeDownloadHandler"


class Spider(scrapy.Spider):
    """Asks for one page of each kind."""

    name = "kinds"
    custom_settings = {"STILLFRAME_MAX_PAGES_PER_CONTEXT": 2, "STILLFRAME_CONTEXTS": {"german": {"locale": "de-CH"}}}  # noqa: RUF012

    def __init__(self) -> None:
        super().__init__()
        self.items: list[dict[str, Any]] = []

    async def start(self) -> Any:
        site, meta = sys.argv[1], {"stillframe": True}
        clicks = [PageMethod("click", "#more"), PageMethod("wait_for_selector", "#extra"), PageMethod("title")]
        requests = {
            "plain": scrapy.Request(f"{site}/page?plain"),
            "rendered": scrapy.Request(f"{site}/page?rendered", meta=meta),
            "clicked": scrapy.Request(f"{site}/page?clicked", meta={**meta, "stillframe_page_methods": clicks}),
            "held": scrapy.Request(f"{site}/page?held", meta={**meta, "stillframe_include_page": True}),
            "kept": scrapy.Request(
                f"{site}/page?kept",
                meta={**meta, "stillframe_include_page": True, "stillframe_context": "german"},
            ),
            "absent": scrapy.Request(
                f"{site}/page?absent",
                meta={**meta, "stillframe_page_methods": [PageMethod("wait_for_selector", "#no", timeout=300)]},
            ),
            "missing": scrapy.Request(f"{site}/missing", meta={**meta, "handle_httpstatus_all": True}),
            "posted": scrapy.FormRequest(f"{site}/echo", formdata={"a": "1"}, headers={"X-Own": "yes"}, meta=meta),
            "refused": scrapy.Request(f"http://127.0.0.1:{free_port()}/", meta=meta),
            "slow": scrapy.Request(f"{site}/slow", meta={**meta, "stillframe_page_goto_kwargs": {"timeout_ms": 300}}),
        }
        for kind, request in requests.items():
            yield request.replace(callback=self.parse, errback=self.failed, cb_kwargs={"kind": kind})

    async def parse(self, response: Any, kind: str) -> None:
        item = {
            "kind": kind,
            "status": response.status,
            "flags": response.flags,
            "text": response.css("#out::text").get(),
        }
        item["extra"] = response.css("#extra::text").get()
        item["server"] = (response.headers.get("X-Site") or b"").decode()
        if "stillframe_delta" in response.meta:
            item["verdict"] = response.meta["stillframe_verdict"].reason
            item["changed"] = response.meta["stillframe_delta"] is not None
        if kind == "clicked":
            item["title"] = response.meta["stillframe_page_methods"][2].result
        if kind == "held":
            page = response.meta["stillframe_page"]
            item["asked"] = await page.evaluate("1 + 1")
            await page.close()
        if kind == "kept":  # and left open: the handler closes it
            item["language"] = await response.meta["stillframe_page"].evaluate("navigator.language")
        self.items.append(item)

    def failed(self, failure: Any) -> None:
        kind = failure.request.cb_kwargs["kind"]
        self.items.append({"kind": kind, "error": failure.type.__name__, "message": failure.getErrorMessage()})


def crawl(*spiders: type[scrapy.Spider], **settings: Any) -> None:
    """Crawl with all spiders at once, and print the outcome of each, by its name."""
    process = CrawlerProcess(
        {"DOWNLOAD_HANDLERS": {"http": HANDLER, "https": HANDLER}, "RETRY_TIMES": 1, "LOG_LEVEL": "WARNING", **settings}
    )
    crawlers = [process.create_crawler(spider) for spider in spiders]
    for crawler in crawlers:
        process.crawl(crawler)
    process.start()
    sys.stdout.write(json.dumps({each.spidercls.name: _result(each) for each in crawlers}, default=str))


def _result(crawler: Crawler) -> dict[str, Any]:
    stats = {} if crawler.stats is None else crawler.stats.get_stats()
    return {"items": getattr(crawler.spider, "items", []), "stats": stats}


if __name__ == "__main__":
    crawl(Spider, TWISTED_REACTOR=sys.argv[2])
