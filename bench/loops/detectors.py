"""Three detectors on one trace. Each returns how many calls had been performed when it spoke, or None.

The rules of the others are written from descriptions of them, with their own constants. What they cannot see they are
not given: pilo goes by role and name, browser-use by the number of the element and by the page's text.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter, deque
from collections.abc import Callable
from typing import Any

from bench.loops.traces import Seen, Trace
from stillframe.core import MaskLearner, Masks, Snapshot
from stillframe.engine.loop_monitor import PageStates
from stillframe.loopguard import LoopGuard, LoopLimits, LoopStep, action_signature, normalize_text

Detector = Callable[[Trace], "int | None"]


# -- mozilla/pilo, after its change #477 ---------------------------------------------------------

PILO_MAX = 2
PILO_EXEMPT = ("scroll", "wait")


def pilo(trace: Trace) -> int | None:
    """Successful calls in a row of one action, role, name and value; warns when max + 1 of them were repeats."""
    last, count = "", 0
    for performed, seen in enumerate(trace.seen, 1):
        if seen.failed:
            continue
        if seen.call.action in PILO_EXEMPT:
            last, count = "", 0
            continue
        words = (seen.target.role, seen.target.name) if seen.target else ()
        signature = ":".join([seen.call.action, *words, seen.call.value]).lower().strip()
        last, count = signature, count + 1 if signature == last else 0
        if count >= PILO_MAX + 1:
            return performed
    return None


# -- browser-use, from 0.11 on ---------------------------------------------------------------------

WINDOW, REPEATED, STAGNANT = 20, 5, 5
BROWSER_USE_EXEMPT = ("wait", "go_back")


def browser_use(trace: Trace) -> int | None:
    """One normalised action five times among the last twenty, or five pages in a row of one fingerprint."""
    window: deque[str] = deque(maxlen=WINDOW)
    fingerprint, unchanged = "", 0
    for performed, seen in enumerate(trace.seen):
        page = f"{seen.url} {seen.count} {hashlib.sha256(seen.text.encode()).hexdigest()}"
        fingerprint, unchanged = page, unchanged + 1 if page == fingerprint else 0
        if unchanged >= STAGNANT:
            return performed
        if seen.call.action not in BROWSER_USE_EXEMPT:
            window.append(_normal_action(seen))
        if max(Counter(window).values(), default=0) >= REPEATED:
            return performed + 1
    return None


def _normal_action(seen: Seen) -> str:
    action, _, value = seen.call
    number = str(seen.node) if seen.call.key else ""
    return f"{action} {number} {value.strip().lower()}"


# -- ours ------------------------------------------------------------------------------------------


class _Page:
    """What `PageStates` wants of a page: masks, last snapshot, and no noise, as if nobody had watched it live."""

    def __init__(self) -> None:
        self.learner = MaskLearner()
        self.recognition = self.settling = self.identity = self
        self.last_snapshot: Snapshot | None = None

    @property
    def masks(self) -> Masks:
        return self.learner.masks

    async def noise(self) -> set[Any]:
        return set()

    habits = noise


def stillframe(trace: Trace, limits: LoopLimits | None = None) -> int | None:
    """Our guard, fed as `engine.loop_monitor` feeds it; it speaks before the call is performed."""
    return asyncio.run(_stillframe(trace, LoopGuard(limits)))


async def _stillframe(trace: Trace, guard: LoopGuard) -> int | None:
    page, states = _Page(), PageStates()
    document = 0
    for performed, seen in enumerate(trace.seen):
        before = Snapshot.from_cdp(seen.before)
        if seen.document == document:
            page.learner.observe(before)
        name = await states.name(page, page, before)  # type: ignore[arg-type]
        if guard.before(_step(seen, f"{name} {seen.drawn}", guard)):
            return performed
        guard.after(seen.failed or None)
        page.last_snapshot = Snapshot.from_cdp(seen.after)
        page.learner.rebase(page.last_snapshot)
        document = seen.left
    return None


def _step(seen: Seen, page: str, guard: LoopGuard) -> LoopStep:
    target = seen.target
    if target is None:
        signature = action_signature(seen.call.action, value=seen.call.value, place=seen.call.key)
    else:
        key = guard.hash_key if target.hidden else None
        words = {"role": target.role, "name": target.name, "place": seen.place}
        signature = action_signature(seen.call.action, value=seen.call.value, hash_key=key, **words)
    state = f"{normalize_text(target.value)} {target.state}" if target and not target.hidden else ""
    position = f"{seen.scrolled} {seen.focus}"
    return LoopStep(signature=signature, page_state=page, element_state=state, url=seen.url, position=position)


DETECTORS: dict[str, Detector] = {
    "stillframe": stillframe,
    "pilo's rule (re-implemented)": pilo,
    "browser-use's rule (re-implemented)": browser_use,
}
