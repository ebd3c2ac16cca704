"""Acting inside frames of the same and of another process, and inside closed shadow roots."""

from __future__ import annotations

import pytest

from acting import locate, perform
from site_server import Site
from stillframe.api.browser import Page
from stillframe.errors import ElementCovered
from stillframe.model.actions import Click, DoubleClick, PressKey, SetValue, Tap, TypeText
from stillframe.tab.deadline import Deadline
from stillframe.tab.input.attempt import Attempt
from stillframe.tab.javascript import caller_scripts

FRAMES = ["same", "other", "scaled"]


@pytest.fixture
async def framed(page: Page, site: Site) -> Page:
    await page.goto(site.url("/act/frames.html"))
    return page


async def inside(page: Page, frame: str, expression: str) -> object:
    found = (await locate(page._tab, f"frame=#{frame} >> body")).frame
    return await caller_scripts.evaluate(found, expression, deadline=Deadline(30))


async def test_clicks_reach_into_frames(framed: Page) -> None:
    for frame in FRAMES:
        for action in (Click, Tap):
            await perform(Attempt(framed._tab), action(selector=f"frame=#{frame} >> #b"))
    assert {frame: await inside(framed, frame, "log") for frame in FRAMES} == dict.fromkeys(FRAMES, ["clicked"] * 2)


async def test_values_and_keys_reach_into_frames(framed: Page) -> None:
    for frame in FRAMES:
        field = f"frame=#{frame} >> #field"
        await perform(Attempt(framed._tab), SetValue(selector=field, value="日本"))
        await perform(Attempt(framed._tab), TypeText(selector=field, text="ab"))
        await perform(Attempt(framed._tab), PressKey(key="Backspace"))
        assert await inside(framed, frame, "[field.value, log.join()]") == ["日本a", "a,b,Backspace"], frame


async def test_a_cover_of_the_frame_covers_what_is_in_it(framed: Page) -> None:
    await framed.evaluate("overlay.style.display = 'block'")
    for frame in FRAMES:
        with pytest.raises(ElementCovered, match="div#overlay"):
            await perform(Attempt(framed._tab), Click(selector=f"frame=#{frame} >> #b"), timeout=0.3)


async def test_an_editor_in_a_frame(page: Page, site: Site) -> None:
    await page.goto(site.url("/act/editor.html"))
    await perform(Attempt(page._tab), SetValue(selector="frame=#editor >> #second", value="zwei"))
    paragraphs = "[...document.querySelectorAll('p')].map(p => p.innerText)"
    assert await inside(page, "editor", paragraphs) == ["one", "zwei"]
    await perform(Attempt(page._tab), SetValue(selector="frame=#editor >> body", value="all new"))
    assert await inside(page, "editor", "document.body.innerText.trim()") == "all new"


async def test_closed_shadow_roots(page: Page, site: Site) -> None:
    await page.goto(site.url("/act/shadow.html"))
    await perform(Attempt(page._tab), SetValue(selector="#in-closed-closed", value="deep"))
    await perform(Attempt(page._tab), Click(selector="#in-closed"))
    await perform(Attempt(page._tab), DoubleClick(selector="role=button[name='Buy now']"))
    assert await page.evaluate("[deepValue(), ...log]") == ["deep", "in-closed", "slotted", "slotted"]
