"""What a context tells: pages that open, its end, and the events of all its pages."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Any, Literal, NamedTuple, get_args
from weakref import WeakKeyDictionary

from stillframe.api.expecting import Expectation, Predicate, expecting
from stillframe.api.handlers import Handler, Handlers, Listeners, Remove, known_event
from stillframe.api.parts import default_limit
from stillframe.cdp import CDPSession
from stillframe.errors import OptionInvalid
from stillframe.model.events import ConsoleMessage, PageError
from stillframe.tab.context.context import ContextState
from stillframe.tab.deadline import CALL_MS

ContextEventName = Literal[
    "page",
    "close",
    "request",
    "response",
    "requestfinished",
    "requestfailed",
    "console",
    "dialog",
    "weberror",
    "download",
    "frameattached",
    "framedetached",
    "framenavigated",
    "pageload",
    "pageclose",
]
CONTEXT_EVENTS: tuple[str, ...] = get_args(ContextEventName)

OWN = frozenset({"page", "close"})
"""The events of the context itself; the others are those of its pages."""
OF_PAGES = {"weberror": "pageerror", "pageload": "load", "pageclose": "close"}
"""The names that events of pages have there, where a context calls them otherwise."""


class WebError(NamedTuple):
    """An error that no code of a page caught, and the page."""

    error: PageError
    page: Any


class ContextEvents(ABC):
    """The events of a context, those of its pages included."""

    _state: ContextState
    _root: CDPSession

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._listeners = Listeners()
        self._handlers = Handlers()

    def on(self, event: ContextEventName, handler: Handler) -> Remove:
        """Call `handler` with every such event from now on.

        `page` gives each Page that opens in the context and can be used, popups included; `close` the context, once it
        is closed or its browser is gone. The other events are those of all its pages, of those that open later too:
        `request`, `response`, `requestfinished`, `requestfailed`, `console`, `dialog`, `download` and those of frames
        give what `Page.on` gives; `weberror` gives a WebError, which has the `page` and the `error`; `pageload` and
        `pageclose` give the Page. Requests, responses and console messages know their `page`.

        Args:
            event: The name of the event.
            handler: A function of the value; it may be async. What it raises is logged.

        Returns:
            A function that takes the handler back.

        Raises:
            OptionInvalid: There is no such event.
        """
        name = known_event(event, CONTEXT_EVENTS)
        return self._handlers.on(name, handler, partial(self._listen, name), self._state.background)

    def once(self, event: ContextEventName, handler: Handler) -> Remove:
        """Call `handler` with the next such event only; otherwise as `on`.

        Args:
            event: The event, as for `on`.
            handler: A function of the value.

        Returns:
            A function that takes the handler back.

        Raises:
            OptionInvalid: There is no such event.
        """
        name = known_event(event, CONTEXT_EVENTS)
        return self._handlers.once(name, handler, partial(self._listen, name), self._state.background)

    def remove_listener(self, event: ContextEventName, handler: Handler) -> None:
        """Take back a handler that `on` or `once` has added.

        Args:
            event: The event that it was added for.
            handler: The function that was added.

        Raises:
            OptionInvalid: It is not a handler of this event.
        """
        self._handlers.remove(known_event(event, CONTEXT_EVENTS), handler)

    @default_limit
    def expect_event(
        self, event: ContextEventName, predicate: Predicate | None = None, *, timeout_ms: float | None = CALL_MS
    ) -> AbstractAsyncContextManager[Expectation[Any]]:
        """Wait for an event of the context or of any of its pages; otherwise as `Page.expect_event`.

        Args:
            event: The event, as for `on`.
            predicate: A function of the value that is true for the one to wait for; by default the first one.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Returns:
            A block whose `value` is that of the event.

        Raises:
            WaitTimeout: It does not happen within `timeout_ms`.
            OptionInvalid: There is no such event.
        """
        name = known_event(event, CONTEXT_EVENTS)
        if predicate is not None and not callable(predicate):
            raise OptionInvalid(
                f"option predicate: {predicate!r} is not a function of the value of the event", option="predicate"
            )
        which = "" if predicate is None else " that the function takes"
        return expecting(
            partial(self._listen, name),
            attach=self._browser_session,
            timeout_ms=timeout_ms,
            missing=lambda: f"the context had no {name} event{which}",
            matches=predicate,
        )

    @default_limit
    async def wait_for_event(
        self, event: ContextEventName, predicate: Predicate | None = None, *, timeout_ms: float | None = CALL_MS
    ) -> Any:
        """Wait for the next event of a name and return its value; as `expect_event`.

        Args:
            event: The event, as for `on`.
            predicate: A function of the value that is true for the one to wait for; by default the first one.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Raises:
            WaitTimeout: It does not happen within `timeout_ms`.
            OptionInvalid: There is no such event.
        """
        async with self.expect_event(event, predicate, timeout_ms=timeout_ms) as came:
            pass
        return came.result()

    @default_limit
    def expect_console_message(
        self, predicate: Predicate | None = None, *, timeout_ms: float | None = CALL_MS
    ) -> AbstractAsyncContextManager[Expectation[ConsoleMessage]]:
        """Wait for a message in the console of any page; as `expect_event`.

        Args:
            predicate: A function of the ConsoleMessage that is true for the one to wait for; by default the first one.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Returns:
            A block whose `value` is the ConsoleMessage.

        Raises:
            WaitTimeout: It does not happen within `timeout_ms`.
        """
        return self.expect_event("console", predicate, timeout_ms=timeout_ms)

    async def _browser_session(self) -> CDPSession:
        return self._root

    def _listen(self, name: str, take: Handler) -> Remove:
        """Give `take` the public values of an event."""
        if name == "page":
            return self._pages_opened(take)
        return self._listeners.listen(name, take) if name in OWN else self._listen_on_pages(name, take)

    def _pages_opened(self, take: Handler) -> Remove:
        async def give(page: Any) -> None:
            take(await page._ready())

        return self._listeners.listen("page", lambda page: self._state.background.start(give(page), "report of a page"))

    def _listen_on_pages(self, name: str, take: Handler) -> Remove:
        on_page = OF_PAGES.get(name, name)
        removers: WeakKeyDictionary[Any, Remove] = WeakKeyDictionary()

        def follow(page: Any) -> None:
            if page not in removers:
                removers[page] = page._listen(on_page, _with_page(page, take) if name == "weberror" else take)

        stop = self._listeners.listen("page", follow)
        for page in self._told_pages():
            follow(page)

        def remove() -> None:
            stop()
            for each in [*removers.values()]:
                each()

        return remove

    @abstractmethod
    def _told_pages(self) -> list[Any]:
        """Return the pages that a `page` event has reported; the others follow."""


def _with_page(page: Any, take: Handler) -> Callable[[PageError], object]:
    return lambda error: take(WebError(error, page))
