"""The policy proxy: what it allows and dials, how it answers invalid requests, and that it leaves nothing behind."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patience import HANG_S
from stillframe.chrome import http1
from stillframe.chrome.options import Proxy
from stillframe.chrome.policy_proxy import PolicyProxy
from stillframe.errors import OptionInvalid
from stillframe.security.policy import Refusal, UrlPolicy
from stillframe.security.urls import Address, Host

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: keep-alive\r\n\r\nhello"


class Server:
    """A server that keeps what it heard and leaves the answer to a handler."""

    def __init__(self, handler: Handler | None = None) -> None:
        self.heard: list[bytes] = []
        self.port = 0
        self.ended = asyncio.Event()
        """A client has gone."""
        self._handler = handler or self.answer

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.heard.append(await reader.readuntil(http1.END))
        writer.write(ANSWER)

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._handler(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self.ended.set()
            writer.close()


@contextlib.asynccontextmanager
async def serving(handler: Handler | None = None) -> AsyncIterator[Server]:
    server = Server(handler)
    tasks: set[asyncio.Task[None]] = set()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tasks.add(asyncio.get_running_loop().create_task(server.connected(reader, writer)))

    listening = await asyncio.start_server(connected, "127.0.0.1", 0)
    server.port = listening.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        listening.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def proxy_to(*hosts: str, resolved: dict[str, Sequence[str]] | None = None, **fields: object) -> PolicyProxy:
    """A policy proxy that lets these hosts through, and whose names are those of the table."""

    async def resolver(name: str) -> Sequence[Address]:
        asked.append(name)
        return [ip_address(text) for text in (resolved or {}).get(name, ())]

    asked: list[str] = []
    proxy = PolicyProxy(UrlPolicy(allowed_hosts=hosts, **fields), resolver=resolver)  # type: ignore[arg-type]
    proxy.asked = asked  # type: ignore[attr-defined]
    return proxy


async def ask(proxy: PolicyProxy, request: bytes, *, more: bytes = b"") -> bytes:
    """Send a request and return all that comes back until the policy proxy ends the connection."""
    async with asyncio.timeout(HANG_S), client(proxy) as (reader, writer):
        writer.write(request + more)
        return await reader.read()


@contextlib.asynccontextmanager
async def client(proxy: PolicyProxy) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    host, _, port = proxy.proxy.server.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        yield reader, writer
    finally:
        writer.close()


def get(port: int, *, host: str = "127.0.0.1", path: str = "/x?y=1") -> bytes:
    fields = "Host: other.test\r\nProxy-Connection: keep-alive\r\nProxy-Authorization: Basic x\r\nAccept: */*\r\n"
    return f"GET http://{host}:{port}{path} HTTP/1.1\r\n{fields}\r\n".encode()


def dechunked(body: bytes) -> bytes:
    """What a body in chunks says, up to its end."""
    said = b""
    while body:
        size, _, body = body.partition(b"\r\n")
        length = int(size, 16)
        said, body = said + body[:length], body[length + 2 :]
        if not length:
            assert body == b""
            return said
    raise AssertionError("the body has no end")


async def test_a_request_is_passed_on_to_its_server_and_the_connection_ends() -> None:
    async with serving() as server, proxy_to("127.0.0.1") as proxy:
        answer = await ask(proxy, get(server.port))
        head, _, body = answer.partition(b"\r\n\r\n")
        assert body == b"hello"
        assert head.startswith(b"HTTP/1.1 200 OK\r\nConnection: close\r\n")
        expected = f"GET /x?y=1 HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nAccept: */*\r\nConnection: close\r\n\r\n"
        assert server.heard == [expected.encode()]


@pytest.mark.parametrize("path", ["", "?q", "/"])
async def test_a_url_without_a_path_has_one(path: str) -> None:
    async with serving() as server, proxy_to("127.0.0.1") as proxy:
        await ask(proxy, get(server.port, path=path))
        assert server.heard[0].startswith(b"GET /" + path.encode().lstrip(b"/") + b" HTTP/1.1\r\n")


async def test_a_body_goes_along_and_interim_answers_come_back() -> None:
    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(http1.END)
        writer.write(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
        body = await reader.readexactly(300_000)
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n%d" % len(body))

    async with serving(handler) as server, proxy_to("127.0.0.1") as proxy:
        request = f"POST http://127.0.0.1:{server.port}/ HTTP/1.1\r\nHost: x\r\nContent-Length: 300000\r\n\r\n".encode()
        answer = await ask(proxy, request, more=b"x" * 300_000)
        assert answer.startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n")
        head, _, body = answer.rpartition(b"HTTP/1.1 200 OK\r\n")[2].partition(b"\r\n\r\n")
        assert b"Connection: close" in head
        assert dechunked(body) == b"300000"


async def test_an_old_server_is_understood() -> None:
    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(http1.END)
        writer.write(b"HTTP/1.0 200 Fine\nX: a\n folded\nno field\n\nhello")

    async with serving(handler) as server, proxy_to("127.0.0.1") as proxy:
        answer = await ask(proxy, get(server.port))
        head, _, body = answer.partition(b"\r\n\r\n")
        assert head.split(b"\r\n")[0] == b"HTTP/1.1 200 Fine"
        assert {b"Connection: close", b"X: a folded"} <= set(head.split(b"\r\n"))
        assert b"no field" not in head
        assert dechunked(body) == b"hello"


async def test_a_tunnel_carries_bytes_both_ways_until_both_have_ended() -> None:
    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        sent = await reader.read()
        writer.write(sent[::-1])

    async with (
        serving(handler) as server,
        proxy_to("127.0.0.1") as proxy,
        client(proxy) as (reader, writer),
    ):
        writer.write(f"CONNECT 127.0.0.1:{server.port} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        assert await reader.readuntil(http1.END) == b"HTTP/1.1 200 Connected\r\n\r\n"
        writer.write(b"ab" * 100_000)
        writer.write_eof()
        assert await reader.read() == b"ba" * 100_000


REFUSED = [
    ("GET http://127.0.0.1:{port}/ HTTP/1.1", "allowed_hosts"),
    ("CONNECT 127.0.0.1:{port} HTTP/1.1", "allowed_hosts"),
    ("CONNECT 2130706433:{port} HTTP/1.1", "allowed_hosts"),
    ("CONNECT [::ffff:7f00:1]:{port} HTTP/1.1", "allowed_hosts"),
    ("GET http://017700000001:{port}/?\\@good.test HTTP/1.1", "allowed_hosts"),
    ("CONNECT inside.test:{port} HTTP/1.1", "private: loopback"),
    ("GET http://inside.test:{port}/ HTTP/1.1", "private: loopback"),
    ("CONNECT mixed.test:{port} HTTP/1.1", "private: link-local"),
    ("CONNECT mapped.test:{port} HTTP/1.1", "private: loopback"),
    ("CONNECT denied.test:{port} HTTP/1.1", "denied_hosts: denied.test"),
    ("CONNECT network.test:{port} HTTP/1.1", "denied_hosts: 8.8.0.0/16"),
]
NAMES = {
    "inside.test": ["127.0.0.1"],
    "mixed.test": ["127.0.0.1", "169.254.169.254"],
    "mapped.test": ["::ffff:127.0.0.1"],
    "network.test": ["8.8.8.8"],
}


@pytest.mark.parametrize(("line", "rule"), REFUSED)
async def test_what_the_policy_refuses_is_not_dialled(line: str, rule: str) -> None:
    refused: list[tuple[Host, int, Refusal]] = []
    # Of the mixed ones one address would do.
    rules = ["*.test", "127.0.0.1"] if "mixed" in line else ["*.test"]
    async with serving() as server:
        proxy = proxy_to(*rules, resolved=NAMES, denied_hosts=["denied.test", "8.8.0.0/16"])
        proxy.listen(lambda *what: refused.append(what), lambda host, port: None)
        async with proxy:
            answer = await ask(proxy, line.format(port=server.port).encode() + b"\r\nHost: good.test\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 403 ")
        assert f"X-Stillframe-Refused: {rule}\r\n".encode() in answer
        assert answer.endswith(f"\r\n\r\n{rule}\n".encode())
        assert [(port, refusal.rule) for _, port, refusal in refused] == [(server.port, rule)]
        assert server.heard == []


async def test_the_address_that_was_judged_is_the_one_that_is_dialled() -> None:
    """A name that means another address the second time it is asked for gains nothing: it is asked for once."""
    answers = iter([["127.0.0.1"], ["169.254.169.254"], ["169.254.169.254"]])

    async def resolver(name: str) -> Sequence[Address]:
        return [ip_address(text) for text in next(answers)]

    async with serving() as server:
        policy = UrlPolicy(allowed_hosts=["rebinding.test", "127.0.0.1"])
        async with PolicyProxy(policy, resolver=resolver) as proxy:
            assert await proxy.judge(f"http://rebinding.test:{server.port}/") is None
            for _ in range(2):
                assert b"hello" in await ask(proxy, get(server.port, host="rebinding.test"))
        assert next(answers) == ["169.254.169.254"]


async def test_a_url_is_judged_as_its_connection_would_be() -> None:
    async with proxy_to("*.test", resolved=NAMES) as proxy:
        for url, rule in (
            ("http://inside.test/", "private: loopback"),
            ("https://other.org/", "allowed_hosts"),
            ("file:///etc", "scheme: file"),
            ("data:,x", None),
        ):
            refusal = await proxy.judge(url)
            assert (refusal and refusal.rule) == rule
        with pytest.raises(OSError, match="no address"):
            await proxy.judge("http://nowhere.test/")


async def test_the_next_address_is_tried_when_one_does_not_answer() -> None:
    async with serving() as server:
        proxy = proxy_to("two.test", resolved={"two.test": ["127.0.0.2", "127.0.0.1"]})
        async with proxy:
            assert b"hello" in await ask(proxy, get(server.port, host="two.test"))


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 400),  # as a page would ask a server
        (b"GET https://127.0.0.1/ HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        (b"GET file:///etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        (b"GET http://good.test@127.0.0.1/ HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        (b"GET http://127.0.0.1\\@good.test/ HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        (b"GET http://127.0.0.1#@good.test/ HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        (b"CONNECT good.test@127.0.0.1:80 HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        (b"CONNECT 127.0.0.1 HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        (b"CONNECT 127.0.0.1:99999 HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        (b"CONNECT :80 HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        (b"\x16\x03\x01\x00\xa5\r\n\r\n", 400),
        (b"PRI * HTTP/2.0\r\n\r\n", 400),
        (b"GET http://127.0.0.1/ HTTP/1.1\r\nHost: x\r\nA: b\r\n folded\r\n\r\n", 400),
        (b"GET http://127.0.0.1/ HTTP/1.1\r\nHost: x\r\nA : b\r\n\r\n", 400),
        (b"GET http://127.0.0.1/ HTTP/1.1\r\nHost: x\r\nA: b\nC: d\r\n\r\n", 400),
        (b"GET http://127.0.0.1/ HTTP/1.1\r\nHost: x\r\nno field\r\n\r\n", 400),
        (b"GET http://127.0.0.1/%s HTTP/1.1\r\nHost: x\r\n\r\n" % (b"x" * 300_000), 431),
    ],
)
async def test_nonsense_is_answered_as_such(request_: bytes, status: int) -> None:
    async with proxy_to("127.0.0.1") as proxy:
        assert (await ask(proxy, request_)).startswith(b"HTTP/1.1 %d " % status)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_request_or_none(raw: bytes) -> None:
    with contextlib.suppress(ValueError):
        request = http1.parse_request(raw + http1.END, http1.client_connection())
        head = http1.for_proxy(request) if request.is_tunnel else http1.for_server(request)
        assert http1.server_connection().send(head).count(http1.END) == 1


async def test_a_server_that_cannot_be_reached_gives_an_empty_answer() -> None:
    async with serving() as server:
        port = server.port
    async with proxy_to("127.0.0.1", "nowhere.test") as proxy:
        assert await ask(proxy, get(port)) == b""
        assert await ask(proxy, get(port, host="nowhere.test")) == b""


async def test_a_server_that_does_not_speak_http_gives_an_empty_answer() -> None:
    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 mail.test ESMTP\r\n\r\n")

    async with serving(handler) as server, proxy_to("127.0.0.1") as proxy:
        assert await ask(proxy, get(server.port)) == b""


async def test_a_second_request_on_a_connection_goes_nowhere() -> None:
    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server.heard.append(await reader.readuntil(http1.END))
        writer.write(ANSWER)
        server.heard.append(await reader.read())

    async with serving(handler) as server, proxy_to("127.0.0.1") as proxy:
        second = b"GET http://denied.test/ HTTP/1.1\r\nHost: denied.test\r\n\r\n"
        answer = await ask(proxy, get(server.port), more=second + get(server.port))
        assert answer.count(b"HTTP/1.1 ") == 1
        await server.ended.wait()
        assert server.heard[1:] == [b""]


async def test_when_one_side_goes_the_other_is_let_go() -> None:
    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(http1.END)
        await reader.read()  # until the policy proxy has gone

    async with serving(handler) as server, proxy_to("127.0.0.1") as proxy:
        async with client(proxy) as (_, writer):
            writer.write(get(server.port))
            await writer.drain()
        async with asyncio.timeout(HANG_S):
            await server.ended.wait()


async def test_nothing_is_left_when_the_gate_closes_under_its_clients() -> None:
    reached = asyncio.Semaphore(0)

    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        reached.release()
        await reader.read()

    async with serving(handler) as server, contextlib.AsyncExitStack() as clients:
        proxy = await proxy_to("127.0.0.1").start()
        for number in range(20):
            _, writer = await clients.enter_async_context(client(proxy))
            line = (
                f"CONNECT 127.0.0.1:{server.port} HTTP/1.1\r\nHost: x\r\n\r\n".encode()
                if number % 3
                else get(server.port)
            )
            writer.write(line if number % 5 else b"GET http://half")
        for _ in range(16):
            await reached.acquire()
        async with asyncio.timeout(HANG_S):
            await proxy.aclose()
        assert proxy.connections == 0
        await proxy.aclose()


async def test_without_http_a_tunnel_is_for_tls_only() -> None:
    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server.heard.append(await reader.read(100))

    async with serving(handler) as server, proxy_to("127.0.0.1", allowed_schemes=["https"]) as proxy:
        connect = f"CONNECT 127.0.0.1:{server.port} HTTP/1.1\r\nHost: x\r\n\r\n".encode()
        assert await ask(proxy, connect, more=b"GET /socket HTTP/1.1\r\n\r\n") == b"HTTP/1.1 200 Connected\r\n\r\n"
        await server.ended.wait()
        assert server.heard == [b""]
        server.heard.clear()
        await ask(proxy, connect, more=b"\x16\x03\x01")
        assert server.heard == [b"\x16\x03\x01"]
        assert (await ask(proxy, get(server.port))).startswith(b"HTTP/1.1 403 ")


async def test_the_callers_own_proxy_gets_what_the_names_allow() -> None:
    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        upstream.heard.append(await reader.readuntil(http1.END))
        first = upstream.heard[-1]
        if b"Proxy-Authorization" not in first:
            writer.write(b"HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=p\r\nContent-Length: 0\r\n\r\n")
        elif first.startswith(b"CONNECT"):
            writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
            writer.write(await reader.read(100))
        else:
            writer.write(ANSWER)

    async with serving(handler) as upstream:
        policy = UrlPolicy(allowed_hosts=["*.test"])
        async with PolicyProxy(policy, upstream=Proxy(f"127.0.0.1:{upstream.port}", username="ann")) as proxy:
            assert (await ask(proxy, b"GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n")).startswith(
                b"HTTP/1.1 407 "
            )
            answer = await ask(proxy, get(80, host="a.test"))
            assert answer.endswith(b"hello")
            assert upstream.heard[-1].startswith(b"GET http://a.test:80/x?y=1 HTTP/1.1\r\n")
            assert b"Proxy-Authorization: Basic x" in upstream.heard[-1]
            tunnel = b"CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\nProxy-Authorization: Basic x\r\n\r\n"
            assert await ask(proxy, tunnel, more=b"through") == b"HTTP/1.1 200 Connected\r\n\r\nthrough"
            heard = len(upstream.heard)
            for line in (b"CONNECT b.org:443", b"CONNECT 127.0.0.1:80", b"GET http://[::1]/"):
                assert (await ask(proxy, line + b" HTTP/1.1\r\nHost: x\r\n\r\n")).startswith(b"HTTP/1.1 403 ")
            assert len(upstream.heard) == heard


@pytest.mark.parametrize("proxy", [Proxy("socks5://h:1"), Proxy("h:1", bypass=("*.test",))])
def test_a_proxy_that_cannot_be_kept_to_a_policy_is_refused(proxy: Proxy) -> None:
    with pytest.raises(OptionInvalid) as caught:
        PolicyProxy(UrlPolicy(), upstream=proxy)
    assert caught.value.option == "proxy"


# After two turns asyncio itself holds the connection, and before Python 3.12 it forgets it if its server closes then.
@pytest.mark.parametrize("turns", [0, 1, 3, 4, 5])
async def test_a_client_that_has_just_come_is_let_go(turns: int) -> None:
    proxy = await PolicyProxy(UrlPolicy()).start()
    port = int(proxy.proxy.server.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port)) as client:
        for _ in range(turns):
            await asyncio.sleep(0)
        await proxy.aclose()
        client.setblocking(False)
        # A writer that nobody has closed warns when it is collected, which fails the test.
        with contextlib.suppress(ConnectionError):
            assert await asyncio.wait_for(asyncio.get_running_loop().sock_recv(client, 1), HANG_S) == b""
