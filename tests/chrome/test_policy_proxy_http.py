"""HTTP through the policy proxy: floods end, framing is unambiguous, and bodies arrive unchanged."""

from __future__ import annotations

import asyncio
import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_policy_proxy import ask, client, dechunked, get, proxy_to, serving

from patience import HANG_S
from stillframe.chrome import http1

HOST = b"Host: x\r\n"


def replying(*parts: bytes, close: bool = True) -> object:
    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(http1.END)
        for part in parts:
            writer.write(part)
        if not close:
            await reader.read()

    return handler


async def replied(*parts: bytes, request: bytes | None = None, close: bool = True) -> tuple[list[bytes], bytes]:
    """What a client gets when a server replies so: the lines of the head, and the body as it stands on the wire."""
    async with serving(replying(*parts, close=close)) as server, proxy_to("127.0.0.1") as proxy:  # type: ignore[arg-type]
        asked = (request or get(0)).replace(b"127.0.0.1:0", b"127.0.0.1:%d" % server.port)
        head, _, body = (await ask(proxy, asked)).partition(b"\r\n\r\n")
        return head.split(b"\r\n"), body


# -- floods --------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [b"100 Continue", b"102 Processing", b"103 Early Hints\r\nLink: </x>"])
async def test_interim_answers_without_end_are_ended(status: bytes, caplog: pytest.LogCaptureFixture) -> None:
    interim = b"HTTP/1.1 " + status + b"\r\n\r\n"
    sent = 0

    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        await reader.readuntil(http1.END)
        while sent < 100_000_000:
            writer.write(interim * 1000)
            sent += len(interim) * 1000
            await writer.drain()

    with caplog.at_level(logging.DEBUG):
        async with serving(handler) as server, proxy_to("127.0.0.1") as proxy:
            answer = await ask(proxy, get(server.port))
            await asyncio.wait_for(server.ended.wait(), HANG_S)
    assert answer.count(b"HTTP/1.1 1") == http1.MAX_INTERIM + 1
    assert sent < 100_000_000
    assert len(caplog.records) < 20


async def test_interim_answers_to_a_client_that_has_gone_end_without_a_flood_of_logs(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(http1.END)
        began.set()
        while True:
            writer.write(b"HTTP/1.1 102 Processing\r\n\r\n")
            await writer.drain()
            await asyncio.sleep(0)

    began = asyncio.Event()
    with caplog.at_level(logging.INFO):
        async with serving(handler) as server, proxy_to("127.0.0.1") as proxy:
            async with client(proxy) as (_, writer):
                writer.write(get(server.port))
                await began.wait()
                writer.transport.abort()
            await asyncio.wait_for(server.ended.wait(), HANG_S)
    assert caplog.records == []


async def test_a_head_without_end_is_not_an_answer() -> None:
    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n")
        while True:
            writer.write(b"X: " + b"y" * 10_000 + b"\r\n")
            await writer.drain()

    async with serving(handler) as server, proxy_to("127.0.0.1") as proxy:
        assert await ask(proxy, get(server.port)) == b""
        await asyncio.wait_for(server.ended.wait(), HANG_S)


@pytest.mark.parametrize("head", [b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n", b"HTTP/1.1 200 OK\r\n\r\n"])
async def test_a_server_sends_no_faster_than_the_client_reads(head: bytes) -> None:
    sent = 0
    stuck = asyncio.Event()

    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        await reader.readuntil(http1.END)
        writer.write(head)
        while sent < 200_000_000:
            writer.write(b"x" * 100_000)
            sent += 100_000
            try:
                async with asyncio.timeout(1):
                    await writer.drain()
            except TimeoutError:
                stuck.set()
                return

    async with (
        serving(handler) as server,
        proxy_to("127.0.0.1") as proxy,
        client(proxy) as (reader, writer),
    ):
        reader._limit = 1  # type: ignore[attr-defined]  # as a page that does not read what it loads
        writer.write(get(server.port))
        await asyncio.wait_for(stuck.wait(), 30)
    assert sent < 50_000_000


# -- one meaning of a request ----------------------------------------------------------------------


TWO_MEANINGS = {
    "two lengths": b"Content-Length: 5\r\nContent-Length: 6\r\n",
    "a list of two lengths": b"Content-Length: 5, 6\r\n",
    "a length and chunks": b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
    "chunks and a length": b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
    "two codings": b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
    "an unknown coding": b"Transfer-Encoding: xchunked\r\n",
    "a coding before chunks": b"Transfer-Encoding: gzip, chunked\r\n",
    "a signed length": b"Content-Length: +5\r\n",
    "a length in hexadecimal": b"Content-Length: 0x5\r\n",
    "a negative length": b"Content-Length: -1\r\n",
    "no length at all": b"Content-Length:\r\n",
    "a folded coding": b"Transfer-Encoding:\r\n chunked\r\n",
    "a folded first field": b" X: y\r\n",
    "a space before the colon": b"Transfer-Encoding : chunked\r\n",
    "a tab before the colon": b"Content-Length\t: 5\r\n",
    "a bare line feed": b"X: y\nTransfer-Encoding: chunked\r\n",
    "a bare carriage return": b"X: y\rTransfer-Encoding: chunked\r\n",
    "a zero byte": b"X: y\0z\r\n",
    "a second host": b"Host: other.test\r\n",
    "no name": b": y\r\n",
    "a name in brackets": b"(X): y\r\n",
}


@pytest.mark.parametrize("fields", TWO_MEANINGS.values(), ids=TWO_MEANINGS)
async def test_a_request_of_two_meanings_is_sent_to_nobody(fields: bytes) -> None:
    async with serving() as server, proxy_to("127.0.0.1") as proxy:
        request = b"POST http://127.0.0.1:%d/ HTTP/1.1\r\n" % server.port + HOST + fields + b"\r\n"
        answer = await ask(proxy, request, more=b"0\r\n\r\nGET http://127.0.0.1:%d/x HTTP/1.1\r\n\r\n" % server.port)
        assert answer.startswith(b"HTTP/1.1 400 ")
        assert server.heard == []


async def test_chunks_to_an_old_reader_are_refused() -> None:
    async with serving() as server, proxy_to("127.0.0.1") as proxy:
        request = b"POST http://127.0.0.1:%d/ HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n" % server.port
        assert (await ask(proxy, request)).startswith(b"HTTP/1.1 400 ")


async def test_no_field_about_framing_goes_because_connection_lists_it() -> None:
    async with serving() as server, proxy_to("127.0.0.1") as proxy:
        listed = b"Connection: close, content-length, X-Private\r\nX-Private: y\r\nContent-Length: 3\r\n"
        request = b"POST http://127.0.0.1:%d/ HTTP/1.1\r\n" % server.port + HOST + listed + b"\r\n"
        await ask(proxy, request, more=b"abc")
        assert b"Content-Length: 3\r\n" in server.heard[0]
        assert b"Private" not in server.heard[0]


@given(st.lists(st.sampled_from(sorted(TWO_MEANINGS.values())), max_size=4), st.binary(max_size=30))
def test_whatever_is_read_is_written_with_one_framing(fields: list[bytes], more: bytes) -> None:
    raw = b"POST http://a.test/ HTTP/1.1\r\n" + HOST + b"".join(fields) + b"X: " + more + http1.END
    try:
        request = http1.parse_request(raw, http1.client_connection())
    except ValueError:
        return
    written = http1.server_connection().send(http1.for_server(request))
    assert written is not None
    assert written.lower().count(b"content-length:") + written.lower().count(b"transfer-encoding:") <= 1
    assert b"\n" not in written.replace(b"\r\n", b"")
    assert b"\r" not in written.replace(b"\r\n", b"")


# -- bodies ----------------------------------------------------------------------------------------


async def test_chunks_go_up_and_down() -> None:
    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server.heard.append(await reader.readuntil(http1.END))
        server.heard.append(dechunked(await reader.readuntil(b"0\r\n\r\n")))
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n")
        writer.write(b"3;name=value\r\nabc\r\n4\r\ndefg\r\n0\r\nX: y\r\n\r\n")

    async with serving(handler) as server, proxy_to("127.0.0.1") as proxy:
        request = b"POST http://127.0.0.1:%d/ HTTP/1.1\r\n" % server.port + HOST + b"Transfer-Encoding: chunked\r\n\r\n"
        answer = await ask(proxy, request, more=b"5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n")
        assert server.heard[1] == b"hello!"
        assert dechunked(answer.partition(b"\r\n\r\n")[2]) == b"abcdefg"


async def test_what_follows_an_answer_is_nobodys() -> None:
    head, body = await replied(
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n\r\nforged", close=False
    )
    assert head[0] == b"HTTP/1.1 200 OK"
    assert body == b"ok"


@pytest.mark.parametrize(
    ("method", "status", "framing"),
    [
        (b"HEAD", b"200 OK", b"Content-Length: 5"),
        (b"HEAD", b"200 OK", b"Transfer-Encoding: chunked"),
        (b"GET", b"304 Not Modified", b"Content-Length: 5"),
        (b"GET", b"204 No Content", b"X: y"),
        (b"GET", b"205 Reset Content", b"Content-Length: 0"),
    ],
)
async def test_an_answer_without_a_body_ends_with_its_head(method: bytes, status: bytes, framing: bytes) -> None:
    reply = b"HTTP/1.1 " + status + b"\r\n" + framing + b"\r\n\r\n"
    head, body = await replied(reply, request=get(0).replace(b"GET", method), close=False)
    assert head[0] == b"HTTP/1.1 " + status
    assert framing.lower() in [line.lower() for line in head]
    assert body == b""


@pytest.mark.parametrize(
    "reply",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nha",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nha\r\nzz\r\n",
    ],
)
async def test_half_an_answer_does_not_look_whole(reply: bytes) -> None:
    head, body = await replied(reply)
    assert head[0] == b"HTTP/1.1 200 OK"
    assert b"Content-Length: 10" in head or b"0\r\n\r\n" not in body


@pytest.mark.parametrize(
    "reply",
    [
        b"",
        b"hello",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nhello",
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nhello",
        b"HTTP/1.1 099 No\r\n\r\n",
        b"HTTP/1.1 20 OK\r\n\r\n",
        b"HTTP/1.1 200 OK",
    ],
)
async def test_what_means_nothing_certain_is_not_an_answer(reply: bytes) -> None:
    assert await replied(reply) == ([b""], b"")


SLOPPY = {
    "lines that are not fields": b"HTTP/1.1 200 OK\r\nno field\r\nX Y: z\r\n: w\r\nContent-Length: 5\r\n\r\nhello",
    "a space before a colon": b"HTTP/1.1 200 OK\r\nContent-Length : 5\r\n\r\nhello",
    "no reason": b"HTTP/1.1 200\r\nContent-Length: 5\r\n\r\nhello",
    "the same length twice": b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\ncontent-length: 5\r\n\r\nhello",
    "a list of the same length": b"HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\nhello",
    "line feeds alone": b"HTTP/1.1 200 OK\nContent-Length: 5\n\nhello",
    "a length that chunks overrule": b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"5\r\nhello\r\n0\r\n\r\n",
    "chunked twice": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"5\r\nhello\r\n0\r\n\r\n",
    "identity": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\nContent-Length: 5\r\n\r\nhello",
    "bytes beyond ASCII": b"HTTP/1.1 200 \xc3\xa4\r\nX: \xff\r\nContent-Length: 5\r\n\r\nhello",
    "a folded field": b"HTTP/1.1 200 OK\r\nX: a\r\n\tb\r\nContent-Length: 5\r\n\r\nhello",
    "an old one": b"HTTP/1.0 200 OK\r\n\r\nhello",
}
"""Answers that a browser understands, and that a strict reader alone would not."""


@pytest.mark.parametrize("reply", SLOPPY.values(), ids=SLOPPY)
async def test_what_a_browser_understands_comes_through_in_one_framing(reply: bytes) -> None:
    head, body = await replied(reply)
    assert head[0].startswith(b"HTTP/1.1 200")
    framing = [line.lower() for line in head if line.lower().startswith((b"content-length:", b"transfer-encoding:"))]
    assert framing in ([b"content-length: 5"], [b"transfer-encoding: chunked"])
    assert (dechunked(body) if b"chunked" in framing[0] else body) == b"hello"


async def test_nobody_changes_the_protocol_outside_a_tunnel() -> None:
    upgrade = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: websocket\r\nHTTP2-Settings: x\r\n"
    async with serving() as server, proxy_to("127.0.0.1") as proxy:
        answer = await ask(proxy, b"GET http://127.0.0.1:%d/ HTTP/1.1\r\n" % server.port + HOST + upgrade + b"\r\n")
        assert answer.endswith(b"hello")
        assert b"pgrade" not in server.heard[0]
        assert b"ettings" not in server.heard[0]


async def test_an_old_client_gets_no_chunks_and_no_interim_answers() -> None:
    request = b"GET http://127.0.0.1:0/ HTTP/1.0\r\n\r\n"
    chunks = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
    head, body = await replied(b"HTTP/1.1 103 Early Hints\r\n\r\n", chunks, request=request)
    assert head[0] == b"HTTP/1.1 200 OK"
    assert b"chunked" not in b"".join(head)
    assert body == b"hello"


async def test_an_answer_before_the_end_of_the_request_counts() -> None:
    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(http1.END)
        writer.write(b"HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno")
        await writer.drain()

    async with serving(handler) as server, proxy_to("127.0.0.1") as proxy:
        request = b"POST http://127.0.0.1:%d/ HTTP/1.1\r\n" % server.port + HOST + b"Content-Length: 9000000\r\n\r\n"
        async with client(proxy) as (reader, writer):
            writer.write(request + b"x" * 100_000)
            assert (await reader.readuntil(b"no")).startswith(b"HTTP/1.1 413 ")
