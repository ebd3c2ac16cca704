"""The texts of ten real pages beside Playwright's aria snapshot and a picture of what a person sees.

Each page is a state of an application of bench/apps, brought there by stillframe; Playwright's own script makes its
snapshot in the very same page. Everything goes into a folder (bench/results/reading) with an `index.html` that has all
three side by side, to be read by a person: figures tell how long a text is, not what it lacks. `page.aria_snapshot()`
is taken whole, without a budget, since Playwright's has none; bench/text.py tells what a text costs.
"""

from __future__ import annotations

import html
import json
import shutil
from pathlib import Path
from typing import NamedTuple

import stillframe
from bench.apps.catalogue import APPS, App, State
from bench.apps.visits import opened, reach
from bench.injected import injected_script
from bench.measure import RESULTS, Table, table
from bench.pages import NO_INTERNET
from stillframe.api.browser import Browser, Page
from stillframe.tab.reading.aria_snapshot import BUDGET, MAX_BUDGET

OUT = RESULTS / "reading"
PAGES = (
    ("django-admin", "products"),
    ("django-admin", "product"),
    ("jupyterlab", "notebook"),
    ("streamlit", "page"),
    ("gradio", "page"),
    ("nicegui", "page"),
    ("datasette", "table"),
    ("swagger-ui", "operation open"),
    ("tabulator", "filter list"),
    ("ant-design", "city open"),
    ("mui", "page"),
    ("shoelace", "page"),
    ("sb-admin", "alerts open"),
)
"""More than ten: one that does not come up leaves enough."""
OURS, OURS_CUT = "page.aria_snapshot()", f"page.aria_snapshot(), {BUDGET} characters"
ARIA, AI = "Playwright, aria snapshot", "Playwright, aria snapshot with refs"
MODES = {ARIA: "default", AI: "ai"}


class Read(NamedTuple):
    """One page as everyone reads it."""

    title: str
    texts: dict[str, str]
    picture: bytes


async def run(*, rounds: int = len(PAGES)) -> list[Table]:
    """Read the first `rounds` pages."""
    read = []
    async with stillframe.launch(args=NO_INTERNET) as browser:
        for name, state in PAGES[:rounds]:
            what = next(each for each in APPS if each.name == name)
            read.append(await _read(browser, what, state))
    write(read, OUT)
    return [_table(read)]


async def _read(browser: Browser, what: App, state: str) -> Read:
    async with opened(browser, what) as (origin, page):
        for each in way(what, state):
            await reach(page, origin, each)
        picture = await page.screenshot()
        return Read(f"{what.name}, {state}", await _texts(page), picture)


def way(what: App, state: str) -> list[State]:
    """Return the states to go through, from the last page load before it: logging in included."""
    names = [each.name for each in what.states]
    at = names.index(state)
    first = max(number for number in range(at + 1) if what.states[number].path is not None)
    signed_in = [each for each in what.states[:first] if each.signs_in]
    return [*signed_in, *what.states[first : at + 1]]


async def _texts(page: Page) -> dict[str, str]:
    texts = {
        OURS: (await page.aria_snapshot(budget=MAX_BUDGET)).text,
        OURS_CUT: (await page.aria_snapshot(budget=BUDGET)).text,
    }
    made = injected_script()
    for name, mode in MODES.items() if made else ():
        options = json.dumps({"mode": mode})
        texts[name] = await page.evaluate(f"({made}).ariaSnapshot(document.body, {options})")
    return texts


def write(read: list[Read], folder: Path) -> None:
    """Write pictures, texts and an index."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    parts = []
    for number, each in enumerate(read):
        name = f"{number:02}-{each.title.replace(', ', '-').replace(' ', '-')}"
        (folder / f"{name}.png").write_bytes(each.picture)
        for who, text in each.texts.items():
            (folder / f"{name}-{_slug(who)}.txt").write_text(text)
        columns = "".join(
            f"<td><b>{html.escape(who)}</b>: {len(text)} characters<pre>{html.escape(text)}</pre>"
            for who, text in each.texts.items()
            if who != OURS_CUT
        )
        parts.append(f"<h2>{html.escape(each.title)}</h2><img src={name}.png width=1280><table><tr>{columns}</table>")
    style = "<style>td{vertical-align:top} pre{font-size:11px;max-width:60em;white-space:pre-wrap}</style>"
    (folder / "index.html").write_text(f"<!doctype html><meta charset=utf-8>{style}{''.join(parts)}")


def _slug(name: str) -> str:
    return "-".join("".join(char if char.isalnum() else " " for char in name).split()).lower()


def _table(read: list[Read]) -> Table:
    samples = {who: [float(len(each.texts[who])) for each in read] for who in read[0].texts}
    notes = {who: ", ".join(f"{len(each.texts[who])}" for each in read) for who in samples}
    missing = {} if ARIA in samples else {ARIA: "make bench, with npm"}
    pages = "; ".join(each.title for each in read)
    return table(
        f"the text of {len(read)} real pages: {pages}", "characters", ARIA, samples, notes=notes, missing=missing
    )
