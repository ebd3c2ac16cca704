"""One device of an adb server: commands in its shell, files, and connections to its sockets."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

from stillframe.adb import shell_protocol, sync_protocol
from stillframe.adb.device_list import short
from stillframe.adb.errors import AdbFailed, ShellFailed
from stillframe.adb.smart_socket import Cut, SmartSocket
from stillframe.cdp.loop_clock import time_limit
from stillframe.errors import CommandTimeout, StillframeError

if TYPE_CHECKING:
    import socket

    from stillframe.adb.adb_server import AdbServer

SHELL_TIMEOUT_S = 10.0
"""Seconds for a command by default: most take some tens of ms, `uiautomator dump` up to 3 s."""
TRANSFER_TIMEOUT_S = 10.0
"""Seconds in which at least one packet of a file must pass, which has at most 64 KiB."""
MAX_ANSWER_BYTES = 256 * 1024 * 1024
"""The most that a command may print and that a file may hold: both are kept in memory."""


class ShellResult(NamedTuple):
    """What a command printed, and its exit status; None if the device does not say (before Android 7)."""

    stdout: bytes
    stderr: bytes
    returncode: int | None

    @property
    def text(self) -> str:
        """What the command printed to its standard output."""
        return self.stdout.decode("utf-8", "replace")


class AdbDevice:
    """The device with this serial at an adb server; holds no connection, so it is usable again after a reconnect."""

    def __init__(self, server: AdbServer, serial: str) -> None:
        self.server = server
        self.serial = serial
        self._features: frozenset[str] | None = None

    def __repr__(self) -> str:
        return f"AdbDevice({self.serial!r}, {self.server})"

    async def state(self) -> str:
        """Return the state of the device, for example `device` or `offline`.

        Raises:
            DeviceNotFound: The server does not list it.
        """
        return await self.server.state(self.serial)

    # -- commands --------------------------------------------------------------------------------

    async def shell(self, command: str, *, timeout: float = SHELL_TIMEOUT_S, check: bool = False) -> ShellResult:
        """Run a command in the shell of the device, without input, and return its outcome.

        Devices before Android 7 mix both outputs and tell no exit status, so nothing can be checked there.

        Args:
            command: The command line.
            timeout: The limit of the call, in seconds: 10 by default.
            check: Whether an exit status other than 0 is an error.

        Raises:
            ShellFailed: With `check`, the exit status is not 0.
            CommandTimeout: The command takes longer than `timeout`.
            TransportLost: The link breaks before the command ends.
        """
        async with self._limited(f"the command {short(command)}", timeout):
            result = await self._shell(command)
        if check and result.returncode:
            raise _failed(self.serial, command, result)
        return result

    async def _shell(self, command: str) -> ShellResult:
        if not await self._has_shell_v2():
            # Not `shell:`, whose terminal turns every line feed into two characters before Android 7.
            return ShellResult(await self._everything(f"exec:{command}"), b"", None)
        output = shell_protocol.ShellOutput()
        async with self._stream(shell_protocol.SERVICE + command) as stream:
            with suppress(Cut):  # a short command may have ended; its output can still be read then
                await stream.send(shell_protocol.NO_INPUT)
            while output.returncode is None:
                if not (chunk := await stream.read_some()):
                    raise await self.server.loss(self.serial, f"running {short(command)}")
                output.feed(chunk)
                self._check_size(output.size, f"running {short(command)}")
        return ShellResult(bytes(output.stdout), bytes(output.stderr), output.returncode)

    async def _has_shell_v2(self) -> bool:
        """Ask once what the device can do; a serial keeps its version of Android."""
        if self._features is None:
            self._features = await self.server.features(self.serial)
        return shell_protocol.FEATURE in self._features

    async def exec_out(self, command: str, *, timeout: float = SHELL_TIMEOUT_S) -> bytes:
        """Run a command without a shell protocol and return the bytes that it prints, for example of a picture.

        Args:
            command: The command line.
            timeout: The limit of the call, in seconds: 10 by default.

        Raises:
            CommandTimeout: The command takes longer than `timeout`.
            TransportLost: The link breaks meanwhile.
        """
        async with self._limited(f"the command {short(command)}", timeout):
            return await self._everything(f"exec:{command}")

    async def _everything(self, service: str) -> bytes:
        """Return what a service sends until it closes; a link that breaks looks the same, so ask for it."""
        content = bytearray()
        async with self._stream(service) as stream:
            while chunk := await stream.read_some():
                content += chunk
                self._check_size(len(content), f"running {short(service)}")
        await self.server.check_link(self.serial, f"running {short(service)}")
        return bytes(content)

    # -- files -----------------------------------------------------------------------------------

    async def push(self, content: bytes, path: str, *, mode: int = 0o644) -> None:
        """Write a file on the device; one that exists is replaced, and missing directories are made.

        Args:
            content: The bytes of the file.
            path: Where it goes on the device.
            mode: Its permissions.

        Raises:
            OptionInvalid: The path cannot be one.
            AdbFailed: The device refuses; the message has its reason.
            CommandTimeout: Nothing passes for ten seconds.
            TransportLost: The link breaks meanwhile.
        """
        packets = sync_protocol.send_request(content, path, mode, int(time.time()))
        reply = await self._sync(packets, f"writing {path!r}")
        if reply.content:
            raise self._sync_failed(f"writing {path!r}", "it answered with the content of a file")

    async def pull(self, path: str) -> bytes:
        """Return the content of a file on the device.

        Args:
            path: Where it is on the device.

        Raises:
            OptionInvalid: The path cannot be one.
            AdbFailed: The device refuses; the message has its reason.
            CommandTimeout: Nothing passes for ten seconds.
            TransportLost: The link breaks meanwhile.
        """
        reply = await self._sync([sync_protocol.receive_request(path)], f"reading {path!r}")
        return bytes(reply.content)

    async def _sync(self, packets: Iterable[bytes], doing: str) -> sync_protocol.SyncReply:
        reply = sync_protocol.SyncReply()
        async with self._stream(sync_protocol.SERVICE) as stream:
            # A device that refuses may close at once; what it says can still be read then.
            with suppress(Cut):
                await self._send_all(stream, packets, doing)
            await self._receive(stream, reply, doing)
            with suppress(Cut):
                await stream.send(sync_protocol.QUIT)
        if reply.step is sync_protocol.SyncProgress.FAILED:
            raise self._sync_failed(doing, reply.reason)
        return reply

    async def _send_all(self, stream: SmartSocket, packets: Iterable[bytes], doing: str) -> None:
        for packet in packets:
            async with self._limited(doing, TRANSFER_TIMEOUT_S):
                await stream.send(packet)

    async def _receive(self, stream: SmartSocket, reply: sync_protocol.SyncReply, doing: str) -> None:
        while reply.step is sync_protocol.SyncProgress.MORE:
            async with self._limited(doing, TRANSFER_TIMEOUT_S):
                chunk = await stream.read_some()
            if not chunk:
                raise await self.server.loss(self.serial, doing)
            reply.feed(chunk)
            self._check_size(len(reply.content), doing)

    def _sync_failed(self, doing: str, reason: str) -> AdbFailed:
        return AdbFailed(f"{doing} on {self.serial} failed: {reason}", service=sync_protocol.SERVICE, reason=reason)

    # -- connections -----------------------------------------------------------------------------

    async def open(self, service: str, *, timeout: float = 3.0) -> socket.socket:
        """Open a service of the device; see `AdbServer.open_service`.

        Args:
            service: The name of the service.
            timeout: The limit of the call, in seconds.
        """
        return await self.server.open_service(self.serial, service, timeout=timeout)

    async def open_abstract(self, name: str, *, timeout: float = 3.0) -> socket.socket:
        """Connect to a socket in the abstract namespace of the device; see `open`.

        Args:
            name: The name of the socket, without `@`.
            timeout: The limit of the call, in seconds.
        """
        return await self.open(f"localabstract:{name}", timeout=timeout)

    @asynccontextmanager
    async def _stream(self, service: str) -> AsyncIterator[SmartSocket]:
        with SmartSocket(await self.open(service)) as stream:
            yield stream

    @asynccontextmanager
    async def _limited(self, doing: str, timeout: float) -> AsyncIterator[None]:
        try:
            async with time_limit(timeout):
                yield
        except StillframeError:
            raise  # some are TimeoutErrors as well, but this limit did not raise them
        except TimeoutError:
            raise CommandTimeout(
                f"{self.serial}: {doing} took more than {timeout:g} s: raise the time limit, or look at what "
                "the device is doing",
                timeout_ms=timeout * 1000,
            ) from None

    def _check_size(self, size: int, doing: str) -> None:
        if size > MAX_ANSWER_BYTES:
            reason = f"more than {MAX_ANSWER_BYTES >> 20} MiB arrived"
            raise AdbFailed(f"{doing} on {self.serial} was stopped: {reason}", service=doing, reason=reason)


def _failed(serial: str, command: str, result: ShellResult) -> ShellFailed:
    stderr = result.stderr.decode("utf-8", "replace")
    said = (stderr or result.text).strip() or "it printed nothing"
    return ShellFailed(
        f"the command {short(command)} on {serial} ended with {result.returncode}: {said[-500:]}",
        command=command,
        returncode=result.returncode,
        stdout=result.text,
        stderr=stderr,
    )
