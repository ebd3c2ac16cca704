"""The crawler for crawlee's users, with crawlee's own storages in memory and a real browser."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from crawl_site import CrawlSite, text_of
from crawlee import Request
from crawlee.configuration import Configuration
from crawlee.events import LocalEventManager
from crawlee.storage_clients import MemoryStorageClient

from stillframe import Click
from stillframe.farm.crawler import (
    StillframeCrawler,
    StillframeCrawlingContext,
    StillframePostNavCrawlingContext,
    StillframePreNavCrawlingContext,
    StoreStorageClient,
)
from stillframe.farm.pool import PoolSettings
from stillframe.farm.store import CrawlStore, worker_name

pytestmark = pytest.mark.browser
BOUND = 60


def crawler_of(**options: Any) -> StillframeCrawler:
    configuration = Configuration(purge_on_start=True, log_level="CRITICAL")
    given: dict[str, Any] = {
        "pool_settings": PoolSettings(pages_per_browser=2),
        "storage_client": MemoryStorageClient(),
        "configuration": configuration,
        "event_manager": LocalEventManager.from_config(configuration),
        "configure_logging": False,
    }
    return StillframeCrawler(**{**given, **options})


async def run(crawler: StillframeCrawler, *urls: str | Request) -> None:
    async with asyncio.timeout(BOUND):
        await crawler.run(list(urls))


async def test_handlers_and_hooks_get_pages_that_are_still() -> None:
    async with CrawlSite(5) as site:
        crawler, seen, hooks = crawler_of(), {}, []

        @crawler.pre_navigation_hook
        async def before(context: StillframePreNavCrawlingContext) -> None:
            hooks.append(("before", context.page.url))
            await context.block_requests(["**/favicon.ico"])

        @crawler.post_navigation_hook
        async def after(context: StillframePostNavCrawlingContext) -> None:
            hooks.append(("after", context.response_headers["content-type"]))

        @crawler.router.default_handler
        async def handle(context: StillframeCrawlingContext) -> None:
            number = int(context.request.url.rpartition("/")[2])
            assert context.verdict.stable
            assert context.delta is None
            assert text_of(number) in await context.text()
            seen[number] = context.response.status
            await context.push_data({"number": number})
            await context.enqueue_links(selector="nav a")

        await run(crawler, site.root)
        assert seen == dict.fromkeys(range(5), 200)
        assert len(hooks) == 10
        data = await crawler.get_data()
        assert sorted(int(str(item["number"])) for item in data.items) == list(range(5))


async def test_a_page_on_which_a_sequence_acted_is_not_retried() -> None:
    async with CrawlSite(2) as site:
        crawler, tries = crawler_of(max_request_retries=3), []

        @crawler.router.default_handler
        async def handle(context: StillframeCrawlingContext) -> None:
            tries.append(context.request.url)
            if context.request.url == site.root:
                result = await context.sequence([Click("nav a")])
                assert context.delta is result.state_change
            if len(tries) < 3:
                raise KeyError("a handler that fails")

        await run(crawler, site.root)
        assert tries == [site.root]
        other = f"{site.url}/p/1"
        await run(crawler, other)
        assert tries == [site.root, other, other]


async def test_a_host_that_asks_for_time_is_left_alone_and_nothing_is_retried() -> None:
    async with CrawlSite(1) as site:
        crawler, failures, titles = crawler_of(max_request_retries=0), [], []

        @crawler.router.default_handler
        async def handle(context: StillframeCrawlingContext) -> None:
            titles.append(await context.page.title())

        @crawler.failed_request_handler
        async def failed(context: Any, error: Exception) -> None:
            failures.append(error)

        await run(crawler, f"{site.url}/throttled")
        assert failures == []
        assert titles == ["At last"]


async def test_what_a_handler_pushes_is_committed_with_its_page(tmp_path: Path) -> None:
    async with CrawlSite(4) as site:
        store = await CrawlStore.open(f"sqlite:///{tmp_path / 'c.db'}", "c", worker=worker_name())
        async with store, StoreStorageClient(store) as client:
            crawler, failed_once = crawler_of(storage_client=client), set[str]()

            @crawler.router.default_handler
            async def handle(context: StillframeCrawlingContext) -> None:
                await context.push_data({"url": context.request.url})
                await context.enqueue_links()
                if context.request.url not in failed_once:
                    failed_once.add(context.request.url)
                    raise KeyError("the first time each page fails after it pushed")

            await run(crawler, site.root)
            rows = await store.rows(0, 100)
            assert len(rows) == 4
            assert (await store.counts()).outcomes == {"done": 4}
