"""Text as a person reads it, and a ref for whatever a person can reach."""

from __future__ import annotations

from typing import Any

from bench.behaviours.case import Behaviour, only
from bench.doing import click

LISTEN = "document.querySelector('{}').addEventListener('click', (e) => log.push(e.target.id || e.target.textContent))"


def text(name: str, html: str, **row: Any) -> Behaviour:
    """A row that is read and not acted on."""
    return only(name=name, html=html, **row)


ROWS = (
    text("a space between inline elements", "<p><i>Due</i> <em>today</em>", shows=("Due today",), hides=("Duetoday",)),
    text("no space where there is none", "<p>H<sub>2</sub>O", shows=("H2O",)),
    text("a space before a link", "<p>See <a href='#'>the terms</a> first", hides=("Seethe", "termsfirst")),
    text("a line break separates", "<p>5 Main Street<br>Oslo", hides=("StreetOslo",), shows=("5 Main Street", "Oslo")),
    text("blocks separate", "<div><div>Anna</div><div>Berg</div></div>", hides=("AnnaBerg",)),
    text("cells separate", "<table><tr><td>17</td><td>42</td></tr></table>", hides=("1742",), shows=("17", "42")),
    text("items of a list separate", "<ul><li>Tea</li><li>Milk</li></ul>", hides=("TeaMilk",), shows=("Tea", "Milk")),
    text(
        "inline blocks separate",
        "<p>" + "".join(f"<b style='display:inline-block'>{n}</b>" for n in ("one", "two")),
        hides=("onetwo",),
    ),
    text(
        "preformatted lines",
        "<pre>first\n  second</pre>",
        hides=("first second", "firstsecond"),
        shows=("first", "second"),
    ),
    text(
        "separators of punctuation",
        "<p><a href='#a'>One</a> | <a href='#b'>Two</a> · <a href='#c'>Three</a> /",
        hides=("|", "·"),
        shows=("One", "Two", "Three"),
    ),
    text(
        "a placeholder beside a name",
        "<label>City <input placeholder='e.g. Oslo'></label>",
        shows=("e.g. Oslo",),
        refs=("City",),
    ),
    text(
        "a name of a wrapper, once",
        "<ul><li><span><a href='#d'>Manuals</a></span></li></ul>",
        refs=("Manuals",),
        hides=("Manuals Manuals",),
    ),
    text("a focusable element", "<span tabindex=0 aria-label=Knob></span>", refs=("Knob",)),
    text(
        "an item of a list that listens",
        f"<ul id=l><li>Red</li><li>Blue</li></ul><script>{LISTEN.format('#l')}</script>",
        refs=("Red", "Blue"),
    ),
    text(
        "an item of a menu of divs",
        f"<div id=m><div>Copy</div><div>Paste</div></div><script>{LISTEN.format('#m')}</script>",
        refs=("Copy",),
    ),
    text("a pointing cursor", "<div style='cursor:pointer'>Open the map</div>", refs=("Open the map",)),
    text("a grabbing cursor", "<div style='cursor:grab;width:40px;height:20px'>Card</div>", refs=("Card",)),
    text("a moving cursor", "<div style='cursor:move'>Window title</div>", refs=("Window title",)),
    text(
        "a resizing cursor",
        "<div id=splitter style='cursor:col-resize;width:6px;height:80px'></div>",
        refs=("splitter",),
    ),
    text(
        "a shape that listens",
        "<svg width=90 height=90><circle id=dot cx=40 cy=40 r=30 onclick=\"log.push('dot')\"/></svg>",
        refs=("dot",),
    ),
    text("a whole value", f"<textarea id=t>{'word ' * 120}END</textarea>", scope="#t", shows=("END",)),
    text("the spaces of a value", "<input id=t value='a   b'>", scope="#t", shows=("a   b",)),
    text("a control without a name, by id", "<input id=quantity>", shows=("quantity",), refs=("quantity",)),
    text("a control without a name, by class", "<button class=icon-trash></button>", refs=("icon-trash",)),
    text(
        "a control without a name, by picture",
        "<a href='#x'><img src='/img/cart.png' width=20 height=20></a>",
        refs=("cart",),
    ),
    text("a file input", "<label>Photo <input type=file></label>", refs=("Photo",)),
    text(
        "what is hidden",
        "<p hidden>secret</p><p style='visibility:hidden'>veiled</p><p>plain</p>",
        hides=("secret", "veiled"),
        shows=("plain",),
    ),
    text("generated content", "<style>.p::after{content:' kr'}</style><p class=p>30</p>", shows=("30 kr",)),
    text(
        "a table's words in order",
        "<table><tr><th>Name<th>Age<tr><td>Ann<td>31</table>",
        shows=("Name", "Age", "Ann", "31"),
    ),
    only(
        name="a role found is the role read",
        html="<div role=BUTTON tabindex=0 onclick=\"this.textContent = 'Gone'\">Go away</div>",
        do=(click('role=button[name="Go away"]'),),
        told={"stateChange.changed.0.role": "button"},
        shows=('button "Gone"',),
    ),
)
