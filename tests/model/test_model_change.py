"""Changes of a page: their rows have one order, wherever they have been."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from itertools import permutations

import msgspec
import pytest

from stillframe.model.bounds import shortened
from stillframe.model.change import ChangedRow, Row, StateChange

PLAIN = {"tag_name": "p", "role": "", "name": "", "ref": "e1"}


def row(rank: int) -> Row:
    return Row(selector=f"#{rank}", text="x", rank=rank, **PLAIN)


def changed(rank: int) -> ChangedRow:
    return ChangedRow(selector=f"#{rank}", field="value", from_="", to="x", rank=rank, **PLAIN)


CHANGES = [
    StateChange(
        appeared=(row(first),),
        disappeared=(row(second),),
        changed=(changed(third), changed(5)),
        came_and_went=(row(fourth),),
    )
    for first, second, third, fourth in permutations((1, 2, 3, 4))
]


@pytest.mark.parametrize(
    "copied",
    [
        lambda change: msgspec.json.decode(change.to_json(), type=StateChange),
        lambda change: msgspec.convert(change.to_dict(), StateChange),
        lambda change: pickle.loads(pickle.dumps(change)),
        lambda change: msgspec.structs.replace(change, approximate=True),
        shortened,
    ],
    ids=["json", "dict", "pickle", "replace", "shortened"],
)
def test_a_copy_has_the_rows_in_the_same_order(copied: Callable[[StateChange], StateChange]) -> None:
    for change in CHANGES:
        assert [each.rank for _, each in change.rows()] == [1, 2, 3, 4, 5]
        assert copied(change).rows() == change.rows()


def test_a_change_carries_nothing_besides_its_fields() -> None:
    assert not hasattr(CHANGES[0], "__dict__")
