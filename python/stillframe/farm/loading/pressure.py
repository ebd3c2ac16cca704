"""Which answers with 429 or 503 hold a page, and which its whole host: pure decisions, with the time as an argument."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

RESCHEDULED = frozenset({429, 503})
"""Statuses by which a server asks for time (RFC 6585, RFC 9110)."""
FIRST_HOLD_S, LONGEST_HOLD_S = 5.0, 3_600.0
"""How long a page or a host waits that does not say for how long: it doubles each time; our choice."""
MAX_RESCHEDULES = 10
"""After this many such answers while its host is held, a page counts as failed: the last wait is over an hour."""
MAX_ALONE = 5
"""The same for a page that is alone with it: the waits add up to 155 s, after which the page itself is broken."""
PATIENCE_S = 3_600.0
"""How long a host may answer nothing else until its pages fail: they would take turns for weeks; our choice."""
SILENCE_S = 2 * LONGEST_HOLD_S
"""How long after its last such answer that is remembered: longer than a hold."""

WINDOW_S = 60.0
"""How long an answer counts as evidence; our choice."""
PAGES = 3
"""How many different pages of a host must ask for time within the window; our choice."""
SHARE = 0.2
"""The least share of them among the pages that the host answered within the window. A host with a few broken pages
answers all others; our choice."""
ANSWERS = 1_000
"""How many answers of a host are kept at most: more than one worker gets within the window."""
HOSTS = 10_000
"""How many hosts are remembered: those that were heard last."""


@dataclass(frozen=True)
class Wait:
    """What follows from an answer: the page waits for `page_s`, and its host for `host_s`; 0 leaves the host alone.

    `gives_up` says that the page has asked for time too often and counts as failed.
    """

    page_s: float
    host_s: float = 0.0
    gives_up: bool = False


@dataclass
class _Host:
    answers: deque[tuple[float, str, bool]] = field(default_factory=lambda: deque(maxlen=ANSWERS))
    """When which page was answered, and whether the answer asked for time."""
    held_until: float = 0.0
    holds: int = 0
    """How often in a row the host was held on evidence."""
    asks: int = 0
    """How many answers in a row asked for time; the first and the last of them came at these times."""
    first_asked: float = 0.0
    last_asked: float = 0.0


class Pressure:
    """What one worker has heard of each host; `now` is a time in seconds that only grows."""

    def __init__(self) -> None:
        self._hosts: dict[str, _Host] = {}

    def answered(self, host: str, page: str, now: float) -> None:
        """Record that a page was answered without a request for time."""
        known = self._of(host, page, now, asks=False)
        known.asks = 0
        if now >= known.held_until:
            known.holds = max(0, known.holds - 1)

    def is_given_up(self, host: str, now: float) -> bool:
        """Return whether a host has asked for time for so long that its pages fail without being loaded."""
        known = self._hosts.get(host)
        if known is None or known.asks < MAX_RESCHEDULES or now - known.last_asked > SILENCE_S:
            return False
        return known.last_asked - known.first_asked >= PATIENCE_S

    def asked(self, host: str, page: str, now: float, *, retry_after_s: float | None, times: int) -> Wait:
        """Return what follows from the `times`-th answer of a page that asks for time, 1 for the first.

        With `Retry-After` the host waits for as long as it says. Without it the page waits, and its host only on the
        evidence of several different pages.
        """
        known = self._of(host, page, now, asks=True)
        if known.asks == 0 or now - known.last_asked > SILENCE_S:
            known.asks, known.first_asked = 0, now
        known.asks, known.last_asked = known.asks + 1, now
        if self.is_given_up(host, now):
            return Wait(0.0, gives_up=True)
        if retry_after_s is not None:
            hold = min(retry_after_s, LONGEST_HOLD_S)
            return Wait(hold, hold, gives_up=times > MAX_RESCHEDULES)
        alone = doubled_s(times)
        if not _is_evident(known):
            return Wait(alone, gives_up=times > MAX_ALONE)
        if now >= known.held_until:  # pages that were on their way when the hold began add nothing to it
            known.holds += 1
            known.held_until = now + doubled_s(known.holds)
        left = known.held_until - now
        return Wait(left, left, gives_up=times > MAX_RESCHEDULES)

    def _of(self, host: str, page: str, now: float, *, asks: bool) -> _Host:
        known = self._hosts[host] = self._hosts.pop(host) if host in self._hosts else _Host()  # the last stands last
        known.answers.append((now, page, asks))
        while known.answers[0][0] <= now - WINDOW_S:
            known.answers.popleft()
        while len(self._hosts) > HOSTS:
            del self._hosts[next(iter(self._hosts))]
        return known


def _is_evident(known: _Host) -> bool:
    asking = {page for _, page, asks in known.answers if asks}
    heard = {page for _, page, _ in known.answers}
    return len(asking) >= PAGES and len(asking) >= SHARE * len(heard)


def doubled_s(times: int) -> float:
    """Return how long the `times`-th wait in a row lasts, 1 for the first."""
    return min(FIRST_HOLD_S * 2.0 ** min(times - 1, 64), LONGEST_HOLD_S)
