"""The page as a person has it: media, pictures that change nothing, and built-ins that a page has replaced."""

from __future__ import annotations

from typing import Any

from bench.behaviours.calls import evaluate, expose, pause, picture
from bench.behaviours.case import Behaviour, only
from bench.behaviours.loading import goto
from bench.behaviours.names import DONE, HIT
from bench.doing import check, choose, click, double_click, fill, hover, press, typed


def medium(query: str) -> str:
    """The expression that says whether a media query holds."""
    return f"matchMedia('({query})').matches"


MEDIA = (
    Behaviour(
        name="a desktop has a mouse",
        then={medium(each): True for each in ("hover: hover", "pointer: fine", "any-hover: hover", "any-pointer: fine")}
        | {medium("pointer: coarse"): False, medium("hover: none"): False},
    ),
    Behaviour(
        name="a phone has a finger",
        html="<meta name=viewport content='width=device-width'>",
        phone=True,
        then={medium("hover: none"): True, medium("pointer: coarse"): True, medium("hover: hover"): False}
        | {"navigator.maxTouchPoints > 0": True, "innerWidth": 390, "devicePixelRatio": 3},
    ),
    Behaviour(
        name="a menu for those who can hover",
        html="<style>.sub{display:none} @media (hover: hover) and (pointer: fine){nav:hover "
        ".sub{display:block}}</style>"
        f"<nav><a href='#'>Products</a><div class=sub><button {HIT}>Lamps</button></div></nav>",
        do=(hover("text=Products"), click("text=Lamps")),
        then=DONE,
    ),
    Behaviour(
        name="a drawer for those who cannot hover",
        html="<meta name=viewport content='width=device-width'><style>.all{display:none} "
        "@media (hover: none){.all{display:block}}</style>"
        f"<nav><div class=all><button {HIT}>Lamps</button></div></nav>",
        phone=True,
        do=(click("text=Lamps"),),
        then=DONE,
    ),
    Behaviour(
        name="a script that asks for a fine pointer",
        html="<div id=t>Row</div><script>if (matchMedia('(any-pointer: fine)').matches) t.ondblclick = () => "
        "log.push('hit'); else t.ontouchend = () => log.push('touch')</script>",
        do=(double_click("#t"),),
        then=DONE,
    ),
    Behaviour(
        name="a ring of focus for keys alone",
        html="<button id=a>One</button><button id=b>Two</button>",
        do=(click("#a"), press("Tab")),
        then={"document.activeElement.id": "b", "b.matches(':focus-visible')": True},
    ),
    Behaviour(
        name="no ring of focus for the mouse",
        html="<button id=a>One</button>",
        do=(click("#a"),),
        then={"document.activeElement.id": "a", "a.matches(':focus-visible')": False},
    ),
    Behaviour(
        name="a page that is in front",
        then={"document.visibilityState": "visible", "document.hasFocus()": True, "document.hidden": False},
    ),
)

LISTENS = "<script>addEventListener('resize', () => log.push('resize')); visualViewport.onresize = () =>"
" log.push('visual')</script>"
QUERIES = (
    "<script>for (const query of ['(max-width: 900px)', '(min-height: 800px)', '(orientation: portrait)'])"
    "matchMedia(query).addEventListener('change', () => log.push(query))</script>"
)
TALL = "<div style='height:2500px;width:300px;background:linear-gradient(red,blue)' id=tall>Tall</div>"
BOX = "<div id=box style='width:120px;height:40px;background:teal'>Box</div>"


def pictured(name: str, html: str, *do: Any, size: list[int], **row: Any) -> Behaviour:
    """A row in which a picture of a size is taken and the page notices nothing of it."""
    return Behaviour(
        name=name,
        html=f"<style>body{{margin:0}}</style>{html}{LISTENS}",
        do=do,
        gives={"picture": size},
        **{"then": {"log.join()": "", "innerWidth": 1280}, **row},
    )


PICTURES = (
    pictured("a picture of an element", BOX, picture(selector="#box"), size=[120, 40]),
    pictured(
        "a picture of an element below the fold",
        f"<div style='height:1900px'></div>{BOX}<div style='height:900px'></div>",
        picture(selector="#box"),
        size=[120, 40],
    ),
    pictured("a picture of an element that no window holds", TALL, picture(selector="#tall"), size=[300, 2500]),
    pictured(
        "a picture of a place", BOX + TALL, picture(clip={"x": 10, "y": 5, "width": 80, "height": 60}), size=[80, 60]
    ),
    pictured("a picture of the whole page", TALL, picture(full_page=True), size=[1280, 2500]),
    pictured("a picture of a page with media queries", TALL + QUERIES, picture(full_page=True), size=[1280, 2500]),
    pictured(
        "a picture of a page that is little longer than the window",
        f"{BOX}<div style='height:860px'></div>",
        picture(full_page=True),
        size=[1280, 900],
    ),
    pictured(
        "pictures of five elements",
        "".join(f"<p id=p{n} style='margin:0;height:30px;width:90px'>{n}" for n in range(5)),
        *(picture(selector=f"#p{n}") for n in range(5)),
        size=[90, 30],
    ),
    pictured(
        "a menu that a resize would close",
        "<button id=open onclick='menu.hidden = false'>Menu</button><div id=menu hidden>"
        f"<button {HIT}>Copy</button></div><script>addEventListener('resize', () =>"
        f" {{ menu.hidden = true }})</script>"
        f"{TALL}",
        click("#open"),
        picture(selector="#tall"),
        click("text=Copy"),
        size=[300, 2500],
        then=DONE,
    ),
    pictured(
        "a list that counts how often it is laid out",
        f"{BOX}<div id=list style='width:50vw;height:860px'></div><script>let times = 0;"
        "new ResizeObserver(() => { if (++times > 1) log.push('again') }).observe(list)</script>",
        picture("first", selector="#box"),
        picture(full_page=True),
        size=[1280, 900],
        then={"log.join()": ""},
    ),
    Behaviour(
        name="a picture on a phone",
        html=f"<meta name=viewport content='width=device-width'><style>body{{margin:0}}</style>{BOX}{LISTENS}",
        phone=True,
        do=(evaluate("log.length = 0"), picture(selector="#box")),
        gives={"picture": [360, 120]},
        then={"log.join()": "", "innerWidth": 390},
    ),
    only(
        name="a picture of a place below the fold",
        html=f"<style>body{{margin:0}}</style>{TALL}{LISTENS}",
        do=(picture(clip=[0, 2000, 300, 100]),),
        gives={"picture": [300, 100]},
        then={"log.join()": "", "scrollY": 0},
    ),
)

FORM = f"<form onsubmit='return false'><input id=f aria-label=City><button {HIT}>Save</button></form>"


def tampered(name: str, script: str, **row: Any) -> Behaviour:
    """A page that replaces what scripts rely on, is filled and clicked, and is asked for a value."""
    return Behaviour(
        name=f"a page that replaces {name}",
        html=f"{FORM}<script>{script}</script>",
        do=(fill("label=City", "Oslo"), click('role=button[name="Save"]'), evaluate("({a: [1, 'x'], b: f.value})")),
        gives={"value": {"a": [1, "x"], "b": "Oslo"}},
        then={"log[0]": "hit"},
        **row,
    )


def asking(name: str, script: str) -> Behaviour:
    """A page with replaced built-ins that calls an exposed function."""
    return Behaviour(
        name=f"an exposed function beside {name}",
        pages={"first": f"<script>{script}</script>"},
        opens=False,
        do=(expose("ask"), goto("first"), evaluate("ask([1, 2], {a: 3}, 'x')")),
        gives={"asked": [[1, 2], {"a": 3}, "x"], "value": 3},
    )


TAMPERED = (
    tampered("JSON", "JSON.stringify = JSON.parse = () => 'no'; window.JSON = {}"),
    tampered(
        "Node and Element", "window.Node = {}; window.Element = undefined; window.HTMLElement = 7; window.Document = {}"
    ),
    tampered("call, apply and bind", "for (const n of ['call', 'apply', 'bind']) Function.prototype[n] = () => 'no'"),
    tampered(
        "the methods of arrays",
        "for (const n of ['map', 'forEach', 'push', 'filter', 'join', 'indexOf', 'includes', 'slice', 'some'])"
        "if (n != 'push') Array.prototype[n] = () => 'no'",
    ),
    tampered("the iterator of arrays", "Array.prototype[Symbol.iterator] = () => ({next: () => ({done: true})})"),
    tampered(
        "the functions of Object",
        "for (const n of ['keys', 'entries', 'assign', 'defineProperty']) Object[n] = () => []",
    ),
    tampered("collections", "window.Map = window.Set = window.WeakMap = window.WeakSet = function () { throw 1 }"),
    tampered(
        "the methods of strings",
        "for (const n of ['trim', 'split', 'replace', 'toLowerCase']) String.prototype[n] = () => ''",
    ),
    tampered(
        "where elements are",
        "Element.prototype.getBoundingClientRect = () => new DOMRect(); Element.prototype.getClientRects = () => []",
    ),
    tampered(
        "what lies at a point",
        "Document.prototype.elementFromPoint = () => null; Document.prototype.elementsFromPoint = () => []",
    ),
    tampered(
        "the look for elements",
        "document.querySelector = document.querySelectorAll = () => null; Element.prototype.matches = () => false;"
        " Element.prototype.closest = () => null",
    ),
    tampered(
        "styles",
        "window.getComputedStyle = () => ({display: 'none', visibility: 'hidden'});"
        " Element.prototype.checkVisibility = () => false",
    ),
    tampered("clocks", "Date.now = () => 0; performance.now = () => 0", limit_ms=5000),
    tampered(
        "timers",
        "window.setTimeout = window.setInterval = () => 0; window.requestAnimationFrame = () => 0",
        limit_ms=5000,
    ),
    tampered("promises", "window.Promise = class { then() { return this } static resolve() { return new this() } }"),
    tampered("attributes", "Element.prototype.getAttribute = () => 'no'; Element.prototype.hasAttribute = () => true"),
    tampered("what a descriptor inherits", "Object.prototype.get = () => 'no'", rival=False),
    tampered(
        "what objects are made of, frozen",
        "for (const each of [Object, Array, Function, Promise, Map]) Object.freeze(each.prototype), Object.freeze("
        "each)",
    ),
    tampered(
        "what is listed of objects and arrays", "Object.prototype.extra = 1; Array.prototype.each = function () {}"
    ),
    tampered(
        "observers",
        "window.MutationObserver = window.IntersectionObserver = window.ResizeObserver = class { observe() {} }",
    ),
    Behaviour(
        name="an exposed function that comes after a toJSON of arrays",
        html="<script>Array.prototype.toJSON = () => 'no'</script>",
        do=(expose("ask"), evaluate("ask([1, 2], {a: 3}, 'x')")),
        gives={"asked": [[1, 2], {"a": 3}, "x"], "value": 3},
    ),
    asking("a toJSON of arrays", "Array.prototype.toJSON = () => 'no'"),
    asking("a toJSON of everything", "Object.prototype.toJSON = function () { return String(this) }"),
    asking("another JSON", "window.JSON = {stringify: () => '{}', parse: () => ({})}"),
    asking("other promises", "window.Promise = function () { throw new Error('no') }"),
    asking("another Map", "window.Map = class { get() {} set() {} has() { return true } }"),
)

HIDING = (
    "id",
    "tagName",
    "parentNode",
    "nodeName",
    "children",
    "attributes",
    "getAttribute",
    "matches",
    "closest",
    "style",
)
CLOBBERS = "".join(f"<input name={name} hidden>" for name in HIDING)

CLOBBERED = (
    Behaviour(
        name="a form whose fields hide its own properties",
        html=f"<form onsubmit='return false'>{CLOBBERS}<label>City <input id=f></label>"
        f"<label><input type=checkbox id=c> Mail</label><button {HIT}>Save</button></form>",
        do=(fill("label=City", "Oslo"), check("label=Mail"), click("form >> text=Save")),
        then={"f.value": "Oslo", "c.checked": True, "log.join()": "hit"},
    ),
    Behaviour(
        name="pictures that hide what a document does",
        html="".join(f"<img name={name}>" for name in ("querySelector", "body", "activeElement", "elementFromPoint"))
        + f"<button {HIT}>Save</button>",
        do=(click("text=Save"),),
        then=DONE,
    ),
    Behaviour(
        name="elements with the ids of globals",
        html="<p id=event>a</p><p id=log2>b</p><p id=name>c</p><p id=parent>d</p><input id=document>"
        f"<select id=history><option>S<option>L</select><button {HIT}>Save</button>",
        do=(choose("#history", "L"), typed("#document", "x"), click("text=Save")),
        then={"log.join()": "hit", "document.getElementById('history').value": "L"},
    ),
    only(
        name="the text of a form whose fields hide its own properties",
        html=f"<form aria-label=Order>{CLOBBERS}<label>City <input></label><button>Save</button></form>",
        refs=("City", "Save"),
        shows=("Order",),
    ),
)

VALUES = (
    Behaviour(
        name="a value of a script that leaves the page",
        html="<p>Here",
        pages={"next": "<title>Next</title>"},
        do=(evaluate("(location.href = 'next', [42, {a: 'x'}])"),),
        gives={"value": [42, {"a": "x"}]},
        then={"document.title": "Next"},
    ),
    Behaviour(
        name="null, undefined and Infinity in a value",
        do=(evaluate("({a: null, b: [undefined], c: Infinity})"),),
        gives={"value": {"a": None, "b": [None], "c": float("inf")}},
    ),
    Behaviour(
        name="values of getters and of classes",
        do=(evaluate("[{get a() { return 1 }}, new (class { b = 2; get c() { return 3 } })()]"),),
        gives={"value": [{"a": 1}, {"b": 2}]},
    ),
    Behaviour(
        name="a node as a value",
        html="<p id=p>A",
        do=(evaluate("[p, document, window]"),),
        gives={"value": ["ref: <Node>", "ref: <Document>", "ref: <Window>"]},
    ),
    Behaviour(
        name="a value that a promise gives later",
        do=(evaluate("new Promise(done => setTimeout(() => done({a: 1}), 300))"),),
        gives={"value": {"a": 1}},
    ),
    Behaviour(
        name="an exposed function in a frame",
        html="<iframe src=inner></iframe>",
        pages={"inner": "<button onclick='ask(7).then(n => parent.log.push(n))'>Ask</button>"},
        do=(expose("ask"), click("frame=iframe >> text=Ask")),
        gives={"asked": [7]},
        then={"log.join()": "1"},
    ),
    Behaviour(
        name="an exposed function on the next page",
        html="<p>Here",
        pages={"next": "<script>ask('from the head').then(n => log.push(n))</script>"},
        do=(expose("ask"), goto("next"), pause(200)),
        gives={"asked": ["from the head"]},
        then={"log.join()": "1"},
    ),
    Behaviour(
        name="fifty calls of an exposed function at once",
        do=(expose("ask"), evaluate("Promise.all(Array.from({length: 50}, (_, n) => ask(n))).then(all => all.length)")),
        gives={"asked": list(range(50)), "value": 50},
    ),
)

ROWS = (*MEDIA, *PICTURES, *TAMPERED, *CLOBBERED, *VALUES)
