"""What must hold before an action, each fault with its own error, and faults that pass are waited out."""

from __future__ import annotations

import asyncio

import pytest

from acting import perform
from site_server import Site
from stillframe.api.browser import Page
from stillframe.errors import (
    ActionFailed,
    ElementCovered,
    ElementDisabled,
    ElementHidden,
    ElementUnstable,
    ElementUnsuitable,
)
from stillframe.model.actions import Check, Click, Hover, SetValue
from stillframe.tab.input.attempt import Attempt

SHORT = 0.2


@pytest.mark.parametrize(
    ("selector", "error", "words"),
    [
        ("#none", ElementHidden, "display: none"),
        ("#invisible", ElementHidden, "visibility: hidden"),
        ("#in-closet", ElementHidden, "inside div#closet"),
        ("#zero", ElementHidden, "without any area"),
        ("#aside", ElementHidden, "no scrolling can bring it into view"),
        ("#off", ElementDisabled, "disabled"),
        ("#in-set", ElementDisabled, "disabled through fieldset#set"),
        ("#aria-off", ElementDisabled, "disabled"),
        ("#in-inert", ElementDisabled, "inert through div#inert"),
        ("#moving", ElementUnstable, "kept moving"),
    ],
)
async def test_each_fault_has_its_error(
    page: Page, site: Site, selector: str, error: type[ActionFailed], words: str
) -> None:
    await page.goto(site.url("/act/states.html"))
    with pytest.raises(error, match=words) as caught:
        await perform(Attempt(page._tab), Click(selector=selector), timeout=SHORT)
    assert selector in str(caught.value)
    assert caught.value.selector == selector


async def test_the_error_names_the_cover(page: Page, site: Site) -> None:
    await page.goto(site.url("/act/states.html"))
    await page.evaluate("cover(true)")
    with pytest.raises(ElementCovered, match="covered by div#overlay") as caught:
        await perform(Attempt(page._tab), Click(selector="#plain"), timeout=SHORT)
    assert caught.value.cover.startswith("div#overlay")
    assert await page.evaluate("log") == []


async def test_a_modal_dialog_covers_what_is_behind_it(page: Page, site: Site) -> None:
    await page.goto(site.url("/act/states.html"))
    await page.evaluate("modal.showModal()")
    with pytest.raises(ElementCovered, match="covered by dialog#modal"):
        await perform(Attempt(page._tab), Click(selector="#plain"), timeout=SHORT)
    await perform(Attempt(page._tab), Click(selector="#in-modal"))
    assert await page.evaluate("log") == ["modal"]


async def test_a_cancelled_wait_leaves_the_page_usable(page: Page, site: Site) -> None:
    await page.goto(site.url("/act/states.html"))
    wait = asyncio.create_task(perform(Attempt(page._tab), Click(selector="#none"), timeout=60))
    await page._tab.frames.main.evaluate("new Promise(requestAnimationFrame)")
    wait.cancel()
    with pytest.raises(asyncio.CancelledError):
        await wait
    await perform(Attempt(page._tab), Click(selector="#plain"))
    assert await page.evaluate("log") == ["plain"]


async def test_an_element_that_is_replaced_is_found_again(page: Page, site: Site) -> None:
    await page.goto(site.url("/act/late.html"))
    await page.evaluate("add(), document.querySelector('#late').disabled = true")
    click = asyncio.create_task(perform(Attempt(page._tab), Click(selector="#late")))
    await page._tab.frames.main.evaluate("new Promise(requestAnimationFrame)")
    await page.evaluate("add()")
    await click
    assert await page.evaluate("log") == ["clicked"]


async def test_a_cover_that_goes_away_is_waited_for(page: Page, site: Site) -> None:
    await page.goto(site.url("/act/states.html"))
    await page.evaluate("cover(true)")
    click = asyncio.create_task(perform(Attempt(page._tab), Click(selector="#plain")))
    await page._tab.frames.main.evaluate("new Promise(requestAnimationFrame)")
    await page.evaluate("cover(false)")
    await click
    assert await page.evaluate("log") == ["plain"]


async def test_disabled_and_hidden_pass(page: Page, site: Site) -> None:
    await page.goto(site.url("/act/states.html"))
    await page.evaluate("plain.disabled = true, plain.style.display = 'none'")
    click = asyncio.create_task(perform(Attempt(page._tab), Click(selector="#plain")))
    await page.evaluate("new Promise(requestAnimationFrame).then(() => { plain.style.display = '' })")
    await page.evaluate("new Promise(requestAnimationFrame).then(() => { plain.disabled = false })")
    await click
    assert await page.evaluate("log") == ["plain"]


async def test_read_only_fields_take_no_value(page: Page, site: Site) -> None:
    await page.goto(site.url("/act/states.html"))
    with pytest.raises(ElementDisabled, match="read-only"):
        await perform(Attempt(page._tab), SetValue(selector="#readonly", value="x"), timeout=SHORT)


@pytest.mark.parametrize(
    ("selector", "log"),
    [
        ("#far", "far"),
        ("#see-through", "see-through"),
        ("#passes-inner", "passes"),
        ("#thin", "contents"),
    ],
)
async def test_what_a_user_can_click_can_be_clicked(page: Page, site: Site, selector: str, log: str) -> None:
    await page.goto(site.url("/act/states.html"))
    await perform(Attempt(page._tab), Click(selector=selector))
    assert await page.evaluate("log") == [log]


async def test_a_link_that_wraps_is_hit(page: Page, site: Site) -> None:
    await page.goto(site.url("/act/states.html"))
    await perform(Attempt(page._tab), Click(selector="#wraps"))
    assert (await page.evaluate("location.hash")) == "#wrapped"


async def test_what_sticks_to_the_top_is_avoided(page: Page, site: Site) -> None:
    await page.goto(site.url("/act/states.html"))
    await page.evaluate("scrollTo(0, plain.offsetTop - 10)")
    await perform(Attempt(page._tab), Click(selector="#plain"))
    assert await page.evaluate("log") == ["plain"]


async def test_a_hidden_checkbox_is_checked_by_its_label(page: Page, site: Site) -> None:
    await page.goto(site.url("/act/states.html"))
    await perform(Attempt(page._tab), Check(selector="#hidden-box"))
    assert await page.evaluate("document.querySelector('#hidden-box').checked")


IN_A_ROOT = """<my-box id=box></my-box><script>
const root = box.attachShadow({mode: "open"})
root.innerHTML = `<input type=checkbox id=c style="position: absolute; left: -999px">
  <i style="display: block; width: 20px; height: 20px; cursor: pointer"></i>`
root.lastElementChild.onclick = () => root.firstElementChild.click()
</script>"""


async def test_a_checkbox_is_checked_by_what_is_drawn_beside_it_in_a_shadow_root(page: Page, site: Site) -> None:
    await page.goto(site.html("/root", IN_A_ROOT))
    await perform(Attempt(page._tab), Check(selector="#c"))
    assert await page.evaluate("box.shadowRoot.querySelector('#c').checked")


NEIGHBOURS = """<style>s { display: inline-block; width: 90px; height: 20px; cursor: pointer }</style>
<div><s>Choose</s><b role=option id=undrawn style="display:none">Large</b></div>
<label><s>Choose</s><b role=menuitemradio id=in-label style="display:none">Large</b></label>
<div><s>Choose</s><b role=menuitemcheckbox id=invisible style="visibility:hidden">Large</b></div>
<div><s>Choose</s><b role=tab aria-selected=false id=flat style="display:block;height:0;overflow:hidden">Large</b></div>
<div><s>Choose</s><b role=treeitem id=left style="position:absolute;left:-999px">Large</b></div>
<div><button style="cursor:pointer">Filters</button><input type=checkbox id=box style="display:none"></div>
<x-list><b role=option id=left-out>Large</b><input type=radio id=radio-left-out></x-list><script>
window.clicks = []; addEventListener("click", (event) => clicks.push(event.target.localName))
document.querySelector("x-list").attachShadow({mode: "open"}).innerHTML = "<s style='cursor:pointer'>Choose</s>"
</script>"""


async def test_nothing_stands_in_for_what_is_hidden(page: Page, site: Site) -> None:
    await page.goto(site.html("/neighbours", NEIGHBOURS))
    for name in ("undrawn", "in-label", "invisible", "flat", "left", "box", "left-out", "radio-left-out"):
        words = "x-list .* has no slot for it" if name.endswith("left-out") else "visible|into view"
        with pytest.raises(ElementHidden, match=words):
            await perform(Attempt(page._tab), Click(selector=f"#{name}"), timeout=SHORT)
    assert await page.evaluate("clicks") == []


async def test_hover_needs_no_enabled_element(page: Page, site: Site) -> None:
    await page.goto(site.url("/act/states.html"))
    await perform(Attempt(page._tab), Hover(selector="#off"))
    assert await page.evaluate("document.querySelector('#off').matches(':hover')")


async def test_an_action_the_element_cannot_take_fails_at_once(page: Page, site: Site) -> None:
    await page.goto(site.url("/act/states.html"))
    with pytest.raises(ElementUnsuitable, match="does not support this action"):
        await perform(Attempt(page._tab), SetValue(selector="#plain", value="x"), timeout=60)
    with pytest.raises(ElementUnsuitable, match="does not support this action"):
        await perform(Attempt(page._tab), Check(selector="#plain"), timeout=60)
    await page.goto(site.html("/widgets", "<i id=slider role=slider>2</i><table role=grid><td id=cell role=gridcell>A"))
    for selector, words in (("#slider", "press_key with ArrowRight"), ("#cell", "double-click it, then use type_text")):
        with pytest.raises(ElementUnsuitable, match=words):
            await perform(Attempt(page._tab), SetValue(selector=selector, value="x"), timeout=60)


async def test_a_choice_that_no_scrolling_reaches_is_made_on_its_label(page: Page, site: Site) -> None:
    await page.goto(site.url("/act/off-screen.html"))
    result = await page.execute_sequence([Check("#first"), Check("#meal")])
    assert result.failed is None
    assert await page.evaluate("[first.checked, meal.checked]") == [True, True]


RESTLESS = """<style>
@keyframes pulse { 50% { transform: scale(1.1) } } @keyframes sway { 50% { translate: 0 -8px } }
#pulse { width: 200px; height: 60px; animation: pulse .7s infinite }
#swaying { animation: sway .5s infinite; margin: 20px }
</style><button id=pulse onclick="log.push(id)">Buy</button>
<div id=swaying><button id=within onclick="log.push(id)">Down</button></div><script>log = []</script>"""


async def test_what_moves_without_an_end_is_pressed_where_it_is(page: Page, site: Site) -> None:
    await page.goto(site.html("/restless", RESTLESS))
    result = await page.execute_sequence([Click("#pulse"), Click("#within"), Hover("#pulse")])
    assert result.failed is None
    assert await page.evaluate("log") == ["pulse", "within"]


SHAPES = """<style>#corner { width: 200px; height: 200px; clip-path: polygon(0 0, 40% 0, 0 40%) }</style>
<button id=corner onclick="log.push(id)">Go</button><svg width=200 height=100>
<circle id=ring cx=50 cy=50 r=40 fill=none stroke=red stroke-width=3 onclick="log.push(id)" />
<path id=edge d="M100 90 C 110 10, 190 10, 195 90" fill=none stroke=red onclick="log.push(id)" /></svg>
<script>log = []</script>"""


async def test_what_does_not_fill_its_box_is_pressed_on_its_shape(page: Page, site: Site) -> None:
    await page.goto(site.html("/shapes", SHAPES))
    result = await page.execute_sequence([Click("#corner"), Click("#ring"), Click("#edge")])
    assert result.failed is None
    assert await page.evaluate("log") == ["corner", "ring", "edge"]


async def test_a_checkbox_that_lets_presses_through_is_checked_by_its_label(page: Page, site: Site) -> None:
    box = "<input type=checkbox id=c style='position:absolute;opacity:0;pointer-events:none'>"
    await page.goto(site.html("/through", f"{box}<p style='height:80px'>Text</p><label for=c>Remember me</label>"))
    await page.check("#c")
    assert await page.evaluate("c.checked")


STICKS = """<header style="position:sticky;top:0;height:150px;background:#ccc">Shop</header>
<iframe src={} style="height:140px;border:0;display:block"></iframe><p style="height:2000px"></p>"""


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_a_frame_is_scrolled_from_under_what_sticks(page: Page, site: Site, host: str) -> None:
    site.html("/inner", "<p style='height:50px'></p><button onclick=\"this.textContent = 'Done'\">Go</button>")
    await page.goto(site.html("/sticks", STICKS.format(site.url("/inner", host=host))))
    await page.evaluate("scrollTo(0, 120)")
    await page.click("frame=iframe >> text=Go")
    await page.wait_for("frame=iframe >> text=Done")
