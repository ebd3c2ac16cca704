"""Whether an app is frozen is looked up when it matters, with the real adb server."""

from __future__ import annotations

import msgspec
import pytest

from stillframe.adb.adb_device import AdbDevice
from stillframe.adb.adb_server import AdbServer
from stillframe.adb.address import AdbAddress
from stillframe.adb.devtools.devtools_http import require_awake, with_current_adj
from stillframe.adb.devtools.socket_listing import FoundSocket
from stillframe.errors import AppFrozen, CommandTimeout
from stillframe.testing import AdbServerProcess
from stillframe_phone import EmulatedApp, EmulatedDevice


@pytest.fixture
def adb(adb_server: AdbServerProcess, device: EmulatedDevice) -> AdbDevice:
    return AdbDevice(AdbServer(AdbAddress("127.0.0.1", adb_server.port), start=False), device.serial)


@pytest.fixture
def app(device: EmulatedDevice) -> EmulatedApp:
    app = device.install(EmulatedApp("com.example.app"))
    app.start()
    return app


def found(app: EmulatedApp, adj: int | None = 0) -> FoundSocket:
    return FoundSocket(f"webview_devtools_remote_{app.pid}", "webview", app.pid, app.package, app.package, adj)


async def test_the_number_is_read_again(app: EmulatedApp, adb: AdbDevice) -> None:
    assert await require_awake(adb, found(app, 950)) == found(app, 0)
    app.freeze()
    with pytest.raises(AppFrozen, match="oom_score_adj 905"):
        await require_awake(adb, found(app, 0))


async def test_an_app_in_the_background_is_not_frozen_yet(
    device: EmulatedDevice, app: EmulatedApp, adb: AdbDevice
) -> None:
    device.install(EmulatedApp("com.example.other")).start()
    assert (await require_awake(adb, found(app))).oom_score_adj == 700


async def test_the_resumed_activity_counts_more_than_the_number(app: EmulatedApp, adb: AdbDevice) -> None:
    app.processes[0].oom_score_adj = 950
    assert (await require_awake(adb, found(app))).oom_score_adj == 950


async def test_a_process_that_has_ended_has_no_number(app: EmulatedApp, adb: AdbDevice) -> None:
    gone = found(app, 905)
    app.kill()
    assert (await require_awake(adb, gone)).oom_score_adj is None


async def test_nothing_is_asked_about_an_unknown_process(
    device: EmulatedDevice, app: EmulatedApp, adb: AdbDevice
) -> None:
    unknown = msgspec.structs.replace(found(app), pid=None)
    assert await require_awake(adb, unknown) is unknown
    assert not device.commands


class SlowShell(AdbDevice):
    """A device whose commands take too long."""

    async def shell(self, command: str, *, timeout: float = 0, check: bool = False):  # type: ignore[no-untyped-def]
        raise CommandTimeout("it takes too long", timeout_ms=timeout * 1000)


async def test_a_device_that_is_too_slow_leaves_the_number_as_it_was(app: EmulatedApp, adb: AdbDevice) -> None:
    slow = SlowShell(adb.server, adb.serial)
    assert (await with_current_adj(slow, found(app, 5))).oom_score_adj == 5
    with pytest.raises(AppFrozen):
        await require_awake(slow, found(app, 905))
