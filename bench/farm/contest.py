"""Runs one crawler on the site in its own process, and judges each page that it hands over by what the page holds."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

from bench.farm.meter import Meter
from bench.farm.processes import ending
from bench.farm.site import COMPLETE, Site, is_complete, kind_of

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
LANES = HERE / "lanes"
PYTHON = HERE / "installed" / "venv" / "bin" / "python"
LINE_BYTES = 16_000_000
"""The longest line that a lane may write: the JSON of one page."""


@dataclass(frozen=True)
class Lane:
    """A crawler: the program in `lanes`, and what it waits for before it hands a page over."""

    name: str
    program: str
    wait: str


RUNNERS = (
    Lane("stillframe", "stillframe_lane", "still"),
    Lane("stillframe crawl, with SQLite and files", "stillframe_crawl_lane", "still"),
    Lane("crawlee, network idle", "crawlee_playwright", "networkidle"),
    Lane("crawlee, load", "crawlee_playwright", "load"),
    Lane("crawlee, a selector by hand", "crawlee_playwright", COMPLETE),
    Lane("scrapy-playwright, network idle", "scrapy_playwright_lane", "networkidle"),
    Lane("scrapy-playwright, load", "scrapy_playwright_lane", "load"),
    Lane("crawl4ai, network idle", "crawl4ai_lane", "networkidle"),
    Lane("crawl4ai, load", "crawl4ai_lane", "load"),
)


@dataclass
class Result:
    """What one run of a lane did."""

    pages: int
    """Pages that can be loaded: all but the broken ones."""
    complete: int = 0
    incomplete: int = 0
    seconds: float = 0.0
    """From the first request that reached the site to the last page handed over."""
    client_cpu_s: float = 0.0
    chrome_cpu_s: float = 0.0
    chrome_mb: float = 0.0
    chrome_median_mb: float = 0.0
    stderr: str = ""
    handed: dict[int, bool] = field(default_factory=dict)

    @property
    def missing(self) -> int:
        """Pages that were never handed over."""
        return self.pages - self.complete - self.incomplete

    @property
    def pages_per_s(self) -> float:
        """Complete pages per second."""
        return self.complete / self.seconds if self.seconds else 0.0

    @property
    def cpu_ms(self) -> float:
        """Milliseconds of client CPU per page handed over, since the first request."""
        return 1000 * self.client_cpu_s / max(1, len(self.handed))

    @property
    def chrome_cpu_ms(self) -> float:
        """Milliseconds of Chrome's CPU per page handed over, since the first request."""
        return 1000 * self.chrome_cpu_s / max(1, len(self.handed))

    @property
    def all_cpu_ms(self) -> float:
        """Milliseconds of CPU per page handed over, of client and Chrome together."""
        return self.cpu_ms + self.chrome_cpu_ms


async def run_lane(lane: Lane, *, pages: int, concurrency: int, chrome: str, limit_s: float) -> Result:
    """Crawl a fresh site with a lane; a lane that takes longer than `limit_s` seconds is ended and judged as it is."""
    async with Site(pages) as site:
        order = {"urls": site.urls(), "concurrency": concurrency, "chrome": chrome, "wait": lane.wait}
        result = Result(pages=sum(kind_of(number) != "broken" for number in range(pages)))
        async with _process(lane) as process:
            meter = Meter(process.pid)
            metering = asyncio.gather(meter.run(), _start(meter, site), return_exceptions=True)
            try:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(limit_s):
                        await _play(process, json.dumps(order).encode(), result, site)
            finally:
                metering.cancel()
                await asyncio.gather(metering, return_exceptions=True)
            result.client_cpu_s, result.chrome_cpu_s = meter.client_cpu_s, meter.chrome_cpu_s
            result.chrome_mb, result.chrome_median_mb = meter.peak_chrome_mb, meter.median_chrome_mb
    return result


async def _start(meter: Meter, site: Site) -> None:
    await site.asked.wait()
    meter.start()


@contextlib.asynccontextmanager
async def _process(lane: Lane) -> AsyncIterator[asyncio.subprocess.Process]:
    env = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *(str(PYTHON), str(LANES / f"{lane.program}.py")),
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        limit=LINE_BYTES,
        env=env,
    )
    async with ending(process):
        yield process


async def _play(process: asyncio.subprocess.Process, order: bytes, result: Result, site: Site) -> None:
    """Give a lane its order and read its pages until it ends."""
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    errors = asyncio.create_task(process.stderr.read())
    process.stdin.write(order)
    process.stdin.close()
    async for line in process.stdout:
        if _take(line, result):
            result.seconds = time.monotonic() - site.first_request
    result.stderr = (await errors).decode(errors="replace")


def _take(line: bytes, result: Result) -> bool:
    """Judge one line of a lane; returns whether it was a page, as crawlers print other things, too."""
    try:
        page = json.loads(line)
        number = int(page["url"].rpartition("/")[2])
    except (ValueError, TypeError, KeyError):
        return False
    if kind_of(number) == "broken" or number in result.handed:
        return False
    result.handed[number] = good = is_complete(number, page["text"])
    result.complete += good
    result.incomplete += not good
    return True
