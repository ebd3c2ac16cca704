"""Places within elements, drags by an offset, buttons and click counts, also where boxes are drawn otherwise."""

from __future__ import annotations

import pytest

from acting import perform
from sampling import sampled
from site_server import Site
from stillframe.api.browser import Page
from stillframe.errors import ActionFailed, ActionInvalid, ElementUnsuitable
from stillframe.model.action_list import parse_actions
from stillframe.model.actions import (
    Action,
    Click,
    DoubleClick,
    DragTo,
    Hover,
    LongPress,
    Offset,
    Position,
    RightClick,
    Tap,
)
from stillframe.tab.deadline import Deadline
from stillframe.tab.input.attempt import Attempt
from stillframe.tab.javascript import caller_scripts

GRID = """<style>
  body { margin: 0 }
  #grid { position: relative; width: 200px; height: 200px; border: 10px solid #ccc; user-select: none }
  #grid i { position: absolute; width: 20px; height: 20px }
</style>
<script>
  window.log = [];
  const grid = document.querySelector("#grid");
  for (let n = 0; n < 100; n++) {
    const cell = document.createElement("i");
    cell.style.cssText = `left: ${n % 10 * 20}px; top: ${Math.floor(n / 10) * 20}px`;
    cell.dataset.cell = `${n % 10},${Math.floor(n / 10)}`;
    grid.append(cell);
  }
  for (const type of ["mousemove", "mousedown", "mouseup", "click", "dblclick", "auxclick", "contextmenu",
    "touchstart"]) {
    addEventListener(type, (e) => log.push(`${type} ${e.target.dataset?.cell}`));
  }
</script>"""
DRAWN = {
    "plain": "",
    "scrolled": "margin: 1500px 0 1500px 900px",
    "scaled": "transform: scale(0.5) translate(100px, 60px)",
    "rotated": "margin: 100px; transform: rotate(30deg)",
    "skewed": "margin: 100px; transform: skew(20deg, 10deg)",
    "perspective": "margin: 100px; transform: perspective(400px) rotateY(50deg)",
    "zoomed": "zoom: 1.5; margin: 30px",
    "zoomed out": "zoom: 0.5; margin: 30px",
    "rtl": "direction: rtl; overflow: scroll",
}
"""Ways to draw a box of which a place in it must still be hit."""


def grid(drawn: str) -> str:
    return f"<div id=grid style='{DRAWN[drawn]}'></div>{GRID}"


async def cells(page: Page, type_: str) -> list[str]:
    entries: list[str] = await page.evaluate("log")
    return [entry.split()[1] for entry in entries if entry.split()[0] == type_]


@pytest.mark.parametrize("drawn", DRAWN)
async def test_a_position_is_the_element_s_own(page: Page, site: Site, drawn: str) -> None:
    await page.goto(site.html("/grid", grid(drawn)))
    for x, y in ((30, 150), (170, 10)):
        await page.evaluate("log.length = 0")
        await perform(Attempt(page._tab), Click(selector="#grid", position=Position(x=x, y=y)))
        assert await cells(page, "click") == [f"{x // 20},{y // 20}"]


@pytest.mark.parametrize(
    ("action", "heard"),
    [
        (DoubleClick(selector="#grid", position=Position(x=30, y=50)), "dblclick"),
        (RightClick(selector="#grid", position=Position(x=30, y=50)), "contextmenu"),
        (Click(selector="#grid", position=Position(x=30, y=50), button="right"), "contextmenu"),
        (Click(selector="#grid", position=Position(x=30, y=50), button="middle"), "auxclick"),
        (Hover(selector="#grid", position=Position(x=30, y=50)), "mousemove"),
        (Tap(selector="#grid", position=Position(x=30, y=50)), "touchstart"),
        (LongPress(selector="#grid", position=Position(x=30, y=50)), "touchstart"),
        (DragTo(selector="#grid", source_position=Position(x=30, y=50), offset=Offset(x=40, y=0)), "mousedown"),
    ],
    ids=lambda value: value.kind + getattr(value, "button", "") if isinstance(value, Action) else None,
)
async def test_every_action_of_the_pointer_takes_one(page: Page, site: Site, action: Action, heard: str) -> None:
    await page.goto(site.html("/grid", grid("rotated")))
    await perform(Attempt(page._tab), action)
    assert set(await cells(page, heard)) >= {"1,2"}


async def test_drags_from_place_to_place_and_by_an_offset(page: Page, site: Site) -> None:
    await page.goto(site.html("/grid", grid("scaled")))
    source, target = Position(x=30, y=50), Position(x=170, y=190)
    await perform(
        Attempt(page._tab), DragTo(selector="#grid", target="#grid", source_position=source, target_position=target)
    )
    assert (await cells(page, "mousedown"), await cells(page, "mouseup")) == (["1,2"], ["8,9"])
    await page.evaluate("log.length = 0")
    # 40 pixels of the page are 80 of the box.
    await perform(Attempt(page._tab), DragTo(selector="#grid", source_position=source, offset=Offset(x=40, y=-20)))
    assert (await cells(page, "mousedown"), await cells(page, "mouseup")) == (["1,2"], ["5,0"])


async def test_a_position_outside_is_refused_with_the_size(page: Page, site: Site) -> None:
    await page.goto(site.html("/grid", grid("zoomed")))
    for position in (Position(x=200, y=50), Position(x=50, y=200), Position(x=5000, y=5000)):
        for action in (Click(selector="#grid", position=position), Hover(selector="#grid", position=position)):
            with pytest.raises(ElementUnsuitable, match=r"measures 200 × 200 CSS pixels.*is outside"):
                await perform(Attempt(page._tab), action)
    assert await cells(page, "mousemove") == []


@pytest.mark.parametrize(
    ("action", "words"),
    [
        ({"action": "click_element", "selector": "#a", "position": {"x": -1, "y": 2}}, "position.x"),
        ({"action": "click_element", "selector": "#a", "position": {"x": 1}}, "y"),
        ({"action": "click_element", "selector": "#a", "clickCount": 0}, "clickCount"),
        ({"action": "click_element", "selector": "#a", "button": "fourth"}, "button"),
        ({"action": "drag_to", "selector": "#a"}, "exactly one of target and offset"),
        ({"action": "drag_to", "selector": "#a", "target": "#b", "offset": {"x": 1, "y": 1}}, "exactly one of"),
        (
            {"action": "drag_to", "selector": "#a", "offset": {"x": 1, "y": 1}, "targetPosition": {"x": 1, "y": 1}},
            "only with a target",
        ),
        ({"action": "drag_to", "selector": "#a", "offset": {"x": float("nan"), "y": 1}}, "offset.x|position.x"),
        ({"action": "click_element", "selector": "#a", "position": {"x": float("inf"), "y": 1}}, "offset.x|position.x"),
    ],
)
def test_what_cannot_be_meant_is_refused_before(action: dict[str, object], words: str) -> None:
    with pytest.raises(ActionInvalid, match=words):
        parse_actions([action])


@pytest.mark.parametrize("names", [("sourcePosition", "targetPosition"), ("source_position", "target_position")])
def test_the_names_in_a_dict(names: tuple[str, str]) -> None:
    source, target = names
    drag_to = {"action": "drag_to", "selector": "#a", "target": "#b"}
    [drag] = parse_actions([drag_to | {source: {"x": 1, "y": 2}, target: {"x": 3, "y": 4}}])
    assert drag == DragTo(
        selector="#a", target="#b", source_position=Position(x=1, y=2), target_position=Position(x=3, y=4)
    )


@pytest.mark.parametrize(
    ("count", "selected"), [(1, ""), (2, "second"), (3, "First second third."), (4, "First second third.")]
)
async def test_click_counts_select(page: Page, site: Site, count: int, selected: str) -> None:
    await page.goto(
        site.html(
            "/text",
            """<p id=p style="position:absolute;left:0;top:50px">First second third.</p>
      <p style="position:absolute;top:200px">Other.<script>window.log = [];
      p.addEventListener("click", (e) => log.push(e.detail))</script>""",
        )
    )
    await perform(Attempt(page._tab), Click(selector="#p", click_count=count))
    assert (await page.evaluate("String(getSelection()).trim()")) == selected
    assert await page.evaluate("log") == list(range(1, count + 1))


async def test_modifiers_of_double_and_right_clicks(page: Page, site: Site) -> None:
    await page.goto(
        site.html(
            "/mods",
            """<button id=b>B</button><script>window.log = [];
      for (const type of ["dblclick", "contextmenu"]) b.addEventListener(type, (e) =>
      log.push([type, e.shiftKey, e.altKey]))
      </script>""",
        )
    )
    await perform(Attempt(page._tab), DoubleClick(selector="#b", modifiers=("Shift",)))
    await perform(Attempt(page._tab), RightClick(selector="#b", modifiers=("Alt",)))
    assert await page.evaluate("log") == [["dblclick", True, False], ["contextmenu", False, True]]


async def test_a_position_that_is_covered(page: Page, site: Site) -> None:
    await page.goto(
        site.html(
            "/cover",
            grid("plain")
            + """<div id=over style="position:absolute;left:0;top:0;width:100px;
      height:300px"></div>""",
        )
    )
    with pytest.raises(ActionFailed, match="div#over"):
        await perform(Attempt(page._tab), Click(selector="#grid", position=Position(x=30, y=50)), timeout=0.4)
    await perform(Attempt(page._tab), Click(selector="#grid", position=Position(x=130, y=50)))
    assert await cells(page, "click") == ["6,2"]


async def test_a_position_far_down_a_tall_element(page: Page, site: Site) -> None:
    await page.goto(
        site.html(
            "/tall",
            """<div style="height:300px;overflow:auto;margin-top:1200px">
      <div id=tall style="height:9000px;width:5000px"></div></div><script>window.log = [];
      tall.onclick = (e) => log.push(`${e.offsetX},${e.offsetY}`)</script>""",
        )
    )
    await perform(Attempt(page._tab), Click(selector="#tall", position=Position(x=4000, y=8000)))
    assert await page.evaluate("log") == ["4000,8000"]


async def test_svg_shapes(page: Page, site: Site) -> None:
    await page.goto(
        site.html(
            "/svg",
            """<svg width=300 height=300><rect id=r x=100 y=50 width=100 height=80 /></svg>
      <script>window.log = []; document.querySelector("#r").addEventListener("click",
      (e) => log.push(`${Math.round(e.offsetX)},${Math.round(e.offsetY)}`))</script>
      <style>body { margin: 0 }</style>""",
        )
    )
    await perform(Attempt(page._tab), Click(selector="#r", position=Position(x=90, y=70)))
    assert await page.evaluate("log") == ["190,120"]


# -- frames --------------------------------------------------------------------------------------

TRANSFORMS = {
    "scaled": "transform: scale(0.6)",
    "rotated": "transform: rotate(25deg)",
    "turned": "transform: perspective(600px) rotateY(40deg)",
    "tumbled": "transform: perspective(500px) rotateX(30deg) rotateY(-30deg) rotateZ(10deg)",
    "skewed": "transform: skew(15deg, -10deg)",
    "zoomed": "zoom: 1.4",
    "padded": "padding: 20px 5px 1px 30px; border: 9px solid; box-sizing: border-box",
}


@pytest.mark.every_row
@pytest.mark.parametrize("host", sampled(("127.0.0.1", "localhost"), ("localhost",)))
@pytest.mark.parametrize("drawn", sampled(TRANSFORMS, ("tumbled",)))
async def test_frames_however_they_are_drawn(page: Page, site: Site, drawn: str, host: str) -> None:
    site.html("/inner", grid("plain"))
    await page.goto(
        site.html(
            "/outer",
            f"""<style>body {{ margin: 60px }}</style><iframe id=f width=400 height=300
      style="{TRANSFORMS[drawn]}" src="{site.url("/inner", host=host)}"></iframe>""",
        )
    )
    for x, y in ((30, 150), (170, 10), (10, 10), (190, 190)):
        await perform(Attempt(page._tab), Click(selector="frame=#f >> #grid", position=Position(x=x, y=y)))
        frame = next(frame for frame in page._tab.frames if not frame.is_main)
        assert (
            await caller_scripts.evaluate(frame, "log.at(-1)", deadline=Deadline(30))
        ) == f"click {x // 20},{y // 20}"


@pytest.mark.parametrize(
    ("middle", "inner"),
    sampled(
        [
            ("127.0.0.1", "localhost"),
            ("localhost", "localhost"),
            ("127.0.0.1", "127.0.0.1"),
            ("localhost", "127.0.0.1"),
        ],
        [("localhost", "127.0.0.1")],
    ),
)
async def test_frames_in_frames(page: Page, site: Site, middle: str, inner: str) -> None:
    site.html("/inner", "<div style='height:900px'></div>" + grid("rotated"))
    site.html(
        "/middle",
        f"""<div style="height:900px"></div><iframe id=g width=400 height=350
      style="transform: perspective(500px) rotateX(20deg)" src="{site.url("/inner", host=inner)}"></iframe>
      <div style="height:900px">""",
    )
    await page.goto(
        site.html(
            "/outer",
            f"""<div style="height:900px"></div><iframe id=f width=600 height=400
      style="transform: perspective(900px) rotateY(20deg) scale(.8)" src="{site.url("/middle", host=middle)}"></iframe>
      <div style="height:900px">""",
        )
    )
    await perform(Attempt(page._tab), Click(selector="frame=#f >> frame=#g >> #grid", position=Position(x=150, y=70)))
    frame = next(frame for frame in page._tab.frames if frame.url.endswith("/inner"))
    assert (await caller_scripts.evaluate(frame, "log.at(-1)", deadline=Deadline(30))) == "click 7,3"
