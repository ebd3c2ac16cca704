"""The public face of a WebSocket of a page."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Any, get_args

from stillframe.api.expecting import Expectation, Predicate, expecting
from stillframe.api.handlers import Handler, Handlers, Remove, known_event
from stillframe.cdp import CDPSession
from stillframe.model.structs import short_url
from stillframe.tab.background import Background
from stillframe.tab.deadline import CALL_MS
from stillframe.tab.network.websockets import Socket, SocketEventName

SOCKET_EVENTS: tuple[str, ...] = get_args(SocketEventName)


class WebSocket:
    """A WebSocket that a page has opened; `page.on("websocket", …)` and `page.expect_websocket()` give it."""

    def __init__(self, socket: Socket, background: Background) -> None:
        self._socket = socket
        self._background = background
        self._handlers = Handlers()

    def __repr__(self) -> str:
        return f"WebSocket({short_url(self.url)})"

    @property
    def url(self) -> str:
        """The URL that it connects to."""
        return self._socket.url

    def is_closed(self) -> bool:
        """Return whether it has been closed."""
        return self._socket.closed

    def on(self, event: SocketEventName, handler: Handler) -> Remove:
        """Call `handler` with every such event from now on.

        Args:
            event: `framesent` and `framereceived` give the message: a str, or bytes of a binary one. `socketerror`
                gives the text of the error, `close` the WebSocket.
            handler: A function of the value; it may be async. What it raises is logged.

        Returns:
            A function that takes the handler back.

        Raises:
            OptionInvalid: There is no such event.
        """
        name = known_event(event, SOCKET_EVENTS)
        return self._handlers.on(name, handler, partial(self._listen, name), self._background)

    def once(self, event: SocketEventName, handler: Handler) -> Remove:
        """Call `handler` with the next such event only; otherwise as `on`.

        Args:
            event: The event, as for `on`.
            handler: A function of the value.

        Returns:
            A function that takes the handler back.

        Raises:
            OptionInvalid: There is no such event.
        """
        name = known_event(event, SOCKET_EVENTS)
        return self._handlers.once(name, handler, partial(self._listen, name), self._background)

    def remove_listener(self, event: SocketEventName, handler: Handler) -> None:
        """Take back a handler that `on` or `once` has added.

        Args:
            event: The event that it was added for.
            handler: The function that was added.

        Raises:
            OptionInvalid: It is not a handler of this event.
        """
        self._handlers.remove(known_event(event, SOCKET_EVENTS), handler)

    def expect_event(
        self, event: SocketEventName, predicate: Predicate | None = None, *, timeout_ms: float | None = CALL_MS
    ) -> AbstractAsyncContextManager[Expectation[Any]]:
        """Wait for an event that the block causes; as `Page.expect_event`.

        Args:
            event: The event, as for `on`.
            predicate: A function of the value that is true for the one to wait for; by default the first one.
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Returns:
            A block whose `value` is that of the event.

        Raises:
            WaitTimeout: It does not happen within `timeout_ms`.
            SessionLost: The page closes meanwhile.
            OptionInvalid: There is no such event.
        """
        name = known_event(event, SOCKET_EVENTS)
        return expecting(
            partial(self._listen, name),
            attach=self._its_session,
            timeout_ms=timeout_ms,
            missing=lambda: f"no {name} event of the WebSocket {self.url} came",
            matches=predicate,
        )

    async def wait_for_event(
        self, event: SocketEventName, predicate: Predicate | None = None, *, timeout_ms: float | None = CALL_MS
    ) -> Any:
        """Wait for the next event and return its value.

        Args:
            event: The event, as for `on`.
            predicate: A function of the value that is true for the one to wait for; by default the first one.
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Raises:
            WaitTimeout: It does not happen within `timeout_ms`.
            SessionLost: The page closes meanwhile.
            OptionInvalid: There is no such event.
        """
        async with self.expect_event(event, predicate, timeout_ms=timeout_ms) as came:
            pass
        return came.result()

    async def _its_session(self) -> CDPSession:
        return self._socket.session

    def _listen(self, name: str, take: Callable[[Any], object]) -> Remove:
        return self._socket.listen(name, (lambda _: take(self)) if name == "close" else take)
