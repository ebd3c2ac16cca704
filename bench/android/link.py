"""What a page costs over adb: single commands, many at once, much data, and a whole sequence."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from statistics import median

from bench.android.lanes import ADDS, BESIDE, DIRECT, IDLE, Lanes
from bench.android.meter import Spent, Work, by_process, measured, wall
from bench.android.pages import LAST_ROW, TEXT_BYTES
from bench.measure import Table, table
from stillframe.api.browser import Page
from stillframe.cdp_types import dom_snapshot, runtime
from stillframe.model.actions import Tap
from stillframe.model.result import SequenceResult

ONE_BY_ONE = 200
PIPELINED = 1000
WINDOW = 50
SEQUENCES = 3
"""Commands and sequences per sample."""

MIN_SNAPSHOT = 1_900_000
"""Bytes that a DOM snapshot of the large page has at least, so that it counts as one of 2 MB."""

ONE_PLUS_ONE = runtime.Evaluate(expression="1+1", return_by_value=True)
TEXT = runtime.Evaluate(expression="text", return_by_value=True)
SNAPSHOT = dom_snapshot.CaptureSnapshot(computed_styles=[])
"""The text and the attributes of all nodes, and where they are."""


# -- commands --------------------------------------------------------------------------------------


async def compare_commands(lanes: Lanes, rounds: int) -> list[Table]:
    """Evaluate `1+1`, one after the other and many at once; the tables are of the time, and of the CPU by process."""
    await lanes.show("/small")
    tables = []
    ways = {
        "a command, one by one": (ONE_BY_ONE, one_by_one),
        f"a command, {WINDOW} pipelined": (PIPELINED, pipelined),
    }
    for question, (count, way) in ways.items():
        spent = await measured(_each(lanes, way), rounds, lanes.cpu)
        tables += _tables(question, "µs", spent, 1e6 / count)
    return tables


async def one_by_one(page: Page) -> None:
    """Send commands, each after the answer to the last."""
    for _ in range(ONE_BY_ONE):
        assert (await page.cdp_session.send(ONE_PLUS_ONE)).result.value == 2


async def pipelined(page: Page) -> None:
    """Send commands, always as many at once as a window has."""
    for _ in range(PIPELINED // WINDOW):
        answers = await asyncio.gather(*(page.cdp_session.send(ONE_PLUS_ONE) for _ in range(WINDOW)))
        assert all(answer.result.value == 2 for answer in answers)


# -- much data -------------------------------------------------------------------------------------


async def compare_sizes(lanes: Lanes, rounds: int) -> list[Table]:
    """Take a DOM snapshot of 2 MB, and read a text of 2 MB, of which Chromium makes little work."""
    await lanes.show("/large")
    size = len(await snapshot(lanes.pages[DIRECT]))
    questions: dict[str, dict[str, Work]] = {
        f"a DOM snapshot of {size / 1e6:.1f} MB": _each(lanes, snapshot),
        f"a text of {TEXT_BYTES / 1e6:.1f} MB": _each(lanes, text),
    }
    tables = []
    for question, works in questions.items():
        tables += _tables(question, "ms", await measured(works, rounds, lanes.cpu), 1e3)
    return tables


async def snapshot(page: Page) -> bytes:
    """Capture the page's DOM, and return it as it comes."""
    raw = bytes(await page.cdp_session.send_raw(SNAPSHOT))
    assert len(raw) > MIN_SNAPSHOT, len(raw)
    assert LAST_ROW.encode() in raw
    return raw


async def text(page: Page) -> None:
    """Read a long text of the page."""
    answer = (await page.cdp_session.send(TEXT)).result.value
    assert len(answer) == TEXT_BYTES


# -- sequences -------------------------------------------------------------------------------------


class Tapper:
    """Taps a button of a page, and checks that the delta tells what this did."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.taps = 0

    async def sequences(self) -> None:
        """Make as many sequences as a sample has, one after the other."""
        for _ in range(SEQUENCES):
            await self.tap()

    async def tap(self) -> SequenceResult:
        """Tap, settle, and return the result."""
        self.taps += 1
        result = await self.page.execute_sequence([Tap("#go")])
        assert result.stable, result.outcome
        assert f"tapped {self.taps} times" in result.to_json().decode(), result
        return result


async def compare_sequences(lanes: Lanes, rounds: int) -> list[Table]:
    """Tap a button that changes a text: until the page is still and the change is in hand."""
    await lanes.show("/small")
    tappers = {name: Tapper(page) for name, page in lanes.pages.items()}
    spent = await measured({name: each.sequences for name, each in tappers.items()}, rounds, lanes.cpu)
    return _tables("a sequence: tap, settled, with the change in hand", "ms", spent, 1e3 / SEQUENCES)


def _each(lanes: Lanes, work: Callable[[Page], Awaitable[object]]) -> dict[str, Work]:
    return {name: partial(work, page) for name, page in lanes.pages.items()}


def _tables(question: str, unit: str, spent: Mapping[str, list[Spent]], scale: float) -> list[Table]:
    times = wall(spent, scale)
    notes = {name: f"{ADDS[name]} {_difference(times, name, beside):.3g} {unit}" for name, beside in BESIDE.items()}
    on_the_clock = table(question, unit, DIRECT, times, notes=notes)
    scales = dict.fromkeys(spent, scale)
    return [on_the_clock, by_process(f"CPU of {question}", unit, DIRECT, spent, scales, IDLE)]


def _difference(times: Mapping[str, list[float]], name: str, beside: str) -> float:
    """Return the median of what one lane takes more than the other in the same round."""
    return median(own - other for own, other in zip(times[name], times[beside], strict=True))
