"""Start and stop apps on a device, and find out which one is in front."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stillframe.adb.app_commands import (
    checked_package,
    component,
    focused_package,
    installed_packages,
    launcher_command,
    resolve_command,
    resolved_activity,
    resumed_package,
    start_command,
    start_failure,
)
from stillframe.adb.errors import AppNotRunning, ShellFailed

if TYPE_CHECKING:
    from stillframe.adb.adb_device import AdbDevice, ShellResult

TIMEOUT_S = 15.0
"""Seconds for `am` and `dumpsys`, which take 0.1 to 2 on a phone and some more on one that has just started."""


async def start_app(device: AdbDevice, package: str, activity: str | None = None) -> None:
    """Start an app, or bring it to the front: one of its activities, or what a launcher would start.

    Raises OptionInvalid, AppNotRunning if the app is not installed, ShellFailed if Android refuses, and the errors of
    the device.
    """
    if activity is None:
        await _launch(device, package)
    else:
        await started(device, start_command(package, activity), package)


async def _launch(device: AdbDevice, package: str) -> None:
    resolved = resolved_activity((await device.shell(resolve_command(package), timeout=TIMEOUT_S)).text)
    if resolved is None:
        await started(device, launcher_command(package), package)
    else:
        await started(device, start_command(package, component(package, resolved)), package)


async def started(device: AdbDevice, command: str, package: str) -> str:
    """Run a command that starts an activity and return what it printed; raises AppNotRunning and ShellFailed."""
    result = await device.shell(command, timeout=TIMEOUT_S)
    output = f"{result.text}\n{result.stderr.decode('utf-8', 'replace')}"
    if not result.returncode and not start_failure(output):
        return output
    if not await is_installed(device, package):
        raise AppNotRunning(
            f"{package} is not installed on {device.serial}: install it, for example with `adb install`",
            package=package,
            serial=device.serial,
        )
    raise _refused(device, command, package, result, start_failure(output))


def _refused(device: AdbDevice, command: str, package: str, result: ShellResult, reason: str) -> ShellFailed:
    stderr = result.stderr.decode("utf-8", "replace")
    said = reason or " ".join(f"{result.text} {stderr}".split())[:300] or f"exit code {result.returncode}"
    return ShellFailed(
        f"{package} did not start on {device.serial}: {said}; name an activity that other apps may start",
        command=command,
        returncode=result.returncode,
        stdout=result.text,
        stderr=stderr,
    )


async def stop_app(device: AdbDevice, package: str, *, timeout: float = TIMEOUT_S) -> None:
    """End all processes of an app at once, as "Force stop" in the settings does; no error if it does not run.

    Raises OptionInvalid and the errors of the device.
    """
    await device.shell(f"am force-stop {checked_package(package)}", timeout=timeout)


async def is_installed(device: AdbDevice, package: str) -> bool:
    """Say whether an app is installed for the user of the shell; raises OptionInvalid and the errors of the device."""
    found = await device.shell(f"pm path {checked_package(package)}", timeout=TIMEOUT_S)
    return found.text.lstrip().startswith("package:")


async def installed(device: AdbDevice, *, others_only: bool = False) -> frozenset[str]:
    """Return the packages on the device; `others_only` leaves out those that came with Android."""
    listed = await device.shell(f"pm list packages{' -3' if others_only else ''}", timeout=TIMEOUT_S)
    return installed_packages(listed.text)


async def foreground_package(device: AdbDevice) -> str | None:
    """Return the package in front; None if the device does not say, for example because it is locked."""
    activities = await device.shell("dumpsys activity activities", timeout=TIMEOUT_S)
    if package := resumed_package(activities.text):
        return package
    return focused_package((await device.shell("dumpsys window", timeout=TIMEOUT_S)).text)
