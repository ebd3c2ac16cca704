"""The loop guard: what the rules count becomes events, before the call is performed."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping

from msgspec import structs

from stillframe.errors import LoopRefused, OptionInvalid
from stillframe.loopguard.advice import advise
from stillframe.loopguard.cycle import Cycles
from stillframe.loopguard.failing import Failures
from stillframe.loopguard.limits import MODES, Limits, Mode
from stillframe.loopguard.repeat import Repeats
from stillframe.loopguard.signature import Key
from stillframe.loopguard.stagnant import Stagnation
from stillframe.loopguard.step import Step
from stillframe.model.loops import LoopEvent, Rule, Signature

RECENT = 100
"""Events that a guard keeps to be looked at."""


class LoopGuard:
    """Watches the calls of one caller on one page for loops.

    `mode` says what follows: `shadow` only counts (`counts`, `recent`), `warn` returns events and leaves out refusals,
    `refuse` has them too. An event of level `abort` stands in both for every further call until `reset`. Memory is
    bounded. A page that moves to another URL begins anew with all rules but `cycle`, whose circles may go through
    several pages, and ends an abort; so does a change of the page with `repeat` and `stagnant`. To reload the same page
    is no change. After a reconnection call `reset`; on a `Page` that is done when the guard comes to another one, and
    `navigate` to another URL is let through an abort.
    """

    def __init__(self, limits: Limits | None = None, *, mode: Mode = "warn") -> None:
        if mode not in MODES:
            raise OptionInvalid(f"mode {mode!r} is none of {', '.join(MODES)}", option="mode")
        self.limits = limits or Limits()
        self.mode = mode
        self.key = Key()
        """Under which whoever makes signatures for this guard hides values."""
        self.iteration = 0
        """How many calls the guard was asked about."""
        self.aborted: LoopEvent | None = None
        """The event that ended it, if one has."""
        self._counts: Counter[str] = Counter()
        self._recent: deque[LoopEvent] = deque(maxlen=RECENT)
        self._last: Step | None = None
        self._repeats = Repeats(self.limits.exempt)
        self._cycles = Cycles(self.limits.exempt, self.limits.window)
        self._failures = Failures()
        self._stagnation = Stagnation(self.limits)

    def __repr__(self) -> str:
        return f"LoopGuard(mode={self.mode!r}, iteration={self.iteration}, aborted={self.aborted is not None})"

    @property
    def counts(self) -> Mapping[str, int]:
        """How many events there were since the guard was made, by `rule.level`, and resets by `reset.reason`."""
        return dict(self._counts)

    @property
    def recent(self) -> tuple[LoopEvent, ...]:
        """The last events, oldest first, also those that a shadow keeps to itself."""
        return tuple(self._recent)

    def before(self, step: Step) -> tuple[LoopEvent, ...]:
        """Judge a call that is about to be performed; one with an event above `warn` is not to be performed."""
        self.iteration += 1
        ended = self.has_ended(step.url)
        self._last = step
        if ended:
            return (self._ended(step.signature),)
        events = tuple(
            event for rule, count in self._count(step).items() if (event := self._event(rule, count, step.signature))
        )
        return () if self.mode == "shadow" else events

    def has_ended(self, url: str) -> bool:
        """Whether nothing is performed any more on a page of this URL; being at another one ends an abort."""
        if self.aborted is not None and self._last is not None and self._last.url != url:
            self.reset("navigation")
        return self.aborted is not None

    def after(self, failed: str | None = None) -> None:
        """Take in how the call ended that `before` was asked about last; `failed` is the code of its error."""
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
        """Forget all calls, and end an abort; `reason` is counted."""
        self._counts[f"reset.{reason}"] += 1
        self.aborted = self._last = None
        for rule in (self._repeats, self._cycles, self._failures, self._stagnation):
            rule.reset()

    def _count(self, step: Step) -> dict[Rule, int]:
        return {
            "repeat": self._repeats.count(step),
            "cycle": self._cycles.count(step),
            "failing": self._failures.count(step),
            "stagnant": self._stagnation.count(step),
        }

    def _event(self, rule: Rule, count: int, signature: Signature) -> LoopEvent | None:
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
        return self._keep(event)

    def _ended(self, signature: Signature) -> LoopEvent:
        """Return the event that ended it, as it stands before another call."""
        assert self.aborted is not None
        return self._keep(structs.replace(self.aborted, signature=signature, iteration=self.iteration))

    def _keep(self, event: LoopEvent) -> LoopEvent:
        self._counts[f"{event.rule}.{event.level}"] += 1
        self._recent.append(event)
        return event
