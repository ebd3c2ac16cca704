"""Recordings become user flows that Chrome DevTools' Recorder and its replay library take."""

from __future__ import annotations

import json
from typing import Any

import pytest
from devtools_flows import DEVTOOLS_FLOWS, DevToolsFlow

from site_server import Site
from stillframe.api.browser import Page
from stillframe.errors import FlowInvalid
from stillframe.recorder.devtools_export import to_flow
from stillframe.recorder.devtools_import import from_flow
from stillframe.recorder.player import play
from stillframe.recorder.recording import RecordedViewport, Recording
from stillframe.scripts.script import ScriptAction

Step = dict[str, Any]
CLICK = {"selectors": list, "offsetX": (int, float), "offsetY": (int, float)}
REQUIRED: dict[str, dict[str, Any]] = {
    "setViewport": {
        **dict.fromkeys(("width", "height", "deviceScaleFactor"), (int, float)),
        **dict.fromkeys(("isMobile", "hasTouch", "isLandscape"), bool),
    },
    "navigate": {"url": str},
    "click": CLICK,
    "doubleClick": CLICK,
    "hover": {"selectors": list},
    "change": {"selectors": list, "value": str},
    "keyDown": {"key": str},
    "keyUp": {"key": str},
    "scroll": {"x": (int, float), "y": (int, float)},
    "waitForElement": {"selectors": list},
    "waitForExpression": {"expression": str},
}
"""The fields without which `parse()` of @puppeteer/replay 3.1.3 refuses a step, and their types."""


def check_as_the_replay_library(flow: dict[str, Any]) -> None:
    assert isinstance(flow["title"], str)
    for step in [flow, *flow["steps"]]:
        assert 1 <= step.get("timeout", 1) <= 30_000
    for step in flow["steps"]:
        for name, kind in REQUIRED[step["type"]].items():
            assert isinstance(step[name], kind), step
        if "selectors" in step:
            assert step["selectors"]
            assert all(isinstance(part, str) and part for parts in step["selectors"] for part in parts)
        assert all(isinstance(index, int) for index in step.get("frame", []))


def recorded(*actions: dict[str, Any], **fields: Any) -> Recording:
    return Recording(url="http://a.test/", steps=tuple(ScriptAction(action=action) for action in actions), **fields)


def steps(*actions: dict[str, Any], **fields: Any) -> list[Step]:
    """Return the steps after the first navigation, without the target, which is always the page."""
    flow = to_flow(recorded(*actions, **fields))
    check_as_the_replay_library(flow)
    return [without_target(step) for step in flow["steps"][1:]]


def without_target(step: Step) -> Step:
    return {name: value for name, value in step.items() if (name, value) != ("target", "main")}


IMPORTED = [flow for flow in DEVTOOLS_FLOWS if not flow.is_on_shop]


@pytest.mark.parametrize("flow", DEVTOOLS_FLOWS, ids=lambda flow: flow.name)
def test_a_flow_comes_back(flow: DevToolsFlow) -> None:
    recording, _ = from_flow(flow.on("http://127.0.0.1:1"))

    exported = to_flow(recording)

    check_as_the_replay_library(exported)
    assert from_flow(json.loads(json.dumps(exported)))[0].actions == recording.actions


@pytest.mark.desktop
@pytest.mark.parametrize(
    "flow",
    [*(pytest.param(flow, marks=pytest.mark.slow) for flow in IMPORTED[:-1]), IMPORTED[-1]],
    ids=[flow.name for flow in IMPORTED],
)
async def test_an_exported_flow_plays(page: Page, site: Site, flow: DevToolsFlow) -> None:
    recording, _ = from_flow(to_flow(from_flow(flow.on(site.url("").rstrip("/")))[0]))

    (await play(page, recording)).raise_for_failure()

    assert await page.evaluate(flow.expression) == flow.shows


def test_it_begins_with_the_viewport_and_the_page() -> None:
    size = RecordedViewport(width=390, height=844, device_scale_factor=3, mobile=True, touch=True)

    hover = {"action": "hover", "selector": "#a"}
    flow = to_flow(recorded(hover, viewport=size, title="Buy", options={"actionTimeoutMs": 9}))

    assert (flow["title"], flow["timeout"]) == ("Buy", 9)
    assert flow["steps"][:2] == [
        {
            "type": "setViewport",
            "width": 390,
            "height": 844,
            "deviceScaleFactor": 3,
            "isMobile": True,
            "hasTouch": True,
            "isLandscape": False,
        },
        {"type": "navigate", "url": "http://a.test/"},
    ]


A: Step = {"selectors": [["#a"], ["pierce/#a"]]}
AT = {"offsetX": 7, "offsetY": 8}
ACTIONS: list[tuple[dict[str, Any], list[Step]]] = [
    ({"action": "click_element", "selector": "#a"}, [{"type": "click", **A, **AT}]),
    (
        {"action": "click_element", "selector": "#a", "position": {"x": 1, "y": 2.5}, "button": "middle"},
        [{"type": "click", **A, "offsetX": 1, "offsetY": 2.5, "button": "auxiliary"}],
    ),
    ({"action": "click_element", "selector": "#a", "clickCount": 2}, [{"type": "doubleClick", **A, **AT}]),
    (
        {"action": "double_click", "selector": "#a", "button": "right", "delayMs": 600},
        [{"type": "doubleClick", **A, **AT, "button": "secondary", "duration": 600}],
    ),
    (
        {"action": "click_element", "selector": "#a", "modifiers": ["Control", "Shift"]},
        [
            {"type": "keyDown", "key": "ControlLeft"},
            {"type": "keyDown", "key": "ShiftLeft"},
            {"type": "click", **A, **AT},
            {"type": "keyUp", "key": "ShiftLeft"},
            {"type": "keyUp", "key": "ControlLeft"},
        ],
    ),
    ({"action": "double_click", "selector": "#a"}, [{"type": "doubleClick", **A, **AT}]),
    ({"action": "right_click", "selector": "#a"}, [{"type": "click", **A, **AT, "button": "secondary"}]),
    ({"action": "tap_element", "selector": "#a"}, [{"type": "click", **A, **AT, "deviceType": "touch"}]),
    (
        {"action": "long_press", "selector": "#a", "durationMs": 900},
        [{"type": "click", **A, **AT, "deviceType": "touch", "duration": 900}],
    ),
    ({"action": "check", "selector": "#a"}, [{"type": "click", **A, **AT}]),
    ({"action": "set_value", "selector": "#a", "value": False}, [{"type": "click", **A, **AT}]),
    ({"action": "set_value", "selector": "#a", "value": "x"}, [{"type": "change", **A, "value": "x"}]),
    ({"action": "select_option", "selector": "#a", "value": ["x"]}, [{"type": "change", **A, "value": "x"}]),
    ({"action": "hover", "selector": "#a", "timeoutMs": 90_000}, [{"type": "hover", **A, "timeout": 30_000}]),
    ({"action": "navigate", "url": "http://b.test/"}, [{"type": "navigate", "url": "http://b.test/"}]),
    (
        {"action": "press_key", "key": "Control+Shift+End", "times": 1},
        [
            *({"type": "keyDown", "key": key} for key in ("Control", "Shift", "End")),
            *({"type": "keyUp", "key": key} for key in ("End", "Shift", "Control")),
        ],
    ),
    (
        {"action": "type_text", "text": "a!"},
        [{"type": kind, "key": key} for key in "a!" for kind in ("keyDown", "keyUp")],
    ),
    ({"action": "wait_for", "selector": "#a"}, [{"type": "waitForElement", **A, "operator": ">=", "count": 1}]),
    (
        {"action": "wait_for", "selector": "#a", "state": "hidden"},
        [{"type": "waitForElement", **A, "operator": "<=", "count": 0}],
    ),
    (
        {"action": "wait_for", "selector": "#a >> nth=2", "state": "attached"},
        [{"type": "waitForElement", **A, "operator": ">=", "count": 3}],
    ),
    ({"action": "wait_for", "text": "Hi"}, [{"type": "waitForElement", "selectors": [["text/Hi"]]}]),
    (
        {"action": "wait_for", "url": '/a"b'},
        [{"type": "waitForExpression", "expression": 'location.href.includes("/a\\"b")'}],
    ),
]


@pytest.mark.parametrize(("action", "expected"), ACTIONS, ids=[action["action"] for action, _ in ACTIONS])
def test_an_action(action: dict[str, Any], expected: list[Step]) -> None:
    assert steps(action) == expected


def test_the_selectors_are_all_that_are_known() -> None:
    fingerprint = {"selector": "body > button", "bounds": [1, 2, 101, 40]}
    action = ScriptAction(
        action={"action": "click_element", "selector": 'role=button[name="Buy"]'},
        selectors=("li >> nth=2", "#buy"),
        fingerprint=fingerprint,
    )

    (_, step) = to_flow(Recording(url="http://a.test/", steps=(action,)))["steps"]

    assert step["selectors"] == [
        ['aria/Buy[role="button"]'],
        *(["#buy"], ["pierce/#buy"]),
        *(["body > button"], ["pierce/body > button"]),
    ]
    assert (step["offsetX"], step["offsetY"]) == (50, 20), "the middle of the element"


def test_a_frame_that_was_recorded_has_its_number() -> None:
    click = {"action": "click_element", "selector": "frame=#pay >> #a"}
    wait = {"action": "wait_for", "selector": "frame=#pay >> #b"}
    recording = Recording(
        url="http://a.test/", steps=(ScriptAction(action=click, frame_path=(2,)), ScriptAction(action=wait))
    )

    found = [(step.get("frame"), step.get("selectors")) for step in to_flow(recording)["steps"][1:]]

    assert found == [([2], [["#a"], ["pierce/#a"]]), ([2], [["#b"], ["pierce/#b"]])]


def test_an_element_that_has_the_focus_is_not_clicked() -> None:
    value, enter = {"action": "set_value", "value": "x"}, {"action": "press_key", "key": "Enter"}

    same = steps({**value, "selector": "#a"}, {**enter, "selector": "#a"})
    other = steps({**value, "selector": "#b"}, {**enter, "selector": "#a"})

    assert [step["type"] for step in same] == ["change", "keyDown", "keyUp"]
    assert [step["type"] for step in other] == ["change", "click", "keyDown", "keyUp"]


def test_scrolls_add_up_to_places() -> None:
    scroll = {"action": "scroll", "pixels": 100}
    found = steps(
        *({**scroll, "direction": way} for way in ("down", "right", "down", "up", "up", "up")),
        {**scroll, "selector": "#a"},
        {"action": "navigate", "url": "http://b.test/"},
        scroll,
    )

    places = [(step["x"], step["y"]) for step in found if step["type"] == "scroll"]
    assert places == [(0, 100), (100, 100), (100, 200), (100, 100), (100, 0), (100, 0), (0, 100), (0, 100)]


def test_a_secret_is_only_a_name() -> None:
    typed = {"action": "set_value", "selector": "#a", "value": {"secretName": "pass word"}}

    assert steps(typed)[0]["value"] == "${pass word}"
    assert from_flow(to_flow(recorded(typed)))[0].actions == [typed]


def test_what_is_expected_is_the_last_step() -> None:
    assert steps({"action": "hover", "selector": "#b"}, expect={"text": "Thanks"})[-1] == {
        "type": "waitForElement",
        "selectors": [["text/Thanks"]],
    }


def test_answers_to_dialogs_are_refused() -> None:
    with pytest.raises(FlowInvalid, match="which no flow answers"):
        to_flow(recorded({"action": "hover", "selector": "#a"}, dialogs=(True,)))


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"action": "drag_to", "selector": "#a", "target": "#b"}, "a flow has no such step"),
    ({"action": "upload_file", "selector": "#a", "paths": "a.txt"}, "a flow has no such step"),
    ({"action": "go_back"}, "a flow has no such step"),
    ({"action": "click_element", "selector": "#a", "clickCount": 3}, "a flow clicks at most twice"),
    (
        {"action": "navigate", "url": "http://b.test/", "referer": "http://a.test/"},
        "a flow sends no referer of its own",
    ),
    ({"action": "select_option", "selector": "#a", "value": ["x", "y"]}, "a flow selects one option, not 2"),
    ({"action": "type_text", "text": "é"}, "'é' is not on a US keyboard"),
    ({"action": "type_text", "text": {"secretName": "a"}}, "a flow types a secret only as the value of a field"),
    ({"action": "hover", "selector": "li >> nth=2"}, "DevTools has no selector for li >> nth=2"),
    ({"action": "hover", "selector": "frame=#pay >> a"}, "frame=iframe >> nth=0"),
]


@pytest.mark.parametrize(("action", "reason"), REFUSED, ids=[reason for _, reason in REFUSED])
def test_what_a_flow_cannot_say_is_refused(action: dict[str, Any], reason: str) -> None:
    with pytest.raises(FlowInvalid, match=reason) as caught:
        steps({"action": "hover", "selector": "#a"}, action)

    assert caught.value.step == 1
    assert f"actions[1] ({action['action']}) cannot be written as a flow" in str(caught.value)
