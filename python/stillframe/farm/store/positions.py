"""Where a page stands in the queue: its priority in the high bits of its position, its turn in the low ones.

So pages of a higher priority come first in the order, the indexes and the heads of hosts that were there before.
"""

from __future__ import annotations

from stillframe.errors import OptionInvalid

BITS = 48
BAND = 1 << BITS
"""How many positions each priority has: turns go up from 1, and down from -1 for pages that go first."""
HALF = BAND >> 1
HIGHEST_PRIORITY = 100
"""The range is small so that people can agree on its meaning; our choice."""


def check_priority(priority: int) -> None:
    """Raise OptionInvalid for a priority out of range."""
    if not -HIGHEST_PRIORITY <= priority <= HIGHEST_PRIORITY:
        raise OptionInvalid(
            f"the priority {priority} is out of range: give a number from {-HIGHEST_PRIORITY} to {HIGHEST_PRIORITY}",
            option="priority",
        )


def start_of(priority: int) -> int:
    """Return what is added to a turn for the position of a page of this priority."""
    return -priority * BAND


def priority_of(position: int) -> int:
    """Return the priority of the page at a position."""
    return -((position + HALF) >> BITS)
