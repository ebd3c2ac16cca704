"""HTTP servers of this process on loopback."""

from __future__ import annotations

import asyncio
import socket

from stillframe.mcp.loopback import listen


async def test_answers_are_not_held_back_for_the_acknowledgement_of_their_headers() -> None:
    """An answer is two small writes; with the delay of the second one each call took 40 ms longer."""
    no_delay: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def served(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        sock = writer.get_extra_info("socket")
        no_delay.set_result(sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()

    with listen("127.0.0.1", 0) as listener:
        async with await asyncio.start_server(served, sock=listener):
            _, writer = await asyncio.open_connection(*listener.getsockname())
            assert await no_delay
            writer.close()
            await writer.wait_closed()
