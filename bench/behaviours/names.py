"""Roles and names: a role selector finds what ARIA, HTML-AAM and accname say that the element is."""

from __future__ import annotations

from bench.behaviours.case import Behaviour, only
from bench.doing import check, click, fill, hover, uncheck, upload

HIT = "onclick=\"log.push('hit')\""
MISS = "onclick=\"log.push('miss')\""
DONE = {"log.join()": "hit"}


def found(name: str, html: str, selector: str) -> Behaviour:
    """A row in which a click on the selector must hit the element with HIT."""
    return Behaviour(name=name, html=html, do=(click(selector),), then=DONE)


def missing(name: str, html: str, selector: str) -> Behaviour:
    """A row in which the selector must match nothing."""
    return Behaviour(name=name, html=html, do=(click(selector),), fails=("element_not_found",), then={"log.length": 0})


ROWS = (
    # -- roles -----------------------------------------------------------------------------------
    found("a role in capitals", f"<div role=LINK tabindex=0 {HIT}>Terms</div>", 'role=link[name="Terms"]'),
    found("a role in mixed case", f"<p role=MenuItem tabindex=0 {HIT}>Cut</p>", 'role=menuitem[name="Cut"]'),
    found("the first role that is known", f"<div role='fancy tab' {HIT}>Log</div>", 'role=tab[name="Log"]'),
    found("only unknown roles", f"<button role='fancy shiny' {HIT}>Log</button>", 'role=button[name="Log"]'),
    found("a known role before another", f"<div role='switch checkbox' tabindex=0 {HIT}>Wi-Fi</div>", "role=switch"),
    found("role none on a button", f"<button role=none {HIT}>Stay</button>", 'role=button[name="Stay"]'),
    found("role presentation on a link", f"<a href='#a' role=presentation {HIT}>Up</a>", 'role=link[name="Up"]'),
    found(
        "role none with a global attribute",
        f"<h3 role=none aria-live=polite {HIT}>News</h3>",
        'role=heading[name="News"]',
    ),
    missing("role none on a heading", f"<h3 role=none {MISS}>News</h3>", "role=heading"),
    missing("an item of a list without a role", f"<ul role=none><li {MISS}>Tea</li></ul>", "role=listitem"),
    found("an image with alt", f"<img alt='' width=9><img alt=Map width=40 height=40 {HIT}>", "role=img"),
    found(
        "the header of the page",
        f"<article><header {MISS}>Post</header></article><header {HIT}>Shop</header>",
        "role=banner",
    ),
    found(
        "the footer of the page",
        f"<section><footer {MISS}>Notes</footer></section><footer {HIT}>Imprint</footer>",
        "role=contentinfo",
    ),
    missing("a header in main", f"<main><header {MISS}>Post</header></main>", "role=banner"),
    found(
        "a section with a name",
        f"<section {MISS}>A</section><section aria-label=Prices {HIT}>B</section>",
        "role=region",
    ),
    found(
        "a form with a name",
        f"<form>A</form><form aria-labelledby=t><h2 id=t {HIT}>Sign in</h2></form>",
        'role=form[name="Sign in"]',
    ),
    found(
        "a header of a row",
        f"<table><tr><th>Name<th>Age<tr><th scope=row {HIT}>Ann<td>31</table>",
        'role=rowheader[name="Ann"]',
    ),
    found(
        "a header of a column",
        f"<table><tr><th scope=col {HIT}>Age<th scope=col>City<tr><td>31<td>Oslo</table>",
        'role=columnheader[name="Age"]',
    ),
    found("a cell of a grid", f"<table role=grid><tr><td {HIT}>7</td><td>8</td></table>", 'role=gridcell[name="7"]'),
    found("a cell of a table", f"<table><tr><td {HIT}>7</td><td>8</td></table>", 'role=cell[name="7"]'),
    Behaviour(
        name="a file input is a button",
        html="<label for=f>Photo</label> <input type=file id=f>",
        do=(upload('role=button[name="Photo"]', "{files}/note.txt"),),
        then={"f.files.length": 1},
    ),
    found(
        "a field with suggestions",
        f"<input aria-label=City list=l {HIT}><datalist id=l><option>Oslo</datalist>",
        'role=combobox[name="City"]',
    ),
    found("a range", f"<input type=range aria-label=Volume {HIT}>", 'role=slider[name="Volume"]'),
    found("a search field", f"<input type=search aria-label=Find {HIT}>", 'role=searchbox[name="Find"]'),
    found("a heading by level", f"<h2 {MISS}>Tea</h2><h3 {HIT}>Tea</h3>", 'role=heading[name="Tea"][level=3]'),
    # -- names from content -----------------------------------------------------------------------
    found(
        "content before",
        f"<style>.n::before{{content:'New '}}</style><button class=n {HIT}>mail</button>",
        'role=button[name="New mail"]',
    ),
    found(
        "content with alternative text",
        f"<style>.f::after{{content:'★' / 'favourite'}}</style><button class=f {HIT}>Ann </button>",
        'role=button[name="Ann favourite"]',
    ),
    found(
        "content with empty alternative text",
        f"<style>.f::after{{content:'→' / ''}}</style><button class=f {HIT}>Next</button>",
        'role=button[name="Next"]',
    ),
    found(
        "content of an attribute",
        f"<style>.n::after{{content:attr(data-n)}}</style><button class=n data-n='(3)' {HIT}>Cart </button>",
        'role=button[name="Cart (3)"]',
    ),
    found(
        "the title of an svg",
        f"<button {HIT}><svg width=16 height=16><title>Close</title><path d='M0 0h9v9z'/></svg></button>",
        'role=button[name="Close"]',
    ),
    found(
        "an svg with a label in a link",
        f"<a href='#h' {HIT}><svg role=img aria-label=Home width=16 height=16><path d='M0 0h16v16H0z'/></svg></a>",
        'role=link[name="Home"]',
    ),
    found("a picture in a link", f"<a href='#h' {HIT}><img alt=Logo width=20 height=20></a>", 'role=link[name="Logo"]'),
    found("a picture beside text", f"<a href='#h' {HIT}><img alt='' width=9>Cart</a>", 'role=link[name="Cart"]'),
    found("joined inline", f"<button {HIT}><b>Sa</b>ve</button>", 'role=button[name="Save"]'),
    found("joined blocks", f"<button {HIT}><div>Sign</div><div>up</div></button>", 'role=button[name="Sign up"]'),
    found("a line break", f"<button {HIT}>Log<br>out</button>", 'role=button[name="Log out"]'),
    found("spaces and lines", f"<button {HIT}>\n  Log \n  in\n</button>", 'role=button[name="Log in"]'),
    found("a soft hyphen", f"<button {HIT}>Docu&shy;ment</button>", 'role=button[name="Document"]'),
    found("a zero-width space", f"<a href='#l' {HIT}>Long&#8203;word</a>", 'role=link[name="Longword"]'),
    found(
        "the title of a child", f"<button {HIT}>Go <i role=img title=Undo></i></button>", 'role=button[name="Go Undo"]'
    ),
    found("the label of a child", f"<button {HIT}><i aria-label=Bold>B</i></button>", 'role=button[name="Bold"]'),
    found("a hidden part", f"<button {HIT}>Save<span hidden> twice</span></button>", 'role=button[name="Save"]'),
    found(
        "an invisible part",
        f"<button {HIT}>Save<span style='visibility:hidden'> twice</span></button>",
        'role=button[name="Save"]',
    ),
    found(
        "a part that aria hides", f"<button {HIT}><i aria-hidden=true>x</i>Close</button>", 'role=button[name="Close"]'
    ),
    found(
        "content through a slot",
        f"<x-b {HIT}>Buy</x-b><script>customElements.define('x-b', class extends HTMLElement {{ constructor() "
        f"{{ super();"
        "this.attachShadow({mode: 'open'}).innerHTML = '<button><slot></slot> now</button>' } })</script>",
        'role=button[name="Buy now"]',
    ),
    found(
        "what it owns",
        f"<h2 aria-owns=o {HIT}>Lamps </h2><span id=o>on sale</span>",
        'role=heading[name="Lamps on sale"]',
    ),
    # -- names from elsewhere -----------------------------------------------------------------------
    found("an image button", f"<input type=image alt=Search width=30 height=20 {HIT}>", 'role=button[name="Search"]'),
    found("a reset button", f"<form><input type=reset {HIT}></form>", 'role=button[name="Reset"]'),
    found("a label of spaces", f"<button aria-label='  ' {HIT}>Go</button>", 'role=button[name="Go"]'),
    found(
        "a label that is hidden",
        f"<p id=t hidden>Delete all</p><button aria-labelledby=t {HIT}>x</button>",
        'role=button[name="Delete all"]',
    ),
    found(
        "a label with a hidden part",
        f"<p id=t>Print <span hidden>twice</span></p><button aria-labelledby=t {HIT}>x</button>",
        'role=button[name="Print"]',
    ),
    found(
        "labelled by itself and another",
        f"<button id=b aria-label=Remove aria-labelledby='b f' {HIT}>x</button><p id=f>note.txt</p>",
        'role=button[name="Remove note.txt"]',
    ),
    found("labelled by nothing", f"<button aria-labelledby=gone {HIT}>Go on</button>", 'role=button[name="Go on"]'),
    Behaviour(
        name="a field in the label of another",
        html="<label><input type=checkbox id=c> Flash <input value=3 size=1> times</label>",
        do=(check('role=checkbox[name="Flash 3 times"]'),),
        then={"c.checked": True},
    ),
    Behaviour(
        name="a select in the label of another",
        html="<label for=m>Mail me <select><option>daily<option selected>weekly</select></label><input "
        "type=checkbox id=m>",
        do=(check('role=checkbox[name="Mail me weekly"]'),),
        then={"m.checked": True},
    ),
    Behaviour(
        name="a range in the label of another",
        html="<label for=v>Fade at <input type=range value=40> %</label><input type=checkbox id=v checked>",
        do=(uncheck('role=checkbox[name="Fade at 40 %"]'),),
        then={"v.checked": False},
    ),
    Behaviour(
        name="several labels",
        html="<label for=a>Start</label><label for=a>time</label><input id=a>",
        do=(fill('role=textbox[name="Start time"]', "9"),),
        then={"a.value": "9"},
    ),
    Behaviour(
        name="a placeholder for a name",
        html="<input id=a placeholder='Your city'>",
        do=(fill('role=textbox[name="Your city"]', "Oslo"),),
        then={"a.value": "Oslo"},
    ),
    Behaviour(
        name="a title for a name",
        html="<input id=a title=Nick placeholder=Any>",
        do=(fill('role=textbox[name="Nick"]', "Al"),),
        then={"a.value": "Al"},
    ),
    found(
        "the legend of a group",
        f"<fieldset><legend>Size</legend><button {HIT}>L</button></fieldset><fieldset><button>L</button></fieldset>",
        'role=group[name="Size"] >> role=button',
    ),
    found(
        "the caption of a table",
        f"<table><caption>Prices</caption><tr><td {HIT}>4</table><table><tr><td>4</table>",
        'role=table[name="Prices"] >> role=cell',
    ),
    Behaviour(
        name="a figure with a label",
        html="<figure aria-label=Plan onmouseover=\"log.push('hit')\"><img alt=x width=50 height=50><figcaption>"
        "Plan</figcaption></figure>",
        do=(hover('role=figure[name="Plan"]'),),
        then={"log.includes('hit')": True},
    ),
    # -- matching ------------------------------------------------------------------------------------
    found("a part of a name", f"<button {HIT}>Save as…</button><button>Send</button>", 'role=button[name*="ave"]'),
    found("the whole of a name", f"<button>Save as</button><button {HIT}>Save</button>", 'role=button[name="Save"]'),
    found("a twin that is hidden", f"<button hidden>OK</button><button {HIT}>OK</button>", 'role=button[name="OK"]'),
    found(
        "a twin that aria hides",
        f"<div aria-hidden=true><button {MISS}>OK</button></div><button {HIT}>OK</button>",
        'role=button[name="OK"]',
    ),
    found(
        "mixed by aria",
        f"<div role=checkbox aria-checked=true>A</div><div role=checkbox aria-checked=mixed {HIT}>B</div>",
        "role=checkbox[checked=mixed]",
    ),
    found(
        "mixed by script",
        f"<input type=checkbox checked><input type=checkbox id=m {HIT}><script>m.indeterminate = true</script>",
        "role=checkbox[checked=mixed]",
    ),
    found(
        "pressed in part",
        f"<button aria-pressed=true>A</button><button aria-pressed=mixed {HIT}>B</button>",
        "role=button[pressed=mixed]",
    ),
    found(
        "collapsed", f"<button>A</button><button aria-expanded=false {HIT}>B</button>", "role=button[expanded=false]"
    ),
    only(
        name="the hint names the same role first",
        html="<a href='#'>Sent mail</a><button>Send</button><p>Sent</p>",
        do=(click('role=button[name="Sent"]'),),
        fails=("element_not_found",),
        says=("nearest: button",),
    ),
)
