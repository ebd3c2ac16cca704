"""The adb program of this machine, which is needed only to start an adb server."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from stillframe.adb.errors import AdbBinaryMissing
from stillframe.adb.smart_socket import unavailable
from stillframe.cdp.loop_clock import time_limit

if TYPE_CHECKING:
    from stillframe.adb.address import AdbAddress

START_TIMEOUT_S = 10.0
"""Seconds for `adb start-server`: adb 29 takes up to 0.3 s, adb 36 took 3.1 s with cold caches (measured)."""

SDK_VARIABLES = ("ANDROID_HOME", "ANDROID_SDK_ROOT")
"""The environment variables that name an Android SDK; the second one is the older."""

_SDK_PLACES: Mapping[str, tuple[str, ...]] = {
    "linux": ("~/Android/Sdk", "/usr/lib/android-sdk", "/opt/android-sdk"),
    "darwin": ("~/Library/Android/sdk",),
}
"""Where Android Studio and Debian put the SDK when no variable names it."""

_OVERRIDING = ("ADB_SERVER_SOCKET", "ANDROID_ADB_SERVER_ADDRESS", "ANDROID_ADB_SERVER_PORT")
"""The variables with which adb would take another server for its own, or refuse to start one."""

_INSTALL = (
    "install platform-tools (Debian and Ubuntu: `apt-get install adb`; macOS: `brew install android-platform-tools`)"
)


def find_adb(explicit: str | os.PathLike[str] | None, environ: Mapping[str, str]) -> str:
    """Return the path of adb: `explicit`, on the PATH of `environ`, in the SDK that it names, or in a usual place.

    Raises AdbBinaryMissing, also if `explicit` cannot be run: there is no fallback from it.
    """
    if explicit is not None:
        return _named(os.fspath(explicit), environ)
    if found := shutil.which("adb", path=environ.get("PATH", os.defpath)):
        return found
    places = tuple(_places(environ))
    for place in places:
        if _can_run(place):
            return place
    raise AdbBinaryMissing(
        f"no adb to start a server with: there is none on PATH and none at {', '.join(places) or 'the usual places'}; "
        f"{_INSTALL}, or set {SDK_VARIABLES[0]} to the path of an Android SDK",
        tried=("PATH", *places),
    )


def _named(text: str, environ: Mapping[str, str]) -> str:
    path = os.path.expanduser(text)
    if os.sep not in path:
        path = shutil.which(path, path=environ.get("PATH", os.defpath)) or path
    if _can_run(path):
        return os.path.abspath(path)
    raise AdbBinaryMissing(
        f"the option `adb` names {text!r}, which this user cannot run: correct it, or leave it out to "
        "let stillframe search",
        tried=(path,),
    )


def _places(environ: Mapping[str, str]) -> Iterator[str]:
    sdks = [environ[name] for name in SDK_VARIABLES if environ.get(name)]
    home = environ.get("HOME") or os.path.expanduser("~")
    usual = [place.replace("~", home, 1) for place in _SDK_PLACES.get(sys.platform, ())]
    for sdk in dict.fromkeys([*sdks, *usual]):
        yield os.path.join(sdk, "platform-tools", "adb")


def _can_run(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)


async def start_server(adb: str, address: AdbAddress, environ: Mapping[str, str]) -> None:
    """Start an adb server at the port of `address` with the program `adb`, and return when it listens.

    The server is a daemon that stays, like one that adb's own commands start. Raises AdbServerUnavailable with adb's
    output if it fails or takes more than ten seconds.
    """
    # Not a pipe: the server inherits it, and a pipe that stays open would look like a program that still writes.
    with tempfile.TemporaryFile() as output:
        try:
            async with time_limit(START_TIMEOUT_S):
                returncode = await _run([adb, "-P", str(address.port), "start-server"], environ, output.fileno())
        except TimeoutError:
            raise unavailable(address, f"{adb} start-server took more than {START_TIMEOUT_S:g} s") from None
        except OSError as error:
            raise AdbBinaryMissing(f"{adb} does not run ({error}): {_INSTALL}", tried=(adb,)) from error
        output.seek(0)
        text = output.read().decode("utf-8", "replace").strip()
    if returncode != 0:
        raise unavailable(address, f"{adb} start-server failed with {returncode}: {text or 'it printed nothing'}")


async def _run(arguments: list[str], environ: Mapping[str, str], output: int) -> int:
    """Run a program to its end and return its exit status; kill it if the caller is cancelled."""
    kept = {name: value for name, value in environ.items() if name not in _OVERRIDING}
    process = await asyncio.create_subprocess_exec(
        *arguments, stdin=asyncio.subprocess.DEVNULL, stdout=output, stderr=output, env=kept
    )
    try:
        return await process.wait()
    except BaseException:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()  # not long: nothing survives this signal
        raise
