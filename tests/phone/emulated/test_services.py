"""Shell and files of the emulated device, through the real adb program."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from adb_streams import opened, shell
from stillframe.testing import AdbServerProcess
from stillframe_phone import EmulatedDevice

# -- the shell


async def test_adb_lists_it(device: EmulatedDevice, adb_server: AdbServerProcess) -> None:
    listed = (await adb_server.adb("devices", "-l")).stdout.decode()
    assert f"{device.serial} " in listed
    assert " product:panther model:Pixel_7 device:panther " in listed


async def test_shell_v2_keeps_output_errors_and_status_apart(
    device: EmulatedDevice, adb_server: AdbServerProcess
) -> None:
    assert await shell(adb_server, device, "echo out; echo err >&2; exit 7") == (7, b"out\n", b"err\n")
    assert await shell(adb_server, device, "nope") == (127, b"", b"/system/bin/sh: nope: inaccessible or not found\n")


async def test_the_shell_reads_the_input(device: EmulatedDevice, adb_server: AdbServerProcess) -> None:
    content = bytes(range(256)) * 1000
    done = await adb_server.adb(
        "-s", device.serial, "shell", "cat > /data/local/tmp/in; wc -c < /data/local/tmp/in", stdin=content
    )
    assert done == (0, b"256000\n", b"")
    assert device.files.read("/data/local/tmp/in") == content


async def test_exec_out_is_binary(device: EmulatedDevice, adb_server: AdbServerProcess) -> None:
    content = bytes(range(256)) * 10_000
    device.files.put("/data/local/tmp/b", content)
    done = await adb_server.adb("-s", device.serial, "exec-out", "cat /data/local/tmp/b; nope")
    assert done.stdout == content + b"/system/bin/sh: nope: inaccessible or not found\n"


@pytest.mark.parametrize(("sdk", "newline"), [(23, b"\r\n"), (25, b"\n"), (34, b"\n")])
async def test_without_shell_v2_there_is_no_status(adb_server: AdbServerProcess, sdk: int, newline: bytes) -> None:
    """Before Android 7 the shell ran in a terminal, which changed newlines."""
    async with EmulatedDevice(sdk=sdk, features=("cmd",)) as device:
        await adb_server.connect(device)
        assert await shell(adb_server, device, "echo out; nope; exit 7") == (
            0,
            b"out"
            + newline
            + b"/system/bin/sh: nope: "
            + (b"inaccessible or " if sdk > 28 else b"")
            + b"not found"
            + newline,
            b"",
        )
        assert (await adb_server.adb("-s", device.serial, "exec-out", "echo out")).stdout == b"out\n"
        await adb_server.disconnect(device)


async def test_a_command_ends_when_the_host_hangs_up(device: EmulatedDevice, adb_server: AdbServerProcess) -> None:
    ended = asyncio.Event()

    async def endless(_: object) -> int:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return 0

    device.programs["endless"] = endless
    async with opened(adb_server, device.serial, "shell:echo started; endless") as (reader, _):
        assert await reader.readline() == b"started\n"
        assert not ended.is_set()
    await ended.wait()


async def test_output_arrives_while_the_command_runs(device: EmulatedDevice, adb_server: AdbServerProcess) -> None:
    async with opened(adb_server, device.serial, "shell:while read line; do echo got $line; done") as (reader, writer):
        for word in (b"one", b"two"):
            writer.write(word + b"\n")
            assert await reader.readline() == b"got " + word + b"\n"


# -- files


@pytest.mark.parametrize("features", [None, ("shell_v2", "cmd")])
async def test_push_and_pull(adb_server: AdbServerProcess, tmp_path: Path, features: tuple[str, ...] | None) -> None:
    content = bytes(range(256)) * 3000
    (tmp_path / "up").write_bytes(content)
    async with EmulatedDevice(features=features) as device:
        await adb_server.connect(device)
        pushed = await adb_server.adb("-s", device.serial, "push", str(tmp_path / "up"), "/data/local/tmp/new/folder/f")
        assert pushed.returncode == 0, pushed
        assert device.files.read("/data/local/tmp/new/folder/f") == content
        pulled = await adb_server.adb(
            "-s", device.serial, "pull", "/data/local/tmp/new/folder/f", str(tmp_path / "down")
        )
        assert pulled.returncode == 0, pulled
        assert (tmp_path / "down").read_bytes() == content
        listed = await adb_server.adb("-s", device.serial, "ls", "/data/local/tmp/new")
        assert listed.stdout.split()[3] == b"folder"
        await adb_server.disconnect(device)


async def test_a_folder_is_pushed_into_a_folder(
    device: EmulatedDevice, adb_server: AdbServerProcess, tmp_path: Path
) -> None:
    for name in ("a", "b"):
        (tmp_path / "set" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "set" / name).write_text(name)
    pushed = await adb_server.adb("-s", device.serial, "push", str(tmp_path / "set"), "/sdcard/")
    assert pushed.returncode == 0, pushed
    assert device.files.names("/sdcard/set") == ["a", "b"]


async def test_files_that_cannot_be_carried(
    device: EmulatedDevice, adb_server: AdbServerProcess, tmp_path: Path
) -> None:
    (tmp_path / "f").write_text("x")
    pushed = await adb_server.adb("-s", device.serial, "push", str(tmp_path / "f"), "/system/f")
    assert pushed.returncode == 1
    assert b"couldn't create file: Read-only file system" in pushed.stdout + pushed.stderr
    pulled = await adb_server.adb("-s", device.serial, "pull", "/data/none", str(tmp_path / "g"))
    assert pulled.returncode == 1
    assert b"No such file or directory" in pulled.stdout + pulled.stderr


@pytest.mark.parametrize(
    ("sent", "answer"),
    [
        (b"NOPE\0\0\0\0", b"FAIL\x14\0\0\0unknown command NOPE"),
        (b"STAT\xff\xff\xff\xff", b"FAIL\x14\0\0\0unknown command STAT"),
        (b"SEND\x01\0\0\0xDONE\0\0\0\0", b"FAIL\x26\0\0\0couldn't create file: Invalid argument"),
        (b"STAT\x02\0\0\0/xQUIT\0\0\0\0", b"STAT" + bytes(12)),
        (b"STA", b""),
    ],
)
async def test_garbage_for_the_service_of_files(
    device: EmulatedDevice, adb_server: AdbServerProcess, sent: bytes, answer: bytes
) -> None:
    async with opened(adb_server, device.serial, "sync:") as (reader, writer):
        writer.write(sent)
        assert await reader.readexactly(len(answer)) == answer
    assert (await shell(adb_server, device, "echo alive")).stdout == b"alive\n"


@pytest.mark.parametrize(
    "sent", [b"\xff" * 64, b"\x00\xff\xff\xff\x7fabc", b"\x04\0\0\0\0", b"\x05\x02\0\0\0ab\x04\0\0\0\0"]
)
async def test_garbage_for_the_input_of_the_shell(
    device: EmulatedDevice, adb_server: AdbServerProcess, sent: bytes
) -> None:
    async with opened(adb_server, device.serial, "shell,v2,raw:echo started; cat") as (reader, writer):
        writer.write(sent)
        assert await reader.readexactly(13) == b"\x01\x08\0\0\0started\n"
    assert (await shell(adb_server, device, "echo alive")).stdout == b"alive\n"
