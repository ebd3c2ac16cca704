"""Chrome's CBOR over two file descriptors: --remote-debugging-pipe=cbor.

Renderers write CBOR. For JSON clients the browser process, which all tabs share, converts each answer (13 ms of CPU per
MB, Chromium 156). With this transport the client converts, and reads DOM snapshots without any conversion.
"""

from __future__ import annotations

from stillframe import _core
from stillframe.cdp.transport.pipe import PipeTransport

HEADER = b"\xd8\x18\x5a"
"""How every message begins: tag 24 and a byte string whose length follows in four bytes (RFC 8949)."""
HEADER_SIZE = 7
"""Bytes of the header with the length."""


class CborSplitter:
    """Splits a stream of bytes into messages, in linear time for any chunk sizes.

    It allocates memory only for received bytes, so a wrong length costs nothing.
    """

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0
        self._wanted = HEADER_SIZE
        self.received_json = False
        """Whether the browser answered in JSON, because it does not support CBOR."""

    def feed(self, data: bytes) -> list[bytes]:
        """Return the messages that `data` completes; raises ValueError for a stream that is not CBOR."""
        self._parts.append(data)
        self._size += len(data)
        if self._size < self._wanted:
            return []
        whole = b"".join(self._parts)
        frames, at = [], 0
        self.received_json = whole.startswith(b"{")
        while (length := _length(whole, at)) is not None and at + length <= len(whole):
            frames.append(whole[at : at + length])
            at += length
        self._parts, self._size = [whole[at:]], len(whole) - at
        self._wanted = HEADER_SIZE if length is None else length
        return frames

    @property
    def partial(self) -> int:
        """The number of bytes of the incomplete message."""
        return self._size


class CborPipeTransport(PipeTransport):
    """A pipe to a browser that was started with --remote-debugging-pipe=cbor.

    `send` takes JSON, as in every transport; received frames are CBOR.
    """

    peer = "pipe (CBOR)"
    _end = b""

    def __init__(self, read_fd: int, write_fd: int) -> None:
        self._messages = CborSplitter()
        super().__init__(read_fd, write_fd, self._messages)

    @property
    def received_json(self) -> bool:
        """Whether the browser answered in JSON, because it does not support CBOR."""
        return self._messages.received_json

    def send(self, frame: bytes) -> None:
        """Queue one JSON frame; raises ValueError if it is not JSON."""
        super().send(_core.json_to_cbor(frame))


def _length(data: bytes, at: int) -> int | None:
    """Return the length of the message at `at`, or None if its header is incomplete."""
    begun = data[at : at + len(HEADER)]
    if not HEADER.startswith(begun):
        if begun.startswith(b"{"):
            raise ValueError(
                "the browser answers in JSON: it does not support --remote-debugging-pipe=cbor; use pipe='json'"
            )
        raise ValueError(f"the browser did not send CBOR: the message begins with {data[at : at + 8].hex(' ')}")
    if len(data) < at + HEADER_SIZE:
        return None
    return HEADER_SIZE + int.from_bytes(data[at + len(HEADER) : at + HEADER_SIZE])
