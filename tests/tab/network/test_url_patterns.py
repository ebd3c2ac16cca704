"""Globs that people write and the URLs that browsers make of them."""

from __future__ import annotations

import re

import pytest

from site_server import Site
from stillframe.api.browser import Page
from stillframe.errors import OptionInvalid
from stillframe.tab.network.url_patterns import browser_pattern, url_matcher


@pytest.mark.parametrize(
    ("glob", "url", "wide"),
    [
        ("http://x", "http://x/", "http://x/"),
        ("http://x:8080", "http://x:8080/", "http://x:8080/"),
        ("http://x?a=b", "http://x/?a=b", "http://x/*a=b"),
        ("http://x:80*", "http://x:8080/", "http://x:80*/"),
        ("http://x**", "http://x/a/b", "http://x*"),
        ("HTTP://Example.ORG/A", "http://example.org/A", "http://example.org/A"),
        ("http://x:80/a", "http://x/a", "http://x/a"),
        ("https://*.Example.org:443/**", "https://a.example.org/b", "https://*.example.org/*"),
        ("https://x:80/", "https://x:80/", "https://x:80/"),
        ("http://ann:word@x/", "http://x/", "http://x/"),
        ("http://bücher.example/", "http://xn--bcher-kva.example/", "http://xn--bcher-kva.example/"),
        ("http{,s}://*.bücher.example/*", "https://a.xn--bcher-kva.example/b", "http*://*.xn--bcher-kva.example/*"),
        ("http://127.1:80/**", "http://127.0.0.1/a", "http://127.0.0.1/*"),
        ("**/a b/ü?q='c d'", "http://x/a%20b/%C3%BC?q=%27c%20d%27", "*a%20b/%C3%BC*q=%27c%20d%27"),
        ("**/a%20b", "http://x/a%20b", "*a%20b"),
        ("**/a|b^c", "http://x/a%7Cb%5Ec", "*a*b*c"),
        ("**/a|b^c", "http://x/a|b^c", "*a*b*c"),
        ("http://x/a#part", "http://x/a#other", "http://x/a"),
        ("data:*", "data:text", "data:*"),
        ("blob:http://X/*", "blob:http://X/1", "blob:http://X/*"),
    ],
)
def test_a_glob_may_be_written_as_people_write_urls(glob: str, url: str, wide: str) -> None:
    assert url_matcher(glob)(url)
    assert browser_pattern(glob) == wide
    assert re.fullmatch(re.escape(wide).replace(r"\*", ".*"), url.partition("#")[0])


@pytest.mark.parametrize(
    ("glob", "url"),
    [
        ("http://x", "http://x/a"),
        ("http://x/a", "http://x/A"),
        ("http://x:80/", "http://x:8080/"),
        ("http://a.b", "http://axb/"),
    ],
)
def test_a_glob_matches_no_more_than_it_says(glob: str, url: str) -> None:
    assert not url_matcher(glob)(url)


@pytest.mark.parametrize("glob", ["http://x:99999/", "http://", "http://a b/**"])
def test_a_url_that_there_cannot_be_is_an_error(glob: str) -> None:
    with pytest.raises(OptionInvalid, match="would match no URL"):
        url_matcher(glob)


async def test_the_browser_agrees(page: Page, site: Site) -> None:
    await page.goto(site.html("/", ""))
    for glob, url in (("HTTP://127.1:{port}", "/"), ("**/a b|c^d/ü?'*", "/a b|c^d/ü?'e'")):
        pattern = glob.format(port=site.port)
        await page.route(pattern, lambda route: route.fulfill(body="routed"))
        async with page.expect_response(pattern) as waiting:
            assert await page.evaluate(f'fetch("{url}").then(r => r.text())') == "routed"
        await waiting
