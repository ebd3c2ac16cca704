"""Looks at adb and at devices for `stillframe doctor`: what is there, what is missing, and what to do about it."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from stillframe.adb.adb_device import AdbDevice
from stillframe.adb.adb_program import find_adb
from stillframe.adb.apps import installed
from stillframe.adb.browsers import BROWSERS
from stillframe.adb.device_checks import (
    Check,
    adb_version,
    android_check,
    browsers_check,
    device_checks,
    of_device,
    package_version,
    screen_check,
    shell_check,
    silent_apps_check,
    socket_checks,
    usable,
    webview_check,
)
from stillframe.adb.device_info import read_device_info
from stillframe.adb.device_list import described
from stillframe.adb.devtools.discovery import list_sockets
from stillframe.adb.errors import AdbBinaryMissing, AdbServerUnavailable
from stillframe.cdp.loop_clock import time_limit
from stillframe.errors import StillframeError

if TYPE_CHECKING:
    from stillframe.adb.adb_server import AdbServer

VERSION_S = 5.0
"""Seconds for `adb version`, which prints a constant."""
DEVICE_S = 30.0
"""Seconds for all checks of one device: about ten commands of some tenths of a second on a phone."""

ASK = "stillframe doctor --android looks further"


async def checks(server: AdbServer, serial: str | None = None, *, asked: bool = True) -> list[Check]:
    """Check adb, its server and its devices; of devices that answer, also Android, its browsers and DevTools sockets.

    `serial` names the only device to look into. Unless `asked`, nothing is needed: no server is started, no device is
    looked into, and a machine without adb gets one check that says so. Raises nothing: an error is a check.
    """
    program = await _program()
    if not asked:
        return [program, *await _glance(server, has_adb=program.state == "ok")]
    try:
        version = await server.ensure_running()
    except AdbBinaryMissing as error:
        return [Check("adb", "missing", "not found", str(error))]
    except StillframeError as error:
        return [program, Check("adb server", "missing", f"none at {server.address}", str(error))]
    return [program, _running(server, version), *await _devices(server, serial)]


async def _glance(server: AdbServer, *, has_adb: bool) -> list[Check]:
    """Look at a server that may run, and at nothing behind it."""
    try:
        version, entries = await server.version(), await server.devices()
    except StillframeError as error:
        if not _is_refused(error):
            return [Check("adb server", "weak", f"unusable at {server.address}", str(error))]
        found = f"not running at {server.address}"
        return [Check("adb server", "optional", found, f"only Android needs it; {ASK}")] if has_adb else []
    found = described(entries) or "none"
    return [_running(server, version), Check("devices", "ok" if entries else "optional", found, ASK)]


def _is_refused(error: StillframeError) -> bool:
    """Say whether nothing listens where the server should."""
    return isinstance(error, AdbServerUnavailable) and isinstance(error.__cause__, ConnectionRefusedError)


def _running(server: AdbServer, version: int) -> Check:
    return Check("adb server", "ok", f"version {version} at {server.address}")


# -- the program ---------------------------------------------------------------------------------


async def _program() -> Check:
    try:
        path = find_adb(None, os.environ)
    except AdbBinaryMissing:
        return Check("adb", "optional", "not found", "only Android needs it, to start its server: apt install adb")
    return Check("adb", "ok", f"{adb_version(await _printed(path, 'version'))} ({path})")


async def _printed(*command: str) -> str:
    """Return what a program prints, "" if it does not run or takes too long."""
    pipe, null = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
    try:
        process = await asyncio.create_subprocess_exec(*command, stdin=null, stdout=pipe, stderr=null)
    except OSError:
        return ""
    try:
        async with time_limit(VERSION_S):
            printed, _ = await process.communicate()
    except TimeoutError:
        return ""
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
    return printed.decode("utf-8", "replace")


# -- devices -------------------------------------------------------------------------------------


async def _devices(server: AdbServer, serial: str | None) -> list[Check]:
    try:
        entries = await server.devices()
    except StillframeError as error:
        return [Check("devices", "missing", "unknown", str(error))]
    serials = usable(entries, serial)
    looked = await asyncio.gather(*(_checks_of(AdbDevice(server, each)) for each in serials))
    if len(serials) > 1:
        looked = [[of_device(each, check) for check in found] for each, found in zip(serials, looked, strict=True)]
    return [*device_checks(entries, serial), *(check for found in looked for check in found)]


async def _checks_of(device: AdbDevice) -> list[Check]:
    """Look into one device; what it said before an error or the time limit counts."""
    found: list[Check] = []
    try:
        async with time_limit(DEVICE_S):
            async for check in _looked(device):
                found.append(check)  # noqa: PERF401  an error must not lose them
    except (StillframeError, TimeoutError) as error:
        reason = str(error) or f"its checks took more than {DEVICE_S:g} s"
        found.append(Check("checks", "weak", "not finished", f"{device.serial}: {reason}"))
    return found


async def _looked(device: AdbDevice) -> AsyncIterator[Check]:
    yield android_check(await read_device_info(device))
    yield shell_check(await device.server.features(device.serial))
    if (screen := screen_check((await device.shell("dumpsys power")).text)) is not None:
        yield screen
    yield webview_check((await device.shell("dumpsys webviewupdate")).text)
    packages = await installed(device)
    yield browsers_check({each: await _version(device, each) for each in sorted(packages & BROWSERS.keys())})
    listing = await list_sockets(device)
    for check in socket_checks(listing.sockets):
        yield check
    silent = silent_apps_check(listing, await installed(device, others_only=True))
    if silent is not None:
        yield silent


async def _version(device: AdbDevice, package: str) -> str:
    return package_version((await device.shell(f"dumpsys package {package}")).text)
