"""Chrome starts on an emulated device with a socket of its own, and the device is left as it was."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable

import pytest

from stillframe.adb.adb_device import AdbDevice
from stillframe.adb.adb_server import AdbServer
from stillframe.adb.address import AdbAddress
from stillframe.adb.browsers import CHROME, browser_of
from stillframe.adb.chrome_launch import launched_chrome
from stillframe.adb.devtools.unix_sockets import parse_unix_sockets
from stillframe.errors import BrowserNotFound, LaunchFailed, OptionInvalid, StillframeError
from stillframe.testing import AdbServerProcess
from stillframe_phone import EmulatedApp, EmulatedDevice
from stillframe_phone.emulated.device_state import DebugApp
from stillframe_phone.emulated.processes import EmulatedProcess
from stillframe_phone.emulated.shell_io import Call

FILE = "/data/local/tmp/chrome-command-line"
BETA = "com.chrome.beta"


async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.close()


class EmulatedChrome(EmulatedApp):
    """A browser that reads its command-line file when it starts, as Chrome does on release builds of Android."""

    def __init__(self, device: EmulatedDevice, package: str = CHROME) -> None:
        super().__init__(package, activity=browser_of(package).activity or "")
        self.device = device
        self.obeys = True
        """Whether it reads its file if it is the debug app."""
        self.opens = True
        """Whether it opens a socket at all."""
        self.switches: list[str] = []
        self.on_start: Callable[[], object] = lambda: None
        device.install(self)

    def start(self, process: str = "") -> EmulatedProcess:
        if not self.running:
            self.switches = self._read()
            found = [each.partition("=")[2] for each in self.switches if each.startswith("--remote-debugging-socket")]
            self._listeners.clear()
            if self.opens:
                self.listen(found[0] if found else "chrome_devtools_remote", hang_up)
            self.on_start()
        return super().start(process)

    def _read(self) -> list[str]:
        debug_app = self.device.debug_app
        if (
            not self.obeys
            or debug_app is None
            or debug_app.package != self.package
            or not self.device.files.exists(FILE)
        ):
            return []
        return self.device.files.read(FILE).decode().split()[1:]


@pytest.fixture
def adb(adb_server: AdbServerProcess, device: EmulatedDevice) -> AdbDevice:
    return AdbDevice(AdbServer(AdbAddress("127.0.0.1", adb_server.port), start=False), device.serial)


@pytest.fixture
def chrome(device: EmulatedDevice) -> EmulatedChrome:
    return EmulatedChrome(device)


def files(device: EmulatedDevice) -> dict[str, bytes]:
    """Return the files whose names a launch uses."""
    names = (FILE, f"{FILE}.before_stillframe")
    return {name: device.files.read(name) for name in names if device.files.exists(name)}


async def sockets(adb: AdbDevice) -> list[str]:
    return [each.name for each in parse_unix_sockets(await adb.exec_out("cat /proc/net/unix"))]


# -- a launch that works -------------------------------------------------------------------------


async def test_chrome_starts_with_a_socket_of_its_own(adb: AdbDevice, chrome: EmulatedChrome) -> None:
    async with launched_chrome(adb, args=["--lang=de", "--a=b"], url="http://h/?a=1&b=2") as name:
        assert name.startswith("stillframe_")
        assert await sockets(adb) == [name]
        assert chrome.switches == [
            f"--remote-debugging-socket-name={name}",
            "--disable-fre",
            "--no-default-browser-check",
            "--no-first-run",
            "--lang=de",
            "--a=b",
        ]
        (intent,) = chrome.intents
        assert intent[:4] == ["-a", "android.intent.action.VIEW", "-d", "http://h/?a=1&b=2"]
    assert not chrome.running
    assert await sockets(adb) == []


async def test_once_it_runs_the_device_is_as_before(
    adb: AdbDevice, device: EmulatedDevice, chrome: EmulatedChrome
) -> None:
    async with launched_chrome(adb):
        assert files(device) == {}
        assert device.debug_app is None
        chrome.restart()
        assert chrome.switches == []


async def test_a_chrome_that_runs_is_ended_first(adb: AdbDevice, chrome: EmulatedChrome) -> None:
    before = chrome.start().pid
    async with launched_chrome(adb) as name:
        assert chrome.pid != before
        assert await sockets(adb) == [name]


async def test_another_browser_starts_from_its_own_activity(adb: AdbDevice, device: EmulatedDevice) -> None:
    beta = EmulatedChrome(device, BETA)
    async with launched_chrome(adb, BETA):
        assert beta.intents[0][-2:] == ["-n", f"{BETA}/com.google.android.apps.chrome.Main"]


async def test_a_browser_that_nobody_knows_starts_by_its_package(adb: AdbDevice, device: EmulatedDevice) -> None:
    unknown = EmulatedChrome(device, "com.example.browser")
    async with launched_chrome(adb, "com.example.browser"):
        assert unknown.intents[0][-2:] == ["-p", "com.example.browser"]


async def test_two_launches_on_a_device_take_turns(
    adb: AdbDevice, device: EmulatedDevice, chrome: EmulatedChrome
) -> None:
    beta = EmulatedChrome(device, BETA)
    async with contextlib.AsyncExitStack() as stack:
        launches = [launched_chrome(adb, args=["--of=1"]), launched_chrome(adb, BETA, args=["--of=2"])]
        names = await asyncio.gather(*map(stack.enter_async_context, launches))
        assert len(set(names)) == 2
        assert (chrome.switches[-1], beta.switches[-1]) == ("--of=1", "--of=2")
    assert files(device) == {}
    assert device.debug_app is None


# -- what was there before -----------------------------------------------------------------------


async def test_a_file_of_somebody_else_is_put_back(
    adb: AdbDevice, device: EmulatedDevice, chrome: EmulatedChrome
) -> None:
    device.files.put(FILE, b"_ --user-switch\n", 0o755)
    async with launched_chrome(adb):
        assert "--user-switch" not in chrome.switches
        assert files(device) == {FILE: b"_ --user-switch\n"}
    assert files(device) == {FILE: b"_ --user-switch\n"}


async def test_a_debug_app_of_somebody_else_is_put_back(
    adb: AdbDevice, device: EmulatedDevice, chrome: EmulatedChrome
) -> None:
    device.settings["global", "debug_app"] = "com.example.shop"
    async with launched_chrome(adb):
        assert device.debug_app == DebugApp("com.example.shop", persistent=True)


async def test_what_a_broken_launch_left_behind_goes(
    adb: AdbDevice, device: EmulatedDevice, chrome: EmulatedChrome
) -> None:
    device.files.put(FILE, b"_ --remote-debugging-socket-name=stillframe_00_devtools_remote --old\n")
    device.settings["global", "debug_app"] = CHROME
    async with launched_chrome(adb):
        assert "--old" not in chrome.switches
        assert files(device) == {}
        assert device.debug_app is None


async def test_a_file_that_a_broken_launch_moved_away_comes_back(
    adb: AdbDevice, device: EmulatedDevice, chrome: EmulatedChrome
) -> None:
    device.files.put(f"{FILE}.before_stillframe", b"_ --user-switch\n")
    device.files.put(FILE, b"_ --remote-debugging-socket-name=stillframe_00_devtools_remote --old\n")
    async with launched_chrome(adb):
        assert files(device) == {FILE: b"_ --user-switch\n"}


# -- a launch that fails -------------------------------------------------------------------------


@pytest.fixture
async def untouched(device: EmulatedDevice, chrome: EmulatedChrome) -> AsyncIterator[None]:
    """After the test nothing of a launch is left on the device."""
    yield
    assert files(device) == {}
    assert device.debug_app is None
    assert not chrome.running


@pytest.mark.usefixtures("untouched")
async def test_a_chrome_that_ignores_its_file_is_told_apart_from_one_that_is_slow(
    adb: AdbDevice, chrome: EmulatedChrome
) -> None:
    chrome.obeys = False
    with pytest.raises(LaunchFailed, match=r"chrome_devtools_remote.*chrome://flags") as caught:
        async with launched_chrome(adb, timeout=0.3):
            raise AssertionError
    assert "Starting: Intent" in caught.value.stderr
    chrome.opens = False
    with pytest.raises(LaunchFailed, match="unlock the device"):
        async with launched_chrome(adb, timeout=0.3):
            raise AssertionError


@pytest.mark.usefixtures("untouched")
async def test_a_chrome_that_crashes_at_once_is_named(
    adb: AdbDevice, device: EmulatedDevice, chrome: EmulatedChrome
) -> None:
    chrome.opens = False

    def am(call: Call) -> int:
        if call.arguments[0] == "start":
            call.out("Starting: Intent { }\n")
        return 0

    device.programs["am"] = am
    with pytest.raises(LaunchFailed, match="does not run any more"):
        async with launched_chrome(adb, timeout=0.3):
            raise AssertionError


@pytest.mark.usefixtures("untouched")
async def test_a_refusal_of_am_is_named(adb: AdbDevice, chrome: EmulatedChrome) -> None:
    chrome.activity = ".Moved"
    with pytest.raises(LaunchFailed, match="did not start") as caught:
        async with launched_chrome(adb):
            raise AssertionError
    assert "does not exist" in caught.value.stderr


@pytest.mark.usefixtures("untouched")
async def test_a_browser_that_is_not_installed_is_named_with_those_that_are(
    adb: AdbDevice, device: EmulatedDevice
) -> None:
    with pytest.raises(BrowserNotFound, match=rf"{BETA} is not installed.*: {CHROME}") as caught:
        async with launched_chrome(adb, BETA):
            raise AssertionError
    assert caught.value.tried == (BETA,)


@pytest.mark.parametrize(
    ("package", "args"),
    [("chrome", ()), ("a.b; reboot", ()), (CHROME, ("x",)), (CHROME, ("--remote-debugging-port=1",))],
)
async def test_wrong_options_reach_no_device(
    adb: AdbDevice, device: EmulatedDevice, package: str, args: tuple[str, ...]
) -> None:
    with pytest.raises(OptionInvalid):
        async with launched_chrome(adb, package, args):
            raise AssertionError
    assert not device.commands


@pytest.mark.usefixtures("untouched")
async def test_an_error_in_the_block_passes_and_ends_chrome(adb: AdbDevice, chrome: EmulatedChrome) -> None:
    with pytest.raises(ZeroDivisionError):
        async with launched_chrome(adb):
            raise ZeroDivisionError


@pytest.mark.usefixtures("untouched")
async def test_a_cancelled_launch_leaves_nothing(
    adb: AdbDevice, device: EmulatedDevice, chrome: EmulatedChrome
) -> None:
    chrome.opens = False
    begun = asyncio.Event()
    chrome.on_start = begun.set

    async def launch() -> None:
        async with launched_chrome(adb):
            raise AssertionError

    task = asyncio.create_task(launch())
    async with asyncio.timeout(10):
        await begun.wait()
        assert FILE in files(device)
        task.cancel()
        await asyncio.sleep(0)
        task.cancel()  # as a person does who is in a hurry
        with pytest.raises(asyncio.CancelledError):
            await task


async def test_a_cable_pulled_during_a_launch_is_named_within_a_second(
    adb: AdbDevice, device: EmulatedDevice, chrome: EmulatedChrome, caplog: pytest.LogCaptureFixture
) -> None:
    chrome.opens = False
    begun = asyncio.Event()
    chrome.on_start = begun.set

    async def launch() -> None:
        async with launched_chrome(adb):
            raise AssertionError

    task = asyncio.create_task(launch())
    async with asyncio.timeout(10):
        await begun.wait()
        await device.disconnect()
        with pytest.raises(StillframeError) as caught:
            await task
    assert caught.value.code in ("transport_lost", "device_offline")
    assert "removing /data/local/tmp/chrome-command-line failed" in caplog.text
