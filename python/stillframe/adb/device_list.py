"""The devices of an adb server, their states, and what its refusals mean."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import msgspec

from stillframe.adb.errors import (
    AdbFailed,
    AdbServerTooOld,
    AndroidError,
    DeviceAmbiguous,
    DeviceError,
    DeviceNotFound,
    DeviceOffline,
    DeviceUnauthorized,
    NoDevices,
    UsbPermission,
)

NO_PERMISSIONS = "no permissions"
"""The state of a USB device that this machine may not open; a reason in words follows it (AOSP)."""


class DeviceEntry(msgspec.Struct, frozen=True):
    """One line of a device list; what the line does not say is None."""

    serial: str
    state: str
    product: str | None = None
    model: str | None = None
    device: str | None = None
    transport_id: int | None = None


# -- states --------------------------------------------------------------------------------------


class _Trouble(NamedTuple):
    error: type[DeviceError]
    advice: str


_ALLOW = _Trouble(DeviceUnauthorized, "unlock it and accept the dialog that asks whether to allow debugging")
_WAIT = _Trouble(DeviceOffline, "wait a second and try again; if it stays so, reconnect it")
_RECONNECT = _Trouble(DeviceOffline, "check its cable or network, or run `adb reconnect offline`")
_BOOT = _Trouble(DeviceOffline, "start Android on it, for example with `adb reboot`")
_UDEV = _Trouble(
    UsbPermission,
    "add a udev rule for it (Debian and Ubuntu: install android-sdk-platform-tools-common) and your user to the group "
    "plugdev, then reconnect it",
)

USABLE = "device"
"""The state of a device that runs Android and answers."""
_TROUBLES: dict[str, _Trouble] = {
    "unauthorized": _ALLOW,
    "authorizing": _ALLOW,
    "connecting": _WAIT,
    "offline": _RECONNECT,
    "detached": _RECONNECT,
    "unknown": _RECONNECT,
    "bootloader": _BOOT,
    "recovery": _BOOT,
    "rescue": _BOOT,
    "sideload": _BOOT,
    "host": _BOOT,
    NO_PERMISSIONS: _UDEV,
}
"""Every state of AOSP's `adb.h` but `device`, and what a person does about it."""

ANSWERING = frozenset({USABLE, "recovery", "rescue", "sideload"})
"""The states in which a device answers the adb server."""


def state_error(serial: str, state: str, devices: Sequence[DeviceEntry] = ()) -> DeviceError | None:
    """Return why a device in `state` cannot be used, or None for the state `device`; `devices` are all devices."""
    if state == USABLE:
        return None
    trouble = _trouble(state)
    return trouble.error(
        f"the device {serial} is in the state {state!r}: {trouble.advice}", serial=serial, devices=_pairs(devices)
    )


def _trouble(state: str) -> _Trouble:
    return _TROUBLES.get(NO_PERMISSIONS if state.startswith(NO_PERMISSIONS) else state, _RECONNECT)


# -- lists ---------------------------------------------------------------------------------------

_NO_SERIAL = "(no serial number)"
_KEYS = ("transport_id", "device", "model", "product")
"""The named columns from right to left; adb promises only the place of the last one (AOSP, `append_transport`)."""


def parse_devices(text: str) -> list[DeviceEntry]:
    """Return the devices of a list of adb, in the short form or the long one; skips lines without a device."""
    lines = text.replace("\r\n", "\n").split("\n")
    return [entry for line in lines if (entry := _parse_line(line)) is not None]


def _parse_line(line: str) -> DeviceEntry | None:
    if "\t" in line:
        serial, _, state = line.partition("\t")
        return DeviceEntry(serial.strip(), state.strip()) if serial.strip() and state.strip() else None
    columns: dict[str, str | None] = {}
    for key in _KEYS:
        line, columns[key] = _without_column(line, key)
    serial, state = _serial_and_state(line)
    if not serial or not state:
        return None
    return DeviceEntry(
        serial, state, columns["product"], columns["model"], columns["device"], _number(columns["transport_id"])
    )


def _without_column(line: str, key: str) -> tuple[str, str | None]:
    rest, found, value = line.rpartition(f" {key}:")
    return (rest, value.strip()) if found else (line, None)


def _serial_and_state(text: str) -> tuple[str, str]:
    """Split the start of a line of the long form, which may end with the path of a USB port."""
    head, found, reason = text.partition(f" {NO_PERMISSIONS}")
    if found:
        return head.strip(), (NO_PERMISSIONS + _without_port(reason)).strip()
    words = text.split()
    if text.startswith(_NO_SERIAL):
        return _NO_SERIAL, next(iter(text[len(_NO_SERIAL) :].split()), "")
    # A name found by mDNS may contain spaces, so the first known state counts.
    at = next((i for i, word in enumerate(words[1:], 1) if word in _TROUBLES or word == USABLE), 1)
    return " ".join(words[:at]), words[at] if at < len(words) else ""


def _without_port(reason: str) -> str:
    head, found, port = reason.rpartition(" usb:")
    return head if found and " " not in port else reason


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 20 else None


def choose_device(entries: Sequence[DeviceEntry], serial: str | None) -> DeviceEntry:
    """Return the device with this serial; without a serial, the only device that can be used.

    Raises NoDevices, DeviceNotFound, DeviceAmbiguous, or the error of the device's state: DeviceUnauthorized,
    DeviceOffline, UsbPermission. All of them carry the list.
    """
    if not entries:
        raise NoDevices(_NO_DEVICES, serial=serial)
    if serial is not None:
        return _usable(find_device(entries, serial), entries)
    usable = [entry for entry in entries if entry.state == USABLE]
    if len(usable) > 1:
        raise DeviceAmbiguous(
            f"there are several devices ({described(entries)}): name one by its serial, or in ANDROID_SERIAL",
            devices=_pairs(entries),
        )
    return _usable(usable[0] if usable else min(entries, key=_hope), entries)


def find_device(entries: Sequence[DeviceEntry], serial: str) -> DeviceEntry:
    """Return the device with this serial, whatever its state; raises DeviceNotFound with the list."""
    for entry in entries:
        if entry.serial == serial:
            return entry
    raise DeviceNotFound(
        f"the adb server has no device {serial!r}; it has {described(entries) or 'none at all'}",
        serial=serial,
        devices=_pairs(entries),
    )


def described(entries: Iterable[DeviceEntry]) -> str:
    """Return devices as a person reads them: serials, states and models."""
    return ", ".join(
        f"{entry.serial} {entry.state}" + (f" ({entry.model})" if entry.model else "") for entry in entries
    )


_NO_DEVICES = (
    "the adb server has no device: connect one by USB with USB debugging switched on in its developer options, or run "
    "`adb connect HOST:PORT`"
)


def _usable(entry: DeviceEntry, entries: Sequence[DeviceEntry]) -> DeviceEntry:
    if (error := state_error(entry.serial, entry.state, entries)) is not None:
        raise error
    return entry


def _hope(entry: DeviceEntry) -> int:
    """Order devices that cannot be used by how little it takes to use them."""
    return (_ALLOW, _WAIT, _UDEV, _RECONNECT, _BOOT).index(_trouble(entry.state))


def _pairs(entries: Iterable[DeviceEntry]) -> tuple[tuple[str, str], ...]:
    return tuple((entry.serial, entry.state) for entry in entries)


# -- refusals ------------------------------------------------------------------------------------

_REFUSED_STATES: tuple[tuple[str, str], ...] = (
    ("device unauthorized", "unauthorized"),
    ("device still authorizing", "authorizing"),
    ("device still connecting", "connecting"),
    ("device offline", "offline"),
    ("transport offline", "offline"),
    ("insufficient permissions for device", NO_PERMISSIONS),
    (NO_PERMISSIONS, NO_PERMISSIONS),
)
"""The texts that stand for a state, by how they start (AOSP's `transport.cpp`, measured with adb 29 and 36)."""


def refusal(serial: str | None, service: str, text: str) -> AndroidError:
    """Return the error for the text with which an adb server refuses `service`; `serial` is the device asked for."""
    for start, state in _REFUSED_STATES:
        if text.startswith(start):
            error = state_error(serial or "that was asked for", state)
            assert error is not None
            return error
    for applies, made in _REFUSALS:
        if applies(text):
            return made(serial, service, text)
    target = f"for {serial} " if serial else ""
    return AdbFailed(f"adb refused {short(service)} {target}with {text!r}", service=service, reason=text)


def short(service: str) -> str:
    """Return the name of a service as messages show it: quoted, and cut after 120 characters."""
    return repr(service if len(service) <= 120 else f"{service[:119]}…")


def _is_missing(text: str) -> bool:
    return text.startswith(("no device with transport id", "no such device")) or (
        text.startswith("device ") and text.endswith("not found")
    )


_REFUSALS: tuple[tuple[Callable[[str], bool], Callable[[str | None, str, str], AndroidError]], ...] = (
    (
        lambda text: text.startswith(("no devices", "no emulators")),
        lambda serial, _service, _text: NoDevices(_NO_DEVICES, serial=serial),
    ),
    (
        lambda text: text.startswith("more than one"),
        lambda serial, _service, text: DeviceAmbiguous(
            f"adb has {text}: name one by its serial, or in ANDROID_SERIAL", serial=serial
        ),
    ),
    (
        _is_missing,
        lambda serial, _service, _text: DeviceNotFound(
            f"the adb server has no device {serial!r}: list them with `adb devices`", serial=serial
        ),
    ),
    (
        lambda text: text.startswith("unknown host service"),
        lambda _serial, service, text: AdbServerTooOld(
            f"the adb server does not know {short(service)} ({text}): install newer platform-tools, then run `adb "
            "kill-server`",
            service=service,
        ),
    ),
)
