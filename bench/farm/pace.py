"""What one troubled page or host costs its neighbours: `python -m bench farm pace`.

A host of 61 pages, of which one always answers 503 without Retry-After, beside the same host where all pages load: how
fast are the other sixty? And eleven hosts whose robots.txt takes three seconds: are they asked side by side? Each is a
crawl as `stillframe crawl` runs it; the server has the times.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from aiohttp import web

from bench.measure import Table, interleaved, machine, record, table
from stillframe.farm.crawl import CrawlSettings, run_crawl
from stillframe.testing.app_server import serving

PAGES, HOSTS = 60, 11
ROBOTS_S = 3.0
LIMIT_S = 300.0
CONCURRENCY = 4
GOAL = 0.95
"""The least share of its pace that a host keeps beside a page that always answers 503 (issue 34)."""
WHOLE, TROUBLED = "61 pages that load", "60 that load, one that answers 503"
PACE, SLOW = (
    "How fast are the pages of a host with one that always answers 503?",
    "How long do eleven slow robots.txt take?",
)
SIDE, SERIAL = "all hosts", "one after another"


class Site:
    """A host of pages, or several hosts on one port; `at` has the moment of each request, by host and path."""

    def __init__(self, *, busy: bool = False, robots_s: float = 0.0) -> None:
        self.busy = busy
        self.robots_s = robots_s
        self.at: dict[tuple[str, str], float] = {}
        self.port = 0
        self.whole = asyncio.Event()
        """Set when each page that loads was answered."""

    def answer(self, request: web.Request) -> web.Response:
        """Return a page."""
        host, path = request.host.partition(":")[0], request.path
        self.at.setdefault((host, path), time.monotonic())
        if path == "/p/0" and self.busy:
            return web.Response(status=503, text="later")
        links = ""
        if path == "/":
            links = "".join(f"<a href=/p/{n}>{n}</a>" for n in range(PAGES + 1))
        elif path == "/hosts":
            links = "".join(f"<a href=http://127.0.0.{n + 2}:{self.port}/page>{n}</a>" for n in range(HOSTS))
        return web.Response(text=f"<title>{path}</title><h1>{host}{path}</h1>{links}", content_type="text/html")

    async def robots(self, request: web.Request) -> web.Response:
        """Return a robots.txt that takes its time, but not that of the first host."""
        host = request.host.partition(":")[0]
        self.at.setdefault((host, request.path), time.monotonic())
        await asyncio.sleep(0 if host == "127.0.0.1" else self.robots_s)
        return web.Response(text="User-agent: *\nDisallow: /private\n")

    async def page(self, request: web.Request) -> web.Response:
        """Return a page, and notice the last one."""
        answer = self.answer(request)
        pages = [path for _, path in self.at if path.startswith("/p") and path != "/p/0"]
        if len(pages) == (HOSTS if self.robots_s else PAGES):
            self.whole.set()
        return answer

    def seconds(self) -> float:
        """Return how long the pages took, from the first request to the last."""
        times = [at for (_, path), at in self.at.items() if path.startswith("/p") and path != "/p/0"]
        return max(times) - min(self.at.values())


@asynccontextmanager
async def served(site: Site) -> AsyncIterator[str]:
    """Serve a site on all addresses of loopback and yield the URL of the first."""
    app = web.Application()
    app.router.add_get("/robots.txt", site.robots)
    app.router.add_get("/{path:.*}", site.page)
    async with serving(app, host="0.0.0.0") as site.port:
        yield f"http://127.0.0.1:{site.port}"


async def crawled(site: Site, path: str, *, same_host: bool = True) -> Site:
    """Crawl a site until its pages are there; what still waits is left."""
    stop = asyncio.Event()
    with tempfile.TemporaryDirectory(prefix="bench-pace-") as folder:
        async with served(site) as url, asyncio.timeout(LIMIT_S):
            settings = CrawlSettings(urls=(url + path,), same_host=same_host, depth=1)
            crawl = asyncio.create_task(
                run_crawl(settings, out=Path(folder) / "out", concurrency=CONCURRENCY, stop=stop)
            )
            try:
                await site.whole.wait()
                stop.set()
                await crawl
            finally:
                crawl.cancel()
                await asyncio.gather(crawl, return_exceptions=True)
    return site


async def pace_of(*, busy: bool) -> float:
    """Return pages a second of a host."""
    return PAGES / (await crawled(Site(busy=busy), "/")).seconds()


async def side_by_side(robots_s: float = ROBOTS_S) -> float:
    """Return the seconds in which eleven hosts with a slow robots.txt are read and their pages asked for."""
    site = await crawled(Site(robots_s=robots_s), "/hosts", same_host=False)
    slow = [at for (host, path), at in site.at.items() if path == "/robots.txt" and host != "127.0.0.1"]
    pages = [at for (_, path), at in site.at.items() if path == "/page"]
    return max(pages) - min(slow)


async def measured(rounds: int) -> list[Table]:
    """Return the figures, taken in turns."""
    lanes = {WHOLE: lambda: pace_of(busy=False), TROUBLED: lambda: pace_of(busy=True)}
    paces = await interleaved(lanes, rounds)
    slow = [await side_by_side() for _ in range(rounds)]
    return [
        table(PACE, "pages/s", WHOLE, paces),
        table(SLOW, "s", SERIAL, {SIDE: slow, SERIAL: [HOSTS * ROBOTS_S]}, notes={SERIAL: "computed: 11 x 3 s"}),
    ]


def right(tables: Sequence[Table]) -> bool:
    """Return whether the goals are reached."""
    pace, slow = tables[0].row(TROUBLED), tables[1].row(SIDE)
    return bool(pace and slow and (pace.ratio or 0.0) >= GOAL and slow.median < HOSTS * ROBOTS_S / 2)


def main(arguments: Sequence[str]) -> int:
    """Measure, print, and record where asked; the exit code is 1 if a goal is missed."""
    parser = argparse.ArgumentParser(prog="bench farm pace", description="What one troubled page costs the others.")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--record", help="name of the file under bench/results")
    options = parser.parse_args(arguments)
    tables = asyncio.run(measured(options.rounds))
    sys.stdout.write(f"{machine()}\n")
    for each in tables:
        for row in each.rows:
            spread = f"{row.median:.2f} ({row.low:.2f} to {row.high:.2f}) {each.unit}, n = {row.samples}"
            sys.stdout.write(f"{row.name}: {spread}, {100 * (row.ratio or 0.0):.0f} % {row.note}\n")
    if options.record:
        sys.stdout.write(f"recorded in {record(tables, options.record)}\n")
    return int(not right(tables))
