"""A browser that does not answer is told from a page that does not."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

import stillframe
from site_server import Site
from stillframe.api.browser import Browser, Page
from stillframe.errors import NavigationFailed
from stillframe.model.actions import Click
from stillframe.tab.deadline import Deadline
from stillframe.tab.navigation.hung_browser import SILENT, found_silent

BUTTON = "<button id=go onclick='const end = Date.now() + 1500; while (Date.now() < end);'>go</button>"
LIMITS = {"timeout_ms": 1500, "action_timeout_ms": 300}


@contextmanager
def stopped(browser: Browser) -> Iterator[None]:
    """Stop the main process of a browser inside the block; its children go on."""
    assert browser.info.pid is not None
    os.kill(browser.info.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(browser.info.pid, signal.SIGCONT)


@pytest.mark.own_browser("it is stopped")
async def test_an_action_and_a_navigation_say_that_the_browser_does_not_answer(site: Site) -> None:
    async with stillframe.launch() as browser:
        page = await browser.new_page(site.html("/page", BUTTON))
        with stopped(browser):
            result = await page.execute_sequence([Click("#go")], **LIMITS)
            with pytest.raises(NavigationFailed, match="the browser itself does not answer"):
                await page.goto("about:blank", timeout_ms=500)
        assert result.failed is not None
        assert result.failed.code == "page_unresponsive"
        assert SILENT in result.failed.error
        await page.goto("about:blank")


async def test_a_page_that_hangs_is_not_taken_for_a_browser_that_does(page: Page, site: Site) -> None:
    await page.goto(site.html("/page", BUTTON))
    result = await page.execute_sequence([Click("#go")], **LIMITS)
    assert result.failed is not None
    assert result.failed.code == "page_unresponsive"
    assert SILENT not in result.failed.error
    assert await found_silent(page._tab, Deadline(1)) == ""
