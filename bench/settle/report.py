"""What a benchmark run leaves behind: tables for people, a JSON file with every sample, and pictures."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
from rich.console import Console
from rich.table import Table

from bench.measure import machine
from bench.settle.metrics import Interval, Sample, Summary, Void, summarise
from bench.settle.picture import picture
from bench.settle.runner import Outcome

CLICK13 = "click-then-look"
NAMED = 6
"""How many cases a table names before it counts the rest."""


def groups(outcome: Outcome) -> dict[str, list[Sample]]:
    """Return the samples by set, and those of the 13 click-then-look pages once more."""
    found: dict[str, list[Sample]] = {}
    for one in outcome.samples:
        found.setdefault(one.set, []).append(one)
    looked = {case.name for case in outcome.cases if case.click13}
    if some := [one for one in outcome.samples if one.case in looked]:
        found[CLICK13] = some
    return found


def summaries(samples: Sequence[Sample], lanes: Iterable[str]) -> list[Summary]:
    """Return each lane's figures, the best composite first."""
    by_lane = {lane: [one for one in samples if one.lane == lane] for lane in lanes}
    found = [summarise(lane, own) for lane, own in by_lane.items() if own]
    return sorted(found, key=lambda summary: summary.composite)


# -- tables ----------------------------------------------------------------------------------------


def show(outcome: Outcome, console: Console) -> None:
    """Print a table per set, what failed, and what could not be run."""
    for name, samples in groups(outcome).items():
        cases = len({one.case for one in samples})
        console.print(_figures(f"{name}: {cases} cases, excess in ms", summaries(samples, outcome.lanes)))
    console.print(_costs(summaries(outcome.samples, outcome.lanes)))
    console.print(_failures(outcome))
    for lane, why in outcome.missing.items():
        console.print(f"[yellow]missing[/] {lane}: {why}", highlight=False, soft_wrap=True)
    for line in void_lines(outcome.voids):
        console.print(line, highlight=False, markup=False, soft_wrap=True)
    console.print(f"seed {outcome.seed}, {outcome.rounds} rounds, {len(outcome.samples)} runs", highlight=False)


def _figures(title: str, rows: Sequence[Summary]) -> Table:
    table = _table(title, ("premature", "missed", "mean ± 95 %", "p50", "p95", "max", "capped", "composite"))
    for row in rows:
        table.add_row(
            row.lane,
            f"{row.premature_runs}/{row.runs}" if row.premature_runs else "0",
            _percent(row.missed),
            _with_half(row.excess_mean),
            *(_number(value) for value in (row.excess_p50.value, row.excess_p95.value, row.excess_max)),
            _percent(row.capped),
            _number(row.composite),
        )
    return table


def _costs(rows: Sequence[Summary]) -> Table:
    headings = ("kB on the wire", "messages", "client CPU ms", "browser CPU ms")
    table = _table("what a wait costs, action included, looks at the page left out", headings)
    for row in rows:
        figures = (row.messages, row.client_cpu_ms, row.browser_cpu_ms)
        table.add_row(row.lane, _number(row.kilobytes, 1), *(_number(value) for value in figures))
    return table


def _table(title: str, headings: Sequence[str]) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column("lane", no_wrap=True)
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def _failures(outcome: Outcome) -> Table:
    table = Table(title="where each lane fails", title_justify="left")
    for heading in ("lane", "premature", "missed", "not named"):
        table.add_column(heading, overflow="fold")
    for row in summaries(outcome.samples, outcome.lanes):
        lists = (row.premature_cases, row.missed_cases, row.unexplained_cases)
        table.add_row(row.lane, *(_named(cases) for cases in lists))
    return table


def void_lines(voids: Sequence[Void]) -> list[str]:
    """Return a line for each lane, case and problem, with how often it happened."""
    counts: dict[tuple[str, str, str], int] = {}
    for void in voids:
        key = (void.lane, void.case, void.problem)
        counts[key] = counts.get(key, 0) + 1
    return [f"void: {lane} on {case}, {count}×: {problem}" for (lane, case, problem), count in counts.items()]


def _named(cases: Sequence[str]) -> str:
    rest = len(cases) - NAMED
    return ", ".join(cases[:NAMED]) + (f" and {rest} more" if rest > 0 else "")


def _percent(interval: Interval) -> str:
    return "–" if math.isnan(interval.value) else f"{interval.value:.1%}" if interval.value else "0"


def _with_half(interval: Interval) -> str:
    if interval.low is None:
        return _number(interval.value)
    return f"{interval.value:.0f} ± {interval.value - interval.low:.0f}"


def _number(value: float | None, digits: int = 0) -> str:
    return "–" if value is None or math.isnan(value) else f"{value:.{digits}f}"


# -- files -----------------------------------------------------------------------------------------


def write(outcome: Outcome, directory: Path) -> list[Path]:
    """Write settle.json and a picture per set into a directory, and return the files."""
    directory.mkdir(parents=True, exist_ok=True)
    found = groups(outcome)
    figures = {name: summaries(samples, outcome.lanes) for name, samples in found.items()}
    file = directory / "settle.json"
    file.write_bytes(_json(outcome, figures))
    files = [file]
    for name in sorted({case.set for case in outcome.cases} & found.keys()):
        drawn = directory / f"settle-{name}.svg"
        lanes = [row.lane for row in figures[name]]
        drawn.write_text(picture(name, found[name], lanes), encoding="utf-8")
        files.append(drawn)
    return files


def _json(outcome: Outcome, figures: dict[str, list[Summary]]) -> bytes:
    """Return the file: what people look at indented, and the samples, which may be tens of thousands, one a line."""
    fields = msgspec.structs.asdict(outcome)
    samples = [msgspec.json.encode(one) for one in fields.pop("samples")]
    head = msgspec.json.format(msgspec.json.encode({"machine": machine(), "summaries": figures, **fields}), indent=1)
    lines = b",\n  ".join(samples)
    return head.removesuffix(b"\n}") + b',\n "samples": [\n  ' + lines + b"\n ]\n}\n"
