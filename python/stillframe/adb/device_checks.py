"""What the doctor says about adb and about a device: facts in, checks out. No I/O."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import msgspec

from stillframe.adb.browsers import BROWSERS
from stillframe.adb.device_list import USABLE, DeviceEntry, state_error
from stillframe.adb.devtools.missing import AUTOMATIC_WEBVIEW
from stillframe.adb.devtools.processes import package_of

if TYPE_CHECKING:
    from stillframe.adb.device_info import DeviceInfo
    from stillframe.adb.devtools.socket_listing import FoundSocket, Listing

CheckState = Literal["ok", "missing", "weak", "optional"]

SHELL_V2 = "shell_v2"
MAX_NAMED = 5
"""Apps that one check names."""


class Check(msgspec.Struct, frozen=True):
    """The result of one check; `advice` says what to do.

    `state`: ok; missing (and needed); weak (present, but problems are likely); optional (missing, and not needed).
    """

    name: str
    state: CheckState
    found: str
    advice: str = ""


def of_device(serial: str, check: Check) -> Check:
    """Return a check whose name says which device it is about."""
    return msgspec.structs.replace(check, name=f"{serial} {check.name}")


# -- adb -----------------------------------------------------------------------------------------


def adb_version(printed: str) -> str:
    """Return the version of adb from what `adb version` prints: that of platform-tools, or else of the protocol."""
    release = re.search(r"^Version (\S+)", printed, re.MULTILINE)
    protocol = re.search(r"version (\S+)", printed)
    found = release or protocol
    return found[1] if found else "unknown version"


def device_checks(entries: Sequence[DeviceEntry], serial: str | None) -> list[Check]:
    """Return whether the devices can be used, and what a person does about it if not.

    The one with this serial must be there and usable; without a serial, at least one.
    """
    if not entries:
        advice = "connect one by USB with USB debugging on in its developer options, or run adb connect HOST:PORT"
        return [Check("devices", "missing", "none", advice)]
    needed = () if usable(entries, serial) else [each.serial for each in entries if serial in (None, each.serial)]
    found = [_device_check(each, "missing" if each.serial in needed else "weak") for each in entries]
    if serial is not None and serial not in (each.serial for each in entries):
        found.append(Check("device", "missing", f"{serial} is not there", "use a serial that adb devices lists"))
    return found


def _device_check(entry: DeviceEntry, trouble: CheckState) -> Check:
    shown = f"{entry.serial}, {entry.model}" if entry.model else entry.serial
    error = state_error(entry.serial, entry.state)
    if error is None:
        return Check("device", "ok", shown)
    return Check("device", trouble, f"{shown}, {entry.state}", str(error))


def usable(entries: Sequence[DeviceEntry], serial: str | None) -> list[str]:
    """Return the serials of the devices to look at: the one with this serial, or all that answer."""
    return [each.serial for each in entries if each.state == USABLE and serial in (None, each.serial)]


# -- a device ------------------------------------------------------------------------------------


def android_check(info: DeviceInfo) -> Check:
    """Return the check of the version of Android."""
    model = " ".join(filter(None, (info.manufacturer, info.model)))
    found = f"{info.release or 'unknown'} (API {info.sdk or 'unknown'}){f', {model}' if model else ''}"
    if info.sdk is None:
        return Check("Android", "weak", found, "the device does not say; wait until it has started")
    return Check("Android", "ok", found)


def shell_check(features: Collection[str]) -> Check:
    """Return the check of the protocol of the shell."""
    if SHELL_V2 in features:
        return Check("shell", "ok", "v2")
    advice = "before Android 7, a command that fails looks like one that succeeds"
    return Check("shell", "weak", "v1", advice)


def screen_check(power: str) -> Check | None:
    """Return the check of the screen, from `dumpsys power`; None if that does not say."""
    match = re.search(r"\bmWakefulness=(\w+)", power)
    if match is None:
        return None
    if match[1] == "Awake":
        return Check("screen", "ok", "on")
    return Check(
        "screen", "weak", "off", "hidden WebViews take no touches: wake it, for example with device.native.wake()"
    )


_WEBVIEW = re.compile(r"Current WebView package \(name, version\): \(([^,()]+), ([^()\s]+)\)")


def webview_check(webviewupdate: str) -> Check:
    """Return the check of the WebView that apps use, from `dumpsys webviewupdate` (Android 8 and later)."""
    match = _WEBVIEW.search(webviewupdate)
    if match is None:
        return Check("WebView", "weak", "unknown", "the device does not say which WebView its apps use")
    found = f"{match[2]} ({match[1]})"
    if _numbers(match[2]) >= _numbers(AUTOMATIC_WEBVIEW):
        return Check("WebView", "ok", found)
    advice = f"below {AUTOMATIC_WEBVIEW}, debug builds too must call WebView.setWebContentsDebuggingEnabled(true)"
    return Check("WebView", "ok", found, advice)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"[0-9]{1,9}", version)[:4])


def package_version(package_dump: str) -> str:
    """Return the version of a package from `dumpsys package NAME`."""
    match = re.search(r"\bversionName=(\S+)", package_dump)
    return match[1] if match else "unknown version"


def browsers_check(versions: Mapping[str, str]) -> Check:
    """Return the check of the browsers; `versions` has the version of each by its package."""
    if not versions:
        return Check("browsers", "optional", "none", "WebViews need none; to drive a browser, install Chrome")
    named = [f"{BROWSERS[package].name} {version}" for package, version in sorted(versions.items())]
    return Check("browsers", "ok", ", ".join(named))


def socket_checks(sockets: Sequence[FoundSocket]) -> list[Check]:
    """Return a check for each DevTools socket, or one that says that there is none."""
    if not sockets:
        advice = (
            "start Chrome, or an app that calls WebView.setWebContentsDebuggingEnabled(true) and shows a WebView; "
            f"debug builds need no call with WebView {AUTOMATIC_WEBVIEW} and later"
        )
        return [Check("DevTools socket", "optional", "none", advice)]
    return [_socket_check(each) for each in sockets]


def _socket_check(socket: FoundSocket) -> Check:
    owner = socket.process or socket.package or "an unknown process"
    found = f"{socket.name} of {owner}{f', pid {socket.pid}' if socket.pid else ''}"
    if socket.frozen:
        return Check("DevTools socket", "weak", f"{found}, frozen", "bring the app to the front: now it answers nobody")
    return Check("DevTools socket", "ok", found)


def silent_apps_check(listing: Listing, others: Collection[str]) -> Check | None:
    """Return the check of installed apps that run without a DevTools socket, None if there are none.

    `others` are the packages that did not come with Android.
    """
    speaking = {socket.package for socket in listing.sockets}
    running = {package_of(name) for name in listing.processes.values()}
    silent = sorted((running & set(others)) - speaking)
    if not silent:
        return None
    more = f" and {len(silent) - MAX_NAMED} more" if len(silent) > MAX_NAMED else ""
    advice = (
        "nothing to do unless one of them shows a WebView: then it must call "
        "WebView.setWebContentsDebuggingEnabled(true), or has not made its WebView yet"
    )
    return Check("apps without DevTools", "optional", ", ".join(silent[:MAX_NAMED]) + more, advice)
