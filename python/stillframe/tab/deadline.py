"""One time limit for all the waits of a call, and the moment by which it has ended whatever the page does.

A call makes a Deadline of its own limit and hands it down; each wait within it takes what is left. The one place that
enforces it is `Deadline.enforced`, round the whole call: whatever the waits within it do, it ends `LATE_S` late.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from functools import wraps
from inspect import signature
from math import inf
from typing import Any, TypeVar, cast

from stillframe.cdp.loop_clock import loop_clock, time_limit
from stillframe.errors import CommandTimeout, OptionInvalid, StillframeError

LATE_S = 0.6
"""Seconds after its timeout by which a call has ended, whatever the page does."""

CALL_MS = 30_000.0
"""Milliseconds that a call may take by default: the default of the drivers people come from."""

Method = TypeVar("Method", bound=Callable[..., Coroutine[Any, Any, Any]])


class Deadline:
    """A moment that several waits share; `timeout` is in seconds, None for no limit."""

    def __init__(self, timeout: float | None) -> None:
        self.timeout = inf if timeout is None else timeout
        self._time = loop_clock()
        self._at = self._time.now() + self.timeout

    @property
    def left(self) -> float:
        """Seconds that are left, never negative."""
        return max(0.0, self._at - self._time.now())

    @property
    def late(self) -> float:
        """Seconds until the call must have ended: `LATE_S` longer than what is left for it."""
        return max(0.0, self._at + LATE_S - self._time.now())

    @asynccontextmanager
    async def enforced(self, what: str) -> AsyncIterator[None]:
        """End the block when it is late; raises CommandTimeout, which says so of `what`."""
        try:
            async with time_limit(self.late):
                yield
        except StillframeError:
            raise
        except TimeoutError:
            raise CommandTimeout(
                f"{what}: no end within {self.timeout:g} s and {LATE_S:g} s more; a script of the page may run all the "
                "time, or the browser is stopped",
                timeout_ms=self.timeout * 1000,
            ) from None


def time_limited(method: Method) -> Method:
    """End a call `LATE_S` after its `timeout_ms` (a keyword) at the latest, whatever it awaits.

    The call raises CommandTimeout then, and OptionInvalid at once for a timeout that is no time. None is no limit.
    """
    what = method.__qualname__.lower()
    default = signature(method).parameters["timeout_ms"].default

    @wraps(method)
    async def wrapper(*args: Any, **kwargs: Any) -> Any:
        async with Deadline(in_seconds(kwargs.get("timeout_ms", default))).enforced(what):
            return await method(*args, **kwargs)

    return cast(Method, wrapper)


def in_seconds(timeout_ms: float | None) -> float | None:
    """Return a timeout in seconds; raises OptionInvalid for one that is negative or not a number."""
    if timeout_ms is None:
        return None
    if not isinstance(timeout_ms, int | float) or isinstance(timeout_ms, bool) or not timeout_ms >= 0:
        raise OptionInvalid(
            f"timeout_ms is {timeout_ms!r}: it takes milliseconds, 0 or more, or None for no limit", option="timeout_ms"
        )
    return timeout_ms / 1000
