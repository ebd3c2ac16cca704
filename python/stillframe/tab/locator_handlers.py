"""The caller's functions for what may come up over a page: consent banners, offers, warnings."""

from __future__ import annotations

from collections.abc import Awaitable, Callable


class LocatorHandler:
    """A function that runs when an element shows while an action is about to act."""

    def __init__(self, selector: str, run: Callable[[], Awaitable[None]], *, times: int | None, waits: bool) -> None:
        self.selector = selector
        self.run = run
        """Runs the function of the caller, to its end."""
        self.times = times
        """How often it may still run; None for no limit."""
        self.waits = waits
        """Whether the element has to be gone afterwards."""
