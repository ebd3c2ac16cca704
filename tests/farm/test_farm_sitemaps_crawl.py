"""Crawls with a browser that begin with sitemaps: at once, on a host that redirects, and of nothing."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from crawl_site import by_url

from stillframe.farm.crawl import CrawlSettings, CrawlSummary, run_crawl
from stillframe.farm.exits import CrawlExit
from stillframe.testing import app_server

pytestmark = pytest.mark.browser
BOUND = 60


@asynccontextmanager
async def serving(handlers: dict[str, Any]) -> AsyncIterator[str]:
    app = web.Application()
    for path, handler in handlers.items():
        app.router.add_get(path, handler)
    async with app_server.serving(app) as port:
        yield f"http://127.0.0.1:{port}"


async def crawl(out: Path, *urls: str, **settings: Any) -> CrawlSummary:
    wanted = CrawlSettings(urls=urls, retries=0, navigation_s=20.0, **settings)
    async with asyncio.timeout(BOUND):
        return await run_crawl(wanted, out=out, concurrency=2)


def moved_of(site: str) -> str:
    return site.replace("127.0.0.1", "localhost")


def page(title: str) -> web.Response:
    return web.Response(text=f"<title>{title}</title><a href='/linked'>x</a>", content_type="text/html")


async def test_a_crawl_begins_while_its_sitemaps_are_read_and_says_what_they_were(tmp_path: Path) -> None:
    """The sitemap is not answered before the start is loaded; the start moves to another host of the same site."""
    started = asyncio.Event()

    async def start(request: web.Request) -> web.Response:
        if request.host.startswith("127"):
            raise web.HTTPMovedPermanently(f"http://localhost:{request.url.port}/")
        if "Firefox" not in request.headers.get("User-Agent", ""):  # the client that asks where the start leads
            started.set()
        return page("Start")

    async def index(request: web.Request) -> web.Response:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(BOUND / 2):
                await started.wait()
        site = f"http://127.0.0.1:{request.url.port}"
        named = "".join(f"<sitemap><loc>{site}/{name}</loc></sitemap>" for name in ("a.xml.gz", "none.xml"))
        return web.Response(text=f"\n<sitemapindex>{named}</sitemapindex>", content_type="text/xml")

    async def packed(request: web.Request) -> web.Response:
        site = f"http://127.0.0.1:{request.url.port}"
        locs = (f"{site}/1?a=1&b=2", "http://[", f"{moved_of(site)}/2", "http://b.invalid/")
        body = "".join(f"<s:url><s:loc>{loc}</s:loc></s:url>" for loc in locs)
        return web.Response(body=gzip.compress(f"<s:urlset xmlns:s='x'>{body}</s:urlset>".encode()))

    async def numbered(request: web.Request) -> web.Response:
        return page(request.path)

    handlers = {"/": start, "/sitemap.xml": index, "/a.xml.gz": packed}
    async with serving(handlers | dict.fromkeys(("/1", "/2", "/linked"), numbered)) as site:
        moved = moved_of(site)
        summary = await crawl(tmp_path / "out", f"{site}/", sitemaps=("auto",))
        found = by_url(tmp_path / "out")
        assert {*found} == {f"{site}/", f"{site}/1?a=1&b=2", f"{moved}/2", f"{moved}/linked", f"{site}/linked"}
        assert started.is_set()
        assert (summary.exit, summary.moved) == (CrawlExit.OK, {"127.0.0.1": "localhost"})
        assert str(summary.sitemaps) == "2 read, 1 failed (1 http_404), 2 pages, 1 out of scope, 1 entries skipped"


async def test_a_start_that_redirects_is_followed_without_sitemaps_as_well(tmp_path: Path) -> None:
    async def start(request: web.Request) -> web.Response:
        if request.host.startswith("127"):
            raise web.HTTPMovedPermanently(f"http://localhost:{request.url.port}/")
        return page("Start")

    async def linked(_: web.Request) -> web.Response:
        return page("Linked")

    async with serving({"/": start, "/linked": linked}) as site:
        summary = await crawl(tmp_path / "out", f"{site}/")
        assert {*by_url(tmp_path / "out")} == {f"{site}/", moved_of(site) + "/linked"}
        assert (summary.done, summary.moved) == (2, {"127.0.0.1": "localhost"})


async def test_a_crawl_of_nothing_is_not_done(tmp_path: Path) -> None:
    async def forbidden(_: web.Request) -> web.Response:
        return web.Response(text="User-agent: *\nDisallow: /")

    async def start(_: web.Request) -> web.Response:
        return page("Start")

    async with serving({"/robots.txt": forbidden, "/": start}) as site:
        summary = await crawl(tmp_path / "out", f"{site}/")
        assert (summary.exit, summary.done, summary.skipped) == (CrawlExit.NOTHING, 0, 1)
