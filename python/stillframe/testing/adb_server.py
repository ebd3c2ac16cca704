r"""The real adb server on a port of its own, for tests.

    async with AdbServerProcess() as server, EmulatedDevice() as device:  # of the distribution stillframe-phone
        await server.connect(device)
        done = await server.adb("-s", device.serial, "shell", "getprop ro.product.model")
        assert done.stdout == b"Pixel 7\n"

It needs the program `adb` (Debian: `apt install adb`). Its keys and settings lie in a folder that is removed at the
end, it does not look for emulators, and it never uses adb's usual port 5037, where a person's own devices are.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
import weakref
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Protocol, Self

from stillframe.adb.adb_program import find_adb
from stillframe.cdp.loop_clock import time_limit

START_S = 10.0
"""Seconds that the server may take to start: 0.05-0.25 s with adb 29, 3.1 s with adb 36 (measured)."""
ATTEMPTS = 3
"""How often a start is tried: another program may take the free port before adb does."""
STATE_S = 12.0
"""Seconds until a device must be in the state that is waited for; adb gives up a silent one after 10 s (measured)."""
CLI_S = 30.0
"""Seconds that one run of the adb program may take."""
END_S = 3.0
"""Seconds that the server has to end after SIGTERM, before SIGKILL; it takes some milliseconds (measured)."""
LOOK_S = 0.01
"""Seconds between two looks at something that changes."""


class ListeningDevice(Protocol):
    """A device whose adbd listens on a TCP port of this machine, such as the phone of `stillframe-phone`."""

    @property
    def port(self) -> int:
        """The TCP port of its adbd."""

    @property
    def serial(self) -> str:
        """The serial under which an adb server lists it after `adb connect`: `127.0.0.1:<port>`."""


class Finished(NamedTuple):
    """The outcome of one run of the adb program."""

    returncode: int
    stdout: bytes
    stderr: bytes


class AdbServerProcess:
    """A server of the installed adb, as an async context manager.

    `program` is the path of adb; by default it is looked for as `stillframe.android()` does. Raises AdbBinaryMissing.
    """

    def __init__(self, program: str | None = None) -> None:
        self.program = find_adb(program, os.environ)
        self.port = 0
        """The port on 127.0.0.1, once the server has started; a server that starts again keeps it."""
        self.home = Path()
        """The folder that the server takes for its user's home, while the server exists."""
        self._process: subprocess.Popen[bytes] | None = None
        self._clean_up: weakref.finalize[..., Any] | None = None

    async def __aenter__(self) -> Self:
        self.home = Path(tempfile.mkdtemp(prefix="stillframe-adb-"))
        self._clean_up = weakref.finalize(self, shutil.rmtree, self.home, ignore_errors=True)
        try:
            await self.start()
        except BaseException:
            await self.aclose()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    @property
    def address(self) -> str:
        """Where the server listens: `127.0.0.1:<port>`."""
        return f"127.0.0.1:{self.port}"

    @property
    def pid(self) -> int | None:
        """The pid of the server, None while it does not run."""
        return None if self._process is None else self._process.pid

    @property
    def environment(self) -> dict[str, str]:
        """The environment of this process, changed so that any adb tool uses this server."""
        inherited = {name: value for name, value in os.environ.items() if name not in DROPPED}
        home = str(self.home)
        return {
            **inherited,
            "HOME": home,
            "ANDROID_SDK_HOME": home,
            "ANDROID_ADB_SERVER_PORT": str(self.port),
            "ADB_LOCAL_TRANSPORT_MAX_PORT": "5553",  # below the first emulator's, so it looks for none
        }

    # -- the process

    async def start(self) -> None:
        """Start the server unless it runs, on the same port as before.

        Raises:
            OSError: It does not start.
        """
        if self._process is not None:
            return
        for _ in range(1 if self.port else ATTEMPTS):
            port, self.port = self.port, self.port or free_port()
            self._process = spawn(self.program, self.port, self.environment)
            if await self._answers():
                return
            await self.stop()
            self.port = port
        raise OSError(f"the adb server of {self.program} did not start; its output:\n{self.log()}")

    async def _answers(self) -> bool:
        """Wait until the server answers; False if it ends or takes too long."""
        assert self._process is not None
        with contextlib.suppress(TimeoutError):
            async with time_limit(START_S):
                while self._process.poll() is None:
                    with contextlib.suppress(OSError, EOFError):
                        await self.query("host:version")
                        return True
                    await asyncio.sleep(LOOK_S)
        return False

    async def stop(self) -> None:
        """End the server, as a crash or `adb kill-server` does: all its connections break. Idempotent."""
        process, self._process = self._process, None
        if process is not None:
            await asyncio.shield(asyncio.to_thread(end, process))

    async def aclose(self) -> None:
        """End the server and remove its folder. Idempotent."""
        await self.stop()
        if self._clean_up is not None:
            self._clean_up()

    def log(self) -> str:
        """Return what the server has printed."""
        try:
            return (self.home / LOG).read_text(errors="replace")
        except FileNotFoundError:
            return ""

    # -- devices

    async def connect(self, device: ListeningDevice, *, state: str = "device") -> None:
        """Connect to a device and wait until it is in a state.

        Args:
            device: The device.
            state: The state, as `adb devices` names it.

        Raises:
            ConnectionError: The server refuses.
            TimeoutError: The device is not in that state after 12 s.
        """
        asking = asyncio.ensure_future(self.query(f"host:connect:{device.serial}"))
        waiting = asyncio.ensure_future(self.wait_for_state(device.serial, state))
        try:
            # While a device does not answer, the request waits for 10 s, but the state can be seen.
            await asyncio.wait({asking, waiting}, return_when=asyncio.FIRST_COMPLETED)
            if asking.done() and (answer := asking.result()).startswith("failed to connect") and not waiting.done():
                raise ConnectionError(f"the adb server at {self.address}: {answer}")
            await waiting
        finally:
            await cancelled(asking, waiting)

    async def plug_in(self, device: ListeningDevice) -> str:
        """Connect to a device as adb does to an emulator, wait until it is online, and return its serial.

        Such a device leaves the list when its connection breaks, like one on USB; one in the network stays there as
        `offline`. The serial is `emulator-<port - 1>`.

        Args:
            device: The device.

        Raises:
            TimeoutError: It is not online after 12 s.
        """
        serial = f"emulator-{device.port - 1}"
        reader, writer = await self._send(f"host:emulator:{device.port}")
        try:
            await reader.read()  # the server closes the connection without an answer (measured)
        finally:
            writer.transport.abort()
        await self.wait_for_state(serial, "device")
        return serial

    async def disconnect(self, device: ListeningDevice) -> None:
        """Let the server forget a device.

        Args:
            device: The device.

        Raises:
            ConnectionError: The server does not know it.
        """
        await self.query(f"host:disconnect:{device.serial}")

    async def devices(self) -> dict[str, str]:
        """Return the states of all devices by serial."""
        return parsed(await self.query("host:devices"))

    async def wait_for_state(self, serial: str, state: str | None, *, timeout: float = STATE_S) -> None:
        """Wait until a device is in a state.

        It asks again and again, because adb 29 does not report to `host:track-devices` that a device becomes
        unauthorized (measured).

        Args:
            serial: The serial of the device.
            state: The state, as `adb devices` names it; None for absent.
            timeout: The limit of the wait, in seconds.

        Raises:
            TimeoutError: It is not in that state after `timeout`.
        """
        seen: str | None = None
        try:
            async with time_limit(timeout):
                while True:
                    if (seen := (await self.devices()).get(serial)) == state:
                        return
                    await asyncio.sleep(LOOK_S)
        except TimeoutError as failure:
            raise TimeoutError(
                f"{serial} is {seen or 'absent'}, not {state or 'absent'}, after {timeout} s"
            ) from failure

    # -- requests

    async def query(self, service: str) -> str:
        """Return the answer of a service of the server.

        Args:
            service: The service, `host:...`.

        Raises:
            ConnectionError: The server refuses, with the text of its FAIL.
            EOFError: The server ends.
        """
        reader, writer = await self._open(service)
        try:
            return await block(reader)
        finally:
            writer.transport.abort()

    async def _open(self, service: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await self._send(service)
        try:
            await self._check_accepted(service, reader)
        except BaseException:
            writer.transport.abort()
            raise
        return reader, writer

    async def _check_accepted(self, service: str, reader: asyncio.StreamReader) -> None:
        if await reader.readexactly(4) != b"OKAY":
            raise ConnectionError(f"the adb server at {self.address} refused {service}: {await block(reader)}")

    async def _send(self, service: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(f"{len(service.encode()):04x}{service}".encode())
        return reader, writer

    async def adb(self, *arguments: str, stdin: bytes = b"") -> Finished:
        """Run the adb program against this server.

        Args:
            *arguments: The arguments of the program.
            stdin: What it reads.

        Raises:
            TimeoutError: It has not ended after 30 s.
        """
        command = [self.program, "-P", str(self.port), *arguments]
        run = asyncio.to_thread(
            subprocess.run, command, input=stdin, capture_output=True, env=self.environment, check=False, timeout=CLI_S
        )
        try:
            done = await run
        except subprocess.TimeoutExpired as failure:
            raise TimeoutError(f"adb {' '.join(arguments)} did not end in {CLI_S} s") from failure
        return Finished(done.returncode, done.stdout, done.stderr)


LOG = "adb-server.log"
DROPPED = frozenset(
    {"ANDROID_SERIAL", "ADB_SERVER_SOCKET", "ANDROID_ADB_SERVER_ADDRESS", "ADB_VENDOR_KEYS", "ADB_TRACE"}
)
"""Variables that would lead adb to other servers, devices or keys."""


def free_port() -> int:
    """Return a port of 127.0.0.1 that no program uses at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def spawn(program: str, port: int, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """Start the server in the foreground of a process of its own, with its output in a file."""
    with Path(environment["HOME"], LOG).open("ab") as log:
        return subprocess.Popen(  # noqa: S603 - the program that the test chose
            [program, "-P", str(port), "nodaemon", "server"],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=dict(environment),
            start_new_session=True,  # an interrupt of the test run must not end it before its clean-up
        )


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process and collect it."""
    process.terminate()
    try:
        process.wait(END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


async def block(reader: asyncio.StreamReader) -> str:
    """Read a text after its length in four hexadecimal digits. Raises EOFError when the server ends."""
    size = int(await reader.readexactly(4), 16)
    return (await reader.readexactly(size)).decode(errors="replace")


def parsed(listing: str) -> dict[str, str]:
    r"""Return the states of `host:devices` by serial.

    >>> parsed("127.0.0.1:40001\tdevice\nR58M\tno permissions; see [http://...]\n")
    {'127.0.0.1:40001': 'device', 'R58M': 'no permissions; see [http://...]'}
    """
    return {serial: state for serial, _, state in (line.partition("\t") for line in listing.splitlines())}


async def cancelled(*tasks: asyncio.Future[Any]) -> None:
    """Cancel tasks and wait for their end."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
