"""Servers on loopback that ask for a client certificate, and the certificates of both sides, for tests of contexts."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from aiohttp import web
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import pkcs12

PASSPHRASE = "open sesame"
PAGE = "<title>{name}</title><h1>{name}</h1><script>onmessage = () => 0</script>"
LARGE = 4_000_000
"""Bytes of a page that no buffer on the way takes as a whole."""
WORKER = "onmessage = async () => postMessage(await (await fetch('/')).text())"


def now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True)
class Pair:
    """A certificate and its key."""

    certificate: x509.Certificate
    private: ec.EllipticCurvePrivateKey

    @cached_property
    def cert(self) -> bytes:
        return self.certificate.public_bytes(serialization.Encoding.PEM)

    @cached_property
    def key(self) -> bytes:
        return self._key(serialization.NoEncryption())

    @cached_property
    def locked_key(self) -> bytes:
        return self._key(serialization.BestAvailableEncryption(PASSPHRASE.encode()))

    @cached_property
    def pfx(self) -> bytes:
        locked = serialization.BestAvailableEncryption(PASSPHRASE.encode())
        return pkcs12.serialize_key_and_certificates(b"client", self.private, self.certificate, None, locked)

    def _key(self, lock: Any) -> bytes:
        return self.private.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, lock)


class Authority:
    """An issuer of certificates that no machine trusts by itself, with one for servers and one for a client."""

    def __init__(self, folder: Path) -> None:
        self._own = self._issue("the tests' own authority", None)
        self.path = folder / "authority.pem"
        """The file with the certificate of the issuer, for the variable SSL_CERT_FILE."""
        self.path.write_bytes(self._own.cert)
        self.server = self._issue("127.0.0.1", self._own)
        self.client = self._issue("ann", self._own)
        self._folder = folder

    def _issue(self, name: str, issuer: Pair | None) -> Pair:
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
        signing = key if issuer is None else issuer.private
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(subject if issuer is None else issuer.certificate.subject)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now() - timedelta(days=1))
            .not_valid_after(now() + timedelta(days=30))
            .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signing.public_key()), critical=False)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        )
        if issuer is None:
            usage = dict.fromkeys(("data_encipherment", "key_agreement", "encipher_only", "decipher_only"), False)
            usage |= dict.fromkeys(("digital_signature", "content_commitment", "key_encipherment"), False)
            builder = builder.add_extension(x509.KeyUsage(key_cert_sign=True, crl_sign=True, **usage), critical=True)
        else:
            names = [x509.IPAddress(ip_address("127.0.0.1")), x509.DNSName("localhost")]
            builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
        return Pair(builder.sign(signing, hashes.SHA256()), key)

    def tls(self, *, asks: bool = True, protocols: Sequence[str] = (), oldest: ssl.TLSVersion | None = None) -> Any:
        """Return what a server needs; it `asks` clients for a certificate of this issuer, and lets no other in."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        path = self._folder / "server.pem"
        path.write_bytes(self.server.cert + self.server.key)
        context.load_cert_chain(path)
        if protocols:
            context.set_alpn_protocols(list(protocols))
        if oldest is not None:
            context.maximum_version = oldest
        if asks:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(self.path)
        return context


@asynccontextmanager
async def certified_site(context: ssl.SSLContext) -> AsyncIterator[str]:
    """Serve pages that name the client until the block ends; yields the origin."""
    app = web.Application()
    served = {"/": _page, "/large": _large, "/worker.js": _worker, "/socket": _socket}
    app.add_routes([web.get(path, handler) for path, handler in served.items()])
    runner = web.AppRunner(app, shutdown_timeout=0)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context).start()
    try:
        yield f"https://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


def name_of(certificate: dict[str, Any] | None) -> str:
    """The common name in a certificate as `ssl` reads it."""
    return dict(pair for row in (certificate or {}).get("subject", ()) for pair in row).get("commonName", "nobody")


def _client(request: web.Request) -> str:
    assert request.transport is not None
    return name_of(request.transport.get_extra_info("peercert"))


async def _page(request: web.Request) -> web.Response:
    return web.Response(text=PAGE.format(name=_client(request)), content_type="text/html")


async def _large(_: web.Request) -> web.Response:
    return web.Response(body=bytes(LARGE))


async def _worker(_: web.Request) -> web.Response:
    return web.Response(text=WORKER, content_type="text/javascript")


async def _socket(request: web.Request) -> web.WebSocketResponse:
    socket = web.WebSocketResponse()
    await socket.prepare(request)
    await socket.send_str(_client(request))
    await socket.close()
    return socket


# -- HTTP/2, as far as a page needs it ---------------------------------------------------------------

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, SETTINGS, PING = 0, 1, 4, 6
END_STREAM, END_HEADERS, ACK = 1, 4, 1
OK = b"\x88"
"""The header `:status: 200`, from the static table of HPACK (RFC 7541, appendix A)."""


def _frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


async def _serve_http2(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer every request with the name of the client."""
    name = name_of(writer.get_extra_info("peercert")).encode()
    await reader.readexactly(len(PREFACE))
    writer.write(_frame(SETTINGS, 0, 0, b""))
    while True:
        head = await reader.readexactly(9)
        payload = await reader.readexactly(int.from_bytes(head[:3], "big"))
        kind, flags, stream = head[3], head[4], int.from_bytes(head[5:], "big")
        if kind in (SETTINGS, PING) and not flags & ACK:
            writer.write(_frame(kind, ACK, 0, b"" if kind == SETTINGS else payload))
        elif kind == HEADERS:
            writer.write(_frame(HEADERS, END_HEADERS, stream, OK) + _frame(DATA, END_STREAM, stream, name))


@asynccontextmanager
async def http2_site(context: ssl.SSLContext) -> AsyncIterator[str]:
    """Serve the name of the client over HTTP/2 until the block ends; yields the origin."""
    tasks: set[asyncio.Task[None]] = set()

    async def served(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await _serve_http2(reader, writer)
        except (EOFError, OSError):
            pass
        finally:
            writer.transport.abort()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tasks.add(asyncio.get_running_loop().create_task(served(reader, writer)))

    server = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=context)
    try:
        yield f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
