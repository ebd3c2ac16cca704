"""Pages that tamper with functions the engine might use: they settle like any other page."""

from __future__ import annotations

import pytest
from hostile import READ, SIGHTED, assert_usable, named, settle

from sampling import sampled
from site_server import Site
from stillframe.api.browser import Page
from stillframe.model.options import Observe

TELLING = ("prototype", "timers")
"""What most of the engine's scripts stand on."""
HORIZON_MS = 3000
"""Long enough for a busy machine; the pages are still after their click."""


@pytest.mark.every_row
@pytest.mark.parametrize("observe", sampled(SIGHTED, ("calls",)))
@pytest.mark.parametrize("what", sampled(named("tamper-"), TELLING))
async def test_a_page_that_tampers_is_waited_for(page: Page, site: Site, what: str, observe: Observe) -> None:
    await page.goto(site.url(f"/hostile/tamper-{what}.html"))
    verdict = await settle(page, "go", observe, horizon_ms=HORIZON_MS)
    assert (verdict.stable, verdict.reason) == (True, "quiet"), verdict
    assert await page._tab.frames.main.evaluate(READ) == "went"
    await assert_usable(page, site, observe)
