"""Sitemaps as operators serve them: the files of one host, and which pages of it are queued."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Mapping
from typing import NamedTuple

from operators.raw import Answer, http


class SitemapCase(NamedTuple):
    """One host: its answers by path (of its URL), and the paths that are queued, or `failed` and `skipped` entries."""

    name: str
    why: str
    given: Callable[[str], Mapping[str, Answer]]
    expected: frozenset[str]
    sitemaps: tuple[str, ...] = ("/s.xml",)
    read: int = 1
    failed: Mapping[str, int] = {}
    skipped: int = 0
    elsewhere: int = 0


PROTOCOL = "sitemaps.org"
NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
HEAD = '<?xml version="1.0" encoding="UTF-8"?>'


def locs(*urls: str, tag: str = "url") -> str:
    """Return entries of a sitemap."""
    return "".join(f"<{tag}><loc>{url}</loc></{tag}>" for url in urls)


def urlset(*urls: str, head: str = HEAD) -> str:
    """Return a sitemap of pages."""
    return f'{head}<urlset xmlns="{NAMESPACE}">{locs(*urls)}</urlset>'


def index(*urls: str) -> str:
    """Return a sitemap of sitemaps."""
    return f'{HEAD}<sitemapindex xmlns="{NAMESPACE}">{locs(*urls, tag="sitemap")}</sitemapindex>'


def robots(*sitemaps: str) -> bytes:
    """Return a robots.txt that allows all and names sitemaps."""
    return http("User-agent: *\nDisallow:\n" + "".join(f"{each}\n" for each in sitemaps))


def file(content: Callable[[str], str | bytes], **headers: str) -> Callable[[str], Mapping[str, Answer]]:
    """Return a host with one sitemap, /s.xml."""
    return lambda site: {"/s.xml": http(content(site), **headers)}


def pages(*paths: str) -> frozenset[str]:
    """Return paths as they are expected."""
    return frozenset(paths)


CASES: tuple[SitemapCase, ...] = (
    # where they are
    SitemapCase(
        "robots.txt names two",
        f"{PROTOCOL}: submitting; any case, anywhere in the file",
        lambda site: {
            "/robots.txt": robots(f"SITEMAP: {site}/a.xml", f"Sitemap:{site}/b.txt # new"),
            "/a.xml": http(urlset(f"{site}/1")),
            "/b.txt": http(f"{site}/2\n"),
            "/sitemap.xml": http(urlset(f"{site}/never")),
        },
        pages("/1", "/2"),
        ("auto",),
        read=2,
    ),
    SitemapCase(
        "robots.txt names none",
        f"{PROTOCOL}: the usual place",
        lambda site: {"/robots.txt": robots(), "/sitemap.xml": http(urlset(f"{site}/1"))},
        pages("/1"),
        ("auto",),
    ),
    SitemapCase(
        "no robots.txt",
        f"{PROTOCOL}: the usual place",
        lambda site: {"/sitemap.xml": http(urlset(f"{site}/1"))},
        pages("/1"),
        ("auto",),
    ),
    SitemapCase(
        "it has moved",
        "RFC 9110 15.4",
        lambda site: {"/s.xml": http("", "301 Moved Permanently", Location="/new"), "/new": http(urlset(f"{site}/1"))},
        pages("/1"),
    ),
    SitemapCase(
        "an index of sitemaps, packed and plain",
        f"{PROTOCOL}: sitemap index",
        lambda site: {
            "/s.xml": http(index(f"{site}/a.xml.gz", f"{site}/b.xml")),
            "/a.xml.gz": http(gzip.compress(urlset(f"{site}/1").encode()), Content_Type="application/x-gzip"),
            "/b.xml": http(urlset(f"{site}/2")),
        },
        pages("/1", "/2"),
        read=3,
    ),
    SitemapCase(
        "an index that names itself",
        "each once, or it never ends",
        lambda site: {"/s.xml": http(index(f"{site}/s.xml", f"{site}/b.xml")), "/b.xml": http(urlset(f"{site}/1"))},
        pages("/1"),
        read=2,
    ),
    SitemapCase(
        "one sitemap of an index is gone",
        "the others count, the loss has a name",
        lambda site: {
            "/s.xml": http(index(f"{site}/gone.xml", f"{site}/b.xml")),
            "/b.xml": http(urlset(f"{site}/1")),
        },
        pages("/1"),
        read=2,
        failed={"http_404": 1},
    ),
    # what they are packed and written in
    SitemapCase(
        "packed by the server",
        "RFC 9110 8.4",
        lambda site: {"/s.xml": http(gzip.compress(urlset(f"{site}/1").encode()), Content_Encoding="gzip")},
        pages("/1"),
    ),
    SitemapCase(
        "UTF-16",
        "XML 1.0 4.3.3",
        file(lambda site: urlset(f"{site}/é", head='<?xml version="1.0" encoding="UTF-16"?>').encode("utf-16")),
        pages("/é"),
    ),
    SitemapCase(
        "Latin-1, said by the header",
        "RFC 7303 3: the charset of the header",
        file(
            lambda site: urlset(f"{site}/caf\xe9", head="").encode("latin-1"), Content_Type="text/xml; charset=latin1"
        ),
        pages("/café"),
    ),
    SitemapCase(
        "UTF-8 that is escaped", "RFC 3986 2.1", file(lambda site: urlset(f"{site}/caf%C3%A9")), pages("/café")
    ),
    # forms
    SitemapCase(
        "a namespace prefix",
        "XML namespaces 1.0",
        file(
            lambda site: f'<s:urlset xmlns:s="{NAMESPACE}"><s:url><s:loc>{site}/1</s:loc></s:url></s:urlset>',
        ),
        pages("/1"),
    ),
    SitemapCase(
        "RSS 2.0",
        f"{PROTOCOL}: other formats",
        file(
            lambda site: (
                f"<rss version='2.0'><channel><link>{site}/</link><item><link>{site}/1</link></item>"
                f"<item><guid>{site}/2</guid></item></channel></rss>"
            )
        ),
        pages("/1", "/2"),
    ),
    SitemapCase(
        "Atom",
        f"{PROTOCOL}: other formats; RFC 4287",
        file(
            lambda site: (
                f"<feed xmlns='http://www.w3.org/2005/Atom'><link rel='self' href='{site}/feed'/>"
                f"<entry><link href='{site}/1'/></entry></feed>"
            )
        ),
        pages("/1"),
    ),
    SitemapCase(
        "a text file",
        f"{PROTOCOL}: text file, one URL a line",
        file(lambda site: f"\ufeff{site}/1\r\n{site}/2\r\n"),
        pages("/1", "/2"),
    ),
    # faults
    SitemapCase(
        "a bare ampersand",
        "as browsers read it in HTML",
        file(lambda site: urlset(f"{site}/?a=1&b=2", f"{site}/?a=1&amp;b=3")),
        pages("/?a=1&b=2", "/?a=1&b=3"),
    ),
    SitemapCase(
        "a URL that is none",
        "the others count",
        file(lambda site: urlset("http://[", f"{site}/1", "mailto:a@b")),
        pages("/1"),
        skipped=2,
    ),
    SitemapCase(
        "a blank line first", "XML 1.0 2.8 forbids it", file(lambda site: "\n" + urlset(f"{site}/1")), pages("/1")
    ),
    SitemapCase(
        "it ends in the middle",
        "what arrived counts",
        lambda site: {"/s.xml": http(urlset(f"{site}/1", f"{site}/2")[:-30], length=100_000)},
        pages("/1"),
        read=0,
        failed={"truncated": 1},
    ),
    SitemapCase(
        "the page of a login",
        "no sitemap at all",
        file(lambda _: "<!DOCTYPE html><title>Log in</title><a href=/1>1</a>", Content_Type="text/html"),
        pages(),
        read=0,
        failed={"not_a_sitemap": 1},
    ),
    SitemapCase(
        "entities of a DTD",
        "never expanded: billion laughs",
        file(lambda site: '<!DOCTYPE x [<!ENTITY a "1">]>' + urlset(f"{site}/1", head="")),
        pages("/1"),
    ),
    # which pages
    SitemapCase(
        "pages of another host",
        f"{PROTOCOL}: location, one host",
        file(lambda site: urlset(f"{site}/1", "http://other.invalid/2")),
        pages("/1"),
        elsewhere=1,
    ),
    SitemapCase(
        "images of a page",
        "Google's image extension: no pages",
        file(
            lambda site: (
                f'<urlset xmlns="{NAMESPACE}" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">'
                f"<url><loc>{site}/1</loc><image:image><image:loc>{site}/i.png</image:loc></image:image></url></urlset>"
            )
        ),
        pages("/1"),
    ),
    SitemapCase(
        "one page by two links of a campaign",
        "utm parameters do not tell pages apart",
        file(lambda site: urlset(f"{site}/1", f"{site}/1?utm_source=mail")),
        pages("/1"),
    ),
)
