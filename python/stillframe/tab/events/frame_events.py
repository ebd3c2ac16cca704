"""Events about frames, the loading of the page, its workers and its file dialogs.

Nothing is sent for them, but for the file dialogs: Chrome keeps those closed while somebody listens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from stillframe.cdp_types import page as cdp_page
from stillframe.tab.session_tree import shows_documents

if TYPE_CHECKING:
    from stillframe.cdp import CDPSession
    from stillframe.tab.events.file_dialogs import FileDialogs
    from stillframe.tab.frame_tree import FrameNews, FrameTree
    from stillframe.tab.frames import Frame

Emit = Callable[[str, Any], None]
Sessions = Callable[[], Iterable["CDPSession"]]

PAGE = "page"
WORKER = "worker"


class FrameEvents:
    """`frameattached`, `framedetached` and `framenavigated`, each with the Frame of the tab."""

    def __init__(self, frames: FrameTree, emit: Emit) -> None:
        self._frames = frames
        self._emit = emit
        self._remove: Callable[[], None] | None = None

    def start(self) -> None:
        """Report what happens to frames from now on."""
        self._remove = self._frames.watch(self._heard)

    def stop(self) -> None:
        """Report nothing more."""
        if self._remove is not None:
            self._remove()
            self._remove = None

    def joined(self, session: CDPSession) -> None:
        """Do nothing: the tree follows all sessions."""

    def _heard(self, news: FrameNews, frame: Frame) -> None:
        self._emit(f"frame{news}", frame)


class _Watching:
    """A source that listens to some of the sessions of a tab."""

    def __init__(self, sessions: Sessions, emit: Emit) -> None:
        self._sessions = sessions
        self._emit = emit
        self._removers: list[Callable[[], None]] | None = None

    def start(self) -> None:
        """Report events from now on."""
        self._removers = []
        for session in self._sessions():
            self._watch(session, self._removers, fresh=False)

    def stop(self) -> None:
        """Report nothing more."""
        removers, self._removers = self._removers or [], None
        for remove in removers:
            remove()

    def joined(self, session: CDPSession) -> None:
        """Report the events of one more session."""
        if self._removers is not None:
            self._watch(session, self._removers, fresh=True)

    def _watch(self, session: CDPSession, removers: list[Callable[[], None]], *, fresh: bool) -> None:
        raise NotImplementedError


class LoadEvents(_Watching):
    """`domcontentloaded` and `load` of the top document."""

    def _watch(self, session: CDPSession, removers: list[Callable[[], None]], *, fresh: bool) -> None:  # noqa: ARG002
        if session.target_type == PAGE:
            removers += [
                session.on(cdp_page.DomContentEventFired, lambda _: self._emit("domcontentloaded", None)),
                session.on(cdp_page.LoadEventFired, lambda _: self._emit("load", None)),
            ]


class WorkerEvents(_Watching):
    """`worker`: the session of a dedicated worker, before it runs."""

    def _watch(self, session: CDPSession, removers: list[Callable[[], None]], *, fresh: bool) -> None:  # noqa: ARG002
        if fresh and session.target_type == WORKER:
            self._emit(WORKER, session)


class OpenedDialog(NamedTuple):
    """A file dialog that a page wants to open: the frame and the input that ask, and whether for several files."""

    frame_id: str
    backend_node_id: int | None
    is_multiple: bool


class FileDialogEvents(_Watching):
    """`filechooser`: a dialog that Chrome would have opened. While somebody listens, it opens none."""

    def __init__(self, sessions: Sessions, dialogs: FileDialogs, emit: Emit) -> None:
        super().__init__(sessions, emit)
        self._dialogs = dialogs

    def _watch(self, session: CDPSession, removers: list[Callable[[], None]], *, fresh: bool) -> None:  # noqa: ARG002
        if shows_documents(session):
            self._dialogs.hold(session)
            removers += [
                session.on(cdp_page.FileChooserOpened, self._opened),
                lambda: self._dialogs.release(session),
            ]

    def _opened(self, event: cdp_page.FileChooserOpened) -> None:
        several = event.mode == "selectMultiple"
        self._emit("filechooser", OpenedDialog(event.frame_id or "", event.backend_node_id, several))
