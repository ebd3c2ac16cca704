"""Looks for DevTools sockets on a device: once, repeatedly, or to say why a package has none."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import AsyncGenerator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from stillframe.adb.devtools.missing import MissingFacts, explain_missing, parse_package, parse_sdk, parse_webview
from stillframe.adb.devtools.socket_listing import LISTING_COMMAND, FoundSocket, Listing, parse_listing
from stillframe.adb.errors import AndroidError
from stillframe.cdp.loop_clock import loop_clock
from stillframe.errors import CommandTimeout, ConnectionLost, StillframeError

if TYPE_CHECKING:
    from stillframe.adb.adb_device import AdbDevice

__all__ = ["FoundSocket", "SocketsSeen", "find_sockets", "list_sockets", "missing_reason", "watch_sockets"]

LISTING_TIMEOUT_S = 5.0
"""Seconds to list the sockets and processes: some tenths of a second on a phone, milliseconds in an emulator."""
REASON_TIMEOUT_S = 5.0
"""Seconds for all commands of `missing_reason`; each `dumpsys` takes some tenths of a second."""
POLL_INTERVAL_S = 1.0
"""Seconds between two looks; chrome://inspect uses the same. A device announces no new sockets."""


class SocketsSeen(NamedTuple):
    """What one look at a device found: its sockets, or the error that says why it could not be looked at."""

    sockets: tuple[FoundSocket, ...] = ()
    error: StillframeError | None = None


async def find_sockets(device: AdbDevice) -> list[FoundSocket]:
    """Return the DevTools sockets of a device with their processes, from one shell command.

    Nothing connects to them. Raises what `AdbDevice.shell` raises.
    """
    return (await list_sockets(device)).sockets


async def list_sockets(device: AdbDevice, *, timeout: float = LISTING_TIMEOUT_S) -> Listing:
    """Return the DevTools sockets of a device, and its processes; raises as `find_sockets`. `timeout` is in seconds."""
    return parse_listing((await device.shell(LISTING_COMMAND, timeout=timeout)).stdout)


async def watch_sockets(device: AdbDevice, interval: float = POLL_INTERVAL_S) -> AsyncGenerator[SocketsSeen, None]:
    """Yield what the device has now, and again after each change; look every `interval` seconds.

    A device that goes away is reported once, with the error, and again when it is back. A change between foreground and
    background counts as one if Android may freeze the app over it. Between two looks nothing is open; leave the loop or
    call `aclose()` to stop.
    """
    last: object = None
    while True:
        seen = await _look(device)
        if (this := _identity(seen)) != last:
            last = this
            yield seen
        await asyncio.sleep(interval)


async def missing_reason(
    device: AdbDevice, package: str, *, pages: Sequence[str] | None = None, timeout: float = REASON_TIMEOUT_S
) -> AndroidError:
    """Return the error that says why a package has no page to work with, after asking the device for the facts.

    `pages` are the URLs of the pages that were found behind its sockets, if they were read. What the device does not
    say within `timeout` seconds counts as unknown. Raises CommandTimeout if it does not even list its sockets, and the
    errors of the device.
    """
    until = loop_clock().now() + timeout
    listing = await list_sockets(device, timeout=timeout)
    installed, debuggable = parse_package(await _printed(device, f"dumpsys package {shlex.quote(package)}", until))
    own = listing.sockets_of(package)
    return explain_missing(
        MissingFacts(
            serial=device.serial,
            package=package,
            installed=installed,
            processes=listing.processes_of(package),
            sockets=tuple(own),
            seen_sockets=tuple(each.name for each in listing.sockets if each not in own),
            pages=None if pages is None else tuple(pages),
            sdk=parse_sdk(await _printed(device, "getprop ro.build.version.sdk", until)),
            debuggable=debuggable,
            webview=parse_webview(await _printed(device, "dumpsys webviewupdate", until)),
        )
    )


async def _look(device: AdbDevice) -> SocketsSeen:
    try:
        return SocketsSeen(tuple(await find_sockets(device)))
    except (AndroidError, ConnectionLost, CommandTimeout) as error:
        return SocketsSeen(error=error)


def _identity(seen: SocketsSeen) -> object:
    """Return what counts as a change: `oom_score_adj` itself changes all the time, and so do texts of errors."""
    if seen.error is not None:
        return type(seen.error)
    return [(each.name, each.pid, each.package, each.process, each.frozen) for each in seen.sockets]


async def _printed(device: AdbDevice, command: str, until: float) -> str:
    """Return what a command prints, nothing if that takes too long."""
    try:
        return (await device.shell(command, timeout=max(0.0, until - loop_clock().now()))).text
    except CommandTimeout:
        return ""
