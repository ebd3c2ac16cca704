"""Dialogs, new tabs, crashes and closed tabs in the middle of a sequence.

Cases W22 to W24 of docs/design/acceptance-cases.md.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from shown import BOTH_RULES, change, fields, on_ping
from site_server import Site
from stillframe.api.browser import Browser, Page
from stillframe.cdp_types import page as cdp_page
from stillframe.cdp_types import target
from stillframe.model.actions import Click, Navigate, WaitFor


@BOTH_RULES
@pytest.mark.parametrize(
    ("kind", "message", "accepted", "answer"),
    [("alert", "Watch out", True, "alerted"), ("confirm", "Sure?", False, "false"), ("prompt", "Name?", False, "null")],
)
async def test_w22_a_dialog_is_answered_and_reported(
    page: Page, site: Site, settle: str, kind: str, message: str, accepted: bool, answer: str
) -> None:
    await page.goto(site.url("/w22-dialogs.html"))
    result = await page.execute_sequence([Click(f"#{kind}")], settle=settle)
    assert [(dialog.type, dialog.message, dialog.accepted, dialog.url) for dialog in result.dialogs] == [
        (kind, message, accepted, site.url("/w22-dialogs.html"))
    ]
    assert fields(change(result).changed) == {("#answer", "textContent", "none", answer)}
    assert result.stable


@pytest.mark.parametrize(("policy", "answer"), [("accept", "Ann"), (lambda dialog: "Eve", "Eve")])
async def test_w22_the_policy_answers(
    browser: Browser, site: Site, policy: str | Callable[[object], str], answer: str
) -> None:
    async with await browser.new_context(dialogs=policy) as context:
        page = await context.new_page(site.url("/w22-dialogs.html"))
        result = await page.execute_sequence([Click("#prompt")])
        assert [dialog.accepted for dialog in result.dialogs] == [True]
        assert fields(change(result).changed) == {("#answer", "textContent", "none", answer)}


@pytest.mark.slow  # the canary clicks after two dialogs
async def test_w22_a_page_after_a_dialog_goes_on(page: Page, site: Site) -> None:
    await page.goto(site.url("/w22-dialogs.html"))
    result = await page.execute_sequence([Click("#alert"), Click("#confirm"), Click("#alert")])
    assert (result.completed, result.failed) == (3, None)
    assert [dialog.type for dialog in result.dialogs] == ["alert", "confirm", "alert"]


@BOTH_RULES
@pytest.mark.parametrize("opener", ["#open", "#blank"])
async def test_w23_a_new_tab_is_reported_and_the_sequence_stays(
    page: Page, site: Site, settle: str, opener: str
) -> None:
    """The rule for the focus: a sequence stays with its own page; the new tab is there to be used by its id."""
    await page.goto(site.url("/w23-new-tab.html"))
    result = await page.execute_sequence([Click(opener)], settle=settle)
    (new,) = result.new_targets
    assert new.type == "page"
    assert page.url == site.url("/w23-new-tab.html")
    (tab,) = [other for other in page.browser.pages if other.target_id == new.target_id]
    assert await tab.opener() is page
    assert (await tab.execute_sequence([WaitFor(selector="#welcome")])).completed == 1
    assert (await page.execute_sequence([WaitFor(selector="#open")])).completed == 1


@BOTH_RULES
async def test_w24_a_crash_in_the_middle_fails_with_its_code(page: Page, site: Site, settle: str) -> None:
    await page.goto(site.url("/w24-ping.html"))
    on_ping(site, page, lambda: page.cdp_session.post(cdp_page.Crash()))
    result = await page.execute_sequence(
        [Click("#ping"), WaitFor(selector="#never"), Click("#ping")],
        verbose=True,
        settle=settle,
        action_timeout_ms=10_000,
    )
    assert result.completed == 1
    assert result.failed is not None
    assert (result.failed.index, result.failed.code) == (1, "target_crashed")
    assert not result.stable
    assert result.reason == "crashed"
    assert [(step.action, step.result) for step in result.steps or ()] == [
        ("click_element", "ok"),
        ("wait_for", "error"),
    ]


async def test_w24_a_crashed_page_is_usable_after_a_navigation(page: Page, site: Site) -> None:
    await page.goto(site.url("/w24-ping.html"))
    on_ping(site, page, lambda: page.cdp_session.post(cdp_page.Crash()))
    crashed = await page.execute_sequence([Click("#ping"), WaitFor(selector="#never")], action_timeout_ms=10_000)
    assert crashed.failed is not None
    result = await page.execute_sequence([Navigate(site.url("/w03-three-buttons.html")), Click("#first")])
    assert (result.completed, result.failed) == (2, None)
    assert await page.evaluate("document.getElementById('first-done') !== null")


@pytest.mark.desktop
@BOTH_RULES
async def test_w24_a_tab_closed_in_the_middle_fails_with_its_code(page: Page, site: Site, settle: str) -> None:
    await page.goto(site.url("/w24-ping.html"))
    root = page.cdp_session.root
    on_ping(site, page, lambda: root.post(target.CloseTarget(target_id=page.target_id)))
    result = await page.execute_sequence(
        [Click("#ping"), WaitFor(selector="#never")], verbose=True, settle=settle, action_timeout_ms=10_000
    )
    assert result.completed == 1
    assert result.failed is not None
    assert (result.failed.index, result.failed.code) == (1, "target_closed")
    assert not result.stable
    assert result.reason == "closed"
    assert [step.result for step in result.steps or ()] == ["ok", "error"]
    assert page.closed


@BOTH_RULES
async def test_w24_a_crash_during_the_wait_is_the_verdict(page: Page, site: Site, settle: str) -> None:
    await page.goto(site.url("/w24-ping.html"))
    on_ping(site, page, lambda: page.cdp_session.post(cdp_page.Crash()))
    result = await page.execute_sequence([Click("#ping")], settle=settle)
    assert (result.completed, result.failed) == (1, None)
    assert not result.stable
    assert result.reason == "crashed"


@pytest.mark.desktop
async def test_what_the_click_downloads_is_reported(page: Page, site: Site) -> None:
    site.html("/files.html", '<a id="get" href="/download/report.txt?body=42">Get</a>')
    await page.goto(site.url("/files.html"))
    result = await page.execute_sequence([Click("#get")])
    (download,) = result.downloads
    assert (download.suggested_filename, download.url) == ("report.txt", site.url("/download/report.txt?body=42"))
    assert result.reason == "download"
    assert result.state_change is None


async def test_a_new_tab_is_only_the_opening_sequence_s(page: Page, site: Site) -> None:
    await page.goto(site.url("/w23-new-tab.html"))
    await page.execute_sequence([Click("#open")])
    result = await page.execute_sequence([WaitFor(selector="#open")])
    assert result.new_targets == ()
