"""Pictures of the screen of an emulated device, through the real adb server."""

from __future__ import annotations

import asyncio
import struct

import pytest

from patience import HANG_S
from stillframe.adb.adb_device import AdbDevice
from stillframe.adb.adb_server import AdbServer
from stillframe.adb.address import AdbAddress
from stillframe.adb.native.png import MAGIC, ScreenPixels, encode_png
from stillframe.adb.native.rect import Rect
from stillframe.adb.native.screencap import focused_is_secure, screenshot, screenshot_of
from stillframe.errors import CommandTimeout, OptionInvalid, ShellFailed
from stillframe.testing import AdbServerProcess
from stillframe_phone import EmulatedDevice
from stillframe_phone.emulated.shell_io import Call

RED, BLACK = b"\xff\0\0\xff", b"\0\0\0\xff"


@pytest.fixture
def adb(adb_server: AdbServerProcess, device: EmulatedDevice) -> AdbDevice:
    return AdbDevice(AdbServer(AdbAddress("127.0.0.1", adb_server.port), start=False), device.serial)


def showing(device: EmulatedDevice, pixel: bytes, printed: bytes = b"") -> None:
    """Have screencap print a raw picture of 4 x 3 pixels, with `printed` before it."""

    def screencap(call: Call) -> int:
        call.out(printed + struct.pack("<4I", 4, 3, 1, 1) + pixel * 12)
        return 0

    device.programs["screencap"] = screencap


async def test_the_whole_screen(adb: AdbDevice, device: EmulatedDevice) -> None:
    assert await screenshot(adb) == device.picture()
    assert device.services[-1] == "exec:screencap -p"


async def test_bytes_that_a_terminal_would_change_arrive_as_they_are(adb: AdbDevice, device: EmulatedDevice) -> None:
    device.screenshot = encode_png(ScreenPixels(2, 1, b"\r\n\0\xff\r\n"))
    assert await screenshot(adb) == device.screenshot


async def test_a_screen_that_must_not_be_seen_is_an_error(adb: AdbDevice, device: EmulatedDevice) -> None:
    device.screen_secure = True
    with pytest.raises(ShellFailed, match=r"Capturing failed.*FLAG_SECURE") as caught:
        await screenshot(adb)
    assert caught.value.command == "screencap -p"
    with pytest.raises(ShellFailed, match="no picture"):
        await screenshot_of(adb, Rect(0, 0, 1, 1))


async def test_a_part_of_the_screen(adb: AdbDevice, device: EmulatedDevice) -> None:
    showing(device, RED, b"[Warning] Multiple displays were found!\n")
    assert await screenshot_of(adb, Rect(1, -5, 2, 7)) == encode_png(ScreenPixels(2, 2, b"\xff\0\0" * 4))


async def test_a_part_beside_the_screen_is_refused(adb: AdbDevice, device: EmulatedDevice) -> None:
    showing(device, RED)
    with pytest.raises(OptionInvalid, match="4 x 3"):
        await screenshot_of(adb, Rect(4, 0, 1, 1))


async def test_a_black_picture_is_an_error_only_if_the_window_forbids_pictures(
    adb: AdbDevice, device: EmulatedDevice
) -> None:
    showing(device, BLACK)
    assert (await screenshot_of(adb, Rect(0, 0, 4, 3))).startswith(MAGIC)

    def dumpsys(call: Call) -> int:
        call.out(WINDOWS)
        return 0

    device.programs["dumpsys"] = dumpsys
    with pytest.raises(ShellFailed, match="FLAG_SECURE"):
        await screenshot_of(adb, Rect(0, 0, 4, 3))


async def test_a_picture_has_a_time_limit(adb: AdbDevice, device: EmulatedDevice) -> None:
    await device.go_silent()
    try:
        async with asyncio.timeout(HANG_S):
            with pytest.raises(CommandTimeout):
                await screenshot(adb, timeout=0.2)
    finally:
        await device.go_online()


WINDOWS = """WINDOW MANAGER WINDOWS (dumpsys window windows)
  Window #4 Window{77aa u0 StatusBar}:
    mAttrs={(0,0)(fillx96) ty=STATUS_BAR
      fl=NOT_FOCUSABLE SPLIT_TOUCH
      pfl=COLOR_SPACE_AGNOSTIC}
  Window #2 Window{5d1a0c u0 com.example.bank/com.example.bank.Main}:
    mAttrs={(0,0)(fillxfill) sim={adjust=pan} ty=BASE_APPLICATION
      fl=LAYOUT_IN_SCREEN SECURE SPLIT_TOUCH
      pfl=NO_MOVE_ANIMATION}
  mCurrentFocus=Window{5d1a0c u0 com.example.bank/com.example.bank.Main}
"""


@pytest.mark.parametrize(
    ("windows", "secure"),
    [
        (WINDOWS, True),
        (WINDOWS.replace(" SECURE", ""), False),
        (WINDOWS.replace("LAYOUT_IN_SCREEN SECURE SPLIT_TOUCH", "#81812100 pfl=0x20000"), True),  # Android 8
        (WINDOWS.replace("LAYOUT_IN_SCREEN SECURE SPLIT_TOUCH", "#81810100 pfl=0x20000"), False),
        (WINDOWS.replace("mCurrentFocus=Window{5d1a0c", "mCurrentFocus=Window{77aa"), False),
        ("  mCurrentFocus=null\n", False),
        ("", False),
    ],
)
def test_the_flag_of_the_window_with_the_focus_counts(windows: str, secure: bool) -> None:
    assert focused_is_secure(windows) is secure
