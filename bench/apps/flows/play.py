"""Playing a flow: the way there, the actions under test, and what an oracle of its own saw meanwhile."""

from __future__ import annotations

import asyncio
import difflib
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from bench.apps.flows import score
from bench.apps.flows.flow import Flow
from bench.apps.flows.lanes import DESKTOP, Visitor
from bench.apps.visits import LOAD_S, READY_MS, SETTLE_MS, VIEWPORT
from bench.doing import Do, wait_for
from stillframe.api.browser import Page
from stillframe.errors import StillframeError
from stillframe.model.result import SequenceResult
from stillframe.tab.deadline import Deadline
from stillframe.tab.javascript import caller_scripts

ORACLE = (Path(__file__).parent / "oracle.js").read_text()
LATER_S = 2.0
"""How long after the verdict the page is looked at again: the horizon of `SequenceOptions`, beyond which changes are
pending and not awaited."""
QUIET_S = 0.4
SAME_LOOKS = 2
QUIET_LOOKS = 25
JSON_NAMES = {"came_and_went": "cameAndWent"}
"""Lists of a change whose names differ in its JSON."""
SHOWN_LINES = 6
"""Lines of a late change that a report shows."""


class WayLost(RuntimeError):
    """A flow's beginning was not reached, so that nothing was tried."""


class Seen(msgspec.Struct, kw_only=True):
    """What the oracle saw of the page, apart from stillframe; times are the epoch's milliseconds."""

    returned_at: float
    end_at: float | None
    """The last change or input before the return."""
    at_return: list[str]
    """What a person sees, a line for each text and control."""
    later: list[str]
    everything: list[str]
    """What a person sees at the return, with all that changes by itself."""
    true_before: bool
    true: bool


class Outcome(msgspec.Struct, kw_only=True, omit_defaults=True):
    """One flow, played and scored; times in milliseconds."""

    app: str
    flow: str
    over: str = DESKTOP
    """The lane: how the page was reached."""
    acted: bool = False
    problem: str = ""
    """Why it was not acted rightly, or why the flow says nothing."""
    stable: bool = False
    reason: str = ""
    wait_ms: float = 0
    excess_ms: float | None = None
    early: list[str] = []
    """What changed on the page after a verdict of rest."""
    rank: int = 0
    place: int = 0
    where: str = ""
    chars: int = 0
    rows: int = 0
    noise: int = 0
    change: Any = None
    order: list[tuple[str, int]] = []
    """The rows of the change in the order of reading: the list that each is in, and its index there."""

    @property
    def in_first(self) -> bool:
        """Whether the key fact is within the first three rows."""
        return score.Found(self.rank, self.place, self.where).in_first


async def play(visitor: Visitor, origin: str, flow: Flow, *, later_s: float = LATER_S) -> Outcome:
    """Play a flow in a page of its own and score it; never raises for what the application does.

    `later_s` is how long after the return the page is looked at again.
    """
    async with await visitor.new_page() as page:
        await page.set_viewport(**VIEWPORT)
        await page.cdp_session.call("Page.addScriptToEvaluateOnNewDocument", {"source": ORACLE})
        try:
            await go(page, origin + flow.path, flow.before, flow.ready)
            result, seen = await _watched(page, flow, later_s)
        except (WayLost, StillframeError) as error:
            return Outcome(app=flow.app, flow=flow.name, problem=f"{type(error).__name__}: {error}")
        return judge(flow, result, seen)


async def go(page: Page, url: str, actions: Sequence[Do] = (), ready: str | None = None) -> None:
    """Open a page and do what comes before; raises WayLost."""
    await page.goto(url, timeout_ms=LOAD_S * 1000)
    await page.settle(timeout_ms=SETTLE_MS)
    shown = [{**wait_for(selector=ready), "timeoutMs": READY_MS}] if ready else []
    for step in (shown, actions):
        if step:
            result = await page.execute_sequence(step, timeout_ms=SETTLE_MS, action_timeout_ms=10_000)
            if result.failed is not None:
                raise WayLost(f"{result.failed.action}: {result.failed.error}")


async def _watched(page: Page, flow: Flow, later_s: float) -> tuple[SequenceResult, Seen]:
    await _rest(page)
    true_before = await _ask(page, flow.true)
    await _call(page, f"__flows.begin({json.dumps(flow.noise)})")
    result = await page.execute_sequence(list(flow.act), **flow.options)
    returned = time.time() * 1000
    at_return = await _lines(page)
    everything = await _call(page, "__flows.everything()") or []
    moments = await _call(page, "__flows.moments()") or {}
    await asyncio.sleep(later_s)
    later = await _lines(page)
    ends = [moment for moment in moments.values() if 0 < moment <= returned]
    seen = Seen(
        returned_at=returned,
        end_at=max(ends, default=None),
        at_return=at_return,
        later=later,
        everything=everything,
        true_before=true_before,
        true=await _ask(page, flow.true),
    )
    return result, seen


async def _rest(page: Page) -> None:
    """Wait until what a person sees has been the same for a while, so that no flow begins while a page still loads."""
    was: list[str] = []
    same = 0
    for _ in range(QUIET_LOOKS):
        now = await _lines(page)
        same = same + 1 if now and now == was else 0
        if same == SAME_LOOKS:
            return
        was = now
        await asyncio.sleep(QUIET_S)


async def _lines(page: Page) -> list[str]:
    return await _call(page, "__flows.lines()") or []


async def _ask(page: Page, expression: str) -> bool:
    words = "const { page, one, all, shown, server } = __flows;"
    return bool(await _call(page, f"(async () => {{ {words} return ({expression}); }})()"))


async def _call(page: Page, expression: str) -> Any:
    """Evaluate in the page's own world; None where the page cannot be asked, as while it goes elsewhere."""
    try:
        return await caller_scripts.evaluate(page._tab.frames.main, expression, deadline=Deadline(5.0))
    except StillframeError:
        return None


# -- judging --------------------------------------------------------------------------------------


def judge(flow: Flow, result: SequenceResult, seen: Seen) -> Outcome:
    """Score what stillframe answered against what the oracle saw."""
    change = result.to_dict()["stateChange"]
    placed = score.rows(result.state_change)
    found = score.find(flow.key, result)
    problem = _problem(flow, result, seen)
    return Outcome(
        app=flow.app,
        flow=flow.name,
        acted=not problem,
        problem=problem,
        stable=result.stable,
        reason=result.outcome,
        wait_ms=round(result.stability_wait_ms, 1),
        excess_ms=None if seen.end_at is None else round(seen.returned_at - seen.end_at, 1),
        early=changed_lines(seen.at_return, seen.later) if result.stable else [],
        rank=found.rank,
        place=found.place,
        where=found.where,
        chars=len(json.dumps(change, ensure_ascii=False, separators=(",", ":"))) if change else 0,
        rows=len(placed),
        noise=sum(score.is_noise(kind, row) for kind, row, _ in placed),
        change=change,
        order=[(JSON_NAMES.get(kind, kind), place - 1) for kind, _, place in placed],
    )


def _problem(flow: Flow, result: SequenceResult, seen: Seen) -> str:
    if result.failed is not None:
        return f"{result.failed.action}: {result.failed.error}"
    if seen.true_before:
        return "void: the truth holds before anything was done"
    if not seen.true:
        return "the truth does not hold"
    return "" if _is_there(flow, seen, result) else "void: the page itself does not show the key fact"


def _is_there(flow: Flow, seen: Seen, result: SequenceResult) -> bool:
    """Whether a person could see one of the key facts; what is a state, or gone, the truth asks about."""
    told = [*seen.everything, *seen.later, *(dialog.message for dialog in result.dialogs)]
    page = " ".join(told)
    facts = [fact for fact in flow.key if not fact.field and not fact.gone]
    there = any(score.says(page, fact.words) for fact in facts)
    return there or len(facts) < len(flow.key)


def changed_lines(was: Sequence[str], now: Sequence[str]) -> list[str]:
    """Return the first lines that two looks at a page differ in, `-` gone and `+` new."""
    marked = difflib.unified_diff(list(was), list(now), n=0, lineterm="")
    return [line for line in marked if not line.startswith(("---", "+++", "@@"))][:SHOWN_LINES]
