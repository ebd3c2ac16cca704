"""The index of pages that are nearly equal: kept in parts, and the same for all workers of a crawl."""

from __future__ import annotations

import asyncio
import random

import pytest
from captures import capture
from store_cases import opened

from stillframe.core import Signature, SignatureIndex, Snapshot
from stillframe.farm.loading import near_duplicates
from stillframe.farm.loading.near_duplicates import STATE, NearDuplicates
from stillframe.farm.store import CrawlStore

SYLLABLES = ("ba", "ke", "li", "mo", "nu", "ra", "so", "ti")


def signed(number: int) -> Signature:
    """Return the signature of a page that is like no other number's."""
    dice = random.Random(number)
    body = []
    for _ in range(8):
        text = " ".join("".join(dice.choices(SYLLABLES, k=4)) for _ in range(12))
        classes = {"class": "".join(dice.choices(SYLLABLES, k=5))}
        body.append((dice.choice(("p", "li", "h2", "div", "td")), classes, text))
    return Snapshot.from_cdp(capture(body, url=f"https://a.test/{number}")).signature


def index(store: CrawlStore, max_pages: int = 1_000) -> NearDuplicates:
    """Return the index of one worker."""
    return NearDuplicates(load=store.get_states, save=store.add_state, max_pages=max_pages)


def look(found: NearDuplicates, number: int, url: str = "http://h/other") -> str | None:
    """Return the URL of the page that one is like."""
    duplicate = found.find(url, signed(number))
    return None if duplicate is None else duplicate.url


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(near_duplicates, "SAVE_EVERY", 3)
    monkeypatch.setattr(near_duplicates, "LOADED_AT_ONCE", 2)


async def test_workers_of_a_crawl_know_each_others_pages(store_url: str) -> None:
    async with await opened(store_url) as store, await opened(store_url, "v", "join") as other:
        async with index(store) as one, index(other) as two:
            for number in range(4):
                assert one.find(f"http://h/{number}", signed(number)) is None
            await one.save()
            for number in range(10, 14):
                assert two.find(f"http://h/{number}", signed(number)) is None
            await two.save()
            assert look(two, 1) == "http://h/1"
            one.find("http://h/20", signed(20))
            await one.save(now=True)
            assert look(one, 11) == "http://h/11"
        async with index(store) as later:
            assert [look(later, number) for number in (0, 12, 20)] == ["http://h/0", "http://h/12", "http://h/20"]


async def test_parts_that_are_kept_at_once_are_all_there(store_url: str) -> None:
    async with await opened(store_url) as store:
        workers = [index(store) for _ in range(4)]
        for number, worker in enumerate(workers):
            worker.find(f"http://h/{number}", signed(number))
        await asyncio.gather(*(worker.save(now=True) for worker in workers))
        async with index(store) as later:
            assert [look(later, number) for number in range(4)] == [f"http://h/{number}" for number in range(4)]


async def test_the_index_of_an_earlier_version_is_read_and_the_limit_holds(sqlite_url: str) -> None:
    async with await opened(sqlite_url) as store:
        old = SignatureIndex()
        old.add("http://h/0", signed(0))
        await store.set_state(STATE, old.to_bytes())
        async with index(store, 2) as one:
            assert look(one, 0) == "http://h/0"
            assert [one.find(f"http://h/{number}", signed(number)) for number in (1, 2)] == [None, None]
        async with index(store, 2) as later:
            assert [look(later, 1), later.find("http://h/2", signed(2)), look(later, 2)] == ["http://h/1", None, None]


async def test_without_a_place_to_keep_it_the_index_is_in_memory() -> None:
    async with NearDuplicates() as one:
        assert one.find("http://h/0", signed(0)) is None
        await one.save(now=True)
        assert look(one, 0) == "http://h/0"


async def test_two_saves_at_once_leave_no_gap_in_the_parts(store_url: str) -> None:
    """A gap would end what every worker reads from then on."""
    async with await opened(store_url) as store, index(store) as one:
        for number in range(0, 12, 2):
            one.find(f"http://h/{number}", signed(number))
            first = asyncio.create_task(one.save(now=True))
            await asyncio.sleep(0)
            one.find(f"http://h/{number + 1}", signed(number + 1))
            await asyncio.gather(first, one.save(now=True))
        kept = [f"{STATE}:{number}" for number in range(12)]
        assert {*await store.states_from(STATE)} == {*kept}
        async with index(store) as fresh:
            assert [look(fresh, number) for number in range(12)] == [f"http://h/{number}" for number in range(12)]


async def test_pages_whose_save_failed_are_kept_with_the_next_ones(sqlite_url: str) -> None:
    async with await opened(sqlite_url) as store:
        fails = True

        async def save(key: str, value: bytes) -> bool:
            if fails:
                raise OSError("the database is away")
            return await store.add_state(key, value)

        async with NearDuplicates(load=store.get_states, save=save) as one:
            one.find("http://h/1", signed(1))
            with pytest.raises(OSError, match="away"):
                await one.save(now=True)
            fails = False
            one.find("http://h/2", signed(2))
        async with index(store) as fresh:
            assert [look(fresh, number) for number in (1, 2)] == ["http://h/1", "http://h/2"]
