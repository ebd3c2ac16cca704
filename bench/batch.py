"""Pages a second by number of threads: what `Snapshot.from_many` and `diff_many` make of a farm's idle cores."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from bench.made_up import card_grid
from bench.measure import Table, table
from stillframe.core import Snapshot, diff_many

NODES, PAGES = 5_000, 64
ROUNDS = 7
ONE_BY_ONE = "one by one, from_cdp and diff"


def _one_by_one(before: Snapshot, raw: list[bytes]) -> int:
    return sum(before.diff(Snapshot.from_cdp(page)).total_changed for page in raw)


def _batch(threads: int) -> Callable[[Snapshot, list[bytes]], int]:
    def run(before: Snapshot, raw: list[bytes]) -> int:
        pages = Snapshot.from_many(raw, threads=threads)
        pairs = [(before, page) for page in pages if isinstance(page, Snapshot)]
        return sum(delta.total_changed for delta in diff_many(pairs, threads=threads))

    return run


def run(*, rounds: int = ROUNDS) -> list[Table]:
    """Measure each number of threads up to the cores there are, in turns; figures are milliseconds per page."""
    before, raw = Snapshot.from_cdp(card_grid(NODES, False)), [card_grid(NODES, True)] * PAGES
    cores = os.cpu_count() or 1
    contestants = {ONE_BY_ONE: _one_by_one}
    contestants |= {f"a batch, threads={count}": _batch(count) for count in (1, 2, 4, 8, 16) if count <= max(2, cores)}
    samples: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, work in contestants.items():
            started = time.perf_counter()
            changed = work(before, raw)
            samples[name].append((time.perf_counter() - started) * 1000 / PAGES)
            assert changed == 2 * PAGES, changed
    notes = {name: f"{1000 / min(values):,.0f} pages a second at best" for name, values in samples.items()}
    question = f"parse and diff one page of {NODES} nodes ({cores} cores)"
    return [table(question, "ms", ONE_BY_ONE, samples, notes=notes)]
