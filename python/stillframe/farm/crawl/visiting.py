"""One visit of a page: a tab is borrowed, the page is loaded and judged, and the handler reads it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any, Protocol

from stillframe import Page
from stillframe.errors import StillframeError
from stillframe.extend import page_state, time_limit
from stillframe.farm.crawl.scope import Scope
from stillframe.farm.errors import RendererHung
from stillframe.farm.loading.deferring import excused, until_shed
from stillframe.farm.loading.judging import ForbiddenByRobots
from stillframe.farm.loading.loader import PageLoader
from stillframe.farm.loading.navigating import Destination, Loaded
from stillframe.farm.loading.near_duplicates import NearDuplicate, NearDuplicates
from stillframe.farm.loading.trials import Trials
from stillframe.farm.loading.whole import hung
from stillframe.farm.output import PageRecord, WarcRecorder
from stillframe.farm.pool import PooledPage
from stillframe.farm.store import DatasetRow, Lease, NewRequest
from stillframe.farm.store.counting import ROBOTS_REFUSED, SKIPPED
from stillframe.model.result import CaptureCounts

ERRORS = 400
"""The least status of an error (RFC 9110); some servers make up greater ones than 599."""


class HttpStatusError(Exception):
    """A page was answered with a status that makes it fail."""

    def __init__(self, url: str, status: int) -> None:
        super().__init__(f"{url} was answered with {status}")
        self.status = status


@dataclass
class Visit:
    """What is known of one visit; `captured` is how often its tab had been captured before it."""

    lease: Lease
    trials: Trials
    started: float = field(default_factory=time.monotonic)
    lent: PooledPage | None = None
    loaded: Loaded | None = None
    arrived: float = 0.0
    captured: CaptureCounts = field(default_factory=CaptureCounts)
    captures: CaptureCounts | None = None
    excess_ms: float | None = None
    recorder: WarcRecorder | None = None
    near_duplicate: NearDuplicate | None = None
    gave_up: bool = False
    """Whether its server has asked for time too often."""

    @property
    def page(self) -> Page:
        """The tab that was borrowed."""
        assert self.lent is not None
        return self.lent.page

    @property
    def measured(self) -> dict[str, Any]:
        """What metrics ask for beside the record."""
        if self.lent is None:
            return {}
        return {"browser": self.lent.browser, "captures": self.captures, "excess_ms": self.excess_ms}


@dataclass(frozen=True)
class Ending:
    """What became of a page: its rows and links, its outcome, and its record if it has one."""

    rows: Sequence[DatasetRow] = ()
    links: Sequence[NewRequest] = ()
    outcome: str = "done"
    record: PageRecord | None = None


class Handler(Protocol):
    """What reads pages for a crawl."""

    async def before(self, visit: Visit, stack: AsyncExitStack) -> None:
        """Prepare a tab that is still without the page."""

    async def handle(self, visit: Visit, loaded: Loaded) -> Ending:
        """Return what a page holds."""

    def failed(self, visit: Visit, error: Exception) -> Ending:
        """Return what is recorded of a page that failed."""


class Visitor:
    """Visits pages with a loader and hands them to a handler.

    Pages with a status of `accepted` are pages as well. `near_duplicates` finds pages like earlier ones, None for none.
    """

    def __init__(
        self,
        loader: PageLoader,
        scope: Scope,
        handler: Handler,
        *,
        handler_s: float,
        accepted: frozenset[int],
        context: dict[str, Any] | None = None,
        near_duplicates: NearDuplicates | None = None,
    ) -> None:
        self._loader = loader
        self._scope = scope
        self._handler = handler
        self._handler_s = handler_s
        self._accepted = accepted
        self._context = context
        self._near_duplicates = near_duplicates

    async def visit(self, visit: Visit) -> Ending:
        """Load a page and return what the handler makes of it.

        Raises Deferred for a page that goes back to the queue untried, and what loading and reading raise.
        """
        url = visit.lease.url
        try:
            return await self._visit(visit, url)
        except ForbiddenByRobots:
            return Ending(outcome=ROBOTS_REFUSED)
        except StillframeError as error:
            raise excused(url, visit.trials, error) or error from error

    async def _visit(self, visit: Visit, url: str) -> Ending:
        async with AsyncExitStack() as stack:
            lent = visit.lent = await self._loader.borrow(url, visit.trials, stack, context=self._context)
            try:
                return await until_shed(lent.shed, self._use(visit, stack), url)
            except Exception as error:
                if not lent.reuse or lent.shed.is_set():
                    raise
                refused = error  # raised in the block, it would close a tab in which nothing went wrong
        raise refused

    def failed(self, visit: Visit, error: Exception) -> Ending:
        """Return what is recorded of a page that failed."""
        return self._handler.failed(visit, error)

    async def _use(self, visit: Visit, stack: AsyncExitStack) -> Ending:
        url, page, lent = visit.lease.url, visit.page, visit.lent
        assert lent is not None
        visit.captured = page_state(page).captures
        await self._handler.before(visit, stack)
        loaded = visit.loaded = await self._loader.load(page, Destination(url))
        visit.arrived = time.monotonic()
        lent.reuse = True
        if not await self._scope.arrive(url, loaded.url):
            return Ending(outcome=SKIPPED)
        await self._loader.check_redirects(url, [each for each in loaded.way if await self._scope.takes(url, each)])
        self._check_status(visit, loaded)
        lent.reuse = False  # until the page was read
        if self._near_duplicates is not None and loaded.is_document:
            visit.near_duplicate = await self._near_duplicates.of_page(url, page)
        ending = await self._handle(visit, loaded)
        lent.reuse = True
        return ending

    def _check_status(self, visit: Visit, loaded: Loaded) -> None:
        url, status = visit.lease.url, loaded.response.status
        visit.gave_up = self._loader.check_pressure(url, visit.lease.key, loaded, visit.trials)
        if status is not None and status >= ERRORS and status not in self._accepted:
            raise HttpStatusError(url, status)

    async def _handle(self, visit: Visit, loaded: Loaded) -> Ending:
        """Let the handler read the page.

        Raises TimeoutError if that takes too long, and RendererHung if the page is to blame.
        """
        try:
            async with time_limit(self._handler_s):
                return await self._handler.handle(visit, loaded)
        except TimeoutError as error:
            found: RendererHung | None = await hung(visit.page, visit.lease.url)
            raise found or error from error
