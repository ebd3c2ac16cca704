"""One action with its answer in hand, beside Playwright told what to wait for: five actions on four sizes of page.

stillframe gets the action alone, finds out by itself when the page is still, and answers with what changed. Playwright
gets the action, what the page will show when it is done, and a look at the page after it: an aria snapshot, or the
inner text of the body. Without such a look its user does not know what changed. Each has a browser of its own, of the
same Chromium; turns alternate in random order, and every answer is checked for what the action shows.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, NamedTuple

from aiohttp import web

import stillframe
from bench.commands import installed
from bench.doing import Do, click, fill, navigate
from bench.measure import Table, interleaved, table
from bench.site import serving, slow

ROUNDS = 9
SIZES = {"0": 0, "1k": 1_000, "5k": 5_000, "20k": 20_000}
REPLY_MS = 100
PATIENCE_MS = 60_000
"""For Playwright on a busy machine; its own 5 s do not do there for 20,000 elements."""
OURS = "stillframe"
LOOKS = {"Playwright told what to wait for + aria snapshot": "aria_snapshot", "… + inner text": "inner_text"}
BASELINE = next(iter(LOOKS))
ROW = "<tr><td>{0}</td><td><a href=#{0}>Item number {0}</a></td><td class=note>text {0}</td></tr>"
ELEMENTS_OF_A_ROW = 5
PAGE = """<!doctype html><title>actions</title><h1 id=turn>turn {turn}</h1>
<button id=click>Click</button><p id=clicked></p>
<button id=fetch>Fetch</button><p id=fetched></p>
<input id=set aria-label=Text><p id=seen></p>
<form id=form><input id=name aria-label=Name><input id=mail aria-label=Mail><button id=send>Send</button></form>
<p id=sent></p>
<table>{rows}</table>
<script>
const by = (id) => document.getElementById(id);
let clicks = 0, fetches = 0;
by("click").onclick = () => {{ by("clicked").textContent = `clicked ${{++clicks}}`; }};
by("fetch").onclick = async () => {{
  await (await fetch("/slow?ms={reply}")).text();
  by("fetched").textContent = `fetched ${{++fetches}}`;
}};
by("set").oninput = () => {{ by("seen").textContent = `seen ${{by("set").value}}`; }};
by("form").onsubmit = (event) => {{
  event.preventDefault();
  by("sent").textContent = `sent ${{by("name").value}} at ${{by("mail").value}}`;
}};
</script>"""

Sampler = Callable[[], Awaitable[float]]


class Case(NamedTuple):
    """What is done in turn `n`, and what the page shows then: where, and which text."""

    actions: Callable[[int, str], list[Do]]
    shown: str
    text: Callable[[int], str]
    note: str = ""


CASES = {
    "click": Case(lambda _n, _url: [click("#click")], "#clicked", lambda n: f"clicked {n}"),
    "fetch": Case(lambda _n, _url: [click("#fetch")], "#fetched", lambda n: f"fetched {n}", f"reply {REPLY_MS} ms"),
    "set": Case(lambda n, _url: [fill("#set", f"v{n}")], "#seen", lambda n: f"seen v{n}"),
    "form": Case(
        lambda n, _url: [fill("#name", f"a{n}"), fill("#mail", f"b{n}"), click("#send")],
        "#sent",
        lambda n: f"sent a{n} at b{n}",
    ),
    "navigate": Case(lambda n, url: [navigate(f"{url}&turn={n}")], "#turn", lambda n: f"turn {n}"),
}


async def answer(request: web.Request) -> web.Response:
    """`?elements=1000&turn=3`: a page with a table of that many elements."""
    count = int(request.query["elements"]) // ELEMENTS_OF_A_ROW
    rows = "".join(ROW.format(number) for number in range(count))
    body = PAGE.format(turn=request.query.get("turn", 0), rows=rows, reply=REPLY_MS)
    return web.Response(text=body, content_type="text/html")


def sampler(case: Case, url: str, act: Callable[[list[Do], str, str], Awaitable[str]]) -> Sampler:
    """Return what does a case once more, checks the answer, and tells how many milliseconds that took."""
    turn = 0

    async def sample() -> float:
        nonlocal turn
        turn += 1
        actions, text = case.actions(turn, url), case.text(turn)
        began = time.perf_counter()
        told = await act(actions, case.shown, text)
        elapsed = (time.perf_counter() - began) * 1000
        assert text in told, (text, told[:500])
        return elapsed

    return sample


@asynccontextmanager
async def ours(url: str) -> AsyncIterator[Callable[[list[Do], str, str], Awaitable[str]]]:
    """`execute_sequence` as it is by default."""
    async with stillframe.launch() as browser:
        page = await browser.new_page(url)

        async def act(actions: list[Do], _shown: str, _text: str) -> str:
            result = await page.execute_sequence(actions)
            assert result.stable, result.outcome
            assert result.completed == len(actions), result.failed
            return result.to_json().decode()

        yield act


@asynccontextmanager
async def playwright(url: str, look: str) -> AsyncIterator[Callable[[list[Do], str, str], Awaitable[str]]]:
    """The same actions, the assertion that its documentation recommends, and a look at the page."""
    module = importlib.import_module("playwright.async_api")
    found = stillframe.chrome.find_executable()
    async with module.async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=found.path, args=["--no-sandbox"])
        page = await browser.new_page()
        await page.goto(url)

        async def act(actions: list[Do], shown: str, text: str) -> str:
            for action in actions:
                await _played(page, action)
            await module.expect(page.locator(shown)).to_have_text(text, timeout=PATIENCE_MS)
            told: str = await getattr(page.locator("body"), look)()
            return told

        yield act
        await browser.close()


async def _played(page: Any, action: Do) -> None:
    match action["action"]:
        case "click_element":
            await page.click(action["selector"])
        case "set_value":
            await page.fill(action["selector"], action["value"])
        case "navigate":
            await page.goto(action["url"])


async def run(*, rounds: int = ROUNDS) -> list[Table]:
    """Measure every action on every size; without Playwright ours alone."""
    missing = {} if installed("playwright") else {"Playwright": "pip install playwright"}
    tables = []
    async with serving({"/page": answer, "/slow": slow}) as port:
        for size, elements in SIZES.items():
            url = f"http://127.0.0.1:{port}/page?elements={elements}"
            async with AsyncExitStack() as stack:
                acting = {OURS: await stack.enter_async_context(ours(url))}
                for name, look in {} if missing else LOOKS.items():
                    acting[name] = await stack.enter_async_context(playwright(url, look))
                for kind, case in CASES.items():
                    contestants = {name: sampler(case, url, act) for name, act in acting.items()}
                    for warm_up in contestants.values():
                        await warm_up()
                    question = f"{kind} on a page of {size} elements, with the answer in hand"
                    samples = await interleaved(contestants, rounds)
                    notes = {OURS: case.note}
                    tables.append(table(question, "ms", BASELINE, samples, missing=missing, notes=notes))
    return tables
