"""Launching and connecting: what is ours ends with us, what is not stays as it was."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import stillframe
from sampling import sampled
from site_server import Site
from stillframe.api.browser import Browser, BrowserContext
from stillframe.errors import OptionInvalid


@pytest.mark.parametrize("options", [{"headles": True}, {"time_zone": "UTC"}, {"viewport": {"width": 0, "height": 1}}])
async def test_wrong_options_launch_nothing(options: dict[str, Any]) -> None:
    with pytest.raises(OptionInvalid):
        async with stillframe.launch(**options):
            raise AssertionError("launched")


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


@pytest.mark.slow  # test_context.py has pages of contexts side by side
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


@pytest.mark.browser
@pytest.mark.own_browser("it tells of its end")
async def test_a_browser_tells_of_contexts_and_of_its_end() -> None:
    told: list[Any] = []
    opened, ended = asyncio.Event(), asyncio.Event()

    async def end(browser: Browser) -> None:
        told.append(browser)
        ended.set()

    def first(context: BrowserContext) -> None:
        told.append(context)
        opened.set()

    async with stillframe.launch() as browser:
        with pytest.raises(OptionInvalid, match=r"no event 'disconected' \(did you mean 'disconnected'"):
            browser.on("disconected", told.append)  # type: ignore[arg-type]
        browser.on("disconnected", end)
        browser.once("context", first)
        browser.on("context", print)
        browser.remove_listener("context", print)
        context = await browser.new_context()
        await browser.new_context()
        async with asyncio.timeout(30):
            await opened.wait()
        assert told == [context]
    async with asyncio.timeout(30):
        await ended.wait()
    assert told == [context, browser]
    assert not browser.is_connected()
