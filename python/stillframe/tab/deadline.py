"""One time limit for all the waits of a call, and the moment at which the call ends in any case.

A call makes one Deadline from its limit and passes it down; each wait takes the time that is left. `Deadline.enforced`,
around the whole call, is the one place that enforces it: the call ends at most `LATE_S` late, whatever its waits do.
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
from stillframe.model.playwright_parameters import bind

LATE_S = 0.6
"""Seconds after its timeout by which a call has ended, whatever the page does."""


class DefaultMs(float):
    """A documented default of a `timeout_ms`; `Timeouts` tells it from the number that a caller writes."""


CALL_MS = DefaultMs(30_000)
"""Milliseconds that a call may take by default, as in other drivers."""

Method = TypeVar("Method", bound=Callable[..., Coroutine[Any, Any, Any]])


class Deadline:
    """A time limit that several waits share; `timeout` is in seconds, None for no limit."""

    def __init__(self, timeout: float | None) -> None:
        self.timeout = inf if timeout is None else timeout
        self._time = loop_clock()
        self._at = self._time.now() + self.timeout
        self._since = self._time.stalled

    @classmethod
    def of_ms(cls, timeout_ms: float | None) -> Deadline:
        """Return the deadline of a call that begins now; raises OptionInvalid as `in_seconds` does."""
        return cls(in_seconds(timeout_ms))

    def within(self, seconds: float) -> Deadline:
        """Return the earlier of this deadline and one `seconds` from now, for a part of the call."""
        return Deadline(min(seconds, self.left_s))

    def extended(self, seconds: float) -> Deadline:
        """Return a deadline this much later: a caller asks to spend the time; or earlier, to keep some for the end."""
        return Deadline(max(0.0, self.left_s + seconds))

    def hard(self) -> Deadline:
        """Return the moment by which the call must have ended, as the deadline of what it does last."""
        return Deadline(self.hard_left_s)

    @property
    def shown(self) -> str:
        """Return the limit for a message, `3 s`; one that began a moment after another has the rest of that."""
        return f"{round(self.timeout, 2) or self.timeout:g} s"

    @property
    def left_s(self) -> float:
        """Return the seconds left, never negative."""
        return self._until(self._at)

    @property
    def hard_left_s(self) -> float:
        """Return the seconds until the call must have ended: `LATE_S` more than `left_s`."""
        return self._until(self._at + LATE_S)

    def _until(self, at: float) -> float:
        left = at - self._time.now()
        return max(0.0, left - self._time.uncounted(self._since))

    @asynccontextmanager
    async def enforced(self, operation: str, *, extra_s: float = 0.0) -> AsyncIterator[None]:
        """End the block `LATE_S`, and `extra_s`, after the deadline; raises CommandTimeout that names `operation`."""
        try:
            async with time_limit(self.hard_left_s + extra_s):
                yield
        except StillframeError:
            raise
        except TimeoutError:
            raise CommandTimeout(
                f"{operation}: did not finish within {self.shown} (plus {LATE_S:g} s); a script on the page may "
                "run without a pause, or the browser may be stopped",
                timeout_ms=self.timeout * 1000,
            ) from None


def time_limited(method: Method) -> Method:
    """End a method at most `LATE_S` after its `timeout_ms` (a keyword argument), whatever it awaits.

    The call then raises CommandTimeout; an invalid timeout raises OptionInvalid at once. None means no limit.
    """
    operation = method.__qualname__.lower()
    default = signature(method).parameters["timeout_ms"].default

    @wraps(method)
    async def wrapper(*args: Any, **kwargs: Any) -> Any:
        async with Deadline.of_ms(kwargs.get("timeout_ms", default)).enforced(operation):
            return await bind(method, args, kwargs)

    return cast("Method", wrapper)


def in_seconds(timeout_ms: float | None) -> float | None:
    """Return a timeout in seconds; raises OptionInvalid if it is negative or not a number."""
    if timeout_ms is None:
        return None
    if not isinstance(timeout_ms, int | float) or isinstance(timeout_ms, bool) or not timeout_ms >= 0:
        raise OptionInvalid(
            f"timeout_ms is {timeout_ms!r}: it must be a number of milliseconds, 0 or more, or None for no limit",
            option="timeout_ms",
        )
    return timeout_ms / 1000
