"""The links of a page as absolute URLs."""

from __future__ import annotations

import pytest

from site_server import Site
from stillframe.api.browser import Page
from stillframe.farm.loading.links import PLAIN, LinkFilter, absolute, host_of, is_route, links_of, page_key


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


@pytest.mark.parametrize(
    ("url", "clean"),
    [
        ("http://h/a?x=%2f&utm_source=1&y", "http://h/a?x=%2f&y"),
        ("http://h/a?utm_source=1", "http://h/a"),
        ("http://h/a?utm%5fsource=1#part", "http://h/a#part"),
        ("http://h/a?", "http://h/a?"),
        ("http://h/a?x&x&", "http://h/a?x&x&"),
        ("http://h/a;JSESSIONID=1;v=2?q=;jsessionid=3", "http://h/a;v=2?q=;jsessionid=3"),
        ("http://h/a;b", "http://h/a;b"),
        ("http://h/#/route?fbclid=1", "http://h/#/route?fbclid=1"),
        ("HTTP://ann:p@ss@h:81/?at=@", "HTTP://h:81/?at=@"),
        ("http:\\\\ann:pw@h/", "http:\\\\h/"),
        ("http://h/user:pw@x", "http://h/user:pw@x"),
        ("http://h?user:pw@x", "http://h?user:pw@x"),
    ],
)
def test_what_is_left_out_of_links(url: str, clean: str) -> None:
    assert PLAIN.cleaned(url) == clean


def test_the_list_of_what_is_left_out_can_be_extended() -> None:
    more = LinkFilter(["ref", "Track_*"])
    assert more.cleaned("http://h/?ref=1&track_me=2&REF=3&utm_id=4&reference=5") == "http://h/?reference=5"
    assert more.key("http://h/?ref=1") == page_key("http://h/")
    assert page_key("http://h/?ref=1") != page_key("http://h/")


def test_links_have_no_credentials() -> None:
    assert absolute(["http://ann:secret@h/x", "//bob@h/y"], "http://h/", "http://h/") == ["http://h/x", "http://h/y"]


def test_routes_begin_with_a_slash_or_an_exclamation_mark() -> None:
    assert [text for text in ("", "part", "/", "!", "!/", "/guide", "!guide", "!/guide") if is_route(text)] == [
        "/guide",
        "!guide",
        "!/guide",
    ]


@pytest.mark.browser
async def test_links_of_a_page(page: Page, site: Site) -> None:
    html = '<base href="/base/"><a href="one">1</a><a>none</a><img src="/two"><a class=x href="?q=\'">3</a>'
    await page.goto(site.html("/links", html))
    root = site.url("/").rstrip("/")
    assert await links_of(page, "a", "href") == [f"{root}/base/one", f"{root}/base/?q='"]
    assert await links_of(page, "img", "src") == [f"{root}/two"]
    assert await links_of(page, "a.x", "href") == [f"{root}/base/?q='"]


@pytest.mark.browser
async def test_links_in_open_shadow_trees_come_last(page: Page, site: Site) -> None:
    html = (
        "<div id=host></div><a href=/light>1</a><script>"
        "host.attachShadow({mode: 'open'}).innerHTML = '<p><a href=/shadow>2</a></p>';</script>"
    )
    await page.goto(site.html("/links", html))
    assert await links_of(page, "a", "href") == [site.url("/light"), site.url("/shadow")]
