"""What agents do: families of behaviour, each true loops or honest repeats, with what varies between their traces.

A true loop is given twenty calls, which is less than half of what agents are allowed (pilo: 50). An honest repeat ends
when its work is done. A family says by its name what happens; its label follows from that, and from no detector.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, cycle, islice
from typing import NamedTuple

from bench.loops.page import Call, Noise, Page
from bench.loops.traces import Trace, play

LENGTH = 20
MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
LABELS = ("Submit", "Save", "Continue", "Pay now", "Confirm", "Apply")
QUERIES = ("red shoes", "blue shoes", "green hat", "winter coat", "rain boots", "silk scarf", "wool socks", "old books")
CODES = ("element_covered", "element_disabled", "element_not_found")


class Variation(NamedTuple):
    """What differs between the traces of one family."""

    count: int = 6
    """How many months, items, rows, fields, …: 5 to 12."""
    few: int = 2
    """How often something fails before it works: 1 to 3."""
    pick: int = 0
    """Which label, code or word."""
    churns: bool = False
    noise: Noise = Noise()
    filler: str = ""
    """What an agent that goes in circles puts between its calls: nothing, a scroll or a wait after every third."""

    @property
    def label(self) -> str:
        return LABELS[self.pick % len(LABELS)]


Plan = tuple[Page, Sequence[Call]]
Family = Callable[[Variation], Plan]

LOOPS: dict[str, Family] = {}
HONEST: dict[str, Family] = {}


def loop(family: Family) -> Family:
    """Enter a family of true loops."""
    LOOPS[family.__name__] = family
    return family


def honest(family: Family) -> Family:
    """Enter a family of honest repeats."""
    HONEST[family.__name__] = family
    return family


def traced(name: str, variation: Variation) -> Trace:
    """Let the agent of a family act."""
    is_loop = name in LOOPS
    page, calls = (LOOPS if is_loop else HONEST)[name](variation)
    if is_loop:
        calls = list(islice(_filled(cycle(calls), variation.filler), LENGTH))
    return play(name, is_loop, page, calls, variation.noise)


def _filled(calls: Iterator[Call], filler: str) -> Iterator[Call]:
    for number, call in enumerate(calls, 1):
        yield call
        if filler and number % 3 == 0:
            yield Call(filler, value="down" if filler == "scroll" else "1")


def click(key: str) -> Call:
    return Call("click_element", key)


def between(calls: Sequence[Call], *more: Call) -> list[Call]:
    return list(chain.from_iterable((call, *more) for call in calls))
