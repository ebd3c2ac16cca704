"""What tests of a device do through a real adb server: open services, run commands, and notice silence."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

from stillframe.testing import AdbServerProcess
from stillframe_phone import EmulatedDevice

GIVE_UP_S = 0.2
"""How long a test waits for an answer that must not come."""
GUARD_S = 20.0
"""How long a test may hold a stream open before it counts as hung."""


async def hello(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Greet each line."""
    while line := await reader.readline():
        writer.write(b"hello " + line)
        await writer.drain()


@contextlib.asynccontextmanager
async def opened(
    server: AdbServerProcess, serial: str, service: str
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """A stream to a service of a device. Raises ConnectionError with the text of a FAIL."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    try:
        for request in (f"host:transport:{serial}", service):
            writer.write(f"{len(request):04x}{request}".encode())
            if await reader.readexactly(4) != b"OKAY":
                size = int(await reader.readexactly(4), 16)
                raise ConnectionError((await reader.readexactly(size)).decode())
        async with asyncio.timeout(GUARD_S):
            yield reader, writer
    finally:
        writer.transport.abort()


def socket(
    server: AdbServerProcess, device: EmulatedDevice, name: str
) -> contextlib.AbstractAsyncContextManager[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    return opened(server, device.serial, f"localabstract:{name}")


async def silent(reader: asyncio.StreamReader) -> bool:
    """Return whether nothing comes for a while."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(GIVE_UP_S):
            await reader.read(1)
            return False
    return True


async def shell(server: AdbServerProcess, device: EmulatedDevice, command: str) -> tuple[int, bytes, bytes]:
    return await server.adb("-s", device.serial, "shell", command)


async def back(server: AdbServerProcess, device: EmulatedDevice) -> None:
    """Wait until the server has found a device again; right after a break it may still list the old connection."""
    async with asyncio.timeout(GUARD_S):
        await device.wait_for_host()
    await server.wait_for_state(device.serial, "device")
