"""No dialog stays open: each is answered by policy and reported, in whatever frame it appears."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest
from heard import by_user

from sampling import sampled
from site_server import Site
from stillframe.api.browser import Browser, Page
from stillframe.model.events import DialogReport
from stillframe.tab.deadline import Deadline
from stillframe.tab.events.dialogs import DialogPolicy
from stillframe.tab.events.recorder import KEPT
from stillframe.tab.javascript import caller_scripts

ASK = "<script>function ask() { return [alert('a'), confirm('c'), prompt('p', 'preset')] }</script>"
PATIENCE = 10.0


def explodes(_: DialogReport) -> bool:
    raise LookupError("no policy today")


async def everywhere(page: Page, site: Site) -> dict[str, Any]:
    """Ask in the page, in a frame of its process and in one of another, and return the answers by frame."""
    site.html("/inner", ASK)
    other = site.url("/inner", host="localhost")
    await page.goto(site.html("/start", f"{ASK}<iframe src=/inner></iframe><iframe src='{other}'></iframe>"))
    assert len({frame.session for frame in page._tab.frames}) == 2
    return {
        frame.url: await caller_scripts.evaluate(frame, "ask()", deadline=Deadline(PATIENCE))
        for frame in page._tab.frames
    }


POLICIES: list[tuple[DialogPolicy, list[Any], list[bool]]] = [
    ("dismiss", [None, False, None], [True, False, False]),
    ("accept", [None, True, "preset"], [True, True, True]),
    (lambda dialog: "typed" if dialog.type == "prompt" else True, [None, True, "typed"], [True, True, True]),
    (lambda dialog: dialog.message == "c", [None, True, None], [True, True, False]),
    (lambda dialog: "", [None, True, ""], [True, True, True]),
    (explodes, [None, False, None], [True, False, False]),
    (lambda dialog: None, [None, False, None], [True, False, False]),
]


# A function decides in the row that always runs; other tests have the two words.
@pytest.mark.every_row
@pytest.mark.parametrize(("policy", "answers", "accepted"), sampled(POLICIES, POLICIES[2:3]))
async def test_every_frame_gets_the_answer_of_the_policy(
    browser: Browser, site: Site, policy: DialogPolicy, answers: list[Any], accepted: list[bool]
) -> None:
    async with await browser.new_context(dialogs=policy) as context:
        page = await context.new_page()
        with page._tab.recorder.record() as record:
            by_frame = await everywhere(page, site)
    assert list(by_frame.values()) == [answers] * 3
    assert [dialog.accepted for dialog in record.dialogs] == accepted * 3
    assert [dialog.type for dialog in record.dialogs] == ["alert", "confirm", "prompt"] * 3
    assert [dialog.url for dialog in record.dialogs] == [url for url in by_frame for _ in range(3)]


async def test_a_failing_policy_is_logged(page: Page, site: Site, caplog: pytest.LogCaptureFixture) -> None:
    page._tab.dialogs.policy = explodes
    with caplog.at_level(logging.ERROR, "stillframe.tab"):
        assert await page.evaluate("confirm('sure?')", timeout_ms=PATIENCE * 1000) is False
    assert "sure?" in caplog.text
    assert "no policy today" in caplog.text


async def test_hung_page_is_never_prevented(page: Page, site: Site) -> None:
    start = site.html("/start", "")
    await page.goto(site.html("/stay", "<script>onbeforeunload = event => event.preventDefault()</script>"))
    await by_user(page, "1")
    with page._tab.recorder.record() as record:
        await page.goto(start, timeout_ms=PATIENCE * 1000)
    assert page.url == start
    assert [(dialog.type, dialog.accepted) for dialog in record.dialogs] == [("beforeunload", True)]


async def test_a_page_that_will_not_be_left_can_be_closed(browser: Browser, site: Site) -> None:
    async with await browser.new_context() as context:
        page = await context.new_page(site.html("/stay", "<script>onbeforeunload = e => e.preventDefault()</script>"))
        await by_user(page, "1")
        async with asyncio.timeout(PATIENCE):
            await page.close()
        assert page.closed


@pytest.mark.parametrize("alerts", sampled((20, 100), (20,)))
async def test_a_loop_of_alerts_ends(page: Page, site: Site, alerts: int) -> None:
    with page._tab.recorder.record() as record:
        assert await page.evaluate(f"(() => {{ let n = 0; while (n < {alerts}) alert(n++); return n }})()") == alerts
    assert [dialog.message for dialog in record.dialogs] == [str(number) for number in range(alerts)]


async def test_a_page_that_alerts_for_ever_can_be_closed(browser: Browser, site: Site) -> None:
    async with await browser.new_context() as context:
        page = await context.new_page(site.html("/start", ""))
        with page._tab.recorder.record() as record:
            await page.evaluate("setTimeout(() => { while (true) alert('again') }), 1")
            async with asyncio.timeout(PATIENCE):
                await page.close()
        assert page.closed
        assert len(record.dialogs) <= KEPT
