"""A turn as later turns read it."""

from __future__ import annotations

from typing import Any

import pytest

from stillframe.agent.turn import CHANGE_CHARS, THOUGHT_CHARS, CommandReport, Turn

OK = CommandReport(command="click_element selector='#a'", result="ok")
FAILED = CommandReport(command="click_element selector='#b'", result="failed", error="element_not_found: #b")
NOT_RUN = CommandReport(command="click_element selector='#c'", result="not_run")
BARE: dict[str, Any] = {"step": 2, "iteration": 3, "url": "/a", "status": "continue"}

TURNS: list[tuple[Turn, str]] = [
    (Turn(**BARE), "2.3 /a; status continue"),
    (Turn(**BARE, tools=("inspect_page",)), "2.3 /a; tools: inspect_page; status continue"),
    (Turn(**BARE, reasoning="log in", notes=("2 were not",)), "2.3 /a; log in; 2 were not; status continue"),
    (
        Turn(**BARE, command_reasoning="a name first", loop_reasoning="no way on", observation="opened it: empty"),
        "2.3 /a; a name first; loop: no way on; noted: opened it: empty; status continue",
    ),
    (Turn(**BARE, change="a\nb"), "2.3 /a; a; b; status continue"),
    (
        Turn(**BARE, commands=(OK, FAILED, NOT_RUN)),
        "2.3 /a; 1 of 3 commands done; ok click_element selector='#a'; "
        "failed click_element selector='#b' (element_not_found: #b); not_run click_element selector='#c'; "
        "status continue",
    ),
]


@pytest.mark.parametrize(("turn", "text"), TURNS)
def test_a_turn_in_words(turn: Turn, text: str) -> None:
    assert str(turn) == text


def test_credit() -> None:
    turn = Turn(**BARE, commands=(OK, FAILED, NOT_RUN))
    assert (turn.completed, turn.failed) == (1, FAILED)
    assert (Turn(**BARE).completed, Turn(**BARE).failed) == (0, None)


def test_a_long_reasoning_is_cut() -> None:
    long = "a" * 9_000
    text = str(Turn(**BARE, reasoning=long, loop_reasoning=long, observation=long))
    assert len(text) < 3 * THOUGHT_CHARS + 100


def test_a_long_change_is_cut() -> None:
    assert len(str(Turn(**BARE, change="a" * 9_000))) < CHANGE_CHARS + 50
