"""Forms that are sent, and pages that hang when they are to be left."""

from __future__ import annotations

from typing import Any

from bench.behaviours.case import Behaviour, only
from bench.behaviours.history import FIRST, NEXT, TITLE, walk
from bench.behaviours.loading import goto
from bench.doing import click, fill, go_back, reload, typed, wait_for

FORM = """<title>First</title><form action=next {}><input id=f name=q><input type=hidden name=k value=7>
<button>Send</button></form>"""
FORMS = (
    walk(
        "a form that is sent",
        fill("#f", "a b&c"),
        click("text=Send"),
        html=FORM.format(""),
        then={TITLE: "Next", "location.search": "?q=a+b%26c&k=7"},
    ),
    walk(
        "a form that is sent and taken back",
        fill("#f", "tea"),
        click("text=Send"),
        go_back(),
        html=FORM.format(""),
        then={TITLE: "First", "f.value": "tea"},
    ),
    walk(
        "a form by post, and its page again",
        fill("#f", "x"),
        click("text=Send"),
        reload(),
        html=FORM.format("method=post"),
        then={TITLE: "Next"},
    ),
    walk(
        "a form that enter sends", typed("#f", "tea\n"), click("text=Last"), html=FORM.format(""), then={TITLE: "Last"}
    ),
    walk(
        "a button outside of its form",
        fill("#f", "x"),
        click("#o"),
        html=FORM.format("id=m") + "<button id=o form=m name=by value=o>Out</button>",
        then={"location.search": "?q=x&k=7&by=o"},
    ),
    walk(
        "a button with another address",
        click("#o"),
        html="<form action=last><button id=o formaction=next>Draft</button></form>",
        then={TITLE: "Next"},
    ),
    walk(
        "a form that its page sends by script",
        fill("#f", "x"),
        click("text=Send"),
        click("text=Next"),
        html=FORM.format("")
        + """<p id=p></p><script>document.forms[0].onsubmit = async (e) => { e.preventDefault(); await fetch(
        'slow/200/next'); p.innerHTML = '<a href=next>Next</a>' }</script>""",
        then={TITLE: "Next"},
    ),
    walk(
        "a form that is not valid",
        click("text=Send"),
        html="<title>First</title><form action=next><input id=f name=q required><button>Send</button></form>",
        then={TITLE: "First", "document.activeElement.id": "f"},
    ),
    walk(
        "a form that asks whether to leave",
        typed("#f", "x"),
        click("text=Next"),
        html=FIRST + "<input id=f><script>onbeforeunload = (e) => { if (f.value) e.preventDefault() }</script>",
        then={TITLE: "Next"},
    ),
    walk(
        "a picture that sends a form",
        click("#i"),
        html="<form action=next><input type=image id=i alt=Go width=40 height=30></form>",
        then={TITLE: "Next", "location.search.startsWith('?x=')": True},
    ),
    walk(
        "a link of a script",
        click("text=Run"),
        html="<a href=\"javascript:log.push('hit')\">Run</a>",
        then={"log.join()": "hit"},
    ),
    walk(
        "a page with another base",
        click("text=There"),
        html="<base href='x/y/'><a href=../../next>There</a>",
        then={TITLE: "Next"},
    ),
    walk(
        "waiting for the address that a click leads to",
        click("text=Next"),
        wait_for(url="/next"),
        click("text=Last"),
        then={TITLE: "Last"},
    ),
)

HANG = "<title>Hung</title><button id=b onclick='setTimeout(() => { for (;;); })'>Hang</button>"


def hung(name: str, html: str, *do: Any, **more: Any) -> Behaviour:
    """A row in which the page of a tab never answers again."""
    return only(name=name, html=html, do=do, pages=NEXT, limit_ms=15_000, **more)


HUNG = (
    hung("a page that hangs is left", HANG, click("#b"), goto("next"), then={TITLE: "Next"}),
    hung(
        "a page that hangs is left, and one clicks on",
        HANG,
        click("#b"),
        goto("next"),
        click("text=Last"),
        then={TITLE: "Last"},
    ),
    hung(
        "a page whose frame hangs is left",
        '<title>Out</title><iframe srcdoc="<button '
        "onclick='setTimeout(() => { for (;;); })'>Hang</button>\"></iframe>",
        click("frame=iframe >> text=Hang"),
        goto("next"),
        then={TITLE: "Next"},
    ),
    hung(
        "a page that hangs once it is left",
        "<title>Hung</title><script>onpagehide = () => { for (const end = Date.now() + 1500; Date.now() < end;); "
        "}</script>",
        goto("next"),
        then={TITLE: "Next"},
    ),
    hung(
        "a page that begins again and again",
        "<title>Hung</title><button id=b "
        "onclick='const on = () => { for (const end = Date.now() + 400; Date.now() < end;); setTimeout(on)"
        " }; setTimeout(on)'>Busy</button>",
        click("#b"),
        goto("next"),
        then={TITLE: "Next"},
    ),
)


ROWS = (*FORMS, *HUNG)
