"""The way of files beside the pages: the proxy of their contexts, with what goes past it, and their certificates."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import impit
import pytest
from aiohttp import web

from certified import Authority, certified_site
from stillframe.farm.fetching import Limits, fetcher_of
from stillframe.farm.fetching.options import proxy_url
from stillframe.testing.app_server import serving

SITE = "http://shop.example"


@pytest.mark.parametrize(
    ("proxy", "url", "through"),
    [
        (None, SITE, None),
        ("proxy.example:3128", SITE, "http://proxy.example:3128"),
        ("http://proxy.example", SITE, "http://proxy.example:80"),
        ({"server": "https://p:1", "username": "u", "password": "w"}, SITE, "https://u:w@p:1"),
        ({"server": "https://p:1", "username": "u@x", "password": "w:/"}, SITE, "https://u%40x:w%3A%2F@p:1"),
        ("http://u%40x:w@p:1", SITE, "http://u%40x:w@p:1"),
        ({"server": "http://p:1", "bypass": "shop.example"}, SITE, None),
        ({"server": "http://p:1", "bypass": ["*.example"]}, SITE, None),
        ({"server": "http://p:1", "bypass": ["*.example"]}, "http://a.test", "http://p:1"),
        ("http://p:1", "http://127.0.0.1:8/", None),
        ("http://p:1", "http://localhost/", None),
        ({"server": "http://p:1", "bypass": ["<-loopback>"]}, "http://127.0.0.1/", "http://p:1"),
    ],
)
def test_it_goes_the_way_of_the_pages(proxy: Any, url: str, through: str | None) -> None:
    assert proxy_url(proxy, url) == through


async def test_headers_go_to_every_server_and_the_login_to_its_own_alone() -> None:
    """Also when the own server redirects to another one: there the login would be lost to a stranger."""
    seen = list[tuple[str, str | None, str | None]]()

    async def answer(request: web.Request) -> web.Response:
        host = request.host.partition(":")[0]
        seen.append((host, request.headers.get("authorization"), request.headers.get("x-team")))
        if host == "127.0.0.1":
            raise web.HTTPFound(f"http://localhost:{request.url.port}/")
        return web.Response(text="there")

    app = web.Application()
    app.router.add_get("/", answer)
    async with serving(app) as port:
        own = f"http://127.0.0.1:{port}"
        login = {"username": "ann", "password": "hush", "origin": own}
        options = {"extra_headers": {"X-Team": "shop"}, "http_credentials": login}
        limits = Limits(seconds=10.0, hops=3, size=100)
        async with fetcher_of(options) as fetcher, fetcher.get(f"{own}/", limits) as arrival:
            assert [chunk async for chunk in arrival.body()] == [b"there"]
    expected = "Basic " + base64.b64encode(b"ann:hush").decode()
    assert seen == [("127.0.0.1", expected, "shop"), ("localhost", None, "shop")]


async def test_it_takes_the_certificates_that_pages_take(tmp_path: Path) -> None:
    limits = Limits(seconds=10.0, hops=0, size=100)
    async with certified_site(Authority(tmp_path).tls(asks=False)) as site:
        async with fetcher_of({"ignore_https_errors": True}) as fetcher, fetcher.get(f"{site}/", limits) as arrival:
            assert arrival.status == 200
        async with fetcher_of({}) as fetcher:
            with pytest.raises(impit.HTTPError, match=r"(?i)certificate"):
                async with fetcher.get(f"{site}/", limits):
                    pass
