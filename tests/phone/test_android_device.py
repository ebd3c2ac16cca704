"""The emulated device as a real adb server sees it: apps that come and go, and states."""

from __future__ import annotations

import asyncio
import contextlib

import pytest

from adb_streams import back, hello, opened, shell, silent, socket
from stillframe.testing import AdbServerProcess
from stillframe_phone import EmulatedApp, EmulatedDevice, Link

PACKAGE = "com.example.shop"
NAME = "webview_devtools_remote_{pid}"


@pytest.fixture
def app(device: EmulatedDevice) -> EmulatedApp:
    app = device.install(EmulatedApp(PACKAGE))
    app.listen(NAME, hello)
    return app


# -- the life of an app


async def test_an_app_dies_and_comes_back_under_another_pid(
    device: EmulatedDevice, adb_server: AdbServerProcess, app: EmulatedApp
) -> None:
    first = app.start()
    name = NAME.format(pid=first.pid)
    async with socket(adb_server, device, name) as (reader, _):
        second = app.restart()
        assert await reader.read() == b""
    with pytest.raises(ConnectionError, match=r"^closed$"):
        async with socket(adb_server, device, name):
            pass
    assert first.pid != second.pid == app.pid
    assert [each.name for each in app.sockets] == [NAME.format(pid=second.pid)]
    status, listed, _ = await shell(
        adb_server, device, f"ls /proc/{first.pid} 2>/dev/null; cat /proc/{second.pid}/cmdline"
    )
    assert (status, listed) == (0, f"{PACKAGE}\0".encode())


async def test_several_processes_of_one_package(
    device: EmulatedDevice, adb_server: AdbServerProcess, app: EmulatedApp
) -> None:
    app.listen(NAME, hello, process=":web")
    app.listen("other_{pid}", hello, process=":web")
    main, web = app.start(), app.start(":web")
    assert app.start(":web") is web
    assert [each.name for each in app.processes] == [PACKAGE, f"{PACKAGE}:web"]
    app.kill(":web")
    assert [each.pid for each in app.processes] == [main.pid]


async def test_an_app_that_is_on_no_device_says_so() -> None:
    with pytest.raises(RuntimeError, match=r"com\.x is on no device yet: call device\.install"):
        EmulatedApp("com.x").start()
    assert not EmulatedApp("com.x").running


async def test_an_app_that_is_installed_again_is_a_new_one(device: EmulatedDevice, app: EmulatedApp) -> None:
    app.start()
    again = device.install(EmulatedApp(PACKAGE))
    assert not again.running
    assert again.uid == app.uid
    assert device.processes.sockets == {}


# -- states


async def test_authorisation(own_adb_server: AdbServerProcess) -> None:
    async with EmulatedDevice(link=Link.UNAUTHORIZED) as device:
        await own_adb_server.connect(device, state="unauthorized")
        refused = await shell(own_adb_server, device, "echo x")
        assert refused.returncode == 1
        assert b"device unauthorized" in refused.stderr
        await device.authorize()
        await own_adb_server.wait_for_state(device.serial, "device")
        assert (await shell(own_adb_server, device, "echo x")).stdout == b"x\n"
        await device.revoke_authorization()
        await own_adb_server.wait_for_state(device.serial, "unauthorized")


async def test_offline(device: EmulatedDevice, adb_server: AdbServerProcess) -> None:
    await device.go_offline()
    await adb_server.wait_for_state(device.serial, "offline")
    refused = await shell(adb_server, device, "echo x")
    assert refused.returncode == 1
    assert b"device offline" in refused.stderr
    await device.go_online()
    await back(adb_server, device)


async def test_a_pulled_cable(device: EmulatedDevice, adb_server: AdbServerProcess, app: EmulatedApp) -> None:
    name = NAME.format(pid=app.start().pid)
    async with socket(adb_server, device, name) as (reader, _):
        await device.disconnect()
        assert await reader.read() == b""
    await adb_server.wait_for_state(device.serial, "offline")
    assert app.running
    await device.reconnect()
    await back(adb_server, device)
    async with socket(adb_server, device, name) as (reader, writer):
        writer.write(b"you\n")
        assert await reader.readline() == b"hello you\n"


async def test_a_loose_cable(device: EmulatedDevice, adb_server: AdbServerProcess) -> None:
    await device.drop_connections()
    await back(adb_server, device)
    assert (await shell(adb_server, device, "echo x")).stdout == b"x\n"


async def test_a_silent_device_stays_listed_and_answers_nothing(
    device: EmulatedDevice, adb_server: AdbServerProcess
) -> None:
    device.listen("name", hello)
    async with socket(adb_server, device, "name") as (reader, writer):
        await device.go_silent()
        writer.write(b"you\n")
        later = asyncio.ensure_future(shell(adb_server, device, "echo x"))
        assert await silent(reader)
        assert not later.done()
        assert (await adb_server.devices())[device.serial] == "device"
        await device.go_online()
        assert await reader.readline() == b"hello you\n"
        assert (await later).stdout == b"x\n"


async def test_a_device_that_plugs_in_like_one_on_usb_leaves_the_list(adb_server: AdbServerProcess) -> None:
    async with EmulatedDevice() as device:
        serial = await adb_server.plug_in(device)
        assert (await adb_server.adb("-s", serial, "shell", "getprop ro.product.model")).stdout == b"Pixel 7\n"
        await device.disconnect()
        await adb_server.wait_for_state(serial, None)


async def test_several_devices_at_once(adb_server: AdbServerProcess) -> None:
    async with contextlib.AsyncExitStack() as stack:
        devices = [await stack.enter_async_context(EmulatedDevice(model=f"Phone {n}")) for n in range(4)]
        await asyncio.gather(*(adb_server.connect(device) for device in devices))
        done = await asyncio.gather(*(shell(adb_server, device, "getprop ro.product.model") for device in devices))
        assert [each[1] for each in done] == [b"Phone %d\n" % n for n in range(4)]
        for device in devices:
            await adb_server.disconnect(device)


async def test_nothing_is_left_when_it_ends_in_the_middle_of_everything(adb_server: AdbServerProcess) -> None:
    """The check for leaks after each test looks for tasks and descriptors."""
    async with EmulatedDevice() as device:
        await adb_server.connect(device)
        app = device.install(EmulatedApp(PACKAGE))
        app.listen(NAME, hello)
        name = NAME.format(pid=app.start().pid)
        async with (
            socket(adb_server, device, name) as (reader, writer),
            opened(adb_server, device.serial, "shell:sleep 1000") as (_, _),
            opened(adb_server, device.serial, "sync:") as (_, _),
        ):
            writer.write(b"you\n")
            await reader.readline()
            app.freeze()
            async with socket(adb_server, device, name):
                await device.adbd.aclose()
        await adb_server.disconnect(device)
