"""Record what the figures show: each function runs stillframe on a page, and returns plain values for `data.json`."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import stillframe
from stillframe import Browser, Click, MaskLearner, Page, Secret, SetValue
from stillframe.demo import Shop
from stillframe.demo.scenes import WATCH_CLOCK
from stillframe.trace.reading import read_trace
from stillframe.trace.timeline import timeline

if TYPE_CHECKING:
    from stillframe.trace.spans import Span, Timeline

PROBES = 7
BARE_TIMER = """<title>A bare timer</title><button onclick="setTimeout(() => result.append('saved'), 700)">Save</button>
<p id=result></p>"""
LIST = """<title>Refs</title><main><h1>Lamps</h1><ul id=list></ul></main><script>
const draw = names => list.innerHTML = names.map(name => `<li>${name} <button>Remove</button></li>`).join("");
draw(["Ember", "Tide", "Moth"])</script>"""


def rounded(value: float) -> float:
    return round(value, 1)


def span(each: Span, base: float) -> dict[str, Any]:
    label = each.label.replace("http://", "").partition("/")[2] if "http://" in each.label else ""
    text = f"{each.label.partition('http://')[0]}/{label}" if label else each.label
    return {"lane": each.lane, "begin": rounded(each.begin - base), "end": rounded(each.end - base), "label": text}


async def traced(page: Page, act: Callable[[], Awaitable[object]]) -> Timeline:
    """Return what a trace of an act shows."""
    with tempfile.TemporaryDirectory() as folder:
        async with page.trace(Path(folder, "figure.trace.jsonl")) as trace:
            await act()
        return timeline(read_trace(trace.path))


async def still(browser: Browser, shop: Shop) -> dict[str, Any]:
    """A login: what it starts, when each part ends, and when two rules return."""
    actions = [SetValue("#user", "ann"), SetValue("#pass", Secret("lantern")), Click("#submit")]
    async with await browser.new_page(shop.url("/login"), settle=True) as page:
        shown = await traced(page, lambda: page.execute_sequence(actions))
    async with await browser.new_page(shop.url("/login"), settle=True) as page:
        quiet = await page.execute_sequence(actions, settle="quiet")
    sequence = shown.sequences[0]
    base = sequence.actions[-1].begin
    spans = [span(each, base) for each in shown.spans if each.end >= base and each.lane != "calls"]
    verdict = next(each for each in spans if each["lane"] == "verdicts")
    return {"spans": spans, "verdict": verdict["end"], "quiet": rounded(verdict["begin"] + quiet.stability_wait_ms)}


async def noise(browser: Browser, shop: Shop) -> dict[str, Any]:
    """A form on a page with a clock: the ticks of the clock, and what the click causes."""
    async with await browser.new_page(shop.url("/join")) as page:
        await page.evaluate(WATCH_CLOCK)
        await page.evaluate(
            """window.seen = []; new MutationObserver(changes => changes.forEach(change => seen.push(
                [performance.now(), change.target.id || change.target.className]))).observe(document, {subtree: true,
                childList: true, attributes: true, attributeFilter: ["class"]}); window.begun = performance.now()"""
        )
        await page.evaluate("new Promise(resolve => setTimeout(resolve, 600))")
        clicked = await page.evaluate("performance.now() - begun")
        result = await page.execute_sequence([SetValue("#email", "ann"), Click("#join")])
        verdict = await page.evaluate("performance.now() - begun")
        await page.evaluate("new Promise(resolve => setTimeout(resolve, 400))")
        seen = await page.evaluate("seen.map(([at, what]) => [at - begun, what])")
    assert result.state_change is not None
    rows = [row.selector for row in (*result.state_change.appeared, *result.state_change.changed)]
    return {
        "changes": [[rounded(at), what] for at, what in seen if what],
        "clicked": rounded(clicked),
        "verdict": rounded(verdict),
        "rows": rows,
        "ignored": [[each.key, rounded(each.rate)] for each in result.ignored],
    }


async def tiers(browser: Browser, _shop: Shop) -> dict[str, Any]:
    """A timer of 700 ms at each level: when the verdict comes, and whether the delta has the change."""
    found: dict[str, Any] = {}
    for level in ("protocol", "dom", "calls"):
        async with await browser.new_context(observe=level) as context:
            page = await context.new_page("data:text/html," + quote(BARE_TIMER), settle=True)
            begun = time.perf_counter()
            result = await page.click("button")
            took = rounded((time.perf_counter() - begun) * 1000)
            found[level] = {"verdict": took, "reason": result.reason, "seen": result.state_change is not None}
    return found


async def clock(shop: Shop) -> dict[str, Any]:
    """Wall time and page time at the moments before and after each call, in ms since the first one."""
    points: list[list[Any]] = []

    async def mark(page: Page, name: str) -> None:
        points.append([name, time.perf_counter() * 1000, await page.evaluate("performance.now()")])

    async with stillframe.launch(virtual_time=True) as browser:
        page = await browser.new_page(shop.url("/login"))
        await page.execute_sequence([SetValue("#user", "ann")], settle="virtual")
        await mark(page, "begin")
        await page.execute_sequence([SetValue("#pass", Secret("lantern")), Click("#submit")], settle="virtual")
        await mark(page, "login")
        await think(400)
        await mark(page, "thought")
        await page.evaluate(
            "{ let left = 10; const next = () => left-- && setTimeout(next, 300); document.body.onclick = next; }"
        )
        await page.execute_sequence([Click("#welcome")], settle="virtual", horizon_ms=4_000)
        await mark(page, "timers")
        await think(300)
        await mark(page, "end")
    _, wall, at = points[0]
    return {"points": [[name, rounded(w - wall), rounded(p - at)] for name, w, p in points]}


async def think(ms: float) -> None:
    """Let wall time pass, as a model that thinks does."""
    await asyncio.sleep(ms / 1000)


async def refs(browser: Browser, _shop: Shop) -> dict[str, Any]:
    """A list that is drawn again, in another order and without one item: what becomes of the refs of its buttons."""
    async with await browser.new_page("data:text/html," + quote(LIST), settle=True) as page:
        before = await buttons(page)
        await page.evaluate("draw(['Moth', 'Ember', 'Beacon'])")
        became: dict[str, Any] = {}
        for ref in before:
            result = await page.hover(f"ref={ref}", action_timeout_ms=300, check=False)
            healed = next(iter(result.healed), None)
            became[ref] = [healed.new_ref, round(healed.score, 2)] if healed else None
        after = await buttons(page)
    return {"before": before, "after": after, "became": became}


async def buttons(page: Page) -> dict[str, str]:
    """Return the items of the list, by the refs of their buttons."""
    lines = iter((await page.aria_snapshot()).text.splitlines())
    found: dict[str, str] = {}
    for line in lines:
        if "listitem" in line:
            found[next(lines).partition("[ref=")[2].rstrip("]")] = line.split('"')[1]
    return found


async def deltas(browser: Browser, shop: Shop) -> dict[str, Any]:
    """A form with a mistake: the page as text before and after, and the rows of the delta."""
    async with await browser.new_page(shop.url("/join"), settle=True) as page:
        await page.evaluate(WATCH_CLOCK)
        scope = "#join-form"
        before = (await page.aria_snapshot(scope=scope)).text
        result = await page.execute_sequence([SetValue("#email", "ann"), Click("#join")])
        after = (await page.aria_snapshot(scope=scope)).text
        count = await page.evaluate("document.querySelectorAll('*').length")
    assert result.state_change is not None
    rows = [["appeared", row.selector, row.text] for row in result.state_change.appeared]
    rows += [[row.field, row.selector, f'"{row.from_ or ""}" → "{row.to}"'] for row in result.state_change.changed]
    return {"before": before.splitlines(), "after": after.splitlines(), "rows": rows, "elements": count}


async def identity(browser: Browser, shop: Shop) -> dict[str, Any]:
    """Hashes of a page with a clock, probe by probe, and after a click that changes the page."""
    rows: dict[str, list[str]] = {"exact": [], "visible": [], "masked": []}
    async with await browser.new_page(shop.url("/shop"), settle=True) as page:
        learner = MaskLearner()
        for probe in range(PROBES + 1):
            if probe == PROBES:
                await page.click("#add-ember")
            snapshot = await page.snapshot(fresh=True)
            if probe < PROBES:
                learner.observe(snapshot)
            rows["exact"].append(snapshot.digests.exact.hex()[:6])
            rows["visible"].append(snapshot.digests.visible.hex()[:6])
            masked = snapshot.masked_digests(learner.masks)
            rows["masked"].append(masked.visible.hex()[:6])
            await page.evaluate("new Promise(resolve => setTimeout(resolve, 150))")
    return {"rows": rows, "masks": [[mask.selector, mask.level, mask.why] for mask in masked.masks]}


async def everything() -> dict[str, Any]:
    async with Shop() as shop, stillframe.launch() as browser:
        recorded: dict[str, Any] = {"browser": browser.info.product}
        for record in (still, noise, tiers, refs, deltas, identity):
            recorded[record.__name__] = await record(browser, shop)
        recorded["clock"] = await clock(shop)
    return recorded
