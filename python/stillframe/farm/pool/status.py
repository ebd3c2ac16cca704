"""What a pool is doing, as values."""

from __future__ import annotations

import msgspec


class BrowserStatus(msgspec.Struct, frozen=True, kw_only=True):
    """One browser of a pool: `doing` are the URLs of the pages in use; `state` as in the planner."""

    number: int
    state: str
    pages: int
    served: int
    age_s: float
    pss_bytes: int
    doing: tuple[str, ...] = ()


class PoolStatus(msgspec.Struct, frozen=True, kw_only=True):
    """A pool at one moment: its browsers, and how many were launched, ended by themselves, and pages shed so far.

    `admitting` is None while pages can be opened, else what stands against it: "pages", "memory", "disk" or "browsers".
    """

    browsers: tuple[BrowserStatus, ...]
    launched: int
    restarts: int
    shed: int
    waiting: int
    memory_share: float
    free_disk_bytes: float
    admitting: str | None

    @property
    def pss_bytes(self) -> int:
        """The memory of all browsers."""
        return sum(browser.pss_bytes for browser in self.browsers)
