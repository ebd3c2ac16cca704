"""Where in an element the pointer aims: at what is in view of it, past a cover, through what lets events by."""

from __future__ import annotations

import pytest

from acting import perform
from sampling import sampled
from site_server import Site
from stillframe.api.browser import Page
from stillframe.errors import ActionFailed, ElementCovered, ElementHidden
from stillframe.model.actions import Click, Hover, Position, RightClick, Scroll, Tap
from stillframe.tab.input.attempt import Attempt

SCRIPT = """<style>body { margin: 0 }</style><script>
  window.log = [];
  window.where = [];
  for (const type of ["click", "contextmenu"]) addEventListener(type, (e) => {
    log.push(e.target.id || e.target.localName); where.push([e.clientX, e.clientY]);
  });
  addEventListener("mousemove", (e) => where.push([e.clientX, e.clientY]));
</script>"""


async def shown(page: Page, site: Site, body: str) -> None:
    await page.goto(site.html("/point", SCRIPT + body))


# -- only the visible part, and no scrolling where there is one ----------------------------------

TALL = """<div style="height:100px"></div><div id=tall style="height:9000px"></div>
  <div style="height:3000px"></div>"""


@pytest.mark.parametrize(
    "action",
    sampled([Click(selector="#tall"), Hover(selector="#tall"), Tap(selector="#tall")], [Tap(selector="#tall")]),
    ids=lambda action: action.kind,
)
@pytest.mark.parametrize("offset", sampled([0, 40, 2000, 8600], [8600]))
async def test_a_tall_element_is_met_where_it_is_in_view(
    page: Page, site: Site, action: Click | Hover | Tap, offset: int
) -> None:
    await shown(page, site, TALL)
    await page.evaluate(f"scrollTo(0, {offset})")
    await perform(Attempt(page._tab), action)
    assert await page.evaluate("scrollY") == offset


async def test_the_wheel_over_a_tall_element_scrolls_from_where_it_is(page: Page, site: Site) -> None:
    await shown(page, site, TALL)
    await page.evaluate("scrollTo(0, 2000)")
    await perform(Attempt(page._tab), Scroll(selector="#tall", pixels=300))
    await page.evaluate(
        "new Promise((done) => { const look = () => scrollY === 2300 ? done() : requestAnimationFrame(look); look() })"
    )


async def test_an_element_out_of_view_is_brought_in(page: Page, site: Site) -> None:
    await shown(page, site, TALL + "<button id=b>B</button>")
    await perform(Attempt(page._tab), Click(selector="#b"))
    assert await page.evaluate("log") == ["b"]
    await perform(Attempt(page._tab), Click(selector="#tall"))
    assert (await page.evaluate("log"))[-1] == "tall"


async def test_a_wide_element(page: Page, site: Site) -> None:
    await shown(page, site, "<div id=wide style='width:9000px;height:80px'></div>")
    await page.evaluate("scrollTo(4000, 0)")
    await perform(Attempt(page._tab), Click(selector="#wide"))
    assert await page.evaluate("[scrollX, log[0]]") == [4000, "wide"]


@pytest.mark.parametrize("overflow", sampled(["auto", "hidden", "clip", "scroll"], ["auto"]))
async def test_scrollers_clip(page: Page, site: Site, overflow: str) -> None:
    """Of the row only its left end is in view, of the list only its top: the middle of both is not."""
    await shown(
        page,
        site,
        f"""<div id=box style="width:200px;height:60px;overflow:{overflow};margin:50px">
      <div id=row style="width:2000px;height:900px"></div></div>""",
    )
    await perform(Attempt(page._tab), Click(selector="#row"))
    assert await page.evaluate("[log[0], box.scrollTop, box.scrollLeft]") == ["row", 0, 0]


FAR = "<div style='height:3000px'></div>"


@pytest.mark.every_row
@pytest.mark.parametrize(
    ("body", "log"),
    [
        ("<button id=s style='display:contents'>Save</button>", "s"),
        ("<div id=s style='display:contents'><p id=p>Save</p></div>", "p"),
        (
            "<div style='height:60px;overflow:auto'>" + FAR + "<a id=s style='display:contents'>Save</a></div>",
            "s",
        ),
        ("<x-save id=s></x-save>", "s"),
    ],
    ids=["text", "elements", "in a scroller", "a host"],
)
async def test_what_has_no_box_of_its_own_is_brought_in_by_its_content(
    page: Page, site: Site, body: str, log: str
) -> None:
    save = "<style>:host{display:contents}</style>Save"
    define = f"""customElements.define("x-save", class extends HTMLElement {{ constructor() {{
      super(); this.attachShadow({{mode: "open"}}).innerHTML = "{save}" }} }})"""
    await shown(page, site, f"{FAR}{body}{FAR}<script>{define}</script>")
    await perform(Attempt(page._tab), Click(selector="#s"))
    await page.evaluate("scrollTo(0, 0)")
    await perform(Attempt(page._tab), Click(selector="#s", position=Position(x=5, y=5)))
    assert await page.evaluate("log") == [log, log]


async def test_a_long_link_is_met_on_any_of_its_lines(page: Page, site: Site) -> None:
    await shown(
        page,
        site,
        f"""<div style="position:relative;width:200px"><a id=s href=#x>{"word " * 60}</a>
        <i style="position:absolute;inset:0 0 20px 0"></i></div>""",
    )
    await perform(Attempt(page._tab), Click(selector="#s"))
    assert await page.evaluate("log") == ["s"]


@pytest.mark.parametrize(
    "gone",
    ["veil.remove()", "veil.remove(), scrollTo(0, 0)"],
    ids=["the header stays", "the page scrolls back"],
)
async def test_scrolling_starts_again_when_a_cover_has_gone(page: Page, site: Site, gone: str) -> None:
    """The last alignment tried under the cover leaves the element under the header."""
    await shown(
        page,
        site,
        f"""<i id=veil style="position:fixed;inset:0"></i>
        <i id=head style="position:fixed;inset:0 0 auto;height:100px"></i>
        {FAR}<button id=s>S</button>{FAR}<script>let last = 0; addEventListener("scroll", () => {{
          clearTimeout(last);
          if (window.veil) last = setTimeout(() => {{ {gone} }}, 400)
        }})</script>""",
    )
    await perform(Attempt(page._tab), Click(selector="#s"))
    assert await page.evaluate("log") == ["s"]


async def test_what_a_scroller_hides_is_scrolled_to(page: Page, site: Site) -> None:
    await shown(
        page,
        site,
        """<div id=box style="width:200px;height:60px;overflow:auto;margin:50px">
      <div style="height:500px"></div><button id=b>B</button><div style="height:500px"></div></div>""",
    )
    await perform(Attempt(page._tab), Click(selector="#b"))
    assert await page.evaluate("log") == ["b"]


async def test_what_a_box_cuts_off_for_good(page: Page, site: Site) -> None:
    await shown(
        page,
        site,
        """<div style="width:200px;height:60px;overflow:clip"><div style="height:500px"></div>
      <button id=b>B</button></div>""",
    )
    with pytest.raises(ElementHidden, match="no scrolling can bring it into view"):
        await perform(Attempt(page._tab), Click(selector="#b"), timeout=0.4)


async def test_fixed_and_absolute_boxes_leave_their_scrollers(page: Page, site: Site) -> None:
    await shown(
        page,
        site,
        """<div style="width:50px;height:50px;overflow:hidden">
      <button id=fixed style="position:fixed;left:300px;top:100px">Fixed</button>
      <button id=absolute style="position:absolute;left:300px;top:200px">Absolute</button></div>
      <div style="width:50px;height:50px;overflow:hidden;transform:translateX(0)">
      <button id=held style="position:fixed;left:10px;top:10px;width:400px">Held</button></div>""",
    )
    for name in ("fixed", "absolute", "held"):
        await perform(Attempt(page._tab), Click(selector=f"#{name}"))
    assert await page.evaluate("log") == ["fixed", "absolute", "held"]


async def test_what_a_header_covers_is_met_below_it(page: Page, site: Site) -> None:
    await shown(page, site, """<div id=head style="position:fixed;left:0;right:0;top:0;height:70%"></div>""" + TALL)
    await perform(Attempt(page._tab), Click(selector="#tall"))
    assert await page.evaluate("log") == ["tall"]


# -- what lets events through --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "selector", "log"),
    [
        ("<button id=b><span id=s style='pointer-events:none'>Text</span></button>", "#s", "b"),
        ("<a id=b href='#x'><i id=s style='pointer-events:none'>Text</i></a>", "#s", "b"),
        ("<button id=b><i id=i><span id=s style='pointer-events:none'>Text</span></i></button>", "#s", "i"),
        ("<div id=b role=button><span id=s style='pointer-events:none'>Text</span></div>", "#s", "b"),
        ("<div id=b role=menuitem><b id=s style='pointer-events:none'>Text</b></div>", "#s", "b"),
        ("<label id=b><span id=s style='pointer-events:none'>Text</span></label>", "#s", "b"),
        (
            "<button id=b><svg id=s width=40 height=40 style='pointer-events:none'></svg></button>",
            "#s",
            "b",
        ),
        # Over the text lies another part of the same control.
        (
            "<button id=b style='position:relative'><span id=s>Text</span><span id=o style='position:absolute;inset:0'>"
            "</span></button>",
            "#s",
            "o",
        ),
        # A label without a control does nothing itself; one with a control stands for it.
        ("<button id=b><label id=s style='pointer-events:none'>Text</label></button>", "#s", "b"),
        (
            "<div style='position:relative'><input id=b><label for=b id=s style='position:absolute;left:5px;"
            "pointer-events:none'><i>Text</i></label></div>",
            "text=Text",
            "b",
        ),
        (
            "<div id=b style='pointer-events:none'><button id=s style='pointer-events:auto'>Text</button></div>",
            "#s",
            "s",
        ),
    ],
)
async def test_what_lets_events_through_counts_as_its_control(
    page: Page, site: Site, body: str, selector: str, log: str
) -> None:
    await shown(page, site, body)
    await perform(Attempt(page._tab), Click(selector=selector))
    assert (await page.evaluate("log"))[0] == log


@pytest.mark.parametrize(
    "body",
    sampled(
        [
            "<div id=s style='pointer-events:none'>Text</div>",
            "<button id=s style='pointer-events:none'>Text</button>",
            "<label><input type=checkbox><i role=menuitemradio id=s style='pointer-events:none'>Text</i></label>",
            # The small control in the large one is another one.
            "<div role=option><span id=s>Text</span><button id=x style='position:absolute;inset:0'>x</button></div>",
        ],
        ["<div role=option><span id=s>Text</span><button id=x style='position:absolute;inset:0'>x</button></div>"],
    ),
)
async def test_what_lets_events_through_to_something_else_is_covered(page: Page, site: Site, body: str) -> None:
    await shown(page, site, body)
    with pytest.raises(ElementCovered):
        await perform(Attempt(page._tab), Click(selector="#s"), timeout=0.3)


WIDGET = """<style>.part {{ position: absolute; inset: 0 }}</style>
<div id=w style="position:relative;width:200px;height:30px">{}</div>
<script>const hear = (element) => element.addEventListener("click", () => log.push("heard"))</script>"""


@pytest.mark.every_row
@pytest.mark.parametrize(
    ("inside", "script"),
    [
        ("<p><input id=s role=combobox></p><b id=o class=part>City</b>", "w.style.cursor = 'pointer'"),
        ("<input id=s><b id=o class=part>City</b>", "hear(w)"),
        ("<i id=s>Text</i><svg id=o class=part></svg>", "w.style.cursor = 'pointer'; hear(w)"),
        ("<i id=s>Text</i><svg id=o class=part></svg>", "hear(w)"),
    ],
    ids=["chosen text", "placeholder", "icon with a hand", "icon"],
)
async def test_a_part_of_its_widget_stands_before_it(page: Page, site: Site, inside: str, script: str) -> None:
    await shown(page, site, WIDGET.format(inside) + f"<script>{script}</script>")
    await perform(Attempt(page._tab), Click(selector="#s"))
    assert (await page.evaluate("log"))[-1] == "o"


@pytest.mark.every_row
@pytest.mark.parametrize(
    ("inside", "script"),
    [
        ("<input id=s><b class=part>Loading</b>", ""),
        ("<input id=s><input><b class=part>Veil</b>", "hear(w)"),
        ("<button id=s>Like</button><b class=part></b>", "hear(w); w.style.cursor = 'pointer'"),
        ("<input id=s><b id=o class=part></b>", "hear(w); hear(o)"),
        ("<i id=s>Text</i><b class=part></b>", "w.style.cursor = 'pointer'; hear(w); hear(s)"),
    ],
    ids=["nothing answers", "two fields", "a control of its own", "a cover of its own", "a part of its own"],
)
async def test_what_stands_before_it_is_not_part_of_its_widget(
    page: Page, site: Site, inside: str, script: str
) -> None:
    await shown(page, site, WIDGET.format(inside) + f"<script>{script}</script>")
    with pytest.raises(ElementCovered):
        await perform(Attempt(page._tab), Click(selector="#s"), timeout=0.4)
    assert await page.evaluate("log") == []


@pytest.mark.parametrize("mode", sampled(["open", "closed"], ["closed"]))
async def test_slotted_text_is_what_its_slot_is_in(page: Page, site: Site, mode: str) -> None:
    """A hit test in a shadow root gives the host for text that the host was given."""
    await shown(
        page,
        site,
        f"""<script>const define = (name, inside) => customElements.define(name, class extends HTMLElement {{
          constructor() {{ super(); this.attachShadow({{mode: "{mode}"}}).innerHTML = inside }} }})
        define("x-link", "<a href=#x><i><slot></slot></i></a>")
        define("x-button", "<button style='padding:0;border:0'><slot></slot></button>")
        define("x-outer", "<x-button><slot></slot></x-button>")
        define("x-veiled", "<a href=#v><slot></slot></a><p style='position:absolute;inset:0;margin:0'></p>")</script>
        <x-link>Link</x-link> <x-outer>Outer</x-outer>
        <x-veiled style='position:relative;display:inline-block'>Veiled</x-veiled>""",
    )
    for selector in ("role=link[name=Link]", "role=button", "text=Outer"):
        await perform(Attempt(page._tab), Click(selector=selector))
    assert await page.evaluate("log") == ["x-link", "x-outer", "x-outer"]
    with pytest.raises(ElementCovered, match="covered by p"):
        await perform(Attempt(page._tab), Click(selector="role=link[name=Veiled]"), timeout=0.2)


async def test_what_lets_events_through_until_it_is_hovered(page: Page, site: Site) -> None:
    await shown(
        page,
        site,
        """<style>#wrap:hover #b { pointer-events: none }</style><div id=wrap><button id=b>B</button></div>""",
    )
    with pytest.raises(ElementCovered, match="div#wrap"):
        await perform(Attempt(page._tab), Click(selector="#b"), timeout=0.4)
    assert await page.evaluate("log") == []


async def test_a_label_over_its_field(page: Page, site: Site) -> None:
    await shown(
        page,
        site,
        """<div style="position:relative"><input id=f style="width:200px;height:40px">
      <label for=f style="position:absolute;inset:0">Floating</label></div>""",
    )
    await perform(Attempt(page._tab), Click(selector="#f"))
    assert await page.evaluate("document.activeElement.id") == "f"


@pytest.mark.parametrize(
    "drawn", sampled(["transform:rotate(45deg)", "transform:perspective(300px) rotateX(50deg)", "zoom:2"], ["zoom:2"])
)
async def test_drawn_otherwise(page: Page, site: Site, drawn: str) -> None:
    await shown(page, site, f"<div style='{drawn};margin:100px;width:300px'><button id=b>B</button></div>")
    await perform(Attempt(page._tab), Click(selector="#b"))
    await perform(Attempt(page._tab), RightClick(selector="#b"))
    assert await page.evaluate("log") == ["b", "b"]


@pytest.mark.parametrize(
    ("body", "received"),
    [
        ("<svg width=200 height=100><line id=t x1=0 y1=90 x2=190 y2=5 stroke=red stroke-width=2 /></svg>", ["t"]),
        ("<svg width=200 height=100><path id=t d='M5,5 H190 V90' fill=none stroke=red /></svg>", ["t"]),
        (
            "<svg width=200><g id=t><rect id=in width=9 height=9 /><rect x=180 width=9 height=9 /></g></svg>",
            ["in"],
        ),
        ("<b id=t style='display:block;pointer-events:none'><i id=in style='pointer-events:auto'>x</i></b>", ["in"]),
        ("<map name=m><area id=t coords='5,5,25,25' href='#x'></map><img usemap='#m' width=90 height=90>", ["t"]),
        (
            "<map name=m><area id=t shape=circle coords='50,50,9' href='#x'></map><img usemap='#m' width=90 height=90>",
            ["t"],
        ),
    ],
)
async def test_what_is_not_painted_in_the_middle_of_its_box(
    page: Page, site: Site, body: str, received: list[str]
) -> None:
    await shown(page, site, body)
    await perform(Attempt(page._tab), Click(selector="#t"))
    assert await page.evaluate("log") == received


async def test_another_option_of_a_list_is_not_met_for_one(page: Page, site: Site) -> None:
    script = "s.onmousemove = () => { s.scrollTop = 34 }"
    await shown(
        page, site, f"<select size=2 id=s><option id=t>a<option>b<option>c<option>d</select><script>{script}</script>"
    )
    with pytest.raises(ActionFailed):
        await perform(Attempt(page._tab), Click(selector="#t"), timeout=0.3)
    assert await page.evaluate("[s.value, log]") == ["", []]


async def test_an_area_without_its_picture_is_hidden(page: Page, site: Site) -> None:
    await shown(page, site, "<map name=m><area id=t coords='5,5,25,25' href='#x'></map><img usemap='#m' hidden>")
    with pytest.raises(ElementHidden):
        await perform(Attempt(page._tab), Click(selector="#t"), timeout=0.1)
