"""Every tab gets its frames, on display or not: a fence that has to wait for its fall-back has seen none."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

import stillframe
from sampling import sampled
from site_server import Site
from stillframe.api.browser import Browser, Page
from stillframe.cdp_types import browser as cdp_browser
from stillframe.model.actions import Click

CLICKS = 4
"""Chrome gives a tab three frames that nobody draws, and then one a second."""

BUTTON = "<button onclick='this.textContent += 1'>go</button>"

FRAMES = """
new Promise((resolve) => {
  let frames = 0;
  const count = () => requestAnimationFrame(() => { frames++; count(); });
  count();
  setTimeout(() => resolve(frames), 400);
})
"""


async def frames_of(pages: Iterable[Page]) -> list[int]:
    """How many frames each page gets within 400 ms while it settles; throttled it would get none, or one."""
    counts = []
    for page in pages:
        with page._tab.drawing.kept():
            counts.append(await page.evaluate(FRAMES))
    return counts


async def click_all(pages: Iterable[Page]) -> None:
    for _ in range(CLICKS):
        for page in pages:
            result = await page.execute_sequence([Click("button")])
            assert result.stable, result.reason


async def window_of(page: Page) -> int:
    command = cdp_browser.GetWindowForTarget(target_id=page.target_id)
    return (await page.browser._connection.root.send(command)).window_id


async def test_all_tabs_of_a_context_are_drawn(browser: Browser, site: Site) -> None:
    url = site.html("/start", BUTTON)
    async with await browser.new_context() as context:
        pages = [await context.new_page(url) for _ in range(2)]
        assert len({await window_of(page) for page in pages}) == len(pages)
        await click_all(pages)
        # Without the help that tabs in one window need.
        assert min([await page.evaluate(FRAMES) for page in pages]) > 5


TAB, WINDOW = "window.open('/start')", "window.open('/start', '_blank', 'popup,width=300,height=200')"


# Tabs share a window, so there is always one that is not shown.
@pytest.mark.parametrize("how", sampled((TAB, WINDOW), (TAB,)))
async def test_popups_and_their_openers_are_drawn_while_they_are_worked_on(page: Page, site: Site, how: str) -> None:
    await page.goto(site.html("/start", BUTTON + f'<a onclick="{how}">more</a>'))
    await page.execute_sequence([Click("a")])
    pages = [page, *page.popups]
    assert len(pages) == 2
    await click_all(pages)
    assert min(await frames_of(pages)) > 5


@pytest.mark.browser
async def test_tabs_of_somebody_elses_browser_are_drawn_while_they_are_worked_on(site: Site) -> None:
    url = site.html("/start", BUTTON + "<a onclick=\"window.open('/start')\">more</a>")
    async with stillframe.launch(port=0) as theirs:
        first = await theirs.new_page(url)
        await first.execute_sequence([Click("a")])
        assert len(theirs.pages) == 2
        assert theirs.info.endpoint is not None
        async with stillframe.connect(theirs.info.endpoint) as browser:
            pages = [await browser.page(each.target_id) for each in theirs.pages]
            pages.append(await browser.new_page(url))
            await click_all(pages)
            assert min(await frames_of(pages)) > 5
