"""What a device says about itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from stillframe.adb.adb_device import AdbDevice

_PROPERTIES = ("ro.product.manufacturer", "ro.product.model", "ro.build.version.release", "ro.build.version.sdk")


class DeviceInfo(msgspec.Struct, frozen=True, rename="camel"):
    """A device: `release` is the version of Android, `sdk` its API level; what the device does not say is None."""

    serial: str
    manufacturer: str | None = None
    model: str | None = None
    release: str | None = None
    sdk: int | None = None


async def read_device_info(device: AdbDevice) -> DeviceInfo:
    """Ask a device for its properties, in one shell command; raises AndroidError and TransportLost."""
    answer = await device.shell("; ".join(f"getprop {name}" for name in _PROPERTIES))
    return parse_device_info(device.serial, answer.text)


def parse_device_info(serial: str, text: str) -> DeviceInfo:
    """Return the information in the output of one `getprop` per property, one line each."""
    lines = [line.strip() or None for line in text.splitlines()]
    manufacturer, model, release, sdk = (*lines, None, None, None, None)[:4]
    number = int(sdk) if sdk is not None and sdk.isascii() and sdk.isdigit() else None
    return DeviceInfo(serial, manufacturer, model, release, number)
