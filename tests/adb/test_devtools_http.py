"""HTTP over adb streams, with the real adb server: answers, refusals, and apps that never answer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from stillframe.adb.adb_device import AdbDevice
from stillframe.adb.adb_server import AdbServer
from stillframe.adb.address import AdbAddress
from stillframe.adb.devtools.devtools_http import MAX_REASON_CHARACTERS, get, probe
from stillframe.adb.devtools.discovery import find_sockets
from stillframe.adb.devtools.probes import MAX_FAILED, Probes
from stillframe.adb.devtools.socket_listing import FoundSocket
from stillframe.cdp.loop_clock import loop_clock
from stillframe.errors import (
    AppFrozen,
    ConnectFailed,
    DeviceOffline,
    DevtoolsRejected,
    DevtoolsSocketGone,
    OptionInvalid,
    TransportLost,
)
from stillframe.testing import AdbServerProcess
from stillframe_phone import EmulatedApp, EmulatedDevice

SOCKET = "webview_devtools_remote_1"
VERSION = b'{"Browser": "Chrome/113.0"}'
HOST_HEADER = b"Host header is specified and is not an IP address or localhost."
GUARD_S = 20
SHORT_S = 0.2

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def http(body: bytes, status: bytes = b"200 OK") -> bytes:
    return b"HTTP/1.1 " + status + b"\r\nContent-Length: %d\r\n\r\n" % len(body) + body


def answering(*pieces: bytes) -> Handler:
    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        for piece in pieces:
            writer.write(piece)
            await writer.drain()

    return handler


async def hang(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while await reader.read(1000):
        pass


@pytest.fixture
def adb(adb_server: AdbServerProcess, device: EmulatedDevice) -> AdbDevice:
    return AdbDevice(AdbServer(AdbAddress("127.0.0.1", adb_server.port), start=False), device.serial)


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(GUARD_S):
        while not condition():  # noqa: ASYNC110  the device is another party
            await asyncio.sleep(0.005)


# -- get -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "pieces", [[http(VERSION)], [b"HTTP/1.0 200 OK\r\n\r\n", VERSION], [bytes([b]) for b in http(VERSION)]]
)
async def test_an_answer_is_read(device: EmulatedDevice, adb: AdbDevice, pieces: list[bytes]) -> None:
    asked = device.listen(SOCKET, answering(*pieces))
    answer = await get(adb, SOCKET, "/json/version")
    assert (answer.status, answer.body) == (200, VERSION)
    await until(lambda: asked.connections == 0)


async def test_the_request_is_one_that_devtools_accepts(device: EmulatedDevice, adb: AdbDevice) -> None:
    heads: list[bytes] = []

    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(http(b"{}"))

    device.listen(SOCKET, handler)
    await get(adb, SOCKET, "/json/new?about:blank", method="PUT")
    assert heads == [b"PUT /json/new?about:blank HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"]


@pytest.mark.parametrize(
    ("answer", "status", "reason"),
    [
        (http(HOST_HEADER, b"500 Internal Server Error"), 500, HOST_HEADER.decode()),
        (http(b"No such target id: 7\n", b"500 Internal Server Error"), 500, "No such target id: 7"),
        (http(b"", b"404 Not Found"), 404, "Not Found"),
        (http(b"x" * 9999, b"403 Forbidden"), 403, "x" * MAX_REASON_CHARACTERS),
        (http(b"\xff\xfe", b"405 Method Not Allowed"), 405, "\ufffd\ufffd"),
    ],
)
async def test_a_refusal_has_its_reason(
    device: EmulatedDevice, adb: AdbDevice, answer: bytes, status: int, reason: str
) -> None:
    asked = device.listen(SOCKET, answering(answer))
    with pytest.raises(DevtoolsRejected) as caught:
        await get(adb, SOCKET, "/json/activate/7")
    error = caught.value
    assert (error.status, error.reason, error.endpoint) == (status, reason, f"{device.serial}:{SOCKET}")
    assert "GET /json/activate/7" in str(error)
    await until(lambda: asked.connections == 0)


@pytest.mark.parametrize("answer", [b"", http(VERSION)[:-1]])
async def test_a_socket_that_closes_early_is_gone(device: EmulatedDevice, adb: AdbDevice, answer: bytes) -> None:
    device.listen(SOCKET, answering(answer))
    with pytest.raises(DevtoolsSocketGone, match="before the answer was complete") as caught:
        await get(adb, SOCKET, "/json/version")
    assert caught.value.endpoint == f"{device.serial}:{SOCKET}"


async def test_a_socket_that_does_not_exist_is_gone(device: EmulatedDevice, adb: AdbDevice) -> None:
    with pytest.raises(DevtoolsSocketGone, match="webview_devtools_remote_404"):
        await get(adb, "webview_devtools_remote_404", "/json/version")


async def test_another_program_behind_the_name_is_not_devtools(device: EmulatedDevice, adb: AdbDevice) -> None:
    device.listen(SOCKET, answering(b"SSH-2.0-OpenSSH\r\n\r\n"))
    with pytest.raises(ConnectFailed, match="does not speak HTTP") as caught:
        await get(adb, SOCKET, "/json/version")
    assert type(caught.value) is ConnectFailed


async def test_no_answer_means_a_frozen_app(device: EmulatedDevice, adb: AdbDevice) -> None:
    asked = device.listen("webview_devtools_remote_77", hang)
    with pytest.raises(AppFrozen, match=r"pid 77.*no answer to /json/version came within 0\.2 s") as caught:
        await get(adb, "webview_devtools_remote_77", "/json/version", timeout=SHORT_S)
    assert caught.value.pid == 77
    await until(lambda: asked.connections == 0)


async def test_an_answer_that_drips_is_limited_as_a_whole(device: EmulatedDevice, adb: AdbDevice) -> None:
    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        while not writer.is_closing():
            writer.write(b" ")
            await asyncio.sleep(0.01)

    device.listen(SOCKET, drip)
    clock = loop_clock()
    began = clock.now()
    with pytest.raises(AppFrozen):
        await get(adb, SOCKET, "/json/version", timeout=SHORT_S)
    assert clock.now() - began < SHORT_S + 1


async def test_a_cancelled_request_leaves_no_stream(device: EmulatedDevice, adb: AdbDevice) -> None:
    asked = device.listen(SOCKET, hang)
    request = asyncio.ensure_future(get(adb, SOCKET, "/json/version"))
    await until(lambda: asked.connections == 1)
    request.cancel()
    with pytest.raises(asyncio.CancelledError):
        await request
    await until(lambda: asked.connections == 0)


@pytest.mark.parametrize("path", ["/json/protocol", "/json/protocol/", "/json/protocol?a"])
async def test_the_request_that_may_abort_an_app_is_never_sent(
    device: EmulatedDevice, adb: AdbDevice, path: str
) -> None:
    device.listen(SOCKET, answering(http(b"{}")))
    with pytest.raises(OptionInvalid, match="abort"):
        await get(adb, SOCKET, path)
    assert f"localabstract:{SOCKET}" not in device.services


async def test_a_lost_link_is_not_blamed_on_the_app(device: EmulatedDevice, adb: AdbDevice) -> None:
    await device.disconnect()
    with pytest.raises((TransportLost, DeviceOffline)):
        await get(adb, SOCKET, "/json/version")


# -- probe ---------------------------------------------------------------------------------------


@pytest.fixture
def app(device: EmulatedDevice) -> EmulatedApp:
    """An app in front, with a WebView whose DevTools answer."""
    app = device.install(EmulatedApp("com.example.app"))
    app.listen("webview_devtools_remote_{pid}", answering(http(VERSION)))
    app.start()
    return app


async def only_socket(adb: AdbDevice) -> FoundSocket:
    (found,) = await find_sockets(adb)
    return found


async def test_an_app_in_use_is_asked(app: EmulatedApp, adb: AdbDevice) -> None:
    assert (await probe(adb, await only_socket(adb), "/json/version", Probes())).body == VERSION


async def test_a_frozen_app_is_never_connected_to(app: EmulatedApp, adb: AdbDevice) -> None:
    found = await only_socket(adb)
    app.freeze()
    for stale_or_fresh in (found, await only_socket(adb)):
        with pytest.raises(
            AppFrozen, match=rf"pid {app.pid}, oom_score_adj 905.*monkey -p com\.example\.app 1"
        ) as caught:
            await probe(adb, stale_or_fresh, "/json/version", Probes())
        assert (caught.value.package, caught.value.pid, caught.value.oom_score_adj) == ("com.example.app", app.pid, 905)
    assert app.sockets[0].waiting == 0


async def test_a_thawed_app_is_asked_again(app: EmulatedApp, adb: AdbDevice) -> None:
    app.freeze()
    frozen, probes = await only_socket(adb), Probes()
    with pytest.raises(AppFrozen):
        await probe(adb, frozen, "/json/version", probes)
    app.start()
    assert (await probe(adb, frozen, "/json/version", probes)).body == VERSION


async def test_the_resumed_activity_is_asked_whatever_its_number(
    device: EmulatedDevice, app: EmulatedApp, adb: AdbDevice
) -> None:
    (process,) = app.processes
    process.oom_score_adj = 950
    assert device.processes.front == app.package
    assert (await probe(adb, await only_socket(adb), "/json/version", Probes())).body == VERSION


async def test_an_app_that_hangs_is_asked_twice(device: EmulatedDevice, adb: AdbDevice) -> None:
    app = device.install(EmulatedApp("com.example.app"))
    app.listen("webview_devtools_remote_{pid}", hang)
    app.start()
    found, probes = await only_socket(adb), Probes()
    for _ in range(MAX_FAILED):
        with pytest.raises(AppFrozen, match="no answer to /json/list") as caught:
            await probe(adb, found, "/json/list", probes, timeout=SHORT_S)
        assert caught.value.package == "com.example.app"
    with pytest.raises(AppFrozen, match=r"left 2 requests without an answer"):
        await probe(adb, found, "/json/list", probes, timeout=SHORT_S)
    assert device.services.count(f"localabstract:{found.name}") == MAX_FAILED
    app.listen("webview_devtools_remote_{pid}", answering(http(VERSION)))
    app.restart()
    assert (await probe(adb, await only_socket(adb), "/json/list", probes)).body == VERSION


async def test_a_refusal_counts_as_an_answer(device: EmulatedDevice, adb: AdbDevice) -> None:
    app = device.install(EmulatedApp("com.example.app"))
    app.listen("webview_devtools_remote_{pid}", answering(http(b"", b"404 Not Found")))
    app.start()
    found, probes = await only_socket(adb), Probes()
    for _ in range(MAX_FAILED + 1):
        with pytest.raises(DevtoolsRejected):
            await probe(adb, found, "/json/list", probes)


async def test_a_full_queue_blocks_nothing_else_here(device: EmulatedDevice, adb: AdbDevice) -> None:
    """A frozen app with a short queue blocks the device's one thread; the request ends in time nevertheless."""
    app = device.install(EmulatedApp("com.example.app"))
    app.listen("webview_devtools_remote_{pid}", hang, backlog=0)
    app.start()
    found = await only_socket(adb)
    app.freeze()
    for _ in range(2):
        with pytest.raises(AppFrozen):
            await get(adb, found.name, "/json/version", timeout=SHORT_S)
    app.kill()
    assert await find_sockets(adb) == []
