"""The pages that sitemaps name, added to the queue while a crawl runs. What a sitemap says is not trusted."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import IO, Any
from urllib.parse import urljoin
from zlib import crc32

import msgspec
from msgspec import structs

from stillframe.farm.crawl.priorities import Priorities
from stillframe.farm.crawl.scope import Scope
from stillframe.farm.crawl.settings import AUTO_SITEMAP, CrawlSettings
from stillframe.farm.crawl.sitemap_progress import STATE, Figures, Mark, SitemapProgress
from stillframe.farm.fetching import fetcher_of
from stillframe.farm.loading.links import LinkFilter, host_of, is_web, request_of
from stillframe.farm.loading.robots import token_of
from stillframe.farm.loading.trials import Trials
from stillframe.farm.robots.cache import Robots
from stillframe.farm.robots.fetching import RobotsClient
from stillframe.farm.sitemaps import Entry, Fetched, SitemapReader, fetch
from stillframe.farm.sitemaps.fetching import landing
from stillframe.farm.store import CrawlStore, NewRequest
from stillframe.security.redaction import logger

_log = logger(__name__)
Feeding = Callable[[], Awaitable[bool]]
"""Returns whether pages are still being added to a crawl from its sitemaps."""
MAX_PAGES = 2_500_000
"""How many pages of sitemaps a crawl takes: those of an index of 50 full sitemaps. Our choice."""
MAX_SITEMAPS = 50_000
"""As many as one index may name."""
MAX_FAILED = 1_000
"""After so many sitemaps that failed no more are read."""
MAX_DEPTH = 10
"""How deep sitemaps are nested; those that the crawl was given have the depth 0."""
MAX_HOSTS = 50
"""How many hosts of starts are asked where they redirect to, before their sitemaps are read."""
ROBOTS_PATIENCE_S = 60.0
"""How long the sitemaps of a host wait for its robots.txt; some tries fit in. Our choice."""
BATCH = 500
"""How many pages are added with one transaction."""
IN_MEMORY = 4 * 1024 * 1024
"""Bytes of a sitemap that are not written to a temporary file."""
PIECE = 65_536
BEAT_S = 10.0
"""How often a process that reads sitemaps says so in the database."""
SILENT_S = 60.0
"""After how long without that a worker takes the process for dead."""


async def add_sitemaps(
    store: CrawlStore,
    settings: CrawlSettings,
    stop: asyncio.Event,
    scope: Scope | None = None,
    options: Mapping[str, Any] | None = None,
) -> None:
    """Add the pages of a crawl's sitemaps, or those that earlier runs have not; `stop` ends that.

    `options` are those of the browsers, so that sitemaps come through the proxy and the URL policy of pages. Sitemaps
    that do not answer, or hold something else, are logged and stand in the summary of the crawl. Raises
    StoreUnavailable, DiskFull.
    """
    if not settings.sitemaps:
        return
    progress = SitemapProgress(store)
    if not await progress.load():
        return
    reading = _Reading(store, settings, scope or Scope(store, settings), progress, options or {})
    adding = asyncio.create_task(reading.run(), name="read sitemaps")
    stopping = asyncio.create_task(stop.wait(), name="stop sitemaps")
    beating = asyncio.create_task(_beat(progress), name="beat of sitemaps")
    try:
        await asyncio.wait({adding, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if adding.done():
            adding.result()
    finally:
        for task in (adding, stopping, beating):
            task.cancel()
        await asyncio.gather(adding, stopping, beating, return_exceptions=True)


@contextlib.asynccontextmanager
async def adding_sitemaps(
    store: CrawlStore,
    settings: CrawlSettings,
    stop: asyncio.Event,
    scope: Scope | None = None,
    options: Mapping[str, Any] | None = None,
) -> AsyncIterator[Feeding]:
    """Add the pages of sitemaps beside the block; an error of it sets `stop`, and is raised at the end of the block."""
    adding = asyncio.create_task(add_sitemaps(store, settings, stop, scope, options), name="add sitemaps")

    def ended(task: asyncio.Task[None]) -> None:
        if not task.cancelled() and task.exception() is not None:
            stop.set()

    async def feeding() -> bool:
        return not adding.done()

    adding.add_done_callback(ended)
    try:
        yield feeding
    finally:
        if not adding.done():
            adding.cancel()
        await asyncio.wait({adding})
    if not adding.cancelled():
        adding.result()


def fed_elsewhere(store: CrawlStore, settings: CrawlSettings) -> Feeding:
    """Return what says whether another process reads the crawl's sitemaps; it has to show that it lives."""
    seen: bytes | None = None
    since = asyncio.get_running_loop().time()

    async def feeding() -> bool:
        nonlocal seen, since
        if not settings.sitemaps:
            return False
        recorded, now = await store.get_state(STATE), asyncio.get_running_loop().time()
        if recorded != seen:
            seen, since = recorded, now
        return not is_over(recorded) and now - since < SILENT_S

    return feeding


def is_over(recorded: bytes | None) -> bool:
    """Return whether a crawl's state says that all of its sitemaps are read."""
    if recorded is None or not recorded.startswith(b"{"):
        return recorded is not None
    return msgspec.json.decode(recorded, type=Figures).over


async def _beat(progress: SitemapProgress) -> None:
    while True:
        progress.figures.beat += 1
        await progress.save()
        await asyncio.sleep(BEAT_S)


class _Reading:
    """One run's reading of a crawl's sitemaps, one after another, in the order in which they were found."""

    def __init__(
        self,
        store: CrawlStore,
        settings: CrawlSettings,
        scope: Scope,
        progress: SitemapProgress,
        options: Mapping[str, Any],
    ) -> None:
        self._store = store
        self._settings = settings
        self._scope = scope
        self._progress = progress
        self._figures = progress.figures
        self._fetcher = fetcher_of(options, user_agent=settings.user_agent)
        self._links = settings.links
        self._priorities = Priorities(settings)
        self._most_pages = min(settings.max_pages or MAX_PAGES, MAX_PAGES)

    async def run(self) -> None:
        """Read what is left."""
        figures = self._figures
        figures.over, figures.limit = False, None
        async with self._fetcher:
            await self._scope.load()
            if not figures.given:
                figures.given = True
                await self._progress.find(await self._given(), 0, MAX_SITEMAPS)
            for number in sorted(map(int, figures.failed)):
                if not self._limited():
                    await self._read(number)
            while figures.next < len(self._progress.urls) and not self._limited():
                await self._read(figures.next)
                figures.next += 1
                await self._progress.save()
        figures.over = True
        await self._progress.save()

    def _limited(self) -> bool:
        figures = self._figures
        if figures.pages >= self._most_pages:
            figures.limit = f"{self._most_pages} pages"
        elif len(figures.failed) > MAX_FAILED:
            figures.limit = f"{MAX_FAILED} failed sitemaps"
        return figures.limit is not None

    # -- where to begin ----------------------------------------------------------------------------

    async def _given(self) -> list[str]:
        """Return the sitemaps of the crawl; the scope moves with starts that redirect to other hosts."""
        settings, first = self._settings, dict[str, str]()
        for url in settings.urls:
            first.setdefault(host_of(url), url)
        token = token_of(settings.user_agent, settings.robots_token)
        async with Robots(RobotsClient(self._fetcher), token=token, store=self._store) as robots:
            starts = await self._arrived(list(first.values()), robots) if settings.same_host else [*first.values()]
            found: list[str] = []
            for given in settings.sitemaps:
                found += await self._auto(starts, robots) if given == AUTO_SITEMAP else [given]
        return found

    async def _arrived(self, starts: list[str], robots: Robots) -> list[str]:
        """Return where starts lead, the first hosts side by side."""

        async def landed(start: str) -> str:
            if self._settings.respect_robots:
                rules = await robots.rules_of(start, patience_s=ROBOTS_PATIENCE_S)
                if rules is None or not rules.allows(start):
                    return start
            return await landing(start, self._fetcher)

        arrived = await asyncio.gather(*map(landed, starts[:MAX_HOSTS]))
        for start, place in zip(starts, arrived, strict=False):
            await self._scope.move(start, place)
        return [*arrived, *starts[MAX_HOSTS:]]

    async def _auto(self, starts: list[str], robots: Robots) -> list[str]:
        """Return the sitemaps that the robots.txt of hosts name, or the usual place of one that names none."""
        found = list[str]()
        answers = (robots.rules_of(start, patience_s=ROBOTS_PATIENCE_S) for start in starts)
        for start, rules in zip(starts, await asyncio.gather(*answers), strict=True):
            if rules is None:
                self._figures.given = False  # a later run asks again
                self._figures.name(f"{host_of(start)}: its robots.txt, which may name sitemaps, cannot be read")
                continue
            found += [each for each in rules.sitemaps if is_web(each)] or [urljoin(start, "/sitemap.xml")]
        return found

    # -- one sitemap -------------------------------------------------------------------------------

    async def _read(self, number: int) -> None:
        url, figures = self._progress.urls[number][0], self._figures
        mark = await self._progress.mark(number)
        with tempfile.SpooledTemporaryFile(max_size=IN_MEMORY) as file:
            fetched = await fetch(url, self._fetcher, file)
            reader = await self._take(number, mark, fetched, file)
        reason = fetched.failure or reader.failure
        mark.state, mark.reason = ("read", None) if reason is None else ("failed", reason)
        figures.read += reason is None
        figures.failed.pop(str(number), None)
        if reason is not None:
            figures.failed[str(number)] = reason
            figures.name(f"{url}: {reason}")
            _log.warning("the sitemap %s failed (%s); %d of its entries are read", url, reason, mark.entries)
        for problem in reader.problems:
            figures.name(f"{url}: {problem}")
        await self._progress.set_mark(number, mark)

    async def _take(self, number: int, mark: Mark, fetched: Fetched, file: IO[bytes]) -> SitemapReader:
        """Add the entries behind those that earlier runs have added, or all if the file is another one by now."""
        for start in dict.fromkeys((mark.entries, 0)):
            reader = SitemapReader(fetched.url, fetched.charset)
            known, entries, checksum, batch = not start, 0, 0, list[Entry]()
            for entry in _entries(reader, file, cut=fetched.failure is not None):
                entries, checksum = entries + 1, crc32(entry.url.encode(), checksum)
                if entries == start:
                    known = checksum == mark.checksum
                if entries > start and known:
                    batch.append(entry)
                if entries >= start and not known:
                    break
                if len(batch) == BATCH:
                    await self._add(number, batch)
                    await self._record(number, mark, entries, checksum, reader)
                    batch = []
                    if self._limited():
                        return reader
            if known:
                await self._add(number, batch)
                await self._record(number, mark, entries, checksum, reader)
                return reader
            if fetched.failure is not None:
                return reader  # too little has arrived to say whether it changed
        return reader

    async def _record(self, number: int, mark: Mark, entries: int, checksum: int, reader: SitemapReader) -> None:
        mark.state, mark.entries, mark.checksum = "reading", entries, checksum
        self._figures.skipped += max(0, reader.skipped - mark.skipped)
        mark.skipped = max(mark.skipped, reader.skipped)
        await self._progress.set_mark(number, mark)

    async def _add(self, number: int, batch: list[Entry]) -> None:
        url, depth = self._progress.urls[number]
        figures, pages, nested = self._figures, list[NewRequest](), list[str]()
        for entry in batch:
            if entry.kind == "sitemap":
                nested.append(entry.url)
            elif not self._scope.admits(entry.url):
                figures.elsewhere += 1
            elif (page := page_of(entry, self._links, self._priorities)) is None:
                figures.skipped += 1
                figures.name(f"{url}: not a URL: {entry.url[:80]!r}")
            else:
                pages.append(page)
        if nested and depth >= MAX_DEPTH:
            figures.left_out += len(nested)
            figures.name(f"{url}: sitemaps are nested deeper than {MAX_DEPTH}")
        elif nested:
            left = await self._progress.find(nested, depth + 1, MAX_SITEMAPS)
            if left:
                figures.left_out += left
                figures.name(f"{url}: a crawl reads {MAX_SITEMAPS} sitemaps")
        await self._store.add(pages)
        figures.pages += len(pages)


def _entries(reader: SitemapReader, file: IO[bytes], *, cut: bool) -> Iterator[Entry]:
    file.seek(0)
    while not reader.over and (piece := file.read(PIECE)):
        yield from reader.feed(piece)
    yield from reader.close(cut=cut)


def page_of(entry: Entry, links: LinkFilter, priorities: Priorities) -> NewRequest | None:
    """Return the page of an entry with what the sitemap says about it, None for a URL that no crawl can load."""
    request = request_of(entry.url, 0, links)
    if request is None:
        return None
    said = {name: value for name in ("lastmod", "priority") if (value := getattr(entry, name)) is not None}
    return structs.replace(
        request,
        body=Trials(sitemap=said).encode() if said else "",
        priority=priorities.of_entry(entry.url, entry.priority, entry.lastmod, datetime.now(UTC)),
    )
