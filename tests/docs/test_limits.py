"""What stillframe does not do, as docs/reference/limits.md says, and what the page says to do instead."""

from __future__ import annotations

from typing import Any

import pytest

from stillframe.api.browser import Page
from stillframe.demo import Shop
from stillframe.model.actions import Click, Hover, Navigate, WaitFor

TIMER = """data:text/html,<button id=go onclick="setTimeout(() => document.body.append('news'), 300)">go</button>"""
NEWS = """new Promise((resolve) => {
  const look = () => document.body.textContent.includes("news") ? resolve() : requestAnimationFrame(look);
  look();
})"""


async def test_observing_the_dom_misses_a_bare_timer_and_tells_of_it_the_next_time(page: Page) -> None:
    await page.goto(TIMER)
    missed = await page.execute_sequence([Click("#go")], observe="dom")
    assert (missed.stable, missed.state_change) == (True, None)
    await page.evaluate(NEWS)
    assert [late.what for late in (await page.execute_sequence([Hover("#go")])).late] == ["body"]


@pytest.mark.parametrize(
    ("more", "options"),
    [((), {}), ((), {"settle": "quiet"}), ((WaitFor(text="news"),), {"observe": "dom"})],
)
async def test_a_bare_timer_is_seen(page: Page, more: tuple[WaitFor, ...], options: dict[str, Any]) -> None:
    await page.goto(TIMER)
    result = await page.execute_sequence([Click("#go"), *more], **options)
    assert result.state_change is not None
    assert [row.to for row in result.state_change.changed] == ["news"]


async def test_another_document_is_reported_by_its_topmost_elements(page: Page) -> None:
    async with Shop() as shop:
        await page.goto(shop.url("/login"))
        change = (await page.execute_sequence([Navigate(shop.url("/join"))])).state_change
        await page.goto("about:blank")
    assert change is not None
    assert change.url is not None
    assert change.changed == ()
    words = [row.text for row in change.appeared]
    assert any("Join" in text for text in words), words
    assert change.disappeared
