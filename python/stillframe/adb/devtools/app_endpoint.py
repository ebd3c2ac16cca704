"""The DevTools socket of one process on a device: what it lists, and WebSockets to its pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stillframe.adb.devtools import devtools_http
from stillframe.adb.devtools.diagnosis import diagnose
from stillframe.adb.devtools.targets import DevtoolsTarget, EndpointVersion, parse_targets, parse_version
from stillframe.cdp.transport import WebSocketTransport

if TYPE_CHECKING:
    from stillframe.adb.adb_device import AdbDevice
    from stillframe.adb.devtools.probes import Probes
    from stillframe.adb.devtools.socket_listing import FoundSocket
    from stillframe.errors import SessionLost

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
