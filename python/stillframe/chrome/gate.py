"""The gate: a forward proxy on loopback through which all that a context sends goes, and which keeps to a policy.

Requests that are stopped inside the browser are stopped by name, and only those that it tells of. Here every
connection is seen, whoever opened it: the host is judged, resolved once, refused if any of its addresses is, and the
very address that was judged is dialled. A name cannot come to mean another address in between.

It holds no credentials and opens nothing that the policy does not allow to everybody on the machine: another local
process gets through it where it could have gone itself. It answers requests to a proxy alone, so that a page of some
browser cannot talk to it as to a server, and it ends with its context.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from ipaddress import ip_address
from urllib.parse import urlsplit

from stillframe.chrome import heads
from stillframe.chrome.options import Proxy
from stillframe.errors import OptionInvalid
from stillframe.model.policy import Refusal, UrlPolicy
from stillframe.model.secrets import logger
from stillframe.model.urls import Address, Host, read_authority, read_url

log = logger("stillframe.gate")

Resolver = Callable[[str], Awaitable[Sequence[Address]]]
OnRefused = Callable[[Host, int, Refusal], object]
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]

HEAD_SECONDS = 30.0
"""For a client to say what it wants; Chrome says it at once, and opens connections ahead of need only to servers."""
DIAL_SECONDS = 30.0
ATTEMPT_SECONDS = 3.0
"""For one address, while there is another to try."""
RESOLVED_SECONDS = 5.0
"""How long the addresses of a judged host are used again: for the connections that one page opens at once."""
KEPT = 1000
"""Hosts whose addresses are remembered."""
CHUNK = 1 << 16
TLS_HANDSHAKE = b"\x16"
"""The first byte of every TLS connection (RFC 8446 §5.1)."""


class Refused(Exception):
    """The policy does not let a connection through."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.rule)
        self.refusal = refusal


class Gate:
    """One listening proxy with one policy; `async with`, or `start` and `aclose`."""

    def __init__(self, policy: UrlPolicy, *, upstream: Proxy | None = None, resolver: Resolver | None = None) -> None:
        self.policy = policy
        self.resolver: Resolver = resolver or resolve
        """Turns a name into addresses; may be replaced."""
        self.on_refused: OnRefused | None = None
        """Told of every connection that was refused."""
        self._upstream = _upstream(upstream)
        self._server: asyncio.Server | None = None
        self._port = 0
        self._clients: set[asyncio.Task[None]] = set()
        self._resolved: OrderedDict[Host, tuple[float, tuple[Address, ...]]] = OrderedDict()

    @property
    def proxy(self) -> Proxy:
        """The proxy that Chrome is to use, for loopback as well."""
        return Proxy(f"127.0.0.1:{self._port}", bypass=("<-loopback>",))

    @property
    def connections(self) -> int:
        """How many clients are connected."""
        return len(self._clients)

    async def start(self) -> Gate:
        """Begin to listen; raises OSError if no port is to be had."""
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0, limit=heads.MAX_HEAD, backlog=256)
        self._port = self._server.sockets[0].getsockname()[1]
        return self

    def stop(self) -> None:
        """Listen no more and begin to end all connections. Idempotent."""
        if self._server is not None:
            self._server.close()
        for client in tuple(self._clients):
            client.cancel()

    async def aclose(self) -> None:
        """Stop, and wait until nothing is left."""
        self.stop()
        await asyncio.gather(*self._clients, return_exceptions=True)

    async def __aenter__(self) -> Gate:
        return await self.start()

    async def __aexit__(self, *exc: object) -> None:
        await self.aclose()

    async def vet(self, url: str) -> Refusal | None:
        """Return why a URL would be refused here, or None; raises OSError for a name that leads nowhere."""
        refusal = self.policy.judge(url)
        read = None if refusal else read_url(url)
        if read is None or read.host is None or read.port is None:
            return refusal
        try:
            await self._judged(read.host, read.port)
        except Refused as error:
            return error.refusal
        return None

    # -- one client ----------------------------------------------------------------------------

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(self._serve(reader, writer), name="stillframe-gate")
        self._clients.add(task)
        task.add_done_callback(self._clients.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(HEAD_SECONDS):
                raw = await reader.readuntil(heads.END)
            await self._answer(heads.read_request(raw), (reader, writer))
        except Refused as error:
            writer.write(heads.answer(403, "Refused by policy", error.refusal))
        except ValueError:
            writer.write(heads.answer(400, "Bad request"))
        except asyncio.LimitOverrunError:
            writer.write(heads.answer(431, "Request head too large"))
        except (OSError, EOFError, TimeoutError) as error:
            # No answer at all: Chrome then says that the page could not be loaded, which is so.
            log.debug("a connection ended: %r", error)
        except asyncio.CancelledError:
            writer.transport.abort()
            raise
        finally:
            writer.close()

    async def _answer(self, request: heads.Request, client: Streams) -> None:
        host, port = _destination(request)
        try:
            refusal = None if request.is_tunnel else self.policy.judge(request.target)
            if refusal is not None:
                raise Refused(refusal)
            server = await self._dial(host, port, request, client)
        except Refused as error:
            if self.on_refused is not None:
                self.on_refused(host, port, error.refusal)
            raise
        try:
            await (self._tunnel if request.is_tunnel else self._exchange)(request, client, server)
        finally:
            server[1].close()

    async def _tunnel(self, request: heads.Request, client: Streams, server: Streams) -> None:
        if self._upstream is not None:
            server[1].write(heads.for_proxy(request))
            line = await server[0].readline()
            connected = 200 <= heads.status_of(line) < 300
            client[1].write(line if connected else heads.ending(line))
        else:
            client[1].write(b"HTTP/1.1 200 Connected" + heads.END)
        if "http" not in self.policy.allowed_schemes:
            first = await client[0].read(CHUNK)
            if first and not first.startswith(TLS_HANDSHAKE):
                return  # an unencrypted socket, which is http by another name
            server[1].write(first)
        await _relay(client, server)

    async def _exchange(self, request: heads.Request, client: Streams, server: Streams) -> None:
        """Pass one request on and its response back, and end both connections with it."""
        server[1].write((heads.for_proxy if self._upstream else heads.for_server)(request))
        sending = asyncio.ensure_future(_pass_on(client[0], server[1]))
        receiving = asyncio.ensure_future(_respond(client[1], server[0]))
        try:
            # When the client has gone nobody wants the response; when that is there, nobody sends any more.
            await asyncio.wait({sending, receiving}, return_when=asyncio.FIRST_COMPLETED)
            if sending.done() and not client[0].at_eof():
                await receiving
        finally:
            sending.cancel()
            receiving.cancel()
            await asyncio.gather(sending, receiving, return_exceptions=True)

    # -- where to ------------------------------------------------------------------------------

    async def _dial(self, host: Host, port: int, request: heads.Request, client: Streams) -> Streams:
        async with asyncio.timeout(DIAL_SECONDS):
            if self._upstream is not None:
                self._judge(self.policy.judge_host(host, port))
                return await self._upstream()
            return await _connect(await self._judged(host, port), port)

    async def _judged(self, host: Host, port: int) -> tuple[Address, ...]:
        """Return the addresses of a host, all of which may be dialled; raises Refused, OSError."""
        self._judge(self.policy.judge_host(host, port))
        if self._upstream is not None:
            return ()
        addresses = (host.address,) if host.address else await self._addresses(host)
        for address in addresses:
            self._judge(self.policy.judge_address(address, host, port))
        return addresses

    def _judge(self, refusal: Refusal | None) -> None:
        if refusal is not None:
            raise Refused(refusal)

    async def _addresses(self, host: Host) -> tuple[Address, ...]:
        now = asyncio.get_running_loop().time()
        at, addresses = self._resolved.get(host, (0.0, ()))
        if not addresses or now - at > RESOLVED_SECONDS:
            addresses = tuple(await self.resolver(host.name))
            if not addresses:
                raise socket.gaierror(socket.EAI_NONAME, "the name has no address")
            self._resolved[host] = now, addresses
            self._resolved.move_to_end(host)
            while len(self._resolved) > KEPT:
                self._resolved.popitem(last=False)
        return addresses


async def resolve(name: str) -> Sequence[Address]:
    """Return the addresses of a host, as the system knows them; raises OSError."""
    found = await asyncio.get_running_loop().getaddrinfo(name, None, type=socket.SOCK_STREAM)
    # A link-local address comes with its zone, which no rule is about.
    texts = dict.fromkeys(str(sockaddr[0]).partition("%")[0] for *_, sockaddr in found)
    return tuple(map(ip_address, texts))


def _destination(request: heads.Request) -> tuple[Host, int]:
    if request.is_tunnel:
        host, port = read_authority(request.target)
    else:
        read = read_url(request.target)
        host, port = read.host or Host(""), read.port
    if not host.name or not port:
        raise ValueError("no host or no port")
    return host, port


def _upstream(proxy: Proxy | None) -> Callable[[], Awaitable[Streams]] | None:
    """Return what connects to the caller's own proxy; raises OptionInvalid for one that we cannot speak to."""
    if proxy is None:
        return None
    parts = urlsplit(proxy.server if "://" in proxy.server else f"http://{proxy.server}")
    if parts.scheme not in ("http", "https") or set(proxy.bypass) - {"<-loopback>"}:
        raise OptionInvalid(
            "option proxy: beside a policy it is an http or https proxy that everything goes through, without bypass",
            option="proxy",
        )
    tls = ssl.create_default_context() if parts.scheme == "https" else None
    host, port = str(parts.hostname), parts.port
    return lambda: asyncio.open_connection(host, port, ssl=tls, limit=heads.MAX_HEAD)


async def _connect(addresses: Sequence[Address], port: int) -> Streams:
    """Connect to the first address that answers; raises OSError of the last, TimeoutError."""
    for address in addresses[:-1]:
        with contextlib.suppress(OSError, TimeoutError):
            async with asyncio.timeout(ATTEMPT_SECONDS):
                return await asyncio.open_connection(str(address), port, limit=heads.MAX_HEAD)
    return await asyncio.open_connection(str(addresses[-1]), port, limit=heads.MAX_HEAD)


# -- passing on ----------------------------------------------------------------------------------


async def _relay(one: Streams, other: Streams) -> None:
    """Pass bytes both ways until both sides have ended, or one is lost."""
    ways = [asyncio.ensure_future(_pass_on(one[0], other[1])), asyncio.ensure_future(_pass_on(other[0], one[1]))]
    try:
        await asyncio.wait(ways, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        for way in ways:
            way.cancel()
        await asyncio.gather(*ways, return_exceptions=True)


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(CHUNK):
        writer.write(data)
        await writer.drain()
    if writer.can_write_eof():
        writer.write_eof()


async def _respond(writer: asyncio.StreamWriter, reader: asyncio.StreamReader) -> None:
    line = await reader.readline()
    while heads.is_interim(heads.status_of(line)):
        while line.strip():
            writer.write(line)
            line = await reader.readline()
        writer.write(line)
        line = await reader.readline()
    writer.write(heads.ending(line))
    await _pass_on(reader, writer)
