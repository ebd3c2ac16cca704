"""What pages ask of crawlers."""

from __future__ import annotations

from html import escape

import pytest

from site_server import Site
from stillframe.api.browser import Page
from stillframe.farm.crawl.directives import MOST, Directives, directives_of, header_texts, words
from stillframe.farm.output.frame_texts import Asks, read_asks
from stillframe.farm.output.record import read_asking


@pytest.mark.parametrize(
    ("header", "found"),
    [
        ("", ()),
        ("noindex", ("noindex",)),
        ("NoIndex , nofollow", ("noindex", "nofollow")),
        ("none", ("noindex", "nofollow")),
        ("noindex\nnofollow, noindex", ("noindex", "nofollow")),
        ("googlebot: noindex", ()),
        ("googlebot: noindex, nofollow\nnoarchive", ("noarchive",)),
        ("*: noindex", ("noindex",)),
        ("noindex, otherbot: nofollow", ("noindex",)),
        ("unavailable_after: 25 Jun 2030 15:00:00 PST", ("unavailable_after: 25 jun 2030 15:00:00 pst",)),
        ("max-snippet: 0, noindex", ("max-snippet: 0", "noindex")),
        (", ,", ()),
    ],
)
def test_headers(header: str, found: tuple[str, ...]) -> None:
    assert words(header_texts(header)) == found


def test_directives_without_end_are_cut() -> None:
    assert len(words([",".join(str(n) for n in range(1000))])) == MOST
    assert len(words(["x" * 1000])[0]) == 100


@pytest.mark.parametrize(
    ("robots", "nofollow", "noindex"),
    [
        ((), False, False),
        (("nofollow",), True, False),
        (("noindex", "all"), False, True),
        (words(["none"]), True, True),
    ],
)
def test_what_directives_mean(robots: tuple[str, ...], nofollow: bool, noindex: bool) -> None:
    directives = Directives(robots=robots)
    assert (directives.is_nofollow, directives.is_noindex) == (nofollow, noindex)


async def asked(page: Page) -> Directives:
    """Return what a page asks, as it is read with its content and without."""
    _, found = await read_asking(page, page.url)
    assert await read_asks(page, timeout_ms=5_000) == found
    return directives_of(found, {}, page.url)


@pytest.mark.browser
async def test_what_a_document_says(page: Page, site: Site) -> None:
    html = """<base href="/base/"><meta name=ROBOTS content="NoFollow, max-snippet:0"><meta name=googlebot content=none>
        <link rel=canonical href=own><meta http-equiv=Refresh content="7200; URL='next?x=1'">
        <a rel="ugc NOFOLLOW" href=one>1</a><a rel=nofollow href=two>2</a><a href=two>2</a>
        <a rel=nofollow href="http://ann:pw@h/three">3</a><svg><a href=four rel=nofollow /></svg>"""
    await page.goto(site.html("/asks", html))
    found = await asked(page)
    base = site.url("/base/")
    assert found == Directives(
        robots=("nofollow", "max-snippet:0"),
        canonical=f"{base}own",
        refresh=f"{base}next?x=1",
        nofollow=frozenset({f"{base}one", "http://h/three"}),
    )


def test_a_file_without_a_document_asks_by_its_headers() -> None:
    assert directives_of(None, {"x-robots-tag": "noindex"}, "http://h/") == Directives(robots=("noindex",))


@pytest.mark.browser
async def test_a_frame_does_not_speak_for_its_page(page: Page, site: Site) -> None:
    site.html("/inner", "<meta name=robots content=none><a rel=nofollow href=/x>x</a>")
    await page.goto(site.html("/outer", "<a href=/x>x</a><iframe src=/inner></iframe>"))
    assert await asked(page) == Directives()
    record, _ = await read_asking(page, page.url)
    assert record.links == (site.url("/x"),)


REFRESHES = [
    ("60;url=/a", "/a"),
    ("60, /a", "/a"),
    ("60 ; url = '/a' x", "/a"),
    ('60;url="/a', "/a"),
    ("60.5; /a", "/a"),
    ("60", None),
    ("60;", None),
    ("60;url=", None),
    ("60;url=javascript:1", None),
    ("x;url=/a", None),
]


@pytest.mark.parametrize(("value", "url"), REFRESHES)
def test_refreshes_of_a_header(value: str, url: str | None) -> None:
    found = directives_of(None, {"refresh": value}, "http://h/dir/page")
    assert found.refresh == (None if url is None else f"http://h{url}")
    assert directives_of(Asks(refresh="http://h/own"), {"refresh": value}, "http://h/").refresh == "http://h/own"


def test_a_header_without_an_address_leads_nowhere() -> None:
    assert directives_of(None, {"refresh": "60;url=http://["}, "http://h/").refresh is None


@pytest.mark.browser
@pytest.mark.parametrize(("content", "url"), REFRESHES)
async def test_refreshes(page: Page, site: Site, content: str, url: str | None) -> None:
    await page.goto(site.html("/refreshes", f'<meta http-equiv=refresh content="{escape(content)}">'))
    found = await asked(page)
    assert found.refresh == (None if url is None else site.url(url))
