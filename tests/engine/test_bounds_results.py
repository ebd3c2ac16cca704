"""What a sequence returns of a page that does not answer, and what it leaves; a stall of ours is not the page's."""

from __future__ import annotations

import asyncio
import os
import signal
import time

import pytest
from bounds import drop_captures, on_click, stop_frame

from shown import change
from site_server import Site
from stillframe.api.browser import Browser, Page
from stillframe.cdp_types import page as cdp_page
from stillframe.engine import actions
from stillframe.errors import EvaluationTimeout
from stillframe.model.actions import Click, Navigate, TypeText, WaitFor
from stillframe.settling import hooks, observed_page

UNAWAITED_S = 0.5
SHORT = {"timeout_ms": 600, "action_timeout_ms": 500}


async def show(page: Page, site: Site, script: str, more: str = "") -> None:
    site.html("/page.html", on_click(script, more))
    await page.goto(site.url("/page.html"))


async def test_a_loop_in_the_handler_fails_the_action_and_nothing_is_left_of_it(
    page: Page, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (hooks, observed_page):
        monkeypatch.setattr(module, "UNAWAITED_SECONDS", UNAWAITED_S)
    await show(page, site, "for (;;);")
    # A page counts as hung when it has not answered for a second.
    result = await page.execute_sequence([Click("#go"), Click("#go")], timeout_ms=1500, action_timeout_ms=500)
    assert result.failed is not None
    assert (result.completed, result.failed.index, result.failed.code) == (0, 0, "page_unresponsive")
    assert (result.stable, result.state_change) == (False, None)
    assert (result.reason, result.wait_reason) == ("unseen", "hung")
    await page.execute_sequence([Click("#go")], timeout_ms=100, action_timeout_ms=100)
    assert not (await page.settle(timeout_ms=100)).stable
    with pytest.raises(EvaluationTimeout):
        await page.evaluate("1", timeout_ms=100)
    end = time.monotonic() + UNAWAITED_S + 1
    while left := [method for _, method, of in page.cdp_session.channel.pending if of == page.cdp_session.session_id]:
        assert time.monotonic() < end, left
        await asyncio.sleep(0.05)


async def test_a_page_that_did_not_answer_an_action_is_not_still_although_it_answers_again(
    page: Page, site: Site
) -> None:
    await show(page, site, "for (const end = Date.now() + 1500; Date.now() < end;);")
    result = await page.execute_sequence([Click("#go"), Click("#go")], timeout_ms=5000, action_timeout_ms=300)
    assert result.failed is not None
    assert result.failed.code == "page_unresponsive"
    assert (result.stable, result.reason) == (False, "hung")


async def test_a_loop_after_the_action_is_returned_not_raised(page: Page, site: Site) -> None:
    await show(page, site, "out.textContent = 'clicked'; setTimeout(() => { for (;;); }, 20)")
    result = await page.execute_sequence([Click("#go")], **SHORT)
    assert (result.completed, result.failed) == (1, None)
    assert (result.stable, result.state_change) == (False, None)
    assert result.reason == "unseen"
    assert result.pending


async def test_a_page_is_usable_when_its_own_loop_ends(page: Page, site: Site) -> None:
    await show(
        page,
        site,
        "setTimeout(() => { const end = Date.now() + 2000; while (Date.now() < end); out.textContent = 'done' }, 20)",
    )
    result = await page.execute_sequence([Click("#go")], **SHORT)
    assert result.reason == "unseen"
    later = await page.execute_sequence([WaitFor(text="done")], timeout_ms=5000, action_timeout_ms=8000)
    assert (later.completed, later.stable) == (1, True)
    await page.title()  # answered after everything that was asked before
    left = [method for _, method, of in page.cdp_session.channel.pending if of == page.cdp_session.session_id]
    assert left == []


NEVER = WaitFor("#never", timeout_ms=300)


@pytest.mark.parametrize(
    ("wait", "silent_s", "code", "shown"),
    [
        (NEVER, 2.0, "wait_timeout", "wait_for on #never: the page did not answer within 0.3 s"),
        (NEVER, 0.2, "page_unresponsive", "wait_for on #never: the page does not answer"),
        (WaitFor(text="never", timeout_ms=300), 2.0, "wait_timeout", "wait_for the text 'never': the page did not"),
        (WaitFor(url="/never", timeout_ms=300), 2.0, "wait_timeout", "'/never' within 0.3 s; it is http"),
    ],
)
async def test_a_wait_times_out_and_one_on_a_page_that_was_silent_for_long_says_so(
    page: Page, site: Site, monkeypatch: pytest.MonkeyPatch, wait: WaitFor, silent_s: float, code: str, shown: str
) -> None:
    monkeypatch.setattr(actions, "SILENT_S", silent_s)
    await show(page, site, "setTimeout(() => { for (const end = Date.now() + 1500; Date.now() < end;); }, 0)")
    result = await page.execute_sequence([Click("#go"), wait], timeout_ms=3000)
    assert result.failed is not None
    assert result.failed.code == code
    assert shown in result.failed.error


async def test_a_last_look_that_never_comes_is_told_apart_from_no_change(
    page: Page, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    await show(page, site, "")
    seen = await page.execute_sequence([Click("#go")], **SHORT)
    assert (seen.stable, seen.state_change) == (True, None)
    assert (seen.reason != "unseen", seen.wait_reason) == (True, None)
    transport = page.cdp_session.channel.transport
    monkeypatch.setattr(transport, "send", transport.send)  # it is as it was after the test
    await drop_captures(page)
    await page.evaluate("go.onclick = () => { out.textContent = 1 }")
    unseen = await page.execute_sequence([Click("#go")], **SHORT)
    assert (unseen.completed, unseen.failed) == (1, None)
    assert (unseen.stable, unseen.state_change) == (False, None)
    assert (unseen.reason, unseen.wait_reason) == ("unseen", "quiet")
    assert unseen.outcome == f"unseen: quiet: {unseen.detail}"
    assert "did not answer" in (unseen.detail or "")


async def test_a_page_that_nobody_could_look_at_before_can_be_left(page: Page, site: Site) -> None:
    await show(page, site, "")
    page.cdp_session.post(cdp_page.Navigate(url=site.url("/hang")), timeout=None)
    site.html("/other.html", "<p>other")
    result = await page.execute_sequence([Navigate(site.url("/other.html"), timeout_ms=3000)], **SHORT)
    assert (result.completed, result.failed) == (1, None)
    assert page.url == site.url("/other.html")
    assert result.state_change is not None or result.reason == "unseen"


@pytest.mark.desktop
async def test_a_stopped_frame_is_left_out_and_the_rest_is_reported(page: Page, site: Site) -> None:
    site.html("/inner.html", "<p>inner")
    frame = f"<iframe src='{site.url('/inner.html', host='localhost')}'></iframe>"
    await show(page, site, "out.textContent = 'clicked'", frame)
    pid = await stop_frame(page)
    try:
        result = await page.execute_sequence([Click("#go")], **SHORT)
    finally:
        os.kill(pid, signal.SIGCONT)
    assert (result.completed, result.failed) == (1, None)
    assert change(result).changed or change(result).appeared


@pytest.mark.serial
@pytest.mark.parametrize("seconds", [0.0, 0.001])
async def test_limits_of_nothing_are_kept(page: Page, site: Site, seconds: float) -> None:
    await show(page, site, "for (;;);")
    began = time.monotonic()
    await page.execute_sequence([Click("#go", timeout_ms=1)], timeout_ms=round(seconds * 1000), action_timeout_ms=1)
    assert time.monotonic() - began < seconds + 1


async def test_a_long_text_has_time_for_every_lot_of_keys(page: Page, site: Site) -> None:
    slow = "const end = performance.now() + 4; while (performance.now() < end);"
    await show(page, site, "", f"<input id=in><script>addEventListener('keydown', () => {{ {slow} }})</script>")
    # The page is busy for 1.6 s: longer than the limit, and a quarter of what four lots have.
    result = await page.execute_sequence([TypeText("#in", "x" * 400)], timeout_ms=1000, action_timeout_ms=1500)
    assert (result.completed, result.failed) == (1, None)
    assert await page.evaluate("document.getElementById('in').value.length") == 400


# -- stalls of our own loop ------------------------------------------------------------------------

STALL_S = 0.8
"""Longer than any of the limits of `SHORT`."""


async def test_a_callback_that_blocks_takes_nobody_s_time(page: Page, site: Site) -> None:
    await show(page, site, "out.textContent += 1")
    result = await page.execute_sequence(
        [Click("#go"), Click("#go")], on_step=lambda _index, _step: time.sleep(STALL_S), **SHORT
    )
    assert (result.completed, result.failed, result.stable) == (2, None, True)
    assert change(result).changed


async def test_an_answer_to_a_dialog_that_takes_long_takes_nobody_s_time(browser: Browser, site: Site) -> None:
    def think(_dialog: object) -> bool:
        time.sleep(STALL_S)
        return True

    async with await browser.new_context(dialogs=think) as context:
        page = await context.new_page()
        await show(page, site, "out.textContent = confirm('really?')")
        result = await page.execute_sequence([Click("#go")], **SHORT)
        assert (result.completed, result.failed, result.stable) == (1, None, True)


@pytest.mark.serial
async def test_a_stall_while_the_page_settles_is_not_its_time(page: Page, site: Site) -> None:
    await show(page, site, "fetch('/slow?ms=400').then(() => { out.textContent = 'fetched' })")
    asyncio.get_running_loop().call_later(0.3, time.sleep, 3)
    result = await page.execute_sequence([Click("#go")], timeout_ms=1500, action_timeout_ms=1000)
    assert (result.completed, result.stable) == (1, True)
    assert change(result).changed
    assert result.stability_wait_ms < 1500


BLOCK_S = 0.12


def block() -> None:
    """What a caller does who blocks the loop for a moment."""
    time.sleep(BLOCK_S)


@pytest.mark.serial
async def test_a_sequence_ends_beside_a_task_that_blocks_again_and_again(page: Page, site: Site) -> None:
    await show(page, site, "")
    acting = asyncio.ensure_future(page.execute_sequence([WaitFor("#never")], timeout_ms=500, action_timeout_ms=500))
    blocks, most = 0, round((1 + 5) / BLOCK_S)
    while not acting.done() and blocks < most:
        block()
        blocks += 1
        await asyncio.sleep(0)
    ended = acting.done()
    acting.cancel()
    await asyncio.gather(acting, return_exceptions=True)
    assert ended
