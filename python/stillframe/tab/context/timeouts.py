"""The default time limits that a caller sets for one page, or for all pages of a context.

A limit is, in this order: what the call was given, the default of the page, the default of its context, and the default
that the documentation of the call names.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

from stillframe.errors import OptionInvalid
from stillframe.model.validation import milliseconds_problem
from stillframe.tab.deadline import CALL_MS, DefaultMs

LONGEST_MS = 600_000.0
"""Milliseconds of the longest default: the most that `action_timeout_ms` takes."""

NAVIGATIONS = frozenset(
    {"goto", "go_back", "go_forward", "reload", "expect_navigation", "set_content", "wait_for_load_state"}
    | {"wait_for_url"}
)
"""The methods that wait for a document: `set_default_navigation_timeout` is for them."""


class Timeouts:
    """The defaults of a page or a context in milliseconds, None where there is none; a page has a `parent`."""

    def __init__(self, parent: Timeouts | None = None) -> None:
        self._parent = parent
        self._call_ms: float | None = None
        self._navigation_ms: float | None = None

    def set_call(self, timeout_ms: float | None) -> None:
        """Set the default of all calls; raises OptionInvalid."""
        self._call_ms = checked(timeout_ms, "set_default_timeout")

    def set_navigation(self, timeout_ms: float | None) -> None:
        """Set the default of navigations; raises OptionInvalid."""
        self._navigation_ms = checked(timeout_ms, "set_default_navigation_timeout")

    @property
    def own(self) -> int:
        """How many of the two defaults are set here."""
        return sum(ms is not None for ms in (self._call_ms, self._navigation_ms))

    @property
    def call_ms(self) -> float | None:
        """The default of calls that are not navigations."""
        if self._call_ms is not None or self._parent is None:
            return self._call_ms
        return self._parent.call_ms

    @property
    def navigation_ms(self) -> float | None:
        """The default of navigations: a page's default of all calls comes before what its context says of them."""
        own = self._call_ms if self._navigation_ms is None else self._navigation_ms
        return own if own is not None or self._parent is None else self._parent.navigation_ms

    def finding_s(self, otherwise: float) -> float:
        """Return the seconds that a call may take to find an element, if it does more than that afterwards."""
        return otherwise if self.call_ms is None else self.call_ms / 1000

    def of(self, method: str) -> float | None:
        """Return the default of a method. Scripts of the caller have none: they take as long as they take."""
        if method.startswith("evaluate"):
            return None
        return self.navigation_ms if method in NAVIGATIONS else self.call_ms

    def applied(self, method: str, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return the keyword arguments of a method, with the default as `timeout_ms` if the caller gave none."""
        given = options.get("timeout_ms", CALL_MS)
        if not isinstance(given, DefaultMs):
            return {**options}
        # The synchronous classes pass on the default of their own signature, which is the same object.
        default = self.of(method)
        if default is None:
            return {**options, "timeout_ms": float(given)} if "timeout_ms" in options else {**options}
        return {**options, "timeout_ms": default}


def checked(timeout_ms: float | None, method: str) -> float | None:
    """Return a default in milliseconds; raises OptionInvalid for what no limit can be."""
    if timeout_ms is None:
        return None
    is_number = isinstance(timeout_ms, int | float) and not isinstance(timeout_ms, bool)
    if not is_number or not isfinite(timeout_ms) or not 0 < timeout_ms <= LONGEST_MS:
        raise OptionInvalid(
            f"{method} takes milliseconds, above 0 and at most {LONGEST_MS:g}, or None for the defaults of stillframe; "
            f"not {timeout_ms!r}",
            option="timeout_ms",
        )
    if problem := milliseconds_problem("timeout_ms", timeout_ms, f"{method}:"):
        raise OptionInvalid(problem, option="timeout_ms")
    return timeout_ms
