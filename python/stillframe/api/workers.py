"""The public face of a dedicated worker."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, Literal

from stillframe.api.expecting import Expectation, expecting
from stillframe.api.handlers import Handler, Handlers, Remove, known_event
from stillframe.cdp import CDPSession
from stillframe.cdp_types import runtime
from stillframe.errors import OptionInvalid
from stillframe.tab import remote
from stillframe.tab.context.context import ContextState
from stillframe.tab.deadline import CALL_MS, Deadline
from stillframe.tab.evaluation import ended_in_time

WorkerEventName = Literal["close"]
WORKER_EVENTS = ("close",)


class Worker:
    """A dedicated worker of a page; `page.workers` lists them, `page.on("worker", …)` gives each that starts.

    Two objects for the same worker are equal.
    """

    def __init__(self, session: CDPSession, context: ContextState) -> None:
        self._session = session
        self._context = context
        self._handlers = Handlers()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Worker) and other._session is self._session

    def __hash__(self) -> int:
        return hash(self._session)

    def __repr__(self) -> str:
        return f"Worker({self.url!r})"

    @property
    def url(self) -> str:
        """The URL of its script."""
        info = self._session.target_info
        return "" if info is None else self._context.redaction.redact(info.url)

    @property
    def closed(self) -> bool:
        """Whether it has ended."""
        return self._session.error is not None

    async def evaluate(self, expression: str, arg: Any = None, *, timeout_ms: float | None = CALL_MS) -> Any:
        """Evaluate an expression in the worker and return its value, as JSON has it; a promise is awaited.

        Args:
            expression: The expression; one that is a function is called with `arg`.
            arg: What the function is called with, as JSON has it.
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Raises:
            EvaluationFailed: The expression throws.
            EvaluationTimeout: The expression runs longer than `timeout_ms`.
            TargetClosed: The worker has ended.
            OptionInvalid: The argument is not JSON.
        """
        given = _argument(arg)
        async with ended_in_time(self._session, Deadline.of_ms(timeout_ms)):
            return await self._evaluated(expression, given)

    async def _evaluated(self, expression: str, given: runtime.CallArgument) -> Any:
        command = runtime.Evaluate(expression=expression, await_promise=True)
        reply = await self._session.send(command, timeout=None)
        found = reply.result
        if found.object_id is None or reply.exception_details is not None:
            return remote.value_of(reply, self._session, command.method)
        call = runtime.CallFunctionOn(
            function_declaration="function(arg) { return typeof this === 'function' ? this(arg) : this }",
            object_id=found.object_id,
            arguments=[given],
            await_promise=True,
            return_by_value=True,
        )
        try:
            answer = await self._session.send(call, timeout=None)
        finally:
            if not self.closed:
                self._session.post(runtime.ReleaseObject(object_id=found.object_id))
        return remote.value_of(answer, self._session, call.method)

    def on(self, event: WorkerEventName, handler: Handler) -> Remove:
        """Call `handler` with the worker when it ends.

        Args:
            event: `close`.
            handler: A function of the worker; it may be async.

        Returns:
            A function that takes the handler back.

        Raises:
            OptionInvalid: There is no such event.
        """
        name = known_event(event, WORKER_EVENTS)
        return self._handlers.on(name, handler, self._listen, self._context.background)

    def once(self, event: WorkerEventName, handler: Handler) -> Remove:
        """As `on`: a worker ends once.

        Args:
            event: `close`.
            handler: A function of the worker; it may be async.

        Returns:
            A function that takes the handler back.

        Raises:
            OptionInvalid: There is no such event.
        """
        return self.on(event, handler)

    def remove_listener(self, event: WorkerEventName, handler: Handler) -> None:
        """Take back a handler that `on` or `once` has added.

        Args:
            event: `close`.
            handler: The function that was added.

        Raises:
            OptionInvalid: It is not a handler of this event.
        """
        self._handlers.remove(known_event(event, WORKER_EVENTS), handler)

    def expect_event(
        self, event: WorkerEventName, *, timeout_ms: float | None = CALL_MS
    ) -> AbstractAsyncContextManager[Expectation[Worker]]:
        """Wait for the end of the worker: `async with worker.expect_event("close"): …`.

        Args:
            event: `close`.
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Returns:
            A block whose `value` is the worker.

        Raises:
            WaitTimeout: It does not end within `timeout_ms`.
        """
        known_event(event, WORKER_EVENTS)
        return expecting(
            self._listen,
            attach=self._its_session,
            timeout_ms=timeout_ms,
            missing=lambda: f"the worker {self.url} did not end",
        )

    async def _its_session(self) -> CDPSession:
        return self._session

    def _listen(self, take: Callable[[Worker], object]) -> Remove:
        return self._session.on_closed(lambda _: take(self))


def _argument(arg: Any) -> runtime.CallArgument:
    try:
        json.dumps(arg, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise OptionInvalid(f"option arg: {arg!r} is not a JSON value: {error}", option="arg") from None
    return runtime.CallArgument(value=arg)
