"""Which URLs belong to a crawl: those on the hosts and ports of its start that match its patterns, and are in no trap.

http and https at their usual ports are one; another port is another service, which may not even run.

A start that redirects to another host (`example.org` to `www.example.org`) takes the scope along: that host belongs to
the crawl from then on, for all workers and later runs.
"""

from __future__ import annotations

import time
from urllib.parse import urlsplit

import msgspec

from stillframe.farm.crawl.settings import CrawlSettings, numbered, regexes
from stillframe.farm.errors import FarmError
from stillframe.farm.loading.links import hostname
from stillframe.farm.store import CrawlStore
from stillframe.farm.traps.traps import Limits, Traps
from stillframe.security.redaction import logger
from stillframe.security.urls import DEFAULT_PORTS

_log = logger(__name__)
STATE = "scope"
"""Key of the crawl's state: where its starts have redirected, by host."""


class Scope:
    """The scope of one crawl, as one worker knows it; others may have moved it, so `covers` asks before it says no.

    A worker enters it: then it has what others have recorded, and leaves behind what it has counted.
    """

    def __init__(self, store: CrawlStore, settings: CrawlSettings) -> None:
        self.moved: dict[str, str] = {}
        """The host of each start that redirected, and the host that it led to."""
        self.traps = Traps(store, limits_of(settings))
        self._store = store
        self._any = not settings.same_host
        self._key = settings.links.key
        self._starts = {self._key(url) for url in settings.urls}
        self._places = {place(url) for url in settings.urls}
        self._include = regexes(settings.include)
        self._exclude = regexes(settings.exclude)

    async def __aenter__(self) -> Scope:
        await self.load()
        await self.traps.load()
        return self

    async def __aexit__(self, _: object, error: BaseException | None, __: object) -> None:
        try:
            await self.traps.sync(time.monotonic(), last=True)
        except FarmError:
            if error is None:
                raise

    async def load(self) -> None:
        """Read what this crawl's workers have recorded."""
        self.moved |= moved_of(await self._store.get_state(STATE))

    def admits(self, url: str) -> bool:
        """Return whether a link is to be followed."""
        if not self._covers(url) or any(pattern.match(url) for pattern in self._exclude):
            return False
        return not self._include or any(pattern.match(url) for pattern in self._include)

    async def covers(self, url: str) -> bool:
        """Return whether a URL is on a host of the crawl."""
        if self._covers(url):
            return True
        await self.load()
        return self._covers(url)

    async def arrive(self, asked: str, arrived: str) -> bool:
        """Return whether a page that was asked for belongs to the crawl where it arrived; a start always does."""
        if not await self.takes(asked, arrived):
            return False
        if not self._covers(arrived):
            await self.move(asked, arrived)
        return True

    async def takes(self, asked: str, arrived: str) -> bool:
        """Return whether a page would belong to the crawl there; moves nothing."""
        return await self.covers(arrived) or self._key(asked) in self._starts

    async def move(self, asked: str, arrived: str) -> None:
        """Record that a start has led to another host."""
        old, new = hostname(asked), hostname(arrived)
        if self._any or place(asked) == place(arrived) or not new or self.moved.get(old) == new:
            return
        while True:  # until no other worker has moved it meanwhile
            recorded = await self._store.get_state(STATE)
            moved = moved_of(recorded)
            if moved.get(old) == new:
                break
            if await self._store.swap_states({STATE: (recorded, msgspec.json.encode({**moved, old: new}))}):
                break
        self.moved |= {**moved, old: new}
        _log.warning("%s redirects to %s, which belongs to the crawl from now on", old, new)

    def _covers(self, url: str) -> bool:
        return self._any or place(url) in self._places or hostname(url) in self.moved.values()


def limits_of(settings: CrawlSettings) -> Limits:
    """Return the limits of a crawl's traps and budgets."""
    return Limits(
        trap_pages=settings.trap_pages,
        per_pattern=settings.max_per_pattern,
        per_host=settings.max_pages_per_host,
        globs=tuple(numbered("budgets", given, least=0) for given in settings.budgets),
    )


def moved_of(recorded: bytes | None) -> dict[str, str]:
    """Return what a crawl has recorded of its scope."""
    return {} if recorded is None else msgspec.json.decode(recorded, type=dict[str, str])


def place(url: str) -> tuple[str, int | None]:
    """Return the host of a URL and its port, None for the usual one; no host for what is not a URL."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return "", None
    return parts.hostname or "", None if port == DEFAULT_PORTS.get(parts.scheme) else port
