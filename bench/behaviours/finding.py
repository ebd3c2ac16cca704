"""Chains of scopes, and the forms of a selector."""

from __future__ import annotations

from typing import Any

from bench.behaviours.case import Behaviour, only
from bench.behaviours.names import DONE, HIT, MISS, found, missing
from bench.doing import check, click, fill

CARDS = "".join(
    f"<article id={name}><h2>{name.title()}</h2><button onclick=\"log.push('{name}')\">Open</button></article>"
    for name in ("one", "two", "three")
)


def hits(name: str, selector: str, which: str, html: str = CARDS, **row: Any) -> Behaviour:
    """A row in which a click on the selector must be heard by one of several."""
    return Behaviour(name=name, html=html, do=(click(selector),), then={"log.join()": which}, **row)


def invalid(name: str, selector: str, *says: str) -> Behaviour:
    """A row in which the selector must be refused before anything is done."""
    return only(
        name=name, html=CARDS, do=(click(selector),), fails=("selector_invalid",), says=says, then={"log.length": 0}
    )


def field(name: str, selector: str, html: str) -> Behaviour:
    """A row in which the field `#f` must be filled."""
    return Behaviour(name=name, html=html, do=(fill(selector, "7"),), then={"f.value": "7"})


ROWS = (
    # -- chains ----------------------------------------------------------------------------------
    hits("a text in a scope", "#two >> text=Open", "two"),
    hits("a role in a scope", '#three >> role=button[name="Open"]', "three"),
    hits("three scopes", "body >> #two >> role=button", "two"),
    hits("css in a scope", "#two >> button", "two"),
    hits("an xpath in a scope", "#two >> xpath=.//button", "two"),
    found(
        "a role in a role",
        f"<button {MISS}>OK</button><div role=dialog aria-label=Sure><button {HIT}>OK</button></div>",
        'role=dialog >> role=button[name="OK"]',
    ),
    found("arrows in quotes", f"<button>a</button><button {HIT}>a >> b</button>", 'text="a >> b"'),
    Behaviour(
        name="a scope in a frame",
        html="<button>Open</button><iframe id=f src=inner></iframe>",
        pages={"inner": "<p>Open</p><div id=two><button onclick=\"parent.log.push('hit')\">Open</button></div>"},
        do=(click("frame=#f >> #two >> text=Open"),),
        then=DONE,
    ),
    found(
        "a scope in a shadow root",
        f"<button {MISS}>Buy</button><div id=host></div><script>host.attachShadow({{mode: 'open'}}).innerHTML ="
        "\"<button onclick=log.push('hit')>Buy</button>\"</script>",
        "#host >> text=Buy",
    ),
    Behaviour(
        name="a scope with a label",
        html="<form id=a><label>Name <input></label></form><form id=b><label>Name <input id=f></label></form>",
        do=(fill("#b >> label=Name", "7"),),
        then={"f.value": "7"},
    ),
    Behaviour(
        name="a scope that comes later",
        html="<script>setTimeout(() => document.body.innerHTML += \"<p id=late><button onclick=log.push('hit')>"
        'Go</button>", 300)</script>',
        do=(click("#late >> text=Go"),),
        then=DONE,
    ),
    # -- filters -----------------------------------------------------------------------------------
    hits("the first", "button >> nth=0", "one"),
    hits("the second", "button >> nth=1", "two"),
    hits("the last", "button >> nth=-1", "three"),
    hits("an index amid a chain", "article >> nth=1 >> text=Open", "two"),
    hits("with a text", 'article >> has-text="Three" >> role=button', "three"),
    hits("with a part of a text", "article >> has-text=tw >> role=button", "two"),
    found(
        "what is visible",
        f"<button style='display:none'>Go</button><button {HIT}>Go</button>",
        "button >> visible=true",
    ),
    found("the second that is visible", f"<p hidden>A</p><p>A</p><p {HIT}>A</p>", "p >> visible=true >> nth=1"),
    # -- forms ------------------------------------------------------------------------------------
    field("a label beside", "label=Age", "<label for=f>Age</label><input><input id=f>"),
    field("a label around", "label=Age", "<input><label><span>Age</span> <input id=f></label>"),
    field("an aria label", "label=Age", "<input><input id=f aria-label=Age>"),
    field("labelled by another", "label=Age", "<b id=t>Age</b><input><input id=f aria-labelledby=t>"),
    field("a part of a label", "label=birth", "<label for=f>Date of birth</label><input><input id=f>"),
    field("a whole label", 'label="Age"', "<label>Age group <input></label><label>Age <input id=f></label>"),
    field("a placeholder", "placeholder=city", "<input placeholder=Street><input id=f placeholder='Your city'>"),
    field("a whole placeholder", 'placeholder="City"', "<input placeholder='City code'><input id=f placeholder=City>"),
    field("a test id", "testid=age", "<input data-testid=ages><input id=f data-testid=age>"),
    field("a title", "title=age", "<input title=Name><input id=f title='Your age'>"),
    found(
        "an alternative text",
        f"<img alt=Plan width=20 height=20><img alt='City map' width=20 height=20 {HIT}>",
        "alt=map",
    ),
    Behaviour(
        name="a checkbox by its label",
        html="<label><input type=checkbox id=c> I agree</label><label><input type=checkbox> I do not</label>",
        do=(check("label=I agree"),),
        then={"c.checked": True},
    ),
    found("text in any case", f"<p>Log out</p><button {HIT}>Log in</button>", "text=LOG IN"),
    found("the whole of a text", f"<button>Log in now</button><button {HIT}>Log in</button>", 'text="Log in"'),
    # -- errors -----------------------------------------------------------------------------------
    Behaviour(
        name="several of them",
        html=CARDS,
        do=(click("text=Open"),),
        fails=("ambiguous_selector",),
        says=("3 elements",),
        then={"log.length": 0},
    ),
    missing("an index out of range", CARDS, "button >> nth=3"),
    missing("an index before the first", CARDS, "button >> nth=-4"),
    missing("nothing in the scope", CARDS, "#two >> text=Close"),
    missing("a scope that is not there", CARDS, "#four >> text=Open"),
    missing("a label of nothing", "<label for=gone>Age</label><p>12</p>", "label=Age"),
    invalid("an empty part", "#two >> >> text=Open", ">>"),
    invalid("an empty end", "#two >> ", ">>"),
    invalid("an empty beginning", ">> text=Open", ">>"),
    invalid("an unknown part", "#two >> colour=red", "colour"),
    invalid("a word as an index", "button >> nth=two", "nth"),
    invalid("half an index", "button >> nth=1.5", "nth"),
    invalid("visible to a degree", "button >> visible=maybe", "visible"),
    invalid("a text that is not closed", 'text="Open', "text="),
    invalid("an empty label", "label=", "label"),
    invalid("an unknown state", "role=button[shiny=true]", "shiny"),
    invalid("invalid css", "#two >> [[", "#two >> [["),
)
