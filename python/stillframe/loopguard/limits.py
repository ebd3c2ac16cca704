"""From which call on a loop guard speaks, and what it then does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import msgspec

from stillframe.errors import OptionInvalid
from stillframe.loopguard.signature import Digits
from stillframe.model.loops import Level
from stillframe.model.suggest import did_you_mean

Mode = Literal["shadow", "warn", "refuse"]
MODES: tuple[Mode, ...] = ("shadow", "warn", "refuse")


class Threshold(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """From which call on a rule warns, refuses and aborts: each is "the N-th identical call", None is never."""

    warn: int | None = None
    refuse: int | None = None
    abort: int | None = None

    def __post_init__(self) -> None:
        given = [call for call in (self.warn, self.refuse, self.abort) if call is not None]
        if any(call < 2 for call in given) or given != sorted(given):
            raise OptionInvalid(
                f"thresholds are numbers of calls, at least 2 and in the order warn, refuse, abort; not {self}",
                option="limits",
            )

    def level(self, count: int, *, refuses: bool) -> Level | None:
        """Return what the N-th call meets; where nothing is to be refused, the refusal is a warning."""
        if self.abort is not None and count >= self.abort:
            return "abort"
        if self.refuse is not None and count >= self.refuse:
            return "refuse" if refuses else "warn"
        return "warn" if self.warn is not None and count >= self.warn else None


class Limits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The thresholds of all rules; a rule that is None does not speak.

    bench/loops tries the defaults. `repeat` warns where the system that the rule came from does, at the 4th call.
    `cycle` counts rounds: A-B-A-B is two, and the next A begins the third.
    """

    repeat: Threshold | None = Threshold(4, 6, 8)
    cycle: Threshold | None = Threshold(3, 4, 6)
    failing: Threshold | None = Threshold(4, 6, 8)
    stagnant: Threshold | None = Threshold(10, 15, 20)
    window: int = 20
    """Steps that `cycle` looks back: the window of browser-use. A circle of more steps is not seen."""
    digits: Digits = "fold"
    scrolling: frozenset[str] = frozenset({"scroll", "swipe"})
    waiting: frozenset[str] = frozenset({"wait", "wait_for"})
    """With `scrolling`, the actions that `repeat` and `cycle` pass over."""
    moving: frozenset[str] = frozenset({"scroll", "swipe", "press_key"})
    """Actions that do what they are for when the position alone is another one, a new one that is."""
    reading: frozenset[str] = frozenset({"extract", "find_elements", "screenshot", "search_page", "snapshot"})
    """Actions that cannot change a page: `stagnant` counts them only when they are asked again."""

    def __post_init__(self) -> None:
        if self.window < 2:
            raise OptionInvalid(f"window is a number of steps, at least 2; not {self.window}", option="limits")

    @property
    def exempt(self) -> frozenset[str]:
        """The actions that `repeat` and `cycle` do not count."""
        return self.scrolling | self.waiting

    @classmethod
    def named(cls, name: str) -> Limits:
        """Return limits by name: `stillframe`, `pilo` or `browser-use`; raises OptionInvalid for another one."""
        if name not in PRESETS:
            hint = did_you_mean(name, PRESETS)
            known = ", ".join(PRESETS)
            raise OptionInvalid(f"no limits are named {name!r}{hint}; known: {known}", option="limits")
        return PRESETS[name]()

    @classmethod
    def pilo(cls, max_repeated_actions: int = 2) -> Limits:
        """Return the thresholds of mozilla/pilo: after `max` counted repeats one warning, then the end.

        The first call counts 0 there, so 2 warns on the 4th identical call and aborts on the 5th. What is identical is
        decided by our signature and the page, not by role and name alone.
        """
        if max_repeated_actions < 0:
            raise OptionInvalid(f"max_repeated_actions is at least 0, not {max_repeated_actions}", option="limits")
        repeat = Threshold(max_repeated_actions + 2, None, max_repeated_actions + 3)
        return cls(repeat=repeat, cycle=None, failing=None, stagnant=None)

    @classmethod
    def browser_use(cls) -> Limits:
        """Return the thresholds of browser-use: advice from the 5th call and the 5th unchanged page on, no more."""
        advice = Threshold(5)
        return cls(repeat=advice, cycle=advice, failing=None, stagnant=advice, window=20)


PRESETS: dict[str, Callable[[], Limits]] = {
    "stillframe": Limits,
    "pilo": Limits.pilo,
    "browser-use": Limits.browser_use,
}
