"""The messages of a wait, counted on the transport."""

from __future__ import annotations

import asyncio

import pytest

from sampling import sampled
from site_server import Site
from stillframe.api.browser import Browser
from stillframe.cdp_types import page as cdp_page
from stillframe.model.options import Observe
from stillframe.testing import FrameLog, tap

ROUND_TRIPS = 4
BYTES = 6000
"""The maximum cost of one wait on a quiet page."""
ARMING = 3
"""The commands that begin a wait; after them, no command is sent until the server has responded."""


@pytest.mark.parametrize("observe", sampled(("protocol", "dom", "calls"), ("calls",)))
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
        with FrameLog(page.cdp_session.channel) as wire:
            verdict = await page.settle()
        assert verdict.reason == "no_effect"
        assert wire.round_trips <= ROUND_TRIPS
        assert wire.size <= BYTES, wire.by_method()


@pytest.mark.parametrize("observe", sampled(("protocol", "dom", "calls"), ("calls",)))
async def test_nothing_is_sent_while_a_request_is_pending(browser: Browser, site: Site, observe: Observe) -> None:
    async with (
        await browser.new_context(observe=observe) as context,
        await context.new_page(site.html("/", "<p>x")) as page,
    ):
        await page.settle()
        await page.evaluate("void fetch('/gate/answer')")
        sent: list[bytes] = []
        too_many = asyncio.Event()

        def sending(frame: bytes) -> None:
            sent.append(frame)
            if len(sent) > ARMING:
                too_many.set()

        waiting = asyncio.ensure_future(page.settle())
        with tap(page.cdp_session.channel, sending, lambda _: None), pytest.raises(TimeoutError):
            await asyncio.wait_for(too_many.wait(), 0.7)
        site.open("answer")
        assert (await waiting).stable, sent
