"""Frames, and the isolated world of each document, where the scripts of `injected/` run unseen by the page.

A frame that lives in another process (an out-of-process iframe) has a session of its own. Page.createIsolatedWorld
returns the context id of an isolated world, and bindings are added to that context alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any

from stillframe.cdp_types import dom, runtime
from stillframe.cdp_types import page as cdp_page
from stillframe.errors import CdpError, ContextLost
from stillframe.security.redaction import Redaction
from stillframe.tab import remote
from stillframe.tab.evaluation import ended_in_time
from stillframe.tab.remote import CONTEXT_LOST, NodeHandle

if TYPE_CHECKING:
    from stillframe.cdp import CDPSession
    from stillframe.injected.call import Call
    from stillframe.tab.deadline import Deadline

WORLD = "stillframe"
"""The name of the isolated world; extensions and DevTools can see it, the page cannot."""

NAMED_WORLDS_SINCE = 77
"""The first milestone where a document has one isolated world of a name. Before, every request makes another one, and
a process makes no more than about 100 in its life (measured: 73 fails after 98 documents, 77 does not)."""
NO_WORLD = "Could not create isolated world"
"""Chrome's message when there are no more; its error number is shared with other failures."""

READY = "globalThis.__sfReady === true && ((globalThis.__sfBound || []).forEach((bound) => bound()), true)"
"""Whether the world's scripts have run, as they do wherever the page may run scripts. They ran before the bindings
existed, so this also notifies them that the bindings are there."""


FRAME_TAGS = frozenset({"iframe", "frame", "object", "embed"})
"""Elements that can hold a frame."""

BindingHandler = Callable[["Frame", str], None]


class WorldScripts:
    """Scripts and bindings of a tab's isolated worlds, and a counter of caller scripts in the main world."""

    def __init__(self, *, named_worlds: bool = True) -> None:
        self.named_worlds = named_worlds
        """Whether a document has one isolated world of a name; see NAMED_WORLDS_SINCE."""
        self.exhausted = False
        """Whether the process makes no more isolated worlds: the main world stands in, where the page may interfere."""
        self.sources: list[str] = []
        """Run once in the isolated world of every document, in this order, before the page's first script."""
        self.bindings: dict[str, BindingHandler] = {}
        """Functions of the isolated world that call back into Python, each with one string."""
        self.caller_scripts = 0
        """How many times a caller's script began or ended in the main world; none of Chrome's counters shows that."""

    @property
    def source(self) -> str:
        """Return the source that an isolated world runs; it sets `__sfReady` at the end."""
        return "\n;\n".join([*self.sources, "void (globalThis.__sfReady = true);"])

    @contextmanager
    def caller_script(self) -> Iterator[None]:
        """Count a caller's script that runs in the main world inside the block."""
        self.caller_scripts += 1
        try:
            yield
        finally:
            self.caller_scripts += 1


class ElementHandle(NodeHandle):
    """An element in the isolated world of its document."""

    def __init__(self, frame: Frame, object_id: str, backend_node_id: int | None = None) -> None:
        super().__init__(frame.session, object_id, backend_node_id)
        self.frame = frame


class World:
    """One isolated world; it is lost for good when its document is replaced."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.session = frame.session
        self.lost = False
        self.context_id: int | None = None
        self._loader_id = frame.loader_id
        self._setup: asyncio.Task[int] | None = None

    def start(self) -> asyncio.Task[int]:
        """Start creating the world if needed; the task's result is its execution context id."""
        if self._setup is None:
            self._setup = asyncio.get_running_loop().create_task(self._create(), name="stillframe-world")
            self._setup.add_done_callback(_retrieve)
        return self._setup

    def lose(self) -> None:
        """Mark the world as lost because its document is gone; pending calls end with ContextLost."""
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
            return await remote.evaluate(self.session, expression, context_id=context_id, timeout=timeout)
        except ContextLost:
            self.lost = True
            raise

    async def call(self, declaration: str | Call, *args: Any, timeout: float | None = 30.0) -> Any:
        """Call a function in the world, by value."""
        context_id = await self.context()
        try:
            return await remote.call(self.session, declaration, args, context_id=context_id, timeout=timeout)
        except ContextLost:
            self.lost = True
            raise

    async def call_handle(self, declaration: str | Call, *args: Any, timeout: float | None = 30.0) -> ElementHandle:
        """Call a function that returns a node, and return a handle to it."""
        command = remote.call_command(declaration, args, await self.context(), None, by_value=False)
        reply = await self.session.send(command, timeout=timeout)
        remote.value_of(reply, self.session, "Runtime.callFunctionOn")
        return ElementHandle(self.frame, reply.result.object_id or "")

    async def call_handles(self, declaration: str | Call, *args: Any) -> list[str]:
        """Call a function that returns an array of nodes, and return the object id of each."""
        array = await self.call_handle(declaration, *args)
        listed = await self.session.send(runtime.GetProperties(object_id=array.object_id, own_properties=True))
        self.session.post(runtime.ReleaseObject(object_id=array.object_id))
        return [item.value.object_id for item in listed.result if item.value is not None and item.value.object_id]

    async def call_nodes(self, declaration: str | Call) -> list[dom.Node]:
        """Call a function that returns an array of nodes, and return the description of each."""
        return await self.describe(await self.call_handles(declaration))

    async def describe(self, handles: Sequence[str]) -> list[dom.Node]:
        """Return the description of each node, given their object ids, and release them."""
        async with self.session.batch() as batch:
            replies = [batch.send(dom.DescribeNode(object_id=handle)) for handle in handles]
            for handle in handles:
                batch.send(runtime.ReleaseObject(object_id=handle))
        return [reply.result().node for reply in replies]

    async def handle(self, backend_node_id: int) -> ElementHandle:
        """Return a handle to a node, given its backend node id."""
        command = dom.ResolveNode(backend_node_id=backend_node_id, execution_context_id=await self.context())
        reply = await self.session.send(command)
        return ElementHandle(self.frame, reply.object.object_id or "", backend_node_id)

    async def main_world_object(self, backend_node_id: int) -> str:
        """Return the object id of a node in the main world."""
        reply = await self.session.send(dom.ResolveNode(backend_node_id=backend_node_id))
        return reply.object.object_id or ""

    async def _create(self) -> int:
        context_id = await self._make()
        if self.lost or self.frame.loader_id != self._loader_id:
            raise self._context_lost()
        self.context_id = context_id
        await self._install(self.context_id)
        return self.context_id

    async def _make(self) -> int:
        command = cdp_page.CreateIsolatedWorld(frame_id=self.frame.first_id or self.frame.id, world_name=WORLD)
        scripts = self.frame.scripts
        try:
            context_id = (await self.session.send(command)).execution_context_id
        except CdpError as error:
            if scripts.named_worlds or error.text != NO_WORLD:
                raise
            scripts.exhausted = True
            return remote.context_of(await self.frame.document_object())
        scripts.exhausted = False
        return context_id

    async def _install(self, context_id: int) -> None:
        scripts = self.frame.scripts
        replies = [
            self.session.post(runtime.AddBinding(name=name, execution_context_id=context_id))
            for name in scripts.bindings
        ]
        ready = self.session.post(runtime.Evaluate(expression=READY, context_id=context_id))
        await asyncio.gather(*replies)
        if (await ready).result.value is True:
            return
        # Where a page may not run scripts, the document script has not run either.
        run = runtime.Evaluate(expression=scripts.source, context_id=context_id, silent=True)
        remote.value_of(await self.session.send(run), self.session, "Runtime.evaluate")

    def _context_lost(self) -> ContextLost:
        return ContextLost(
            CONTEXT_LOST, "the document was replaced", method="Runtime.evaluate", session_id=self.session.session_id
        )


class Frame:
    """One frame; its identity outlives the documents it shows and the processes it moves through."""

    def __init__(self, scripts: WorldScripts, frame_id: str, session: CDPSession, parent: Frame | None) -> None:
        self.scripts = scripts
        self.id = frame_id
        self.first_id: str | None = None
        """The id of the first document's frame, where that has one of its own; see `FrameTree.fill`."""
        self.session = session
        self.parent = parent
        self.children: dict[str, Frame] = {}
        self.url = ""
        self.name = ""
        self.loader_id = ""
        """The id of the document loader: it changes with every navigation to a new document, never within one."""
        self.created_by = ""
        """The id of the loader that has created a document here last; of XML with a style sheet it creates two."""
        self.detached = False
        self._world: World | None = None

    def __repr__(self) -> str:
        return f"Frame({self.id[:8]}, {Redaction.redact_everywhere(self.url)!r})"

    @property
    def is_main(self) -> bool:
        """Return whether this is the page's top frame."""
        return self.parent is None

    @property
    def is_process_root(self) -> bool:
        """Return whether this is the topmost frame of its process, which owns the session."""
        return self.parent is None or self.parent.session is not self.session

    @property
    def process_key(self) -> str:
        """Return the frame part of a `NodeKey` for elements of this frame."""
        frame = self
        while not frame.is_process_root and frame.parent is not None:
            frame = frame.parent
        return "" if frame.parent is None else frame.id

    def describe(self) -> str:
        """Return a description of this frame for error messages."""
        return "the page" if self.is_main else f"the frame {self.name or self.url or self.id!r}"

    def world(self) -> World:
        """Return the isolated world of the current document, creating it if needed."""
        if self._world is None or self._world.lost:
            self._world = World(self)
        return self._world

    @property
    def context_id(self) -> int | None:
        """Return the execution context id of the current document's isolated world, or None if there is none yet."""
        return None if self._world is None or self._world.lost else self._world.context_id

    def owns_context(self, context_id: int) -> bool:
        """Return whether an execution context is the isolated world of the current document."""
        return self._world is not None and self._world.context_id == context_id

    async def evaluate(self, expression: str, *, timeout: float | None = 30.0) -> Any:
        """Evaluate an expression in the isolated world and return its JSON-like value; a promise is awaited.

        Raises EvaluationFailed if the expression throws, ContextLost if the document goes away meanwhile, and
        CommandTimeout after `timeout` seconds. `caller_scripts` runs scripts in the main world.
        """
        return await self.world().evaluate(expression, timeout=timeout)

    @asynccontextmanager
    async def running_script(self, deadline: Deadline) -> AsyncIterator[None]:
        """Run a caller's script in the main world inside the block; it is ended at the deadline."""
        async with ended_in_time(self.session, deadline):
            with self.scripts.caller_script():
                yield

    async def call(self, declaration: str | Call, *args: Any, timeout: float | None = 30.0) -> Any:
        """Call a function in the isolated world and return its value; errors as in `evaluate`.

        Arguments are JSON values, NaN, infinities, -0, and ints beyond ±(2^53 - 1), which become a BigInt.
        """
        return await self.world().call(declaration, *args, timeout=timeout)

    async def handle(self, backend_node_id: int) -> ElementHandle:
        """Return a handle, in the isolated world, to an element with the given backend node id.

        Raises CdpError if the node belongs to another frame.
        """
        return await self.world().handle(backend_node_id)

    async def document_object(self) -> str:
        """Return the object id of the document in the main world, without an isolated world."""
        if self.parent is None or self.is_process_root:
            reply = await self.session.send(runtime.Evaluate(expression="document"))
            return reply.result.object_id or ""
        owner = await self.session.send(dom.GetFrameOwner(frame_id=self.id))
        described = await self.session.send(dom.DescribeNode(backend_node_id=owner.backend_node_id))
        content = described.node.content_document
        if content is None:
            raise ContextLost(CONTEXT_LOST, "the frame shows no document", method="DOM.describeNode")
        found = await self.session.send(dom.ResolveNode(backend_node_id=content.backend_node_id))
        return found.object.object_id or ""

    async def run_in_main_world(self, source: str) -> None:
        """Run a script of this package in the main world; raises CommandError if the document goes away."""
        command = runtime.CallFunctionOn(
            function_declaration=f"function() {{ {source} }}", object_id=await self.document_object(), silent=True
        )
        await self.session.send(command)

    async def main_window(self) -> str:
        """Return the object id of the window in the main world, for commands that take one."""
        document = await self._main_world_document()
        command = runtime.CallFunctionOn(
            function_declaration="function() { return this.defaultView }", object_id=document, silent=True
        )
        with self.scripts.caller_script():
            return (await self.session.send(command)).result.object_id or ""

    async def main_world_context(self) -> int | None:
        """Return the execution context of the main world, None if it is its session's default one."""
        if self.is_process_root:
            return None
        document = await self._main_world_document()
        context_id = remote.context_of(document)
        self.session.post(runtime.ReleaseObject(object_id=document))
        return context_id

    async def _main_world_document(self) -> str:
        # Runtime.enable is never sent, so a child frame's main world is only reachable through one of its nodes.
        world = self.world()
        document = await world.call_handle("function() { return document }")
        backend_node_id = await document.backend_node_id()
        document.forget()
        return await world.main_world_object(backend_node_id)

    def commit(self, url: str, name: str, loader_id: str) -> None:
        """Record that the frame shows a new document."""
        self.url, self.name, self.loader_id = url, name, loader_id
        self.drop_world()

    def drop_world(self) -> None:
        """Drop the isolated world, because its document is gone."""
        if self._world is not None:
            self._world.lose()
            self._world = None

    def walk(self) -> Iterator[Frame]:
        """Yield this frame and all frames below it, in the order in which they were attached."""
        yield self
        for child in tuple(self.children.values()):
            yield from child.walk()


def _retrieve(task: asyncio.Task[int]) -> None:
    # A world created ahead of need may have no waiter; its failure resurfaces in the call that needs the world.
    if not task.cancelled():
        task.exception()
