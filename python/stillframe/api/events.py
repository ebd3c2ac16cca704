"""Events of pages and contexts: handlers, iteration, and waiting for what a block causes."""

from __future__ import annotations

import asyncio
import re
import weakref
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, Literal, overload

from stillframe.api.dialogs import Dialog
from stillframe.api.downloads import Download
from stillframe.api.expecting import expecting
from stillframe.api.parts import PageParts, default_limit
from stillframe.cdp import CDPSession
from stillframe.cdp.subscription import DEFAULT_BUFFER, Subscription
from stillframe.errors import OptionInvalid
from stillframe.model.events import ConsoleMessage, PageError, Request, RequestFailure
from stillframe.model.suggest import did_you_mean
from stillframe.tab import events as tab_events
from stillframe.tab.deadline import CALL_MS
from stillframe.tab.dialogs import AskedDialog
from stillframe.tab.events import TabEventName
from stillframe.tab.tab import Tab
from stillframe.tab.traffic import Response
from stillframe.tab.url_patterns import url_matcher

PageEventName = TabEventName
PAGE_EVENTS: tuple[str, ...] = TabEventName.__args__  # type: ignore[attr-defined]

ContextEventName = Literal["page", "close"]
CONTEXT_EVENTS: tuple[str, ...] = ContextEventName.__args__  # type: ignore[attr-defined]

Handler = Callable[[Any], object]
"""Takes the value of an event; may be async."""

RequestPattern = str | re.Pattern[str] | Callable[[Request], object]
ResponsePattern = str | re.Pattern[str] | Callable[[Response], object]
Remove = Callable[[], None]


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
    def on(self, event: Literal["popup", "close", "crash"], handler: Handler) -> Remove: ...

    def on(self, event: PageEventName, handler: Any) -> Remove:
        """Call `handler` with every such event from now on; returns a function that takes it back.

        The handler may be async. What it raises is logged and stops nobody. It gets:

        - `console`: a ConsoleMessage. What the page logs, and what the browser reports about it.
        - `pageerror`: a PageError. An exception that no script caught, a rejection that none handled.
        - `request`, `requestfinished`: a Request. `response`: a Response. `requestfailed`: a RequestFailure.
        - `dialog`: a Dialog that is open: `dialog.accept(text)` and `dialog.dismiss()` answer it. One that no handler
          has answered when all have returned is answered as the option `dialogs` of the context says.
        - `download`: a Download that has begun. `popup`: a Page that this page opened and that can be used.
        - `close`, `crash`: the page itself.

        Nothing is sent to the browser while nobody listens. Pages cannot tell that somebody listens to their console;
        for `pageerror` a listener is put into their own world, which shows only to scripts that ran there before.
        Values hold no secrets of the context. Raises OptionInvalid for an event that there is not.
        """
        name = known_event(event, PAGE_EVENTS)
        background = self._tab.context.background
        return self._listen(name, lambda value: background.call(handler, value, name=f"handler of {name} events"))

    def events(self, event: PageEventName, *, maxsize: int = DEFAULT_BUFFER) -> EventStream:
        """Return the events of one name from now on, to iterate: `async for message in page.events("console"): …`.

        The values are those of `on`. Iterating ends when the page closes. At most `maxsize` events wait for a slow
        reader; beyond that the oldest are lost, and the next step raises SubscriptionLagged once, with how many.
        """
        name = known_event(event, PAGE_EVENTS)
        if not isinstance(maxsize, int) or maxsize < 1:
            raise OptionInvalid(f"option maxsize: {maxsize!r} is not a number of events, 1 or more", option="maxsize")
        return EventStream(self._tab, lambda put: self._listen(name, put), maxsize)

    @default_limit
    def expect_request(
        self, pattern: RequestPattern, *, timeout_ms: float | None = CALL_MS
    ) -> AbstractAsyncContextManager[asyncio.Future[Request]]:
        """Wait for a request: `async with page.expect_request("**/save") as request: …`, then `await request`.

        `pattern` is a glob (see `page.route`), a compiled regular expression that is searched in the URL, or a function
        of the Request. Listening begins before the block; its end waits for the first match. Raises WaitTimeout,
        SessionLost when the page closes, OptionInvalid.
        """
        return self._expect_traffic("request", pattern, timeout_ms)

    @default_limit
    def expect_response(
        self, pattern: ResponsePattern, *, timeout_ms: float | None = CALL_MS
    ) -> AbstractAsyncContextManager[asyncio.Future[Response]]:
        """Wait for a response: `async with page.expect_response("**/save") as response: …`, then `await response`.

        As `expect_request`; a function gets the Response. Its body may be on its way still: `body()` waits.
        """
        return self._expect_traffic("response", pattern, timeout_ms)

    @default_limit
    def expect_download(
        self, *, timeout_ms: float | None = CALL_MS
    ) -> AbstractAsyncContextManager[asyncio.Future[Download]]:
        """Wait until a download begins: `async with page.expect_download() as download: …`, then `await download`.

        `await (await download).path()` waits until the file is complete. Raises as `expect_request` does.
        """
        return expecting(
            lambda came: self._listen("download", came),
            attach=self._attached_session,
            timeout_ms=timeout_ms,
            missing=lambda: f"the page at {self._shown_url()} began no download",
        )

    def _expect_traffic(
        self, name: Literal["request", "response"], pattern: Any, timeout_ms: float | None
    ) -> AbstractAsyncContextManager[asyncio.Future[Any]]:
        matches = value_matcher(pattern)
        what = "a function" if callable(pattern) else repr(getattr(pattern, "pattern", pattern))

        def listen(came: Callable[[Any], None]) -> Remove:
            return self._listen(name, lambda value: came(value) if matches(value) else None)

        return expecting(
            listen,
            attach=self._attached_session,
            timeout_ms=timeout_ms,
            missing=lambda: f"no {name} of the page at {self._shown_url()} matched {what}",
        )

    async def _attached_session(self) -> CDPSession:
        await self._parts.attach()
        return self._tab.session

    def _shown_url(self) -> str:
        return self._tab.context.redaction.redact(self._tab.url)

    def _listen(self, name: str, take: Handler) -> Remove:
        """Give `take` the public values of an event."""
        if name == "console":
            self._tab.events.console.show_objects()
        if name == "dialog":
            return self._dialogs(take)
        if name == "download":
            return self._tab.events.listen(name, lambda begun: take(self._download(begun)))
        if name in ("close", "crash"):
            return self._tab.events.listen(name, lambda _: take(self))
        return self._tab.events.listen(name, take)

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


def known_event(event: str, names: tuple[str, ...]) -> str:
    """Return the name of an event; raises OptionInvalid with the nearest name."""
    if event in names:
        return event
    hint = did_you_mean(event, names) if isinstance(event, str) else ""
    raise OptionInvalid(f"no event {event!r}{hint}; known: {', '.join(names)}", option="event")


class ContextEvents:
    """What a context tells: pages that open, and its end."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._handlers: dict[str, tuple[Handler, ...]] = {}

    def _tell(self, name: ContextEventName, value: Any) -> None:
        for handler in self._handlers.get(name, ()):
            handler(value)

    def _tell_end(self) -> None:
        """Tell once that the context is gone."""
        self._tell("close", self)
        self._handlers.pop("close", None)

    def _listen_for(self, name: str, handler: Handler) -> Remove:
        self._handlers[name] = (*self._handlers.get(name, ()), handler)
        entry = [handler]

        def remove() -> None:
            if entry:
                gone = entry.pop()
                self._handlers[name] = tuple(kept for kept in self._handlers.get(name, ()) if kept is not gone)

        return remove
