"""Requests to an adb server and its answers, over one TCP connection each.

A request is the length of a service's name as four hexadecimal digits, and the name. The answer is `OKAY`, or `FAIL`
and a text with such a length in front. After the service `host:transport:…` the connection belongs to the device, and
a second request on it goes there.
"""

from __future__ import annotations

import asyncio
import socket
from types import TracebackType
from typing import NamedTuple

from stillframe.adb.address import AdbAddress
from stillframe.adb.errors import AdbServerUnavailable
from stillframe.cdp.loop_clock import time_limit
from stillframe.errors import OptionInvalid

CONNECT_TIMEOUT_S = 1.0
"""Seconds to connect to an adb server: a local one accepts within 0.1 ms (measured)."""
MAX_SERVICE_BYTES = 0xFFFF
"""The longest name of a service: its length is written with four hexadecimal digits."""
CHUNK_BYTES = 256 * 1024
"""How much one read may return; adb sends packets of up to 1 MiB (AOSP, `MAX_PAYLOAD`) in pieces of this order."""

_KEEP_ALIVE = {"TCP_KEEPIDLE": 10, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 3}
"""Seconds of silence, seconds between two questions, and questions without an answer, after which a machine is gone.

An adb server may be on another machine, and neither its streams nor CDP over them say anything while nothing happens.
"""

OKAY = b"OKAY"
FAIL = b"FAIL"


class Refused(Exception):
    """The adb server or the device answered `FAIL`; `text` says why."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class Cut(Exception):
    """The connection closed before the answer was complete; `received` is the part that arrived."""

    def __init__(self, received: bytes = b"") -> None:
        super().__init__(f"closed after {len(received)} bytes")
        self.received = received


class NotAdb(Exception):
    """What answers is not an adb server; `sample` is what it sent."""

    def __init__(self, sample: bytes) -> None:
        super().__init__(repr(sample))
        self.sample = sample


def encode_request(service: str) -> bytes:
    """Return the bytes that ask for a service; raises OptionInvalid if its name cannot be sent."""
    try:
        name = service.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise OptionInvalid(f"{service[:80]!r} cannot be sent to adb: {error}", option="service") from None
    if len(name) > MAX_SERVICE_BYTES:
        raise OptionInvalid(
            f"{service[:80]!r}… has {len(name)} bytes, and adb takes at most {MAX_SERVICE_BYTES}: push a file with the "
            "text instead",
            option="service",
        )
    return b"%04x" % len(name) + name


def parse_length(digits: bytes) -> int:
    """Return the length that four hexadecimal digits stand for; raises NotAdb if they are something else."""
    # int() accepts signs, spaces, underscores and a prefix as well.
    if len(digits) == 4 and all(digit in b"0123456789abcdefABCDEF" for digit in digits):
        return int(digits, 16)
    raise NotAdb(digits)


class SmartSocket:
    """One connection to an adb server; a context manager that closes it.

    Nothing is read beyond what was asked for, so that `detach` hands over a connection at a known position. Requests
    and reads wait without a limit: callers limit them.
    """

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._loop = asyncio.get_running_loop()

    @classmethod
    async def connect(cls, address: AdbAddress) -> SmartSocket:
        """Connect to the adb server at `address`; raises AdbServerUnavailable if that takes more than a second."""
        try:
            async with time_limit(CONNECT_TIMEOUT_S):
                return cls(await _connected(address))
        except TimeoutError as error:
            raise unavailable(address, f"nothing accepts a connection within {CONNECT_TIMEOUT_S:g} s") from error
        except ConnectionRefusedError as error:
            raise unavailable(address, "nothing listens there") from error
        except (OSError, UnicodeError) as error:
            raise unavailable(address, str(error)) from error

    def __enter__(self) -> SmartSocket:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    async def request(self, service: str) -> None:
        """Ask for a service and wait until it is granted; raises Refused, Cut or NotAdb."""
        await self.send(encode_request(service))
        status = await self.read_exactly(4)
        if status == FAIL:
            raise Refused((await self.read_block()).decode("utf-8", "replace"))
        if status != OKAY:
            raise NotAdb(status)

    async def read_block(self) -> bytes:
        """Return the next block with a length in front; raises Cut or NotAdb."""
        return await self.read_exactly(parse_length(await self.read_exactly(4)))

    async def read_exactly(self, size: int) -> bytes:
        """Return exactly `size` bytes; raises Cut if fewer arrive."""
        received = bytearray()
        while len(received) < size:
            chunk = await self.read_some(min(size - len(received), CHUNK_BYTES))
            if not chunk:
                raise Cut(bytes(received))
            received += chunk
        return bytes(received)

    async def read_some(self, size: int = CHUNK_BYTES) -> bytes:
        """Return what has arrived, at most `size` bytes and at least one; nothing if the other side has closed."""
        try:
            return await self._loop.sock_recv(self._sock, size)
        except ConnectionError:
            return b""

    async def is_readable(self, within: float) -> bool:
        """Return whether something arrives, or the other side closes, within some seconds; reads nothing."""
        readable = asyncio.Event()
        self._loop.add_reader(self._sock, readable.set)
        try:
            async with time_limit(within):
                await readable.wait()
        except TimeoutError:
            return False
        finally:
            self._loop.remove_reader(self._sock)
        return True

    async def send(self, content: bytes) -> None:
        """Send all of `content`; raises Cut if the other side has closed."""
        try:
            await self._loop.sock_sendall(self._sock, content)
        except ConnectionError:
            raise Cut from None

    def detach(self) -> socket.socket:
        """Hand the connected, non-blocking socket over to the caller, who closes it."""
        return self._sock

    def close(self) -> None:
        """Close the connection at once; does nothing if it is closed."""
        self._sock.close()


def unavailable(address: AdbAddress, why: str) -> AdbServerUnavailable:
    """Return the error for an address at which no adb server answers; `why` says what happened."""
    start = f"adb -P {address.port} start-server" if address.port != AdbAddress().port else "adb start-server"
    advice = (
        f"run `{start}`, or let stillframe start it"
        if address.can_start
        else "start one there, and check ADB_SERVER_SOCKET and ANDROID_ADB_SERVER_ADDRESS"
    )
    return AdbServerUnavailable(f"no adb server answers at {address} ({why}): {advice}", address=str(address))


# -- connecting ----------------------------------------------------------------------------------


class _Candidate(NamedTuple):
    family: int
    sockaddr: tuple[object, ...]


async def _connected(address: AdbAddress) -> socket.socket:
    """Connect to the first address of the host that accepts; raises the error of the first one that does not."""
    errors: list[OSError] = []
    for candidate in await _candidates(address):
        try:
            return await _connect_to(candidate)
        except OSError as error:
            errors.append(error)
    raise errors[0] if errors else OSError(f"{address.host!r} has no address")


async def _candidates(address: AdbAddress) -> list[_Candidate]:
    # Only names of other machines need the resolver, and with it a thread.
    literals = ("127.0.0.1", "::1") if address.host == "localhost" else (address.host,)
    try:
        found = [
            entry
            for literal in literals
            for entry in socket.getaddrinfo(
                literal, address.port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV
            )
        ]
    except socket.gaierror:
        found = await asyncio.get_running_loop().getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
    return [_Candidate(family, sockaddr) for family, _, _, _, sockaddr in found]


async def _connect_to(candidate: _Candidate) -> socket.socket:
    sock = socket.socket(candidate.family, socket.SOCK_STREAM)
    try:
        sock.setblocking(False)
        _set_options(sock)
        await asyncio.get_running_loop().sock_connect(sock, candidate.sockaddr)
        _check_peer(sock)
    except BaseException:
        sock.close()
        raise
    return sock


def _check_peer(sock: socket.socket) -> None:
    """Raise ConnectionRefusedError for a connection to itself: it may get the free local port that it asked for."""
    if sock.getsockname() == sock.getpeername():
        raise ConnectionRefusedError("the connection leads back to itself")


def _set_options(sock: socket.socket) -> None:
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _KEEP_ALIVE.items():
        if hasattr(socket, name):
            sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
