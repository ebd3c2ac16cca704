"""Failures: what ran is kept, what failed is named, what follows is not run.

Cases W3, W4, W25, W26 and W34 of docs/design/acceptance-cases.md.
"""

from __future__ import annotations

import pytest

from shown import BOTH_RULES, selectors
from site_server import Site
from stillframe.api.browser import Page
from stillframe.errors import ActionInvalid, InputError, OptionInvalid, SelectorInvalid, UrlRefused
from stillframe.model.actions import Action, Click, DragTo, Navigate, SetValue


@BOTH_RULES
async def test_w3_the_second_of_three_is_missing(page: Page, site: Site, settle: str) -> None:
    await page.goto(site.url("/w03-three-buttons.html"))
    result = await page.execute_sequence(
        [Click("#first"), Click("#second", timeout_ms=100), Click("#third")], settle=settle
    )
    assert result.completed == 1
    assert result.failed is not None
    assert (result.failed.index, result.failed.action) == (1, "click_element")
    assert result.failed.code == "element_not_found"
    assert result.failed.error.startswith("Element not found: #second")
    assert await page.evaluate("document.getElementById('third-done')") is None
    state = result.state_change
    assert state is not None
    assert selectors(state.appeared) == ["#first-done"]
    assert (state.disappeared, state.changed, state.url, state.title) == ((), (), None, None)
    assert result.stable


async def test_w3_the_error_names_the_nearest_candidates(page: Page, site: Site) -> None:
    await page.goto(site.url("/w03-three-buttons.html"))
    result = await page.execute_sequence([Click("#thrid")], action_timeout_ms=100)
    assert result.failed is not None
    assert "#third" in result.failed.error
    assert "the page" in result.failed.error


async def test_w4_the_first_fails_and_the_page_is_untouched(page: Page, site: Site) -> None:
    await page.goto(site.url("/w03-three-buttons.html"))
    result = await page.execute_sequence([Click("#nope"), Click("#first")], action_timeout_ms=100)
    assert result.completed == 0
    assert result.failed is not None
    assert result.failed.index == 0
    assert result.state_change is None
    assert result.to_dict()["stateChange"] is None


@pytest.mark.parametrize(
    ("actions", "options", "error"),
    [
        ([], {}, ActionInvalid),
        ([Click("#first"), {"action": "clack", "selector": "#first"}], {}, ActionInvalid),
        ([Click("#first"), {"action": "set_value", "selector": "#first"}], {}, ActionInvalid),
        ([Click("#first"), Click("text=")], {}, SelectorInvalid),
        ([Click("#first"), Click("role=button[")], {}, SelectorInvalid),
        ([Click("#first"), DragTo("#first", "nonsense=3")], {}, SelectorInvalid),
        ([Click("#first"), Navigate("file:///etc/passwd")], {}, UrlRefused),
        ([Click("#first")], {"timeout": 3}, OptionInvalid),
        ([Click("#first")], {"limit": -1}, OptionInvalid),
        ([Click("#first")], {"expect": {"selector": "text="}}, SelectorInvalid),
    ],
)
async def test_w25_nothing_runs_when_anything_is_malformed(
    page: Page, site: Site, actions: list[Action], options: dict[str, object], error: type[InputError]
) -> None:
    await page.goto(site.url("/w03-three-buttons.html"))
    with pytest.raises(error):
        await page.execute_sequence(actions, **options)
    assert await page.evaluate("document.getElementById('first-done')") is None


@pytest.mark.slow  # the exact shapes have none
async def test_w26_steps_are_absent_unless_asked_for(page: Page, site: Site) -> None:
    await page.goto(site.url("/w03-three-buttons.html"))
    result = await page.execute_sequence([Click("#first")])
    assert result.steps is None
    assert "steps" not in result.to_dict()


async def test_w26_verbose_has_a_row_for_every_attempted_action(page: Page, site: Site) -> None:
    await page.goto(site.url("/w03-three-buttons.html"))
    result = await page.execute_sequence(
        [Click("#first"), Click("#nope"), Click("#third")], verbose=True, action_timeout_ms=200
    )
    assert result.steps is not None
    first, failing = result.steps
    assert (first.action, first.result, first.error) == ("click_element", "ok", None)
    assert (failing.action, failing.result) == ("click_element", "error")
    assert result.failed is not None
    assert failing.error == result.failed.error
    assert failing.duration_ms >= 200


@pytest.mark.parametrize(
    ("selector", "code", "words"),
    [
        ("#covered", "element_covered", "#cover"),
        ("#hidden", "element_hidden", "not visible"),
        ("#invisible", "element_hidden", "not visible"),
        ("#empty", "element_hidden", "not visible"),
        ("#disabled", "element_disabled", "disabled"),
        ("#moving", "element_unstable", "moving"),
    ],
)
async def test_w34_a_target_that_no_user_could_click_is_named(
    page: Page, site: Site, selector: str, code: str, words: str
) -> None:
    await page.goto(site.url("/w34-targets.html"))
    result = await page.execute_sequence([Click(selector)], action_timeout_ms=300)
    assert result.failed is not None
    assert result.failed.code == code
    assert selector in result.failed.error
    assert words in result.failed.error
    assert (result.completed, result.state_change) == (0, None)
    assert await page.evaluate("clicks") == []


async def test_w34_a_cover_that_goes_away_in_time_does_not_matter(page: Page, site: Site) -> None:
    await page.goto(site.url("/w34-targets.html"))
    await page.evaluate("void setTimeout(() => cover.remove(), 150)")
    result = await page.execute_sequence([Click("#covered")])
    assert result.failed is None
    assert await page.evaluate("clicks") == ["covered"]


async def test_w34_setting_a_value_asks_for_an_editable_field(page: Page, site: Site) -> None:
    await page.goto(site.url("/w34-targets.html"))
    for selector, code in (
        ("#readonly", "element_disabled"),
        ("#fieldset-disabled", "element_disabled"),
        ("#paragraph", "element_unsuitable"),
    ):
        result = await page.execute_sequence([SetValue(selector, "x")], action_timeout_ms=150)
        assert result.failed is not None
        assert (result.failed.code, result.state_change) == (code, None), selector
