"""The DevTools socket of one process on a device: what it lists, WebSockets to its pages, and why one closed."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING

from stillframe.adb.device_list import ANSWERING, DeviceEntry
from stillframe.adb.devtools import devtools_http
from stillframe.adb.devtools.exit_info import HEADING, parse_exit_info
from stillframe.adb.devtools.loss import Loss, classify
from stillframe.adb.devtools.processes import parse_cmdline
from stillframe.adb.devtools.socket_listing import FROZEN_ADJ, SEPARATOR, FoundSocket, split_sections
from stillframe.adb.devtools.targets import DevtoolsTarget, EndpointVersion, parse_targets, parse_version
from stillframe.adb.devtools.unix_sockets import parse_unix_sockets
from stillframe.adb.errors import AdbServerDied, AdbServerUnavailable, DeviceError, DevtoolsSocketGone
from stillframe.cdp.loop_clock import time_limit
from stillframe.cdp.transport import WebSocketTransport
from stillframe.errors import SessionLost, StillframeError

if TYPE_CHECKING:
    from stillframe.adb.adb_device import AdbDevice
    from stillframe.adb.devtools.probes import Probes

# Finds out why the connection to a page on a device closed, within a second.

__all__ = ["Loss", "classify", "diagnose"]

BUDGET_S = 0.9
"""Seconds for the whole diagnosis: the cause is named within a second. All questions take less than 10 ms together
(measured with an emulated device)."""
EXIT_INFO_S = 0.3
"""Seconds of them for Android to write the record of an exit, which it does some ms after the end of the process."""
LOOK_AGAIN_S = 0.05
"""Seconds between two looks at what may change in a moment."""


async def diagnose(device: AdbDevice, socket: FoundSocket, target_id: str | None, reason: str) -> SessionLost:
    """Return the error that says why a connection to a DevTools socket closed.

    `target_id` is the page of the connection, None for one to the browser; `reason` is what the connection said. Asks
    the adb server, the device and the app, in this order, for at most 0.9 s, and never raises: the error says what
    could not be found out.
    """
    loss = Loss(
        serial=device.serial,
        address=str(device.server.address),
        socket=socket.name,
        reason=reason,
        package=socket.package,
        pid=socket.pid,
        target_id=target_id,
    )
    # The facts found before a failure count.
    with suppress(Exception):
        async with time_limit(BUDGET_S):
            await _inquire(device, socket, loss)
    return classify(loss)


async def _inquire(device: AdbDevice, socket: FoundSocket, loss: Loss) -> None:
    async with aclosing(device.server.track_devices()) as lists:
        await _note_state(lists, loss)
        if loss.state in ANSWERING:
            await _look_while_connected(device, socket, lists, loss)


async def _note_state(lists: AsyncGenerator[list[DeviceEntry], None], loss: Loss) -> None:
    """Read the next list of devices, and note the state of this one and whether the server lives."""
    try:
        entries = await anext(lists)
    except (AdbServerUnavailable, AdbServerDied):
        loss.server_reachable = False
        raise
    loss.server_reachable = True
    loss.state = next((each.state for each in entries if each.serial == loss.serial), "")


async def _look_while_connected(
    device: AdbDevice, socket: FoundSocket, lists: AsyncGenerator[list[DeviceEntry], None], loss: Loss
) -> None:
    """Look at the app until it is clear, or the device goes away: it stays listed for a moment without its cable."""
    leaving = asyncio.ensure_future(_until_gone(lists, loss))
    looking = asyncio.ensure_future(_look_at_app(device, socket, loss))
    try:
        await asyncio.wait({leaving, looking}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        leaving.cancel()
        looking.cancel()
        await asyncio.gather(leaving, looking, return_exceptions=True)


async def _until_gone(lists: AsyncGenerator[list[DeviceEntry], None], loss: Loss) -> None:
    while loss.state in ANSWERING:
        await _note_state(lists, loss)


async def _look_at_app(device: AdbDevice, socket: FoundSocket, loss: Loss) -> None:
    await _look_at_process(device, socket, loss)
    if loss.socket_listed and loss.pid_alive is not False and loss.target_id is not None and not loss.frozen:
        await _look_at_target(device, socket, loss)
    if loss.pid_alive is False:
        await _read_exit_reason(device, loss)


async def _look_at_process(device: AdbDevice, socket: FoundSocket, loss: Loss) -> None:
    """Look until the device answers, or is in a state in which it does not."""
    while not loss.shell_answers and loss.state in ANSWERING:
        try:
            shown = await device.shell(_process_command(socket.pid), timeout=BUDGET_S)
        except StillframeError:
            loss.shell_answers = False
            await asyncio.sleep(LOOK_AGAIN_S)
            # adb 29 does not report to those who track devices that one becomes unauthorized (measured).
            state = await _state_now(device)
            # The server may have announced meanwhile that the device is gone.
            if loss.state in ANSWERING:
                loss.state = state
        else:
            loss.shell_answers = True
            _note_process(shown.stdout, socket, loss)


async def _state_now(device: AdbDevice) -> str:
    try:
        return await device.state()
    except DeviceError:
        return ""


async def _look_at_target(device: AdbDevice, socket: FoundSocket, loss: Loss) -> None:
    try:
        answer = await devtools_http.get(device, socket.name, "/json/list", timeout=BUDGET_S)
        loss.target_listed = any(each.id == loss.target_id for each in parse_targets(answer.body))
    except DevtoolsSocketGone:
        # It was listed just now, so the process is ending.
        loss.shell_answers = None
        await asyncio.sleep(LOOK_AGAIN_S)
        await _look_at_process(device, socket, loss)


async def _read_exit_reason(device: AdbDevice, loss: Loss) -> None:
    if loss.package is None or loss.pid is None:
        return
    command = f"dumpsys activity exit-info {shlex.quote(loss.package)}"
    async with time_limit(EXIT_INFO_S):
        while HEADING in (shown := await device.shell(command, timeout=BUDGET_S)).text:
            loss.exit_reason = parse_exit_info(shown.text, loss.pid)
            if loss.exit_reason:
                return
            await asyncio.sleep(LOOK_AGAIN_S)


def _process_command(pid: int | None) -> str:
    files = ["/proc/net/unix", *([f"/proc/{pid}/oom_score_adj", f"/proc/{pid}/cmdline"] if pid is not None else [])]
    return f"\necho '{SEPARATOR}'\n".join(f"cat {each} 2>/dev/null" for each in files)


def _note_process(output: bytes, socket: FoundSocket, loss: Loss) -> None:
    table, adj, cmdline = [*split_sections(output), b"", b""][:3]
    loss.socket_listed = socket.name in {each.name for each in parse_unix_sockets(table)}
    if socket.pid is not None:
        name = parse_cmdline(cmdline)
        # Another process may have the pid by now.
        loss.pid_alive = bool(name) and (loss.socket_listed or socket.process in (None, name))
        loss.frozen = adj.strip().isdigit() and int(adj) >= FROZEN_ADJ


OPEN_S = 5.0
"""Seconds for a WebSocket to open: it takes some milliseconds, and an app that has just been frozen never answers."""


class AppEndpoint:
    """Asks the DevTools socket of a process; holds no connection itself.

    `probes` remembers which sockets do not answer; all endpoints of a device share it.
    """

    def __init__(self, device: AdbDevice, socket: FoundSocket, probes: Probes) -> None:
        self.device = device
        self.socket = socket
        self._probes = probes

    def __repr__(self) -> str:
        return f"AppEndpoint({self.name})"

    @property
    def name(self) -> str:
        """The serial of the device and the name of the socket."""
        return f"{self.device.serial}:{self.socket.name}"

    async def version(self) -> EndpointVersion:
        """Read `/json/version`; raises the errors of `devtools_http.probe`, and ConnectFailed for another answer."""
        return parse_version(await self._read("/json/version"), endpoint=self.name)

    async def targets(self) -> list[DevtoolsTarget]:
        """Read `/json/list`, the target that was active last first; raises as `version`."""
        return parse_targets(await self._read("/json/list"), endpoint=self.name)

    async def activate(self, target_id: str) -> None:
        """Bring a tab of Chrome to the front; a WebView is refused with DevtoolsRejected."""
        await self._read(f"/json/activate/{target_id}")

    async def _read(self, path: str) -> bytes:
        return (await devtools_http.probe(self.device, self.socket, path, self._probes)).body

    async def open(self, path: str, *, timeout: float = OPEN_S) -> WebSocketTransport:
        """Open a WebSocket to a path such as `/devtools/page/<id>`; raises ConnectFailed and AndroidError."""
        stream = await self.device.open_abstract(self.socket.name)
        return await WebSocketTransport.connect(f"ws://localhost{path}", sock=stream, timeout=timeout)

    async def diagnose(self, target_id: str | None, reason: str) -> SessionLost:
        """Find out why a WebSocket to this socket closed, within a second."""
        return await diagnose(self.device, self.socket, target_id, reason)
