"""Storage states as plain values: what a file must have, and what is refused instead of being left out."""

from __future__ import annotations

from typing import Any

import pytest

from stillframe.errors import OptionInvalid
from stillframe.tab.context.storage_state import OriginState, empty_storage, read_state, storage_builtins

ORIGIN = {"origin": "http://a.test", "localStorage": [{"name": "a", "value": "1"}]}
FRAMED = ORIGIN | {"ancestors": ["http://b.test"]}


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ({"origins": [FRAMED]}, "belongs to partitionedOrigins if it has ancestors"),
        ({"partitionedOrigins": [ORIGIN]}, "belongs to partitionedOrigins if it has ancestors"),
        ({"partitionedOrigins": [FRAMED | {"ancestors": ["b.test"]}]}, "'b.test' is not an http or https origin"),
        ({"origins": [ORIGIN | {"opfs": [{"path": "a", "type": "file"}]}]}, "the file 'a' in opfs has no base64"),
        ({"origins": [ORIGIN | {"opfs": [{"path": "a", "type": "link"}]}]}, "opfs"),
        ({"credentials": [{"id": "x"}]}, "credentials of passkeys"),
        ({"origins": [ORIGIN | {"indexedDB": {}}]}, "indexedDB"),
    ],
)
def test_what_a_state_cannot_have_is_named(state: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionInvalid, match=words) as caught:
        read_state(state)
    assert caught.value.option == "storage_state"


def test_playwrights_empty_lists_are_taken() -> None:
    state = read_state({"cookies": [], "origins": [ORIGIN | {"opfs": [], "indexedDB": []}], "credentials": []})
    assert [each.indexed_db for each in state.storages] == [()]


def test_what_frames_keep_has_a_list_of_its_own() -> None:
    state = read_state({"origins": [ORIGIN], "partitionedOrigins": [FRAMED]})
    assert [each.place for each in state.storages] == [("http://a.test",), ("http://b.test", "http://a.test")]
    assert state.storages[1].where() == "http://a.test in http://b.test"
    assert storage_builtins(state.storages) == {"origins": [ORIGIN], "partitionedOrigins": [FRAMED]}
    assert storage_builtins(state.origins) == {"origins": [ORIGIN]}


def test_an_empty_storage_is_at_its_place() -> None:
    place = ("http://b.test", "http://a.test")
    assert empty_storage(place) == OriginState(
        origin="http://a.test", ancestors=("http://b.test",), local_storage=(), indexed_db=None
    )
    assert empty_storage(place).place == place
