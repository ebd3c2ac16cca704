"""The errors of assertions; `stillframe.errors` has them all."""

from __future__ import annotations

from stillframe.errors import StillframeError


class AssertionFailed(StillframeError, AssertionError):
    """What `expect` asserts did not become true in time.

    `expected` and `received` are texts; `trace` is the trace file of the page, if there is one.

    Remedy: Compare what was expected with what was there; the message also shows what the last actions changed.
    """

    code = "assertion_failed"

    def __init__(self, message: str, *, expected: str, received: str, trace: str | None = None) -> None:
        super().__init__(message)
        self.expected = expected
        self.received = received
        self.trace = trace
