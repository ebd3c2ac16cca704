"""Who gets a press: what is hidden, drawn by something else, slotted or covered."""

from __future__ import annotations

from typing import Any

from bench.behaviours.acting import row
from bench.behaviours.case import Behaviour, only
from bench.behaviours.names import DONE, HIT
from bench.doing import check, click

HEARD = "<script>onmessage = (e) => log.push(e.data)</script>"
"""A page that takes down what its frames of other sites say."""
TELLS = "onclick=\"parent.postMessage('hit', '*')\""
FAR_BUTTON = {"inner": f"<p style='height:50px'></p><button {TELLS}>Go</button>"}
GAP = "<p style='height:2200px'></p>"


def unseen(name: str, html: str, *codes: str) -> Behaviour:
    """A row in which `#t` must not be clicked, nor anything in its place."""
    return row(name, html, click("#t"), fails=("element_hidden", *codes), then={"log.length": 0})


UNSEEN = (
    unseen(
        "an option in a list that is closed",
        """<div style='cursor:pointer' onclick="log.push('field')"><span>Size</span>
        <ul role=listbox style='display:none'><li role=option id=t>Large</li></ul></div>""",
    ),
    unseen(
        "a tab for which a narrow bar has no room",
        """<div role=tablist onclick="log.push('bar')"><span role=tab style='cursor:pointer'>Log</span>
        <span role=tab id=t style='visibility:hidden;cursor:pointer'>Disk</span><span style='cursor:pointer'>More</span>
        </div>""",
    ),
    unseen(
        "a menu item in a popover that is closed",
        """<button popovertarget=m onclick="log.push('button')">Edit</button>
        <div id=m popover role=menu><div role=menuitem id=t>Paste</div></div>""",
    ),
    unseen(
        "a radio in details that are closed",
        """<details onclick="log.push('details')"><summary style='cursor:pointer'>Colours</summary>
        <span role=radio aria-checked=false id=t>Red</span> <b style='cursor:pointer'>Blue</b></details>""",
    ),
    unseen(
        "a button of a dialog that is closed",
        """<button onclick="log.push('ask')">Delete</button><dialog><p>Sure?</p>
        <button id=t onclick="log.push('yes')">Delete</button></dialog>""",
    ),
    unseen(
        "an option for which its host has no slot",
        """<my-pick style='cursor:pointer' onclick="log.push('pick')"><my-option role=option
        id=t>Tea</my-option></my-pick> <script>document.querySelector('my-pick').attachShadow({mode: 'open'}).innerHTML
        = '<b>Choose</b>'</script>""",
    ),
    unseen(
        "an item of a menu that is folded up",
        """<button onclick="log.push('burger')">Menu</button><nav style='height:0;overflow:hidden'>
        <a href='#a' id=t onclick="log.push('item')">Prices</a></nav><p onclick="log.push('text')">Welcome</p>""",
        "element_covered",
    ),
    unseen(
        "a link in a part that is skipped",
        """<section style='content-visibility:hidden;height:60px' onclick="log.push('part')">
        <a id=t href='#a'>Terms</a></section>""",
        "element_covered",
    ),
)


def styled(name: str, css: str, *, kind: str = "checkbox", rival: bool = True) -> Behaviour:
    """A row in which the drawn stand-in of an input is what a user presses."""
    return row(
        name,
        f"""<label style='position:relative;display:inline-block'><input type={kind} id=c style='{css}'>
        <span style='display:inline-block;width:24px;height:24px;background:#cdf;border-radius:12px'></span>
        News</label>""",
        check("#c"),
        then={"c.checked": True},
        rival=rival,
    )


STYLED = (
    styled("a box that is not drawn, with its label", "display:none", rival=False),
    styled("a box of no visibility, with its label", "visibility:hidden", rival=False),
    styled("a box of no opacity over its picture", "opacity:0;position:absolute;inset:0;margin:0"),
    styled("a box clipped to a pixel", "position:absolute;width:1px;height:1px;clip-path:inset(50%);margin:-1px"),
    styled("a box far off the page", "position:absolute;left:-9999px", rival=False),
    styled("a box without an appearance", "appearance:none;width:24px;height:24px;border:1px solid"),
    styled("a radio that is not drawn, with its label", "display:none", kind="radio", rival=False),
    row(
        "a label whose middle is a link",
        """<label id=l style='display:block;width:300px'><input type=checkbox id=c> I agree to
        <a href='#terms'>the terms and the conditions of service</a></label>""",
        check("#l"),
        then={"c.checked": True, "location.hash": ""},
    ),
    row(
        "a label that stands apart from its box",
        """<input type=checkbox id=c style='opacity:0;position:absolute;pointer-events:none'>
        <p style='height:300px'></p><label for=c style='cursor:pointer'>Remember me</label>""",
        check("#c"),
        then={"c.checked": True},
    ),
    row(
        "a card that is a radio's label",
        """<style>.card{display:block;border:1px solid;padding:30px;width:200px} .card
        input{position:absolute;opacity:0} </style><fieldset><label class=card><input type=radio name=p id=a
        checked><b>Free</b></label> <label class=card><input type=radio name=p id=b><b>Team</b><p>for ten
        people</p></label></fieldset>""",
        check("#b"),
        then={"b.checked": True, "a.checked": False},
    ),
)


def slotted(name: str, inner: str, outer: str = "<my-l>Sign up</my-l>", **more: Any) -> Behaviour:
    """A row in which bare text is slotted into a control of a shadow root."""
    return row(
        name,
        f"""{outer}<script>for (const host of document.querySelectorAll('my-l'))
        host.attachShadow({{mode: 'open'}}).innerHTML = `{inner}`</script>""",
        click("#x"),
        then=DONE,
        **more,
    )


SLOTTED = (
    slotted("text slotted into a link", f"<a id=x href='#a' {HIT}><slot></slot></a>"),
    slotted(
        "text slotted into a button without padding", f"<button id=x style='padding:0' {HIT}><slot></slot></button>"
    ),
    slotted("text slotted into a tab", f"<div role=tab tabindex=0 id=x style='width:70px' {HIT}><slot></slot></div>"),
    slotted("the fallback of a slot", f"<a id=x href='#a' {HIT}><slot>Sign up</slot></a>", "<my-l></my-l>"),
    slotted(
        "text slotted through two hosts",
        "<my-l2><slot></slot></my-l2>",
        f"""<my-l>Sign up</my-l><script>customElements.define('my-l2', class extends HTMLElement {{ constructor() {{
        super(); this.attachShadow({{mode: 'open'}}).innerHTML = `<button id=x style='padding:0;border:0' {HIT}>
        <slot></slot></button>` }} }})</script>""",
    ),
    row(
        "a button of a declared shadow root",
        f"""<my-box><template shadowrootmode=open><style>button{{padding:0}}</style><button {HIT}><slot></slot></button>
        </template>Send</my-box>""",
        click("my-box >> button"),
        then=DONE,
    ),
    only(
        name="a button of a closed shadow root",
        html=f"""<div id=h>Send</div><script>h.attachShadow({{mode: 'closed'}}).innerHTML =
        `<button {HIT}><slot></slot></button>`</script>""",
        do=(click("role=button"),),
        then=DONE,
    ),
)

LATE_COVER = (
    "<div style='position:fixed;{};background:#eee' id=v>Cookies</div><script>setTimeout(() => v.remove(), 700)"
)
WRAPPED = "<div style='width:120px;font:16px monospace'>"
OWN = "style='position:relative;width:220px;height:40px;border:1px solid'"
COVERED = (
    row(
        "a placeholder drawn over its field",
        f"""<div {OWN}><input id=f style='position:absolute;inset:0;border:0'><label for=f
        style='position:absolute;inset:0;padding:8px'>City</label></div>""",
        click("#f"),
        then={"document.activeElement.id": "f"},
    ),
    row(
        "the chosen text over the field of a select that the page draws",
        f"""<div {OWN} id=w><input id=f role=combobox aria-expanded=false style='position:absolute;inset:0;border:0'>
        <span style='position:absolute;inset:0;background:#fff;padding:8px'>Oslo</span></div><script>
        w.onclick = () => {{ f.focus(); log.push('hit') }}</script>""",
        click("#f"),
        then={**DONE, "document.activeElement.id": "f"},
        rival=False,
    ),
    row(
        "an icon over the middle of its button",
        f"""<div style='position:relative;width:60px;height:60px' {HIT}><button id=t style='width:60px;height:60px'>
        </button><svg width=30 height=30 style='position:absolute;left:15px;top:15px'><rect width=30 height=30 /></svg>
        </div>""",
        click("#t"),
        then=DONE,
        rival=False,
    ),
    row(
        "a badge of another kind over the middle of a button",
        f"""<div style='position:relative;width:200px;height:60px'><button id=t style='width:200px;height:60px' {HIT}>
        Inbox</button><a href='#n' style='position:absolute;left:90px;top:20px;background:red'
        onclick="log.push('badge')"> 12</a></div>""",
        click("#t"),
        then=DONE,
        rival=False,
    ),
    row(
        "a veil of the card's own",
        """<style>.card{position:relative;padding:40px} .card::after{content:'';position:absolute;inset:0}</style>
        <div class=card onclick="log.push('card')"><button id=t onclick="log.push('hit')">Buy</button></div>""",
        click("#t"),
        fails=("element_covered",),
        then={"log.length": 0},
    ),
    row(
        "a cookie bar at the bottom that goes away",
        f"{LATE_COVER.format('left:0;right:0;bottom:0;height:70vh')}</script>{GAP}<button {HIT}>Go</button>",
        click("text=Go"),
        then=DONE,
    ),
    row(
        "a spinner over everything that fades out",
        f"""<style>#v{{position:fixed;inset:0;background:#fffc;transition:opacity .3s}}</style><div id=v></div>
        <button {HIT}>Go</button><script>setTimeout(() => {{ v.style.opacity = 0; v.ontransitionend = () => v.remove()
        }}, 400)</script>""",
        click("text=Go"),
        then=DONE,
    ),
    row(
        "a header and a footer that stick",
        f"""<style>header,footer{{position:sticky;height:200px;background:#ddd}} header{{top:0}}
        footer{{bottom:0}}</style> <header>Shop</header>{GAP}<button {HIT}>Go</button>{GAP}<footer>Total</footer>""",
        click("text=Go"),
        then=DONE,
    ),
    row(
        "a header that comes down as one scrolls",
        f"""<style>#h{{position:fixed;left:0;right:0;top:-120px;height:120px;background:#ddd;transition:top .15s}}
        #h.in{{top:0}}</style><div id=h>Shop</div>{GAP}<button {HIT}>Go</button>{GAP}
        <script>onscroll = () => h.className = scrollY > 50 ? 'in' : ''</script>""",
        click("text=Go"),
        then=DONE,
    ),
    row(
        "a side bar over half of a button",
        f"""<div style='position:fixed;left:0;top:0;width:150px;bottom:0;background:#ccc;z-index:1'></div>
        <button id=t style='margin-left:60px;width:160px;height:50px' {HIT}>Go</button>""",
        click("#t"),
        then=DONE,
        rival=False,
    ),
    row(
        "what lies behind a modal dialog",
        f"<button id=t {HIT}>Go</button><dialog id=d>Wait</dialog><script>d.showModal()</script>",
        click("#t"),
        fails=("element_covered", "element_disabled"),
        then={"log.length": 0},
    ),
    row(
        "what is inert",
        f"<main inert><button id=t {HIT}>Go</button></main>",
        click("#t"),
        fails=("element_covered", "element_disabled"),
        then={"log.length": 0},
    ),
    row(
        "a note over a button that goes by itself",
        f"""<button style='position:fixed;right:20px;top:20px' {HIT}>Account</button><div id=n style='position:fixed;
        right:0;top:0;width:300px;height:90px;background:#dfd' role=status>Saved</div><script>
        setTimeout(() => n.animate([{{}}, {{transform: 'translateX(320px)'}}], {{duration: 200, fill: 'forwards'}}),
        500) </script>""",
        click("text=Account"),
        then=DONE,
    ),
)

ROWS = (*UNSEEN, *STYLED, *SLOTTED, *COVERED)
