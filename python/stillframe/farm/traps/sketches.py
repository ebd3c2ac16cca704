"""Sets of fixed size: whether something was seen, and how many different things were."""

from __future__ import annotations

import heapq
import math
from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

Value = TypeVar("Value")

MASK = (1 << 64) - 1
WORDS_OF_SEEN = 1 << 22
"""Bytes of a `Seen`: with ten million things in it, it takes one new thing in ten for a known one."""


class Seen:
    """What was seen: never forgets, and may take something new for known when it is full (a Bloom filter)."""

    def __init__(self, size: int = WORDS_OF_SEEN) -> None:
        self._bits = bytearray(size)
        self._mask = 8 * size - 1

    def add(self, thing: Hashable) -> bool:
        """Remember a thing, and return whether it was new."""
        new = False
        for byte, bit in self._places(thing):
            if not self._bits[byte] & bit:
                self._bits[byte] |= bit
                new = True
        return new

    def __contains__(self, thing: Hashable) -> bool:
        return all(self._bits[byte] & bit for byte, bit in self._places(thing))

    def _places(self, thing: Hashable) -> list[tuple[int, int]]:
        mixed = hash(thing) * 0x9E3779B97F4A7C15
        found = ((mixed >> shift) & self._mask for shift in (0, 26, 52))
        return [(at >> 3, 1 << (at & 7)) for at in found]


class Distinct:
    """How many different things were added, within some per cent, up to about three times the number of bits."""

    def __init__(self, bits: int) -> None:
        self._size = bits
        self._bits = 0
        self._set = 0

    def add(self, thing: Hashable) -> None:
        """Add a thing."""
        bit = 1 << ((hash(thing) * 0x9E3779B97F4A7C15 >> 20) % self._size)
        if not self._bits & bit:
            self._bits |= bit
            self._set += 1

    @property
    def count(self) -> float:
        """The estimate; infinite if there are too many."""
        left = self._size - self._set
        return math.inf if left < self._size / 20 else -self._size * math.log(left / self._size)


class Alike:
    """A sketch of a set, by the smallest of the hashes of its things: two of them tell how much two sets share."""

    def __init__(self, things: Iterable[Hashable], *, size: int = 64) -> None:
        self._size = size
        self._least = frozenset(heapq.nsmallest(size, {hash(thing) * 0x9E3779B97F4A7C15 & MASK for thing in things}))

    def share(self, other: Alike) -> float:
        """Return about which share of the things of both sets is in each of them; 1 for two empty sets."""
        least = heapq.nsmallest(self._size, self._least | other._least)
        both = self._least & other._least
        return sum(each in both for each in least) / len(least) if least else 1.0


class Recent(dict[object, Value], Generic[Value]):
    """The values that were asked for last, at most `size` of them."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self._size = size

    def peek(self, key: object) -> Value | None:
        """Return a value, None if there is none."""
        return dict.get(self, key)

    def get(self, key: object, make: type[Value]) -> Value:  # type: ignore[override]
        """Return a value, and make it if there is none."""
        value = self.pop(key, None)
        if value is None:
            value = make()
            if len(self) >= self._size:
                del self[next(iter(self))]
        self[key] = value
        return value
