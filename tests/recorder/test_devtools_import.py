"""User flows of Chrome DevTools' Recorder become recordings, which play on real pages."""

from __future__ import annotations

from typing import Any

import pytest
from devtools_flows import DEVTOOLS_FLOWS, FOLDER, DevToolsFlow
from hypothesis import given
from hypothesis import strategies as st

from sampling import sampled
from site_server import Site
from stillframe.api.browser import Browser, Page
from stillframe.demo import Shop
from stillframe.errors import FlowInvalid
from stillframe.recorder.devtools_import import from_flow
from stillframe.recorder.player import play
from stillframe.recorder.recording import Recording, parse_recording
from stillframe.scripts.replay import Playback

ONCE, OFTEN = 1, 10
"""How often a flow plays: often shows that nothing in it is a matter of luck."""
PLAYED = ("log-in", "shadow", "mouse")
"""Flows that always play once: secrets, selectors through shadow roots, and positions. A frame has a test below."""
SECRETS = {"password": "lantern"}


@pytest.mark.every_row
@pytest.mark.desktop
@pytest.mark.parametrize(
    ("flow", "times"),
    sampled(
        [(flow, times) for times in (ONCE, OFTEN) for flow in DEVTOOLS_FLOWS],
        keep=[(flow, ONCE) for flow in DEVTOOLS_FLOWS if flow.name in PLAYED],
    ),
    ids=lambda value: getattr(value, "name", str(value)),
)
async def test_a_flow_plays_each_time(browser: Browser, site: Site, flow: DevToolsFlow, times: int) -> None:
    shown = []
    async with Shop() as shop:
        server = shop if flow.is_on_shop else site
        recording, _ = from_flow(flow.on(server.url("").rstrip("/")))
        for _ in range(times):
            async with await browser.new_context(secrets=SECRETS) as context, await context.new_page() as page:
                (await play(page, recording)).raise_for_failure()
                shown.append(await page.evaluate(flow.expression))

    assert shown == [flow.shows] * times


def test_every_file_has_its_case() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.json")) == sorted(flow.name for flow in DEVTOOLS_FLOWS)


@pytest.mark.desktop
async def test_a_flow_reaches_a_frame_of_another_process(page: Page, site: Site) -> None:
    flow = next(flow for flow in DEVTOOLS_FLOWS if flow.name == "frames")
    recording, (warning,) = from_flow(flow.on(site.url("").rstrip("/")))

    (await play(page, recording)).raise_for_failure()

    other = next(frame for frame in page.frames if "inner.html?other" in frame.url)
    assert await other.evaluate("log") == ["clicked"]
    assert "a popup cannot be played" in warning


@pytest.mark.desktop
async def test_an_alternative_counts_where_the_best_selector_does_not(page: Page, site: Site) -> None:
    """What DevTools calls a name may be one that two elements have; the next selector then means one of them."""
    url = site.html("/twins", '<button>Buy</button> <button id="second" onclick="this.textContent = 1">Buy</button>')
    recording = imported(click(["aria/Buy"], ["#second"]), url=url)

    report = await Playback(page, recording.to_script(), action_timeout_ms=500).run()

    assert report.failure == ""
    assert await page.evaluate("document.querySelector('#second').textContent") == "1"


def imported(*steps: dict[str, Any], url: str = "http://a.test/") -> Recording:
    recording, _ = from_flow({"title": "A flow", "steps": [{"type": "navigate", "url": url}, *steps]})
    return recording


def warned(*steps: dict[str, Any]) -> tuple[str, ...]:
    return from_flow({"title": "A flow", "steps": [{"type": "navigate", "url": "http://a.test/"}, *steps]})[1]


def actions(*steps: dict[str, Any]) -> list[dict[str, Any]]:
    return imported(*steps).actions


def click(*selectors: list[str], **fields: Any) -> dict[str, Any]:
    return {"type": "click", "selectors": selectors or [["#a"]], "offsetX": 4, "offsetY": 5.5, **fields}


def change(value: str, *selectors: list[str]) -> dict[str, Any]:
    return {"type": "change", "value": value, "selectors": selectors or [["#a"]]}


AT = {"position": {"x": 4, "y": 5.5}}


def test_a_recording_begins_with_the_first_page_and_its_viewport() -> None:
    size = {"width": 800.4, "height": 600, "deviceScaleFactor": 0, "isMobile": False, "hasTouch": False}
    steps = [
        {"type": "setViewport", **size, "isLandscape": True},
        {"type": "navigate", "url": "http://a.test/"},
        click(),
    ]

    recording, _ = from_flow({"title": "Buy", "timeout": 7000, "steps": steps})

    assert (recording.title, recording.url) == ("Buy", "http://a.test/")
    assert recording.viewport is not None
    assert recording.viewport.options() == {
        "width": 800, "height": 600, "device_scale_factor": 1, "mobile": False, "touch": False
    }  # fmt: skip
    assert recording.options == {"actionTimeoutMs": 7000}
    assert parse_recording(recording.to_text()) == recording


POINTER: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (click(), {"action": "click_element", "selector": "#a", **AT}),
    (click(["aria/Buy"], ["#a"]), {"action": "click_element", "selector": '~"Buy"'}),
    (click(["text/Buy"]), {"action": "click_element", "selector": "text=Buy"}),
    (click(["aria/Map"], ["main > canvas"]), {"action": "click_element", "selector": '~"Map"', **AT}),
    (click(offsetX=-3), {"action": "click_element", "selector": "#a"}),
    (click(["x-a", "#b"]), {"action": "click_element", "selector": "x-a >> #b", **AT}),
    (click(button="auxiliary"), {"action": "click_element", "selector": "#a", "button": "middle", **AT}),
    (click(button="secondary"), {"action": "right_click", "selector": "#a", **AT}),
    (click(button="back"), {"action": "go_back"}),
    (click(button="forward"), {"action": "go_forward"}),
    (click(deviceType="pen"), {"action": "click_element", "selector": "#a", **AT}),
    (click(duration=1500), {"action": "click_element", "selector": "#a", "delayMs": 1500, **AT}),
    (click(deviceType="touch", duration=80), {"action": "tap_element", "selector": "#a", **AT}),
    (click(deviceType="touch", duration=900), {"action": "long_press", "selector": "#a", "durationMs": 900, **AT}),
    ({**click(), "type": "doubleClick"}, {"action": "double_click", "selector": "#a", **AT}),
    (
        {**click(button="auxiliary"), "type": "doubleClick"},
        {"action": "double_click", "selector": "#a", "button": "middle", **AT},
    ),
    (
        {**click(duration=900), "type": "doubleClick"},
        {"action": "double_click", "selector": "#a", "delayMs": 900, **AT},
    ),
    ({"type": "hover", "selectors": [["#a"]], "timeout": 900}, {"action": "hover", "selector": "#a", "timeoutMs": 900}),
]


@pytest.mark.parametrize(("step", "action"), POINTER, ids=[action["action"] for _, action in POINTER])
def test_a_press(step: dict[str, Any], action: dict[str, Any]) -> None:
    assert actions(step) == [action]


def test_keys_that_are_held_are_modifiers_of_clicks() -> None:
    down, up = {"type": "keyDown", "key": "Shift"}, {"type": "keyUp", "key": "Shift"}

    assert actions(down, click(), up) == [{"action": "click_element", "selector": "#a", "modifiers": ["Shift"], **AT}]
    assert actions(down, up) == [{"action": "press_key", "key": "Shift"}]


def test_a_key_that_repeats_is_one_action() -> None:
    down, up = {"type": "keyDown", "key": "ArrowDown"}, {"type": "keyUp", "key": "ArrowDown"}

    assert actions(down, down, up, down, up) == [{"action": "press_key", "key": "ArrowDown", "times": 3}]


def test_values_of_one_field_are_one_action() -> None:
    found = actions(change("a"), change("an"), change("b", ["#b"]), change("ann"))

    assert [(action["selector"], action["value"]) for action in found] == [("#a", "an"), ("#b", "b"), ("#a", "ann")]


SECRET_FIELDS = [
    ("hunter2", ["aria/Password"], "password"),
    ("hunter2", ['input[autocomplete="one-time-code"]'], "one_time_code"),
    ("123", ["#card-cvc"], "cvc"),
    ("${pin}", ["#pin"], "pin"),
]


@pytest.mark.parametrize(("value", "selector", "name"), SECRET_FIELDS)
def test_a_secret_is_only_a_name(value: str, selector: list[str], name: str) -> None:
    recording = imported(change(value, selector, ["#other"]))

    assert recording.actions[0]["value"] == {"secretName": name}
    assert "hunter2" not in recording.to_text()
    assert bool(warned(change(value, selector))) == (value != "${pin}")


def test_a_field_that_is_no_secret_has_its_value() -> None:
    assert [each["value"] for each in actions(change("", ["#password"]), change("x", ["#passenger"]))] == ["", "x"]


def test_a_scroll_to_a_place_is_a_turn_of_the_wheel() -> None:
    def scroll(x: float, y: float, *selectors: list[str], **fields: Any) -> dict[str, Any]:
        return {"type": "scroll", "x": x, "y": y, **({"selectors": selectors} if selectors else {}), **fields}

    found = actions(scroll(0, 300), scroll(20, 100), scroll(0, 50, ["#list"]), scroll(20, 100), scroll(0, 9, frame=[1]))

    assert [(each.get("selector"), each["direction"], each["pixels"]) for each in found] == [
        (None, "down", 300),
        (None, "up", 200),
        (None, "right", 20),
        ("#list", "down", 50),
        ("frame=iframe, frame >> nth=1 >> html", "down", 9),
    ]


def test_a_step_that_navigates_waits_for_the_page() -> None:
    arrives = {"assertedEvents": [{"type": "navigation", "url": "http://a.test/b?session=1#top", "title": "B"}]}

    assert actions(click(**arrives))[1:] == [{"action": "wait_for", "url": "http://a.test/b"}]
    assert actions({"type": "navigate", "url": "http://a.test/c", **arrives}) == [
        {"action": "navigate", "url": "http://a.test/c"}
    ]


def test_a_wait_for_a_url_is_the_only_script_that_is_read() -> None:
    step = {"type": "waitForExpression", "expression": 'location.href.includes("/a\\u0022b")'}

    assert actions(step) == [{"action": "wait_for", "url": '/a"b'}]


def test_what_does_no_harm_is_left_out() -> None:
    size = {"type": "setViewport", "width": 9, "height": 9}
    network = {"type": "emulateNetworkConditions", "download": 1, "upload": 1, "latency": 1}

    assert warned(size, network, click(), {**size, "width": 8}, {"type": "close"}) == (
        "steps[2] (emulateNetworkConditions): it is left out",
        "steps[4] (setViewport): it is left out: a recording keeps the viewport that it begins with",
        "steps[5] (close): it is left out",
    )


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"type": "waitForExpression", "expression": "window.ready"}, "scripts of a flow are never run"),
    ({"type": "customStep", "name": "shout", "parameters": {}}, "'shout' is a step of an extension"),
    (click(["::-p-text(a)"]), 'none of its selectors can be used: .."::-p-text'),
    ({"type": "keyDown", "key": "Entr"}, "unknown key 'Entr'"),
    ({**click(button="back"), "type": "doubleClick"}, "the button 'back' cannot click twice"),
    ({"type": "setViewport", "width": 9, "height": 0}, "9 × 0 CSS pixels at scale 1 are not a viewport"),
    ({"type": "waitForElement", "selectors": ["a"], "properties": {"x": 1}}, "the property 'x' cannot be waited for"),
]


@pytest.mark.parametrize(("step", "reason"), REFUSED, ids=[step["type"] for step, _ in REFUSED])
def test_what_cannot_be_played_is_refused(step: dict[str, Any], reason: str) -> None:
    with pytest.raises(FlowInvalid, match=reason) as caught:
        imported(step)

    assert caught.value.step == 1
    assert f"steps[1] ({step['type']}): " in str(caught.value)


@pytest.mark.parametrize(
    ("steps", "reason"),
    [
        ([click()], "no page is open yet"),
        ([{"type": "navigate", "url": "http://a.test/"}], "the flow does nothing on a page"),
        ([], "the flow does nothing on a page"),
        ([{"type": "navigate", "url": ""}], "it has no URL"),
    ],
)
def test_a_flow_without_a_page_is_refused(steps: list[dict[str, Any]], reason: str) -> None:
    with pytest.raises(FlowInvalid, match=reason):
        from_flow({"title": "A flow", "steps": steps})


@given(st.text(), st.text(), st.sampled_from(["click", "change", "hover", "keyDown", "waitForElement", "scroll"]))
def test_any_texts_make_a_recording_or_an_error(text: str, value: str, kind: str) -> None:
    step = {"type": kind, "selectors": [[text], "#a"], "value": value, "key": value}
    try:
        recording = imported(step)
    except FlowInvalid:
        return
    if not any(0xD800 <= ord(char) <= 0xDFFF for char in text + value):
        assert parse_recording(recording.to_text()) == recording
