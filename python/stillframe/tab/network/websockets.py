"""The WebSockets of a tab: when they open, what goes over them, how they end."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Literal

from stillframe.cdp_types import network
from stillframe.security.redaction import logger

if TYPE_CHECKING:
    from stillframe.cdp import CDPSession
    from stillframe.security.redaction import Redaction

SocketEventName = Literal["framesent", "framereceived", "socketerror", "close"]

TEXT = 1
"""The opcode of a text message; RFC 6455 §5.2."""
OPEN = 10_000
"""How many open sockets are tracked; a page that opens them in a loop must not fill memory."""

log = logger("stillframe.tab")


class Socket:
    """One WebSocket, with the listeners to it."""

    def __init__(self, session: CDPSession, url: str) -> None:
        self.session = session
        self.url = url
        self.closed = False
        self._listeners: dict[str, tuple[Callable[[Any], object], ...]] = {}

    def listen(self, name: str, listener: Callable[[Any], object]) -> Callable[[], None]:
        """Call the listener with each event of the name; returns a function that removes it."""
        self._listeners[name] = (*self._listeners.get(name, ()), listener)
        own = [listener]

        def remove() -> None:
            if own:
                gone = own.pop()
                self._listeners[name] = tuple(each for each in self._listeners[name] if each is not gone)

        return remove

    def tell(self, name: SocketEventName, value: Any) -> None:
        """Pass an event to its listeners."""
        for listener in self._listeners.get(name, ()):
            try:
                listener(value)
            except Exception:
                log.exception("a listener for %s of a WebSocket failed", name)


class WebSockets:
    """Watches the WebSockets that open while there are listeners, each to its end."""

    def __init__(
        self,
        sessions: Callable[[], Iterable[CDPSession]],
        redaction: Redaction,
        emit: Callable[[str, Socket], None],
    ) -> None:
        self._sessions = sessions
        self._redaction = redaction
        self._emit = emit
        self._sockets: dict[str, Socket] = {}
        self._started = False
        self._listening = False

    def start(self) -> None:
        """Report sockets that open from now on; the Network domain is on anyway."""
        self._listening = True
        if not self._started:
            self._started = True
            for session in self._sessions():
                self.joined(session)

    def stop(self) -> None:
        """Report no more sockets; those that were reported are followed to their end."""
        self._listening = False

    def joined(self, session: CDPSession) -> None:
        """Watch one more session of the tab, if somebody has listened."""
        if not self._started:
            return
        session.on(network.WebSocketCreated, lambda event: self._created(session, event))
        session.on(network.WebSocketFrameSent, lambda event: self._frame("framesent", event))
        session.on(network.WebSocketFrameReceived, lambda event: self._frame("framereceived", event))
        session.on(network.WebSocketFrameError, self._failed)
        session.on(network.WebSocketClosed, lambda event: self._closed(event.request_id))
        session.on_closed(lambda _: self._gone(session))

    def _created(self, session: CDPSession, event: network.WebSocketCreated) -> None:
        if not self._listening:
            return
        if len(self._sockets) >= OPEN:
            del self._sockets[next(iter(self._sockets))]
        socket = self._sockets[event.request_id] = Socket(session, self._redaction.redact(event.url))
        self._emit("websocket", socket)

    def _frame(
        self,
        name: Literal["framesent", "framereceived"],
        event: network.WebSocketFrameSent | network.WebSocketFrameReceived,
    ) -> None:
        socket = self._sockets.get(event.request_id)
        if socket is None:
            return
        frame = event.response
        is_text = frame.opcode == TEXT
        socket.tell(
            name, self._redaction.redact(frame.payload_data) if is_text else base64.b64decode(frame.payload_data)
        )

    def _failed(self, event: network.WebSocketFrameError) -> None:
        socket = self._sockets.get(event.request_id)
        if socket is not None:
            socket.tell("socketerror", self._redaction.redact(event.error_message))

    def _closed(self, request_id: str) -> None:
        socket = self._sockets.pop(request_id, None)
        if socket is not None:
            socket.closed = True
            socket.tell("close", None)

    def _gone(self, session: CDPSession) -> None:
        for request_id in [key for key, socket in self._sockets.items() if socket.session is session]:
            self._closed(request_id)
