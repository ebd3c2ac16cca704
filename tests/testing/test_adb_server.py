"""The real adb server of a test: its own port, its own home, and nothing left behind."""

from __future__ import annotations

import asyncio
import contextlib
import doctest
import os
from pathlib import Path

import pytest

from stillframe.errors import AdbBinaryMissing
from stillframe.testing import AdbServerProcess
from stillframe.testing import adb_server as module
from stillframe_phone import EmulatedDevice

USUAL_PORT = 5037


def program(folder: Path, script: str) -> str:
    """Make a program that stands in for adb."""
    path = folder / "adb"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


def runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_the_examples_in_the_module() -> None:
    assert doctest.testmod(module).failed == 0


@pytest.mark.needs("adb")
async def test_it_runs_beside_everything_else_and_leaves_nothing() -> None:
    async with AdbServerProcess() as server:
        pid, home = server.pid, server.home
        assert pid is not None
        assert server.port not in (0, USUAL_PORT)
        assert server.address == f"127.0.0.1:{server.port}"
        assert int(await server.query("host:version"), 16) >= 38
        assert await server.devices() == {}
        assert (home / ".android" / "adbkey").exists()
    assert server.pid is None
    assert not runs(pid)
    assert not home.exists()
    await server.aclose()


async def test_it_does_not_look_for_emulators(own_adb_server: AdbServerProcess) -> None:
    environment = own_adb_server.environment
    assert environment["ADB_LOCAL_TRANSPORT_MAX_PORT"] == "5553"
    assert environment["HOME"] == str(own_adb_server.home)


@pytest.mark.needs("adb")
async def test_variables_for_other_servers_do_not_reach_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANDROID_SERIAL", "elsewhere")
    monkeypatch.setenv("ADB_SERVER_SOCKET", "tcp:127.0.0.1:1")
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", "1")
    async with AdbServerProcess() as server, EmulatedDevice() as device:
        await server.connect(device)
        assert (await server.adb("shell", "echo x")).stdout == b"x\n"


async def test_adb_without_options_finds_it_in_the_environment(own_adb_server: AdbServerProcess) -> None:
    version = await asyncio.create_subprocess_exec(
        own_adb_server.program,
        "get-state",
        env=own_adb_server.environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    _, err = await version.communicate()
    assert b"no devices/emulators found" in err
    assert b"daemon" not in err  # it would say that it starts one


async def test_it_dies_and_starts_again_on_its_port(own_adb_server: AdbServerProcess) -> None:
    port = own_adb_server.port
    async with EmulatedDevice() as device:
        await own_adb_server.connect(device)
        await own_adb_server.stop()
        await own_adb_server.stop()
        with pytest.raises(ConnectionRefusedError):
            await own_adb_server.devices()
        await own_adb_server.start()
        await own_adb_server.start()
        assert own_adb_server.port == port
        assert await own_adb_server.devices() == {}
        await own_adb_server.connect(device)


async def test_adb_kill_server_ends_it(own_adb_server: AdbServerProcess) -> None:
    killed = await own_adb_server.adb("kill-server")
    assert killed.returncode == 0
    await own_adb_server.stop()
    await own_adb_server.start()
    assert await own_adb_server.devices() == {}


@pytest.mark.needs("adb")
async def test_two_servers_share_a_device() -> None:
    async with AdbServerProcess() as one, AdbServerProcess() as two, EmulatedDevice() as device:
        await one.connect(device)
        await two.connect(device)
        assert one.port != two.port
        assert len(device.adbd.connections) == 2


async def test_a_device_that_refuses(own_adb_server: AdbServerProcess) -> None:
    async with EmulatedDevice() as device:
        await device.disconnect()
        with pytest.raises(ConnectionError, match="failed to connect to"):
            await own_adb_server.connect(device)


async def test_a_state_that_does_not_come(own_adb_server: AdbServerProcess) -> None:
    with pytest.raises(TimeoutError, match=r"R58M is absent, not device, after 0\.05 s"):
        await own_adb_server.wait_for_state("R58M", "device", timeout=0.05)


async def test_a_service_that_does_not_exist(own_adb_server: AdbServerProcess) -> None:
    with pytest.raises(ConnectionError, match="refused host:nothing: unknown host service"):
        await own_adb_server.query("host:nothing")


async def test_there_is_no_adb(tmp_path: Path) -> None:
    with pytest.raises(AdbBinaryMissing):
        AdbServerProcess(str(tmp_path / "none"))


@pytest.mark.parametrize("script", ["echo broken >&2; exit 1", "exit 0"])
async def test_an_adb_that_does_not_start(tmp_path: Path, script: str) -> None:
    server = AdbServerProcess(program(tmp_path, script))
    with pytest.raises(OSError, match=r"did not start; its output:\n(broken|$)"):
        async with server:
            pass
    assert not server.home.exists()


async def test_an_adb_that_ignores_sigterm_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "START_S", 0.2)
    monkeypatch.setattr(module, "END_S", 0.1)
    monkeypatch.setattr(module, "ATTEMPTS", 1)
    with pytest.raises(OSError, match="did not start"):
        async with AdbServerProcess(program(tmp_path, "trap '' TERM; while true; do sleep 0.05; done")):
            pass


async def test_a_start_that_is_cancelled_leaves_nothing(tmp_path: Path) -> None:
    server = AdbServerProcess(program(tmp_path, "exec sleep 60"))
    starting = asyncio.ensure_future(server.__aenter__())
    while (pid := server.pid) is None:  # noqa: ASYNC110 - the start offers no event
        await asyncio.sleep(0.001)
    starting.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await starting
    assert not runs(pid)
    assert not server.home.exists()


async def test_a_run_of_adb_that_hangs(own_adb_server: AdbServerProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CLI_S", 0.1)
    async with EmulatedDevice() as device:
        await own_adb_server.connect(device)
        with pytest.raises(TimeoutError, match=r"adb shell sleep 100 did not end in 0\.1 s"):
            await own_adb_server.adb("shell", "sleep 100")
