"""robots.txt: what is written in it holds, however its bytes look."""

from __future__ import annotations

import pytest
from aiohttp import web
from crawlee.http_clients import ImpitHttpClient

from stillframe.farm.crawler.robots import MAX_BYTES, Robots, find_robots, robots_text
from stillframe.testing.app_server import serving

RULES = b"User-agent: *\nDisallow: /private\nCrawl-delay: 1.5\nSitemap: http://x/s.xml\n"


@pytest.mark.parametrize(
    "content",
    [
        RULES,
        b"\xef\xbb\xbf" + RULES,
        b"# Gr\xf6\xdfe\r\n" + RULES.replace(b"\n", b"\r\n"),
        b"\x00\xff\n" + RULES,
        RULES + b"#" * MAX_BYTES,
    ],
    ids=["plain", "byte order mark", "Latin-1 in a comment", "zero bytes", "long"],
)
def test_what_it_says_holds(content: bytes) -> None:
    robots = Robots("http://x/start", robots_text(content))
    assert not robots.is_allowed("http://x/private/a")
    assert robots.is_allowed("http://x/public")
    assert robots.is_allowed("http://y/private/a")
    assert robots.get_crawl_delay() == 1.5
    assert robots.sitemaps == ["http://x/s.xml"]


@pytest.mark.parametrize(("status", "allowed"), [(200, False), (404, True), (503, False)])
async def test_the_status_decides_first(status: int, allowed: bool) -> None:
    async def answer(_: web.Request) -> web.Response:
        return web.Response(status=status, body=b"\xef\xbb\xbf" + RULES)

    app = web.Application()
    app.router.add_get("/robots.txt", answer)
    async with serving(app) as port, ImpitHttpClient() as client:
        url = f"http://127.0.0.1:{port}/private/a?q=1"
        assert (await find_robots(url, client)).is_allowed(url) is allowed
