"""Calls that take long, as tasks whose result the client asks for: the Tasks extension of 2026-07-28 (SEP-2663).

The SDK has the negotiation and the envelope; this is the extension itself.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Coroutine, Hashable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import mcp_types as types
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from stillframe.security.redaction import logger

if TYPE_CHECKING:
    from stillframe.mcp.clients import Context

EXTENSION = "io.modelcontextprotocol/tasks"

AFTER_S = 10.0
"""Seconds after which a call becomes a task: most have ended by then, and no client gives up before."""

AT_ONCE = frozenset({"run_goal"})
"""Tools whose calls are tasks from the start."""

POLL_MS = 1_000
TTL_MS = 3_600_000
"""Milliseconds that a task can be asked for, from its start: the longest run of a goal."""

MAX_TASKS = 64
"""Tasks of all clients; the oldest that has ended goes first."""

CANCELLED = "cancelled by the client; the session is usable: call aria_snapshot to see how far the page has come"

_logger = logger("stillframe.mcp")


class TaskParams(types.RequestParams):
    """The parameters of `tasks/get` and `tasks/cancel`."""

    task_id: str


class UpdateParams(TaskParams):
    """The parameters of `tasks/update`."""

    input_responses: dict[str, Any]


class Task:
    """One call that goes on after its request was answered."""

    def __init__(self, owner: Hashable, work: asyncio.Task[types.CallToolResult], now: datetime) -> None:
        self.id = secrets.token_urlsafe(16)
        self.owner = owner
        self.work = work
        self.message = "the call goes on"
        self.is_kept = False
        """Whether the request was answered with the task."""
        self.created = self.updated = now

    def state(self) -> dict[str, Any]:
        """Return it as clients read it."""
        fields = {
            "taskId": self.id,
            "status": "working",
            "statusMessage": self.message,
            "createdAt": self.created.isoformat(),
            "lastUpdatedAt": self.updated.isoformat(),
            "ttlMs": TTL_MS,
            "pollIntervalMs": POLL_MS,
        }
        if not self.work.done():
            return fields
        if self.work.cancelled():
            return {**fields, "status": "cancelled", "statusMessage": CANCELLED}
        error = self.work.exception()
        if error is not None:
            return {**fields, "status": "failed", "statusMessage": "the call failed", "error": _error(error)}
        result = self.work.result().model_dump(by_alias=True, mode="json", exclude_none=True)
        whole = {**result, "resultType": "complete"}
        return {**fields, "status": "completed", "statusMessage": "the call has ended", "result": whole}


def _error(error: BaseException) -> dict[str, Any]:
    if isinstance(error, MCPError):
        return error.error.model_dump(by_alias=True, mode="json", exclude_none=True)
    _logger.error("a task failed", exc_info=error)
    return {"code": types.INTERNAL_ERROR, "message": "Internal server error"}


class Tasks:
    """The tasks of all clients; each finds only its own. `now` returns the time."""

    def __init__(
        self,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        after_s: float = AFTER_S,
        at_once: frozenset[str] = AT_ONCE,
    ) -> None:
        self._now = now
        self._after_s = after_s
        self._at_once = at_once
        self._tasks: dict[str, Task] = {}

    async def run(self, tool: str, owner: Hashable, call: Callable[[Task], Coroutine[Any, Any, Any]]) -> Any:
        """Return the result of a call, or a task once it takes long; raises what the call raises before."""
        begun: asyncio.Future[Task] = asyncio.get_running_loop().create_future()

        async def work() -> Any:
            return await call(await begun)

        task = Task(owner, asyncio.create_task(work(), name=f"task {tool}"), self._now())
        begun.set_result(task)
        try:
            await asyncio.wait([task.work], timeout=0 if tool in self._at_once else self._after_s)
        except asyncio.CancelledError:
            task.work.cancel()
            raise
        if task.work.done():
            return task.work.result()
        self._keep(task)
        return {"resultType": "task", **task.state()}

    def report(self, task: Task, message: str) -> None:
        """Note how far a task has come."""
        task.message, task.updated = message, self._now()

    async def get(self, context: Context, owner: Hashable, params: TaskParams) -> dict[str, Any]:
        """Return the state of a task; raises MCPError."""
        return self._find(context, owner, params.task_id).state()

    async def update(self, context: Context, owner: Hashable, params: UpdateParams) -> dict[str, Any]:
        """Take no answers: a call asks before it becomes a task."""
        self._find(context, owner, params.task_id)
        return {}

    async def cancel(self, context: Context, owner: Hashable, params: TaskParams) -> dict[str, Any]:
        """Cancel a task, unless it has ended; raises MCPError."""
        task = self._find(context, owner, params.task_id)
        if not task.work.done():
            task.work.cancel()
            task.updated = self._now()
            await asyncio.wait([task.work])
        return {}

    async def stop(self) -> None:
        """Cancel all tasks."""
        running = [task.work for task in self._tasks.values() if not task.work.done()]
        for work in running:
            work.cancel()
        if running:
            await asyncio.wait(running)

    def _keep(self, task: Task) -> None:
        self._tasks[task.id] = task
        task.is_kept = True
        task.work.add_done_callback(_retrieve)
        ended = [each.id for each in self._tasks.values() if each.work.done()]
        old = [each for each in ended if self._is_old(self._tasks[each])]
        surplus = len(self._tasks) - MAX_TASKS
        for name in dict.fromkeys([*old, *ended[: max(0, surplus)]]):
            del self._tasks[name]

    def _is_old(self, task: Task) -> bool:
        return (self._now() - task.created).total_seconds() * 1000 > TTL_MS

    def _find(self, context: Context, owner: Hashable, task_id: str) -> Task:
        check_declared(context)
        named = context.request.headers.get("mcp-name") if context.request is not None else None
        if named is not None and named != task_id:
            raise MCPError(code=types.HEADER_MISMATCH, message="the header Mcp-Name is not the taskId")
        task = self._tasks.get(task_id)
        if task is None or task.owner != owner or (task.work.done() and self._is_old(task)):
            advice = "it was cancelled long ago, or never was; call the tool again"
            data = {"code": "task_unknown", "advice": advice}
            raise MCPError(code=types.INVALID_PARAMS, message=f"there is no task {task_id[:80]!r}", data=data)
        return task


def _retrieve(work: asyncio.Task[Any]) -> None:
    """Take an error out of a task that nobody may ask for."""
    if not work.cancelled():
        work.exception()


def is_declared(context: Context) -> bool:
    """Return whether the client takes tasks."""
    capabilities = context.session.client_capabilities
    declared = (capabilities.extensions if capabilities is not None else None) or {}
    return context.protocol_version in MODERN_PROTOCOL_VERSIONS and EXTENSION in declared


def check_declared(context: Context) -> None:
    """Raise MCPError for a client that does not take tasks, or whose protocol has none."""
    if context.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        raise MCPError(code=types.METHOD_NOT_FOUND, message="Method not found", data=context.method)
    if not is_declared(context):
        data: dict[str, Any] = {"requiredCapabilities": {"extensions": {EXTENSION: {}}}}
        message = f"this needs the client capability {EXTENSION}"
        raise MCPError(code=types.MISSING_REQUIRED_CLIENT_CAPABILITY, message=message, data=data)
