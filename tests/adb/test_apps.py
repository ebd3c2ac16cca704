"""Apps on an emulated device are started, stopped and told apart, through the real adb server."""

from __future__ import annotations

import pytest

from stillframe.adb.adb_device import AdbDevice
from stillframe.adb.adb_server import AdbServer
from stillframe.adb.address import AdbAddress
from stillframe.adb.apps import foreground_package, installed, is_installed, start_app, stop_app
from stillframe.errors import AppNotRunning, OptionInvalid, ShellFailed
from stillframe.testing import AdbServerProcess
from stillframe_phone import EmulatedApp, EmulatedDevice
from stillframe_phone.emulated.shell_io import Call

SHOP = "com.example.shop"


@pytest.fixture
def adb(adb_server: AdbServerProcess, device: EmulatedDevice) -> AdbDevice:
    return AdbDevice(AdbServer(AdbAddress("127.0.0.1", adb_server.port), start=False), device.serial)


@pytest.fixture
def shop(device: EmulatedDevice) -> EmulatedApp:
    return device.install(EmulatedApp(SHOP, activity=".ShopActivity"))


async def test_an_app_starts_as_a_launcher_starts_it(adb: AdbDevice, shop: EmulatedApp) -> None:
    await start_app(adb, SHOP)
    assert shop.running
    assert shop.intents == [["-n", f"{SHOP}/.ShopActivity"]]


async def test_an_old_device_that_resolves_nothing_starts_it_too(
    adb: AdbDevice, device: EmulatedDevice, shop: EmulatedApp
) -> None:
    device.programs["cmd"] = lambda call: call.fail("not found", 127)
    await start_app(adb, SHOP)
    assert shop.running


async def test_an_activity_can_be_named(adb: AdbDevice, shop: EmulatedApp) -> None:
    await start_app(adb, SHOP, ".ShopActivity")
    assert shop.running


async def test_an_app_that_is_not_installed(adb: AdbDevice) -> None:
    for activity in (None, ".Main"):
        with pytest.raises(AppNotRunning, match="not installed") as caught:
            await start_app(adb, SHOP, activity)
        assert (caught.value.package, caught.value.serial) == (SHOP, adb.serial)


async def test_an_activity_that_does_not_exist(adb: AdbDevice, shop: EmulatedApp) -> None:
    with pytest.raises(ShellFailed, match="did not start") as caught:
        await start_app(adb, SHOP, ".Other")
    assert "does not exist" in caught.value.stdout
    assert not shop.running


async def test_a_refusal_without_an_exit_status_is_noticed(
    adb: AdbDevice, device: EmulatedDevice, shop: EmulatedApp
) -> None:
    def am(call: Call) -> int:
        call.err("java.lang.SecurityException: Permission Denial: starting Intent")
        return 0

    device.programs["am"] = am
    with pytest.raises(ShellFailed, match="Permission Denial"):
        await start_app(adb, SHOP, ".ShopActivity")


async def test_an_app_is_stopped(adb: AdbDevice, shop: EmulatedApp) -> None:
    shop.start()
    shop.start(":web")
    await stop_app(adb, SHOP)
    assert not shop.running
    await stop_app(adb, SHOP)
    await stop_app(adb, "com.example.nobody")


async def test_a_wrong_package_reaches_no_shell(adb: AdbDevice, device: EmulatedDevice) -> None:
    for call in (start_app, stop_app, is_installed):
        with pytest.raises(OptionInvalid):
            await call(adb, "x; reboot")
    assert not device.commands


async def test_what_is_installed(adb: AdbDevice, device: EmulatedDevice, shop: EmulatedApp) -> None:
    device.install(EmulatedApp("com.android.settings", system=True))
    assert await is_installed(adb, SHOP)
    assert not await is_installed(adb, "com.example.nobody")
    assert {SHOP, "com.android.settings"} <= await installed(adb)
    assert "com.android.settings" not in await installed(adb, others_only=True)


async def test_the_app_in_front(adb: AdbDevice, device: EmulatedDevice, shop: EmulatedApp) -> None:
    other = device.install(EmulatedApp("com.example.other"))
    shop.start()
    assert await foreground_package(adb) == SHOP
    other.start()
    assert await foreground_package(adb) == "com.example.other"


async def test_a_device_without_activities_in_front_is_asked_for_its_windows(
    adb: AdbDevice, device: EmulatedDevice
) -> None:
    def dumpsys(call: Call) -> int:
        call.out("" if call.arguments[0] == "activity" else "mCurrentFocus=Window{1 u0 a.b/a.b.C}\n")
        return 0

    device.programs["dumpsys"] = dumpsys
    assert await foreground_package(adb) == "a.b"
    device.programs["dumpsys"] = lambda call: 0
    assert await foreground_package(adb) is None
