"""Rows of a parametrised test of which `make test` runs some, and `make test-all` each one."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def sampled(rows: Iterable[Any], keep: Collection[Any]) -> list[Any]:
    """Return the rows for `pytest.mark.parametrize`; all but those to keep are marked slow.

    A row of several values is a tuple. Raises ValueError for a row to keep that is not there, which would otherwise be
    left out in silence.
    """
    listed = list(rows)
    if missing := [row for row in keep if row not in listed]:
        raise ValueError(f"no such rows to keep: {missing}; there are {listed}")
    return [row if row in keep else _slow(row) for row in listed]


def _slow(row: Any) -> Any:
    values = row if isinstance(row, tuple) else (row,)
    return pytest.param(*values, marks=pytest.mark.slow)
