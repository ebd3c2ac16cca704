"""Hosts and proxies that never recover: each page has a typed reason, the crawl ends, and other hosts lose nothing."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from crawl_site import by_url

from stillframe.farm.crawl import CrawlSettings, CrawlSummary, run_crawl
from stillframe.farm.exits import CrawlExit
from stillframe.farm.loading import pressure
from stillframe.farm.robots import cache
from stillframe.testing.app_server import serving

pytestmark = pytest.mark.browser
BOUND = 100
PAGES = 8


@asynccontextmanager
async def listening(
    answer: Callable[[web.Request], Awaitable[web.StreamResponse]],
) -> AsyncIterator[tuple[int, AsyncExitStack]]:
    """Answer on all addresses of loopback; yields the port, and what ends it before when it is closed."""
    app = web.Application()
    app.router.add_get("/{path:.*}", answer)
    async with AsyncExitStack() as stack:
        yield await stack.enter_async_context(serving(app, host="0.0.0.0")), stack


def page(title: str, links: list[str]) -> web.Response:
    text = f"<title>{title}</title>" + "".join(f'<a href="{link}">x</a>' for link in links)
    return web.Response(text=text, content_type="text/html")


async def crawl(out: Path, url: str, options: dict[str, Any] | None = None, **more: Any) -> CrawlSummary:
    settings = CrawlSettings(urls=(url,), same_host=False, retries=1, navigation_s=20.0, **more)
    async with asyncio.timeout(BOUND):
        return await run_crawl(settings, out=out, concurrency=2, browser_options=options)


async def test_a_host_that_asks_for_time_for_ever_ends_and_stops_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pressure, "PATIENCE_S", 2.0)
    monkeypatch.setattr(pressure, "MAX_RESCHEDULES", 3)
    asked: Counter[str] = Counter()

    async def answer(request: web.Request) -> web.StreamResponse:
        host, _, port = request.host.partition(":")
        if request.path in ("/robots.txt", "/favicon.ico"):
            return web.Response(status=404)
        asked[host] += 1
        if host == "127.0.0.2":
            return web.Response(status=429, headers={"Retry-After": "1"})
        links = [f"http://127.0.0.{1 + n % 2}:{port}/{n}" for n in range(2 * PAGES)]
        return page(request.path, links if request.path == "/" else [])

    async with listening(answer) as (port, _):
        origin = f"http://127.0.0.1:{port}"
        summary = await crawl(tmp_path / "out", f"{origin}/")
        found = by_url(tmp_path / "out")
    assert (summary.exit, summary.done, summary.failed) == (CrawlExit.OK, PAGES + 1, PAGES)
    assert set(summary.errors) <= {"http_429", "host_busy"}
    assert summary.errors["host_busy"] > 0
    assert {"error" in record for url, record in found.items() if url.startswith(origin)} == {False}
    assert asked["127.0.0.2"] < PAGES * 3  # most of its pages are not loaded any more


async def test_a_proxy_that_dies_fails_its_pages_and_the_crawl_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "FIRST_PAUSE_S", 0.5)
    served: list[str] = []
    died = asyncio.Event()

    async def answer(request: web.Request) -> web.StreamResponse:
        url = str(request.raw_path)
        served.append(url)
        if url.endswith(("/robots.txt", "/favicon.ico")):
            return web.Response(status=404)
        if url.endswith("/2"):
            died.set()
        return page(url, [f"http://shop.test/{n}" for n in range(PAGES)] + ["http://other.test/"])

    async with listening(answer) as (port, server):
        proxy = f"http://127.0.0.1:{port}"

        async def die() -> None:
            await died.wait()
            await server.aclose()

        dying = asyncio.create_task(die())
        summary = await crawl(tmp_path / "out", "http://shop.test/", {"proxy": proxy}, robots_wait_s=2.0, depth=1)
        await dying
        found = by_url(tmp_path / "out")
    assert summary.pending == 0
    assert summary.done >= 2
    assert summary.done + summary.failed == PAGES + 2
    assert "err_proxy_connection_failed" in summary.errors
    assert found["http://other.test/"]["error"]["kind"] == "robots_unreachable"
    assert served[0] == "http://shop.test/robots.txt"
