"""The way of files beside the pages: the proxy of their contexts, with what goes past it."""

from __future__ import annotations

from typing import Any

import pytest

from stillframe.farm.fetching.options import proxy_url

SITE = "http://shop.example"


@pytest.mark.parametrize(
    ("proxy", "url", "through"),
    [
        (None, SITE, None),
        ("proxy.example:3128", SITE, "http://proxy.example:3128"),
        ("http://proxy.example", SITE, "http://proxy.example:80"),
        ({"server": "https://p:1", "username": "u", "password": "w"}, SITE, "https://u:w@p:1"),
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
