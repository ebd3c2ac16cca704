"""End a caller's script when its time limit is up, so that the page goes on.

The page's own scripts are not ended. A fence before the script shows which of the two is running: commands run in
order, so if the fence was answered, the caller's script had started when the page stopped answering.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from math import isinf
from typing import TYPE_CHECKING, Any

from stillframe.cdp.loop_clock import time_limit
from stillframe.cdp_types import runtime
from stillframe.errors import CommandError, EvaluationTimeout

if TYPE_CHECKING:
    import asyncio

    from stillframe.cdp import CDPSession
    from stillframe.tab.deadline import Deadline

FENCE_S = 0.2
"""Seconds for a page to answer a fence after the limit; an idle page takes some milliseconds."""
TERMINATED_S = 0.3
"""Seconds for a page to answer after its script was terminated. Both together leave the call time to say what became of
it before it has to end (`deadline.LATE_S`)."""


@asynccontextmanager
async def ended_in_time(session: CDPSession, deadline: Deadline) -> AsyncIterator[None]:
    """Run a caller's script inside the block; raises EvaluationTimeout at the deadline.

    The commands of the block need no limits of their own.
    """
    if isinf(deadline.left_s):
        yield
        return
    last = deadline.extended(FENCE_S + TERMINATED_S)
    before = session.post(runtime.GetIsolateId(), timeout=None)
    try:
        async with time_limit(deadline.left_s):
            yield
    except TimeoutError as error:
        outcome, ended = await _overdue(session, before, last)
        raise EvaluationTimeout(
            f"the script returned no result within {deadline.shown}: {outcome}",
            timeout_ms=deadline.timeout * 1000,
            ended=ended,
            method="Runtime.evaluate",
            session_id=session.session_id,
        ) from error
    finally:
        before.cancel()


def terminate(session: CDPSession) -> None:
    """Terminate the script that runs, if one does; Chrome takes the order while it runs."""
    session.post(runtime.TerminateExecution())
    # Where no script runs, the order waits for the next one: let it be this one.
    session.post(runtime.Evaluate(expression="0", silent=True))


async def _overdue(session: CDPSession, before: asyncio.Future[Any], deadline: Deadline) -> tuple[str, bool]:
    """Return what became of the script, and whether it has ended."""
    started = before.done() and not before.cancelled() and before.exception() is None
    if not started:
        return "it did not start, because the page runs a script of its own or is stopped; reload the page", False
    if await _answers(session, deadline.within(FENCE_S)):
        return "the promise it waits for was not fulfilled; the result is discarded", True
    terminate(session)
    if await _answers(session, deadline.within(TERMINATED_S)):
        return "it ran without a pause and was terminated; the page goes on", True
    return "the page does not answer and its script cannot be terminated; reload or close the page", False


async def _answers(session: CDPSession, deadline: Deadline) -> bool:
    try:
        await session.drain_events(timeout=deadline.left_s)
    except CommandError:
        return False
    return True
