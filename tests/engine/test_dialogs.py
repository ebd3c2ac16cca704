"""What a dialog that waits for its answer makes of an action: its outcome, or the reason why it was not done."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from patience import HANG_S
from site_server import Site
from stillframe.api.browser import Page

ASKING = """<button id=go onclick="go.title = String(confirm('go'))">Go</button>
<button id=over onmouseover="over.title = String(confirm('over'))">Over</button>
<input id=text onkeydown="text.title = String(confirm('key'))">
<input id=field oninput="field.title = String(confirm('field'))">
<select id=pick onchange="pick.title = String(confirm('pick'))"><option>a<option>b</select>
<input id=box type=checkbox onclick="box.title = String(confirm('box'))">
<script>addEventListener('wheel', () => document.body.title = String(confirm('wheel')), {once: true})</script>
<p style="height: 3000px">tall</p>"""

# The browser behind the WebViews of the tests belongs to another client, which answers every dialog at once.
pytestmark = pytest.mark.desktop

RAISING: list[tuple[dict[str, Any], str]] = [
    ({"action": "click_element", "selector": "#go"}, "#go"),
    ({"action": "double_click", "selector": "#go"}, "#go"),
    ({"action": "hover", "selector": "#over"}, "#over"),
    ({"action": "press_key", "selector": "#text", "key": "a"}, "#text"),
    ({"action": "type_text", "selector": "#text", "text": "a"}, "#text"),
    ({"action": "set_value", "selector": "#field", "value": "x"}, "#field"),
    ({"action": "select_option", "selector": "#pick", "value": "b"}, "#pick"),
    ({"action": "check", "selector": "#box"}, "#box"),
    ({"action": "tap_element", "selector": "#go"}, "#go"),
    ({"action": "scroll"}, "body"),
]


@pytest.fixture
async def asking(page: Page, site: Site) -> Page:
    await page.goto(site.html("/start", ASKING))
    page._tab.dialogs.policy = "ask"
    return page


async def answer_all(page: Page) -> None:
    """Accept the dialog that is open, and those that the answer leads to."""
    while page.dialog is not None:
        await page.answer_dialog(True)


async def test_a_dialog_is_the_outcome_of_the_action_that_raised_it(asking: Page) -> None:
    for action, selector in RAISING:
        result = await asking.execute_sequence([action])
        assert (result.completed, result.failed, result.reason) == (1, None, "dialog"), action
        await answer_all(asking)
        assert await asking.locator(selector).attribute("title") == "true", action


UNDONE: list[dict[str, Any]] = [
    {"action": "click_element", "selector": "#later"},
    {"action": "hover", "selector": "#later"},
    {"action": "wait_for", "selector": "#later"},
    {"action": "set_value", "selector": "#later", "value": "x"},
]


async def test_a_dialog_before_an_action_leaves_it_undone(asking: Page) -> None:
    for action in UNDONE:
        await asking.evaluate("setTimeout(() => confirm('meanwhile'), 100)")
        async with asyncio.timeout(HANG_S):
            result = await asking.execute_sequence([action], action_timeout_ms=60_000)
        assert result.failed is not None
        assert (result.completed, result.failed.code) == (0, "dialog_open"), action
        assert f"{action['action']} was not done" in result.failed.error
        await answer_all(asking)


async def test_an_answer_waits_for_a_dialog_that_an_earlier_action_leads_to(asking: Page) -> None:
    await asking.evaluate("go.onclick = () => setTimeout(() => go.title = String(confirm('later')), 300)")
    click, answer = {"action": "click_element", "selector": "#go"}, {"action": "answer_dialog", "accept": True}
    result = await asking.execute_sequence([click, answer])
    assert (result.completed, result.failed) == (2, None)
    assert await asking.locator("#go").attribute("title") == "true"
    none = await asking.execute_sequence([{"action": "focus", "selector": "#text"}, answer], action_timeout_ms=200)
    assert none.failed is not None
    assert (none.completed, none.failed.code) == (1, "no_dialog")
