"""The links of a page as absolute URLs."""

from __future__ import annotations

import pytest

from site_server import Site
from stillframe.api.browser import Page
from stillframe.farm.crawler.links import absolute, host_of, links_of


@pytest.mark.parametrize(
    ("values", "base", "found"),
    [
        (["/a", " b ", None, "a#x"], "http://h/d/", ["http://h/a", "http://h/d/b", "http://h/d/a#x"]),
        (["a", "a"], "http://h/", ["http://h/a"]),
        (["mailto:a@b", "javascript:1", "ftp://a/", "http://["], "http://h/", []),
        (["a"], "about:blank", ["http://page/a"]),
        (["HTTP://X/"], "http://h/", ["http://X/"]),
        (["//other/x"], "https://h/", ["https://other/x"]),
    ],
)
def test_links_are_joined_once_and_in_order(values: list[str | None], base: str, found: list[str]) -> None:
    assert absolute(values, base, "http://page/") == found


def test_hosts_have_their_ports_and_no_names_of_users() -> None:
    assert host_of("http://Ann:pw@Example.org:81/x") == "example.org:81"


@pytest.mark.browser
async def test_links_of_a_page(page: Page, site: Site) -> None:
    html = '<base href="/base/"><a href="one">1</a><a>none</a><img src="/two"><a class=x href="?q=\'">3</a>'
    await page.goto(site.html("/links", html))
    root = site.url("/").rstrip("/")
    assert await links_of(page, "a", "href") == [f"{root}/base/one", f"{root}/base/?q='"]
    assert await links_of(page, "img", "src") == [f"{root}/two"]
    assert await links_of(page, "a.x", "href") == [f"{root}/base/?q='"]
