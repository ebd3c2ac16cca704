"""The isolated world of one document: where the page agent lives, unseen by the page.

Runtime.enable is never sent: pages can tell that it is on. The context id comes from Page.createIsolatedWorld, and
bindings are added to that context alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from stillframe import injected
from stillframe.cdp import CDPSession
from stillframe.cdp_types import dom, runtime
from stillframe.cdp_types import page as cdp_page
from stillframe.errors import CommandError, ContextLost, EvaluationFailed
from stillframe.tab import javascript

if TYPE_CHECKING:
    from stillframe.tab.frames import Frame

NAME = "stillframe"
"""The name of the world; extensions and DevTools can see it, the page cannot."""

READY = "globalThis.__sfReady === true && (globalThis.__sfBound?.(), true)"
"""Whether the scripts of the world have run, as they do where the page may run scripts. They ran before there were any
bindings to call, and hear that there are."""

CONTEXT_LOST = -32000
"""The number Chrome gives to commands whose document went away."""


def _value(result: Any, session: CDPSession, method: str) -> Any:
    if result.exception_details is not None:
        raise EvaluationFailed(_exception_text(result.exception_details), method=method, session_id=session.session_id)
    return result.result.value


def _exception_text(details: Any) -> str:
    thrown = details.exception
    return (thrown and (thrown.description or str(thrown.value))) or details.text or "an exception"


async def evaluate(
    session: CDPSession,
    expression: str,
    *,
    context_id: int | None = None,
    by_value: bool = True,
    timeout: float | None = 30.0,
) -> Any:
    """Evaluate an expression in a context (default: the main world of the session's root frame).

    What it comes to is JSON-like `by_value`, else as `javascript.read` has it, which takes a round trip for objects.
    """
    command = runtime.Evaluate(
        expression=expression, context_id=context_id, return_by_value=by_value, await_promise=True
    )
    reply = await session.send(command, timeout=timeout)
    value = _value(reply, session, "Runtime.evaluate")
    return value if by_value else await _read(session, reply.result, timeout)


async def call(
    session: CDPSession,
    declaration: str,
    args: Sequence[Any],
    *,
    context_id: int | None = None,
    object_id: str | None = None,
    by_value: bool = True,
    timeout: float | None = 30.0,
) -> Any:
    """Call a function on an object or in a context; its value is as that of `evaluate`.

    `by_value` its arguments are numbers and what JSON has, else all that `javascript.nodes_of` takes.
    """
    if not by_value and any(map(javascript.is_special, args)):
        declaration, args = javascript.reviving(declaration), [javascript.nodes_of(list(args))]
    command = _call_command(declaration, args, context_id, object_id, by_value=by_value)
    reply = await session.send(command, timeout=timeout)
    value = _value(reply, session, "Runtime.callFunctionOn")
    return value if by_value else await _read(session, reply.result, timeout)


async def _read(session: CDPSession, told: runtime.RemoteObject, timeout: float | None) -> Any:
    """Return the value of an object that is in the page's own world, and let go of it."""
    if told.object_id is None or told.type != "object":
        return javascript.primitive(told)
    try:
        nodes = await call(session, injected.function("serialize"), (), object_id=told.object_id, timeout=timeout)
    finally:
        session.post(runtime.ReleaseObject(object_id=told.object_id))
    return javascript.read(nodes)


def _call_command(
    declaration: str, args: Sequence[Any], context_id: int | None, object_id: str | None, *, by_value: bool
) -> runtime.CallFunctionOn:
    return runtime.CallFunctionOn(
        function_declaration=declaration,
        arguments=[_argument(arg) for arg in args],
        execution_context_id=None if object_id else context_id,
        object_id=object_id,
        return_by_value=by_value,
        await_promise=True,
    )


def _argument(value: Any) -> runtime.CallArgument:
    if isinstance(value, ElementHandle):
        return runtime.CallArgument(object_id=value.object_id)
    if isinstance(value, int | float) and (text := javascript.unserializable(value)) is not None:
        return runtime.CallArgument(unserializable_value=text)
    return runtime.CallArgument(value=value)


class ElementHandle:
    """An element in the isolated world of its document; release it when done, or let the document end."""

    def __init__(self, world: World, object_id: str, backend_node_id: int | None = None) -> None:
        self.world = world
        self.object_id = object_id
        self._backend_node_id = backend_node_id

    @property
    def frame(self) -> Frame:
        """The frame the element lives in."""
        return self.world.frame

    @property
    def session(self) -> CDPSession:
        """The session of the frame's process."""
        return self.world.session

    async def call(self, declaration: str, *args: Any, timeout: float | None = 30.0) -> Any:
        """Call a function with the element as `this` and return its value; errors as in `Frame.evaluate`."""
        return await call(self.session, declaration, args, object_id=self.object_id, timeout=timeout)

    async def backend_node_id(self) -> int:
        """Return the id that names the element in snapshots of its process."""
        if self._backend_node_id is None:
            reply = await self.session.send(dom.DescribeNode(object_id=self.object_id))
            self._backend_node_id = reply.node.backend_node_id
        return self._backend_node_id

    def forget(self) -> None:
        """Let the browser forget the handle, as `release` does; awaits nothing."""
        self.session.post(runtime.ReleaseObject(object_id=self.object_id))

    async def release(self) -> None:
        """Let the browser forget the handle; never fails, since a lost document has forgotten it already."""
        try:
            await self.session.send(runtime.ReleaseObject(object_id=self.object_id))
        except CommandError:
            return


class World:
    """One isolated world; lost for good when its document is replaced."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.session = frame.session
        self.lost = False
        self.context_id: int | None = None
        self._loader_id = frame.loader_id
        self._setup: asyncio.Task[int] | None = None

    def start(self) -> asyncio.Task[int]:
        """Begin creating the world, if that has not begun; the result is its execution context id."""
        if self._setup is None:
            self._setup = asyncio.get_running_loop().create_task(self._create(), name="stillframe-world")
            self._setup.add_done_callback(_retrieve)
        return self._setup

    def lose(self) -> None:
        """Note that the document is gone; what runs in it ends with ContextLost."""
        self.lost = True
        if self._setup is not None and not self._setup.done():
            self._setup.cancel()

    async def context(self) -> int:
        """Return the execution context id; raises ContextLost if the document was replaced meanwhile."""
        try:
            return await asyncio.shield(self.start())
        except asyncio.CancelledError:
            if self.lost and self._setup is not None and self._setup.cancelled():
                raise self._context_lost() from None
            raise

    async def evaluate(self, expression: str, *, timeout: float | None = 30.0) -> Any:
        """Evaluate an expression in the world, by value."""
        context_id = await self.context()
        try:
            return await evaluate(self.session, expression, context_id=context_id, timeout=timeout)
        except ContextLost:
            self.lost = True
            raise

    async def call(self, declaration: str, *args: Any, timeout: float | None = 30.0) -> Any:
        """Call a function in the world, by value."""
        context_id = await self.context()
        try:
            return await call(self.session, declaration, args, context_id=context_id, timeout=timeout)
        except ContextLost:
            self.lost = True
            raise

    async def call_handle(self, declaration: str, *args: Any, timeout: float | None = 30.0) -> ElementHandle:
        """Call a function that returns a node and return a handle of it."""
        command = _call_command(declaration, args, await self.context(), None, by_value=False)
        reply = await self.session.send(command, timeout=timeout)
        _value(reply, self.session, "Runtime.callFunctionOn")
        return ElementHandle(self, reply.result.object_id or "")

    async def call_handles(self, declaration: str) -> list[str]:
        """Call a function that returns an array of nodes and return the object id of each."""
        array = await self.call_handle(declaration)
        listed = await self.session.send(runtime.GetProperties(object_id=array.object_id, own_properties=True))
        self.session.post(runtime.ReleaseObject(object_id=array.object_id))
        return [item.value.object_id for item in listed.result if item.value is not None and item.value.object_id]

    async def handle(self, backend_node_id: int) -> ElementHandle:
        """Return a handle of a node known by its backend node id."""
        command = dom.ResolveNode(backend_node_id=backend_node_id, execution_context_id=await self.context())
        reply = await self.session.send(command)
        return ElementHandle(self, reply.object.object_id or "", backend_node_id)

    async def main_world_object(self, backend_node_id: int) -> str:
        """Return the object id of a node in the page's own world."""
        reply = await self.session.send(dom.ResolveNode(backend_node_id=backend_node_id))
        return reply.object.object_id or ""

    async def _create(self) -> int:
        reply = await self.session.send(cdp_page.CreateIsolatedWorld(frame_id=self.frame.id, world_name=NAME))
        if self.lost or self.frame.loader_id != self._loader_id:
            raise self._context_lost()
        self.context_id = reply.execution_context_id
        await self._install(self.context_id)
        return self.context_id

    async def _install(self, context_id: int) -> None:
        tree = self.frame.tree
        replies = [
            self.session.post(runtime.AddBinding(name=name, execution_context_id=context_id)) for name in tree.bindings
        ]
        ready = self.session.post(runtime.Evaluate(expression=READY, context_id=context_id))
        await asyncio.gather(*replies)
        if (await ready).result.value is True:
            return
        # A frame whose page may run no scripts has no document script of ours either.
        run = runtime.Evaluate(expression=tree.source, context_id=context_id, silent=True)
        _value(await self.session.send(run), self.session, "Runtime.evaluate")

    def _context_lost(self) -> ContextLost:
        return ContextLost(
            CONTEXT_LOST, "the document was replaced", method="Runtime.evaluate", session_id=self.session.session_id
        )


def _retrieve(task: asyncio.Task[int]) -> None:
    # Nobody may be waiting for a world that was created ahead of need; its failure is met again by who needs it.
    if not task.cancelled():
        task.exception()
