"""A sample of rows runs always; the others are marked slow; a row that does not exist is an error."""

from __future__ import annotations

from typing import Any

import pytest

from sampling import sampled


def slow(row: Any) -> bool:
    return any(mark.name == "slow" for mark in getattr(row, "marks", ()))


def test_all_but_the_kept_rows_are_slow() -> None:
    rows = sampled(["a", "b", "c"], ["b"])
    assert [slow(row) for row in rows] == [True, False, True]
    assert rows[0].values == ("a",)


def test_a_row_may_have_several_values() -> None:
    rows = sampled([(1, "x"), (2, "y")], [(1, "x")])
    assert (rows[0], rows[1].values) == ((1, "x"), (2, "y"))


def test_a_row_to_keep_exists() -> None:
    with pytest.raises(ValueError, match=r"no such rows to keep: \['d'\]"):
        sampled(["a"], ["d"])
