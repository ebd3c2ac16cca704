"""Launching a browser: from options to a connection that has answered."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import socket
import sys
from collections.abc import AsyncIterator, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from msgspec import structs

from stillframe.cdp import Connection
from stillframe.cdp.loop_clock import time_limit
from stillframe.cdp.transport import CborPipeTransport, PipeTransport
from stillframe.cdp_types import browser
from stillframe.chrome.browser_info import BrowserInfo
from stillframe.chrome.endpoint import find_websocket, parse_endpoint
from stillframe.chrome.executable import find_executable
from stillframe.chrome.flags import command_line, sandbox_wanted
from stillframe.chrome.launch_errors import FailedLaunch, launch_error
from stillframe.chrome.options import LaunchOptions, launch_options, validated
from stillframe.chrome.owned_process import OwnedProcess, destroy, within
from stillframe.chrome.process import PipeEnds, Process, spawn
from stillframe.chrome.profile import Profile, remove_stale_profiles
from stillframe.errors import ConnectFailed, LaunchFailed, StillframeError

LISTENING = re.compile(r"^DevTools listening on (ws://\S+)", re.MULTILINE)
NOT_LISTENING = re.compile(r"^.*Cannot start http server for devtools.*$", re.MULTILINE)
EXIT_GRACE_S = 1.0
"""Seconds to wait for the exit status and the last lines of stderr: an exiting browser closes its pipe first."""
STALE_PROFILES_S = 0.5
"""Seconds by which removing the profiles of killed clients may delay a launch; the removal runs beside it."""
MIN_RETRY_S = 1.0
"""Seconds that the second start has at least, after a browser without CBOR; such a browser says so within a second."""
MAX_SCRATCH_PATH = 60
"""Characters of a usable TMPDIR: Chrome puts a Unix socket 43 bytes below it, and a socket address holds 107 bytes."""


class BrowserProcess:
    """A launched browser: `connection` to talk to it, `info` about it, `aclose` to end it.

    If it exits by itself (crash, kill), the connection is lost at once and the clean-up starts on its own.
    """

    def __init__(self, owned: OwnedProcess, connection: Connection, info: BrowserInfo, options: LaunchOptions) -> None:
        self.connection = connection
        self.info = info
        self.options = options
        self._owned = owned

    @property
    def pid(self) -> int:
        """The process id, which is also the id of the process group."""
        return self._owned.process.pid

    @property
    def returncode(self) -> int | None:
        """The exit status as in `subprocess.Popen`: negative for a signal, None while the browser runs."""
        return self._owned.process.returncode

    @property
    def temp_dir(self) -> Path:
        """A directory for files of this launch; it is removed with the browser."""
        return self._owned.profile.scratch

    @property
    def stderr(self) -> str:
        """The last 64 KiB that the browser wrote to stderr."""
        return self._owned.process.stderr_tail()

    async def wait_closed(self) -> None:
        """Wait until the browser has ended for any reason and nothing of it is left."""
        await self._owned.wait_ended()

    async def aclose(self) -> None:
        """End the browser and return when no process and no directory is left. Idempotent, and safe to cancel."""
        await self._owned.end()

    async def __aenter__(self) -> BrowserProcess:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


@contextlib.asynccontextmanager
async def launched(options: LaunchOptions | None = None, **named: Any) -> AsyncIterator[BrowserProcess]:
    """Launch a browser for the duration of an `async with` block; see `launch`."""
    process = await launch(options, **named)
    try:
        yield process
    finally:
        await process.aclose()


async def launch(options: LaunchOptions | None = None, **named: Any) -> BrowserProcess:
    """Launch a browser over a pipe and return it once it has answered; the caller must `aclose` it.

    Pass a LaunchOptions or its fields by name. Raises OptionInvalid, BrowserNotFound, ProfileLocked, and LaunchFailed
    with the end of stderr if the browser exits or does not answer within `timeout_ms`. If it raises or is
    cancelled, nothing is left behind.

    The browser exits with this process, however that ends, even if forked children of this process live on.
    """
    chosen = launch_options(**named) if options is None else validated(options)
    if chosen.pipe != "auto":
        return await _launch(chosen)
    began = asyncio.get_running_loop().time()
    try:
        return await _launch(structs.replace(chosen, pipe="cbor"))
    except _NoCbor:
        left = began + chosen.timeout_ms / 1000 - asyncio.get_running_loop().time()
        return await _launch(structs.replace(chosen, pipe="json", timeout_ms=max(left, MIN_RETRY_S) * 1000))


class _NoCbor(LaunchFailed):
    """The browser answered in JSON although it was started with a CBOR pipe."""


async def _launch(chosen: LaunchOptions) -> BrowserProcess:
    """Launch a browser with `chosen.pipe` decided."""
    start = _start(chosen)
    removing = asyncio.get_running_loop().run_in_executor(None, remove_stale_profiles)
    try:
        async with time_limit(chosen.timeout_ms / 1000):
            info = await _identify(start, chosen)
        await asyncio.wait({removing}, timeout=STALE_PROFILES_S)
    except BaseException as error:
        failed = await _give_up(start, chosen, error)
        if isinstance(start.transport, CborPipeTransport) and start.transport.received_json:
            raise _NoCbor(f"{start.executable}: {error}", stderr=failed.stderr) from error
        if isinstance(error, TimeoutError | StillframeError):
            raise launch_error(failed, start.executable, start.owned.profile) from error
        raise
    return BrowserProcess(start.owned, start.connection, info, chosen)


class _Start(NamedTuple):
    """A spawned browser that has not answered yet."""

    owned: OwnedProcess
    connection: Connection
    transport: PipeTransport
    executable: str
    flags: tuple[str, ...]
    sandbox: bool


def _start(options: LaunchOptions) -> _Start:
    """Spawn the browser without awaiting; on an error, nothing is left."""
    if sys.platform == "win32":
        raise LaunchFailed(
            "launching is not supported on Windows yet; start a browser with --remote-debugging-port and connect to it"
        )
    executable = find_executable(options.executable).path
    sandbox = sandbox_wanted(options)
    _check_port_free(options.port)
    profile = _make_profile(options.profile)
    with contextlib.ExitStack() as on_error:
        on_error.callback(profile.remove)
        flags = command_line(options, str(profile.path), sandbox)
        process, pipe = _spawn(executable, flags, _environment(options, profile))
        on_error.callback(destroy, process.popen, os.getpid(), profile)
        on_error.callback(process.release)
        transport = (PipeTransport if options.pipe == "json" else CborPipeTransport)(pipe.read_fd, pipe.write_fd)
        connection = Connection(transport)
        owned = OwnedProcess(process, profile, partial(_request_exit, connection))
        on_error.pop_all()
    return _Start(owned, connection, transport, executable, flags, sandbox)


def _spawn(executable: str, flags: tuple[str, ...], environment: dict[str, str]) -> tuple[Process, PipeEnds]:
    try:
        return spawn([executable, *flags], environment)
    except OSError as error:
        raise LaunchFailed(f"{executable} cannot be started: {error.strerror or error}") from error


async def _identify(start: _Start, options: LaunchOptions) -> BrowserInfo:
    """Wait for the browser's version, and for its port if one is wanted."""
    version = await start.connection.root.send(browser.GetVersion(), timeout=None)
    process = start.owned.process
    endpoint = None if options.port is None else await _own_endpoint(process, options.port)
    return BrowserInfo(
        product=version.product,
        protocol_version=version.protocol_version,
        revision=version.revision,
        user_agent=version.user_agent,
        js_version=version.js_version,
        transport="pipe",
        encoding="json" if options.pipe == "json" else "cbor",
        launched=True,
        executable=start.executable,
        pid=process.pid,
        profile=str(start.owned.profile.path),
        sandbox=start.sandbox,
        endpoint=endpoint,
        flags=start.flags,
    )


async def _give_up(start: _Start, options: LaunchOptions, error: BaseException) -> FailedLaunch:
    """End a browser that failed to start, and return its state before that."""
    process = start.owned.process
    try:
        # The exit status and the last lines of stderr come after the end of the pipe.
        if start.connection.closed and await within(process.exited, EXIT_GRACE_S):
            await within(process.stderr_closed, EXIT_GRACE_S)
        returncode = process.returncode
    finally:
        await start.owned.end(gracefully=False)
    expired = isinstance(error, TimeoutError) and not isinstance(error, StillframeError)
    timeout = options.timeout_ms / 1000 if expired else None
    return FailedLaunch(returncode, process.stderr_tail(), timeout, str(error))


async def _request_exit(connection: Connection) -> None:
    """Ask the browser to close, and close our end of the pipe, which asks the same."""
    if not connection.closed:
        connection.root.post(browser.Close())
    await connection.aclose()


async def _own_endpoint(process: Process, port: int) -> str:
    """Return `http://127.0.0.1:port` once this browser, and not another program, answers there.

    If another program holds the port on 127.0.0.1, Chrome silently takes the same number on ::1, and clients would
    talk to the other program.
    """
    announced = urlsplit(await _announced(process))
    if announced.hostname != "127.0.0.1":
        raise _port_taken(port)
    endpoint = f"http://{announced.netloc}"
    try:
        answered = await find_websocket(parse_endpoint(endpoint), endpoint)
    except ConnectFailed as error:
        raise _port_taken(port) from error
    if urlsplit(answered).path != announced.path:
        raise _port_taken(port)
    return endpoint


async def _announced(process: Process) -> str:
    """Wait for the browser's WebSocket URL on stderr (its port file stays empty on a full disk)."""
    grown = asyncio.Event()
    undo = process.on_stderr(grown.set)
    try:
        while (found := LISTENING.search(process.stderr_tail())) is None:
            if refused := NOT_LISTENING.search(process.stderr_tail()):
                raise LaunchFailed(f"the browser could not open its DevTools port: {refused[0]}")
            grown.clear()
            await grown.wait()
        return found[1]
    finally:
        undo()


def _check_port_free(port: int | None) -> None:
    """Raise LaunchFailed if another program listens on the wanted port."""
    if not port:
        return
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except PermissionError:
            raise LaunchFailed(f"this user may not open port {port}: choose one above 1023, or 0") from None
        except OSError:
            raise _port_taken(port) from None


def _port_taken(port: int) -> LaunchFailed:
    return LaunchFailed(
        f"another program holds port {port}: launch with port=0 to get a free one, or connect to "
        f"http://127.0.0.1:{port} if that program is a browser"
    )


def _make_profile(path: str | None) -> Profile:
    with _writing_profile(path):
        return Profile.make(path)


@contextlib.contextmanager
def _writing_profile(path: str | None = None) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        where = error.filename or path
        raise LaunchFailed(
            f"cannot create the directory {where!r} for the browser's profile: {error.strerror}; choose another "
            "`profile`, or set TMPDIR to a directory that this user may write to"
        ) from error


def _environment(options: LaunchOptions, profile: Profile) -> dict[str, str]:
    """Return the browser's environment, with TMPDIR in the directory that is removed after the launch.

    A killed Chrome leaves the directory of its lock socket in TMPDIR. A headless browser on Linux also gets the
    stand-in for xdg-settings there. Raises LaunchFailed.
    """
    scratch = {"TMPDIR": str(profile.scratch)} if len(str(profile.scratch)) <= MAX_SCRATCH_PATH else {}
    environment = {**os.environ, **scratch, **(options.env or {})}
    if options.headless and sys.platform == "linux":
        with _writing_profile():
            environment["PATH"] = with_stand_in(profile.home / "bin", environment.get("PATH", os.defpath))
    return environment


# A stand-in for `xdg-settings`, by which Chrome on Linux learns which program opens an address such as `slack://…`.
#
# Chrome asks the user in a window of its own before it starts that program. A headless browser shows the window to
# nobody, and while it is open the page takes no input at all. Chrome asks nobody, and starts nothing, if it is that
# program itself (measured). So a headless browser finds this script first on its PATH.

SCRIPT = "#!/bin/sh\necho yes\n"
"""Answers `xdg-settings check …`. Chrome believes any reply that starts with yes, if the exit status is 0."""


def with_stand_in(directory: Path, path: str) -> str:
    """Create the script in a new `directory` and return `path` with it in front. Raises OSError."""
    directory.mkdir(mode=0o700)
    script = directory / "xdg-settings"
    script.write_text(SCRIPT)
    script.chmod(0o700)
    return os.pathsep.join((str(directory), path))
