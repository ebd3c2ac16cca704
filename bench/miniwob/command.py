"""The command `python -m bench miniwob [TASK …]`: run the policies, and print what they solve and what that costs."""

from __future__ import annotations

import argparse
import asyncio
import fnmatch
import os
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.console import Console
from rich.table import Table as Grid

import stillframe
from bench.measure import machine, tree_cpu
from bench.miniwob import playwright_side, site
from bench.miniwob.episode import Policy
from bench.miniwob.harness import Outcome, Table
from bench.miniwob.policies import policies
from stillframe.model.bounds import short

USAGE, FAILED = 2, 1
SEEDS = 20
SHARE = 0.95
"""A task is solved if its policy solves at least this share of the seeds."""
WIDTH = 140
"""Columns of the table; in a narrower window its lines wrap."""


def parser() -> argparse.ArgumentParser:
    """Return the parser of the arguments after `miniwob`."""
    found = argparse.ArgumentParser(prog="bench miniwob", description="MiniWoB++ by rules, without a model.")
    found.add_argument("tasks", nargs="*", metavar="TASK", help="only these tasks; * and ? are wildcards")
    found.add_argument("--seeds", type=int, default=SEEDS, help=f"episodes per task (default: {SEEDS})")
    found.add_argument("--first", type=int, default=1, metavar="SEED", help="the first seed (default: 1)")
    found.add_argument("--jobs", type=int, default=1, help="browsers that run side by side (default: 1)")
    found.add_argument("--single", action="store_true", help="no batching: each action is a call of its own")
    found.add_argument("--beside", action="store_true", help="ten tasks with and without batching, and with Playwright")
    found.add_argument("--list", action="store_true", help="print the tasks, those without a policy in brackets")
    return found


def main(arguments: Sequence[str]) -> int:
    """Run the tasks; returns the exit code: 0, 1 without the pages of MiniWoB++, 2 for a mistake in what was asked."""
    options = parser().parse_args(arguments)
    try:
        names = site.tasks()
    except site.NotInstalled as error:
        print(f"miniwob: {error}", file=sys.stderr)
        return FAILED
    if problem := _problem(options, names):
        print(f"miniwob: {problem}", file=sys.stderr)
        return USAGE
    wanted = [name for name in names if any(fnmatch.fnmatch(name, each) for each in options.tasks or ["*"])]
    if options.list:
        known = policies()
        print("\n".join(name if name in known else f"({name})" for name in wanted))
    else:
        _run(wanted, options)
    return 0


def _problem(options: argparse.Namespace, names: Sequence[str]) -> str:
    if min(options.seeds, options.jobs) < 1:
        return "--seeds and --jobs are 1 or more"
    unknown = [each for each in options.tasks if not fnmatch.filter(names, each)]
    return f"no task is named {', '.join(unknown)}; --list prints all" if unknown else ""


def _run(wanted: list[str], options: argparse.Namespace) -> None:
    console = Console()
    console.width = max(console.width, WIDTH)
    console.print(machine())
    known = policies()
    seeds = range(options.first, options.first + options.seeds)
    if options.beside:
        playwright_side.show(console, asyncio.run(playwright_side.compare(known, seeds)))
        return
    work = Work([name for name in wanted if name in known], known, seeds, batch=not options.single)
    asyncio.run(run(work, options.jobs))
    report(console, wanted, work)


@dataclass
class Work:
    """What there is to do, and its outcome."""

    waiting: list[str]
    known: dict[str, Policy]
    seeds: range
    batch: bool = True
    outcomes: list[Outcome] = field(default_factory=list)
    seconds: float = 0.0
    """The wall time of all, browsers included."""
    cpu: dict[int, float] = field(default_factory=dict)
    """The time on cores by process, in seconds: of this one and of the browsers, as last seen."""


async def run(work: Work, jobs: int = 1) -> None:
    """Run all tasks, in as many browsers as there are jobs."""
    started = time.perf_counter()
    async with site.serving() as origin, asyncio.TaskGroup() as group:
        for _ in range(min(jobs, len(work.waiting))):
            group.create_task(_work(work, origin))
    work.seconds = time.perf_counter() - started


async def _work(work: Work, origin: str) -> None:
    async with stillframe.launch(window_size=site.SMALL.window) as browser:
        while work.waiting:
            task = work.waiting.pop(0)
            async with await browser.new_context() as context:
                table = Table(await context.new_page(), task, origin, work.batch)
                done = [await table.run(work.known[task], seed) for seed in work.seeds]
                work.cpu |= tree_cpu(os.getpid())  # before the renderer of the page ends
            work.outcomes += done
            _tell(task, done)


def _tell(task: str, outcomes: list[Outcome]) -> None:
    solved = sum(outcome.solved for outcome in outcomes)
    print(f"{task}: {solved} of {len(outcomes)}", file=sys.stderr, flush=True)
    for outcome in outcomes:
        if not outcome.solved:
            why = short(outcome.problem or "the policy returned", 300)
            print(f"  seed {outcome.seed}: reward {outcome.reward:.2f}; {why}", file=sys.stderr, flush=True)


def report(console: Console, names: list[str], work: Work) -> None:
    """Print a row per task, and the last line `miniwob: N of M tasks`."""
    grid = Grid("task", "solved", "reward", "s", "calls", "unbatched", "first problem")
    counted = 0
    for name in names:
        own = [outcome for outcome in work.outcomes if outcome.task == name]
        counted += is_solved(own)
        grid.add_row(name, *(_row(own) if own else ["no policy"]))
    console.print(grid)
    console.print(_summary(work))
    print(f"miniwob: {counted} of {len(names)} tasks")


def _summary(work: Work) -> str:
    """Return the figures of all episodes in words."""
    episodes = len(work.outcomes)
    if not episodes:
        return "no episodes: none of the tasks has a policy"
    on_cores = sum(work.cpu.values())
    calls = statistics.mean(outcome.calls for outcome in work.outcomes)
    single = statistics.mean(outcome.single for outcome in work.outcomes)
    return (
        f"{episodes} episodes in {work.seconds:.0f} s: {episodes / work.seconds:.1f} a second; "
        f"{episodes / on_cores:.1f} a second and core ({on_cores:.0f} s on cores, browsers included)\n"
        f"round trips per episode: {calls:.1f} with batching, {single:.1f} if each action were a call of its own"
    )


def is_solved(outcomes: list[Outcome]) -> bool:
    """Return whether enough episodes of a task were solved; a task without any is not."""
    return bool(outcomes) and sum(outcome.solved for outcome in outcomes) >= SHARE * len(outcomes)


def _row(own: list[Outcome]) -> list[str]:
    problem = next((f"{o.seed}: {o.problem or o.reward}" for o in own if not o.solved), "")
    return [
        f"{sum(outcome.solved for outcome in own)}/{len(own)}",
        f"{statistics.mean(outcome.reward for outcome in own):.2f}",
        f"{statistics.mean(outcome.seconds for outcome in own):.2f}",
        f"{statistics.mean(outcome.calls for outcome in own):.1f}",
        f"{statistics.mean(outcome.single for outcome in own):.1f}",
        short(" ".join(problem.split()), 60),
    ]
