"""`dumpsys` of an emulated device: the few lines of each service that automation reads."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from stillframe_phone.emulated.apps import EmulatedApp, ExitInfo
from stillframe_phone.emulated.device_state import DeviceState
from stillframe_phone.emulated.shell_io import Call

EXIT_INFO = 30
"""The first API level with `dumpsys activity exit-info` (Android 11)."""


def dumpsys(device: DeviceState, call: Call) -> int:
    """`dumpsys service [arguments]`."""
    service, *arguments = call.arguments or [""]
    if service not in SERVICES:
        call.err(f"Can't find service: {service}")
        return 0
    call.out(SERVICES[service](device, arguments))
    return 0


def activity(device: DeviceState, arguments: list[str]) -> str:
    """`dumpsys activity exit-info [package]`, `dumpsys activity activities`, `... processes`."""
    what, *rest = arguments or [""]
    if what == "exit-info" and device.sdk >= EXIT_INFO:
        return exit_info(device, rest)
    if what == "exit-info":
        return f"Bad activity command, or no activities match: {what}\n"
    front = resumed(device)
    return "ACTIVITY MANAGER ACTIVITIES (dumpsys activity activities)\n" + (
        f"  topResumedActivity={record(front)}\n  ResumedActivity: {record(front)}\n" if front else ""
    )


def exit_info(device: DeviceState, packages: list[str]) -> str:
    """Return why processes ended, latest first."""
    apps = [app for app in device.apps.values() if app.exits and (not packages or app.package in packages)]
    lines = ["ACTIVITY MANAGER PROCESS EXIT INFO (dumpsys activity exit-info)"]
    for app in apps:
        lines += [f"  package: {app.package}", f"    Historical Process Exit for uid={app.uid}"]
        for number, each in enumerate(app.exits):
            lines += exit_record(app, number, each)
    return "\n".join(lines) + "\n"


def exit_record(app: EmulatedApp, number: int, exit: ExitInfo) -> list[str]:
    """Return the lines of one exit."""
    when = datetime.fromtimestamp(exit.time, tz=UTC).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]
    uids = f"realUid={app.uid} packageUid={app.uid} definingUid={app.uid}"
    return [
        f"        ApplicationExitInfo #{number}:",
        f"          timestamp={when} pid={exit.pid} {uids} user=0",
        f"          process={exit.process} reason={exit.reason} ({exit.reason_name}) subreason=0 (UNKNOWN)"
        f" status={exit.status}",
        "          importance=100 pss=0.00 rss=0.00 description=null state=empty trace=null",
    ]


def package(device: DeviceState, arguments: list[str]) -> str:
    """`dumpsys package name`."""
    app = device.apps.get(next(iter(arguments), ""))
    if app is None:
        return f"Unable to find package: {next(iter(arguments), '')}\n"
    flags = " ".join([*(["SYSTEM"] if app.system else []), *(["DEBUGGABLE"] if app.debuggable else []), "HAS_CODE"])
    return (
        "Packages:\n"
        f"  Package [{app.package}] (a1b2c3d):\n"
        f"    userId={app.uid}\n"
        f"    versionCode=1 minSdk=21 targetSdk={device.sdk}\n"
        f"    versionName={app.version_name}\n"
        f"    flags=[ {flags} ALLOW_CLEAR_USER_DATA ALLOW_BACKUP ]\n"
        f"    pkgFlags=[ {flags} ALLOW_CLEAR_USER_DATA ALLOW_BACKUP ]\n"
    )


def window(device: DeviceState, _arguments: list[str]) -> str:
    """`dumpsys window`."""
    front = resumed(device)
    focus = f"Window{{5d1a0c u0 {front.package}/{full_name(front)}}}" if front else "null"
    return f"WINDOW MANAGER WINDOWS (dumpsys window windows)\n  mCurrentFocus={focus}\n"


def power(device: DeviceState, _arguments: list[str]) -> str:
    """`dumpsys power`."""
    return f"POWER MANAGER (dumpsys power)\n  mWakefulness={'Awake' if device.screen_on else 'Asleep'}\n"


def webviewupdate(device: DeviceState, _arguments: list[str]) -> str:
    """`dumpsys webviewupdate`."""
    current = f"({device.webview.package}, {device.webview.version})" if device.webview else "null"
    return f"Current WebView Update Service state\n  Current WebView package (name, version): {current}\n"


def resumed(device: DeviceState) -> EmulatedApp | None:
    """Return the app in front."""
    return device.apps.get(device.processes.front or "")


def record(app: EmulatedApp) -> str:
    """Return an activity as the activity manager prints it."""
    return f"ActivityRecord{{7a3b5c1 u0 {app.component} t12}}"


def full_name(app: EmulatedApp) -> str:
    """Return the class of an app's activity."""
    return app.package + app.activity if app.activity.startswith(".") else app.activity


SERVICES: dict[str, Callable[[DeviceState, list[str]], str]] = {
    "activity": activity,
    "package": package,
    "power": power,
    "webviewupdate": webviewupdate,
    "window": window,
}
