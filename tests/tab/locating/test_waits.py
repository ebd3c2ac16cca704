"""wait_for: selectors in a state, texts and URLs, across documents and frames."""

from __future__ import annotations

import asyncio

import pytest

from acting import perform
from site_server import Site
from stillframe.api.browser import Page
from stillframe.errors import SelectorInvalid, WaitTimeout
from stillframe.model.actions import WaitFor
from stillframe.tab.input.attempt import Attempt

ADD = "add()"
HIDE = "document.querySelector('#late').style.display = 'none'"
REMOVE = "document.querySelector('#late').remove()"


@pytest.mark.parametrize(
    ("state", "before", "then"),
    [
        ("attached", "1", ADD),
        ("visible", "1", ADD),
        ("visible", f"{ADD}, {HIDE}", "document.querySelector('#late').style.display = ''"),
        ("hidden", ADD, HIDE),
        ("hidden", ADD, REMOVE),
        ("detached", ADD, REMOVE),
    ],
)
async def test_each_state_is_waited_for(page: Page, site: Site, state: str, before: str, then: str) -> None:
    await page.goto(site.url("/act/late.html"))
    await page.evaluate(before)
    action = WaitFor(selector="#late", state=state)  # type: ignore[arg-type]
    with pytest.raises(WaitTimeout, match=f"#late did not become {state}"):
        await perform(Attempt(page._tab), action, timeout=0.05)
    wait = asyncio.create_task(perform(Attempt(page._tab), action))
    await page._tab.frames.main.evaluate("1")
    await page.evaluate(then)
    await wait


async def test_a_navigation_on_the_way(page: Page, site: Site) -> None:
    await page.goto(site.url("/act/late.html"))
    wait = asyncio.create_task(perform(Attempt(page._tab), WaitFor(selector="#user"), timeout=10))
    await page.goto(site.url("/act/selectors.html"))
    await wait


async def test_text_in_any_frame(page: Page, site: Site) -> None:
    await page.goto(site.url("/act/frames.html"))
    await perform(Attempt(page._tab), WaitFor(text="outside"))
    with pytest.raises(WaitTimeout, match="'nowhere' did not appear"):
        await perform(Attempt(page._tab), WaitFor(text="nowhere"), timeout=0.05)
    inner = page._tab.frames.by_id[next(f.id for f in page._tab.frames if f.name == "other")]
    wait = asyncio.create_task(perform(Attempt(page._tab), WaitFor(text="in the other")))
    await inner.evaluate("document.body.append('In the other process')")
    await wait


@pytest.mark.slow
async def test_closed_shadow_roots(page: Page, site: Site) -> None:
    await page.goto(site.url("/act/shadow.html"))
    await perform(Attempt(page._tab), WaitFor(selector="#in-closed"))


async def test_url(page: Page, site: Site) -> None:
    await page.goto(site.url("/act/late.html"))
    wait = asyncio.create_task(perform(Attempt(page._tab), WaitFor(url="#done")))
    await page.evaluate("history.pushState(null, '', '#done')")
    await wait
    with pytest.raises(WaitTimeout, match="it is http"):
        await perform(Attempt(page._tab), WaitFor(url="#never"), timeout=0.05)


async def test_bad_syntax(page: Page, site: Site) -> None:
    await page.goto(site.url("/act/late.html"))
    with pytest.raises(SelectorInvalid):
        await perform(Attempt(page._tab), WaitFor(selector="a:b:c"))
