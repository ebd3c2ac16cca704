"""What observing calls costs: a call with the hooks on, switched off, taken away and never there; and installing them.

A sample is the mean of `CALLS` calls of setTimeout (or of postMessage) in a page, each answered by the native: the
ids prove it. Hooks are installed once per process, when its first document begins; another document of that process
has only a state of its own to make.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable

import stillframe
from bench.measure import Table, interleaved, table
from bench.wire import Wire
from stillframe.cdp_types import debugger
from stillframe.model.options import Observe, parse_options
from stillframe.page.browser import Browser
from stillframe.page.page import Page

CALLS = 500
ROUNDS = 7
BLANK = "data:text/html,<title>hooks</title>"
FRAMES = 10
MEASURE = f"""(async () => {{
  await new Promise((done) => setTimeout(done, 5));
  const ids = [], start = performance.now();
  for (let n = 0; n < {CALLS}; n++) ids.push(setTimeout(() => 0, 1000));
  const taken = performance.now() - start;
  ids.forEach(clearTimeout);
  return [taken * 1000 / {CALLS}, ids.every((id, n) => id === ids[0] + n)];
}})()"""
FRAME = f"""(async () => {{
  const start = performance.now();
  const frames = Array.from({{length: {FRAMES}}}, () => document.body.appendChild(document.createElement("iframe")));
  frames.forEach((frame) => frame.contentWindow.length);
  const taken = performance.now() - start;
  frames.forEach((frame) => frame.remove());
  return taken / {FRAMES};
}})()"""

Sample = Callable[[], Awaitable[float]]


async def _call(page: Page) -> float:
    taken, right = await page.evaluate(MEASURE)
    assert right, "the natives must have answered"
    return float(taken)


async def _hooked(page: Page) -> float:
    # Arming switches hooks on again that a loop has made the engine switch off.
    async with page.settling.armed(parse_options({"observe": "calls"})):
        return await _call(page)


async def _switched_off(page: Page) -> float:
    await page.session.send(debugger.SetBreakpointsActive(active=False))
    try:
        return await _call(page)
    finally:
        await page.session.send(debugger.SetBreakpointsActive(active=True))


async def _removed(page: Page) -> float:
    async with page.settling.armed(parse_options({"observe": "dom"})):
        taken = await _call(page)
    async with page.settling.armed(parse_options({"observe": "calls"})):
        return taken


async def _calls(browser: Browser, rounds: int) -> Table:
    async with await browser.new_context(observe="dom") as plain, await browser.new_context(observe="calls") as hooked:
        never, page = await plain.new_page(BLANK), await hooked.new_page(BLANK)
        samples = await interleaved(
            {
                "never installed": lambda: _call(never),
                "removed": lambda: _removed(page),
                "switched off": lambda: _switched_off(page),
                "installed": lambda: _hooked(page),
            },
            rounds,
        )
    return table("time of one setTimeout call", "us", "never installed", samples)


async def _open(browser: Browser, observe: Observe) -> tuple[float, float]:
    """Open a page in a process of its own; return milliseconds and kilobytes."""
    with Wire(browser.connection) as wire:
        start = time.perf_counter()
        async with await browser.new_context(observe=observe) as context, await context.new_page(BLANK) as page:
            taken = (time.perf_counter() - start) * 1000
            assert page.settling.hooks.installed == (observe == "calls")
            size = wire.size / 1000
    return taken, size


async def _installation(browser: Browser, rounds: int) -> list[Table]:
    opened: dict[str, list[tuple[float, float]]] = {"dom": [], "calls": []}
    for _ in range(rounds):
        opened["dom"].append(await _open(browser, "dom"))
        opened["calls"].append(await _open(browser, "calls"))
    return [
        table("a page opened in a new process", "ms", "dom", {k: [ms for ms, _ in v] for k, v in opened.items()}),
        table("the same on the wire", "kB", "dom", {k: [kb for _, kb in v] for k, v in opened.items()}),
        await _documents(browser, rounds),
    ]


async def _documents(browser: Browser, rounds: int) -> Table:
    async with await browser.new_context(observe="dom") as plain, await browser.new_context(observe="calls") as hooked:
        pages = {"dom": await plain.new_page(BLANK), "calls": await hooked.new_page(BLANK)}

        def sampler(page: Page) -> Sample:
            async def sample() -> float:
                return float(await page.evaluate(FRAME))

            return sample

        samples = await interleaved({name: sampler(page) for name, page in pages.items()}, rounds)
    return table("one more document in a process that is hooked", "ms", "dom", samples)


async def run(rounds: int = ROUNDS) -> list[Table]:
    """Measure calls and installation in one browser."""
    async with stillframe.launch(sandbox=False) as browser:
        return [await _calls(browser, rounds), *await _installation(browser, rounds)]
