"""What a browser of a milestone knows, against milestones that are known from elsewhere."""

from __future__ import annotations

import copy
import os
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stillframe.chrome import protocol_history
from stillframe.chrome.browser_info import BrowserInfo
from stillframe.chrome.capabilities import Capabilities
from stillframe.chrome.protocol_history import history, prune

SINCE = {
    "Target.setAutoAttach(flatten)": 70,
    "Target.setAutoAttach(filter)": 106,
    "DOMSnapshot.DocumentSnapshot.scrollOffsetX": 71,
    "DOMSnapshot.captureSnapshot(includeDOMRects)": 77,
    "DOMSnapshot.LayoutTreeSnapshot.offsetRects": 77,
    "DOMSnapshot.captureSnapshot(includePaintOrder)": 78,
    "DOMSnapshot.LayoutTreeSnapshot.paintOrders": 78,
    "DOMSnapshot.DocumentSnapshot.title": 79,
    "DOMSnapshot.DocumentSnapshot.contentWidth": 79,
    "DOMSnapshot.LayoutTreeSnapshot.blendedBackgroundColors": 92,
    "DOMSnapshot.NodeTreeSnapshot.shadowRootType": 93,
    "Accessibility.getFullAXTree": 71,
    "Accessibility.queryAXTree": 87,
    "Accessibility.queryAXTree(nodeId)": 87,
    "Accessibility.getFullAXTree(frameId)": 94,
    "DOM.scrollIntoViewIfNeeded": 83,
    "Runtime.addBinding(executionContextName)": 90,
    "Page.addScriptToEvaluateOnNewDocument(worldName)": 71,
    "Page.addScriptToEvaluateOnNewDocument(runImmediately)": 117,
    "Page.frameRequestedNavigation": 75,
    "Page.frameStartedNavigating": 134,
    "Page.captureScreenshot(captureBeyondViewport)": 89,
    "Page.captureScreenshot(optimizeForSpeed)": 109,
    "Page.getLayoutMetrics.cssContentSize": 91,
    "Fetch.enable": 72,
    "Network.requestWillBeSentExtraInfo": 77,
    "Storage.getCookies": 80,
    "Input.insertText": 70,
    "Input.imeSetComposition": 94,
    "Emulation.setFocusEmulationEnabled": 71,
    "Emulation.setTimezoneOverride": 76,
    "Emulation.setUserAgentOverride(userAgentMetadata)": 84,
}
"""Milestones that a second computation found, from the rolls of the repository devtools-protocol."""

AT_THE_FLOOR = (
    *("DOMSnapshot.captureSnapshot", "DOM.getContentQuads", "Runtime.addBinding", "Target.attachToTarget(flatten)"),
    *("Page.lifecycleEvent", "Page.setLifecycleEventsEnabled", "Input.dispatchTouchEvent", "Page.navigate"),
)


@pytest.mark.parametrize(("name", "milestone"), SINCE.items())
def test_a_name_is_known_from_its_milestone_on(name: str, milestone: int) -> None:
    assert Capabilities(None).since(name) == milestone
    assert not Capabilities(milestone - 1).has(name)
    assert Capabilities(milestone).has(name)
    assert Capabilities(999).has(name)


@pytest.mark.parametrize("name", AT_THE_FLOOR)
def test_what_the_floor_has_needs_no_entry(name: str) -> None:
    assert Capabilities(74).since(name) is None
    assert Capabilities(69).has(name)


def test_an_unknown_milestone_knows_everything() -> None:
    params = {"includePaintOrder": True}
    assert Capabilities(None).has("Accessibility.queryAXTree")
    assert Capabilities(None).has("Network.setRequestInterception")
    assert Capabilities(None).strip("DOMSnapshot.captureSnapshot", params) is params


@pytest.mark.parametrize(
    ("name", "gone"),
    [
        ("Network.setRequestInterception", 153),
        ("Network.setRequestInterception(patterns)", 153),
        ("Page.handleFileChooser", 80),
        ("Accessibility.getFullAXTree(max_depth)", 101),
    ],
)
def test_what_went_is_known_until_then(name: str, gone: int) -> None:
    assert Capabilities(gone - 1).has(name)
    assert not Capabilities(gone).has(name)


def test_what_came_and_went_has_both_ends() -> None:
    name = "Accessibility.getFullAXTree(max_depth)"
    assert [milestone for milestone in range(69, 157) if Capabilities(milestone).has(name)] == list(range(89, 101))


def test_strip_drops_what_the_milestone_does_not_know_and_keeps_the_given_ones() -> None:
    params = {"computedStyles": ["color"], "includeDOMRects": True, "includePaintOrder": True}
    given = copy.deepcopy(params)
    known = Capabilities(77).strip("DOMSnapshot.captureSnapshot", params)
    assert known == {"computedStyles": ["color"], "includeDOMRects": True}
    assert params == given
    assert Capabilities(78).strip("DOMSnapshot.captureSnapshot", params) == params


def test_strip_reaches_structs_inside_parameters() -> None:
    metadata = {"platform": "Android", "platformVersion": "10", "architecture": "", "model": "", "mobile": True}
    newer = {**metadata, "fullVersionList": [], "bitness": "", "wow64": False}
    params = {"userAgent": "x", "userAgentMetadata": newer}
    assert Capabilities(83).strip("Emulation.setUserAgentOverride", params) == {"userAgent": "x"}
    assert Capabilities(84).strip("Emulation.setUserAgentOverride", params)["userAgentMetadata"] == metadata
    assert Capabilities(999).strip("Emulation.setUserAgentOverride", params) == params


@pytest.mark.parametrize("params", [{}, {"url": "about:blank"}, {"surplus": [1]}])
def test_strip_leaves_what_the_table_does_not_list(params: dict[str, Any]) -> None:
    assert Capabilities(74).strip("Page.navigate", params) == params
    assert Capabilities(74).strip("No.such", params) == params


def test_capabilities_are_values() -> None:
    assert Capabilities(74) == Capabilities(74)
    assert len({Capabilities(74), Capabilities(74), Capabilities(None)}) == 2
    with pytest.raises(AttributeError):
        Capabilities(74).milestone = 75  # type: ignore[misc]


NAMES = st.sampled_from([f"{domain}.{rest}" for domain, entries in history().since.items() for rest in entries])


@given(NAMES | st.text(max_size=30), st.integers(0, 400))
def test_any_name_has_an_answer_and_what_came_stays_until_it_goes(name: str, milestone: int) -> None:
    since, gone = protocol_history.since(name), protocol_history.gone(name)
    assert Capabilities(milestone).has(name) == ((since or 0) <= milestone < (gone or 1000))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["nodes", "root", "a"]), inner),
    max_leaves=8,
)


# In `make test` the cases are always the same ones, so a third of them; `make test-all` has others each time.
@settings(max_examples=100 if "STILLFRAME_CASES" in os.environ else 33)
@given(st.sampled_from(sorted(history().structs)), st.dictionaries(st.text(max_size=9), VALUES), st.integers(60, 160))
def test_pruning_takes_anything_and_only_removes(owner: str, value: dict[str, Any], milestone: int) -> None:
    fields: dict[str, Any] = {key: [{}, 1, "x", None, [[]]] for key in history().structs[owner]}
    pruned = {**value, **fields}
    prune(owner, pruned, milestone)
    assert pruned.keys() <= {*value, *fields}
    again = copy.deepcopy(pruned)
    prune(owner, again, milestone)
    assert again == pruned


def test_pruning_reaches_the_bottom_of_a_tree_deeper_than_the_stack() -> None:
    bottom: dict[str, Any] = {"nodeId": 1, "isScrollable": True}
    node = bottom
    for _ in range(5000):
        node = {"nodeId": 1, "children": [node]}
    prune("DOM.getDocument", {"root": node}, 100)
    assert bottom == {"nodeId": 1}


@pytest.mark.parametrize(
    ("product", "milestone"),
    [
        ("Chrome/156.0.8078.79", 156),
        ("Chrome/74.0.3729.185", 74),
        ("HeadlessChrome/91.0.4472.114", 91),
        ("Edg/120.0.2210.61", 120),
        ("Chrome/", None),
        ("Firefox/128.0", None),
        ("NotChrome/99.0", None),
        ("", None),
    ],
)
def test_the_milestone_is_the_major_version_of_the_product(product: str, milestone: int | None) -> None:
    info = BrowserInfo(
        product=product,
        protocol_version="1.3",
        revision="",
        user_agent="",
        js_version="",
        transport="websocket",
        launched=False,
    )
    assert info.milestone == milestone
    assert info.capabilities == Capabilities(milestone)


def test_desktop_users_never_read_the_table() -> None:
    code = """
import stillframe
stillframe.launch
from stillframe.chrome import protocol_history
from stillframe.chrome.capabilities import Capabilities
Capabilities(None).has("Page.navigate")
print(protocol_history.history.cache_info().currsize)
"""
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "0\n"


def test_the_user_agent_tells_the_milestone_of_a_product_that_does_not() -> None:
    agent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) QtWebEngine/5.14.2 Chrome/77.0.3865"
    info = BrowserInfo("view/1.0", "1.3", "", agent, "7.7", "websocket", launched=False)
    assert info.milestone == 77
