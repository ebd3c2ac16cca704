"""Mouse, wheel and drags as a real page receives them."""

from __future__ import annotations

import pytest

from acting import perform
from site_server import Site
from stillframe.api.browser import Page
from stillframe.errors import ElementNotFound
from stillframe.model.actions import Click, Direction, DoubleClick, DragTo, Hover, Offset, RightClick, Scroll
from stillframe.tab.input.attempt import Attempt
from stillframe.tab.input.mouse import moved, path

REACHES = """new Promise((done) => {{
  const look = () => ({0} === {1} ? done() : requestAnimationFrame(look));
  look();
}})"""
"""Resolves when an offset has a value: the wheel is answered before the page has scrolled."""


@pytest.fixture
async def desk(page: Page, site: Site) -> Page:
    await page.goto(site.url("/act/mouse.html"))
    return page


def test_a_path_ends_where_it_should() -> None:
    assert path((0, 0), (10, 20), 2) == [(5, 10), (10, 20)]


async def test_click(desk: Page) -> None:
    await perform(Attempt(desk._tab), Click(selector="#b"))
    assert await desk.evaluate("log") == [
        "mousemove b 0 0 0 true false",
        "mousedown b 0 1 1 true false",
        "mouseup b 0 0 1 true false",
        "click b 0 0 1 true false",
    ]


async def test_a_button_that_is_down_presses_with_half_the_force(desk: Page) -> None:
    await desk.evaluate("""window.pressed = [];
      for (const type of ["pointerdown", "pointermove", "pointerup"])
        addEventListener(type, (event) => pressed.push(event.pressure), true)""")
    await perform(Attempt(desk._tab), Click(selector="#b"))
    assert await desk.evaluate("pressed.splice(0)") == [0, 0.5, 0]
    await perform(Attempt(desk._tab), DragTo(selector="#b", offset=Offset(x=20, y=20)))
    assert set((await desk.evaluate("pressed"))[1:-1]) == {0.5}


async def test_a_menu_that_opens_under_the_resting_mouse_chooses_what_is_clicked(page: Page, site: Site) -> None:
    # The page does what jQuery UI's autocomplete does: it gives the first move to the item under the resting mouse.
    await page.goto(site.url("/act/autocomplete.html"))
    await page.hover("#q")
    await page.cdp_session.send(moved(60, 90))
    await page.type("#q", "x")
    await page.click("text=four")
    assert await page.locator("#out").text() == "four"


async def test_modifiers(desk: Page) -> None:
    await perform(Attempt(desk._tab), Click(selector="#b", modifiers=("Control",)))
    assert (await desk.evaluate("log"))[-1] == "click b 0 0 1 true true"


async def test_double_click(desk: Page) -> None:
    await perform(Attempt(desk._tab), DoubleClick(selector="#b"))
    assert [line.split()[0] + line.split()[4] for line in (await desk.evaluate("log"))[1:]] == [
        *("mousedown1", "mouseup1", "click1"),
        *("mousedown2", "mouseup2", "click2", "dblclick2"),
    ]


async def test_right_click(desk: Page) -> None:
    await perform(Attempt(desk._tab), RightClick(selector="#menu"))
    log = await desk.evaluate("log")
    assert "contextmenu menu 2" in "\n".join(log)
    assert not any(line.startswith("click") for line in log)


async def test_hover(desk: Page) -> None:
    await perform(Attempt(desk._tab), Hover(selector="#tip"))
    assert "enter" in await desk.evaluate("log")


async def test_a_click_that_navigates_or_alerts_returns(desk: Page) -> None:
    await perform(Attempt(desk._tab), Click(selector="#alerts"))
    assert (await desk.evaluate("log"))[-2:] == ["after", "click alerts 0 0 1 true false"]
    async with desk.cdp_session.expect("Page.frameNavigated", timeout=5):
        await perform(Attempt(desk._tab), Click(selector="#away"))


# -- wheel ---------------------------------------------------------------------------------------


async def test_the_wheel_turns_the_page_not_the_list_on_it(page: Page, site: Site) -> None:
    await page.goto(site.url("/act/scroll.html"))
    await page.evaluate("list.style.position = 'fixed', scrollTo(1000, 1000)")
    # Each from where the one before has left the page.
    ways: dict[Direction, tuple[int, int]] = {
        "down": (1000, 1300),
        "right": (1300, 1300),
        "up": (1300, 1000),
        "left": (1000, 1000),
    }
    for direction, end in ways.items():
        await perform(Attempt(page._tab), Scroll(direction=direction, pixels=300))
        for offset, value in zip(("scrollX", "scrollY"), end, strict=True):
            await page.evaluate(REACHES.format(offset, value), timeout_ms=5000)
    assert await page.evaluate("list.scrollTop") == 0


async def test_the_wheel_over_an_element(page: Page, site: Site) -> None:
    await page.goto(site.url("/act/scroll.html"))
    await perform(Attempt(page._tab), Scroll(selector="#list", pixels=200))
    await page.evaluate(REACHES.format("list.scrollTop", 200), timeout_ms=5000)
    assert await page.evaluate("scrollY") == 0


# -- drags ---------------------------------------------------------------------------------------


async def test_drag_and_drop_of_the_browser(page: Page, site: Site) -> None:
    await page.goto(site.url("/act/drag.html"))
    await perform(Attempt(page._tab), DragTo(selector="#native", target="#zone"))
    assert await page.evaluate("log") == ["dragstart", "drop zone cargo", "dragend"]


async def test_a_drop_below_the_fold(page: Page, site: Site) -> None:
    await page.goto(site.url("/act/drag.html"))
    await perform(Attempt(page._tab), DragTo(selector="#native", target="#below"))
    assert "drop below cargo" in await page.evaluate("log")


async def test_a_drag_by_mouse_events(page: Page, site: Site) -> None:
    await page.goto(site.url("/act/drag.html"))
    await perform(Attempt(page._tab), DragTo(selector="#mouse", target="#zone"))
    assert await page.evaluate("log") == ["dropped on zone"]


async def test_a_drag_the_page_refuses(page: Page, site: Site) -> None:
    await page.goto(site.url("/act/drag.html"))
    await perform(Attempt(page._tab), DragTo(selector="#vetoed", target="#zone"))
    assert await page.evaluate("log") == ["vetoed", "mouseup zone"]


async def test_a_missing_target_is_found_out_before_pressing(page: Page, site: Site) -> None:
    await page.goto(site.url("/act/drag.html"))
    with pytest.raises(ElementNotFound):
        await perform(Attempt(page._tab), DragTo(selector="#native", target="#nope"), timeout=0.1)
    assert await page.evaluate("log") == []
