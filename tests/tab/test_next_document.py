"""Calls that go through the history wait for a navigation that a script has begun."""

from __future__ import annotations

import pytest

from site_server import Site
from stillframe.api.browser import Page


@pytest.mark.parametrize("leave", ["location.assign('/next')", "void setTimeout(() => location.assign('/next'))"])
@pytest.mark.parametrize("call", ["go_back", "reload"])
async def test_a_call_begins_where_a_script_has_led(page: Page, site: Site, leave: str, call: str) -> None:
    site.html("/before", "before")
    site.html("/start", "start")
    site.html("/next", "next")
    await page.goto(site.url("/before"))
    await page.goto(site.url("/start"))
    await page.evaluate(leave)
    await getattr(page, call)()
    assert page.url == site.url("/start" if call == "go_back" else "/next")


async def test_a_navigation_that_brings_no_document_is_not_awaited(page: Page, site: Site) -> None:
    site.html("/before", "before")
    site.html("/start", "start")
    await page.goto(site.url("/before"))
    await page.goto(site.url("/start"))
    async with page.expect_download():
        await page.evaluate("location.assign('/download/file.txt')")
    await page.go_back()
    assert page.url == site.url("/before")
