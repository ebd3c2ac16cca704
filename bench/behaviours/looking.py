"""Names and selectors on pages of shadow roots, glyphs, orphans and modal dialogs."""

from __future__ import annotations

from typing import Any

from bench.behaviours.case import Behaviour, only
from bench.behaviours.names import DONE, HIT, MISS, found, missing
from bench.doing import click, fill, press


def rooted(host: str, inside: str, mode: str = "open") -> str:
    """A script that gives an element a shadow root."""
    return f"<script>{host}.attachShadow({{mode: '{mode}'}}).innerHTML = `{inside}`</script>"


def filled(name: str, html: str, selector: str, expression: str) -> Behaviour:
    """A row in which a field that a selector finds must hold what was put into it."""
    return Behaviour(name=name, html=html, do=(fill(selector, "7"),), then={expression: "7"})


def refused(name: str, selector: str, *says: str) -> Behaviour:
    """A row in which a selector must be refused, with words that help."""
    return only(name=name, html="<button>Go</button>", do=(click(selector),), fails=("selector_invalid",), says=says)


def read(name: str, html: str, **row: Any) -> Behaviour:
    """A row that is read and not acted on."""
    return only(name=name, html=html, **row)


# Two hosts in the root of a third, each with a label and a field of one id.
NESTED = (
    "<x-panel id=outer></x-panel><script>const top_ = outer.attachShadow({mode: 'open'});"
    "for (const name of ['Fuel', 'Station']) { const host = document.createElement('x-field');"
    "host.attachShadow({mode: 'open'}).innerHTML = `<label for=in>${name}</label><input id=in>`; top_.append(host) }"
    "value = (n) => top_.children[n].shadowRoot.querySelector('input').value</script>"
)
CARD = (
    "<x-card id=card><span slot=title>Tea</span></x-card>"
    + rooted(
        "card",
        f"<section class=body><h2><slot name=title></slot></h2><div id=deep><button class=buy {HIT}>Buy</button>"
        f"</div></section>",
    )
    + f"<div class=plain><button class=buy {MISS}>Other</button></div>"
)
LETTERS = (
    f"<ul><li class=apple id=a {MISS}>A</li><li class='apple ripe' id=b onclick=\"log.push('b')\">B</li>"
    "<li id=c onclick=\"log.push('c')\">C <b onclick=\"log.push('deep')\">x</b></li>"
    "<li id=d onclick=\"log.push('d')\">D</li></ul>"
)


def lettered(name: str, selector: str, which: str) -> Behaviour:
    """A row in which one of four items must hear the click."""
    return Behaviour(name=name, html=LETTERS, do=(click(selector),), then={"log[0]": which})


SHADOWS = (
    filled("a label in a nested root, the first", NESTED, "label=Fuel", "value(0)"),
    filled("a label in a nested root, the second", NESTED, "label=Station", "value(1)"),
    filled("a role in a nested root", NESTED, 'role=textbox[name="Station"]', "value(1)"),
    read("names in nested roots", NESTED, refs=('textbox "Fuel"', 'textbox "Station"'), hides=("Fuel Station",)),
    found("what holds something in a shadow root", CARD, "x-card:has(#deep) >> .buy"),
    found("a child of a host", CARD, "x-card > .body .buy"),
    found("what is inside, with :is", CARD, "button:is(x-card .buy)"),
    found(
        "what is not inside, with :not",
        CARD.replace("log.push('miss')", "log.push('hit')").replace(HIT, MISS, 1),
        "button:not(x-card .buy)",
    ),
    found("a section that holds what is slotted", CARD, ".body:has(h2) .buy"),
    found("a chain into a root", CARD, 'x-card >> role=button[name="Buy"]'),
    found(
        "a slotted text",
        f"<x-b id=h {HIT}>Sign up</x-b>" + rooted("h", "<a href='#' id=x><slot></slot></a>"),
        "text=Sign up",
    ),
    found(
        "a link around a slot",
        "<x-b id=h>Sign up</x-b>" + rooted("h", f"<a href='javascript:0' id=x {HIT}><slot></slot></a>"),
        "role=link",
    ),
    only(
        name="a text in a closed root",
        html="<x-b id=h></x-b>" + rooted("h", f"<button {HIT}>Sign up</button>", "closed"),
        do=(click("text=Sign up"),),
        then=DONE,
    ),
    filled(
        "a host that hands on its focus",
        "<x-f id=h aria-label=City></x-f><script>r = h.attachShadow({mode: 'open', delegatesFocus: true});"
        "r.innerHTML = '<input aria-label=City id=i>'; v = () => r.querySelector('input').value</script>",
        "label=City",
        "v()",
    ),
    found(
        "a role that an element gives itself",
        f"<x-go id=h {HIT} tabindex=0>Go</x-go><script>customElements.define('x-go', class extends HTMLElement "
        "{ constructor() { super(); const i = this.attachInternals(); i.role = 'button';"
        " i.ariaLabel = 'Start' } })</script>",
        'role=button[name="Start"]',
    ),
    only(
        name="a label of an element that is a field by its own code",
        html="<label for=h>Stars</label><x-stars id=h tabindex=0 style='display:inline-block'>*****</x-stars><script>"
        "customElements.define('x-stars', class extends HTMLElement { static formAssociated = true;"
        " constructor() { super(); this.attachInternals(); "
        "this.onclick = () => log.push('hit') } })</script>",
        do=(click("label=Stars"),),
        then=DONE,
    ),
)

CHAINS = (
    lettered("the match itself", "li >> :scope.ripe", "b"),
    lettered("the next sibling", "#b >> + li", "c"),
    lettered("a later sibling", "#b >> ~ #d", "d"),
    lettered("a child only", "#c >> > b", "deep"),
    lettered("the next sibling of the match itself", "#a >> :scope + li", "b"),
    lettered("a place among what has a class", ".apple >> nth=1", "b"),
    lettered("the last one", "li >> nth=-1", "d"),
    lettered("what has what", "li:has(> b) >> nth=0", "c"),
)

ORPHANS = (
    found("an option outside a list", f"<div role=option tabindex=0 {HIT}>Large</div>", 'role=option[name="Large"]'),
    found(
        "a tree item outside a tree", f"<div role=treeitem tabindex=0 {HIT}>Fruit</div>", 'role=treeitem[name="Fruit"]'
    ),
    found("a list item outside a list", f"<div role=listitem {HIT}>Tea</div>", "role=listitem"),
    found("a tab outside a list of tabs", f"<button role=tab {HIT}>Files</button>", 'role=tab[name="Files"]'),
    found("a menu item outside a menu", f"<div role=menuitem tabindex=0 {HIT}>Cut</div>", 'role=menuitem[name="Cut"]'),
    read(
        "orphans in the text",
        "<div role=option tabindex=0>Large</div><div role=treeitem tabindex=0>Fruit</div>",
        refs=('option "Large"', 'treeitem "Fruit"'),
    ),
    found(
        "a button that is not pressed",
        f"<button {HIT}>Bold</button><button aria-pressed=true {MISS}>Italic</button>",
        "role=button[pressed=false]",
    ),
    found(
        "a box that is not checked",
        f"<input type=checkbox checked {MISS}><input type=checkbox {HIT}>",
        "role=checkbox[checked=false]",
    ),
    refused("a role that nobody knows", "role=bouton", "bouton"),
    refused("a role of another word for it", "role=textfield", "textfield"),
    refused("a level of a button", "role=button[level=3]", "level"),
    refused("a box that is checked of a link", "role=link[checked]", "checked"),
    refused("an expression for a text", "text=/go/i", "text"),
    refused("a state of no value", "role=checkbox[checked=maybe]", "maybe"),
)

GLYPHS = (
    only(
        name="a glyph and a space that does not break",
        html=f"<button {HIT}><i>\uf01e</i>&nbsp;Replay</button>",
        do=(click('role=button[name="Replay"]'),),
        then=DONE,
    ),
    only(
        name="a glyph of a style before a name",
        html=f"<style>.i::before{{content:'\\f002'}}</style><button class=i {HIT}>Find</button>",
        do=(click('role=button[name="Find"]'),),
        then=DONE,
    ),
    only(
        name="places where a word may break",
        html=f"<button {HIT}>Dash&shy;board&#8203;s</button>",
        do=(click('role=button[name="Dashboards"]'),),
        then=DONE,
    ),
    found(
        "a text with a space that does not break", f"<button {HIT}>Add&nbsp;to&nbsp;cart</button>", 'text="Add to cart"'
    ),
    found(
        "a name of several lines",
        f"<button {HIT}>\n  Add\n  <b>to</b> cart </button>",
        'role=button[name="Add to cart"]',
    ),
    read(
        "names without glyphs",
        "<button title=Replay><i>\uf01e</i>&nbsp;Replay</button>",
        refs=('button "Replay"',),
        hides=("\uf01e", "\xa0Replay"),
    ),
    read(
        "a button of a glyph alone has a hint",
        "<button class=icon-trash><i>\uf1f8</i></button>",
        refs=("icon-trash",),
        hides=("\uf1f8",),
    ),
    found(
        "a picture of CSS with a text of its own",
        f"<style>.p::before{{content:url('data:image/gif;base64,R0lGODlhAQABAAAAACw=') / 'Print'}}</style>"
        f"<button class=p {HIT}></button>",
        'role=button[name="Print"]',
    ),
    found(
        "a name of a drawing",
        f"<button {HIT}><svg width=20 height=20 role=img><title>Search</title></svg></button>",
        'role=button[name="Search"]',
    ),
    only(
        name="a text in capitals by CSS",
        html=f"<style>b{{text-transform:uppercase}}</style><b {HIT}>Save all</b>",
        do=(click('text="SAVE ALL"'),),
        then=DONE,
    ),
    missing(
        "a text in a script or a template",
        f"<script>x = 'Pay now'</script><template><button {MISS}>Pay now</button></template><noscript>"
        f"Pay now</noscript>",
        "text=Pay now",
    ),
)

BEHIND = (
    f"<button {MISS} id=under>Behind</button><dialog id=d><p>Sure?</p><button {HIT}>Yes</button></dialog>"
    "<script>d.showModal()</script>"
)

FOCUS = (
    only(
        name="where the keys go",
        html="<label>City <input></label><label>Street <input></label>",
        do=(click("label=Street"),),
        shows=('"Street" [active]',),
        hides=('"City" [active]',),
    ),
    only(
        name="where the keys go, in a shadow root",
        html=NESTED,
        do=(click("label=Station"),),
        shows=('"Station" [active]',),
    ),
    only(
        name="where the keys go, in a frame",
        html="<iframe srcdoc='<input aria-label=City>'></iframe>",
        do=(click("frame=iframe >> label=City"),),
        shows=('"City" [active]',),
    ),
    only(
        name="where the keys go after a tab",
        html="<button>One</button><button>Two</button>",
        do=(click("text=One"), press("Tab")),
        shows=('"Two" [active]',),
    ),
    read("what is behind a modal dialog", BEHIND, refs=("Yes",), hides=("Behind",)),
    Behaviour(
        name="a press behind a modal dialog",
        html=BEHIND,
        do=(click("#under"),),
        fails=("element_covered", "element_unsuitable", "element_disabled", "element_hidden", "element_inert"),
        then={"log.length": 0},
    ),
    found("a press in a modal dialog", BEHIND, "text=Yes"),
    read(
        "the text of what is inert",
        "<main inert><button>Behind</button></main><aside><button>Front</button></aside>",
        refs=("Front",),
        hides=("Behind",),
    ),
    read(
        "behind a dialog that has closed",
        BEHIND.replace("d.showModal()", "d.showModal(); d.close()"),
        refs=("Behind",),
        hides=("Sure?",),
    ),
    read("beside a dialog that is not modal", BEHIND.replace("showModal", "show"), refs=("Behind", "Yes")),
    read(
        "a modal dialog in a modal dialog",
        BEHIND + "<dialog id=e><button>Inner</button></dialog><script>e.showModal()</script>",
        refs=("Inner",),
        hides=("Behind", "Yes"),
    ),
)

ROWS = (*SHADOWS, *CHAINS, *ORPHANS, *GLYPHS, *FOCUS)
