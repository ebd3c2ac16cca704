"""What bad input gets: a typed error or the specification's fallback, and soon."""

from __future__ import annotations

from bench.behaviours.case import Behaviour, only
from bench.behaviours.names import HIT, found
from bench.doing import click, fill

DEEP = 10_000
QUICK = 6_000
"""Milliseconds: the waits of the actions and some seconds for pages of a megabyte on a busy machine."""


def quick(name: str, html: str, selector: str) -> Behaviour:
    """A row that must find its element and take no more than linear time."""
    return only(name=name, html=html, do=(click(selector),), then={"log.join()": "hit"}, limit_ms=QUICK)


ROWS = (
    quick(
        "a name of a megabyte",
        f"<button {HIT} id=b></button><button>x</button><script>b.ariaLabel = 'a'.repeat(1e6)</script>",
        "#b",
    ),
    quick(
        "a label of a megabyte",
        f"<button {HIT} id=b>Go</button><p id=t></p><input aria-labelledby=t><script>t.textContent = 'a "
        f"'.repeat(5e5)</script>",
        'role=button[name="Go"]',
    ),
    quick(
        "labels in a circle",
        f"<button id=a aria-labelledby=b {HIT}>Go</button><p id=b aria-labelledby=a>Now</p>",
        'role=button[name="Now"]',
    ),
    quick("labelled by itself", f"<button id=a aria-labelledby=a {HIT}>Go</button>", 'role=button[name="Go"]'),
    quick(
        "owners in a circle",
        f"<div id=a aria-owns=b>A</div><div id=b aria-owns=a>B</div><button {HIT}>Go</button>",
        'role=button[name="Go"]',
    ),
    quick("owning oneself", f"<h2 id=a aria-owns=a {HIT}>Go</h2>", 'role=heading[name="Go"]'),
    quick(
        "owned by two",
        f"<h2 aria-owns=c {HIT}>One </h2><h3 aria-owns=c>Two </h3><b id=c>Three</b>",
        'role=heading[name="One Three"]',
    ),
    quick("10,000 nested labels", f"<button {HIT}>Go</button>{'<label>x' * DEEP}<input>", 'role=button[name="Go"]'),
    quick(
        "1,000 labels nested by script",
        f"<button {HIT}>Go</button><div id=d></div><script>let at = d; for (let n = 0; n < 1000; n++)"
        " at = at.appendChild(document.createElement('label')); at.innerHTML = '<input id=f>'</script>",
        'role=button[name="Go"]',
    ),
    quick(
        "400 nested spans in a name",
        f"<button {HIT} id=b></button><script>let at = b; for (let n = 0; n < 400; n++)"
        " at = at.appendChild(document.createElement('span')); at.textContent = 'Go'</script>",
        'role=button[name="Go"]',
    ),
    quick(
        "10,000 labels of one field",
        f"<button {HIT}>Go</button><input id=f><script>document.body.append(...Array.from({{length: {DEEP}}}, () =>"
        " Object.assign(document.createElement('label'), {htmlFor: 'f', textContent: 'x'})))</script>",
        'role=button[name="Go"]',
    ),
    quick(
        "10,000 who share a label",
        f"<p id=t>{'word ' * 50}</p><button {HIT}>Go</button><script>"
        f"document.body.append(...Array.from({{length: {DEEP}}}, () =>"
        " { const e = document.createElement('i'); e.setAttribute('aria-labelledby', 't');"
        " e.setAttribute('role', 'button'); return e }))</script>",
        'role=button[name="Go"]',
    ),
    found("a role of garbage", f"<button role='<&%§ 12 {'x' * 3000}' {HIT}>Go</button>", 'role=button[name="Go"]'),
    found("a name of garbage", f"<button aria-label='\u0007\u202eGo\u0000' {HIT}>x</button>", "button"),
    found(
        "pseudo content of a picture",
        f"<style>.u::before{{content:url('data:image/gif;base64,R0lGODlhAQABAAAAACw=')}}</style><button "
        f"class=u {HIT}>Go</button>",
        'role=button[name="Go"]',
    ),
    found(
        "pseudo content of a counter",
        f"<style>body{{counter-reset:n 4}} .u::before{{counter-increment:n;content:counter(n) '. '}}</style>"
        f"<button class=u {HIT}>Go</button>",
        'role=button[name=". Go"]',
    ),
    found(
        "pseudo content of quotes",
        f"<style>.u::before{{content:open-quote}} .u::after{{content:close-quote}} .u{{quotes:'«' '»'}}</style>"
        f"<button class=u {HIT}>Go</button>",
        'role=button[name="«Go»"]',
    ),
    only(
        name="a chain of a thousand",
        html=f"<button {HIT}>Go</button>",
        do=(click(" >> ".join(["body"] * 1000 + ["button"])),),
        fails=("selector_invalid", "element_not_found"),
        limit_ms=QUICK,
    ),
    only(
        name="a selector of a megabyte",
        html="<p>A",
        do=(click("text=" + "a" * 1_000_000),),
        fails=("selector_invalid", "element_not_found"),
        limit_ms=QUICK,
    ),
    only(
        name="an index of a hundred digits",
        html="<p>A",
        do=(click("p >> nth=" + "9" * 100),),
        fails=("selector_invalid", "element_not_found"),
    ),
    only(
        name="a place of no number",
        html="<p id=t>A",
        do=(click("#t", position={"x": "left", "y": 0}),),
        fails=("action_invalid",),
        says=("position",),
    ),
    only(
        name="a place in a millionfold distance",
        html="<p id=t>A",
        do=(click("#t", position={"x": 1e9, "y": 1e9}),),
        fails=("element_unsuitable", "action_invalid"),
    ),
    only(
        name="no clicks",
        html="<p id=t>A",
        do=(click("#t", clickCount=0),),
        fails=("action_invalid",),
        says=("clickCount",),
    ),
    only(
        name="a button that no mouse has",
        html="<p id=t>A",
        do=(click("#t", button="fourth"),),
        fails=("action_invalid",),
        says=("button",),
    ),
    Behaviour(
        name="a field that no text goes into",
        html="<input type=checkbox id=f>",
        do=(fill("#f", "text"),),
        fails=("element_unsuitable",),
    ),
)
