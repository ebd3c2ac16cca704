"""Crawls of real sites, each page held against a slow oracle: `python -m bench.farm.real [NAME …]`.

The oracle loads a page in a fresh page of a browser of its own, waits for a fixed time, and walks the links of the same
host breadth first. A line of text counts as lost only if the page shows it twice, or clocks and random names would.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
from rich.console import Console
from rich.table import Table as Grid

import stillframe
from bench.apps.install import NotInstalled
from bench.apps.launch import AppFailed, started
from bench.farm.real_sites import REAL_SITES, RealSite
from bench.measure import machine
from bench.pages import NO_INTERNET
from stillframe.api.browser import Browser
from stillframe.errors import StillframeError
from stillframe.farm.crawl import CrawlSettings, run_crawl
from stillframe.tab.network.url_patterns import glob_regex

CONCURRENCY = 4
WAIT_S = 2.0
"""How long the oracle waits after `load`: JupyterLab, the slowest of the sites, needs less on two cores."""
LOAD_MS = 30_000.0
LIMIT_S = 600.0
"""How long the crawl of one site may take."""
SHOWN = 5
"""The pages or lines that are printed of each kind of fault."""
WIDTH = 160
USAGE = 2
READ = """(() => {
  const trees = [document];
  for (const tree of trees)
    for (const {shadowRoot} of tree.querySelectorAll("*")) if (shadowRoot) trees.push(shadowRoot);
  const shown = trees.slice(1).flatMap(tree => [...tree.children].filter(each => each.checkVisibility()));
  return {
    url: location.href,
    text: [document.body, ...shown].map(each => each && each.innerText || "").join("\\n"),
    links: trees.flatMap(tree => [...tree.querySelectorAll("a[href]")].map(link => link.href))
      .filter(href => typeof href === "string"),
  };
})()"""
"""Open shadow trees are read as well: innerText and querySelectorAll end at them."""


class Seen(msgspec.Struct, frozen=True):
    """What the oracle saw of a page: where it ended, its text, and its links."""

    url: str
    text: str
    links: tuple[str, ...]


class Faults(msgspec.Struct, kw_only=True):
    """What the oracle has against a crawl: pages that are missing, and lines that pages lack."""

    missing: list[str]
    lost: dict[str, set[str]]


class Outcome(msgspec.Struct, kw_only=True):
    """What the crawl of one site did, and what the oracle says of it."""

    name: str
    crawled: int
    walked: int
    pages_per_s: float
    failed: Counter[str]
    not_stable: Counter[str]
    faults: Faults


# -- what is compared: pure --------------------------------------------------------------------------


def page_of(url: str) -> str:
    """Return what tells a page from others: its URL, without a fragment unless that is the route of an application."""
    before, _, fragment = url.partition("#")
    if not urlsplit(before).path:
        before += "/"
    return url if fragment.startswith(("/", "!")) and fragment != "/" else before


def lines_of(text: str) -> set[str]:
    """Return the lines of a text, without those that are blank and the space around them."""
    return {line.strip() for line in text.splitlines()} - {""}


def lost_lines(crawled: str, *oracle: str) -> set[str]:
    """Return the lines that each text of the oracle has and that of the crawl has not."""
    return set.intersection(*map(lines_of, oracle)) - lines_of(crawled)


def on_host(urls: Iterable[str], origin: str, exclude: Sequence[str] = ()) -> list[str]:
    """Return the pages among some URLs that are of the same origin and match no glob, each once."""
    pages = dict.fromkeys(page_of(url) for url in urls if url.startswith(f"{origin}/"))
    return [page for page in pages if not any(re.fullmatch(glob_regex(glob), page) for glob in exclude)]


def missing_pages(
    records: Sequence[Mapping[str, Any]],
    seen: Mapping[str, Seen],
    origin: str,
    *,
    whole: bool,
    exclude: Sequence[str] = (),
) -> list[str]:
    """Return the pages to which the oracle found links and of which the crawl does not know.

    A crawl that ended at its limit knows a page if it has recorded a link to it, one that was `whole` if it has it.
    """
    crawled = {page_of(url) for record in records for url in (record["url"], record.get("finalUrl")) if url}
    queued = [] if whole else on_host((link for record in records for link in record.get("links", ())), origin)
    known = crawled | set(queued)
    judged = [page for page in seen if whole or page in crawled]
    linked = dict.fromkeys(link for page in judged for link in on_host(seen[page].links, origin, exclude))
    return [link for link in linked if link not in known and not _ended_in(seen.get(link), known)]


def _ended_in(seen: Seen | None, known: set[str]) -> bool:
    return seen is not None and page_of(seen.url) in known


def failures(records: Iterable[Mapping[str, Any]]) -> Counter[str]:
    """Return how many pages failed, by kind."""
    return Counter(record["error"]["kind"] for record in records if "error" in record)


def unstable(records: Iterable[Mapping[str, Any]]) -> Counter[str]:
    """Return how many pages were not still when they were handed over, by reason."""
    verdicts = [record["verdict"] for record in records if "verdict" in record]
    return Counter(verdict["reason"] for verdict in verdicts if not verdict["stable"])


# -- the oracle --------------------------------------------------------------------------------------


class Oracle:
    """Looks at the pages of one site, slowly; `seen` has what it saw, None for a page that it could not load."""

    def __init__(self, browser: Browser, origin: str, exclude: Sequence[str]) -> None:
        self.seen: dict[str, Seen | None] = {}
        self.origin = origin
        self.exclude = exclude
        self._browser = browser
        self._slots = asyncio.Semaphore(CONCURRENCY)

    async def walk(self, start: str, limit: int) -> None:
        """Follow the links from a page, breadth first, through at most `limit` pages."""
        ahead = [page_of(start)]
        while ahead:
            await self.visit(ahead)
            found = on_host((link for page in ahead for link in self._links(page)), self.origin, self.exclude)
            ahead = [page for page in found if page not in self.seen][: limit - len(self.seen)]

    async def visit(self, pages: Iterable[str]) -> None:
        """Look at the pages that have not been seen."""
        new = [page for page in pages if page not in self.seen]
        self.seen.update(zip(new, await asyncio.gather(*map(self.look, new)), strict=True))

    async def look(self, url: str) -> Seen | None:
        """Return what a page shows after a while."""
        try:
            async with self._slots, await self._browser.new_context() as context, await context.new_page() as page:
                await page.goto(url, timeout_ms=LOAD_MS)
                await asyncio.sleep(WAIT_S)
                return msgspec.convert(await page.evaluate(READ), Seen)
        except StillframeError:
            return None

    def _links(self, page: str) -> tuple[str, ...]:
        seen = self.seen[page]
        return () if seen is None else seen.links


async def judged(records: Sequence[Mapping[str, Any]], oracle: Oracle, *, whole: bool) -> Faults:
    """Hold each page of a crawl against the oracle, and once more where it lacks lines."""
    texts = {page_of(record["url"]): record["text"] for record in records if "text" in record}
    await oracle.visit(texts)
    seen = {page: each for page, each in oracle.seen.items() if each is not None}
    short = [page for page in texts if page in seen and lost_lines(texts[page], seen[page].text)]
    again = zip(short, await asyncio.gather(*map(oracle.look, short)), strict=True)
    lost = {page: lost_lines(texts[page], seen[page].text, twice.text) for page, twice in again if twice is not None}
    return Faults(
        missing=missing_pages(records, seen, oracle.origin, whole=whole, exclude=oracle.exclude),
        lost={page: lines for page, lines in lost.items() if lines},
    )


# -- a site ------------------------------------------------------------------------------------------


async def contest(site: RealSite, browser: Browser, pages: int) -> Outcome:
    """Start a site, crawl it, and let the oracle judge the crawl."""
    async with started(site.served) as origin:
        with tempfile.TemporaryDirectory(prefix="bench-real-") as folder:
            out, start = Path(folder) / "crawl", origin + site.start
            async with asyncio.timeout(LIMIT_S):
                summary = await run_crawl(
                    CrawlSettings(urls=(start,), max_pages=pages, exclude=site.exclude),
                    out=out,
                    concurrency=CONCURRENCY,
                    browser_options={"args": NO_INTERNET},
                )
            records = [msgspec.json.decode(line) for line in (out / "pages.jsonl").read_bytes().splitlines()]
        oracle = Oracle(browser, origin, site.exclude)
        await oracle.walk(start, pages)
        walked = len(oracle.seen)
        faults = await judged(records, oracle, whole=summary.pending == 0 and len(records) < pages)
    return Outcome(
        name=site.name,
        crawled=len(records),
        walked=walked,
        pages_per_s=summary.pages_per_s,
        failed=failures(records),
        not_stable=unstable(records),
        faults=faults,
    )


# -- the report --------------------------------------------------------------------------------------

COLUMNS: dict[str, Callable[[Outcome], str]] = {
    "crawled": lambda outcome: str(outcome.crawled),
    "oracle": lambda outcome: str(outcome.walked),
    "missing": lambda outcome: str(len(outcome.faults.missing)),
    "incomplete": lambda outcome: str(len(outcome.faults.lost)),
    "failed": lambda outcome: counted(outcome.failed),
    "pages/s": lambda outcome: f"{outcome.pages_per_s:.1f}",
    "not stable": lambda outcome: f"{share(outcome.not_stable, outcome.crawled)} {counted(outcome.not_stable)}".strip(),
}


def counted(counts: Counter[str]) -> str:
    """Return counts as text, the largest first."""
    return ", ".join(f"{count} {name}" for name, count in counts.most_common())


def share(counts: Counter[str], of: int) -> str:
    """Return the share that counts have together, in percent."""
    return f"{100 * counts.total() / max(1, of):.0f} %"


def faults_text(outcome: Outcome) -> list[str]:
    """Return the first faults of each kind, a line each."""
    missing = [f"{outcome.name}: missing: {page}" for page in outcome.faults.missing[:SHOWN]]
    lost = [
        f"{outcome.name}: {page} lacks {len(lines)} lines: {sorted(lines)[:SHOWN]}"
        for page, lines in list(outcome.faults.lost.items())[:SHOWN]
    ]
    return [*missing, *lost]


def report(outcomes: Sequence[Outcome], console: Console) -> None:
    """Print one line per site."""
    console.width = max(console.width, WIDTH)
    console.print(machine())
    grid = Grid("", *COLUMNS)
    for outcome in outcomes:
        grid.add_row(outcome.name, *(cell(outcome) for cell in COLUMNS.values()))
    console.print(grid)


async def _contests(sites: Sequence[RealSite], pages: int) -> list[Outcome]:
    outcomes = []
    async with stillframe.launch(args=NO_INTERNET) as browser:
        for site in sites:
            try:
                outcomes.append(await contest(site, browser, pages))
            except (AppFailed, NotInstalled, StillframeError, TimeoutError) as error:
                print(f"{site.name}: {type(error).__name__}: {error}", file=sys.stderr)
            else:
                print(*faults_text(outcomes[-1]), f"{site.name}: done", sep="\n", file=sys.stderr, flush=True)
    return outcomes


def main(arguments: Sequence[str]) -> int:
    """Crawl the sites that are named, or all; the exit code is 1 if a page is missing, or lacks lines."""
    parser = argparse.ArgumentParser(prog="bench.farm.real", description="Crawl real sites beside a slow oracle.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of: {', '.join(site.name for site in REAL_SITES)}")
    parser.add_argument("--pages", type=int, default=60, help="pages of a site, at most")
    options = parser.parse_args(arguments)
    sites = [site for site in REAL_SITES if not options.names or site.name in options.names]
    if unknown := {*options.names} - {site.name for site in sites}:
        print(f"no such site: {', '.join(sorted(unknown))}; {parser.format_help()}", file=sys.stderr)
        return USAGE
    outcomes = asyncio.run(_contests(sites, options.pages))
    report(outcomes, Console())
    return int(len(outcomes) < len(sites) or any(each.faults.missing or each.faults.lost for each in outcomes))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
