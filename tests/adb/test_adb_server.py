"""The adb server: what it is asked, what its answers mean, and every way in which they can fail to arrive."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing
from pathlib import Path

import pytest
from smart_server import GUARD_S, OKAY, Answer, Dialog, SmartServer, block, cut, fail, hang, smart_server, then

from stillframe.adb import adb_server
from stillframe.adb.adb_server import AdbServer
from stillframe.adb.address import AdbAddress
from stillframe.adb.device_list import DeviceEntry
from stillframe.errors import (
    AdbBinaryMissing,
    AdbFailed,
    AdbServerDied,
    AdbServerTooOld,
    AdbServerUnavailable,
    AndroidError,
    CommandTimeout,
    ConnectionLost,
    DeviceAmbiguous,
    DeviceConnectFailed,
    DeviceNotFound,
    DeviceOffline,
    DeviceUnauthorized,
    DevtoolsSocketGone,
    NoDevices,
    OptionInvalid,
    StillframeError,
    TransportLost,
)
from stillframe.testing import AdbServerProcess
from stillframe_phone import EmulatedDevice

LIST = "host:devices-l"
TRACK = "host:track-devices-l"
ONLINE = [OKAY, block("S                      device product:p model:m device:d transport_id:1\n")]
OFFLINE = [OKAY, block("S                      offline transport_id:1\n")]
NOBODY = [OKAY, block("")]


def client(server: SmartServer) -> AdbServer:
    return AdbServer(server.address)


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the waits that a test has to sit out."""
    monkeypatch.setattr(adb_server, "ANSWER_TIMEOUT_S", 0.2)
    monkeypatch.setattr(adb_server, "SETTLE_TIMEOUT_S", 0.2)
    monkeypatch.setattr(adb_server, "LOSS_TIMEOUT_S", 0.2)


# -- the server ----------------------------------------------------------------------------------


async def test_the_address_is_that_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADB_SERVER_SOCKET", "tcp:farm.example:5038")
    assert AdbServer().address == AdbAddress("farm.example", 5038)
    assert repr(AdbServer()) == "AdbServer(farm.example:5038)"
    monkeypatch.setenv("ADB_SERVER_SOCKET", "localfilesystem:/tmp/adb")
    with pytest.raises(OptionInvalid, match="over TCP only"):
        AdbServer()


@pytest.mark.parametrize(("text", "version"), [("0029", 41), ("002a", 42), ("002B", 43), ("0026", 38)])
async def test_the_version_is_hexadecimal(text: str, version: int) -> None:
    async with smart_server({"host:version": [OKAY, block(text)]}) as server:
        assert await client(server).version() == version
        assert await client(server).ensure_running() == version


async def test_a_version_below_38_is_too_old() -> None:
    async with smart_server({"host:version": [OKAY, block("0025")]}) as server:
        with pytest.raises(AdbServerTooOld, match="has version 37, and 38 is the oldest") as caught:
            await client(server).ensure_running()
    assert caught.value.version == 37


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (cut, "it closed the connection instead of answering 'host:version'"),
        ([b"HTTP/1.1 400 Bad Request"], "what listens there is no adb server: it sent b'HTTP'"),
        ([b"220 smtp ready\r\n"], "it sent b'220 '"),
        ([OKAY, b"zzzz"], "it sent b'zzzz'"),
        ([OKAY, b"0004", b"00"], "it closed the connection"),
        ([OKAY, block("not a number")], "says version 'not a number'"),
        (hang, r"it did not answer 'host:version' within 0\.2 s; it may be stopped"),
        (then(OKAY, b"0004"), r"within 0\.2 s"),
    ],
)
@pytest.mark.usefixtures("hurried")
async def test_what_answers_otherwise_is_not_an_adb_server(answer: Answer, says: str) -> None:
    async with smart_server({"host:version": answer}) as server:
        with pytest.raises(AdbServerUnavailable, match=says) as caught:
            await client(server).ensure_running()
        # It holds the port, so none is started: that would have asked a second time.
        assert server.requests == ["host:version"]
    assert caught.value.address == str(server.address)


async def free_address() -> AdbAddress:
    async with smart_server({}) as server:
        return server.address


async def test_a_server_is_started_only_if_that_is_wanted() -> None:
    address = await free_address()
    with pytest.raises(AdbServerUnavailable, match=f"run `adb -P {address.port} start-server`"):
        await AdbServer(address, start=False).ensure_running()


async def test_a_server_of_another_machine_is_not_started() -> None:
    address = await free_address()
    with pytest.raises(AdbServerUnavailable, match="start one there"):
        await AdbServer(AdbAddress("127.0.0.2", address.port), adb="/missing/adb").ensure_running()


async def test_a_start_without_adb_says_so() -> None:
    with pytest.raises(AdbBinaryMissing, match="'/missing/adb'"):
        await AdbServer(await free_address(), adb="/missing/adb").ensure_running()


@pytest.mark.needs("adb")
async def test_a_start_that_fails_because_another_one_won_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    address = await free_address()
    server = SmartServer(lambda dialog: answer_version(dialog))

    async def start(adb: str, address: AdbAddress, environ: Mapping[str, str]) -> None:
        await server.start(address.port)
        raise AdbServerUnavailable("cannot bind", address=str(address))

    async def answer_version(dialog: Dialog) -> None:
        await dialog.request()
        await dialog.send(OKAY, block("0029"))

    monkeypatch.setattr(adb_server, "start_server", start)
    try:
        assert await AdbServer(address).ensure_running() == 41
        await server.all_closed()
    finally:
        await server.aclose()


async def test_a_start_that_fails_says_why(tmp_path: Path) -> None:
    adb = tmp_path / "adb"
    adb.write_text("#!/bin/sh\necho cannot bind; exit 1\n")
    adb.chmod(0o755)
    with pytest.raises(AdbServerUnavailable, match="failed with 1: cannot bind"):
        await AdbServer(await free_address(), adb=str(adb)).ensure_running()


# -- devices -------------------------------------------------------------------------------------


async def test_devices_their_states_and_features_are_asked_for() -> None:
    features = [OKAY, block("shell_v2,cmd,,stat_v2")]
    async with smart_server({LIST: ONLINE, "host:features": features}) as server:
        assert await client(server).devices() == [DeviceEntry("S", "device", "p", "m", "d", 1)]
        assert await client(server).state("S") == "device"
        assert await client(server).features("S") == {"shell_v2", "cmd", "stat_v2"}
        with pytest.raises(DeviceNotFound, match="no device 'T'; it has S device") as caught:
            await client(server).state("T")
    assert caught.value.devices == (("S", "device"),)
    assert server.requests[2:4] == ["host:transport:S", "host:features"]


async def test_every_change_of_a_device_is_a_new_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adb_server, "LOOK_AGAIN_S", GUARD_S)
    lists = [*ONLINE, OFFLINE[1][:6], OFFLINE[1][6:], block("")]
    async with smart_server({TRACK: then(*lists)}) as server, aclosing(client(server).track_devices()) as tracked:
        states = [[entry.state for entry in await anext(tracked)] for _ in range(3)]
    assert states == [["device"], ["offline"], []]


async def test_a_change_that_adb_does_not_report_is_found() -> None:
    async def answer(dialog: Dialog) -> None:
        await dialog.send(*answers.pop(0))

    # The first answer does not count as a change.
    answers = [ONLINE, OFFLINE, NOBODY]
    script: dict[str, Answer] = {TRACK: then(*ONLINE), LIST: answer}
    async with smart_server(script) as server, aclosing(client(server).track_devices()) as tracked:
        states = [[entry.state for entry in await anext(tracked)] for _ in range(3)]
    assert states == [["device"], ["offline"], []]


@pytest.mark.usefixtures("hurried")
async def test_a_server_that_stops_answering_ends_the_tracking() -> None:
    answers: dict[str, Answer] = {TRACK: then(*ONLINE), LIST: hang}
    async with smart_server(answers) as server, aclosing(client(server).track_devices()) as tracked:
        await anext(tracked)
        with pytest.raises(AdbServerDied, match="stopped answering while tracking its devices"):
            await anext(tracked)


async def test_the_end_of_the_server_ends_the_tracking() -> None:
    async with smart_server({TRACK: NOBODY}) as server, aclosing(client(server).track_devices()) as tracked:
        assert await anext(tracked) == []
        with pytest.raises(AdbServerDied, match="while tracking its devices") as caught:
            await anext(tracked)
    assert caught.value.address == str(server.address)


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ([fail("unknown host service")], AdbServerTooOld),
        (cut, AdbServerUnavailable),
        (hang, AdbServerUnavailable),
        (then(OKAY), AdbServerUnavailable),
    ],
)
@pytest.mark.usefixtures("hurried")
async def test_tracking_that_does_not_begin_does_not_wait_for_ever(answer: Answer, error: type[Exception]) -> None:
    async with smart_server({TRACK: answer}) as server, aclosing(client(server).track_devices()) as tracked:
        with pytest.raises(error):
            await anext(tracked)


async def test_a_cancelled_tracking_closes_its_connection() -> None:
    async def track(server: AdbServer) -> None:
        async for _ in server.track_devices():
            listed.set()

    listed = asyncio.Event()
    async with smart_server({TRACK: then(*NOBODY)}) as server:
        tracking = asyncio.create_task(track(client(server)))
        async with asyncio.timeout(GUARD_S):
            await listed.wait()
        tracking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await tracking


CONNECT = "host:connect:h:1"


@pytest.mark.parametrize(
    ("text", "listed", "error", "says"),
    [
        ("failed to connect to 'h:1': Connection refused", "", DeviceConnectFailed, "Connection refused"),
        ("failed to connect to h:1", "", DeviceConnectFailed, "check the address"),
        ("failed to resolve host: 'h': Name or service not known", "", DeviceConnectFailed, "resolve host"),
        ("bad port number '99999' in 'h:99999'", "", DeviceConnectFailed, "bad port"),
        ("empty address ''", "", DeviceConnectFailed, "empty address"),
        ("", "", DeviceConnectFailed, "it says ''"),
        ("failed to authenticate to h:1", "h:1\tunauthorized\n", DeviceUnauthorized, "accept the dialog"),
        ("connected to h:1", "h:1\toffline\n", DeviceOffline, "check its cable"),
        ("already connected to h:1", "h:1\toffline\n", DeviceOffline, "check its cable"),
        ("connected to h:1", "x\tdevice\n", DeviceNotFound, "no device 'h:1'"),
        ("connected to h:1", "", NoDevices, "no device"),
    ],
)
@pytest.mark.usefixtures("hurried")
async def test_a_device_that_cannot_be_connected_is_a_typed_error(
    text: str, listed: str, error: type[AndroidError], says: str
) -> None:
    answers: dict[str, Answer] = {
        CONNECT: [OKAY, block(text)],
        TRACK: then(OKAY, block(listed)),
        LIST: [OKAY, block(listed)],
    }
    async with smart_server(answers) as server:
        with pytest.raises(error, match=says) as caught:
            await client(server).connect_device("h:1")
    assert caught.value.serial == "h:1"  # type: ignore[attr-defined]


@pytest.mark.parametrize("text", ["connected to h:1", "already connected to h:1", "failed to authenticate to h:1"])
async def test_a_connected_device_gets_a_moment_to_answer(text: str) -> None:
    answers: dict[str, Answer] = {
        CONNECT: [OKAY, block(text)],
        TRACK: then(OKAY, block("h:1\tunauthorized\n"), block("h:1\toffline\n"), block("h:1\tdevice\n")),
        LIST: [OKAY, block("h:1\tdevice\n")],
    }
    async with smart_server(answers) as server:
        await client(server).connect_device("h:1")


async def test_a_device_is_disconnected_or_unknown() -> None:
    answers = {
        "host:disconnect:h:1": [OKAY, block("disconnected h:1")],
        "host:disconnect:h:2": [fail("no such device 'h:2'")],
    }
    async with smart_server(answers) as server:
        await client(server).disconnect_device("h:1")
        with pytest.raises(DeviceNotFound):
            await client(server).disconnect_device("h:2")


# -- connections to a device ---------------------------------------------------------------------

SWITCH = "host:transport:S"
PAGE = "localabstract:page"


async def test_a_service_is_opened_right_after_its_okay() -> None:
    async with smart_server({PAGE: then(b"OK", b"AY" + b"first bytes")}) as server:
        with await client(server).open_service("S", PAGE) as sock:
            assert sock.gettimeout() == 0.0
            assert await asyncio.get_running_loop().sock_recv(sock, 100) == b"first bytes"
    assert server.requests == [SWITCH, PAGE]


@pytest.mark.parametrize(
    ("answers", "service", "error", "says"),
    [
        ({SWITCH: [fail("no devices/emulators found")]}, PAGE, NoDevices, "USB debugging"),
        ({SWITCH: [fail("device 'S' not found")]}, PAGE, DeviceNotFound, "no device 'S'"),
        ({SWITCH: [fail("more than one device/emulator")]}, PAGE, DeviceAmbiguous, "name one"),
        ({SWITCH: [fail("device unauthorized.\nThis adb server's")]}, PAGE, DeviceUnauthorized, "dialog"),
        ({SWITCH: [fail("device offline")]}, PAGE, DeviceOffline, "check its cable"),
        ({SWITCH: [fail("unknown host service")]}, PAGE, AdbServerTooOld, "install newer"),
        ({SWITCH: hang}, PAGE, AdbServerUnavailable, r"within 0\.2 s"),
        ({SWITCH: cut}, PAGE, AdbServerUnavailable, "closed the connection"),
        ({PAGE: [fail("closed")], LIST: ONLINE}, PAGE, DevtoolsSocketGone, "no process on S listens at .* 'page'"),
        ({PAGE: [fail("closed")], LIST: OFFLINE}, PAGE, TransportLost, "its state is 'offline' now"),
        ({PAGE: [fail("closed")], LIST: NOBODY}, PAGE, TransportLost, "does not list it any more"),
        ({PAGE: [fail("closed")], LIST: cut}, PAGE, AdbServerDied, "while opening 'localabstract:page'"),
        ({"tcp:1": [fail("closed")], LIST: ONLINE}, "tcp:1", AdbFailed, "refused 'tcp:1' for S with 'closed'"),
        ({PAGE: [fail("device offline")]}, PAGE, DeviceOffline, "check its cable"),
        ({PAGE: cut, LIST: OFFLINE}, PAGE, TransportLost, "its state is 'offline' now"),
        ({PAGE: cut, LIST: ONLINE}, PAGE, TransportLost, "its state is 'device' now"),
        ({PAGE: cut, LIST: hang}, PAGE, AdbServerDied, "start it again"),
        ({PAGE: [b"what"], LIST: ONLINE}, PAGE, TransportLost, "broke while opening"),
    ],
)
@pytest.mark.usefixtures("hurried")
async def test_a_service_that_does_not_open_is_a_typed_error(
    answers: dict[str, Answer], service: str, error: type[StillframeError], says: str
) -> None:
    async with smart_server(answers) as server:
        with pytest.raises(error, match=says) as caught:
            await client(server).open_service("S", service)
    assert type(caught.value) is error
    assert getattr(caught.value, "serial", "S") == "S"
    if isinstance(caught.value, DevtoolsSocketGone):
        assert caught.value.endpoint == "S:page"


async def test_a_device_that_does_not_answer_is_not_waited_for() -> None:
    async with smart_server({PAGE: hang}) as server:
        with pytest.raises(CommandTimeout, match=r"did not open 'localabstract:page' within 0\.1 s") as caught:
            await client(server).open_service("S", PAGE, timeout=0.1)
    assert caught.value.timeout_ms == 100


@pytest.mark.serial
async def test_the_time_limit_counts_both_answers() -> None:
    async def slow(dialog: Dialog) -> None:
        await asyncio.sleep(0.15)
        await dialog.send(OKAY)

    async with smart_server({SWITCH: slow, PAGE: hang}) as server:
        before = asyncio.get_running_loop().time()
        with pytest.raises(CommandTimeout):
            await client(server).open_service("S", PAGE, timeout=0.2)
        assert asyncio.get_running_loop().time() - before < 0.3


@pytest.mark.parametrize(
    ("listed", "error", "says"),
    [
        (OFFLINE, TransportLost, "broke while asking for 'host:features' .its state is 'offline'"),
        (NOBODY, TransportLost, "does not list it any more"),
        (cut, AdbServerDied, "ended or stopped"),
    ],
)
async def test_a_device_that_goes_while_its_features_are_asked_for_is_not_a_dead_server(
    listed: Answer, error: type[StillframeError], says: str
) -> None:
    """The server closes the connections of a device that goes."""
    async with smart_server({"host:features": cut, LIST: listed}) as server:
        with pytest.raises(error, match=says):
            await client(server).features("S")


CALLS: dict[str, Callable[[AdbServer], Awaitable[object]]] = {
    "open_service": lambda server: opened_and_closed(server),
    "devices": lambda server: server.devices(),
    "features": lambda server: server.features("S"),
    "connect_device": lambda server: server.connect_device("h:1"),
    "loss": lambda server: server.loss("S", "testing"),
}


async def opened_and_closed(server: AdbServer) -> None:
    (await server.open_service("S", PAGE)).close()


@pytest.mark.parametrize("name", CALLS)
async def test_a_call_cancelled_at_any_moment_leaves_no_connection(name: str) -> None:
    answers: dict[str, Answer] = {
        PAGE: then(b"O", b"KAY"),
        LIST: [*ONLINE],
        TRACK: then(OKAY, block("h:1\toffline\n"), block("h:1\tdevice\n")),
        "host:features": [OKAY, block("cmd")],
        CONNECT: [OKAY, block("connected to h:1")],
    }
    async with smart_server(answers) as server:
        for turns in range(60):
            calling = asyncio.ensure_future(CALLS[name](client(server)))
            for _ in range(turns):
                await asyncio.sleep(0)
            calling.cancel()
            with contextlib.suppress(asyncio.CancelledError, AndroidError):
                await calling


# -- with adb itself -----------------------------------------------------------------------------


def address_of(process: AdbServerProcess) -> AdbAddress:
    return AdbAddress("127.0.0.1", process.port)


async def test_adb_lists_tracks_and_describes_a_device(adb_server: AdbServerProcess, device: EmulatedDevice) -> None:
    server = AdbServer(address_of(adb_server), start=False)
    assert await server.ensure_running() >= 38
    assert await server.state(device.serial) == "device"
    assert "shell_v2" in await server.features(device.serial)
    (entry,) = [entry for entry in await server.devices() if entry.serial == device.serial]
    assert (entry.state, entry.model, entry.product, entry.device) == ("device", "Pixel_7", "panther", "panther")
    assert entry.transport_id


async def in_state(server: AdbServer, serial: str, state: str | None) -> None:
    """Wait until a device is in a state, None for absent."""
    async with asyncio.timeout(GUARD_S), aclosing(server.track_devices()) as lists:
        async for entries in lists:
            if next((entry.state for entry in entries if entry.serial == serial), None) == state:
                return


async def test_adb_reports_a_device_that_leaves_and_comes_back(
    adb_server: AdbServerProcess, device: EmulatedDevice
) -> None:
    server = AdbServer(address_of(adb_server))
    leaving = asyncio.create_task(in_state(server, device.serial, "offline"))
    await device.disconnect()
    await leaving
    with pytest.raises(DeviceOffline, match="check its cable"):
        await server.open_service(device.serial, "shell:ls")
    with pytest.raises(DeviceOffline):
        await server.features(device.serial)
    assert isinstance(await server.loss(device.serial, "testing"), TransportLost)
    await device.reconnect()
    await in_state(server, device.serial, "device")


async def test_adb_connects_devices_or_says_why_not(adb_server: AdbServerProcess) -> None:
    server = AdbServer(address_of(adb_server))
    async with EmulatedDevice() as device:
        await server.connect_device(device.serial)
        await server.connect_device(device.serial)
        assert await server.state(device.serial) == "device"
        await server.disconnect_device(device.serial)
        with pytest.raises(DeviceNotFound):
            await server.disconnect_device(device.serial)
    with pytest.raises(DeviceConnectFailed, match="Connection refused"):
        await server.connect_device(str(await free_address()))
    with pytest.raises(DeviceConnectFailed, match="resolve"):
        await server.connect_device("nowhere.invalid:5555")
    with pytest.raises(DeviceNotFound, match="no device 'nobody'"):
        await server.open_service("nobody", "shell:ls")


async def test_adb_connects_to_a_device_that_nobody_has_allowed(adb_server: AdbServerProcess) -> None:
    server = AdbServer(address_of(adb_server))
    async with EmulatedDevice() as device:
        await device.revoke_authorization()
        with pytest.raises(DeviceUnauthorized, match="accept the dialog"):
            await server.connect_device(device.serial)
        with pytest.raises(DeviceUnauthorized, match="accept the dialog"):
            await server.open_service(device.serial, "shell:ls")
        await device.authorize()
        await in_state(server, device.serial, "device")
        await server.disconnect_device(device.serial)


async def test_adb_refuses_what_a_device_does_not_have(adb_server: AdbServerProcess, device: EmulatedDevice) -> None:
    server = AdbServer(address_of(adb_server))
    with pytest.raises(DevtoolsSocketGone):
        await server.open_service(device.serial, "localabstract:nothing")
    with pytest.raises(AdbFailed, match="'closed'"):
        await server.open_service(device.serial, "nonsense:")


async def test_a_silent_device_is_not_waited_for(adb_server: AdbServerProcess, device: EmulatedDevice) -> None:
    server = AdbServer(address_of(adb_server))
    await device.go_silent()
    with pytest.raises(CommandTimeout):
        await server.open_service(device.serial, "localabstract:nothing", timeout=0.2)
    await device.go_online()


@pytest.mark.serial
async def test_the_end_of_adb_is_noticed_at_once(own_adb_server: AdbServerProcess) -> None:
    server = AdbServer(address_of(own_adb_server), start=False)
    async with EmulatedDevice() as device, aclosing(server.track_devices()) as lists:
        device.listen("echo", echo)
        await server.connect_device(device.serial)
        with await server.open_service(device.serial, "localabstract:echo") as sock:
            while not [entry for entry in await anext(lists) if entry.state == "device"]:
                pass
            await own_adb_server.stop()
            async with asyncio.timeout(1):
                with pytest.raises(AdbServerDied):
                    await anext(lists)
                assert await asyncio.get_running_loop().sock_recv(sock, 1) == b""
                lost: ConnectionLost = await server.loss(device.serial, "testing")
        assert isinstance(lost, AdbServerDied)
        with pytest.raises(AdbServerUnavailable, match="nothing listens there"):
            await server.devices()


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while received := await reader.read(1000):
        writer.write(received)


async def test_adb_is_started_once_for_everybody(
    own_adb_server: AdbServerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    await own_adb_server.stop()
    for name, value in own_adb_server.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("ADB_SERVER_SOCKET", f"tcp:localhost:{own_adb_server.port}")
    server = AdbServer(adb=own_adb_server.program)
    try:
        versions = await asyncio.gather(*(server.ensure_running() for _ in range(4)))
        assert len(set(versions)) == 1
        assert await server.devices() == []
    finally:
        await own_adb_server.adb("kill-server")
    with pytest.raises(AdbServerUnavailable):
        await server.version()
