"""What a context lets its pages do: scripts, policies, service workers, certificates, permissions; and its base URL."""

from __future__ import annotations

import pytest

from site_server import Site
from stillframe import Navigate
from stillframe.api.browser import Browser
from stillframe.errors import UrlRefused

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
