"""Addresses that name no browser are refused before or after the one request that is made to them."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from stillframe.chrome.endpoint import find_websocket, is_loopback, parse_endpoint
from stillframe.errors import ConnectFailed

VERSION = b'{"webSocketDebuggerUrl": "ws://other:1/devtools/browser/b-1"}'


@asynccontextmanager
async def answering(answer: bytes) -> AsyncIterator[tuple[str, list[bytes]]]:
    """Answer every connection with these bytes, and yield the address and what was asked."""
    asked: list[bytes] = []

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(answer)
        writer.close()
        await writer.wait_closed()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    async with server:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}", asked


def http(body: bytes, status: str = "200 OK", length: bool = True) -> bytes:
    head = f"HTTP/1.1 {status}\r\n" + (f"Content-Length: {len(body)}\r\n" if length else "")
    return head.encode() + b"\r\n" + body


@pytest.mark.parametrize(
    ("endpoint", "word"),
    [
        ("http://[::1", "address"),
        ("localhost:port", "address"),
        ("localhost:99999", "address"),
        ("ftp://localhost:21", "ftp"),
        ("http://:9222", "host"),
        ("", "host"),
        ("ws://localhost:9222/devtools/page/ABC", "one target"),
    ],
)
def test_what_names_no_browser_is_refused(endpoint: str, word: str) -> None:
    with pytest.raises(ConnectFailed, match=word) as caught:
        parse_endpoint(endpoint)
    assert caught.value.endpoint == endpoint


@pytest.mark.parametrize(
    ("endpoint", "local"),
    [
        ("localhost:9222", True),
        ("127.0.0.1:9222", True),
        ("ws://[::1]:9222/devtools/browser/x", True),
        ("example.com:9222", False),
        ("http://10.0.0.1:9222", False),
    ],
)
def test_loopback_is_read_from_the_text(endpoint: str, local: bool) -> None:
    assert is_loopback(endpoint) is local


@pytest.mark.parametrize("length", [True, False])
async def test_the_websocket_keeps_the_host_and_port_that_answered(length: bool) -> None:
    async with answering(http(VERSION, length=length)) as (endpoint, asked):
        found = await find_websocket(parse_endpoint(endpoint), endpoint)
    assert found == f"ws://{endpoint}/devtools/browser/b-1"
    assert asked[0].startswith(b"GET /json/version HTTP/1.1\r\nHost: " + endpoint.encode() + b"\r\n")


async def test_a_name_is_resolved_since_chrome_answers_to_addresses_only(monkeypatch: pytest.MonkeyPatch) -> None:
    async def resolve(host: str, port: int, **_: object) -> list[tuple[object, ...]]:
        assert host == "browser.test"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", resolve)
    async with answering(http(VERSION)) as (endpoint, asked):
        port = endpoint.partition(":")[2]
        monkeypatch.setattr(asyncio, "open_connection", _to_loopback(asyncio.open_connection))
        found = await find_websocket(parse_endpoint(f"browser.test:{port}"), "browser.test")
    assert found == f"ws://127.0.0.1:{port}/devtools/browser/b-1"
    assert b"Host: 127.0.0.1:" in asked[0]


def _to_loopback(open_connection):  # type: ignore[no-untyped-def]
    """Connect without a look-up of names, which the test answers itself."""

    async def connect(host: str, port: int, **options):  # type: ignore[no-untyped-def]
        made = socket.create_connection((host, port))
        made.setblocking(False)
        options.pop("ssl")
        return await open_connection(sock=made, **options)

    return connect


async def test_a_name_that_does_not_resolve_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    async def resolve(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", resolve)
    with pytest.raises(ConnectFailed, match=r"no-such\.test.*Name or service not known") as caught:
        await find_websocket(parse_endpoint("http://no-such.test:9222"), "http://no-such.test:9222")
    assert caught.value.endpoint == "http://no-such.test:9222"


@pytest.mark.parametrize(
    ("answer", "word"),
    [
        (http(b"", "404 Not Found"), "404"),
        (http(b"<html>"), "JSON"),
        (http(b"[]"), "webSocketDebuggerUrl"),
        (http(b'{"Browser": "x"}'), "webSocketDebuggerUrl"),
        (b"SSH-2.0-OpenSSH\r\n\r\n", "HTTP"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n", "HTTP"),
        (b"", "HTTP"),
    ],
)
async def test_another_program_on_the_port_is_told_apart_from_a_browser(answer: bytes, word: str) -> None:
    async with answering(answer) as (endpoint, _):
        with pytest.raises(ConnectFailed, match=f"not a DevTools endpoint.*{word}") as caught:
            await find_websocket(parse_endpoint(endpoint), endpoint)
    assert caught.value.endpoint == endpoint


async def test_a_port_where_nobody_listens_says_so() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        endpoint = f"127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(ConnectFailed, match="Connection refused"):
        await find_websocket(parse_endpoint(endpoint), endpoint)
