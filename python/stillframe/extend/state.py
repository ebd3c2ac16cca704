"""The state of a page below its public calls, for programs that build on stillframe."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from stillframe.core import Redactor
from stillframe.engine.delta import state_change
from stillframe.engine.plan import check_planned
from stillframe.engine.settle import expected
from stillframe.model.bounds import ROWS, bounded
from stillframe.settling.machine import Phase
from stillframe.settling.progress import Progress
from stillframe.settling.restless import NOISE_SECONDS
from stillframe.tab.captures import CAPTURE_S
from stillframe.tab.deadline import Deadline
from stillframe.tab.locating.closed_roots import adopt_closed_roots
from stillframe.tab.locating.locate import locate
from stillframe.tab.navigation import navigation
from stillframe.tab.reading.aria_snapshot import text_with_known_refs
from stillframe.tab.reading.screenshot import screenshot
from stillframe.tab.refs import RefTable
from stillframe.tab.session_tree import shows_documents

if TYPE_CHECKING:
    import asyncio

    from stillframe.cdp import CDPSession
    from stillframe.core import Snapshot, SnapshotPart
    from stillframe.engine.observers import PageObserver
    from stillframe.engine.page_identity import PageIdentity
    from stillframe.engine.page_parts import PageParts
    from stillframe.model.actions import Action
    from stillframe.model.change import StateChange
    from stillframe.model.options import SequenceOptions
    from stillframe.model.result import CaptureCounts
    from stillframe.model.verdict import Verdict
    from stillframe.security.redaction import Redaction
    from stillframe.security.secret_store import Secrets
    from stillframe.settling.call_lock import CallLock
    from stillframe.settling.rows import PendingRow
    from stillframe.settling.signals import Effect, Signal
    from stillframe.tab.document_scripts import DocumentScript
    from stillframe.tab.events.dialogs import Dialogs
    from stillframe.tab.events.events import TabEventName
    from stillframe.tab.frame_tree import FrameTree
    from stillframe.tab.frames import ElementHandle, Frame
    from stillframe.tab.reading.screenshot import ImageFormat
    from stillframe.tab.refs import NodeKey

T = TypeVar("T")
Remove = Callable[[], object]
"""Ends what the call that returned it began; safe to call once."""


class HasParts(Protocol):
    """A page of `stillframe`, one of its frames, or a locator."""

    @property
    def _parts(self) -> PageParts: ...


def page_state(page: HasParts) -> PageState:
    """Return the state of a page; cheap, and every call returns an equal one.

        state = page_state(page)
        remove = state.on_signal(lambda now, signal, effects: print(signal))

    `remove()` ends what `on_signal` began.
    """
    return PageState(page._parts)


class PageState:
    """What a program needs of a page beyond its public calls: to look, to compare, to listen and to keep secrets out.

    It belongs to the page and ends with it. Methods that ask the browser raise CommandError, and SessionLost once the
    page is gone. Await `attach` before the first of them on a page that nothing was called on yet.
    """

    __slots__ = ("_history", "_parts", "_settler", "_tab")

    def __init__(self, parts: PageParts) -> None:
        self._parts = parts
        self._tab = parts.tab
        self._settler = parts.settler
        self._history = parts.history

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PageState) and self._tab is other._tab

    def __hash__(self) -> int:
        return hash(self._tab)

    # -- the page itself ---------------------------------------------------------------------------

    async def attach(self) -> None:
        """Attach to the page's target, if that has not been done."""
        await self._parts.attach()

    async def ready(self) -> None:
        """Wait until the page is set up as its context's options say."""
        await self.attach()
        await self._tab.ready()

    @property
    def target_id(self) -> str:
        """The id of the page's CDP target."""
        return self._tab.target_id

    @property
    def url(self) -> str:
        """The URL of the top document."""
        return self._tab.url

    @property
    def attached(self) -> bool:
        """Whether the page has a CDP session."""
        return self._tab.attached

    @property
    def session(self) -> CDPSession:
        """The CDP session of the page's top document."""
        return self._tab.session

    def sessions(self) -> Iterable[CDPSession]:
        """Return the CDP sessions of the page: its top document, frames in other processes, and workers."""
        return self._tab.sessions()

    def document_sessions(self) -> Iterable[CDPSession]:
        """Return those of the CDP sessions that show documents."""
        return filter(shows_documents, self._tab.sessions())

    def on_session(self, joined: Callable[[CDPSession], object]) -> None:
        """Call `joined` with each CDP session that the page gets from now on, for as long as it lives.

        Args:
            joined: A function of the session.
        """
        self._tab.on_session(joined)

    async def go(self, steps: int, *, timeout_ms: float) -> None:
        """Go back or forward in the history, and wait for the load event.

        Args:
            steps: The number of entries, below 0 to go back.
            timeout_ms: The limit of the call, in ms.
        """
        await navigation.go(self._tab, steps, until="load", deadline=Deadline.of_ms(timeout_ms))

    @property
    def frames(self) -> FrameTree:
        """The frames of the page; `frames.main` is that of the top document."""
        return self._tab.frames

    @property
    def dialogs(self) -> Dialogs:
        """What answers the page's dialogs."""
        return self._tab.dialogs

    @property
    def lock(self) -> CallLock:
        """The lock that each call which acts or settles holds: `async with state.lock` keeps others out."""
        return self._settler.lock

    @property
    def is_busy(self) -> bool:
        """Whether a call acts on the page, or settles it, now."""
        return self._settler.lock.locked()

    @property
    def additions(self) -> tuple[int, ...]:
        """How many routes, headers, scripts, functions, handlers, limits and media features the page has of its own.

        A page whose numbers grew while somebody used it is not as it was for the next one.
        """
        tab = self._tab
        rules = self._parts.requests.rules_of(tab)
        own = len(rules.routes), len(rules.headers), len(tab.document_scripts), len(tab.exposed), len(tab.events)
        return (*own, tab.timeouts.own, len(tab.dialogs.handlers), len(tab.locator_handlers), len(tab.media))

    def name_session(self, name: str | None) -> None:
        """Set the name of the session that owns the page, which its sequences accept as `session_id`."""
        self._history.session_name = name

    # -- secrets -----------------------------------------------------------------------------------

    @property
    def redaction(self) -> Redaction:
        """The redaction of the page's context."""
        return self._tab.context.redaction

    @property
    def redactor(self) -> Redactor:
        """The core's redactor of the context, which snapshots and deltas take."""
        return self._tab.redactor

    @property
    def secrets(self) -> Secrets:
        """The declared secrets of the context."""
        return self._tab.context.secrets

    def redact(self, value: T) -> T:
        """Return a JSON-like value without the secrets of the context."""
        return self.redaction.redact(value)

    # -- looking and comparing -----------------------------------------------------------------------

    async def locate(self, selector: str, *, timeout_ms: float = 0.0) -> ElementHandle:
        """Return a handle to the one element that a selector means.

        Call `forget` on the handle after use.

        Args:
            selector: What finds the element, such as `#save`, `text=Save` or `ref=e12`.
            timeout_ms: How long to wait for the element, in ms; by default it is not awaited.

        Raises:
            SelectorInvalid: The selector does not parse.
            ElementNotFound: Nothing matches the selector within `timeout_ms`.
            AmbiguousSelector: Several elements match the selector.
            RefStale: The element of a ref is gone.
        """
        return await locate(self._tab, selector, Deadline(timeout_ms / 1000))

    def check(self, action: Action) -> None:
        """Raise the error of an action that cannot run on any page: a wrong selector, key, file, URL or secret."""
        check_planned(self._tab, action)

    @property
    def refs(self) -> RefTable:
        """The refs of the page's elements."""
        return self._tab.refs

    @property
    def identity(self) -> PageIdentity:
        """What recognises the page: its digests without the parts that change by themselves."""
        return self._history.identity

    async def capture(self) -> Snapshot:
        """Return a snapshot of the page as it is now; the last one, if nothing has changed since."""
        return await self._tab.captures.take(Deadline(CAPTURE_S))

    def text(self, snapshot: Snapshot, *, budget: int) -> str:
        """Return a whole page as text, with the refs that were given before.

        Args:
            snapshot: The page.
            budget: How many characters the text may have.
        """
        return text_with_known_refs(self._tab, snapshot, budget)

    async def screenshot(self, *, format: ImageFormat = "png", quality: int | None = None, timeout_ms: float) -> bytes:
        """Return a picture of the view in which secrets are painted over; no observer sees it as a call.

        Args:
            format: `png`, `jpeg` or `webp`.
            quality: 0 to 100, for jpeg and webp.
            timeout_ms: The limit of the call, in ms.
        """
        return await screenshot(self._tab, format=format, quality=quality, deadline=Deadline.of_ms(timeout_ms))

    async def capture_parts(self) -> list[SnapshotPart]:
        """Capture the bytes of a snapshot, one part for each process, which a file can keep."""
        return await self._tab.captures.parts(Deadline(CAPTURE_S))

    @property
    def captures(self) -> CaptureCounts:
        """How many snapshots were taken of the page, and how many questions an earlier one answered."""
        return self._tab.captures.counts

    async def noise(self, *, timeout_ms: float = NOISE_SECONDS * 1000) -> set[NodeKey]:
        """Return the elements whose changes have an origin of their own, such as clocks; empty after `timeout_ms`."""
        return await self._settler.noise(Deadline.of_ms(timeout_ms))

    def compare(
        self, before: Snapshot | None, after: Snapshot | None, *, rows: int = ROWS, noise: Collection[NodeKey] = ()
    ) -> StateChange | None:
        """Return what changed between two snapshots, without secrets; None if nothing.

        Args:
            before: The earlier snapshot.
            after: The later one.
            rows: How many rows each list has at most.
            noise: Elements whose changes do not count, as `noise` returns them.
        """
        return state_change(before, after, self.refs, rows, self.redactor, noise)

    # -- listening -----------------------------------------------------------------------------------

    def listen(self, event: TabEventName, listener: Callable[[Any], object]) -> Remove:
        """Call `listener` for each event of the page of a name, as plain values.

        Args:
            event: The name of the event, such as `request`.
            listener: A function of the event.

        Returns:
            A function that ends it.
        """
        return self._tab.events.listen(event, listener)

    def show_console_objects(self) -> None:
        """Keep the properties of objects in console messages from now on, not only their class."""
        self._tab.events.console.show_objects()

    def on_signal(self, listener: Callable[[float, Signal, tuple[Effect, ...]], None]) -> Remove:
        """Call `listener` for each signal of settling.

        Args:
            listener: A function of the time in ms, the signal, and what the logic does on it.

        Returns:
            A function that ends it.
        """
        self._settler.watchers.append(listener)
        return lambda: self._settler.watchers.remove(listener)

    def on_document(self, listener: Callable[[Frame], None]) -> Remove:
        """Call `listener` with the frame of each new document."""
        return self._tab.frames.on_document(listener)

    def observe(self, observer: PageObserver) -> Remove:
        """Let an observer see each call and each sequence of the page."""
        self._history.observers.append(observer)
        return lambda: self._history.observers.remove(observer)

    def emit(self, signal: Signal) -> None:
        """Give the settling logic a signal, as of work that stillframe does not see by itself."""
        self._settler.emit(signal)

    # -- settling --------------------------------------------------------------------------------------

    def now(self) -> float:
        """Return the time on the clock of settling, in ms, which does not count stalls of the event loop."""
        return self._settler.time.now()

    def blocking(self, now: float) -> list[PendingRow]:
        """Return what the page waits for at a time of `now`; empty between waits."""
        machine = self._settler.page.machine
        return machine.blocking(now) if machine.phase in (Phase.ARMED, Phase.SETTLING) else []

    def progress(self) -> Progress:
        """Return what tells in lines what the page waits for, from the signals that `on_signal` gives."""
        return Progress(self._settler.page.machine, self.now())

    async def settle_after(self, act: Callable[[], Awaitable[object]], options: SequenceOptions) -> Verdict:
        """Do something to the page and wait until it is still; holds the lock.

        What `act` raises is raised.

        Args:
            act: A function that does it.
            options: How to wait.
        """
        async with self.lock, self._settler.armed(options) as settling:
            await act()
            return bounded(await settling.verdict(expected=expected(self._tab, options)))

    @property
    def excess_ms(self) -> float:
        """How many ms the last wait took beyond the moment since when the page was still."""
        return self._settler.page.machine.excess_ms

    # -- scripts in the page ---------------------------------------------------------------------------

    def bind(self, name: str, heard: Callable[[Frame, str], None]) -> Remove:
        """Let scripts in the isolated world call `heard` as the global function `name`.

        A document has the function some milliseconds after its first scripts ran: call it from a listener.

        Args:
            name: The name of the function.
            heard: A function of the frame and the text that the script gives.

        Returns:
            A function that ends it.
        """
        self._tab.frames.bind(name, heard)
        return lambda: self._tab.frames.scripts.bindings.pop(name, None)

    def add_script(self, source: str, *, world: str) -> Remove:
        """Run a script in an isolated world of each document, those that are there included.

        Args:
            source: The JavaScript text.
            world: The name of the isolated world.

        Returns:
            A function that ends it.
        """
        script: DocumentScript = self._tab.document_scripts.add(source, world=world, now=True)
        return lambda: self._tab.document_scripts.remove(script)

    async def adopt_closed_roots(self, frame: Frame) -> None:
        """Let the scripts of a frame's isolated world see into its closed shadow roots."""
        await adopt_closed_roots(self._tab, frame)

    def post_to_frames(self, expression: str) -> list[asyncio.Future[Any]]:
        """Evaluate an expression in the isolated world of each document; returns the replies, which may be ignored."""
        return self._settler.page.post_to_frames(expression)


def compare(before: Snapshot, after: Snapshot, *, rows: int = ROWS) -> StateChange | None:
    """Return what changed between two snapshots that no page stands behind, such as two files; None if nothing.

    Args:
        before: The earlier snapshot.
        after: The later one.
        rows: How many rows each list has at most.
    """
    return state_change(before, after, RefTable(), rows, Redactor())


class Tells(Protocol):
    """What gives events to functions, for as long as they want them."""

    def listen(self, name: str, take: Callable[[Any], object]) -> Remove:
        """Call `take` with each event of a name from now on."""


class HasListeners(Protocol):
    """A context of `stillframe`."""

    @property
    def _listeners(self) -> Tells: ...


def on_page(context: HasListeners, take: Callable[[Any], object]) -> Remove:
    """Call `take` with each page that opens in a context from now on, before anything runs in it.

    Args:
        context: The context.
        take: A function of the page; it must not await.

    Returns:
        A function that ends it.
    """
    return context._listeners.listen("page", take)
