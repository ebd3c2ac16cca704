"""The tool that emulates a device, a place and a network, in all pages of a session."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from aiohttp import web
from mcp_serving import capable

from site_server import Site
from stillframe.api.browser import Browser

SEEN = """<title>Seen</title><meta name=viewport content="width=device-width"><p id=seen></p><script>
seen.textContent = [innerWidth, devicePixelRatio, navigator.language, Intl.DateTimeFormat().resolvedOptions().timeZone,
  matchMedia("(prefers-color-scheme: dark)").matches, /Pixel 7/.test(navigator.userAgent)].join(" ")
</script>"""


@pytest.fixture(scope="module")
async def call(browser: Browser) -> AsyncIterator[object]:
    async with capable(browser, "emulation", context={"locale": "en-GB"}) as caller:
        yield caller


async def test_pages_see_what_is_emulated_until_it_is_reset(call, site: Site) -> None:
    url = site.html("/seen", SEEN)
    answer = await call("emulate", device="Pixel 7", locale="de-CH", timezone="Europe/Zurich", colorScheme="dark")
    assert answer.structured["emulated"]["viewport"]["width"] == 412
    assert answer.text.splitlines()[1] == "reload the page for what it has read already"
    assert "412 2.625 de-CH Europe/Zurich true true" in (await call("navigate", url=url)).text
    kept = await call("emulate", viewport={"width": 500, "height": 400})
    assert "reload" not in kept.text
    assert kept.structured["emulated"]["device"] == "Pixel 7"
    assert "500 1 de-CH Europe/Zurich true true" in (await call("navigate", url=url)).text
    assert (await call("emulate", reset=True)).structured["emulated"] == {"locale": "en-GB"}
    text = (await call("navigate", url=url)).text
    assert " 1 en-GB " in text
    assert "false false" in text


async def test_headers_and_the_network(call, site: Site) -> None:
    async def told(request: web.Request) -> web.Response:
        return web.Response(text=f"Start {request.headers.get('X-Team')}", content_type="text/html")

    site.route("/start", told)
    url = site.url("/start")
    answer = await call("emulate", headers={"X-Team": "shop"})
    assert answer.structured["emulated"]["headers"] == ["X-Team"]
    assert "shop" not in answer.text
    assert "Start shop" in (await call("navigate", url=url)).text
    assert 'offline "on"' in (await call("emulate", offline=True)).text
    assert "navigation_failed" in (await call("navigate", url=url)).text
    await call("emulate", offline=False)
    assert "Start" in (await call("navigate", url=url)).text
    assert "headers" not in (await call("emulate", headers={})).structured["emulated"]


WRONG = (
    ({}, "emulate needs something to change"),
    ({"device": "Pixl 7"}, "did you mean 'Pixel 7'"),
    ({"viewport": {"width": 0, "height": 0}}, "viewport"),
    ({"viewport": {"width": 300}}, "height"),
    ({"timezone": "Mars/Olympus"}, "timezone"),
    ({"locale": "de_CH"}, "is not a language tag"),
    ({"geolocation": {"latitude": 91, "longitude": 0}}, "latitude"),
    ({"headers": {"X Team": "a"}}, "is not a valid header name"),
    ({"colorScheme": "blue"}, "colorScheme"),
    ({"colour": "blue"}, "unknown argument 'colour'"),
)


async def test_what_cannot_be_emulated_is_refused_and_changes_nothing(call, site: Site) -> None:
    before = (await call("emulate", reset=True)).structured["emulated"]
    for arguments, words in WRONG:
        answer = await call("emulate", **arguments)
        assert answer.error["code"] == "option_invalid", arguments
        assert words in answer.text, answer.text
    assert (await call("emulate", offline=False)).structured["emulated"] == before
