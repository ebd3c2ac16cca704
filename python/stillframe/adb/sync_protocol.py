"""The packets of the service `sync:`, which writes and reads files on a device.

A packet is four letters and a number of four bytes, low byte first: the length of the content that follows, except for
`DONE`, whose number is the time of the file (AOSP's `file_sync_protocol.h`).
"""

from __future__ import annotations

import stat
from collections.abc import Iterator
from enum import Enum
from itertools import chain
from struct import Struct

from stillframe.errors import OptionInvalid

SERVICE = "sync:"
"""The name of the service."""
MAX_DATA_BYTES = 64 * 1024
"""The longest content of a packet; a device refuses longer ones (AOSP, `SYNC_DATA_MAX`)."""
MAX_PATH_BYTES = 1024
"""The longest path; a device refuses longer ones (AOSP)."""
HEADER_BYTES = 8
QUIT = b"QUIT\0\0\0\0"
"""Ends the service."""

_HEADER = Struct("<4sI")


class SyncProgress(Enum):
    """What the packets so far amount to."""

    MORE = "more"
    DONE = "done"
    FAILED = "failed"


class SyncReply:
    """The answer of a device; grows with the bytes that arrive, however they are split.

    `content` is what a file holds, `reason` why the device refused, and `step` how far the answer is. Bytes that are
    not a packet count as a refusal.
    """

    def __init__(self) -> None:
        self.content = bytearray()
        self.reason = ""
        self.step = SyncProgress.MORE
        self._waiting = bytearray()

    def feed(self, received: bytes) -> None:
        """Take bytes as they arrive; ignores everything after the end of the answer."""
        self._waiting += received
        start = 0
        while self.step is SyncProgress.MORE and len(self._waiting) >= start + HEADER_BYTES:
            name, number = _HEADER.unpack_from(self._waiting, start)
            size = int(number) if name in _WITH_CONTENT else 0
            if not self._accepts(name, size):
                break
            end = start + HEADER_BYTES + size
            if end > len(self._waiting):
                break
            self._take(name, self._waiting[start + HEADER_BYTES : end])
            start = end
        del self._waiting[:start]

    def _accepts(self, name: bytes, size: int) -> bool:
        if name in _PACKETS and size <= MAX_DATA_BYTES:
            return True
        self.step, self.reason = SyncProgress.FAILED, f"it sent {name!r} with {size} bytes, which is not a packet"
        return False

    def _take(self, name: bytes, content: bytearray) -> None:
        if name == b"DATA":
            self.content += content
        elif name == b"FAIL":
            self.step, self.reason = SyncProgress.FAILED, content.decode("utf-8", "replace")
        else:
            self.step = SyncProgress.DONE


_WITH_CONTENT = frozenset({b"DATA", b"FAIL", b"OKAY"})
_PACKETS = _WITH_CONTENT | {b"DONE"}


def send_request(content: bytes, path: str, mode: int, modified: int) -> Iterator[bytes]:
    """Return the packets that write `content` to a file; `modified` is its time in seconds since 1970.

    Raises OptionInvalid if the path is empty, contains a NUL, or is too long.
    """
    head = _request(b"SEND", f"{path},{stat.S_IFREG | stat.S_IMODE(mode)}", path)
    return chain([head], _data(content), [_HEADER.pack(b"DONE", modified & 0xFFFFFFFF)])


def _data(content: bytes) -> Iterator[bytes]:
    for start in range(0, len(content), MAX_DATA_BYTES):
        part = content[start : start + MAX_DATA_BYTES]
        yield _HEADER.pack(b"DATA", len(part)) + part


def receive_request(path: str) -> bytes:
    """Return the packet that asks for the content of a file; raises OptionInvalid as `send_request` does."""
    return _request(b"RECV", path, path)


def _request(name: bytes, text: str, path: str) -> bytes:
    if not path or "\0" in path:
        raise OptionInvalid(f"{path!r} is not a path on a device", option="path")
    try:
        encoded = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise OptionInvalid(f"{path!r} is not a path on a device: {error}", option="path") from None
    if len(encoded) > MAX_PATH_BYTES:
        raise OptionInvalid(f"the path {path[:60]!r}… is longer than {MAX_PATH_BYTES} bytes", option="path")
    return _HEADER.pack(name, len(encoded)) + encoded
