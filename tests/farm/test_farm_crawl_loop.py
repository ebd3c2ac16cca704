"""The loop of a worker, with visits that a test controls and a real queue."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from stillframe.errors import BrowserError, NavigationFailed, StoreUnavailable
from stillframe.farm.crawl.loop import WorkerLoop
from stillframe.farm.crawl.visiting import Ending, Visit
from stillframe.farm.leases import Leases
from stillframe.farm.loading.deferring import Deferred
from stillframe.farm.store import CrawlStore, DatasetRow, NewRequest, Return, worker_name

BOUND = 30
Act = Callable[[Visit], Awaitable[Ending]]


@pytest.fixture
async def store(sqlite_url: str) -> AsyncIterator[CrawlStore]:
    async with await CrawlStore.open(sqlite_url, "c", worker=worker_name()) as store:
        yield store


def request(name: str) -> NewRequest:
    return NewRequest(key=name, url=f"http://h/{name}", host="h")


class Visits:
    """Stands for a visitor and a report: does with each page what a test says, and remembers the tries."""

    def __init__(self, **acts: Act) -> None:
        self.acts = acts
        self.tries: Counter[str] = Counter()
        self.outcomes: list[str] = []
        self.losses = 0
        self.left_out: set[str] = set()
        self.closings: list[str] = []
        self.retries: Counter[str] = Counter()
        self.second = asyncio.Event()
        self.over = asyncio.Event()
        self.open = 0
        self.most = 0

    async def visit(self, visit: Visit) -> Ending:
        self.tries[visit.lease.key] += 1
        self.open += 1
        self.most = max(self.most, self.open)
        try:
            await asyncio.sleep(0)
            act = self.acts.get(visit.lease.key)
            return Ending() if act is None else await act(visit)
        finally:
            self.open -= 1

    def ended(self, _visit: Visit, ending: Ending) -> None:
        self.outcomes.append(ending.outcome)
        self.second.set()

    def admit(self, visit: Visit) -> Ending | None:
        return Ending(outcome="skipped") if visit.lease.key in self.left_out else None

    def closed(self, visit: Visit) -> None:
        self.closings.append(visit.lease.key)
        self.over.set()

    def lost(self) -> None:
        self.losses += 1

    def retried(self, visit: Visit, _error: Exception) -> None:
        self.retries[visit.lease.key] += 1

    def failed(self, visit: Visit, error: Exception) -> Ending:
        row = DatasetRow(dataset="pages", body=f'"{type(error).__name__}"'.encode())
        return Ending(rows=[row], outcome="failed:x")


async def crawl(store: CrawlStore, visits: Any, *, pages: int = 2, retries: int = 2, stop: bool = False) -> list[str]:
    """Run a loop until it ends, and return the outcomes in their order."""
    async with Leases(store, pages) as leases, asyncio.timeout(BOUND):
        loop = WorkerLoop(leases, visits, visits, pages=pages, retries=retries)
        visits.loop = loop
        if stop:
            loop.stop()
        await loop.run()
    outcomes: list[str] = visits.outcomes
    return outcomes


async def test_pages_and_their_links_are_visited_once_with_as_many_tabs_as_there_are(store: CrawlStore) -> None:
    async def link(_visit: Visit) -> Ending:
        return Ending(links=[request(f"link{n}") for n in range(7)])

    await store.add([request("start")])
    visits = Visits(start=link)
    assert await crawl(store, visits, pages=3) == ["done"] * 8
    assert set(visits.tries.values()) == {1}
    assert visits.most == 3
    assert (await store.counts()).of("done") == 8


async def test_a_page_that_is_left_out_is_not_visited(store: CrawlStore) -> None:
    await store.add([request("a"), request("b")])
    visits = Visits()
    visits.left_out = {"a"}
    assert sorted(await crawl(store, visits)) == ["done", "skipped"]
    assert visits.tries == {"b": 1}
    assert sorted(visits.closings) == ["a", "b"]


async def test_a_page_is_tried_again_until_its_tries_are_used_up(store: CrawlStore, monkeypatch: Any) -> None:
    monkeypatch.setattr("stillframe.farm.crawl.loop.retry_pause_s", lambda _tries: 0.01)
    avoided = list[int | None]()

    async def fail(visit: Visit) -> Ending:
        avoided.append(visit.trials.avoid)
        visit.trials.avoid = 7
        raise NavigationFailed("x", url="http://h/a", reason="net::ERR_CONNECTION_RESET")

    async def break_down(visit: Visit) -> Ending:
        visit.trials.avoid = 7
        raise KeyError("a bug of the handler")

    await store.add([request("a"), request("b")])
    visits = Visits(a=fail, b=break_down)
    assert await crawl(store, visits, retries=2) == ["failed:x"] * 2
    assert visits.tries == {"a": 3, "b": 3}
    assert visits.retries == {"a": 2, "b": 2}
    assert avoided == [None, 7, 7]
    assert {row.body for row in await store.rows(0, 10)} == {b'"NavigationFailed"', b'"KeyError"'}


async def test_what_lasts_and_what_gave_up_is_not_tried_again(store: CrawlStore) -> None:
    async def last(_visit: Visit) -> Ending:
        raise NavigationFailed("x", url="http://h/a", reason="net::ERR_NAME_NOT_RESOLVED")

    async def give_up(visit: Visit) -> Ending:
        visit.gave_up = True
        raise KeyError("429 for ever")

    await store.add([request("a"), request("b")])
    visits = Visits(a=last, b=give_up)
    assert await crawl(store, visits) == ["failed:x"] * 2
    assert visits.tries == {"a": 1, "b": 1}
    assert visits.retries == {}


async def test_a_deferred_page_costs_no_try_and_goes_behind_the_others(store: CrawlStore) -> None:
    order = list[str]()

    async def defer_once(visit: Visit) -> Ending:
        order.append(visit.lease.key)
        if visit.trials.reschedules == 0:
            visit.trials.reschedules = 1
            raise Deferred("the server asks for time", delay_s=0.01, behind=True)
        assert visit.lease.attempts == 1
        return Ending()

    async def see(visit: Visit) -> Ending:
        order.append(visit.lease.key)
        return Ending()

    await store.add([request("a"), request("b"), request("c")])
    visits = Visits(a=defer_once, b=see, c=see)
    assert await crawl(store, visits, pages=1, retries=0) == ["done"] * 3
    assert order[0] == order[-1] == "a"
    assert sorted(order) == ["a", "a", "b", "c"]


@pytest.mark.parametrize("error", [StoreUnavailable("gone", url="x"), BrowserError("no browser starts")])
async def test_what_ends_the_crawl_is_raised_and_all_pages_go_back(store: CrawlStore, error: Exception) -> None:
    async def end(_visit: Visit) -> Ending:
        raise Deferred("no browser", delay_s=0, ends=error) if isinstance(error, BrowserError) else error

    async def hang(_visit: Visit) -> Ending:
        await asyncio.Event().wait()
        raise AssertionError

    await store.add([request("a"), request("b"), request("c")])
    with pytest.raises(type(error)):
        await crawl(store, Visits(a=end, b=hang, c=hang), pages=3)
    counts = await store.counts()
    assert (counts.pending, counts.leased, counts.finished) == (3, 0, 0)


async def test_a_loop_that_is_stopped_finishes_what_is_open(store: CrawlStore) -> None:
    await store.add([request(name) for name in "abcdef"])
    visits: Any

    async def stop(_visit: Visit) -> Ending:
        visits.loop.stop()
        return Ending()

    visits = Visits(a=stop)
    ended = await crawl(store, visits, pages=2)
    assert 1 <= len(ended) <= 3
    assert (await store.counts()).pending == 6 - len(ended)
    assert await crawl(store, Visits(), stop=True) == []


async def test_a_page_whose_lease_is_lost_ends_without_an_end(store: CrawlStore) -> None:
    visits: Any

    async def lose(visit: Visit) -> Ending:
        visits.loop._lose(visit.lease.key)
        await asyncio.Event().wait()
        raise AssertionError

    await store.add([request("a"), request("b")])
    visits = Visits(a=lose)
    async with asyncio.timeout(BOUND):
        working = asyncio.create_task(crawl(store, visits))
        await visits.second.wait()
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)
    assert (await store.counts()).outcomes == {"done": 1}
    assert visits.losses == 1


async def test_a_cancelled_loop_returns_its_pages(store: CrawlStore) -> None:
    opened = asyncio.Event()

    async def hang(_visit: Visit) -> Ending:
        opened.set()
        await asyncio.Event().wait()
        raise AssertionError

    await store.add([request("a")])
    working = asyncio.create_task(crawl(store, Visits(a=hang)))
    await opened.wait()
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)
    assert (await store.counts()).pending == 1


async def test_a_page_that_is_leased_again_while_its_lost_work_ends_is_worked_on_once_more(store: CrawlStore) -> None:
    visits: Any
    go, again, open_now = asyncio.Event(), asyncio.Event(), list[int]()

    async def lose(visit: Visit) -> Ending:
        if visits.tries["a"] > 1:
            again.set()
            await asyncio.Event().wait()
        lease = visits.leases.of("a")
        await store.release(Return(lease=lease))  # as another worker does that had it meanwhile
        visits.leases._lose("a")
        visits.leases.ask_now()
        visits.loop._changed.set()
        try:
            await asyncio.Event().wait()
        finally:
            await go.wait()  # a tab that takes its time to close
        raise AssertionError

    await store.add([request("a")])
    visits = Visits(a=lose)
    async with Leases(store, 2) as leases, asyncio.timeout(BOUND):
        visits.leases = leases
        loop = visits.loop = WorkerLoop(leases, visits, visits, pages=2, retries=2)
        running = asyncio.create_task(loop.run())
        await again.wait()
        go.set()
        await visits.over.wait()
        await asyncio.sleep(0)  # what was called at the end of a task comes after it
        open_now.append(len(loop._tasks))
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        assert open_now == [1]
        assert visits.closings == ["a", "a"]  # no work is left behind


async def test_a_page_whose_work_is_cancelled_from_inside_is_tried_again(store: CrawlStore) -> None:
    """Otherwise its lease would be renewed for ever, and the crawl would never end."""

    async def cancelled(_visit: Visit) -> Ending:
        raise asyncio.CancelledError

    await store.add([request("a"), request("b")])
    visits = Visits(a=cancelled)
    assert sorted(await crawl(store, visits, retries=0)) == ["done", "failed:x"]
