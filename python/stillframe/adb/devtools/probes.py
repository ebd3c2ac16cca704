"""When not to connect to a DevTools socket again: a circuit breaker for apps that never answer. No I/O.

The kernel completes a connection to a frozen app, and keeps it in the app's queue even after the client has given up.
Before Chromium 144 the queue had 10 places, and one connection more blocks the thread of adbd that serves the whole
device. So after two probes without an answer there is no third, until something about the app has changed.
"""

from __future__ import annotations

from typing import NamedTuple

MAX_FAILED = 2
"""Probes without an answer after which there are no more: few beside the queue of 10 connections."""
MAX_KEYS = 1024
"""Sockets that are remembered; beyond that, those that failed longest ago are forgotten."""

SocketKey = tuple[str, str]
"""The serial of a device and the name of a socket."""


class Occupant(NamedTuple):
    """Who is behind a socket: a process, None if unknown, and whether Android may have frozen it."""

    pid: int | None
    frozen: bool


class Probes:
    """Counts the probes of each socket that got no answer."""

    def __init__(self) -> None:
        self._failed: dict[SocketKey, tuple[Occupant, int]] = {}

    def may(self, key: SocketKey, occupant: Occupant) -> bool:
        """Return whether a socket may be asked: fewer than two probes of this occupant have failed in a row."""
        known, failed = self._failed.get(key, (occupant, 0))
        return known != occupant or failed < MAX_FAILED

    def failed(self, key: SocketKey, occupant: Occupant) -> None:
        """Note a probe that got no answer in time."""
        known, failed = self._failed.pop(key, (occupant, 0))
        self._failed[key] = (occupant, failed + 1 if known == occupant else 1)
        if len(self._failed) > MAX_KEYS:
            del self._failed[next(iter(self._failed))]

    def answered(self, key: SocketKey) -> None:
        """Note an answer, whatever it says: earlier failures no longer count."""
        self._failed.pop(key, None)
