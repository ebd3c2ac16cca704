from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import socket
from collections.abc import AsyncIterator

import pytest

from stillframe import chrome
from stillframe.cdp_types import browser, target
from stillframe.chrome.endpoint import parse_endpoint, targets_by_activity
from stillframe.errors import ConnectFailed


@contextlib.asynccontextmanager
async def answering(reply: bytes | None) -> AsyncIterator[str]:
    """A server that says `reply` to everybody and hangs up; None: it says nothing and stays."""
    waiting = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        waiting.append(writer)
        if reply is not None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(reply)
            writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        for writer in waiting:
            writer.close()


def http(status: str, body: bytes) -> bytes:
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


@pytest.mark.browser
@pytest.mark.usefixtures("leaves_nothing")
async def test_all_forms_of_address_reach_the_browser() -> None:
    async with chrome.launched(port=0) as process:
        endpoint = process.info.endpoint
        assert endpoint is not None
        found = re.search(r"ws://\S+", process.stderr)
        assert found
        port = endpoint.rpartition(":")[2]
        for form in (endpoint, f"{endpoint}/", f"127.0.0.1:{port}", f"http://localhost:{port}", found[0]):
            connection, info = await chrome.connect(form)
            async with connection:
                assert info.product == process.info.product
                assert (info.transport, info.launched, info.sandbox) == ("websocket", False, None)
                assert (await connection.root.send(browser.GetVersion())).product == info.product
        assert (await process.connection.root.send(browser.GetVersion())).product


@pytest.mark.browser
async def test_all_forms_of_address_list_the_targets_the_last_active_first() -> None:
    async with chrome.launched(port=0) as process:
        root = process.connection.root
        made = [(await root.send(target.CreateTarget(url="about:blank"))).target_id for _ in range(3)]
        await root.send(target.ActivateTarget(target_id=made[1]))
        found = re.search(r"ws://\S+", process.stderr)
        assert found
        for form in (process.info.endpoint or "", found[0], (process.info.endpoint or "").removeprefix("http://")):
            listed = await targets_by_activity(form)
            assert next(each for each in listed if each in made) == made[1]
            assert set(made) <= set(listed)


@pytest.mark.parametrize("reply", [http("404 Not Found", b""), http("200 OK", b"<html>"), http("200 OK", b'{"a": 1}')])
async def test_a_browser_that_lists_no_targets(reply: bytes) -> None:
    async with answering(reply) as address:
        with pytest.raises(ConnectFailed, match="no list of targets"):
            await targets_by_activity(address)


@pytest.mark.parametrize("scheme", ["http", "ws"])
async def test_nobody_listens(scheme: str) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        endpoint = f"{scheme}://127.0.0.1:{closed.getsockname()[1]}/"
        with pytest.raises(ConnectFailed, match=r"cannot connect .*[Rr]efused.*--remote-debugging-port") as caught:
            await chrome.connect(endpoint)
    assert endpoint.rstrip("/") in caught.value.endpoint


@pytest.mark.parametrize(
    ("endpoint", "problem"),
    [
        ("ftp://127.0.0.1:1", "scheme 'ftp'"),
        ("file:///tmp/x", "scheme 'file'"),
        ("http://127.0.0.1:port", "is not an address"),
        ("http://127.0.0.1:99999", "is not an address"),
        ("http://[::1", "is not an address"),
        ("", "has no host"),
        ("http://", "has no host"),
        ("ws://127.0.0.1:1/devtools/page/ABC", "address of one target"),
        ("http://no-such-host.invalid:1", "does not resolve"),
    ],
)
async def test_addresses_that_cannot_be(endpoint: str, problem: str) -> None:
    with pytest.raises(ConnectFailed, match=problem):
        await chrome.connect(endpoint)


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (http("404 Not Found", b""), "status 404"),
        (http("500 Error", b"Host header is specified"), "status 500"),
        (http("200 OK", b"<html>"), "is not JSON"),
        (http("200 OK", b"[]"), "has no webSocketDebuggerUrl"),
        (http("200 OK", b'{"webSocketDebuggerUrl": 5}'), "has no webSocketDebuggerUrl"),
        (b"SSH-2.0-server\r\n\r\n", "does not speak HTTP"),
        (b"HTTP/1.1 two OK\r\n\r\n", "does not speak HTTP"),
        (b"HTTP/1.1\r\n\r\n", "does not speak HTTP"),
        (b"HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n", "does not speak HTTP"),
        (b"x" * 300_000, "does not speak HTTP"),
        (b"", "does not speak HTTP"),
    ],
)
async def test_something_else_listens(reply: bytes, problem: str) -> None:
    async with answering(reply) as address:
        with pytest.raises(ConnectFailed, match=rf"is not a DevTools endpoint: .*{problem}"):
            await chrome.connect(f"http://{address}", timeout=20)


@pytest.mark.browser
async def test_a_stale_websocket_address() -> None:
    async with chrome.launched(port=0) as process:
        address = (process.info.endpoint or "").removeprefix("http://")
        with pytest.raises(ConnectFailed, match="404"):
            await chrome.connect(f"ws://{address}/devtools/browser/stale")


async def test_a_websocket_that_is_none() -> None:
    async with answering(http("200 OK", b"hello")) as address:
        with pytest.raises(ConnectFailed, match="cannot connect"):
            await chrome.connect(f"ws://{address}/devtools/browser/x")


@pytest.mark.parametrize("scheme", ["http", "ws"])
async def test_a_server_that_says_nothing(scheme: str) -> None:
    async with answering(None) as address:
        with pytest.raises(ConnectFailed, match=r"did not answer within 0\.2 s"):
            await chrome.connect(f"{scheme}://{address}/devtools/browser/x", timeout=0.2)


@pytest.mark.browser
async def test_a_stopped_browser_is_not_waited_for() -> None:
    """Its kernel still accepts connections; only an answer is a sign of life."""
    async with chrome.launched(port=0) as process:
        os.killpg(process.pid, signal.SIGSTOP)
        try:
            with pytest.raises(ConnectFailed, match=r"did not answer within 0\.3 s"):
                await chrome.connect(process.info.endpoint or "", timeout=0.3)
        finally:
            os.killpg(process.pid, signal.SIGCONT)


def test_names_and_addresses_are_split() -> None:
    assert parse_endpoint("host:9222").netloc == "host:9222"
    assert parse_endpoint(" http://[::1]:9222/ ").hostname == "::1"
    assert parse_endpoint("wss://host/devtools/browser/x").scheme == "wss"


async def test_headers_are_sent_with_every_request_to_the_endpoint() -> None:
    heads: list[str] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append((await reader.readuntil(b"\r\n\r\n")).decode())
        writer.write(http("200 OK", b'{"webSocketDebuggerUrl": "ws://localhost/devtools/browser/1"}'))
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        with pytest.raises(ConnectFailed):
            await chrome.connect(address, headers={"X-Team": "shop"})
    assert [head.split()[1] for head in heads] == ["/json/version", "/devtools/browser/1"]
    assert all("x-team: shop" in head.lower() for head in heads)
