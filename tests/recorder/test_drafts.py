"""Reports of a person become actions: what belongs together becomes one."""

from __future__ import annotations

import os
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stillframe.recorder.drafts import Drafts
from stillframe.recorder.events import Report

Row = dict[str, Any]


def report(kind: str, gesture: int, element: int | None = 1, **fields: Any) -> Row:
    return {"kind": kind, "gesture": gesture, "element": element, **fields}


def click(gesture: int, element: int = 1, **fields: Any) -> Row:
    return report("click", gesture, element, **fields)


def key(gesture: int, name: str, *modifiers: str, control: str = "text", types: bool = False) -> Row:
    return report("key", gesture, key=name, modifiers=list(modifiers), control=control, types=types)


def text(gesture: int, value: str, **fields: Any) -> Row:
    return report("input", gesture, value=value, control="text", **fields)


def fed(*rows: Row) -> Drafts:
    drafts = Drafts()
    for row in rows:
        drafts.feed("F", "L", msgspec.convert(row, Report))
    return drafts


def shown(*rows: Row) -> list[tuple[str, Any]]:
    """Return the actions of reports with what is most telling of each."""
    telling = ("value", "key", "paths", "clickCount", "button", "modifiers", "position", "direction", "offset")
    return [
        (draft.action, next((draft.fields[name] for name in telling if name in draft.fields), None))
        for draft in fed(*rows).all
    ]


CASES: dict[str, tuple[list[Row], list[tuple[str, Any]]]] = {
    "a click": ([click(1)], [("click_element", None)]),
    "a double click": ([click(1), click(2, count=2)], [("double_click", None)]),
    "a triple click": ([click(1), click(2, count=2), click(3, count=3)], [("click_element", 3)]),
    "two clicks on two elements": ([click(1), click(2, 2, count=2)], [("click_element", None)] * 2),
    "the right button": ([click(1, button=2)], [("right_click", None)]),
    "the middle button": ([click(1, button=1)], [("click_element", "middle")]),
    "a finger": ([click(1, touch=True)], [("tap_element", None)]),
    "a key that is held": ([click(1, modifiers=["Shift"])], [("click_element", ["Shift"])]),
    "a point": ([click(1, position={"x": 3, "y": 4})], [("click_element", {"x": 3, "y": 4})]),
    "letters": (
        [key(1, "a", types=True), text(1, "a"), key(2, "b", types=True), text(2, "ab")],
        [("set_value", "ab")],
    ),
    "a click into a field before its text": ([click(1, control="text"), text(2, "a")], [("set_value", "a")]),
    "a line break": ([text(1, "a"), key(2, "Enter"), text(2, "a\n")], [("set_value", "a\n")]),
    "Enter that submits": ([text(1, "a"), key(2, "Enter")], [("set_value", "a"), ("press_key", "Enter")]),
    "text, Enter, text": (
        [text(1, "a"), key(2, "Enter"), text(3, "b")],
        [("set_value", "a"), ("press_key", "Enter"), ("set_value", "b")],
    ),
    "keys that only edit": (
        [text(1, "ab"), key(2, "Backspace"), text(2, "a"), key(3, "ArrowLeft")],
        [("set_value", "a")],
    ),
    "chords that only edit": ([key(1, "a", "Control"), key(2, "v", "Meta")], []),
    "a chord that does more": ([key(1, "k", "Control")], [("press_key", "Control+k")]),
    "a key outside fields": ([key(1, "j", control="other", types=True)], [("press_key", "j")]),
    "a capital outside fields": ([key(1, "J", "Shift", control="other", types=True)], [("press_key", "J")]),
    "the space bar outside fields": ([key(1, " ", control="other", types=True)], [("press_key", "Space")]),
    "Tab outside fields": ([key(1, "Tab", control="other")], []),
    "a spin button's arrow": ([key(1, "ArrowUp"), text(1, "2")], [("set_value", "2")]),
    "a checkbox": ([click(1, control="check"), report("input", 1, control="check", checked=True)], [("check", None)]),
    "a checkbox by its label": (
        [click(1, 2), report("input", 1, 1, control="check", checked=False)],
        [("uncheck", None)],
    ),
    "a checkbox that something is drawn for": (
        [click(1, 2), report("input", 1, 1, control="check", checked=True, rendered=False)],
        [("click_element", None)],
    ),
    "a checkbox by the space bar": (
        [key(1, " ", control="check", types=True), report("input", 1, control="check", checked=True)],
        [("check", None)],
    ),
    "a select": (
        [click(1, control="select"), report("input", 2, control="select", values=["Red"])],
        [("select_option", ["Red"])],
    ),
    "a select, twice": (
        [report("input", n, control="select", values=[name]) for n, name in enumerate(("Red", "Green"))],
        [("select_option", ["Green"])],
    ),
    "an option in a list": (
        [report("input", 1, control="select", values=["a"]), click(1, 2, control="option")],
        [("select_option", ["a"])],
    ),
    "a file": (
        [click(1, 2), report("input", 1, control="file", files=["a.txt"])],
        [("upload_file", ["a.txt"])],
    ),
    "a click on a file field": ([click(1, control="file")], []),
    "a drag by a distance": (
        [report("drag", 1, source={"x": 1, "y": 2}, offset={"x": 9, "y": 0})],
        [("drag_to", {"x": 9.0, "y": 0.0})],
    ),
    "the wheel, twice": ([report("wheel", 1, None, y=100), report("wheel", 1, None, y=20)], [("scroll", "down")]),
    "the wheel, both ways": (
        [report("wheel", 1, None, y=100), report("wheel", 1, None, x=-100)],
        [("scroll", "down"), ("scroll", "left")],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_reports_become_actions(case: str) -> None:
    rows, actions = CASES[case]
    assert shown(*rows) == actions


def test_a_key_that_is_pressed_again_counts() -> None:
    (draft,) = fed(*(key(n, "ArrowDown", control="other") for n in range(3))).all
    assert draft.fields == {"key": "ArrowDown", "times": 3}


def test_a_drag_onto_an_element_has_a_target() -> None:
    (draft,) = fed(report("drag", 1, source={"x": 1, "y": 2}, target=7, drop={"x": 3, "y": -1})).all
    assert draft.target is not None
    assert draft.target.number == 7
    assert draft.fields == {"sourcePosition": {"x": 1, "y": 2}}  # a point on the border is not a position


def test_what_is_hovered_before_a_press_belongs_to_its_action() -> None:
    (draft,) = fed(report("press", 1, hovers=[4, 5]), click(1)).all
    assert [element.number for element in draft.hovers] == [4, 5]


def test_the_hovers_of_a_click_move_on_to_what_takes_its_place() -> None:
    rows = [
        report("press", 1, hovers=[4]),
        click(1, control="check"),
        report("input", 1, control="check", checked=True),
    ]
    (draft,) = fed(*rows).all
    assert (draft.action, [element.number for element in draft.hovers]) == ("check", [4])


def test_a_turn_of_the_wheel_counts_if_the_page_showed_more_after_it() -> None:
    drafts = fed(report("wheel", 1, None, y=100))
    assert drafts.finished() == []
    drafts.led_to(None, more=True)
    assert [draft.action for draft in drafts.finished()] == ["scroll"]


def test_a_turn_of_the_wheel_counts_if_what_is_pressed_next_is_new() -> None:
    drafts = fed(report("wheel", 1, None, y=100), report("press", 2, fresh=True), click(2))
    assert [draft.action for draft in drafts.finished()] == ["scroll", "click_element"]


def test_an_action_that_led_to_something_is_not_merged_with_the_next() -> None:
    drafts = fed(key(1, "ArrowDown", control="other"))
    drafts.led_to({"text": "more"}, more=True)
    drafts.feed("F", "L", msgspec.convert(key(2, "ArrowDown", control="other"), Report))
    assert [draft.expect for draft in drafts.all] == [{"text": "more"}, None]


def test_a_secret_is_marked_and_has_no_text() -> None:
    (draft,) = fed(report("input", 1, control="text", hidden=True, secret=3)).all
    assert (draft.secret, draft.fields) == (("F", "L", 3), {"value": ""})


ANY = st.builds(
    Report,
    kind=st.sampled_from(["over", "press", "click", "drag", "input", "key", "wheel"]),
    gesture=st.integers(0, 3),
    element=st.none() | st.integers(1, 3),
    control=st.sampled_from(["text", "check", "select", "file", "editable", "picker", "option", "other"]),
    count=st.integers(0, 12),
    button=st.integers(0, 4),
    target=st.none() | st.integers(1, 3),
    key=st.sampled_from(["", "a", "Enter", "Tab", " "]),
    hovers=st.lists(st.integers(1, 3), max_size=2).map(tuple),
    y=st.floats(-1e4, 1e4),
)


@settings(max_examples=100 if "STILLFRAME_CASES" in os.environ else 25)
@given(st.lists(ANY, max_size=30))
def test_no_reports_break_the_list(reports: list[Report]) -> None:
    drafts = Drafts()
    for each in reports:
        drafts.feed("F", "L", each)
    assert len(drafts.all) <= len(reports)
    assert all(draft.fields.get("times", 1) <= 100 for draft in drafts.all)
