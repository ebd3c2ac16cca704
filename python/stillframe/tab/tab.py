"""One tab: its CDP session, frames, refs, recorded events, clock and captures. Other modules build on it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from stillframe.cdp import CDPSession
from stillframe.cdp.loop_clock import time_limit
from stillframe.cdp_types import emulation, target
from stillframe.cdp_types import page as cdp_page
from stillframe.core import Redactor
from stillframe.errors import CommandError, SessionDetached, TargetClosed
from stillframe.injected import elements_source
from stillframe.model.result import NavigationResult
from stillframe.tab.captures import Captures
from stillframe.tab.channel import Channel
from stillframe.tab.clock import TabClock
from stillframe.tab.context import ContextState
from stillframe.tab.dialogs import Dialogs
from stillframe.tab.document_scripts import DocumentScripts
from stillframe.tab.drawing import Drawing
from stillframe.tab.events import TabEvents
from stillframe.tab.exposed import ExposedFunctions
from stillframe.tab.frame_tree import FrameTree
from stillframe.tab.page_version import Observation
from stillframe.tab.presses import Presses
from stillframe.tab.recorder import EventRecorder
from stillframe.tab.refs import RefTable
from stillframe.tab.session_tree import family
from stillframe.tab.typed_secrets import TypedSecrets

CLOSE_S = 5.0
"""Seconds to wait for a closed tab to be gone; Chrome takes 0.5 s for one that is busy in a loop (measured)."""

SessionListener = Callable[[CDPSession], None]


class Tab:
    """A page target and what is known about it. Before `start` that is only what the browser says of the target."""

    def __init__(self, context: ContextState, info: target.TargetInfo) -> None:
        self.context = context
        self.info = info
        """What the browser last said of the target, as long as the tab is not attached."""
        self.gone = False
        """Whether the target, or the connection to it, went away while the tab was not attached."""
        self.target_id = info.target_id
        self.opener: Tab | None = None
        self.response: NavigationResult | None = None
        """What the last navigation came to."""
        self.frames = FrameTree()
        self.refs = RefTable(context.ref_numbers)
        self.recorder = EventRecorder(context.redaction)
        self.dialogs = Dialogs(self.recorder, context.options.dialogs)
        self.drawing: Drawing
        self.observation = Observation(context.options.observe)
        self.captures = Captures(self.frames, self.observation)
        self.clock = TabClock(context, self.frames)
        self.presses = Presses(self.frames.scripts)
        self.typed = TypedSecrets(self.frames, context.redaction)
        self.viewport = context.options.viewport
        """The size that the tab was given; None if it has that of its window."""
        self.document_scripts = DocumentScripts(self.sessions)
        self.channel = Channel(self.frames, self.document_scripts)
        self.events = TabEvents(self.sessions, self.frames, self.recorder, self.channel, context.redaction)
        self.exposed = ExposedFunctions(self.channel, context.background, context.redaction)
        self._listeners: list[SessionListener] = []
        self._session: CDPSession | None = None
        self._ready: asyncio.Future[Any] | None = None

    def __repr__(self) -> str:
        return f"Tab({self.target_id[:8]}, {self.context.redaction.redact(self.url)!r})"

    @property
    def redactor(self) -> Redactor:
        """Removes every text that no result shows: secrets that were declared, or typed on a page of the context."""
        return self.context.redaction.redactor

    @property
    def attached(self) -> bool:
        """Whether there is a session to the tab, or was one."""
        return self._session is not None

    @property
    def session(self) -> CDPSession:
        """The session to the tab; raises SessionDetached before there is one, TargetClosed if there never was one."""
        if self._session is None:
            if self.gone:
                raise TargetClosed(f"the tab {self.target_id} is closed")
            raise SessionDetached(f"the tab {self.target_id} is not attached yet: await a call of its page first")
        return self._session

    def sessions(self) -> list[CDPSession]:
        """Return the sessions of the tab, its frames and its workers; none before it is attached."""
        return [] if self._session is None else list(family(self._session))

    @property
    def url(self) -> str:
        """The URL of the top document, fragment included."""
        return self.frames.main.url if self.attached else self.info.url

    @property
    def closed(self) -> bool:
        """Whether the tab, or the connection to it, is gone; a crashed tab is not closed."""
        if self._session is None:
            return self.gone
        error = self._session.error
        return error is not None and error.code != "target_crashed"

    # -- sessions --------------------------------------------------------------------------------

    def on_session(self, listener: SessionListener) -> None:
        """Call the listener with each session of the tab before its target runs: pages, frames and workers.

        Call this before `start`. Listeners send and await nothing that the target has to answer first: it waits.
        """
        self._listeners.append(listener)

    def start(self, session: CDPSession) -> None:
        """Begin to follow the target; awaits nothing, because the target waits for what is sent here."""
        self._session = session
        self.drawing = Drawing(session)
        self.frames.scripts.sources.append(elements_source())
        self.frames.adopt_main(session, self.target_id)
        self.frames.on_document(lambda frame: self.refs.forget(frame.url) if frame.is_main else None)
        self._ready = self._follow(session)
        session.auto_attach(self._attached)

    async def ready(self) -> None:
        """Wait until the browser has listed the frames; raises SessionLost if the tab goes away before."""
        assert self._ready is not None  # it was started
        await asyncio.shield(self._ready)

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
        """Send a page or frame session all it needs in one go."""
        self.dialogs.watch(session)
        session.post(cdp_page.Enable())
        session.post(cdp_page.SetLifecycleEventsEnabled(enabled=True))
        # Without it a background tab has no frames, its timers run once a second, and a frame in another process never
        # gets a focus event.
        session.post(emulation.SetFocusEmulationEnabled(enabled=True))
        self._announce(session)
        self.clock.watch(session)
        self.frames.register(session)
        self.document_scripts.joined(session)  # after the observer: what they add to its world comes on top
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

    # -- the end ---------------------------------------------------------------------------------

    async def close(self, timeout: float | None = CLOSE_S) -> None:
        """Close the tab and wait until it is gone, `timeout` seconds at most; raises nothing.

        A tab that is not gone by then goes with its context or its browser.
        """
        if self.closed:
            return
        gone = asyncio.get_running_loop().create_future()
        remove = self.session.on_closed(lambda _: None if gone.done() else gone.set_result(None))
        try:
            async with time_limit(timeout):
                await self.session.root.send(target.CloseTarget(target_id=self.target_id), timeout=None)
                await gone
        except (CommandError, TimeoutError):
            # It went meanwhile, or it does not go: the context or the browser takes it along.
            return
        finally:
            remove()

    def leave(self) -> None:
        """Ask the browser to close the tab; awaits nothing."""
        self.session.root.post(target.CloseTarget(target_id=self.target_id))
