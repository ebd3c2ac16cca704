"""Chrome's CBOR over two file descriptors: --remote-debugging-pipe=cbor.

Renderers write this encoding; for clients that speak JSON the browser's own process, which all tabs share, converts
each answer (13 ms of CPU per MB, Chromium 156). Here that work is ours, and captures are read as they come.
"""

from __future__ import annotations

from stillframe import _core
from stillframe.cdp.transport.pipe import PipeTransport

HEADER = b"\xd8\x18\x5a"
"""How every message begins; the length of what follows comes next, in four bytes."""
HEADER_SIZE = 7


class EnvelopeSplitter:
    """Cuts a stream of bytes into envelopes. Linear in the bytes fed, whatever their chunking.

    A length is believed only as far as bytes come, so one that lies costs no memory.
    """

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0
        self._wanted = HEADER_SIZE
        self.met_json = False
        """Whether the stream ended in JSON: the other side does not know the encoding."""

    def feed(self, data: bytes) -> list[bytes]:
        """The frames completed by `data`; ValueError, with what to do, when the stream is not made of envelopes."""
        self._parts.append(data)
        self._size += len(data)
        if self._size < self._wanted:
            return []
        whole = b"".join(self._parts)
        frames, at = [], 0
        self.met_json = whole.startswith(b"{")
        while (length := _length(whole, at)) is not None and at + length <= len(whole):
            frames.append(whole[at : at + length])
            at += length
        self._parts, self._size = [whole[at:]], len(whole) - at
        self._wanted = HEADER_SIZE if length is None else length
        return frames

    @property
    def partial(self) -> int:
        """Bytes of the frame that has begun and not ended."""
        return self._size


class CborPipeTransport(PipeTransport):
    """A pipe to a browser that was started with --remote-debugging-pipe=cbor.

    `send` takes JSON, like every transport; frames are delivered as they come, in CBOR.
    """

    peer = "pipe (CBOR)"
    _end = b""

    def __init__(self, read_fd: int, write_fd: int) -> None:
        self._envelopes = EnvelopeSplitter()
        super().__init__(read_fd, write_fd, self._envelopes)

    @property
    def met_json(self) -> bool:
        """Whether the browser answered in JSON, because it does not know the encoding."""
        return self._envelopes.met_json

    def send(self, frame: bytes) -> None:
        """Queue one frame of JSON; ValueError when it is none."""
        super().send(_core.json_to_cbor(frame))


def _length(data: bytes, at: int) -> int | None:
    """The bytes of the envelope that begins there; None when its header is not all there."""
    begun = data[at : at + len(HEADER)]
    if not HEADER.startswith(begun):
        if begun.startswith(b"{"):
            raise ValueError(
                "the browser answers in JSON: it does not know --remote-debugging-pipe=cbor; use pipe='json'"
            )
        raise ValueError(f"what the browser sent is not CBOR: it begins with {data[at : at + 8].hex(' ')}")
    if len(data) < at + HEADER_SIZE:
        return None
    return HEADER_SIZE + int.from_bytes(data[at + len(HEADER) : at + HEADER_SIZE])
