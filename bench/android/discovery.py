"""Finding devices and their DevTools sockets: this client, adbutils, and the program adb as Appium runs it.

The phone has as many sockets and processes as one that is in use, and answers a command from memory, so the shell of a
phone does not count: what is measured is the client, the adb server and the emulated adbd. All find the same sockets
with the same processes; only ours also learns which apps Android may have frozen.
"""

from __future__ import annotations

import asyncio
import importlib
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

from bench.android.meter import Work, cpu, measured, wall
from bench.android.phone_process import Order, Phone, adb_address, connected_phone
from bench.measure import Table, table
from stillframe.adb.adb_device import AdbDevice
from stillframe.adb.adb_server import AdbServer
from stillframe.adb.device_list import choose_device
from stillframe.adb.devtools.discovery import find_sockets
from stillframe.adb.devtools.socket_listing import LISTING_COMMAND, parse_listing
from stillframe.testing import AdbServerProcess

OURS = "stillframe"
ADBUTILS = "adbutils"
ONE_COMMAND = "adbutils, by transport id, with our command"
PROGRAM = "the program adb"

REPEATS = 5
"""How often a sample asks."""
SLEEPS = "it sleeps 10 ms when it closes a connection"
"""Seen in the source of adbutils 2.12 (`AdbConnection.close`)."""

UNIX, PS = "cat /proc/net/unix", "ps -A"
COMMANDS = (UNIX, PS, LISTING_COMMAND)
"""What the contestants run on the phone."""

_ROW = re.compile(r"^\S+ \S+ \S+ 00010000 0001 01 +\d+ @(\S*_devtools_remote\S*)$", re.MULTILINE)
_BROWSERS = {"chrome_devtools_remote": "com.android.chrome"}


class Owned(NamedTuple):
    """A DevTools socket and its process."""

    socket: str
    pid: int | None
    process: str | None


async def compare_discovery(
    server: AdbServerProcess, phone: Phone, rounds: int, missing: dict[str, str]
) -> list[Table]:
    """List the devices, find the sockets of one, and open a stream to one; `phone` has an app that takes streams."""
    lacking = {ADBUTILS: missing["adbutils"]} if "adbutils" in missing else {}
    async with connected_phone(server, Order(crowd=True)) as crowded:
        with kept_from_starting_a_server():
            questions = _questions(server, crowded, phone, with_adbutils=not lacking)
            return [
                each
                for question, works in questions.items()
                for each in await _compared(question, works, rounds, lacking)
            ]


async def _compared(question: str, works: dict[str, Work], rounds: int, missing: dict[str, str]) -> list[Table]:
    spent = await measured({name: partial(_repeated, work) for name, work in works.items()}, rounds)
    scale = 1e3 / REPEATS
    notes = dict.fromkeys((ADBUTILS, ONE_COMMAND), SLEEPS)
    return [
        table(question, "ms", OURS, wall(spent, scale), missing=missing, notes=notes),
        table(f"client CPU: {question}", "ms", OURS, cpu(spent, scale), missing=missing),
    ]


async def _repeated(work: Work) -> None:
    for _ in range(REPEATS):
        await work()


def _questions(
    server: AdbServerProcess, crowded: Phone, phone: Phone, *, with_adbutils: bool
) -> dict[str, dict[str, Work]]:
    ours, program = Ours(server), Program(server)
    find: dict[str, Work] = {OURS: partial(ours.find, crowded), PROGRAM: partial(program.find, crowded)}
    devices: dict[str, Work] = {OURS: ours.devices, PROGRAM: program.devices}
    opens: dict[str, Work] = {OURS: partial(ours.open, phone)}
    if with_adbutils:
        theirs = Adbutils(server)
        find |= {ADBUTILS: partial(theirs.find, crowded), ONE_COMMAND: partial(theirs.find_at_once, crowded)}
        devices[ADBUTILS] = theirs.devices
        opens[ADBUTILS] = partial(theirs.open, phone)
    return {
        "devices, and the DevTools sockets of one with their processes": find,
        "the list of devices": devices,
        "a stream to a socket, opened and closed": opens,
    }


def check(found: set[Owned], phone: Phone) -> None:
    """Raise AssertionError unless these are the DevTools sockets of the phone and their processes."""
    right = {Owned(socket, *owner) for socket, owner in phone.ready.owners.items()}
    assert found == right, f"found {found}, not {right}"


# -- this client -----------------------------------------------------------------------------------


class Ours:
    """What this client does before it knows the WebViews of a device."""

    def __init__(self, server: AdbServerProcess) -> None:
        self.server = AdbServer(adb_address(server), start=False)

    async def find(self, phone: Phone) -> None:
        """List the devices, and look at the sockets of one with one command."""
        entry = choose_device(await self.server.devices(), phone.serial)
        found = await find_sockets(AdbDevice(self.server, entry.serial))
        check({Owned(each.name, each.pid, each.process) for each in found}, phone)

    async def devices(self) -> None:
        """List the devices with their models."""
        assert any(entry.model == "Pixel_7" for entry in await self.server.devices())

    async def open(self, phone: Phone) -> None:
        """Open a stream."""
        (await AdbDevice(self.server, phone.serial).open_abstract(phone.webview_socket)).close()


# -- adbutils --------------------------------------------------------------------------------------


class Adbutils:
    """What a user of adbutils does for the same; its calls block, and nothing else runs here meanwhile."""

    def __init__(self, server: AdbServerProcess) -> None:
        self.module = importlib.import_module("adbutils")
        self.client = self.module.AdbClient(host="127.0.0.1", port=server.port)

    async def find(self, phone: Phone) -> None:
        """List the devices, and read the table of sockets and that of processes, a command each."""
        device = next(each for each in self.client.device_list() if each.serial == phone.serial)
        check(owned(device.shell(UNIX), device.shell(PS)), phone)

    async def find_at_once(self, phone: Phone) -> None:
        """Do it as fast as adbutils can: by transport id, which saves a question, with one command and our parser."""
        found = next(each for each in self.client.list(extended=True) if each.serial == phone.serial)
        device = self.client.device(transport_id=int(found.tags["transport_id"]))
        listing = parse_listing(device.shell(LISTING_COMMAND, encoding=None))
        check({Owned(each.name, each.pid, each.process) for each in listing.sockets}, phone)

    async def devices(self) -> None:
        """List the devices with their models."""
        assert any(info.tags["model"] == "Pixel_7" for info in self.client.list(extended=True))

    async def open(self, phone: Phone) -> None:
        """Open a stream."""
        device: Any = self.client.device(phone.serial)
        device.create_connection(self.module.Network.LOCAL_ABSTRACT, phone.webview_socket).close()


@contextmanager
def kept_from_starting_a_server() -> Iterator[None]:
    """Keep adbutils from starting an adb server at adb's usual port, as it does if ours does not answer."""
    name, nothing = "ADBUTILS_ADB_PATH", shutil.which("false") or "/bin/false"
    before = os.environ.get(name)
    os.environ[name] = nothing
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


# -- the program adb -------------------------------------------------------------------------------


class Program:
    """What Appium does for the same: it runs adb for each question."""

    def __init__(self, server: AdbServerProcess) -> None:
        self.server = server

    async def find(self, phone: Phone) -> None:
        """List the devices, and read the table of sockets and that of processes."""
        assert f"{phone.serial}\tdevice" in await self._printed("devices")
        shell = partial(self._printed, "-s", phone.serial, "shell")
        check(owned(await shell(UNIX), await shell(PS)), phone)

    async def devices(self) -> None:
        """List the devices with their models."""
        assert "model:Pixel_7" in await self._printed("devices", "-l")

    async def _printed(self, *arguments: str) -> str:
        process = await asyncio.create_subprocess_exec(
            *(self.server.program, "-P", str(self.server.port), *arguments),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            env=self.server.environment,
        )
        output, _ = await process.communicate()
        assert process.returncode == 0, arguments
        return output.decode(errors="replace")


# -- the tables of a phone, for those who have no parser of their own ------------------------------


def owned(unix: str, ps: str) -> set[Owned]:
    """Return the listening DevTools sockets and their processes, from `/proc/net/unix` and `ps -A`."""
    rows = [line.split() for line in ps.replace("\r", "").splitlines()[1:]]
    names = {int(row[1]): row[-1] for row in rows}
    pids = {name: pid for pid, name in names.items()}
    found = set()
    for socket in _ROW.findall(unix.replace("\r", "")):
        numbers = [int(part) for part in socket.split("_") if part.isdecimal()]
        pid = numbers[-1] if numbers else pids.get(_BROWSERS.get(socket, ""))
        found.add(Owned(socket, pid, names.get(pid or 0)))
    return found
