"""Documents that change their URL, give way to another one, or never finish.

Cases W12, W13, W19, W21 and W39 of docs/design/acceptance-cases.md.
"""

from __future__ import annotations

import asyncio

import pytest

from patience import HANG_S
from sampling import sampled
from shown import BOTH_RULES, RULES, change, fields, selectors
from site_server import Site
from stillframe.api.browser import Page
from stillframe.model.actions import Action, Click, Navigate, PressKey, Reload, SetValue, WaitFor


@BOTH_RULES
async def test_w12_push_state_is_a_change_within_the_document(page: Page, site: Site, settle: str) -> None:
    await page.goto(site.url("/w12-history.html"))
    state = change(await page.execute_sequence([Click("#push")], settle=settle))
    assert state.url is not None
    assert (state.url.from_, state.url.to) == (site.url("/w12-history.html"), site.url("/w12-history.html?item=7"))
    assert state.title is not None
    assert (state.title.from_, state.title.to) == ("History", "Item 7")
    assert fields(state.changed) == {("#view", "textContent", "List", "Item 7")}
    assert (state.appeared, state.disappeared) == ((), ())


async def test_w12_a_hash_changes_the_url_alone(page: Page, site: Site) -> None:
    await page.goto(site.url("/w12-history.html"))
    state = change(await page.execute_sequence([Click("#hash")]))
    assert state.url is not None
    assert state.url.to == site.url("/w12-history.html#part")
    assert (state.title, state.appeared, state.disappeared, state.changed) == (None, (), (), ())


@BOTH_RULES
async def test_w13_another_document_is_summed_up(page: Page, site: Site, settle: str) -> None:
    await page.goto(site.url("/w13-many-rows.html"))
    result = await page.execute_sequence([Click("#next")], settle=settle)
    state = change(result)
    assert state.url is not None
    assert state.title is not None
    assert (state.title.from_, state.title.to) == ("Many rows", "More rows")
    # Two tables of two hundred rows: the delta reports each by its topmost element.
    assert "#invoices" in selectors(state.appeared)
    assert "#orders" in selectors(state.disappeared)
    assert not {row.tag_name for row in (*state.appeared, *state.disappeared, *state.changed)} & {"tr", "td"}
    assert state.omitted is None


@BOTH_RULES
async def test_w19_a_document_that_stays_interactive_is_not_stable(page: Page, site: Site, settle: str) -> None:
    await page.goto(site.url("/w20-static.html"))
    result = await page.execute_sequence([Click("#interactive")], settle=settle, timeout_ms=700)
    assert await page.evaluate("document.readyState") == "interactive"
    assert not result.stable
    # What it is that never ends: the document, or the picture that it waits for.
    assert result.outcome == f"timeout: {result.pending[0].kind} {result.pending[0].what}"
    assert "document" in {row.kind for row in result.pending}
    assert result.stability_wait_ms >= 700
    state = change(result)
    assert "#body" in selectors(state.appeared)


@BOTH_RULES
async def test_w21_a_navigation_in_the_middle_of_the_wait_is_followed(page: Page, site: Site, settle: str) -> None:
    await page.goto(site.url("/w20-static.html"))
    result = await page.execute_sequence([Click("#script")], settle=settle)
    state = change(result)
    assert result.stable
    assert state.url is not None
    assert state.url.to == site.url("/w01-welcome.html")
    assert "#welcome" in selectors(state.appeared)


@pytest.mark.parametrize("settle", sampled(RULES, ("quiet",)))
async def test_w21_a_slow_document_is_waited_for(page: Page, site: Site, settle: str) -> None:
    await page.goto(site.url("/w20-static.html"))
    result = await page.execute_sequence([Click("#slow-page")], settle=settle)
    state = change(result)
    assert result.stable
    assert state.title is not None
    assert state.title.to == "Slow"
    assert "#slow" in selectors(state.appeared)


async def test_w39_the_guard_stops_a_key_that_would_go_elsewhere(page: Page, site: Site) -> None:
    await page.goto(site.url("/w39-replaced-form.html"))
    result = await page.execute_sequence(
        [SetValue("#name", "Ann"), Click("#next"), PressKey("Enter"), PressKey("Tab")], guard=True
    )
    assert result.completed == 2
    assert result.failed is not None
    assert (result.failed.index, result.failed.action, result.failed.code) == (2, "press_key", "guard_stopped")
    assert result.failed.skipped == 2
    assert "skipped" in result.failed.error
    assert await page.evaluate("keys") == 0
    assert result.state_change is not None
    assert selectors(result.state_change.appeared) == ["#second"]


@pytest.mark.slow  # as of several actions
async def test_w39_the_guard_stops_after_a_single_click_too(page: Page, site: Site) -> None:
    await page.goto(site.url("/w39-replaced-form.html"))
    result = await page.execute_sequence([Click("#next"), PressKey("Enter")], guard=True)
    assert result.failed is not None
    assert (result.failed.code, result.failed.skipped, result.completed) == ("guard_stopped", 1, 1)


async def test_w39_the_guard_stops_when_the_document_was_replaced(page: Page, site: Site) -> None:
    await page.goto(site.url("/w39-replaced-form.html"))
    result = await page.execute_sequence(
        [Click("#leave"), WaitFor(selector="#welcome"), Click("#next")], guard=True, action_timeout_ms=1500
    )
    assert result.failed is not None
    assert result.failed.code == "guard_stopped"
    assert site.url("/w01-welcome.html") in result.failed.error


@pytest.mark.parametrize(
    "following",
    [pytest.param(Click("#next"), id="click", marks=pytest.mark.slow), pytest.param(PressKey("Enter"), id="key")],
)
async def test_w39_the_guard_stops_while_the_document_is_on_its_way_out(
    page: Page, site: Site, following: Action
) -> None:
    await page.goto(site.url("/w39-replaced-form.html"))
    result = await page.execute_sequence([Click("#leave"), following], guard=True)
    assert result.failed is not None
    assert (result.failed.code, result.failed.skipped, result.completed) == ("guard_stopped", 1, 1)
    assert result.reason == "navigated"


async def test_w39_the_guard_lets_a_page_load_another_one_when_told_to(page: Page, site: Site) -> None:
    result = await page.execute_sequence(
        [
            Navigate(site.url("/w12-history.html")),
            Click("#hash"),
            Navigate(site.url("/w39-replaced-form.html")),
            Reload(),
        ],
        guard=True,
    )
    assert (result.failed, result.completed) == (None, 4)


async def test_w39_without_the_guard_the_key_is_pressed(page: Page, site: Site) -> None:
    await page.goto(site.url("/w39-replaced-form.html"))
    result = await page.execute_sequence([Click("#next"), PressKey("Enter")])
    assert (result.failed, result.completed) == (None, 2)
    assert await page.evaluate("keys") == 1


async def test_w39_the_guard_lets_a_quiet_form_be(page: Page, site: Site) -> None:
    await page.goto(site.url("/w39-replaced-form.html"))
    result = await page.execute_sequence([SetValue("#name", "Ann"), PressKey("Tab"), Click("#next")], guard=True)
    assert (result.failed, result.completed) == (None, 3)


async def test_a_click_to_a_server_that_does_not_answer_ends_in_its_time(page: Page, site: Site) -> None:
    """Chrome holds back all commands to a page whose next document is awaited, so there is nothing to look at."""
    await page.goto(site.html("/leaving", "<a href=/hang>Go</a>"))
    async with asyncio.timeout(HANG_S):
        result = await page.execute_sequence([Click("text=Go")], timeout_ms=600)
    assert (result.completed, result.stable, result.state_change) == (1, False, None), result
    assert [row.kind for row in result.pending] == ["navigation"]
