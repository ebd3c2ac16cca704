"""One device: commands, files and sockets, over a scripted server and over adb itself."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from random import Random
from struct import pack

import pytest
from smart_server import GUARD_S, OKAY, Answer, Dialog, SmartServer, block, cut, fail, hang, smart_server, then, until

from stillframe.adb import adb_device, adb_server
from stillframe.adb.adb_device import AdbDevice, ShellResult
from stillframe.adb.adb_server import AdbServer
from stillframe.adb.address import AdbAddress
from stillframe.adb.shell_protocol import NO_INPUT, Kind, packet
from stillframe.adb.sync_protocol import MAX_DATA_BYTES
from stillframe.errors import (
    AdbFailed,
    AdbServerDied,
    AndroidError,
    CommandTimeout,
    DevtoolsSocketGone,
    OptionInvalid,
    ShellFailed,
    StillframeError,
    TransportLost,
)
from stillframe.testing import AdbServerProcess, EmulatedDevice

LIST = "host:devices-l"
FEATURES = "host:features"
V2 = [OKAY, block("shell_v2,cmd")]
V1 = [OKAY, block("cmd")]
ONLINE = [OKAY, block("S\tdevice\n")]
OFFLINE = [OKAY, block("S\toffline\n")]


def of(server: SmartServer) -> AdbDevice:
    return AdbDevice(AdbServer(server.address, start=False), "S")


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the waits that a test has to sit out."""
    monkeypatch.setattr(adb_device, "TRANSFER_TIMEOUT_S", 0.2)
    monkeypatch.setattr(adb_server, "LOSS_TIMEOUT_S", 0.2)


def test_a_device_describes_itself() -> None:
    assert repr(AdbDevice(AdbServer(AdbAddress()), "S")) == "AdbDevice('S', AdbServer(127.0.0.1:5037))"


# -- commands ------------------------------------------------------------------------------------

OUTPUT = packet(Kind.STDOUT, b"out") + packet(Kind.STDERR, b"err") + packet(Kind.STDOUT, b"\xff\n")


def shell_answers(answer: Answer, features: list[bytes] = V2, listed: Answer = ONLINE) -> dict[str, Answer]:
    return {FEATURES: features, "shell,v2,raw:ls": answer, "exec:ls": answer, LIST: listed}


@pytest.mark.parametrize(
    "segments",
    [
        [OKAY + OUTPUT + packet(Kind.EXIT, b"\x07")],
        [OKAY, OUTPUT, packet(Kind.EXIT, b"\x07")],
        [bytes([byte]) for byte in OKAY + OUTPUT + packet(Kind.EXIT, b"\x07")],
    ],
)
async def test_a_command_has_two_outputs_and_an_exit_status(segments: list[bytes]) -> None:
    async with smart_server(shell_answers(segments)) as server:
        result = await of(server).shell("ls")
    assert result == ShellResult(b"out\xff\n", b"err", 7)
    assert result.text == "out\ufffd\n"


async def test_a_command_gets_no_input() -> None:
    async def script(dialog: Dialog) -> None:
        await dialog.send(OKAY)
        assert await dialog.read_exactly(len(NO_INPUT)) == NO_INPUT
        await dialog.send(packet(Kind.EXIT, b"\0"))

    async with smart_server(shell_answers(script)) as server:
        assert (await of(server).shell("ls")).returncode == 0


async def test_a_device_that_keeps_the_stream_open_holds_nothing_up() -> None:
    async with smart_server(shell_answers(then(OKAY, packet(Kind.EXIT, b"\0")))) as server:
        assert (await of(server).shell("ls", check=True)).returncode == 0


async def test_a_checked_command_that_fails_is_an_error_with_its_outputs() -> None:
    answer = [OKAY, OUTPUT, packet(Kind.EXIT, b"\x01")]
    async with smart_server(shell_answers(answer)) as server:
        with pytest.raises(ShellFailed, match="the command 'ls' on S ended with 1: err") as caught:
            await of(server).shell("ls", check=True)
    error = caught.value
    assert (error.command, error.returncode, error.stdout, error.stderr) == ("ls", 1, "out\ufffd\n", "err")


async def test_a_checked_command_that_fails_silently_is_an_error_too() -> None:
    async with smart_server(shell_answers([OKAY, packet(Kind.EXIT, b"\xff")])) as server:
        with pytest.raises(ShellFailed, match="ended with 255: it printed nothing"):
            await of(server).shell("ls", check=True)


async def test_an_old_device_says_no_exit_status() -> None:
    async with smart_server(shell_answers([OKAY, b"o", b"ut"], V1)) as server:
        assert await of(server).shell("ls", check=True) == ShellResult(b"out", b"", None)
    assert "exec:ls" in server.requests


@pytest.mark.parametrize(
    ("features", "answer", "listed", "error", "says"),
    [
        (V2, [OKAY], OFFLINE, TransportLost, "broke while running 'ls' .its state is 'offline' now"),
        (V2, [OKAY, OUTPUT], ONLINE, TransportLost, "broke while running 'ls'"),
        (V2, [OKAY, packet(Kind.EXIT, b"\0")[:-1]], ONLINE, TransportLost, "broke while running 'ls'"),
        (V2, [OKAY], cut, AdbServerDied, "ended"),
        (V2, [OKAY], hang, AdbServerDied, "ended or stopped"),
        (V1, [OKAY, b"half"], OFFLINE, TransportLost, "broke while running 'exec:ls'"),
        (V1, [OKAY], [OKAY, block("")], TransportLost, "does not list it any more"),
        (V2, [fail("closed")], ONLINE, AdbFailed, "refused 'shell,v2,raw:ls' for S with 'closed'"),
        (V2, [fail("closed")], OFFLINE, TransportLost, "broke while opening"),
    ],
)
@pytest.mark.usefixtures("hurried")
async def test_a_command_that_was_cut_off_is_no_success(
    features: list[bytes], answer: Answer, listed: Answer, error: type[StillframeError], says: str
) -> None:
    async with smart_server(shell_answers(answer, features, listed)) as server:
        with pytest.raises(error, match=says):
            await of(server).shell("ls")


@pytest.mark.parametrize("answer", [hang, then(OKAY), then(OKAY, OUTPUT), then(OKAY, b"\x01\xff\xff\xff\xff")])
async def test_a_command_has_a_time_limit(answer: Answer) -> None:
    async with smart_server(shell_answers(answer)) as server:
        with pytest.raises(CommandTimeout, match=r"S: the command 'ls' took more than 0\.1 s") as caught:
            await of(server).shell("ls", timeout=0.1)
    assert caught.value.timeout_ms == 100


async def test_output_that_goes_on_for_ever_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    async def endless(dialog: Dialog) -> None:
        await dialog.send(OKAY)
        while True:
            await dialog.send(packet(Kind.STDOUT, bytes(65536)))

    monkeypatch.setattr(adb_device, "MAX_ANSWER_BYTES", 1 << 20)
    for features in (V1, V2):
        async with smart_server(shell_answers(endless, features)) as server:
            with pytest.raises(AdbFailed, match="on S was stopped: more than 1 MiB arrived"):
                await of(server).shell("ls")


async def test_the_bytes_of_a_program_arrive_unchanged() -> None:
    content = bytes(range(256)) * 4096
    async with smart_server({"exec:screencap -p": [OKAY + content[:9], content[9:]], LIST: ONLINE}) as server:
        assert await of(server).exec_out("screencap -p") == content


async def test_a_program_that_was_cut_off_is_no_success() -> None:
    async with smart_server({"exec:x": [OKAY, b"half"], LIST: OFFLINE}) as server:
        with pytest.raises(TransportLost) as caught:
            await of(server).exec_out("x")
    assert (caught.value.serial, caught.value.state) == ("S", "offline")


async def test_a_program_has_a_time_limit() -> None:
    async with smart_server({"exec:x": then(OKAY, b"half")}) as server:
        with pytest.raises(CommandTimeout):
            await of(server).exec_out("x", timeout=0.1)


@pytest.mark.parametrize("command", ["x" * 70_000, "\ud800"])
async def test_a_command_that_cannot_be_sent_is_refused(command: str) -> None:
    async with smart_server({FEATURES: V2}) as server:
        with pytest.raises(OptionInvalid):
            await of(server).shell(command)


# -- files ---------------------------------------------------------------------------------------


def data(content: bytes) -> bytes:
    return b"DATA" + pack("<I", len(content)) + content


def failed(reason: str) -> bytes:
    return b"FAIL" + pack("<I", len(reason)) + reason.encode()


DONE = b"DONE\0\0\0\0"
WRITTEN = b"OKAY\0\0\0\0"


class Written:
    """A script that takes a file as a device does."""

    def __init__(self) -> None:
        self.head = b""
        self.content = b""

    async def __call__(self, dialog: Dialog) -> None:
        await dialog.send(OKAY)
        while (head := await dialog.read_exactly(8))[:4] != b"DONE":
            size = int.from_bytes(head[4:], "little")
            part = await dialog.read_exactly(size)
            if head[:4] == b"SEND":
                self.head = part
            else:
                self.content += part
        await dialog.send(WRITTEN)
        await dialog.end()


@pytest.mark.parametrize("size", [0, 1, MAX_DATA_BYTES, MAX_DATA_BYTES + 1, 1_000_000])
async def test_a_file_is_written_in_full(size: int) -> None:
    written = Written()
    content = os.urandom(size)
    async with smart_server({"sync:": written}) as server:
        await of(server).push(content, "/data/local/tmp/x", mode=0o600)
    assert written.head == b"/data/local/tmp/x,33152"
    assert written.content == content


async def test_a_device_may_refuse_a_file_before_it_has_all(monkeypatch: pytest.MonkeyPatch) -> None:
    async with smart_server({"sync:": [OKAY, failed("couldn't create file: Read-only file system")]}) as server:
        with pytest.raises(AdbFailed, match="writing '/x' on S failed: couldn't create file: Read-only") as caught:
            await of(server).push(bytes(10_000_000), "/x")
    assert caught.value.reason == "couldn't create file: Read-only file system"
    assert caught.value.service == "sync:"


@pytest.mark.parametrize(
    ("answer", "listed", "error", "says"),
    [
        ([OKAY], OFFLINE, TransportLost, "broke while writing '/x' .its state is 'offline' now"),
        ([OKAY], cut, AdbServerDied, "ended"),
        ([OKAY, b"HTTP/1.1 200 OK"], ONLINE, AdbFailed, "which is not a packet"),
        (then(OKAY), ONLINE, CommandTimeout, r"S: writing '/x' took more than 0\.2 s"),
        (then(OKAY, WRITTEN[:5]), ONLINE, CommandTimeout, "writing '/x'"),
        ([fail("closed")], ONLINE, AdbFailed, "refused 'sync:'"),
        (then(OKAY, data(b"?") + DONE), ONLINE, AdbFailed, "answered with the content of a file"),
    ],
)
@pytest.mark.parametrize("size", [10, 20_000_000])
@pytest.mark.usefixtures("hurried")
async def test_a_file_that_is_not_written_is_an_error(
    answer: Answer, listed: Answer, error: type[StillframeError], says: str, size: int
) -> None:
    async with smart_server({"sync:": answer, LIST: listed}) as server:
        with pytest.raises(error, match=says):
            await of(server).push(bytes(size), "/x")


async def test_a_path_that_cannot_be_one_is_refused_before_anything_is_asked() -> None:
    async with smart_server({}) as server:
        for path in ("", "a\0b", "x" * 2000):
            with pytest.raises(OptionInvalid):
                await of(server).push(b"", path)
            with pytest.raises(OptionInvalid):
                await of(server).pull(path)
    assert server.requests == []


@pytest.mark.parametrize(
    "segments", [[OKAY + data(b"ab") + data(b"c") + DONE], [OKAY, data(b"ab")[:7], data(b"ab")[7:], data(b"c"), DONE]]
)
async def test_a_file_is_read_in_full(segments: list[bytes]) -> None:
    async def script(dialog: Dialog) -> None:
        await dialog.send(segments[0])
        assert await dialog.read_exactly(14) == b"RECV\x06\0\0\0/tmp/x"
        await dialog.send(*segments[1:])
        assert await dialog.read_exactly(8) == b"QUIT\0\0\0\0"

    async with smart_server({"sync:": script}) as server:
        assert await of(server).pull("/tmp/x") == b"abc"


@pytest.mark.parametrize(
    ("answer", "listed", "error", "says"),
    [
        ([OKAY, failed("No such file or directory")], ONLINE, AdbFailed, "reading '/x' on S failed: No such file"),
        ([OKAY, data(b"half")], OFFLINE, TransportLost, "broke while reading '/x'"),
        (then(OKAY, data(b"half")), ONLINE, CommandTimeout, "reading '/x'"),
        ([OKAY, b"\0" * 100], ONLINE, AdbFailed, "which is not a packet"),
    ],
)
@pytest.mark.usefixtures("hurried")
async def test_a_file_that_is_not_read_is_an_error(
    answer: Answer, listed: Answer, error: type[StillframeError], says: str
) -> None:
    async with smart_server({"sync:": answer, LIST: listed}) as server:
        with pytest.raises(error, match=says):
            await of(server).pull("/x")


# -- cancellation --------------------------------------------------------------------------------


CALLS: dict[str, Callable[[AdbDevice], Awaitable[object]]] = {
    "shell": lambda device: device.shell("ls"),
    "exec_out": lambda device: device.exec_out("ls"),
    "push": lambda device: device.push(bytes(200_000), "/x"),
    "pull": lambda device: device.pull("/x"),
    "open_abstract": lambda device: opened_and_closed(device),
}


async def opened_and_closed(device: AdbDevice) -> None:
    (await device.open_abstract("x")).close()


@pytest.mark.parametrize("name", CALLS)
async def test_a_call_cancelled_at_any_moment_leaves_no_connection(name: str) -> None:
    answers = {
        **shell_answers([OKAY, OUTPUT, packet(Kind.EXIT, b"\0")]),
        "sync:": Written() if name == "push" else [OKAY, data(b"x"), DONE],
        "localabstract:x": [OKAY],
    }
    async with smart_server(answers) as server:
        for turns in range(60):
            calling = asyncio.ensure_future(CALLS[name](of(server)))
            for _ in range(turns):
                await asyncio.sleep(0)
            calling.cancel()
            with contextlib.suppress(asyncio.CancelledError, AndroidError):
                await calling


# -- garbage -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.usefixtures("hurried")
async def test_any_bytes_are_an_answer_or_an_error_of_ours(name: str) -> None:
    source = Random(name)

    async def garbage(dialog: Dialog) -> None:
        service = await dialog.request()
        if service.startswith("host:transport:"):
            await dialog.send(OKAY)
            service = await dialog.request()
        plausible = {FEATURES: block("shell_v2"), LIST: block("S\tdevice\n")}.get(service, b"")
        await dialog.send(source.choice([b"", OKAY, OKAY + plausible, b"FAIL"]), source.randbytes(source.randrange(40)))

    async with smart_server(garbage) as server:
        for _ in range(60):
            with contextlib.suppress(StillframeError):
                await CALLS[name](of(server))


# -- with adb itself -----------------------------------------------------------------------------


@pytest.fixture
def phone(adb_server: AdbServerProcess, device: EmulatedDevice) -> AdbDevice:
    return AdbDevice(AdbServer(AdbAddress("127.0.0.1", adb_server.port), start=False), device.serial)


@pytest.fixture
async def old_phone(adb_server: AdbServerProcess) -> AsyncIterator[AdbDevice]:
    """A device from before the second shell protocol."""
    async with EmulatedDevice(sdk=22) as device:
        await adb_server.connect(device)
        yield AdbDevice(AdbServer(AdbAddress("127.0.0.1", adb_server.port), start=False), device.serial)
        await adb_server.disconnect(device)


async def test_adb_runs_commands(phone: AdbDevice) -> None:
    assert await phone.state() == "device"
    assert await phone.shell("echo out; echo err >&2; exit 7") == ShellResult(b"out\n", b"err\n", 7)
    assert (await phone.shell("echo 'ünïcode'")).text == "ünïcode\n"
    assert (await phone.shell("true", check=True)).returncode == 0
    with pytest.raises(ShellFailed, match=r"ended with 127: .*not found"):
        await phone.shell("no-such-program", check=True)


async def test_adb_runs_commands_on_an_old_device(old_phone: AdbDevice) -> None:
    assert await old_phone.shell("echo out; exit 7") == ShellResult(b"out\n", b"", None)


async def test_adb_gives_a_command_no_input(phone: AdbDevice) -> None:
    # Without an end of its input, `cat` would run until the time limit.
    assert await phone.shell("cat", timeout=5) == ShellResult(b"", b"", 0)


async def test_adb_writes_and_reads_files(phone: AdbDevice) -> None:
    content = os.urandom(3_000_000) + bytes(range(256)) + b"\r\n\n\r"
    await phone.push(content, "/data/local/tmp/blob", mode=0o755)
    assert await phone.pull("/data/local/tmp/blob") == content
    assert await phone.exec_out("cat /data/local/tmp/blob") == content
    assert (await phone.shell("cat /data/local/tmp/blob")).stdout == content
    assert (await phone.shell("ls -l /data/local/tmp/blob")).text.startswith("-rwxr-xr-x")
    await phone.push(b"", "/data/local/tmp/blob")
    assert await phone.pull("/data/local/tmp/blob") == b""
    with pytest.raises(AdbFailed, match="No such file or directory"):
        await phone.pull("/data/local/tmp/nothing")
    with pytest.raises(AdbFailed, match=r"on .* failed"):
        await phone.push(b"x" * 5_000_000, "/proc/nothing")


async def test_adb_opens_abstract_sockets(phone: AdbDevice, device: EmulatedDevice) -> None:
    device.listen("echo", echo)
    loop = asyncio.get_running_loop()
    with await phone.open_abstract("echo") as sock:
        await loop.sock_sendall(sock, b"hello")
        assert await loop.sock_recv(sock, 100) == b"hello"
        device.unlisten("echo")
        async with asyncio.timeout(GUARD_S):
            assert await loop.sock_recv(sock, 100) == b""
    with pytest.raises(DevtoolsSocketGone) as caught:
        await phone.open_abstract("echo")
    assert caught.value.endpoint == f"{phone.serial}:echo"


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while received := await reader.read(1000):
        writer.write(received)


async def asked_for(device: EmulatedDevice, service: str) -> None:
    await until(lambda: any(name.endswith(service) for name in device.services))


@pytest.mark.parametrize("call", ["shell", "exec_out"])
async def test_a_cable_pulled_during_a_command_is_no_success(
    phone: AdbDevice, device: EmulatedDevice, call: str
) -> None:
    running = asyncio.create_task(getattr(phone, call)("sleep 30"))
    await asked_for(device, ":sleep 30")
    await device.disconnect()
    with pytest.raises(TransportLost) as caught:
        await running
    assert caught.value.serial == phone.serial
    assert caught.value.state == "offline"


async def test_a_cable_pulled_during_a_command_of_an_old_device_is_no_success(adb_server: AdbServerProcess) -> None:
    async with EmulatedDevice(sdk=22) as device:
        await adb_server.connect(device)
        phone = AdbDevice(AdbServer(AdbAddress("127.0.0.1", adb_server.port)), device.serial)
        running = asyncio.create_task(phone.shell("sleep 30"))
        await asked_for(device, ":sleep 30")
        await device.disconnect()
        with pytest.raises(TransportLost):
            await running
        await adb_server.disconnect(device)


async def test_the_end_of_adb_during_a_command_is_told_from_a_pulled_cable(own_adb_server: AdbServerProcess) -> None:
    async with EmulatedDevice() as device:
        await own_adb_server.connect(device)
        phone = AdbDevice(AdbServer(AdbAddress("127.0.0.1", own_adb_server.port)), device.serial)
        running = asyncio.create_task(phone.shell("sleep 30"))
        await asked_for(device, ":sleep 30")
        await own_adb_server.stop()
        with pytest.raises(AdbServerDied, match="start it again"):
            await running


async def test_a_command_that_is_given_up_leaves_nothing_on_the_device(
    phone: AdbDevice, device: EmulatedDevice
) -> None:
    with pytest.raises(CommandTimeout):
        await phone.shell("sleep 30", timeout=0.2)
    # Others go on at once.
    assert (await phone.shell("echo x")).text == "x\n"


async def test_many_commands_run_at_once(phone: AdbDevice) -> None:
    results = await asyncio.gather(*(phone.shell(f"echo {number}") for number in range(20)))
    assert [result.text for result in results] == [f"{number}\n" for number in range(20)]
