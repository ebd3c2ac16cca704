"""The same lines of Python with Playwright and with stillframe: what each comes to, in one run.

A row is what a user of Playwright writes, word for word, and what its last line must come to. Both get a context and a
page of their own in a browser of their own, of the same Chromium. Rows that Playwright itself does wrong here count for
neither.
"""

from __future__ import annotations

import asyncio
import importlib
import re
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import stillframe
from bench.lines import acting, asserting, code, contexts, happening, locating, network, reading
from bench.lines.case import RAISES, Case, program
from bench.lines.site import Site, serving
from bench.measure import Table, table
from stillframe.chrome.executable import find_executable
from stillframe.testing import expect

AREAS: dict[str, Sequence[Case]] = {
    "code on the page": code.ROWS,
    "locators": locating.ROWS,
    "reads": reading.ROWS,
    "actions": acting.ROWS,
    "assertions": asserting.ROWS,
    "waits and events": happening.ROWS,
    "the network": network.ROWS,
    "contexts": contexts.ROWS,
}
OURS, THEIRS = "stillframe", "Playwright"
ROUNDS = 1
LIMIT_MS = 2_000
"""What waits for an element or an assertion here; a row that must raise takes as long."""
ROW_S = 20.0
MISTAKES = (AttributeError, TypeError, NameError, NotImplementedError)
"""Errors that say that a library lacks what the lines use; no row may come to one."""


class Contestant(NamedTuple):
    """A library with its browser; `within` sets how long a page waits."""

    name: str
    browser: Any
    expect: Any


class Outcome(NamedTuple):
    """What a row came to."""

    fault: str | None
    ms: float


async def run(*, rounds: int = ROUNDS) -> list[Table]:
    """Run all rows in both."""
    found = await judged([case for cases in AREAS.values() for case in cases], rounds)
    return list(tables(found))


async def judged(cases: Sequence[Case], rounds: int) -> dict[str, dict[str, list[Outcome]]]:
    """Return the outcomes of each contestant by row."""
    found: dict[str, dict[str, list[Outcome]]] = {}
    async with serving() as site, _contestants() as contestants:
        for _ in range(rounds):
            for case in cases:
                for each in contestants:
                    outcome = await _outcome(each, case, site)
                    found.setdefault(each.name, {}).setdefault(case.name, []).append(outcome)
    return found


async def _outcome(contestant: Contestant, case: Case, site: Site) -> Outcome:
    site.html = case.html
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="bench-lines-") as folder:
        context = await contestant.browser.new_context()
        try:
            page = await context.new_page()
            page.set_default_timeout(LIMIT_MS)
            await page.goto(f"{site.url}/page")
            began = time.monotonic()
            value = await asyncio.wait_for(
                program(case.code)(
                    page=page,
                    context=context,
                    browser=contestant.browser,
                    expect=contestant.expect,
                    site=site.url,
                    re=re,
                    asyncio=asyncio,
                    Path=Path,
                    folder=Path(folder),
                ),
                ROW_S,
            )
            fault = None if like(value, case.gives) else f"came to {value!r}, not {case.gives!r}"
        except MISTAKES as error:
            fault = f"{type(error).__name__}: {error}"
        except Exception as error:  # whatever a library raises is what the row came to
            fault = None if case.gives == RAISES else f"{type(error).__name__}: {error}"
        ms = (time.monotonic() - began) * 1000
        with suppress(Exception):
            await context.close()
    return Outcome(fault, ms)


def like(value: Any, gives: Any) -> bool:
    """Return whether a value is the expected one; a tuple is a list."""
    if isinstance(value, list | tuple) and isinstance(gives, list | tuple):
        return len(value) == len(gives) and all(like(one, other) for one, other in zip(value, gives, strict=True))
    return bool(gives != RAISES and value == gives)


@asynccontextmanager
async def _contestants() -> AsyncIterator[list[Contestant]]:
    async with AsyncExitStack() as stack:
        expect.set_options(timeout_ms=LIMIT_MS)
        stack.callback(expect.set_options)
        browser = await stack.enter_async_context(stillframe.launch())
        found = [Contestant(OURS, browser, expect)]
        with suppress(ImportError):  # the tables say that it is missing
            found.append(await stack.enter_async_context(_playwright()))
        yield found


@asynccontextmanager
async def _playwright() -> AsyncIterator[Contestant]:
    theirs = importlib.import_module("playwright.async_api")
    async with theirs.async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=find_executable().path, args=["--no-sandbox"], chromium_sandbox=False
        )
        theirs.expect.set_options(timeout=LIMIT_MS)
        try:
            yield Contestant(THEIRS, browser, theirs.expect)
        finally:
            await browser.close()


# -- tables ----------------------------------------------------------------------------------------


def tables(found: dict[str, dict[str, list[Outcome]]]) -> list[Table]:
    """Return the shares, the times and the rows that are wrong."""
    theirs = found.get(THEIRS, found[OURS])
    can = [case.name for cases in AREAS.values() for case in cases if _is_right(theirs[case.name])]
    shares = {name: _right(outcomes, can) for name, outcomes in found.items()}
    by_area = {
        area: _right(found[OURS], [case.name for case in cases if case.name in can]) for area, cases in AREAS.items()
    }
    both = [name for name in can if _is_right(found[OURS][name])]
    ms = {name: [outcomes[row][0].ms for row in both] for name, outcomes in found.items()}
    missing = {} if THEIRS in found else {THEIRS: "make bench"}
    return [
        _percent(f"the same lines, right: {len(can)} rows that Playwright does right", shares, missing),
        _percent("stillframe by area", by_area, {}),
        table(
            f"a row, {len(both)} that both do right", "ms", THEIRS, ms, notes={OURS: "actions wait for a still page"}
        ),
        *(_wrong(name, outcomes) for name, outcomes in found.items()),
    ]


def _is_right(outcomes: Sequence[Outcome]) -> bool:
    return all(outcome.fault is None for outcome in outcomes)


def _right(outcomes: dict[str, list[Outcome]], rows: Sequence[str]) -> tuple[int, int]:
    return sum(_is_right(outcomes[row]) for row in rows), len(rows)


def _percent(question: str, shares: dict[str, tuple[int, int]], missing: dict[str, str]) -> Table:
    samples = {name: [100 * right / of] for name, (right, of) in shares.items() if of}
    notes = {name: f"{right} of {of}" for name, (right, of) in shares.items()}
    return table(question, "%", THEIRS, samples, notes=notes, missing=missing)


def _wrong(name: str, outcomes: dict[str, list[Outcome]]) -> Table:
    faults = {row: each.fault for row, all_of in outcomes.items() for each in all_of if each.fault}
    samples = {row: [1.0] for row in faults}
    notes = {row: fault[:200] for row, fault in faults.items()}
    return table(f"{name}: rows that are wrong", "faults", "", samples, notes=notes)
