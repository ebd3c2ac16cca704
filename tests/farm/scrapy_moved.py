"""Spiders of scrapy-playwright with `playwright` replaced in their keys. Arguments: site, folder, proxy.

They crawl together with the spider of scrapy_crawl.py, because the start of the process costs more than a spider.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from typing import Any

import scrapy
from scrapy.settings import BaseSettings
from scrapy_crawl import Spider, crawl

from stillframe.api.browser import Page
from stillframe.errors import SessionLost
from stillframe.farm.scrapy import PageMethod

PEEK = {"stillframe": True}
KEPT = {"stillframe_include_page": True}
heard: set[str] = set()
killed: list[int] = []


def unwanted(request: Any) -> bool:
    """Abort a request of a page for a picture."""
    return bool(request.url.endswith(".png"))


async def crash(page: Page) -> None:
    """Crash the renderer of a page."""
    with contextlib.suppress(SessionLost):
        await page.cdp_session.call("Page.crash")
    await page.title()


async def kill(page: Page) -> None:
    """Kill the browser of a page, the first time."""
    pid = page.browser.info.pid
    if pid is not None and not killed:
        killed.append(pid)
        os.kill(pid, signal.SIGKILL)
    await page.title()


def requests(folder: str) -> dict[str, tuple[str, dict[str, Any], dict[str, Any]]]:
    """Return the requests by what they try: path, meta, and more fields."""
    reads = [
        PageMethod("evaluate", "() => document.title"),
        PageMethod("evaluate", "x => x + 1", 41),
        PageMethod("evaluate", "document.title"),
        PageMethod("screenshot", type="jpeg", path=f"{folder}/made/page.jpg", full_page=True),
        PageMethod(lambda page, text: page.url.rpartition("/")[2] + text, "#x"),
    ]
    later = [PageMethod("evaluate", "void setTimeout(() => { out.textContent = 'later' }, 700)")]
    later.append(PageMethod("wait_for_timeout", 800))
    idle = {"wait_until": "networkidle", "timeout": 20_000, "referer": "http://from.example/", "url": "ignored"}
    absent = [PageMethod("wait_for_selector", "#no", timeout=200)]
    zone = [PageMethod("evaluate", "Intl.DateTimeFormat().resolvedOptions().timeZone")]
    return {
        "redirected": ("/redirect", {}, {}),
        "reads": ("/page", {"stillframe_page_methods": reads}, {}),
        "waits": ("/page", {"stillframe_page_methods": later}, {}),
        "idle": ("/headers", {"stillframe_page_goto_kwargs": idle}, {}),
        "committed": ("/page", {"stillframe_page_goto_kwargs": {"wait_until": "commit"}}, {}),
        "odd wait": ("/page", {"stillframe_page_goto_kwargs": {"wait_until": "still"}}, {}),
        "agent": ("/headers", {}, {"headers": {"User-Agent": "mine"}, "cookies": {"a": "b"}}),
        "unknown key": ("/page", {"stillframe_include_pages": True}, {}),
        "old key": ("/page", {"playwright_include_page": True}, {}),
        "no handler": ("/page", {"stillframe_page_event_handlers": {"request": "absent"}}, {}),
        "heard": ("/page", {"stillframe_page_event_handlers": {"request": "hear"}}, {}),
        "no method": ("/page", {"stillframe_page_methods": [PageMethod("absent")]}, {}),
        "wrong arguments": ("/page", {"stillframe_page_methods": [PageMethod("title", "x")]}, {}),
        "chained": ("/page", KEPT, {}),
        "errback": ("/page", {**KEPT, "stillframe_page_methods": absent}, {}),
        "file": ("/file", {}, {}),
        "zone": (
            "/page",
            {
                "stillframe_page_methods": zone,
                "stillframe_context": "zone",
                "stillframe_context_kwargs": {"timezone_id": "Asia/Tokyo"},
            },
            {},
        ),
        "crashed": ("/page", {**KEPT, "stillframe_page_methods": [PageMethod(crash)]}, {}),
        "large": ("/page", {"download_maxsize": 100}, {}),
        "cut": ("/cut", {}, {}),
        "hangs": ("/hangs", {"max_retry_times": 0, "stillframe_page_goto_kwargs": {"timeout": 10_000}}, {}),
        "nothing": ("/nothing", {}, {}),
        "first": ("/cookie?first", {"stillframe_context": "first"}, {}),
    }


class Migrant(scrapy.Spider):
    """The settings of the spiders."""

    def __init__(self) -> None:
        super().__init__()
        self.items: list[dict[str, Any]] = []

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        """Add what the spiders need."""
        settings.setdict(
            {
                "STILLFRAME_ABORT_REQUEST": unwanted,
                "STILLFRAME_CONTEXTS": {"proxied": {"proxy": {"server": sys.argv[3]}}},
                "STILLFRAME_MAX_PAGES_PER_CONTEXT": 3,
                "STILLFRAME_RESTART_DISCONNECTED_BROWSER": True,
            },
            priority="spider",
        )


class Moved(Migrant):
    """Asks for one page of each kind."""

    name = "moved"

    async def start(self) -> Any:
        yield scrapy.Request(
            "http://site.test/page",
            self.parse,
            meta={**PEEK, "stillframe_context": "proxied"},
            cb_kwargs={"kind": "proxied"},
        )
        for kind, (path, meta, more) in requests(sys.argv[2]).items():
            request = scrapy.Request(sys.argv[1] + path, meta={**PEEK, **meta}, dont_filter=True, **more)
            yield request.replace(callback=self.parse, errback=self.failed, cb_kwargs={"kind": kind})

    def hear(self, request: Any) -> None:
        """Note a request of a page."""
        heard.add(request.resource_type)

    async def parse(self, response: Any, kind: str) -> Any:
        meta = response.meta
        results = [getattr(each, "result", None) for each in meta.get("stillframe_page_methods", [])]
        item = {
            "kind": kind,
            "status": response.status,
            "url": response.url,
            "text": None if kind == "file" else response.css("#out::text").get(),
            "address": [str(response.ip_address), response.protocol],
            "redirects": [meta.get("redirect_urls"), meta.get("redirect_reasons")],
            "results": [each for each in results if isinstance(each, int | str)],
            "heard": sorted(heard) if kind == "heard" else None,
            "file": [meta.get("stillframe_suggested_filename"), response.body.decode() if kind == "file" else None],
        }
        self.items.append(item)
        for request in self.following(response, kind):
            yield request
        if kind == "chained again":
            item["closed"] = meta["stillframe_page"].closed

    def following(self, response: Any, kind: str) -> Any:
        """Yield a second request: on the page that was kept, and in another context."""
        if kind == "chained":
            meta = {**PEEK, "stillframe_page": response.meta["stillframe_page"]}
            yield response.follow("/page?2", self.parse, meta=meta, cb_kwargs={"kind": "chained again"})
        if kind == "first":
            for context in ("second", "first"):
                meta = {**PEEK, "stillframe_context": context}
                cookies = {"kind": f"cookies of {context}"}
                yield response.follow("/headers", self.parse, meta=meta, cb_kwargs=cookies, dont_filter=True)

    async def failed(self, failure: Any) -> None:
        request = failure.request
        kind = request.cb_kwargs["kind"]
        item = {"kind": kind, "error": failure.type.__name__, "message": failure.getErrorMessage()}
        self.items.append(item)
        if "stillframe_page" in request.meta:
            item["closed"] = request.meta["stillframe_page"].closed
            await request.meta["stillframe_page"].close()


class Killer(Migrant):
    """Kills the browser while other pages wait for an element."""

    name = "killer"

    async def start(self) -> Any:
        waits = [PageMethod("wait_for_selector", "#out", timeout=20_000)]
        for path, methods in (("/late?1", waits), ("/late?2", waits), ("/gate", [PageMethod(kill)])):
            meta = {**PEEK, "stillframe_page_methods": methods}
            yield scrapy.Request(sys.argv[1] + path, self.parse, meta=meta, errback=self.failed)

    async def parse(self, response: Any) -> Any:
        self.items.append({"kind": response.url.rpartition("/")[2], "status": response.status})
        if len(self.items) == 3:
            yield response.follow("/page?after", self.parse, meta=PEEK)

    async def failed(self, failure: Any) -> Any:
        self.items.append({"kind": failure.request.url.rpartition("/")[2], "error": failure.type.__name__})
        if len(self.items) == 3:
            yield scrapy.Request(sys.argv[1] + "/page?after", self.parse, meta=PEEK)


if __name__ == "__main__":
    crawl(Spider, Moved, Killer)
