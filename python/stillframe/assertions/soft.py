"""Soft assertions: their failures are kept until the end of a test or of a block, and are raised together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from stillframe.assertions.errors import AssertionFailed
from stillframe.errors import OptionInvalid

_collecting: list[list[AssertionFailed]] = []
"""The blocks that collect failures, the innermost last: a test and what runs in it."""


def report(error: AssertionFailed, *, soft: bool) -> None:
    """Raise a failure, or keep it for the innermost block if the assertion is soft."""
    __tracebackhide__ = True
    if not soft:
        raise error
    _collecting[-1].append(error)


def require_block() -> None:
    """Raise OptionInvalid if nothing collects the failures of soft assertions."""
    if not _collecting:
        raise OptionInvalid(
            "expect.soft keeps failures until the test ends, but no pytest test is running; put the assertions inside "
            "`with stillframe.testing.soft_assertions():`",
            option="soft",
        )


@contextmanager
def soft_assertions() -> Iterator[list[AssertionFailed]]:
    """Collect the failures of soft assertions in a block, and raise them at its end as one AssertionFailed.

    Tests of pytest have such a block around them. Another error that ends the block gets the failures as notes.
    """
    failures: list[AssertionFailed] = []
    _collecting.append(failures)
    try:
        yield failures
    except BaseException as error:
        for failure in failures:
            error.add_note(f"also failed: {failure}")
        raise
    finally:
        _collecting.remove(failures)
    if failures:
        raise together(failures)


def together(failures: list[AssertionFailed]) -> AssertionFailed:
    """Return one error for several."""
    if len(failures) == 1:
        return failures[0]
    first = failures[0]
    text = "\n\n".join([f"{len(failures)} soft assertions did not hold", *map(str, failures)])
    return AssertionFailed(text, expected=first.expected, received=first.received, trace=first.trace)
