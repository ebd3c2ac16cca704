"""An adb server: its version, its devices, and connections through it to a device."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager, suppress
from typing import TYPE_CHECKING

from stillframe.adb.adb_program import find_adb, start_server
from stillframe.adb.address import AdbAddress, adb_address
from stillframe.adb.device_list import (
    ANSWERING,
    DeviceEntry,
    choose_device,
    find_device,
    parse_devices,
    refusal,
    short,
)
from stillframe.adb.errors import (
    AdbServerDied,
    AdbServerTooOld,
    AdbServerUnavailable,
    AndroidError,
    DeviceConnectFailed,
    DevtoolsSocketGone,
    TransportLost,
)
from stillframe.adb.smart_socket import Cut, NotAdb, Refused, SmartSocket, unavailable
from stillframe.cdp.loop_clock import loop_clock, time_limit
from stillframe.errors import CommandTimeout, ConnectionLost, StillframeError

if TYPE_CHECKING:
    import socket

MIN_VERSION = 38
"""The oldest protocol version that is supported; chromedriver asks for the same one."""
ANSWER_TIMEOUT_S = 3.0
"""Seconds for an answer of the server itself, which knows it: it takes less than 1 ms (measured)."""
CONNECT_DEVICE_TIMEOUT_S = 15.0
"""Seconds for `connect_device`: the server gives up a silent device after 10.0 s (measured)."""
SETTLE_TIMEOUT_S = 1.0
"""Seconds in which a device that was just connected gets to answer; one that trusts this machine takes some ms."""
LOOK_AGAIN_S = 0.25
"""Seconds after which `track_devices` asks: adb 29 reports neither `offline` nor `unauthorized` (measured)."""
LOSS_TIMEOUT_S = 0.5
"""Seconds to find out why a connection broke; the answer takes about 1 ms (measured)."""


class AdbServer:
    """The adb server at `address`, by default the one that the environment names; holds no connection.

    `start` lets `ensure_running` start it, with the program `adb` or else the one that `find_adb` finds.
    """

    def __init__(self, address: AdbAddress | None = None, *, start: bool = True, adb: str | None = None) -> None:
        self.address = adb_address(os.environ) if address is None else address
        self._start = start
        self._adb = adb

    def __repr__(self) -> str:
        return f"AdbServer({self.address})"

    # -- the server ------------------------------------------------------------------------------

    async def ensure_running(self) -> int:
        """Start the server if it does not run and may be started, and return its protocol version.

        Raises AdbServerUnavailable, AdbBinaryMissing if there is no adb to start it with, and AdbServerTooOld. Only a
        server on this machine can be started.
        """
        try:
            return await self.version()
        except AdbServerUnavailable as error:
            if not self._may_start(error):
                raise
        await self._started()
        return await self.version()

    def _may_start(self, error: AdbServerUnavailable) -> bool:
        # A server that accepts connections and does not answer holds the port.
        return self._start and self.address.can_start and isinstance(error.__cause__, ConnectionRefusedError)

    async def _started(self) -> None:
        try:
            await start_server(find_adb(self._adb, os.environ), self.address, os.environ)
        except AdbServerUnavailable:
            # Another program may have started one at the same moment, which makes ours fail.
            if not await self._answers():
                raise

    async def _answers(self) -> bool:
        try:
            await self.version()
        except AdbServerUnavailable:
            return False
        return True

    async def version(self) -> int:
        """Return the protocol version of the server; raises AdbServerUnavailable, and AdbServerTooOld below 38."""
        text = await self._ask("host:version")
        try:
            version = int(text, 16)
        except ValueError:
            raise unavailable(self.address, f"what listens there says version {text[:40]!r}") from None
        if version < MIN_VERSION:
            raise AdbServerTooOld(
                f"the adb server at {self.address} has version {version}, and {MIN_VERSION} is the oldest supported "
                "one: install newer platform-tools, then run `adb kill-server`",
                version=version,
                service="host:version",
            )
        return version

    # -- devices ---------------------------------------------------------------------------------

    async def devices(self) -> list[DeviceEntry]:
        """Return all devices in the server's order, whatever their states; raises AdbServerUnavailable."""
        return parse_devices(await self._ask("host:devices-l"))

    async def track_devices(self) -> AsyncGenerator[list[DeviceEntry], None]:
        """Yield all devices now, and again after each change of their states, at most a quarter of a second late.

        Raises AdbServerUnavailable if no server answers, and AdbServerDied when it ends or stops answering. Iterate
        inside `contextlib.aclosing`, so that the connection closes with the loop.
        """
        with await SmartSocket.connect(self.address) as connection:
            async with self._answering(_TRACK, None, ANSWER_TIMEOUT_S):
                await connection.request(_TRACK)
                entries = _listed(await connection.read_block())
            while True:
                yield entries
                while (newer := await self._next_list(connection)) == entries:
                    pass
                entries = newer

    async def _next_list(self, connection: SmartSocket) -> list[DeviceEntry]:
        """Return what the server reports next, or what it says when asked if it reports nothing for a while."""
        try:
            if not await connection.is_readable(LOOK_AGAIN_S):
                return await self.devices()
            async with time_limit(ANSWER_TIMEOUT_S):
                return _listed(await connection.read_block())
        except (Cut, NotAdb, AdbServerUnavailable, TimeoutError) as error:
            raise self._died("tracking its devices") from error

    async def state(self, serial: str) -> str:
        """Return the state of a device, for example `device` or `offline`; raises DeviceNotFound."""
        # Not `get-state`: adb splits serials with colons, and says nothing of a device that it may not open.
        return find_device(await self.devices(), serial).state

    async def features(self, serial: str) -> frozenset[str]:
        """Return what the server and the device both support, for example `shell_v2`."""
        with await SmartSocket.connect(self.address) as connection:
            await self._switch(connection, serial, ANSWER_TIMEOUT_S)
            async with self._answering("host:features", serial, ANSWER_TIMEOUT_S, switched=True):
                await connection.request("host:features")
                text = (await connection.read_block()).decode("utf-8", "replace")
        return frozenset(text.split(",")) - {""}

    async def connect_device(self, address: str) -> None:
        """Connect the server to a device at `address`, which is `host` or `host:port`, and wait until it answers.

        Raises DeviceConnectFailed, DeviceUnauthorized or DeviceOffline. The wait lasts at most about 15 s: the server
        gives up after 10 s if nothing answers at the address.
        """
        text = (await self._ask(f"host:connect:{address}", address, CONNECT_DEVICE_TIMEOUT_S)).strip()
        outcome, _, serial = text.rpartition(" to ")
        if outcome not in _IN_LIST:
            raise DeviceConnectFailed(
                f"the adb server cannot connect to {address}: it says {text!r}; check the address, and that the device "
                "allows debugging over the network",
                serial=address,
            )
        await self._settled(serial)
        choose_device(await self.devices(), serial)

    async def _settled(self, serial: str) -> None:
        """Wait until a device answers, or for a second."""
        with suppress(TimeoutError):
            async with time_limit(SETTLE_TIMEOUT_S), aclosing(self.track_devices()) as lists:
                async for entries in lists:
                    if any(entry.serial == serial and entry.state in ANSWERING for entry in entries):
                        return

    async def disconnect_device(self, address: str) -> None:
        """End the server's connection to a device at `address`; raises DeviceNotFound if there is none."""
        await self._ask(f"host:disconnect:{address}", address)

    # -- connections to a device -----------------------------------------------------------------

    async def open_service(self, serial: str, service: str, *, timeout: float = 3.0) -> socket.socket:
        """Open a service of a device and return the connected, non-blocking socket, which the caller closes.

        Nothing of the service's own bytes has been read. `timeout` is in seconds. Raises DevtoolsSocketGone if a
        `localabstract:` socket does not exist, AdbFailed if the device refuses another service, CommandTimeout if it
        does not answer, TransportLost or AdbServerDied if the connection breaks, and the error of the device's state.
        """
        until = loop_clock().now() + timeout
        connection = await SmartSocket.connect(self.address)
        try:
            await self._switch(connection, serial, min(timeout, ANSWER_TIMEOUT_S))
            await self._open(connection, serial, service, timeout, until)
        except BaseException:
            connection.close()
            raise
        return connection.detach()

    async def _switch(self, connection: SmartSocket, serial: str, timeout: float) -> None:
        transport = f"host:transport:{serial}"
        async with self._answering(transport, serial, timeout):
            await connection.request(transport)

    async def _open(self, connection: SmartSocket, serial: str, service: str, timeout: float, until: float) -> None:
        try:
            async with time_limit(max(0.0, until - loop_clock().now())):
                await connection.request(service)
        except Refused as error:
            raise await self._device_refusal(serial, service, error.text) from None
        except (Cut, NotAdb) as error:
            raise await self.loss(serial, f"opening {short(service)}") from error
        except TimeoutError:
            raise CommandTimeout(
                f"{serial} did not open {short(service)} within {timeout:g} s: the device is busy, or the app that "
                "owns the socket is frozen or stopped",
                timeout_ms=timeout * 1000,
            ) from None

    async def _device_refusal(self, serial: str, service: str, text: str) -> StillframeError:
        if text != _CLOSED:
            return refusal(serial, service, text)
        # The server says the same when the link breaks meanwhile.
        await self.check_link(serial, f"opening {short(service)}")
        kind, _, name = service.partition(":")
        if kind != "localabstract":
            return refusal(serial, service, text)
        return DevtoolsSocketGone(
            f"no process on {serial} listens at the socket {name!r}: its app ended or started again; look for sockets "
            "again",
            endpoint=f"{serial}:{name}",
        )

    # -- what broke ------------------------------------------------------------------------------

    async def loss(self, serial: str, doing: str) -> ConnectionLost:
        """Return why a connection to a device broke while `doing` something: AdbServerDied or TransportLost.

        Asks the server for at most half a second.
        """
        return self._lost(serial, await self._state_now(serial), doing)

    async def check_link(self, serial: str, doing: str) -> None:
        """Raise AdbServerDied or TransportLost if the device does not answer the server any more.

        A stream that the device ends looks like one that broke, so ask after its end.
        """
        state = await self._state_now(serial)
        if state not in ANSWERING:
            raise self._lost(serial, state, doing)

    def _lost(self, serial: str, state: str | None, doing: str) -> ConnectionLost:
        if state is None:
            return self._died(doing)
        now = f"its state is {state!r} now" if state else "the adb server does not list it any more"
        return TransportLost(
            f"the link to {serial} broke while {doing} ({now}): check its cable or network; adb connects again by "
            "itself when it can",
            serial=serial,
            state=state,
        )

    async def _state_now(self, serial: str) -> str | None:
        """Return the state of a device, "" if the server does not have it, None if the server does not answer."""
        try:
            async with time_limit(LOSS_TIMEOUT_S):
                return await self.state(serial)
        except AndroidError as error:
            return None if isinstance(error, AdbServerUnavailable) else ""
        except TimeoutError:
            return None

    def _died(self, doing: str) -> AdbServerDied:
        return AdbServerDied(
            f"the adb server at {self.address} ended or stopped answering while {doing}: start it again with `adb "
            "start-server`; what was connected through it has to connect again",
            address=str(self.address),
        )

    # -- requests --------------------------------------------------------------------------------

    async def _ask(self, service: str, serial: str | None = None, timeout: float | None = None) -> str:
        """Return the text with which the server answers a request."""
        with await SmartSocket.connect(self.address) as connection:
            async with self._answering(service, serial, ANSWER_TIMEOUT_S if timeout is None else timeout):
                await connection.request(service)
                return (await connection.read_block()).decode("utf-8", "replace")

    @asynccontextmanager
    async def _answering(
        self, service: str, serial: str | None, timeout: float, *, switched: bool = False
    ) -> AsyncIterator[None]:
        """Limit a block that waits for the server itself, and raise what its answer means.

        With `switched`, the connection belongs to the device already, and the server closes it when the device goes.
        """
        try:
            async with time_limit(timeout):
                yield
        except Refused as error:
            raise refusal(serial, service, error.text) from None
        except NotAdb as error:
            raise unavailable(self.address, f"what listens there is no adb server: it sent {error.sample!r}") from None
        except Cut as error:
            if serial is not None and switched:
                raise await self.loss(serial, f"asking for {short(service)}") from error
            raise unavailable(self.address, f"it closed the connection instead of answering {short(service)}") from None
        except TimeoutError:
            raise unavailable(
                self.address, f"it did not answer {short(service)} within {timeout:g} s; it may be stopped"
            ) from None


_TRACK = "host:track-devices-l"
_IN_LIST = frozenset({"connected", "already connected", "failed to authenticate"})
"""How the server's answer starts if it lists the device now; a device may allow debugging a moment after the third."""
_CLOSED = "closed"
"""The only reason that a device ever gives for refusing a service (measured with adb 29 and 36)."""


def _listed(block: bytes) -> list[DeviceEntry]:
    return parse_devices(block.decode("utf-8", "replace"))
