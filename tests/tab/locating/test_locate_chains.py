"""Chains, filters and the forms that users of Playwright know: tables of what each selector finds on small pages.

The behaviours are those that Playwright's page tests describe (selectors-text, -css, -misc, -role, -get-by,
locator-query), where ours are not stricter on purpose: a chain ends in exactly one element.
"""

from __future__ import annotations

import msgspec
import pytest

from acting import locate, perform
from sampling import sampled
from site_server import Site
from stillframe.api.browser import Page
from stillframe.errors import (
    AmbiguousSelector,
    ElementNotFound,
    ElementUnsuitable,
    RefStale,
    SelectorInvalid,
    WaitTimeout,
)
from stillframe.model.actions import WaitFor
from stillframe.tab.input.attempt import Attempt
from stillframe.tab.locating.selectors import parse

SAY = "function() { return this.id || this.localName }"

TWO = """
<div id=one><a id=open1>Open</a></div>
<div id=two><a id=open2>Open</a><p id=deep>x</p></div>
<div role=dialog id=dlg aria-label=Sure><button id=ok1>OK</button>
<form id=form><label>Card <input id=card></label></form></div>
<button id=ok2>OK</button>
<ul id=list><li id=l0>Ann <button id=e0>Edit</button></li><li id=l1>Bob <button id=e1>Edit</button></li>
<li id=l2 style="display:none">Cid <button id=e2>Edit</button></li><li id=l3>annabel</li></ul>
<span class=find-me id=t1>1</span><div id=xp><span class=find-me id=t2>2</span></div>
"""

CHAINS = {
    "#two >> text=Open": "open2",
    "#two>>text=Open": "open2",
    'role=dialog >> role=button[name="OK"]': "ok1",
    "role=dialog >> #form >> label=Card": "card",
    "div >> text=x": "deep",
    "css=li >> nth=0": "l0",
    "css=li >> nth=-1": "l3",
    "li >> nth=1 >> role=button": "e1",
    'li >> has-text="Bob"': "l1",
    "li >> has-text=bob >> role=button[name=Edit]": "e1",
    'li >> has-text="Ann " >> nth=0': "l0",
    "li >> has-text=ann >> nth=1": "l3",
    "li >> visible=false": "l2",
    "li >> visible=true >> nth=2": "l3",
    "li >> visible=true >> has-text=Bob >> button": "e1",
    "li >> nth=0 >> has-text=Ann >> nth=0": "l0",
    'li:has-text("Bob")': "l1",
    'li:has-text("Bob") button': "e1",
    'li:has-text("Bob") > button': "e1",
    'ul li:visible:has-text("annabel")': "l3",
    ":nth-match(li, 2)": "l1",
    ":nth-match(ul > li, 2) button": "e1",
    "ul >> > li >> nth=1": "l1",
    "ul >> :scope > li >> nth=0": "l0",
    "label >> xpath=.. >> input": "card",
    "#card >> ..": "label",
    'div >> //*[@class="find-me"]': "t2",
    'div >> xpath=./*[@class="find-me"]': "t2",
    'div >> xpath=.//*[@class="find-me"]': "t2",
    'div >> xpath=/*[@class="find-me"]': "t2",
    '//*[@id="t1"]|//*[@id="nope"]': "t1",
    "#two >> #open2, #open1": "open2",
    "text=Bob >> text=Bob": "l1",
    '"annabel"': "l3",
    "body >> #two >> p": "deep",
    "html >> #two >> p": "deep",
}

NOTHING = (
    "#two >> #open1",
    "#two >> #two",
    "#two >> body a",
    "p >> text=Open",
    "li >> nth=4",
    "li >> nth=-5",
    "li >> has-text=Dora",
    "#ok2 >> visible=false",
    "#two >> role=button",
    "#list >> label=Card",
)


async def found(page: Page, selector: str) -> str:
    """Say which element a selector finds, or the error in a word."""
    try:
        handle = await locate(page._tab, selector, timeout=0)
    except AmbiguousSelector as error:
        return f"many: {error.count}"
    except ElementNotFound:
        return "none"
    try:
        return str(await handle.call(SAY))
    finally:
        await handle.release()


async def put(page: Page, html: str) -> None:
    await page.goto("about:blank")
    await page.evaluate(f"document.body.innerHTML = {html!r}; 0")


async def judge(page: Page, html: str, table: dict[str, str]) -> None:
    await put(page, html)
    assert {selector: await found(page, selector) for selector in table} == table


async def test_chains_scope_and_filter(page: Page) -> None:
    await judge(page, TWO, CHAINS | dict.fromkeys(NOTHING, "none"))


async def test_a_chain_may_pass_many_and_ends_in_one(page: Page) -> None:
    await judge(
        page,
        "<div><div><div><span id=hi>hi</span></div></div></div>"
        "<section><p>A</p></section><section><p>A</p><p>A</p></section>",
        {
            "div >> div >> span": "hi",
            "div >> div >> div >> text=hi": "hi",
            "section >> p": "many: 3",
            "section >> nth=0 >> p": "p",
            "section >> nth=1 >> p": "many: 2",
            "section": "many: 2",
        },
    )
    with pytest.raises(AmbiguousSelector) as caught:
        await locate(page._tab, "section >> p", timeout=0)
    assert caught.value.count == 3
    assert caught.value.matches == ('p "A"',) * 3


async def test_text_is_read_as_a_person_reads_it(page: Page) -> None:
    await judge(
        page,
        "<p id=sum><b>Sum:</b> <b>12</b></p><div id=br>a<br>b</div><div id=blocks><p>one</p><p id=two>two</p></div>"
        "<p id=hello>Hello<i>,</i> <span id=world>world</span><b>!</b></p><p id=nb>Sign&nbsp;in</p>"
        "<input id=go type=submit value='Send it'><input type=text value='Send it'><textarea>Send it</textarea>"
        '<button id=add> Add widget </button><p id=soft>Soft&shy;ware</p><p id=quote>say "hi" now</p>'
        "<div id=own>Mine<span id=inner>wo  rld  </span>  Hi again  </div>"
        "<div id=row><span>k</span><span>v</span></div>",
        {
            "text=sum: 12": "sum",
            'text="Sum: 12"': "sum",
            "text=Sum:12": "none",
            "text=a b": "br",
            "text=one two": "blocks",
            'text="one two"': "blocks",
            "text=two": "two",
            "text=Hello, world!": "hello",
            'text="Hello, world!"': "hello",
            "text=world": "world",
            "text=hello world": "none",
            "text=Sign in": "nb",
            'text="Sign in"': "nb",
            "text=send it": "go",
            'text="Send it"': "go",
            "text= Add widget ": "add",
            'text="Add widget"': "add",
            'text="add widget"': "none",
            "text=software": "soft",
            'text=say "hi"': "quote",
            'text="say \\"hi\\" now"': "quote",
            'text="Hi again"': "own",
            'text="Mine"': "own",
            'text="wo rld"': "inner",
            'text="again"': "none",
            "text=kv": "row",
            "text=k v": "none",
        },
    )


async def test_letters_count_in_the_case_they_are_shown_in_and_written_in(page: Page) -> None:
    await judge(
        page,
        "<style>.up { text-transform: uppercase } .cap { text-transform: capitalize }</style>"
        "<button id=save class=up>Save <i>it</i></button><p id=log class=up>Log in</p>"
        "<p id=cap class=cap>it's so-so</p>"
        "<label class=up>First name <input id=name></label>",
        {
            'role=button[name="SAVE IT"]': "save",
            'role=button[name="Save it"]': "save",
            'role=button[name="save IT"]': "none",
            "role=button[name*=save]": "save",
            'text="LOG IN"': "log",
            'text="Log in"': "log",
            'text="LOG in"': "none",
            "text=log in": "log",
            'text="It\'s So-So"': "cap",
            'label="FIRST NAME"': "name",
            'label="First name"': "name",
            'role=textbox[name="First name"]': "name",
        },
    )
    await judge(
        page,
        "<a id=up href=/a style='text-transform:uppercase'>Start here</a><a id=plain href=/b>Start here</a>",
        {'role=link[name="START HERE"]': "up", 'role=link[name="Start here"]': "plain"},
    )


async def test_the_glyphs_of_icon_fonts_are_not_part_of_names(page: Page) -> None:
    await judge(
        page,
        "<style>i::before { content: '\\e900 ' }</style><a id=home href=/x><i></i> Home</a>"
        "<button id=find><i></i></button>",
        {
            'role=link[name="Home"]': "home",
            'role=link[name="\ue900 Home"]': "home",
            "role=link[name*=ho]": "home",
        },
    )


async def test_a_role_is_found_in_what_its_scope_owns(page: Page) -> None:
    await judge(
        page,
        "<div id=box role=combobox aria-owns='list away'><i id=own role=button>x</i></div>"
        "<div id=other role=combobox aria-owns=list></div><div id=list role=listbox aria-owns=more>"
        "<b id=near role=option>near</b></div><p id=more><b id=far role=option>far</b></p>"
        "<div id=away role=option>away</div><div id=loop aria-owns=loop><b id=last role=option>last</b></div>",
        {
            "#box >> role=option": "many: 3",
            "#box >> role=option >> nth=0": "near",
            "#box >> role=option[name=far]": "far",
            "#box >> role=listbox": "list",
            "#box >> role=listbox >> role=option[name=far]": "far",
            "#box >> role=button": "own",
            "#box >> text=far": "none",
            "#other >> role=option": "none",
            "#loop >> role=option": "last",
        },
    )


async def test_labels_and_attributes(page: Page) -> None:
    await judge(
        page,
        "<label for=number>Card <b>number</b></label><input id=number placeholder='1234 5678'>"
        "<label>Colour <select id=colour><option>Red<option>Blue</select></label>"
        "<input id=aria aria-label='Security  code' title='On the back'><i id=x>First</i> <i id=y>name</i>"
        "<input id=first aria-labelledby='x y' placeholder='Ann'>"
        "<textarea id=area placeholder='Hello World'></textarea>"
        "<input id=hello placeholder=Hello><img id=cat alt='A black cat' src='data:,' width=9 height=9>"
        "<div id=t data-testid='He\"llo'>t</div><p data-qa=para id=para>p</p><label>Lonely</label>"
        "<label>Twice<input id=shown></label><label hidden>Twice<input></label>",
        {
            "label=card number": "number",
            'label="Card number"': "number",
            'label="Card"': "none",
            "label=Colour": "colour",
            'label="Colour"': "colour",
            "label=security": "aria",
            'label="Security code"': "aria",
            "label=First name": "first",
            'label="name"': "first",
            "label=Twice": "shown",
            "placeholder=5678": "number",
            "placeholder=hello": "many: 2",
            'placeholder="Hello"': "hello",
            "placeholder=wor": "area",
            "title=BACK": "aria",
            'title="On the back"': "aria",
            "alt=black": "cat",
            'alt="A black cat"': "cat",
            'alt="black"': "none",
            'testid=He"llo': "t",
            'testid="He\\"llo"': "t",
            "testid=he": "none",
            "testid=para": "para",
            "body >> testid=para": "para",
        },
    )
    with pytest.raises(ElementNotFound, match='label "Lonely" labels no control: it has no for='):
        await locate(page._tab, "label=Lonely", timeout=0)


async def test_states_that_an_element_has(page: Page) -> None:
    await put(
        page,
        "<input type=checkbox id=off><input type=checkbox id=on checked><input type=checkbox id=half>"
        "<button id=plain>Hi</button><button id=more aria-expanded=true>More</button>"
        "<button id=less aria-expanded=false>Less</button><button id=mix aria-pressed=mixed>Mix</button>"
        "<button id=up aria-pressed=false>Up</button><select><option id=o1>1<option id=o2 selected>2</select>"
        "<div role=tree><div role=treeitem id=leaf>Leaf</div>"
        "<div role=treeitem id=node aria-expanded=false>Node</div></div>",
    )
    await page.evaluate("document.querySelector('#half').indeterminate = true")
    table = {
        "role=checkbox[checked=false]": "off",
        "role=checkbox[checked]": "on",
        "role=checkbox[checked=mixed]": "half",
        "role=button[expanded]": "more",
        "role=button[expanded=true]": "more",
        "role=button[expanded=false]": "less",
        "role=treeitem[expanded=false]": "node",
        "role=button[pressed=mixed]": "mix",
        "role=button[pressed=false]": "many: 4",
        "role=button[pressed=false] >> nth=3": "up",
        "role=button[name='  Mix ']": "mix",
        "role=button[name*=mI]": "mix",
        "role=button[name=mi]": "none",
        "role=option[selected]": "o2",
        "role=option[selected=false]": "o1",
    }
    assert {selector: await found(page, selector) for selector in table} == table


async def test_shadow_roots_inside_of_scopes(page: Page, site: Site) -> None:
    await page.goto(site.url("/act/shadow.html"))
    table = {
        "#open-host >> .deep": "in-open",
        "#open-host >> section #nested": "nested",
        "#open-host >> body #nested": "none",
        "#open-host >> role=textbox": "nested",
        "#open-host >> text=in the open": "in-open",
        ".host >> nth=1 >> button": "in-closed",
        ".host >> has-text=closed doors >> role=button": "in-closed",
        "section >> #nested": "nested",
        "#closed-host >> #in-open": "none",
        "body >> button >> nth=0": "in-open",
    }
    await page.aria_snapshot()
    assert {selector: await found(page, selector) for selector in table} == table


ACROSS = """<section><div class=a id=a></div><div class=b id=b></div><div id=root></div></section><script>
const root = document.getElementById("root").attachShadow({mode: "open"});
root.innerHTML = "<span id=one>1</span><x-host id=host><i id=light>l</i></x-host><div id=target>T</div>";
const inner = root.getElementById("host").attachShadow({mode: "open"});
inner.innerHTML = "<p id=in>i</p><p><b id=deep>d</b><slot></slot></p><i id=top>t</i>";
</script>"""

CROSSING = {
    "div:has(#target)": "root",
    "div:has(> #target)": "root",
    "section:has(#deep)": "section",
    "x-host:not(:has(.a))": "host",
    "#target:is(section div)": "target",
    "span:not(#root #target)": "one",
    "span:not(#root span)": "none",
    "span:where(section *)": "one",
    "x-host > p > b": "deep",
    "#root > x-host > #in": "in",
    "#root > span": "one",
    "section > div > div": "target",
    "#one + x-host": "host",
    "#one ~ #target": "target",
    ".a ~ div > span": "one",
    ".a:has(+ .b)": "a",
    ".a:has(~ #root #target)": "a",
    "x-host > i": "many: 2",
    "x-host > i:is(* > *)": "light",
    "x-host > i:not(* > *)": "top",
    "#root >> > span": "one",
    "#root >> #host > #in": "in",
    "#root >> section #one": "none",
    ".a >> + .b": "b",
    ".a >> ~ div": "many: 2",
    ".a >> :scope + .b": "b",
    "div >> :scope.a": "a",
    "#host >> + div": "target",
    "#one >> ~ #target": "target",
    "section div >> :scope:has(> span)": "root",
    "section >> :scope > .a, :scope > .b >> nth=1": "b",
    "#one:has-text('1') + x-host": "host",
}


async def test_css_takes_a_host_for_the_parent_of_its_tree(page: Page, site: Site) -> None:
    await page.goto(site.html("/across", ACROSS))
    assert {selector: await found(page, selector) for selector in CROSSING} == CROSSING
    with pytest.raises(SelectorInvalid, match="is not a valid selector"):
        await locate(page._tab, "#root >", timeout=0)


async def test_siblings_and_scopes_in_one_tree(page: Page) -> None:
    await judge(
        page,
        "<ul><li id=x class=on></li><li id=y></li><li id=z class=on></li></ul><p id=p></p>",
        {
            "#x >> + li": "y",
            "#x >> ~ li": "many: 2",
            "#x >> ~ li.on": "z",
            "#x >> :scope ~ li >> nth=1": "z",
            "li >> :scope.on >> nth=1": "z",
            "li >> :scope:not(.on)": "y",
            "ul >> + p": "p",
            "ul >> :scope + p": "p",
            "#y >> + p": "none",
            "li:visible + li >> nth=0": "y",
        },
    )


async def test_roles_count_outside_of_their_lists(page: Page) -> None:
    await judge(
        page,
        "<div role=option id=o>Large</div><ul><li role=option id=s aria-selected=true>Small</li></ul>"
        "<section role=group><p><span role=treeitem id=t>Roots</span></p></section><div role=listitem id=l>One</div>"
        "<button id=plain>P</button><button id=down aria-pressed=true>D</button>"
        "<details id=d><summary>s</summary></details>",
        {
            'role=option[name="Large"]': "o",
            "role=option[selected]": "s",
            "role=option[selected=false]": "o",
            "role=treeitem": "t",
            "role=listitem": "l",
            'role=button[name="P"][pressed=false]': "plain",
            "role=button[pressed]": "down",
            "role=group[expanded=false]": "d",
        },
    )


async def test_frames_behind_scopes(page: Page, site: Site) -> None:
    await page.goto(site.url("/act/frames.html"))
    await page.evaluate(
        "document.body.insertAdjacentHTML('beforeend', '<div id=left></div><div id=right></div>');"
        "for (const id of ['left', 'right']) { const f = document.createElement('iframe'); f.name = 'twin';"
        " f.srcdoc = `<form><p id=${id}-p>Buy</p></form>`; document.getElementById(id).append(f) } 0"
    )
    for selector, id_ in {
        "#left >> frame=iframe >> text=Buy": "left-p",
        "#right >> frame=name=twin >> form >> p": "right-p",
        "frame=[name=twin] >> nth=1 >> text=Buy": "right-p",
        "body >> #right >> frame=url=srcdoc >> p": "right-p",
    }.items():
        handle = await locate(page._tab, selector)
        assert await handle.call(SAY) == id_, selector
    with pytest.raises(AmbiguousSelector, match="2 frames"):
        await locate(page._tab, "frame=name=twin >> p", timeout=0.1)
    with pytest.raises(ElementNotFound, match="nothing matches #middle"):
        await locate(page._tab, "#middle >> frame=iframe >> p", timeout=0.1)
    with pytest.raises(ElementUnsuitable, match="is not a frame"):
        await locate(page._tab, "#left >> frame=iframe >> frame=p >> a", timeout=0.1)


async def test_a_ref_is_a_scope(page: Page) -> None:
    await put(page, TWO)
    handle = await locate(page._tab, "#two")
    ref = page._tab.refs.ref_for(handle.frame.process_key, await handle.backend_node_id())
    assert await found(page, f"ref={ref} >> text=Open") == "open2"
    assert await found(page, f"ref={ref} >> #open1") == "none"
    await perform(Attempt(page._tab), WaitFor(selector=f"ref={ref} >> p"))
    await perform(Attempt(page._tab), WaitFor(selector=f"ref={ref} >> b", state="hidden"))
    assert "Open" in (await page.aria_snapshot(scope=f"ref={ref} >> a")).text
    with pytest.raises(ElementNotFound, match=r"1 element matches ref=e\d+, but nothing in it matches #open1"):
        await locate(page._tab, f"ref={ref} >> #open1", timeout=0)
    await page.evaluate("document.querySelector('#two').remove()")
    with pytest.raises(RefStale):
        await locate(page._tab, f"ref={ref} >> text=Open", timeout=0.1)


async def test_errors_say_which_part_matched_nothing(page: Page) -> None:
    await put(page, TWO)
    for selector, words in {
        "li >> nth=7": "nth=7: only 4 elements match li",
        "#two >> nth=1": "nth=1: only 1 element matches #two",
        "#tow >> text=Open": "nothing matches #tow; nearest: div#two",
        "li >> text=Dora": "4 elements match li, but nothing in them matches text=Dora",
        "li >> has-text=anabell": "4 elements match li, but none of them passes has-text=anabell; nearest: li#l3",
        'role=button[name="OKK"]': 'nearest: button#ok1 "OK", button#ok2 "OK"',
        'role=dialog >> role=button[name="Kay"]': 'nearest: button#ok1 "OK"',
        "label=Cart": "nearest: input#card",
    }.items():
        with pytest.raises(ElementNotFound) as caught:
            await locate(page._tab, selector, timeout=0)
        assert words in str(caught.value)


async def test_the_role_comes_before_the_words(page: Page) -> None:
    await put(page, "<a href=# id=a>Sve</a><p id=p>Sve</p><button id=b>Save</button><input placeholder='Sve now'>")
    with pytest.raises(ElementNotFound) as caught:
        await locate(page._tab, 'role=button[name="Sve"]', timeout=0)
    assert caught.value.candidates[0] == 'button#b "Save"'
    with pytest.raises(ElementNotFound) as caught:
        await locate(page._tab, 'placeholder="Sve"', timeout=0)
    assert caught.value.candidates == ("input",) or "input" in caught.value.candidates[0]


async def test_waits_take_every_form(page: Page) -> None:
    await put(page, TWO)
    await perform(Attempt(page._tab), WaitFor(selector="li >> has-text=Bob >> button"))
    await perform(Attempt(page._tab), WaitFor(selector="li >> nth=4", state="detached"))
    await perform(Attempt(page._tab), WaitFor(selector="li >> visible=true >> has-text=Cid", state="hidden"))
    await perform(Attempt(page._tab), WaitFor(selector="label=Card"))
    with pytest.raises(WaitTimeout, match="nothing matches"):
        await perform(Attempt(page._tab), WaitFor(selector="div >> label=Cart"), timeout=0.05)
    with pytest.raises(SelectorInvalid):
        await perform(Attempt(page._tab), WaitFor(selector="div >> a:b:c"))


FLAT = """var html = "";
for (let i = 1; i <= COUNT; i++) html += `<div role=group>row ${i}<strong>Go ${i}</strong></div>`;
document.body.innerHTML = html; document.body.offsetHeight"""
NESTED = """var outer = document.createElement("div"), at = outer; for (let i = 1; i <= COUNT; i++) {
const next = document.createElement("div"); next.setAttribute("role", "group"); at.append(next); at = next;
next.append("row " + i); next.append(document.createElement("strong")); next.lastChild.textContent = "Go " + i; }
document.body.replaceChildren(outer); document.body.offsetHeight"""
SCOPED = (
    'role=group >> role=strong >> has-text="Go COUNT"',
    "[role=group] >> strong >> has-text=go COUNT",
    "[role=group] >> text=go COUNT",
    "div >> div, strong >> nth=-1",
    "[role=group] >> //strong >> nth=-1",
    "[role=group] >> xpath=./strong >> nth=-1",
)


TIMED = """(steps) => {
  const start = performance.now();
  __sf.waitFor({ steps }, "attached", 0);
  return performance.now() - start;
}"""


# Chrome's own geometry takes time that grows with the square of the depth, and `role=` asks for it.
@pytest.mark.parametrize(
    ("script", "count", "chains"),
    sampled(
        ((FLAT, 5000, SCOPED[::2]), (FLAT, 10_000, SCOPED), (NESTED, 2000, SCOPED[1:])), ((FLAT, 5000, SCOPED[::2]),)
    ),
)
async def test_thousands_of_scopes_take_time_in_proportion(
    page: Page, script: str, count: int, chains: tuple[str, ...]
) -> None:
    """Half a second on an idle machine; 10,000 scopes times 20,000 elements would take a minute, 5,000 a quarter."""
    await put(page, "")
    await page.evaluate(script.replace("COUNT", str(count)))
    for selector in chains:
        steps = [msgspec.to_builtins(step) for step in parse(selector.replace("COUNT", str(count))).steps]
        assert await page._tab.frames.main.call(TIMED, steps) < 10_000, selector
        report = await page._tab.frames.main.call("(steps) => __sf.waitFor({ steps }, 'detached', 0)", steps)
        assert report["matches"] == [f'strong "Go {count}"'], selector


async def test_what_would_take_long_in_nested_scopes_is_refused(page: Page) -> None:
    await put(page, "")
    await page.evaluate(NESTED.replace("COUNT", "1500"))
    with pytest.raises(SelectorInvalid, match="1499 matches nested inside other matches"):
        await locate(page._tab, "[role=group] >> xpath=./descendant::strong", timeout=0)
