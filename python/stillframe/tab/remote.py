"""Run JavaScript by CDP commands in any execution context, and handles to nodes.

Runtime.enable is never sent, because pages can detect it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec

from stillframe import injected
from stillframe.cdp_types import dom, runtime
from stillframe.errors import CommandError, ContextLost, EvaluationFailed, SessionLost
from stillframe.injected.call import Call
from stillframe.tab.javascript import values as javascript

if TYPE_CHECKING:
    from stillframe.cdp import CDPSession

CONTEXT_LOST = -32000
"""Chrome's error number for commands whose document went away."""


def value_of(result: Any, session: CDPSession, method: str) -> Any:
    """Return the value of an answer; raises EvaluationFailed if the script threw."""
    raise_thrown(result, session, method)
    return result.result.value


def raise_thrown(result: Any, session: CDPSession, method: str) -> None:
    """Raise EvaluationFailed if what an answer is about threw, and let go of what it threw."""
    if result.exception_details is not None:
        thrown = result.exception_details.exception
        if thrown is not None and thrown.object_id is not None and session.error is None:
            session.post(runtime.ReleaseObject(object_id=thrown.object_id))
        raise EvaluationFailed(_exception_text(result.exception_details), method=method, session_id=session.session_id)


def _exception_text(details: Any) -> str:
    thrown = details.exception
    return (thrown and (thrown.description or str(thrown.value))) or details.text or "an exception"


async def evaluate(
    session: CDPSession, expression: str, *, context_id: int | None = None, timeout: float | None = 30.0
) -> Any:
    """Evaluate an expression in a context (default: the main world of the root frame); return its JSON-like value."""
    command = runtime.Evaluate(expression=expression, context_id=context_id, return_by_value=True, await_promise=True)
    return value_of(await session.send(command, timeout=timeout), session, "Runtime.evaluate")


async def call(
    session: CDPSession,
    declaration: str | Call,
    args: Sequence[Any],
    *,
    context_id: int | None = None,
    object_id: str | None = None,
    timeout: float | None = 30.0,
) -> Any:
    """Call a function on an object or in a context; returns its JSON-like value. Arguments are JSON and numbers."""
    command = call_command(declaration, args, context_id, object_id, by_value=True)
    return value_of(await session.send(command, timeout=timeout), session, "Runtime.callFunctionOn")


async def read(session: CDPSession, remote_object: runtime.RemoteObject, timeout: float | None = None) -> Any:
    """Return the value of an object in the main world, as `javascript.read` does; the object is the caller's."""
    if remote_object.object_id is None or remote_object.type != "object":
        return javascript.primitive(remote_object)
    try:
        nodes = await call(session, _reader(), (), object_id=remote_object.object_id, timeout=timeout)
    except (ContextLost, SessionLost):
        if (known := remote_object.deep_serialized_value) is None or not javascript.is_whole(known):
            raise
        return javascript.read_whole(known.type, known.value)
    return javascript.read(nodes)


@cache
def _reader() -> str:
    return f"function() {{ return ({injected.read('serialize')})(this) }}"


def call_command(
    declaration: str | Call,
    args: Sequence[Any],
    context_id: int | None,
    object_id: str | None,
    *,
    by_value: bool,
    user_gesture: bool = False,
) -> runtime.CallFunctionOn:
    """Return the command that calls a function in a context, or on an object; `args` are those of a declaration."""
    if isinstance(declaration, Call):
        args = (*declaration.arguments, *args)
        declaration = declaration.on_this if object_id else declaration.declaration
    return runtime.CallFunctionOn(
        function_declaration=declaration,
        arguments=[_argument(arg) for arg in args],
        execution_context_id=None if object_id else context_id,
        object_id=object_id,
        return_by_value=by_value,
        user_gesture=user_gesture or None,
        await_promise=True,
    )


def _argument(value: Any) -> runtime.CallArgument:
    if isinstance(value, NodeHandle):
        return runtime.CallArgument(object_id=value.object_id)
    if isinstance(value, int | float) and (text := javascript.unserializable(value)) is not None:
        return runtime.CallArgument(unserializable_value=text)
    return runtime.CallArgument(value=value)


def context_of(object_id: str) -> int:
    """Return the execution context of an object, which its id names: `-6261982241363930622.5.24` (measured in 156).

    No command tells it, and events only after Runtime.enable.
    """
    if object_id.startswith("{"):
        return msgspec.json.decode(object_id, type=OlderObjectId).injected_script_id
    return int(object_id.split(".")[1])


class OlderObjectId(msgspec.Struct, frozen=True, rename="camel"):
    """The id of an object before Chrome 77: `{"injectedScriptId":1,"id":2}` (measured in 73)."""

    injected_script_id: int


class NodeHandle:
    """A node of a document; the browser keeps it until it is released or its document ends."""

    def __init__(self, session: CDPSession, object_id: str, backend_node_id: int | None = None) -> None:
        self.session = session
        self.object_id = object_id
        self._backend_node_id = backend_node_id

    async def call(self, declaration: str | Call, *args: Any, timeout: float | None = 30.0) -> Any:
        """Call a function with the node as `this` and return its value; errors as in `Frame.evaluate`."""
        return await call(self.session, declaration, args, object_id=self.object_id, timeout=timeout)

    async def backend_node_id(self) -> int:
        """Return the backend node id, which names the node in snapshots of its process."""
        if self._backend_node_id is None:
            reply = await self.session.send(dom.DescribeNode(object_id=self.object_id))
            self._backend_node_id = reply.node.backend_node_id
        return self._backend_node_id

    def forget(self) -> None:
        """Release the handle without waiting for the browser."""
        self.session.post(runtime.ReleaseObject(object_id=self.object_id))

    async def release(self) -> None:
        """Release the handle; never fails, since a document that is gone has released it already."""
        try:
            await self.session.send(runtime.ReleaseObject(object_id=self.object_id))
        except CommandError:
            return
