"""The limits of the loop guard: from which step on each rule warns, refuses and aborts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import msgspec

from stillframe.errors import OptionInvalid
from stillframe.loopguard.action_signature import Digits
from stillframe.model.loops import LoopLevel
from stillframe.model.suggest import did_you_mean

LoopMode = Literal["shadow", "warn", "refuse"]
MODES: tuple[LoopMode, ...] = ("shadow", "warn", "refuse")


class Threshold(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The step from which a rule warns, refuses and aborts, as in "the 4th identical action"; None means never."""

    warn: int | None = None
    refuse: int | None = None
    abort: int | None = None

    def __post_init__(self) -> None:
        given = [step for step in (self.warn, self.refuse, self.abort) if step is not None]
        if any(step < 2 for step in given) or given != sorted(given):
            raise OptionInvalid(
                f"thresholds are numbers of steps, at least 2 and in the order warn, refuse, abort; got {self}",
                option="limits",
            )

    def level(self, count: int, *, refuses: bool) -> LoopLevel | None:
        """Return the level of the N-th step; without `refuses` a refusal becomes a warning."""
        if self.abort is not None and count >= self.abort:
            return "abort"
        if self.refuse is not None and count >= self.refuse:
            return "refuse" if refuses else "warn"
        return "warn" if self.warn is not None and count >= self.warn else None


class LoopLimits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The thresholds of all rules; None turns a rule off.

    `bench/loops` measures the defaults. `repeat` warns at the 4th identical action, as the system that the rule comes
    from does. `cycle` counts rounds: A-B-A-B is two rounds, and the next A starts the third.
    """

    repeat: Threshold | None = Threshold(4, 6, 8)
    cycle: Threshold | None = Threshold(3, 4, 6)
    failing: Threshold | None = Threshold(4, 6, 8)
    stagnant: Threshold | None = Threshold(10, 15, 20)
    window: int = 20
    """The number of steps in which `cycle` looks for identical ones, as in browser-use. It misses longer cycles."""
    digits: Digits = "fold"
    scrolling: frozenset[str] = frozenset({"scroll", "swipe"})
    waiting: frozenset[str] = frozenset({"wait", "wait_for"})
    """The actions that `repeat` and `cycle` ignore, together with `scrolling`."""
    moving: frozenset[str] = frozenset({"scroll", "swipe", "press_key"})
    """Actions that are useful if they only lead to a new position."""
    reading: frozenset[str] = frozenset(
        {"aria_snapshot", "extract", "find_elements", "screenshot", "search_page", "snapshot"}
    )
    """Actions that cannot change a page: `stagnant` counts them only when they repeat."""

    def __post_init__(self) -> None:
        if self.window < 2:
            raise OptionInvalid(f"window is a number of steps, at least 2; got {self.window}", option="limits")

    @property
    def exempt(self) -> frozenset[str]:
        """The actions that `repeat` and `cycle` do not count."""
        return self.scrolling | self.waiting

    @classmethod
    def named(cls, name: str) -> LoopLimits:
        """Return the limits of a name.

        Args:
            name: `stillframe`, `pilo` or `browser-use`.

        Raises:
            OptionInvalid: It is any other name.
        """
        if name not in PRESETS:
            hint = did_you_mean(name, PRESETS)
            known = ", ".join(PRESETS)
            raise OptionInvalid(f"there are no limits called {name!r}{hint}; known: {known}", option="limits")
        return PRESETS[name]()

    @classmethod
    def pilo(cls, max_repeated_actions: int = 2) -> LoopLimits:
        """Return the thresholds of mozilla/pilo: one warning after `max_repeated_actions` repeats, then an abort.

        Pilo counts the first action as 0, so 2 warns at the 4th identical action and aborts at the 5th. Two actions are
        identical by their signature and the page state, not by role and name alone.
        """
        if max_repeated_actions < 0:
            raise OptionInvalid(f"max_repeated_actions must be 0 or more, got {max_repeated_actions}", option="limits")
        repeat = Threshold(max_repeated_actions + 2, None, max_repeated_actions + 3)
        return cls(repeat=repeat, cycle=None, failing=None, stagnant=None)

    @classmethod
    def browser_use(cls) -> LoopLimits:
        """Return the thresholds of browser-use: only warnings, from the 5th step on."""
        warning = Threshold(5)
        return cls(repeat=warning, cycle=warning, failing=None, stagnant=warning, window=20)


PRESETS: dict[str, Callable[[], LoopLimits]] = {
    "stillframe": LoopLimits,
    "pilo": LoopLimits.pilo,
    "browser-use": LoopLimits.browser_use,
}
