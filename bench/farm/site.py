"""A made-up site for crawls: pages whose number says how they come to be, and what they hold when they are complete.

Most pages fetch their rows and show them after a timer, as applications do; the others are static, have a clock that
never stands still, wait for a slow server, or are broken. The server counts what it serves.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from typing import Literal

from aiohttp import web

Kind = Literal["static", "rendered", "clock", "slow", "broken"]

KINDS: tuple[Kind, ...] = (
    *("rendered",) * 58,
    *("static",) * 25,
    *("clock",) * 10,
    *("slow",) * 5,
    *("broken",) * 2,
)
"""One hundred pages in their shares; a page's number decides which one it is."""
STEP = 37
"""Prime to the number of shares, so that kinds that stand together in `KINDS` are spread over the numbers."""
ROWS = 30
COMPLETE = f"#rows li:nth-child({ROWS})"
"""The selector that somebody who knows the site waits for."""
FETCH_S = 0.04
SLOW_S = 0.8
TIMER_MS = 20

SCRIPT = """
const show = rows => setTimeout(() => {
  document.getElementById("rows").innerHTML = rows.map(row => `<li>${row}</li>`).join("");
  document.getElementById("state").textContent = "complete";
}, %(timer)d);
fetch("/rows/%(number)d").then(reply => reply.json()).then(show);
"""
CLOCK = "setInterval(() => { document.getElementById('clock').textContent = Date.now(); }, 100);"


def kind_of(number: int) -> Kind:
    """Return what kind of page a number is."""
    return KINDS[number * STEP % len(KINDS)]


def rows_of(number: int) -> list[str]:
    """Return the rows of a page, which no other page has."""
    return [f"row {row} {hashlib.sha256(f'{number}/{row}'.encode()).hexdigest()[:16]}" for row in range(ROWS)]


def is_complete(number: int, text: str) -> bool:
    """Say whether the text or the HTML of a page has every row."""
    return all(row in text for row in rows_of(number))


def links_of(number: int, pages: int) -> list[int]:
    """Return the numbers that a page links to: a tree with a root at 0, so that a crawl from there finds all pages."""
    return [child for child in range(number * 8 + 1, number * 8 + 9) if child < pages]


def html_of(number: int, pages: int) -> str:
    """Return the HTML of a page as the server sends it."""
    kind = kind_of(number)
    static = "".join(f"<li>{row}</li>" for row in rows_of(number)) if kind == "static" else ""
    scripts = "" if kind == "static" else SCRIPT % {"timer": TIMER_MS, "number": number}
    links = "".join(f'<a href="/page/{child}">page {child}</a> ' for child in links_of(number, pages))
    return (
        f"<!doctype html><html><head><title>Page {number}</title></head><body><h1>Page {number}</h1>"
        f'<p id="clock"></p><p id="state"></p><nav>{links}</nav><ul id="rows">{static}</ul>'
        f"<script>{scripts}{CLOCK if kind == 'clock' else ''}</script></body></html>"
    )


class Site:
    """The site as a server on loopback; `served` counts the documents that it has sent, by number.

    `first_request` is when it was first asked for a page, on the monotonic clock; `asked` is set then.
    """

    def __init__(self, pages: int) -> None:
        self.pages = pages
        self.served: dict[int, int] = {}
        self.first_request = 0.0
        self.asked = asyncio.Event()
        self._runner: web.AppRunner | None = None
        self.url = ""

    async def __aenter__(self) -> Site:
        app = web.Application()
        app.router.add_get("/page/{number}", self._page)
        app.router.add_get("/rows/{number}", self._rows)
        app.router.add_get("/favicon.ico", self._nothing)
        app.router.add_get("/robots.txt", self._robots)
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        assert site._server is not None
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(self, *exc: object) -> None:
        assert self._runner is not None
        await self._runner.cleanup()

    def urls(self) -> list[str]:
        """Return the URLs of all pages, in the order of their numbers."""
        return [f"{self.url}/page/{number}" for number in range(self.pages)]

    async def _page(self, request: web.Request) -> web.Response:
        number = int(request.match_info["number"])
        self.first_request = self.first_request or time.monotonic()
        self.asked.set()
        self.served[number] = self.served.get(number, 0) + 1
        if kind_of(number) == "broken":
            return web.Response(status=500, text="<h1>Internal Server Error</h1>", content_type="text/html")
        return web.Response(text=html_of(number, self.pages), content_type="text/html")

    async def _rows(self, request: web.Request) -> web.Response:
        number = int(request.match_info["number"])
        await asyncio.sleep(SLOW_S if kind_of(number) == "slow" else FETCH_S)
        return web.json_response(rows_of(number))

    async def _nothing(self, _request: web.Request) -> web.Response:
        return web.Response(status=204)

    async def _robots(self, _request: web.Request) -> web.Response:
        return web.Response(text="User-agent: *\nAllow: /\n")
