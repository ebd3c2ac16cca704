"""How long each call lasts on pages that never finish and beside processes that do not run, against its own limits."""

from __future__ import annotations

from bench.measure import Table, table
from tests.engine.bounds import CALLS, CASES, MARGIN_S, measured

ROUNDS = 1


async def run(*, rounds: int = ROUNDS) -> list[Table]:
    """Measure every call in every case; the baseline of both tables is what may be."""
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
