"""Connections with client certificates through the proxy, without a browser: how they begin, fail and end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import ssl
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from test_policy_proxy import client, serving

from certified import LARGE, Authority, certified_site, http2_site
from login_proxy import basic, tunnelling_proxy
from patience import HANG_S
from stillframe.chrome import http1
from stillframe.chrome.client_certificates import read_certificates
from stillframe.chrome.interception import Interceptor, explained
from stillframe.chrome.loopback_key import LoopbackKey
from stillframe.chrome.options import Proxy
from stillframe.chrome.policy_proxy import PolicyProxy
from stillframe.security.policy import UrlPolicy
from stillframe.security.urls import parse_authority

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


def proxy_for(authority: Authority, origin: str, *, upstream: Proxy | None = None) -> PolicyProxy:
    given = [{"origin": origin, "cert": authority.client.cert, "key": authority.client.key}]
    interceptor = Interceptor(read_certificates(given), LoopbackKey(), verify=False)
    return PolicyProxy(UrlPolicy(allow_private=True), upstream=upstream, interceptor=interceptor)


@contextlib.asynccontextmanager
async def tunnel(proxy: PolicyProxy, origin: str, *fields: str) -> AsyncIterator[tuple[bytes, Streams]]:
    """Ask for a tunnel to an origin; yields the head of the answer and the connection."""
    place = origin.removeprefix("https://")
    async with asyncio.timeout(HANG_S), client(proxy) as (reader, writer):
        writer.write("\r\n".join((f"CONNECT {place} HTTP/1.1", f"Host: {place}", *fields, "", "")).encode())
        yield await reader.readuntil(http1.END), (reader, writer)


async def secured(streams: Streams, *protocols: str) -> str | None:
    """Begin TLS as a browser does; returns the protocol that was chosen."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_alpn_protocols(protocols)
    await streams[1].start_tls(context, server_hostname="localhost")
    chosen: str | None = streams[1].get_extra_info("ssl_object").selected_alpn_protocol()
    return chosen


async def get(streams: Streams, path: str = "/") -> bytes:
    streams[1].write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    return await streams[0].read()


def why(proxy: PolicyProxy, origin: str) -> str | None:
    assert proxy.interceptor is not None
    host, port = parse_authority(origin.removeprefix("https://"))
    return proxy.interceptor.failures.get((host, port or 443))


async def test_the_server_sees_the_certificate(authority: Authority) -> None:
    async with certified_site(authority.tls()) as origin, proxy_for(authority, origin) as proxy:
        async with tunnel(proxy, origin) as (head, streams):
            assert head.startswith(b"HTTP/1.1 200")
            assert await secured(streams, "h2", "http/1.1") is None  # the server chooses none
            assert b"<h1>ann</h1>" in await get(streams)
        assert why(proxy, origin) is None
    assert proxy.connections == 0


async def test_a_large_answer_arrives_whole_although_the_server_ends_it(authority: Authority) -> None:
    async with (
        certified_site(authority.tls()) as origin,
        proxy_for(authority, origin) as proxy,
        tunnel(proxy, origin) as (_, streams),
    ):
        await secured(streams)
        assert (await get(streams, "/large")).count(b"\0") == LARGE


@pytest.mark.parametrize(("offered", "chosen"), [(("h2", "http/1.1"), "h2"), (("http/1.1",), None)])
async def test_the_protocol_is_one_that_both_sides_have(
    authority: Authority, offered: tuple[str, ...], chosen: str | None
) -> None:
    """Without one in common, the connection to the server is made again: it must not be HTTP/2."""
    context = authority.tls(protocols=["h2", "http/1.1"])
    async with (
        certified_site(context) as origin,
        proxy_for(authority, origin) as proxy,
        tunnel(proxy, origin) as (_, streams),
    ):
        assert await secured(streams, *offered) == chosen
        if chosen is None:
            assert b"<h1>ann</h1>" in await get(streams)


async def test_other_origins_get_a_plain_tunnel(authority: Authority) -> None:
    async with (
        certified_site(authority.tls(asks=False)) as other,
        proxy_for(authority, "https://shop.test") as proxy,
        tunnel(proxy, other) as (_, streams),
    ):
        trusting = ssl.create_default_context(cafile=str(authority.path))
        await streams[1].start_tls(trusting, server_hostname="localhost")
        assert b"<h1>nobody</h1>" in await get(streams)


def refusing(context: ssl.SSLContext) -> tuple[socket.socket, Callable[[], None]]:
    """Return a listening socket, and what serves one connection on it in a thread: it says in TLS why it refuses.

    Servers of asyncio close without a word.
    """
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with listening, listening.accept()[0] as accepted, contextlib.suppress(OSError):
            context.wrap_socket(accepted, server_side=True).recv(1)

    return listening, serve


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
async def test_a_server_that_refuses_the_certificate_is_the_reason(
    authority: Authority, tmp_path: Path, version: ssl.TLSVersion
) -> None:
    """TLS 1.2 refuses in the handshake, before the browser has its tunnel, and TLS 1.3 after it."""
    listening, serve = refusing(authority.tls(oldest=version))
    origin = f"https://127.0.0.1:{listening.getsockname()[1]}"
    serving = asyncio.ensure_future(asyncio.to_thread(serve))
    async with proxy_for(Authority(tmp_path), origin) as proxy:
        async with tunnel(proxy, origin) as (head, streams):
            if version is ssl.TLSVersion.TLSv1_2:
                assert head.startswith(b"HTTP/1.1 502")
            else:
                await secured(streams)
                with contextlib.suppress(OSError):
                    assert await get(streams) == b""
        assert "tlsv1 alert unknown ca" in str(why(proxy, origin))
    await serving


async def test_a_connection_that_is_left_unused_hides_no_reason_and_an_answer_does(authority: Authority) -> None:
    async with certified_site(authority.tls()) as origin, proxy_for(authority, origin) as proxy:
        assert proxy.interceptor is not None
        host, port = parse_authority(origin.removeprefix("https://"))
        proxy.interceptor._failures[host, port or 443] = "refused"
        async with tunnel(proxy, origin) as (_, streams):
            await secured(streams, "http/1.1")
        await all_ended(proxy)
        assert why(proxy, origin) == "refused"
        async with tunnel(proxy, origin) as (_, streams):
            await secured(streams, "http/1.1")
            assert b"<h1>ann</h1>" in await get(streams)
        await all_ended(proxy)
        assert why(proxy, origin) is None


async def all_ended(proxy: PolicyProxy) -> None:
    """Wait until the proxy has no connection; the other side of ours ends when it has read that ours has."""
    async with asyncio.timeout(HANG_S):
        while proxy.connections:  # noqa: ASYNC110  their end has no event
            await asyncio.sleep(0.01)


async def test_a_server_without_tls_and_one_that_is_not_there_are_told_apart(authority: Authority) -> None:
    async def plain(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 mail.test ready\r\n")

    async with serving(plain) as server:
        origin = f"https://127.0.0.1:{server.port}"
        async with proxy_for(authority, origin) as proxy:
            async with tunnel(proxy, origin) as (head, _):
                assert head.startswith(b"HTTP/1.1 502")
            assert "wrong version number" in str(why(proxy, origin))
    async with proxy_for(authority, origin) as proxy:
        with pytest.raises(EOFError):
            async with tunnel(proxy, origin):
                pytest.fail("there is no server")
        assert "check the address" in str(why(proxy, origin))


async def test_it_goes_through_another_proxy_whose_refusal_the_browser_gets(authority: Authority) -> None:
    """Both times: the connection that is made again for HTTP/1.1 goes there as well."""
    async with (
        certified_site(authority.tls(protocols=["h2", "http/1.1"])) as origin,
        tunnelling_proxy() as between,
        proxy_for(authority, origin, upstream=Proxy(between.address)) as proxy,
    ):
        async with tunnel(proxy, origin) as (head, _):
            assert head.startswith(b"HTTP/1.1 407")
        async with tunnel(proxy, origin, f"Proxy-Authorization: {basic('ann', 'hush')}") as (head, streams):
            assert head.startswith(b"HTTP/1.1 200")
            await secured(streams, "http/1.1")
            assert b"<h1>ann</h1>" in await get(streams)
    assert [has_login for has_login, _ in between.seen] == [False, True, True]


async def test_another_user_of_the_machine_gets_nothing(authority: Authority, monkeypatch: pytest.MonkeyPatch) -> None:
    user = os.geteuid() + 1
    async with certified_site(authority.tls()) as origin, proxy_for(authority, origin) as proxy:
        monkeypatch.setattr(os, "geteuid", lambda: user)
        async with tunnel(proxy, origin) as (head, _):
            assert head.startswith(b"HTTP/1.1 403")


async def test_an_open_connection_ends_with_the_proxy(authority: Authority) -> None:
    async with http2_site(authority.tls(protocols=["h2"])) as origin:
        proxy = await proxy_for(authority, origin).start()
        async with tunnel(proxy, origin) as (_, streams):
            assert await secured(streams, "h2") == "h2"
            await proxy.aclose()
            with contextlib.suppress(OSError):
                assert await streams[0].read() == b""
        assert proxy.connections == 0


def test_failures_say_what_to_do() -> None:
    assert "an old one" in explained(_with(ssl.SSLCertVerificationError(1, "no"), verify_message="an old one"))
    alert = _with(ssl.SSLError(1, "no"), reason="TLSV13_ALERT_CERTIFICATE_REQUIRED")
    assert "tlsv13 alert certificate required" in explained(alert)
    assert "without a word" in explained(EOFError())
    assert "check the address" in explained(OSError("no route"))


def _with(error: ssl.SSLError, **fields: str) -> ssl.SSLError:
    """An error as OpenSSL's carry it."""
    for name, value in fields.items():
        setattr(error, name, value)
    return error
