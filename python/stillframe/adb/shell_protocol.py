"""The packets of shell protocol version 2, which keep the two outputs of a command apart and end with its exit status.

A packet is one byte that says what it holds, the length of its content in four bytes, low byte first, and the content
(AOSP's `shell_protocol.h`).
"""

from __future__ import annotations

from enum import IntEnum
from struct import Struct

SERVICE = "shell,v2,raw:"
"""The name of the service, which the command follows; `raw` means without a terminal."""
FEATURE = "shell_v2"
"""The feature of a device that speaks this protocol: all since Android 7."""

_HEADER = Struct("<BI")


class Kind(IntEnum):
    """What a packet holds."""

    STDIN = 0
    STDOUT = 1
    STDERR = 2
    EXIT = 3
    CLOSE_STDIN = 4
    WINDOW_SIZE = 5


def packet(kind: Kind, content: bytes = b"") -> bytes:
    """Return one packet."""
    return _HEADER.pack(kind, len(content)) + content


NO_INPUT = packet(Kind.CLOSE_STDIN)
"""Ends the input of a command, which would wait for it until the time limit otherwise."""


class ShellOutput:
    """What a command has printed so far; grows with the bytes that arrive, however they are split."""

    def __init__(self) -> None:
        self.stdout = bytearray()
        self.stderr = bytearray()
        self.returncode: int | None = None
        """The exit status, None until it arrives; nothing follows it."""
        self._waiting = bytearray()

    @property
    def size(self) -> int:
        """How many bytes are kept."""
        return len(self.stdout) + len(self.stderr) + len(self._waiting)

    def feed(self, received: bytes) -> None:
        """Take bytes as they arrive; ignores packets of unknown kinds, and everything after the exit status."""
        self._waiting += received
        start = 0
        while self.returncode is None and (end := self._end_of_packet(start)) is not None:
            kind, _ = _HEADER.unpack_from(self._waiting, start)
            self._take(kind, self._waiting[start + _HEADER.size : end])
            start = end
        del self._waiting[:start]

    def _end_of_packet(self, start: int) -> int | None:
        if len(self._waiting) < start + _HEADER.size:
            return None
        _, length = _HEADER.unpack_from(self._waiting, start)
        end = start + _HEADER.size + int(length)
        return end if end <= len(self._waiting) else None

    def _take(self, kind: int, content: bytearray) -> None:
        if kind == Kind.STDOUT:
            self.stdout += content
        elif kind == Kind.STDERR:
            self.stderr += content
        elif kind == Kind.EXIT and content:
            self.returncode = content[0]
