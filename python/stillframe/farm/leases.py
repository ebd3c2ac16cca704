"""The pages that one worker has leased: taken, renewed, ended together with others, and returned."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from stillframe.farm.errors import FarmError, LeaseLost, StoreError
from stillframe.farm.store import Completion, CrawlStore, Lease, Return
from stillframe.security.redaction import logger

_log = logger(__name__)
BATCH = 4
"""How many pages one lease takes at most: those that wait for a browser here could be loaded elsewhere; our choice."""
BATCH_LINKS = 5_000
"""How many links end together at most: SQLite adds that many in some 0.1 s, and all workers wait for it."""
IDLE_S = 0.5
"""How long an empty queue is not asked again, unless a page is due earlier; other workers add pages, too."""
SOONEST_S = 0.02
FINISHED_S = 0.2
"""How long the answer is kept whether a crawl is finished."""
RENEWALS = 3
"""How often a lease is renewed in its time, so that one slow answer of the database does not lose it."""


class _Ending(NamedTuple):
    page: Completion
    answer: asyncio.Future[bool]


class Leases:
    """What one worker has leased of a crawl; use it as `async with`, so that leases are renewed and returned.

    `pages` is how many pages are open at once: as many as are free of them, `BATCH` at most, are leased together. Pages
    that end while others are being committed are committed together. The crawl is not finished while `feeding` says
    that pages are still being added.
    """

    def __init__(
        self, store: CrawlStore, pages: int = 1, *, feeding: Callable[[], Awaitable[bool]] | None = None
    ) -> None:
        self.store = store
        self._feeding = feeding
        self._on_lost: Callable[[str], None] = lambda _key: None
        self._pages = pages
        self._held: dict[str, Lease] = {}
        self._ready: deque[Lease] = deque()
        self._ask_at = 0.0
        self._is_empty = False
        """Whether nothing was added or has ended since the queue was asked."""
        self._finished: tuple[float, bool] = (0.0, False)
        self._endings: deque[_Ending] = deque()
        self._ending: set[str] = set()
        """The pages that the database is being told about: it may know already that their leases are over."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._committing: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Leases:
        self._spawn(self._renew_always(), "renew leases")
        return self

    async def __aexit__(self, *exc: object) -> None:
        if self._committing is not None:
            await asyncio.wait({self._committing})
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._return_all()

    def call_when_lost(self, callback: Callable[[str], None]) -> None:
        """Call a function with the key of each page whose lease another worker took."""
        self._on_lost = callback

    # -- taking ------------------------------------------------------------------------------------

    async def take(self) -> Lease | None:
        """Return the next page of a host that may be loaded now, None if there is none."""
        if not await self.any():
            return None
        lease = self._ready.popleft()
        self._held[lease.key] = lease
        return lease

    async def any(self) -> bool:
        """Return whether a page may be loaded now."""
        return bool(self._ready) or await self._fill()

    async def _fill(self) -> bool:
        now = _now()
        if now < self._ask_at:
            return False
        self._ask_at = now + IDLE_S  # so that calls meanwhile do not ask as well
        self._is_empty = True
        free = self._pages - len(self._held)
        found = await self.store.lease(max(1, min(free, BATCH)))
        if found:
            self._ready.extend(found)
            self._ask_at = 0.0
            return True
        due = await self.store.next_ready_s()
        if self._is_empty:
            self._ask_at = now + min(IDLE_S, IDLE_S if due is None else max(due, SOONEST_S))
        return False

    def idle_s(self) -> float:
        """Return after how many seconds to ask again for a page."""
        return max(0.0, self._ask_at - _now())

    def ask_now(self) -> None:
        """Ask the queue again at the next `take`, because pages were added or have ended."""
        self._ask_at, self._is_empty = 0.0, False
        self._finished = (0.0, False)

    async def finished(self) -> bool:
        """Return whether this worker has nothing more to do."""
        if self._ready or self._held:
            return False
        now = _now()
        if now >= self._finished[0]:
            # Asked first: the last pages are in the queue before the answer changes.
            fed = self._feeding is not None and await self._feeding()
            over = await self.store.is_finished() or await self.store.stopped()
            if over and fed:
                over = await self.store.budget() == 0  # also after a stop
            self._finished = (now + FINISHED_S, over)
        return self._finished[1]

    def of(self, key: str) -> Lease | None:
        """Return the lease of a page that this worker has."""
        return self._held.get(key)

    # -- ending ------------------------------------------------------------------------------------

    async def complete(self, page: Completion) -> bool:
        """End a lease with what became of its page, all or nothing; return False if another worker has it by now."""
        ending = _Ending(page, asyncio.get_running_loop().create_future())
        self._endings.append(ending)
        self._ending.add(page.lease.key)
        if self._committing is None:
            self._committing = self._spawn(self._commit(), "commit pages")
        return await ending.answer

    async def _commit(self) -> None:
        try:
            while self._endings:
                await self._commit_some(self._next_endings())
        finally:
            self._committing = None

    def _next_endings(self) -> list[_Ending]:
        """Return the pages that end together: all that wait, but for too many links."""
        some = [self._endings.popleft()]
        links = len(some[0].page.links)
        while self._endings and (links := links + len(self._endings[0].page.links)) <= BATCH_LINKS:
            some.append(self._endings.popleft())
        return some

    async def _commit_some(self, endings: list[_Ending]) -> None:
        try:
            lost = {lease.key for lease in await self.store.complete_all([each.page for each in endings])}
        except Exception as error:
            if len(endings) > 1 and not isinstance(error, StoreError):
                for each in endings:  # one of them is to blame, and the others are not
                    await self._commit_some([each])
                return
            for each in endings:
                self._ending.discard(each.page.lease.key)
                if not each.answer.done():
                    each.answer.set_exception(error)
            return
        for each in endings:
            self._ended(each.page.lease, lost=each.page.lease.key in lost)
            if not each.answer.done():
                each.answer.set_result(each.page.lease.key not in lost)
        self.ask_now()

    def _ended(self, lease: Lease, *, lost: bool) -> None:
        self._ending.discard(lease.key)
        if self._held.get(lease.key) is not lease:  # over already, and the page may be leased here again
            return
        if lost:
            self._lose(lease.key)
        else:
            del self._held[lease.key]

    async def release(self, page: Return) -> bool:
        """Return a page to the queue; return False if another worker has it by now."""
        lease, lost = page.lease, False
        self._ending.add(lease.key)
        try:
            await self.store.release(page)
        except LeaseLost:
            lost = True
        finally:
            self._ending.discard(lease.key)
        self._ended(lease, lost=lost)
        self.ask_now()
        return not lost

    async def _return_all(self) -> None:
        """Return what this worker still has to the queue."""
        for lease in (*self._held.values(), *self._ready):
            try:
                await self.store.release(Return(lease=lease, attempt=False))
            except LeaseLost:
                continue
        self._held.clear()
        self._ready.clear()

    # -- renewing ----------------------------------------------------------------------------------

    async def _renew_always(self) -> None:
        while True:
            await asyncio.sleep(self.store.lease_s / RENEWALS)
            try:
                await self.renew()
            except FarmError as error:  # whatever it is, another worker gets what is not renewed
                _log.warning("no lease could be renewed: %s", error)

    async def renew(self) -> None:
        """Renew all leases, and lose those that other workers have."""
        leases = [*self._held.values(), *self._ready]
        kept = {lease.key for lease in await self.store.renew(leases)}
        for lease in leases:
            if lease.key not in kept and lease.key not in self._ending and self._held.get(lease.key) is lease:
                self._lose(lease.key)
        # Pages that were leased meanwhile, perhaps once more, are not lost.
        lost = [lease for lease in leases if lease.key not in kept]
        self._ready = deque(each for each in self._ready if not any(each is lease for lease in lost))

    def _lose(self, key: str) -> None:
        del self._held[key]
        _log.warning(
            "another worker has taken the page %s, because its lease ran out; what was done here is dropped. If this "
            "happens often, the machine is overloaded: use fewer pages at once",
            key,
        )
        self._on_lost(key)

    def _spawn(self, work: Awaitable[None], name: str) -> asyncio.Task[None]:
        task = asyncio.ensure_future(work)
        task.set_name(name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def _now() -> float:
    return asyncio.get_running_loop().time()
