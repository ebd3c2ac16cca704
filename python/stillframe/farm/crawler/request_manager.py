"""Requests that go back to their queue for a time, in the way in which crawlee lets a host rest."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from crawlee import Request
from crawlee.errors import RequestThrottledError
from crawlee.request_loaders import RequestManager, ThrottlingRequestManager
from crawlee.storage_clients.models import ProcessedRequest
from crawlee.storages import RequestQueue

from stillframe.farm.crawler.storage_client import StoreQueue
from stillframe.farm.loading.deferring import Deferred, Holds
from stillframe.security.redaction import logger

_log = logger(__name__)
OnFinish = Callable[[Request], Awaitable[None]]


class Throttled(RequestThrottledError):
    """What tells crawlee that a request goes back to its manager untried."""


class DeferringRequestManager(ThrottlingRequestManager[RequestManager]):
    """Gives requests back to the queue behind it after a time of their own; no host is configured for delays.

    crawlee asks `is_throttled` whether a request that raised Throttled may come back, and then reclaims it.

    Args:
        inner: The queue behind it.
        holds: What waits for requests that go back to a queue without delays.
        store_queue: The same queue if it is in a crawl's database, which keeps the delays itself.
        on_finish: A coroutine function, awaited before a request is acknowledged.
    """

    def __init__(
        self, inner: RequestManager, *, holds: Holds, store_queue: StoreQueue | None, on_finish: OnFinish
    ) -> None:
        super().__init__(inner, domains=(), request_manager_opener=RequestQueue.open)
        self._holds = holds
        self._store_queue = store_queue
        self._on_finish = on_finish
        self._deferred: dict[str, tuple[str, Deferred]] = {}
        """The URL of each request that is to come back, and how, by its key."""

    def defer(self, request: Request, deferred: Deferred) -> Throttled:
        """Return what to raise so that crawlee gives a request back, as `deferred` says."""
        self._deferred[request.unique_key] = (request.url, deferred)
        return Throttled(str(deferred))

    def is_throttled(self, url: str) -> bool:
        """Return whether a request of this URL is to come back."""
        return any(url == each for each, _ in self._deferred.values())

    async def reclaim_request(self, request: Request, *, forefront: bool = False) -> ProcessedRequest | None:
        """Return a request to the queue, after its time if it was deferred; raise what then ends the crawl."""
        found = self._deferred.pop(request.unique_key, None)
        if found is None:
            return await super().reclaim_request(request, forefront=forefront)
        _, deferred = found
        _log.info("%s", deferred)
        answer: ProcessedRequest | None = None
        if self._store_queue is not None:
            answer = await self._store_queue.reclaim_request(
                request, delay_s=deferred.delay_s, hold_host_s=deferred.hold_host_s, behind=deferred.behind
            )
        else:
            again = super().reclaim_request
            self._holds.later(deferred.delay_s, lambda: again(request, forefront=forefront))
        if deferred.ends is not None:
            raise deferred.ends
        return answer

    async def mark_request_as_handled(self, request: Request) -> ProcessedRequest | None:
        """Acknowledge a request after `on_finish`."""
        await self._on_finish(request)
        return await super().mark_request_as_handled(request)


class DefaultQueue(RequestManager):
    """The request queue without a name, opened when it is first used: a crawler is made outside of a running loop."""

    def __init__(self, open_queue: Callable[[], Awaitable[RequestQueue]]) -> None:
        self._open = open_queue
        self._queue: RequestQueue | None = None

    async def queue(self) -> RequestQueue:
        """Return the queue."""
        if self._queue is None:
            self._queue = await self._open()
        return self._queue

    async def drop(self) -> None:
        """Remove the queue."""
        await (await self.queue()).drop()

    async def purge(self) -> None:
        """Remove the requests of the queue."""
        await (await self.queue()).purge()

    async def add_request(self, request: str | Request, *, forefront: bool = False) -> ProcessedRequest | None:
        """Add a request."""
        return await (await self.queue()).add_request(request, forefront=forefront)

    async def add_requests(self, requests: Sequence[str | Request], **options: Any) -> None:
        """Add requests; takes what crawlee's queue takes."""
        await (await self.queue()).add_requests(requests, **options)

    async def fetch_next_request(self) -> Request | None:
        """Return the next request."""
        return await (await self.queue()).fetch_next_request()

    async def reclaim_request(self, request: Request, *, forefront: bool = False) -> ProcessedRequest | None:
        """Return a request to the queue."""
        return await (await self.queue()).reclaim_request(request, forefront=forefront)

    async def mark_request_as_handled(self, request: Request) -> ProcessedRequest | None:
        """Acknowledge a request."""
        return await (await self.queue()).mark_request_as_handled(request)

    async def get_handled_count(self) -> int:
        """Return how many requests are done."""
        return await (await self.queue()).get_handled_count()

    async def get_total_count(self) -> int:
        """Return how many requests there are."""
        return await (await self.queue()).get_total_count()

    async def is_empty(self) -> bool:
        """Return whether no request may be loaded now."""
        return await (await self.queue()).is_empty()

    async def is_finished(self) -> bool:
        """Return whether all requests are done."""
        return await (await self.queue()).is_finished()
