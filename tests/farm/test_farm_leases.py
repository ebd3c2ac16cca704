"""The pages that a worker has leased: taken and ended together, renewed, lost and returned."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest

from stillframe.errors import DiskFull, StoreError, StoreUnavailable
from stillframe.farm.leases import BATCH_LINKS, Leases
from stillframe.farm.store import Completion, CrawlStore, DatasetRow, Lease, NewRequest, Return, worker_name

ROW = DatasetRow(dataset="pages", body=b"{}")
BOUND = 30


def full_disk() -> DiskFull:
    return DiskFull("full", path="x", free_bytes=0, needed_bytes=1)


def pages(count: int) -> list[NewRequest]:
    return [NewRequest(key=str(n), url=f"http://h/{n}", host="h") for n in range(count)]


@pytest.fixture
async def store(sqlite_url: str) -> AsyncIterator[CrawlStore]:
    async with await CrawlStore.open(sqlite_url, "c", worker=worker_name()) as store:
        yield store


class Commits:
    """Lets `complete_all` wait, and remembers how many pages each call ended."""

    def __init__(self, store: CrawlStore, monkeypatch: pytest.MonkeyPatch) -> None:
        self.sizes: list[int] = []
        self.go = asyncio.Event()
        self.begun = asyncio.Event()
        self.fails: set[str] = set()
        self._commit = store.complete_all
        monkeypatch.setattr(store, "complete_all", self.complete_all)

    async def complete_all(self, pages: Sequence[Completion]) -> list[Lease]:
        self.sizes.append(len(pages))
        self.begun.set()
        await self.go.wait()
        if {page.lease.key for page in pages} & self.fails:
            raise ValueError("a row that the database does not take")
        return await self._commit(pages)


async def taken(leases: Leases, count: int) -> list[Lease]:
    found = [await leases.take() for _ in range(count)]
    assert None not in found
    return [each for each in found if each is not None]


async def test_free_pages_are_leased_together_and_returned_at_the_end(store: CrawlStore) -> None:
    await store.add(pages(9))
    async with Leases(store, pages=3) as leases:
        (first,) = await taken(leases, 1)
        assert (await store.counts()).leased == 3
        await taken(leases, 2)
        assert await leases.complete(Completion(lease=first))
        assert await leases.take() is not None
        assert (await store.counts()).leased == 3
    assert (await store.counts()).leased == 0


async def test_pages_that_end_during_a_commit_end_together(store: CrawlStore, monkeypatch: pytest.MonkeyPatch) -> None:
    await store.add(pages(6))
    async with Leases(store, pages=6) as leases:
        commits = Commits(store, monkeypatch)
        held = await taken(leases, 6)
        first = asyncio.create_task(leases.complete(Completion(lease=held[0], rows=[ROW])))
        await commits.begun.wait()
        others = [asyncio.create_task(leases.complete(Completion(lease=lease, rows=[ROW]))) for lease in held[1:]]
        await asyncio.sleep(0)
        commits.go.set()
        assert await asyncio.gather(first, *others) == [True] * 6
        assert commits.sizes == [1, 5]
        assert (await store.counts()).of("done") == 6
        assert len(await store.rows(0, 10)) == 6


async def test_pages_with_many_links_end_one_by_one(store: CrawlStore, monkeypatch: pytest.MonkeyPatch) -> None:
    await store.add(pages(3))
    async with Leases(store, pages=3) as leases:
        commits = Commits(store, monkeypatch)
        links = [NewRequest(key=f"l{n}", url=f"http://h/l{n}", host="h") for n in range(BATCH_LINKS // 2 + 1)]
        held = await taken(leases, 3)
        ending = [asyncio.create_task(leases.complete(Completion(lease=lease, links=links))) for lease in held]
        await commits.begun.wait()
        commits.go.set()
        assert await asyncio.gather(*ending) == [True] * 3
        assert commits.sizes == [1, 1, 1]
        assert (await store.counts()).pending == len(links)


async def test_one_page_that_the_database_does_not_take_fails_alone(
    store: CrawlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.add(pages(4))
    async with Leases(store, pages=4) as leases:
        commits = Commits(store, monkeypatch)
        held = await taken(leases, 4)
        commits.fails = {held[2].key}
        ending = [asyncio.create_task(leases.complete(Completion(lease=lease))) for lease in held]
        await commits.begun.wait()
        commits.go.set()
        found = await asyncio.gather(*ending, return_exceptions=True)
        assert [type(each) for each in found] == [bool, bool, ValueError, bool]
        assert (await store.counts()).of("done") == 3


async def test_without_a_database_all_pages_that_end_raise(store: CrawlStore, monkeypatch: pytest.MonkeyPatch) -> None:
    await store.add(pages(2))
    async with Leases(store, pages=2) as leases:
        held = await taken(leases, 2)

        async def fail(_pages: object) -> None:
            raise StoreUnavailable("gone", url="x")

        with monkeypatch.context() as patched:
            patched.setattr(store, "complete_all", fail)
            ending = [leases.complete(Completion(lease=lease)) for lease in held]
            found = await asyncio.gather(*ending, return_exceptions=True)
        assert [type(each) for each in found] == [StoreUnavailable] * 2


async def test_what_another_worker_has_is_lost_once(sqlite_url: str) -> None:
    async with (
        await CrawlStore.open(sqlite_url, "c", worker="a", lease_s=0.01) as mine,
        await CrawlStore.open(sqlite_url, "c", worker="b", mode="join") as theirs,
    ):
        await mine.add(pages(3))
        leases, lost = Leases(mine, pages=3), list[str]()  # without `async with`, nothing is renewed
        leases.call_when_lost(lost.append)
        ended, released, renewed = await taken(leases, 3)
        while len(await theirs.lease(3)) < 3:  # noqa: ASYNC110 - leases run out by the clock of the database
            await asyncio.sleep(0.01)
        assert not await leases.complete(Completion(lease=ended, rows=[ROW]))
        assert not await leases.release(Return(lease=released, delay_s=0, request="", attempt=True))
        await leases.renew()
        assert lost == [ended.key, released.key, renewed.key]
        assert await theirs.rows(0, 10) == []


async def test_an_empty_queue_is_asked_again_when_a_page_is_due(store: CrawlStore) -> None:
    await store.add(pages(1))
    async with Leases(store, pages=1) as leases:
        (lease,) = await taken(leases, 1)
        assert await leases.release(Return(lease=lease, delay_s=0.05, request='{"reschedules":1}', attempt=False))
        while (again := await leases.take()) is None:
            assert leases.idle_s() <= 0.05
            await asyncio.sleep(leases.idle_s())
        assert (again.body, again.attempts) == ('{"reschedules":1}', 1)
        assert not await leases.finished()
        await leases.complete(Completion(lease=again))
        assert await leases.take() is None
        assert await leases.finished()


async def test_a_page_that_is_leased_again_during_a_renewal_stays(
    store: CrawlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.add(pages(1))
    async with Leases(store, pages=2) as leases:
        (first,) = await taken(leases, 1)

        async def renew(_leases: object) -> list[Lease]:
            """Answer as a database that gets the release and the next lease first."""
            await leases.release(Return(lease=first, delay_s=0, request="", attempt=False))
            assert await leases.any()
            return []

        with monkeypatch.context() as patched:
            patched.setattr(store, "renew", renew)
            await leases.renew()
        assert [each.key for each in await taken(leases, 1)] == [first.key]


async def test_a_page_that_is_leased_again_before_its_release_answers_stays(
    store: CrawlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.add(pages(1))
    async with Leases(store, pages=2) as leases:
        (first,) = await taken(leases, 1)
        release, again = store.release, list[Lease]()

        async def overtaken(lease: Lease, **options: Any) -> None:
            """Answer later than the question for the next page, as another connection of a server may."""
            await release(lease, **options)
            leases.ask_now()
            again.extend(await taken(leases, 1))

        with monkeypatch.context() as patched:
            patched.setattr(store, "release", overtaken)
            assert await leases.release(Return(lease=first, delay_s=0, request="", attempt=False))
        assert leases.of(first.key) is again[0]


@pytest.mark.parametrize("error", [StoreUnavailable("gone", url="x"), StoreError("odd", url="x"), full_disk()])
async def test_leases_are_renewed_after_an_error_too(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    async with await CrawlStore.open(sqlite_url, "c", worker=worker_name(), lease_s=0.03) as store:
        renewals, twice = list[int](), asyncio.Event()

        async def renew(_leases: object) -> list[Lease]:
            renewals.append(1)
            if len(renewals) > 1:
                twice.set()
            raise error

        monkeypatch.setattr(store, "renew", renew)
        async with Leases(store), asyncio.timeout(BOUND):
            await twice.wait()


async def test_pages_that_are_added_to_a_finished_crawl_are_seen_at_once(store: CrawlStore) -> None:
    async with Leases(store) as leases:
        assert await leases.finished()
        await store.add(pages(1))
        leases.ask_now()
        assert not await leases.finished()
