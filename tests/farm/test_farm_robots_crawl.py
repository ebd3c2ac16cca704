"""robots.txt in whole crawls with a real browser: what is forbidden is not stored, and no host waits for another."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from crawl_site import by_url

from stillframe.farm.crawl import CrawlSettings, CrawlSummary, run_crawl
from stillframe.farm.exits import CrawlExit
from stillframe.farm.robots import cache
from stillframe.testing.app_server import serving

pytestmark = pytest.mark.browser
BOUND = 120
HOSTS = 11
SLOW_S = 3.0
GROUPS = """User-agent: *
Disallow: /

User-agent: ShopBot
Disallow: /private
"""


class Site:
    """A site of which each host has its own robots.txt; `robots` makes the answer to the n-th request for it."""

    def __init__(self) -> None:
        self.port = 0
        self.seen: dict[str, list[str]] = defaultdict(list)
        """The paths that each host was asked for."""
        self.agents: set[str | None] = set()
        self.robots_at: list[float] = []
        self.slow_s = 0.0
        self.failures = 0
        self.robots = GROUPS

    async def answer(self, request: web.Request) -> web.StreamResponse:
        host = request.host.partition(":")[0]
        self.seen[host].append(request.path)
        self.agents.add(request.headers.get("user-agent"))
        match request.path:
            case "/robots.txt":
                self.robots_at.append(time.monotonic())
                await asyncio.sleep(self.slow_s)
                failed = self.seen[host].count("/robots.txt") <= self.failures
                return web.Response(status=503 if failed else 200, text=self.robots)
            case "/moved":
                raise web.HTTPFound("/private/a")
            case "/through":
                raise web.HTTPFound("/private/back")
            case "/private/back":
                raise web.HTTPFound("/end")
            case "/by-script":
                text = "<title>By script</title><script>location.replace('/private/back')</script>"
                return web.Response(text=text, content_type="text/html")
            case "/away":
                raise web.HTTPFound(f"http://127.0.0.9:{self.port}/end")
            case "/mixed":
                names = ("/through", "/by-script", "/away", "/end")
                links = "".join(f'<a href="{name}">x</a>' for name in names)
                return web.Response(text=f"<title>Mixed</title>{links}", content_type="text/html")
            case "/hosts":
                links = "".join(f'<a href="http://127.0.0.{n + 2}:{self.port}/">x</a>' for n in range(HOSTS))
                return web.Response(text=f"<title>Hosts</title>{links}", content_type="text/html")
            case "/favicon.ico":
                return web.Response(status=204)
        links = '<a href="/moved">1</a><a href="/private/b">2</a>'
        return web.Response(text=f"<title>{request.path}</title>{links}", content_type="text/html")


@asynccontextmanager
async def site() -> AsyncIterator[Site]:
    found = Site()
    app = web.Application()
    app.router.add_get("/{path:.*}", found.answer)
    async with serving(app, host="0.0.0.0") as found.port:
        yield found


async def crawl(site: Site, out: Path, path: str, **more: Any) -> CrawlSummary:
    url = f"http://127.0.0.1:{site.port}{path}"
    settings = CrawlSettings(urls=(url,), user_agent="ShopBot/1.0 (+http://shop.example)", **more)
    async with asyncio.timeout(BOUND):
        return await run_crawl(settings, out=out, concurrency=4)


async def test_a_redirect_into_a_forbidden_path_is_not_stored(tmp_path: Path) -> None:
    async with site() as found:
        summary = await crawl(found, tmp_path / "out", "/", formats=("jsonl", "warc"))
        assert {*by_url(tmp_path / "out")} == {f"http://127.0.0.1:{found.port}/"}
        assert (summary.exit, summary.done, summary.skipped, summary.robots_refused) == (CrawlExit.OK, 1, 2, 2)
        assert "/private/b" not in found.seen["127.0.0.1"]
        assert found.agents == {"ShopBot/1.0 (+http://shop.example)"}


async def test_a_forbidden_step_on_the_way_is_refused_and_hosts_that_are_not_followed_are_not_asked(
    tmp_path: Path,
) -> None:
    async with site() as found:
        summary = await crawl(found, tmp_path / "out", "/mixed", depth=1)
        origin = f"http://127.0.0.1:{found.port}"
        assert {*by_url(tmp_path / "out")} == {f"{origin}/mixed", f"{origin}/end"}
        assert (summary.done, summary.skipped, summary.robots_refused) == (2, 3, 2)
        assert "/robots.txt" not in found.seen["127.0.0.9"]


async def test_a_crawl_that_may_load_nothing_has_nothing_and_says_why(tmp_path: Path) -> None:
    async with site() as found:
        summary = await crawl(found, tmp_path / "out", "/", robots_token="OtherBot")
        assert (summary.exit, summary.reason) == (CrawlExit.NOTHING, "robots_refused")
        assert (summary.done, summary.failed, summary.robots_refused) == (0, 0, 1)
        assert found.seen["127.0.0.1"] == ["/robots.txt"]


async def test_slow_hosts_are_asked_side_by_side(tmp_path: Path) -> None:
    async with site() as found:
        found.slow_s = SLOW_S
        summary = await crawl(found, tmp_path / "out", "/hosts", same_host=False, depth=1)
        assert (summary.exit, summary.done) == (CrawlExit.OK, HOSTS + 1)
        first, others = found.robots_at[0], found.robots_at[1:]
        assert len(others) == HOSTS
        assert max(others) - min(others) < HOSTS * SLOW_S / 2
        assert min(others) - first >= SLOW_S


async def test_5xx_once_does_not_end_the_crawl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "FIRST_PAUSE_S", 0.5)
    async with site() as found:
        found.failures = 2
        summary = await crawl(found, tmp_path / "out", "/", depth=0)
        assert (summary.exit, summary.done, summary.pending) == (CrawlExit.OK, 1, 0)
        assert found.seen["127.0.0.1"].count("/robots.txt") == 3
