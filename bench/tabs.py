"""Many tabs settle at once: how long all of them take together, and how far behind its own page each verdict is.

In every tab a click fetches something that takes 300 ms and then shows it; all tabs but one are in the background. The
oracle is the page's own mark of that moment. Two cores have to render all of them, so what 32 tabs take beyond one is
what the machine takes, as long as no tab is much later than the others (`high`).
"""

from __future__ import annotations

import asyncio
import time

import stillframe
from bench.measure import Table, table
from bench.site import html, serving, slow
from stillframe.model.options import SequenceOptions
from stillframe.page.page import Page

ROUNDS = 5
TABS = (1, 8, 32)
HOST = "http://tab{}.localhost:{}/"
"""Chrome makes six requests to one host at a time, so each tab has a host of its own."""
OPTIONS = SequenceOptions(timeout_ms=60_000, horizon_ms=20_000)
BODY = """<!doctype html><title>tab</title><button id=go>Go</button><p id=out></p>
<script>
go.onclick = async () => { await fetch("/slow?ms=300"); out.textContent = "done"; shown = Date.now() };
</script>"""


async def click(page: Page) -> float:
    """Click, settle, and return how many milliseconds after the page's mark the verdict came."""
    async with page.settling.armed(OPTIONS) as settling:
        await page.evaluate("go.click()")
        verdict = await settling.verdict()
    returned = time.time() * 1000
    assert verdict.reason == "quiet", verdict
    excess = returned - await page.evaluate("shown")
    assert excess > 0, "premature"
    return float(excess)


async def run(*, rounds: int = ROUNDS) -> list[Table]:
    """Measure 1, 8 and 32 tabs of one browser."""
    walls: dict[str, list[float]] = {}
    excesses: dict[str, list[float]] = {}
    async with serving({"/": html(BODY), "/slow": slow}) as port, stillframe.launch() as browser:
        for number in TABS:
            async with await browser.new_context() as context:
                pages = [await context.new_page(HOST.format(tab, port)) for tab in range(number)]
                name = f"{number} tab{'s' if number > 1 else ''}"
                for _ in range(rounds):
                    began = time.perf_counter()
                    excess = await asyncio.gather(*(click(page) for page in pages))
                    walls.setdefault(name, []).append((time.perf_counter() - began) * 1000)
                    excesses.setdefault(name, []).extend(excess)
    return [
        table("all tabs clicked and settled, wall time", "ms", "1 tab", walls),
        table("a tab's verdict after the page's own mark", "ms", "1 tab", excesses),
    ]
