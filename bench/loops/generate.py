"""Traces drawn by hypothesis: the same ones for the same seed, on every machine."""

from __future__ import annotations

import random
import zlib
from collections.abc import Sequence

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from bench.loops import at_work as _at_work  # noqa: F401  enters its families
from bench.loops import going_round as _going_round  # noqa: F401  likewise
from bench.loops.agents import HONEST, LOOPS, Variation, traced
from bench.loops.page import Noise
from bench.loops.traces import Trace

DRAWS = 60
"""Examples drawn for each family; hypothesis repeats itself, and repeated ones count once."""

variations = st.builds(
    Variation,
    count=st.integers(5, 12),
    few=st.integers(1, 3),
    pick=st.integers(0, 23),
    churns=st.booleans(),
    noise=st.builds(Noise, clock=st.booleans(), visitors=st.booleans(), adverts=st.booleans()),
    filler=st.sampled_from(["", "", "scroll", "wait"]),
)


def written() -> list[Trace]:
    """Return the traces written by hand: every family as it is, and once more on a restless page of a framework."""
    restless = Variation(count=9, few=3, pick=1, churns=True, noise=Noise(clock=True, visitors=True))
    return [traced(name, each) for name in (*LOOPS, *HONEST) for each in (Variation(), restless)]


def drawn(number: int, each: int, families: Sequence[str] = (*LOOPS, *HONEST)) -> list[Trace]:
    """Return `each` different traces of every family, drawn with the seed `number`."""
    return [trace for name in families for trace in _drawn(name, number, each)]


def _drawn(name: str, number: int, wanted: int) -> list[Trace]:
    found: dict[Variation, None] = {}

    @seed(_seed(name, number))
    @settings(max_examples=DRAWS, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(variations)
    def draw(variation: Variation) -> None:
        found.setdefault(variation)

    draw()
    # What hypothesis draws one after the other is alike, and the first ones are the simplest.
    chosen = random.Random(_seed(name, number)).sample(list(found), wanted)
    return [traced(name, variation) for variation in chosen]


def _seed(name: str, number: int) -> int:
    return zlib.crc32(f"{number} {name}".encode())
