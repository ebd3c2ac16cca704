"""Dispatch the events of one tab by name. Enables and sends nothing while there are no listeners."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeVar

from stillframe.cdp_types import inspector
from stillframe.model.events import ConsoleMessage, DialogReport, DownloadReport, NewTarget, PageValue
from stillframe.security.redaction import Redaction, logger
from stillframe.tab.events.file_dialogs import FileDialogs
from stillframe.tab.events.frame_events import FileDialogEvents, FrameEvents, LoadEvents, WorkerEvents
from stillframe.tab.events.page_errors import PageErrors
from stillframe.tab.network.traffic import Traffic
from stillframe.tab.network.websockets import WebSockets

if TYPE_CHECKING:
    from stillframe.cdp import CDPSession
    from stillframe.tab.channel import Channel
    from stillframe.tab.events.console import Console
    from stillframe.tab.events.recorder import EventRecorder, PageEvent
    from stillframe.tab.frame_tree import FrameTree
    from stillframe.tab.network.requests import Request

TabEventName = Literal[
    "console",
    "pageerror",
    "request",
    "response",
    "requestfinished",
    "requestfailed",
    "dialog",
    "download",
    "popup",
    "filechooser",
    "frameattached",
    "framedetached",
    "framenavigated",
    "domcontentloaded",
    "load",
    "websocket",
    "worker",
    "close",
    "crash",
]

Listener = Callable[[Any], object]

Owned = TypeVar("Owned")

log = logger("stillframe.tab")


class Download(NamedTuple):
    """A download that has started, and the key of its later reports."""

    report: DownloadReport
    key: str


class Source(Protocol):
    """A source of tab events; runs from `start` to `stop` while there are listeners, `joined` adds new sessions."""

    def start(self) -> None:
        """Begin to report events."""

    def stop(self) -> None:
        """Report no more events."""

    def joined(self, session: CDPSession) -> None:
        """Report the events of one more session."""


class TabEvents:
    """Passes the events of one tab to its listeners."""

    def __init__(
        self,
        sessions: Callable[[], Iterable[CDPSession]],
        frames: FrameTree,
        console: Callable[[Callable[[ConsoleMessage], None]], Console],
        recorder: EventRecorder,
        channel: Channel,
        redaction: Redaction,
    ) -> None:
        self._redaction = redaction
        self.extras: dict[str, Any] = {}
        """What the requests and the messages of the tab know beside their fields: the public page, and its frames."""
        self._traffic = Traffic(sessions, redaction, self._tell, self.extras)
        recorded = _Recorded(recorder, self._emit)
        end = _End(sessions, self._emit)
        self.console = console(lambda message: self._emit("console", message))
        self.file_dialogs = FileDialogs()
        self._sources: dict[str, Source] = {
            "console": self.console,
            "pageerror": PageErrors(channel, lambda error: self._emit("pageerror", error)),
            **dict.fromkeys(("request", "response", "requestfinished", "requestfailed"), self._traffic),
            **dict.fromkeys(("dialog", "download", "popup"), recorded),
            **dict.fromkeys(("close", "crash"), end),
            **dict.fromkeys(("frameattached", "framedetached", "framenavigated"), FrameEvents(frames, self._emit)),
            **dict.fromkeys(("domcontentloaded", "load"), LoadEvents(sessions, self._emit)),
            "filechooser": FileDialogEvents(sessions, self.file_dialogs, self._emit),
            "websocket": WebSockets(sessions, redaction, self._emit),
            "worker": WorkerEvents(sessions, self._emit),
        }
        self._listeners: dict[str, tuple[Listener, ...]] = {}

    def __len__(self) -> int:
        """Return the number of listeners."""
        return sum(map(len, self._listeners.values()))

    def joined(self, session: CDPSession) -> None:
        """Add a new session of the tab before its target runs; sends nothing while there are no listeners."""
        for source in dict.fromkeys(self._sources.values()):
            source.joined(session)

    def answered(self, request_id: str | None, body: bytes, cookies: str | None) -> None:
        """Keep the body and the cookies with which a route has answered a request, for its response."""
        if request_id is not None:
            self._traffic.answered(request_id, body, cookies)

    def listen(self, name: str, listener: Listener) -> Callable[[], None]:
        """Call the listener with every such event from now on; returns a function that removes it. Logs its exceptions.

        Console messages, errors, requests and responses are frozen values of `model/events.py` without the context's
        secrets; `download` passes a `Download`, `popup` a NewTarget, `dialog` a DialogReport, `close`, `crash`,
        `load` and `domcontentloaded` None; the events of frames pass Frames of the tab, `worker` its session,
        `websocket` a Socket, `filechooser` an OpenedDialog.
        """
        own: list[Listener] = [listener]
        source = self._sources[name]
        first = not self._has_listeners(source)
        self._listeners[name] = (*self._listeners.get(name, ()), listener)
        if first:
            source.start()

        def remove() -> None:
            if not own:
                return
            own.clear()
            left = list(self._listeners.get(name, ()))
            left.remove(listener)
            self._listeners[name] = tuple(left)
            if not self._has_listeners(source):
                source.stop()

        return remove

    def recent_requests(self) -> list[Request]:
        """Return the last requests of the tab."""
        return self._traffic.recent()

    def owned(self, values: list[Owned]) -> list[Owned]:
        """Return values without secrets that know the public page."""
        return [_owned(self._redaction.redact(value), self.extras) for value in values]

    def _has_listeners(self, source: Source) -> bool:
        return any(self._listeners.get(name) for name, other in self._sources.items() if other is source)

    def _emit(self, name: str, event: Any) -> None:
        if self._listeners.get(name):
            self._tell(name, _owned(self._redaction.redact(event), self.extras))

    def _tell(self, name: str, event: Any) -> None:
        """Pass an event without secrets to its listeners."""
        for listener in self._listeners.get(name, ()):
            try:
                listener(event)
            except Exception:
                log.exception("a listener for %s failed", name)


def _owned(value: Owned, extras: Mapping[str, Any]) -> Owned:
    """Return a value of an event that knows its page, if values of its kind do."""
    if isinstance(value, PageValue):
        value.__dict__.update(extras)
    return value


class _Recorded:
    """Dialogs, downloads and popups, which the recorder collects anyway."""

    def __init__(self, recorder: EventRecorder, emit: Callable[[str, Any], None]) -> None:
        self._recorder = recorder
        self._emit = emit
        self._remove: Callable[[], None] | None = None
        self._known: set[str] = set()

    def start(self) -> None:
        self._remove = self._recorder.listen(self._on_event)

    def stop(self) -> None:
        if self._remove is not None:
            self._remove()
            self._remove = None

    def joined(self, session: CDPSession) -> None:
        """Do nothing: the recorder listens to all sessions."""

    def _on_event(self, event: PageEvent, key: str, update: bool) -> None:
        if isinstance(event, DialogReport):
            self._emit("dialog", event)
        elif isinstance(event, NewTarget) and not update:
            self._emit("popup", event)
        elif isinstance(event, DownloadReport) and key not in self._known:
            self._known.add(key)
            self._emit("download", Download(event, key))


class _End:
    """The close and crash events of the tab."""

    def __init__(self, sessions: Callable[[], Iterable[CDPSession]], emit: Callable[[str, Any], None]) -> None:
        self._sessions = sessions
        self._emit = emit
        self._removers: list[Callable[[], None]] | None = None

    def start(self) -> None:
        self._removers = []
        for session in self._sessions():
            self.joined(session)

    def stop(self) -> None:
        removers, self._removers = self._removers or [], None
        for remove in removers:
            remove()

    def joined(self, session: CDPSession) -> None:
        """Watch the tab's own session, which joins late if the tab was open before stillframe attached."""
        if self._removers is not None and session.target_type == "page":
            self._removers += [
                session.on_closed(lambda _: self._emit("close", None)),
                session.on(inspector.TargetCrashed, lambda _: self._emit("crash", None)),
            ]
