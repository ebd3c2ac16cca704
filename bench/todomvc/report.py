"""The figures of the churn: time, size and correctness, for each framework."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence

from bench.measure import Table, table
from bench.todomvc.play import Step

BASELINE = "jQuery"
TEXT = "the whole page as text"
CAPTURE = "the whole page as Chrome's snapshot"
SHOWN = 2
"""Faults that a note shows."""

Steps = Mapping[str, Sequence[Step]]


def tables(steps: Steps, missing: dict[str, str]) -> list[Table]:
    """Return the tables of all steps, by framework; `missing` says which framework failed, and why."""
    phases = dict.fromkeys(step.phase for each in steps.values() for step in each)
    return [*(_speed(phase, steps, missing) for phase in phases), _sizes(steps), _wrong(steps), _premature(steps)]


def _speed(phase: str, steps: Steps, missing: dict[str, str]) -> Table:
    of_phase = {name: [step for step in each if step.phase == phase] for name, each in steps.items()}
    samples = {name: [step.per_action for step in each] for name, each in of_phase.items()}
    notes = {name: _note(each) for name, each in of_phase.items() if each}
    return table(f"todos, {phase}: time per action", "ms", BASELINE, samples, notes=notes, missing=missing)


def _note(steps: Sequence[Step]) -> str:
    settle, delta, text, capture = (
        statistics.median(getattr(step, field) for step in steps)
        for field in ("settle_ms", "delta_bytes", "text_bytes", "capture_bytes")
    )
    return f"settling {settle:.0f} ms; delta {delta:.0f} B, page as text {text:.0f} B, as snapshot {capture:.0f} B"


def _sizes(steps: Steps) -> Table:
    every = [step for each in steps.values() for step in each]
    samples = {name: [float(step.delta_bytes) for step in each] for name, each in steps.items()}
    samples[TEXT] = [float(step.text_bytes) for step in every]
    samples[CAPTURE] = [step.capture_bytes for step in every if step.capture_bytes]
    return table("todos: size of a delta with all its rows", "bytes", TEXT, samples)


def _wrong(steps: Steps) -> Table:
    return _counted("todos: deltas that the oracle contradicts", steps, lambda step: step.faults)


def _premature(steps: Steps) -> Table:
    return _counted("todos: answers before the page was still", steps, lambda step: step.late if step.stable else [])


def _counted(question: str, steps: Steps, lines: Callable[[Step], Sequence[str]]) -> Table:
    """Return how many sequences of each framework have lines, with the first lines as a note."""
    samples: dict[str, list[float]] = {}
    notes: dict[str, str] = {}
    for name, each in steps.items():
        found = [f"{step.phase}: {line}" for step in each for line in lines(step)]
        samples[name] = [float(sum(bool(lines(step)) for step in each))] if each else []
        notes[name] = "; ".join([f"of {len(each)} sequences", *found[:SHOWN]])
    return table(question, "sequences", "", samples, notes=notes)
