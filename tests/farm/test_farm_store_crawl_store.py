"""What a store promises to workers: leases, fences, limits, rows, and opening."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest
from databases import on_sqlite
from store_cases import bodies, opened, page, row

from stillframe.errors import CrawlExists, CrawlUnknown, LeaseLost, OptionInvalid, StoreVersion
from stillframe.farm.store import Completion, CrawlStore, ExportOffset, NewRequest, Return, worker_name
from stillframe.farm.store.counting import ROBOTS_REFUSED, SKIPPED
from stillframe.farm.store.opening import Mode
from stillframe.farm.store.tables import VERSION
from stillframe.farm.store.transactions import on_statement

SHORT_S = 0.05
"""A lease that runs out while a test waits for it."""


async def leased_soon(store: CrawlStore, limit: int = 1) -> Any:
    """Lease as soon as there is a page, and return the leases."""
    async with asyncio.timeout(10):
        while not (leases := await store.lease(limit)):  # noqa: ASYNC110
            await asyncio.sleep(await store.next_ready_s() or 0.0)
    return leases


async def test_results_links_and_outcome_are_committed_together(store_url: str) -> None:
    async with await opened(store_url) as store:
        await store.add([page(1), page(2)])
        (lease,) = await store.lease()
        await store.complete(lease, rows=[row("1"), row("log", "logs"), row("2")], links=[page(3), page(1)])
        assert [(found.key, found.ordinal) for found in await store.rows(0, 9)] == [("a/1", 0), ("a/1", 1)]
        assert await bodies(store, "logs") == [b"log"]
        assert [lease.key for lease in await store.lease(9)] == ["a/2", "a/3"]


@on_sqlite
async def test_a_batch_of_pages_costs_few_statements(store_url: str) -> None:
    async with await opened(store_url) as store:
        await store.add([page(n, "abc"[n % 3]) for n in range(16)])
        await store.lease(4)  # the first one prepares, and records that its worker lives
        statements: list[str] = []
        on_statement(store._transactions, statements.append)
        leases = await store.lease(4)
        ended = [
            Completion(lease=lease, rows=[row(lease.key)], links=[page(16 + n), page(1)])
            for n, lease in enumerate(leases)
        ]
        assert await store.complete_all(ended) == []
        commits = statements.count("BEGIN IMMEDIATE")
        assert len(statements) + commits <= (4 * len(leases) if commits else 2)
        assert (await store.counts()).outcomes == {"done": 4}


async def test_a_late_answer_is_refused_and_stores_nothing(store_url: str) -> None:
    async with await opened(store_url, "slow", lease_s=SHORT_S) as slow, await opened(store_url, "v", "join") as other:
        await slow.add([page(1)])
        (late,) = await slow.lease()
        (lease,) = await leased_soon(other)
        assert (lease.attempts, lease.token) == (2, late.token + 1)
        with pytest.raises(LeaseLost, match="nothing was stored") as caught:
            await slow.complete(late, rows=[row("late")], links=[page(2)])
        assert (caught.value.key, caught.value.worker) == ("a/1", "slow")
        with pytest.raises(LeaseLost):
            await slow.release(Return(lease=late))
        assert await slow.renew([late]) == []
        await other.complete(lease, rows=[row("in time")])
        assert await bodies(slow) == [b"in time"]
        assert (await slow.counts()).pending == 0


async def test_a_renewed_lease_lasts(store_url: str) -> None:
    async with await opened(store_url, lease_s=SHORT_S) as short, await opened(store_url, "v", "join") as other:
        await short.add([page(1)])
        (lease,) = await short.lease()
        short.lease_s = 60.0
        assert await short.renew([lease]) == [lease]
        waits = await other.next_ready_s()
        assert waits is not None
        assert waits > 50
        assert not await other.lease()


async def test_a_step_of_a_workers_clock_does_not_matter(store_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with await opened(store_url) as store, await opened(store_url, "v", "join") as other:
        await store.add([page(1)])
        (lease,) = await store.lease()
        real = time.time
        monkeypatch.setattr(time, "time", lambda: real() + 86400)
        assert not await other.lease()
        await store.complete(lease, rows=[row()])
        assert (await store.counts()).of("done") == 1


async def test_workers_at_once_never_hold_the_same_page(store_url: str) -> None:
    async with await opened(store_url, "v0") as first, await opened(store_url, "v1", "join") as second:
        await first.add([page(n) for n in range(40)])
        held: list[str] = []

        async def work(store: CrawlStore) -> None:
            while leases := await store.lease(2):
                held.extend(lease.key for lease in leases)
                for lease in leases:
                    await store.complete(lease, rows=[row(lease.key)])

        await asyncio.gather(*(work(store) for store in (first, second) * 2))
        assert len(held) == len(set(held)) == 40
        assert len(await bodies(first)) == 40


@pytest.mark.every_row
@pytest.mark.parametrize("outcome", [SKIPPED, ROBOTS_REFUSED])
async def test_pages_that_are_skipped_count_against_no_limit(store_url: str, outcome: str) -> None:
    async with await opened(store_url, settings={"max_pages": 1}) as store:
        await store.add([page(1), page(2)])
        (lease,) = await store.lease(2)
        await store.complete(lease, outcome=outcome)
        (lease,) = await store.lease(2)
        await store.complete(lease)
        assert await store.lease(2) == []


async def test_max_pages_holds_for_all_workers(store_url: str) -> None:
    async with (
        await opened(store_url, settings={"max_pages": 3}) as store,
        await opened(store_url, "v", "join") as other,
    ):
        assert other.settings == {"max_pages": 3}
        await store.add([page(n) for n in range(9)])
        skipped, done = await store.lease(2)
        assert len(await other.lease(5)) == 1
        await store.complete(skipped, outcome="skipped")
        await store.complete(done, outcome="failed")
        assert await other.budget() == 1
        (last,) = await other.lease(5)
        assert not await store.lease()
        assert (await store.next_ready_s() or 0) > 10
        await other.complete(last)
        assert not await store.is_finished()


async def test_limits_of_a_host_hold_for_all_workers(store_url: str) -> None:
    async with await opened(store_url) as store, await opened(store_url, "v", "join") as other:
        await store.add([*(page(n) for n in range(5)), page(1, "b")])
        await store.limit_host("a", pages=2)
        leases = await store.lease(9)
        assert [lease.key for lease in leases] == ["a/0", "a/1", "b/1"]
        assert not await other.lease(9)
        await store.complete(leases[0])
        await store.limit_host("a", interval_s=30)
        assert [lease.key for lease in await other.lease(9)] == ["a/2"]
        assert 20 < (await other.next_ready_s() or 0) <= 30


@on_sqlite
async def test_a_release_may_hold_the_host(store_url: str) -> None:
    async with await opened(store_url) as store:
        await store.add([page(1), page(2), page(1, "b")])
        (lease,) = await store.lease()
        await store.release(Return(lease=lease, hold_host_s=30, attempt=False, request='{"again":1}'))
        assert [lease.key for lease in await store.lease(9)] == ["b/1"]
        await store.limit_host("*", pages=1)
        assert (await store.counts()).pending == 2


@on_sqlite
async def test_a_delayed_page_comes_back(store_url: str) -> None:
    async with await opened(store_url) as store:
        await store.add([page(1)])
        (lease,) = await store.lease()
        await store.release(Return(lease=lease, delay_s=SHORT_S, attempt=False, request="new"))
        assert not await store.is_finished()
        (again,) = await leased_soon(store)
        assert (again.attempts, again.token, again.body) == (1, 2, "new")


@on_sqlite
async def test_pages_of_a_higher_priority_come_first(store_url: str) -> None:
    async with await opened(store_url) as store:
        await store.add([page(1), page(2, "b", priority=-100), page(3, priority=5), page(4, "b", priority=100)])
        await store.add([page(5, priority=5)], first=True)
        first, *others = await store.lease(9)
        assert [lease.key for lease in (first, *others)] == ["b/4", "a/5", "a/3", "a/1", "b/2"]
        assert [lease.priority for lease in (first, *others)] == [100, 5, 5, 0, -100]
        for lease in others:
            await store.release(Return(lease=lease, last=lease.key == "a/5", first=lease.key == "b/2"))
        await store.complete(first, links=[page(6, priority=1), page(5, priority=9)])
        assert [lease.key for lease in await store.lease(9)] == ["a/3", "a/5", "a/6", "a/1", "b/2"]


@pytest.mark.parametrize("priority", [-101, 101])
def test_a_priority_out_of_range_is_refused(priority: int) -> None:
    with pytest.raises(OptionInvalid, match=f"priority {priority} is out of range"):
        page(1, priority=priority)


async def test_stop_drains_all_workers_and_resume_ends_it(store_url: str) -> None:
    async with await opened(store_url) as store, await opened(store_url, "v", "join") as other:
        await store.add([page(1), page(2)])
        (lease,) = await other.lease()
        await store.stop()
        assert await other.stopped()
        assert not await other.lease()
        assert not await other.is_finished()
        await other.complete(lease)
        assert await other.is_finished()
        assert await other.next_ready_s() is None
    async with await opened(store_url, mode="resume") as store:
        assert not await store.stopped()
        assert len(await store.lease()) == 1


@on_sqlite
@pytest.mark.parametrize("mode", ["resume", "join"])
async def test_the_leases_of_dead_workers_of_this_machine_are_freed_at_once(store_url: str, mode: Mode) -> None:
    living = worker_name()
    host, pid, started, place = living.split(":")
    async with await opened(store_url, f"{host}:{pid}:{int(started) + 9999}:{place}") as dead:
        await dead.add([page(1), page(2)])
        async with await opened(store_url, "far:1:1", "join") as far:
            assert [lease.key for lease in await far.lease()] == ["a/1"]
        assert [lease.key for lease in await dead.lease()] == ["a/2"]
    async with await opened(store_url, living, mode) as store:
        assert [lease.key for lease in await store.lease(9)] == ["a/2"]
        assert {each.worker: each.leased for each in await store.workers()}["far:1:1"] == 1


@on_sqlite
async def test_names_of_crawls(store_url: str) -> None:
    for mode in ("resume", "join"):
        with pytest.raises(CrawlUnknown, match="No crawl named 'crawl'"):
            await opened(store_url, mode=mode)
    await (await opened(store_url, settings={"x": 1})).close()
    with pytest.raises(CrawlExists, match="--resume"):
        await opened(store_url)
    async with await opened(store_url, mode="resume") as store:
        assert store.settings == {"x": 1}


@on_sqlite
async def test_tables_of_another_version_are_refused(store_url: str) -> None:
    async with await opened(store_url) as store:
        changed = "UPDATE stillframe_versions SET version = 99"
        await store._transactions.run(lambda connection: connection.exec_driver_sql(changed))
    with pytest.raises(StoreVersion, match="version 99") as caught:
        await opened(store_url, mode="resume")
    assert (caught.value.found, caught.value.expected) == (99, VERSION)


async def test_keys_of_any_length(store_url: str) -> None:
    long = NewRequest(key="é" * 9000, url="http://a/", host="h" * 5000)
    async with await opened(store_url) as store:
        (added,) = await store.add([long])
        assert (added.key, added.added) == (long.key, True)
        assert not (await store.add([long]))[0].added
        (lease,) = await store.lease()
        assert lease.key == long.key
        assert await store.renew([lease]) == [lease]
        await store.release(Return(lease=lease, hold_host_s=0.001))
        (lease,) = await leased_soon(store)
        await store.complete(lease, rows=[row()])
        assert len(await bodies(store)) == 1


@on_sqlite
async def test_offsets_and_values(store_url: str) -> None:
    async with await opened(store_url) as store:
        export = store
        assert await export.export_offset("jsonl") is None
        for offset in (ExportOffset(row_id=1, size=2, file="f"), ExportOffset(row_id=3, size=1 << 40, file="g")):
            await export.set_export_offset("jsonl", offset)
            assert await export.export_offset("jsonl") == offset
        assert await store.get_state("k") is None
        await store.set_state("k", b"\x00")
        await store.set_state("k", b"\xff")
        assert await store.get_state("k") == b"\xff"


async def test_an_exporter_that_follows_misses_no_row(store_url: str) -> None:
    async with await opened(store_url) as store, await opened(store_url, "v", "join") as other:
        await store.add([page(n) for n in range(12)])
        done = asyncio.Event()

        async def follow() -> list[str]:
            seen: list[str] = []
            after = 0
            while len(seen) < 12:
                found = await other.rows(after, 4)
                seen += [each.key for each in found]
                after = found[-1].id if found else after
                if not found and done.is_set() and not await other.rows(after, 1):
                    break
            return seen

        async def work(worker: CrawlStore) -> None:
            while leases := await worker.lease():
                await worker.complete(leases[0], rows=[row()])

        following = asyncio.create_task(follow())
        await asyncio.gather(work(store), work(other), work(store))
        done.set()
        assert sorted(await following) == sorted(f"a/{n}" for n in range(12))
