"""The resource store: limits of time, number and size, and who hears of changes."""

from __future__ import annotations

import pytest

from stillframe.mcp.resource_store import KINDS, MAX_BYTES, MAX_PER_SESSION, MAX_TOTAL_BYTES, TTL_S, ResourceStore


def test_what_is_kept_is_gone_after_a_while() -> None:
    now = 0.0
    store = ResourceStore(lambda: now)
    uri = store.put("a", "title", "text").uri
    kept = store.get(uri)
    assert kept is not None
    assert (kept.content, kept.size, kept.kind) == ("text", 4, "reply")
    now = TTL_S + 1
    assert store.get(uri) is None
    assert store.list() == []


def test_a_session_keeps_its_last_ones_of_each_kind_and_takes_none_of_another() -> None:
    store = ResourceStore(lambda: 0.0)
    other = store.put("b", "title", "other").uri
    picture = store.put("a", "title", b"\xff", "image/jpeg", "screenshot").uri
    uris = [store.put("a", "title", str(number)).uri for number in range(MAX_PER_SESSION + 3)]
    assert [store.get(uri) is None for uri in uris] == [True] * 3 + [False] * MAX_PER_SESSION
    assert store.get(other)
    assert store.get(picture)
    store.discard("a")
    assert [kept.uri for kept in store.list()] == [other]


@pytest.mark.parametrize("kind", KINDS)
def test_the_uri_names_the_kind(kind) -> None:
    assert ResourceStore(lambda: 0.0).put("a", "title", b"", kind=kind).uri.startswith(f"stillframe://{kind}/")


def test_all_together_are_bounded_in_bytes() -> None:
    store = ResourceStore(lambda: 0.0)
    for number in range(6):
        store.put(str(number), "title", "é" * (MAX_BYTES // 2))  # two bytes each
    assert sum(each.size for each in store.list()) == MAX_TOTAL_BYTES
    with pytest.raises(ValueError, match="16,000,001 bytes are more"):
        store.put("a", "big.zip", b"x" * (MAX_BYTES + 1), kind="download")


def test_each_change_of_the_list_is_announced() -> None:
    now, changes = 0.0, 0

    def changed() -> None:
        nonlocal changes
        changes += 1

    store = ResourceStore(lambda: now, changed)
    store.put("a", "title", "text")
    assert changes == 1
    store.discard("nobody")
    assert changes == 1
    now = TTL_S + 1
    store.list()
    assert changes == 2
