"""Finding a Chrome or Chromium to run.

Pure but for the file system and the environment, both of which are arguments of the inner functions.
"""

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

# Stable channels first: a farm wants the version that the web is tested with.
NAMES = (
    "google-chrome-stable",
    "google-chrome",
    "chromium",
    "chromium-browser",
    "chrome",
    "microsoft-edge",
)

# Where installers put it when they do not put it on PATH. `{X}` is an environment variable.
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


class Found(msgspec.Struct, frozen=True):
    """A browser executable and how it was found.

    `source` is `argument`, `environment` (STILLFRAME_CHROME), `path` (a well-known name on PATH) or `place`
    (a well-known absolute path).
    """

    path: str
    source: Source


def find_executable(explicit: str | os.PathLike[str] | None = None) -> Found:
    """Return the browser to run: `explicit`, STILLFRAME_CHROME, a name on PATH, or a well-known place.

    Raises BrowserNotFound. A path that was named but cannot be run is an error; no other one is taken instead.
    """
    if explicit is not None:
        return Found(_named(os.fspath(explicit), "the option `executable`"), "argument")
    if chosen := os.environ.get(ENVIRONMENT_VARIABLE):
        return Found(_named(chosen, f"the environment variable {ENVIRONMENT_VARIABLE}"), "environment")
    for name in NAMES:
        if path := shutil.which(name):
            return Found(path, "path")
    places = tuple(_places(sys.platform, os.environ))
    for place in places:
        if _why_not(place) is None:
            return Found(place, "place")
    raise _nothing_found(places)


def read_version(executable: str, timeout: float = 10.0) -> str | None:
    """Return what `executable --version` prints, or None when it prints nothing in `timeout` seconds.

    Blocks; meant for reports. On Windows Chrome answers `--version` by opening a window, so None is returned there.
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
    """Return the path that `text` names; a bare word is looked up on PATH."""
    path = os.path.expanduser(text)
    if os.sep not in path and (on_path := shutil.which(path)):
        return on_path
    if (problem := _why_not(path)) is None:
        return os.path.abspath(path)
    advice = f"correct it, or leave it out to let stillframe look for a browser ({', '.join(NAMES[:4])}, …)"
    raise BrowserNotFound(f"{origin} names {path!r}, but {problem}: {advice}", tried=(path,))


def _why_not(path: str) -> str | None:
    """Say why `path` cannot be run, or None when it can."""
    if not os.path.exists(path):
        return "there is no such file"
    if os.path.isdir(path):
        return "that is a directory"
    return None if os.access(path, os.X_OK) else "that file is not executable for this user"


def _places(platform: str, environ: Mapping[str, str]) -> Iterator[str]:
    """Yield the well-known absolute paths of a platform, leaving out those whose variable is not set."""
    for place in PLACES.get(platform, ()):
        try:
            yield place.format_map({**environ, "HOME": str(Path.home())})
        except KeyError:
            continue


def _nothing_found(places: tuple[str, ...]) -> BrowserNotFound:
    install = INSTALL_HINTS.get(sys.platform, "install Chrome or Chromium")
    return BrowserNotFound(
        f"no Chrome or Chromium found: none of {', '.join(NAMES)} is on PATH and none of the usual places holds "
        f"one; {install}, or set {ENVIRONMENT_VARIABLE} to the path of a browser",
        tried=(*NAMES, *places),
    )
