"""Looks whether Android may have frozen an app, before anything connects to it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from stillframe.adb.devtools.frozen_apps import frozen, parse_resumed
from stillframe.errors import CommandTimeout

if TYPE_CHECKING:
    from stillframe.adb.adb_device import AdbDevice
    from stillframe.adb.devtools.socket_listing import FoundSocket

ADJ_TIMEOUT_S = 1.0
"""Seconds to read one file of `/proc`: some tens of ms on a phone."""
RESUMED_TIMEOUT_S = 2.0
"""Seconds to ask which activity is resumed: `dumpsys` takes some tenths of a second on a phone."""


async def require_awake(device: AdbDevice, found: FoundSocket) -> FoundSocket:
    """Return the socket with the `oom_score_adj` of its process now; raise AppFrozen if Android may have frozen it.

    An app whose activity is resumed is never refused. Raises what `AdbDevice.shell` raises as well, but no
    CommandTimeout.
    """
    now = await with_current_adj(device, found)
    if now.frozen and now.package not in await _resumed(device):
        raise frozen(device.serial, now, "Android may have frozen it")
    return now


async def with_current_adj(device: AdbDevice, found: FoundSocket) -> FoundSocket:
    """Return the socket with the `oom_score_adj` of its process now, None if that has ended or is unknown.

    Raises what `AdbDevice.shell` raises, but no CommandTimeout: then the value stays as it was.
    """
    if found.pid is None:
        return found
    try:
        shown = await device.shell(f"cat /proc/{found.pid}/oom_score_adj", timeout=ADJ_TIMEOUT_S)
    except CommandTimeout:
        return found
    text = shown.text.strip()
    adj = int(text) if re.fullmatch(r"-?\d{1,4}", text, re.ASCII) else None
    return msgspec.structs.replace(found, oom_score_adj=adj)


async def _resumed(device: AdbDevice) -> frozenset[str]:
    try:
        shown = await device.shell("dumpsys activity activities | grep ResumedActivity", timeout=RESUMED_TIMEOUT_S)
    except CommandTimeout:
        return frozenset()
    return parse_resumed(shown.text)
