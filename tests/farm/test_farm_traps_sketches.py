"""Sets of fixed size."""

from __future__ import annotations

import math

from stillframe.farm.traps.sketches import Distinct, Seen


def test_what_was_seen_is_never_new_again() -> None:
    seen = Seen(1 << 16)
    assert sum(seen.add(number) for number in range(10_000)) > 9_900
    assert not any(seen.add(number) for number in range(10_000))


def test_a_full_set_forgets_nothing_and_holds_no_more_memory() -> None:
    seen = Seen(64)
    for number in range(10_000):
        seen.add(str(number))
    assert not seen.add("10001")
    assert len(seen._bits) == 64


def test_different_things_are_counted_within_some_per_cent() -> None:
    for many in (1, 10, 100, 1_000, 2_000):
        distinct = Distinct(1_024)
        for number in (*range(many), *range(many)):
            distinct.add(f"thing {number}")
        assert abs(distinct.count - many) <= max(1, 0.15 * many)


def test_too_many_things_are_endlessly_many() -> None:
    distinct = Distinct(64)
    for number in range(10_000):
        distinct.add(number)
    assert distinct.count == math.inf
