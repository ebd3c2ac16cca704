"""The mouse by coordinates: what is at a point gets the events, and a point outside of the viewport none."""

from __future__ import annotations

import pytest

from site_server import Site
from stillframe import MouseClick, MouseDrag, MouseMove, MouseWheel
from stillframe.api.browser import Page
from stillframe.errors import DropMissed

CANVAS = """
<body style="margin: 0">
<canvas id=c width=300 height=200 style="display: block; background: #eee"></canvas><p id=seen>nothing</p>
<script>
const told = []
const tell = (event) => {
  told.push([event.type, event.clientX, event.clientY, event.button, event.shiftKey].join(' '))
  seen.textContent = told.slice(-3).join(', ')
}
for (const name of ['click', 'dblclick', 'contextmenu']) c.addEventListener(name, tell)
</script>"""


async def test_a_click_reaches_what_is_at_the_point_and_its_effect_is_reported(page: Page, site: Site) -> None:
    await page.goto(site.html("/canvas", CANVAS))
    result = await page.mouse_click(40, 60)
    assert result.state_change is not None
    assert [row.to for row in result.state_change.changed] == ["click 40 60 0 false"]
    await page.mouse_click(10, 20, button="right")
    assert await page.locator("#seen").text() == "click 40 60 0 false, contextmenu 10 20 2 false"
    await page.execute_sequence([MouseClick(1, 2, click_count=2, modifiers=["Shift"])])
    assert (await page.locator("#seen").text()).endswith("click 1 2 0 true, dblclick 1 2 0 true")


async def test_the_mouse_moves_and_hovers(page: Page, site: Site) -> None:
    body = '<style>#b:hover { width: 90px }</style><div id=b style="width: 50px; height: 50px; background: red"></div>'
    await page.goto(site.html("/hover", body))
    await page.mouse_move(20, 20)
    assert await page.evaluate("b.matches(':hover')") is True
    await page.execute_sequence([MouseMove(300, 300)])
    assert await page.evaluate("b.matches(':hover')") is False


async def test_the_wheel_turns_where_it_is(page: Page, site: Site) -> None:
    lists = "".join(
        f'<div id={name} style="height: 100px; overflow: auto"><div style="height: 900px">{name}</div></div>'
        for name in ("one", "two")
    )
    await page.goto(site.html("/lists", f'<body style="margin: 0">{lists}'))
    await page.mouse_wheel(20, 150, delta_y=200)
    assert await page.evaluate("[one.scrollTop, two.scrollTop]") == [0, 200]
    await page.execute_sequence([MouseWheel(20, 150, delta_y=-50), MouseWheel(20, 50, delta_y=30)])
    assert await page.evaluate("[one.scrollTop, two.scrollTop]") == [30, 150]


async def test_a_drag_by_points_draws_with_the_mouse(page: Page, site: Site) -> None:
    script = """<body style="margin: 0"><div id=d style="position: absolute; left: 10px; top: 10px; width: 40px;
    height: 40px; background: blue"></div><script>
    let from = null
    d.onpointerdown = (e) => { from = [e.clientX - d.offsetLeft, e.clientY - d.offsetTop] }
    onpointermove = (e) => {
      if (from) { d.style.left = e.clientX - from[0] + 'px'; d.style.top = e.clientY - from[1] + 'px' }
    }
    onpointerup = () => { from = null }
    </script>"""
    await page.goto(site.html("/moves", script))
    await page.mouse_drag(20, 20, 220, 120)
    assert await page.evaluate("[d.offsetLeft, d.offsetTop]") == [210, 110]


async def test_a_drag_by_points_carries_what_the_browser_drags(page: Page, site: Site) -> None:
    body = """<body style="margin: 0"><div id=a draggable=true style="width: 50px; height: 50px">a</div>
    <div id=z style="width: 200px; height: 100px">zone</div>
    <script>a.ondragstart = (e) => e.dataTransfer.setData('text/plain', 'cargo')
    z.ondragover = (e) => e.preventDefault()
    z.ondrop = (e) => { z.textContent = e.dataTransfer.getData('text/plain') }</script>"""
    await page.goto(site.html("/carries", body))
    result = await page.execute_sequence([MouseDrag(20, 20, 50, 90)])
    assert result.failed is None
    assert await page.locator("#z").text() == "cargo"
    with pytest.raises(DropMissed):
        await page.mouse_drag(20, 20, 400, 300)


async def test_a_click_reaches_into_a_frame_of_another_site(page: Page, site: Site) -> None:
    inner = site.html("/inner", "<body style='margin: 0'><button onclick=\"this.textContent='hit'\">press</button>")
    other = inner.replace("127.0.0.1", "localhost")
    await page.goto(site.html("/outer", f"<body style='margin: 0'><iframe src='{other}'></iframe>"))
    await page.wait_for("frame=iframe >> button")
    box = await page.locator("frame=iframe >> button").box()
    assert box is not None
    await page.mouse_click(box.x + box.width / 2, box.y + box.height / 2)
    assert await page.locator("frame=iframe >> button").text() == "hit"


@pytest.mark.every_row
@pytest.mark.parametrize(
    "action",
    [
        MouseClick(100_000, 10),
        MouseMove(10, 100_000),
        MouseDrag(10, 10, 100_000, 10),
        MouseWheel(100_000, 1, delta_y=1),
    ],
    ids=lambda action: action.kind,
)
async def test_a_point_outside_of_the_viewport_fails_and_nothing_is_pressed(page: Page, site: Site, action) -> None:
    script = "<script>onpointerdown = () => { document.title = 'pressed' }</script>"
    await page.goto(site.html("/outside", script))
    result = await page.execute_sequence([action])
    assert result.failed is not None
    assert result.failed.code == "point_outside"
    assert "100000" in result.failed.error
    assert "CSS pixels" in result.failed.error
    assert await page.title() != "pressed"
