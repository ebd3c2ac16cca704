"""Launch Chrome on a device with a DevTools socket of its own, and end it.

Chrome reads switches from a file when it starts. The file is there only until the socket is open, and then the device
is as it was before: no other launch, by hand or by another tool, gets our switches.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from stillframe.adb.app_commands import checked_package, start_command
from stillframe.adb.apps import installed, is_installed, started, stop_app
from stillframe.adb.browsers import BROWSERS, CHROME, AndroidBrowser, browser_of
from stillframe.adb.chrome_command_line import (
    Before,
    command_line,
    look_command,
    parse_before,
    prepare_command,
    private_socket,
    restore_command,
)
from stillframe.adb.devtools.unix_sockets import parse_unix_sockets
from stillframe.adb.errors import ShellFailed
from stillframe.cdp.loop_clock import loop_clock
from stillframe.errors import BrowserNotFound, LaunchFailed, StillframeError
from stillframe.security.redaction import logger

if TYPE_CHECKING:
    from stillframe.adb.adb_device import AdbDevice

__all__ = ["CHROME", "launched_chrome"]

START_S = 20.0
"""Seconds until the socket is open: a cold start takes 1 to 5 on a phone, and more on an emulator without graphics."""
POLL_S = 0.1
"""Seconds between two looks for the socket, each of which takes some tens of ms on a phone."""
UNDO_S = 2.0
"""Seconds to wait for each command that undoes something, also after a cancellation; `am` takes up to 1 on a phone. The
file goes first, and the command usually ends on the device even if nobody waits for it any more."""

log = logger("stillframe.adb")

_turns: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, asyncio.Lock]] = WeakKeyDictionary()
"""Launches on one device take turns, because all browsers of a family read the same file."""


@asynccontextmanager
async def launched_chrome(
    device: AdbDevice,
    package: str = CHROME,
    args: Sequence[str] = (),
    url: str | None = None,
    *,
    timeout: float = START_S,
) -> AsyncIterator[str]:
    """Launch a browser with a socket that no other one has, yield the name of the socket, and end the browser.

    A browser of this package that runs is ended first; its profile stays, with cookies and tabs. `url` is `about:blank`
    by default, `timeout` is in seconds. Raises OptionInvalid, BrowserNotFound if the package is not installed,
    LaunchFailed if no socket opens in time, and the errors of the device.
    """
    browser, name = browser_of(checked_package(package)), private_socket()
    content = command_line(name, args)
    start = start_command(package, browser.activity, url or "about:blank")
    await _require(device, browser)
    await stop_app(device, package)
    try:
        async with _turn(device), _command_line_file(device, browser, content):
            printed = await _start(device, browser, start)
            await _opened(device, browser, name, printed, timeout)
        yield name
    finally:
        await _undo(device, stop_app(device, package, timeout=UNDO_S), f"stopping {package}")


def _turn(device: AdbDevice) -> asyncio.Lock:
    locks = _turns.setdefault(asyncio.get_running_loop(), {})
    return locks.setdefault(f"{device.server.address} {device.serial}", asyncio.Lock())


async def _require(device: AdbDevice, browser: AndroidBrowser) -> None:
    if await is_installed(device, browser.package):
        return
    others = sorted((await installed(device)) & BROWSERS.keys())
    there = f"; these browsers are: {', '.join(others)}" if others else ""
    raise BrowserNotFound(f"{browser.package} is not installed on {device.serial}{there}", tried=(browser.package,))


@asynccontextmanager
async def _command_line_file(device: AdbDevice, browser: AndroidBrowser, content: str) -> AsyncIterator[None]:
    """Have the browser read `content` when it starts in the block; afterwards the device is as it was."""
    before = parse_before(browser, (await device.shell(look_command(browser))).text)
    try:
        await _prepare(device, browser, before, content)
        yield
    finally:
        restore = device.shell(restore_command(browser, before), timeout=UNDO_S)
        await _undo(device, restore, f"removing {browser.command_line_file}")


async def _prepare(device: AdbDevice, browser: AndroidBrowser, before: Before, content: str) -> None:
    await device.shell(prepare_command(browser, before), check=True)
    await device.push(content.encode(), browser.command_line_file)


async def _undo(device: AdbDevice, work: Coroutine[Any, Any, object], what: str) -> None:
    """Await `work` to its end even if the caller is cancelled meanwhile, and log instead of raising if it fails."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise
    except StillframeError as error:
        # What made the launch or its block fail says more, and a device that is gone keeps what is on it.
        log.warning("%s: %s failed: %s", device.serial, what, error)


# -- until the socket is open --------------------------------------------------------------------


async def _start(device: AdbDevice, browser: AndroidBrowser, command: str) -> str:
    try:
        return await started(device, command, browser.package)
    except ShellFailed as error:
        raise LaunchFailed(str(error), returncode=error.returncode, stderr=error.stdout + error.stderr) from error


async def _opened(device: AdbDevice, browser: AndroidBrowser, name: str, printed: str, timeout: float) -> None:
    deadline = loop_clock().now() + timeout
    while name not in await _sockets(device):
        if loop_clock().now() >= deadline:
            raise LaunchFailed(await _why_not(device, browser, timeout), stderr=printed.strip())
        await asyncio.sleep(POLL_S)


async def _sockets(device: AdbDevice) -> list[str]:
    return [each.name for each in parse_unix_sockets(await device.exec_out("cat /proc/net/unix"))]


async def _why_not(device: AdbDevice, browser: AndroidBrowser, timeout: float) -> str:
    running = (await device.shell(f"pidof {browser.package}")).text.strip()
    what = f"{browser.name} ({browser.package}) on {device.serial} opened no socket of ours within {timeout:g} s"
    if not running:
        return f"{what}: it does not run any more; look into `adb -s {device.serial} logcat`"
    if browser.socket in await _sockets(device):
        return (
            f"{what}, but {browser.socket!r}, so it did not read {browser.command_line_file}: switch on 'Enable "
            "command line on non-rooted devices' in its chrome://flags, or attach to the running browser instead"
        )
    return f"{what}: it runs (pid {running}); unlock the device, and look whether a screen of it waits for an answer"
