"""`set_default_timeout` and `set_default_navigation_timeout` of pages and contexts, and what they limit."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from aiohttp import web

from site_server import Site
from stillframe.api.browser import Browser, Page
from stillframe.errors import (
    CommandError,
    ElementNotFound,
    NavigationFailed,
    OptionInvalid,
    StillframeError,
    WaitTimeout,
)
from stillframe.extend import page_state
from stillframe.model.actions import Click, Navigate, Reload

SHORT = 120.0


@pytest.fixture
async def stuck(site: Site) -> AsyncIterator[str]:
    """The URL of a page that does not arrive."""
    end = asyncio.Event()

    async def wait(_: web.Request) -> web.Response:
        await end.wait()
        return web.Response()

    site.route("/stuck", wait)
    yield site.url("/stuck")
    end.set()


def within(error: StillframeError, ms: float = SHORT) -> bool:
    """Whether an error says that it waited for that long."""
    return f"within {ms / 1000:g} s" in str(error) or f"within {ms:g} ms" in str(error)


async def test_it_limits_actions_waits_reads_and_expectations(page: Page) -> None:
    page.set_default_timeout(SHORT)
    with pytest.raises(ElementNotFound) as click:
        await page.click("#none")
    with pytest.raises(WaitTimeout) as wait:
        await page.locator("#none").wait_for()
    with pytest.raises(ElementNotFound) as read:
        await page.locator("#none").text()
    with pytest.raises(WaitTimeout) as expect:
        async with page.expect_request("**/none"):
            pass
    with pytest.raises(WaitTimeout) as popup:
        async with page.expect_popup():
            pass
    with pytest.raises(ElementNotFound) as script:
        await page.locator("#none").evaluate("(element) => element.id")
    assert all(within(caught.value) for caught in (click, wait, read, expect, popup, script))
    result = await page.execute_sequence([Click("#none")])
    assert result.failed is not None
    assert "within 0.12 s" in result.failed.error


async def test_a_limit_of_the_call_comes_first_and_none_gives_back_the_defaults(page: Page) -> None:
    page.set_default_timeout(60_000)
    with pytest.raises(ElementNotFound) as click:
        await page.click("#none", action_timeout_ms=SHORT)
    with pytest.raises(ElementNotFound) as json_name:
        await page.click("#none", actionTimeoutMs=SHORT)  # type: ignore[call-arg]
    with pytest.raises(ElementNotFound) as own:
        await page.execute_sequence([Click("#none", timeout_ms=SHORT)], check=True)
    with pytest.raises(ElementNotFound) as read:
        await page.locator("#none").text(timeout_ms=SHORT)
    assert all(within(caught.value) for caught in (click, json_name, own, read))
    page.set_default_timeout(SHORT)
    page.set_default_timeout(None)
    assert await page.evaluate(f"new Promise(resolve => setTimeout(resolve, {2 * SHORT}, 1))") == 1
    with pytest.raises(ElementNotFound) as long:
        await page.locator("#none").text()
    assert within(long.value, 3000)


async def test_a_page_with_a_limit_of_its_own_is_not_as_new(page: Page) -> None:
    before = page_state(page).additions
    page.set_default_navigation_timeout(SHORT)
    assert page_state(page).additions != before
    page.set_default_navigation_timeout(None)
    assert page_state(page).additions == before


async def test_scripts_of_the_caller_keep_their_own_limit(page: Page) -> None:
    page.set_default_timeout(SHORT)
    assert await page.evaluate(f"new Promise(resolve => setTimeout(resolve, {2 * SHORT}, 1))") == 1


async def test_navigations_have_a_limit_apart(page: Page, stuck: str) -> None:
    page.set_default_timeout(60_000)
    page.set_default_navigation_timeout(SHORT)
    with pytest.raises(NavigationFailed, match=r"0\.12 s"):
        await page.goto(stuck)
    for action in (Navigate(stuck), Navigate(stuck, timeout_ms=SHORT)):
        result = await page.execute_sequence([action])
        assert result.failed is not None
        assert result.failed.code == "navigation_failed"
    page.set_default_timeout(SHORT)
    page.set_default_navigation_timeout(60_000)
    assert (await page.goto("about:blank")).ok
    assert (await page.execute_sequence([Reload()])).completed == 1
    with pytest.raises(NavigationFailed):
        await page.goto(stuck, timeout_ms=SHORT)


async def test_without_one_of_their_own_navigations_have_the_limit_of_calls(page: Page, stuck: str) -> None:
    page.set_default_timeout(SHORT)
    with pytest.raises(NavigationFailed, match=r"0\.12 s"):
        await page.goto(stuck)


async def test_pages_of_a_context_inherit_its_limits_and_a_page_comes_first(browser: Browser, stuck: str) -> None:
    async with await browser.new_context() as context:
        before = await context.new_page()
        context.set_default_timeout(SHORT)
        with pytest.raises(WaitTimeout):
            async with context.expect_page():
                pass
        after = await context.new_page()
        for page in (before, after):
            with pytest.raises(ElementNotFound) as caught:
                await page.click("#none")
            assert within(caught.value)
        after.set_default_timeout(2 * SHORT)
        with pytest.raises(ElementNotFound) as own:
            await after.main_frame.locator("#none").text()
        assert within(own.value, 2 * SHORT)
        context.set_default_navigation_timeout(SHORT)
        with pytest.raises((NavigationFailed, CommandError)):
            await context.new_page(stuck)


@pytest.mark.parametrize("value", [0, -5, float("nan"), float("inf"), "5000", True, 0.5, 600_001], ids=str)
async def test_what_is_not_a_limit_is_refused_and_changes_nothing(page: Page, value: float) -> None:
    page.set_default_timeout(SHORT)
    for owner in (page, page.context):
        for method in (owner.set_default_timeout, owner.set_default_navigation_timeout):
            with pytest.raises(OptionInvalid, match="set_default_"):
                method(value)
    with pytest.raises(ElementNotFound) as caught:
        await page.locator("#none").text()
    assert within(caught.value)
