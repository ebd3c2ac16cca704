"""Who is at the other end of a Unix socket."""

from __future__ import annotations

import asyncio
import os
import socket

import pytest

from stillframe.session_server import peer
from stillframe.session_server.peer import Peer, peer_of


async def peer_at_the_other_end() -> Peer:
    ours, theirs = socket.socketpair()
    with theirs:
        _, writer = await asyncio.open_unix_connection(sock=ours)
        try:
            return peer_of(writer)
        finally:
            writer.close()
            await writer.wait_closed()


async def test_the_kernel_tells_process_and_user() -> None:
    assert await peer_at_the_other_end() == Peer(os.getpid(), os.getuid())


async def test_a_system_that_does_not_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(peer.socket, "SO_PEERCRED")
    assert await peer_at_the_other_end() == Peer(None, None)
