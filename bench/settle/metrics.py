"""What the figures of settlebench mean: pure functions from a run and the page's own marks to figures with intervals.

The oracle is the last mark of the case that lies within the horizon after the action. *Excess* is how long after it the
lane came back; a lane is *premature* if it came back more than a frame before it. The excess figures are those of the
runs that were not premature, so that coming back at once earns nothing; the composite counts each premature run as
5 s. A change is *missed* if its text is not in what the lane hands out, whatever the time.

A lane that owns the page's clock cannot be held against marks of that clock: it is premature if a mark was not made
when it came back, and its excess is the wall time beyond the case's external part.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from bench.settle.lanes import ACTED, HORIZON_MS, Case, Run

FRAME_MS = 17.0
"""The tolerance: one frame of 60 Hz."""
PREMATURE_MS = 5000.0
"""What a premature return costs in the composite."""
Z95 = 1.959964
_T95 = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)
"""Student's t for 95 % and 1 to 10 degrees of freedom; beyond, its expansion around the normal is exact to 0.001."""


class Interval(msgspec.Struct, frozen=True):
    """A figure and its 95 % interval; `low` and `high` are None where there are too few samples for one."""

    value: float
    low: float | None = None
    high: float | None = None


class Sample(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One run, judged; times in milliseconds."""

    lane: str
    case: str
    set: str
    round: int
    waited_ms: float
    """From the action to the return."""
    excess_ms: float
    premature: bool
    missed: tuple[str, ...] = ()
    marks: int = 0
    """How many changes there were to see."""
    capped: bool = False
    unexplained: bool = False
    """Whether the case asks for something to be named and the lane did not name it."""
    reason: str | None = None
    pending: tuple[str, ...] = ()
    sent_bytes: int | None = None
    received_bytes: int | None = None
    messages: int | None = None
    client_cpu_ms: float | None = None
    browser_cpu_ms: float | None = None


class Void(msgspec.Struct, frozen=True, kw_only=True):
    """A run that counts for nothing: the lane broke, or the page never showed what it says it shows."""

    lane: str
    case: str
    round: int
    problem: str


# -- one run ---------------------------------------------------------------------------------------


def acted_at(run: Run, marks: Mapping[str, float]) -> float:
    """Return the moment of the action: as the page saw it, or as near as the lane can tell."""
    return marks.get(ACTED, run.input_at if run.input_at is not None else run.acted_at)


def final_at(case: Case, acted: float, marks: Mapping[str, float]) -> float:
    """Return the oracle's moment: the last mark within the horizon, or the action's if nothing counts."""
    return max([acted, *(marks[name] for name in case.marks if name in marks and marks[name] <= acted + HORIZON_MS)])


def judge(case: Case, run: Run, marks: Mapping[str, float], *, page_clock: bool = False) -> tuple[float, float, bool]:
    """Return how long the lane waited, its excess, and whether it was premature."""
    if page_clock:
        acted = run.input_at if run.input_at is not None else run.acted_at
        waited = run.returned_at - acted
        return waited, waited - case.external_ms, any(name not in marks for name in case.marks)
    acted = acted_at(run, marks)
    excess = run.returned_at - final_at(case, acted, marks)
    return run.returned_at - acted, excess, excess < -FRAME_MS


def sample(
    case: Case, run: Run, marks: Mapping[str, float], *, lane: str, round: int, page_clock: bool = False
) -> Sample:
    """Judge a run."""
    waited, excess, premature = judge(case, run, marks, page_clock=page_clock)
    told = " ".join([run.reason or "", *run.pending, *run.ignored])
    return Sample(
        lane=lane,
        case=case.name,
        set=case.set,
        round=round,
        waited_ms=_tenth(waited),
        excess_ms=_tenth(excess),
        premature=premature,
        missed=tuple(text for text in case.marks if text not in run.seen),
        marks=len(case.marks),
        capped=run.capped,
        unexplained=bool(case.pending) and not any(text in told for text in case.pending),
        reason=run.reason,
        pending=tuple(run.pending),
        sent_bytes=run.sent_bytes,
        received_bytes=run.received_bytes,
        messages=run.messages,
        client_cpu_ms=run.client_cpu_ms,
        browser_cpu_ms=run.browser_cpu_ms,
    )


def _tenth(value: float) -> float:
    """Round to a tenth of a millisecond."""
    return round(value, 1)


# -- intervals -------------------------------------------------------------------------------------


def student(freedom: int) -> float:
    """Return the 97.5 % quantile of Student's t."""
    if freedom <= len(_T95):
        return _T95[freedom - 1]
    z = Z95
    first = (z**3 + z) / (4 * freedom)
    second = (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3)
    return z + first + second + third


def mean(values: Sequence[float]) -> Interval:
    """Return the mean and its t interval."""
    return stratified_mean([values])


def stratified_mean(strata: Iterable[Sequence[float]]) -> Interval:
    """Return the mean of the strata's means, and its interval over repeats.

    The cases are what they are, not drawn at random: only what varies within a case makes the figure uncertain.
    """
    groups = [values for values in strata if values]
    if not groups:
        return Interval(math.nan)
    value = statistics.fmean(statistics.fmean(values) for values in groups)
    freedom = sum(len(values) - 1 for values in groups)
    if not freedom:
        return Interval(value)
    # A case with one sample has the spread that the others have on average.
    pooled = sum((len(v) - 1) * statistics.variance(v) for v in groups if len(v) > 1) / freedom
    spreads = (statistics.variance(v) if len(v) > 1 else pooled for v in groups)
    variance = sum(spread / len(v) for spread, v in zip(spreads, groups, strict=True)) / len(groups) ** 2
    half = student(freedom) * math.sqrt(variance)
    return Interval(value, value - half, value + half)


def quantile(values: Sequence[float], share: float) -> Interval:
    """Return a quantile by nearest rank, and the interval between the order statistics that hold it in 95 %."""
    ordered = sorted(values)
    number = len(ordered)
    if not number:
        return Interval(math.nan)
    value = ordered[max(0, math.ceil(share * number) - 1)]
    half = Z95 * math.sqrt(number * share * (1 - share))
    low, high = math.floor(number * share - half), math.ceil(number * share + half)
    if low < 1 or high > number:
        return Interval(value)
    return Interval(value, ordered[low - 1], ordered[high - 1])


def rate(hits: int, number: int) -> Interval:
    """Return a share and its Wilson interval, which has a width even where there was no hit."""
    if not number:
        return Interval(math.nan)
    share = hits / number
    scale = 1 + Z95**2 / number
    centre = (share + Z95**2 / (2 * number)) / scale
    half = Z95 * math.sqrt(share * (1 - share) / number + Z95**2 / (4 * number**2)) / scale
    return Interval(share, max(0.0, centre - half), min(1.0, centre + half))


# -- many runs -------------------------------------------------------------------------------------


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of one lane over some cases; milliseconds, kilobytes, rates from 0 to 1."""

    lane: str
    runs: int
    premature: Interval
    premature_runs: int
    premature_cases: tuple[str, ...]
    missed: Interval
    """The share of the changes that were not in what the lane handed out."""
    missed_cases: tuple[str, ...]
    unexplained_cases: tuple[str, ...]
    excess_mean: Interval
    excess_p50: Interval
    excess_p95: Interval
    excess_max: float
    capped: Interval
    kilobytes: float | None
    messages: float | None
    client_cpu_ms: float | None
    browser_cpu_ms: float | None
    composite: float


def summarise(lane: str, samples: Sequence[Sample]) -> Summary:
    """Return the figures of a lane's samples."""
    by_case = grouped(samples)
    in_time = [one for one in samples if not one.premature]
    excess = [one.excess_ms for one in in_time]
    premature = sum(one.premature for one in samples)
    return Summary(
        lane=lane,
        runs=len(samples),
        premature=rate(premature, len(samples)),
        premature_runs=premature,
        premature_cases=_cases(one for one in samples if one.premature),
        missed=rate(sum(len(one.missed) for one in samples), sum(one.marks for one in samples)),
        missed_cases=_cases(one for one in samples if one.missed),
        unexplained_cases=_cases(one for one in samples if one.unexplained),
        excess_mean=stratified_mean([one.excess_ms for one in group] for group in grouped(in_time).values()),
        excess_p50=quantile(excess, 0.5),
        excess_p95=quantile(excess, 0.95),
        excess_max=max(excess, default=math.nan),
        capped=rate(sum(one.capped for one in samples), len(samples)),
        kilobytes=_kilobytes(samples),
        messages=_known(one.messages for one in samples),
        client_cpu_ms=_known(one.client_cpu_ms for one in samples),
        browser_cpu_ms=_known(one.browser_cpu_ms for one in samples),
        composite=statistics.fmean(statistics.fmean(map(_cost, group)) for group in by_case.values()),
    )


def grouped(samples: Iterable[Sample]) -> dict[str, list[Sample]]:
    """Return the samples by case."""
    groups: dict[str, list[Sample]] = {}
    for one in samples:
        groups.setdefault(f"{one.set}/{one.case}", []).append(one)
    return groups


def _cost(one: Sample) -> float:
    return max(one.excess_ms, 0.0) + PREMATURE_MS * one.premature


def _cases(samples: Iterable[Sample]) -> tuple[str, ...]:
    return tuple(sorted({one.case for one in samples}))


def _known(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.fmean(known) if known else None


def _kilobytes(samples: Iterable[Sample]) -> float | None:
    total = _known((one.sent_bytes or 0) + one.received_bytes for one in samples if one.received_bytes is not None)
    return None if total is None else total / 1000
