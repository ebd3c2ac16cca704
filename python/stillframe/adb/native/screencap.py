"""Pictures of the screen of a device with its own program `screencap`, whole or cropped to a rectangle."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from stillframe.adb.errors import ShellFailed
from stillframe.adb.native.png import COMMAND, crop, encode_png, parse_raw, png_in

if TYPE_CHECKING:
    from stillframe.adb.adb_device import AdbDevice
    from stillframe.adb.native.rect import Rect

TIMEOUT_S = 10.0
"""Seconds that a picture may take; phones need 0.3 to 1.5 s for a PNG file."""


async def screenshot(device: AdbDevice, *, timeout: float = TIMEOUT_S) -> bytes:
    """Return the whole screen as a PNG file; `timeout` is in seconds.

    Windows with FLAG_SECURE are black in it, or make it fail. Raises ShellFailed if there is no picture,
    CommandTimeout, and the errors of the device.
    """
    return png_in(await device.exec_out(f"{COMMAND} -p", timeout=timeout))


async def screenshot_of(device: AdbDevice, rect: Rect, *, timeout: float = TIMEOUT_S) -> bytes:
    """Return a part of the screen as a PNG file, for example the rectangle of a WebView; `timeout` is in seconds.

    Raises OptionInvalid if the rectangle is not on the screen, ShellFailed if there is no picture or the window in
    front forbids it (FLAG_SECURE), CommandTimeout, and the errors of the device.
    """
    output = await device.exec_out(COMMAND, timeout=timeout)
    part = await asyncio.to_thread(lambda: crop(parse_raw(output), rect))
    if part.black and await _is_secure(device):
        raise ShellFailed(
            f"{COMMAND}: the window in front has FLAG_SECURE, so the picture of it is black; take the screenshot of "
            "the page instead, or of a build of the app without the flag",
            command=COMMAND,
            returncode=0,
        )
    return await asyncio.to_thread(encode_png, part)


async def _is_secure(device: AdbDevice) -> bool:
    """Say whether the window that has the focus forbids pictures."""
    return focused_is_secure((await device.shell("dumpsys window")).text)


def focused_is_secure(windows: str) -> bool:
    """Say whether the window with the focus has FLAG_SECURE, from `dumpsys window`; False if it does not say."""
    _, found, focus = windows.partition("mCurrentFocus=")
    name = focus.partition("}")[0].partition("{")[2] if found else ""
    _, _, described = windows.partition(f"{{{name}}}:") if name else ("", "", "")
    flags = described.partition("fl=")[2].partition("\n")[0]
    return "SECURE" in flags.split() or _has_secure_bit(flags)


FLAG_SECURE = 0x2000
"""WindowManager.LayoutParams.FLAG_SECURE (AOSP); before Android 9, dumpsys prints the flags as a number."""


def _has_secure_bit(flags: str) -> bool:
    number = flags.partition(" ")[0].removeprefix("#").removeprefix("0x")
    try:
        return bool(int(number, 16) & FLAG_SECURE)
    except ValueError:
        return False
