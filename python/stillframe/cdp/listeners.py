"""Event handlers of one session, called inline in the order of arrival."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import msgspec

from stillframe.cdp import wire
from stillframe.cdp.call import decoder_for
from stillframe.cdp.channel import Channel
from stillframe.cdp.subscription import Event
from stillframe.errors import SessionLost


class _Listener:
    """One handler, and the decoder for its events (None to pass them undecoded)."""

    __slots__ = ("decoder", "handler", "live")

    def __init__(self, handler: Callable[[Any], object], decoder: msgspec.json.Decoder[Any] | None) -> None:
        self.handler = handler
        self.decoder = decoder
        self.live = True


class EventListeners:
    """The handlers of one session by event method."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._by_method: dict[str, tuple[_Listener, ...]] = {}
        self._closed: list[Callable[[SessionLost], object]] = []

    def add(self, event: type[Any] | str, handler: Callable[[Any], object]) -> Callable[[], None]:
        """Register a handler and return the function that removes it."""
        method, decoder = (event, None) if isinstance(event, str) else (event.method, decoder_for(event))
        listener = _Listener(handler, decoder)
        self._by_method[method] = (*self._by_method.get(method, ()), listener)

        def remove() -> None:
            listener.live = False
            left = tuple(each for each in self._by_method.get(method, ()) if each is not listener)
            if left:
                self._by_method[method] = left
            else:
                self._by_method.pop(method, None)

        return remove

    def deliver(self, message: wire.Message) -> None:
        """Call the handlers of one event; the event is decoded once per type, not once per handler."""
        decoder: msgspec.json.Decoder[Any] | None = None
        event: Any = None
        for listener in self._by_method.get(message.method, ()):
            if not listener.live:
                continue
            try:
                if event is None or listener.decoder is not decoder:
                    decoder = listener.decoder
                    event = _decode(message, decoder)
                listener.handler(event)
            except Exception:
                self._channel.handler_failed(f"a handler of {message.method}")

    def add_closed(self, handler: Callable[[SessionLost], object]) -> Callable[[], None]:
        """Register a handler for the end of the session and return the function that removes it."""
        self._closed.append(handler)

        def remove() -> None:
            with contextlib.suppress(ValueError):
                self._closed.remove(handler)

        return remove

    def close(self, error: SessionLost) -> None:
        """Call the handlers for the end of the session, and remove all handlers."""
        handlers, self._closed = self._closed, []
        for handler in handlers:
            try:
                handler(error)
            except Exception:
                self._channel.handler_failed("a handler of on_closed")
        self._by_method.clear()


def _decode(message: wire.Message, decoder: msgspec.json.Decoder[Any] | None) -> Any:
    if decoder is None:
        return Event(message.method, message.params, message.session_id)
    return wire.decode_value(decoder, message.params, message.method)
