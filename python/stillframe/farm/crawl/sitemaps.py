"""The pages that sitemaps name, added to the queue before a crawl begins. What a sitemap says is not trusted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any
from urllib.parse import urljoin

from crawlee import Request
from crawlee.http_clients import HttpClient, ImpitHttpClient
from crawlee.request_loaders import SitemapRequestLoader

from stillframe.farm.crawl.settings import AUTO_SITEMAP, CrawlSettings, regexes
from stillframe.farm.crawler.links import is_web
from stillframe.farm.crawler.robots import default_user_agent, robots_client, token_of
from stillframe.farm.crawler.storage_client import new_request
from stillframe.farm.robots.cache import Robots
from stillframe.farm.store import CrawlStore
from stillframe.security.redaction import logger

_log = logger(__name__)
STATE = "sitemaps"
"""Key of the crawl's state: set once its sitemaps are read."""
MAX_PAGES = 1_000_000
"""How many pages of sitemaps a crawl takes; an index may name 2.5 billion. Our choice."""
ROBOTS_PATIENCE_S = 60.0
"""How long the sitemaps of a host wait for its robots.txt; some tries fit in. Our choice."""
BATCH = 500
"""How many pages are added with one transaction."""


async def add_sitemaps(store: CrawlStore, settings: CrawlSettings, stop: asyncio.Event) -> None:
    """Add the pages of a crawl's sitemaps, once per crawl; after `stop`, the next run reads them again.

    Sitemaps that do not answer, or hold something else, are logged and add nothing. Raises StoreUnavailable, DiskFull.
    """
    if not settings.sitemaps or await store.get_state(STATE):
        return
    adding = asyncio.create_task(_add(store, settings), name="read sitemaps")
    stopping = asyncio.create_task(stop.wait(), name="stop sitemaps")
    try:
        await asyncio.wait({adding, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if adding.done():
            adding.result()
    finally:
        for task in (adding, stopping):
            task.cancel()
        await asyncio.gather(adding, stopping, return_exceptions=True)


async def _add(store: CrawlStore, settings: CrawlSettings) -> None:
    found, new = 0, 0
    agent = settings.user_agent or default_user_agent()
    robots = Robots(
        robots_client({}, user_agent=agent), token=token_of(settings.user_agent, settings.robots_token), store=store
    )
    async with ImpitHttpClient(browser=None, headers={"user-agent": agent}) as client, robots:
        named = [each for given in settings.sitemaps for each in await _sitemaps(robots, given, settings.urls)]
        urls = [url for url in dict.fromkeys(named) if url is not None]
        async for batch in _batches(_pages(client, urls, settings)):
            added = await store.add([new_request(request) for request in batch])
            found, new = found + len(batch), new + sum(each.added for each in added)
            if found >= min(settings.max_pages or MAX_PAGES, MAX_PAGES):
                break
    _log.info("the sitemaps name %d pages, %d of them new", found, new)
    if None not in named:
        await store.set_state(STATE, b"read")


async def _pages(client: HttpClient, urls: list[str], settings: CrawlSettings) -> AsyncIterator[Request]:
    """Yield the pages that sitemaps name. Of a sitemap, crawlee drops what follows a text such as `http://[`."""
    options: dict[str, Any] = {name: regexes(getattr(settings, name)) or None for name in ("include", "exclude")}
    options["enqueue_strategy"] = "same-hostname" if settings.same_host else "all"
    async with SitemapRequestLoader(urls, client, **options) as loader:
        while True:
            try:
                request = await loader.fetch_next_request()
            except ValueError as error:
                _log.warning("a sitemap has an entry that is not a URL: %s", error)
                continue
            if request is None:
                return
            await loader.mark_request_as_handled(request)
            yield Request.from_url(request.url, crawl_depth=0)


async def _sitemaps(robots: Robots, given: str, starts: Sequence[str]) -> list[str | None]:
    """Return the sitemaps that an option stands for; None for a host whose robots.txt cannot be read."""
    if given != AUTO_SITEMAP:
        return [given]
    return [url for start in starts for url in await _named(robots, start)]


async def _named(robots: Robots, start: str) -> list[str | None]:
    rules = await robots.rules_of(start, patience_s=ROBOTS_PATIENCE_S)
    if rules is None:
        _log.warning("robots.txt of %s cannot be read, so its sitemaps are not: --resume tries again", start)
        return [None]
    return [each for each in rules.sitemaps if is_web(each)] or [urljoin(start, "/sitemap.xml")]


async def _batches(requests: AsyncIterator[Request]) -> AsyncIterator[Sequence[Request]]:
    batch: list[Request] = []
    async for request in requests:
        batch.append(request)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
