"""`get_by_*`, `filter`, `and_`, `or_` and frame locators: what each finds, and that its selector can be pasted."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from site_server import Site
from stillframe.api.browser import Page
from stillframe.api.locator import Locator
from stillframe.errors import ElementNotFound, SelectorInvalid

BODY = """
<h1 id=h1>Basket</h1><h2 id=h2>Your items</h2>
<ul id=list>
<li id=tea>Tea <b id=cheap>cheap</b> <button id=tea-buy>Buy</button> <span id=s1 title="Green tea">3 left</span></li>
<li id=milk>Milk <button id=milk-buy disabled>Buy now</button> <img id=pic alt="A glass of milk"></li>
<li id=salt style="display:none">Salt <button id=salt-buy>Buy</button></li>
</ul>
<label id=label>Your name <input id=name placeholder="First and last"></label>
<input id=mail aria-label="Mail address" placeholder="you@example.org" data-testid=mail-1>
<label for=news>News</label><input id=news type=checkbox checked>
<button id=toggle aria-pressed=true aria-expanded=false>Größe 7</button>
<div role=tablist><div role=tab id=tab1 aria-selected=true>One</div><div role=tab id=tab2>Two</div></div>
<div role=dialog id=dialog aria-label=Gone hidden>Gone</div>
<select aria-label=Size><option id=small>S<option id=large selected>L</select>
<p id=slash>/usr/ >> "bin"</p><p id=shout style="text-transform: uppercase">loud</p>
<x-open id=open></x-open><x-closed id=closed></x-closed>
<script>
for (const mode of ["open", "closed"]) {
  const root = document.querySelector(`x-${mode}`).attachShadow({ mode });
  root.innerHTML = `<section>
   <h3 id=h3-${mode}>In ${mode}</h3><button id=in-${mode}>Deep ${mode}</button><i>x</i></section>`;
}
</script>
"""

Make = Callable[[Page], Locator]

FOUND: list[tuple[Make, str, str]] = [
    (lambda p: p.get_by_role("heading", name="basket"), "h1", 'role=heading[name*="basket"][include-hidden=false]'),
    (lambda p: p.get_by_role("heading", level=2), "h2", "role=heading[level=2][include-hidden=false]"),
    (lambda p: p.get_by_role("button", name="Buy", exact=True), "tea-buy", ""),
    (lambda p: p.get_by_role("button", name="Buy", exact=True, include_hidden=True), "tea-buy salt-buy", ""),
    (lambda p: p.get_by_role("button", name="buy", disabled=True), "milk-buy", ""),
    (lambda p: p.get_by_role("button", name=re.compile(r"^\w+ \d$"), pressed=True), "toggle", ""),
    (lambda p: p.get_by_role("button", expanded=False), "toggle", ""),
    (lambda p: p.get_by_role("checkbox", checked=True), "news", ""),
    (lambda p: p.get_by_role("tab", selected=True), "tab1", ""),
    (lambda p: p.get_by_role("option", selected=True), "large", ""),
    (lambda p: p.get_by_role("dialog"), "", ""),
    (lambda p: p.get_by_role("dialog", include_hidden=True), "dialog", ""),
    (lambda p: p.get_by_role("button", name="deep"), "in-open in-closed", ""),
    (lambda p: p.get_by_text("CHEAP"), "cheap", "text=CHEAP"),
    (lambda p: p.get_by_text("cheap", exact=True), "cheap", 'text="cheap"'),
    (lambda p: p.get_by_text("Cheap", exact=True), "", ""),
    (lambda p: p.get_by_text(re.compile("^tea", re.IGNORECASE)), "tea", "text=/^tea/iu"),
    (lambda p: p.get_by_text(re.compile(r"\d left")), "s1", r"text=/\p{Nd} left/u"),
    (lambda p: p.get_by_text(re.compile("^LOUD$")), "shout", ""),
    (lambda p: p.get_by_text(re.compile("^loud$")), "shout", ""),
    (lambda p: p.get_by_text('/usr/ >> "bin"'), "slash", """text='/usr/ >> "bin"'i"""),
    (lambda p: p.get_by_text(re.compile("/usr/ >>")), "slash", r"text=/\/usr\/ >>/u"),
    (lambda p: p.get_by_text(re.compile("^Deep open$")), "in-open", ""),
    (lambda p: p.get_by_label("your name"), "name", "label=your name"),
    (lambda p: p.get_by_label("Mail", exact=True), "", ""),
    (lambda p: p.get_by_label(re.compile("^Mail|News$")), "mail news", ""),
    (lambda p: p.get_by_placeholder("last"), "name", ""),
    (lambda p: p.get_by_placeholder(re.compile("example.org$")), "mail", ""),
    (lambda p: p.get_by_alt_text("glass"), "pic", "alt=glass"),
    (lambda p: p.get_by_title("Green tea", exact=True), "s1", 'title="Green tea"'),
    (lambda p: p.get_by_test_id("mail-1"), "mail", 'testid="mail-1"'),
    (lambda p: p.get_by_test_id(re.compile(r"^mail-\d")), "mail", ""),
    (lambda p: p.locator("li").filter(has_text="tea"), "tea", 'li >> has-text="tea"'),
    (lambda p: p.locator("li").filter(has_text=re.compile("^Milk")), "milk", ""),
    (lambda p: p.locator("li").filter(has_not_text="tea"), "milk salt", 'li >> has-not-text="tea"'),
    (lambda p: p.locator("li").filter(has=p.locator("img")), "milk", 'li >> has="img"'),
    (lambda p: p.locator("li").filter(has_not=p.locator("img")), "tea salt", ""),
    (lambda p: p.locator("li").filter(has=p.get_by_role("button", name="Buy", exact=True)), "tea", ""),
    (lambda p: p.locator("li").filter(has=p.get_by_text("cheap"), has_text="3"), "tea", ""),
    (lambda p: p.locator("li").filter(visible=False), "salt", "li >> visible=false"),
    (lambda p: p.locator("li", has=p.locator("> b")), "tea", ""),
    (lambda p: p.locator("li", has_text="i").filter(visible=True).last, "milk", ""),
    (lambda p: p.locator("section").filter(has=p.get_by_text("In closed")).locator("button"), "in-closed", ""),
    (lambda p: p.locator("x-open").filter(has=p.locator("i")), "open", ""),
    (lambda p: p.locator("label").filter(has=p.get_by_label("Your name")), "label", ""),
    (lambda p: p.get_by_role("button").and_(p.locator("[aria-pressed]")), "toggle", ""),
    (lambda p: p.locator("#list").get_by_role("button").and_(p.get_by_text("Buy now")), "milk-buy", ""),
    (lambda p: p.locator("#nowhere").or_(p.locator("#h1")), "h1", '#nowhere >> or="#h1"'),
    (lambda p: p.locator("#h2").or_(p.locator("#h1")), "h1 h2", ""),
    (lambda p: p.locator("#tea").or_(p.locator("#milk")).locator("button"), "tea-buy milk-buy", ""),
    (lambda p: p.locator("#list").locator(p.locator("#h1").or_(p.locator("#pic"))), "pic", ""),
    (lambda p: p.locator("#in-open").or_(p.locator("#in-closed")).or_(p.locator("#h1")), "h1 in-open in-closed", ""),
    (lambda p: p.locator("li").locator(p.locator("button").first), "tea-buy milk-buy salt-buy", ""),
    (lambda p: p.locator("li").locator(p.locator("button")).first, "tea-buy", "li >> button >> nth=0"),
    (lambda p: p.locator("li").nth(1).get_by_alt_text(re.compile("milk")), "pic", ""),
    (lambda p: p.locator("#open").get_by_role("heading"), "h3-open", ""),
    (lambda p: p.get_by_role("button").first.within(p.locator("li")), "tea-buy milk-buy", ""),
    (lambda p: p.locator("li").visible, "tea milk", "li >> visible=true"),
    (lambda p: p.locator("button:text('buy now')"), "milk-buy", ""),
    (lambda p: p.locator('li > button:text-is("Buy")'), "tea-buy", ""),
    (lambda p: p.locator("button:text-matches('^buy', 'i')"), "tea-buy milk-buy", ""),
    (lambda p: p.locator("p:text-matches('^/usr/')"), "slash", ""),
    (lambda p: p.locator("li >> > button").first, "tea-buy", ""),
    (lambda p: p.locator("li").locator("+ li"), "milk salt", ""),
    (lambda p: p.locator("#tea").locator("~ li").locator(":scope[style]"), "salt", ""),
    (lambda p: p.locator("x-open:has(i)"), "open", ""),
    (lambda p: p.locator("x-closed :is(section > button)"), "in-closed", ""),
    (lambda p: p.locator("section > :not(x-open *, h3, i)"), "in-closed", ""),
]


async def ids(locator: Locator) -> str:
    return " ".join([str(await each.attribute("id")) for each in await locator.all()])


async def test_what_each_finds(page: Page, site: Site) -> None:
    await page.goto(site.html("/start", BODY))
    locators = [make(page) for make, *_ in FOUND]
    found = {repr(locator): await ids(locator) for locator in locators}
    expected = {repr(locator): ids for locator, (_, ids, _) in zip(locators, FOUND, strict=True)}
    assert found == expected


async def test_the_selector_can_be_pasted(page: Page, site: Site) -> None:
    await page.goto(site.html("/start", BODY))
    for make, expected, written in FOUND:
        locator = make(page)
        selector = repr(locator)[len("Locator(") : -1]
        pasted = page.locator(eval(selector))
        assert repr(pasted) == repr(locator)
        if written:
            assert selector == repr(written)
        if expected:
            assert await pasted.count() == len(expected.split())
    with pytest.raises(ElementNotFound) as caught:
        await page.get_by_role("button", name="Bye").filter(has_text="x").text(timeout_ms=0)
    assert caught.value.selector == 'role=button[name*="Bye"][include-hidden=false] >> has-text="x"'
    assert page.locator(caught.value.selector)
    with pytest.raises(ElementNotFound, match=r"\[include-hidden=true\] takes them") as caught:
        await page.get_by_role("dialog", name="Gone").text(timeout_ms=0)


async def test_frames(page: Page, site: Site) -> None:
    inner = "<ul><li>One <button id=a>Go</button></li><li>Two <button id=b>Go</button></li></ul>"
    same = site.html("/same", inner)
    other = site.html("/other", f"<iframe name=deep src={same}></iframe>").replace("127.0.0.1", "localhost")
    await page.goto(site.html("/start", f"<iframe id=same src={same}></iframe><iframe id=other src={other}></iframe>"))
    same_frame = page.frame_locator("#same")
    deep = page.frame_locator("#other").frame_locator("iframe")
    by_content = page.locator("iframe").nth(1).content_frame.locator("iframe").content_frame
    frame = page.frame(name="deep")
    assert frame is not None
    for place in (same_frame, deep, by_content, frame, page.frame_locator("iframe").first):
        row = place.locator("li").filter(has=place.get_by_role("button", name="go"), has_text="Two")
        assert await ids(row.get_by_role("button")) == "b"
        assert await ids(place.get_by_text(re.compile("^One")).locator(place.locator("button"))) == "a"
        assert await ids(place.locator("#b").or_(place.locator("#a"))) == "a b"
        assert await ids(place.locator("li").filter(has=page.locator("#a")).locator("button")) == "a"
    assert await same_frame.owner.attribute("id") == "same"
    assert repr(deep) == "FrameLocator('frame=#other >> frame=iframe')"
    assert repr(page.frame_locator("iframe").last.get_by_text("x")) == "Locator('frame=iframe >> nth=-1 >> text=x')"
    for place in (deep, frame):
        with pytest.raises(SelectorInvalid, match="in another frame"):
            page.locator("li").filter(has=place.locator("#a"))


async def test_what_is_refused_at_once(page: Page, site: Site) -> None:
    await page.goto(site.html("/start", BODY))
    refused: list[tuple[Callable[[], object], str]] = [
        (lambda: page.get_by_role("buton"), "did you mean 'button'"),
        (lambda: page.get_by_role("button", level=3), "never has the state 'level'"),
        (lambda: page.get_by_role(3), "role takes a text"),  # type: ignore[arg-type]
        (lambda: page.get_by_text(7), "text takes a text or a compiled regular expression, not int"),  # type: ignore[arg-type]
        (lambda: page.get_by_text(re.compile("a++")), "is a possessive quantifier"),
        (lambda: page.get_by_label(""), "needs a value"),
        (lambda: page.locator("li").filter(has_text=re.compile("(?i:a)")), "flags of its own"),
        (lambda: page.locator("li:text(x)"), ":text takes texts in quotes"),
        (lambda: page.locator("li:text-matches('x', 'g')"), "which means nothing here"),
        (lambda: page.locator("text=/x/g"), "which means nothing here"),
        (lambda: page.locator(None), "a selector is a text, not NoneType"),  # type: ignore[arg-type]
        (lambda: page.frame_locator("#pay >>"), "a part is empty"),
        (lambda: page.locator("li").filter(has=page.locator("ref=e1")), "can only begin a chain"),
    ]
    for make, reason in refused:
        with pytest.raises(SelectorInvalid) as caught:
            make()
        assert reason in str(caught.value)
    with pytest.raises(TypeError, match="takes no 'hidden'"):
        page.get_by_role("button", hidden=True)  # type: ignore[call-arg]
    with pytest.raises(SelectorInvalid, match="Invalid regular expression"):
        await page.locator("text=/(/").text()
