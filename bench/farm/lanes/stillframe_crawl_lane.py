"""`stillframe crawl` as users run it: the queue in SQLite, robots.txt honoured, each record committed and exported."""

from __future__ import annotations

import asyncio
import json
import logging
import tempfile
from pathlib import Path

from order import read_order, report

from stillframe.farm.crawl import CrawlSettings, run_crawl

LOOK_S = 0.1
"""How often the file is read; the export appends to it every half second."""


async def main() -> None:
    order = read_order()
    settings = CrawlSettings(urls=tuple(order.urls), depth=0, retries=0)
    with tempfile.TemporaryDirectory(prefix="crawl-") as folder:
        out = Path(folder) / "out"
        tail = Tail(out / "pages.jsonl")
        following = asyncio.create_task(tail.follow())
        await run_crawl(settings, out=out, concurrency=order.concurrency, browser_options={"executable": order.chrome})
        following.cancel()
        tail.read()


class Tail:
    """Reports each record as it is appended to a file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._at = 0

    async def follow(self) -> None:
        while True:
            await asyncio.sleep(LOOK_S)
            self.read()

    def read(self) -> None:
        if not self._path.exists():
            return
        with self._path.open("rb") as file:
            file.seek(self._at)
            whole, newline, _ = file.read().rpartition(b"\n")
        self._at += len(whole) + len(newline)
        for line in whole.splitlines():
            record = json.loads(line)
            report(record["url"], record.get("text", ""))


logging.disable(logging.CRITICAL)
asyncio.run(main())
