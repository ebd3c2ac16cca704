"""Playing the work on an application, with an oracle of its own in the page."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from bench.doing import Do
from bench.todomvc.check import State, faults, listed
from bench.todomvc.work import Phase
from stillframe.api.browser import Page
from stillframe.model.result import SequenceResult
from stillframe.tab.deadline import Deadline
from stillframe.tab.javascript import caller_scripts

ORACLE = (Path(__file__).parent / "oracle.js").read_text()
LATER_S = 0.1
"""How long the page is watched after each answer: six frames, since no application here has timers."""
LAST_S = 2.0
"""How long it is watched after the last one: the horizon of `SequenceOptions`, beyond which changes are pending."""
LIMIT = 1000
"""Rows per list: all, since every change is compared."""
WHOLE = 1_000_000
"""Characters that the text of a whole page may have."""


class PlayFailed(RuntimeError):
    """An action did not succeed; the message says which, and why."""


class Step(msgspec.Struct, kw_only=True):
    """One sequence as it went; times in milliseconds."""

    phase: str
    actions: int
    ms: float
    """From the call to the answer."""
    settle_ms: float
    delta_bytes: int
    """The delta as JSON."""
    text_bytes: int
    """The text of the whole page after it (`aria_snapshot`), which a reader would need without a delta."""
    capture_bytes: float
    """The mean size of the snapshots that Chrome made for it."""
    stable: bool
    faults: list[str]
    """What is wrong in the delta."""
    late: list[str]
    """What the page did after the answer."""

    @property
    def per_action(self) -> float:
        """Milliseconds for each action, the wait and the delta included."""
        return self.ms / self.actions

    @property
    def premature(self) -> bool:
        """Whether the answer said that the page is still before it was."""
        return self.stable and bool(self.late)


async def play(page: Page, url: str, phases: Sequence[Phase], *, last_s: float = LAST_S) -> list[Step]:
    """Open an application and do the work of all phases; raises PlayFailed.

    `last_s` is how long the page is watched at the end.
    """
    await page.cdp_session.call("Page.addScriptToEvaluateOnNewDocument", {"source": ORACLE})
    await page.goto(url, settle=True)
    work = [(phase.name, actions) for phase in phases for actions in phase.sequences]
    watch_s = [LATER_S] * (len(work) - 1) + [last_s]
    return [await step(page, name, actions, later_s) for (name, actions), later_s in zip(work, watch_s, strict=True)]


async def step(page: Page, phase: str, actions: Sequence[Do], later_s: float) -> Step:
    """Do one sequence and compare its answer with what the oracle saw, until `later_s` after it; raises PlayFailed."""
    before = await _state(page)
    captured = page.captures
    await ask(page, "begin()")
    started = time.perf_counter()
    result = await page.execute_sequence(list(actions), limit=LIMIT)
    ms, returned = (time.perf_counter() - started) * 1000, time.time() * 1000
    if result.failed is not None:
        raise PlayFailed(f"{phase}: {result.failed.action}: {result.failed.error}")
    after = await _state(page)
    found = faults(before, after, result.state_change, await _abouts(page, result))
    made = page.captures - captured
    text = await page.aria_snapshot(budget=WHOLE)
    await asyncio.sleep(later_s)
    return Step(
        phase=phase,
        actions=len(actions),
        ms=ms,
        settle_ms=result.stability_wait_ms,
        delta_bytes=len(msgspec.json.encode(result.state_change)),
        text_bytes=len(text.text.encode()),
        capture_bytes=made.bytes / made.taken if made.taken else 0.0,
        stable=result.stable,
        faults=found,
        late=await _late(page, returned, after),
    )


async def ask(page: Page, question: str) -> Any:
    """Ask the oracle, which is in the page's own world."""
    return await caller_scripts.evaluate(page._tab.frames.main, f"__todos.{question}", deadline=Deadline(5.0))


async def _state(page: Page) -> State:
    return msgspec.convert(await ask(page, "state()"), State)


async def _abouts(page: Page, result: SequenceResult) -> list[list[str] | None]:
    selectors = [row.selector if kind != "disappeared" else "" for kind, row in listed(result.state_change)]
    found: list[list[str] | None] = await ask(page, f"about({json.dumps(selectors)})")
    return found


async def _late(page: Page, returned: float, after: State) -> list[str]:
    """Return what changed after the epoch's millisecond `returned`; the page's clock has no fractions."""
    changes = [what for moment, what in await ask(page, "changes()") if moment > returned]
    return changes if await _state(page) == after else [*changes, "another list"]
