"""The policy proxy: a forward proxy on loopback that carries all connections of a context and enforces its policy.

Interception inside the browser blocks requests by URL, and only those that the browser reports. The proxy sees every
connection: it checks the host, resolves it once, refuses it if the policy refuses any of its addresses, and dials an
address that it has checked. So a name cannot change its address between the check and the connection (DNS rebinding).

It answers only proxy requests, so a web page cannot use it as a server, and it closes with its context. It holds no
credentials, and allows other local processes nothing that they could not do without it. With an interceptor it serves
the tunnels to origins that have a client certificate, which it guards (`chrome.interception`).
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections import Counter
from collections.abc import Awaitable, Callable, Hashable, Iterator, Sequence
from functools import partial
from urllib.parse import urlsplit

import h11

from stillframe.cdp.loop_clock import time_limit
from stillframe.chrome import http1
from stillframe.chrome.dns import MAX_LOOKUPS_PER_REQUESTER, DnsCache, Resolver, SystemResolver
from stillframe.chrome.forwarding import ForwardedRequest, Streams
from stillframe.chrome.interception import Interceptor
from stillframe.chrome.options import Proxy
from stillframe.chrome.stream_server import StreamServer
from stillframe.errors import OptionInvalid
from stillframe.security.policy import Refusal, UrlPolicy
from stillframe.security.redaction import logger
from stillframe.security.urls import LOOPBACK, Address, Host, parse_authority, parse_url

log = logger("stillframe.policy_proxy")

RefusalListener = Callable[[Host, int, Refusal], object]
FindRequester = Callable[[Host, int], Hashable]

REQUEST_TIMEOUT_S = 30.0
"""Seconds for a client to send the head of its request; Chrome sends it at once, so this only ends idle clients."""
CONNECT_TIMEOUT_S = 30.0
"""Seconds to resolve a host and connect to it."""
LINGER_S = 1.0
"""Seconds to read on after an answer of the proxy itself, for a client that does not close."""
ATTEMPT_TIMEOUT_S = 3.0
"""Seconds for one address while others are left: a TCP handshake with one retransmission after 1 s (RFC 6298 §2)."""
BACKLOG = 256
"""Connections that the system queues: Chrome opens at most 256 sockets at once (net::ClientSocketPoolManager)."""


MAX_WAITING_PER_REQUESTER = 64
"""Connections of one requester that wait for the lookup of their names; more are refused at once. Chrome gives all
pages of a context 256 sockets together, and each of these takes one."""
MAX_WAITING = 160
"""The same for all requesters together; a requester with few still gets its turn."""


class TooManyWait(Exception):
    """A page looks up too many names at once: they would take the sockets of other pages."""


class Refused(Exception):
    """The policy refuses a connection."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.rule)
        self.refusal = refusal


class PolicyProxy:
    """One listening proxy with one policy; use `async with`, or `start` and `aclose`."""

    def __init__(
        self,
        policy: UrlPolicy,
        *,
        upstream: Proxy | None = None,
        resolver: Resolver | None = None,
        interceptor: Interceptor | None = None,
    ) -> None:
        self.policy = policy
        self.interceptor = interceptor
        """Serves the tunnels to some origins, which have a client certificate."""
        self.resolver: Resolver = resolver or SystemResolver().resolve
        """Resolves a name to addresses; may be replaced."""
        self._listener: RefusalListener = _ignore_refusal
        self._find_requester: FindRequester = _no_requester
        self._upstream = _connect_upstream(upstream)
        self._server = StreamServer(self._serve, name="stillframe-policy-proxy")
        self._dns = DnsCache(lambda name: self.resolver(name))
        self._waiting: Counter[Hashable] = Counter()
        """Connections that wait for a lookup, by requester."""

    @property
    def proxy(self) -> Proxy:
        """The proxy setting for Chrome; it includes loopback."""
        return Proxy(f"127.0.0.1:{self._server.port}", bypass=("<-loopback>",))

    @property
    def connections(self) -> int:
        """The number of connected clients."""
        return self._server.connections

    def listen(self, on_refused: RefusalListener, find_requester: FindRequester) -> None:
        """Call `on_refused` for every refused connection, and `find_requester` for the page behind a connection.

        Requesters take turns in DNS lookups, so the names of one page do not delay another page.
        """
        self._listener, self._find_requester = on_refused, find_requester

    async def start(self) -> PolicyProxy:
        """Start to listen; raises OSError if no port is free."""
        await self._server.start(limit=http1.MAX_HEAD, backlog=BACKLOG)
        return self

    def stop(self) -> None:
        """Stop listening and cancel all connections. Idempotent."""
        self._server.stop()
        self._dns.stop()

    async def aclose(self) -> None:
        """Stop, and wait until no connection is left."""
        await self._server.aclose()
        await self._dns.aclose()

    async def __aenter__(self) -> PolicyProxy:
        return await self.start()

    async def __aexit__(self, *exc: object) -> None:
        await self.aclose()

    async def judge(self, url: str, requester: Hashable = None) -> Refusal | None:
        """Return why the proxy would refuse a URL, or None; raises OSError if its host does not resolve."""
        refusal = self.policy.judge(url)
        parsed = None if refusal else parse_url(url)
        if parsed is None or parsed.host is None or parsed.port is None:
            return refusal
        try:
            await self._allowed_addresses(parsed.host, parsed.port, requester)
        except Refused as error:
            return error.refusal
        return None

    # -- one client ----------------------------------------------------------------------------

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            answer = await self._handle((reader, writer))
            if answer:
                await _answer(answer, (reader, writer))
            writer.close()
            await writer.wait_closed()
        except (OSError, EOFError, h11.ProtocolError) as error:
            # Close without an answer: Chrome then reports a failed load instead of showing a page of the proxy.
            log.debug("a connection ended: %r", error)
        except asyncio.CancelledError:
            writer.transport.abort()
            raise

    async def _handle(self, client: Streams) -> bytes:
        """Forward the request of a client; return the proxy's own answer, empty if the server answered."""
        state = http1.client_connection()
        try:
            async with time_limit(REQUEST_TIMEOUT_S):
                raw = await client[0].readuntil(http1.END)
            request = http1.parse_request(raw, state)
            host, port = _destination(request)
        except ValueError:
            return http1.proxy_answer(400, "Bad request")
        except asyncio.LimitOverrunError:
            return http1.proxy_answer(431, "Request head too large")
        try:
            if request.is_tunnel and self.interceptor and (found := self.interceptor.certificate((host, port))):
                return await self.interceptor.serve(found, client, partial(self._dial_tunnel, request, state, client))
            server = await self._connect(request, host, port)
        except Refused as error:
            self._listener(host, port, error.refusal)
            return http1.proxy_answer(403, "Refused by policy", error.refusal)
        except TooManyWait:
            return http1.proxy_answer(502, "Too many names wait for their lookup")
        try:
            await self._forward(ForwardedRequest(request, state, client, server), client)
        finally:
            server[1].close()
        return b""

    async def _forward(self, forwarded: ForwardedRequest, client: Streams) -> None:
        request = forwarded.request
        head = http1.for_proxy(request) if self._upstream or request.is_tunnel else http1.for_server(request)
        if not request.is_tunnel:
            await forwarded.forward(head)
            return
        if self._upstream is None:
            client[1].write(b"HTTP/1.1 200 Connected" + http1.END)
        elif not await forwarded.open_tunnel(head):
            return
        await forwarded.relay(tls_only="http" not in self.policy.allowed_schemes)

    async def _dial_tunnel(
        self, request: http1.HttpRequest, state: h11.Connection, client: Streams, answers: bool
    ) -> Streams | None:
        """Connect to the server of a tunnel, through the upstream proxy if there is one.

        If that one refuses, the client gets its answer and this returns None. Raises as `_connect` does; unless the
        proxy still `answers` the client, OSError for any refusal.
        """
        try:
            server = await self._connect(request, *_destination(request))
        except (Refused, TooManyWait) as error:
            if answers:
                raise
            raise ConnectionRefusedError(str(error)) from error
        if self._upstream is None:
            return server
        asking = ForwardedRequest(request, state, client, server)
        with contextlib.ExitStack() as unless_open:
            unless_open.callback(server[1].close)
            refusal = await asking.ask_for_tunnel(http1.for_proxy(request))
            if refusal is None:
                unless_open.pop_all()
                return server
            if not answers:
                raise ConnectionRefusedError(f"the proxy answers {refusal.status_code}")
            await asking.send_answer(refusal)
        return None

    # -- connections to servers ----------------------------------------------------------------

    async def _connect(self, request: http1.HttpRequest, host: Host, port: int) -> Streams:
        """Connect to the destination of a request; raises Refused, TooManyWait or OSError."""
        if not request.is_tunnel:
            _require(self.policy.judge(request.target))
        requester = self._find_requester(host, port)
        async with time_limit(CONNECT_TIMEOUT_S):
            with self._lookup_counted(host, requester):
                addresses = await self._allowed_addresses(host, port, requester)
            return await (self._upstream() if self._upstream is not None else _dial(addresses, port))

    @contextlib.contextmanager
    def _lookup_counted(self, host: Host, requester: Hashable) -> Iterator[None]:
        """Count a connection that waits for a lookup inside the block; raises TooManyWait instead if too many do."""
        if self._upstream is not None or host.address is not None or host.is_localhost or self._dns.knows(host.name):
            yield
            return
        own = self._waiting[requester]
        crowded = self._waiting.total() >= MAX_WAITING and own >= MAX_LOOKUPS_PER_REQUESTER
        if own >= MAX_WAITING_PER_REQUESTER or crowded:
            raise TooManyWait
        self._waiting[requester] += 1
        try:
            yield
        finally:
            self._waiting[requester] -= 1
            self._waiting += Counter()  # drops the requesters with a count of zero

    async def _allowed_addresses(self, host: Host, port: int, requester: Hashable) -> tuple[Address, ...]:
        """Return the addresses of a host, all of which the policy allows; raises Refused or OSError."""
        _require(self.policy.judge_host(host, port))
        if self._upstream is not None:
            return ()
        addresses = await self._resolve(host, requester)
        for address in addresses:
            _require(self.policy.judge_address(address, host, port))
        return addresses

    async def _resolve(self, host: Host, requester: Hashable) -> tuple[Address, ...]:
        if host.address is not None:
            return (host.address,)
        # Never looked up: a resolver may answer anything, and Chrome always dials loopback (RFC 6761 §6.3).
        return LOOPBACK if host.is_localhost else await self._dns.resolve(host.name, requester)


async def _answer(answer: bytes, client: Streams) -> None:
    """Send an answer of the proxy itself, and read on until the client closes.

    To close with unread input resets the connection, and the client may lose the answer (RFC 9112 §9.6).
    """
    reader, writer = client
    writer.write(answer)
    writer.write_eof()
    with contextlib.suppress(TimeoutError):
        async with time_limit(LINGER_S):
            while await reader.read(http1.MAX_HEAD):
                pass


def _require(refusal: Refusal | None) -> None:
    if refusal is not None:
        raise Refused(refusal)


def _ignore_refusal(_host: Host, _port: int, _refusal: Refusal) -> None:
    """Do nothing: the default listener."""


def _no_requester(_host: Host, _port: int) -> None:
    """Return None: by default, all connections belong to one requester."""


def _destination(request: http1.HttpRequest) -> tuple[Host, int]:
    if request.is_tunnel:
        host, port = parse_authority(request.target)
    else:
        parsed = parse_url(request.target)
        host, port = parsed.host or Host(""), parsed.port
    if not host.name or not port:
        raise ValueError("the request has no host or no port")
    return host, port


def _connect_upstream(proxy: Proxy | None) -> Callable[[], Awaitable[Streams]] | None:
    """Return a function that connects to the caller's own proxy; raises OptionInvalid if a policy cannot use it."""
    if proxy is None:
        return None
    parts = urlsplit(proxy.server if "://" in proxy.server else f"http://{proxy.server}")
    if parts.scheme not in ("http", "https") or set(proxy.bypass) - {"<-loopback>"}:
        raise OptionInvalid(
            "option proxy: together with a policy or client certificates, it must be an http or https proxy without "
            "bypass",
            option="proxy",
        )
    tls = ssl.create_default_context() if parts.scheme == "https" else None
    host, port = str(parts.hostname), parts.port
    return lambda: asyncio.open_connection(host, port, ssl=tls, limit=http1.MAX_HEAD)


async def _dial(addresses: Sequence[Address], port: int) -> Streams:
    """Connect to the first address that answers; raises the OSError of the last one, or TimeoutError."""
    for address in addresses[:-1]:
        with contextlib.suppress(OSError, TimeoutError):
            async with time_limit(ATTEMPT_TIMEOUT_S):
                return await asyncio.open_connection(str(address), port, limit=http1.MAX_HEAD)
    return await asyncio.open_connection(str(addresses[-1]), port, limit=http1.MAX_HEAD)
