"""The policy proxy: a forward proxy on loopback through which all that a context sends goes, and which keeps to a policy.

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
import ssl
from collections.abc import Awaitable, Callable, Hashable, Sequence
from urllib.parse import urlsplit

import h11

from stillframe.chrome import http1
from stillframe.chrome.dns import DnsCache, Resolver, SystemResolver
from stillframe.chrome.forwarding import Exchange, Streams
from stillframe.chrome.options import Proxy
from stillframe.errors import OptionInvalid
from stillframe.security.policy import Refusal, UrlPolicy
from stillframe.security.redaction import logger
from stillframe.security.urls import LOOPBACK, Address, Host, parse_authority, parse_url

log = logger("stillframe.policy_proxy")

OnRefused = Callable[[Host, int, Refusal], object]
WhoAsks = Callable[[Host, int], Hashable]

HEAD_SECONDS = 30.0
"""For a client to say what it wants; Chrome says it at once, and opens connections ahead of need only to servers."""
DIAL_SECONDS = 30.0
ATTEMPT_SECONDS = 3.0
"""For one address, while there is another to try."""


class Refused(Exception):
    """The policy does not let a connection through."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.rule)
        self.refusal = refusal


class PolicyProxy:
    """One listening proxy with one policy; `async with`, or `start` and `aclose`."""

    def __init__(self, policy: UrlPolicy, *, upstream: Proxy | None = None, resolver: Resolver | None = None) -> None:
        self.policy = policy
        self.resolver: Resolver = resolver or SystemResolver().resolve
        """Turns a name into addresses; may be replaced."""
        self.requester: WhoAsks | None = None
        """Says on whose behalf a connection may be, so that one page's names do not keep another's waiting."""
        self.on_refused: OnRefused | None = None
        """Told of every connection that was refused."""
        self._upstream = _upstream(upstream)
        self._server: asyncio.Server | None = None
        self._port = 0
        self._clients: set[asyncio.Task[None]] = set()
        self._names = DnsCache(lambda name: self.resolver(name))

    @property
    def proxy(self) -> Proxy:
        """The proxy that Chrome is to use, for loopback as well."""
        return Proxy(f"127.0.0.1:{self._port}", bypass=("<-loopback>",))

    @property
    def connections(self) -> int:
        """How many clients are connected."""
        return len(self._clients)

    async def start(self) -> PolicyProxy:
        """Begin to listen; raises OSError if no port is to be had."""
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0, limit=http1.MAX_HEAD, backlog=256)
        self._port = self._server.sockets[0].getsockname()[1]
        return self

    def stop(self) -> None:
        """Listen no more and begin to end all connections. Idempotent."""
        if self._server is not None:
            self._server.close()
        for client in tuple(self._clients):
            client.cancel()
        self._names.stop()

    async def aclose(self) -> None:
        """Stop, and wait until nothing is left."""
        self.stop()
        await asyncio.gather(*self._clients, return_exceptions=True)
        await self._names.aclose()

    async def __aenter__(self) -> PolicyProxy:
        return await self.start()

    async def __aexit__(self, *exc: object) -> None:
        await self.aclose()

    async def vet(self, url: str, asker: Hashable = None) -> Refusal | None:
        """Return why a URL would be refused here, or None; raises OSError for a name that leads nowhere.

        `asker` is on whose behalf; who asks for many names waits behind who asks for few.
        """
        refusal = self.policy.judge(url)
        read = None if refusal else parse_url(url)
        if read is None or read.host is None or read.port is None:
            return refusal
        try:
            await self._judged(read.host, read.port, asker)
        except Refused as error:
            return error.refusal
        return None

    # -- one client ----------------------------------------------------------------------------

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(self._serve(reader, writer), name="stillframe-policy_proxy")
        self._clients.add(task)
        task.add_done_callback(self._clients.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            writer.write(await self._answered((reader, writer)))
            writer.close()
            await writer.wait_closed()
        except (OSError, EOFError, h11.ProtocolError) as error:
            # No answer at all: Chrome then says that the page could not be loaded, which is so.
            log.debug("a connection ended: %r", error)
        except asyncio.CancelledError:
            writer.transport.abort()
            raise
        finally:
            writer.close()

    async def _answered(self, client: Streams) -> bytes:
        """Do what a client wants; returns the policy proxy's own answer, empty if a server answered."""
        state = http1.new_client()
        try:
            async with asyncio.timeout(HEAD_SECONDS):
                raw = await client[0].readuntil(http1.END)
            request = http1.read_request(raw, state)
            host, port = _destination(request)
        except ValueError:
            return http1.answer(400, "Bad request")
        except asyncio.LimitOverrunError:
            return http1.answer(431, "Request head too large")
        try:
            server = await self._reached(request, host, port)
        except Refused as error:
            if self.on_refused is not None:
                self.on_refused(host, port, error.refusal)
            return http1.answer(403, "Refused by policy", error.refusal)
        try:
            await self._passed_on(Exchange(request, state, client, server), client)
        finally:
            server[1].close()
        return b""

    async def _passed_on(self, exchange: Exchange, client: Streams) -> None:
        request = exchange.request
        head = http1.for_proxy(request) if self._upstream or request.is_tunnel else http1.for_server(request)
        if not request.is_tunnel:
            await exchange.pass_on(head)
            return
        if self._upstream is None:
            client[1].write(b"HTTP/1.1 200 Connected" + http1.END)
        elif not await exchange.open_tunnel(head):
            return
        await exchange.relay(tls_only="http" not in self.policy.allowed_schemes)

    # -- where to ------------------------------------------------------------------------------

    async def _reached(self, request: http1.Request, host: Host, port: int) -> Streams:
        """Return a connection to where a request goes; raises Refused, OSError."""
        if not request.is_tunnel:
            self._judge(self.policy.judge(request.target))
        asker = self.requester(host, port) if self.requester is not None else None
        async with asyncio.timeout(DIAL_SECONDS):
            addresses = await self._judged(host, port, asker)
            return await (self._upstream() if self._upstream is not None else _connect(addresses, port))

    async def _judged(self, host: Host, port: int, asker: Hashable) -> tuple[Address, ...]:
        """Return the addresses of a host, all of which may be dialled; raises Refused, OSError."""
        self._judge(self.policy.judge_host(host, port))
        if self._upstream is not None:
            return ()
        addresses = await self._addresses(host, asker)
        for address in addresses:
            self._judge(self.policy.judge_address(address, host, port))
        return addresses

    def _judge(self, refusal: Refusal | None) -> None:
        if refusal is not None:
            raise Refused(refusal)

    async def _addresses(self, host: Host, asker: Hashable) -> tuple[Address, ...]:
        if host.address is not None:
            return (host.address,)
        # Never asked for: a resolver may answer anything, and Chrome dials these (RFC 6761 §6.3).
        return LOOPBACK if host.is_localhost else await self._names.find(host.name, asker)


def _destination(request: http1.Request) -> tuple[Host, int]:
    if request.is_tunnel:
        host, port = parse_authority(request.target)
    else:
        read = parse_url(request.target)
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
    return lambda: asyncio.open_connection(host, port, ssl=tls, limit=http1.MAX_HEAD)


async def _connect(addresses: Sequence[Address], port: int) -> Streams:
    """Connect to the first address that answers; raises OSError of the last, TimeoutError."""
    for address in addresses[:-1]:
        with contextlib.suppress(OSError, TimeoutError):
            async with asyncio.timeout(ATTEMPT_SECONDS):
                return await asyncio.open_connection(str(address), port, limit=http1.MAX_HEAD)
    return await asyncio.open_connection(str(addresses[-1]), port, limit=http1.MAX_HEAD)
