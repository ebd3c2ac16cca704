"""Which user a connection on loopback comes from, where the system says so: Linux does, in /proc/net/tcp."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

CONNECTIONS = Path("/proc/net/tcp")
"""The IPv4 connections of this network namespace (proc(5)), one in each line after the heading."""
LOCAL, REMOTE, USER = 1, 2, 7
"""The fields of a line that count: both ends as the program sees them that holds the socket, and its user."""

Place = tuple[str, int]


def is_own(client: Place, server: Place) -> bool:
    """Return whether a client's connection to a server here belongs to this process's user.

    It does where the system does not say. A connection that is gone belongs to nobody.
    """
    try:
        table = CONNECTIONS.read_text()
    except OSError:
        return not sys.platform.startswith("linux")
    return owner_in(table, client, server) == os.geteuid()


def owner_in(table: str, client: Place, server: Place) -> int | None:
    """Return the user of a client's end of a connection, by a table of the system; None if it is not there."""
    ends = [_written(client), _written(server)]
    rows = (line.split() for line in table.splitlines()[1:])
    return next((int(row[USER]) for row in rows if [row[LOCAL], row[REMOTE]] == ends), None)


def _written(place: Place) -> str:
    """Return an address as the table has it: the address as a number of this machine's byte order, and the port."""
    number = int.from_bytes(socket.inet_aton(place[0]), sys.byteorder)
    return f"{number:08X}:{place[1]:04X}"
