"""How well loops are told apart from honest repeats, compared with the rules that two agents have for that.

Traces are made by behaviour (see going_round, at_work): an agent acts on a made-up page (see worlds), and what every
detector can see of it is kept: roles and names, node numbers that change when elements render again, the text of the
page with all that moves on it, and captures. The core digests those under masks that it learns, as on a live page.
Ours does not get the noise that settling would know.

Half of the traces are written, every family twice; the other half is drawn by hypothesis with a seed, from the same
families. The rules and thresholds of stillframe were fixed before there was a trace, but for two things that writing
the families taught: numbers in an alert do not count, and drawings are looked at. The seed of the drawn half was first
used when those stood.

A detector says "loop" if it speaks at all: a warning counts. "Calls" are those performed when it spoke.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import NamedTuple

from bench.duplicates.score import Score, score
from bench.loops.detectors import DETECTORS, Detector
from bench.loops.generate import drawn, written
from bench.loops.traces import Trace
from bench.measure import Row, Table

OURS = "stillframe"
SEED = 20261122
EACH = 2
"""Traces drawn of each family: as many as are written."""


class Judged(NamedTuple):
    """How one detector did on some traces."""

    score: Score
    calls: dict[int, int]
    """By the number of each true loop that was found: how many calls had been performed."""
    wrong: list[str]
    """The families it was wrong about, with how often."""


def run(rounds: int = EACH) -> list[Table]:
    """Judge all traces by all detectors; `rounds` is how many traces are drawn of each family."""
    halves = {"written": written(), "drawn": drawn(SEED, rounds)}
    halves["all"] = halves["written"] + halves["drawn"]
    tables = []
    for half, traces in halves.items():
        judged = {name: judge(detector, traces) for name, detector in DETECTORS.items()}
        tables.append(_scores(half, traces, judged))
        if half == "all":
            tables.append(_calls(judged))
    return tables


def judge(detector: Detector, traces: Sequence[Trace]) -> Judged:
    """Let a detector judge traces."""
    said = [detector(trace) for trace in traces]
    answers = [(calls is not None, trace.is_loop) for calls, trace in zip(said, traces, strict=True)]
    found = {n: calls for n, calls in enumerate(said) if calls is not None and traces[n].is_loop}
    wrong = [trace.family for (spoke, is_loop), trace in zip(answers, traces, strict=True) if spoke != is_loop]
    counted = [f"{family} ({wrong.count(family)})" for family in dict.fromkeys(wrong)]
    return Judged(score(answers), found, counted)


def _scores(half: str, traces: Sequence[Trace], judged: dict[str, Judged]) -> Table:
    loops = sum(trace.is_loop for trace in traces)
    rows = []
    for name, each in judged.items():
        f1 = each.score.f1
        note = f"{each.score}; wrong about {len(each.wrong)} families"
        if name == OURS and each.wrong:
            note = f"{each.score}; wrong about {', '.join(each.wrong)}"
        rows.append(Row(name=name, median=f1, low=f1, high=f1, samples=len(traces), note=note))
    question = f"Is it a loop? {half}: {loops} true loops, {len(traces) - loops} honest repeats"
    return _against_ours(Table(question=question, unit="F1", baseline=OURS, rows=rows))


def _calls(judged: dict[str, Judged]) -> Table:
    by_all = set.intersection(*(set(each.calls) for each in judged.values()))
    rows = []
    for name, each in judged.items():
        low, middle, high = (how(each.calls.values()) for how in (min, statistics.median, max))
        shared = statistics.median(each.calls[number] for number in by_all)
        note = f"{shared:g} on the {len(by_all)} that all of them noticed"
        rows.append(Row(name=name, median=middle, low=low, high=high, samples=len(each.calls), note=note))
    question = "How many calls of a true loop were performed before it was noticed"
    return _against_ours(Table(question=question, unit="calls", baseline=OURS, rows=rows))


def _against_ours(table: Table) -> Table:
    base = table.row(OURS)
    for row in table.rows:
        row.ratio = row.median / base.median if base and base.median else None
    return table
