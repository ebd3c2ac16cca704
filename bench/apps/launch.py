"""Starting an application on loopback and ending it, with all the processes that it started."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

import aiohttp
from aiohttp import web

from bench.apps import install

SITES = Path(__file__).parent / "sites"
START_S = 120.0
"""Seconds that an application may take to answer: JupyterLab needs ten on a quiet machine."""
PREPARE_S = 180.0
STOP_S = 5.0
LOG_LINES = 20


class AppFailed(RuntimeError):
    """An application did not start; the message ends with what it printed last."""


class Program(NamedTuple):
    """An application that is a program of the virtual environment, or with `node` one of the npm packages.

    `command` follows the interpreter; `{port}`, `{data}` (an empty folder of its own), `{npm}` (the folder of the
    packages) and `{sites}` are filled in, also in the commands of `prepare`, which run before it.
    """

    command: tuple[str, ...]
    prepare: tuple[tuple[str, ...], ...] = ()
    node: bool = False


class Pages(NamedTuple):
    """An application that is files: a folder under `sites`, if there is one, with the npm packages at `/npm`.

    `bundle` names a file of the folder that esbuild makes `/bundle.js` of. `build` are commands of the virtual
    environment that make the files in `{data}` instead; they may name `{npm}`, the folder of the packages, and
    `{sources}`. Paths of the form `routes`, as aiohttp takes it, show the first page: applications route by them.
    """

    folder: str | None = None
    bundle: str | None = None
    build: tuple[tuple[str, ...], ...] = ()
    routes: str | None = None


@asynccontextmanager
async def started(served: Program | Pages, *, port: int | None = None) -> AsyncIterator[str]:
    """Start an application and yield its origin. Raises AppFailed, NotInstalled if an install step fails."""
    with tempfile.TemporaryDirectory(prefix="bench-apps-", ignore_cleanup_errors=True) as data:
        start = _program if isinstance(served, Program) else _pages
        async with start(served, Path(data), port or _free_port()) as origin:  # type: ignore[arg-type]
            yield origin


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


# -- programs -------------------------------------------------------------------------------------


@asynccontextmanager
async def _program(served: Program, data: Path, port: int) -> AsyncIterator[str]:
    await asyncio.to_thread(install.npm_packages if served.node else install.python_packages)
    interpreter = "node" if served.node else str(install.PYTHON)
    for command in served.prepare:
        await _prepared(_filled(command, data, port, interpreter), data)
    log = data / "log.txt"
    process = _begin(_filled(served.command, data, port, interpreter), data, log)
    try:
        await _answers(f"http://127.0.0.1:{port}/", process, log)
        yield f"http://127.0.0.1:{port}"
    finally:
        await asyncio.to_thread(_end, process)


def _begin(command: list[str], data: Path, log: Path) -> subprocess.Popen[bytes]:
    with log.open("wb") as out:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            cwd=data,
            env=_environment(data),
            start_new_session=True,
        )


def _filled(command: Sequence[str], data: Path, port: int, interpreter: str) -> list[str]:
    places = {"port": port, "data": data, "sites": SITES, "npm": install.NODE_MODULES, "sources": install.SOURCES}
    return [interpreter, *(part.format(**places) for part in command)]


def _environment(data: Path) -> dict[str, str]:
    """The environment without the settings of the user who runs the bench, and without the network."""
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "LC_ALL", "TZ")}
    return {**kept, "HOME": str(data), "PYTHONUNBUFFERED": "1", "GRADIO_ANALYTICS_ENABLED": "False"}


async def _prepared(command: list[str], data: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        cwd=data,
        env=_environment(data),
    )
    try:
        said, _ = await asyncio.wait_for(process.communicate(), PREPARE_S)
    except TimeoutError:
        process.kill()
        raise AppFailed(f"{' '.join(command)} took more than {PREPARE_S:g} s") from None
    if process.returncode:
        raise AppFailed(f"{' '.join(command)} ended with {process.returncode}:\n{_tail(said)}")


async def _answers(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until the application answers any request, a refusal included."""
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=5)) as client, asyncio.timeout(START_S):
        while True:
            if process.poll() is not None:
                raise _ended(process, log)
            with suppress(aiohttp.ClientError, TimeoutError):
                async with client.get(url, allow_redirects=False):
                    return
            await asyncio.sleep(0.2)


def _ended(process: subprocess.Popen[bytes], log: Path) -> AppFailed:
    return AppFailed(f"{process.args} ended with {process.returncode}:\n{_tail(log.read_bytes())}")


def _tail(said: bytes) -> str:
    return "\n".join(said.decode(errors="replace").splitlines()[-LOG_LINES:])


def _end(process: subprocess.Popen[bytes]) -> None:
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(STOP_S)
            break
    with suppress(ProcessLookupError):  # what it started and did not end
        os.killpg(process.pid, signal.SIGKILL)


# -- files ----------------------------------------------------------------------------------------


NEEDED = {"{npm}": install.npm_packages, "{sources}": install.sources}
"""What installs a place that commands name."""


@asynccontextmanager
async def _pages(served: Pages, data: Path, port: int) -> AsyncIterator[str]:
    app = web.Application()
    root = await (_built(served, data, port) if served.build else _from_npm(served, data, app))
    if root is not None:
        first = partial(_file, root / "index.html")
        app.router.add_get("/", first)
        if served.routes is not None:
            app.router.add_get(served.routes, first)
        app.router.add_get("/{folder:.+}/", partial(_index, root))
        app.router.add_static("/", root)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", port).start()
        yield f"http://127.0.0.1:{port}"
    finally:
        await runner.cleanup()


async def _built(served: Pages, data: Path, port: int) -> Path:
    await asyncio.to_thread(install.python_packages)
    for place, get in NEEDED.items():
        if any(place in part for command in served.build for part in command):
            await asyncio.to_thread(get)
    for command in served.build:
        await _prepared(_filled(command, data, port, str(install.PYTHON)), data)
    return data / (served.folder or "")


async def _from_npm(served: Pages, data: Path, app: web.Application) -> Path | None:
    await asyncio.to_thread(install.npm_packages)
    app.router.add_static("/npm/", install.NODE_MODULES)
    if served.folder is None:
        return None
    root = SITES / served.folder
    if served.bundle is not None:
        await asyncio.to_thread(_bundle, root / served.bundle, data / "bundle.js")
        app.router.add_get("/bundle.js", partial(_file, data / "bundle.js"))
    return root


async def _index(root: Path, request: web.Request) -> web.FileResponse:
    """Return the page of a folder, which static routes do not have."""
    page = _page_of(root, request.match_info["folder"])
    if page is None:
        raise web.HTTPNotFound
    return web.FileResponse(page)


def _page_of(root: Path, folder: str) -> Path | None:
    page = (root / folder / "index.html").resolve()
    return page if page.is_relative_to(root.resolve()) and page.is_file() else None


async def _file(path: Path, _: web.Request) -> web.FileResponse:
    return web.FileResponse(path)


def _bundle(entry: Path, out: Path) -> None:
    command = [
        str(install.NODE_MODULES / ".bin" / "esbuild"),
        str(entry),
        "--bundle",
        f"--outfile={out}",
        "--jsx=automatic",
        "--format=iife",
        "--define:process.env.NODE_ENV='production'",
        "--log-level=error",
    ]
    env = {**os.environ, "NODE_PATH": str(install.NODE_MODULES)}
    done = subprocess.run(command, env=env, capture_output=True, check=False, timeout=PREPARE_S)
    if done.returncode:
        raise AppFailed(f"esbuild could not bundle {entry.name}:\n{_tail(done.stderr)}")
