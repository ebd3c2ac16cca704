"""How much a repair may change: six levels from nothing to as much as the core calls certain."""

from __future__ import annotations

from typing import NamedTuple

from stillframe.errors import OptionInvalid
from stillframe.scripts.identity import Likeness

DEFAULT = 3


class Tolerance(NamedTuple):
    """What one level allows.

    An element of the same role and name is accepted with any score that the core accepts. If `changed` of the two may
    differ, the element needs `min_score` and must lead by `min_margin` over all others, both 0 to 1. `model_changes` is
    how many actions of a script a model may modify, insert and remove in one repair.
    """

    changed: int
    min_score: float
    min_margin: float
    model_changes: int

    def accepts(self, likeness: Likeness) -> bool:
        """Return whether the element with this likeness may take the place of the one that a script means."""
        if likeness.is_other:
            return False
        changed = (not likeness.same_role) + (not likeness.same_name)
        sure = likeness.score >= self.min_score and likeness.margin >= self.min_margin
        return changed == 0 or (changed <= self.changed and sure)


TOLERANCES: dict[int, Tolerance | None] = {
    0: None,
    1: Tolerance(changed=0, min_score=1.0, min_margin=1.0, model_changes=0),
    2: Tolerance(changed=1, min_score=0.75, min_margin=0.15, model_changes=2),
    3: Tolerance(changed=1, min_score=0.65, min_margin=0.12, model_changes=6),
    4: Tolerance(changed=1, min_score=0.6, min_margin=0.1, model_changes=12),
    5: Tolerance(changed=2, min_score=0.5, min_margin=0.1, model_changes=24),
}
"""What each `flexibility` allows; 0 repairs nothing. The lowest score and margin are the core's own (ACCEPTED and
MARGIN in rust/core/src/element/relocate.rs); `python -m bench mutations` shows what the default finds."""


def tolerance(flexibility: int) -> Tolerance | None:
    """Return what a level of flexibility allows, None for level 0; raises OptionInvalid for anything but 0 to 5."""
    if isinstance(flexibility, bool) or flexibility not in TOLERANCES:
        raise OptionInvalid(f"option flexibility: expected 0 to 5, got {flexibility!r}", option="flexibility")
    return TOLERANCES[flexibility]
