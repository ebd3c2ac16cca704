"""Finding the executable of a Chrome or Chromium."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

import msgspec

from stillframe.errors import BrowserNotFound

ENVIRONMENT_VARIABLE = "STILLFRAME_CHROME"

# Stable channels first: sites are tested with them.
NAMES = (
    "google-chrome-stable",
    "google-chrome",
    "chromium",
    "chromium-browser",
    "chrome",
    "microsoft-edge",
)

# Where installers put browsers that are not on PATH. `{X}` is an environment variable.
PLACES: Mapping[str, tuple[str, ...]] = {
    "linux": (
        "/opt/google/chrome/chrome",
        "/usr/lib/chromium/chromium",
        "/usr/lib/chromium-browser/chromium-browser",
        "/snap/bin/chromium",
        "/opt/microsoft/msedge/msedge",
    ),
    "darwin": (
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        "{HOME}/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        "/Applications/Chromium.app/Contents/MacOS/Chromium",
        "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    ),
    "win32": (
        r"{PROGRAMFILES}\Google\Chrome\Application\chrome.exe",
        r"{PROGRAMFILES(X86)}\Google\Chrome\Application\chrome.exe",
        r"{LOCALAPPDATA}\Google\Chrome\Application\chrome.exe",
        r"{LOCALAPPDATA}\Chromium\Application\chrome.exe",
        r"{PROGRAMFILES(X86)}\Microsoft\Edge\Application\msedge.exe",
    ),
}

INSTALL_HINTS: Mapping[str, str] = {
    "linux": "install one (Debian and Ubuntu: `apt-get install chromium`)",
    "darwin": "install one (`brew install --cask google-chrome`)",
    "win32": "install one (`winget install Google.Chrome`)",
}

Source = Literal["argument", "environment", "path", "place"]


class Executable(msgspec.Struct, frozen=True):
    """The path of a browser and how it was found.

    `source` is `argument`, `environment` (STILLFRAME_CHROME), `path` (a well-known name on PATH) or `place`
    (a well-known absolute path).
    """

    path: str
    source: Source


def find_executable(explicit: str | os.PathLike[str] | None = None) -> Executable:
    """Return the browser to run: `explicit`, STILLFRAME_CHROME, a known name on PATH, or a known installation path.

    Raises BrowserNotFound, also if an explicit path cannot be run: there is no fallback from it.
    """
    if explicit is not None:
        return Executable(_named(os.fspath(explicit), "the option `executable`"), "argument")
    if chosen := os.environ.get(ENVIRONMENT_VARIABLE):
        return Executable(_named(chosen, f"the environment variable {ENVIRONMENT_VARIABLE}"), "environment")
    for name in NAMES:
        if path := shutil.which(name):
            return Executable(path, "path")
    places = tuple(_places(sys.platform, os.environ))
    for place in places:
        if _why_not(place) is None:
            return Executable(place, "place")
    raise _nothing_found(places)


def read_version(executable: str, timeout: float = 10.0) -> str | None:
    """Return the output of `executable --version`, or None if there is none within `timeout` seconds.

    Blocks; meant for reports. Returns None on Windows, where Chrome opens a window instead.
    """
    if sys.platform == "win32":
        return None
    try:
        done = subprocess.run(  # noqa: S603 -- the caller's own browser
            [executable, "--version"], capture_output=True, text=True, timeout=timeout, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() or None


def _named(text: str, origin: str) -> str:
    """Return the path for `text`; look up a bare name on PATH."""
    path = os.path.expanduser(text)
    if os.sep not in path and (on_path := shutil.which(path)):
        return on_path
    if (problem := _why_not(path)) is None:
        return os.path.abspath(path)
    advice = f"correct it, or remove it to let stillframe search for a browser ({', '.join(NAMES[:4])}, …)"
    raise BrowserNotFound(f"{origin} names {path!r}, but {problem}: {advice}", tried=(path,))


def _why_not(path: str) -> str | None:
    """Return why `path` cannot be run, or None if it can."""
    if not os.path.exists(path):
        return "that file does not exist"
    if os.path.isdir(path):
        return "that path is a directory"
    return None if os.access(path, os.X_OK) else "this user may not execute that file"


def _places(platform: str, environ: Mapping[str, str]) -> Iterator[str]:
    """Yield the known installation paths of a platform, except those whose variable is not set."""
    for place in PLACES.get(platform, ()):
        try:
            yield place.format_map({**environ, "HOME": str(Path.home())})
        except KeyError:
            continue


def _nothing_found(places: tuple[str, ...]) -> BrowserNotFound:
    install = INSTALL_HINTS.get(sys.platform, "install Chrome or Chromium")
    return BrowserNotFound(
        f"no Chrome or Chromium found: none of {', '.join(NAMES)} is on PATH, and none is in the usual places; "
        f"{install}, or set {ENVIRONMENT_VARIABLE} to the path of a browser",
        tried=(*NAMES, *places),
    )
