"""The events of one tab by name. Nothing is enabled or sent while nobody listens."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal, NamedTuple, Protocol

from stillframe.cdp import CDPSession
from stillframe.cdp_types import inspector
from stillframe.model.events import DialogReport, DownloadReport, NewTarget
from stillframe.security.redaction import Redaction, logger
from stillframe.tab.channel import Channel
from stillframe.tab.console import Console
from stillframe.tab.frame_tree import FrameTree
from stillframe.tab.page_errors import PageErrors
from stillframe.tab.recorder import EventRecorder, PageEvent
from stillframe.tab.traffic import Traffic

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
    "close",
    "crash",
]

Listener = Callable[[Any], object]

log = logger("stillframe.tab")


class Download(NamedTuple):
    """A download that has begun, and the key of its later reports."""

    report: DownloadReport
    key: str


class Source(Protocol):
    """What finds events of a tab; `start` and `stop` say when somebody listens, `joined` brings it new sessions."""

    def start(self) -> None: ...
    def stop(self) -> None: ...
    def joined(self, session: CDPSession) -> None: ...


class TabEvents:
    """Gives the events of one tab to those who listen."""

    def __init__(
        self,
        sessions: Callable[[], Iterable[CDPSession]],
        frames: FrameTree,
        recorder: EventRecorder,
        channel: Channel,
        redaction: Redaction,
    ) -> None:
        self._redaction = redaction
        traffic = Traffic(sessions, frames, self._tell)
        recorded = _Recorded(recorder, self._tell)
        end = _End(sessions, self._tell)
        self._sources: dict[str, Source] = {
            "console": Console(sessions, lambda message: self._tell("console", message)),
            "pageerror": PageErrors(channel, lambda error: self._tell("pageerror", error)),
            **dict.fromkeys(("request", "response", "requestfinished", "requestfailed"), traffic),
            **dict.fromkeys(("dialog", "download", "popup"), recorded),
            **dict.fromkeys(("close", "crash"), end),
        }
        self._listeners: dict[str, tuple[Listener, ...]] = {}

    def joined(self, session: CDPSession) -> None:
        """Take in a new session of the tab before its target runs; sends nothing while nobody listens."""
        for source in dict.fromkeys(self._sources.values()):
            source.joined(session)

    def listen(self, name: str, listener: Listener) -> Callable[[], None]:
        """Call the listener with every such event from now on; returns what takes it back. What it raises is logged.

        Console messages, errors, requests and responses are frozen values of `model/events.py` without the secrets of
        the context; `download` brings a `Download`, `popup` a NewTarget, `dialog` a DialogReport, `close` and `crash`
        None.
        """
        own: list[Listener] = [listener]
        source = self._sources[name]
        first = not self._is_heard(source)
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
            if not self._is_heard(source):
                source.stop()

        return remove

    def _is_heard(self, source: Source) -> bool:
        return any(self._listeners.get(name) for name, other in self._sources.items() if other is source)

    def _tell(self, name: str, event: Any) -> None:
        listeners = self._listeners.get(name, ())
        if not listeners:
            return
        safe = self._redaction.redact(event)
        for listener in listeners:
            try:
                listener(safe)
            except Exception:
                log.exception("a listener for %s failed", name)


class _Recorded:
    """Dialogs, downloads and popups: the recorder has them in any case."""

    def __init__(self, recorder: EventRecorder, tell: Callable[[str, Any], None]) -> None:
        self._recorder = recorder
        self._tell = tell
        self._remove: Callable[[], None] | None = None
        self._known: set[str] = set()

    def start(self) -> None:
        self._remove = self._recorder.listen(self._heard)

    def stop(self) -> None:
        if self._remove is not None:
            self._remove()
            self._remove = None

    def joined(self, session: CDPSession) -> None:
        """Do nothing: the recorder listens to all sessions."""

    def _heard(self, event: PageEvent, key: str, update: bool) -> None:
        if isinstance(event, DialogReport):
            self._tell("dialog", event)
        elif isinstance(event, NewTarget) and not update:
            self._tell("popup", event)
        elif isinstance(event, DownloadReport) and key not in self._known:
            self._known.add(key)
            self._tell("download", Download(event, key))


class _End:
    """The end of the tab, and crashes."""

    def __init__(self, sessions: Callable[[], Iterable[CDPSession]], tell: Callable[[str, Any], None]) -> None:
        self._sessions = sessions
        self._tell = tell
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
        """Watch the tab's own session, which comes late where the tab was open before stillframe attached to it."""
        if self._removers is not None and session.target_type == "page":
            self._removers += [
                session.on_closed(lambda _: self._tell("close", None)),
                session.on(inspector.TargetCrashed, lambda _: self._tell("crash", None)),
            ]
