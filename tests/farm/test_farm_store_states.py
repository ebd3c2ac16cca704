"""Small values that several workers change."""

from __future__ import annotations

import asyncio

from store_cases import opened


async def test_a_value_is_replaced_only_while_it_is_as_expected(store_url: str) -> None:
    async with await opened(store_url) as store, await opened(store_url, "v", "join") as other:
        assert await store.swap_states({"a": (None, b"1"), "b": (None, b"\x00")}) == {"a", "b"}
        assert await other.swap_states({"a": (None, b"2"), "b": (b"\x00", b"3"), "c": (b"", b"4")}) == {"b"}
        assert await store.get_states(["a", "b", "c"]) == {"a": b"1", "b": b"3"}
        assert await store.swap_states({}) == set()
        await store.set_state("a_1", b"5")
        await store.set_state("A_1", b"6")
        assert await store.states_from("a_") == {"a_1": b"5"}
        assert await store.states_from("a%") == {}
        assert await store.get_states([]) == {}


async def test_of_two_workers_one_replaces_a_value(store_url: str) -> None:
    async with await opened(store_url) as store, await opened(store_url, "v", "join") as other:
        keys = [f"k{number}" for number in range(20)]
        await store.swap_states(dict.fromkeys(keys, (None, b"0")))
        one, two = await asyncio.gather(
            store.swap_states(dict.fromkeys(keys, (b"0", b"1"))),
            other.swap_states(dict.fromkeys(reversed(keys), (b"0", b"2"))),
        )
        assert sorted([*one, *two]) == sorted(keys)
        found = await store.get_states(keys)
        assert {key: b"1" if key in one else b"2" for key in keys} == found
