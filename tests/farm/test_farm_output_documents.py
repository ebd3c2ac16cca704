"""Text and links of a page are what a person can read and follow: one small document for each way to show them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest
from aiohttp import web

from stillframe import Page
from stillframe.farm.output import PageRecord, read_page
from stillframe.testing import PageServer

pytestmark = pytest.mark.browser

AUTO = "<style>section { content-visibility: auto; contain-intrinsic-size: 800px }</style>"
FAR = '<div style="height: 9000px"></div>'


def attached(mode: str, html: str) -> str:
    """Return a script that gives the element before it a shadow tree."""
    host = "document.currentScript.previousElementSibling"
    return f"<script>{host}.attachShadow({{mode: '{mode}'}}).innerHTML = `{html}`</script>"


@dataclass(frozen=True)
class Shown:
    """The HTML of a page, and what is read of it."""

    html: str
    text: str
    links: tuple[str, ...] = ()
    type: str = "text/html"


CASES: dict[str, Shown] = {
    "a script and a style alone": Shown("<script>var leak = 1</script><style>p {}</style>", ""),
    "a hidden body": Shown("<body style='display: none'>secret<script>1</script>", ""),
    "a body that is not visible": Shown("<body style='visibility: hidden'>no<p style='visibility: visible'>yes", "yes"),
    "hidden root": Shown("<html style='display: none'><body>secret", ""),
    "a style sheet that is displayed": Shown("<p>a</p><style style='display: block'>p {}</style><p>b</p>", "a\n\nb"),
    "noscript and template": Shown("<p>a</p><noscript>no</noscript><template>no</template>", "a"),
    "far sections": Shown(
        f"{AUTO}<p>top</p>{FAR}<section><h2>Far</h2><p>one <b>bold</b>  word</p><p hidden>no</p>"
        "<ul><li>a</li><li>b</li></ul><p style='text-transform: uppercase'>loud</p></section>",
        "top\n\nFar\n\none bold word\n\na\nb\n\nLOUD",
    ),
    "far table": Shown(
        f"{AUTO}<p>t</p>{FAR}<section><table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>"
        "<pre>x\n  y</pre>e<br>f</section>",
        "t\n\na\tb\nc\td\nx\n  y\ne\nf",
    ),
    "hidden content": Shown("<p>a</p><div style='content-visibility: hidden'>no</div>", "a"),
    "closed details": Shown("<iframe hidden></iframe><details><summary>more</summary><p>no</p></details>", "more"),
    "below the fold": Shown(f"<p>a</p>{FAR}<p>b</p>", "a\n\nb"),
    "an open shadow tree in its place": Shown(
        f"<p>a</p><div><i>slotted</i></div>{attached('open', '<p>b</p><slot></slot><a href=/s>c</a>')}<p>d</p>",
        "a\n\nb\n\nslottedc\n\nd",
        ("/s",),
    ),
    "a closed shadow tree": Shown(
        f"<p>a</p><div></div>{attached('closed', '<p>b</p><a href=/s>c</a><style>no</style>')}<p>d</p>",
        "a\n\nb\n\nc\n\nd",
        ("/s",),
    ),
    "a frame of the same site": Shown(
        "<p>a</p><iframe src=/inner></iframe><p>b</p>", "a\ninner text\nlink\nb", ("/linked",)
    ),
    "a frame of another site": Shown(
        "<p>a</p><iframe src={other}/inner></iframe><p>b</p>", "a\ninner text\nlink\nb", ("{other}/linked",)
    ),
    "a frame in a frame": Shown("<p>a</p><iframe src=/outer></iframe>", "a\nouter\ninner text\nlink", ("/linked",)),
    "srcdoc": Shown("<iframe srcdoc='<p>written</p>'></iframe>", "written"),
    "frames that show nothing": Shown(
        "<p>a</p><iframe src=/inner hidden></iframe><iframe src=/inner width=1 height=1></iframe>"
        "<iframe src=/inner style='visibility: hidden'></iframe>",
        "a",
    ),
    "a frameset": Shown(
        "<frameset cols='50%,50%'><frame src=/inner><frame src=/second></frameset>",
        "inner text\nlink\nsecond",
        ("/linked",),
    ),
    "an object": Shown("<p>a</p><object data=/inner type=text/html>no</object>", "a\ninner text\nlink", ("/linked",)),
    "links in svg and maps": Shown(
        "<svg><style>no</style><title>no</title><a href=/svg><text y=20>drawn</text></a><a xlink:href=/xlink></a></svg>"
        "<img usemap=#m><map name=m><area href=/area shape=default></map><a href=mailto:a@b>m</a>",
        "drawn\nm",
        ("/svg", "/xlink", "/area"),
    ),
    "a drawing": Shown(
        "<svg xmlns='http://www.w3.org/2000/svg'><style>x{}</style><title>T</title><script>1</script><defs><text>no"
        "</text></defs><text y='20'>seen</text><a href='/svg'><text y='50'>link</text></a></svg>",
        "seen\nlink",
        ("/svg",),
        "image/svg+xml",
    ),
    "json": Shown('{"a": 1}', '{"a": 1}', (), "application/json"),
    "xml": Shown(
        "<?xml version='1.0'?><r><i n='1'>a &amp; b</i><!--c--></r>",
        '<r>\n<i n="1">a & b</i>\n<!-- c -->\n</r>',
        (),
        "application/xml",
    ),
    "transformed xml": Shown(
        "<?xml version='1.0'?><?xml-stylesheet type='text/xsl' href='/style'?><r>said</r>",
        "said\n\nshadow",
        (),
        "text/xml",
    ),
    "text": Shown("a <b>", "a <b>", (), "text/plain"),
    "a blank page": Shown("<title>x</title>", ""),
    "clobbered": Shown(
        "<p>a</p><form name=body></form><img name=title><img name=contentType>"
        "<form><input name=parentNode><input name=innerText>b</form>",
        "a\n\nb",
    ),
}


STYLE = (
    '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/"><html>'
    '<body><p><xsl:value-of select="r"/></p><div id="host"></div><script>host.attachShadow({mode: "open"}).innerHTML ='
    ' "shadow"</script></body></html></xsl:template></xsl:stylesheet>'
)


def reply(body: str | bytes, content_type: str = "text/html") -> Any:
    """Return a handler that answers with a body."""
    content = body.encode() if isinstance(body, str) else body

    async def handler(_: web.Request) -> web.Response:
        return web.Response(body=content, headers={"Content-Type": content_type})

    return handler


async def read(page: Page, url: str) -> PageRecord:
    """Load a page and return its record."""
    await page.goto(url, settle=True)
    return await read_page(page, url)


@pytest.fixture
def frames(site: PageServer) -> PageServer:
    """A site with documents for frames."""
    site.route("/inner", reply("<div>inner text<script>no</script></div><a href=/linked>link</a>"))
    site.route("/outer", reply("<p>outer</p><iframe src=/inner></iframe>"))
    site.route("/second", reply("second"))
    site.route("/style", reply(STYLE, "text/xsl"))
    return site


async def test_what_each_document_shows_is_read(page: Page, frames: PageServer) -> None:
    other, wrong = frames.url("", host="localhost").rstrip("/"), {}
    for name, case in CASES.items():
        frames.route("/case", reply(case.html.replace("{other}", other), case.type))
        record = await read(page, frames.url("/case"))
        links = tuple(each.replace("{other}", other) if "{" in each else frames.url(each) for each in case.links)
        found = "\n".join(line.rstrip() for line in (record.text or "").split("\n")).strip()
        if (found, record.links, record.content_type) != (case.text, links, case.type):
            wrong[name] = (found, record.links, record.content_type)
        assert not record.text_truncated, name
    assert not wrong, "\n".join(f"{name}: {value!r}, not {CASES[name].text!r}" for name, value in wrong.items())


async def test_a_walk_reads_what_inner_text_reads(page: Page, site: PageServer) -> None:
    article = (
        "<h1>A  <em>title</em></h1><p>One <a href=/x>link</a>, two\n words<br>next line.</p><p>Second</p>"
        "<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td><p>2</p></td></tr></tbody></table>"
        "<ul><li>x <b>y</b></li><li><p>z</p></li></ul><pre>def f():\n    return 1</pre><dl><dt>t</dt><dd>d</dd></dl>"
        "<div style='display: flex'><span>f</span> <span>g</span></div>tail <span>words</span> <code> c </code>"
        "<button>Press</button><label>l</label><input value=v><textarea>no</textarea>"
        "<p style='white-space: pre-line'>a\nb   c</p>"
    )
    site.html("/plain", article)
    site.html("/far", f"<main style='content-visibility: auto'>{article}</main>")
    plain = await read(page, site.url("/plain"))
    assert (await read(page, site.url("/far"))).text == plain.text


async def test_frames_are_bounded_and_one_that_hangs_costs_its_text_only(page: Page, site: PageServer) -> None:
    site.route("/busy", reply("busy <script>addEventListener('message', () => { for (;;); })</script>"))
    other = site.url("/busy", host="localhost")
    site.html("/a", f"<p>before</p><iframe id=f src='{other}'></iframe><p>after</p>")
    await page.goto(site.url("/a"), settle=True)
    record = await read_page(page, site.url("/a"), text_characters=10)
    assert record.text_truncated
    assert record.text == "before\nbus"
    many = "<iframe srcdoc='x'></iframe>" * 120
    site.html("/many", f"<p>a</p>{many}")
    await page.goto(site.url("/many"), settle=True)
    record = await read_page(page, site.url("/many"))
    assert record.text is not None
    assert record.text.split() == ["a", *["x"] * 100]
    assert record.text_truncated


async def test_frames_that_go_away_meanwhile(page: Page, frames: PageServer) -> None:
    frames.html(
        "/a",
        "<p>a</p><script>setInterval(() => { document.querySelectorAll('iframe').forEach(f => f.remove());"
        "document.body.append(Object.assign(document.createElement('iframe'), {src: '/inner'})) }, 5)</script>",
    )
    await page.goto(frames.url("/a"))
    found = [await read_page(page, frames.url("/a")) for _ in range(5)]
    assert all(record.text is not None and record.text.startswith("a") for record in found)
    await asyncio.sleep(0)
