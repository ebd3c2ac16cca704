"""Requests to an adb server: framing, answers in any number of pieces, and everything that is not an answer."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from contextlib import ExitStack

import pytest
from hypothesis import given
from hypothesis import strategies as st
from smart_server import OKAY, Dialog, block, cut, hang, smart_server, then, until

from stillframe.adb import smart_socket
from stillframe.adb.address import AdbAddress
from stillframe.adb.smart_socket import Cut, NotAdb, Refused, SmartSocket, encode_request, parse_length
from stillframe.errors import AdbServerUnavailable, OptionInvalid

# -- framing -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("service", "request_bytes"),
    [
        ("host:version", b"000chost:version"),
        ("", b"0000"),
        ("shell:écho", b"000bshell:\xc3\xa9cho"),
        ("shell:\udcff", b"0007shell:\xff"),  # a file name that is not UTF-8
        ("x" * 0xFFFF, b"ffff" + b"x" * 0xFFFF),
    ],
)
def test_a_request_has_the_length_of_its_bytes_in_front(service: str, request_bytes: bytes) -> None:
    assert encode_request(service) == request_bytes


@pytest.mark.parametrize(("service", "why"), [("x" * 0x10000, "65536 bytes"), ("shell:\ud800", "cannot be sent")])
def test_a_service_that_cannot_be_sent_is_refused(service: str, why: str) -> None:
    with pytest.raises(OptionInvalid, match=why):
        encode_request(service)


@pytest.mark.parametrize(("digits", "length"), [(b"0000", 0), (b"000c", 12), (b"FFff", 0xFFFF)])
def test_a_length_is_four_digits_of_either_case(digits: bytes, length: int) -> None:
    assert parse_length(digits) == length


@given(st.binary(max_size=6))
def test_a_length_of_anything_else_is_refused(digits: bytes) -> None:
    with contextlib.suppress(NotAdb):
        assert parse_length(digits) == int(digits, 16)


@pytest.mark.parametrize("digits", [b"", b"12", b"0x1f", b"+123", b"-001", b"1_00", b" 12 ", b"zzzz", b"00000"])
def test_a_length_of_another_form_is_refused(digits: bytes) -> None:
    with pytest.raises(NotAdb):
        parse_length(digits)


# -- answers -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "segments",
    [
        [OKAY + block("0029")],
        [OKAY, block("0029")],
        [OKAY, b"0004", b"0029"],
        [bytes([byte]) for byte in OKAY + block("0029")],
        [OKAY + b"00", b"0400", b"29"],
    ],
)
async def test_an_answer_may_arrive_in_any_pieces(segments: list[bytes]) -> None:
    async with smart_server({"host:version": segments}) as server:
        with await SmartSocket.connect(server.address) as connection:
            await connection.request("host:version")
            assert await connection.read_block() == b"0029"


async def test_the_length_of_an_answer_may_be_upper_case() -> None:
    answer = "x" * 0xABCD
    async with smart_server({"host:x": [OKAY, block(answer, upper=True)]}) as server:
        with await SmartSocket.connect(server.address) as connection:
            await connection.request("host:x")
            assert await connection.read_block() == answer.encode()


async def test_a_refusal_carries_its_text() -> None:
    refused = [b"FAIL", b"00", b"0f", b"device", " öffline".encode()]
    async with smart_server({"host:x": refused}) as server:
        with await SmartSocket.connect(server.address) as connection, pytest.raises(Refused) as caught:
            await connection.request("host:x")
    assert caught.value.text == "device öffline"


async def test_a_refusal_of_bytes_that_are_not_text_is_readable() -> None:
    async with smart_server({"host:x": [b"FAIL0003\xff\xfex"]}) as server:
        with await SmartSocket.connect(server.address) as connection, pytest.raises(Refused, match="\ufffd\ufffdx"):
            await connection.request("host:x")


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ([b"HTTP/1.1 400 Bad Request\r\n"], NotAdb),
        ([b"okay"], NotAdb),
        ([b"FAILzzzz"], NotAdb),
        ([b"FAIL0010short"], Cut),
        ([b"FAIL00"], Cut),
        ([b"OK"], Cut),
        (cut, Cut),
    ],
)
async def test_what_is_not_an_answer_is_told_apart_from_one(answer: object, error: type[Exception]) -> None:
    async with smart_server({"host:x": answer}) as server:  # type: ignore[dict-item]
        with await SmartSocket.connect(server.address) as connection, pytest.raises(error):
            await connection.request("host:x")


async def test_a_reset_counts_as_a_close() -> None:
    async def reset(dialog: Dialog) -> None:
        await dialog.request()
        dialog.reset()

    async with smart_server(reset) as server:
        with await SmartSocket.connect(server.address) as connection:
            with pytest.raises(Cut):
                await connection.request("host:x")
            with pytest.raises(Cut):
                await connection.send(bytes(50_000_000))


async def test_a_cut_tells_what_had_arrived() -> None:
    async with smart_server({"host:x": [OKAY + b"0004ab"]}) as server:
        with await SmartSocket.connect(server.address) as connection:
            await connection.request("host:x")
            with pytest.raises(Cut) as caught:
                await connection.read_block()
    assert caught.value.received == b"ab"


async def test_a_detached_socket_stands_right_after_what_was_read() -> None:
    async with smart_server({"localabstract:x": then(OKAY + b"hello")}) as server:
        connection = await SmartSocket.connect(server.address)
        await connection.request("localabstract:x")
        with connection.detach() as sock:
            assert sock.gettimeout() == 0.0
            assert sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
            # Nothing else would notice that the machine of a remote adb server is gone.
            assert sock.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
            assert sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == 10
            assert await asyncio.get_running_loop().sock_recv(sock, 100) == b"hello"


async def test_a_cancelled_request_closes_its_connection() -> None:
    async def ask(address: AdbAddress) -> None:
        with await SmartSocket.connect(address) as connection:
            await connection.request("host:x")

    async with smart_server({"host:x": hang}) as server:
        asking = asyncio.create_task(ask(server.address))
        await until(lambda: server.requests)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking


# -- connecting ----------------------------------------------------------------------------------


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1"])
async def test_a_port_without_a_server_is_named_with_the_command_that_starts_one(host: str) -> None:
    address = AdbAddress(host, free_port())
    with pytest.raises(AdbServerUnavailable, match="no adb server answers at") as caught:
        await SmartSocket.connect(address)
    assert caught.value.address == str(address)
    assert (f"adb -P {address.port} start-server" in str(caught.value)) == address.can_start


async def test_a_host_without_an_address_is_unavailable() -> None:
    with pytest.raises(AdbServerUnavailable, match="start one there") as caught:
        await SmartSocket.connect(AdbAddress("nowhere.invalid", 5037))
    assert caught.value.address == "nowhere.invalid:5037"


async def test_a_host_that_is_not_a_name_is_unavailable() -> None:
    with pytest.raises(AdbServerUnavailable):
        await SmartSocket.connect(AdbAddress("x" * 80 + ".é", 5037))


async def test_localhost_is_tried_over_both_protocols() -> None:
    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(await reader.readexactly(4))
        writer.close()

    server = await asyncio.start_server(script, "::1", 0)
    async with server:
        address = AdbAddress("localhost", server.sockets[0].getsockname()[1])
        with await SmartSocket.connect(address) as connection:
            await connection.send(b"ping")
            assert await connection.read_exactly(4) == b"ping"


async def test_a_server_that_accepts_nobody_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(smart_socket, "CONNECT_TIMEOUT_S", 0.2)
    with socket.create_server(("127.0.0.1", 0), backlog=0) as server, ExitStack() as waiting:
        # The kernel accepts some connections for a program that never does; then it lets others wait.
        for _ in range(4):
            sock = waiting.enter_context(socket.socket())
            sock.setblocking(False)
            sock.connect_ex(server.getsockname())
        with pytest.raises(AdbServerUnavailable, match=r"within 0\.2 s"):
            await SmartSocket.connect(AdbAddress(*server.getsockname()))
