"""The doctor looks at a real adb server and at emulated devices."""

from __future__ import annotations

import asyncio
import os
import socket
from pathlib import Path

import pytest

from stillframe.adb import doctor
from stillframe.adb.adb_server import AdbServer
from stillframe.adb.address import AdbAddress
from stillframe.adb.browsers import CHROME
from stillframe.adb.device_checks import Check
from stillframe.testing import AdbServerProcess
from stillframe_phone import EmulatedApp, EmulatedDevice


async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.close()


def found(checks: list[Check], name: str) -> list[str]:
    return [check.found for check in checks if check.name == name or check.name.endswith(f" {name}")]


def states(checks: list[Check]) -> set[str]:
    return {check.state for check in checks}


@pytest.fixture
def server(adb_server: AdbServerProcess) -> AdbServer:
    return AdbServer(AdbAddress("127.0.0.1", adb_server.port), start=False)


@pytest.fixture
def nowhere() -> AdbServer:
    """A server that does not run and may not be started."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return AdbServer(AdbAddress("127.0.0.1", probe.getsockname()[1]), start=False)


async def test_a_device_is_looked_into(server: AdbServer, device: EmulatedDevice) -> None:
    device.install(EmulatedApp(CHROME, version_name="124.0.6367.219", system=True))
    shop = device.install(EmulatedApp("com.example.shop"))
    shop.listen("webview_devtools_remote_{pid}", hang_up)
    shop.start()
    device.install(EmulatedApp("com.example.clock")).start()
    checks = await doctor.checks(server, device.serial)
    assert found(checks, "device") == [f"{device.serial}, Pixel_7"]
    assert found(checks, "Android") == ["14 (API 34), Stillframe Pixel 7"]
    assert found(checks, "shell") == ["v2"]
    assert found(checks, "screen") == ["on"]
    assert found(checks, "WebView") == ["113.0.5672.136 (com.google.android.webview)"]
    assert found(checks, "browsers") == ["Chrome 124.0.6367.219"]
    assert found(checks, "DevTools socket") == [
        f"webview_devtools_remote_{shop.pid} of com.example.shop, pid {shop.pid}"
    ]
    assert found(checks, "apps without DevTools") == ["com.example.clock"]
    assert found(checks, "adb server") == [f"version 41 at {server.address}"]
    assert "missing" not in states(checks)


async def test_several_devices_are_looked_into_unless_one_is_named(
    adb_server: AdbServerProcess, server: AdbServer, device: EmulatedDevice
) -> None:
    async with EmulatedDevice(sdk=23, model="Nexus 5") as old:
        await adb_server.connect(old)
        both = await doctor.checks(server)
        one = await doctor.checks(server, old.serial)
        await adb_server.disconnect(old)
    assert {check.name: check.found for check in both if check.name.endswith("shell")} == {
        f"{device.serial} shell": "v2",
        f"{old.serial} shell": "v1",
    }
    assert [check.found for check in one if check.name == "shell"] == ["v1"]
    assert len(found(one, "device")) == 2


async def test_a_device_that_allows_nothing_comes_with_what_to_do(
    server: AdbServer, adb_server: AdbServerProcess, device: EmulatedDevice
) -> None:
    await device.revoke_authorization()
    await adb_server.wait_for_state(device.serial, "unauthorized")
    checks = await doctor.checks(server)
    (locked,) = [check for check in checks if check.name == "device"]
    assert locked.state == "missing"
    assert "accept the dialog" in locked.advice
    assert not found(checks, "Android")


async def test_a_serial_that_is_not_there_is_missing(server: AdbServer, device: EmulatedDevice) -> None:
    checks = await doctor.checks(server, "emulator-9999")
    assert found(checks, "device")[-1] == "emulator-9999 is not there"
    assert "missing" in states(checks)


async def test_a_device_that_stops_answering_is_a_check_within_the_limit(
    server: AdbServer, device: EmulatedDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "DEVICE_S", 0.3)
    await device.go_silent()
    try:
        async with asyncio.timeout(10):
            checks = await doctor.checks(server, device.serial)
    finally:
        await device.go_online()
    assert found(checks, "checks") == ["not finished"]
    assert "0.3 s" in checks[-1].advice


async def test_a_cable_that_is_pulled_is_a_check(
    server: AdbServer, device: EmulatedDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    device.programs["dumpsys"] = lambda call: asyncio.ensure_future(device.disconnect()) and 0
    async with asyncio.timeout(10):
        checks = await doctor.checks(server, device.serial)
    assert found(checks, "Android")
    assert found(checks, "checks") == ["not finished"]


# -- unless asked --------------------------------------------------------------------------------


async def test_unless_asked_no_device_is_looked_into(server: AdbServer, device: EmulatedDevice) -> None:
    checks = await doctor.checks(server, asked=False)
    assert [check.name for check in checks] == ["adb", "adb server", "devices"]
    assert found(checks, "devices") == [f"{device.serial} device (Pixel_7)"]
    assert states(checks) == {"ok"}
    assert not device.commands


@pytest.mark.needs("adb")
async def test_unless_asked_a_server_that_does_not_run_is_fine(nowhere: AdbServer) -> None:
    checks = await doctor.checks(nowhere, asked=False)
    assert [(check.name, check.state) for check in checks] == [("adb", "ok"), ("adb server", "optional")]
    assert "--android" in checks[-1].advice


@pytest.mark.needs("adb")
async def test_a_server_that_does_not_run_is_missing_for_somebody_who_asks(nowhere: AdbServer) -> None:
    checks = await doctor.checks(nowhere)
    assert [(check.name, check.state) for check in checks] == [("adb", "ok"), ("adb server", "missing")]
    assert "start-server" in checks[-1].advice


@pytest.mark.parametrize(("asked", "state"), [(False, "weak"), (True, "missing")])
async def test_another_program_at_the_port_is_named(asked: bool, state: str) -> None:
    listener = await asyncio.start_server(hang_up, "127.0.0.1", 0)
    async with listener:
        server = AdbServer(AdbAddress("127.0.0.1", listener.sockets[0].getsockname()[1]), start=False)
        checks = await doctor.checks(server, asked=asked)
    assert (checks[-1].name, checks[-1].state) == ("adb server", state)


async def test_a_server_is_started_for_somebody_who_asks(
    own_adb_server: AdbServerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in own_adb_server.environment.items():
        monkeypatch.setenv(name, value)
    await own_adb_server.stop()
    server = AdbServer(AdbAddress("127.0.0.1", own_adb_server.port))
    try:
        checks = await doctor.checks(server)
        assert found(checks, "adb server") == [f"version {await server.version()} at {server.address}"]
        assert found(checks, "devices") == ["none"]
        assert checks[-1].state == "missing"
    finally:
        await own_adb_server.adb("kill-server")


@pytest.mark.parametrize("script", ["exit 1", "kill -9 $$", "printf '\\377\\n'", "exec sleep 60", None])
async def test_an_adb_that_does_not_work_is_named_without_a_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nowhere: AdbServer, script: str | None
) -> None:
    program = tmp_path / "adb"
    program.write_text(f"#!/bin/sh\n{script}\n" if script else "\0")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(doctor, "VERSION_S", 0.3)
    async with asyncio.timeout(10):
        checks = await doctor.checks(nowhere, asked=False)
    assert found(checks, "adb") == [f"unknown version ({program})"]
