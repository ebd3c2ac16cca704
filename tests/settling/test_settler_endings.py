"""Pages that go away during a wait: the verdict says so, and the browser stays usable."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hostile import GRACE_MS, HORIZON_MS, OBSERVED, TIMEOUT_MS, assert_usable

from sampling import sampled
from site_server import Site
from stillframe.api.browser import Browser, Page
from stillframe.cdp.loop_clock import loop_clock
from stillframe.cdp_types import runtime
from stillframe.model.options import Observe, parse_options


async def quiet_page(page: Page, site: Site) -> None:
    await page.goto(site.html("/it.html", "<button id=go>go</button><p id=out></p><div id=more></div>"))


@pytest.mark.parametrize("observe", sampled(OBSERVED, ("calls",)))
async def test_a_context_destroyed_in_mid_fence(page: Page, site: Site, observe: Observe) -> None:
    await quiet_page(page, site)
    site.html("/next.html", "there")
    options = parse_options({"observe": observe, "timeout_ms": TIMEOUT_MS})
    fences = 0
    send = page._settler._fences.send

    def fence(*asked: Any) -> None:
        nonlocal fences
        fences += 1
        send(*asked)
        if fences == 1:
            page.cdp_session.post(runtime.Evaluate(expression="void (location = '/next.html')"))

    page._settler._fences.send = fence  # type: ignore[method-assign]
    async with page._settler.armed(options) as settling:
        verdict = await settling.verdict()
    assert (verdict.stable, verdict.reason) == (True, "navigated"), verdict
    assert fences >= 2


async def crash(page: Page) -> None:
    page.cdp_session.post(runtime.Evaluate(expression="0"))
    await asyncio.gather(page.cdp_session.call("Page.crash"), return_exceptions=True)


async def hang(page: Page) -> None:
    page.cdp_session.post(runtime.Evaluate(expression="for (;;);"), timeout=None)


async def close(page: Page) -> None:
    await page.close()


async def detach(page: Page) -> None:
    await page.cdp_session.detach()


ENDS = {
    crash: ("crashed",),
    hang: ("hung", "timeout"),
    close: ("closed",),
    detach: ("closed",),
}


async def end_it(page: Page, end: Any) -> asyncio.Task[None]:
    return asyncio.create_task(end(page), name="end of the page")


CASES = [
    (moment, end, observe) for moment in ("arming", "settling", "noise") for end in ENDS for observe in OBSERVED[::2]
]


# tests/settling/test_settler.py and its serial tests end a page in mid-wait in each way.
@pytest.mark.every_row
@pytest.mark.parametrize(
    ("moment", "end", "observe"), sampled(CASES, (("arming", detach, "calls"), ("noise", crash, "calls")))
)
async def test_a_target_that_goes_away(browser: Browser, site: Site, moment: str, end: Any, observe: Observe) -> None:
    async with await browser.new_context() as context:
        page = await context.new_page()
        await quiet_page(page, site)
        options = parse_options({"observe": observe, "timeout_ms": TIMEOUT_MS, "horizon_ms": HORIZON_MS})
        ending = None
        clock = loop_clock()
        started = clock.now()
        if moment == "arming":
            ending = await end_it(page, end)
        async with page._settler.armed(options) as settling:
            if moment == "settling":
                ending = await end_it(page, end)
            verdict = await settling.verdict()
            if moment == "noise":
                ending = await end_it(page, end)
            await page._settler.noise()
        assert (clock.now() - started) * 1000 <= 2 * TIMEOUT_MS + GRACE_MS, verdict
        assert ending is not None
        await asyncio.gather(ending, return_exceptions=True)
        if moment == "noise":
            assert verdict.stable
        else:
            assert verdict.reason in ENDS[end], verdict
            assert not verdict.stable
    # The browser and everything else in it continue to work.
    async with await browser.new_context() as context, await context.new_page() as other:
        await assert_usable(other, site, observe)


@pytest.mark.parametrize("observe", sampled(OBSERVED, ("calls",)))
async def test_a_crashed_page_can_be_loaded_again(page: Page, site: Site, observe: Observe) -> None:
    await quiet_page(page, site)
    options = parse_options({"observe": observe, "timeout_ms": TIMEOUT_MS})
    async with page._settler.armed(options) as settling:
        ending = await end_it(page, crash)
        assert (await settling.verdict()).reason == "crashed"
    await ending
    await assert_usable(page, site, observe)
