"""`expect`: what it asserts about elements, pages, responses and values, how it waits, and what a failure says."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from site_server import Site
from stillframe.api.browser import Page
from stillframe.assertions.locator import LocatorAssertions
from stillframe.assertions.page import PageAssertions
from stillframe.errors import AmbiguousSelector, AssertionFailed, OptionInvalid, SelectorInvalid, SessionLost
from stillframe.testing import expect, soft_assertions

BODY = """<h1 id=h class="a  b" style="color: red" title="t" aria-describedby=d>Big <b>title</b></h1>
<p id=d>a description</p>
<p id=hidden hidden>hidden</p><ul><li>one<li>two</ul><div id=host></div><div id=empty> </div>
<input id=text value=v placeholder=p aria-label=Name><input id=off disabled><input id=fixed readonly>
<input id=pass type=password value=x><input id=box type=checkbox checked><input id=mixed type=checkbox>
<input id=bad aria-invalid=true aria-errormessage=why><p id=why>too short</p>
<select multiple id=many><option selected>a<option selected>b<option>c</select><input id=button type=button value=Go>
<div style="height: 3000px"></div><p id=far>far</p>
<script>mixed.indeterminate = true; h.made = {by: ["me"]}
host.attachShadow({mode: "closed"}).innerHTML = "<i id=inner>in a root</i>"</script>"""

HOLD: dict[str, tuple[str, Callable[[LocatorAssertions], Awaitable[None]]]] = {
    "attached": ("#hidden", lambda it: it.to_be_attached()),
    "not attached": ("#none", lambda it: it.to_be_attached(attached=False)),
    "visible": ("#h", lambda it: it.to_be_visible()),
    "not visible": ("#hidden", lambda it: it.to_be_visible(visible=False)),
    "hidden": ("#hidden", lambda it: it.to_be_hidden()),
    "hidden, without an element": ("#none", lambda it: it.to_be_hidden()),
    "enabled": ("#text", lambda it: it.to_be_enabled()),
    "disabled": ("#off", lambda it: it.to_be_disabled()),
    "not enabled": ("#off", lambda it: it.to_be_enabled(enabled=False)),
    "editable": ("#text", lambda it: it.to_be_editable()),
    "not editable": ("#fixed", lambda it: it.to_be_editable(editable=False)),
    "empty": ("#empty", lambda it: it.to_be_empty()),
    "an empty field": ("#fixed", lambda it: it.to_be_empty()),
    "checked": ("#box", lambda it: it.to_be_checked()),
    "mixed": ("#mixed", lambda it: it.to_be_checked(indeterminate=True)),
    "not checked": ("#mixed", lambda it: it.not_.to_be_checked()),
    "in the viewport": ("#h", lambda it: it.to_be_in_viewport(ratio=0.9)),
    "text": ("#h", lambda it: it.to_have_text("Big title")),
    "text of a button": ("#button", lambda it: it.to_have_text("Go")),
    "text in a closed root": ("#host", lambda it: it.to_have_text("in a root")),
    "an element in a closed root": ("#inner", lambda it: it.to_be_visible()),
    "text in another case": ("#h", lambda it: it.to_have_text("BIG title", ignore_case=True)),
    "rendered text": ("#h", lambda it: it.to_have_text("Big title", use_inner_text=True)),
    "an expression": ("#h", lambda it: it.to_have_text(re.compile("t.tle"))),
    "texts": ("li", lambda it: it.to_have_text(["one", re.compile("^t")])),
    "a part": ("#h", lambda it: it.to_contain_text("g ti")),
    "parts": ("li", lambda it: it.to_contain_text(["w"])),
    "value": ("#text", lambda it: it.to_have_value("v")),
    "values": ("#many", lambda it: it.to_have_values(["a", re.compile("b")])),
    "attribute": ("#h", lambda it: it.to_have_attribute("title", "t")),
    "any attribute": ("#h", lambda it: it.to_have_attribute("title")),
    "id": ("#h", lambda it: it.to_have_id("h")),
    "class": ("#h", lambda it: it.to_have_class("a b")),
    "classes": ("h1, li", lambda it: it.to_have_class([re.compile("a"), "", ""])),
    "a class": ("#h", lambda it: it.to_contain_class("b")),
    "a class of each": ("h1, li", lambda it: it.to_contain_class(["b a", "", ""])),
    "style": ("#h", lambda it: it.to_have_css("color", "rgb(255, 0, 0)")),
    "role": ("#h", lambda it: it.to_have_role("heading")),
    "accessible name": ("#text", lambda it: it.to_have_accessible_name("Name")),
    "accessible description": ("#h", lambda it: it.to_have_accessible_description("a DESCRIPTION", ignore_case=True)),
    "accessible error message": ("#bad", lambda it: it.to_have_accessible_error_message("too short")),
    "count": ("li", lambda it: it.to_have_count(2)),
    "no count": ("#none", lambda it: it.to_have_count(0)),
    "property": ("#h", lambda it: it.to_have_js_property("made", {"by": ["me"]})),
    "snapshot": ("ul", lambda it: it.to_match_aria_snapshot("- list:\n  - listitem: /t/")),
}


@pytest.fixture
def at_once() -> Iterator[None]:
    """Assertions wait for nothing, unless they say so."""
    expect.set_options(timeout_ms=1)
    yield
    expect.set_options()


@pytest.fixture
async def shown(page: Page, site: Site) -> Page:
    """A page with all that is asserted."""
    await page.goto(site.html("/expect", BODY, title=" Two  words "))
    return page


async def test_what_holds_holds_and_its_opposite_fails(shown: Page, at_once: None) -> None:
    wrong = {}
    for name, (selector, assertion) in HOLD.items():
        it = expect(shown.locator(selector))
        try:
            await assertion(it)
            with pytest.raises(AssertionFailed, match=r"expected: [^$]+  was: "):
                await assertion(it.not_)
        except (AssertionError, pytest.fail.Exception) as error:
            wrong[name] = str(error)
    assert wrong == {}


async def test_every_assertion_has_its_opposite_by_the_name_of_playwright(shown: Page, at_once: None) -> None:
    for assertions in (LocatorAssertions, PageAssertions):
        names = [name for name in vars(assertions) if name.startswith("to_")]
        assert [name for name in names if not hasattr(assertions, f"not_{name}")] == []
    await expect(shown.locator("#h")).not_to_have_text("Small")
    with pytest.raises(AssertionFailed, match=r"not_\.to_have_text"):
        await expect(shown.locator("#h")).not_to_have_text("Big title")


async def test_the_focus_and_the_view_are_asserted(shown: Page, at_once: None) -> None:
    await expect(shown.locator("#far")).not_to_be_in_viewport()
    await shown.locator("#text").focus()
    await expect(shown.locator("#text")).to_be_focused()
    await expect(shown.locator("#box")).not_to_be_focused()
    await shown.locator("#far").scroll_into_view_if_needed()
    await expect(shown.locator("#far")).to_be_in_viewport()


async def test_pages_are_asserted(shown: Page, site: Site, at_once: None) -> None:
    await expect(shown).to_have_title("Two words")
    await expect(shown).to_have_title(re.compile("^Two"))
    await expect(shown).to_have_url(site.url("/expect"))
    await expect(shown).to_have_url(re.compile("/expect$"))
    await expect(shown).to_have_url(lambda url: url.endswith("expect"))
    await expect(shown).to_have_url(site.url("/EXPECT").upper(), ignore_case=True)
    await expect(shown).not_to_have_url(site.url("/"))
    await expect(shown).to_match_aria_snapshot('- heading "Big title" [level=1]\n- list')
    for assertion in (
        expect(shown).to_have_title("Two"),
        expect(shown).to_have_url("/expect"),
        expect(shown).not_.to_have_url(site.url("/expect")),
        expect(shown).to_match_aria_snapshot("- list\n- heading"),
    ):
        with pytest.raises(AssertionFailed):
            await assertion


async def test_a_url_is_relative_to_the_base_url_of_the_context(page: Page, site: Site) -> None:
    site.html("/base", "base")
    async with (
        await page.browser.new_context(base_url=site.url("/")) as context,
        await context.new_page("/base") as own,
    ):
        await expect(own).to_have_url("/base", timeout_ms=1)


# -- waiting ---------------------------------------------------------------------------------------

LATER: dict[str, tuple[str, Callable[[Page], Awaitable[None]]]] = {
    "a text": ("h.textContent = 'Done'", lambda page: expect(page.locator("#h")).to_have_text("Done")),
    "an element": (
        "h.insertAdjacentHTML('afterend', '<i id=new>n</i>')",
        lambda page: expect(page.locator("#new")).to_be_visible(),
    ),
    "fewer": ("document.querySelector('li').remove()", lambda page: expect(page.locator("li")).to_have_count(1)),
    "a property that nothing announces": (
        "text.value = 'typed'",
        lambda page: expect(page.locator("#text")).to_have_value("typed"),
    ),
    "a style": (
        "document.styleSheets[0] || document.head.append(Object.assign(document.createElement('style'), "
        "{textContent: '#h { display: none }'}))",
        lambda page: expect(page.locator("#h")).to_be_hidden(),
    ),
    "a title": ("document.title = 'new'", lambda page: expect(page).to_have_title("new")),
    "an address": ("history.pushState(1, '', '/new')", lambda page: expect(page).to_have_url(re.compile("/new$"))),
    "a snapshot": (
        "document.querySelector('ul').append(document.createElement('li'))",
        lambda page: expect(page).to_match_aria_snapshot("- list:\n  - listitem\n  - listitem\n  - listitem"),
    ),
    "another document": ("location.href = '/other'", lambda page: expect(page.locator("#other")).to_have_text("other")),
    "a state": ("box.click()", lambda page: expect(page.locator("#box")).not_to_be_checked()),
    "a closed root": (
        "host.remove(); ((host) => { h.after(host); host.attachShadow({mode: 'closed'}).innerHTML = "
        "'<b id=deep>deep</b>' })(document.createElement('div'))",
        lambda page: expect(page.locator("#deep")).to_have_text("deep"),
    ),
}


@pytest.mark.every_row
@pytest.mark.parametrize("name", LATER)
async def test_it_waits_until_it_holds(shown: Page, site: Site, name: str) -> None:
    script, assertion = LATER[name]
    site.html("/other", "<p id=other>other</p>")
    waiting = asyncio.ensure_future(assertion(shown))
    await asyncio.sleep(0)
    await shown.evaluate(f"void setTimeout(() => {{ {script} }}, 50)")
    await waiting


async def test_a_frame_that_comes_later_is_waited_for(shown: Page, site: Site) -> None:
    site.html("/frame", "<p id=in>in a frame</p>")
    script = "void setTimeout(() => h.after(Object.assign(document.createElement('iframe'), {src: '/frame'})), 50)"
    await shown.evaluate(script)
    await expect(shown.frame_locator("iframe").locator("#in")).to_have_text("in a frame")


async def test_several_elements_are_an_error_unless_they_are_few_moments(shown: Page) -> None:
    with pytest.raises(AmbiguousSelector, match="li matches 2 elements"):
        await expect(shown.locator("li")).to_be_visible()
    await shown.evaluate("void setTimeout(() => document.querySelector('li').remove(), 50)")
    await expect(shown.locator("li")).to_have_text("two")


async def test_a_page_that_closes_ends_it_at_once(page: Page, site: Site) -> None:
    own = await page.context.new_page(site.html("/closing", "text"))
    waiting = asyncio.ensure_future(expect(own.locator("#never")).to_be_visible(timeout_ms=None))
    await own.evaluate("1")
    await own.close()
    with pytest.raises(SessionLost):
        await waiting


# -- failures --------------------------------------------------------------------------------------


async def test_a_failure_shows_what_was_there_the_last_change_and_the_trace(
    page: Page, site: Site, tmp_path: Path
) -> None:
    await page.goto(site.html("/buy", "<p id=n>0</p><button onclick='n.textContent++'>Buy</button>"))
    async with page.trace(tmp_path / "a.trace.jsonl"):
        await page.click("text=Buy")
        with pytest.raises(AssertionFailed) as caught:
            await expect(page.locator("#n"), "after one click").to_have_text("2", timeout_ms=1)
    lines = str(caught.value).splitlines()
    assert lines[0] == "after one click"
    assert lines[1].startswith("expect(Locator('#n')).to_have_text did not hold within ")
    assert lines[2:5] == ["  expected: '2'", "  was: '1'", '  element: p#n "1"']
    assert lines[6:8] == ["  the last actions changed:", '    ~ paragraph [ref=e1] textContent: "0" → "1"']
    assert lines[-1] == f"  trace: {tmp_path / 'a.trace.jsonl'}, after sequence 1"
    assert (caught.value.expected, caught.value.received) == ("'2'", "'1'")
    assert caught.value.trace == str(tmp_path / "a.trace.jsonl")


async def test_a_locator_without_an_element_neither_has_a_text_nor_lacks_it(shown: Page, at_once: None) -> None:
    for assertion in (
        expect(shown.locator("#none")).to_have_text("x"),
        expect(shown.locator("#none")).not_to_have_text("x"),
    ):
        with pytest.raises(AssertionFailed, match="was: no element matches"):
            await assertion


async def test_an_element_without_such_a_value_says_so(shown: Page, at_once: None) -> None:
    with pytest.raises(AssertionFailed, match="note: has no value: it is not an input"):
        await expect(shown.locator("#h")).to_have_value("v")
    with pytest.raises(AssertionFailed, match="note: is not a select with the attribute multiple"):
        await expect(shown.locator("#h")).not_to_have_values(["v"])


async def test_secrets_are_compared_and_not_shown(page: Page, site: Site, at_once: None) -> None:
    async with (
        await page.browser.new_context(secrets={"login": "hunter22"}) as context,
        await context.new_page() as own,
    ):
        await own.goto(site.html("/secret", "<p id=s>it is hunter22</p><input id=p type=password value=x>"))
        await expect(own.locator("#s")).to_have_text("it is hunter22")
        with pytest.raises(AssertionFailed) as caught:
            await expect(own.locator("#s")).to_have_text("it was hunter22")
        assert "hunter22" not in str(caught.value) + caught.value.expected + caught.value.received
        await expect(own.locator("#p")).not_to_be_empty()
        with pytest.raises(AssertionFailed, match="was: '••••'"):
            await expect(own.locator("#p")).to_have_value("x")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            lambda page: expect(3),
            "expect takes a page, a locator or an APIResponse, not int: assert values with `assert`",
        ),
        (lambda page: expect(page.main_frame), "not Frame: use the page, or a locator in it"),
        (lambda page: expect(page.locator("p")).to_have_text(3), "to_have_text takes a text"),
        (lambda page: expect(page.locator("p")).to_have_count(-1), "to_have_count takes a number of elements, not -1"),
        (lambda page: expect(page.locator("p")).to_be_in_viewport(ratio=2), "to_be_in_viewport takes a ratio"),
        (
            lambda page: expect(page.locator("p")).to_contain_class(re.compile("a")),
            "to_contain_class takes class names",
        ),
        (lambda page: expect(page.locator("p")).to_be_visible(timeout_ms=-1), "timeout_ms is -1"),
        (lambda page: expect(page).to_have_title(None), "to_have_title takes a text"),
        (lambda page: expect.poll(3), "expect.poll takes a function that it calls again and again"),
        (lambda page: expect.poll(list, intervals=[0]), "expect.poll takes intervals in milliseconds above 0"),
        (lambda page: expect.set_options(timeout_ms=-1), "expect.set_options takes milliseconds"),
    ],
)
async def test_bad_input_is_refused_at_once(page: Page, wrong: Callable[[Page], Any], message: str) -> None:
    with pytest.raises(OptionInvalid, match=re.escape(message)):
        await wrong(page)


async def test_a_selector_that_does_not_parse_is_refused_at_once(page: Page) -> None:
    with pytest.raises(SelectorInvalid):
        await expect(page.locator("p[")).to_be_hidden()


# -- soft assertions, values and responses ---------------------------------------------------------


async def test_soft_failures_are_raised_together_at_the_end(shown: Page, at_once: None) -> None:
    reached = []

    async def wrong_twice() -> None:
        with soft_assertions():
            await expect.soft(shown.locator("#h")).to_have_text("Small")
            await expect.soft(shown).to_have_title("Two")
            await expect.soft(shown).to_have_title("Two words")
            reached.append(True)

    async def wrong_and_broken() -> None:
        with soft_assertions():
            await expect.soft(shown.locator("#h")).to_have_text("Small")
            raise RuntimeError("broken")

    with pytest.raises(AssertionFailed, match=r"2 soft assertions did not hold[^$]*'Small'[^$]*'Two'"):
        await wrong_twice()
    assert reached
    with pytest.raises(RuntimeError, match="broken") as caught:
        await wrong_and_broken()
    assert "also failed: expect(Locator('#h')).to_have_text" in caught.value.__notes__[0]


async def test_a_function_is_called_until_its_value_is_right() -> None:
    values = iter([1, 2, 3, 4])

    async def value() -> int:
        return next(values)

    await expect.poll(value, intervals=[1]).to_equal(3)
    await expect.poll(lambda: "abc").to_contain("b")
    await expect.poll(lambda: "abc").to_match("^a.c$")
    await expect.poll(lambda: 3).to_be_greater_than(2)
    await expect.poll(lambda: 3).to_be_less_than(4)
    await expect.poll(lambda: [1]).to_be_truthy()
    await expect.poll(lambda: 0).not_.to_be_truthy()
    with pytest.raises(
        AssertionFailed, match=r"(?s)the reason.*expect\.poll\(<lambda>\)\.to_equal.*expected: 5\n  was: 4"
    ):
        await expect.poll(lambda: 4, "the reason", timeout_ms=1, intervals=[1]).to_equal(5)


async def test_responses_are_asserted(page: Page, site: Site) -> None:
    good = await page.context.request.get(site.html("/good", "good"))
    bad = await page.context.request.get(site.url("/nothing-here"))
    await expect(good).to_be_ok()
    await expect(bad).not_to_be_ok()
    with pytest.raises(AssertionFailed, match=r"expected: a status from 200 to 299\n  was: 404"):
        await expect(bad).to_be_ok()


async def test_a_secret_is_in_no_part_of_a_failure(page: Page, site: Site, at_once: None) -> None:
    async with (
        await page.browser.new_context(secrets={"login": "hunter22"}) as context,
        await context.new_page() as own,
    ):
        await own.goto(site.html("/secret", "<p id=s>text</p>"))
        for assertion in (
            expect(own.locator("#s")).to_have_text(re.compile("hunter22")),
            expect(own.locator("#s")).to_have_js_property("id", "hunter22"),
            expect(own).to_have_url("http://a/hunter22"),
        ):
            with pytest.raises(AssertionFailed) as caught:
                await assertion
            assert "hunter22" not in str(caught.value) + caught.value.expected + caught.value.received


async def test_a_limit_that_is_not_a_number_is_refused(page: Page) -> None:
    with pytest.raises(OptionInvalid, match="timeout_ms is '5'"):
        await expect(page.locator("p")).to_be_visible(timeout_ms="5")  # type: ignore[arg-type]


PAGE_OF_OTHERS = """<style>.upper { text-transform: uppercase } #icon::before { content: "i" }</style>
<h2 class=upper>Login Screens</h2><a id=icon href=""> Home</a>
<form><label>Name <input></label><select><option>ten<option selected>all</select></form>
<section><header><b>in a header</b></header><table><tr><th>a<th>b<tr><td>one<td>two</table></section>
<details open><summary>more</summary>inner</details>"""
AS_PLAYWRIGHT_HAS_IT = """
- heading "Login Screens" [level=2]
- link "i Home":
  - /url: ""
- text: Name
- textbox "Name"
- combobox:
  - option "ten"
  - option "all" [selected]
- text: in a header
- table:
  - rowgroup:
    - row "a b":
      - columnheader "a"
      - columnheader "b"
    - row "one two":
      - cell "one"
      - cell "two"
- group: more inner
"""


async def test_a_template_that_playwright_has_written_matches(page: Page, site: Site, at_once: None) -> None:
    """The kinds that 59 pages of npm and PyPI had, after which 57 of them match as Playwright has them."""
    await page.goto(site.html("/others", PAGE_OF_OTHERS))
    await expect(page.locator("body")).to_match_aria_snapshot("- /children: deep-equal" + AS_PLAYWRIGHT_HAS_IT)
    await expect(page.locator("h2")).to_have_accessible_name("LOGIN SCREENS")
    await expect(page.locator("h2")).to_have_accessible_name("Login Screens")
    await expect(page.locator("h2")).not_to_have_accessible_name("login screens")
