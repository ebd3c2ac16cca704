"""Handles: objects that stay in the page, passed to scripts, read, and released."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import pytest
from aiohttp import web

from site_server import Site
from stillframe import ElementHandle, JSHandle
from stillframe.api.browser import Browser, Page
from stillframe.api.frame import Frame
from stillframe.cdp_types import heap_profiler
from stillframe.errors import (
    ArgumentInvalid,
    ElementNotFound,
    ElementUnsuitable,
    EvaluationFailed,
    EvaluationTimeout,
    HandleForeign,
    HandleReleased,
    OptionInvalid,
    SelectorInvalid,
    StillframeError,
    WaitTimeout,
)

STRICT = {"content-security-policy": "script-src 'none'; style-src 'unsafe-inline'"}
"""A policy under which the page itself may run no script at all."""

INNER = """<ul id=list><li>a</li><li>b</li><li>c</li></ul><input type=password value=hunter22>
    <p id=shown>Shown <span style=display:none>hidden</span></p>
    <div id=ajar></div><div id=shut></div>"""
ROOTS = """ajar.attachShadow({ mode: 'open' }).innerHTML = '<b class=deep>in the open</b>';
    shut.attachShadow({ mode: 'closed' }).innerHTML = '<b class=deep>behind</b>'"""


def strict(site: Site, path: str, body: str) -> str:
    """Answer a path with a page under the strict policy, and return its URL."""

    async def handler(_: web.Request) -> web.Response:
        return web.Response(text=f"<!doctype html>{body}", content_type="text/html", headers=STRICT)

    site.route(path, handler)
    return site.url(path)


async def framed(page: Page, site: Site) -> list[Frame]:
    """Load a page with a frame of its process and one of another, each under a strict policy; return all three."""
    near = strict(site, "/held-inner", INNER)
    far = near.replace("127.0.0.1", "localhost")
    frames = f"<iframe name=near src={near}></iframe><iframe name=far src={far}></iframe>"
    await page.goto(strict(site, "/held", INNER + frames))
    for frame in page.frames:
        await frame.evaluate(ROOTS)
    return page.frames


async def refused(call: Callable[[], Awaitable[object]], error: type[Exception], match: str) -> Any:
    with pytest.raises(error, match=match) as raised:
        await call()
    return raised.value


async def test_every_frame_runs_functions_with_handles_under_a_strict_policy(page: Page, site: Site) -> None:
    frames = await framed(page, site)
    assert len(frames) == 3
    for frame in frames:
        async with (
            await frame.evaluate_handle("document.querySelector('ul')") as ul,
            await frame.evaluate_handle("({ made: 1 })") as made,
        ):
            assert isinstance(ul, ElementHandle)
            assert ul.as_element() is ul
            assert (type(made), made.as_element()) == (JSHandle, None)
            given = {"all": [ul, {"made": made}, ul], "n": 2**60}
            same = "({ all: [one, { made }, two], n }) => [one === two, one.id, made.made, typeof n]"
            assert await frame.evaluate(same, given) == [True, "list", 1, "bigint"]
            assert await frame.evaluate("(ul) => ul.tagName", ul) == "UL"
            assert await ul.evaluate("(ul, at) => ul.children[at].textContent", 1) == "b"
            async with await ul.evaluate_handle("(ul, at) => ul.children[at]", 2) as li:
                assert repr(li) == "ElementHandle(li)"
                assert await made.evaluate("(it, li) => [it.made, li.textContent]", li) == [1, "c"]
        for call in (
            lambda ul=ul: ul.evaluate("1"),
            lambda ul=ul, frame=frame: frame.evaluate("(a) => a", [ul]),
            lambda ul=ul: ul.text_content(),
            lambda ul=ul: ul.get_properties(),
            lambda ul=ul: ul.owner_frame(),
        ):
            await refused(call, HandleReleased, "released")
        await ul.dispose()


async def test_locators_run_code_with_one_element_and_with_all(page: Page, site: Site) -> None:
    for frame in await framed(page, site):
        items = frame.locator("li")
        assert await items.evaluate_all("(all, glue) => all.map(li => li.textContent).join(glue)", "+") == "a+b+c"
        assert await items.nth(1).evaluate("(li, { after }) => li.textContent + after", {"after": "!"}) == "b!"
        assert await frame.locator("blink").evaluate_all("(all) => all.length") == 0
        assert await frame.locator(".deep").evaluate_all("(all) => all.map(b => b.textContent)") == [
            "in the open",
            "behind",
        ]
        assert await frame.eval_on_selector_all("li", "(all, n) => all.length * n", 2) == 6
        assert await frame.eval_on_selector("li", "(li, x) => li.textContent + x", "1") == "a1"
        async with await items.first.evaluate_handle("(li) => li.parentNode") as ul:
            assert await ul.evaluate("(ul) => ul.id") == "list"
        async with await frame.locator("text=behind").element_handle() as deep:
            assert await deep.inner_text() == "behind"
        all_of = [await each.text_content() for each in await items.element_handles()]
        assert all_of == [await each.text_content() for each in await frame.query_selector_all("li")] == ["a", "b", "c"]
        assert await frame.query_selector("blink") is None
        found = await frame.query_selector("li")
        waited = await frame.wait_for_selector("li")
        assert found is not None
        assert waited is not None
        assert await frame.evaluate("([one, other]) => one === other", [found, waited]) is True
        assert await frame.wait_for_selector("blink", state="hidden") is None
    await refused(lambda: page.eval_on_selector("blink", "1"), ElementNotFound, "nothing matches 'blink' now")
    await refused(lambda: page.wait_for_selector("blink", timeout_ms=50), WaitTimeout, "did not become visible")
    await refused(lambda: page.locator("li:sort").evaluate_all("1"), SelectorInvalid, "not a valid selector")
    await refused(lambda: page.query_selector("li["), SelectorInvalid, "missing")


async def test_a_thousand_elements_and_more_come_in_their_order(page: Page, site: Site) -> None:
    await page.goto(site.html("/many", "".join(f"<i>{number}</i>" for number in range(2100))))
    first, last, count = await page.locator("i").evaluate_all(
        "(all) => [all[0].textContent, all[2099].textContent, all.length]"
    )
    assert (first, last, count) == ("0", "2099", 2100)


async def test_an_element_is_read_without_its_secrets(page: Page, site: Site) -> None:
    for frame in await framed(page, site):
        body = await frame.query_selector("body")
        shown = await frame.query_selector("#shown")
        assert body is not None
        assert shown is not None
        assert (await shown.inner_text(), await shown.text_content()) == ("Shown", "Shown hidden")
        assert await shown.get_attribute("id") == "shown"
        assert await shown.get_attribute("no") is None
        html = await body.inner_html()
        assert "hunter22" not in html
        assert 'value="••••"' in html
        hidden = await shown.evaluate_handle("(p) => p.firstElementChild")
        assert isinstance(hidden, ElementHandle)
        assert [await shown.is_visible(), await hidden.is_visible()] == [True, False]
        assert await hidden.bounding_box() is None
        assert await shown.bounding_box() == await frame.locator("#shown").box()
        text = await shown.evaluate_handle("(p) => p.firstChild")
        assert isinstance(text, ElementHandle)
        assert await text.text_content() == "Shown "
        await refused(text.inner_text, ElementUnsuitable, "not an element")
        await shown.evaluate("(p) => p.remove()")
        assert [await shown.is_visible(), await shown.bounding_box()] == [False, None]
        assert await shown.text_content() == "Shown hidden"


async def test_elements_know_their_frames(page: Page, site: Site) -> None:
    outer, near, far = await framed(page, site)
    for name, frame in (("near", near), ("far", far)):
        element = await page.query_selector(f"iframe[name={name}]")
        assert element is not None
        assert await element.content_frame() == frame
        assert await element.owner_frame() == outer
    # What a script reaches in another frame is passed where it was made, and read where it is.
    inside = await page.evaluate_handle("document.querySelector('iframe').contentDocument.querySelector('li')")
    assert isinstance(inside, ElementHandle)
    assert await inside.owner_frame() == near
    assert await inside.content_frame() is None
    assert await inside.inner_text() == "a"
    assert await inside.bounding_box() == await near.locator("li").first.box()
    assert await page.evaluate("(li) => li.ownerDocument !== document", inside) is True
    loose = await page.evaluate_handle("new Document()")
    assert isinstance(loose, ElementHandle)
    assert await loose.owner_frame() is None


async def test_a_handle_stays_in_its_document(page: Page, site: Site, browser: Browser) -> None:
    outer, near, far = await framed(page, site)
    ul, made = await outer.evaluate_handle("document.querySelector('ul')"), await outer.evaluate_handle("({})")
    plain = await outer.evaluate_handle("[NaN, 5n, undefined, 'x'].map(x => x)[0]")
    async with await browser.new_page(site.url("/held-inner")) as other:
        for elsewhere in (near, far, other):
            await refused(
                lambda it=elsewhere: it.evaluate("(a) => a", {"in": [ul]}), HandleForeign, "a handle of the page"
            )
            await refused(
                lambda it=elsewhere: it.wait_for_function("(a) => a", made), HandleForeign, "a handle of the page"
            )
            assert str(await elsewhere.evaluate("(a) => a", plain)) == "nan"
    inner = await near.evaluate_handle("document.body")
    await page.evaluate("document.querySelector('iframe').remove()")
    await page.settle()
    await refused(inner.json_value, HandleReleased, "is gone")
    await page.reload()
    for handle in (ul, made):
        await refused(lambda it=handle: page.evaluate("(a) => a", it), HandleReleased, "is gone: the page has left it")
        await refused(handle.json_value, HandleReleased, "is gone")
        await handle.dispose()
    assert str(await plain.json_value()) == "nan"


async def test_properties_and_values_of_a_handle(page: Page) -> None:
    handle = await page.evaluate_handle(
        "({ one: 1, text: 'x', big: 5n, no: undefined, nil: null, body: document.body, later: Promise.resolve(7),"
        " get accessor() { throw new Error('no') }, __proto__: { inherited: [-0] } })"
    )
    rows = await handle.get_properties()
    shown = {name: repr(row) for name, row in rows.items()}
    assert shown == {
        "one": "JSHandle(1)",
        "text": "JSHandle('x')",
        "big": "JSHandle(5n)",
        "no": "JSHandle(undefined)",
        "nil": "JSHandle(null)",
        "body": "ElementHandle(body)",
        "later": "JSHandle(Promise)",
    }
    assert [await rows[name].json_value() for name in ("one", "text", "big", "no", "nil")] == [1, "x", 5, None, None]
    assert await page.evaluate("(all) => all.map(x => typeof x)", [rows[name] for name in ("one", "big", "no")]) == [
        "number",
        "bigint",
        "undefined",
    ]
    assert repr(await (await handle.get_property("inherited")).json_value()) == "[-0.0]"
    assert repr(await handle.get_property("none")) == "JSHandle(undefined)"
    assert await (await page.evaluate_handle("7")).get_properties() == {}
    assert await (await page.evaluate_handle("new Map([[1, new Set([2])]])")).json_value() == {1: {2}}
    assert await (await page.evaluate_handle("window")).json_value() == "ref: <Window>"
    assert await (await page.evaluate_handle("Promise.resolve([8])")).json_value() == [8]
    await refused(lambda: handle.get_property("accessor"), EvaluationFailed, "no")


@dataclass
class Row:
    cells: int


REFUSED: list[tuple[Any, str, str]] = [
    (1j, "arg", "complex: it has no JavaScript value; pass None, True"),
    ({"rows": [1, {"x": object()}]}, 'arg["rows"][1]["x"]', "object"),
    ([Row(1)], "arg[0]", "Row: it has no JavaScript value; pass `dataclasses.asdict`"),
    (date(2026, 1, 2), "arg", "pass a datetime"),
    ({(1, 2): 3}, "arg", r"it has the key \(1, 2\), and keys must be str or int"),
    ({frozenset([1j])}, "arg{…}{…}", "complex"),
    (lambda: 1, "arg", "pass the source of a JavaScript function"),
    (re.compile(b"x"), "arg", "its pattern is of bytes"),
    (re.compile("x", re.VERBOSE), "arg", r"re\.VERBOSE"),
]


async def test_what_cannot_be_passed_is_refused_before_anything_runs(page: Page) -> None:
    await page.evaluate("ran = 0")
    for value, place, text in REFUSED:
        error = await refused(lambda value=value: page.evaluate("ran = 1, (a) => a", value), ArgumentInvalid, text)
        assert (error.place, error.kind, str(error).startswith(place)) == (place, error.kind, True)
    locator = page.locator("p")
    await refused(lambda: page.evaluate("ran = 1, (a) => a", locator), ArgumentInvalid, "element_handle")
    assert await page.evaluate("ran") == 0


async def test_nothing_that_is_given_is_ignored(page: Page, site: Site) -> None:
    await page.goto(site.html("/given", "<p>x"))
    await refused(lambda: page.evaluate("1 + 1", 5), EvaluationFailed, r"not a function.+\(arg\) => 1 \+ 1")
    await refused(lambda: page.evaluate_handle("({})", 0), EvaluationFailed, "not a function")
    await refused(lambda: page.locator("p").evaluate("7"), EvaluationFailed, r"\(element\) => 7")
    await refused(lambda: page.locator("p").evaluate_all("7", 1), EvaluationFailed, r"\(elements, arg\) => 7")
    await refused(lambda: page.wait_for_function("7", 1), EvaluationFailed, r"\(arg\) => 7")
    assert await page.evaluate("(...given) => given.length") == 1
    assert await page.evaluate("(given) => given === null", None) is True


async def test_a_value_survives_whatever_way_its_function_leaves_the_page(page: Page, site: Site) -> None:
    site.html("/next", "next")
    start = site.html("/leaves", "<a href=/next>go</a><script>go = () => { location.assign('/next') }</script>")
    for script in ("(v) => { go(); return v }", "async (v) => { go(); await 0; return v }"):
        await page.goto(start)
        assert await page.evaluate(script, {"a": [42, None]}) == {"a": [42, None]}
    await page.goto(start)
    assert await page.locator("a").evaluate("(a, v) => { go(); return [a.href, v] }", 7) == [site.url("/next"), 7]


async def test_a_function_has_a_persons_gesture_and_a_limit(page: Page) -> None:
    assert await page.evaluate("() => navigator.userActivation.isActive", user_gesture=True) is True
    async with await page.evaluate_handle("document.body") as body:
        await refused(lambda: body.evaluate("() => new Promise(() => 0)", timeout_ms=50), EvaluationTimeout, "promise")
    for script in ("(a) => { for (;;); }", "async (a) => { await 0; for (;;); }"):
        await refused(lambda it=script: page.evaluate(it, 1, timeout_ms=200), EvaluationTimeout, "terminated")
    assert await page.evaluate("(a) => a", 1) == 1


async def test_released_objects_are_let_go(page: Page, site: Site) -> None:
    """The page can tell by a WeakRef, once there is nothing else that holds the object."""
    await page.goto(site.html("/held-weakly", "<p>x"))
    await page.evaluate("refs = [], keep = (it) => (refs.push(new WeakRef(it)), it), 0")
    async with await page.evaluate_handle("() => keep({})") as made:
        await page.evaluate("(all) => [keep(all), keep(() => all)].length", [made, {"n": 1}])
        await made.evaluate("(it, other) => keep({ it, other })", made)
        await (await made.evaluate_handle("() => keep([])")).dispose()
        await (await page.wait_for_function("(it) => keep({ it })", made)).dispose()
    with pytest.raises(EvaluationFailed):
        await page.evaluate("(it) => { throw keep(new Error('x')) }", [1])
    await page.locator("p").evaluate_all("(all) => keep(all).length")
    for _ in range(3):
        await page.cdp_session.send(heap_profiler.CollectGarbage())
    assert await page.evaluate("refs.map(ref => ref.deref() === undefined)") == [True] * 8


REPLACED = [
    "Array.prototype[Symbol.iterator] = function* () {}",
    "Object.prototype.toJSON = Array.prototype.toJSON = () => 'no'; JSON.parse = JSON.stringify = () => 'no'",
    "Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => 'no'",
    "Reflect = Object = Number = String = BigInt = Symbol = Promise = undefined",
    "Array.prototype.push = Array.prototype.map = Array.prototype.forEach = () => 0",
    "for (const name of ['kind', 'array', 'made', 'value', 'object'])"
    " Object.defineProperty(Object.prototype, name, { get: () => 9, set() {}, configurable: true })",
    "window.atob = () => ''; window.Node = {}; window.Element = undefined",
    "setTimeout = setInterval = requestAnimationFrame = queueMicrotask = () => 0",
    "EventTarget.prototype.dispatchEvent = () => {}; Event = CustomEvent = undefined",
]
ARGUMENT = {"list": [1, [2, {"b": b"\x00\xff\x10"}]], "text": "x", "big": 2**70, "nan": [float("inf"), -0.0], "": None}


async def test_what_a_page_replaces_changes_no_argument_and_no_wait(page: Page, site: Site) -> None:
    check = (
        "(a) => a.list[0] === 1 && a.list.length === 2 && a.list[1][1].b[1] === 255 && a.list[1][1].b.length === 3"
        " && a.text === 'x' && a.big === 1180591620717411303424n && a.nan[0] === 1 / 0 && 1 / a.nan[1] === -1 / 0"
        " && a[''] === null && a.body === document.body"
    )
    wrong = []
    for replaced in REPLACED:
        await page.goto(site.html("/replaces", f"<body><script>{replaced}</script>"))
        async with await page.evaluate_handle("document.body") as body:
            if await page.evaluate(check, {**ARGUMENT, "body": body}) is not True:
                wrong.append(("an argument", replaced))
        async with await page.wait_for_function("(n) => (window.looks = (window.looks || 0) + 1) > n", 3) as waited:
            if await waited.json_value() is not True:
                wrong.append(("a wait", replaced))
    assert wrong == []


@pytest.mark.parametrize(
    ("replaced", "name", "value"),
    [
        ("Date = function () {}", "Date", [datetime(2026, 1, 1)]),
        ("Set.prototype.add = () => 0", "Set", {1}),
        ("Uint8Array = Array.bind(null, 1, 2, 3, 4)", "Uint8Array", b"x"),
    ],
)
async def test_an_argument_that_only_a_replaced_type_could_hold_is_refused(
    page: Page, replaced: str, name: str, value: Any
) -> None:
    await page.evaluate(f"{replaced}; 0")
    await refused(lambda: page.evaluate("(a) => 1", value), EvaluationFailed, f"the page has replaced {name}")


# -- waiting for a function ------------------------------------------------------------------------


async def test_a_wait_looks_in_each_frame_until_something_is_true(page: Page, site: Site) -> None:
    for frame in await framed(page, site):
        element = await frame.wait_for_function("(id) => document.getElementById(id)", "list")
        assert isinstance(element, ElementHandle)
        await frame.evaluate("late = null, looks = 0, setTimeout(() => { late = { a: [1] } }, 60), 0")
        async with await frame.wait_for_function("looks++, window.late") as late:
            assert await late.json_value() == {"a": [1]}
        async with await frame.wait_for_function(
            "async () => { await 0; return ++looks > 20 && [looks] }", polling=5
        ) as it:
            assert (await it.json_value())[0] > 20
    for polling in (0, -1, "mutation", True, float("nan")):
        await refused(lambda it=polling: page.wait_for_function("1", polling=it), OptionInvalid, "polling")


async def test_a_wait_in_vain_says_what_it_saw(page: Page) -> None:
    for script, seen in (
        ("''", 'its last value was ""'),
        ("() => [0n, NaN][0]", "its last value was 0n"),
        ("async () => null", "its last value was null"),
        ("() => new Promise(() => 0)", "its last value was a promise that is pending"),
        ("() => { for (;;); }", "ran without a pause and was terminated"),
    ):
        error = await refused(
            lambda it=script: page.wait_for_function(it, timeout_ms=400), WaitTimeout, re.escape(seen)
        )
        assert str(error).startswith(f"{script} did not come to anything true within 0.4 s")
    assert await page.evaluate("1 + 1", timeout_ms=5000) == 2


async def test_a_wait_ends_when_its_script_throws(page: Page) -> None:
    for script, text in (
        ("() => { throw new TypeError('oh my') }", "oh my"),
        ("missing.name", "missing is not defined"),
        ("() => Promise.reject(new Error('late'))", "late"),
        ("window.n = (window.n || 0) + 1, n > 3 && gone()", "gone is not defined"),
    ):
        await refused(lambda it=script: page.wait_for_function(it), EvaluationFailed, text)


async def test_a_wait_takes_statements_where_the_policy_of_the_page_lets_it(page: Page, site: Site) -> None:
    await page.goto(site.html("/lenient", "<p>x"))
    assert await (await page.wait_for_function("let two = 2; two")).json_value() == 2
    await refused(lambda: page.wait_for_function("let ("), EvaluationFailed, "SyntaxError")
    await framed(page, site)
    again = "let looks = window.looks = (window.looks || 0) + 1; looks > 2"
    await refused(lambda: page.wait_for_function(again), EvaluationFailed, "EvalError")


async def test_a_wait_goes_on_in_the_next_document(page: Page, site: Site) -> None:
    there = site.html("/there", "<p>there", title="there")
    await page.goto(site.html("/here", "<iframe src=/there></iframe>", title="here"))
    waiting = asyncio.ensure_future(page.wait_for_function("(title) => document.title === title", "there"))
    await page.evaluate("setTimeout(() => { location.href = '/there' }, 50), 0")
    assert await (await waiting).json_value() is True
    await page.goto(there.replace("127.0.0.1", "localhost"))
    body = await page.evaluate_handle("document.body")
    waiting = asyncio.ensure_future(page.wait_for_function("(body) => body.id", body))
    await page.evaluate("setTimeout(() => { location.href = '/here' }, 50), 0")
    await refused(lambda: waiting, HandleReleased, "is gone")


async def test_the_wait_of_a_frame_ends_with_the_frame(page: Page, site: Site) -> None:
    _, near, far = await framed(page, site)
    waits = [asyncio.ensure_future(frame.wait_for_function("window.never")) for frame in (near, far)]
    await asyncio.gather(*(frame.evaluate("1") for frame in (near, far)))
    await page.evaluate("document.querySelectorAll('iframe').forEach(each => each.remove())")
    for ended in await asyncio.wait_for(asyncio.gather(*waits, return_exceptions=True), 10):
        assert isinstance(ended, ElementNotFound)


async def test_a_wait_is_not_activity_of_the_page(page: Page, site: Site) -> None:
    await page.goto(site.html("/calm", "<button onclick='this.textContent = 1'>0</button>"))
    waits = [
        asyncio.ensure_future(page.wait_for_function("window.enough", polling=polling)) for polling in (None, 20, "raf")
    ]
    verdict = await page.settle(timeout_ms=3000)
    result = await page.execute_sequence([{"action": "click", "selector": "button"}], timeout_ms=3000)
    assert (verdict.stable, verdict.pending, verdict.ignored) == (True, (), ())
    assert (result.stable, [row.to for row in result.state_change.changed]) == (True, ["1"])
    await page.evaluate("enough = 1")
    assert [await (await each).json_value() for each in waits] == [1, 1, 1]


async def test_a_tab_in_the_background_is_not_starved(browser: Browser, site: Site) -> None:
    async with await browser.new_page(site.html("/behind", "<p>x")) as behind, await browser.new_page() as front:
        await front.evaluate("1")
        async with await behind.wait_for_function(
            "(window.looks = (window.looks || 0) + 1) > 5", timeout_ms=10_000
        ) as it:
            assert await it.json_value() is True


async def test_a_handle_acts_on_its_very_element(page: Page, site: Site) -> None:
    body = """<form><label>Name <input id=name></label><input type=checkbox id=box>
    <select><option>one<option>two</select><button type=button onclick="this.textContent = 'went'">go</button></form>
    <p hidden>hidden</p><input disabled value=off>"""
    await page.goto(site.html("/acts", body))
    form, button = await page.query_selector("form"), await page.query_selector("button")
    assert form is not None
    assert button is not None
    result = await button.click()
    assert result.state_change is not None
    assert await button.inner_text() == "went"
    name = await form.query_selector("#name")
    assert name is not None
    await name.fill("Ann")
    assert (await name.input_value(), await name.is_editable(), await name.is_enabled()) == ("Ann", True, True)
    box = await form.query_selector("#box")
    assert box is not None
    await box.check()
    assert await box.is_checked()
    assert len(await form.query_selector_all("input, select")) == 3
    assert await form.query_selector("p") is None
    off, hidden = await page.query_selector("[value=off]"), await page.query_selector("p")
    assert off is not None
    assert hidden is not None
    assert (await off.is_disabled(), await hidden.is_hidden()) == (True, True)
    assert (await button.screenshot()).startswith(b"\x89PNG")
    # A page that puts an equal element in its place does not get the click.
    await page.evaluate(
        "document.querySelector('button').replaceWith(document.querySelector('button').cloneNode(true))"
    )
    with pytest.raises(StillframeError) as caught:
        await button.click(action_timeout_ms=200)
    assert caught.value.code in ("ref_stale", "element_detached", "element_not_found")
    await button.dispose()
    with pytest.raises(HandleReleased):
        await button.click()
