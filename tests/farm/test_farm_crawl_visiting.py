"""What becomes of the tab of a visit: it is kept unless something went wrong in it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

import pytest
from aiohttp import web

from site_server import Site
from stillframe.errors import NavigationFailed
from stillframe.farm.crawl.scope import Scope
from stillframe.farm.crawl.settings import CrawlSettings
from stillframe.farm.crawl.visiting import Ending, HttpStatusError, Visit, Visitor
from stillframe.farm.errors import RobotsUnreachable
from stillframe.farm.loading.deferring import Deferred, Holds
from stillframe.farm.loading.judging import ForbiddenByRobots
from stillframe.farm.loading.loader import PageLoader
from stillframe.farm.loading.navigating import Loaded, LoadOptions
from stillframe.farm.loading.trials import Trials
from stillframe.farm.pool import BrowserPool, PoolSettings
from stillframe.farm.store import Lease
from stillframe.farm.store.counting import ROBOTS_REFUSED, SKIPPED

pytestmark = pytest.mark.browser
BOUND = 30
HANDLER_S = 0.2
Read = Callable[[Visit], Awaitable[None]]


@pytest.fixture(scope="module")
async def pool() -> AsyncIterator[BrowserPool]:
    """One browser for all of these tests; it lends the tab that was used last."""
    async with BrowserPool(PoolSettings(browsers=1)) as pool:
        yield pool


class Reader:
    """A handler that reads a page as the test says."""

    def __init__(self, read: Read) -> None:
        self._read = read

    async def before(self, _: Visit, __: AsyncExitStack) -> None: ...

    async def handle(self, visit: Visit, _: Loaded) -> Ending:
        await self._read(visit)
        return Ending()

    def failed(self, _: Visit, error: Exception) -> Ending:
        raise error


class States:
    """A crawl without recorded values."""

    async def get_state(self, _: str) -> None: ...


class Judge:
    """Lets every page be loaded, and refuses redirects with an error."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    async def check(self, _: str) -> None: ...

    async def check_redirects(self, _: str, way: list[str]) -> None:
        if len(way) > 1:
            raise self._error


@dataclass
class Visited:
    """How a visit ended, and whether its tab is lent to the next one."""

    ended: Ending | Exception
    kept: bool


async def nothing(_: Visit) -> None: ...


async def visited(pool: BrowserPool, url: str, read: Read = nothing, error: Exception | None = None) -> Visited:
    """Visit a page of a crawl that began elsewhere on its host; `error` is raised for its redirects."""
    store: Any = States()
    judge: Any = None if error is None else Judge(error)
    scope = Scope(store, CrawlSettings(urls=(url.rpartition("/")[0] + "/start",)))
    loader = PageLoader(pool, LoadOptions(navigation_s=BOUND), Holds(), judge)
    visitor = Visitor(loader, scope, Reader(read), handler_s=HANDLER_S, accepted=frozenset())
    lease = Lease(key=url, url=url, host="h", body="", depth=0, attempts=1, token=1, expires_in_s=60.0)
    visit = Visit(lease, Trials())
    async with asyncio.timeout(2 * BOUND):
        try:
            ended: Ending | Exception = await visitor.visit(visit)
        except Exception as raised:
            ended = raised
        async with pool.page() as after:
            return Visited(ended, kept=after.page is visit.page)


def answering(site: Site, status: int) -> str:
    """Answer a path of a site with a status, and return its URL."""

    async def answer(_: web.Request) -> web.Response:
        return web.Response(status=status, text=f"<title>{status}</title>", content_type="text/html")

    site.route(f"/{status}", answer)
    return site.url(f"/{status}")


async def test_a_tab_is_kept_after_a_status_that_is_refused(site: Site, pool: BrowserPool) -> None:
    for status, kind in ((404, HttpStatusError), (500, HttpStatusError), (429, Deferred)):
        found = await visited(pool, answering(site, status))
        assert (type(found.ended), found.kept) == (kind, True), status


async def test_a_tab_is_kept_after_a_redirect_that_robots_txt_refuses(site: Site, pool: BrowserPool) -> None:
    site.html("/arrived", "text")
    url = site.url("/redirect?to=/arrived")
    assert await visited(pool, url, error=ForbiddenByRobots()) == Visited(Ending(outcome=ROBOTS_REFUSED), kept=True)
    for error in (RobotsUnreachable("x", url=url), Deferred("x", delay_s=1.0)):
        assert await visited(pool, url, error=error) == Visited(error, kept=True)


async def test_a_tab_is_kept_after_a_page_outside_of_the_crawl_and_one_that_was_read(
    site: Site, pool: BrowserPool
) -> None:
    outside = site.url("/arrived", host="localhost")
    url = site.html("/arrived", "text")
    assert await visited(pool, site.url(f"/redirect?to={outside}")) == Visited(Ending(outcome=SKIPPED), kept=True)
    assert await visited(pool, url) == Visited(Ending(), kept=True)


async def test_a_tab_is_closed_after_a_reader_that_failed_or_was_cut(site: Site, pool: BrowserPool) -> None:
    async def fail(_: Visit) -> None:
        raise KeyError

    async def hang(_: Visit) -> None:
        await asyncio.Event().wait()

    async def be_shed(visit: Visit) -> None:
        assert visit.lent is not None
        visit.lent.shed.set()
        await hang(visit)

    url = site.html("/page", "text")
    for read, kind in ((fail, KeyError), (hang, TimeoutError), (be_shed, Deferred)):
        found = await visited(pool, url, read)
        assert (type(found.ended), found.kept) == (kind, False)


async def test_a_tab_is_closed_after_a_page_that_did_not_load(site: Site, pool: BrowserPool) -> None:
    found = await visited(pool, "http://127.0.0.1:9/")
    assert (type(found.ended), found.kept) == (NavigationFailed, False)
