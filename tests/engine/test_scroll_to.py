"""Scroll to an element or to an edge."""

from __future__ import annotations

import pytest

from site_server import Site
from stillframe import ScrollTo
from stillframe.api.browser import Page
from stillframe.errors import ElementNotFound

LONG = """<h1>Top</h1><div id=list style="height: 100px; overflow: auto">
<div style="height: 1000px; width: 2000px">list <button id=inner style="margin-top: 700px">inner</button></div></div>
<div style="height: 5000px">long</div><button id=end>end</button>"""


async def test_an_element_comes_into_view(page: Page, site: Site) -> None:
    await page.goto(site.html("/long", LONG))
    await page.scroll_to("#end")
    box = await page.locator("#end").box()
    assert box is not None
    assert 0 <= box.y < await page.evaluate("innerHeight")
    await page.locator("#inner").scroll_to()
    assert await page.evaluate("list.scrollTop") > 0
    with pytest.raises(ElementNotFound):
        await page.scroll_to("#nothing", action_timeout_ms=50)


async def test_the_page_scrolls_to_its_edges(page: Page, site: Site) -> None:
    await page.goto(site.html("/edges", LONG))
    await page.scroll_to(edge="bottom")
    assert await page.evaluate("Math.ceil(scrollY + innerHeight) >= document.documentElement.scrollHeight")
    await page.execute_sequence([ScrollTo(edge="top")])
    assert await page.evaluate("scrollY") == 0


async def test_what_contains_an_element_scrolls_to_its_edges(page: Page, site: Site) -> None:
    await page.goto(site.html("/pane", LONG))
    await page.scroll_to("#inner", edge="bottom")
    assert await page.evaluate("list.scrollTop + list.clientHeight === list.scrollHeight")
    await page.scroll_to("#list", edge="right")
    assert await page.evaluate("list.scrollLeft + list.clientWidth === list.scrollWidth")
    assert await page.evaluate("scrollY") == 0
    await page.scroll_to("#end", edge="bottom")
    assert await page.evaluate("scrollY") > 0


async def test_a_page_whose_body_is_a_pane_scrolls_that(page: Page, site: Site) -> None:
    body = """<style>html, body { margin: 0; height: 100%; overflow: hidden }</style>
    <main id=main style="height: 100%; overflow: auto"><div style="height: 4000px">app</div></main>"""
    await page.goto(site.html("/app", body))
    await page.scroll_to(edge="bottom")
    assert await page.evaluate("main.scrollTop + main.clientHeight === main.scrollHeight")


async def test_what_comes_by_scrolling_is_reported(page: Page, site: Site) -> None:
    body = """<div style="height: 3000px">long</div><ul id=rows></ul><div id=mark>mark</div><script>
    new IntersectionObserver((seen) => {
      if (seen[0].isIntersecting) rows.insertAdjacentHTML('beforeend', '<li><button>More</button></li>')
    }).observe(mark)</script>"""
    await page.goto(site.html("/lazy", body))
    result = await page.scroll_to(edge="bottom")
    assert result.state_change is not None
    assert "More" in str(result.state_change)
