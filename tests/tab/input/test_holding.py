"""Buttons, fingers and keys that are held: for a while, and together with modifiers."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest

from acting import perform
from site_server import Site
from stillframe.api.browser import Page
from stillframe.errors import ActionInvalid, ElementUnsuitable
from stillframe.model import actions as a
from stillframe.tab.input.attempt import Attempt

HOLD_MS = 80
SHORTEST_MS = HOLD_MS - 20
"""The browser's clock for events is not that of the one who holds."""

PAGE = """
<button id=go oncontextmenu="return false">go</button> <input id=name>
<label id=wide style="display: inline-block; width: 300px; padding: 10px"><input type=checkbox id=box> box</label>
<script>
const log = []
const types = ["mousedown", "mouseup", "click", "dblclick", "auxclick", "keydown", "keyup", "mousemove", "touchstart"]
for (const type of types) addEventListener(type, (event) => log.push([type, event.timeStamp, event.button ?? event.key,
  event.shiftKey, Math.round(event.clientX), event.target.id]), true)
const events = (...types) => log.filter(([type]) => types.includes(type))
</script>
"""


@pytest.fixture
async def desk(page: Page, site: Site) -> Page:
    await page.goto(site.html("/desk", PAGE))
    return page


async def events(page: Page, *types: str) -> list[list[object]]:
    found: list[list[object]] = await page.evaluate("(types) => events(...types)", list(types))
    return found


def gaps(times: list[list[object]]) -> list[float]:
    moments = [float(str(time)) for _, time, *_ in times]
    return [later - earlier for earlier, later in pairwise(moments)]


async def test_a_click_holds_the_button(desk: Page) -> None:
    await desk.click("#go", delay_ms=HOLD_MS)
    (held,) = gaps(await events(desk, "mousedown", "mouseup"))
    assert held >= SHORTEST_MS
    assert len(await events(desk, "click")) == 1


async def test_a_double_click_has_a_button_and_holds_it_each_time(desk: Page) -> None:
    await desk.locator("#go").dblclick(button="middle", delay_ms=HOLD_MS)
    pressed = await events(desk, "mousedown", "mouseup")
    assert [[kind, button] for kind, _, button, *_ in pressed] == [["mousedown", 1], ["mouseup", 1]] * 2
    assert min(gaps(pressed)) >= SHORTEST_MS
    await desk.dblclick("#go", delay_ms=HOLD_MS)
    assert len(await events(desk, "dblclick")) == 1


async def test_a_chord_is_held_each_time(desk: Page) -> None:
    await desk.press("#name", "Shift+A", times=2, delay_ms=HOLD_MS)
    keys = await events(desk, "keydown", "keyup")
    assert [[kind, key] for kind, _, key, *_ in keys] == [
        ["keydown", "Shift"],
        ["keydown", "A"],
        ["keyup", "A"],
        ["keyup", "Shift"],
    ] * 2
    assert all(held >= SHORTEST_MS for held in gaps(keys)[1::4])
    assert await desk.input_value("#name") == "AA"


async def test_what_is_held_is_released_when_the_call_is_cancelled(desk: Page) -> None:
    for action, down, up in (
        (a.Click("#go", delay_ms=60_000), "mousedown", "mouseup"),
        (a.PressKey("#name", "a", delay_ms=60_000), "keydown", "keyup"),
    ):
        task = asyncio.create_task(perform(Attempt(desk._tab), action))
        await desk.wait_for_function("(type) => events(type).length", down)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert len(await events(desk, up)) == 1


async def test_the_hold_is_not_part_of_the_time_limit(desk: Page) -> None:
    """Not even one that lasts longer than the limit and `LATE_S`."""
    await desk.click("#go", delay_ms=1200, action_timeout_ms=500)
    await desk.press("#name", "a", delay_ms=1200, action_timeout_ms=500)
    await desk.long_press("#go", duration_ms=1200, action_timeout_ms=500)
    assert len(await events(desk, "mouseup", "keyup")) == 2


async def test_modifiers_are_held_while_the_mouse_moves_and_a_finger_taps(desk: Page) -> None:
    await desk.hover("#go", modifiers=["Shift"])
    await desk.locator("#go").tap(modifiers=["Shift"])
    await desk.hover("#name")
    moved, touched = await events(desk, "mousemove"), await events(desk, "touchstart")
    assert [[shift, target] for _, _, _, shift, _, target in (moved[0], moved[-1])] == [[True, "go"], [False, "name"]]
    assert [shift for _, _, _, shift, *_ in touched] == [True]


async def test_a_box_is_checked_at_a_position(desk: Page) -> None:
    await desk.check("#wide", position=a.Position(200, 12))
    left = await desk.evaluate("wide.getBoundingClientRect().left")
    ((*_, x, target),) = await events(desk, "mousedown")
    assert target == "wide"
    assert x == pytest.approx(left + 200, abs=1)
    assert await desk.is_checked("#box")
    await desk.set_checked("#wide", False, position=a.Position(150, 12))
    assert not await desk.is_checked("#box")
    with pytest.raises(ElementUnsuitable, match="the position 400, 12 is outside"):
        await desk.check("#wide", position=a.Position(400, 12))


async def test_a_hold_that_is_not_a_time_is_refused(desk: Page) -> None:
    for wrong in (-1, "long", 90_000):
        with pytest.raises(ActionInvalid, match="delay_ms"):
            await desk.click("#go", delay_ms=wrong)  # type: ignore[arg-type]
