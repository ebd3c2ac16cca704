"""The frame tree of a page, across processes, kept up to date by the events of its sessions.

A frame that lives in another process (an out-of-process iframe) has a session of its own; the tree hides that. Each
document gets an isolated world on demand, in which the page agent runs unseen by the page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from stillframe.cdp import CDPSession
from stillframe.cdp_types import page as cdp_page
from stillframe.cdp_types import runtime
from stillframe.security.redaction import Redaction
from stillframe.tab.evaluation import ended_in_time
from stillframe.tab.world import NAME as WORLD
from stillframe.tab.world import ElementHandle, World, call, evaluate

DocumentHandler = Callable[["Frame"], None]
BindingHandler = Callable[["Frame", str], None]

FRAME_TAGS = frozenset({"iframe", "frame", "object", "embed"})
"""The elements that may hold a frame."""


class Frame:
    """One frame; its identity outlives the documents it shows and the processes it moves through."""

    def __init__(self, tree: FrameTree, frame_id: str, session: CDPSession, parent: Frame | None) -> None:
        self.tree = tree
        self.id = frame_id
        self.session = session
        self.parent = parent
        self.children: dict[str, Frame] = {}
        self.url = ""
        self.name = ""
        self.loader_id = ""
        """The id of the document loader: it changes with every new document, never within one."""
        self.detached = False
        self._world: World | None = None

    def __repr__(self) -> str:
        return f"Frame({self.id[:8]}, {Redaction.redact_everywhere(self.url)!r})"

    @property
    def is_main(self) -> bool:
        """Whether this is the page's top frame."""
        return self.parent is None

    @property
    def is_process_root(self) -> bool:
        """Whether this is the topmost frame of its process, the one its session belongs to."""
        return self.parent is None or self.parent.session is not self.session

    @property
    def process_key(self) -> str:
        """The frame part of a `NodeKey` for elements of this frame."""
        frame = self
        while not frame.is_process_root and frame.parent is not None:
            frame = frame.parent
        return "" if frame.parent is None else frame.id

    def describe(self) -> str:
        """Return words for error messages: which frame this is."""
        return "the page" if self.is_main else f"the frame {self.name or self.url or self.id!r}"

    def world(self) -> World:
        """Return the isolated world of the present document, creating it if there is none."""
        if self._world is None or self._world.lost:
            self._world = World(self)
        return self._world

    @property
    def context_id(self) -> int | None:
        """The execution context of the isolated world of the present document, if there is one by now."""
        return None if self._world is None or self._world.lost else self._world.context_id

    def owns_context(self, context_id: int) -> bool:
        """Whether an execution context is the isolated world of the present document."""
        return self._world is not None and self._world.context_id == context_id

    async def evaluate(self, expression: str, *, isolated: bool = True, timeout: float | None = 30.0) -> Any:
        """Evaluate an expression and return its value; a promise is awaited.

        It is JSON-like in the isolated world, and in the page's own as `Page.evaluate` has it. Raises EvaluationFailed
        if it throws, ContextLost if the document goes away meanwhile, EvaluationTimeout after `timeout` seconds: in the
        page's own world the script is ended then.
        """
        if isolated:
            return await self.world().evaluate(expression, timeout=timeout)
        async with ended_in_time(self.session):
            if self.is_process_root:
                with self.tree.meddling():
                    return await evaluate(self.session, expression, by_value=False, timeout=timeout)
            function = f"async function() {{ return (\n{expression}\n) }}"
            return await self.call(function, isolated=False, timeout=timeout)

    async def call(self, declaration: str, *args: Any, isolated: bool = True, timeout: float | None = 30.0) -> Any:
        """Call a function in the frame and return its value; errors as in `evaluate`.

        Arguments are what JSON has, NaN, infinities, -0, and an int beyond ±(2^53 - 1) as a BigInt; in the page's own
        world also datetimes (Date), bytes (Uint8Array), sets and cycles. Raises OptionInvalid for others.
        """
        if isolated:
            return await self.world().call(declaration, *args, timeout=timeout)
        document = await self._main_world_document()
        with self.tree.meddling():
            return await call(self.session, declaration, args, object_id=document, by_value=False, timeout=timeout)

    async def handle(self, backend_node_id: int) -> ElementHandle:
        """Return a handle, in the isolated world, of an element known by its backend node id.

        Raises CdpError if the node is not one of this frame's.
        """
        return await self.world().handle(backend_node_id)

    async def main_window(self) -> str:
        """Return the object id of the window in the page's own world, for commands that take one."""
        document = await self._main_world_document()
        command = runtime.CallFunctionOn(
            function_declaration="function() { return this.defaultView }", object_id=document, silent=True
        )
        with self.tree.meddling():
            return (await self.session.send(command)).result.object_id or ""

    async def _main_world_document(self) -> str:
        # No Runtime.enable, so a child frame's main world is only reachable through a node that lives in it.
        world = self.world()
        document = await world.call_handle("function() { return document }")
        backend_node_id = await document.backend_node_id()
        await document.release()
        return await world.main_world_object(backend_node_id)

    def commit(self, url: str, name: str, loader_id: str) -> None:
        """Note that the frame shows another document."""
        self.url, self.name, self.loader_id = url, name, loader_id
        self.drop_world()

    def drop_world(self) -> None:
        """Forget the isolated world, because its document is gone."""
        if self._world is not None:
            self._world.lose()
            self._world = None

    def walk(self) -> Iterator[Frame]:
        """Yield this frame and all below it, in document order of attachment."""
        yield self
        for child in tuple(self.children.values()):
            yield from child.walk()


class FrameTree:
    """All frames of a page; `main` is there from the first reply of the page on."""

    def __init__(self) -> None:
        self.main: Frame
        self.by_id: dict[str, Frame] = {}
        self.scripts: list[str] = []
        """Sources run once in the isolated world of every document, in this order, before the page's first script."""
        self.bindings: dict[str, BindingHandler] = {}
        """Functions of the isolated world that call back here, each with one string."""
        self.eager = False
        """Whether every new document gets its isolated world at once."""
        self.meddled = 0
        """How often a script of the caller began or ended in the page's own world; no counter of Chrome's has them."""
        self._gone: set[str] = set()
        self._document_handlers: list[DocumentHandler] = []

    def __iter__(self) -> Iterator[Frame]:
        return self.main.walk()

    @property
    def sessions(self) -> list[CDPSession]:
        """The page's session and those of its out-of-process frames."""
        return list(dict.fromkeys(frame.session for frame in self))

    @contextmanager
    def meddling(self) -> Iterator[None]:
        """Note that the caller's script runs in the page's own world, inside the block."""
        self.meddled += 1
        try:
            yield
        finally:
            self.meddled += 1

    def on_document(self, handler: DocumentHandler) -> Callable[[], None]:
        """Call the handler with each frame that commits a new document; returns what takes it back."""
        self._document_handlers.append(handler)
        return lambda: self._document_handlers.remove(handler)

    @property
    def source(self) -> str:
        """All that is run in an isolated world; a world where it has been says so by `__sfReady`."""
        return "\n;\n".join([*self.scripts, "void (globalThis.__sfReady = true);"])

    def register(self, session: CDPSession) -> None:
        """Have the scripts run in the isolated worlds of a session's documents; sends and awaits nothing."""
        session.post(
            cdp_page.AddScriptToEvaluateOnNewDocument(source=self.source, world_name=WORLD, run_immediately=True)
        )

    def adopt_main(self, session: CDPSession, frame_id: str) -> None:
        """Start the tree with the page's own session."""
        self.main = self._add(frame_id, session, None)
        self._listen(session)

    def adopt_child(self, session: CDPSession, frame_id: str, parent_id: str | None) -> None:
        """Take in the session of an out-of-process frame, whose target id is its frame id."""
        frame = self.by_id.get(frame_id)
        if frame is None:
            frame = self._add(frame_id, session, self.by_id.get(parent_id or "") or self.main)
        self._move(frame, session)
        self._listen(session)

    def fill(self, session: CDPSession, tree: cdp_page.FrameTree) -> None:
        """Take in a reply of Page.getFrameTree; what events have told since is newer and stays."""
        info = tree.frame
        frame = self.by_id.get(info.id)
        if frame is None:
            if info.id in self._gone:
                return
            frame = self._add(info.id, session, self.by_id.get(info.parent_id or "") or self.main)
        if not frame.loader_id:
            self._commit(frame, info)
        for child in tree.child_frames or ():
            self.fill(session, child)

    def _add(self, frame_id: str, session: CDPSession, parent: Frame | None) -> Frame:
        frame = self.by_id[frame_id] = Frame(self, frame_id, session, parent)
        if parent is not None:
            parent.children[frame_id] = frame
        return frame

    def _move(self, frame: Frame, session: CDPSession) -> None:
        if frame.session is session:
            return
        for child in tuple(frame.children.values()):
            self._remove(child)
        frame.session = session
        frame.loader_id = ""
        frame.drop_world()

    def _remove(self, frame: Frame) -> None:
        for gone in tuple(frame.walk()):
            gone.detached = True
            gone.drop_world()
            self.by_id.pop(gone.id, None)
            self._gone.add(gone.id)
        if frame.parent is not None:
            frame.parent.children.pop(frame.id, None)

    def _commit(self, frame: Frame, info: cdp_page.Frame) -> None:
        frame.commit(info.url + (info.url_fragment or ""), info.name or "", info.loader_id)
        if self.eager:
            frame.world().start()
        for handler in tuple(self._document_handlers):
            handler(frame)

    def _listen(self, session: CDPSession) -> None:
        session.on(cdp_page.FrameAttached, lambda event: self._attached(session, event))
        session.on(cdp_page.FrameDetached, lambda event: self._detached(session, event))
        session.on(cdp_page.FrameNavigated, lambda event: self._navigated(session, event))
        session.on(cdp_page.NavigatedWithinDocument, self._within_document)
        session.on(runtime.BindingCalled, lambda event: self._binding(session, event))

    def _attached(self, session: CDPSession, event: cdp_page.FrameAttached) -> None:
        parent = self.by_id.get(event.parent_frame_id)
        if parent is None:
            return
        known = self.by_id.get(event.frame_id)
        if known is None:
            self._add(event.frame_id, session, parent)
        else:
            self._move(known, session)

    def _detached(self, session: CDPSession, event: cdp_page.FrameDetached) -> None:
        frame = self.by_id.get(event.frame_id)
        if frame is None or event.reason == "swap":
            return  # a frame that moves to another process is announced as detached by the old one and lives on
        # The removal of an out-of-process frame is announced by its parent.
        if frame.session is session or (frame.parent is not None and frame.parent.session is session):
            self._remove(frame)

    def _navigated(self, session: CDPSession, event: cdp_page.FrameNavigated) -> None:
        info = event.frame
        frame = self.by_id.get(info.id)
        if frame is None:
            parent = self.by_id.get(info.parent_id or "")
            if parent is None:
                return
            frame = self._add(info.id, session, parent)
        self._move(frame, session)
        for child in tuple(frame.children.values()):
            self._remove(child)
        self._commit(frame, info)

    def _within_document(self, event: cdp_page.NavigatedWithinDocument) -> None:
        frame = self.by_id.get(event.frame_id)
        if frame is not None:
            frame.url = event.url

    def _binding(self, session: CDPSession, event: runtime.BindingCalled) -> None:
        handler = self.bindings.get(event.name)
        if handler is None:
            return
        for frame in self.by_id.values():
            if frame.session is session and frame.owns_context(event.execution_context_id):
                handler(frame, event.payload)
                return
