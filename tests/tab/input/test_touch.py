"""One finger: taps, long presses and swipes as a real page receives them."""

from __future__ import annotations

import pytest

from acting import perform
from sampling import sampled
from site_server import Site
from stillframe.api.browser import Page
from stillframe.model.actions import Click, LongPress, Swipe, Tap
from stillframe.tab.input.attempt import Attempt

STILL = """new Promise((done) => {
  let last = NaN;
  const later = () => { last = scrollY; requestAnimationFrame(() => requestAnimationFrame(look)); };
  const look = () => (last === scrollY && scrollY !== 1500 ? done(last) : later());
  look();
})"""
"""Resolves to the scroll offset once it has left where it was and stood still for two frames."""


async def test_tap(page: Page, site: Site) -> None:
    await page.goto(site.url("/act/touch.html"))
    await perform(Attempt(page._tab), Tap(selector="#b"))
    assert await page.evaluate("log") == ["touchstart b", "touchend b", "click b"]


async def test_long_press(page: Page, site: Site) -> None:
    await page.goto(site.url("/act/touch.html"))
    await perform(Attempt(page._tab), LongPress(selector="#b", duration_ms=1000))
    assert await page.evaluate("log") == ["touchstart b", "contextmenu b", "touchend b"]
    await perform(Attempt(page._tab), Tap(selector="#b"))
    assert (await page.evaluate("log"))[3:] == ["touchstart b", "touchend b", "click b"]


async def test_the_mouse_is_answered_after_a_long_press(page: Page, site: Site) -> None:
    await page.goto(site.url("/act/touch.html"))
    await perform(Attempt(page._tab), LongPress(selector="#b", duration_ms=10))
    for _ in range(2):
        await perform(Attempt(page._tab), Click(selector="#b", timeout_ms=5000))
    # A press this short is a tap, which clicks as well, unless a busy machine makes it longer.
    assert (await page.evaluate("log")).count("click b") in (2, 3)


@pytest.mark.parametrize(("direction", "sign"), sampled((("down", 1), ("up", -1)), (("down", 1),)))
async def test_a_swipe_goes_its_way_through_the_content(page: Page, site: Site, direction: str, sign: int) -> None:
    """`down` goes down the content, so the finger goes up; and the content does not fly on."""
    await page.goto(site.url("/act/touch.html"))
    await page.evaluate("scrollTo(0, 1500)")
    height = await page.evaluate("innerHeight")
    await perform(Attempt(page._tab), Swipe(direction=direction))  # type: ignore[arg-type]
    moved = (await page.evaluate(STILL) - 1500) * sign
    assert height * 0.35 < moved < height * 0.75
