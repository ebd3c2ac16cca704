"""Why a connection closed: each cause reproduced with the real adb server and an emulated device."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager

import pytest

from stillframe.adb.adb_device import AdbDevice
from stillframe.adb.adb_server import AdbServer
from stillframe.adb.address import AdbAddress
from stillframe.adb.device_list import DeviceEntry
from stillframe.adb.devtools.app_endpoint import BUDGET_S, diagnose
from stillframe.adb.devtools.discovery import find_sockets
from stillframe.adb.devtools.socket_listing import FoundSocket
from stillframe.cdp.loop_clock import loop_clock
from stillframe.errors import (
    AdbFailed,
    AdbServerDied,
    AdbServerUnavailable,
    AppKilled,
    ConnectionLost,
    SessionLost,
    TargetClosed,
    TransportLost,
)
from stillframe.testing import AdbServerProcess
from stillframe_phone import EmulatedApp, EmulatedDevice

PACKAGE = "com.example.app"
WEBVIEW = "webview_devtools_remote_{pid}"
PAGE = "1A2B"
REASON = "the browser dropped the socket"
GUARD_S = 20
SLACK_S = 1.0
"""What a busy machine may add to the budget."""


def adb_of(server: AdbServerProcess, device: EmulatedDevice) -> AdbDevice:
    return AdbDevice(AdbServer(AdbAddress("127.0.0.1", server.port), start=False), device.serial)


@pytest.fixture
def adb(adb_server: AdbServerProcess, device: EmulatedDevice) -> AdbDevice:
    return adb_of(adb_server, device)


class Pages:
    """Serves `/json/list` with these pages; hangs instead while there is None."""

    def __init__(self, *ids: str) -> None:
        self.ids: tuple[str, ...] | None = ids

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = await reader.readuntil(b"\r\n\r\n")
        if self.ids is None or b"/json/list" not in request:
            await reader.read()
            return
        body = json.dumps([{"id": each, "type": "page"} for each in self.ids]).encode()
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)


@pytest.fixture
def pages() -> Pages:
    return Pages(PAGE)


def install(device: EmulatedDevice, pages: Pages) -> EmulatedApp:
    app = device.install(EmulatedApp(PACKAGE))
    app.listen(WEBVIEW, pages.serve)
    app.start()
    return app


@pytest.fixture
def app(device: EmulatedDevice, pages: Pages) -> EmulatedApp:
    return install(device, pages)


async def only_socket(adb: AdbDevice) -> FoundSocket:
    (found,) = await find_sockets(adb)
    return found


async def diagnosed(adb: AdbDevice, found: FoundSocket, target_id: str | None = PAGE) -> SessionLost:
    """Diagnose, and check that it took no longer than it may."""
    clock = loop_clock()
    began = clock.now()
    async with asyncio.timeout(GUARD_S):
        error = await diagnose(adb, found, target_id, REASON)
    assert clock.now() - began < BUDGET_S + SLACK_S
    return error


@asynccontextmanager
async def attached(adb: AdbDevice, found: FoundSocket) -> AsyncIterator[asyncio.Task[bytes]]:
    """A stream to a socket, and a task that ends when the stream does."""
    stream = await adb.open_abstract(found.name)
    ended = asyncio.ensure_future(asyncio.get_running_loop().sock_recv(stream, 1))
    try:
        yield ended
    finally:
        ended.cancel()
        await asyncio.gather(ended, return_exceptions=True)
        stream.close()


async def end_of(ended: asyncio.Task[bytes]) -> None:
    async with asyncio.timeout(GUARD_S):
        await asyncio.wait({ended})


# -- the adb server ------------------------------------------------------------------------------


async def test_the_adb_server_ended(own_adb_server: AdbServerProcess, pages: Pages) -> None:
    async with EmulatedDevice() as device:
        install(device, pages)
        await own_adb_server.connect(device)
        adb = adb_of(own_adb_server, device)
        found = await only_socket(adb)
        async with attached(adb, found) as ended:
            await own_adb_server.stop()
            await end_of(ended)
            error = await diagnosed(adb, found)
    assert isinstance(error, AdbServerDied)
    assert error.address == own_adb_server.address


async def test_the_adb_server_stopped_answering(own_adb_server: AdbServerProcess, pages: Pages) -> None:
    async with EmulatedDevice() as device:
        install(device, pages)
        await own_adb_server.connect(device)
        adb = adb_of(own_adb_server, device)
        found = await only_socket(adb)
        assert own_adb_server.pid is not None
        os.kill(own_adb_server.pid, signal.SIGSTOP)
        try:
            error = await diagnosed(adb, found)
        finally:
            os.kill(own_adb_server.pid, signal.SIGCONT)
    assert type(error) is ConnectionLost
    assert "the adb server did not say in time" in str(error)


# -- the device ----------------------------------------------------------------------------------


async def test_the_cable_was_pulled(device: EmulatedDevice, app: EmulatedApp, adb: AdbDevice) -> None:
    found = await only_socket(adb)
    async with attached(adb, found) as ended:
        await device.disconnect()
        await end_of(ended)
        error = await diagnosed(adb, found)
    assert isinstance(error, TransportLost)
    assert (error.serial, error.state) == (device.serial, "offline")


async def test_the_device_is_listed_no_more(
    device: EmulatedDevice, app: EmulatedApp, adb: AdbDevice, adb_server: AdbServerProcess
) -> None:
    found = await only_socket(adb)
    await adb_server.disconnect(device)
    error = await diagnosed(adb, found)
    assert isinstance(error, TransportLost)
    assert error.state == ""
    assert "does not list it any more" in str(error)
    await adb_server.connect(device)  # which the fixture ends


async def test_debugging_was_forbidden(device: EmulatedDevice, app: EmulatedApp, adb: AdbDevice) -> None:
    found = await only_socket(adb)
    async with attached(adb, found) as ended:
        await device.revoke_authorization()
        await end_of(ended)
        error = await diagnosed(adb, found)
    assert isinstance(error, TransportLost)
    assert error.state in ("offline", "unauthorized", "authorizing", "connecting")


async def test_a_device_that_hangs_is_reported_to_give_no_answer(
    device: EmulatedDevice, app: EmulatedApp, adb: AdbDevice
) -> None:
    found = await only_socket(adb)
    await device.go_silent()
    error = await diagnosed(adb, found)
    await device.go_online()
    assert type(error) is ConnectionLost
    assert "the device is connected, and did not say in time" in str(error)


class LateNews(AdbServer):
    """A server that lists a device for a moment after its cable; commands fail already, or hang."""

    def __init__(self, serial: str, *states: str | BaseException) -> None:
        super().__init__(AdbAddress("127.0.0.1", 1), start=False)
        self.states = [*states]
        self.serial = serial
        self.asked = asyncio.Event()
        """Set when the device has been asked for something."""

    async def track_devices(self) -> AsyncGenerator[list[DeviceEntry], None]:
        for number, state in enumerate(self.states):
            if number:
                await self.asked.wait()
            if isinstance(state, BaseException):
                raise state
            yield [DeviceEntry(self.serial, state)] if state else []
        await asyncio.Event().wait()

    async def state(self, serial: str) -> str:
        return "device"


class Unplugged(AdbDevice):
    """A device without its cable: its commands hang, or fail as adb makes them fail."""

    def __init__(self, server: LateNews, *, hangs: bool) -> None:
        super().__init__(server, server.serial)
        self.news = server
        self.hangs = hangs

    async def shell(self, command: str, *, timeout: float = 0, check: bool = False):  # type: ignore[no-untyped-def]
        self.news.asked.set()
        if self.hangs:
            await asyncio.Event().wait()
        raise AdbFailed("the device refused the service", service="shell", reason="closed")


FOUND = FoundSocket("webview_devtools_remote_7", "webview", 7, PACKAGE, PACKAGE, 0)


@pytest.mark.parametrize("hangs", [True, False])
@pytest.mark.parametrize("state", ["offline", ""])
async def test_a_device_that_is_listed_for_a_moment_longer_is_lost_all_the_same(state: str, hangs: bool) -> None:
    error = await diagnosed(Unplugged(LateNews("R58M", "device", state), hangs=hangs), FOUND)
    assert isinstance(error, TransportLost)
    assert error.state == state


@pytest.mark.parametrize("turns", range(6))
async def test_what_the_server_announces_counts_more_than_what_the_device_says_of_itself(turns: int) -> None:
    class SlowState(LateNews):
        """Announces that the device is gone, and says some turns of the loop later that it is there."""

        async def state(self, serial: str) -> str:
            self.asked.set()
            for _ in range(turns):
                await asyncio.sleep(0)
            return "device"

    class Silent(Unplugged):
        async def shell(self, command: str, *, timeout: float = 0, check: bool = False):  # type: ignore[no-untyped-def]
            raise AdbFailed("the device refused the service", service="shell", reason="closed")

    error = await diagnosed(Silent(SlowState("R58M", "device", "offline"), hangs=False), FOUND)
    assert isinstance(error, TransportLost)
    assert error.state == "offline"


async def test_a_device_that_refuses_everything_is_lost_even_if_it_stays_listed() -> None:
    error = await diagnosed(Unplugged(LateNews("R58M", "device"), hangs=False), FOUND)
    assert isinstance(error, TransportLost)
    assert error.state == "device"
    assert "still says 'device'" in str(error)


async def test_the_server_may_end_while_it_is_asked() -> None:
    ended = AdbServerDied("it ended", address="127.0.0.1:1")
    error = await diagnosed(Unplugged(LateNews("R58M", "device", ended), hangs=True), FOUND)
    assert isinstance(error, AdbServerDied)


@pytest.mark.parametrize(
    ("failure", "expected"),
    [
        (AdbServerUnavailable("nobody listens", address="127.0.0.1:1"), AdbServerDied),
        (RuntimeError("a bug"), ConnectionLost),
        (OSError("no more files"), ConnectionLost),
    ],
)
async def test_it_never_raises(failure: BaseException, expected: type[SessionLost]) -> None:
    error = await diagnosed(Unplugged(LateNews("R58M", failure), hangs=True), FOUND)
    assert type(error) is expected


async def test_a_diagnosis_can_be_cancelled() -> None:
    device = Unplugged(LateNews("R58M", "device"), hangs=True)
    asking = asyncio.ensure_future(diagnose(device, FOUND, PAGE, REASON))
    await device.news.asked.wait()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking


# -- the app -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reason", "said"), [("low memory", "LOW_MEMORY"), ("user requested", "USER REQUESTED"), ("anr", "ANR")]
)
async def test_the_app_was_killed(app: EmulatedApp, adb: AdbDevice, reason: str, said: str) -> None:
    found = await only_socket(adb)
    async with attached(adb, found) as ended:
        app.kill(reason=reason)
        await end_of(ended)
        error = await diagnosed(adb, found)
    assert isinstance(error, AppKilled)
    assert (error.serial, error.package, error.pid, error.exit_reason) == (adb.serial, PACKAGE, found.pid, said)


async def test_the_app_was_started_again(app: EmulatedApp, adb: AdbDevice) -> None:
    found = await only_socket(adb)
    app.restart()
    error = await diagnosed(adb, found)
    assert isinstance(error, AppKilled)
    assert error.pid == found.pid != app.pid


async def test_only_one_process_of_the_app_was_killed(app: EmulatedApp, adb: AdbDevice, pages: Pages) -> None:
    app.listen("webview_devtools_remote_{pid}_web", pages.serve, process=":web")
    app.start(":web")
    main, web = await find_sockets(adb)
    app.kill(":web", reason="crash")
    error = await diagnosed(adb, web)
    assert isinstance(error, AppKilled)
    assert (error.pid, error.exit_reason) == (web.pid, "APP CRASH(EXCEPTION)")
    assert type(await diagnosed(adb, main)) is ConnectionLost


async def test_an_older_android_gives_no_reason(adb_server: AdbServerProcess, pages: Pages) -> None:
    async with EmulatedDevice(sdk=23) as device:
        await adb_server.connect(device)
        app, adb = install(device, pages), adb_of(adb_server, device)
        found = await only_socket(adb)
        app.kill()
        error = await diagnosed(adb, found)
        await adb_server.disconnect(device)
    assert isinstance(error, AppKilled)
    assert error.exit_reason == ""


async def test_a_reason_that_android_writes_late_is_found(
    device: EmulatedDevice, app: EmulatedApp, adb: AdbDevice
) -> None:
    found = await only_socket(adb)
    app.kill(reason="low memory")
    record = app.exits.pop()
    asking = asyncio.ensure_future(diagnosed(adb, found))
    async with asyncio.timeout(GUARD_S):
        while not any("exit-info" in each for each in device.commands):  # noqa: ASYNC110  the device has no event
            await asyncio.sleep(0.001)
    app.exits.append(record)
    error = await asking
    assert isinstance(error, AppKilled)
    assert error.exit_reason == "LOW_MEMORY"


async def test_a_reason_that_never_comes_is_not_waited_for(app: EmulatedApp, adb: AdbDevice) -> None:
    found = await only_socket(adb)
    app.kill()
    app.exits.clear()
    error = await diagnosed(adb, found)
    assert isinstance(error, AppKilled)
    assert error.exit_reason == ""


async def test_a_socket_of_an_unknown_process_that_vanished_means_the_end_of_the_app(
    device: EmulatedDevice, adb: AdbDevice, pages: Pages
) -> None:
    device.listen("chrome_devtools_remote", pages.serve)
    found = await only_socket(adb)
    assert found.pid is None
    device.unlisten("chrome_devtools_remote")
    assert isinstance(await diagnosed(adb, found), AppKilled)


async def test_a_pid_that_another_process_has_by_now_is_not_a_sign_of_life(app: EmulatedApp, adb: AdbDevice) -> None:
    found = FoundSocket("webview_devtools_remote_99", "webview", app.pid, "com.example.old", "com.example.old", 0)
    assert isinstance(await diagnosed(adb, found), AppKilled)


async def test_debugging_was_switched_off_in_the_app(device: EmulatedDevice, app: EmulatedApp, adb: AdbDevice) -> None:
    found = await only_socket(adb)
    device.unlisten(found.name)
    error = await diagnosed(adb, found)
    assert type(error) is ConnectionLost
    assert "has switched its DevTools socket off" in str(error)


async def test_a_frozen_app_is_not_connected_to(device: EmulatedDevice, app: EmulatedApp, adb: AdbDevice) -> None:
    found = await only_socket(adb)
    app.freeze()
    error = await diagnosed(adb, found)
    assert type(error) is ConnectionLost
    assert "frozen" in str(error)
    assert app.sockets[0].waiting == 0


# -- the page ------------------------------------------------------------------------------------


async def test_the_page_was_closed(app: EmulatedApp, adb: AdbDevice, pages: Pages) -> None:
    pages.ids = ("another",)
    error = await diagnosed(adb, await only_socket(adb))
    assert isinstance(error, TargetClosed)
    assert PAGE in str(error)


@pytest.mark.parametrize("target_id", [PAGE, None])
async def test_everything_is_there(app: EmulatedApp, adb: AdbDevice, target_id: str | None) -> None:
    error = await diagnosed(adb, await only_socket(adb), target_id)
    assert type(error) is ConnectionLost
    assert f"({REASON})" in str(error)
    assert "only for a moment" in str(error)


async def test_an_app_that_does_not_answer_costs_no_more_than_the_budget(
    app: EmulatedApp, adb: AdbDevice, pages: Pages
) -> None:
    pages.ids = None
    error = await diagnosed(adb, await only_socket(adb))
    assert type(error) is ConnectionLost
    assert "did not say in time whether the page is still there" in str(error)
    async with asyncio.timeout(GUARD_S):
        while app.sockets[0].connections:  # noqa: ASYNC110  the device has no event
            await asyncio.sleep(0.001)


async def test_an_app_that_ends_while_it_is_asked_for_its_pages(app: EmulatedApp, adb: AdbDevice, pages: Pages) -> None:
    pages.ids = None
    asking = asyncio.ensure_future(diagnosed(adb, await only_socket(adb)))
    async with asyncio.timeout(GUARD_S):
        while not app.sockets[0].connections:  # noqa: ASYNC110  the device has no event
            await asyncio.sleep(0.001)
    app.kill(reason="crash")
    error = await asking
    assert isinstance(error, AppKilled)
    assert error.exit_reason == "APP CRASH(EXCEPTION)"


@pytest.mark.serial
async def test_a_cause_is_named_in_some_milliseconds(app: EmulatedApp, adb: AdbDevice) -> None:
    found = await only_socket(adb)
    times = []
    for _ in range(5):
        began = time.monotonic()
        await diagnose(adb, found, PAGE, REASON)
        times.append(time.monotonic() - began)
    assert min(times) < 0.1
