"""The JSON of whole results, key by key and in order: the shapes that the sequence contract shows."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any
from unittest.mock import ANY

import pytest

from shown import BOTH_RULES
from site_server import Site
from stillframe.api.browser import Page
from stillframe.demo.shop import PASSWORD, USER, Shop
from stillframe.model.result import SequenceResult

TAIL: dict[str, Any] = {
    "stabilityWaitMs": ANY,
    "stable": True,
    "reason": ANY,
    "pending": [],
    "ignored": ANY,
    "late": [],
    "dialogs": [],
    "downloads": [],
    "newTargets": [],
}
"""The keys that end every result of a page that came to rest."""


@pytest.fixture
async def shop() -> AsyncIterator[Shop]:
    async with Shop() as shop:
        yield shop


def decoded(result: SequenceResult) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(result.to_json())
    assert value == json.loads(json.dumps(result.to_dict()))
    assert isinstance(value["stabilityWaitMs"], int | float)
    value.pop("observed", None)  # only old WebViews have it, and tests/settling/test_old_browsers.py checks it
    return value


def same(actual: Any, expected: Any) -> bool:
    """Equal, the order of the keys included."""
    if isinstance(expected, dict):
        return list(actual) == list(expected) and all(same(actual[key], expected[key]) for key in expected)
    if isinstance(expected, list):
        return len(actual) == len(expected) and all(map(same, actual, expected))
    return bool(expected == actual)


def row(selector: str, tag: str, role: str, name: Any, text: Any, rank: int = 1) -> dict[str, Any]:
    return {"selector": selector, "tagName": tag, "role": role, "name": name, "text": text, "ref": ANY, "rank": rank}


def control(name: str) -> dict[str, Any]:
    return {"role": "button", "name": name, "ref": ANY}


def changed(selector: str, tag: str, role: str, name: Any, field: str, from_: Any, to: Any) -> dict[str, Any]:
    start = {"selector": selector, "tagName": tag, "role": role, "name": name}
    return {**start, "field": field, "from": from_, "to": to, "ref": ANY, "rank": ANY}


@pytest.mark.slow  # as of one that navigates to a page without a clock
async def test_the_shape_of_a_login(page: Page, shop: Shop) -> None:
    await page.goto(shop.url("/login"))
    result = await page.execute_sequence(
        [
            {"action": "set_value", "selector": "#user", "value": USER},
            {"action": "set_value", "selector": "#pass", "value": {"secret": PASSWORD}},
            {"action": "click_element", "selector": "#submit"},
        ]
    )
    actual = decoded(result)
    state = actual["stateChange"]
    assert list(actual) == ["completed", "stateChange", *TAIL]
    assert actual["completed"] == 3
    assert actual["stable"] is True
    assert list(state) == ["url", "title", "appeared", "disappeared", "changed", "rows"]
    assert same(state["url"], {"from": shop.url("/login"), "to": shop.url("/shop")})
    assert list(state["title"]) == ["from", "to"]
    assert row("#welcome", "h1", "heading", "Welcome back!", "Welcome back!", ANY) in state["appeared"]
    assert row("#login-form", "form", ANY, ANY, ANY, ANY) in state["disappeared"]
    # The clock of the shop ticks ten times a second, for reasons of its own.
    assert state["changed"] == []
    assert PASSWORD not in result.to_json().decode()


async def test_the_shape_of_a_login_that_navigates_is_exact(page: Page, site: Site) -> None:
    await page.goto(site.url("/w01-login.html"))
    result = await page.execute_sequence(
        [
            {"action": "set_value", "selector": "#user", "value": "ann"},
            {"action": "set_value", "selector": "#pass", "value": {"secret": "lantern"}},
            {"action": "click_element", "selector": "#submit"},
        ]
    )
    expected = {
        "completed": 3,
        "stateChange": {
            "url": {"from": site.url("/w01-login.html"), "to": site.url("/w01-welcome.html")},
            "title": {"from": "Log in", "to": "Home"},
            "appeared": [row("#welcome", "h1", "heading", "Welcome back!", "Welcome back!")],
            "disappeared": [row("#login-form", "form", ANY, ANY, ANY, 2)],
            "changed": [],
            "rows": ["appeared/0", "disappeared/0"],
        },
        **TAIL,
        "reason": "navigated",
    }
    assert same(decoded(result), expected), decoded(result)


@BOTH_RULES
async def test_the_shape_of_a_validation_error(page: Page, site: Site, settle: str) -> None:
    await page.goto(site.url("/w02-invalid-form.html"))
    result = await page.execute_sequence(
        [
            {"action": "set_value", "selector": "#email", "value": "nope"},
            {"action": "click_element", "selector": "#submit"},
        ],
        settle=settle,
    )
    actual = decoded(result)
    actual["stateChange"]["changed"].sort(key=lambda each: each["field"])
    message = "Enter a valid e-mail address."
    expected = {
        "completed": 2,
        "stateChange": {
            "appeared": [row("#email-error", "p", "alert", ANY, message)],
            "disappeared": [],
            "changed": [
                changed("#email", "input", "textbox", "E-mail", "className", "input", "input error"),
                changed("#email", "input", "textbox", "E-mail", "value", "", "nope"),
            ],
            "nearby": [control("Sign up")],
            "rows": ["appeared/0", "changed/0", "changed/1"],
        },
        **TAIL,
    }
    assert same(actual, expected), actual


@pytest.mark.slow  # as of a page that does nothing else
async def test_the_shape_of_a_validation_error_of_the_shop(page: Page, shop: Shop) -> None:
    await page.goto(shop.url("/join"))
    result = await page.execute_sequence(
        [
            {"action": "set_value", "selector": "#email", "value": "ann"},
            {"action": "click_element", "selector": "#join"},
        ]
    )
    actual = decoded(result)
    state = actual["stateChange"]
    assert actual["completed"] == 2
    assert list(actual) == ["completed", "stateChange", *TAIL]
    assert list(state) == ["appeared", "disappeared", "changed", "nearby", "rows"]
    assert [each["selector"] for each in state["appeared"]] == ["#email-message"]
    assert changed("#email", "input", "textbox", "E-mail", "className", "input", "input error") in state["changed"]


@BOTH_RULES
async def test_the_shape_of_a_failure_in_the_middle(page: Page, site: Site, settle: str) -> None:
    await page.goto(site.url("/w03-three-buttons.html"))
    result = await page.execute_sequence(
        [
            {"action": "click_element", "selector": "#first"},
            {"action": "click_element", "selector": "#nope"},
            {"action": "click_element", "selector": "#third"},
        ],
        settle=settle,
        actionTimeoutMs=300,
    )
    expected = {
        "completed": 1,
        "failed": {"index": 1, "action": "click_element", "error": ANY, "code": "element_not_found", "data": ANY},
        "stateChange": {
            "appeared": [row("#first-done", "p", "paragraph", ANY, "first")],
            "disappeared": [],
            "changed": [],
            "nearby": [control("First"), control("Third")],
            "rows": ["appeared/0"],
        },
        **TAIL,
    }
    actual = decoded(result)
    assert same(actual, expected), actual
    assert actual["failed"]["error"].startswith("Element not found: #nope")
    assert actual["failed"]["data"]["selector"] == "#nope"


async def test_the_shape_of_verbose(page: Page, site: Site) -> None:
    url = site.url("/w03-three-buttons.html")
    result = await page.execute_sequence(
        [
            {"action": "navigate", "url": url},
            {"action": "click_element", "selector": "#first"},
            {"action": "click_element", "selector": "#nope"},
        ],
        verbose=True,
        actionTimeoutMs=200,
    )
    actual = decoded(result)
    assert list(actual) == ["completed", "failed", "stateChange", *TAIL, "steps", "captures", "console", "errors"]
    assert list(actual["captures"]) == ["taken", "reused", "bytes"]
    assert same(
        actual["steps"],
        [
            {"action": "navigate", "result": "ok", "durationMs": ANY, "url": url, "status": 200},
            {"action": "click_element", "result": "ok", "durationMs": ANY},
            {"action": "click_element", "result": "error", "durationMs": ANY, "error": actual["failed"]["error"]},
        ],
    )
    assert all(step["durationMs"] >= 0 for step in actual["steps"])


@BOTH_RULES
async def test_the_shape_of_a_timeout(page: Page, site: Site, settle: str) -> None:
    await page.goto(site.url("/w14-spinner.html"))
    result = await page.execute_sequence(
        [{"action": "click_element", "selector": "#spin"}], settle=settle, timeoutMs=600
    )
    expected = {
        "completed": 1,
        "stateChange": {"appeared": [ANY], "disappeared": [], "changed": [], "nearby": ANY, "rows": ["appeared/0"]},
        "stabilityWaitMs": ANY,
        "stable": False,
        "reason": "timeout",
        "detail": ANY,
        **{key: TAIL[key] for key in list(TAIL)[3:]},
        "pending": [{"kind": "indicator", "what": ANY, "ageMs": ANY}],
    }
    actual = decoded(result)
    assert same(actual, expected), actual
    assert actual["detail"] == f"indicator {actual['pending'][0]['what']}"


@BOTH_RULES
async def test_the_shape_of_nothing(page: Page, site: Site, settle: str) -> None:
    await page.goto(site.url("/w05-no-op.html"))
    result = await page.execute_sequence([{"action": "click_element", "selector": "#nothing"}], settle=settle)
    expected = {"completed": 1, "stateChange": None, **TAIL}
    assert same(decoded(result), expected), decoded(result)
