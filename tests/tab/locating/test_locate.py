"""Every form of selector against real documents: what it finds, what it refuses, and in what words."""

from __future__ import annotations

import asyncio

import pytest

from acting import locate
from sampling import sampled
from site_server import Site
from stillframe.api.browser import Page
from stillframe.errors import (
    AmbiguousSelector,
    ElementNotFound,
    ElementUnsuitable,
    RefStale,
    SelectorInvalid,
)

ID = "function() { return this.getAttribute('id') }"


async def found(page: Page, selector: str, timeout: float = 3.0) -> str:
    handle = await locate(page._tab, selector, timeout=timeout)
    try:
        return str(await handle.call(ID))
    finally:
        await handle.release()


FORMS = [
    ("#user", "user"),
    ("form#login > button.primary", "go"),
    ("form .primary, #nothing", "go"),
    ("xpath=//label[contains(., 'User')]/following::input[1]", "user"),
    ("//nav/a[2]", "two"),
    ("text=log in", "go"),
    ('text="News of the day"', "news"),
    ("text=kind world", "greeting"),
    ("text=send", "send"),
    ("role=button[name='Log in']", "go"),
    ("role=textbox[name='User name']", "user"),
    ("role=textbox[name*=pass]", "pass"),
    ("role=combobox[name=Colour]", "colour"),
    ("role=heading[level=2]", "news"),
    ("role=checkbox[checked]", "terms"),
    ("role=checkbox[checked=false]", "ads"),
    ("role=button[name='Close dialog']", "close"),
    ("role=img[name='A cat']", "cat"),
    ("role=form[name='Log in']", "login"),
    ("role=link[name=Two]", "two"),
    ("text=Save", "save"),
    ("role=button[name=Save]", "save"),
    ("~submit-login", "go"),
    ("~username", "user"),
    ("~Close dialog", "close"),
    ("role=textbox[name=clob]", "clob"),
]


async def test_each_form_finds_its_element(page: Page, site: Site) -> None:
    await page.goto(site.url("/act/selectors.html"))
    assert [(selector, await found(page, selector)) for selector, _ in FORMS] == FORMS


async def test_not_found_names_selector_place_and_nearest(page: Page, site: Site) -> None:
    await page.goto(site.url("/act/selectors.html"))
    with pytest.raises(ElementNotFound) as caught:
        await locate(page._tab, "#usr", timeout=0)
    assert "#usr" in str(caught.value)
    assert "the page" in str(caught.value)
    assert caught.value.candidates[0] == 'input#user "User name"'


async def test_several_matches_are_listed_never_guessed(page: Page, site: Site) -> None:
    await page.goto(site.url("/act/selectors.html"))
    with pytest.raises(AmbiguousSelector) as caught:
        await locate(page._tab, "button", timeout=0)
    assert caught.value.count == 4
    assert 'button#hidden-save "Save" (not rendered)' in caught.value.matches
    assert "button#save" in str(caught.value)


async def test_the_browser_s_word_on_syntax_is_final(page: Page, site: Site) -> None:
    await page.goto(site.url("/act/selectors.html"))
    for selector in ("a:b:c", "xpath=//[", "div..x"):
        with pytest.raises(SelectorInvalid, match="does not parse"):
            await locate(page._tab, selector)


SHADOWED = [
    ("#in-open", "in-open"),
    ("#open-host .deep", "in-open"),
    ("body #nested", "nested"),
    ("#in-closed", "in-closed"),
    ("#closed-host .box > button", "in-closed"),
    ("#in-closed-closed", "in-closed-closed"),
    ("text=Behind closed", "in-closed"),
    ("role=textbox[name='Nested field']", "nested"),
    ("role=button[name='Buy now']", "None"),
]


async def test_shadow_roots_open_and_closed(page: Page, site: Site) -> None:
    await page.goto(site.url("/act/shadow.html"))
    assert [(selector, await found(page, selector)) for selector, _ in SHADOWED] == SHADOWED


HOSTS = """<label for=street>Street</label> <x-field id=street></x-field>
<x-field id=city placeholder=City></x-field> <x-outer id=zip role=textbox aria-label=Zip></x-outer>
<x-pair id=pair aria-label=Name></x-pair> <script>
const define = (name, inside) => customElements.define(name, class extends HTMLElement {
  static formAssociated = true
  constructor() {
    super(); this.attachInternals(); this.attachShadow({mode: "open", delegatesFocus: true}).innerHTML = inside
  }
})
define("x-field", "<input aria-label=Street placeholder=City>")
define("x-inner", "<input aria-label=Zip>")
define("x-outer", "<x-inner aria-label=Zip></x-inner>")
define("x-pair", "<input aria-label=Name><input aria-label=Name>")</script>"""


LAZY = """<div style="height:9000px"></div><iframe id=far loading=lazy name=far src=/inside></iframe>"""


@pytest.mark.every_row
@pytest.mark.parametrize("frame", ["#far", "name=far", "url=/inside"])
async def test_a_frame_that_loads_in_view_is_brought_there(page: Page, site: Site, frame: str) -> None:
    site.html("/inside", "<button id=b onclick='pressed = 1'>Far</button>")
    await page.goto(site.html("/lazy", LAZY))
    assert await page.locator(f"frame={frame} >> #b").count() == 0
    assert await page.evaluate("scrollY") == 0
    await page.click(f"frame={frame} >> #b")
    assert await page.evaluate("frames[0].pressed") == 1


async def test_a_host_and_its_own_field_are_one_match(page: Page, site: Site) -> None:
    await page.goto(site.html("/hosts", HOSTS))
    for selector in ("#street >> placeholder=City", "role=textbox[name=Zip]", "label=Zip"):
        assert await page.locator(selector).count() == 1, selector
    await page.evaluate("city.remove()")
    await page.fill("label=Street", "Oak 1")
    assert await page.evaluate("street.shadowRoot.firstChild.value") == "Oak 1"
    for selector, count in (("x-field, x-field input", 2), ("label=Name", 3)):
        with pytest.raises(AmbiguousSelector, match=f"matches {count} elements"):
            await locate(page._tab, selector, timeout=0.1)


LIGHT_HOSTS = """<app-filter placeholder=Filter><div><input placeholder=Filter></div></app-filter>
<app-pair placeholder=Part><input placeholder=Part><input placeholder=Part></app-pair>
<app-note title=Note><b title=Note>note</b></app-note>"""


async def test_an_element_of_a_framework_and_its_own_field_are_one_match(page: Page, site: Site) -> None:
    """Angular's elements have no shadow roots, and keep the attributes that they hand on."""
    await page.goto(site.html("/light", LIGHT_HOSTS))
    await page.fill("placeholder=Filter", "loss")
    assert await page.evaluate("document.querySelector('app-filter input').value") == "loss"
    assert [await page.locator(selector).count() for selector in ("placeholder=Part", "title=Note")] == [3, 2]


LABELLED_HOSTS = """<label for=one>Agree</label><x-check id=one></x-check> <label><x-check id=two></x-check>News</label>
<label><input id=own>Street</label><x-check id=three></x-check> <script>
customElements.define("x-check", class extends HTMLElement {
  static formAssociated = true
  constructor() {
    super(); this.attachInternals()
    this.attachShadow({mode: "open"}).innerHTML = "<input type=checkbox><input>"
  }
})</script>"""


async def test_a_label_of_a_host_names_the_first_field_inside(page: Page, site: Site) -> None:
    await page.goto(site.html("/labelled", LABELLED_HOSTS))
    text = (await page.aria_snapshot()).text
    for name, host in (("Agree", "one"), ("News", "two")):
        assert f'checkbox "{name}"' in text
        assert await page.locator(f"role=checkbox[name='{name}']").count() == 1
        await page.check(f"label={name}")
        assert await page.evaluate(f"{host}.shadowRoot.firstChild.checked") is True
    assert text.count("Agree") + text.count("News") == 3
    assert await page.locator("role=checkbox[name='Street']").count() == 0


async def test_a_closed_root_that_comes_later_is_found(page: Page, site: Site) -> None:
    await page.goto(site.url("/act/shadow.html"))
    search = asyncio.create_task(found(page, "#late"))
    await page.evaluate("addLate()")
    assert await search == "late"


async def test_it_waits_for_the_element(page: Page, site: Site) -> None:
    await page.goto(site.url("/act/late.html"))
    search = asyncio.create_task(found(page, "#late"))
    await page._tab.frames.main.evaluate("1")
    await page.evaluate("add()")
    assert await search == "late"


async def test_it_goes_on_in_the_next_document(page: Page, site: Site) -> None:
    await page.goto(site.url("/act/late.html"))
    search = asyncio.create_task(found(page, "#user", timeout=10))
    await page._tab.frames.main.evaluate("1")
    await page.goto(site.url("/act/selectors.html"))
    assert await search == "user"


FRAMES = ("frame=#same", "frame=#other", "frame=name=same", "frame=name=other", "frame=url=inner.html?other")


@pytest.mark.parametrize("frame", sampled(FRAMES, FRAMES[-1:]))
async def test_into_frames_of_this_and_other_processes(page: Page, site: Site, frame: str) -> None:
    await page.goto(site.url("/act/frames.html"))
    assert await found(page, f"{frame} >> #field") == "field"


async def test_frames_that_are_none_or_missing(page: Page, site: Site) -> None:
    await page.goto(site.url("/act/frames.html"))
    with pytest.raises(ElementUnsuitable, match="is not a frame"):
        await locate(page._tab, "frame=h1 >> #field", timeout=0.1)
    with pytest.raises(ElementNotFound, match=r"no frame in the page matches the name 'nope'.*inner.html"):
        await locate(page._tab, "frame=name=nope >> #field", timeout=0.1)
    with pytest.raises(ElementNotFound, match="in the frame 'same'"):
        await locate(page._tab, "frame=#same >> #nope", timeout=0.1)


async def test_refs_live_as_long_as_their_document(page: Page, site: Site) -> None:
    await page.goto(site.url("/act/frames.html"))
    for selector in ("h1", "frame=#same >> #field", "frame=#other >> #field"):
        handle = await locate(page._tab, selector)
        ref = page._tab.refs.ref_for(handle.frame.process_key, await handle.backend_node_id())
        again = await locate(page._tab, f"ref={ref}")
        assert again.frame is handle.frame
        assert await again.backend_node_id() == await handle.backend_node_id()
    await page.evaluate("document.querySelector('h1').remove()")
    with pytest.raises(RefStale, match="its element has left the page"):
        await locate(page._tab, "ref=e1", timeout=0.1)
    with pytest.raises(ElementNotFound, match="was never assigned"):
        await locate(page._tab, "ref=e99", timeout=0.1)


async def test_the_page_sees_nothing_of_it(page: Page, site: Site) -> None:
    await page.goto(site.url("/act/selectors.html"))
    before = await page.evaluate("[document.documentElement.outerHTML, Object.keys(window).join()]")
    await found(page, "role=button[name='Log in']")
    assert await page.evaluate("[document.documentElement.outerHTML, Object.keys(window).join()]") == before
    assert await page.evaluate("typeof __sf") == "undefined"


async def test_a_frame_that_goes_away_and_comes_back(page: Page, site: Site) -> None:
    """The frame is torn out while the search runs in it; the next frame by that name is entered instead."""
    await page.goto(site.url("/act/frames.html"))
    search = asyncio.create_task(found(page, "frame=name=other >> #late", timeout=10))
    await page._tab.frames.main.evaluate("1")
    await page.evaluate(
        "document.querySelector('#other').remove(),"
        "document.body.insertAdjacentHTML('beforeend', `<iframe name=other srcdoc='<b id=late>late</b>'></iframe>`)"
    )
    assert await search == "late"
