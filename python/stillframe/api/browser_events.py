"""What a browser tells: contexts that open, and the end of the connection."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import partial
from typing import Literal, get_args

from stillframe.api.handlers import Handler, Handlers, Listeners, Remove, known_event
from stillframe.tab.background import Background

BrowserEventName = Literal["context", "disconnected"]
BROWSER_EVENTS: tuple[str, ...] = get_args(BrowserEventName)


class BrowserEvents(ABC):
    """The events of a browser; those of its pages are the contexts'."""

    def __init__(self) -> None:
        self._listeners = Listeners()
        self._handlers = Handlers()

    @property
    @abstractmethod
    def _background(self) -> Background:
        """Where handlers run."""

    def on(self, event: BrowserEventName, handler: Handler) -> Remove:
        """Call `handler` with every such event from now on.

        Args:
            event: `context` gives each BrowserContext that `new_context` opens, `disconnected` the Browser, once it has
                closed, has crashed or cannot be reached any more.
            handler: A function of the value; it may be async. What it raises is logged.

        Returns:
            A function that takes the handler back.

        Raises:
            OptionInvalid: There is no such event.
        """
        name = known_event(event, BROWSER_EVENTS)
        return self._handlers.on(name, handler, partial(self._listeners.listen, name), self._background)

    def once(self, event: BrowserEventName, handler: Handler) -> Remove:
        """Call `handler` with the next such event only; otherwise as `on`.

        Args:
            event: The event, as for `on`.
            handler: A function of the value.

        Returns:
            A function that takes the handler back.

        Raises:
            OptionInvalid: There is no such event.
        """
        name = known_event(event, BROWSER_EVENTS)
        return self._handlers.once(name, handler, partial(self._listeners.listen, name), self._background)

    def remove_listener(self, event: BrowserEventName, handler: Handler) -> None:
        """Take back a handler that `on` or `once` has added.

        Args:
            event: The event that it was added for.
            handler: The function that was added.

        Raises:
            OptionInvalid: It is not a handler of this event.
        """
        self._handlers.remove(known_event(event, BROWSER_EVENTS), handler)
