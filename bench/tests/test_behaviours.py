"""The table of behaviours is of one piece, and its judge sees what is wrong."""

from __future__ import annotations

from typing import Any

import pytest
from aiohttp import ClientSession

from bench.behaviours import CAUSES
from bench.behaviours.calls import CALLS, ready
from bench.behaviours.case import Behaviour
from bench.behaviours.judge import Outcome, faults
from bench.behaviours.rival import DO, selector
from bench.behaviours.site import serving

ROWS = [row for rows in CAUSES.values() for row in rows]


def test_the_table_has_enough_rows_of_different_names() -> None:
    assert len({row.name for row in ROWS}) == len(ROWS) >= 1000
    assert sum(row.rival for row in ROWS) >= 600


def test_every_row_asks_something() -> None:
    for row in ROWS:
        asked = (row.then, row.fails, row.told, row.gives, row.shows, row.hides, row.refs, row.arrives)
        delta = (row.leads, row.tells, row.untold)
        assert any(asked) or any(delta) or row.limit_ms < 10_000 or any("then" in action for action in row.do), row.name


def test_playwright_has_every_action_that_it_is_asked_for() -> None:
    assert {action["action"] for row in ROWS if row.rival for action in row.do} <= DO.keys() | CALLS.keys()


ROW = Behaviour(name="a row", then={"log": "hit"})
RIGHT = Outcome(values={"log": "hit"})
DELTA = Outcome(
    result={
        "stateChange": {
            "changed": [
                {"name": "Total", "field": "value", "from": "12", "to": "24", "rank": 4},
                {"name": "A", "rank": 2},
            ],
            "appeared": [{"name": "B", "rank": 3}],
            "cameAndWent": [{"role": "status", "text": "Saved", "rank": 1}],
        }
    }
)
FAILING = Behaviour(name="a failing row", fails=("element_covered",), says=("veil",))


@pytest.mark.parametrize(
    ("row", "outcome", "fault"),
    [
        (ROW, RIGHT, None),
        (ROW, Outcome(values={"log": "miss"}), "log is 'miss'"),
        (ROW, Outcome(), "log is None"),
        (ROW, Outcome(values={"log": "hit"}, error="gone", code="element_not_found"), "failed: element_not_found gone"),
        (ROW, Outcome(values={"log": "hit"}, ms=1e6), "took"),
        (FAILING, Outcome(error="a veil", code="element_covered"), None),
        (FAILING, Outcome(), "did not fail"),
        (FAILING, Outcome(error="a veil", code="element_hidden"), "failed with element_hidden"),
        (FAILING, Outcome(error="a wall", code="element_covered"), "does not say 'veil'"),
        (FAILING, Outcome(error="a veil", code="element_covered", early=True), "too early"),
        (Behaviour(name="", told={"newTargets": 1}), Outcome(result={"newTargets": ({},)}), None),
        (Behaviour(name="", told={"newTargets": 1}), Outcome(result={"newTargets": ()}), "told newTargets 0"),
        (Behaviour(name="", told={"steps.0.status": 404}), Outcome(result={"steps": [{"status": 404}]}), None),
        (Behaviour(name="", gives={"n": 1}), Outcome(gives={"n": 1, "m": 2}), None),
        (Behaviour(name="", gives={"n": 1}), Outcome(gives={"n": [1]}), "n is [1], not 1"),
        (Behaviour(name="", leads=("status Saved",), tells=("Total",), untold=("clock",)), DELTA, None),
        (Behaviour(name="", leads=("Total",)), DELTA, "first rows lack 'Total'"),
        (Behaviour(name="", tells=("Sum",)), DELTA, "rows lack 'Sum'"),
        (Behaviour(name="", untold=("24",)), DELTA, "rows have '24'"),
        (Behaviour(name="", tells=("Saved",)), Outcome(), "rows lack 'Saved'"),
        (Behaviour(name="", shows=("a b",)), Outcome(text="-  a  b"), None),
        (Behaviour(name="", shows=("a b",)), Outcome(text="- ab"), "lacks 'a b'"),
        (Behaviour(name="", shows=("a b",)), Outcome(), "no text"),
        (Behaviour(name="", hides=("ab",)), Outcome(text="- ab"), "has 'ab'"),
        (Behaviour(name="", refs=("Go",)), Outcome(text="- Go\n- Stop [ref=e1]"), "no ref for 'Go'"),
        (Behaviour(name="", arrives=("/next", 200)), Outcome(arrived=("http://x/next", 200)), None),
        (Behaviour(name="", arrives=("/next", 200)), Outcome(arrived=("http://x/next", 404)), "arrived at"),
    ],
)
def test_the_judge(row: Behaviour, outcome: Outcome, fault: str | None) -> None:
    found = faults(row, outcome, ours=True)
    assert (found == []) if fault is None else (len(found) >= 1 and fault in found[0])


def test_of_others_only_an_error_is_asked_for() -> None:
    assert faults(FAILING, Outcome(error="timeout"), ours=False) == []
    assert faults(FAILING, Outcome(), ours=False) != []


def test_calls_have_whole_urls_and_globs() -> None:
    assert ready({"url": "next"}, "http://x/7/") == {"url": "http://x/7/next"}
    assert ready({"url": "**/next"}, "http://x/7/") == {"url": "**/next"}


async def test_sockets_say_what_a_row_says() -> None:
    row = Behaviour(name="", sockets={"talk": (("open", 0, "hello"), ("ask", 0, 'id <<"id":(\\d+)>>'))})
    async with serving([row]) as origin, ClientSession() as session, session.ws_connect(f"{origin}/0/talk") as socket:
        assert await socket.receive_str() == "hello"
        await socket.send_str('{"id":5,"ask":1}')
        assert await socket.receive_str() == "id 5"


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("#a >> text=Open", "#a >> text=Open"),
        ('text="a >> b"', 'text="a >> b"'),
        ("label=Age", 'internal:label="Age"i'),
        ('label="Age"', 'internal:label="Age"s'),
        ("frame=#f >> button", "#f >> internal:control=enter-frame >> button"),
        ("li >> has-text=Ann >> nth=0", 'li >> internal:has-text="Ann"i >> nth=0'),
        ('li >> has-text="Ann"', 'li >> internal:has-text="Ann"i'),
        ("testid=age", 'internal:testid=[data-testid="age"s]'),
        ('role=button[name="Go"]', 'role=button[name="Go"]'),
    ],
)
def test_selectors_in_the_words_of_playwright(ours: str, theirs: Any) -> None:
    assert selector(ours) == theirs
