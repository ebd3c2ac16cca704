"""Contexts with client certificates: where they are shown, where they are not, and what fails."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import stillframe
from certified import PASSPHRASE, Authority, certified_site, http2_site
from login_proxy import tunnelling_proxy
from site_server import Site
from stillframe.api.browser import Browser
from stillframe.errors import FetchFailed, NavigationFailed, OptionInvalid

SOCKET = """new Promise((done) => {
    const socket = new WebSocket(`wss://${location.host}/socket`)
    socket.onmessage = (event) => done(event.data)
    socket.onerror = () => done("failed")
})"""
WORKER = """new Promise((done) => {
    const worker = new Worker("/worker.js")
    worker.onmessage = (event) => done(event.data.includes("<h1>ann"))
    worker.postMessage("")
})"""
SERVICE_WORKER = "navigator.serviceWorker.register('/worker.js').then(() => 'registered', String)"


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(autouse=True)
def trusted(authority: Authority, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have this process trust the issuer; Chrome does not."""
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.path))


@pytest.fixture
async def shop(authority: Authority) -> AsyncIterator[str]:
    """A site that lets nobody in without a certificate."""
    async with certified_site(authority.tls()) as origin:
        yield origin


def shown(authority: Authority, *origins: str) -> list[dict[str, Any]]:
    return [{"origin": origin, "cert": authority.client.cert, "key": authority.client.key} for origin in origins]


async def test_a_page_gets_in_with_the_certificate_and_all_that_it_starts(
    browser: Browser, authority: Authority, shop: str
) -> None:
    async with await browser.new_context(client_certificates=shown(authority, shop)) as context:
        page = await context.new_page(shop)
        assert await page.title() == "ann"
        assert await page.evaluate("fetch('/').then((reply) => [isSecureContext, reply.status])") == [True, 200]
        assert await page.evaluate(SOCKET) == "ann"
        assert await page.evaluate(WORKER) is True
        assert await page.evaluate(SERVICE_WORKER) == "registered"


async def test_without_it_the_server_refuses(browser: Browser, authority: Authority, shop: str) -> None:
    async with await browser.new_context(ignore_https_errors=True) as context:
        with pytest.raises(NavigationFailed, match="did not load"):
            await context.new_page(shop)


async def test_the_browser_gets_the_protocol_that_the_server_has_chosen(browser: Browser, authority: Authority) -> None:
    protocol = "performance.getEntriesByType('navigation')[0].nextHopProtocol"
    async with (
        http2_site(authority.tls(protocols=["h2"])) as origin,
        await browser.new_context(client_certificates=shown(authority, origin)) as context,
    ):
        page = await context.new_page(origin)
        assert await page.evaluate(f"[{protocol}, document.body.textContent]") == ["h2", "ann"]


async def test_a_socket_gets_a_connection_of_its_own_where_pages_use_http_2(
    browser: Browser, authority: Authority
) -> None:
    """The server would take HTTP/2, and Chrome offers HTTP/1.1 alone for a WebSocket."""
    async with (
        certified_site(authority.tls(protocols=["h2", "http/1.1"])) as origin,
        await browser.new_context(client_certificates=shown(authority, origin)) as context,
    ):
        page = await context.new_page()
        socket = SOCKET.replace("location.host", repr(origin.removeprefix("https://")))
        assert await page.evaluate(socket) == "ann"


async def test_other_origins_are_not_touched(browser: Browser, authority: Authority, shop: str) -> None:
    """Chrome itself sees the certificate of another server, which it does not trust, and shows that one ours never."""
    async with (
        certified_site(authority.tls(asks=False)) as other,
        await browser.new_context(client_certificates=shown(authority, shop)) as context,
    ):
        page = await context.new_page(shop)
        with pytest.raises(NavigationFailed, match="ERR_CERT_AUTHORITY_INVALID"):
            await page.goto(other)


async def test_the_server_is_verified_unless_the_context_ignores_errors(
    browser: Browser, authority: Authority, shop: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")
    async with await browser.new_context(client_certificates=shown(authority, shop)) as context:
        with pytest.raises(NavigationFailed, match=r"not valid here.*ignore_https_errors"):
            await context.new_page(shop)
        with pytest.raises(FetchFailed, match="CERTIFICATE_VERIFY_FAILED"):
            await context.request.get(shop)
    options = {"client_certificates": shown(authority, shop), "ignore_https_errors": True}
    async with await browser.new_context(**options) as context:
        page = await context.new_page(shop)
        assert await page.title() == "ann"


async def test_a_certificate_that_the_server_does_not_know_is_named_as_the_reason(
    browser: Browser, authority: Authority, shop: str, tmp_path: Path
) -> None:
    stranger = Authority(tmp_path)
    async with await browser.new_context(client_certificates=shown(stranger, shop)) as context:
        with pytest.raises(NavigationFailed, match="check that it accepts the client certificate"):
            await context.new_page(shop)


async def test_a_server_that_asks_for_a_certificate_is_named_as_the_reason(
    browser: Browser, authority: Authority
) -> None:
    tls = authority.tls(
        oldest=ssl.TLSVersion.TLSv1_2
    )  # in 1.3 the refusal follows the handshake, and Chrome's error varies
    with socket.create_server(("127.0.0.1", 0)) as server:
        refusing = asyncio.create_task(asyncio.to_thread(refuse_all, server, tls))
        try:
            async with await browser.new_context(ignore_https_errors=True) as context:
                with pytest.raises(NavigationFailed, match="asks for a client certificate: give one"):
                    await context.new_page(f"https://127.0.0.1:{server.getsockname()[1]}")
        finally:
            server.shutdown(socket.SHUT_RDWR)
            await refusing


def refuse_all(server: socket.socket, tls: ssl.SSLContext) -> None:
    """Refuse TLS to all clients, with an alert that says why: asyncio closes the connection without one."""
    with suppress(OSError):
        while True:
            client, _ = server.accept()
            with client, suppress(ssl.SSLError):
                tls.wrap_socket(client, server_side=True).close()


async def test_requests_outside_of_pages_show_it(browser: Browser, authority: Authority, shop: str) -> None:
    async with (
        certified_site(authority.tls(asks=False)) as other,
        await browser.new_context(client_certificates=shown(authority, shop)) as context,
    ):
        assert "<h1>ann" in await (await context.request.get(shop)).text()
        assert "<h1>nobody" in await (await context.request.get(other, ignore_https_errors=True)).text()


async def test_plain_connections_take_their_own_way(browser: Browser, authority: Authority, site: Site) -> None:
    """The proxy stops, and plain HTTP goes on."""
    async with await browser.new_context(client_certificates=shown(authority, "https://shop.test")) as context:
        page = await context.new_page()
        context._proxies.stop()
        await page.goto(site.html("/plain", "<h1>plain</h1>"))
        assert await page.locator("h1").text() == "plain"


async def test_it_goes_through_the_proxy_of_the_context_with_its_login(
    browser: Browser, authority: Authority, shop: str
) -> None:
    async with tunnelling_proxy() as tunnelling:
        options = {"client_certificates": shown(authority, shop), "proxy": f"http://ann:hush@{tunnelling.address}"}
        async with await browser.new_context(**options) as context:
            page = await context.new_page(shop)
            assert await page.title() == "ann"
    assert {(False, shop.removeprefix("https://")), (True, shop.removeprefix("https://"))} == set(tunnelling.seen)


async def test_a_policy_decides_about_these_connections_too(browser: Browser, authority: Authority, shop: str) -> None:
    async with certified_site(authority.tls()) as other:
        allowed = shop.removeprefix("https://")
        options = {"client_certificates": shown(authority, shop, other), "policy": {"allowed_hosts": [allowed]}}
        async with await browser.new_context(**options) as context:
            page = await context.new_page(shop)
            assert await page.title() == "ann"
            assert "<h1>ann" in await (await context.request.get(shop)).text()
            assert await page.evaluate(f"fetch({other!r}, {{mode: 'no-cors'}}).catch(() => 'refused')") == "refused"
            assert f"{other}/" in [refused.url for refused in context.refusals.all]


async def test_a_launch_takes_them_and_hands_them_on(authority: Authority, shop: str) -> None:
    async with stillframe.launch(client_certificates=shown(authority, shop)) as browser:
        assert await (await browser.new_page(shop)).title() == "ann"
        async with await browser.new_context() as context:
            assert await (await context.new_page(shop)).title() == "ann"
        async with await browser.new_context(client_certificates=[]) as context:
            with pytest.raises(NavigationFailed, match="ERR_CERT_AUTHORITY_INVALID"):
                await context.new_page(shop)
        proxies = browser.default_context._proxies
    assert proxies.certificates is not None
    assert proxies.certificates.connections == 0


async def test_a_context_that_closes_takes_its_connections_along(
    browser: Browser, authority: Authority, shop: str
) -> None:
    context = await browser.new_context(client_certificates=shown(authority, shop))
    await context.new_page(shop)
    proxy = context._proxies.certificates
    assert proxy is not None
    assert proxy.connections > 0
    await context.close()
    assert proxy.connections == 0
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", int(proxy.proxy.server.rpartition(":")[2]))


async def test_a_browser_of_others_gets_none(authority: Authority) -> None:
    given = shown(authority, "https://shop.test")
    with pytest.raises(OptionInvalid, match="let stillframe launch the browser"):
        await stillframe.android(client_certificates=given)
    async with stillframe.launch(port=0) as launched:
        assert launched.info.endpoint is not None
        with pytest.raises(OptionInvalid, match="let stillframe launch the browser"):
            await stillframe.connect(launched.info.endpoint, client_certificates=given)
        async with stillframe.connect(launched.info.endpoint) as connected:
            with pytest.raises(OptionInvalid, match="let stillframe launch the browser"):
                await connected.new_context(client_certificates=given)


async def test_no_key_is_in_what_a_context_shows(browser: Browser, authority: Authority, shop: str) -> None:
    given = [{"origin": shop, "pfx": authority.client.pfx, "passphrase": PASSPHRASE}]
    async with await browser.new_context(client_certificates=given) as context:
        shown_options = repr(context.options)
        assert shop in shown_options
        assert "BEGIN" not in shown_options
        assert PASSPHRASE not in shown_options
        assert await (await context.new_page(shop)).title() == "ann"


@pytest.mark.parametrize("args", [5, "--one", ["two"]])
async def test_wrong_switches_are_refused_as_ever(args: Any) -> None:
    with pytest.raises(OptionInvalid, match="args"):
        await stillframe.launch(args=args)
