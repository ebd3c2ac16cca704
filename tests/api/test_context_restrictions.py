"""What a context lets its pages do: scripts, policies, service workers, certificates, permissions; and its base URL."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web

from site_server import Site
from stillframe import Navigate
from stillframe.api.browser import Browser
from stillframe.errors import FetchFailed, NavigationFailed, UrlRefused

ASKED = """Promise.all(['notifications', 'geolocation'].map(async (name) =>
    (await navigator.permissions.query({ name })).state))"""
STRICT = "<meta http-equiv=Content-Security-Policy content=\"script-src 'none'\">"


async def test_permissions_are_granted_and_taken_back(browser: Browser, site: Site) -> None:
    async with await browser.new_context(permissions=["notifications"]) as context:
        page = await context.new_page(site.html("/asks", ""))
        assert await page.evaluate(ASKED) == ["granted", "denied"]
        await context.grant_permissions(["geolocation"])
        assert await page.evaluate(ASKED) == ["granted", "granted"]
        await context.set_geolocation({"latitude": 47, "longitude": 8})
        place = "new Promise((done) => navigator.geolocation.getCurrentPosition((p) => done(p.coords.latitude)))"
        assert await page.evaluate(place) == 47
        await context.clear_permissions()
        assert await page.evaluate(ASKED) == ["prompt", "prompt"]


async def test_pages_without_scripts_are_read_and_acted_on(browser: Browser, site: Site) -> None:
    next_page = site.html("/next", "<p>next</p>")
    body = f"<a href={next_page}>go</a><input id=i><script>document.body.append('ran')</script>"
    async with await browser.new_context(java_script_enabled=False) as context:
        page = await context.new_page(site.html("/plain", body), settle=True)
        assert "ran" not in await page.locator("body").text()
        await page.fill("#i", "text")
        assert await page.locator("#i").value() == "text"
        result = await page.click("text=go")
        assert (result.reason, page.url) == ("navigated", next_page)


async def test_a_page_ignores_its_policy_and_registers_no_service_worker(browser: Browser, site: Site) -> None:
    async with await browser.new_context(bypass_csp=True, service_workers="block") as context:
        page = await context.new_page(site.html("/strict", f"{STRICT}<script>window.ran = true</script>"))
        assert await page.evaluate("ran") is True
        register = "navigator.serviceWorker.register('/worker.js').catch((error) => error.name)"
        assert await page.evaluate(register) == "SecurityError"


async def test_relative_urls_belong_to_the_base_url(browser: Browser, site: Site) -> None:
    for path in ("/one", "/two"):
        site.html(path, path)
    async with await browser.new_context(base_url=site.url("/")) as context:
        page = await context.new_page("/one")
        assert page.url == site.url("/one")
        await page.goto("two")
        assert page.url == site.url("/two")
        assert (await page.execute_sequence([Navigate("/one")])).failed is None
        with pytest.raises(UrlRefused):
            await page.goto("file:///etc/hosts")
        assert "/two" in await (await context.request.get("/two")).text()


@pytest.fixture
async def self_signed() -> AsyncIterator[str]:
    """Serve a page with a certificate that nobody vouches for; returns its URL."""

    async def page(_: web.Request) -> web.Response:
        return web.Response(text="<h1>private</h1>", content_type="text/html")

    app = web.Application()
    app.router.add_get("/", page)
    secure = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    secure.load_cert_chain(Path(__file__).parent.parent / "self_signed.pem")
    runner = web.AppRunner(app)
    await runner.setup()
    server = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=secure)
    await server.start()
    host, port, *_ = runner.addresses[0]
    yield f"https://{host}:{port}/"
    await runner.cleanup()


async def test_certificates_are_checked_unless_the_context_ignores_them(browser: Browser, self_signed: str) -> None:
    async with await browser.new_context() as context:
        page = await context.new_page()
        with pytest.raises(NavigationFailed, match="ERR_CERT_AUTHORITY_INVALID"):
            await page.goto(self_signed)
        with pytest.raises(FetchFailed):
            await context.request.get(self_signed)
    async with await browser.new_context(ignore_https_errors=True) as context:
        page = await context.new_page(self_signed, settle=True)
        assert await page.locator("h1").text() == "private"
        assert await page.evaluate("fetch('/').then(reply => reply.status)") == 200
        assert (await context.request.get(self_signed)).ok
