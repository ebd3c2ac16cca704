"""What becomes of a caller's script that runs into its limit: it is ended, so that the page goes on.

The page's own scripts are not ended. Which of the two runs is known by a fence before the script: commands are taken in
order, so where the fence was answered, the script's turn had come when the page stopped to answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from stillframe.cdp import CDPSession
from stillframe.cdp_types import runtime
from stillframe.errors import CommandError, CommandTimeout, EvaluationTimeout

ASKED_S = 0.2
"""Seconds that a page has to answer after the limit: one whose scripts rest takes some milliseconds."""
ENDED_S = 0.3
"""Seconds that a page has to answer after its script was ended."""


@asynccontextmanager
async def ended_in_time(session: CDPSession) -> AsyncIterator[None]:
    """Run a script of the caller inside the block; raises EvaluationTimeout in the place of CommandTimeout."""
    before = session.post(runtime.GetIsolateId(), timeout=None)
    try:
        yield
    except EvaluationTimeout:
        raise
    except CommandTimeout as error:
        raise await _overdue(session, before, error) from error
    finally:
        before.cancel()


async def _overdue(session: CDPSession, before: asyncio.Future[Any], error: CommandTimeout) -> EvaluationTimeout:
    had_turn = before.done() and not before.cancelled() and before.exception() is None
    if not had_turn:
        words = "its turn did not come: the page runs a script of its own, or is stopped; load it again"
    elif await _answers(session, ASKED_S):
        return _timeout("what it waits for did not come: it was given up", error, ended=True)
    else:
        # Chrome takes this one past the script that runs.
        session.post(runtime.TerminateExecution())
        if await _answers(session, ENDED_S):
            return _timeout("it ran all the time and was ended; the page goes on", error, ended=True)
        words = "the page does not answer, and nothing ends what it does: close it"
    return _timeout(words, error, ended=False)


def _timeout(words: str, error: CommandTimeout, *, ended: bool) -> EvaluationTimeout:
    return EvaluationTimeout(
        f"the script had no result within {error.timeout_ms / 1000:g} s: {words}",
        timeout_ms=error.timeout_ms,
        ended=ended,
        method=error.method,
        session_id=error.session_id,
    )


async def _answers(session: CDPSession, seconds: float) -> bool:
    try:
        await session.drain_events(timeout=seconds)
    except CommandError:
        return False
    return True
