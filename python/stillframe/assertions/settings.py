"""How long assertions wait."""

from __future__ import annotations

from stillframe.tab.context.timeouts import checked
from stillframe.tab.deadline import DefaultMs, in_seconds
from stillframe.tab.reading.reading import FOREVER_S

EXPECT_MS = DefaultMs(5_000)
"""Milliseconds that an assertion waits by default, as with Playwright; `expect.set_options` sets another default."""


class Settings:
    """The settings of this process, which `expect.set_options` changes."""

    def __init__(self) -> None:
        self.timeout_ms: float | None = None


SETTINGS = Settings()


def set_timeout(timeout_ms: float | None) -> None:
    """Set the default of assertions in milliseconds; None is the usual one. Raises OptionInvalid."""
    SETTINGS.timeout_ms = checked(timeout_ms, "expect.set_options")


def limit(timeout_ms: float | None) -> float | None:
    """Return the milliseconds of an assertion: what was given, or else the default of this process."""
    if not isinstance(timeout_ms, DefaultMs):
        return timeout_ms
    # A plain number, because the default of a page is not that of its assertions.
    return float(timeout_ms) if SETTINGS.timeout_ms is None else SETTINGS.timeout_ms


def seconds_of(timeout_ms: float | None) -> float:
    """Return a limit in seconds; raises OptionInvalid."""
    seconds = in_seconds(timeout_ms)
    return FOREVER_S if seconds is None else seconds
