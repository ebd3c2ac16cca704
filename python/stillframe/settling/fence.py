"""One fence: a question to all realms of a page, and their answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stillframe.model.verdict import Pending

if TYPE_CHECKING:
    from stillframe.settling.signals import FenceDone, Realm, Report


class Fence:
    """A fence in progress; times are in milliseconds."""

    def __init__(self, number: int, sent: float, activity: int, *, min_ms: float = 0.0, last: bool = False) -> None:
        self.number = number
        self.sent = sent
        self.min_ms = min_ms
        """How long the fence waits at least."""
        self.activity = activity
        """The activity count when the fence was sent; if it is the same at the end, nothing happened in between."""
        self.last = last
        """Whether this fence ends the wait, whatever it sees."""
        self.reports: list[tuple[str, Report]] = []
        self.processes = 1
        """How many processes render documents of the page."""
        self._awaited: dict[str, Realm] | None = None

    @property
    def awaited(self) -> list[Realm]:
        """The realms that have not answered."""
        return list((self._awaited or {}).values())

    def sent_to(self, realms: list[Realm]) -> None:
        """Record the realms that the fence was sent to."""
        self._awaited = {realm.key: realm for realm in realms}
        self.processes = len({realm.process for realm in realms if realm.kind != "worker"})

    def awaited_realm(self, realm: str) -> Realm | None:
        """Return a realm that has not answered yet, or None."""
        return (self._awaited or {}).get(realm)

    def add_report(self, signal: FenceDone) -> None:
        """Keep the report of a realm."""
        self.reports.append((signal.realm, signal.report))

    def mark_answered(self, realm: str) -> bool:
        """Mark a realm as answered; return whether it was the last one."""
        if self._awaited is None or self._awaited.pop(realm, None) is None:
            return False
        return not self._awaited

    def pending(self, now: float) -> list[Pending]:
        """Return the rows that a verdict shows for the realms that have not answered."""
        return [Pending("fence", realm.what, round(now - self.sent, 1)) for realm in self.awaited]
