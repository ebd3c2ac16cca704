"""The frame tree of a tab, across processes, kept up to date by the events of its sessions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Literal

from stillframe.cdp_types import page as cdp_page
from stillframe.cdp_types import runtime
from stillframe.tab.frames import WORLD, BindingHandler, Frame, WorldScripts

if TYPE_CHECKING:
    from stillframe.cdp import CDPSession

DocumentHandler = Callable[[Frame], None]

BLANK = ("", "about:blank")
"""What a frame shows before its first document."""

FrameNews = Literal["attached", "detached", "navigated"]
"""What happens to a frame: a navigation is a new document, or another URL of the same one."""
FrameWatcher = Callable[[FrameNews, Frame], None]


class FrameTree:
    """All frames of a page; `main` exists once the page's session has attached."""

    def __init__(self, *, named_worlds: bool = True) -> None:
        self.main: Frame
        self.by_id: dict[str, Frame] = {}
        self.scripts = WorldScripts(named_worlds=named_worlds)
        self.eager = False
        """Whether every new document gets its isolated world at once."""
        self._gone: set[str] = set()
        self._left: set[str] = set()
        """Frames that left their parent's process, or the page: old browsers do not say which."""
        self._document_handlers: list[DocumentHandler] = []
        self._listed_handlers: list[DocumentHandler] = []
        self._watchers: tuple[FrameWatcher, ...] = ()

    def __iter__(self) -> Iterator[Frame]:
        return self.main.walk()

    @property
    def sessions(self) -> list[CDPSession]:
        """Return the page's session and those of its out-of-process frames."""
        return list(dict.fromkeys(frame.session for frame in self))

    def of_session(self, session: CDPSession | None = None) -> list[Frame]:
        """Return the known frames of a session, or of all; none before the page's session has attached."""
        return [frame for frame in self.by_id.values() if session in (None, frame.session)]

    def on_listed(self, handler: DocumentHandler) -> None:
        """Call the handler with each frame that was there before its session attached."""
        self._listed_handlers.append(handler)

    def on_document(self, handler: DocumentHandler) -> Callable[[], None]:
        """Call the handler with each frame that commits a new document; returns a function that removes it."""
        self._document_handlers.append(handler)
        return lambda: self._document_handlers.remove(handler)

    def watch(self, watcher: FrameWatcher) -> Callable[[], None]:
        """Call the watcher with what happens to each frame, once it has happened; returns a function that removes it.

        A frame that moves to another process goes on.
        """
        self._watchers = (*self._watchers, watcher)

        def remove() -> None:
            self._watchers = tuple(each for each in self._watchers if each is not watcher)

        return remove

    def _tell(self, news: FrameNews, frame: Frame) -> None:
        for watcher in self._watchers:
            watcher(news, frame)

    def bind(self, name: str, handler: BindingHandler) -> None:
        """Let the isolated worlds of all documents, current ones included, call a handler; awaits nothing."""
        self.scripts.bindings[name] = handler
        for frame in self:
            if frame.context_id is not None:  # a world under construction adds the binding itself
                frame.session.post(runtime.AddBinding(name=name, execution_context_id=frame.context_id))

    def register(self, session: CDPSession) -> None:
        """Register the scripts for the isolated worlds of a session's documents; awaits nothing."""
        if not self.scripts.named_worlds:
            return  # each document's world runs them when it is made
        session.post(
            cdp_page.AddScriptToEvaluateOnNewDocument(
                source=self.scripts.source, world_name=WORLD, run_immediately=True
            )
        )

    def adopt_main(self, session: CDPSession, frame_id: str) -> None:
        """Start the tree with the page's own session."""
        self.main = self._add(frame_id, session, None)
        self._listen(session)

    def adopt_child(self, session: CDPSession, frame_id: str, parent_id: str | None) -> None:
        """Add the session of an out-of-process frame, whose target id is its frame id."""
        frame = self.by_id.get(frame_id)
        if frame is None:
            frame = self._add(frame_id, session, self.by_id.get(parent_id or "") or self.main)
        self._move(frame, session)
        self._listen(session)
        session.on_closed(lambda _: self._ended(session))

    def fill(self, session: CDPSession, tree: cdp_page.FrameTree) -> None:
        """Add the frames of a Page.getFrameTree reply; data from events that came since is newer and stays.

        The main frame has the id of its target, but its first document can have another one until the page navigates
        (measured in QtWebEngine 73 to 83).
        """
        info = tree.frame
        frame = self.by_id.get(info.id)
        if frame is None and info.parent_id is None and session is self.main.session and not self.main.loader_id:
            frame, self.main.first_id = self.main, info.id
        if frame is None:
            if info.id in self._gone:
                return
            frame = self._add(info.id, session, self.by_id.get(info.parent_id or "") or self.main)
        if not frame.loader_id:
            self._commit(frame, info, is_news=info.url not in BLANK)
            for handler in tuple(self._listed_handlers):
                handler(frame)
        for child in tree.child_frames or ():
            self.fill(session, child)

    def _add(self, frame_id: str, session: CDPSession, parent: Frame | None) -> Frame:
        frame = self.by_id[frame_id] = Frame(self.scripts, frame_id, session, parent)
        if parent is not None:
            parent.children[frame_id] = frame
            self._tell("attached", frame)
        return frame

    def _move(self, frame: Frame, session: CDPSession) -> None:
        if frame.session is session:
            return
        for child in tuple(frame.children.values()):
            self._remove(child)
        frame.session = session
        frame.loader_id = frame.created_by = ""
        frame.drop_world()

    def _remove(self, frame: Frame) -> None:
        gone = tuple(frame.walk())
        for each in gone:
            each.detached = True
            each.drop_world()
            self.by_id.pop(each.id, None)
            self._gone.add(each.id)
        if frame.parent is not None:
            frame.parent.children.pop(frame.id, None)
        for each in reversed(gone):
            self._tell("detached", each)

    def _commit(self, frame: Frame, info: cdp_page.Frame, *, is_news: bool = True) -> None:
        frame.commit(info.url + (info.url_fragment or ""), info.name or "", info.loader_id)
        self._begin(frame)
        if is_news:
            self._tell("navigated", frame)

    def _begin(self, frame: Frame) -> None:
        """Set up the document that a frame shows from now on."""
        if self.eager:
            frame.world().start()
        for handler in tuple(self._document_handlers):
            handler(frame)

    def _listen(self, session: CDPSession) -> None:
        session.on(cdp_page.FrameAttached, lambda event: self._attached(session, event))
        session.on(cdp_page.FrameDetached, lambda event: self._detached(session, event))
        session.on(cdp_page.FrameNavigated, lambda event: self._navigated(session, event))
        session.on(cdp_page.NavigatedWithinDocument, self._within_document)
        session.on(cdp_page.LifecycleEvent, self._lifecycle)
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
            return  # a frame that moves to another process is reported as detached by the old one and lives on
        # The parent's session reports the removal of an out-of-process frame.
        if frame.session is not session and event.reason is None:
            self._left.add(frame.id)  # the end of its own session says that it is gone
        elif frame.session is session or (frame.parent is not None and frame.parent.session is session):
            self._remove(frame)

    def _ended(self, session: CDPSession) -> None:
        """Remove what an old browser did not report: a frame whose process ended with it."""
        for frame in [frame for frame in self.by_id.values() if frame.session is session and frame.id in self._left]:
            self._left.discard(frame.id)
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
        frame.first_id = None
        for child in tuple(frame.children.values()):
            self._remove(child)
        self._commit(frame, info)

    def _lifecycle(self, event: cdp_page.LifecycleEvent) -> None:
        """Begin again in the document into which a style sheet transforms XML: its loader creates a second one."""
        frame = self.by_id.get(event.frame_id)
        if event.name != "init" or frame is None:
            return
        again = frame.created_by == event.loader_id == frame.loader_id
        frame.created_by = event.loader_id
        if again:
            frame.drop_world()
            self._begin(frame)

    def _within_document(self, event: cdp_page.NavigatedWithinDocument) -> None:
        frame = self.by_id.get(event.frame_id)
        if frame is not None:
            frame.url = event.url
            self._tell("navigated", frame)

    def _binding(self, session: CDPSession, event: runtime.BindingCalled) -> None:
        handler = self.scripts.bindings.get(event.name)
        if handler is None:
            return
        for frame in self.by_id.values():
            if frame.session is session and frame.owns_context(event.execution_context_id):
                handler(frame, event.payload)
                return
