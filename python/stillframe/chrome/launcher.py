"""Launching a browser: from options to a connection that has answered."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import socket
import sys
from collections.abc import AsyncIterator
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
from stillframe.chrome.launch_errors import Ending, launch_failure
from stillframe.chrome.options import LaunchOptions, checked, launch_options
from stillframe.chrome.owned_process import Keeper, within
from stillframe.chrome.process import Process, spawn
from stillframe.chrome.profile import Profile, sweep
from stillframe.errors import ConnectFailed, LaunchFailed, StillframeError

LISTENING = re.compile(r"^DevTools listening on (ws://\S+)", re.MULTILINE)
NOT_LISTENING = re.compile(r"^.*Cannot start http server for devtools.*$", re.MULTILINE)
# A browser that is about to exit closes its pipe first; its exit status and last words may take this long after that.
EXIT_GRACE_S = 1.0
# Removing what earlier kills left behind runs beside the launch; it never makes one later by more than this.
SWEEP_GRACE_S = 0.5
# A browser that does not know CBOR says so within a second; the second start has this long at least.
LEAST_RETRY_S = 1.0
# A Unix socket address holds 107 bytes, and Chrome puts a lock's socket 43 bytes below its temporary directory.
MAX_SCRATCH_PATH = 60


class BrowserProcess:
    """A browser that we launched: `connection` to talk to it, `info` about it, `aclose` to end it.

    When it ends by itself (crash, kill), the connection is lost at once and the clean-up runs without being asked.
    """

    def __init__(self, keeper: Keeper, connection: Connection, info: BrowserInfo, options: LaunchOptions) -> None:
        self.connection = connection
        self.info = info
        self.options = options
        self._keeper = keeper

    @property
    def pid(self) -> int:
        """The process id, which is also the id of its process group."""
        return self._keeper.process.pid

    @property
    def returncode(self) -> int | None:
        """The exit status; minus the signal number when a signal ended it, None while it runs."""
        return self._keeper.process.returncode

    @property
    def temp_dir(self) -> Path:
        """A directory that is removed with the browser, for files of this launch."""
        return self._keeper.profile.scratch

    @property
    def stderr(self) -> str:
        """The last 64 KiB that the browser wrote to stderr."""
        return self._keeper.process.stderr_tail()

    async def wait_closed(self) -> None:
        """Wait until the browser has ended, for whatever reason, and nothing is left of it."""
        await self._keeper.wait_ended()

    async def aclose(self) -> None:
        """End the browser; returns when no process and no directory is left. Idempotent, safe to cancel."""
        await self._keeper.end()

    async def __aenter__(self) -> BrowserProcess:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


@contextlib.asynccontextmanager
async def launched(options: LaunchOptions | None = None, **named: Any) -> AsyncIterator[BrowserProcess]:
    """Launch a browser for the length of an `async with` block; see `launch`."""
    process = await launch(options, **named)
    try:
        yield process
    finally:
        await process.aclose()


async def launch(options: LaunchOptions | None = None, **named: Any) -> BrowserProcess:
    """Launch a browser over a pipe and return it once it has answered; the caller must `aclose` it.

    Give a LaunchOptions or its fields by name. Raises OptionInvalid, BrowserNotFound, ProfileLocked, and LaunchFailed
    with the browser's last words when it exits or does not answer within `timeout` seconds. Nothing is left behind
    when it raises or is cancelled.

    The browser ends when this process does, however that comes about, also when children forked from it live on.
    """
    chosen = launch_options(**named) if options is None else checked(options)
    if chosen.pipe != "auto":
        return await _launch(chosen)
    began = asyncio.get_running_loop().time()
    try:
        return await _launch(structs.replace(chosen, pipe="cbor"))
    except _JsonOnly:
        left = began + chosen.timeout - asyncio.get_running_loop().time()
        return await _launch(structs.replace(chosen, pipe="json", timeout=max(left, LEAST_RETRY_S)))


class _JsonOnly(LaunchFailed):
    """A browser that was to speak CBOR answers in JSON."""


async def _launch(chosen: LaunchOptions) -> BrowserProcess:
    """Launch a browser whose encoding is chosen."""
    start = _start(chosen)
    sweeping = asyncio.get_running_loop().run_in_executor(None, sweep)
    try:
        async with time_limit(chosen.timeout):
            info = await _introduce(start, chosen)
        await asyncio.wait({sweeping}, timeout=SWEEP_GRACE_S)
    except BaseException as error:
        ending = await _give_up(start, chosen, error)
        if isinstance(start.transport, CborPipeTransport) and start.transport.met_json:
            raise _JsonOnly(f"{start.executable}: {error}", stderr=ending.stderr) from error
        if isinstance(error, TimeoutError | StillframeError):
            raise launch_failure(ending, start.executable, start.keeper.profile) from error
        raise
    return BrowserProcess(start.keeper, start.connection, info, chosen)


class _Start(NamedTuple):
    """A browser that has been spawned and has not answered yet."""

    keeper: Keeper
    connection: Connection
    transport: PipeTransport
    executable: str
    flags: tuple[str, ...]
    sandbox: bool


def _start(options: LaunchOptions) -> _Start:
    """Spawn the browser. Never awaits: what it makes is either owned by the keeper or gone again."""
    if sys.platform == "win32":
        raise LaunchFailed("launching is not supported on Windows yet; start the browser and attach to its port")
    executable = find_executable(options.executable).path
    sandbox = sandbox_wanted(options)
    _check_port_free(options.port)
    profile = _make_profile(options.profile)
    try:
        flags = command_line(options, str(profile.path), sandbox)
        process, pipe = spawn([executable, *flags], _environment(options, profile))
    except BaseException as error:
        profile.remove()
        if isinstance(error, OSError):
            raise LaunchFailed(f"{executable} cannot be started: {error.strerror or error}") from error
        raise
    keeper = Keeper(process, profile)
    kind = PipeTransport if options.pipe == "json" else CborPipeTransport
    transport = kind(pipe.read_fd, pipe.write_fd)
    connection = Connection(transport)
    keeper.farewell = lambda: _say_goodbye(connection)
    return _Start(keeper, connection, transport, executable, flags, sandbox)


async def _introduce(start: _Start, options: LaunchOptions) -> BrowserInfo:
    """Wait for the first answer, and for the port when one was asked for."""
    version = await start.connection.root.send(browser.GetVersion(), timeout=None)
    process = start.keeper.process
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
        profile=str(start.keeper.profile.path),
        sandbox=start.sandbox,
        endpoint=endpoint,
        flags=start.flags,
    )


async def _give_up(start: _Start, options: LaunchOptions, error: BaseException) -> Ending:
    """End a browser that did not come up, and return how it stood before that."""
    process = start.keeper.process
    try:
        # Its exit status and its last words come after the end of the pipe.
        if start.connection.closed and await within(process.exited, EXIT_GRACE_S):
            await within(process.quiet, EXIT_GRACE_S)
        returncode = process.returncode
    finally:
        await start.keeper.end(politely=False)
    timeout = options.timeout if isinstance(error, TimeoutError) else None
    return Ending(returncode, process.stderr_tail(), timeout, str(error))


async def _say_goodbye(connection: Connection) -> None:
    """Ask the browser to close and close our end, which it takes for the same request."""
    if not connection.closed:
        connection.root.post(browser.Close())
    await connection.aclose()


async def _own_endpoint(process: Process, port: int) -> str:
    """Return `http://127.0.0.1:port` once the browser listens there, and it is this browser that answers.

    When another program holds the port on 127.0.0.1, Chrome takes the same number on ::1 without a word, and clients
    would talk to the other program.
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
    """Wait until the browser has written its websocket address to stderr (its port file stays empty on a full disk)."""
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
    """Raise LaunchFailed when a port was asked for by number and another program listens on it."""
    if not port:
        return
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except PermissionError:
            raise LaunchFailed(f"port {port} may not be used by this user: take one above 1023, or 0") from None
        except OSError:
            raise _port_taken(port) from None


def _port_taken(port: int) -> LaunchFailed:
    return LaunchFailed(
        f"port {port} is held by another program: launch with port=0 to get a free one, or attach to "
        f"http://127.0.0.1:{port} if that program is a browser"
    )


def _make_profile(path: str | None) -> Profile:
    try:
        return Profile.make(path)
    except OSError as error:
        where = error.filename or path
        raise LaunchFailed(
            f"cannot make the directory {where!r} for the browser's profile: {error.strerror}; choose another "
            "`profile`, or set TMPDIR to a directory that this user may write to"
        ) from error


def _environment(options: LaunchOptions, profile: Profile) -> dict[str, str]:
    """Return the browser's environment; its temporary files go where they are removed with the launch.

    A killed Chrome leaves the directory of its lock socket in the system's temporary directory for good.
    """
    scratch = {"TMPDIR": str(profile.scratch)} if len(str(profile.scratch)) <= MAX_SCRATCH_PATH else {}
    return {**os.environ, **scratch, **(options.env or {})}
