"""Scripts written for Playwright: run with it, and with stillframe after a change of their import lines and launch.

Each script is a file of its own in `scripts`, as a user of Playwright writes it. Both libraries start a browser of
their own, of the same Chromium, against one server. `answers.json` has what Playwright comes to.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from pathlib import Path
from typing import Any, NamedTuple

from bench.farm.lanes.order import CHROME_ARGS
from bench.measure import Table, table
from bench.ported.site import serving
from stillframe.chrome.executable import find_executable

SCRIPTS = Path(__file__).parent / "scripts"
ANSWERS = Path(__file__).parent / "answers.json"
NAMES = tuple(sorted(path.stem for path in SCRIPTS.glob("*.py")))
ROUNDS = 3
SCRIPT_S = 60.0
"""Seconds that a script may take."""
LAUNCH = re.compile(
    r"( *)async with async_playwright\(\) as p:\n +browser = await p\.chromium\.launch\((?P<options>.*?)\)\n"
)
IMPORT = re.compile(r"from playwright\.async_api import (?P<names>.*)\n")
DIFFERENCES = {
    "p.devices": "stillframe.devices",
    "wait_until=": "until=",
    "timeout=": "timeout_ms=",
    ".is_navigation_request()": ".is_navigation_request",
    "(error.message)": "(error.message.partition(': ')[2])",
}
"""What else a script must change; docs/how-to/from-playwright.md names each."""


class Outcome(NamedTuple):
    """What a script came to: its answer, or the error."""

    answer: Any
    error: str | None
    ms: float


class Judged(NamedTuple):
    """A run of a script: how long it took, and what is wrong with it."""

    name: str
    ms: float
    fault: str | None


def for_stillframe(source: str) -> str:
    """Return a script for stillframe: other import lines, and another launch."""
    (names,) = IMPORT.findall(source)
    wanted = [name for name in names.split(", ") if name not in ("async_playwright", "expect")]
    lines = ["import stillframe"]
    if wanted:
        lines.append(f"from stillframe import {', '.join(wanted)}")
    if "expect" in names.split(", "):
        lines.append("from stillframe.testing import expect")
    source = IMPORT.sub("\n".join(lines) + "\n", source)
    source = LAUNCH.sub(r"\1async with stillframe.launch(\g<options>) as browser:\n", source)
    for theirs, ours in DIFFERENCES.items():
        source = source.replace(theirs, ours)
    return source


def for_playwright(source: str) -> str:
    """Return a script for Playwright with the Chromium of this machine, which runs under root and off the network."""
    options = f"executable_path={find_executable().path!r}, args={['--no-sandbox', *CHROME_ARGS]!r}, "
    return source.replace("p.chromium.launch(", f"p.chromium.launch({options}")


OURS, THEIRS = "stillframe", "Playwright"
MADE = {OURS: for_stillframe, THEIRS: for_playwright}
"""What each library runs of a script."""


async def outcome(name: str, library: str, url: str) -> Outcome:
    """Run a script and return what it comes to."""
    source = MADE[library]((SCRIPTS / f"{name}.py").read_text())
    found: dict[str, Any] = {}
    answer, error, began = None, None, time.perf_counter()
    try:
        exec(compile(source, f"{name} with {library}", "exec"), found)  # only the scripts of this package
        async with asyncio.timeout(SCRIPT_S):
            answer = json.loads(json.dumps(await found["main"](url)))
    except Exception as raised:
        error = f"{type(raised).__name__}: {raised}"
    return Outcome(answer, error, (time.perf_counter() - began) * 1000)


def fault(found: Outcome, right: Any) -> str | None:
    """Return what is wrong with an outcome; None if it is right."""
    if found.error is not None:
        return found.error
    return None if found.answer == right else f"{found.answer} instead of {right}"


async def run(*, rounds: int = ROUNDS) -> list[Table]:
    """Run all scripts with both libraries in turn."""
    found: dict[str, list[Judged]] = {library: [] for library in MADE}
    answers = json.loads(ANSWERS.read_text())
    async with serving() as url:
        for _ in range(rounds):
            for name in NAMES:
                for library, judged in found.items():
                    came = await outcome(name, library, url)
                    judged.append(Judged(name, came.ms, fault(came, answers[name])))
    return tables(found)


def tables(found: dict[str, list[Judged]]) -> list[Table]:
    """Return the times of the scripts, the share that is right, and what is wrong."""
    wrong = {library: {each.name: each.fault for each in judged if each.fault} for library, judged in found.items()}
    scripts = {library: len({each.name for each in judged}) for library, judged in found.items()}
    shares = {library: f"{scripts[library] - len(wrong[library])} of {scripts[library]} right" for library in found}
    faults = {f"{name} with {library}": text for library, each in wrong.items() for name, text in each.items()}
    ms = {library: [each.ms for each in judged] for library, judged in found.items()}
    return [
        table("a script written for Playwright, launch included", "ms", THEIRS, ms, notes=shares),
        table("scripts that go wrong", "faults", "", {name: [1.0] for name in faults}, notes=faults),
    ]
