"""Requests that go back to their queue, and those that are acknowledged."""

from __future__ import annotations

import asyncio

from crawlee import Request
from crawlee.storage_clients import MemoryStorageClient
from crawlee.storages import RequestQueue

from stillframe.farm.crawler.request_manager import DeferringRequestManager
from stillframe.farm.loading.deferring import Deferred, Holds


async def ignore(_request: Request) -> None:
    """Do nothing at the end of a request."""


async def test_two_requests_of_one_url_go_back_each_for_itself() -> None:
    queue = await RequestQueue.open(storage_client=MemoryStorageClient())
    async with Holds() as holds:
        manager = DeferringRequestManager(queue, holds=holds, store_queue=None, on_finish=ignore)
        url = "http://h/form"
        first, second = (Request.from_url(url, unique_key=key) for key in ("1", "2"))
        await manager.add_requests([first, second])
        first, second = [await manager.fetch_next_request() for _ in range(2)]  # type: ignore[assignment]
        for each in (first, second):
            manager.defer(each, Deferred("later", delay_s=0))
        await manager.reclaim_request(first)
        assert manager.is_throttled(url)
        await manager.reclaim_request(second)
        assert not manager.is_throttled(url)


async def test_a_request_that_waits_goes_back_however_early_the_crawl_ends() -> None:
    returned = asyncio.Event()

    async def give_back() -> None:
        returned.set()

    async with Holds() as holds:
        holds.later(60, give_back)
    assert returned.is_set()
