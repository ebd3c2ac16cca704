"""The rows that always run are the first, the last and some between; documents and marked tests run all of them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

import rows


@pytest.mark.parametrize(
    ("number", "limit", "kept"),
    [
        (3, 1, [0]),
        (1, 2, [0]),
        (2, 2, [0, 1]),
        (5, 2, [0, 4]),
        (4, 4, [0, 1, 2, 3]),
        (5, 4, [0, 1, 3, 4]),
        (10, 4, [0, 3, 6, 9]),
    ],
)
def test_the_first_the_last_and_some_between_are_kept(number: int, limit: int, kept: list[int]) -> None:
    assert rows.spread(range(number), limit) == kept


class Item:
    """A test as far as the choice of rows looks at it."""

    def __init__(self, name: str, *markers: str, path: str = "tests/tab/test_x.py", lane: str = "desktop") -> None:
        self.nodeid = f"{path}::{name}"
        self.callspec = SimpleNamespace(params={"lane": lane})
        self._markers = markers

    def get_closest_marker(self, name: str) -> Any:
        return name if name in self._markers else None


def names(items: list[Item]) -> list[str]:
    return sorted(item.nodeid.partition("::")[2] for item in rows.left_out(items))  # type: ignore[arg-type,attr-defined]


def test_rows_between_are_left_out_of_each_lane() -> None:
    lanes = [Item(f"test_x[{lane}-{n}]", "browser", lane=lane) for lane in ("adb", "desktop") for n in range(5)]
    assert names(lanes) == [f"test_x[{lane}-{n}]" for lane in ("adb", "desktop") for n in (1, 2, 3)]


def test_one_row_of_a_serial_test_is_kept() -> None:
    assert names([Item(f"test_x[{n}]", "browser", "serial") for n in range(3)]) == ["test_x[1]", "test_x[2]"]


def test_a_test_that_chose_its_rows_keeps_them() -> None:
    slow = [Item(f"test_x[{n}]", "browser", "slow") for n in (0, 1, 8)]
    assert names([*slow, *(Item(f"test_x[{n}]", "browser") for n in range(2, 8))]) == []


@pytest.mark.parametrize(
    "item",
    [
        lambda n: Item(f"test_x[{n}]"),
        lambda n: Item(f"test_x[{n}]", "browser", "every_row"),
        lambda n: Item(f"test_x[{n}]", "browser", path="tests/docs/test_x.py"),
        lambda n: Item(f"test_x{n}", "browser"),
    ],
    ids=["no browser", "marked", "a document", "tests of their own"],
)
def test_other_tests_are_kept(item: Any) -> None:
    assert names([item(n) for n in range(9)]) == []
