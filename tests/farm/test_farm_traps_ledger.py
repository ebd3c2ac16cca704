"""What all workers count together: nothing is lost or counted twice, and it costs few round trips."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from store_cases import opened
from trap_crawl import Values

from stillframe.farm.traps import ledger as ledger_module
from stillframe.farm.traps.ledger import LATEST_S, PREFIX, REWARD, SYNC_PAGES, SYNC_S, Ledger, Shard, key_of

TRAP = "calendar h/{date}"


class Memory(Values):
    """What other workers do stands in between; `lost` answers get lost."""

    def __init__(self) -> None:
        super().__init__()
        self.lost = 0
        self.fails = False

    async def swap_states(self, swaps: dict[str, tuple[bytes | None, bytes]]) -> set[str]:
        if self.fails:
            raise OSError("the database is away")
        await asyncio.sleep(0)
        done = await super().swap_states(swaps)
        self.lost -= 1
        return set() if self.lost >= 0 else done


def worker(memory: Any, trap_pages: int = 20) -> Ledger:
    """Return a ledger over values in memory."""
    return Ledger(memory, trap_pages=trap_pages)


async def test_counts_of_workers_add_up(store_url: str) -> None:
    """Four workers that sync at random; the twin adds everything up."""
    dice, twin = random.Random(3), Counter[str]()
    names = [f"host h{number}" for number in range(8)]
    async with await opened(store_url) as store:
        workers = [Ledger(store, trap_pages=0) for _ in range(4)]
        for _ in range(30):
            for each in workers:
                for name in dice.choices(names, k=3):
                    each.count(name, "host")
                    twin[name] += 1
            await asyncio.gather(*(each.sync(0.0) for each in workers if dice.random() < 0.7))
        for each in workers:
            await each.sync(0.0)
        fresh = Ledger(store, trap_pages=0)
        await fresh.load()
        assert {name: fresh.crawled(name) for name in names} == twin


async def test_an_answer_that_was_lost_counts_nothing_twice() -> None:
    memory = Memory()
    one, two = worker(memory), worker(memory)
    memory.lost = 2
    for each in (one, two):
        each.count("host h", "host")
        await each.sync(0.0)
    await one.load()
    assert one.crawled("host h") == 2


async def test_a_lost_answer_counts_nothing_twice_although_others_write_before_it_is_asked_for() -> None:
    class Busy(Memory):
        """Each lost answer is followed by writes of another worker."""

        async def get_states(self, keys: Sequence[str]) -> dict[str, bytes]:
            for _ in range(3 * writes):
                two.count("host h", "host")
                await two.sync(0.0)
            return await super().get_states(keys)

    memory, writes = Busy(), 1
    one, two = worker(memory), worker(memory)
    await two.load()
    memory.lost = 1
    one.count("host h", "host")
    two._raw = memory.values  # so that it needs no look
    await one.sync(0.0)
    writes = 0
    await one.load()
    assert one.crawled("host h") == 1 + 3


async def test_a_write_whose_error_hides_that_it_was_made_counts_once() -> None:
    class Hidden(Memory):
        hides = True

        async def swap_states(self, swaps: dict[str, tuple[bytes | None, bytes]]) -> set[str]:
            done = await super().swap_states(swaps)
            if self.hides:
                raise OSError("the database went away after the commit")
            return done

    memory = Hidden()
    one, two = worker(memory), worker(memory)
    one.count("host h", "host")
    with pytest.raises(OSError, match="after the commit"):
        await one.sync(0.0)
    assert one.crawled("host h") == 1
    memory.hides = False
    await two.load()
    two.count("host h", "host")
    await two.sync(0.0)
    one.count("host h", "host")
    await one.sync(1.0)
    await two.load()
    assert (one.crawled("host h"), two.crawled("host h")) == (3, 3)


async def test_what_could_not_be_written_is_written_later() -> None:
    memory = Memory()
    one = worker(memory)
    one.count("host h", "host")
    memory.fails = True
    with pytest.raises(OSError, match="away"):
        await one.sync(0.0)
    memory.fails = False
    one.count("host h", "host")
    assert one.crawled("host h") == 2
    await one.sync(1.0)
    two = worker(memory)
    await two.load()
    assert two.crawled("host h") == 2


async def test_a_trap_ends_for_all_workers_when_its_pages_together_bring_nothing() -> None:
    memory = Memory()
    workers = [worker(memory), worker(memory)]
    for number in range(20):
        workers[number % 2].judge(TRAP, "calendar", brings=False)
        assert not workers[number % 2].ended(TRAP)
    assert await workers[0].sync(0.0) == []
    assert await workers[1].sync(0.0) == [TRAP]
    assert [each.ended(TRAP) for each in workers] == [False, True]
    workers[0].judge(TRAP, "calendar", brings=True)
    await workers[0].sync(1.0)
    assert workers[0].ended(TRAP)  # for good
    shard = msgspec.msgpack.decode(memory.values[key_of(TRAP)], type=Shard)
    assert (shard.named[TRAP].crawled, shard.named[TRAP].kind) == (21, "calendar")


async def test_a_page_that_brings_something_makes_up_for_some_that_do_not() -> None:
    one = worker(Memory())
    for _ in range(50):
        one.judge(TRAP, "calendar", brings=True)
        for _ in range(REWARD):
            one.judge(TRAP, "calendar", brings=False)
        assert not one.ended(TRAP)
        await one.sync(0.0)
    for _ in range(20):
        one.judge(TRAP, "calendar", brings=False)
    assert one.ended(TRAP)


async def test_without_a_limit_no_trap_ends() -> None:
    one = worker(Memory(), trap_pages=0)
    for _ in range(1_000):
        one.judge(TRAP, "calendar", brings=False)
    assert await one.sync(0.0) == []
    assert not one.ended(TRAP)


async def test_pages_cost_few_round_trips() -> None:
    """Eight workers with four pages a second each, all in one trap: the worst case."""
    memory = Memory()
    workers = [worker(memory, trap_pages=0) for _ in range(8)]
    pages = 0
    for tick in range(400):
        for each in workers:
            each.judge(TRAP, "calendar", brings=False)
            pages += 1
            if each.is_due(tick / 4):
                await each.sync(tick / 4)
    assert memory.trips / pages <= 3 / SYNC_PAGES


def test_a_worker_with_few_pages_tells_them_after_a_while() -> None:
    one = worker(Memory())
    assert not one.is_due(LATEST_S)
    one.judge(TRAP, "calendar", brings=False)
    assert [one.is_due(now) for now in (SYNC_S, LATEST_S)] == [False, True]


async def test_a_million_names_take_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a hundredth of the values, names and bounds."""
    monkeypatch.setattr(ledger_module, "SHARDS", 10)
    monkeypatch.setattr(ledger_module, "MAX_COUNTED", 500)
    monkeypatch.setattr(ledger_module, "DECODED", 4)
    memory = Memory()
    one = worker(memory)
    for number in range(10_000):
        one.count(f"pattern h/{number}", "pattern")
        if number < 2_000:
            one.judge(f"calendar h{number}/", "calendar", brings=False)
        if number % 1_000 == 999:
            await one.sync(0.0)
    assert len(memory.values) == 10
    assert all(key.startswith(PREFIX) for key in memory.values)
    assert max(map(len, memory.values.values())) < 20_000
    assert len(one._decoded) <= 4
    assert not one._deltas


async def test_what_is_on_its_way_to_the_database_counts() -> None:
    seen: list[tuple[int, bool]] = []

    class Watched(Memory):
        async def swap_states(self, swaps: dict[str, tuple[bytes | None, bytes]]) -> set[str]:
            one.count("host h", "host")
            one.judge(TRAP, "calendar", brings=False)
            seen.append((one.crawled("host h"), one.ended(TRAP)))
            return await super().swap_states(swaps)

    one = worker(Watched(), trap_pages=2)
    one.count("host h", "host")
    one.judge(TRAP, "calendar", brings=False)
    await one.sync(0.0)
    assert seen == [(2, True)]
    assert one.crawled("host h") == 2


async def test_a_trap_has_fewer_tries_for_each_that_ended_before_it_on_its_host() -> None:
    memory, tries = Memory(), []
    one, two = worker(memory, trap_pages=60), worker(memory, trap_pages=60)
    for letter in "abcdefg":
        tries.append(one.tries(f"calendar h/{letter}"))
        one.judge(f"calendar h/{letter}", "calendar", brings=False, weight=60)
        assert await one.sync(0.0) == [f"calendar h/{letter}"]
    await one.sync(0.0)
    assert tries == [60, 30, 20, 15, 12, 12, 12]
    assert (one.tries("calendar g/a"), one.tries("path h/a"), one.tries("calendar h:81/a")) == (60, 60, 60)
    await two.load()
    assert two.tries("calendar h/z") == 12
    assert worker(memory, trap_pages=0).tries("calendar h/a") == 0
