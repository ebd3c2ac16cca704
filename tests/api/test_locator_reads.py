"""The reads and the actions of locators that have Playwright's names, and the forms of them on pages and frames."""

from __future__ import annotations

import io

import pytest

from site_server import Site
from stillframe.api.browser import Page
from stillframe.errors import AmbiguousSelector, ElementNotFound, ElementUnsuitable, StillframeError

BODY = """
<ul id=list><li>one</li><li style="text-transform: uppercase"> two <i hidden>gone</i></li><li hidden>three</li></ul>
<input id=name value=Ann data-kind=first><input id=fixed readonly value=f><input id=off disabled>
<input id=secret type=password value=hunter2><textarea id=area>more</textarea>
<div id=edit contenteditable>edited</div><div id=plain>plain <b>bold</b> &amp;</div>
<div id=own role=textbox aria-readonly=true tabindex=0>own</div>
<label id=label>Box <input type=checkbox id=box></label><fieldset disabled><button id=stuck>stuck</button></fieldset>
<div id=square style="position: absolute; left: 30px; top: 40px; width: 50px; height: 20px; background: lime"></div>
<div style="height: 4000px"></div><p id=end>end</p><p id=log></p><p id=hidden style="display: none">h</p>
<script>
const note = (event) => {
  log.textContent += ` ${event.type}:${event.constructor.name}:${event.isTrusted}:${event.target.id}`
    + (event.detail && event.detail.who ? `:${event.detail.who}` : "") + (event.clientX ? `:${event.clientX}` : "")
}
for (const type of ["ping", "click", "drop", "blur", "paste"]) document.addEventListener(type, note, true)
let times = []
document.getElementById("name").addEventListener("keydown",
  ({ key }) => key.length > 1 || times.push(performance.now()))
</script>
"""


async def test_reads(page: Page, site: Site) -> None:
    await page.goto(site.html("/start", BODY))
    find = page.locator
    assert await find("#plain").inner_text() == await find("#plain").text() == "plain bold &"
    assert await find("#plain").inner_html() == "plain <b>bold</b> &amp;"
    assert await find("#list li >> nth=1").text_content() == " two gone"
    assert await find("#list li").all_inner_texts() == ["one", "TWO", "three"]
    assert await find("#list li").all_text_contents() == ["one", " two gone", "three"]
    assert await find("#nothing").all_inner_texts() == []
    assert await find("#name").input_value() == "Ann"
    assert (await find("#name").get_attribute("data-kind"), await find("#name").get_attribute("x")) == ("first", None)
    assert await find("#square").bounding_box() == {"x": 30, "y": 40, "width": 50, "height": 20}
    assert await find("#hidden").bounding_box() is None
    assert [await find(each).is_hidden() for each in ("#hidden", "#nothing", "#name")] == [True, True, False]
    assert [await find(each).is_disabled() for each in ("#off", "#stuck", "#name")] == [True, True, False]
    editable = {
        each: await find(f"#{each}").is_editable() for each in ("name", "fixed", "off", "area", "edit", "own", "box")
    }
    assert editable == {
        "name": True, "fixed": False, "off": False, "area": True, "edit": True, "own": False, "box": True,
    }  # fmt: skip
    with pytest.raises(ElementUnsuitable, match="cannot be edited"):
        await find("#plain").is_editable()
    with pytest.raises(AmbiguousSelector):
        await find("#list li").is_hidden()
    with pytest.raises(ElementNotFound):
        await find("#nothing").inner_html(timeout_ms=0)


async def test_what_hides_its_text_stays_hidden(page: Page, site: Site) -> None:
    form = "<div id=form><input type=password value=hunter2><textarea id=t>x</textarea></div>"
    await page.goto(site.html("/start", form))
    html = await page.inner_html("#form")
    assert "hunter2" not in html
    assert "••••" in html
    assert await page.text_content("#form") == "x"


async def test_the_page_and_its_frames_have_the_same_reads(page: Page, site: Site) -> None:
    inner = site.html("/inner", BODY)
    await page.goto(site.html("/start", f"<iframe name=same src={inner}></iframe>"))
    frame = page.frame(name="same")
    assert frame is not None
    assert await frame.inner_text("#plain") == "plain bold &"
    assert await frame.text_content("#plain") == "plain bold &"
    assert await frame.inner_html("#plain") == "plain <b>bold</b> &amp;"
    assert await frame.input_value("#name") == "Ann"
    assert await frame.get_attribute("#name", "data-kind") == "first"
    assert [await frame.is_visible("#name"), await page.is_visible("#name")] == [True, False]
    assert [await frame.is_hidden("#hidden"), await frame.is_enabled("#off"), await frame.is_disabled("#off")] == [
        True, False, True,
    ]  # fmt: skip
    assert [await frame.is_editable("#fixed"), await frame.is_checked("#box")] == [False, False]
    await frame.set_checked("#label", True)
    assert await frame.is_checked("#box")
    await page.goto(inner)
    assert await page.inner_text("#plain") == "plain bold &"


async def test_events_by_script(page: Page, site: Site) -> None:
    await page.goto(site.html("/start", BODY))
    await page.locator("#hidden").dispatch_event("click")
    await page.dispatch_event("#end", "ping", {"detail": {"who": "Ann"}})
    await page.locator("#end").dispatch_event("drop", {"clientX": 7})
    await page.locator("#end").dispatch_event("paste")
    await page.locator("#name").focus()
    await page.locator("#name").blur()
    assert (await page.locator("#log").text()).split() == [
        "click:MouseEvent:false:hidden",
        "ping:CustomEvent:false:end:Ann",
        "drop:DragEvent:false:end:7",
        "paste:ClipboardEvent:false:end",
        "blur:FocusEvent:true:name",
    ]
    result = await page.execute_sequence(
        [{"action": "dispatch_event", "selector": "#end", "type": "click", "eventInit": {"view": 7}}]
    )
    assert result.failed is not None
    assert "an event 'click' cannot be made of {'view': 7}" in result.failed.error


async def test_the_other_actions(page: Page, site: Site) -> None:
    await page.goto(site.html("/start", BODY))
    name = page.locator("#name")
    await name.clear()
    assert await name.input_value() == ""
    await name.press_sequentially("abc", delay=40)
    assert await name.input_value() == "abc"
    gaps = await page.evaluate("times.slice(1).map((at, i) => at - times[i])")
    assert len(gaps) == 2
    assert all(gap > 30 for gap in gaps)
    await page.type("#area", "!", delay_ms=5)
    await page.locator("#box").set_checked(True)
    await page.locator("#box").set_checked(False)
    assert not await page.is_checked("#box")
    await page.locator("#end").scroll_into_view_if_needed()
    box = await page.locator("#end").bounding_box()
    assert box is not None
    assert 0 <= box["y"] < await page.evaluate("innerHeight")


async def test_a_picture_of_an_element(page: Page, site: Site) -> None:
    image = pytest.importorskip("PIL.Image")
    await page.goto(site.html("/start", BODY))
    await page.locator("#plain").highlight()
    await page.locator("#plain").hide_highlight()
    await page.locator("#square").highlight()
    picture = image.open(io.BytesIO(await page.locator("#square").screenshot())).convert("RGB")
    assert picture.size == (50, 20)
    assert picture.getpixel((25, 10)) == (0, 255, 0)
    with pytest.raises(StillframeError):
        await page.locator("#nothing").highlight(timeout_ms=0)
