"""Databases as plain values: what a file must have."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from stillframe.tab.context.storage_state import Database

INDEX = {"name": "i", "keyPath": "a", "multiEntry": False, "unique": True}
PAIR = {"name": "p", "keyPathArray": ["a", "b"], "multiEntry": False, "unique": True}


def database(*, version: Any = 1, **store: Any) -> dict[str, Any]:
    plain = {"name": "s", "autoIncrement": False, "indexes": [INDEX, PAIR], "records": [{"key": None, "value": None}]}
    return {"name": "db", "version": version, "stores": [plain | store]}


def read(plain: dict[str, Any]) -> Database:
    return msgspec.convert(plain, Database)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"keyPath": "a", "keyPathArray": ["a"]}, "has both a keyPath and a keyPathArray"),
        ({"records": [{"key": 1, "value": 1}, {"key": 1}]}, "its record 1 needs either a value or a valueEncoded"),
        ({"records": [{"value": 1, "valueEncoded": 1}]}, "its record 0 needs either a value or a valueEncoded"),
        ({"indexes": [INDEX | {"keyPathArray": []}]}, "its index 'i' needs either a keyPath or a keyPathArray"),
        ({"indexes": [{"name": "j", "multiEntry": False, "unique": True}]}, "its index 'j' needs either"),
    ],
)
def test_what_is_missing_is_named_with_its_place(wrong: dict[str, Any], words: str) -> None:
    reason = read(database(**wrong)).wrong()
    assert reason is not None
    assert reason.startswith("the store 's' of the database 'db'")
    assert words in reason


@pytest.mark.parametrize("version", [0, -1, 1.5, 2**53, "1"])
def test_a_version_is_what_a_page_can_ask_for(version: Any) -> None:
    with pytest.raises(msgspec.ValidationError, match="version"):
        read(database(version=version))


def test_null_is_a_value_and_what_is_missing_stays_away() -> None:
    plain = database()
    assert read(plain).wrong() is None
    assert msgspec.json.decode(msgspec.json.encode(read(plain))) == plain
