"""Whether robots.txt lets a crawler load a page, before its navigation and after its redirects."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from crawlee import Request
from crawlee.proxy_configuration import ProxyConfiguration

from stillframe.farm.crawler.deferring import Deferred, Holds
from stillframe.farm.crawler.links import host_of
from stillframe.farm.crawler.robots import token_of
from stillframe.farm.errors import RobotsUnreachable
from stillframe.farm.fetching import fetcher_of
from stillframe.farm.robots.cache import Judgement, Robots
from stillframe.farm.robots.fetching import ROBOTS_S, RobotsClient
from stillframe.farm.store import CrawlStore
from stillframe.security.redaction import logger

_log = logger(__name__)

AFTER_REDIRECT_S = ROBOTS_S + 1.0
"""How long a loaded page waits for the robots.txt of the host to which it was redirected: longer than a fetch takes, so
that it is not loaded again only to ask."""

Follows = Callable[[Request, str], Awaitable[bool]]
"""Returns whether a URL to which a request was redirected belongs to the crawl."""


async def by_strategy(request: Request, url: str) -> bool:
    """Return whether crawlee follows a request there: on another host, only if its strategy allows that."""
    return request.enqueue_strategy != "same-hostname" or urlsplit(url).hostname == urlsplit(request.url).hostname


class RobotsJudge:
    """The robots.txt files of a crawl, and what becomes of its pages by them; a context manager.

    Crawl-delay becomes the limit of its host in the store, for all workers.
    """

    def __init__(
        self,
        options: Mapping[str, Any],
        *,
        token: str | None,
        wait: timedelta,
        store: CrawlStore | None,
        proxies: ProxyConfiguration | None,
        holds: Holds,
        follows: Follows | None = None,
    ) -> None:
        self._wait_s = wait.total_seconds()
        self._store = store
        self._holds = holds
        self._follows = follows or by_strategy
        self._robots = Robots(
            RobotsClient(fetcher_of(options, proxies=proxies)),
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

    def forbids(self, url: str) -> bool:
        """Return whether a robots.txt that was read forbids a URL."""
        return self._robots.forbids(url)

    async def allows(self, request: Request) -> bool:
        """Return whether a page may be loaded.

        Raises Deferred, and holds its host, while its robots.txt cannot be read, and RobotsUnreachable after that.
        """
        judgement = await self._robots.judge(request.url)
        if judgement.wait_s:
            self._holds.hold(host_of(request.url), judgement.wait_s)
        return self._answer(request.url, judgement, hold_host_s=judgement.wait_s)

    async def allows_loaded(self, request: Request, hops: Iterable[str] = ()) -> bool:
        """Return whether the URL to which a page was redirected, and those on the way, may be loaded.

        Chrome has followed the redirects by then: to stop each one before would pause all requests of all pages. A URL
        that does not belong to the crawl is not judged, because its page is dropped, or only leads on. Raises as
        `allows` does.
        """
        for url in dict.fromkeys((*hops, request.loaded_url or request.url)):
            if url == request.url or not await self._follows(request, url):
                continue
            if not self._answer(url, await self._robots.judge(url, patience_s=AFTER_REDIRECT_S), hold_host_s=0.0):
                _log.info("%s leads to %s, which robots.txt forbids", request.url, url)
                return False
        return True

    def _answer(self, url: str, judgement: Judgement, *, hold_host_s: float) -> bool:
        if judgement.wait_s:
            message = f"the robots.txt of {url} is not read yet, and is asked for in {judgement.wait_s:.1f} s"
            raise Deferred(message, delay_s=judgement.wait_s, hold_host_s=hold_host_s)
        if judgement.gave_up:
            raise RobotsUnreachable(
                f"{url} was not loaded: the robots.txt of its host could not be read for {self._wait_s:g} s"
                + (f" ({judgement.reason})" if judgement.reason else ""),
                url=url,
            )
        return judgement.allowed

    async def _limit(self, origin: str, delay_s: float) -> None:
        if self._store is None:
            return
        settings = self._store.settings
        interval_s = max(settings.get("host_interval_s") or 0.0, delay_s)
        await self._store.limit_host(host_of(origin), pages=settings.get("pages_per_host"), interval_s=interval_s)
