"""A program that crawls with `run_crawl` and goes on afterwards; a test interrupts it."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from stillframe.farm.crawl import CrawlSettings, run_crawl


async def main(url: str, out: str) -> None:
    await run_crawl(CrawlSettings(urls=(url,)), out=Path(out), concurrency=2)
    sys.stdout.write("went on\n")


if __name__ == "__main__":
    try:
        asyncio.run(main(*sys.argv[1:]))
    except KeyboardInterrupt:
        sys.stdout.write("interrupted\n")
