"""Assertions about a value that a function returns again and again, and about responses."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any, Self

from stillframe.assertions import soft
from stillframe.assertions.matching import shown
from stillframe.assertions.settings import limit, seconds_of
from stillframe.assertions.waiting import USUAL, Claim, Terms, failure, negated
from stillframe.cdp.loop_clock import sleep
from stillframe.errors import OptionInvalid
from stillframe.model.playwright_parameters import name_parameters
from stillframe.tab.deadline import Deadline

if TYPE_CHECKING:
    from stillframe.tab.network.api_response import APIResponse

INTERVALS_MS = (100, 250, 500, 1000)
"""Milliseconds between the calls of a function, as with Playwright; the last one repeats."""

Function = Callable[[], Any]


@name_parameters
class ValueAssertions:
    """What `expect.poll(function)` asserts: the function is called again until its value is as expected."""

    def __init__(
        self, function: Function, terms: Terms, *, timeout_ms: float | None, intervals: Sequence[float]
    ) -> None:
        self._function = function
        self._terms = terms
        self._timeout_ms = timeout_ms
        self._intervals = intervals

    @property
    def not_(self) -> Self:
        """The same assertions, negated."""
        terms = self._terms._replace(negated=not self._terms.negated)
        return type(self)(self._function, terms, timeout_ms=self._timeout_ms, intervals=self._intervals)

    async def to_equal(self, expected: Any) -> None:
        """Assert that the value equals another one."""
        await self._until("to_equal", lambda value: bool(value == expected), shown(expected))

    async def to_be_truthy(self) -> None:
        """Assert that the value counts as true."""
        await self._until("to_be_truthy", bool, "something true")

    async def to_contain(self, expected: Any) -> None:
        """Assert that the value, a text or a container, contains another one."""
        await self._until("to_contain", lambda value: expected in value, f"something with {shown(expected)}")

    async def to_match(self, pattern: str | re.Pattern[str]) -> None:
        """Assert that a regular expression finds something in the value, which is a text."""
        found = re.compile(pattern)
        await self._until("to_match", lambda value: found.search(value) is not None, shown(found))

    async def to_be_greater_than(self, limit: Any) -> None:
        """Assert that the value is above a limit."""
        await self._until("to_be_greater_than", lambda value: bool(value > limit), f"more than {limit!r}")

    async def to_be_less_than(self, limit: Any) -> None:
        """Assert that the value is below a limit."""
        await self._until("to_be_less_than", lambda value: bool(value < limit), f"less than {limit!r}")

    async def _until(self, call: str, holds: Callable[[Any], bool], expected: str) -> None:
        __tracebackhide__ = True
        deadline = Deadline(seconds_of(limit(self._timeout_ms)))
        for pause_ms in chain(self._intervals, repeat(self._intervals[-1])):
            value = self._function()
            if isinstance(value, Awaitable):
                value = await value
            if holds(value) != self._terms.negated:
                return
            if not deadline.left_s:
                break
            await sleep(min(pause_ms / 1000, deadline.left_s))
        claim = Claim(f"expect.poll({_name_of(self._function)})", call, expected)
        soft.report(failure(claim, shown(value), self._terms, within=deadline.shown), soft=self._terms.soft)


@name_parameters
class APIResponseAssertions:
    """What `expect(response)` asserts of an answer to `context.request`."""

    def __init__(self, response: APIResponse, terms: Terms = USUAL) -> None:
        self._response = response
        self._terms = terms

    @property
    def not_(self) -> APIResponseAssertions:
        """The same assertions, negated."""
        return type(self)(self._response, self._terms._replace(negated=not self._terms.negated))

    async def to_be_ok(self) -> None:
        """Assert that the status is 200 to 299; nothing is waited for."""
        __tracebackhide__ = True
        if self._response.ok != self._terms.negated:
            return
        claim = Claim(f"expect({self._response!r})", "to_be_ok", "a status from 200 to 299")
        was = f"{self._response.status} {self._response.status_text}".strip()
        soft.report(failure(claim, was, self._terms), soft=self._terms.soft)

    not_to_be_ok = negated(to_be_ok)


def _name_of(function: Function) -> str:
    return str(getattr(function, "__name__", "function"))


def polled(function: Function, terms: Terms, timeout_ms: float | None, intervals: Sequence[float]) -> ValueAssertions:
    """Return the assertions about a function; raises OptionInvalid."""
    if not callable(function) or asyncio.iscoroutine(function):
        raise OptionInvalid(
            "expect.poll takes a function that it calls again and again, such as "
            f"`lambda: page.locator('li').count()`, not {function!r}",
            option="function",
        )
    if not intervals or any(
        isinstance(each, bool) or not isinstance(each, int | float) or each <= 0 for each in intervals
    ):
        raise OptionInvalid(
            f"expect.poll takes intervals in milliseconds above 0, not {intervals!r}", option="intervals"
        )
    return ValueAssertions(function, terms, timeout_ms=timeout_ms, intervals=intervals)
