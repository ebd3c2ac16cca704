"""The reader of sitemaps: what operators' files look like, and what lies in wait in some."""

from __future__ import annotations

import gzip
import random
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stillframe.farm.sitemaps import Entry, SitemapReader

BASE = "http://a/maps/sitemap.xml"
NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
SMALL = 1_000_000


class Result(NamedTuple):
    """What came out of a file."""

    entries: list[Entry]
    failure: str | None
    skipped: int
    problems: tuple[str, ...]

    @property
    def paths(self) -> list[str]:
        return [each.url.removeprefix("http://a/") for each in self.entries]


def read(data: bytes, *cuts: int, charset: str | None = None, max_bytes: int = SMALL, cut: bool = False) -> Result:
    """Read a file that arrives in pieces, which end at `cuts`."""
    reader, found, at = SitemapReader(BASE, charset, max_bytes), list[Entry](), 0
    for end in (*sorted(cuts), len(data)):
        found += reader.feed(data[at:end])
        at = end
    found += reader.close(cut=cut)
    return Result(found, reader.failure, reader.skipped, reader.problems)


def urls(*paths: str) -> str:
    return "".join(f"<url><loc>http://a/{path}</loc></url>" for path in paths)


def urlset(*paths: str, more: str = "", head: str = '<?xml version="1.0" encoding="UTF-8"?>') -> str:
    return f"{head}<urlset {NAMESPACE}>{urls(*paths)}{more}</urlset>"


def latin(text: str) -> bytes:
    return text.encode("latin-1")


RSS = """<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>T</title><link>http://a/</link>
<atom:link href="http://a/feed" rel="self"/><item><title>1</title><link>http://a/1</link><guid>http://a/?p=1</guid>
<pubDate>Mon, 06 Sep 2021 00:01:00 +0000</pubDate></item><item><guid>http://a/2</guid></item>
<item><guid isPermaLink="false">tag:a,2</guid></item></channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><link href="http://a/"/><entry><link rel="self" href="http://a/x"/>
<link rel="alternate" href="/1"/><updated>2026-01-02</updated></entry><entry><link href="http://a/2"/></entry></feed>"""
IMAGES = """<url><loc>http://a/1</loc><image:image xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
<image:loc>http://a/i.png</image:loc></image:image><xhtml:link rel="alternate" href="http://a/de"/></url>"""
LAUGHS = '<!DOCTYPE urlset [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;"><!ENTITY c "&b;&b;&b;">]>'
OUTSIDE = '<!DOCTYPE urlset [<!ENTITY e SYSTEM "file:///etc/hostname"><!ENTITY % p SYSTEM "http://a/p"> %p;]>'

CASES: dict[str, tuple[str | bytes, list[str], str | None, int]] = {
    # name: the file, the paths that come out, the failure, the entries that are skipped
    "plain": (urlset("1", "2"), ["1", "2"], None, 0),
    "no-namespace": (f"<urlset>{urls('1')}</urlset>", ["1"], None, 0),
    "prefix": ('<s:urlset xmlns:s="x"><s:url><s:loc>http://a/1</s:loc></s:url></s:urlset>', ["1"], None, 0),
    "undeclared-prefix": ("<s:urlset><s:url><s:loc>http://a/1</s:loc></s:url></s:urlset>", ["1"], None, 0),
    "upper-case": ("<URLSET><URL><LOC>http://a/1</LOC></URL></URLSET>", ["1"], None, 0),
    "index": ("<sitemapindex><sitemap><loc>http://a/b.xml</loc></sitemap></sitemapindex>", ["b.xml"], None, 0),
    "rss": (RSS, ["1", "2"], None, 0),
    "atom": (ATOM, ["1", "2"], None, 0),
    "text": ("http://a/1\r\nhttp://a/2\n\n  http://a/3", ["1", "2", "3"], None, 0),
    "text-with-a-bad-line": ("\ufeffhttp://a/1\nnope\nhttp://a/2\n", ["1", "2"], None, 1),
    "gzip": (gzip.compress(urlset("1").encode()), ["1"], None, 0),
    "gzip-twice": (gzip.compress(gzip.compress(urlset("1").encode())), ["1"], None, 0),
    "gzip-members": (
        gzip.compress(urlset("1").encode()[:90]) + gzip.compress(urlset("1").encode()[90:]),
        ["1"],
        None,
        0,
    ),
    "gzip-padded": (gzip.compress(urlset("1").encode()) + b"\0" * 100, ["1"], None, 0),
    "gzip-cut": (gzip.compress(urlset(*map(str, range(9))).encode(), 0)[:-60], list("0123456"), "truncated", 0),
    "gzip-damaged": (gzip.compress(urlset("1").encode())[:20] + b"\xff" * 9_000, [], "bad_gzip", 0),
    "utf-8-mark": (b"\xef\xbb\xbf" + urlset("é").encode(), ["é"], None, 0),
    "utf-16": (urlset("é", head='<?xml version="1.0" encoding="utf-16"?>').encode("utf-16"), ["é"], None, 0),
    "utf-16-unmarked": (urlset("é").encode("utf-16-be"), ["é"], None, 0),
    "utf-16-only-said": (urlset("é", head='<?xml version="1.0" encoding="utf-16"?>'), ["é"], None, 0),
    "latin-1": (latin(urlset("café", head='<?xml version="1.0" encoding="iso-8859-1"?>')), ["café"], None, 0),
    "latin-1-unsaid": (latin(urlset("caf\xe9", "1", head="")), ["1"], None, 1),
    "unknown-charset": (urlset("é", head='<?xml version="1.0" encoding="rot13"?>'), ["é"], None, 0),
    "blank-lines-first": ("\n\r\n  " + urlset("1"), ["1"], None, 0),
    "warning-first": ("<br />\n<b>Warning</b>: x in y.php\n" + urlset("1"), ["1"], None, 0),
    "bare-ampersand": (urlset("?a=1&b=2&copy=3", "?c=1&amp;d=2"), ["?a=1&b=2&copy=3", "?c=1&d=2"], None, 0),
    "html-entity": (urlset("a&nbsp;b", "1"), ["a&nbsp;b", "1"], None, 0),
    "numeric-references": (urlset("&#x2F;1&#47;2", "&#0;", "&#x110000;"), ["/1/2"], None, 2),
    "control-characters": (urlset("\x0b1", "2"), ["2"], None, 1),
    "cdata": (urlset("1", more="<url><loc><![CDATA[ http://a/?x=1&y=2 ]]></loc></url>"), ["1", "?x=1&y=2"], None, 0),
    "line-breaks-in-loc": ("<urlset><url><loc>\n http://a/1\n/2 \t</loc></url></urlset>", ["1/2"], None, 0),
    "comment-in-loc": ("<urlset><url><loc>http://a/<!-- & -->1</loc></url></urlset>", ["1"], None, 0),
    "bad-loc": (urlset("1", more="<url><loc>http://[</loc></url>" + urls("2")), ["1", "2"], None, 1),
    "other-schemes": (urlset(more="<url><loc>javascript:1</loc></url><url><loc>mailto:a@b</loc></url>"), [], None, 2),
    "empty-loc": (urlset("1", more="<url><loc/></url><url><loc> </loc></url><url></url>"), ["1"], None, 2),
    "relative-loc": (urlset("1", more="<url><loc>/2</loc></url>"), ["1"], None, 1),
    "long-loc": (urlset("x" * 10_000, "1"), ["1"], None, 1),
    "images": (urlset(more=IMAGES), ["1"], None, 0),
    "images-without-namespace": (urlset(more=IMAGES.replace("xmlns:image=", "x=")), ["1"], None, 0),
    "wrong-end-tags": ("<urlset><url><loc>http://a/1</url>" + urls("2") + "</urlset>", ["1", "2"], None, 0),
    "comment-last": (urlset("1") + "\n<!-- made in 0.3 s -->\n", ["1"], None, 0),
    "text-last": (urlset("1") + "junk", ["1"], None, 0),
    "cut-in-loc": (urlset("1", "2")[:-24], ["1"], "truncated", 0),
    "cut-behind-loc": (urlset("1", "2")[:-12], ["1", "2"], "truncated", 0),
    "cut-in-cdata": ("<urlset>" + urls("1") + "<url><loc><![CDATA[http://a/2", ["1"], "truncated", 0),
    "laughs": (LAUGHS + urlset("&c;", "1", head=""), ["&c;", "1"], None, 0),
    "outside-entity": (OUTSIDE + urlset("&e;", "1", head=""), ["&e;", "1"], None, 0),
    "html": ("<!DOCTYPE html><html><body><a href='http://a/1'>1</a></body></html>", [], "not_a_sitemap", 0),
    "prose": ("Nothing here", [], "not_a_sitemap", 1),
    "json": ('{"urls": ["http://a/1"]}', [], "not_a_sitemap", 1),
    "empty": ("", [], "not_a_sitemap", 0),
    "blank": (" \n ", [], "not_a_sitemap", 0),
    "bytes": (bytes(range(256)), [], "not_a_sitemap", 2),
    "deep": ("<urlset>" + urls("1") + "<a>" * 5_000 + urls("2"), ["1", "2"], "truncated", 0),
}


@pytest.mark.every_row
@pytest.mark.parametrize("name", CASES)
def test_the_files_of_operators(name: str) -> None:
    file, paths, failure, skipped = CASES[name]
    data = file if isinstance(file, bytes) else file.encode()
    found = read(data)
    assert (found.paths, found.failure, found.skipped) == (paths, failure, skipped)
    for size in (1, 3, 1_000):
        assert read(data, *range(size, len(data), size)) == found


def test_an_entry_has_what_the_file_says_about_it() -> None:
    more = "<url><lastmod>2026-01-02</lastmod><loc>http://a/1</loc><priority> 0.8 </priority></url>" + urls("2")
    assert read(urlset(more=more).encode()).entries == [
        Entry(url="http://a/1", lastmod="2026-01-02", priority="0.8"),
        Entry(url="http://a/2"),
    ]
    assert [each.lastmod for each in read(ATOM.encode()).entries] == ["2026-01-02", None]
    assert read(RSS.encode()).entries[0].lastmod == "Mon, 06 Sep 2021 00:01:00 +0000"


def test_the_charset_of_the_header_counts_where_the_file_says_nothing() -> None:
    assert read(latin(urlset("café", head="")), charset="ISO-8859-1").paths == ["café"]
    said = urlset("café", head='<?xml version="1.0" encoding="utf-8"?>').encode()
    assert read(said, charset="ISO-8859-1").paths == ["café"]
    assert read("http://a/й".encode("koi8-r"), charset="koi8-r").paths == ["й"]
    assert read(urlset("é", head="").encode(), charset="zlib_codec").paths == ["é"]


def test_problems_are_counted_and_the_first_ones_named() -> None:
    found = read(urlset(more="".join(f"<url><loc>nope-{n}</loc></url>" for n in range(20))).encode())
    assert found.skipped == 20
    assert found.problems[0] == "not an http or https URL: 'nope-0'"
    assert len(found.problems) == 5


def test_a_file_that_is_too_large_is_cut_and_what_was_read_counts() -> None:
    found = read(urlset(*map(str, range(1_000))).encode(), max_bytes=10_000)
    assert found.failure == "too_large"
    assert 200 < len(found.entries) < 300


def test_bombs_cost_what_their_limit_is() -> None:
    bomb = gzip.compress(b"<urlset>" + b" " * 20_000_000 + urls("1").encode())
    for file in (bomb, gzip.compress(bomb), gzip.compress(gzip.compress(bytes(20_000_000)))):
        assert read(file).failure == "too_large"
    members = gzip.compress(b"") * (SMALL // 10)
    assert read(gzip.compress(members)).failure == "too_large"


def test_the_last_line_of_a_list_that_was_cut_is_no_url() -> None:
    found = read(b"http://a/1\nhttp://a/2", cut=True)
    assert (found.paths, found.failure) == (["1"], "truncated")


# -- the network does not matter ------------------------------------------------------------------


PARTS = st.sampled_from(
    [
        *(
            "<urlset>",
            "</urlset>",
            "<url>",
            "</url>",
            "<loc>",
            "</loc>",
            "http://a/1",
            "http://[",
            "&",
            "&amp;",
            "&#0;",
        ),
        *("<![CDATA[", "]]>", "<!--", "-->", "<", ">", '"', "\n", " ", "é", "\x00", "<?xml version='1.0'?>", "<rss>"),
        *("<item>", "<link>", "</link>", "<a b=c>", "<!DOCTYPE urlset [", "]>", "<!ENTITY a 'b'>", "&a;", "\ufeff"),
    ]
)


@given(
    parts=st.lists(PARTS, max_size=40),
    whole=st.booleans(),
    charset=st.sampled_from(["utf-8", "utf-16", "utf-16-be", "utf-8-sig"]),
    packed=st.integers(0, 2),
    ends=st.lists(st.integers(0, 2_000), max_size=20),
    damage=st.none() | st.tuples(st.integers(0, 2_000), st.integers(0, 255)),
)
@settings(max_examples=150, deadline=None)
def test_how_a_file_is_cut_changes_nothing(
    parts: list[str],
    whole: bool,
    charset: str,
    packed: int,
    ends: list[int],
    damage: tuple[int, int] | None,
) -> None:
    data = (urlset("1", more="".join(parts)) if whole else "".join(parts)).encode(charset)
    for _ in range(packed):
        data = gzip.compress(data, mtime=0)
    if damage is not None and data:
        at = damage[0] % len(data)
        data = data[:at] + bytes([damage[1]]) + data[at + 1 :]
    assert read(data, *(end for end in ends if end < len(data))) == read(data)


def test_a_long_file_is_the_same_however_it_arrives() -> None:
    """Longer than the blocks in which it is unpacked and parsed, and damaged in the middle."""
    chance = random.Random(7)
    data = urlset(*(f"{n}?a=1&b={n}" for n in range(3_000))).encode()
    packed = gzip.compress(data)
    torn = packed[:9_000] + b"\xff" * 9 + packed[9_009:]
    for file in (data, packed, torn, gzip.compress(torn)):
        once = read(file)
        assert len(once.entries) > 500
        for _ in range(3):
            assert read(file, *(chance.randrange(len(file)) for _ in range(50))) == once
