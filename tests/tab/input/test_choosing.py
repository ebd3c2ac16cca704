"""Lists that a page draws itself: one small page per way of making them."""

from __future__ import annotations

import asyncio

import pytest
from aiohttp import web

from acting import perform
from sampling import sampled
from site_server import Site
from stillframe.api.browser import Page
from stillframe.errors import (
    ActionFailed,
    AmbiguousSelector,
    ElementDisabled,
    ElementUnsuitable,
    PageUnresponsive,
)
from stillframe.model.actions import SelectOption, SetValue
from stillframe.tab.deadline import LATE_S
from stillframe.tab.input.attempt import Attempt

COLORS = ["Red", "Green", "Blue"]
OPTIONS = "".join(f"<li role=option data-value={name.lower()}>{name}</li>" for name in COLORS)
KIT = """<style>ul { background: white; margin: 0; padding: 0; list-style: none } [hidden] { display: none !important }
    [role=option], .item { height: 24px }</style><script>
    window.chosen = [];
    const open = (is) => { x.ariaExpanded = is; list.hidden = !is };
    const take = (option) => { chosen.push(option.textContent); open(false) };
</script>"""

PAGES = {
    "select-only": f"""<div id=x role=combobox tabindex=0 aria-expanded=false aria-controls=list>Red</div>
        <ul id=list role=listbox hidden>{OPTIONS}</ul>
        <script>x.onclick = () => open(list.hidden); list.onclick = (e) => {{ x.textContent = e.target.textContent;
        take(e.target) }}</script>""",
    "button": f"""<button id=x aria-haspopup=listbox aria-expanded=false>Pick</button>
        <ul id=list role=listbox hidden>{OPTIONS}</ul>
        <script>x.onclick = () => open(list.hidden); list.onclick = (e) => {{ x.textContent = e.target.textContent;
        take(e.target) }}</script>""",
    "editable": """<input id=x role=combobox aria-expanded=false aria-controls=list aria-autocomplete=list>
        <ul id=list role=listbox hidden></ul><script>x.oninput = () => {
          const found = ["Red", "Green", "Blue"].filter((name) => name.toLowerCase().includes(x.value.toLowerCase()));
          list.innerHTML = found.map((name) => `<li role=option>${name}</li>`).join(""); open(found.length > 0) };
        list.onclick = (e) => { x.value = e.target.textContent; take(e.target) }</script>""",
    "arrow": f"""<input id=x role=combobox aria-expanded=false aria-controls=list>
        <ul id=list role=listbox hidden>{OPTIONS}</ul>
        <script>x.onkeydown = (e) => {{ if (e.key === "ArrowDown") open(true) }};
        list.onclick = (e) => {{ x.value = e.target.textContent; take(e.target) }}</script>""",
    "wrapper": f"""<div id=x role=combobox aria-owns=list aria-expanded=false><input id=field></div>
        <ul id=list role=listbox hidden>{OPTIONS}</ul>
        <script>field.onfocus = () => open(true);
        list.onclick = (e) => {{ field.value = e.target.textContent; take(e.target) }}</script>""",
    "inside": f"""<div id=x><label>Color</label><span><input role=combobox id=field aria-expanded=false></span>
        <ul id=list role=listbox hidden>{OPTIONS}</ul></div>
        <script>field.onclick = () => {{ list.hidden = false }};
        list.onclick = (e) => {{ field.value = e.target.textContent; take(e.target) }}</script>""",
    "covered": f"""<div id=box style="position:relative;width:200px;height:30px">
          <input id=x role=combobox readonly aria-expanded=false aria-controls=list style="width:60px">
          <span style="position:absolute;inset:0;background:white" id=words>Red</span></div>
        <ul id=list role=listbox hidden>{OPTIONS}</ul>
        <script>box.onclick = () => open(list.hidden);
        list.onclick = (e) => {{ words.textContent = e.target.textContent; take(e.target) }}</script>""",
    "beside its arrow": f"""<div id=box style="position:relative;width:200px;height:30px">
          <i style="position:absolute"><input id=x role=combobox aria-haspopup=listbox readonly aria-expanded=false
          aria-controls=list style="width:1px"></i>
          <span style="position:absolute;inset:0;background:white" id=words>Red</span>
          <div role=button aria-haspopup=listbox style="position:absolute;right:0;width:9px;height:9px"></div></div>
        <ul id=list role=listbox hidden>{OPTIONS}</ul>
        <script>box.onclick = () => open(list.hidden);
        list.onclick = (e) => {{ words.textContent = e.target.textContent; take(e.target) }}</script>""",
    "portal": f"""<div><div id=x role=combobox tabindex=0 aria-haspopup=listbox>Red</div></div>
        <script>x.onmousedown = () => setTimeout(() => {{
          document.body.insertAdjacentHTML("beforeend", `<div id=portal><ul role=listbox>{OPTIONS}</ul></div>`);
          portal.onclick = (e) => {{ x.textContent = e.target.textContent; chosen.push(x.textContent);
          portal.remove() }}
        }}, 200)</script>""",
    "plain": """<div id=x role=combobox tabindex=0 aria-expanded=false><b id=shown>Red</b></div>
        <div id=list hidden><div class=item>Red</div><div class=item>Green</div><div class=item><i>Blue</i></div></div>
        <script>x.onclick = () => open(true);
        list.onclick = (e) => { shown.textContent = e.target.textContent; take(e.target) }</script>""",
    "redrawn": f"""<div id=x role=combobox tabindex=0 aria-expanded=false aria-controls=list>Red</div>
        <ul id=list role=listbox hidden>{OPTIONS}</ul>
        <script>x.onclick = () => open(true); let drawn = false;
        list.onmousemove = () => {{ if (!drawn) {{ drawn = true; list.innerHTML = list.innerHTML }} }};
        list.onclick = (e) => {{ x.textContent = e.target.textContent; take(e.target) }}</script>""",
    "hidden field": f"""<div><div id=x role=combobox tabindex=0 aria-expanded=false aria-controls=list>1 color</div>
        <input type=hidden id=kept></div><ul id=list role=listbox hidden>{OPTIONS}</ul>
        <script>x.onclick = () => open(true);
        list.onclick = (e) => {{ kept.value = e.target.dataset.value; take(e.target) }}</script>""",
    "popover": """<button id=x role=combobox popovertarget=list>Red</button>
        <div id=list popover><div role=option>Red</div><div role=option>Green</div><div role=option>Blue</div></div>
        <script>list.onclick = (e) => { x.textContent = e.target.textContent; chosen.push(x.textContent);
        list.hidePopover() }</script>""",
    "slow to show": f"""<div id=x role=combobox tabindex=0 aria-expanded=false aria-controls=list>Red</div>
        <ul id=list role=listbox hidden>{OPTIONS}</ul>
        <script>x.onclick = () => open(true);
        list.onclick = (e) => {{ setTimeout(() => {{ x.textContent = e.target.textContent }}, 400); take(e.target) }}
        </script>""",
}


async def shown(page: Page, site: Site, body: str) -> Page:
    await page.goto(site.html("/case", KIT + body))
    return page


@pytest.mark.parametrize("name", PAGES)
async def test_an_option_is_chosen_by_its_name(page: Page, site: Site, name: str) -> None:
    await shown(page, site, PAGES[name])
    await perform(Attempt(page._tab), SelectOption("#x", "Blue"))
    assert await page.evaluate("chosen") == ["Blue"]


@pytest.mark.parametrize("name", sampled(["select-only", "button"], ["select-only"]))
@pytest.mark.parametrize("value", sampled(["blue", "BLUE", "  Blue "], ["blue"]))
async def test_an_option_is_chosen_by_its_value_or_its_name_in_another_case(
    page: Page, site: Site, name: str, value: str
) -> None:
    await shown(page, site, PAGES[name])
    await perform(Attempt(page._tab), SelectOption("#x", value))
    assert await page.evaluate("chosen") == ["Blue"]


async def test_a_list_that_is_open_is_not_closed(page: Page, site: Site) -> None:
    await shown(page, site, PAGES["select-only"])
    await page.evaluate("x.click()")
    await perform(Attempt(page._tab), SelectOption("#x", "Green"))
    assert await page.evaluate("chosen") == ["Green"]


async def test_options_that_a_server_sends_when_it_is_typed_into(page: Page, site: Site) -> None:
    asked: list[str] = []

    async def answer(request: web.Request) -> web.Response:
        asked.append(request.query["q"])
        await asyncio.sleep(0.3)
        return web.json_response([name for name in COLORS if request.query["q"].lower() in name.lower()])

    site.route("/colors", answer)
    await shown(
        page,
        site,
        """<input id=x role=combobox aria-expanded=false aria-controls=list><ul id=list role=listbox hidden></ul>
        <script>let timer; x.oninput = () => { clearTimeout(timer); timer = setTimeout(async () => {
          const found = await (await fetch("/colors?q=" + x.value)).json();
          list.innerHTML = found.map((name) => `<li role=option>${name}</li>`).join(""); open(true) }, 150) };
        list.onclick = (e) => { x.value = e.target.textContent; take(e.target) }</script>""",
    )
    await perform(Attempt(page._tab), SelectOption("#x", "Green"))
    assert (await page.evaluate("chosen"), asked) == (["Green"], ["Green"])


@pytest.mark.parametrize("overflow", sampled(["auto", "hidden"], ["hidden"]))
async def test_a_list_that_draws_only_what_is_in_view(page: Page, site: Site, overflow: str) -> None:
    await shown(
        page,
        site,
        """<div id=x role=combobox tabindex=0 aria-expanded=false aria-controls=list>-</div>
        <div id=list role=listbox hidden style="height: 120px; overflow: OVERFLOW; position: relative">
          <div style="height: 4800px"></div></div>
        <script>let top_ = 0; const draw = () => {
          for (const old of list.querySelectorAll("[role=option]")) old.remove();
          for (let i = Math.floor(top_ / 24); i < top_ / 24 + 6; i++) list.insertAdjacentHTML("beforeend",
            `<div role=option style="position: absolute; width: 100px; top: ${i * 24 - OFFSET}px">Item ${i}</div>`) };
        list.onscroll = () => { top_ = list.scrollTop; draw() };
        list.onwheel = (e) => { if ("OVERFLOW" === "hidden") { e.preventDefault(); top_ += e.deltaY; draw() } };
        x.onclick = () => { open(true); draw() };
        list.onclick = (e) => { x.textContent = e.target.textContent; take(e.target) }</script>""".replace(
            "OVERFLOW", overflow
        ).replace("OFFSET", "top_" if overflow == "hidden" else "0"),
    )
    await perform(Attempt(page._tab), SelectOption("#x", "Item 42"), timeout=10)
    assert await page.evaluate("chosen") == ["Item 42"]


# -- several -------------------------------------------------------------------------------------

CHIPS = """<div id=holder><span id=chips></span><input id=x role=combobox aria-expanded=false aria-controls=list></div>
    <ul id=list role=listbox aria-multiselectable=true hidden></ul><script>
    const all = ["Red", "Green", "Blue"], on = new Set(["Red"]);
    const draw = () => {
      chips.innerHTML = [...on].map((name) => `<span>${name}<button>x</button></span>`).join("");
      list.innerHTML = all.map((name) => `<li role=option aria-selected=${on.has(name)}>${name}</li>`).join("") };
    draw(); x.onclick = () => open(true); x.onkeydown = (e) => { if (e.key === "Escape") open(false) };
    list.onclick = ({ target: { textContent: name } }) => { on.has(name) ? on.delete(name) : on.add(name); draw() }
    </script>"""


async def test_several_are_chosen_and_none_is_taken_back(page: Page, site: Site) -> None:
    await shown(page, site, CHIPS)
    await perform(Attempt(page._tab), SelectOption("#x", ("Red", "Blue")))
    assert await page.evaluate("[[...on].join(), list.hidden]") == ["Red,Blue", True]


async def test_a_listbox_that_is_always_open(page: Page, site: Site) -> None:
    await shown(
        page,
        site,
        f"""<ul id=x role=listbox aria-multiselectable=true>{OPTIONS}</ul><script>x.onclick = ({{ target: o }}) => {{
        o.ariaSelected = o.ariaSelected !== "true" }}</script>""",
    )
    for _ in range(2):
        await perform(Attempt(page._tab), SelectOption("#x", ("red", "Blue")))
        names = "Array.from(document.querySelectorAll('[aria-selected=true]'), (o) => o.textContent)"
        assert await page.evaluate(names) == ["Red", "Blue"]


# -- selects behind a widget ---------------------------------------------------------------------

NATIVE = "".join(f"<option value={name.lower()}>{name}</option>" for name in COLORS)
BESIDE = f"""<select id=x style="position:absolute;width:1px;height:1px;clip:rect(0 0 0 0)">{NATIVE}</select>
    <div><button id=w role=combobox aria-expanded=false aria-controls=list>Red</button></div>
    <ul id=list role=listbox hidden>{OPTIONS}</ul>"""
AROUND = f"""<div id=w role=combobox tabindex=0 aria-expanded=false aria-controls=list style="position:relative">
    <select id=x style="position:absolute;inset:0;opacity:0;pointer-events:none">{NATIVE}</select>
    <b id=words>Red</b></div>
    <ul id=list role=listbox hidden>{OPTIONS}</ul>"""
DEAF = """<script>const words = document.getElementById("words") || w; const open = (is) => { w.ariaExpanded = is;
    list.hidden = !is }; w.onclick = () => open(list.hidden);
    list.onclick = ({ target }) => { words.textContent = target.textContent; x.value = target.dataset.value;
    open(false) }</script>"""
FOLLOWING = "<script>x.onchange = () => { words.textContent = x.selectedOptions[0].label }</script>"


@pytest.mark.parametrize(
    "action", [SelectOption("#x", "Blue"), SetValue("#x", "blue")], ids=["select_option", "set_value"]
)
@pytest.mark.parametrize("body", [BESIDE, AROUND], ids=["beside", "around"])
async def test_a_widget_that_does_not_notice_the_choice_in_its_select(
    page: Page, site: Site, body: str, action: SelectOption | SetValue
) -> None:
    await page.goto(site.html("/case", "<style>[hidden] { display: none }</style>" + body + DEAF))
    await perform(Attempt(page._tab), action)
    assert await page.evaluate("[x.value, words.textContent, list.hidden]") == ["blue", "Blue", True]


async def test_a_widget_that_makes_its_options_again_and_loses_the_choice(page: Page, site: Site) -> None:
    again = "<script>x.addEventListener('change', () => { x.innerHTML = x.innerHTML }, { once: true })</script>"
    await page.goto(site.html("/case", "<style>[hidden] { display: none }</style>" + AROUND + DEAF + again))
    await perform(Attempt(page._tab), SelectOption("#x", "Blue"))
    assert await page.evaluate("[x.value, words.textContent]") == ["blue", "Blue"]


async def test_a_widget_that_follows_its_select_is_left_alone(page: Page, site: Site) -> None:
    body = AROUND + DEAF + FOLLOWING + "<script>w.onclick = () => { words.textContent = 'clicked' }</script>"
    await page.goto(site.html("/case", "<style>[hidden] { display: none }</style>" + body))
    await perform(Attempt(page._tab), SelectOption("#x", "Blue"))
    assert await page.evaluate("[x.value, words.textContent]") == ["blue", "Blue"]


async def test_a_chip_that_stays_although_its_select_dropped_it(page: Page, site: Site) -> None:
    body = AROUND.replace("<select", "<select multiple").replace("<option value=red", "<option selected value=red")
    await page.goto(site.html("/case", "<style>[hidden] { display: none }</style>" + body))
    with pytest.raises(ElementUnsuitable, match="still shows 'Red': act on the widget"):
        await perform(Attempt(page._tab), SelectOption("#x", "Blue"))
    assert await page.evaluate("x.value") == "red"


# -- datalists -----------------------------------------------------------------------------------

DATALIST = """<input id=x list=l><datalist id=l><option value=de>Germany</option><option value=France></datalist>"""


@pytest.mark.parametrize(("value", "kept"), [("France", "France"), ("de", "de"), ("Germany", "de")])
async def test_a_field_with_suggestions(page: Page, site: Site, value: str, kept: str) -> None:
    await shown(page, site, DATALIST)
    await perform(Attempt(page._tab), SelectOption("#x", value))
    assert await page.evaluate("x.value") == kept
    await perform(Attempt(page._tab), SetValue("#x", "whatever else"))
    assert await page.evaluate("x.value") == "whatever else"


async def test_what_is_not_suggested(page: Page, site: Site) -> None:
    await shown(page, site, DATALIST)
    with pytest.raises(ElementUnsuitable, match=r"no such option.*its options are Germany, France"):
        await perform(Attempt(page._tab), SelectOption("#x", "Spain"), timeout=0.2)


# -- what goes wrong -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", sampled(["select-only", "editable", "portal", "plain", "button"], ["select-only"]))
async def test_what_is_not_offered_is_reported_with_what_is(page: Page, site: Site, name: str) -> None:
    await shown(page, site, PAGES[name])
    with pytest.raises(ElementUnsuitable) as caught:
        await perform(Attempt(page._tab), SelectOption("#x", "Purple"), timeout=1)
    if name == "editable":
        assert "no option appeared" in str(caught.value)
    else:
        assert "no option 'Purple'; it offered 'Red', 'Green', 'Blue'" in str(caught.value)
    assert await page.evaluate("chosen") == []


async def test_nothing_opens(page: Page, site: Site) -> None:
    await shown(page, site, "<div id=x role=combobox tabindex=0>Red</div>")
    with pytest.raises(ElementUnsuitable, match="it was clicked, but no option appeared"):
        await perform(Attempt(page._tab), SelectOption("#x", "Blue"), timeout=0.5)


async def test_an_option_that_is_not_taken(page: Page, site: Site) -> None:
    await shown(page, site, PAGES["select-only"].replace("x.textContent = e.target.textContent;", ""))
    with pytest.raises(
        ElementUnsuitable, match="its option 'Blue' was clicked, but the widget does not show it: it shows 'Red'"
    ):
        await perform(Attempt(page._tab), SelectOption("#x", "Blue"), timeout=1)


@pytest.mark.slow
async def test_text_that_was_typed_and_not_taken_is_not_a_choice(page: Page, site: Site) -> None:
    await shown(page, site, PAGES["editable"].replace("list.onclick =", "list.unused ="))
    with pytest.raises(ElementUnsuitable, match="does not show it"):
        await perform(Attempt(page._tab), SelectOption("#x", "Blue"), timeout=1)


async def test_an_option_of_a_list_that_is_disabled(page: Page, site: Site) -> None:
    await shown(page, site, PAGES["select-only"].replace("data-value=blue", "data-value=blue aria-disabled=true"))
    with pytest.raises(ElementDisabled, match=r"its option '.*' is disabled"):
        await perform(Attempt(page._tab), SelectOption("#x", "Blue"), timeout=1)
    await shown(page, site, PAGES["select-only"].replace("id=x", "id=x aria-disabled=true"))
    with pytest.raises(ElementDisabled):
        await perform(Attempt(page._tab), SelectOption("#x", "Blue"), timeout=0.2)


async def test_two_options_of_one_name(page: Page, site: Site) -> None:
    await shown(page, site, PAGES["select-only"].replace(">Red</li>", ">Blue</li>"))
    with pytest.raises(AmbiguousSelector, match="2 of its options match 'Blue'"):
        await perform(Attempt(page._tab), SelectOption("#x", "Blue"), timeout=1)
    await perform(Attempt(page._tab), SelectOption("#x", "blue"))
    assert await page.evaluate("chosen") == ["Blue"]


async def test_what_is_not_a_list(page: Page, site: Site) -> None:
    await shown(page, site, "<input id=x><button id=y>b</button>")
    for selector, words in (("#x", "set_value or type_text"), ("#y", "does not support this action")):
        with pytest.raises(ElementUnsuitable, match=words):
            await perform(Attempt(page._tab), SelectOption(selector, "Blue"), timeout=60)


@pytest.mark.serial
@pytest.mark.parametrize("event", ["mousedown", "click"])
async def test_a_page_that_never_answers(page: Page, site: Site, event: str) -> None:
    await shown(page, site, PAGES["select-only"] + f"<script>list.on{event} = () => {{ for (;;) ; }}</script>")
    clock = asyncio.get_running_loop().time
    began = clock()
    with pytest.raises(PageUnresponsive):
        await perform(Attempt(page._tab), SelectOption("#x", "Blue"), timeout=1)
    assert clock() - began < 1 + LATE_S + 0.5


async def test_an_option_that_leads_elsewhere(page: Page, site: Site) -> None:
    site.html("/there", "there")
    body = PAGES["select-only"].replace("take(e.target)", "location.href = '/there'")
    await shown(page, site, body)
    await perform(Attempt(page._tab), SelectOption("#x", "Blue"))
    with pytest.raises(ActionFailed):
        await perform(Attempt(page._tab), SelectOption("#x", "Blue"), timeout=0.2)
