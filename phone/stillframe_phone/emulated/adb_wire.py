"""The packets between an adb server and the adbd of a device, without I/O.

A packet is a header of six little-endian words (command, two arguments, length of the payload, checksum, complement of
the command), and the payload. The numbers are those of AOSP's `packages/modules/adb/protocol.txt`.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

HEADER = struct.Struct("<4s5I")

VERSION = 0x01000001
"""The protocol version since Android 9; from it on, both sides leave the checksum 0."""
VERSION_WITH_CHECKSUMS = 0x01000000

MAX_PAYLOAD = 1 << 20
"""Bytes that a packet may carry at most: what adb 29 and 36 announce (measured)."""
OLD_MAX_PAYLOAD = 4096
"""Bytes that a packet may carry if the peer announces less or nothing: adb's limit before Android 7 (AOSP)."""

AUTH_TOKEN, AUTH_SIGNATURE, AUTH_PUBLIC_KEY = 1, 2, 3
"""The first argument of AUTH: what its payload is."""
TOKEN_SIZE = 20

COMMANDS = (b"CNXN", b"AUTH", b"OPEN", b"OKAY", b"WRTE", b"CLSE", b"STLS", b"SYNC")


class WireError(ValueError):
    """The peer sent something that is not a packet of adb."""


class Packet(NamedTuple):
    """One packet; the meaning of the two arguments depends on the command."""

    command: bytes
    arg0: int = 0
    arg1: int = 0
    payload: bytes = b""


def encode(packet: Packet, *, checksum: bool) -> bytes:
    """Return the bytes of a packet, with the checksum that peers older than `VERSION` expect, or 0 in its place.

    >>> encode(Packet(b"OKAY", 1, 2), checksum=False).hex(" ", 4)
    '4f4b4159 01000000 02000000 00000000 00000000 b0b4bea6'
    """
    total = sum(packet.payload) & 0xFFFFFFFF if checksum else 0
    head = (packet.command, packet.arg0, packet.arg1, len(packet.payload), total, complement(packet.command))
    return HEADER.pack(*head) + packet.payload


def complement(command: bytes) -> int:
    """Return the last word of the header, which is the command with all bits inverted."""
    return int.from_bytes(command, "little") ^ 0xFFFFFFFF


class Decoder:
    """Cuts a stream of bytes into packets.

    `verify` says whether checksums count: until both sides know that they speak `VERSION` or later.
    """

    def __init__(self) -> None:
        self.verify = False
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[Packet]:
        """Add bytes and yield the packets that are complete. Raises WireError, after which the stream is useless."""
        self._buffer += data
        while (packet := self._next()) is not None:
            yield packet

    def _next(self) -> Packet | None:
        if len(self._buffer) < HEADER.size:
            return None
        command, arg0, arg1, length, checksum, magic = HEADER.unpack_from(self._buffer)
        check_header(command, length, magic)
        end = HEADER.size + length
        if len(self._buffer) < end:
            return None
        payload = bytes(self._buffer[HEADER.size : end])
        del self._buffer[:end]
        if self.verify and checksum != sum(payload) & 0xFFFFFFFF:
            raise WireError(f"the payload of {command!r} adds up to {sum(payload)}, and the header says {checksum}")
        return Packet(command, arg0, arg1, payload)


def check_header(command: bytes, length: int, magic: int) -> None:
    """Raise WireError unless these fields can be those of a packet."""
    if command not in COMMANDS or magic != complement(command):
        raise WireError(f"{command!r} with the complement {magic:#x} is not a command of adb")
    if length > MAX_PAYLOAD:
        raise WireError(f"{command!r} announces {length} bytes, and the limit is {MAX_PAYLOAD}")
