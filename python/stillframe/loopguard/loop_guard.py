"""The loop guard: turns the counts of the rules into events, before an action runs."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping

from msgspec import structs

from stillframe.errors import LoopRefused, OptionInvalid
from stillframe.loopguard.action_signature import HashKey
from stillframe.loopguard.advice import advise
from stillframe.loopguard.limits import MODES, LoopLimits, LoopMode
from stillframe.loopguard.rules import CycleCounter, FailureCounter, RepeatCounter, StagnationCounter
from stillframe.loopguard.step import LoopStep
from stillframe.model.loops import ActionSignature, LoopEvent, LoopRule

MAX_RECENT = 100
"""Events to keep for `recent`."""


class LoopGuard:
    """Watches the actions of one caller on one page for loops.

    After an event of level `abort`, the modes `warn` and `refuse` return an abort for every action until `reset`. The
    memory of a loop guard is bounded.

    A page that moves to another URL resets an abort and all rules but `cycle`, whose cycles may lead through several
    pages. A change of the page resets `repeat` and `stagnant`; a reload does not change it. Call `reset`
    after a reconnection; a `Page` does that when the loop guard comes to another page, and it lets `navigate` to
    another URL pass an abort. An orchestrator resets an abort where it ends its step.

    Args:
        limits: The thresholds of the rules; by default those of `LoopLimits`.
        mode: What follows an event: `shadow` only counts (`counts`, `recent`), `warn` returns events without refusals,
            `refuse` returns them all.
    """

    def __init__(self, limits: LoopLimits | None = None, *, mode: LoopMode = "warn") -> None:
        if mode not in MODES:
            raise OptionInvalid(f"mode {mode!r} is not one of {', '.join(MODES)}", option="mode")
        self.limits = limits or LoopLimits()
        self.mode = mode
        self.hash_key = HashKey()
        """The key for hashes of secret values in the signatures for this loop guard."""
        self.iteration = 0
        """The number of actions that the loop guard has checked."""
        self.aborted: LoopEvent | None = None
        """The event that aborted, or None."""
        self._counts: Counter[str] = Counter()
        self._recent: deque[LoopEvent] = deque(maxlen=MAX_RECENT)
        self._last: LoopStep | None = None
        self._repeats = RepeatCounter(self.limits.exempt)
        self._cycles = CycleCounter(self.limits.exempt, self.limits.window)
        self._failures = FailureCounter()
        self._stagnation = StagnationCounter(self.limits)

    def __repr__(self) -> str:
        return f"LoopGuard(mode={self.mode!r}, iteration={self.iteration}, aborted={self.aborted is not None})"

    @property
    def counts(self) -> Mapping[str, int]:
        """The number of events so far by `rule.level`, and of resets by `reset.reason`."""
        return dict(self._counts)

    @property
    def recent(self) -> tuple[LoopEvent, ...]:
        """The last events, oldest first, including those that mode `shadow` does not return."""
        return tuple(self._recent)

    def before(self, step: LoopStep) -> tuple[LoopEvent, ...]:
        """Check an action before it runs; the caller must not run it if an event is above `warn`."""
        self.iteration += 1
        is_aborted = self.is_aborted(step.url)
        self._last = step
        if is_aborted:
            return (self._abort_again(step.signature),)
        events = tuple(
            event for rule, count in self._count(step).items() if (event := self._event(rule, count, step.signature))
        )
        return () if self.mode == "shadow" else events

    def is_aborted(self, url: str) -> bool:
        """Return whether an abort is in effect at this URL; a page at another URL resets it."""
        if self.aborted is not None and self._last is not None and self._last.url != url:
            self.reset("navigation")
        return self.aborted is not None

    def after(self, failed: str | None = None) -> None:
        """Record the outcome of the last checked action; `failed` is the code of its error."""
        step = self._last
        if step is None:
            return
        if failed == LoopRefused.code:
            self._failures.refused(step)
        elif failed is None:
            self._failures.succeeded(step)
        else:
            self._failures.failed(step)
            self._repeats.failed()

    def reset(self, reason: str = "caller") -> None:
        """Forget all actions and end an abort; `counts` has the resets by `reason`."""
        self._counts[f"reset.{reason}"] += 1
        self.aborted = self._last = None
        for rule in (self._repeats, self._cycles, self._failures, self._stagnation):
            rule.reset()

    def _count(self, step: LoopStep) -> dict[LoopRule, int]:
        return {
            "repeat": self._repeats.count(step),
            "cycle": self._cycles.count(step),
            "failing": self._failures.count(step),
            "stagnant": self._stagnation.count(step),
        }

    def _event(self, rule: LoopRule, count: int, signature: ActionSignature) -> LoopEvent | None:
        threshold = getattr(self.limits, rule)
        level = threshold and threshold.level(count, refuses=self.mode != "warn")
        if level is None:
            return None
        advice = advise(rule, level, signature, count)
        event = LoopEvent(
            rule=rule, level=level, signature=signature, count=count, iteration=self.iteration, advice=advice
        )
        if level == "abort" and self.mode != "shadow":
            self.aborted = event
        return self._record(event)

    def _abort_again(self, signature: ActionSignature) -> LoopEvent:
        """Return the abort that is in effect, for another action."""
        assert self.aborted is not None
        return self._record(structs.replace(self.aborted, signature=signature, iteration=self.iteration))

    def _record(self, event: LoopEvent) -> LoopEvent:
        self._counts[f"{event.rule}.{event.level}"] += 1
        self._recent.append(event)
        return event
