"""How tests read a result: rows as short tuples."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from stillframe.model.result import ChangedRow, Row, SequenceResult, StateChange

BOTH_RULES = pytest.mark.parametrize("settle", ["causal", "quiet"])
"""Runs a test under both ways of settling that this version has."""


def selectors(rows: Iterable[Row | ChangedRow]) -> list[str]:
    return [row.selector for row in rows]


def fields(rows: Iterable[ChangedRow]) -> set[tuple[str, str, str | None, str | None]]:
    return {(row.selector, row.field, row.from_, row.to) for row in rows}


def change(result: SequenceResult) -> StateChange:
    """The state change of a result that must have succeeded and must have one."""
    assert result.failed is None, result.failed
    assert result.state_change is not None, "nothing changed"
    return result.state_change


def only_changed(result: SequenceResult) -> set[tuple[str, str, str | None, str | None]]:
    """The changed rows of a result in which nothing appeared and nothing disappeared."""
    state = change(result)
    assert (state.url, state.title, state.appeared, state.disappeared) == (None, None, (), ())
    return fields(state.changed)
