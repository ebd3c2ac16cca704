"""A site for crawls on loopback: a tree of pages that render after a fetch, and pages with every kind of trouble."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
import time
from collections import Counter
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

from aiohttp import web
from pdfs import pdf_of

from stillframe.testing import app_server

PAGES = 8
"""Of the tree: three levels, and more than are open at once."""
FETCH_S = 0.02
LARGE = 1_200_000
"""Characters of text, more than a record takes; to lay out 5 million takes Chrome seconds."""
HUGE = 200_000_000
PACKED = gzip.compress(b"<title>Packed</title><!--" + b"word " * 5_000_000, 1)
"""A page of 25 MB that comes packed; Chrome has the least work with a comment."""
PAPER = pdf_of("Words of a paper", title="A paper")
TREE = """<title>Page {number}</title><h1>Page {number}</h1><nav>{links}</nav><p id=text></p><script>
fetch("/text/{number}").then(reply => reply.text()).then(text => setTimeout(() => {{
  document.getElementById("text").textContent = text; }}, 10));</script>"""
DIALOGS = "<title>Dialogs</title><script>for (let i = 0; i < 10; i++) alert(i); document.title = 'after'</script>"
GREEDY = "<title>Greedy</title><script>const all = []; for (;;) all.push(new Array(1e5).fill(0.5))</script>"
"""A page that allocates until its renderer ends."""
ROUTED = """<title>Routed</title><nav><a href="#/one">1</a><a href="#/two">2</a><a href="#part">3</a></nav><main></main>
<script>window.shown = [];
const show = () => fetch("/text/" + location.hash.length).then(reply => reply.text()).then(text => {
  shown.push(location.hash); document.querySelector("main").textContent = `${shown} ${text}`; });
addEventListener("hashchange", show); show();</script>"""
"""An application that routes by fragments; it shows the routes that its document has had."""
BLOCKING = "<title>Blocked</title><div hidden><iframe src='/missing?_Incapsula_Resource'></iframe></div>"
"""A page by which a site says that it takes the crawler for one."""
TWIN = "<title>Twin</title>" + "".join(
    f"<section><h2>Part {n}</h2><p>Words of part {n}, all equal.</p></section>" for n in range(20)
)


def text_of(number: int) -> str:
    """Return what a page of the tree holds once it is complete."""
    return f"the whole text of page {number}, number {number * 7919 % 1009}"


class CrawlSite:
    """The site; `seen` counts the requests by path, `blocked` holds the pages of the tree back while it is not set."""

    def __init__(self, pages: int = PAGES) -> None:
        self.pages = pages
        self.seen: Counter[str] = Counter()
        self.times: list[float] = []
        """When pages of the tree were asked for, on the monotonic clock."""
        self.released = asyncio.Event()
        self.released.set()
        self.held = asyncio.Event()
        """Set when a page of the tree waits to be released."""
        self.hold_after = 0
        self.url = ""
        self._serving: AbstractAsyncContextManager[int]

    async def __aenter__(self) -> CrawlSite:
        app = web.Application()
        routes: dict[str, Any] = {
            "/p/{number}": self._page,
            "/text/{number}": self._text,
            "/robots.txt": lambda _: web.Response(text=f"User-agent: *\nDisallow: /private\n{self.more_robots}"),
            "/start": lambda _: self._html("".join(f'<a href="{path}">x</a>' for path in self.start)),
            "/paper": lambda _: web.Response(body=PAPER, content_type="application/pdf"),
            "/private": lambda _: self._html("private"),
            "/throttled": self._throttled,
            "/busy": self._busy,
            "/broken": lambda _: web.Response(status=500, text="<h1>broken</h1>", content_type="text/html"),
            "/missing": lambda _: web.Response(status=404, text="<h1>missing</h1>", content_type="text/html"),
            "/loop": lambda _: web.HTTPFound("/loop"),
            "/download": lambda _: web.Response(
                body=b"x" * 1000, headers={"Content-Disposition": "attachment; filename=a.bin"}
            ),
            "/dialogs": lambda _: self._html(DIALOGS),
            "/routed": lambda _: self._html(ROUTED),
            "/Routed": lambda _: self._html("<title>Another page</title>"),
            "/away": lambda _: web.HTTPFound(self.url.replace("127.0.0.1", "localhost") + "/p/0"),
            "/twin/{number}": lambda request: self._html(TWIN),
            "/large": lambda _: self._html("<title>Large</title>" + "words " * (LARGE // 6)),
            "/huge": self._huge,
            "/packed": lambda _: web.Response(
                body=PACKED, content_type="text/html", headers={"Content-Encoding": "gzip"}
            ),
            "/greedy": lambda _: self._html(GREEDY),
            "/referer": lambda request: self._html(f"<title>{request.headers.get('Referer')}</title>"),
            "/blocking": lambda _: self._html(BLOCKING),
            "/hang": self._hang,
            "/favicon.ico": lambda _: web.Response(status=204),
        }
        for path, handler in routes.items():
            app.router.add_get(path, _counted(self.seen, handler))
        self._serving = app_server.serving(app)
        self.url = f"http://127.0.0.1:{await self._serving.__aenter__()}"
        return self

    async def __aexit__(self, *exc: object) -> None:
        self.released.set()
        await self._serving.__aexit__(None, None, None)

    more_robots = ""
    """More lines of robots.txt."""
    start: tuple[str, ...] = ()
    """The links of the page /start."""

    @property
    def root(self) -> str:
        """The first page of the tree; all others can be reached from it."""
        return f"{self.url}/p/0"

    def tree(self) -> dict[str, str]:
        """Return the URLs of the tree with their texts."""
        return {f"{self.url}/p/{number}": text_of(number) for number in range(self.pages)}

    def hold(self, after: int) -> None:
        """Answer `after` more pages of the tree, and let all others wait until `released` is set."""
        self.hold_after = sum(count for path, count in self.seen.items() if path.startswith("/p/")) + after
        self.held.clear()
        self.released.clear()

    # -- handlers ----------------------------------------------------------------------------------

    async def _page(self, request: web.Request) -> web.Response:
        number = int(request.match_info["number"])
        self.times.append(time.monotonic())
        if not self.released.is_set() and sum(self.seen[f"/p/{n}"] for n in range(self.pages)) > self.hold_after:
            self.held.set()
            await self.released.wait()
        children = [child for child in range(3 * number + 1, 3 * number + 4) if child < self.pages]
        links = "".join(f'<a href="/p/{child}">{child}</a>' for child in children)
        return self._html(TREE.format(number=number, links=links))

    async def _text(self, request: web.Request) -> web.Response:
        await asyncio.sleep(FETCH_S)
        return web.Response(text=text_of(int(request.match_info["number"])))

    async def _throttled(self, request: web.Request) -> web.Response:
        if self.seen["/throttled"] == 1:
            return web.Response(status=429, text="wait", headers={"Retry-After": "1"})
        return self._html("<title>At last</title>")

    async def _busy(self, request: web.Request) -> web.Response:
        if self.seen["/busy"] == 1:
            return web.Response(status=503, text="wait", headers={"Retry-After": "1"})
        return self._html("<title>At last</title>")

    async def _hang(self, request: web.Request) -> web.Response:
        await self.released.wait()
        await asyncio.sleep(60)
        return self._html("late")

    async def _huge(self, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/html", "Content-Length": str(HUGE)})
        await response.prepare(request)
        with contextlib.suppress(ConnectionError):
            for _ in range(HUGE // 100_000):
                await response.write(b"<p>A paragraph of a page without end " * 2_702 + b" " * 26)
        return response

    def _html(self, html: str) -> web.Response:
        return web.Response(text=html, content_type="text/html")


def _counted(seen: Counter[str], handler: Any) -> Any:
    async def handle(request: web.Request) -> web.StreamResponse:
        seen[request.path] += 1
        answer = handler(request)
        found: Any = await answer if asyncio.iscoroutine(answer) else answer
        if isinstance(found, web.HTTPException):
            raise found
        return found  # type: ignore[no-any-return]

    return handle


def records(out: Path) -> list[dict[str, Any]]:
    """Return the records in an output folder's JSON lines."""
    return [json.loads(line) for line in (out / "pages.jsonl").read_text().splitlines()]


def by_url(out: Path) -> dict[str, dict[str, Any]]:
    """Return the records by URL; fails if a URL stands twice."""
    found = records(out)
    urls = Counter(record["url"] for record in found)
    assert max(urls.values(), default=1) == 1, [url for url, count in urls.items() if count > 1]
    return {record["url"]: record for record in found}


def check_tree(site: CrawlSite, out: Path) -> None:
    """Fail unless the output has each page of the tree once, complete."""
    found = by_url(out)
    assert {
        url: text_of(int(url.rpartition("/")[2])) in record.get("text", "") for url, record in found.items()
    } == dict.fromkeys(site.tree(), True)
