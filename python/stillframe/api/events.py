"""Events of pages and contexts: handlers, iteration, and waiting for what a block causes."""

from __future__ import annotations

import asyncio
import re
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any, Literal, overload

from stillframe.api.dialogs import Dialog
from stillframe.api.downloads import Download
from stillframe.api.file_chooser import FileChooser
from stillframe.api.frame import Frame
from stillframe.api.handlers import Handler, Handlers, Remove, known_event
from stillframe.api.websockets import WebSocket
from stillframe.api.workers import Worker
from stillframe.cdp import CDPSession
from stillframe.cdp.subscription import DEFAULT_BUFFER, Subscription
from stillframe.engine.page_parts import PageParts
from stillframe.errors import OptionInvalid
from stillframe.model.events import ConsoleMessage, PageError, RequestFailure
from stillframe.tab import frames as tab_frames
from stillframe.tab.events import events as tab_events
from stillframe.tab.events.dialogs import AskedDialog
from stillframe.tab.events.events import TabEventName
from stillframe.tab.events.frame_events import WORKER
from stillframe.tab.network.requests import Request
from stillframe.tab.network.responses import Response
from stillframe.tab.network.url_patterns import url_matcher
from stillframe.tab.tab import Tab

PageEventName = TabEventName
PAGE_EVENTS: tuple[str, ...] = TabEventName.__args__  # type: ignore[attr-defined]
OF_THE_PAGE = frozenset({"load", "domcontentloaded", "close", "crash"})
"""The events whose value is the page itself."""

RequestPattern = str | re.Pattern[str] | Callable[[Request], object]
ResponsePattern = str | re.Pattern[str] | Callable[[Response], object]


class EventStream(Subscription[Any]):
    """The events of one name from now on; made by `page.events`.

    Iterating ends when the page closes; what was buffered comes first. `close` ends it at once, as does the end of
    a `with` or `async with` block of it.
    """

    def __init__(self, tab: Tab, listen: Callable[[Handler], Remove], maxsize: int) -> None:
        super().__init__(None, maxsize, "error")
        own = weakref.ref(self)

        def put(event: Any) -> None:
            if (stream := own()) is not None:
                stream._put(event)

        def end(_: None) -> None:
            stream, error = own(), tab.session.error
            if stream is not None and error is not None:
                stream._end(error)

        self._removers = [listen(put), tab.events.listen("close", end)]
        # A stream that nobody holds any more, after a `break`, stops listening by itself.
        for remove in self._removers:
            weakref.finalize(self, remove).atexit = False


class PageEvents:
    """What a page tells while it runs."""

    _tab: Tab
    _parts: PageParts
    _handlers: Handlers
    _workers: weakref.WeakValueDictionary[CDPSession, Worker]

    @overload
    def on(self, event: Literal["console"], handler: Callable[[ConsoleMessage], object]) -> Remove: ...

    @overload
    def on(self, event: Literal["pageerror"], handler: Callable[[PageError], object]) -> Remove: ...

    @overload
    def on(self, event: Literal["request", "requestfinished"], handler: Callable[[Request], object]) -> Remove: ...

    @overload
    def on(self, event: Literal["response"], handler: Callable[[Response], object]) -> Remove: ...

    @overload
    def on(self, event: Literal["requestfailed"], handler: Callable[[RequestFailure], object]) -> Remove: ...

    @overload
    def on(self, event: Literal["dialog"], handler: Callable[[Dialog], object]) -> Remove: ...

    @overload
    def on(self, event: Literal["download"], handler: Callable[[Download], object]) -> Remove: ...

    @overload
    def on(self, event: Literal["websocket"], handler: Callable[[WebSocket], object]) -> Remove: ...

    @overload
    def on(self, event: Literal["worker"], handler: Callable[[Worker], object]) -> Remove: ...

    @overload
    def on(self, event: Literal["filechooser"], handler: Callable[[FileChooser], object]) -> Remove: ...

    @overload
    def on(
        self,
        event: Literal["frameattached", "framedetached", "framenavigated"],
        handler: Callable[[Frame], object],
    ) -> Remove: ...

    @overload
    def on(self, event: Literal["popup", "load", "domcontentloaded", "close", "crash"], handler: Handler) -> Remove: ...

    def on(self, event: PageEventName, handler: Any) -> Remove:
        """Call `handler` with every such event from now on.

        The handler gets:

        - `console`: a ConsoleMessage. What the page logs, and what the browser reports about it.
        - `pageerror`: a PageError. An exception that no script caught, a rejection that none handled.
        - `request`, `requestfinished`: a Request. `response`: a Response. `requestfailed`: a RequestFailure.
        - `dialog`: a Dialog that is open: `dialog.accept(text)` and `dialog.dismiss()` answer it. One that no handler
          has answered when all have returned is answered as the option `dialogs` of the context says.
        - `download`: a Download that has begun. `popup`: a Page that this page opened and that can be used.
        - `framenavigated`, `frameattached`, `framedetached`: the Frame. A new URL within a document is a navigation.
        - `load`, `domcontentloaded`: the page itself, once its top document has fired that event.
        - `websocket`: a WebSocket that opens. `worker`: a dedicated Worker that starts.
        - `filechooser`: a FileChooser. While somebody listens, the browser opens no file dialog.
        - `close`, `crash`: the page itself.

        Nothing is sent to the browser while nobody listens. Pages cannot tell that somebody listens to their console;
        for `pageerror` a listener is put into their own world, which shows only to scripts that ran there before.
        Values hold no secrets of the context.

        Args:
            event: The name of the event.
            handler: A function of the value; it may be async. What it raises is logged and stops nobody.

        Returns:
            A function that takes the handler back.

        Raises:
            OptionInvalid: There is no such event.
        """
        name = known_event(event, PAGE_EVENTS)
        return self._handlers.on(name, handler, partial(self._listen, name), self._tab.context.background)

    def once(self, event: PageEventName, handler: Handler) -> Remove:
        """Call `handler` with the next such event only; otherwise as `on`.

        Args:
            event: The event, as for `on`.
            handler: A function of the value.

        Returns:
            A function that takes the handler back.

        Raises:
            OptionInvalid: There is no such event.
        """
        name = known_event(event, PAGE_EVENTS)
        return self._handlers.once(name, handler, partial(self._listen, name), self._tab.context.background)

    def remove_listener(self, event: PageEventName, handler: Handler) -> None:
        """Take back a handler that `on` or `once` has added; the function that they return does the same.

        Args:
            event: The event that it was added for.
            handler: The function that was added.

        Raises:
            OptionInvalid: It is not a handler of this event.
        """
        self._handlers.remove(known_event(event, PAGE_EVENTS), handler)

    @property
    def workers(self) -> list[Worker]:
        """The dedicated workers that run on the page and in its frames."""
        return [self._worker(session) for session in self._tab.sessions() if session.target_type == WORKER]

    def events(self, event: PageEventName, *, maxsize: int = DEFAULT_BUFFER) -> EventStream:
        """Return the events of one name from now on, to iterate: `async for message in page.events("console"): …`.

        Args:
            event: The event, as for `on`.
            maxsize: How many events wait for a slow reader; beyond that the oldest are lost, and the next step raises
                SubscriptionLagged once, with how many.

        Returns:
            The values of `on`; iterating ends when the page closes.

        Raises:
            OptionInvalid: There is no such event.
        """
        name = known_event(event, PAGE_EVENTS)
        if not isinstance(maxsize, int) or maxsize < 1:
            raise OptionInvalid(f"option maxsize: {maxsize!r} is not a number of events, 1 or more", option="maxsize")
        return EventStream(self._tab, lambda put: self._listen(name, put), maxsize)

    def _shown_url(self) -> str:
        return self._tab.context.redaction.redact(self._tab.url)

    def _listen(self, name: str, take: Handler) -> Remove:
        """Give `take` the public values of an event."""
        if name == "console":
            self._tab.events.console.show_objects()
        if name == "dialog":
            return self._dialogs(take)
        face = self._face(name)
        return self._tab.events.listen(name, take if face is None else lambda value: take(face(value)))

    def _face(self, name: str) -> Callable[[Any], object] | None:
        """Return what makes the public value of an event of the tab; None where it is that already."""
        if name in OF_THE_PAGE:
            return lambda _: self
        faces: dict[str, Callable[[Any], object]] = {
            "download": self._download,
            "worker": self._worker,
            "websocket": lambda socket: WebSocket(socket, self._tab.context.background),
            "filechooser": lambda opened: FileChooser(self._parts, opened),
            **dict.fromkeys(("frameattached", "framedetached", "framenavigated"), self._frame_face),
        }
        return faces.get(name)

    def _frame_face(self, frame: tab_frames.Frame) -> Frame:
        return Frame(self._parts, frame.id, frame)

    def _worker(self, session: CDPSession) -> Worker:
        worker = self._workers.get(session)
        if worker is None:
            worker = self._workers[session] = Worker(session, self._tab.context)
        return worker

    def _dialogs(self, take: Handler) -> Remove:
        """Give `take` each dialog, open and ready to be answered; what it returns may be a task to wait for."""
        dialogs, redaction = self._tab.dialogs, self._tab.context.redaction

        def asked(dialog: AskedDialog) -> asyncio.Task[None] | None:
            task = take(Dialog(dialog, redaction, self))
            return task if isinstance(task, asyncio.Task) else None

        dialogs.handlers.append(asked)
        return lambda: dialogs.handlers.remove(asked) if asked in dialogs.handlers else None

    def _download(self, begun: tab_events.Download) -> Download:
        return Download(begun.report, begun.key, self._tab, self)


def value_matcher(pattern: Any) -> Callable[[Any], bool]:
    """Return a test for requests and responses by their URL, or by a function of them."""
    if callable(pattern):
        return lambda value: bool(pattern(value))
    matches = url_matcher(pattern)
    return lambda value: matches(value.url)
