"""From what a selector finds to the control behind it: labels, parts of controls, what is disabled, what can be on."""

from __future__ import annotations

import asyncio

import pytest

from acting import perform
from sampling import sampled
from site_server import Site
from stillframe.api.browser import Page
from stillframe.errors import ActionFailed, ElementDisabled, ElementUnsuitable, PageUnresponsive
from stillframe.model.actions import (
    Action,
    Check,
    Click,
    Focus,
    PressKey,
    SelectOption,
    SelectText,
    SetValue,
    TypeText,
    Uncheck,
)
from stillframe.tab.deadline import LATE_S, Deadline
from stillframe.tab.input.attempt import Attempt
from stillframe.tab.javascript import caller_scripts

SHORT = 0.2


async def shown(page: Page, site: Site, body: str) -> Page:
    await page.goto(site.html("/case", body))
    return page


# -- disabled ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "words"),
    sampled(
        [
            ("<button disabled><span id=x>s</span></button>", "disabled through button"),
            ("<fieldset disabled id=set><button><b id=x>s</b></button></fieldset>", "disabled through fieldset#set"),
            ("<div aria-disabled=true id=off><p><b id=x>s</b></p></div>", "disabled through div#off"),
            ("<div role=button aria-disabled=TRUE id=off><b id=x>s</b></div>", "disabled through div#off"),
            ("<div inert id=off><button id=x>s</button></div>", "inert through div#off"),
            ("<select size=3 disabled id=list><option id=x>s</select>", "disabled"),
        ],
        [("<button disabled><span id=x>s</span></button>", "disabled through button")],
    ),
)
async def test_a_part_of_what_is_disabled_is_disabled(page: Page, site: Site, body: str, words: str) -> None:
    await shown(page, site, body)
    with pytest.raises(ActionFailed, match=words) as caught:
        await perform(Attempt(page._tab), Click("#x"), timeout=SHORT)
    assert isinstance(caught.value, ElementDisabled | ElementUnsuitable)


@pytest.mark.parametrize(
    "body",
    sampled(
        [
            "<fieldset disabled><legend><button id=x>s</button></legend></fieldset>",
            "<fieldset disabled><b id=x>s</b></fieldset>",
            "<div aria-disabled=true><div aria-disabled=false><b id=x>s</b></div></div>",
            "<div disabled><b id=x>s</b></div>",
        ],
        ["<fieldset disabled><legend><button id=x>s</button></legend></fieldset>"],
    ),
)
async def test_what_only_looks_disabled_is_clicked(page: Page, site: Site, body: str) -> None:
    await shown(page, site, f"{body}<script>onclick = (e) => {{ window.hit = e.target.id }}</script>")
    await perform(Attempt(page._tab), Click("#x"))
    assert await page.evaluate("window.hit") == "x"


@pytest.mark.parametrize(
    "body",
    sampled(
        ["<optgroup disabled id=g><option>a</optgroup>", "<option disabled>a"],
        ["<optgroup disabled id=g><option>a</optgroup>"],
    ),
)
async def test_an_option_that_is_disabled_is_not_chosen(page: Page, site: Site, body: str) -> None:
    await shown(page, site, f"<select id=x><option>b{body}</select>")
    with pytest.raises(ElementDisabled, match="it is a disabled option"):
        await perform(Attempt(page._tab), SelectOption("#x", "a"), timeout=SHORT)


async def test_what_is_enabled_in_time_is_clicked(page: Page, site: Site) -> None:
    await shown(
        page,
        site,
        "<button disabled id=b onclick='window.hit = 1'><span id=x>s</span></button>"
        "<script>setTimeout(() => { b.disabled = false }, 300)</script>",
    )
    await perform(Attempt(page._tab), Click("#x"))
    assert await page.evaluate("window.hit") == 1


# -- labels --------------------------------------------------------------------------------------

FIELD = "<input id=f>"
LABELS = [
    f"<label id=x>Name {FIELD}</label>",
    f"<label><span id=x>Name</span> {FIELD}</label>",
    f"<label for=f><b><i id=x>Name</i></b></label>{FIELD}",
    f"<label>a <label id=x>b {FIELD}</label></label>",
    f"<label for=f>outer<label for=no><b id=x>b</b></label></label>{FIELD}",
    "<label id=x>Name <textarea id=f></textarea></label>",
]


@pytest.mark.parametrize("body", sampled(LABELS, [*LABELS][:1]))
@pytest.mark.parametrize("action", sampled([SetValue("#x", "new"), TypeText("#x", "new")], [SetValue("#x", "new")]))
async def test_text_goes_from_a_label_to_its_field(page: Page, site: Site, body: str, action: Action) -> None:
    await shown(page, site, body)
    await perform(Attempt(page._tab), action)
    assert await page.evaluate("f.value") == "new"


@pytest.mark.parametrize("action", sampled([Focus("#x"), PressKey("#x", "a"), SelectText("#x")], [Focus("#x")]))
async def test_the_focus_goes_from_a_label_to_its_field(page: Page, site: Site, action: Action) -> None:
    await shown(page, site, f"<label><span id=x>Name</span> {FIELD}</label>")
    await perform(Attempt(page._tab), action)
    assert await page.evaluate("document.activeElement.id") == "f"


async def test_select_option_goes_from_a_label_to_its_list(page: Page, site: Site) -> None:
    await shown(page, site, "<label><span id=x>Name</span><select id=f><option>a<option>b</select></label>")
    await perform(Attempt(page._tab), SelectOption("#x", "b"))
    await perform(Attempt(page._tab), SetValue("#x", "a"))
    assert await page.evaluate("f.value") == "a"


@pytest.mark.parametrize(
    "body",
    [
        "<label><span id=x>Yes</span> <input type=checkbox id=f></label>",
        "<label for=f id=x>Yes</label> <input type=checkbox id=f style='position: absolute; opacity: 0'>",
        "<input type=checkbox id=f style='display: none'><label for=f><b id=x>Yes</b></label>",
        "<button role=checkbox aria-checked=false id=f onclick='this.ariaChecked = true'><b id=x>Yes</b></button>",
    ],
)
async def test_check_goes_from_a_label_or_a_part_to_its_box(page: Page, site: Site, body: str) -> None:
    await shown(page, site, body)
    await perform(Attempt(page._tab), Check("#x"))
    assert await page.evaluate("f.checked || f.ariaChecked === 'true'")


async def test_what_is_drawn_for_a_hidden_box_is_clicked_before_a_label_elsewhere(page: Page, site: Site) -> None:
    """A framework that cancels the click and writes the state itself loses it when the click comes from the label."""
    await shown(
        page,
        site,
        """<style>#f { opacity: 0; width: 0; height: 0; position: absolute; margin: 0 }
          #switch i { display: inline-block; width: 40px; height: 20px; cursor: pointer }</style>
        <label for=f>Express</label><p><span id=switch><input id=f type=checkbox role=switch><i></i></span></p>
        <script>window.on = false
          window.onclick = (e) => {
            if (!document.getElementById("switch").contains(e.target)) return;
            e.preventDefault(); on = !on; Promise.resolve().then(() => { f.checked = on; f.ariaChecked = on }) }
        </script>""",
    )
    await perform(Attempt(page._tab), Check("role=switch"))
    assert await page.evaluate("on && f.checked")
    await perform(Attempt(page._tab), Uncheck("label=Express"))
    assert not await page.evaluate("on || f.checked")


async def test_a_custom_element_is_labelled_and_stands_for_its_field(page: Page, site: Site) -> None:
    await shown(
        page,
        site,
        """<label for=f><b id=x>Name</b></label><my-field id=f></my-field>
        <script>customElements.define("my-field", class extends HTMLElement {
          static formAssociated = true;
          constructor() { super(); this.attachInternals(); this.attachShadow({ mode: "open" }).innerHTML = "<input>" }
        })</script>""",
    )
    for selector in ("#x", "#f"):
        await perform(Attempt(page._tab), SetValue(selector, selector))
        assert await page.evaluate("f.shadowRoot.firstChild.value") == selector


@pytest.mark.parametrize(
    ("body", "words"),
    sampled(
        [
            ("<label><b id=x>Name</b></label><input>", "a label without a control: it contains no field"),
            ("<label for=no id=x>Name</label><input>", 'a label without a control: its for="no" names no field'),
        ],
        [("<label for=no id=x>Name</label><input>", 'a label without a control: its for="no" names no field')],
    ),
)
@pytest.mark.parametrize(
    "action", sampled([SetValue("#x", "v"), Check("#x"), SelectOption("#x", "v"), Focus("#x")], [Focus("#x")])
)
async def test_a_label_without_a_control(page: Page, site: Site, body: str, words: str, action: Action) -> None:
    await shown(page, site, body)
    with pytest.raises(ElementUnsuitable, match=words):
        await perform(Attempt(page._tab), action, timeout=SHORT)


async def test_a_link_in_a_label_is_not_part_of_it(page: Page, site: Site) -> None:
    await shown(page, site, f"<label>I agree to <a id=x href=/terms>terms</a> {FIELD}</label>")
    with pytest.raises(ElementUnsuitable, match="does not support this action"):
        await perform(Attempt(page._tab), SetValue("#x", "v"), timeout=SHORT)


@pytest.mark.parametrize("count", sampled((1000, 10_000), (1000,)))
async def test_thousands_of_nested_labels(page: Page, site: Site, count: int) -> None:
    await shown(page, site, "<label>" * count + "<b id=x>Name</b>")
    with pytest.raises(ElementUnsuitable, match="a label without a control"):
        await perform(Attempt(page._tab), SetValue("#x", "v"), timeout=SHORT)


# -- what can be on ------------------------------------------------------------------------------

ROLES = [
    *((role, "ariaChecked") for role in ("checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio")),
    *((role, state) for role in ("option", "treeitem") for state in ("ariaChecked", "ariaSelected")),
    *((role, "ariaSelected") for role in ("gridcell", "row", "tab")),
    ("button", "ariaPressed"),
]


@pytest.mark.parametrize(("role", "state"), sampled(ROLES, [*ROLES][:1]))
async def test_check_by_role(page: Page, site: Site, role: str, state: str) -> None:
    attribute = state.lower().replace("aria", "aria-")
    await shown(page, site, f"<div id=x role={role} {attribute}=false>{role}</div>")
    await page.evaluate(
        f"x.onclick = () => {{ x.{state} = x.{state} !== 'true'; window.clicks = (window.clicks | 0) + 1 }}, 0"
    )
    await perform(Attempt(page._tab), Check("#x"))
    await perform(Attempt(page._tab), Check("#x"))
    assert await page.evaluate(f"[x.{state}, clicks]") == ["true", 1]
    if "radio" in role:
        with pytest.raises(ElementUnsuitable, match="by checking another one"):
            await perform(Attempt(page._tab), Uncheck("#x"), timeout=SHORT)
        return
    await perform(Attempt(page._tab), Uncheck("#x"))
    assert await page.evaluate(f"[x.{state}, clicks]") == ["false", 2]


async def test_an_option_without_a_state_is_off(page: Page, site: Site) -> None:
    await shown(page, site, "<div id=x role=option onclick='setTimeout(() => { x.ariaSelected = true }, 200)'>a</div>")
    await perform(Attempt(page._tab), Check("#x"))
    assert await page.evaluate("x.ariaSelected") == "true"


async def test_a_cell_that_cannot_be_selected_cannot_be_checked(page: Page, site: Site) -> None:
    await shown(page, site, "<div id=x role=gridcell>a</div>")
    with pytest.raises(ElementUnsuitable, match="does not support this action"):
        await perform(Attempt(page._tab), Check("#x"), timeout=SHORT)


async def test_a_tree_item_is_clicked_beside_the_items_in_it(page: Page, site: Site) -> None:
    await shown(
        page,
        site,
        "<div role=tree><div role=treeitem id=x aria-selected=false><span>outer</span><div role=group>"
        + "<div role=treeitem aria-selected=false>inner</div>" * 5
        + "</div></div></div>"
        + "<script>onclick = (e) => { e.target.closest('[role=treeitem]').ariaSelected = true }</script>",
    )
    await perform(Attempt(page._tab), Check("#x"))
    assert await page.evaluate("document.querySelectorAll('[aria-selected=true]').length") == 1


CYCLE = "x.onclick = () => {{ const a = {order}; x.ariaChecked = a[(a.indexOf(x.ariaChecked) + 1) % 3] }}, 0"


@pytest.mark.parametrize(
    "order", sampled([["mixed", "false", "true"], ["mixed", "true", "false"]], [["mixed", "false", "true"]])
)
@pytest.mark.parametrize("start", sampled(["mixed", "false", "true"], ["mixed"]))
@pytest.mark.parametrize("action", sampled([Check("#x"), Uncheck("#x")], [Check("#x")]))
async def test_three_states(page: Page, site: Site, order: list[str], start: str, action: Action) -> None:
    await shown(page, site, f"<div id=x role=checkbox aria-checked={start}>a</div>")
    await page.evaluate(CYCLE.format(order=order))
    await perform(Attempt(page._tab), action)
    assert await page.evaluate("x.ariaChecked") == ("true" if isinstance(action, Check) else "false")


async def test_a_native_box_that_is_indeterminate(page: Page, site: Site) -> None:
    await shown(page, site, "<input type=checkbox id=x checked><script>x.indeterminate = true</script>")
    await perform(Attempt(page._tab), Check("#x"))
    assert await page.evaluate("[x.checked, x.indeterminate]") == [True, False]


async def test_what_was_seen_is_reported(page: Page, site: Site) -> None:
    await shown(page, site, "<div id=x role=checkbox aria-checked=mixed>a</div>")
    await page.evaluate("x.onclick = () => { x.ariaChecked = x.ariaChecked === 'mixed' ? 'false' : 'mixed' }, 0")
    with pytest.raises(ElementUnsuitable, match="clicked 2 times and went from mixed to unchecked to mixed"):
        await perform(Attempt(page._tab), Check("#x"))


# -- the keyboard focus --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    sampled(
        ["<div id=x tabindex=0></div>", "<div id=x contenteditable></div>", "<a id=x href=#></a>"],
        ["<a id=x href=#></a>"],
    ),
)
@pytest.mark.parametrize("action", sampled([Focus("#x"), PressKey("#x", "Shift")], [PressKey("#x", "Shift")]))
async def test_what_is_empty_takes_the_focus(page: Page, site: Site, body: str, action: Action) -> None:
    await shown(page, site, body)
    await perform(Attempt(page._tab), action)
    assert await page.evaluate("document.activeElement.id") == "x"


@pytest.mark.parametrize("action", sampled([TypeText("#x", "new"), SetValue("#x", "new")], [SetValue("#x", "new")]))
async def test_an_empty_editor_takes_text(page: Page, site: Site, action: Action) -> None:
    await shown(page, site, "<div id=x contenteditable></div>")
    await perform(Attempt(page._tab), action)
    assert await page.evaluate("x.innerText") == "new"


@pytest.mark.parametrize("style", sampled(["display: none", "visibility: hidden"], ["display: none"]))
async def test_what_is_hidden_takes_no_focus(page: Page, site: Site, style: str) -> None:
    await shown(page, site, f"<input id=x style='{style}'>")
    with pytest.raises(ActionFailed, match="not visible"):
        await perform(Attempt(page._tab), Focus("#x"), timeout=SHORT)


async def test_the_focus_event_has_come_when_focus_ends(page: Page, site: Site) -> None:
    site.html("/inner", "<input id=x onfocus='window.came = (window.came | 0) + 1'>")
    outer = f"<iframe src=/inner></iframe><iframe src='{site.url('/inner', host='localhost')}'></iframe>"
    await shown(page, site, outer)
    async with await page.context.new_page():  # which makes the page a background tab
        for number in (1, 2):
            await perform(Attempt(page._tab), Focus(f"frame=iframe:nth-of-type({number}) >> #x"))
            frame = list(page._tab.frames)[number]
            assert await caller_scripts.evaluate(
                frame, "[window.came, document.hasFocus()]", deadline=Deadline(30)
            ) == [1, True]


async def test_a_field_that_is_replaced_when_it_gets_the_focus(page: Page, site: Site) -> None:
    await shown(
        page,
        site,
        "<div id=form><input class=x></div><script>let done = false; form.addEventListener('focusin', () => {"
        "if (!done) { done = true; form.innerHTML = '<input class=x>'; form.firstChild.focus() } })</script>",
    )
    await perform(Attempt(page._tab), SetValue(".x", "new"))
    assert await page.evaluate("form.firstChild.value") == "new"


# -- what takes no text, selecting text, hanging pages ---------------------------------------------


@pytest.mark.parametrize("role", ["textbox", "searchbox"])
async def test_a_role_alone_takes_no_text(page: Page, site: Site, role: str) -> None:
    await shown(page, site, f"<div id=x role={role} tabindex=0>old</div>")
    with pytest.raises(ElementUnsuitable, match="neither a field nor editable"):
        await perform(Attempt(page._tab), SetValue("#x", "new"), timeout=60)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<input id=x value='some text'>", "some text"),
        ("<input id=x readonly value='some text'>", "some text"),
        ("<textarea id=x>two\nlines</textarea>", "two\nlines"),
        ("<p>a</p><p id=x>one <b>two</b> three</p><p>b</p>", "one two three"),
        ("<div id=x contenteditable>one <b>two</b></div>", "one two"),
        ("<input id=x type=number value=12>", None),
    ],
)
async def test_select_text(page: Page, site: Site, body: str, text: str | None) -> None:
    await shown(page, site, body)
    await perform(Attempt(page._tab), SelectText("#x"))
    if text is not None:
        assert await page.evaluate("String(getSelection())") == text
    elif await page.evaluate("document.activeElement.id") == "x":
        await perform(Attempt(page._tab), PressKey("Delete"))
        assert await page.evaluate("x.value") == ""


async def test_text_that_cannot_be_selected(page: Page, site: Site) -> None:
    await shown(page, site, "<p id=x style='user-select: none'>text</p>")
    with pytest.raises(ElementUnsuitable, match="user-select"):
        await perform(Attempt(page._tab), SelectText("#x"), timeout=60)


HANGS = """<script>for (const kind of ['focusin', 'click', 'keydown', 'input'])
    addEventListener(kind, () => { for (;;) ; })</script>"""


NEVER_ANSWERED = (
    SetValue("#x", "v"),
    Check("#box"),
    TypeText("#x", "v"),
    PressKey("#x", "a"),
    Focus("#x"),
    SetValue("#date", "2026-01-01"),
)


@pytest.mark.serial
@pytest.mark.parametrize(
    "action",
    sampled(NEVER_ANSWERED, NEVER_ANSWERED[:2]),
)
async def test_a_page_that_never_answers_ends_the_action(page: Page, site: Site, action: Action) -> None:
    await shown(page, site, f"<input id=x><input type=checkbox id=box><input type=date id=date>{HANGS}")
    clock = asyncio.get_running_loop().time
    began = clock()
    with pytest.raises(PageUnresponsive):
        await perform(Attempt(page._tab), action, timeout=0.5)
    assert clock() - began < 0.5 + LATE_S + 0.5


# -- links ---------------------------------------------------------------------------------------


async def test_alt_click_downloads(page: Page, site: Site) -> None:
    site.html("/file", "figures")
    await shown(page, site, "<a id=x href=/file>Save <b id=part>it</b></a><button id=y>b</button>")
    for selector in ("#x", "#part"):
        async with page.expect_download() as download:
            result = await page.execute_sequence([Click(selector, modifiers=("Alt",))])
        assert [each.url for each in result.downloads] == [site.url("/file")]
        assert await (await download.value).failure() is None  # waits for its end, which may come after the result
        assert page.url == site.url("/case")
    result = await page.execute_sequence([Click("#y", modifiers=("Alt",))])
    assert (result.completed, result.downloads) == (1, ())
