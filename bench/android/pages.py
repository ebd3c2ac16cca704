"""The pages that the WebViews and tabs show."""

from __future__ import annotations

from bench.site import Handler, html

PRODUCTS = 40
LARGE_ROWS = 3_000
"""Rows with which a DOM snapshot of the large page has 2 MB."""
TEXT_BYTES = 2_000_000
LAST_ROW = f"Row {LARGE_ROWS - 1} of the list"

_PRODUCT = "<li><a href='#{0}'>Product {0}</a> <span>{0} in stock</span> <button>Buy</button></li>"
SMALL = f"""<!doctype html><meta name=viewport content="width=device-width"><title>small</title>
<h1>Shop</h1><button id=go>Go</button><p id=said>not tapped</p>
<ul>{"".join(_PRODUCT.format(number) for number in range(PRODUCTS))}</ul>
<script>let taps = 0; go.onclick = () => {{ said.textContent = `tapped ${{++taps}} times` }}</script>"""

_ROW = "<tr id=r{0}><td>Row {0} of the list</td><td class=price>{0}.99</td><td><a href='#{0}'>more</a></td></tr>"
LARGE = f"""<!doctype html><meta name=viewport content="width=device-width"><title>large</title>
<table>{"".join(_ROW.format(number) for number in range(LARGE_ROWS))}</table>
<script>const text = "x".repeat({TEXT_BYTES})</script>"""

ROUTES: dict[str, Handler] = {"/small": html(SMALL), "/large": html(LARGE)}
