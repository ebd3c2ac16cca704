"""Which hosts have figures of their own: a few, whatever a crawl meets. Pure logic; time is an argument.

A metric with a host as its label could have millions of series. Here at most `SLOTS` hosts have one at a time, and each
keeps it for `STAY_S` at least, so that series are long enough to be read and few over a day. All others share one.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import msgspec

OTHER = "other"
"""The host of all pages whose host has no slot."""
SLOTS = 20
"""Hosts with figures of their own at a time, per worker; our choice."""
STAY_S = 300.0
"""How long a host keeps its slot at least; so at most 5,760 series begin in a day and worker."""
WAITING = 1_000
"""Hosts without a slot whose pages are counted; of those beyond, the one that was seen first is forgotten."""
AHEAD = 2
"""How many times as busy as the idlest slot a host must be to take it: two equal ones do not swap."""
HOST_CHARACTERS = 100


class HostFigures(msgspec.Struct, frozen=True, kw_only=True):
    """What the pages of a host came to: how many had each outcome, and how long they took in all."""

    host: str
    pages: Mapping[str, int]
    seconds: float


@dataclass
class _Slot:
    since: float
    pages: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    recent: float = 0.0


class BusyHosts:
    """Counts pages by host, for the busiest hosts and for all others together."""

    def __init__(self, slots: int = SLOTS) -> None:
        self._most = slots
        self._slots: dict[str, _Slot] = {}
        self._other = _Slot(since=0.0)
        self._waiting: OrderedDict[str, float] = OrderedDict()
        """How busy hosts without a slot are, the one seen last at the end."""
        self._faded_at: float | None = None

    def count(self, host: str, outcome: str, seconds: float, now: float) -> None:
        """Count a page that has ended."""
        self._fade(now)
        slot = self._slots.get(host) or self._admit(host, now) or self._other
        slot.pages[outcome] += 1
        slot.seconds += seconds
        slot.recent += 1

    def figures(self) -> tuple[HostFigures, ...]:
        """Return the figures of the hosts with a slot, and of `OTHER` if there are other ones."""
        found = [*self._slots.items(), *([(OTHER, self._other)] if self._other.pages else [])]
        return tuple(
            HostFigures(host=host, pages=dict(slot.pages), seconds=round(slot.seconds, 3)) for host, slot in found
        )

    def _admit(self, host: str, now: float) -> _Slot | None:
        """Give a host a free slot, or one that is idle beside it; None if it has to wait."""
        busy = self._waiting.pop(host, 0.0) + 1
        if len(self._slots) >= self._most:
            idlest = None if busy < AHEAD else self._idlest(now)
            if idlest is None or busy < AHEAD * self._slots[idlest].recent:
                self._waiting[host] = busy
                if len(self._waiting) > WAITING:
                    self._waiting.popitem(last=False)
                return None
            del self._slots[idlest]
        slot = self._slots[host] = _Slot(since=now, recent=busy - 1)
        return slot

    def _idlest(self, now: float) -> str | None:
        """Return the host that may lose its slot, the least busy one; None if each has to keep it for now."""
        names = [name for name, slot in self._slots.items() if now - slot.since >= STAY_S]
        return min(names, key=lambda name: self._slots[name].recent, default=None)

    def _fade(self, now: float) -> None:
        """Halve how busy hosts are with each `STAY_S` that has passed, so that what was counts less than what is."""
        if self._faded_at is None:
            self._faded_at = now
        if now - self._faded_at >= STAY_S:
            passed = (now - self._faded_at) // STAY_S
            self._faded_at += passed * STAY_S
            share = 0.5 ** min(passed, 60)
            for slot in (*self._slots.values(), self._other):
                slot.recent *= share
            self._waiting = OrderedDict((host, busy * share) for host, busy in self._waiting.items())


def host_name(url: str) -> str:
    """Return the host of a URL with its port, without credentials, as a label may have it.

    >>> host_name("https://ann:secret@Shop.test:8443/a")
    'shop.test:8443'
    """
    try:
        host = urlsplit(url).netloc.rpartition("@")[2].lower()
    except ValueError:
        host = ""
    return host[:HOST_CHARACTERS] or OTHER
