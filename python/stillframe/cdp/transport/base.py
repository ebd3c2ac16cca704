"""The interface of a transport."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from stillframe.errors import ConnectionLost

OnFrame = Callable[[bytes | bytearray], None]
"""Receives one frame, in JSON or CBOR, and may keep it: the transport does not reuse the buffer."""
OnClose = Callable[[str | ConnectionLost], None]
"""Receives the reason why the transport closed: a text, or the error that says so where the transport knows more."""


class Transport(Protocol):
    """Carries whole frames in order, in both directions.

    A new transport is open. It belongs to the running event loop and calls back in it.
    """

    @property
    def peer(self) -> str:
        """The other end, for messages: a URL, or `pipe`."""
        ...

    def start(self, on_frame: OnFrame, on_close: OnClose) -> None:
        """Start to deliver frames. `on_close` is called once, with the reason, and nothing is called after it."""
        ...

    def send(self, frame: bytes) -> None:
        """Queue one JSON frame without blocking; frames queued in one turn of the loop leave in one write."""
        ...

    async def aclose(self) -> None:
        """Close, and return when nothing is left open. Idempotent."""
        ...
