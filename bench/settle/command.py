"""The command line of settlebench: `python -m bench settle …`, and `stillframe bench settle …` in a checkout."""

from __future__ import annotations

import argparse
import asyncio
import fnmatch
import random
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from rich.console import Console

from bench.measure import RESULTS, machine
from bench.settle import rules
from bench.settle.cases import SETS, TruthInvalid, directories, read_cases
from bench.settle.lanes import Case, Lane
from bench.settle.metrics import Sample, Void
from bench.settle.ours import Shared, Stillframe
from bench.settle.report import show, write
from bench.settle.runner import Outcome, run
from bench.settle.server import served

USAGE, FAILED = 2, 1
ROUNDS = 3
WIDTH = 118
"""Columns that the tables need; in a narrower window their lines wrap, which is better than cut figures."""
OUT = RESULTS / "settle"

OWN_PAGES = """\
Your own pages are HTML files that tell their truth and mark their changes:

  <script type="application/json" id="truth">
  {"why": "what is hard about it", "ends_ms": 300, "external_ms": 300, "marks": ["Saved"], "warm_ms": 150,
   "action": {"kind": "click", "selector": "#go"}, "pending": []}
  </script>
  <script src="/settlebench.js"></script>
  <button id="go">Go</button>
  <script>
    go.onclick = async () => settlebench.show(await (await fetch('/slow?ms=300&text=Saved')).text());
  </script>

Only "why" must be there. "marks" are the texts that must be in what a lane hands out; `settlebench.mark(text)` notes
when one is on the page, `settlebench.show(text)` puts it there as well. "ends_ms" is when the last one comes, counted
from the action; "external_ms" the part of it that no page clock can skip (server, sockets, workers, frames).
"pending": what the verdict must name, any one of these. "action" kinds: click, type, key, hover, scroll, navigate.
bench/settle/server.py describes the answers with exact delays (/slow, /stream, /ws, /sse, /push, /redirect, …).
"""

CAUSAL: dict[str, dict[str, Any]] = {
    "stillframe calls": {"observe": "calls"},
    "stillframe dom": {"observe": "dom"},
    "stillframe protocol": {"observe": "protocol"},
    "stillframe virtual": {"settle": "virtual"},
}


def all_lanes() -> list[Lane]:
    """Make every lane there is; nothing is started yet."""
    shared, owned = Shared(), Shared(virtual_time=True)
    ours: list[Lane] = [
        Stillframe(name, owned if options.get("settle") == "virtual" else shared, **options)
        for name, options in CAUSAL.items()
    ]
    return [*ours, *rules.lanes(shared), *_rivals()]


def _rivals() -> list[Lane]:
    try:
        found: list[Lane] = import_module("bench.settle.rivals").rivals()
    except ImportError:
        return []
    return found


def parser() -> argparse.ArgumentParser:
    """Return the parser of the arguments after `settle`."""
    found = argparse.ArgumentParser(
        prog="bench settle",
        description="How soon, and how rightly, each way of waiting notices that a page has settled.",
        epilog=OWN_PAGES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    found.add_argument("--set", default="all", choices=(*SETS, "all"), help="which cases (default: all)")
    found.add_argument("--cases", nargs="+", metavar="CASE", help="only cases of these names; * and ? are wildcards")
    found.add_argument("--lanes", nargs="+", metavar="LANE", help="only these lanes; * and ? are wildcards")
    found.add_argument("--rounds", type=_positive, default=ROUNDS, help=f"runs per lane and case (default: {ROUNDS})")
    found.add_argument("--seed", type=int, help="of the random order; printed, so that a run can be repeated")
    found.add_argument("--pages", type=Path, metavar="DIR", help="your own pages instead of ours: HTML files")
    found.add_argument("--out", type=Path, default=OUT, metavar="DIR", help="where settle.json and the pictures go")
    found.add_argument("--list", action="store_true", help="print the lanes and the cases, and run nothing")
    found.add_argument("-v", "--verbose", action="store_true", help="print every run")
    return found


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is not 1 or more")
    return number


def main(arguments: Sequence[str]) -> int:
    """Run settlebench; returns the exit code: 0, 1 if no run counted, 2 for a mistake in what was asked."""
    options = parser().parse_args(arguments)
    console = Console()
    console.width = max(console.width, WIDTH)
    try:
        cases = _chosen("case", read_cases(options.set, options.pages), options.cases)
        lanes = _chosen("lane", all_lanes(), options.lanes)
    except TruthInvalid as error:
        print(f"settlebench: {error}", file=sys.stderr)
        return USAGE
    if options.list:
        _print_list(console, lanes, cases)
        return 0
    seed = random.SystemRandom().randrange(1_000_000) if options.seed is None else options.seed
    console.print(f"{machine()}\nseed {seed}: {len(cases)} cases × {len(lanes)} lanes × {options.rounds} rounds")
    outcome = asyncio.run(_run(lanes, cases, options, seed, console))
    show(outcome, console)
    for file in write(outcome, options.out):
        console.print(f"written: {file}", highlight=False, soft_wrap=True)
    return 0 if outcome.samples else FAILED


def _chosen(what: str, things: Sequence[Any], patterns: Sequence[str] | None) -> list[Any]:
    if patterns is None:
        return list(things)
    for pattern in patterns:
        if not any(fnmatch.fnmatchcase(thing.name, pattern) for thing in things):
            names = ", ".join(thing.name for thing in things)
            raise TruthInvalid(f"no {what} is called {pattern!r}; known: {names}")
    return [thing for thing in things if any(fnmatch.fnmatchcase(thing.name, pattern) for pattern in patterns)]


def _print_list(console: Console, lanes: Sequence[Lane], cases: Sequence[Case]) -> None:
    for lane in lanes:
        console.print(f"lane {lane.name} ({lane.kind}){f': missing: {lane.missing}' if lane.missing else ''}")
    for case in cases:
        console.print(f"{case.set} {case.name}: {case.why}")


async def _run(
    lanes: Sequence[Lane], cases: Sequence[Case], options: argparse.Namespace, seed: int, console: Console
) -> Outcome:
    with console.status("starting") as status:

        def told(one: Sample | Void, done: int, number: int) -> None:
            status.update(f"{done} of {number} runs")
            if options.verbose:
                console.print(f"{done}/{number} {line(one)}", highlight=False, markup=False, soft_wrap=True)

        async with served(directories(options.pages)) as url:
            return await run(lanes, cases, url, rounds=options.rounds, seed=seed, told=told)


def line(one: Sample | Void) -> str:
    """Return one run in one line."""
    if isinstance(one, Void):
        return f"{one.lane:26} {one.case:24} void: {one.problem}"
    flags = [word for word, holds in (("PREMATURE", one.premature), ("not named", one.unexplained)) if holds]
    flags += [f"missed {', '.join(one.missed)}"] if one.missed else []
    why = f"{one.reason or ''} {'; '.join(one.pending)}".strip()
    figures = f"waited {one.waited_ms:6.0f} excess {one.excess_ms:6.0f}"
    return " ".join([f"{one.lane:26} {one.case:24} {figures}", *flags, why])
