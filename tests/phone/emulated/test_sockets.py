"""Abstract sockets of the emulated device, through a real adb server."""

from __future__ import annotations

import asyncio
import contextlib

import pytest

from adb_streams import GIVE_UP_S, hello, opened, shell, silent, socket
from stillframe.testing import AdbServerProcess
from stillframe_phone import EmulatedApp, EmulatedDevice

PACKAGE = "com.example.shop"
NAME = "webview_devtools_remote_{pid}"


@pytest.fixture
def app(device: EmulatedDevice) -> EmulatedApp:
    app = device.install(EmulatedApp(PACKAGE))
    app.listen(NAME, hello)
    return app


# -- sockets


async def test_a_socket_of_an_app(device: EmulatedDevice, adb_server: AdbServerProcess, app: EmulatedApp) -> None:
    pid = app.start().pid
    async with socket(adb_server, device, f"webview_devtools_remote_{pid}") as (reader, writer):
        writer.write(b"you\n")
        assert await reader.readline() == b"hello you\n"
        _, table, _ = await shell(adb_server, device, "cat /proc/net/unix")
        rows = [row.split() for row in table.splitlines() if row.endswith(f"_{pid}".encode())]
        assert [(row[3], row[5]) for row in rows] == [(b"00010000", b"01"), (b"00000000", b"03")]
        assert len({row[6] for row in rows}) == 2
    assert device.services[0] == f"localabstract:webview_devtools_remote_{pid}"


async def test_a_socket_leads_to_a_tcp_port(device: EmulatedDevice, adb_server: AdbServerProcess) -> None:
    async def once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"x" * 3_000_000 + await reader.readline())
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(once, "127.0.0.1", 0) as backend:
        device.listen("chrome_devtools_remote", backend.sockets[0].getsockname()[1])
        async with socket(adb_server, device, "chrome_devtools_remote") as (reader, writer):
            writer.write(b"end\n")
            assert await reader.read() == b"x" * 3_000_000 + b"end\n"


async def test_a_forward_leads_to_a_socket(device: EmulatedDevice, adb_server: AdbServerProcess) -> None:
    device.listen("name", hello)
    forwarded = await adb_server.adb("-s", device.serial, "forward", "tcp:0", "localabstract:name")
    reader, writer = await asyncio.open_connection("127.0.0.1", int(forwarded.stdout))
    writer.write(b"you\n")
    assert await reader.readline() == b"hello you\n"
    writer.transport.abort()


async def test_the_backend_sees_the_end(device: EmulatedDevice, adb_server: AdbServerProcess) -> None:
    ended = asyncio.Event()

    async def until_the_end(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"!")
        assert await reader.read() == b"last words"
        ended.set()

    opened_socket = device.listen("name", until_the_end)
    async with socket(adb_server, device, "name") as (reader, writer):
        assert await reader.readexactly(1) == b"!"
        assert opened_socket.connections == 1
        writer.write(b"last words")
        await writer.drain()
        writer.close()  # sends what is buffered first, unlike the abort at the end of the block
    await ended.wait()


@pytest.mark.parametrize("refuse", ["no socket", "no backend", "a backend that fails"])
async def test_a_socket_that_is_not_there(device: EmulatedDevice, adb_server: AdbServerProcess, refuse: str) -> None:
    if refuse == "no socket":
        with pytest.raises(ConnectionError, match=r"^closed$"):
            async with socket(adb_server, device, "nobody"):
                pass
        return

    async def fail(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        raise ConnectionResetError

    async with await asyncio.start_server(lambda r, w: w.transport.abort(), "127.0.0.1", 0) as unused:
        port = unused.sockets[0].getsockname()[1]
    device.listen("name", port if refuse == "no backend" else fail)
    async with socket(adb_server, device, "name") as (reader, _):
        assert await reader.read() == b""


@pytest.mark.parametrize("service", ["tcp:1", "jdwp:1", "nothing", "reboot:", "track-jdwp"])
async def test_other_services_are_refused(device: EmulatedDevice, adb_server: AdbServerProcess, service: str) -> None:
    with pytest.raises(ConnectionError, match=r"^closed$"):
        async with opened(adb_server, device.serial, service):
            pass


# -- frozen apps


async def test_a_frozen_app_accepts_and_never_answers(
    device: EmulatedDevice, adb_server: AdbServerProcess, app: EmulatedApp
) -> None:
    process = app.start()
    name = NAME.format(pid=process.pid)
    async with socket(adb_server, device, name) as (reader, writer):
        writer.write(b"awake\n")
        assert await reader.readline() == b"hello awake\n"
        app.freeze()
        writer.write(b"frozen\n")
        async with socket(adb_server, device, name) as (late, late_writer):
            late_writer.write(b"late\n")
            assert await silent(late)
            assert await silent(reader)
            assert (await shell(adb_server, device, f"cat /proc/{process.pid}/oom_score_adj")).stdout == b"905\n"
            app.thaw()
            assert await reader.readline() == b"hello frozen\n"
            assert await late.readline() == b"hello late\n"
    assert process.oom_score_adj == 700


async def test_am_start_thaws_an_app(device: EmulatedDevice, adb_server: AdbServerProcess, app: EmulatedApp) -> None:
    process = app.start()
    app.freeze()
    await shell(adb_server, device, f"am start -n {app.component}")
    assert (app.pid, process.oom_score_adj) == (process.pid, 0)
    async with socket(adb_server, device, NAME.format(pid=process.pid)) as (reader, writer):
        writer.write(b"you\n")
        assert await reader.readline() == b"hello you\n"


async def test_abandoned_probes_of_a_frozen_app_block_the_whole_device(
    device: EmulatedDevice, adb_server: AdbServerProcess
) -> None:
    """Before Chromium 144 ten connections waited, and one more blocked adbd's only thread."""
    app = device.install(EmulatedApp(PACKAGE))
    app.listen(NAME, hello, backlog=2)
    name = NAME.format(pid=app.start().pid)
    app.freeze()
    for _ in range(3):
        async with socket(adb_server, device, name):
            pass  # the probe gives up, and its place in the queue stays taken
    (abstract,) = app.sockets
    assert abstract.waiting == 3
    stuck = asyncio.ensure_future(shell(adb_server, device, "echo free"))
    async with contextlib.AsyncExitStack() as stack:
        blocked = asyncio.ensure_future(stack.enter_async_context(socket(adb_server, device, name)))
        await asyncio.wait({blocked}, timeout=GIVE_UP_S)
        assert not blocked.done()
        stuck_later = asyncio.ensure_future(shell(adb_server, device, "echo free"))
        await asyncio.wait({stuck_later}, timeout=GIVE_UP_S)
        assert not stuck_later.done()
        app.thaw()
        await blocked
        assert await stuck_later == await stuck == (0, b"free\n", b"")


async def test_the_end_of_a_frozen_app_frees_the_device(device: EmulatedDevice, adb_server: AdbServerProcess) -> None:
    app = device.install(EmulatedApp(PACKAGE))
    app.listen(NAME, hello, backlog=0)
    name = NAME.format(pid=app.start().pid)
    app.freeze()
    async with socket(adb_server, device, name) as (reader, _):
        blocked = asyncio.ensure_future(shell_over(adb_server, device, name))
        await asyncio.wait({blocked}, timeout=GIVE_UP_S)
        app.kill()
        assert await blocked == "closed"
        assert await reader.read() == b""


async def shell_over(server: AdbServerProcess, device: EmulatedDevice, name: str) -> str:
    try:
        async with socket(server, device, name):
            return "open"
    except ConnectionError as failure:
        return str(failure)
