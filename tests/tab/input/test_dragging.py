"""Drags on pages that answer late, in frames of other processes, and where nothing takes the drop."""

from __future__ import annotations

from itertools import chain

import pytest

from acting import perform
from sampling import sampled
from site_server import Site
from stillframe.api.browser import Page
from stillframe.errors import ActionFailed, DropMissed
from stillframe.model.actions import Click, DragTo, Offset, Position, PressKey
from stillframe.tab.input.attempt import Attempt

LATE = """<style>li, #zone { width: 120px; height: 40px; margin: 5px; border: 1px solid; user-select: none }</style>
    <ul id=list><li id=a>a<li id=b>b<li id=c>c</ul><script>
    // As libraries of components do: a move is rendered in a later frame, and the drop goes where the last one was.
    let held = null, over = null
    const later = (then) => requestAnimationFrame(() => requestAnimationFrame(then))
    list.onpointerdown = (e) => { held = e.target }
    onpointermove = (e) => { if (held) later(() => {
      over = document.elementsFromPoint(e.clientX, e.clientY).find((el) => el.tagName === 'LI' && el !== held)
      held.style.transform = `translate(${e.clientX}px)` }) }
    onpointerup = () => { if (held && over) over.after(held); if (held) held.style.transform = ''; held = over = null }
    </script>"""
ORDER = "[...list.children].map((each) => each.id).join('')"


async def test_the_page_answers_each_move_before_the_drop(page: Page, site: Site) -> None:
    await page.goto(site.html("/late.html", LATE))
    for source, target, order in (("#a", "#c", "bca"), ("#c", "#b", "bca")):
        await perform(Attempt(page._tab), DragTo(selector=source, target=target))
        assert await page.evaluate(ORDER) == order


POINTER = """<style>#b { position: absolute; width: 60px; height: 40px; background: silver; touch-action: none }
    #zone { width: 500px; height: 300px; background: beige }</style><div id=zone>zone<div id=b>b</div></div><script>
    // As editors of diagrams do: the press prevents its default, so that Chrome sends no mouse events.
    let from = null, heard = []
    b.onpointerdown = (e) => { e.preventDefault(); from = [e.clientX - b.offsetLeft, e.clientY - b.offsetTop] }
    onpointermove = (e) => {
      if (from) { b.style.left = `${e.clientX - from[0]}px`; b.style.top = `${e.clientY - from[1]}px` }
    }
    onpointerup = () => { from = null }
    for (const type of ['mousedown', 'mouseup']) addEventListener(type, () => heard.push(type), true)
    </script>"""


async def test_a_page_of_pointer_events_alone(page: Page, site: Site) -> None:
    await page.goto(site.html("/pointer.html", POINTER))
    await perform(Attempt(page._tab), DragTo(selector="#b", target="#zone", target_position=Position(x=300, y=200)))
    assert await page.evaluate("[from, heard.length, b.offsetLeft > 200, b.offsetTop > 100]") == [None, 0, True, True]


KEYS = """<ul id=list><li id=a tabindex=0>a<li id=b>b<li id=c>c</ul><script>
    // A key takes effect in a timer and a frame; keys that come before it are lost.
    let held = false, busy = false
    const later = (then) => { busy = true; setTimeout(() => requestAnimationFrame(() => { then(); busy = false })) }
    a.onkeydown = (e) => { if (busy) return
      if (e.code === 'Space') later(() => { held = !held; a.className = held })
      if (e.code === 'ArrowDown' && held) later(() => { a.nextElementSibling?.after(a); a.focus() }) }
    </script>"""


async def test_the_page_answers_each_key_before_the_next(page: Page, site: Site) -> None:
    await page.goto(site.html("/keys.html", KEYS))
    await page.execute_sequence([PressKey("Space", selector="#a"), PressKey("ArrowDown"), PressKey("Space")])
    assert await page.evaluate(f"[{ORDER}, held]") == ["bac", False]
    await page.reload()
    await page.execute_sequence([PressKey("Space", selector="#a"), PressKey("ArrowDown", times=2), PressKey("Space")])
    assert await page.evaluate(f"[{ORDER}, held]") == ["bca", False]


SIDE = """<style>body { margin: 0 } div { width: 90px; height: 40px; margin: 10px; border: 1px solid }</style>
    FRAME<div id=src DRAGGABLE>src</div><div id=zone>zone</div><button id=b>B</button><script>
    log = []
    b.onclick = () => { log.push('click') }
    src.ondragstart = (e) => { e.dataTransfer.setData('text/plain', 'cargo') }
    zone.ondragover = (e) => { e.preventDefault(); e.dataTransfer.dropEffect = 'move' }
    zone.ondrop = (e) => { e.preventDefault(); log.push(`drop ${e.dataTransfer.getData('text/plain')}`) }
    src.ondrop = () => { log.push('a drop that nobody made') }
    src.ondragend = (e) => { log.push(`dragend ${e.dataTransfer.dropEffect}`) }
    if (!src.draggable) src.onmousedown = () => addEventListener('mouseup', () => log.push('released'), { once: true })
    zone.onmouseup = () => log.push('mouseup zone')
    </script>"""
INNER = "frame=#f >> "


async def two_documents(page: Page, site: Site, host: str, draggable: str = "draggable=true") -> None:
    side = SIDE.replace("DRAGGABLE", draggable)
    site.html("/inner.html", side.replace("FRAME", ""))
    frame = (
        f"<iframe id=f width=200 height=250 style='float: right' src='{site.url('/inner.html', host=host)}'></iframe>"
    )
    await page.goto(site.html("/outer.html", side.replace("FRAME", frame)))
    await page.locator(f"{INNER}#zone").wait_for()


async def logs(page: Page) -> list[list[str]]:
    inner = next(frame for frame in page.frames if "inner" in frame.url)
    return [await frame.evaluate("log.splice(0)") for frame in (page, inner)]


@pytest.mark.parametrize("host", sampled(("127.0.0.1", "localhost"), ("localhost",)))
async def test_the_browsers_drag_goes_from_document_to_document(page: Page, site: Site, host: str) -> None:
    await two_documents(page, site, host)
    for source, target in (("", INNER), (INNER, ""), (INNER, INNER), ("", INNER)):
        await perform(Attempt(page._tab), DragTo(selector=f"{source}#src", target=f"{target}#zone"))
        seen = await logs(page)
        ends = dict(zip(("", INNER), seen, strict=True))
        assert sorted(seen[0] + seen[1]) == ["dragend move", "drop cargo"]
        assert "drop cargo" in ends[target]
        assert "dragend move" in ends[source]
        for side in ("", INNER):
            await perform(Attempt(page._tab), Click(f"{side}#b"))
        assert await logs(page) == [["click"], ["click"]]


async def test_a_drag_by_an_offset_ends_in_another_process(page: Page, site: Site) -> None:
    await two_documents(page, site, "localhost")
    script = "(({x, y, width, height}) => [x + width / 2, y + height / 2])({}.getBoundingClientRect())"
    x, y = await page.evaluate(script.replace("({}", "(src"))
    [inner] = [frame for frame in page.frames if "inner" in frame.url]
    dx, dy = await inner.evaluate(script.replace("({}", "(zone"))
    left, top = await page.evaluate(
        "(({x, y}) => [x + 2, y + 2])(document.querySelector('#f').getBoundingClientRect())"
    )
    for _ in range(2):
        await perform(Attempt(page._tab), DragTo("#src", offset=Offset(x=left + dx - x, y=top + dy - y)))
        assert await logs(page) == [["dragend move"], ["drop cargo"]]


async def test_a_frame_hears_that_its_drag_was_released_outside(page: Page, site: Site) -> None:
    await two_documents(page, site, "localhost", "")
    await perform(Attempt(page._tab), DragTo(selector=f"{INNER}#src", target="#zone"))
    assert await logs(page) == [["mouseup zone"], ["released"]]
    for side in ("", INNER):
        await perform(Attempt(page._tab), Click(f"{side}#b"))
    assert await logs(page) == [["click"], ["click"]]


@pytest.mark.parametrize("target", ["#b", f"{INNER}#b"])
async def test_a_drop_that_nothing_takes_is_an_error(page: Page, site: Site, target: str) -> None:
    await two_documents(page, site, "localhost")
    for action in (DragTo("#src", target), DragTo("#src", offset=Offset(x=60, y=5))):
        with pytest.raises(DropMissed, match=r"#src is div#src.* was dragged to .*, but nothing there takes"):
            await perform(Attempt(page._tab), action)
        assert await logs(page) == [["dragend none"], []]
    await perform(Attempt(page._tab), DragTo("#src", "#zone"))
    assert await logs(page) == [["drop cargo", "dragend move"], []]


async def test_a_list_that_reorders_during_the_drag_needs_no_drop(page: Page, site: Site) -> None:
    items = """<div id=list><p id=a draggable=true>a</p><p id=b>b</p></div><script>
        b.ondragenter = () => { b.after(a) }</script>"""
    await page.goto(site.html("/list.html", items))
    await perform(Attempt(page._tab), DragTo("#a", "#b"))
    assert await page.evaluate(ORDER) == "ba"


async def test_a_drag_that_fails_on_its_way_leaves_the_page_usable(page: Page, site: Site) -> None:
    await two_documents(page, site, "localhost")
    for source in ("", INNER):
        frame = page if not source else next(frame for frame in page.frames if "inner" in frame.url)
        await frame.evaluate("src.addEventListener('dragstart', () => { zone.hidden = true }, { once: true })")
        with pytest.raises(ActionFailed):
            await perform(Attempt(page._tab), DragTo(f"{source}#src", f"{source}#zone"), timeout=0.5)
        await frame.evaluate("zone.hidden = false")
        assert list(chain(*await logs(page))) == ["dragend none"]
        await perform(Attempt(page._tab), DragTo(f"{source}#src", f"{source}#zone"))
        assert sorted(chain(*await logs(page))) == ["dragend move", "drop cargo"]


EDGES = """<style>body { margin: 0 } #box { height: 300px; overflow: auto } .tall { height: 1500px }
    #src, #zone { width: 90px; height: 30px; border: 1px solid; user-select: none }</style>
    BEGIN<div style="height: 230px"></div><div id=src DRAGGABLE>src</div><div id=zone>zone</div>
    <div class=tall></div>END
    <script>
    // As libraries do: what is dragged near the lower edge scrolls the page, with each move.
    let held = false, dropped = ''
    const scroller = SCROLLER, edge = () => BEGINS_AT_BOX ? 300 : innerHeight
    const near = (e) => { if (held && e.clientY > edge() - 40 && scroller.scrollTop < 100) scroller.scrollTop += 25 }
    const end = (e) => {
      held = false
      const { top, bottom } = zone.getBoundingClientRect()
      dropped = e.clientY > top && e.clientY < bottom ? 'zone' : 'elsewhere'
    }
    src.onmousedown = () => { held = true }
    src.ondragstart = (e) => { held = true; e.dataTransfer.setData('text/plain', 'cargo') }
    onmousemove = near
    onmouseup = end
    ondragover = (e) => { e.preventDefault(); near(e) }
    ondrop = (e) => { e.preventDefault(); end(e) }
    </script>"""


@pytest.mark.parametrize("by", ["mouse", "browser"])
@pytest.mark.parametrize("scroller", ["page", "box"])
@pytest.mark.every_row
async def test_the_mouse_follows_a_target_that_the_page_scrolls(page: Page, site: Site, by: str, scroller: str) -> None:
    in_box = scroller == "box"
    html = EDGES.replace("DRAGGABLE", "draggable=true" if by == "browser" else "")
    html = html.replace("BEGINS_AT_BOX", "true" if in_box else "false")
    html = html.replace("BEGIN", "<div id=box>" if in_box else "").replace("END", "</div>" if in_box else "")
    html = html.replace("SCROLLER", "box" if in_box else "document.scrollingElement")
    await page.set_viewport(width=500, height=400 if in_box else 310)
    await page.goto(site.html("/edges.html", html))
    await perform(Attempt(page._tab), DragTo(selector="#src", target="#zone"))
    assert await page.evaluate("[dropped, scroller.scrollTop > 0]") == ["zone", True]
