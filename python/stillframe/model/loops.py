"""Values of the loop guard: what identifies an action, and the events that report a loop."""

from __future__ import annotations

import json
from typing import Literal

import msgspec

LoopRule = Literal["repeat", "cycle", "failing", "stagnant"]
"""The rule that found a loop: an identical action, a cycle of actions, a failing action, a page that does not
change."""
LoopLevel = Literal["warn", "refuse", "abort"]
"""What follows: advice only; this action is refused; every action is refused until the loop guard is reset."""


class ActionSignature(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What two actions have in common when they are identical: the action, its element and its value; never a ref.

    Texts are normalized (`stillframe.loopguard.action_signature`). `place` tells apart elements of one role and name.
    It is the selector when no element was found.
    """

    action: str
    role: str = ""
    name: str = ""
    value: str = ""
    place: str = ""

    def __str__(self) -> str:
        parts = [self.action, self.role, json.dumps(self.name, ensure_ascii=False) if self.name else ""]
        parts += [f"= {json.dumps(self.value, ensure_ascii=False)}" if self.value else ""]
        parts += [f"in {self.place}" if self.place else ""]
        return " ".join(part for part in parts if part)


class LoopEvent(msgspec.Struct, frozen=True, kw_only=True):
    """A report of the loop guard about one action, made before the action runs.

    `count` is the number of identical actions so far (`cycle`: of rounds). `iteration` is the number of this action
    among all actions that the loop guard has checked.
    """

    rule: LoopRule
    level: LoopLevel
    signature: ActionSignature
    count: int
    iteration: int
    advice: str
