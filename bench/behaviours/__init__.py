"""A table of finding and acting behaviours, each a small page with what must be true in the end, beside Playwright.

Every row runs `rounds` times in each contestant, in turn, in a browser of its own kind started once. It is right if it
is right every time. Rows that Playwright has no action for are asked of stillframe alone.
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

import stillframe
from bench.behaviours import (
    acting,
    deltas,
    dragging,
    finding,
    forms,
    frames,
    history,
    hostile,
    letters,
    limits,
    loading,
    loads,
    looking,
    names,
    person,
    popups,
    pressing,
    shapes,
    sockets,
    still,
    targets,
    text,
    toasts,
    traffic,
    typing,
    widgets,
)
from bench.behaviours.case import Behaviour
from bench.behaviours.judge import faults
from bench.behaviours.ours import Ours
from bench.behaviours.rival import Rival, playwright_browser
from bench.behaviours.site import serving
from bench.measure import Table, table

ROUNDS = 3
CAUSES = {
    "names": names.ROWS,
    "text": text.ROWS,
    "finding": finding.ROWS,
    "acting": acting.ROWS,
    "presses": pressing.ROWS,
    "loading": loading.ROWS,
    "bad input": hostile.ROWS,
    "targets": targets.ROWS,
    "shapes": shapes.ROWS,
    "frames": frames.ROWS,
    "widgets": widgets.ROWS,
    "typing": typing.ROWS,
    "letters": letters.ROWS,
    "dragging": dragging.ROWS,
    "history": history.ROWS,
    "forms": forms.ROWS,
    "popups": popups.ROWS,
    "as a person has it": person.ROWS,
    "traffic": traffic.ROWS,
    "sockets": sockets.ROWS,
    "still": still.ROWS,
    "still, by the browser": loads.ROWS,
    "toasts": toasts.ROWS,
    "deltas": deltas.ROWS,
    "names and roots": looking.ROWS,
    "limits": limits.ROWS,
}
INSTALL = "make bench"


class Tally:
    """What one contestant made of each row: times in milliseconds, and what was wrong."""

    def __init__(self) -> None:
        self.ms: dict[str, list[float]] = {}
        self.faults: dict[str, list[str]] = {}

    def add(self, row: Behaviour, ms: float, found: list[str]) -> None:
        """Take down one run."""
        self.ms.setdefault(row.name, []).append(ms)
        self.faults.setdefault(row.name, []).extend(found)

    def right(self, rows: Sequence[Behaviour]) -> list[Behaviour]:
        """Return those of the rows that were right every time."""
        return [row for row in rows if row.name in self.faults and not self.faults[row.name]]


async def run(*, rounds: int = ROUNDS) -> list[Table]:
    """Run the whole table."""
    rows = [row for group in CAUSES.values() for row in group]
    tallies = await judged(rows, rounds)
    return [*_scores(tallies), _times(tallies), *(_wrong(name, tally) for name, tally in tallies.items())]


async def judged(rows: Sequence[Behaviour], rounds: int) -> dict[str, Tally]:
    """Run rows in all contestants that are installed."""
    async with _contestants() as contestants, serving(rows) as origin:
        tallies = {each.name: Tally() for each in contestants}
        for _ in range(rounds):
            for number, row in enumerate(rows):
                for each in contestants:
                    if row.rival or isinstance(each, Ours):
                        outcome = await each.run(row, f"{origin}/{number}/")
                        wrong = faults(row, outcome, ours=isinstance(each, Ours))
                        tallies[each.name].add(row, outcome.ms, wrong)
        return tallies


@asynccontextmanager
async def _contestants() -> AsyncIterator[list[Ours | Rival]]:
    async with AsyncExitStack() as stack:
        files = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-behaviours-")))
        (files / "note.txt").write_text("note")
        (files / "folder").mkdir()
        (files / "folder" / "inner.txt").write_text("inner")
        browser = await stack.enter_async_context(stillframe.launch())
        found: list[Ours | Rival] = [Ours(browser, str(files))]
        with suppress(ImportError):  # the tables say that it is missing
            found.append(Rival(await stack.enter_async_context(playwright_browser()), str(files)))
        yield found


# -- tables ---------------------------------------------------------------------------------------


def _scores(tallies: dict[str, Tally]) -> list[Table]:
    every = [row for group in CAUSES.values() for row in group]
    both = [row for row in every if row.rival]
    missing = {} if Rival.name in tallies else {Rival.name: INSTALL}
    own = {cause: _share(tallies[Ours.name], rows) for cause, rows in CAUSES.items()}
    own["all"] = _share(tallies[Ours.name], every)
    shared = {name: _share(tally, both) for name, tally in tallies.items()}
    by_cause = {
        f"{name}, {cause}": _share(tally, asked)
        for cause, rows in CAUSES.items()
        if (asked := [row for row in rows if row.rival])
        for name, tally in tallies.items()
    }
    return [
        _percent("behaviours that are right, stillframe", own, "all"),
        _percent(f"behaviours that are right, the {len(both)} that both have", shared, Rival.name, missing),
        _percent("the same by cause", by_cause, ""),
    ]


def _share(tally: Tally, rows: Sequence[Behaviour]) -> tuple[int, int]:
    return len(tally.right(rows)), len(rows)


def _percent(
    question: str, shares: dict[str, tuple[int, int]], baseline: str, missing: dict[str, str] | None = None
) -> Table:
    samples = {name: [100 * right / of] for name, (right, of) in shares.items()}
    notes = {name: f"{right} of {of}" for name, (right, of) in shares.items()}
    return table(question, "%", baseline, samples, notes=notes, missing=missing or {})


def _times(tallies: dict[str, Tally]) -> Table:
    """The times of rows that both have and do right, and that are not about waiting for a failure."""
    rows = [row for group in CAUSES.values() for row in group if row.rival and not row.fails]
    for tally in tallies.values():
        rows = tally.right(rows)
    samples = {name: [statistics.median(tally.ms[row.name]) for row in rows] for name, tally in tallies.items()}
    notes = {Ours.name: "with the wait until the page is still and the delta", Rival.name: "the action alone"}
    return table(f"a behaviour, {len(rows)} rows that both do right", "ms", Rival.name, samples, notes=notes)


def _wrong(name: str, tally: Tally) -> Table:
    wrong = {row: found for row, found in tally.faults.items() if found}
    samples = {row: [float(len(found))] for row, found in wrong.items()}
    return table(
        f"{name}: rows that are wrong", "faults", "", samples, notes={row: f[0][:200] for row, f in wrong.items()}
    )
