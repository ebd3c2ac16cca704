"""What a wait sends and receives, counted on the transport."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bench.wire import Wire
from site_server import Site
from stillframe.api.browser import Browser
from stillframe.cdp_types import page as cdp_page
from stillframe.model.options import Observe

ROUND_TRIPS = 4
BYTES = 6000
"""What settle.md §4.6 allows for one wait on a quiet page."""


@pytest.mark.parametrize("observe", ["protocol", "dom", "calls"])
async def test_a_wait_on_a_quiet_page_is_cheap(browser: Browser, site: Site, observe: Observe) -> None:
    async with (
        await browser.new_context(observe=observe) as context,
        await context.new_page(site.html("/", "<p>x")) as page,
    ):
        with page.cdp_session.subscribe(cdp_page.LifecycleEvent) as events:
            await page.reload()
            while (await events.get()).name != "networkIdle":
                continue
        await page.settle()
        with Wire(browser._connection) as wire:
            verdict = await page.settle()
        assert verdict.reason == "no_effect"
        assert wire.round_trips <= ROUND_TRIPS
        assert wire.size <= BYTES, wire.by_method()


@pytest.mark.parametrize("observe", ["protocol", "dom", "calls"])
async def test_nothing_is_sent_while_a_request_is_pending(browser: Browser, site: Site, observe: Observe) -> None:
    async with (
        await browser.new_context(observe=observe) as context,
        await context.new_page(site.html("/", "<p>x")) as page,
    ):
        await page.settle()
        await page.evaluate("void fetch('/gate/answer')")
        silent: Any = asyncio.get_running_loop().create_future()
        with Wire(browser._connection) as wire:
            waiting = asyncio.ensure_future(page.settle())
            asyncio.get_running_loop().call_later(0.7, silent.set_result, None)
            await silent
            sent = [frame for frame in wire.frames if frame.sent]
        site.open("answer")
        assert (await waiting).stable
        # Only the arming: nobody asks the page how it is while the server has not answered.
        assert len(sent) <= 3, wire.by_method()
