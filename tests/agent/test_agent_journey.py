"""The memory of a run: turns, lessons and data, each within its bounds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.agent import Limits
from stillframe.agent.journey import MAX_EXPERIENCE_CHARS, Journey
from stillframe.agent.turn import Turn

LESSONS: list[tuple[list[str], list[str]]] = [
    ([], []),
    (["", "  \n "], []),
    (["Save is below", "save is below."], ["save is below."]),
    (["Save", "Save is below the form"], ["Save is below the form"]),
    (["Save is below the form", "the menu opens on hover", "save is below"],
     ["the menu opens on hover", "Save is below the form"]),
    (["a  lesson\n\twith spaces"], ["a lesson with spaces"]),
]  # fmt: skip


@pytest.mark.parametrize(("said", "kept"), LESSONS)
def test_a_lesson_that_another_contains_is_kept_once(said: list[str], kept: list[str]) -> None:
    journey = Journey(Limits())
    journey.learn(said)
    assert journey.experiences == kept


@given(st.lists(st.text(max_size=400), max_size=40), st.integers(0, 5))
def test_lessons_never_exceed_their_bounds(said: list[str], most: int) -> None:
    journey = Journey(Limits(max_experiences=most))
    for lesson in said:
        journey.learn([lesson])
    assert len(journey.experiences) <= most
    assert all(0 < len(lesson) <= MAX_EXPERIENCE_CHARS for lesson in journey.experiences)
    journey.learn(said)
    assert len(journey.experiences) <= most


def turn(number: int) -> Turn:
    return Turn(step=1, iteration=number, url=f"/page/{number}", status="continue", reasoning="look at the Cart")


@pytest.mark.parametrize(
    ("history", "recent", "kept", "shown"), [(3, 2, 3, 2), (3, 9, 3, 3), (0, 7, 0, 0), (9, 0, 6, 0)]
)
def test_the_oldest_turns_are_dropped(history: int, recent: int, kept: int, shown: int) -> None:
    journey = Journey(Limits(max_history_size=history, recent_steps_count=recent))
    for number in range(1, 7):
        journey.record(turn(number))
    assert [each.iteration for each in journey.turns] == list(range(7 - kept, 7))
    assert [each.iteration for each in journey.recent] == list(range(7 - shown, 7))


def test_turns_are_found_by_their_text() -> None:
    journey = Journey(Limits())
    for number in range(1, 7):
        journey.record(turn(number))
    assert [each.iteration for each in journey.recall("CART", 2)] == [5, 6]
    assert [each.iteration for each in journey.recall("page/3")] == [3]
    assert (journey.recall("basket"), journey.recall("", 0), journey.recall("", -1)) == ((), (), ())


def test_data_is_kept_by_its_name() -> None:
    journey = Journey(Limits())
    journey.keep({"price": 3, "order": "A-17"})
    journey.keep({"price": 4})
    assert journey.extracted == {"price": 4, "order": "A-17"}
