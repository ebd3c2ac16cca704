"""Locators: reading elements, through shadow roots and frames, and what is never shown."""

from __future__ import annotations

import asyncio

import pytest

from site_server import Site
from stillframe.api.browser import Page
from stillframe.errors import (
    AmbiguousSelector,
    ElementNotFound,
    ElementUnsuitable,
    EvaluationFailed,
    EvaluationTimeout,
    SelectorInvalid,
)

BODY = """
<ul id=list><li class=item>one</li><li class=item style="text-transform: uppercase">two</li>
<li class=item hidden>three</li></ul>
<input id=name value=Ann data-kind=first><input id=date type=date value=2025-12-31>
<textarea id=area>some
text</textarea>
<select id=pick><option value=1>one<option value=2 selected>two</select>
<div id=edit contenteditable>edited</div>
<label id=label>Box <input type=checkbox id=box checked></label>
<div role=switch id=switch aria-checked=false>switch</div>
<fieldset disabled><button id=off>off</button></fieldset><button id=on>on</button>
<div id=square style="position: absolute; left: 30px; top: 400px; width: 50px; height: 20px"></div>
<svg><text id=svg y=10>drawn</text></svg>
<form id=form><input name=innerText><input name=getAttribute></form>
"""


async def test_text_value_and_attribute(page: Page, site: Site) -> None:
    await page.goto(site.html("/start", BODY))
    assert await page.locator("#list").text() == "one\nTWO"
    assert await page.locator(".item >> nth=2").text() == "three"
    assert await page.locator("#svg").text() == "drawn"
    assert await page.locator("#form").text() == ""
    values = {
        name: await page.locator(f"#{name}").value() for name in ("name", "date", "area", "pick", "edit", "label")
    }
    assert values == {
        "name": "Ann",
        "date": "2025-12-31",
        "area": "some\ntext",
        "pick": "2",
        "edit": "edited",
        "label": "on",
    }
    name = page.locator("#name")
    assert (await name.attribute("data-kind"), await name.attribute("value"), await name.attribute("gone")) == (
        "first",
        "Ann",
        None,
    )
    await name.fill("Bea")
    assert (await name.value(), await name.attribute("value")) == ("Bea", "Ann")
    with pytest.raises(ElementUnsuitable, match="has no value"):
        await page.locator("#list").value()


async def test_states(page: Page, site: Site) -> None:
    await page.goto(site.html("/start", BODY))
    assert await page.locator("#box").is_checked()
    assert await page.locator("#label").is_checked()
    assert not await page.locator("#switch").is_checked()
    assert not await page.locator("#off").is_enabled()
    assert await page.locator("#on").is_enabled()
    with pytest.raises(ElementUnsuitable, match="cannot be checked"):
        await page.locator("#list").is_checked()
    await page.locator("#box").uncheck()
    assert not await page.locator("#box").is_checked()


async def test_what_a_control_is_in_may_disable_it(page: Page, site: Site) -> None:
    body = """<label class=off>A<input disabled></label><label class=off for=x>B<i class=off>b</i></label>
<input id=x disabled><label class=on>C<input></label><label class=off>D<button disabled class=off>d</button></label>
<button disabled><input class=on><span class=off>s</span></button><h3 aria-disabled=true class=on>h</h3>
<div aria-disabled=true><h2 class=on>h</h2><p class=on>p</p><button class=off>b</button><i class=off>i</i></div>
<div role=button aria-disabled=true><h2 class=off>h</h2></div>"""
    await page.goto(site.html("/disabled", body))
    for word, enabled in (("on", True), ("off", False)):
        states = [await each.is_enabled() for each in await page.locator(f".{word}").all()]
        assert set(states) == {enabled}, word


async def test_counts_and_several(page: Page, site: Site) -> None:
    await page.goto(site.html("/start", BODY))
    items = page.locator("#list").locator(".item")
    assert await items.count() == 3
    assert [await item.text() for item in await items.all()] == ["one", "TWO", "three"]
    assert (await items.first.text(), await items.nth(1).text(), await items.last.text()) == ("one", "TWO", "three")
    assert await items.nth(-2).text() == "TWO"
    assert [await item.is_visible() for item in await items.all()] == [True, True, False]
    assert (await page.locator(".gone").count(), await page.locator(".gone").all()) == (0, [])
    assert not await page.locator(".gone").is_visible()
    assert not await items.nth(7).is_visible()
    with pytest.raises(AmbiguousSelector):
        await items.is_visible()
    with pytest.raises(AmbiguousSelector):
        await items.text()
    with pytest.raises(ElementNotFound, match=r"nearest"):
        await page.locator("#lst").text(timeout_ms=50)
    assert repr(items.first) == "Locator('#list >> .item >> nth=0')"


async def test_reads_wait_and_counts_do_not(page: Page, site: Site) -> None:
    await page.goto(site.html("/start", "<main id=main></main>"))
    late = page.locator("#late")
    assert await late.count() == 0
    reading = asyncio.ensure_future(late.text())
    assert await page.locator("#main").text() == ""
    await page.evaluate("main.innerHTML = '<p id=late>here</p>'")
    assert await reading == "here"
    assert await late.count() == 1


async def test_selectors_are_checked_at_once(page: Page) -> None:
    with pytest.raises(SelectorInvalid):
        page.locator("text=")
    with pytest.raises(SelectorInvalid):
        page.locator("div").locator("ref=e1")
    with pytest.raises(SelectorInvalid):
        await page.locator("div[").count()
    with pytest.raises(SelectorInvalid):
        await page.locator("div[").text()


async def test_boxes(page: Page, site: Site) -> None:
    deep = "position: absolute; margin: 0; left: 5px; top: 900px; width: 40px; height: 10px"
    inner = site.html("/inner", f"<p id=in style='{deep}'>x")
    scaled = "position: absolute; left: 100px; top: 50px; border: 2px solid; transform: scale(2); transform-origin: 0 0"
    frame = f"<iframe id=f src={inner} style='{scaled}'></iframe>"
    await page.goto(site.html("/start", BODY + frame))
    assert await page.locator("#square").box() == (30, 400, 50, 20)
    assert await page.locator("#list >> .item >> nth=2").box() is None
    box = await page.locator("frame=#f >> #in").box()
    assert box is not None
    assert box == pytest.approx((100 + 2 * 7, 50 + 2 * 902, 80, 20))
    assert await page.evaluate("scrollY") == 0
    await page.evaluate("document.getElementById('f').style.display = 'none'")
    assert await page.locator("frame=#f >> #in").box() is None


async def test_closed_roots_frames_and_other_processes(page: Page, site: Site) -> None:
    closed = """<div id=host></div><script>
    host.attachShadow({mode: "closed"}).innerHTML = "<p class=deep>deep</p><p class=deep>down</p>"</script>"""
    other = site.html("/other", closed).replace("127.0.0.1", "localhost")
    await page.goto(site.html("/start", closed + f"<iframe id=f src={other}></iframe>"))
    assert await page.locator(".deep").count() == 2
    assert await page.locator("#host").locator(".deep").last.text() == "down"
    framed = page.locator("frame=#f >> .deep")
    assert await framed.first.text() == "deep"
    assert await framed.count() == 2
    assert await page.locator("frame=#gone >> .deep").count() == 0


async def test_what_fields_hide_is_not_read(page: Page, site: Site) -> None:
    body = """<input id=pw type=password value=prefilled><input id=empty type=password>
    <input id=code autocomplete=one-time-code><p id=log></p>
    <script>pw.oninput = () => { pw.setAttribute("value", pw.value); log.textContent = pw.value }</script>"""
    await page.goto(site.html("/start", body))
    password = page.locator("#pw")
    assert await password.value() == "••••"
    assert await password.attribute("value") == "••••"
    assert await page.locator("#empty").value() == ""
    assert "prefilled" not in await page.content()
    await password.fill("hunter22")
    await page.locator("#code").fill("271828")
    await page.evaluate("pw.type = 'text'")
    assert await password.value() == "••••"
    assert await password.attribute("value") == "••••"
    assert await page.locator("#code").value() == "••••"
    assert await page.locator("#log").text() == "••••"
    content = await page.content()
    assert "hunter22" not in content
    assert 'value="••••"' in content


async def test_a_read_begins_again_in_the_next_document(page: Page, site: Site) -> None:
    site.html("/next", "<p id=late>next</p>")
    await page.goto(site.html("/start", "<p id=early>start</p>"))
    reading = asyncio.ensure_future(page.locator("#late").text(timeout_ms=10_000))
    await page.locator("#early").count()
    await page.goto(site.url("/next"))
    assert await reading == "next"


async def test_a_function_is_called_with_the_element(page: Page, site: Site) -> None:
    await page.goto(site.html("/evaluates", "<button data-id=7>Go</button><p>1</p><p>2</p>"))
    assert await page.locator("button").evaluate("(element) => element.dataset.id") == "7"
    assert await page.locator("button").evaluate("async function (b) { return [b.tagName] }") == ["BUTTON"]
    with pytest.raises(EvaluationFailed, match="not a function"):
        await page.locator("button").evaluate("7")
    with pytest.raises(AmbiguousSelector):
        await page.locator("p").evaluate("(element) => 1")
    with pytest.raises(EvaluationTimeout):
        await page.locator("button").evaluate("() => new Promise(() => 0)", timeout_ms=50)
