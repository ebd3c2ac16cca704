"""crawlee's storages in the store: keys of requests, one queue, and the items of datasets."""

from __future__ import annotations

import pytest
from crawlee import Request
from crawlee.storages import Dataset, RequestQueue

from stillframe.errors import OptionInvalid, StoreUnavailable
from stillframe.farm.crawler import StoreStorageClient
from stillframe.farm.crawler.storage_client import new_request
from stillframe.farm.store import CrawlStore, DatasetRow, worker_name


def test_a_key_of_the_url_tells_pages_apart_and_a_chosen_key_stays() -> None:
    made = [new_request(Request.from_url(url)) for url in ("http://h/A", "http://h/a", "http://h/#/a", "http://h/a#b")]
    assert [each.key for each in made] == ["http://h/A", "http://h/a", "http://h/#/a", "http://h/a"]
    assert all(Request.model_validate_json(each.body).unique_key == each.key for each in made)
    assert new_request(Request.from_url("http://h/A", unique_key="mine")).key == "mine"


async def test_a_crawl_has_one_queue_and_refuses_others(sqlite_url: str) -> None:
    store = await CrawlStore.open(sqlite_url, "c", worker=worker_name())
    async with store, StoreStorageClient(store) as client:
        own = [await client.create_rq_client(**asked) for asked in ({}, {"alias": "__default__"}, {"name": "c"})]
        assert own == [client.queue] * 3
        with pytest.raises(OptionInvalid, match="no request queue 'other': a crawl in a database has one queue, 'c'"):
            await RequestQueue.open(name="other", storage_client=client)


async def test_free_pages_are_leased_together_and_returned_at_the_end(sqlite_url: str) -> None:
    store = await CrawlStore.open(sqlite_url, "c", worker=worker_name())
    async with store:
        async with StoreStorageClient(store, concurrency=3) as client:
            await client.queue.add_batch_of_requests([Request.from_url(f"http://h/{n}") for n in range(9)])
            first = await client.queue.fetch_next_request()
            assert first is not None
            assert (await store.counts()).leased == 3
            assert [await client.queue.fetch_next_request() for _ in range(2)] != [None, None]
            await client.queue.mark_request_as_handled(first)
            assert await client.queue.fetch_next_request() is not None
            assert (await store.counts()).leased == 3
        assert (await store.counts()).leased == 0


async def test_items_of_datasets_by_name(sqlite_url: str) -> None:
    store = await CrawlStore.open(sqlite_url, "c", worker=worker_name())
    async with store, StoreStorageClient(store) as client:
        data = await Dataset.open(name="some", storage_client=client)
        await data.push_data([{"n": 1}, {}, {"n": 3}])
        last = await data.get_data(desc=True, limit=1)
        assert (last.items, last.total, last.count) == ([{"n": 3}], 3, 1)
        assert [item async for item in data.iterate_items(offset=1, skip_empty=True)] == [{"n": 3}]
        assert [item async for item in data.iterate_items(limit=1)] == [{"n": 1}]
        assert (await (await Dataset.open(name="others", storage_client=client)).get_data()).total == 0


async def test_what_was_pushed_survives_a_database_that_is_away_for_a_moment(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A request is marked as handled up to three times by crawlee."""
    store = await CrawlStore.open(sqlite_url, "c", worker=worker_name())
    async with store, StoreStorageClient(store) as client:
        await client.queue.add_batch_of_requests([Request.from_url("http://h/")])
        request = await client.queue.fetch_next_request()
        assert request is not None
        row = DatasetRow(dataset="pages", body=b"{}")
        assert client.queue.stage(request.unique_key, [row])

        async def away(_pages: object) -> None:
            raise StoreUnavailable("gone", url="x")

        with monkeypatch.context() as patched:
            patched.setattr(store, "complete_all", away)
            with pytest.raises(StoreUnavailable):
                await client.queue.mark_request_as_handled(request)
        assert await client.queue.mark_request_as_handled(request) is not None
        assert [each.body for each in await store.rows(0, 10)] == [b"{}"]
