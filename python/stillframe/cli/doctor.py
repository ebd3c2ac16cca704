"""`stillframe doctor`: checks what stillframe needs on this machine, and how to get what is missing."""

from __future__ import annotations

import logging
import os
import platform
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module, metadata
from pathlib import Path
from typing import Literal

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from stillframe.errors import StillframeError

MIN_PYTHON = (3, 11)
MIN_SHM_MB = 512
"""Below this /dev/shm, Chrome's renderers crash on large pages; Docker's default is 64."""
START_S = 40
"""Seconds that the browser may take to start."""
FONT_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.fonts", "~/.local/share/fonts")
FONT_ENDINGS = frozenset({".ttf", ".otf", ".ttc", ".pfb", ".woff2"})

State = Literal["ok", "missing", "weak", "optional"]
MARKS = {
    "ok": Text("✓", "green"),
    "missing": Text("✗", "bold red"),
    "weak": Text("!", "yellow"),
    "optional": Text("·", "dim"),
}


class Finding(msgspec.Struct, frozen=True):
    """The result of one check; `advice` says how to fix it.

    `state`: ok; missing (and needed); weak (present, but problems are likely); optional (missing, and not needed).
    """

    name: str
    state: State
    found: str
    advice: str = ""


async def run_checks(*, android: bool = False, device: str | None = None) -> list[Finding]:
    """Run all checks; one of them starts a browser and ends it.

    With `android`, adb and at least one device are needed: an adb server is started if none runs, and stays. `device`
    is the serial of the one device that is needed; it implies `android`.
    """
    asked = android or device is not None
    with _warnings_silenced():
        return [python(), *libraries(), core(), *await browser(), *machine(), *await adb(device, asked=asked)]


@contextmanager
def _warnings_silenced() -> Iterator[None]:
    """Keep warnings out of the log: the findings repeat them."""
    log = logging.getLogger("stillframe")
    before = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(before)


# -- software ------------------------------------------------------------------------------------


def python() -> Finding:
    """Check the version of Python."""
    version = platform.python_version()
    if sys.version_info >= MIN_PYTHON:
        return Finding("python", "ok", version)
    return Finding("python", "missing", version, "install Python {}.{} or newer".format(*MIN_PYTHON))


LIBRARIES = ("msgspec", "websockets", "rapidfuzz", "ada-url", "idna", "h11", "python-dotenv", "typer", "rich")


def libraries() -> Iterator[Finding]:
    """Check that each required library is installed."""
    for name in LIBRARIES:
        try:
            yield Finding(name, "ok", metadata.version(name))
        except metadata.PackageNotFoundError:
            yield Finding(name, "missing", "not installed", "pip install 'stillframe[cli]'")


def core() -> Finding:
    """Check that the compiled core can be imported."""
    try:
        module = import_module("stillframe._core")
    except ImportError as error:
        return Finding("native core", "missing", str(error), "build it with make setup, or reinstall stillframe")
    return Finding("native core", "ok", Path(str(module.__file__)).name)


async def browser() -> list[Finding]:
    """Check that there is a browser and that it starts."""
    from stillframe.extend import browsers

    try:
        found = browsers.find_executable()
    except StillframeError as error:
        return [Finding("browser", "missing", "not found", str(error))]
    where = Finding("browser", "ok", f"{found.path} (from {found.source})")
    return [where, *await started()]


async def started() -> list[Finding]:
    """Check that the browser starts, and that its sandbox is on."""
    from stillframe.extend import browsers, time_limit

    try:
        async with time_limit(START_S), browsers.launched(browsers.LaunchOptions()) as process:
            info = process.info
    except (StillframeError, TimeoutError) as error:
        return [Finding("browser start", "missing", "no", str(error) or f"it took more than {START_S} s")]
    return [Finding("browser start", "ok", info.product), sandbox(info.sandbox)]


def sandbox(on: bool | None) -> Finding:
    """Check whether the sandbox of a browser is on; None is unknown."""
    if on is not False:
        return Finding("sandbox", "ok", "on" if on else "unknown")
    return Finding("sandbox", "weak", "off", "Chrome has no sandbox as root: run as another user for unknown pages")


# -- machine -------------------------------------------------------------------------------------


def machine() -> Iterator[Finding]:
    """Check what a browser needs from the machine."""
    if sys.platform != "linux":
        return
    yield shared_memory(Path("/dev/shm"))  # noqa: S108  only its size is read
    yield fonts(FONT_FOLDERS)


def shared_memory(folder: Path) -> Finding:
    """Check that the shared memory is large enough for large pages."""
    try:
        megabytes = shutil.disk_usage(folder).total // 2**20
    except OSError:
        return Finding("shared memory", "weak", f"no {folder}", "mount it, or launch with --disable-dev-shm-usage")
    if megabytes >= MIN_SHM_MB:
        return Finding("shared memory", "ok", f"{megabytes} MB")
    advice = "large pages may crash: docker run --shm-size=1g, or launch with args=['--disable-dev-shm-usage']"
    return Finding("shared memory", "weak", f"{megabytes} MB", advice)


def fonts(folders: tuple[str, ...]) -> Finding:
    """Check that one of the folders has a font."""
    for folder in folders:
        for _, _, files in os.walk(Path(folder).expanduser()):
            if any(Path(name).suffix in FONT_ENDINGS for name in files):
                return Finding("fonts", "ok", folder)
    return Finding("fonts", "weak", "none", "screenshots show no text: apt install fonts-liberation")


# -- Android -------------------------------------------------------------------------------------


async def adb(serial: str | None = None, *, asked: bool = False) -> list[Finding]:
    """Check adb; unless `asked`, nothing of it is needed, no server is started, and no device is looked into."""
    from stillframe.adb import doctor
    from stillframe.adb.adb_server import AdbServer

    serial = serial or os.environ.get("ANDROID_SERIAL") or None
    try:
        server = AdbServer(start=asked)
    except StillframeError as error:
        return [Finding("adb server", "missing" if asked else "weak", "no address", str(error))]
    return [Finding(*msgspec.structs.astuple(check)) for check in await doctor.checks(server, serial, asked=asked)]


# -- report --------------------------------------------------------------------------------------


def print_findings(findings: list[Finding]) -> None:
    """Print the findings, and what is missing on the last line."""
    console = Console(highlight=False)
    table = Table.grid(padding=(0, 2))
    table.add_column(width=1)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for finding in findings:
        table.add_row(MARKS[finding.state], finding.name, finding.found)
        if finding.advice:
            table.add_row("", "", Text(finding.advice, "dim"))
    console.print(table)
    missing = [finding.name for finding in findings if finding.state == "missing"]
    console.print(f"\nmissing: {', '.join(missing)}" if missing else "\nnothing is missing", style="bold")
