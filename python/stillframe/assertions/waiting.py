"""How an assertion waits: it tests each reading of the page until one is right, or says what was there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from stillframe.assertions import soft
from stillframe.assertions.errors import AssertionFailed
from stillframe.extend.text import change_lines
from stillframe.model.structs import short_url
from stillframe.tab.reading.readings import Reading
from stillframe.trace.recorder import TraceRecorder

if TYPE_CHECKING:
    from stillframe.engine.page_parts import PageParts
    from stillframe.tab.deadline import Deadline

Assertion = TypeVar("Assertion", bound=Callable[..., Awaitable[None]])

AMBIGUOUS_S = 0.5
"""Seconds that several elements may match where one is expected: a list that is drawn again has both for a moment."""
DELTA_LINES = 8
"""Lines of the last change that a failure shows."""


class Answer(NamedTuple):
    """What a test says of a reading."""

    holds: bool | None
    """Whether it is as expected; None if there is nothing to test, so that the negation does not hold either."""
    was: str
    """What there is instead."""


class Terms(NamedTuple):
    """What an assertion was asked for beside its test."""

    negated: bool = False
    soft: bool = False
    message: str | None = None


USUAL = Terms()
"""The terms of an assertion that names none."""


class Claim(NamedTuple):
    """An assertion in words."""

    subject: str
    """What it is about, as the caller wrote it: `expect(page)`."""
    call: str
    expected: str


def negated(assertion: Assertion) -> Assertion:
    """Return the method that asserts the opposite, under Playwright's name for it."""

    @wraps(assertion)
    async def opposite(self: Any, *args: Any, **kwargs: Any) -> None:
        __tracebackhide__ = True
        await assertion(self.not_, *args, **kwargs)

    opposite.__name__ = f"not_{assertion.__name__}"
    opposite.__doc__ = f"Assert the opposite of `{assertion.__name__}`."
    return cast("Assertion", opposite)


async def until(
    observed: AsyncIterator[Reading], test: Callable[[Reading], Answer], *, negated: bool, single: bool
) -> tuple[bool, Answer, Reading]:
    """Return whether an answer of the test came that was wanted, with the last answer and what it is about.

    With `single`, raises AmbiguousSelector if several elements go on to match.
    """
    clock = asyncio.get_running_loop().time
    answer, reading = Answer(None, "the page did not answer in time"), Reading()
    since: float | None = None
    async with aclosing(observed):  # type: ignore[type-var]
        async for reading in observed:
            if single and reading.ambiguous is not None:
                since = clock() if since is None else since
                if clock() - since >= AMBIGUOUS_S:
                    raise reading.ambiguous
                continue
            since = None
            answer = test(reading)
            if answer.holds is not None and answer.holds != negated:
                return True, answer, reading
    if single and reading.ambiguous is not None:
        raise reading.ambiguous
    return False, answer, reading


def fail(parts: PageParts, claim: Claim, answer: Answer, reading: Reading, deadline: Deadline, terms: Terms) -> None:
    """Raise AssertionFailed about a page, or keep it if the assertion is soft."""
    __tracebackhide__ = True
    more = [
        *([f"  note: {reading.note}"] if reading.note else []),
        *(f"  element: {each}" for each in reading.matches[:3]),
        *_context(parts),
    ]
    error = failure(claim, answer.was, terms, within=deadline.shown, more=more)
    error.trace = next((str(trace.file.path) for trace in _traces(parts)), None)
    parts.tab.context.redaction.redact_error(error)
    soft.report(error, soft=terms.soft)


def failure(claim: Claim, was: str, terms: Terms, *, within: str = "", more: Sequence[str] = ()) -> AssertionFailed:
    """Return the error that says what was expected, and what there was in its place."""
    call, expected = (f"not_.{claim.call}", f"not {claim.expected}") if terms.negated else (claim.call, claim.expected)
    lines = [
        *([terms.message] if terms.message else []),
        f"{claim.subject}.{call} did not hold" + (f" within {within}" if within else ""),
        f"  expected: {expected}",
        f"  was: {was}",
        *more,
    ]
    return AssertionFailed("\n".join(lines), expected=expected, received=was)


def _context(parts: PageParts) -> Sequence[str]:
    """Return what the last sequence changed, and where the trace has it."""
    last = parts.history.last_result
    lines = [f"  on: {short_url(parts.tab.url)}"]
    if last is not None:
        changes = change_lines(last.state_change)
        more = [f"    … {len(changes) - DELTA_LINES} more"] if len(changes) > DELTA_LINES else []
        lines += ["  the last actions changed:", *(f"    {line}" for line in changes[:DELTA_LINES]), *more]
    return lines + [f"  trace: {trace.file.path}, {trace.place}" for trace in _traces(parts)]


def _traces(parts: PageParts) -> list[TraceRecorder]:
    """Return the traces that are being recorded of a page."""
    return [each for each in parts.history.observers if isinstance(each, TraceRecorder)]
