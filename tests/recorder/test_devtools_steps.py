"""The schema of user flows: every kind of step as DevTools writes it, and mistakes with their step."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stillframe.errors import FlowInvalid
from stillframe.recorder.devtools_steps import TYPES, ChangeStep, ClickStep, KeyDownStep, parse_flow

FLOWS = Path(__file__).parent / "devtools"


def flow(*steps: dict[str, Any]) -> dict[str, Any]:
    return {"title": "A flow", "steps": list(steps)}


@pytest.mark.parametrize("path", sorted(FLOWS.glob("*.json")), ids=lambda path: path.stem)
def test_what_devtools_exports_is_a_flow(path: Path) -> None:
    content = json.loads(path.read_text("utf-8"))

    steps = parse_flow(content).steps

    assert [step.kind for step in steps] == [step["type"] for step in content["steps"]]


def test_the_types_are_those_of_the_replay_library() -> None:
    assert sorted(TYPES) == [
        "change",
        "click",
        "close",
        "customStep",
        "doubleClick",
        "emulateNetworkConditions",
        "hover",
        "keyDown",
        "keyUp",
        "navigate",
        "scroll",
        "setViewport",
        "waitForElement",
        "waitForExpression",
    ]


def test_a_selector_is_a_text_or_a_list() -> None:
    (step,) = parse_flow(flow({"type": "change", "value": "x", "selectors": ["#a", ["b", "c"]]})).steps

    assert isinstance(step, ChangeStep)
    assert step.selectors == ("#a", ("b", "c"))


def test_keys_of_extensions_are_left_out() -> None:
    (step,) = parse_flow({**flow({"type": "keyDown", "key": "a", "mine": 1}), "theirs": {}}).steps

    assert isinstance(step, KeyDownStep)


def test_numbers_stay_as_they_are_written() -> None:
    (step,) = parse_flow(flow({"type": "click", "selectors": ["a"], "offsetX": 3, "offsetY": 3.5})).steps

    assert isinstance(step, ClickStep)
    assert (str(step.offset_x), str(step.offset_y)) == ("3", "3.5")


MISTAKES = [
    ([], None, "Expected `object`, got `array`"),
    ("text", None, "Expected `object`, got `str`"),
    ({"title": "no steps"}, None, "`steps`"),
    (flow({"type": "navigate", "url": "a"}, {"type": "clik"}), 1, "the types are click, doubleClick"),
    (flow({"selectors": ["a"]}), 0, "`type`"),
    (flow({"type": "click", "offsetX": 1, "offsetY": 1}), 0, "`selectors`"),
    (flow({"type": "click", "selectors": []}), 0, "length >= 1"),
    (flow({"type": "click", "selectors": [1]}), 0, "selectors[0]"),
    (flow({"type": "click", "selectors": ["a"], "offsetX": float("nan"), "offsetY": 1}), 0, "offsetX"),
    (flow({"type": "click", "selectors": ["a"], "button": "third"}), 0, "third"),
    (flow({"type": "hover", "selectors": ["a"], "frame": [-1]}), 0, "frame"),
    (flow({"type": "hover", "selectors": ["a"], "timeout": 0}), 0, "timeout"),
    (flow({"type": "navigate"}), 0, "`url`"),
    (flow({"type": "navigate", "url": "a", "assertedEvents": [{"type": "print"}]}), 0, "print"),
    (flow(*[{"type": "keyUp", "key": "a"}] * 10_001), None, "length <= 10000"),
]


@pytest.mark.parametrize(("value", "step", "reason"), MISTAKES, ids=[reason for *_, reason in MISTAKES])
def test_a_mistake_has_its_step(value: object, step: int | None, reason: str) -> None:
    with pytest.raises(FlowInvalid) as caught:
        parse_flow(value)

    assert caught.value.step == step
    assert reason in str(caught.value)
