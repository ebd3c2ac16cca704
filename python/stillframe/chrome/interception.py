"""Connections of a browser to origins that want a client certificate, which no command of the protocol gives Chrome.

The proxy ends the TLS of such a connection with the browser's loopback key, makes a TLS connection of its own with the
certificate, and copies bytes between the two. It connects to the server first, so that the browser gets the protocol
that the server has chosen (ALPN). The server's certificate is verified here, since the browser does not see it.

A client that connects here acts with the certificate. So only connections of this process's own user are served,
where the system says whose they are.
"""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType

from stillframe.chrome import http1
from stillframe.chrome.client_certificates import ClientCertificate, Endpoint, certificate_for
from stillframe.chrome.forwarding import Streams, copy_both_ways
from stillframe.chrome.loopback_key import LoopbackKey
from stillframe.security.redaction import logger

# Which user a connection on loopback comes from, where the system says so: Linux does, in /proc/net/tcp.

CONNECTIONS = Path("/proc/net/tcp")
"""The IPv4 connections of this network namespace (proc(5)), one in each line after the heading."""
LOCAL, REMOTE, USER = 1, 2, 7
"""The fields of a line that count: both ends as the program sees them that holds the socket, and its user."""

Place = tuple[str, int]


def is_own(client: Place, server: Place) -> bool:
    """Return whether a client's connection to a server here belongs to this process's user.

    It does where the system does not say. A connection that is gone belongs to nobody.
    """
    try:
        table = CONNECTIONS.read_text()
    except OSError:
        return not sys.platform.startswith("linux")
    return owner_in(table, client, server) == os.geteuid()


def owner_in(table: str, client: Place, server: Place) -> int | None:
    """Return the user of a client's end of a connection, by a table of the system; None if it is not there."""
    ends = [_written(client), _written(server)]
    rows = (line.split() for line in table.splitlines()[1:])
    return next((int(row[USER]) for row in rows if [row[LOCAL], row[REMOTE]] == ends), None)


def _written(place: Place) -> str:
    """Return an address as the table has it: the address as a number of this machine's byte order, and the port."""
    number = int.from_bytes(socket.inet_aton(place[0]), sys.byteorder)
    return f"{number:08X}:{place[1]:04X}"


log = logger("stillframe.interception")

Dial = Callable[[bool], Awaitable[Streams | None]]
"""Connects to the server. With True the browser still waits for an answer to its request for a tunnel: None means that
a proxy on the way refuses, and that the browser has its answer. With False such a refusal raises OSError."""

HTTP2, HTTP1 = "h2", "http/1.1"
PROTOCOLS = (HTTP2, HTTP1)
"""What Chrome offers for requests; for WebSockets it offers HTTP/1.1 alone."""

TLS_S = 30.0
"""Seconds for a TLS handshake; a browser on loopback and a server that answers take milliseconds."""

NOT_TRUSTED = (
    "the certificate of the server is not valid here ({why}): make this machine trust its issuer (or name it in the "
    "environment variable SSL_CERT_FILE), or open the context with ignore_https_errors=True"
)
REFUSED = "the server ended TLS with {why}: check that it accepts the client certificate of this origin"
SILENT = "the server ended the connection without a word: check that it accepts the client certificate of this origin"
UNREACHED = "no connection to the server ({why}): check the address, the network and that the server speaks TLS"


class Interceptor:
    """Serves the connections of one context to origins that have a certificate."""

    def __init__(self, certificates: Sequence[ClientCertificate], key: LoopbackKey, *, verify: bool) -> None:
        self._certificates = certificates
        self._key = key
        self._verify = verify
        self._failures: dict[Endpoint, str] = {}

    @property
    def failures(self) -> Mapping[Endpoint, str]:
        """Why the latest connection to an endpoint has failed; an endpoint whose latest one went well is not there."""
        return MappingProxyType(self._failures)

    def certificate(self, endpoint: Endpoint) -> ClientCertificate | None:
        """Return the certificate for an endpoint; None means that its connections are not touched."""
        return certificate_for(self._certificates, endpoint)

    async def serve(self, certificate: ClientCertificate, client: Streams, dial: Dial) -> bytes:
        """Serve a client that has asked for a tunnel; return the proxy's own answer, empty if it has one.

        Raises OSError and EOFError for a connection that ends early.
        """
        if not is_own(client[1].get_extra_info("peername"), client[1].get_extra_info("sockname")):
            return http1.proxy_answer(403, "Another user")
        try:
            server = await self._connected(certificate, partial(dial, True), PROTOCOLS)
        except ssl.SSLError:
            return http1.proxy_answer(502, "No TLS with the server")
        if server is None:
            return b""
        try:
            client[1].write(b"HTTP/1.1 200 Connected" + http1.END)
            chosen = _protocol(server)
            await client[1].start_tls(self._key.context(chosen), ssl_handshake_timeout=TLS_S)
            if chosen == HTTP2 and _protocol(client) is None:
                _abort(server)
                server = await self._connected(certificate, partial(dial, False), (HTTP1,))
            if server is not None:
                await self._copy(certificate, client, server)
        finally:
            if server is not None:
                _abort(server)
        return b""

    async def _connected(
        self, certificate: ClientCertificate, dial: Callable[[], Awaitable[Streams | None]], protocols: Sequence[str]
    ) -> Streams | None:
        """Connect to the server and make TLS with the certificate; raises OSError."""
        try:
            server = await dial()
            if server is not None:
                await self._secured(certificate, server, protocols)
        except (OSError, EOFError) as error:
            self._failed(certificate, error)
            raise
        return server

    async def _secured(self, certificate: ClientCertificate, server: Streams, protocols: Sequence[str]) -> None:
        context = certificate.context(verify=self._verify, protocols=protocols)
        host = certificate.endpoint[0].name
        try:
            await server[1].start_tls(context, server_hostname=host, ssl_handshake_timeout=TLS_S)
        except BaseException:
            _abort(server)
            raise

    async def _copy(self, certificate: ClientCertificate, client: Streams, server: Streams) -> None:
        _, received = await copy_both_ways(client, server, until=asyncio.FIRST_COMPLETED)
        # In TLS 1.3, a server refuses a certificate after the handshake. A browser that leaves before the server has
        # said anything, as it does with a connection that it has opened ahead, shows neither.
        error = EOFError() if received.ended and not received.bytes else received.error
        if isinstance(error, OSError | EOFError):
            self._failed(certificate, error)
            _abort(client)
        elif received.bytes:
            self._failures.pop(certificate.endpoint, None)

    def _failed(self, certificate: ClientCertificate, error: Exception) -> None:
        self._failures[certificate.endpoint] = explained(error)
        log.debug("no connection to %s: %r", certificate.origin, error)


def explained(error: Exception) -> str:
    """Return why a connection has failed, and what to do."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return NOT_TRUSTED.format(why=error.verify_message)
    if isinstance(error, ssl.SSLError):
        return REFUSED.format(why=(error.reason or str(error)).replace("_", " ").lower())
    return SILENT if isinstance(error, EOFError | ConnectionResetError) else UNREACHED.format(why=error)


def _protocol(streams: Streams) -> str | None:
    tls: ssl.SSLObject = streams[1].get_extra_info("ssl_object")
    return tls.selected_alpn_protocol()


def _abort(streams: Streams) -> None:
    # Not `close`, which waits for the other side to end TLS as well.
    streams[1].transport.abort()
