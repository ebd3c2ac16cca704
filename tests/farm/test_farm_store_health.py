"""What an operator asks of a crawl's database, on SQLite and PostgreSQL."""

from __future__ import annotations

import asyncio

import asyncpg
import pytest
from store_cases import opened, page, row

from patience import HANG_S
from stillframe.errors import StoreUnavailable
from stillframe.farm.store import ExportOffset, Return
from stillframe.farm.store.functions import AT_ONCE, LOCKS, SLOTS
from stillframe.farm.store.health import NAMED_HOSTS, NO_EXPORT, STATE, health_of, shared_health
from stillframe.farm.store.robots import RobotsRow, read_robots, write_robots


async def test_hosts_that_wait_are_counted_by_reason_and_the_longest_held_are_named(store_url: str) -> None:
    many = [f"h{n:02}" for n in range(NAMED_HOSTS + 2)]
    async with await opened(store_url) as store:
        await store.limit_host("full", pages=1)
        await store.limit_host("slow", interval_s=600.0)
        hosts = ["full", "slow", *many, "free"]
        await store.add([page(n, host) for host in hosts for n in range(2)])
        leases = {lease.host: lease for lease in await store.lease(2 * len(hosts))}
        assert set(leases) >= {"full", "slow"}
        for n, host in enumerate(many):
            await store.release(Return(lease=leases[host], hold_host_s=100.0 * (n + 1)))
        found = await health_of(store)
    assert found.hosts == {"held": len(many), "interval": 1, "full": 1}
    assert [each.host for each in found.held] == many[: -NAMED_HOSTS - 1 : -1]
    assert 1100.0 < found.held[0].for_s <= 1200.0
    assert (found.lock_waits, found.lock_wait_s) == (0, 0.0)


async def test_the_lag_of_each_export_is_its_rows_and_the_age_of_the_oldest(store_url: str) -> None:
    async with await opened(store_url) as store:
        assert [(each.export, each.rows, each.oldest_s) for each in (await health_of(store)).exports] == [
            (NO_EXPORT, 0, 0.0)
        ]
        await store.add([page(n) for n in range(3)])
        for lease in await store.lease(3):
            await store.complete(lease, rows=[row()])
        lagging = (await health_of(store)).exports
        assert [(each.export, each.rows) for each in lagging] == [(NO_EXPORT, 3)]
        ids = [found.id for found in await store.rows(0, 10)]
        await store.set_export_offset("all", ExportOffset(row_id=ids[-1], size=1, file="f"))
        await store.set_export_offset("one", ExportOffset(row_id=ids[0], size=1, file="f"))
        async with asyncio.timeout(HANG_S):
            while True:  # an age is rounded to 0.1 s
                done, part = (await health_of(store)).exports
                if part.oldest_s > 0:
                    break
                await asyncio.sleep(0.05)
    assert (done.export, done.rows, done.oldest_s) == ("all", 0, 0.0)
    assert (part.export, part.rows) == ("one", 2)
    assert part.oldest_s < HANG_S


async def test_the_lag_of_an_export_is_that_of_its_own_dataset(store_url: str) -> None:
    async with await opened(store_url) as store:
        await store.add([page(1)])
        [lease] = await store.lease(1)
        await store.complete(lease, rows=[row(), row(), row("x", "reviews")])
        [review] = await store.rows(0, 10, "reviews")
        await store.begin_export("of pages")
        await store.begin_export("of reviews", dataset="reviews")
        lagging = (await health_of(store)).exports
        assert [(each.export, each.rows) for each in lagging] == [("of pages", 2), ("of reviews", 1)]
        await store.set_export_offset("of reviews", ExportOffset(row_id=review.id, size=1, file="f"), dataset="reviews")
        lagging = (await health_of(store)).exports
        assert [(each.export, each.rows) for each in lagging] == [("of pages", 2), ("of reviews", 0)]


async def test_refusals_and_hosts_whose_robots_txt_cannot_be_read(store_url: str) -> None:
    async with await opened(store_url) as store:
        for origin, failing_s in (("http://a", None), ("http://b", 3.0)):
            await read_robots(store, origin, claim_s=10.0)
            await write_robots(store, origin, RobotsRow(kind="rules", failing_s=failing_s, expires_in_s=60.0))
        await store.add([page(1)])
        [lease] = await store.lease(1)
        await store.complete(lease, outcome="skipped:robots")
        found = await health_of(store)
    assert (found.robots_refused, found.robots_unreachable) == (1, 1)


async def test_workers_share_a_look(store_url: str) -> None:
    called = list[str]()
    async with await opened(store_url) as one, await opened(store_url, worker="other", mode="join") as other:
        assert (await shared_health(one, age_s=60.0)).robots_refused == 0
        await one.add([page(1)])
        [lease] = await one.lease(1)
        await one.complete(lease, outcome="skipped:robots")
        other.measure(lambda name, _: called.append(name), lambda *_: None)
        assert (await shared_health(other, age_s=60.0)).robots_refused == 0, "the look of a moment ago"
        assert (await shared_health(other, age_s=0.0)).robots_refused == 1
        assert (await shared_health(one, age_s=60.0)).robots_refused == 1
    assert called == ["health"] * 4


async def test_a_look_that_another_stillframe_recorded_otherwise_is_made_again(sqlite_url: str) -> None:
    async with await opened(sqlite_url) as store:
        for other in (b"{}", b"not JSON", b'{"at": 1e12, "health": {"hosts": []}}'):
            await store.set_state(STATE, other)
            assert (await shared_health(store, age_s=60.0)).hosts == {"held": 0, "interval": 0, "full": 0}


async def test_the_age_of_an_export_is_that_of_its_oldest_page(sqlite_url: str) -> None:
    """Rows that belong to no page have no age, and hide none."""
    async with await opened(sqlite_url) as store:
        await store.push([row("of no page")])
        await store.add([page(1)])
        [lease] = await store.lease(1)
        await store.complete(lease, rows=[row()])
        async with asyncio.timeout(HANG_S):
            while not (await health_of(store)).exports[0].oldest_s:  # noqa: ASYNC110 - an age is rounded to 0.1 s
                await asyncio.sleep(0.05)
        assert (await health_of(store)).exports[0].rows == 2


async def test_waits_for_locks_are_seen_while_the_server_answers(postgres_url: str) -> None:
    """A wait for a lock is told apart from a server that is gone: there the look itself fails."""
    async with await opened(postgres_url) as store:
        holder, waiter = await asyncpg.connect(postgres_url), await asyncpg.connect(postgres_url)
        try:
            await holder.execute(f"SELECT pg_advisory_lock({LOCKS}, 1)")
            waiting = asyncio.create_task(waiter.execute(f"SELECT pg_advisory_lock({LOCKS}, 1)"))
            async with asyncio.timeout(HANG_S):
                while not (found := await health_of(store)).lock_wait_s:  # noqa: ASYNC110 - a database
                    await asyncio.sleep(0.02)
            assert found.lock_waits == 1
            await holder.execute(f"SELECT pg_advisory_unlock({LOCKS}, 1)")
            await waiting
            assert (await health_of(store)).lock_waits == 0
        finally:
            await holder.close()
            await waiter.close()


async def test_a_call_takes_any_slot_that_is_free_and_waits_when_none_is(postgres_url: str) -> None:
    async with await opened(postgres_url) as store:
        await store.add([page(1)])
        holder = await asyncpg.connect(postgres_url)
        try:
            slots = [store._crawl * AT_ONCE + n for n in range(AT_ONCE)]
            for slot in slots[1:]:
                await holder.execute(f"SELECT pg_advisory_lock({SLOTS}, {slot})")
            [lease] = await store.lease()
            await holder.execute(f"SELECT pg_advisory_lock({SLOTS}, {slots[0]})")
            ending = asyncio.create_task(store.complete(lease))
            async with asyncio.timeout(HANG_S):
                while not (await health_of(store)).lock_waits:  # noqa: ASYNC110 - a database
                    await asyncio.sleep(0.02)
            assert not (await store.counts()).outcomes, "polls wait for no slot"
            await holder.execute("SELECT pg_advisory_unlock_all()")
            await ending
            assert (await store.counts()).outcomes == {"done": 1}
        finally:
            await holder.close()


async def test_operations_are_timed_by_name_and_tries_told_apart_by_their_reason(postgres_url: str) -> None:
    called, again = list[tuple[str, float]](), list[tuple[str, str]]()
    async with await opened(f"{postgres_url}?lock_timeout=100", patience_s=0.2) as store:
        waited = asyncio.Event()

        def tried_again(*told: str) -> None:
            again.append(told)  # type: ignore[arg-type]
            waited.set()

        store.measure(lambda *told: called.append(told), tried_again)
        await store.add([page(1)])
        [lease] = await store.lease(1)
        await store.complete(lease, rows=[row()])
        await store.is_finished()
        await read_robots(store, "http://a", claim_s=1.0)
        assert [name for name, _ in called] == ["add", "lease", "complete", "is_finished", "read_robots"]
        assert all(0 < seconds < HANG_S for _, seconds in called)
        assert again == []

        holder = await asyncpg.connect(postgres_url)
        try:
            await holder.execute("BEGIN; LOCK TABLE stillframe_workers")
            async with asyncio.timeout(HANG_S):
                waiting = asyncio.create_task(store.workers())
                await waited.wait()
            await holder.execute("ROLLBACK")
            await waiting
        finally:
            await holder.close()
        assert {*again} == {("workers", "lock")}


async def test_a_server_that_is_gone_is_no_wait_for_a_lock(postgres_url: str) -> None:
    again = list[tuple[str, str]]()
    async with await opened(postgres_url, patience_s=0.2) as store:
        store.measure(lambda *_: None, lambda *told: again.append(told))
        parts = store._transactions.database
        store._transactions.database = type(parts)(parts.engine.url.set(port=9))  # nothing listens there
        with pytest.raises(StoreUnavailable):
            await store.counts()
        await parts.close()
    assert {*again} == {("counts", "unreachable")}
