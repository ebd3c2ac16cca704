"""adbd's side of the wire protocol, seen by a host that speaks packets."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest

from stillframe_phone.adbd import Adbd, AdbStream, Link, Service
from stillframe_phone.emulated import adb_wire
from stillframe_phone.emulated.adb_wire import Decoder, Packet, encode

BANNER = b"device::ro.product.name=x;features=shell_v2"
HELLO = Packet(b"CNXN", adb_wire.VERSION, adb_wire.MAX_PAYLOAD, b"host::features=shell_v2")


class Host:
    """An adb server's end of one connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.decoder = Decoder()
        self.checksum = False
        self._reader = reader
        self._writer = writer
        self._received = list[Packet]()

    def send(self, command: bytes, arg0: int = 0, arg1: int = 0, payload: bytes = b"") -> None:
        self._writer.write(encode(Packet(command, arg0, arg1, payload), checksum=self.checksum))

    def send_bytes(self, data: bytes) -> None:
        self._writer.write(data)

    async def receive(self) -> Packet | None:
        """Return the next packet, None at the end of the connection."""
        async with asyncio.timeout(5):
            while not self._received:
                data = await self._reader.read(1 << 20)
                if not data:
                    return None
                self._received += self.decoder.feed(data)
        return self._received.pop(0)

    async def open(self, service: str, local: int = 1) -> int:
        """Open a stream and return the device's number of it."""
        self.send(b"OPEN", local, 0, service.encode() + b"\0")
        answer = await self.receive()
        assert answer is not None
        assert (answer.command, answer.arg1) == (b"OKAY", local)
        return answer.arg0

    async def is_unanswered(self) -> bool:
        """Return whether nothing comes, although the device has had its turns."""
        for _ in range(20):
            await asyncio.sleep(0)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(0.05):
                return await self.receive() is None
        return True


async def echo(stream: AdbStream) -> None:
    while data := await stream.read():
        await stream.write(data)


async def burst(stream: AdbStream) -> None:
    await stream.write(b"x" * 3_000_000)


async def failing(stream: AdbStream) -> None:
    raise ConnectionResetError


SERVICES: dict[str, Service] = {"echo:": echo, "burst:": burst, "failing:": failing}


async def find(name: str) -> Service | None:
    return SERVICES.get(name)


@pytest.fixture
async def adbd() -> AsyncIterator[Adbd]:
    async with Adbd(lambda: BANNER, find) as adbd:
        yield adbd


@contextlib.asynccontextmanager
async def connected(adbd: Adbd, *, greet: bool = True) -> AsyncIterator[Host]:
    reader, writer = await asyncio.open_connection("127.0.0.1", adbd.port)
    host = Host(reader, writer)
    try:
        if greet:
            host.send(*HELLO)
        yield host
    finally:
        writer.transport.abort()


@contextlib.asynccontextmanager
async def greeted(adbd: Adbd) -> AsyncIterator[Host]:
    async with connected(adbd) as host:
        answer = await host.receive()
        assert answer is not None
        assert answer.command == b"CNXN"
        yield host


# -- the greeting


async def test_the_device_answers_with_its_banner(adbd: Adbd) -> None:
    async with connected(adbd) as host:
        assert await host.receive() == Packet(b"CNXN", adb_wire.VERSION, adb_wire.MAX_PAYLOAD, BANNER)
        assert adbd.has_host.is_set()


async def test_a_person_lets_the_host_in(adbd: Adbd) -> None:
    await adbd.set_link(Link.UNAUTHORIZED)
    async with connected(adbd) as host:
        for _ in range(2):  # the host tries each of its keys
            challenge = await host.receive()
            assert challenge is not None
            assert challenge[:2] == (b"AUTH", adb_wire.AUTH_TOKEN)
            assert len(challenge.payload) == adb_wire.TOKEN_SIZE
            host.send(b"AUTH", adb_wire.AUTH_SIGNATURE, 0, b"s" * 256)
        await host.receive()
        host.send(b"AUTH", adb_wire.AUTH_PUBLIC_KEY, 0, b"QAAAA user@host\0")
        assert await host.is_unanswered()
        host.send(b"OPEN", 1, 0, b"echo:\0")
        assert await host.is_unanswered()
        (connection,) = adbd.connections
        assert connection.public_key == b"QAAAA user@host"
        await adbd.set_link(Link.ONLINE)
        answer = await host.receive()
        assert answer is not None
        assert answer.command == b"CNXN"


async def test_a_connection_that_says_nothing_does_not_disturb_another(adbd: Adbd) -> None:
    """An adb server may open a second connection and drop it."""
    async with greeted(adbd) as host:
        async with connected(adbd, greet=False):
            await host.open("echo:")
        host.send(b"OPEN", 2, 0, b"echo:\0")
        answer = await host.receive()
        assert answer is not None
        assert answer[:3:2] == (b"OKAY", 2)


@pytest.mark.parametrize("garbage", [b"GET / HTTP/1.1\r\n\r\n0123456789", b"\0" * 24, b"\xff" * 100])
async def test_garbage_ends_the_connection(adbd: Adbd, garbage: bytes) -> None:
    async with connected(adbd, greet=False) as host:
        host.send_bytes(garbage)
        with contextlib.suppress(ConnectionError):
            assert await host.receive() is None


async def test_before_the_greeting_nothing_is_served(adbd: Adbd) -> None:
    async with connected(adbd, greet=False) as host:
        host.send(b"OPEN", 1, 0, b"echo:\0")
        host.send(*HELLO)
        answer = await host.receive()
        assert answer is not None
        assert answer.command == b"CNXN"


async def test_packets_that_belong_to_no_stream_are_ignored(adbd: Adbd) -> None:
    async with greeted(adbd) as host:
        for command in (b"OKAY", b"WRTE", b"CLSE", b"SYNC", b"STLS"):
            host.send(command, 77, 88)
        await host.open("echo:")


async def test_an_old_device_wants_checksums_and_sends_them() -> None:
    async with (
        Adbd(lambda: BANNER, find, version=adb_wire.VERSION_WITH_CHECKSUMS, max_payload=4096) as adbd,
        greeted(adbd) as host,
    ):
        host.checksum = host.decoder.verify = True
        remote = await host.open("echo:")
        host.send(b"WRTE", 1, remote, b"sum")
        assert await host.receive() == Packet(b"OKAY", remote, 1)
        assert await host.receive() == Packet(b"WRTE", remote, 1, b"sum")
        host.checksum = False
        host.send(b"WRTE", 1, remote, b"no sum")
        with contextlib.suppress(ConnectionError):
            assert await host.receive() is None


# -- streams


async def test_a_stream_carries_one_packet_at_a_time(adbd: Adbd) -> None:
    async with greeted(adbd) as host:
        remote = await host.open("burst:")
        sizes = list[int]()
        for size in (1 << 20, 1 << 20, 3_000_000 - (2 << 20)):
            packet = await host.receive()
            assert packet is not None
            sizes.append(len(packet.payload))
            assert await host.is_unanswered()
            assert sizes[-1] == size
            host.send(b"OKAY", 1, remote)
        assert await host.receive() == Packet(b"CLSE", remote, 1)


async def test_a_small_window_of_the_host_is_respected(adbd: Adbd) -> None:
    async with connected(adbd, greet=False) as host:
        host.send(b"CNXN", adb_wire.VERSION, 4096, b"host::")
        await host.receive()
        await host.open("burst:")
        packet = await host.receive()
        assert packet is not None
        assert len(packet.payload) == 4096


async def test_streams_do_not_mix(adbd: Adbd) -> None:
    async with greeted(adbd) as host:
        remotes = {local: await host.open("echo:", local) for local in (5, 6)}
        assert len(set(remotes.values())) == 2
        for local, remote in remotes.items():
            host.send(b"WRTE", local, remote, b"for %d" % local)
        packets = [await host.receive() for _ in range(4)]
        assert {p.arg1: p.payload for p in packets if p and p.command == b"WRTE"} == {5: b"for 5", 6: b"for 6"}


@pytest.mark.parametrize("service", ["nope:", "", "echo", "\udcff"])
async def test_an_unknown_service_is_refused(adbd: Adbd, service: str) -> None:
    async with greeted(adbd) as host:
        host.send(b"OPEN", 9, 0, service.encode(errors="surrogateescape") + b"\0")
        assert await host.receive() == Packet(b"CLSE", 0, 9)


async def test_a_service_that_fails_closes_its_stream(adbd: Adbd) -> None:
    async with greeted(adbd) as host:
        remote = await host.open("failing:")
        assert await host.receive() == Packet(b"CLSE", remote, 1)


async def test_the_host_closes_a_stream(adbd: Adbd) -> None:
    async with greeted(adbd) as host:
        remote = await host.open("echo:")
        host.send(b"CLSE", 1, remote)
        assert await host.receive() == Packet(b"CLSE", remote, 1)
        host.send(b"WRTE", 1, remote, b"too late")
        assert await host.is_unanswered()


async def test_a_service_that_writes_to_a_closed_stream_ends(adbd: Adbd) -> None:
    async with greeted(adbd) as host:
        remote = await host.open("burst:")
        await host.receive()
        host.send(b"CLSE", 1, remote)
        assert await host.receive() == Packet(b"CLSE", remote, 1)
        await host.open("echo:", 2)


# -- links


async def test_an_offline_device_accepts_and_says_nothing(adbd: Adbd) -> None:
    async with greeted(adbd) as host:
        await adbd.set_link(Link.OFFLINE)
        assert not adbd.has_host.is_set()
        with contextlib.suppress(ConnectionError):
            assert await host.receive() is None
    async with connected(adbd) as host:
        assert await host.is_unanswered()
        await adbd.set_link(Link.ONLINE)
        answer = await host.receive()
        assert answer is not None
        assert answer.command == b"CNXN"


async def test_a_silent_device_goes_on_where_it_stopped(adbd: Adbd) -> None:
    async with greeted(adbd) as host:
        remote = await host.open("echo:")
        await adbd.set_link(Link.SILENT)
        host.send(b"WRTE", 1, remote, b"hello?")
        assert await host.is_unanswered()
        await adbd.set_link(Link.ONLINE)
        assert await host.receive() == Packet(b"OKAY", remote, 1)
        assert await host.receive() == Packet(b"WRTE", remote, 1, b"hello?")


async def test_it_ends_while_it_is_silent() -> None:
    async with Adbd(lambda: BANNER, find) as adbd, greeted(adbd) as host:
        await host.open("burst:")
        await adbd.set_link(Link.SILENT)


async def test_a_pulled_cable_refuses_connections_until_it_is_plugged_in(adbd: Adbd) -> None:
    port = adbd.port
    await adbd.aclose()
    assert not adbd.listening
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", port)
    await adbd.listen()
    await adbd.listen()
    assert adbd.port == port
    async with greeted(adbd):
        assert adbd.listening
