"""After each action the watch waits until the page is still, and says what the action led to."""

from __future__ import annotations

import asyncio

from site_server import Site
from stillframe.api.browser import Page
from stillframe.recorder.drafts import Draft, Drafts
from stillframe.recorder.identification import Identification
from stillframe.recorder.page_watch import PageWatch

PAGE = """<button id=go>Go</button><p id=said></p>
<script>go.onclick = () => setTimeout(() => { said.textContent = "Said later"; }, 250)</script>"""


async def watching(page: Page, drafts: Drafts) -> tuple[PageWatch, list[str]]:
    noted: list[str] = []

    async def note() -> None:
        noted.append("noted")

    watch = PageWatch(page, drafts, Identification(page), note)
    await watch.start()
    return watch, noted


async def test_what_comes_later_belongs_to_the_action(page: Page, site: Site) -> None:
    await page.goto(site.html("/later", PAGE))
    drafts = Drafts()
    watch, noted = await watching(page, drafts)
    assert watch.is_idle
    await page.evaluate("go.click()")
    drafts.all.append(Draft(action="click_element"))
    watch.acted()
    assert not watch.is_idle
    await watch.idle()
    await watch.stop()
    assert drafts.all[0].expect == {"text": "Said later"}
    assert noted == ["noted"]


async def test_a_page_that_goes_away_leaves_nobody_waiting(page: Page, site: Site) -> None:
    await page.goto(site.html("/later", PAGE))
    watch, _ = await watching(page, Drafts())
    watch.acted()
    await page.close()
    async with asyncio.timeout(8):
        await watch.idle()
    await watch.stop()


async def test_a_watch_that_never_began_can_be_stopped(page: Page) -> None:
    async def note() -> None:
        raise AssertionError

    await PageWatch(page, Drafts(), Identification(page), note).stop()
