"""Documents as servers send them, and what Chrome shows of each: the fields of its record."""

from __future__ import annotations

import base64
import gzip
import zlib
from typing import Any, NamedTuple

from pdfs import pdf_of

from operators.raw import Answer, http


class DocumentCase(NamedTuple):
    """One answer, and fields of the record; `text` without the space around and between its words, `links` as paths."""

    name: str
    why: str
    given: Answer
    expected: dict[str, Any]


def page(body: str | bytes, status: str = "200 OK", *, title: str = "T", **headers: str) -> bytes:
    """Return an HTML document in UTF-8, or in whatever its bytes are."""
    content = f"<!doctype html><title>{title}</title>{body}".encode() if isinstance(body, str) else body
    return http(content, status, **{"Content_Type": "text/html; charset=utf-8", **headers})


def html(body: str, charset: str, content_type: str, *, meta: str = "", mark: bytes = b"") -> bytes:
    """Return a document in an encoding, with what its header and its meta element call it."""
    return http(mark + f"<!doctype html>{meta}<title>T</title>{body}".encode(charset), Content_Type=content_type)


PIXEL = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=")
RUSSIAN, JAPANESE, KOREAN = "Съешь ещё", "日本語の文", "한국어 글"
RTL = "مرحبا Hello עולם"
SOURCE = "<script>document.write('<p>written</p>')</script>"
LATE = """<p id=x>early</p><script>
fetch("/late").then(answer => answer.text()).then(text => setTimeout(() => { x.textContent = text }, 200))</script>"""
OVERWRITTEN = """<p>kept</p><a href=/more>more</a><script>
for (const kind of [Array, String, Object, Node, Element, Document])
  for (const name of ["map", "trim", "keys", "textContent", "getAttribute", "querySelectorAll", "createTreeWalker"])
    try { Object.defineProperty(kind.prototype, name, {get() { throw "no" }}); } catch {}
JSON.stringify = null; Map.prototype.get = null; globalThis.Array = null;</script>"""
ASKS = """<p>after</p><script>alert(1); confirm(2); prompt(3); print(); open("/more"); document.title = "asked";
navigator.geolocation.getCurrentPosition(() => {}); onbeforeunload = event => event.preventDefault()</script>"""
PLACE = """<base href="/base/"><a href=one>1</a><a href="?q">2</a><a href=#part>3</a><a href="//other.invalid/two">4</a>
<a href="mailto:a@b">5</a><a href="javascript:1">6</a><a href="http://[">7</a><a>8</a>"""
ENCODING, PARSING, URLS = "Encoding Standard", "HTML 13.2", "URL Standard"

OTHERS: dict[str, Answer] = {
    "/late": http("late"),
    "/target": page("<p>target</p>"),
    "/hop": http("", "302 Found", Location="/target"),
    "/more": page("<p>more"),
}
"""What the documents ask for."""

CASES: tuple[DocumentCase, ...] = (
    # encodings
    DocumentCase(
        "windows-1251 by its header",
        ENCODING,
        html(f"<p>{RUSSIAN}", "windows-1251", "text/html; charset=windows-1251"),
        {"text": RUSSIAN},
    ),
    DocumentCase(
        "Shift_JIS by its meta element",
        PARSING,
        html(f"<p>{JAPANESE}", "shift_jis", "text/html", meta="<meta charset=Shift_JIS>"),
        {"text": JAPANESE},
    ),
    DocumentCase(
        "EUC-KR in the old form",
        PARSING,
        html(
            f"<p>{KOREAN}",
            "euc-kr",
            "text/html",
            meta='<meta http-equiv="Content-Type" content="text/html; charset=euc-kr">',
        ),
        {"text": KOREAN},
    ),
    DocumentCase("UTF-16", ENCODING, html(f"<p>{RUSSIAN}", "utf-16", "text/html"), {"text": RUSSIAN}),
    DocumentCase(
        "a byte order mark against the header",
        f"{ENCODING}: the mark wins",
        html(f"<p>{JAPANESE}", "utf-8", "text/html; charset=iso-8859-1", mark=b"\xef\xbb\xbf"),
        {"text": JAPANESE},
    ),
    DocumentCase(
        "the header against the meta element",
        f"{PARSING}.3.2: the header wins",
        html(f"<p>{RUSSIAN}", "utf-8", "text/html; charset=utf-8", meta="<meta charset=windows-1251>"),
        {"text": RUSSIAN},
    ),
    DocumentCase(
        "a charset that nobody knows",
        f"{ENCODING}: no label, so the meta element counts",
        html(f"<p>{RUSSIAN}", "utf-8", "text/html; charset=klingon", meta="<meta charset=utf-8>"),
        {"text": RUSSIAN},
    ),
    DocumentCase(
        "a query in the encoding of its page",
        f"{URLS} 4.4: query state",
        html("<a href='/more?q=Ж'>1</a>", "windows-1251", "text/html; charset=windows-1251"),
        {"links": ["/more?q=%C6"]},
    ),
    DocumentCase(
        "gzip", "RFC 9110 8.4", page(gzip.compress(b"<p>packed"), Content_Encoding="gzip"), {"text": "packed"}
    ),
    DocumentCase(
        "deflate", "RFC 9110 8.4", page(zlib.compress(b"<p>packed"), Content_Encoding="deflate"), {"text": "packed"}
    ),
    # kinds
    DocumentCase(
        "XHTML",
        "XML 1.0: CDATA",
        http(
            '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>T</title></head><body><p>a &amp; <![CDATA[<b>]]>'
            "</p><script><![CDATA[1 < 2]]></script></body></html>",
            Content_Type="application/xhtml+xml",
        ),
        {"text": "a & <b>", "contentType": "application/xhtml+xml", "title": "T"},
    ),
    DocumentCase(
        "plain text with markup",
        "MIME Sniffing 5",
        http("<p>a &amp; b</p>", Content_Type="text/plain"),
        {"text": "<p>a &amp; b</p>", "contentType": "text/plain", "links": []},
    ),
    DocumentCase(
        "an image", "no text", http(PIXEL, Content_Type="image/png"), {"text": "", "contentType": "image/png"}
    ),
    DocumentCase(
        "a PDF",
        "ISO 32000: text of its pages",
        http(pdf_of("Words of a paper"), Content_Type="application/pdf"),
        {"text": "Words of a paper", "contentType": "application/pdf", "status": 200},
    ),
    DocumentCase(
        "a download",
        "RFC 6266: not for showing",
        http("x", Content_Type="application/zip", Content_Disposition="attachment; filename=a.zip"),
        {"error": "download"},
    ),
    # statuses
    DocumentCase("404", "RFC 9110 15.5.5: a page", page("<p>none", "404 Not Found"), {"status": 404, "text": "none"}),
    DocumentCase("410", "RFC 9110 15.5.11", page("<p>gone", "410 Gone"), {"status": 410, "text": "gone"}),
    DocumentCase("500", "RFC 9110 15.6.1", page("<p>broken", "500 Internal Server Error"), {"error": "http_500"}),
    DocumentCase(
        "an empty page", "RFC 9110 15.3.1", page("", title=""), {"status": 200, "text": "", "title": "", "links": []}
    ),
    # redirects
    DocumentCase(
        "two hops", "RFC 9110 15.4", http("", "301 Moved", Location="/hop"), {"finalUrl": "/target", "text": "target"}
    ),
    DocumentCase(
        "a script leads on",
        "HTML 7.4",
        page("<script>location.replace('/target')</script><p>no"),
        {"finalUrl": "/target", "text": "target"},
    ),
    # how it is written
    DocumentCase("a NUL", f"{PARSING}.6.4.7: ignored", page("<p>a\0b"), {"text": "ab"}),
    DocumentCase(
        "references of old editors", f"{PARSING}.5.80: a table", page("<p>a &#150; b &#x80;"), {"text": "a – b €"}
    ),
    DocumentCase("unclosed", f"{PARSING}.10", page("<div><b>a<p>b</i>c<table><tr><td>d"), {"text": "a bc d"}),
    DocumentCase("5,000 levels", "Chrome flattens from 512 on", page("<div>" * 5_000 + "deep"), {"text": "deep"}),
    DocumentCase("both directions", "Unicode: order of reading", page(f"<p>{RTL}"), {"text": RTL}),
    DocumentCase(
        "a lone surrogate",
        "USVString",
        page("<p>a</p><script>document.title = 'x\\ud800'</script>"),
        {"title": "x\ufffd"},
    ),
    DocumentCase(
        "links of a base",
        f"{URLS} 4.4",
        page(PLACE),
        {"links": ["/base/one", "/base/?q", "/base/", "http://other.invalid/two"]},
    ),
    # scripts
    DocumentCase("document.write", "HTML 8.4.3", page(f"<p>a</p>{SOURCE}"), {"text": "a written"}),
    DocumentCase("a fetch, then a timer", "what a person waits for", page(LATE), {"text": "late"}),
    DocumentCase(
        "prototypes that throw", "our world is apart", page(OVERWRITTEN), {"text": "kept more", "links": ["/more"]}
    ),
    DocumentCase("dialogs, printing, popups", "nobody answers", page(ASKS), {"title": "asked", "text": "after"}),
    DocumentCase(
        "scripts are forbidden",
        "CSP 3: sandbox",
        page(f"<p>a</p>{SOURCE}<noscript>b</noscript>", Content_Security_Policy="sandbox"),
        {"text": "a b"},
    ),
    DocumentCase(
        "everything is forbidden", "CSP 3", page("<p>a", Content_Security_Policy="default-src 'none'"), {"text": "a"}
    ),
    # what is shown
    DocumentCase(
        "a declared shadow tree",
        "DOM: flat tree",
        page("<div>b<template shadowrootmode=open><p>a</p><slot></slot></template></div>"),
        {"text": "a b"},
    ),
    DocumentCase(
        "until it is found", "HTML 6.1: not shown", page("<p>a</p><div hidden=until-found>secret</div>"), {"text": "a"}
    ),
    DocumentCase(
        "dialogs of HTML, open and closed",
        "HTML 4.11.4",
        page("<dialog>no</dialog><dialog open>a</dialog><div popover>no</div><details open><summary>b</summary>c"),
        {"text": "a b c"},
    ),
)
