"""Wait in the page until a script of the caller comes to something true, across navigations."""

from __future__ import annotations

import asyncio
import json
import secrets
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from stillframe import injected
from stillframe.cdp.loop_clock import time_limit
from stillframe.cdp_types import runtime
from stillframe.errors import (
    CdpError,
    CommandError,
    ContextLost,
    ElementNotFound,
    OptionInvalid,
    SessionLost,
    WaitTimeout,
)
from stillframe.injected import elements
from stillframe.tab import remote
from stillframe.tab.deadline import Deadline
from stillframe.tab.evaluation import terminate
from stillframe.tab.javascript import caller_scripts
from stillframe.tab.javascript.arguments import encode
from stillframe.tab.javascript.caller_scripts import Given
from stillframe.tab.javascript.page_objects import PageObject
from stillframe.tab.locating.locate import RETRY_S, next_document
from stillframe.tab.locating.quoting import shortened

if TYPE_CHECKING:
    from stillframe.tab.frames import ElementHandle, Frame
    from stillframe.tab.tab import Tab

Polling = float | Literal["raf"]

STOPPED = f"stopped {secrets.token_hex(8)} "
"""What a wait rejects with when it is stopped, before the last value; no page can find it."""
ANSWER_S = 0.3
"""Seconds for a page to say what the last value was; an idle page takes some milliseconds."""


def in_ms(polling: Polling | None) -> float:
    """Return the milliseconds between two looks, 0 for each frame; raises OptionInvalid."""
    if polling is None or polling == "raf":
        return 0
    if isinstance(polling, bool) or not isinstance(polling, int | float) or not 0 < polling < float("inf"):
        raise OptionInvalid(
            f'polling is {polling!r}: it must be "raf", or a number of milliseconds above 0', option="polling"
        )
    return polling


async def wait_for_function(
    tab: Tab, frame: Frame, script: str, argument: Any, *, polling: Polling | None, deadline: Deadline
) -> PageObject:
    """Wait until a script comes to something true, and return that.

    The page itself looks again, at each frame or each `polling` milliseconds, and a document that replaces the page's
    goes on with the wait. Raises WaitTimeout, EvaluationFailed if the script throws, ElementNotFound for a frame that
    leaves the page, and what `caller_scripts.evaluate` raises before it runs.
    """
    every_ms = in_ms(polling)
    last = "the page did not look"
    while True:
        wait = _Wait(frame, script, Given(argument), every_ms)
        try:
            async with frame.running_script(Deadline(None)):
                return await wait.result(deadline)
        except (CdpError, SessionLost) as error:
            await _require_new_document(tab, frame, wait, error)
        except _Stopped as stopped:
            last = str(stopped)
        if not deadline.left_s:
            raise WaitTimeout(f"{shortened(script)} did not come to anything true within {deadline.shown}: {last}")
        await next_document(tab, deadline.within(RETRY_S))


async def _require_new_document(tab: Tab, frame: Frame, wait: _Wait, error: CdpError | SessionLost) -> None:
    """Raise what ended a wait, unless it is that the document was replaced."""
    if tab.session.error is not None:
        raise error
    with suppress(CommandError):
        await tab.session.drain_events(timeout=ANSWER_S)  # the event that tells came before the error
    if frame.detached:
        raise ElementNotFound("the frame has left the page; take another one from page.frames", selector="") from error
    if not isinstance(error, ContextLost | SessionLost) and frame.loader_id == wait.loader_id:
        raise error


class _Stopped(Exception):
    """The time is up; the text says what the last value was."""


class _Wait:
    """The wait in one document."""

    def __init__(self, frame: Frame, script: str, given: Given, every_ms: float) -> None:
        self._frame = frame
        self._script = script
        self._given = given
        self._every_ms = every_ms
        self.loader_id = frame.loader_id

    async def result(self, deadline: Deadline) -> PageObject:
        """Return what was waited for; raises _Stopped when the time is up."""
        frame, arguments = self._frame, encode(self._given.values, self._frame)
        try:
            async with time_limit(deadline.left_s):
                function, clock, in_page = await self._made()
        except TimeoutError:
            raise _Stopped("the page did not answer") from None
        before = (runtime.CallArgument(object_id=in_page), runtime.CallArgument(value=self._took()))
        pending = frame.session.post(
            caller_scripts.function_call(function, _source(), arguments, *before), timeout=None
        )
        try:
            ticking = frame.session.post(
                remote.call_command(elements.start_ticks(self._every_ms), (), None, clock.object_id, by_value=True)
            )
            async with caller_scripts.telling_released(arguments):
                return await self._until(pending, ticking, clock, deadline)
        finally:
            pending.cancel()
            self._end(clock, in_page, function)

    async def _made(self) -> tuple[runtime.RemoteObject, ElementHandle, str]:
        """Return the function that reads the condition, and the clock in both worlds."""
        function = await caller_scripts.compiled(self._frame, self._script)
        clock = await self._frame.world().call_handle(elements.ticker())
        return function, clock, await self._frame.world().main_world_object(await clock.backend_node_id())

    async def _until(
        self, pending: asyncio.Future[Any], ticking: asyncio.Future[Any], clock: ElementHandle, deadline: Deadline
    ) -> PageObject:
        try:
            async with time_limit(deadline.left_s):
                reply = await asyncio.shield(pending)
        except TimeoutError:
            self._stop(clock)
            try:
                async with time_limit(ANSWER_S):
                    reply = await asyncio.shield(pending)
            except TimeoutError:
                if ticking.done():
                    raise _Stopped("the page does not answer, because a script runs without a pause") from None
                # Commands run in order, so it is the first look that has not ended.
                terminate(self._frame.session)
                raise _Stopped("the script ran without a pause and was terminated") from None
        thrown = reply.exception_details and reply.exception_details.exception
        if thrown and isinstance(thrown.value, str) and thrown.value.startswith(STOPPED):
            raise _Stopped(f"its last value was {thrown.value.removeprefix(STOPPED)}")
        remote.value_of(reply, self._frame.session, "Runtime.callFunctionOn")
        return PageObject(self._frame, self.loader_id, reply.result)

    def _took(self) -> str:
        """Return the error of a script that takes no argument though it is given one; "" if it is given none."""
        parameters = self._given.parameters
        return parameters and (
            "the script is not a function, so nothing takes what it is given; write "
            f"({parameters}) => {shortened(self._script)}"
        )

    def _stop(self, clock: ElementHandle) -> None:
        clock.session.post(remote.call_command(elements.stop_ticks(), (), None, clock.object_id, by_value=True))

    def _end(self, clock: ElementHandle, in_page: str, function: runtime.RemoteObject) -> None:
        if clock.session.error is not None:
            return
        self._stop(clock)
        clock.forget()
        for object_id in (in_page, function.object_id or ""):
            clock.session.post(runtime.ReleaseObject(object_id=object_id))


@cache
def _source() -> str:
    given = f"this, {caller_scripts.decoding()}, {json.dumps(STOPPED)}, clock, took"
    return f"function(clock, took, nodes, ...objects) {{ return ({injected.read('wait')})({given}) }}"
