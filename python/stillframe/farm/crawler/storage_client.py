"""crawlee's storages in the database of a crawl: what a handler pushes is committed with its page's acknowledgement."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Mapping, Sequence
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, cast

from crawlee import Request, RequestState
from crawlee.storage_clients import MemoryStorageClient, StorageClient
from crawlee.storage_clients.models import (
    AddRequestsResponse,
    DatasetItemsListPage,
    DatasetMetadata,
    ProcessedRequest,
    RequestQueueMetadata,
)

from stillframe.errors import OptionInvalid
from stillframe.farm.crawler.links import host_of, page_key
from stillframe.farm.errors import LeaseLost
from stillframe.farm.store import DATASET, CrawlStore, DatasetRow, Lease, NewRequest
from stillframe.security.redaction import logger

_log = logger(__name__)
PAGE = 1_000
PRIORITY = "stillframePriority"
"""The key of `request.user_data` under which a request has its priority in the queue, from -100 to 100."""
DEFAULT_ALIAS = "__default__"
"""crawlee's alias of a storage without a name."""
OUTCOMES = {RequestState.ERROR: "failed", RequestState.SKIPPED: "skipped"}
"""How a request ended; all other states are `done`."""
BATCH = 4
"""How many pages one lease takes at most: those that wait for a browser here could be loaded elsewhere; our choice."""
IDLE_S = 0.5
"""How long an empty queue is not asked again, unless a page is due earlier; other workers add pages, too."""
FINISHED_S = 0.2
RENEWALS = 3
"""How often a lease is renewed in its time, so that one slow answer of the database does not lose it."""

pushing: ContextVar[str | None] = ContextVar("pushing", default=None)
"""The unique key of the request whose results are being committed."""


class StoreStorageClient(StorageClient):
    """crawlee's storage client for one `CrawlStore`; use it as `async with`, so that leases are renewed.

    There is one request queue and one dataset per name. Key-value stores are in memory. `concurrency` is how many pages
    are open at once: as many as are free of them, `BATCH` at most, are leased together.
    """

    def __init__(self, store: CrawlStore, *, concurrency: int = 1) -> None:
        self.store = store
        self.queue = StoreQueue(store, concurrency)
        self._memory = MemoryStorageClient()
        self._renewing: asyncio.Task[None] | None = None

    async def __aenter__(self) -> StoreStorageClient:
        self._renewing = asyncio.create_task(self.queue.renew(), name="renew leases")
        return self

    async def __aexit__(self, *exc: object) -> None:
        assert self._renewing is not None
        self._renewing.cancel()
        await asyncio.gather(self._renewing, return_exceptions=True)
        await self.queue.release_all()

    def get_storage_client_cache_key(self, configuration: Any) -> Hashable:  # noqa: ARG002  crawlee's name
        """Return a key of its own for each client, so that crawlee shares none of its storages."""
        return id(self)

    async def create_rq_client(
        self, *, id: str | None = None, name: str | None = None, alias: str | None = None, **_: Any
    ) -> Any:
        """Return the queue of the crawl; raises OptionInvalid for one of another name, which the crawl would load."""
        asked = id or name or alias
        if asked not in (None, DEFAULT_ALIAS, self.store.name):
            raise OptionInvalid(
                f"no request queue {asked!r}: a crawl in a database has one queue, {self.store.name!r}; keep others "
                "with another storage client, or open a CrawlStore of that name",
                option="name",
            )
        return self.queue

    async def create_dataset_client(self, *, name: str | None = None, alias: str | None = None, **_: Any) -> Any:
        """Return the dataset of a name."""
        return StoreDataset(self.queue, name or alias or DATASET)

    async def create_kvs_client(self, **options: Any) -> Any:
        """Return a key-value store in memory."""
        return await self._memory.create_kvs_client(**options)


class StoreQueue:
    """crawlee's request queue client, over the queue of a `CrawlStore`."""

    def __init__(self, store: CrawlStore, concurrency: int = 1) -> None:
        self._store = store
        self._concurrency = concurrency
        self._on_lost: Callable[[str], None] = lambda _key: None
        self._held: dict[str, Lease] = {}
        self._ready: deque[Lease] = deque()
        self._staged: dict[str, list[DatasetRow]] = {}
        self._outcomes: dict[str, str] = {}
        self._ask_at = 0.0
        self._finished: tuple[float, bool] = (0.0, False)
        self._feeding: Callable[[], Awaitable[bool]] | None = None

    # -- what handlers push ------------------------------------------------------------------------

    def stage(self, key: str, rows: Sequence[DatasetRow], *, outcome: str | None = None) -> None:
        """Keep rows to be committed when a request ends, and the outcome to record instead of crawlee's."""
        self._staged.setdefault(key, []).extend(rows)
        if outcome is not None:
            self._outcomes[key] = outcome

    def staged(self, key: str) -> Sequence[DatasetRow]:
        """Return the rows that were staged for a request."""
        return tuple(self._staged.get(key, ()))

    def unstage(self, key: str) -> None:
        """Drop what was staged for a request."""
        self._staged.pop(key, None)
        self._outcomes.pop(key, None)

    # -- crawlee's interface -----------------------------------------------------------------------

    async def add_batch_of_requests(
        self, requests: Sequence[Request], *, forefront: bool = False
    ) -> AddRequestsResponse:
        """Add requests; those whose key the crawl has are reported as present."""
        added = await self._store.add([new_request(request) for request in requests], first=forefront)
        self._ask_at = 0.0
        answers = [
            ProcessedRequest(unique_key=each.key, was_already_present=not each.added, was_already_handled=each.finished)
            for each in added
        ]
        return AddRequestsResponse(processed_requests=answers, unprocessed_requests=[])

    async def fetch_next_request(self) -> Request | None:
        """Return the next request of a host that may be loaded now."""
        if not self._ready and not await self._fill():
            return None
        lease = self._ready.popleft()
        self._held[lease.key] = lease
        request = Request.model_validate_json(lease.body)
        request.retry_count = max(request.retry_count, lease.attempts - 1)
        return request

    async def mark_request_as_handled(self, request: Request) -> ProcessedRequest | None:
        """Commit what the request's handler pushed, and its acknowledgement; None if the lease was lost."""
        key = request.unique_key
        lease, rows = self._held.get(key), self._staged.get(key, [])
        if lease is None:
            return None
        outcome = self._outcomes.get(key) or OUTCOMES.get(request.state, "done")
        try:
            await self._store.complete(lease, rows=rows, outcome=outcome)
        except LeaseLost as error:
            self._lose(key, error)
            return None
        finally:
            self._ask_at = 0.0
        self._forget(key)
        return ProcessedRequest(unique_key=key, was_already_present=True, was_already_handled=True)

    async def reclaim_request(
        self,
        request: Request,
        *,
        forefront: bool = False,
        delay_s: float | None = None,
        hold_host_s: float = 0.0,
        behind: bool = False,
    ) -> ProcessedRequest | None:
        """Return a request to the queue, and drop what its handler pushed. A retry waits half a second, then longer."""
        lease = self._held.get(request.unique_key)
        if lease is None:
            return None
        pause = retry_pause_s(request.retry_count) if delay_s is None else delay_s
        try:
            await self._store.release(
                lease,
                first=forefront,
                last=behind,
                delay_s=pause,
                hold_host_s=hold_host_s,
                request=request.model_dump_json(),
                attempt=delay_s is None,
            )
        except LeaseLost as error:
            self._lose(request.unique_key, error)
            return None
        self._forget(request.unique_key)
        self._ask_at = 0.0
        return ProcessedRequest(unique_key=request.unique_key, was_already_present=True, was_already_handled=False)

    async def is_empty(self) -> bool:
        """Return whether no request may be loaded now."""
        return not self._ready and not await self._fill()

    async def is_finished(self) -> bool:
        """Return whether this worker has nothing more to do."""
        if self._ready or self._held:
            return False
        now = asyncio.get_running_loop().time()
        if now >= self._finished[0]:
            # Asked first: the last pages are in the queue before the answer changes.
            fed = self._feeding is not None and await self._feeding()
            over = await self._store.is_finished() or await self._store.stopped()
            if over and fed:
                over = await self._store.budget() == 0  # also after a stop
            self._finished = (now + FINISHED_S, over)
        return self._finished[1]

    async def get_request(self, unique_key: str) -> Request | None:
        """Return a request that this worker has; crawlee does not ask for others."""
        lease = self._held.get(unique_key)
        return None if lease is None else Request.model_validate_json(lease.body)

    async def get_metadata(self) -> RequestQueueMetadata:
        """Return crawlee's description of the queue."""
        now, counts = datetime.now(UTC), await self._store.counts()
        return RequestQueueMetadata(
            id=self._store.name,
            name=self._store.name,
            accessed_at=now,
            created_at=now,
            modified_at=now,
            had_multiple_clients=True,
            handled_request_count=counts.finished,
            pending_request_count=counts.pending + counts.leased,
            total_request_count=counts.pending + counts.leased + counts.finished,
        )

    async def drop(self) -> None:
        """Do nothing: a crawl stays in its database."""

    async def purge(self) -> None:
        """Do nothing: a crawl stays in its database."""

    # -- leases ------------------------------------------------------------------------------------

    async def _fill(self) -> bool:
        now = asyncio.get_running_loop().time()
        if now < self._ask_at:
            return False
        self._ask_at = now + IDLE_S  # so that calls meanwhile do not ask as well
        free = self._concurrency - len(self._held)
        found = await self._store.lease(max(1, min(free, BATCH)))
        if found:
            self._ready.extend(found)
            self._ask_at = 0.0
            return True
        due = await self._store.next_ready_s()
        self._ask_at = now + min(IDLE_S, IDLE_S if due is None else max(due, 0.02))
        return False

    def wait_for(self, feeding: Callable[[], Awaitable[bool]]) -> None:
        """Let the queue not be finished while a function says that pages are still being added to it."""
        self._feeding = feeding

    def on_lost(self, callback: Callable[[str], None]) -> None:
        """Call a function with the unique key of each page whose lease another worker took."""
        self._on_lost = callback

    async def renew(self) -> None:
        """Renew all leases until cancelled."""
        while True:
            await asyncio.sleep(self._store.lease_s / RENEWALS)
            leases = [*self._held.values(), *self._ready]
            kept = {lease.key for lease in await self._store.renew(leases)}
            for lease in leases:
                if lease.key not in kept and lease.key in self._held:
                    self._lose(lease.key, None)
            lost = {lease.key for lease in leases} - kept  # those that were leased meanwhile are neither
            self._ready = deque(lease for lease in self._ready if lease.key not in lost)

    async def release_all(self) -> None:
        """Return what this worker still has to the queue."""
        for lease in (*self._held.values(), *self._ready):
            try:
                await self._store.release(lease, attempt=False)
            except LeaseLost:
                continue
        self._held.clear()
        self._ready.clear()
        self._staged.clear()

    def _lose(self, key: str, error: LeaseLost | None) -> None:
        _log.warning("%s", error or f"another worker has taken the page {key}; what was done here is dropped")
        self._forget(key)
        self._on_lost(key)

    def _forget(self, key: str) -> None:
        self._held.pop(key, None)
        self.unstage(key)


class StoreDataset:
    """crawlee's dataset client, over the rows of a `CrawlStore`."""

    def __init__(self, queue: StoreQueue, name: str) -> None:
        self._queue = queue
        self._store = queue._store
        self._name = name

    async def push_data(self, data: Sequence[Mapping[str, Any]] | Mapping[str, Any]) -> None:
        """Add items: inside of a handler with the acknowledgement of its request, elsewhere at once."""
        items = [data] if isinstance(data, Mapping) else list(data)
        rows = [DatasetRow(dataset=self._name, body=json.dumps(item).encode()) for item in items]
        key = pushing.get()
        if key is None:
            await self._store.push(rows)
        else:
            self._queue.stage(key, rows)

    async def iterate_items(
        self, *, offset: int = 0, limit: int | None = None, desc: bool = False, skip_empty: bool = False, **ignored: Any
    ) -> AsyncIterator[Mapping[str, Any]]:
        """Yield the items in the order in which they were committed, or in the reverse one."""
        _tell_ignored(ignored)
        end, at = None if limit is None else offset + limit, 0
        async for item in self._reversed() if desc else self._items():
            if at == end:
                return
            if at >= offset and (item or not skip_empty):
                yield item
            at += 1

    async def _items(self) -> AsyncIterator[dict[str, Any]]:
        after = 0
        while rows := await self._store.rows(after, PAGE, self._name):
            for row in rows:
                yield cast("dict[str, Any]", json.loads(row.body))
            after = rows[-1].id

    async def _reversed(self) -> AsyncIterator[dict[str, Any]]:
        for item in reversed([item async for item in self._items()]):
            yield item

    async def get_data(
        self,
        *,
        offset: int = 0,
        limit: int | None = 999_999,
        desc: bool = False,
        skip_empty: bool = False,
        **ignored: Any,
    ) -> DatasetItemsListPage:
        """Return some of the items; `total` counts all that are committed."""
        _tell_ignored(ignored)
        everything = [item async for item in (self._reversed() if desc else self._items())]
        some = everything[offset:] if limit is None else everything[offset : offset + limit]
        items = [item for item in some if item or not skip_empty]
        return DatasetItemsListPage(
            desc=desc, count=len(items), offset=offset, limit=limit or 0, total=len(everything), items=items
        )

    async def get_metadata(self) -> DatasetMetadata:
        """Return crawlee's description of the dataset; its number of items is not counted."""
        now = datetime.now(UTC)
        return DatasetMetadata(
            id=self._name,
            name=self._name,
            accessed_at=now,
            created_at=now,
            modified_at=now,
            item_count=0,
        )

    async def drop(self) -> None:
        """Do nothing: results stay in the database."""

    async def purge(self) -> None:
        """Do nothing: results stay in the database."""


def _tell_ignored(options: Mapping[str, Any]) -> None:
    names = ", ".join(name for name, value in options.items() if value)
    if names:
        _log.warning("a dataset in a database has no option %s: the items are returned whole", names)


def new_request(request: Request) -> NewRequest:
    """Return the store's form of a crawlee request.

    A key that crawlee has made of the URL, all in lower case and without a route, becomes that of `page_key`.
    """
    if request.unique_key == Request.from_url(request.url).unique_key:
        request = request.model_copy(update={"unique_key": page_key(request.url)})
    return NewRequest(
        key=request.unique_key,
        url=request.url,
        host=host_of(request.url),
        body=request.model_dump_json(),
        depth=request.crawl_depth,
        priority=int(str(request.user_data.get(PRIORITY, 0))),
    )


def retry_pause_s(retry_count: int) -> float:
    """Return how long a page waits before its n-th retry in seconds: 0.5, doubling, 30 at most; our choice."""
    return min(0.25 * 2.0**retry_count, 30.0)
