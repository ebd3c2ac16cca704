"""Whether robots.txt lets a crawler load a page, before its navigation and after its redirects."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from stillframe.farm.errors import RobotsUnreachable
from stillframe.farm.fetching import Proxy, fetcher_of
from stillframe.farm.loading.deferring import Deferred, Holds
from stillframe.farm.loading.links import host_of
from stillframe.farm.loading.robots import token_of
from stillframe.farm.robots.cache import Judgement, Robots
from stillframe.farm.robots.fetching import ROBOTS_S, RobotsClient
from stillframe.farm.store import CrawlStore

AFTER_REDIRECT_S = ROBOTS_S + 1.0
"""How long a loaded page waits for the robots.txt of the host to which it was redirected: longer than a fetch takes, so
that it is not loaded again only to ask."""


class ForbiddenByRobots(Exception):
    """robots.txt forbids a page."""


class RobotsJudge:
    """The robots.txt files of a crawl, and what becomes of its pages by them; a context manager.

    Crawl-delay becomes the limit of its host in the store, for all workers. `options` are those of contexts and
    browsers; `proxy` replaces theirs.
    """

    def __init__(
        self,
        options: Mapping[str, Any],
        *,
        token: str | None,
        wait_s: float,
        store: CrawlStore | None,
        proxy: Proxy | None = None,
        holds: Holds,
    ) -> None:
        self._wait_s = wait_s
        self._store = store
        self._holds = holds
        self._robots = Robots(
            RobotsClient(fetcher_of(options, proxy=proxy)),
            token=token_of(options.get("user_agent"), token),
            store=store,
            wait_s=self._wait_s,
            on_delay=self._limit,
        )

    async def __aenter__(self) -> RobotsJudge:
        await self._robots.__aenter__()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self._robots.__aexit__(None, None, None)

    async def forbidden(self, urls: Sequence[str]) -> set[str]:
        """Return those URLs that a robots.txt forbids, as far as it has been read."""
        found = set[str]()
        for url in dict.fromkeys(urls):
            await asyncio.sleep(0)  # a hostile file takes some 0.1 s a URL
            if self._robots.forbids(url):
                found.add(url)
        return found

    async def check(self, url: str) -> None:
        """Raise ForbiddenByRobots for a page that may not be loaded.

        Raises Deferred, and holds its host, while its robots.txt cannot be read, and RobotsUnreachable after that.
        """
        judgement = await self._robots.judge(url)
        if judgement.wait_s:
            self._holds.hold(host_of(url), judgement.wait_s)
        self._answer(url, judgement, hold_host_s=judgement.wait_s)

    async def check_redirects(self, asked: str, way: Iterable[str]) -> None:
        """Raise as `check` does for the URLs on the way of a page and the last one, without holding their hosts.

        Chrome has followed the redirects by then: to stop each one before would pause all requests of all pages.
        """
        for url in dict.fromkeys(way):
            if url != asked:
                judgement = await self._robots.judge(url, patience_s=AFTER_REDIRECT_S)
                self._answer(url, judgement, hold_host_s=0.0)

    def _answer(self, url: str, judgement: Judgement, *, hold_host_s: float) -> None:
        if judgement.wait_s:
            message = f"the robots.txt of {url} is not read yet, and is asked for in {judgement.wait_s:.1f} s"
            raise Deferred(message, delay_s=judgement.wait_s, hold_host_s=hold_host_s)
        if judgement.gave_up:
            raise RobotsUnreachable(
                f"{url} was not loaded: the robots.txt of its host could not be read for {self._wait_s:g} s"
                + (f" ({judgement.reason})" if judgement.reason else ""),
                url=url,
            )
        if not judgement.allowed:
            raise ForbiddenByRobots(f"robots.txt forbids {url}")

    async def _limit(self, origin: str, delay_s: float) -> None:
        if self._store is None:
            return
        settings = self._store.settings
        interval_s = max(settings.get("host_interval_s") or 0.0, delay_s)
        await self._store.limit_host(host_of(origin), pages=settings.get("pages_per_host"), interval_s=interval_s)
