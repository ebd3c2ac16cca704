"""Gzip as sitemaps have it: found by its magic, several members, packed twice; bounded in size and depth.

Input is cut into blocks of one size, so that what comes out before a damaged place does not depend on how the network
cut the file.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

MAGIC = b"\x1f\x8b\x08"
BLOCK = 4_096
PIECE = 65_536
"""Bytes that are unpacked at once."""
MAX_BYTES = 50 * 1024 * 1024
"""Bytes of a sitemap, unpacked: the limit of the protocol."""
MAX_LAYERS = 3
GZIP = 16 + zlib.MAX_WBITS

TOO_LARGE, TRUNCATED, BAD_GZIP = "too_large", "truncated", "bad_gzip"


class Unpacker:
    """Takes the bytes of a file and yields those that are inside; `failure` says why it ended early."""

    def __init__(self, max_bytes: int = MAX_BYTES, layers: int = MAX_LAYERS) -> None:
        self.failure: str | None = None
        self._left = max_bytes
        self._packed_left = max_bytes
        self._layers = layers
        self._head: bytes | None = b""
        """The first bytes, until it is known what they are."""
        self._gunzip: _Gunzip | None = None
        self._inner: Unpacker | None = None

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield what these bytes unpack to; to be exhausted before the next call."""
        if self.failure is not None:
            return
        self._packed_left -= len(data)
        if self._packed_left < 0 and self._gunzip is not None:  # members without content cost time as well
            self.failure = TOO_LARGE
            return
        if self._head is not None:
            self._head += data
            if len(self._head) < len(MAGIC):
                return
            data = self._begin()
        yield from self._through(data)

    def close(self) -> Iterator[bytes]:
        """Yield what is left at the end of the file."""
        if self.failure is None and self._head is not None:
            yield from self._through(self._begin())
        if self._gunzip is None or self._inner is None:
            return
        for piece in self._gunzip.close():
            yield from self._inner.feed(piece)
        yield from self._inner.close()
        self.failure = self.failure or self._gunzip.failure or self._inner.failure

    def _begin(self) -> bytes:
        head, self._head = self._head or b"", None
        if head.startswith(MAGIC) and self._layers:
            self._gunzip, self._inner = _Gunzip(), Unpacker(self._left, self._layers - 1)
        return head

    def _through(self, data: bytes) -> Iterator[bytes]:
        if self._gunzip is None or self._inner is None:
            yield from self._plain(data)
            return
        for piece in self._gunzip.feed(data):
            yield from self._inner.feed(piece)
            if self._inner.failure is not None:
                break
        self.failure = self._inner.failure or self._gunzip.failure

    def _plain(self, data: bytes) -> Iterator[bytes]:
        if len(data) > self._left:
            self.failure = TOO_LARGE
        taken = data[: self._left]
        self._left -= len(taken)
        if taken:
            yield taken


class _Gunzip:
    """Unpacks the members of one gzip file; anything else behind them is ignored, as gzip does."""

    def __init__(self) -> None:
        self.failure: str | None = None
        self._inflate = zlib.decompressobj(GZIP)
        self._waiting = b""
        self._over = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        self._waiting += data
        while len(self._waiting) >= BLOCK and not self._over and self.failure is None:
            block, self._waiting = self._waiting[:BLOCK], self._waiting[BLOCK:]
            yield from self._block(block)

    def close(self) -> Iterator[bytes]:
        while self._waiting and not self._over and self.failure is None:
            block, self._waiting = self._waiting, b""
            yield from self._block(block, last=True)
        if not self._over and self.failure is None and not self._inflate.eof:
            self.failure = TRUNCATED

    def _block(self, block: bytes, *, last: bool = False) -> Iterator[bytes]:
        while block:
            if self._inflate.eof:
                if len(block) < len(MAGIC) and not last:
                    self._waiting = block + self._waiting
                    return
                if not block.startswith(MAGIC):
                    self._over = True
                    return
                self._inflate = zlib.decompressobj(GZIP)
            try:
                piece = self._inflate.decompress(block, PIECE)
            except zlib.error:
                self.failure = BAD_GZIP
                return
            block = self._inflate.unused_data if self._inflate.eof else self._inflate.unconsumed_tail
            if piece:
                yield piece
