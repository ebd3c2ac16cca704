"""How many rows of a parametrised test with a browser `make test` runs; `make test-all` runs each one.

Rows of one test go the same way through Chrome, so some of them find what is broken on that way: the first, the last,
and, where more are kept, those at even distances between them. A test whose rows are promises of their own carries the
marker `every_row`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TypeVar

import pytest

KEPT = 2
"""Rows of a test that always run. With 4, the others take 12 % more of the time of all tests (measured)."""
KEPT_SERIAL = 1
"""The same for tests marked serial: they wait, with nothing beside them."""
PROMISES = ("tests/docs/", "tests/test_examples.py", "tests/test_bad_input.py", "tests/test_flows.py")
"""Where each row is a block of the documents, an example or an error text: all rows run."""

T = TypeVar("T")


def spread(rows: Sequence[T], number: int) -> list[T]:
    """Return `number` rows at even distances, from the first (the only one if `number` is 1) to the last."""
    if len(rows) <= number or number == 1:
        return list(rows[:number])
    return [rows[round(place * (len(rows) - 1) / (number - 1))] for place in range(number)]


def left_out(items: Iterable[pytest.Item]) -> set[pytest.Item]:
    """Return the rows of tests with a browser that only `make test-all` runs, but for those that are marked slow."""
    groups: dict[tuple[str, str], list[pytest.Item]] = defaultdict(list)
    for item in items:
        if is_one_of_many(item):
            groups[item.nodeid.partition("[")[0], lane_of(item)].append(item)
    return {item for rows in groups.values() if not chosen(rows) for item in set(rows) - set(spread(rows, kept(rows)))}


def kept(rows: Sequence[pytest.Item]) -> int:
    """Return how many rows of a test always run."""
    return KEPT_SERIAL if rows[0].get_closest_marker("serial") else KEPT


def chosen(rows: Iterable[pytest.Item]) -> bool:
    """Return whether the test itself says which of its rows always run: it marks the others slow."""
    return any(row.get_closest_marker("slow") for row in rows)


def is_one_of_many(item: pytest.Item) -> bool:
    """Return whether a test is a row of a parametrised test with a browser, and no promise of its own."""
    by_itself = item.get_closest_marker("every_row") or item.nodeid.startswith(PROMISES)
    return bool(item.get_closest_marker("browser")) and "[" in item.nodeid and not by_itself


def lane_of(item: pytest.Item) -> str:
    """Return how the test reaches its page: each lane has rows of its own."""
    callspec = getattr(item, "callspec", None)
    return "" if callspec is None else str(callspec.params.get("lane", ""))
