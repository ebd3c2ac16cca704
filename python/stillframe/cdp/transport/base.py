"""What a connection needs of a transport."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

OnFrame = Callable[[bytes | bytearray], None]
"""Takes one frame, JSON or Chrome's CBOR, and may keep it: the transport never touches it again."""
OnClose = Callable[[str], None]


class Transport(Protocol):
    """Frames in both directions, whole and in order.

    A transport is open when it is made. It belongs to the running event loop and calls back from it.
    """

    @property
    def peer(self) -> str:
        """What is at the other end, for messages: a URL, or `pipe`."""
        ...

    def start(self, on_frame: OnFrame, on_close: OnClose) -> None:
        """Begin to deliver frames. `on_close` comes exactly once, with the reason, and nothing after it."""
        ...

    def send(self, frame: bytes) -> None:
        """Queue one frame of JSON; never blocks. Frames queued in one turn of the loop leave in one write."""
        ...

    async def aclose(self) -> None:
        """Close, and return when nothing is left open. May be called again."""
        ...
