"""crawlee's storages in the database of a crawl: what a handler pushes is committed with its page's acknowledgement."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Hashable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
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
from stillframe.farm.leases import Leases
from stillframe.farm.loading.links import host_of, page_key
from stillframe.farm.loading.retries import retry_pause_s
from stillframe.farm.store import DATASET, Completion, CrawlStore, DatasetRow, NewRequest, Return
from stillframe.security.redaction import logger

_log = logger(__name__)
PAGE = 1_000
PRIORITY = "stillframePriority"
"""The key of `request.user_data` under which a request has its priority in the queue, from -100 to 100."""
DEFAULT_ALIAS = "__default__"
"""crawlee's alias of a storage without a name."""
OUTCOMES = {RequestState.ERROR: "failed", RequestState.SKIPPED: "skipped"}
"""How a request ended; all other states are `done`."""


@dataclass
class Pushing:
    """The unique key of a request that is being worked on, until this try of it fails."""

    key: str
    failed: bool = False


pushing: ContextVar[Pushing | None] = ContextVar("pushing", default=None)
"""What is being worked on. A try fails in a task of its own, whose context is a copy, so the value is changed."""


class StoreStorageClient(StorageClient):
    """crawlee's storage client for one `CrawlStore`; use it as `async with`, so that leases are renewed.

    There is one request queue and one dataset per name. Key-value stores are in memory. `concurrency` is how many pages
    are open at once.
    """

    def __init__(self, store: CrawlStore, *, concurrency: int = 1) -> None:
        self.store = store
        self.queue = StoreQueue(store, concurrency)
        self._memory = MemoryStorageClient()

    async def __aenter__(self) -> StoreStorageClient:
        await self.queue.leases.__aenter__()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.queue.leases.__aexit__(*exc)

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
        self.leases = Leases(store, concurrency)
        self._store = store
        self._staged: dict[str, list[DatasetRow]] = {}

    # -- what handlers push ------------------------------------------------------------------------

    def stage(self, key: str, rows: Sequence[DatasetRow]) -> bool:
        """Keep rows to be committed when a request ends; return False if this worker does not have it."""
        if self.leases.of(key) is None:
            return False
        self._staged.setdefault(key, []).extend(rows)
        return True

    # -- crawlee's interface -----------------------------------------------------------------------

    async def add_batch_of_requests(
        self, requests: Sequence[Request], *, forefront: bool = False
    ) -> AddRequestsResponse:
        """Add requests; those whose key the crawl has are reported as present."""
        added = await self._store.add([new_request(request) for request in requests], first=forefront)
        self.leases.ask_now()
        answers = [
            ProcessedRequest(unique_key=each.key, was_already_present=not each.added, was_already_handled=each.finished)
            for each in added
        ]
        return AddRequestsResponse(processed_requests=answers, unprocessed_requests=[])

    async def fetch_next_request(self) -> Request | None:
        """Return the next request of a host that may be loaded now."""
        lease = await self.leases.take()
        if lease is None:
            return None
        self._staged.pop(lease.key, None)
        request = Request.model_validate_json(lease.body)
        request.retry_count = max(request.retry_count, lease.attempts - 1)
        return request

    async def mark_request_as_handled(self, request: Request) -> ProcessedRequest | None:
        """Commit what the request's handler pushed, and its acknowledgement; None if the lease was lost."""
        key = request.unique_key
        lease, rows = self.leases.of(key), self._staged.get(key, [])
        outcome = OUTCOMES.get(request.state, "done")
        kept = lease and await self.leases.complete(Completion(lease=lease, rows=rows, outcome=outcome))
        self._staged.pop(key, None)  # not before: crawlee asks again after an error
        if not kept:
            return None
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
        key = request.unique_key
        lease = self.leases.of(key)
        self._staged.pop(key, None)
        if lease is None:
            return None
        page = Return(
            lease=lease,
            first=forefront,
            last=behind,
            delay_s=retry_pause_s(request.retry_count) if delay_s is None else delay_s,
            hold_host_s=hold_host_s,
            request=request.model_dump_json(),
            attempt=delay_s is None,
        )
        if not await self.leases.release(page):
            return None
        return ProcessedRequest(unique_key=key, was_already_present=True, was_already_handled=False)

    async def is_empty(self) -> bool:
        """Return whether no request may be loaded now."""
        return not await self.leases.any()

    async def is_finished(self) -> bool:
        """Return whether this worker has nothing more to do."""
        return await self.leases.finished()

    async def get_request(self, unique_key: str) -> Request | None:
        """Return a request that this worker has; crawlee does not ask for others."""
        lease = self.leases.of(unique_key)
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
        at = pushing.get()
        if at is None or at.failed or not self._queue.stage(at.key, rows):
            await self._store.push(rows)

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
