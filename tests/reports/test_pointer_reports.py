"""Presses that other tools lost, or gave to something else; README.md lists the reports."""

from __future__ import annotations

import pytest
from report_pages import noted, opened

from site_server import Site
from stillframe import Click
from stillframe.api.browser import Page
from stillframe.errors import ElementCovered

BOX = "display: block; width: 200px; height: 30px"

SHIFTS = {
    "the pointer arrives": "document.addEventListener('mousemove', grow, {once: true})",
    "the button goes down": "document.addEventListener('mousedown', grow, {once: true, capture: true})",
    "a picture comes": "requestAnimationFrame(() => requestAnimationFrame(grow))",
}


@pytest.mark.every_row
@pytest.mark.parametrize("when", SHIFTS)
async def test_what_moves_under_the_pointer_is_not_pressed_in_place_of_the_target(
    page: Page, site: Site, when: str
) -> None:
    await opened(
        page,
        site,
        f"""<div id=late></div><button style="{BOX}" onclick="say('other')">Popular search</button>
        <button id=agent style="{BOX}" onclick="say('agent')">Contact agent</button>
        <script>const grow = () => {{ late.style.height = '30px' }}; {SHIFTS[when]}</script>""",
    )
    result = await page.click("#agent", check=False)
    seen = await noted(page)
    assert "other" not in seen
    assert (seen == "agent") == (result.failed is None), result.failed


async def test_a_field_that_shrinks_when_it_loses_the_focus_lets_no_press_vanish(page: Page, site: Site) -> None:
    await opened(
        page,
        site,
        f"""<textarea id=note style="display: block; height: 200px" onfocus="style.height = '200px'"
        onblur="style.height = '30px'"></textarea>
        <div id=send style="{BOX}" onclick="say('sent')">Send</div><div style="height: 2000px"></div>""",
    )
    await page.focus("#note")
    result = await page.click("#send", check=False)
    assert (await noted(page) == "sent") == (result.failed is None), result.failed


async def test_a_fixed_bar_gets_no_press_that_is_meant_for_what_lies_under_it(page: Page, site: Site) -> None:
    await opened(
        page,
        site,
        """<div style="height: 3000px"></div><button id=order onclick="say('order')">Order</button>
        <div style="position: fixed; inset: auto 0 0; height: 45%; background: pink" onclick="say('bar')">Bar</div>
        <div style="position: fixed; inset: 0 0 auto; height: 30%; background: tan" onclick="say('head')">Head</div>
        <div style="height: 400px"></div>""",
    )
    await page.click("#order")
    assert await noted(page) == "order"


async def test_a_heading_that_sticks_in_a_list_covers_no_row(page: Page, site: Site) -> None:
    rows = "".join(f"<div id=row{n} style='height: 20px' onclick='say(id)'>row {n}</div>" for n in range(30))
    await opened(
        page,
        site,
        f"""<div id=list style="overflow-y: scroll; width: 300px; height: 75px">
        <h6 style="position: sticky; top: 0; height: 45px; margin: 0; background: lime" onclick="say('head')">Rows</h6>
        {rows}</div>""",
    )
    await page.evaluate("list.scrollTop = 400")
    result = await page.execute_sequence([Click("#row3"), Click("#row28"), Click("#row0")])
    assert result.failed is None
    assert await noted(page) == "row3 row28 row0"


FRAMES = {
    "smaller": "transform: scale(.5); transform-origin: 0 0",
    "turned": "transform: rotate(20deg) scale(.6); transform-origin: 0 0; margin-left: 250px",
    "mirrored": "transform: scaleX(-1)",
    "zoomed": "zoom: 1.5",
    "in perspective": "transform: perspective(900px) rotateY(40deg)",
}


@pytest.mark.every_row
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_a_frame_is_pressed_where_its_transformation_shows_it(page: Page, site: Site, host: str) -> None:
    site.html(
        "/inner",
        f"""<body style="margin: 0"><div style="height: 900px"></div>
        <button style="{BOX}" onclick="parent.postMessage('up', '*')">Up</button>
        <button style="{BOX}" id=go onclick="parent.postMessage('go', '*')">Go</button>""",
    )
    url = site.url("/inner", host=host)
    frames = "".join(
        f'<div><iframe id=f{n} src="{url}" width=600 height=250 style="border: 13px solid; padding: 7px; {style}">'
        "</iframe></div>"
        for n, style in enumerate(FRAMES.values())
    )
    await opened(page, site, f"{frames}<script>onmessage = (event) => say(event.data)</script>")
    result = await page.execute_sequence([Click(f"frame=#f{n} >> #go") for n in range(len(FRAMES))])
    assert result.failed is None
    assert await noted(page) == " ".join(["go"] * len(FRAMES))


async def test_a_link_that_wraps_is_pressed_on_one_of_its_lines(page: Page, site: Site) -> None:
    await opened(
        page,
        site,
        """<div style="font: 20px/40px monospace; width: 11ch; pointer-events: auto" onclick="say('box')">
        1234567 <a id=one href="#one" onclick="say('one'); event.stopPropagation()">890 12</a> 567890
        <a id=two href="#two" onclick="say('two'); event.stopPropagation()"><b>3</b><br><br>4</a></div>""",
    )
    result = await page.execute_sequence([Click("#one"), Click("#two")])
    assert result.failed is None
    assert await noted(page) == "one two"


BOXES = {
    "over its box": """<label style="position: relative; display: inline-block"><input type=checkbox id=box
        style="position: absolute; inset: 0; opacity: 0"><span style="position: relative; padding-left: 2em">
        <a href="#terms">I agree to the terms</a> of use</span></label>""",
    "of a hidden box": """<input type=checkbox id=box hidden><label for=box style="display: block; width: 300px">
        I accept <a href="#a">the terms and conditions</a>, <a href="#b">the privacy policy</a> and all else</label>""",
    "of a box that is drawn": """<label><input type=checkbox id=box style="position: absolute; left: -99px"><i
        style="display: inline-block; width: 9px; height: 9px; background: tan"></i><a href="#c">I agree to it all</a>
        </label>""",
}


@pytest.mark.every_row
@pytest.mark.parametrize("label", BOXES)
async def test_a_box_is_checked_by_its_label_without_the_links_in_it(page: Page, site: Site, label: str) -> None:
    await opened(page, site, BOXES[label])
    for act, on in ((page.check, True), (page.uncheck, False), (page.click, True)):
        await act("#box")
        assert await page.evaluate("[box.checked, location.hash]") == [on, ""]


async def test_a_label_that_is_a_link_is_not_pressed_for_its_box(page: Page, site: Site) -> None:
    await opened(page, site, "<input type=checkbox id=box hidden><label for=box><a href='#all'>All a link</a></label>")
    with pytest.raises(ElementCovered):
        await page.check("#box", action_timeout_ms=200)
    assert await page.evaluate("[box.checked, location.hash]") == [False, ""]


async def test_the_option_that_is_named_is_pressed_in_a_list_that_scrolls(page: Page, site: Site) -> None:
    options = "".join(f"<option>{letter}" for letter in "abcdefgh")
    await opened(
        page,
        site,
        f"""<select id=list size=4 onchange="say(value); rests = false">{options}</select><script>
        let rests = false
        list.addEventListener('mousemove', () => {{
          if (!rests) list.scrollTop = 34
          rests = true
        }})</script>""",
    )
    acts = [Click(f"#list >> text={letter}") for letter in "fahb"]
    assert (await page.execute_sequence(acts)).failed is None
    assert await noted(page) == "f a h b"


PICTURE = "data:image/svg+xml,<svg xmlns=%22http://www.w3.org/2000/svg%22/>"


async def test_the_areas_of_a_picture_are_pressed_on_the_picture(page: Page, site: Site) -> None:
    await opened(
        page,
        site,
        f"""<map name=plan><area id=rect coords="0, 0, 40, 40" href="#1" alt=Kitchen onclick="say(id)">
        <area id=circle shape=circle coords="160,160,30" href="#2" onclick="say(id)">
        <area id=poly shape=poly coords="10,2900,90,2900,10,2980" href="#3" onclick="say(id)">
        <area id=rest shape=default href="#4" onclick="say(id)"></map><div style="height: 900px"></div>
        <img usemap="#plan" width=200 height=3000 style="border: 9px solid; padding: 11px" src="{PICTURE}">""",
    )
    acts = [Click("#circle"), Click("#poly"), Click('role=link[name="Kitchen"]'), Click("#rest")]
    assert (await page.execute_sequence(acts)).failed is None
    assert await noted(page) == "circle poly rect rest"


async def test_a_line_and_a_group_are_pressed_where_they_are_painted(page: Page, site: Site) -> None:
    await opened(
        page,
        site,
        """<svg width=300 height=200 onclick="say('chart')"><g onclick="event.stopPropagation(); say(event.target.id)">
        <path id=curve d="M10,10 C10,150 250,150 290,10" fill=none stroke=black stroke-width=3 />
        <circle id=ring cx=60 cy=150 r=30 fill=none stroke=red stroke-width=4 /></g>
        <g id=points onclick="event.stopPropagation(); say('points')"><circle cx=120 cy=180 r=4 />
        <circle cx=280 cy=120 r=4 /></g></svg>""",
    )
    assert (await page.execute_sequence([Click("#curve"), Click("#ring"), Click("#points")])).failed is None
    assert await noted(page) == "curve ring points"


async def test_a_drag_gives_its_target_dragover_before_the_drop(page: Page, site: Site) -> None:
    await opened(
        page,
        site,
        """<button id=card draggable=true>Drag me</button><div id=pile style="height: 200px; width: 200px"></div>
        <script>
        for (const type of ['dragenter', 'dragover', 'drop'])
          pile.addEventListener(type, (event) => { event.preventDefault(); seen.add(type); pile.title = [...seen] })
        const seen = new Set()
        card.addEventListener('dragstart', (event) => event.dataTransfer.setData('text/plain', 'x'))
        </script>""",
    )
    await page.drag_to("#card", "#pile")
    assert await page.evaluate("pile.title") == "dragenter,dragover,drop"


DEEP = """<x-a></x-a><script>
const define = (name, mode, html) => customElements.define(name, class extends HTMLElement {
  constructor() { super(); this.attachShadow({mode}).innerHTML = html }
})
define('x-c', 'open', '<button onclick="say(\\'ordered\\')">Order now</button>')
define('x-b', 'closed', '<slot></slot><x-c></x-c>')
define('x-a', 'open', '<x-b><button disabled>Sold out</button></x-b>')
</script>"""


async def test_a_button_below_several_shadow_roots_is_seen_and_pressed(page: Page, site: Site) -> None:
    await opened(page, site, DEEP)
    assert 'button "Order now"' in (await page.aria_snapshot()).text
    for selector in ("text=Order now", "x-a x-c button", 'role=button[name="Order now"]'):
        await page.click(selector)
    assert await noted(page) == "ordered ordered ordered"


async def test_a_frame_of_another_site_is_read_and_pressed_like_the_page(page: Page, site: Site) -> None:
    site.html("/inner", "<button onclick=\"parent.postMessage('inner', '*')\">Verify</button><p>complex page</p>")
    await opened(
        page,
        site,
        f"""<div id=host></div><script>onmessage = (event) => say(event.data)
        host.attachShadow({{mode: 'closed'}}).innerHTML = '<iframe src="{site.url("/inner", host="localhost")}">'
        </script>""",
    )
    result = await page.execute_sequence([Click('frame=iframe >> role=button[name="Verify"]')])
    assert result.failed is None
    assert await noted(page) == "inner"
    assert "complex page" in (await page.aria_snapshot()).text
