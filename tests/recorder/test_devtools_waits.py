"""What a waitForElement step waits for."""

from __future__ import annotations

from typing import Any

import pytest

from stillframe.errors import ActionInvalid
from stillframe.recorder.devtools_steps import WaitForElementStep
from stillframe.recorder.devtools_waits import waits


def waited_for(*selectors: str, **fields: Any) -> list[tuple[str, list[str]]]:
    step = WaitForElementStep(selectors=selectors, **fields)
    return [(wait.state, wait.selectors) for wait in waits(step, selectors)]


COUNTS = [
    (">=", 1, True, ["attached li"]),
    (">=", 3, True, ["attached li >> nth=2"]),
    (">=", 0, True, []),
    (">=", 1, False, ["detached li"]),
    (">=", 3, False, ["detached li >> nth=2"]),
    ("<=", 0, True, ["detached li"]),
    ("<=", 2, True, ["detached li >> nth=2"]),
    ("<=", 2, False, ["attached li >> nth=2"]),
    ("==", 0, True, ["detached li"]),
    ("==", 2, True, ["attached li >> nth=1", "detached li >> nth=2"]),
    ("==", 0, False, ["attached li"]),
    ("==", 1, False, ["detached li"]),
]


@pytest.mark.parametrize(("operator", "count", "visible", "states"), COUNTS)
def test_a_count_is_one_state_or_two(operator: str, count: int, visible: bool, states: list[str]) -> None:
    found = waited_for("li", operator=operator, count=count, visible=visible)

    assert [f"{state} {selectors[0]}" for state, selectors in found] == states


@pytest.mark.parametrize(("operator", "count"), [("==", 2), (">=", 0)])
def test_a_count_that_no_state_means_is_refused(operator: str, count: int) -> None:
    with pytest.raises(ActionInvalid, match=f"a count {operator} {count} that is not visible cannot be waited for"):
        waited_for("li", operator=operator, count=count, visible=False)


def test_attributes_and_texts_become_part_of_the_selector() -> None:
    found = waited_for(
        "#a", "text=a", "my-host >> b", attributes={"class": 'x"y'}, properties={"innerText": 'Say "hi"'}
    )

    having = r'[class="x\22 y"] >> has-text="Say \"hi\""'
    assert found == [("attached", [f"#a{having}", f"my-host >> b{having}"])]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"properties": {"checked": True}}, "the property 'checked' cannot be waited for"),
        ({"properties": {"innerText": ["a"]}}, "the property 'innerText' cannot be waited for"),
        ({"attributes": {"class": "a"}}, "attributes can be waited for only with a CSS selector"),
    ],
)
def test_what_a_selector_cannot_say_is_refused(fields: dict[str, Any], reason: str) -> None:
    with pytest.raises(ActionInvalid, match=reason):
        waited_for("text=a", **fields)
