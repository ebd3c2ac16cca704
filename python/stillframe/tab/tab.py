"""One tab: its CDP session, frames, refs, recorder, clock and captures. Other modules build on it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from stillframe.cdp import CDPSession
from stillframe.cdp.loop_clock import time_limit
from stillframe.cdp_types import emulation, target
from stillframe.cdp_types import page as cdp_page
from stillframe.errors import CommandError, SessionDetached, TargetClosed, UnsupportedByBrowser
from stillframe.injected import elements_source
from stillframe.tab.captures import Captures
from stillframe.tab.channel import Channel
from stillframe.tab.clock.clock import TabClock
from stillframe.tab.context.timeouts import Timeouts
from stillframe.tab.current_documents import CurrentDocuments
from stillframe.tab.document_scripts import DocumentScripts
from stillframe.tab.drawing import Drawing
from stillframe.tab.events.console import Console
from stillframe.tab.events.dialogs import Dialogs
from stillframe.tab.events.events import TabEvents
from stillframe.tab.events.recorder import EventRecorder
from stillframe.tab.events.worker_debuggers import WorkerDebuggers
from stillframe.tab.external_programs import ExternalPrograms
from stillframe.tab.frame_tree import FrameTree
from stillframe.tab.frames import NAMED_WORLDS_SINCE
from stillframe.tab.input.held_input import HeldInput
from stillframe.tab.input.letters import Letters
from stillframe.tab.input.presses import Presses
from stillframe.tab.javascript.exposed import ExposedFunctions
from stillframe.tab.navigation.next_document import LeavingFrames, NextDocument
from stillframe.tab.network.caches import Caches
from stillframe.tab.network.socket_routes import SocketRoutes
from stillframe.tab.page_version import Observation
from stillframe.tab.refs import RefTable
from stillframe.tab.session_tree import family
from stillframe.tab.typed_secrets import TypedSecrets

if TYPE_CHECKING:
    from stillframe.core import Redactor
    from stillframe.model.result import NavigationResult
    from stillframe.tab.context.context import ContextState
    from stillframe.tab.deadline import Deadline
    from stillframe.tab.frames import Frame
    from stillframe.tab.locator_handlers import LocatorHandler

CLOSE_S = 5.0
"""Seconds to wait for a closed tab to go away; Chrome takes 0.5 s for one that is busy in a loop (measured)."""
CLOSE_AGAIN_S = 0.6
"""Seconds before the browser is asked once more: Chromium 156 answers, and forgets, 1 in 130 requests that arrive while
a document commits (measured)."""

BLANK = ("", "about:blank")
"""The URLs of a tab before its first document."""

SessionListener = Callable[[CDPSession], object]


class Tab:
    """A page target and its state. Before `start` that is only the browser's information about the target."""

    def __init__(self, context: ContextState, info: target.TargetInfo) -> None:
        self.context = context
        self.info = info
        """The browser's latest information about the target, until the tab is attached."""
        self.gone = False
        """Whether the target, or the connection to it, went away while the tab was not attached."""
        self.target_id = info.target_id
        self.opener: Tab | None = None
        self.response: NavigationResult | None = None
        """The response of the last navigation."""
        self.response_headers: dict[str, str] = {}
        """Its headers by their names in lower case."""
        self.frames = FrameTree(named_worlds=(context.info.milestone or NAMED_WORLDS_SINCE) >= NAMED_WORLDS_SINCE)
        self.timeouts = Timeouts(context.timeouts)
        self.refs = RefTable(context.ref_numbers)
        self.recorder = EventRecorder(context.redaction)
        self.dialogs = Dialogs(
            self.recorder,
            context.options.dialogs,
            group=context.held_dialogs,
            limit_ms=context.options.dialog_timeout_ms,
            redaction=context.redaction,
            background=context.background,
        )
        self.drawing: Drawing
        self.next_document: NextDocument
        self.leaving_frames: LeavingFrames
        self.observation = Observation(context.options.observe)
        self.captures = Captures(self.frames, self.observation, context.info.milestone)
        self.clock = TabClock(context, self.frames)
        self.held = HeldInput()
        """The keys and mouse buttons that the caller holds down."""
        self.presses = Presses(self.frames.scripts)
        self.letters = Letters(self.frames.scripts)
        self.typed = TypedSecrets(self.frames, context.redaction)
        self.external_programs = ExternalPrograms(self.frames.scripts, context.info, self.recorder)
        self.viewport = context.options.viewport
        """The emulated size; None if the tab has the size of its window."""
        self.media: dict[str, str] = {}
        """The media features of this page alone, by their options, and its medium; see `Page.emulate_media`."""
        self.locator_handlers: list[LocatorHandler] = []
        """What runs when an element shows while an action is about to act."""
        self.current_documents = CurrentDocuments(self.frames, context)
        self.document_scripts = DocumentScripts(self.sessions, self.current_documents)
        self.caches = Caches(self.sessions, self.document_scripts)
        self.channel = Channel(self.frames, self.document_scripts)
        self.worker_debuggers = WorkerDebuggers()
        self.events = TabEvents(
            self.sessions,
            self.frames,
            partial(Console, self.sessions, self.frames.of_session, self.worker_debuggers),
            self.recorder,
            self.channel,
            context.redaction,
        )
        self.exposed = ExposedFunctions(self.channel, context.background, context.redaction)
        self.socket_routes = SocketRoutes(self.channel, context.background, context.redaction)
        self._listeners: list[SessionListener] = []
        self._session: CDPSession | None = None
        self._ready: asyncio.Future[Any] | None = None

    def __repr__(self) -> str:
        return f"Tab({self.target_id[:8]}, {self.context.redaction.redact(self.url)!r})"

    @property
    def redactor(self) -> Redactor:
        """Remove declared and typed secrets of the context from texts."""
        return self.context.redaction.redactor

    @property
    def attached(self) -> bool:
        """Return whether there is, or was, a session to the tab."""
        return self._session is not None

    @property
    def session(self) -> CDPSession:
        """Return the session; raises SessionDetached before there is one, TargetClosed if there never was one."""
        if self._session is None:
            if self.gone:
                raise TargetClosed(f"the tab {self.target_id} is closed")
            raise SessionDetached(f"the tab {self.target_id} is not attached yet: await a method of its page first")
        return self._session

    def sessions(self) -> list[CDPSession]:
        """Return the sessions of the tab, its frames and its workers; none before it is attached."""
        return [] if self._session is None else list(family(self._session))

    @property
    def url(self) -> str:
        """Return the URL of the top document, fragment included."""
        return self.frames.main.url if self.attached else self.info.url

    @property
    def is_blank(self) -> bool:
        """Return whether the tab shows no document but the empty one that it begins with."""
        return self.url in BLANK

    @property
    def closed(self) -> bool:
        """Return whether the tab, or the connection to it, is gone; a crashed tab is not closed."""
        if self._session is None:
            return self.gone
        error = self._session.error
        return error is not None and error.code != "target_crashed"

    # -- sessions --------------------------------------------------------------------------------

    def on_session(self, listener: SessionListener) -> None:
        """Call the listener with each session of the tab before its target runs: pages, frames and workers.

        Call this before `start`. Listeners must not wait for the target to answer: it has not started yet.
        """
        self._listeners.append(listener)

    def start(self, session: CDPSession) -> None:
        """Start following the target; awaits nothing, because the target waits for these commands."""
        self._session = session
        self.drawing = Drawing(session)
        announced = self.context.capabilities.has("Page.frameStartedNavigating")
        self.next_document = NextDocument(session, self.target_id, announced=announced)
        self.leaving_frames = LeavingFrames(self.target_id)
        self.frames.scripts.sources.append(elements_source())
        self.frames.adopt_main(session, self.target_id)
        self.frames.on_document(lambda frame: self._new_document(frame) if frame.is_main else None)
        self._ready = self._follow(session)
        session.auto_attach(self._attached)

    async def ready(self) -> None:
        """Wait until the browser has listed the frames; raises SessionLost if the tab goes away before."""
        assert self._ready is not None  # start() was called
        await asyncio.shield(self._ready)

    def _new_document(self, frame: Frame) -> None:
        self.refs.forget(frame.url)
        self.held.clear()

    def _attached(self, child: CDPSession) -> None:
        info = child.target_info
        if info is None:
            return
        if info.type == "iframe":
            self.frames.adopt_child(child, info.target_id, info.parent_frame_id)
            self._follow(child)
        else:
            self._announce(child)

    def _follow(self, session: CDPSession) -> asyncio.Future[Any]:
        """Set up a page or frame session in one batch."""
        self.leaving_frames.watch(session)
        self.external_programs.watch(session, self.target_id)
        session.post(cdp_page.Enable())
        session.post(cdp_page.SetLifecycleEventsEnabled(enabled=True))
        # Without it a background tab has no frames, its timers run once a second, and a frame in another process never
        # gets a focus event.
        session.post(emulation.SetFocusEmulationEnabled(enabled=True))
        self._announce(session)
        self.dialogs.watch(session)  # after those who only hear of dialogs, because this may end their waits
        self.clock.watch(session)
        self.frames.register(session)
        self.document_scripts.joined(session)  # after the observer, because they extend its world
        tree = session.post(cdp_page.GetFrameTree())
        tree.add_done_callback(lambda reply: self._fill(session, reply))
        return tree

    def _announce(self, session: CDPSession) -> None:
        self.events.joined(session)
        for listener in self._listeners:
            listener(session)

    def _fill(self, session: CDPSession, reply: asyncio.Future[Any]) -> None:
        if not reply.cancelled() and reply.exception() is None:
            self.frames.fill(session, reply.result().frame_tree)

    # -- closing ---------------------------------------------------------------------------------

    async def close(self, deadline: Deadline) -> None:
        """Close the tab and wait until it is gone, until the deadline at most; raises nothing.

        A tab that is not gone by then is closed with its context or its browser. A WebView belongs to its app, which
        nobody can tell to close it, so this client only detaches from it.
        """
        if self.closed:
            return
        self.dialogs.give_up()
        gone = asyncio.get_running_loop().create_future()
        remove = self.session.on_closed(lambda _: None if gone.done() else gone.set_result(None))
        try:
            async with time_limit(deadline.left_s):
                while not gone.done():
                    await self.session.root.send(target.CloseTarget(target_id=self.target_id), timeout=None)
                    await asyncio.wait({gone}, timeout=CLOSE_AGAIN_S)
        except UnsupportedByBrowser:
            await self._detach(deadline)
        except (CommandError, TimeoutError):
            # It went away meanwhile, or it does not close: the context or the browser will close it.
            return
        finally:
            remove()

    async def _detach(self, deadline: Deadline) -> None:
        try:
            await self.session.detach(timeout=deadline.left_s)
        except CommandError:
            return  # it went away meanwhile

    def leave(self) -> None:
        """Request that the browser close the tab; awaits nothing."""
        self.dialogs.give_up()
        self.session.root.post(target.CloseTarget(target_id=self.target_id))
