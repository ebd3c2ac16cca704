"""Pictures of tabs behind others, popups, elements in frames, clips and whole pages: the time, and what the page hears.

A page and its frames count what a picture must not cause: `resize` events, changes of a media query, and new sizes of
an element as high as the window. Chrome resizes a page for what is larger than the view, which only `resize` events can
be kept from. Two popups lie before the first tab, and all pictures are taken in turn.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from typing import Any, NamedTuple

import stillframe
from bench.measure import Table, table
from bench.site import html, serving
from stillframe.api.browser import Browser, Page

ROUNDS = 20
"""Of eleven pictures each."""

COUNT = """<!doctype html><meta charset=utf-8><style>body { margin: 0 } #high { height: 50vh; width: 50vw }</style>
<script>
const told = (what) => top.postMessage(what, '*')
addEventListener('resize', () => told('resize'))
visualViewport.addEventListener('resize', () => told('resize'))
matchMedia('(min-height: 400px)').addEventListener('change', () => told('media query'))
let first = true
addEventListener('load', () => new ResizeObserver(() => { first ? first = false : told('new size') }).observe(high))
if (self === top) { causes = []; addEventListener('message', (event) => causes.push(event.data)) }
</script>"""
FRAME = f"{COUNT}<div id=high></div><b id=inner style='position: absolute; top: 700px; background: lime'>inner</b>"
PAGE = f"""{COUNT}<title>page</title><div id=high></div><button onclick="window.open('/popup')">Open</button>
<div style="height: 5000px; background: linear-gradient(red, blue)"></div>
<iframe id=near src="/frame" style="width: 80%; height: 300px"></iframe>
<iframe id=far src="FAR/frame" style="width: 80%; height: 300px"></iframe><b id=low>low</b>"""
CAUSES = """new Promise((done) => {
    requestAnimationFrame(() => setTimeout(done, 50))
    setTimeout(done, 1500)  // a tab behind others may draw no frame
}).then(() => causes.splice(0))"""


class Picture(NamedTuple):
    """One kind: which tab, and the options of its picture."""

    tab: str
    name: str
    options: dict[str, Any]


PICTURES = [
    Picture("behind", "a tab behind two popups, what is in view", {}),
    Picture("behind", "a tab behind two popups, the whole page", {"full_page": True}),
    Picture("behind", "a tab behind two popups, an element out of view", {"selector": "#low"}),
    Picture("behind", "a tab behind two popups, an element in a frame", {"selector": "frame=#near >> #inner"}),
    Picture(
        "behind", "a tab behind two popups, an element in a frame of another site", {"selector": "frame=#far >> b"}
    ),
    Picture("popup", "a popup behind another one, what is in view", {}),
    Picture("popup", "a popup behind another one, an element", {"selector": "#high"}),
    Picture("front", "the popup in front, the whole page", {"full_page": True}),
    Picture("alone", "a tab of its own, a clip in view", {"clip": (0, 0, 200, 100)}),
    Picture("alone", "a tab of its own, a clip out of view", {"clip": (0, 3000, 200, 100)}),
    Picture("alone", "a tab of its own, a clip larger than the view", {"clip": (0, 100, 700, 2000)}),
]


async def run(rounds: int = ROUNDS) -> list[Table]:
    """Take all pictures so often."""
    times: dict[str, list[float]] = defaultdict(list)
    causes: dict[str, Counter[str]] = defaultdict(Counter)
    routes = {"/frame": html(FRAME), "/popup": html(PAGE.replace("FAR", "")), "/front": html(FRAME)}
    async with serving(routes) as far, stillframe.launch() as browser:
        page = html(PAGE.replace("FAR", f"http://localhost:{far}"))
        async with serving({**routes, "/": page}) as port:
            tabs = await _tabs(browser, f"http://127.0.0.1:{port}/")
            for _ in range(rounds):
                for picture in PICTURES:
                    tab = tabs[picture.tab]
                    await tab.evaluate(CAUSES)
                    began = time.perf_counter()
                    assert await tab.screenshot(timeout_ms=60_000, **picture.options)
                    times[picture.name].append((time.perf_counter() - began) * 1000)
                    causes[picture.name].update(await tab.evaluate(CAUSES))
    notes = {name: _note(times[name], causes[name]) for name in times}
    return [table("a picture", "ms", PICTURES[0].name, times, notes=notes)]


def _note(times: list[float], causes: Counter[str]) -> str:
    slow = sum(each > 1000 for each in times)
    told = ", ".join(f"{count} × {what}" for what, count in sorted(causes.items())) or "none"
    return f"{slow} over 1 s; the page hears of: {told}"


async def _tabs(browser: Browser, url: str) -> dict[str, Page]:
    behind = await browser.new_page(url)
    async with behind.expect_popup() as first:
        await behind.click("button")
    popup = await first
    async with popup.expect_popup() as second:
        await popup.click("button")
    return {"behind": behind, "popup": popup, "front": await second, "alone": await browser.new_page(url)}
