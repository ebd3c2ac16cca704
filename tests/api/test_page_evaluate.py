"""What scripts come to is what it is in JavaScript, and so are arguments."""

from __future__ import annotations

import json
import math
import re
import sys
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlparse

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sampling import sampled
from site_server import Site
from stillframe.api.browser import Page
from stillframe.errors import EvaluationFailed
from stillframe.tab.deadline import Deadline
from stillframe.tab.javascript import arguments, caller_scripts
from stillframe.tab.javascript import values as javascript
from stillframe.tab.javascript.values import JsError


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same one, NaN and the sign of zero included."""
    if isinstance(one, float) and isinstance(other, float):
        return (math.isnan(one) and math.isnan(other)) or (
            one == other and math.copysign(1, one) == math.copysign(1, other)
        )
    return type(one) is type(other) and bool(one == other)


VALUES: list[tuple[str, Any]] = [
    ("NaN", math.nan),
    ("Infinity", math.inf),
    ("-Infinity", -math.inf),
    ("-0", -0.0),
    ("0", 0),
    ("1.5", 1.5),
    ("2n ** 70n", 2**70),
    ("-5n", -5),
    ("undefined", None),
    ("null", None),
    ("Symbol('x')", None),
    ("() => 1", 1),
    ("[() => 1]", [None]),
    ("function () { return 2 };", 2),
    ("function two() { return 2 }; [two()]", [2]),
    ("async (given) => [given]", [None]),
    ("'text'", "text"),
    ("new Date(1e12)", datetime.fromtimestamp(1e9, UTC)),
    ("new Date(NaN)", math.nan),
    ("new Date(8e15)", 8e15),
    ("/a+b/im", re.compile("a+b", re.IGNORECASE | re.MULTILINE)),
    ("/(?<name>x)\\p{L}/u", "/(?<name>x)\\p{L}/u"),
    ("new URL('http://a.example/b?c#d')", urlparse("http://a.example/b?c#d")),
    ("new Set([1, 'a', 2n])", {1, "a", 2}),
    ("new Set([[1]])", [[1]]),
    ("new Map([[1, 'a'], ['b', [2n]]])", {1: "a", "b": [2]}),
    ("new Map([[{a: 1}, 2]])", [[{"a": 1}, 2]]),
    ("new Uint8Array([1, 255])", b"\x01\xff"),
    ("new Uint8Array([0, 1, 2, 3]).subarray(1, 3)", b"\x01\x02"),
    ("new Uint8Array([9, 8]).buffer", b"\x09\x08"),
    ("new Int16Array([-2, 3])", [-2, 3]),
    ("new BigInt64Array([-2n])", [-2]),
    ("new Float64Array([0.5, Infinity])", [0.5, math.inf]),
    ("new String('boxed')", "boxed"),
    ("Object(7n)", 7),
    ("document", "ref: <Document>"),
    ("window", "ref: <Window>"),
    ("document.body", "ref: <Node>"),
    ("new Array(3)", [None, None, None]),
    ("({ get broken() { throw new Error('no') }, whole: 1 })", {"whole": 1}),
    ("new (class { a = 1; get b() { return 2 } })()", {"a": 1}),
    ("JSON.parse('{\"__proto__\": 1}')", {"__proto__": 1}),
    ("Promise.resolve([1n])", [1]),
    ("let i = 3; [i, i + 0.5]", [3, 3.5]),
    ("new Proxy({}, { ownKeys() { throw new Error('no') } })", {}),
]


async def test_a_value_comes_as_what_it_is(page: Page) -> None:
    told = [(script, await page.evaluate(script), value) for script, value in VALUES]
    assert [(script, came) for script, came, value in told if not same(came, value)] == []


async def test_values_in_arrays_and_objects_come_as_what_they_are(page: Page) -> None:
    told = await page.evaluate("({ n: [NaN, -0, Infinity, 12345678901234567890n], u: undefined, d: new Date(0) })")
    assert [
        same(one, other) for one, other in zip(told["n"], [math.nan, -0.0, math.inf, 12345678901234567890], strict=True)
    ]
    assert same(told["n"][1], -0.0)
    assert told["n"][3] == 12345678901234567890
    assert told["u"] is None
    assert told["d"] == datetime(1970, 1, 1, tzinfo=UTC)


async def test_an_error_that_is_a_value_is_no_failure(page: Page) -> None:
    told = await page.evaluate("({ error: new TypeError('not so') })")
    assert told["error"] == JsError("TypeError", "not so", told["error"].stack)
    with pytest.raises(EvaluationFailed, match="not so"):
        await page.evaluate("throw new TypeError('not so')")


async def test_the_same_object_is_the_same_and_may_hold_itself(page: Page) -> None:
    told = await page.evaluate(
        "(() => { const a = { x: 1 }; a.self = a; const m = new Map([['a', a]]); return [a, a, m] })()"
    )
    assert told[0] is told[1] is told[0]["self"] is told[2]["a"]


@pytest.mark.parametrize("deep", sampled((5000, 50_000), (5000,)))
async def test_depth_does_not_matter(page: Page, deep: int) -> None:
    told = await page.evaluate(f"(() => {{ let a = []; for (let i = 0; i < {deep}; i++) a = [a]; return a }})()")
    depth = 0
    while told:
        told, depth = told[0], depth + 1
    assert depth == deep > sys.getrecursionlimit()


async def test_what_a_page_does_to_json_is_none_of_our_business(page: Page, site: Site) -> None:
    breaks = (
        "<script>Array.prototype.toJSON = Object.prototype.toJSON = () => 'broken'; JSON.stringify = () => '0'</script>"
    )
    await page.goto(site.html("/breaks.html", breaks))
    assert await page.evaluate("[{ a: [1, NaN] }]") == [{"a": [1, pytest.approx(math.nan, nan_ok=True)]}]


async def test_an_object_of_the_browser_is_what_its_tojson_says(page: Page) -> None:
    told = await page.evaluate("new DOMRect(1, 2, 3, 4)")
    assert (told["x"], told["width"]) == (1, 3)
    assert await page.evaluate("(() => { class A { toJSON() { return this } }; return new A() })()") is None


@pytest.mark.parametrize(
    "leave", ["location.href = '/next'", "location.assign('/next')", "document.querySelector('a').click()"]
)
async def test_a_value_survives_the_navigation_that_its_script_starts(page: Page, site: Site, leave: str) -> None:
    site.html("/next", "next")
    await page.goto(site.html("/start", "<a href='/next'>go</a>"))
    value = await page.evaluate(f"({leave}, {{ a: [42, -0, null, 'x', {{ b: true }}], big: 5n, node: document.body }})")
    assert repr(value) == repr({"a": [42, -0.0, None, "x", {"b": True}], "big": 5, "node": "ref: <Node>"})


async def test_a_script_has_a_persons_gesture_where_asked(page: Page, site: Site) -> None:
    site.html("/inner.html", "<p>in")
    for number in (0, 1):
        await page.goto(site.html("/outer.html", f"<iframe src={site.url('/inner.html')}></iframe>"))
        frame = page.frames[number]
        assert await frame.evaluate("navigator.userActivation.isActive") is False
        assert await frame.evaluate("navigator.userActivation.isActive", user_gesture=True) is True


async def test_handles_of_results_are_let_go(page: Page) -> None:
    """The page can tell by a WeakRef, once there is nothing else that holds the object."""
    await page.evaluate("kept = new WeakRef({}); [kept.deref()]")
    from stillframe.cdp_types import heap_profiler

    for _ in range(3):
        await page.cdp_session.send(heap_profiler.CollectGarbage())
    assert await page.evaluate("kept.deref() === undefined")


async def test_a_frame_has_the_same_values(page: Page, site: Site) -> None:
    site.html("/inner.html", "<p>in")
    await page.goto(site.html("/outer.html", f"<iframe src={site.url('/inner.html')}></iframe>"))
    (inner,) = page._tab.frames.main.children.values()
    assert await caller_scripts.evaluate(inner, "[1n, -0]", deadline=Deadline(30)) == [1, 0]


# -- arguments -------------------------------------------------------------------------------------

MOMENT = datetime(2026, 5, 4, 3, 2, 1, 500_000, tzinfo=UTC)


ARGUMENTS: list[tuple[Any, str]] = [
    (math.nan, "Number"),
    (math.inf, "Number"),
    (-math.inf, "Number"),
    (-0.0, "Number"),
    (2**53 - 1, "Number"),
    (2**53, "BigInt"),
    (-(2**70), "BigInt"),
    (True, "Boolean"),
    (None, "Null"),
    (MOMENT, "Date"),
    (b"\x00\xff", "Uint8Array"),
    (b"", "Uint8Array"),
    (bytes(range(256)), "Uint8Array"),
    (re.compile("a+bc", re.IGNORECASE | re.MULTILINE), "RegExp"),
    (urlparse("http://a.example/b?c#d"), "URL"),
    (JsError("TypeError", "no", "at once"), "Error"),
    ("\U0001f600 é", "String"),
    ([], "Array"),
    ({"": {}, "2": 1, "then": [], "toJSON": None}, "Object"),
    ({1, "a"}, "Set"),
    ([1, [math.nan, 2**60], {"a": -0.0}], "Array"),
    ({"__proto__": 2**60}, "Object"),
]


async def test_an_argument_arrives_as_what_it_is(page: Page) -> None:
    tell = "(value) => [Object.prototype.toString.call(value).slice(8, -1), value]"
    for value, type_ in ARGUMENTS:
        kind, back = await page.evaluate(tell, value)
        assert kind == type_, value
        assert same(back, value) or repr(back) == repr(value)


async def test_an_argument_may_hold_itself(page: Page) -> None:
    value: list[Any] = [1]
    value.append(value)
    assert await page.evaluate("(a) => a[1] === a && a[1][1][0] === 1", value) is True


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.binary(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=20,
)


def by_hand(encoded: arguments.Arguments, told: Any) -> Any:
    """What the nodes of an argument mean, the slow and obvious way."""
    if not isinstance(told, list):
        return told
    if told[0] == "constant":
        return int(json.loads(encoded.constants.replace("n", ""))[told[1]])
    if isinstance(told[0], str):
        return float(told[1])
    kind, content, *more = encoded.nodes[told[0]]
    if kind == "bytes":
        return javascript._bytes("Uint8Array", content)
    items = content if kind == "array" else content.values()
    values = [by_hand(encoded, each) for each in items]
    return values if kind == "array" else dict(zip(more[2], values, strict=True))


@given(plain)
def test_the_nodes_of_an_argument_hold_all_of_it(value: Any) -> None:
    assert repr(by_hand(arguments.encode([value]), [0])) == repr([value])


@pytest.mark.parametrize("broken", ["Function.prototype", "String.prototype"])
async def test_values_come_from_a_page_that_broke_its_own_methods(page: Page, broken: str) -> None:
    breaking = f"for (const name of ['call', 'apply', 'slice']) {broken}[name] = () => {{ throw 1; }}; 0"
    await page.evaluate(breaking)
    values = await page.evaluate("[new Date(0), new Map([['a', 1]]), new Uint8Array([7]), new Set([2]), ['x']]")
    assert values == [datetime(1970, 1, 1, tzinfo=UTC), {"a": 1}, b"\x07", {2}, ["x"]]


@pytest.mark.parametrize("broken", ["Array.prototype.push", "Map.prototype.set", "Map.prototype.get", "window.Symbol"])
async def test_values_come_from_a_page_that_broke_lists_and_maps(page: Page, broken: str) -> None:
    await page.evaluate(f"{broken} = () => {{ throw 1; }}; 0")
    shared = "const shared = { b: [1, 2] }; ({ a: shared, c: [shared, shared.b] })"
    assert await page.evaluate(shared) == {"a": {"b": [1, 2]}, "c": [{"b": [1, 2]}, [1, 2]]}


REPLACED = [
    "JSON.stringify = () => '{}'; JSON.parse = () => ({})",
    "JSON = undefined",
    "Object.prototype.toJSON = function () { return 'no' }",
    "Array.prototype.toJSON = function () { return 'no' }",
    "Node = {}",
    "Window = Document = undefined",
    "Node = Window = Document = Element = URL = Error = function () {}",
    "Object.defineProperty(Node, Symbol.hasInstance, { value: () => true })",
    "Function.prototype.call = () => 'no'",
    "Function.prototype.apply = () => 'no'",
    "Function.prototype.bind = () => () => 'no'",
    "Reflect = { apply: () => 'no' }",
    "Promise = function () { throw 1 }",
    "Promise = undefined",
    "Promise.prototype.then = function () { return 5 }",
    "Map = Set = function () { this.get = this.set = this.has = () => 1 }",
    "delete window.Map; delete window.Set",
    "Array.prototype[Symbol.iterator] = function* () {}",
    "Symbol = {}",
    "Object.keys = Object.entries = () => []",
    "Object = {}",
    "Object.is = () => true",
    "Array = function () {}",
    "Array.isArray = () => true",
    "Number = String = undefined",
    "Number.isFinite = Number.isNaN = () => true",
    "Date = undefined",
    "Array.prototype.push = Array.prototype.map = Array.prototype.forEach = () => 0",
    "for (const name of ['kind', 'id', 'args', 'value', 'error', 'detail', 'resolve'])"
    " Object.defineProperty(Object.prototype, name, { get: () => 9, set() {}, configurable: true })",
    "CustomEvent = Event = undefined; EventTarget.prototype.dispatchEvent = () => {}",
    "globalThis = self = top = 5",
]
"""What pages, their libraries and their attackers replace before anybody asks them for a value."""

KEPT = (
    "kept = [{ a: 'x', b: [2, {}] }, -0, NaN, 'text', null, 12n, new Date(0), new Map([[1, 2]]), new Set([3]), /a/,"
    " new Uint8Array([7]), document, window, document.body, new Error('one')]"
)


async def test_what_a_page_replaces_changes_no_value_and_no_call(page: Page, site: Site) -> None:
    await page.expose_function("twice", lambda value: [value, {"again": value}])
    site.html("/plain", f"<body><script>{KEPT}</script>")
    await page.goto(site.url("/plain"))
    value, wrong = await page.evaluate("kept"), []
    assert value[0] == {"a": "x", "b": [2, {}]}
    for replaced in REPLACED:
        await page.goto(site.html("/replaced", f"<body><script>{KEPT}; {replaced}</script>"))
        if str(await page.evaluate("kept")).split("JsError")[0] != str(value).split("JsError")[0]:
            wrong.append(("a value", replaced))
        if await page.evaluate("twice([{ a: 'b' }])") != [[{"a": "b"}], {"again": [{"a": "b"}]}]:
            wrong.append(("a call", replaced))
    assert wrong == []


@pytest.mark.parametrize(
    ("replaced", "name", "script"),
    [
        ("Map.prototype.forEach = () => {}", "Map.prototype.forEach", "new Map([[1, 2]])"),
        ("Date.prototype.getTime = () => 0", "Date.prototype.getTime", "new Date(5)"),
        ("window.btoa = () => ''", "btoa", "new Uint8Array([1])"),
        ("Object.prototype[Symbol.toStringTag] = 'Map'", "Object.prototype.toString", "({ a: 1 })"),
        ("Object.defineProperty(Array.prototype, 0, { set() {}, configurable: true })", "Array.prototype", "[1]"),
    ],
)
async def test_a_value_that_only_a_broken_method_could_read_is_refused(
    page: Page, replaced: str, name: str, script: str
) -> None:
    await page.evaluate(f"{replaced}; 0")
    with pytest.raises(EvaluationFailed, match=f"the page has replaced {name}"):
        await page.evaluate(script)


async def test_a_function_that_comes_after_json_was_replaced_says_so(page: Page) -> None:
    await page.evaluate("JSON.parse = () => ({}); 0")
    await page.expose_function("late", lambda: 1)
    with pytest.raises(EvaluationFailed, match="the page has replaced JSON"):
        await page.evaluate("late()")
