"""How long each call lasts on pages that never finish and beside processes that do not run, against its own limits."""

from __future__ import annotations

import sys
from pathlib import Path

from bench.measure import Table, table

sys.path.append(str(Path(__file__).parents[1] / "tests/engine"))  # the tests' modules import each other from there

from bounds import CALLS, CASES, MARGIN_S, measured
from hostile_pages import SCRIPTS, Visit, visit

ROUNDS = 1


async def run(*, rounds: int = ROUNDS) -> list[Table]:
    """Measure every call in every case, and visit every hostile page; the baseline of each table is what may be."""
    return [*await _cases(rounds), await _visits(rounds)]


async def _cases(rounds: int) -> list[Table]:
    over: dict[str, list[float]] = {"limit": [MARGIN_S * 1000]}
    calls: dict[str, list[float]] = {"limit": [MARGIN_S * 1000]}
    notes: dict[str, str] = {}
    for name, case in CASES.items():
        for _ in range(rounds):
            took = await measured(case)
            beyond = {call: (seconds - CALLS[call].limit) * 1000 for call, seconds in took.items()}
            over.setdefault(name, []).extend(beyond.values())
            slowest = max(beyond, key=lambda call: beyond[call])
            notes[name] = f"slowest: {slowest}, {took[slowest]:.2f} s of {CALLS[slowest].limit:g} s"
            for call, ms in beyond.items():
                calls.setdefault(call, []).append(ms)
    return [
        table("by page: how long calls last beyond their own limits", "ms", "limit", over, notes=notes),
        table("by call: how long it lasts beyond its own limits", "ms", "limit", calls),
    ]


async def _visits(rounds: int) -> Table:
    over: dict[str, list[float]] = {"limit": [MARGIN_S * 1000]}
    notes: dict[str, str] = {}
    for name, script in SCRIPTS.items():
        for _ in range(rounds):
            seen = await visit(script)
            over.setdefault(name, []).append(max(seen.over_s.values()) * 1000)
            notes[name] = _note(seen)
    return table(
        "by hostile page: how long its slowest call lasts beyond its own limits", "ms", "limit", over, notes=notes
    )


def _note(seen: Visit) -> str:
    slowest = max(seen.over_s, key=lambda call: seen.over_s[call])
    left = "left" if not seen.left else "not left, and the error says so" if seen.told else f"NOT LEFT: {seen.left}"
    return f"slowest: {slowest}; {left}; {'neighbour served' if seen.neighbour_served else 'NEIGHBOUR NOT SERVED'}"
