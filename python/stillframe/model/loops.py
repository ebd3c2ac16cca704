"""What is said of repeated actions: signatures and events, as values."""

from __future__ import annotations

import json
from typing import Literal

import msgspec

Rule = Literal["repeat", "cycle", "failing", "stagnant"]
"""Which rule speaks: the same call again, calls that go round, a call that fails again, a page that nothing changes."""
Level = Literal["warn", "refuse", "abort"]
"""What follows: only advice; this action is not performed; nothing is performed until the guard is reset."""


class Signature(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What makes two calls the same one: what is done, with which element, with what value; never a ref.

    Texts are normalised (`stillframe.loopguard.sign`). `place` tells elements of one role and name apart, or is the
    selector when the element could not be looked at.
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
    """One word of a loop guard about a call, given before the call was performed.

    `count` says that this is the N-th such call (`cycle`: that the N-th round has begun), `iteration` the number of the
    call among all that the guard was asked about.
    """

    rule: Rule
    level: Level
    signature: Signature
    count: int
    iteration: int
    advice: str
