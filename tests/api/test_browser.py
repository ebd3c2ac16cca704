"""Launching and connecting: what is ours ends with us, what is not stays as it was."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from heard import by_user, heard

import stillframe
from sampling import sampled
from site_server import Site
from stillframe.api.browser import Browser
from stillframe.cdp_types import target
from stillframe.errors import OptionInvalid
from stillframe.model.events import NewTarget


async def targets(browser: Browser) -> set[str]:
    reply = await browser._connection.root.send(target.GetTargets())
    return {info.target_id for info in reply.target_infos if info.type == "page"}


async def contexts(browser: Browser) -> set[str]:
    return set((await browser._connection.root.send(target.GetBrowserContexts())).browser_context_ids)


@pytest.mark.browser
async def test_a_launched_browser_takes_options_of_both_kinds(site: Site) -> None:
    async with stillframe.launch(window_size=(700, 600), locale="de-DE", dialogs="accept") as browser:
        page = await browser.new_page(site.html("/start", "", title="start"))
        assert await page.title() == "start"
        assert browser.pages == [page]
        assert page.context is browser.default_context
        assert await page.evaluate("[navigator.language, confirm('sure?'), outerWidth]") == ["de-DE", True, 700]


@pytest.mark.parametrize("options", [{"headles": True}, {"time_zone": "UTC"}, {"viewport": {"width": 0, "height": 1}}])
async def test_wrong_options_launch_nothing(options: dict[str, Any]) -> None:
    with pytest.raises(OptionInvalid):
        async with stillframe.launch(**options):
            raise AssertionError("launched")


@pytest.mark.browser
async def test_what_a_connection_opened_is_closed_with_it_and_nothing_else(site: Site) -> None:
    url = site.html("/popup", "")
    async with stillframe.launch(port=0) as owner:
        theirs = await owner.new_page(site.html("/theirs", "", title="theirs"))
        before = await targets(owner)
        assert owner.info.endpoint is not None
        async with stillframe.connect(owner.info.endpoint, timezone="Asia/Tokyo") as browser:
            assert [page.url for page in browser.pages] == [theirs.url]
            page = await browser.new_page(site.html("/ours", ""))
            assert await page.evaluate("Intl.DateTimeFormat().resolvedOptions().timeZone") == "Asia/Tokyo"
            async with await browser.new_context(timezone="Europe/Paris") as context:
                closed = await context.new_page(site.url("/ours"))
            assert closed.closed
            left_open = await browser.new_context()
            await left_open.new_page(site.url("/ours"))
            async with heard(page, lambda event: isinstance(event, NewTarget)):
                await by_user(page, "window.open('/popup'), 1")
            assert await theirs.title() == "theirs"
        assert await contexts(owner) == set()
        assert before <= await targets(owner)
        assert not theirs.closed
        assert await theirs.evaluate("Intl.DateTimeFormat().resolvedOptions().timeZone") == "UTC"
        assert url  # the popup of ours may outlive us only as long as the browser takes to close it


@pytest.mark.slow
@pytest.mark.browser
async def test_a_tab_of_others_can_be_taken_up(site: Site) -> None:
    async with stillframe.launch(port=0) as owner:
        theirs = await owner.new_page(site.html("/theirs", "", title="theirs"))
        assert owner.info.endpoint is not None
        async with stillframe.connect(owner.info.endpoint) as browser:
            page = await browser.page(theirs.target_id)
            assert await page.title() == "theirs"
            assert await browser.page(theirs.target_id) is page


async def test_the_proxy_of_a_running_browser_is_not_ours_to_choose() -> None:
    with pytest.raises(OptionInvalid, match="new_context"):
        async with stillframe.connect("http://127.0.0.1:1", proxy="127.0.0.1:1"):
            raise AssertionError("connected")


@pytest.mark.parametrize("number", sampled((3, 6), (3,)))
async def test_many_pages_at_once(browser: Browser, site: Site, number: int) -> None:
    start = site.html("/start", "")
    async with await browser.new_context() as context:
        pages = await asyncio.gather(*(context.new_page(start) for _ in range(number)))
        assert len(set(pages)) == number
        assert await asyncio.gather(*(page.evaluate("location.href") for page in pages)) == [start] * number


async def test_closing_twice_and_closing_what_is_gone(browser: Browser) -> None:
    async with await browser.new_context() as context:
        page = await context.new_page()
        await asyncio.gather(page.close(), page.close())
        await page.close()
        assert page.closed
        assert page not in browser.pages
