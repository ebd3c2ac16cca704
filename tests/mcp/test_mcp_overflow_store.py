"""The overflow store: limits of time, number and size."""

from __future__ import annotations

from stillframe.mcp.overflow_store import MAX_PER_SESSION, MAX_TOTAL_CHARS, TTL_S, OverflowStore


def test_what_is_kept_is_gone_after_a_while() -> None:
    now = 0.0
    store = OverflowStore(lambda: now)
    uri = store.put("a", "title", "text").uri
    kept = store.get(uri)
    assert kept is not None
    assert kept.text == "text"
    now = TTL_S + 1
    assert store.get(uri) is None
    assert store.list() == []


def test_a_session_keeps_its_last_ones_and_takes_none_of_another() -> None:
    store = OverflowStore(lambda: 0.0)
    other = store.put("b", "title", "other").uri
    uris = [store.put("a", "title", str(number)).uri for number in range(MAX_PER_SESSION + 3)]
    assert [store.get(uri) is None for uri in uris] == [True] * 3 + [False] * MAX_PER_SESSION
    assert store.get(other)
    store.discard("a")
    assert [kept.uri for kept in store.list()] == [other]


def test_all_together_are_bounded() -> None:
    store = OverflowStore(lambda: 0.0)
    for number in range(5):
        store.put(str(number), "title", "x" * (MAX_TOTAL_CHARS // 2))
    assert len(store.list()) == 2
