"""One worker of a crawl: it leases pages, visits them, and ends each lease with what became of the page."""

from __future__ import annotations

import asyncio
import contextlib

from stillframe.farm.crawl.handling import PageHandler
from stillframe.farm.crawl.visiting import Ending, Visit, Visitor
from stillframe.farm.errors import DiskFull, StoreError
from stillframe.farm.leases import Leases
from stillframe.farm.loading.deferring import Deferred
from stillframe.farm.loading.retries import blames_browser, is_lasting, retry_pause_s
from stillframe.farm.loading.trials import read_trials
from stillframe.farm.store import Completion, Lease, Return
from stillframe.security.redaction import logger

_log = logger(__name__)


class WorkerLoop:
    """Visits the pages of `leases` with up to `pages` tabs at once, until the crawl is finished or `stop` is called.

    A page that fails is tried `retries` times more, unless that cannot help. `handler` counts how pages end.
    """

    def __init__(self, leases: Leases, visitor: Visitor, handler: PageHandler, *, pages: int, retries: int) -> None:
        self._leases = leases
        self._visitor = visitor
        self._pages = pages
        self._retries = retries
        self._handler = handler
        self._tasks: set[asyncio.Task[None]] = set()
        self._working: dict[str, asyncio.Task[None]] = {}
        """The work on each page by its key; work that lost its page may still be ending beside it."""
        self._stopping = False
        self._error: BaseException | None = None
        self._changed = asyncio.Event()

    async def run(self) -> None:
        """Work until nothing is left; raises what ends the crawl: StoreError, DiskFull, BrowserError."""
        self._leases.call_when_lost(self._lose)
        try:
            while (lease := await self._next()) is not None:
                self._start(lease)
            while self._tasks and self._error is None:
                await self._wait(None)
            if self._error is not None:
                raise self._error
        finally:
            await self._abort()

    def stop(self) -> None:
        """Take no more pages, and end when those that are open are done."""
        self._stopping = True
        self._changed.set()

    def _lose(self, key: str) -> None:
        """End the work on a page whose lease another worker has."""
        self._handler.lost()
        if key in self._working:
            self._working.pop(key).cancel()

    async def _next(self) -> Lease | None:
        """Return the next page when a tab is free for it, None when there will be no more."""
        while not self._stopping and self._error is None:
            is_free = len(self._tasks) < self._pages
            if is_free and (lease := await self._leases.take()) is not None:
                return lease
            if not self._tasks and await self._leases.finished():
                return None
            await self._wait(self._leases.idle_s() if is_free else None)
        return None

    async def _wait(self, timeout_s: float | None) -> None:
        """Wait until a page has ended, the loop is to stop, or the time is over."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):  # noqa: TID251  a pause, nothing fails at its end
                await self._changed.wait()
        self._changed.clear()

    def _start(self, lease: Lease) -> None:
        task = asyncio.create_task(self._work(lease), name=f"page {lease.url}")
        self._tasks.add(task)
        self._working[lease.key] = task
        task.add_done_callback(lambda task: self._over(lease.key, task))

    def _over(self, key: str, task: asyncio.Task[None]) -> None:
        self._tasks.remove(task)
        if self._working.get(key) is task:
            del self._working[key]
        if not task.cancelled() and task.exception() is not None:
            self._error = self._error or task.exception()
        self._changed.set()

    async def _abort(self) -> None:
        """End the work on all pages; they go back to the queue with their leases."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    # -- one page ----------------------------------------------------------------------------------

    async def _work(self, lease: Lease) -> None:
        visit = Visit(lease, read_trials(lease.body))
        try:
            ending = self._handler.admit(visit) or await self._visit(visit)
        except Deferred as deferred:
            await self._defer(visit, deferred)
        except (StoreError, DiskFull):
            raise
        except Exception as error:
            await self._fail(visit, error)
        else:
            await self._end(visit, ending)
        finally:
            self._handler.closed(visit)

    async def _visit(self, visit: Visit) -> Ending:
        try:
            return await self._visitor.visit(visit)
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            # Nobody has cancelled this task: without an end, its lease would be renewed for ever.
            raise RuntimeError(f"what {visit.lease.url} waited for was cancelled") from error

    async def _end(self, visit: Visit, ending: Ending) -> None:
        page = Completion(lease=visit.lease, rows=ending.rows, links=ending.links, outcome=ending.outcome)
        if await self._leases.complete(page):
            self._handler.ended(visit, ending)

    async def _defer(self, visit: Visit, deferred: Deferred) -> None:
        """Return a page to the queue untried."""
        _log.info("%s", deferred)
        page = Return(
            lease=visit.lease,
            delay_s=deferred.delay_s,
            hold_host_s=deferred.hold_host_s,
            last=deferred.behind,
            request=visit.trials.encode(),
            attempt=False,
        )
        await self._leases.release(page)
        if deferred.ends is not None:
            raise deferred.ends

    async def _fail(self, visit: Visit, error: Exception) -> None:
        """Return a page to the queue to be tried again, or record that it has failed."""
        tries, lease = visit.lease.attempts, visit.lease
        if tries > self._retries or visit.gave_up or is_lasting(error, tries):
            _log.info("%s failed: %s", lease.url, error)
            await self._end(visit, self._visitor.failed(visit, error))
            return
        pause_s = retry_pause_s(tries)
        _log.info("%s failed, and is tried again in %.3g s: %s", lease.url, pause_s, error)
        if not blames_browser(error):
            visit.trials.avoid = None
        self._handler.retried(visit, error)
        await self._leases.release(Return(lease=lease, delay_s=pause_s, request=visit.trials.encode()))
