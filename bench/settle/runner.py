"""Runs lanes over cases, interleaved and in random order, and judges every run."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from bench.settle.lanes import Case, Lane, Run
from bench.settle.metrics import Sample, Void, sample

RUN_TIMEOUT = 90.0
"""Seconds after which a lane's run is given up; the slowest rule's cap is 30 s."""
GRACE_MS = 3000.0
"""How much later than designed a page's last change may come on a machine that is busy."""
SLACK_MS = 100.0
"""How long after its designed end a page's marks are first read; server and timers are a few milliseconds late."""
BEFORE_INPUT_MS = 300.0
"""What other programs do before their click arrives took up to 0.2 s on a quiet machine (measured)."""
LOOK_SECONDS = 0.03
"""How often the marks are read while the page has not made all of them."""

Told = Callable[[Sample | Void, int, int], None]
"""Called after every run with its outcome, how many are done, and how many there are."""


class Outcome(msgspec.Struct, frozen=True):
    """What a benchmark run has found."""

    seed: int
    rounds: int
    cases: list[Case]
    lanes: list[str]
    missing: dict[str, str]
    samples: list[Sample]
    voids: list[Void]
    notes: dict[str, str] = {}
    """The version of what a lane runs, by lane, where it has one."""


async def run(
    lanes: Sequence[Lane],
    cases: Sequence[Case],
    base_url: str,
    *,
    rounds: int,
    seed: int,
    told: Told = lambda *_: None,
) -> Outcome:
    """Run every lane over every case, `rounds` times; lanes that are missing or cannot start are listed, not run."""
    started: list[Lane] = []
    missing: dict[str, str] = {}
    try:
        for lane in lanes:
            if lane.missing is None:
                started.append(lane)
                await lane.start()
            if lane.missing is not None:
                missing[lane.name] = lane.missing
        running = [lane for lane in started if lane.missing is None]
        samples, voids = await _rounds(running, cases, base_url, rounds, seed, told)
    finally:
        for lane in started:
            await lane.stop()
    names = [lane.name for lane in running]
    notes = {lane.name: version for lane in running if (version := getattr(lane, "version", None))}
    return Outcome(seed, rounds, list(cases), names, missing, samples, voids, notes)


def order(lanes: int, cases: int, rounds: int, seed: int) -> list[tuple[int, int, int]]:
    """Return (round, case, lane) for every run: cases in random order in each round, lanes shuffled for each case.

    The lanes meet a case one right after the other, so that a machine whose load drifts treats all alike.
    """
    chance = random.Random(seed)
    runs = []
    for round in range(rounds):
        for case in chance.sample(range(cases), cases):
            runs += [(round, case, lane) for lane in chance.sample(range(lanes), lanes)]
    return runs


async def _rounds(
    lanes: Sequence[Lane], cases: Sequence[Case], base_url: str, rounds: int, seed: int, told: Told
) -> tuple[list[Sample], list[Void]]:
    samples: list[Sample] = []
    voids: list[Void] = []
    runs = order(len(lanes), len(cases), rounds, seed)
    for done, (round, case, lane) in enumerate(runs, 1):
        outcome = await one_run(lanes[lane], cases[case], base_url + cases[case].page, round)
        (samples if isinstance(outcome, Sample) else voids).append(outcome)  # type: ignore[arg-type]
        told(outcome, done, len(runs))
    return samples, voids


async def one_run(lane: Lane, case: Case, url: str, round: int) -> Sample | Void:
    """Run one lane on one case and judge it; a lane that breaks makes a void run, never an end of the benchmark."""
    page_clock = getattr(lane, "page_clock", False)
    try:
        async with asyncio.timeout(RUN_TIMEOUT):
            run = await lane.run(case, url)
            marks = await lane.marks() if page_clock else await _final_marks(lane, case, run)
    except Exception as error:
        return Void(lane=lane.name, case=case.name, round=round, problem=f"{type(error).__name__}: {error}"[:300])
    finally:
        await _leave(lane)
    if not page_clock and (never := [name for name in case.marks if name not in marks]):
        problem = f"the page never showed {', '.join(map(repr, never))}"
        return Void(lane=lane.name, case=case.name, round=round, problem=problem)
    return sample(case, run, marks, lane=lane.name, round=round, page_clock=page_clock)


async def _final_marks(lane: Lane, case: Case, run: Run) -> dict[str, float]:
    """Read the marks once the case has had its time, and go on reading while some are not made.

    A lane may answer only once for a run, so the first reading comes when all should be there; one that cannot tell
    when it sent the input is given time for what it does before.
    """
    acted = run.input_at if run.input_at is not None else run.acted_at + BEFORE_INPUT_MS
    ends = acted + case.ends_ms + SLACK_MS
    await asyncio.sleep(max(ends - _now(), 0.0) / 1000)
    while True:
        marks = await lane.marks()
        if all(name in marks for name in case.marks) or _now() > ends + GRACE_MS:
            return marks
        await asyncio.sleep(LOOK_SECONDS)


def _now() -> float:
    return time.time() * 1000


async def _leave(lane: Lane) -> None:
    leave: Any = getattr(lane, "leave", None)
    if leave is not None:
        await leave()
