"""How far the sitemaps of a crawl are read: kept in its database, so that a later run goes on in the middle of one.

The state `sitemaps` has the figures of all, `sitemaps:N` the URLs as they were found, 500 a value, and `sitemap:N` how
far the N-th is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import msgspec

from stillframe.farm.store import CrawlStore

STATE = "sitemaps"
FOUND_AT_ONCE = 500
NAMED = 10
"""How many problems the figures name."""
READ_BEFORE = b"read"
"""What earlier versions recorded when they had read all."""


class Figures(msgspec.Struct, kw_only=True):
    """The figures of all sitemaps of a crawl; `next` is the number of the first that no run has ended."""

    given: bool = False
    """Whether the sitemaps that the crawl was given, or that robots.txt names, are all among the found ones."""
    found: int = 0
    batches: int = 0
    next: int = 0
    read: int = 0
    failed: dict[str, str] = {}
    """The reason of each that failed, by its number; a later run tries them again."""
    pages: int = 0
    skipped: int = 0
    elsewhere: int = 0
    left_out: int = 0
    problems: list[str] = []
    limit: str | None = None
    """Which limit ended the reading before the last sitemap."""
    over: bool = False
    beat: int = 0
    """Changes while a process reads, so that workers know whether one does."""

    def name(self, problem: str) -> None:
        """Describe a problem, if there is room."""
        if len(self.problems) < NAMED and problem not in self.problems:
            self.problems.append(problem)


class Mark(msgspec.Struct, kw_only=True):
    """How far one sitemap is: entries taken so far, and the checksum of their URLs, which shows if the file changed."""

    state: str = "unread"
    entries: int = 0
    checksum: int = 0
    skipped: int = 0
    reason: str | None = None


class SitemapsReport(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What the sitemaps of a crawl gave, over all runs.

    `pages` are those in the scope of the crawl, `elsewhere` the others; `skipped` entries are not URLs.
    `failed` counts sitemaps by the reason; what was read of them counts. `left_out` are nested too deep, or too many.
    """

    read: int
    unread: int
    failed: Mapping[str, int]
    pages: int
    elsewhere: int
    skipped: int
    left_out: int = 0
    problems: tuple[str, ...] = ()
    limit: str | None = None

    def __str__(self) -> str:
        failed = sum(self.failed.values())
        reasons = ", ".join(f"{count} {reason}" for reason, count in self.failed.items())
        parts = [f"{self.read} read", f"{failed} failed ({reasons})" if failed else "0 failed"]
        if self.unread:
            parts.append(f"{self.unread} unread")
        if self.left_out:
            parts.append(f"{self.left_out} left out")
        parts.append(f"{self.pages} pages")
        if self.elsewhere:
            parts.append(f"{self.elsewhere} out of scope")
        parts.append(f"{self.skipped} entries skipped")
        return ", ".join(parts) + (f"; cut at {self.limit}" if self.limit else "")


def report_of(recorded: bytes | None) -> SitemapsReport | None:
    """Return the report for a crawl's state, None for a crawl without sitemaps."""
    if recorded is None or recorded == READ_BEFORE:
        return None
    figures = msgspec.json.decode(recorded, type=Figures)
    return SitemapsReport(
        read=figures.read,
        unread=figures.found - figures.read - len(figures.failed),
        failed=dict(Counter(figures.failed.values()).most_common()),
        pages=figures.pages,
        elsewhere=figures.elsewhere,
        skipped=figures.skipped,
        left_out=figures.left_out,
        problems=tuple(figures.problems),
        limit=figures.limit,
    )


class SitemapProgress:
    """The progress of one crawl in its database."""

    def __init__(self, store: CrawlStore) -> None:
        self.figures = Figures()
        self.urls: list[tuple[str, int]] = []
        """All sitemaps that were found, with their depth below those that the crawl was given."""
        self._known: set[str] = set()
        self._store = store

    async def load(self) -> bool:
        """Read what earlier runs have recorded; return whether they have left something to read."""
        recorded = await self._store.get_state(STATE)
        if recorded == READ_BEFORE:
            return False
        if recorded is not None:
            self.figures = msgspec.json.decode(recorded, type=Figures)
        for number in range(self.figures.batches):
            batch = await self._store.get_state(f"{STATE}:{number}")
            self.urls += msgspec.json.decode(batch or b"[]", type=list[tuple[str, int]])
        self._known = {url for url, _ in self.urls}
        return not (self.figures.over and self.figures.given) or bool(self.figures.failed)

    async def save(self) -> None:
        """Record the figures."""
        await self._store.set_state(STATE, msgspec.json.encode(self.figures))

    async def find(self, urls: list[str], depth: int, most: int) -> int:
        """Record sitemaps that are not known yet, `most` in all; return how many had no room."""
        new = [url for url in dict.fromkeys(urls) if url not in self._known]
        new, rest = new[: max(0, most - len(self.urls))], new[max(0, most - len(self.urls)) :]
        for start in range(0, len(new), FOUND_AT_ONCE):
            batch = [(url, depth) for url in new[start : start + FOUND_AT_ONCE]]
            await self._store.set_state(f"{STATE}:{self.figures.batches}", msgspec.json.encode(batch))
            self.urls += batch
            self.figures.batches += 1
            self.figures.found = len(self.urls)
            await self.save()
        self._known.update(new)
        return len(rest)

    async def mark(self, number: int) -> Mark:
        """Return how far a sitemap is."""
        recorded = await self._store.get_state(f"sitemap:{number}")
        return Mark() if recorded is None else msgspec.json.decode(recorded, type=Mark)

    async def set_mark(self, number: int, mark: Mark) -> None:
        """Record how far a sitemap is."""
        await self._store.set_state(f"sitemap:{number}", msgspec.json.encode(mark))
        await self.save()
