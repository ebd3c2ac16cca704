"""One call for one action does what a sequence of that one action does."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from sampling import sampled
from site_server import Site
from stillframe.api.actions import SelectorActions
from stillframe.api.browser import Page
from stillframe.api.locator import Locator
from stillframe.errors import ActionInvalid, OptionInvalid, SelectorInvalid
from stillframe.model import actions as a
from stillframe.model.result import SequenceResult
from stillframe.model.secret import Secret

FORM = """
<p id=log></p>
<button id=go>go</button> <label><input type=checkbox id=box> box</label>
<label><input type=checkbox id=on checked> on</label>
<input id=name> <input type=file id=file>
<select id=pick><option>one<option>two</select> <select id=more multiple><option>one<option>two<option>three</select>
<div id=far style="height: 3000px">far</div><div id=end>end</div>
<script>
const types = ["click", "dblclick", "contextmenu", "auxclick", "touchstart", "mouseover", "focusin", "change", "drop"]
for (const type of types)
  document.addEventListener(type, event => { log.textContent += ` ${type}:${event.target.id}` })
</script>
"""

Call = Callable[[SelectorActions], Awaitable[SequenceResult]]
Located = Callable[[Locator], Awaitable[SequenceResult]]

CASES: list[tuple[str, Call, Located, str, a.Action]] = [
    ("click", lambda p: p.click("#go"), lambda e: e.click(), "#go", a.Click("#go")),
    (
        "click_options",
        lambda p: p.click("#go", button="right", modifiers=["Shift"], position=a.Position(2, 2)),
        lambda e: e.click(button="right", modifiers=["Shift"], position=a.Position(2, 2)),
        "#go",
        a.Click("#go", button="right", modifiers=("Shift",), position=a.Position(2, 2)),
    ),
    (
        "dblclick",
        lambda p: p.dblclick("#go", button="middle", delay_ms=5),
        lambda e: e.dblclick(button="middle", delay_ms=5),
        "#go",
        a.DoubleClick("#go", button="middle", delay_ms=5),
    ),
    (
        "tap",
        lambda p: p.tap("#go", modifiers=["Shift"]),
        lambda e: e.tap(modifiers=["Shift"]),
        "#go",
        a.Tap("#go", modifiers=("Shift",)),
    ),
    (
        "long_press",
        lambda p: p.long_press("#go", duration_ms=800),
        lambda e: e.long_press(duration_ms=800),
        "#go",
        a.LongPress("#go", duration_ms=800),
    ),
    (
        "hover",
        lambda p: p.hover("#go", modifiers=["Shift"]),
        lambda e: e.hover(modifiers=["Shift"]),
        "#go",
        a.Hover("#go", modifiers=("Shift",)),
    ),
    ("focus", lambda p: p.focus("#go"), lambda e: e.focus(), "#go", a.Focus("#go")),
    (
        "dispatch_event",
        lambda p: p.dispatch_event("#go", "drop", {"clientX": 2}),
        lambda e: e.dispatch_event("drop", {"clientX": 2}),
        "#go",
        a.DispatchEvent("#go", "drop", {"clientX": 2}),
    ),
    ("set_checked", lambda p: p.set_checked("#box", True), lambda e: e.set_checked(True), "#box", a.Check("#box")),
    ("set_unchecked", lambda p: p.set_checked("#on", False), lambda e: e.set_checked(False), "#on", a.Uncheck("#on")),
    ("fill", lambda p: p.fill("#name", "Ann"), lambda e: e.fill("Ann"), "#name", a.SetValue("#name", "Ann")),
    ("fill_box", lambda p: p.fill("#box", True), lambda e: e.fill(True), "#box", a.SetValue("#box", True)),
    (
        "type",
        lambda p: p.type("#name", "Ann"),
        lambda e: e.type("Ann"),
        "#name",
        a.TypeText(selector="#name", text="Ann"),
    ),
    (
        "press",
        lambda p: p.press("#name", "a", times=2),
        lambda e: e.press("a", times=2),
        "#name",
        a.PressKey(selector="#name", key="a", times=2),
    ),
    (
        "select_option",
        lambda p: p.select_option("#pick", "two"),
        lambda e: e.select_option("two"),
        "#pick",
        a.SelectOption("#pick", "two"),
    ),
    (
        "select_options",
        lambda p: p.select_option("#more", ["one", "three"]),
        lambda e: e.select_option(["one", "three"]),
        "#more",
        a.SelectOption("#more", ("one", "three")),
    ),
    ("select_text", lambda p: p.select_text("#end"), lambda e: e.select_text(), "#end", a.SelectText("#end")),
    ("check", lambda p: p.check("#box"), lambda e: e.check(), "#box", a.Check("#box")),
    ("uncheck", lambda p: p.uncheck("#on"), lambda e: e.uncheck(), "#on", a.Uncheck("#on")),
    (
        "set_input_files",
        lambda p: p.set_input_files("#file", Path(__file__)),
        lambda e: e.set_input_files([__file__]),
        "#file",
        a.UploadFile("#file", __file__),
    ),
    (
        "scroll",
        lambda p: p.scroll("#far", pixels=300),
        lambda e: e.scroll(pixels=300),
        "#far",
        a.Scroll(selector="#far", pixels=300),
    ),
    (
        "swipe",
        lambda p: p.swipe("#far", direction="down"),
        lambda e: e.swipe(direction="down"),
        "#far",
        a.Swipe(selector="#far", direction="down"),
    ),
    (
        "drag_to",
        lambda p: p.drag_to("#go", offset=a.Offset(30, 0)),
        lambda e: e.drag_to(offset=a.Offset(30, 0)),
        "#go",
        a.DragTo("#go", offset=a.Offset(30, 0)),
    ),
    ("wait_for", lambda p: p.wait_for("#go"), lambda e: e.wait_for(), "#go", a.WaitFor(selector="#go")),
]
STATE = """(() => {
    const events = log.textContent.split(" ").filter(event => !/^mouseover:(?!go)/.test(event))
    const fields = [...document.querySelectorAll("input, select")]
    return [[...new Set(events)].sort(), scrollY > 0, String(getSelection()), document.activeElement.id,
            ...fields.map(field => [field.value, field.checked, field.files?.length, field.selectedOptions?.length])]
})()"""
"""The outcome of an action. The mouse stays where the last document left it, so it may pass over other elements."""


def told(result: SequenceResult) -> dict[str, Any]:
    """What a result says of what happened, without the times that differ from run to run."""
    builtins = result.to_dict()
    return {name: builtins.get(name) for name in ("completed", "failed", "stable", "stateChange", "steps")}


@pytest.mark.parametrize(
    ("call", "located", "selector", "action"),
    sampled([case[1:] for case in CASES], [CASES[0][1:]]),
    ids=[c[0] for c in CASES],
)
async def test_a_call_has_the_result_of_a_sequence_of_one(
    page: Page, site: Site, call: Call, located: Located, selector: str, action: a.Action
) -> None:
    url = site.html("/form", FORM)
    seen = []
    for how in ("sequence", "page", "locator"):
        await page.goto(url, settle=True)
        if how == "sequence":
            result = await page.execute_sequence([action])
        else:
            result = await (call(page) if how == "page" else located(page.locator(selector)))
        assert result.failed is None
        assert result.completed == 1
        rows = told(result)
        rows["stateChange"] = str(rows["stateChange"]).count("'selector'")
        seen.append((rows, await page.evaluate(STATE)))
    assert seen[0] == seen[1] == seen[2]


async def test_options_are_those_of_sequences(page: Page, site: Site) -> None:
    await page.goto(site.html("/form", FORM))
    result = await page.click("#go", verbose=True, settle="quiet", stability_ms=100, timeout_ms=1000)
    assert [step.action for step in result.steps or ()] == ["click_element"]
    with pytest.raises(OptionInvalid, match="did you mean"):
        await page.click("#go", timeot_ms=1)
    with pytest.raises(OptionInvalid):
        await page.locator("#go").click(timeout_ms=-1)


async def test_wrong_calls_raise(page: Page, site: Site) -> None:
    await page.goto(site.html("/form", FORM))
    with pytest.raises(SelectorInvalid):
        await page.click("#go >> ")
    with pytest.raises(ActionInvalid):
        await page.press("#name", "")
    with pytest.raises(ActionInvalid):
        await page.drag_to("#go")


async def test_without_a_selector_it_is_the_focus_or_the_page(page: Page, site: Site) -> None:
    await page.goto(site.html("/form", FORM))
    await page.focus("#name")
    await page.type(None, "An")
    await page.press(None, "n")
    assert await page.evaluate("document.getElementById('name').value") == "Ann"
    await page.scroll(pixels=400)
    assert await page.evaluate("scrollY") == 400
    await page.wait_for(text="far")
    await page.wait_for(url="/form")


async def test_one_element_is_dragged_onto_another(page: Page, site: Site) -> None:
    body = """<div id=one draggable=true>one</div><div id=two>two</div><script>
    two.ondragover = event => event.preventDefault(); two.ondrop = () => { two.textContent = "dropped" }</script>"""
    for drag in (
        lambda: page.drag_to("#one", "#two"),
        lambda: page.locator("#one").drag_to(page.locator("#two")),
    ):
        await page.goto(site.html("/drag", body))
        await drag()
        assert await page.evaluate("two.textContent") == "dropped"


async def test_secrets_are_typed_and_not_shown(page: Page, site: Site) -> None:
    await page.goto(site.html("/form", "<input id=name oninput='log.textContent = this.value'><p id=log></p>"))
    result = await page.fill("#name", Secret("hunter22"))
    assert await page.evaluate("log.textContent") == "hunter22"
    assert "hunter22" not in str(result.to_dict())
    assert "hunter" not in await page.locator("#log").text()
