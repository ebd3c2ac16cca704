"""Who is at the other end of a Unix socket."""

from __future__ import annotations

import socket
import struct
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import asyncio


class Peer(NamedTuple):
    """The process at the other end; None for what the system does not tell."""

    pid: int | None = None
    uid: int | None = None


def peer_of(writer: asyncio.StreamWriter) -> Peer:
    """Return the process at the other end of a connection, as the kernel knows it."""
    connection = writer.get_extra_info("socket")
    if not hasattr(socket, "SO_PEERCRED"):
        return Peer()  # macOS
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    pid, uid, _ = struct.unpack("3i", credentials)
    return Peer(pid, uid)
