"""DevTools sockets of an emulated device, through the real adb server: once, repeatedly, and why there are none."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager

import pytest

from stillframe.adb.adb_device import AdbDevice
from stillframe.adb.adb_server import AdbServer
from stillframe.adb.address import AdbAddress
from stillframe.adb.devtools.discovery import SocketsSeen, find_sockets, list_sockets, missing_reason, watch_sockets
from stillframe.adb.devtools.socket_listing import LISTING_COMMAND, FoundSocket
from stillframe.errors import (
    AdbServerUnavailable,
    AppFrozen,
    AppNotRunning,
    CommandTimeout,
    DeviceOffline,
    NoDebuggableWebView,
    TransportLost,
    WebViewHasNoPages,
)
from stillframe.testing import AdbServerProcess
from stillframe_phone import EmulatedApp, EmulatedDevice

GUARD_S = 20
OFTEN_S = 0.01
PORT_OF_NOBODY = 1
PACKAGE = "com.example.app"
WEBVIEW = "webview_devtools_remote_{pid}"


def adb_of(server: AdbServerProcess, device: EmulatedDevice) -> AdbDevice:
    return AdbDevice(AdbServer(AdbAddress("127.0.0.1", server.port), start=False), device.serial)


@pytest.fixture
def adb(adb_server: AdbServerProcess, device: EmulatedDevice) -> AdbDevice:
    return adb_of(adb_server, device)


def install(device: EmulatedDevice, package: str = PACKAGE, *names: str, **options: bool) -> EmulatedApp:
    app = device.install(EmulatedApp(package, **options))  # type: ignore[arg-type]
    for name in names:
        app.listen(name, PORT_OF_NOBODY)
    app.start()
    return app


# -- once ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("sdk", [21, 23, 25, 26, 29, 34, 35])
async def test_sockets_are_found_on_every_version(adb_server: AdbServerProcess, sdk: int) -> None:
    async with EmulatedDevice(sdk=sdk) as device:
        await adb_server.connect(device)
        app = install(device, PACKAGE, WEBVIEW)
        app.listen("webview_devtools_remote_m6x_{pid}", PORT_OF_NOBODY, process=":web")
        web = app.start(":web")
        chrome = install(device, "com.android.chrome", "chrome_devtools_remote")
        embedded = install(device, "com.example.browser", "com.example.browser_devtools_remote")
        app.freeze(":web")
        found = await find_sockets(adb_of(adb_server, device))
        await adb_server.disconnect(device)
    assert found == [
        FoundSocket(f"webview_devtools_remote_{app.pid}", "webview", app.pid, PACKAGE, PACKAGE, 700),
        FoundSocket(f"webview_devtools_remote_m6x_{web.pid}", "webview", web.pid, PACKAGE, f"{PACKAGE}:web", 905),
        FoundSocket("chrome_devtools_remote", "chrome", chrome.pid, "com.android.chrome", "com.android.chrome", 700),
        FoundSocket(
            "com.example.browser_devtools_remote",
            "embedded",
            embedded.pid,
            "com.example.browser",
            "com.example.browser",
            0,
        ),
    ]


async def test_one_command_is_enough_and_nothing_is_connected_to(device: EmulatedDevice, adb: AdbDevice) -> None:
    app = install(device, PACKAGE, WEBVIEW)
    app.freeze()
    await find_sockets(adb)
    assert device.commands == [LISTING_COMMAND]
    assert not [name for name in device.services if name.startswith("localabstract:")]
    assert app.sockets[0].waiting == 0


async def test_a_device_without_sockets_has_none(device: EmulatedDevice, adb: AdbDevice) -> None:
    listing = await list_sockets(adb)
    assert listing.sockets == []
    assert listing.processes[904] == "com.android.systemui"


async def test_a_socket_whose_process_is_unknown_is_found(device: EmulatedDevice, adb: AdbDevice) -> None:
    device.listen("playwright_0f3a_devtools_remote", PORT_OF_NOBODY)
    device.listen("webview_devtools_remote_4000000", PORT_OF_NOBODY)
    assert await find_sockets(adb) == [
        FoundSocket("playwright_0f3a_devtools_remote", "other"),
        FoundSocket("webview_devtools_remote_4000000", "webview", 4000000),
    ]


async def test_a_restarted_app_has_another_socket(device: EmulatedDevice, adb: AdbDevice) -> None:
    app = install(device, PACKAGE, WEBVIEW)
    (before,) = await find_sockets(adb)
    app.restart()
    (after,) = await find_sockets(adb)
    assert before.name != after.name
    assert (after.pid, after.package) == (app.pid, PACKAGE)


# -- repeatedly ----------------------------------------------------------------------------------


@asynccontextmanager
async def watched(adb: AdbDevice) -> AsyncIterator[AsyncIterator[SocketsSeen]]:
    async with asyncio.timeout(GUARD_S), aclosing(watch_sockets(adb, OFTEN_S)) as seen:
        yield seen


async def test_a_watcher_reports_changes_only(device: EmulatedDevice, adb: AdbDevice) -> None:
    async with watched(adb) as seen:
        assert await anext(seen) == SocketsSeen()
        app = install(device, PACKAGE, WEBVIEW)
        (first,) = (await anext(seen)).sockets
        assert (first.pid, first.frozen) == (app.pid, False)
        install(device, "com.example.other")  # takes the front, which alone does not change the sockets
        app.freeze()
        (frozen,) = (await anext(seen)).sockets
        assert (frozen.pid, frozen.frozen) == (app.pid, True)
        app.restart()
        (restarted,) = (await anext(seen)).sockets
        assert (restarted.pid, restarted.frozen) == (app.pid, False)
        app.kill()
        assert await anext(seen) == SocketsSeen()


async def test_a_device_that_goes_away_is_reported_once_and_again_when_it_is_back(
    device: EmulatedDevice, adb_server: AdbServerProcess, adb: AdbDevice
) -> None:
    install(device, PACKAGE, WEBVIEW)
    async with watched(adb) as seen:
        before = await anext(seen)
        await device.disconnect()
        while isinstance((gone := await anext(seen)).error, TransportLost):
            pass
        assert isinstance(gone.error, DeviceOffline)
        assert gone.sockets == ()
        coming = asyncio.ensure_future(anext(seen))
        await device.reconnect()
        assert (await coming).sockets == before.sockets


async def test_the_end_of_the_adb_server_is_reported_and_its_return_too(own_adb_server: AdbServerProcess) -> None:
    async with EmulatedDevice() as device:
        await own_adb_server.connect(device)
        async with watched(adb_of(own_adb_server, device)) as seen:
            assert await anext(seen) == SocketsSeen()
            await own_adb_server.stop()
            assert isinstance((await anext(seen)).error, AdbServerUnavailable)
            await own_adb_server.start()
            await own_adb_server.connect(device)
            while (await anext(seen)).error is not None:
                pass


@pytest.mark.parametrize("asleep", [True, False])
async def test_a_watcher_that_is_cancelled_ends_at_once(device: EmulatedDevice, adb: AdbDevice, asleep: bool) -> None:
    seen = watch_sockets(adb, GUARD_S)
    if asleep:
        await anext(seen)
    waiting = asyncio.ensure_future(anext(seen))
    await asyncio.sleep(0)
    waiting.cancel()
    async with asyncio.timeout(1):
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await seen.aclose()


# -- why there are none --------------------------------------------------------------------------


async def test_an_app_that_is_not_installed(adb: AdbDevice) -> None:
    error = await missing_reason(adb, PACKAGE)
    assert isinstance(error, AppNotRunning)
    assert "is not installed" in str(error)


async def test_an_app_that_does_not_run(device: EmulatedDevice, adb: AdbDevice) -> None:
    install(device, PACKAGE).kill()
    error = await missing_reason(adb, PACKAGE)
    assert isinstance(error, AppNotRunning)
    assert (error.package, error.serial) == (PACKAGE, device.serial)
    assert "no process of com.example.app runs" in str(error)


@pytest.mark.parametrize("debuggable", [True, False])
async def test_an_app_without_a_socket(device: EmulatedDevice, adb: AdbDevice, debuggable: bool) -> None:
    app = install(device, PACKAGE, debuggable=debuggable)
    other = install(device, "com.example.other", WEBVIEW)
    error = await missing_reason(adb, PACKAGE)
    assert isinstance(error, NoDebuggableWebView)
    assert (error.package, error.pid, error.sdk, error.debuggable) == (PACKAGE, app.pid, device.sdk, debuggable)
    assert error.seen_sockets == (f"webview_devtools_remote_{other.pid}",)


async def test_a_frozen_app(device: EmulatedDevice, adb: AdbDevice) -> None:
    app = install(device, PACKAGE, WEBVIEW)
    app.freeze()
    error = await missing_reason(adb, PACKAGE)
    assert isinstance(error, AppFrozen)
    assert (error.pid, error.oom_score_adj) == (app.pid, 905)


async def test_an_app_without_a_fitting_page(device: EmulatedDevice, adb: AdbDevice) -> None:
    install(device, PACKAGE, WEBVIEW)
    error = await missing_reason(adb, PACKAGE, pages=["https://a.test/"])
    assert isinstance(error, WebViewHasNoPages)
    assert error.pages == ("https://a.test/",)


async def test_a_name_cannot_make_the_shell_do_anything(device: EmulatedDevice, adb: AdbDevice) -> None:
    error = await missing_reason(adb, "$(touch /data/local/tmp/pwned); touch /data/local/tmp/pwned")
    assert isinstance(error, AppNotRunning)
    assert (await adb.shell("ls /data/local/tmp")).text == ""


class SlowDumpsys(AdbDevice):
    """A device that lists sockets, and then answers no more."""

    async def shell(self, command: str, *, timeout: float = 0, check: bool = False):  # type: ignore[no-untyped-def]
        if re.match("dumpsys|getprop", command):
            raise CommandTimeout("it takes too long", timeout_ms=timeout * 1000)
        return await super().shell(command, timeout=timeout, check=check)


async def test_what_the_device_does_not_tell_in_time_is_unknown(device: EmulatedDevice, adb: AdbDevice) -> None:
    app = install(device, PACKAGE)
    error = await missing_reason(SlowDumpsys(adb.server, adb.serial), PACKAGE)
    assert isinstance(error, NoDebuggableWebView)
    assert (error.pid, error.sdk, error.debuggable) == (app.pid, None, None)


async def test_a_device_that_is_gone_is_not_a_missing_app(device: EmulatedDevice, adb: AdbDevice) -> None:
    await device.disconnect()
    with pytest.raises((DeviceOffline, TransportLost)):
        await missing_reason(adb, PACKAGE)
