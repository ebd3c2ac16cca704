"""What pages, frames of other processes and workers see of their device, their user and their place."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from aiohttp import web
from heard import by_user

from patience import HANG_S
from site_server import Site
from stillframe.api.browser import Browser, Page
from stillframe.cdp_types import emulation as cdp
from stillframe.errors import OptionInvalid
from stillframe.tab.context import emulation
from stillframe.tab.context.emulation import accept_language, commands, metadata
from stillframe.tab.context.options import ContextOptions, parse_context_options
from stillframe.tab.deadline import Deadline
from stillframe.tab.javascript import caller_scripts

WINDOWS = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/149.0.0.0 Safari/537.36"
)
PIXEL = (
    "Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/UQ1A) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/150.0.7000.1 Mobile Safari/537.36"
)
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"

# option -> its value, and what a page then sees
SEEN: list[tuple[str, Any, dict[str, Any]]] = [
    ("user_agent", FIREFOX, {"userAgent": FIREFOX, "brands": []}),
    ("user_agent", WINDOWS, {"userAgent": WINDOWS, "platform": "Win32", "uaPlatform": "Windows"}),
    ("locale", "de-DE", {"languages": ["de-DE", "de"], "locale": "de-DE", "number": "1.234,5"}),
    ("timezone", "Asia/Tokyo", {"timezone": "Asia/Tokyo"}),
    ("color_scheme", "dark", {"dark": True}),
    ("color_scheme", "light", {"dark": False}),
    ("reduced_motion", "reduce", {"still": True}),
    ("viewport", {"width": 500, "height": 400}, {"width": 500, "height": 400, "screen": [500, 400], "touch": False}),
    (
        "viewport",
        {"width": 360, "height": 640, "device_scale_factor": 3, "mobile": True, "touch": True},
        {"ratio": 3, "screen": [360, 640], "touch": True, "coarse": True},
    ),
]

# What every target is told, beside the page itself.
IN_WORKERS = ("user_agent", "locale", "timezone")


def options(**given: Any) -> ContextOptions:
    return parse_context_options(given)


def named(given: ContextOptions, kind: emulation.Kind) -> list[str]:
    return [option for option, _ in commands(given, kind)]


def test_nothing_is_sent_for_a_context_without_wishes() -> None:
    assert not named(options(), "page")


def test_only_what_a_target_takes_is_sent_to_it() -> None:
    everything = options(**{option: value for option, value, _ in SEEN}, geolocation={"latitude": 1, "longitude": 2})
    assert "geolocation" in named(everything, "iframe")
    assert named(everything, "worker") == ["user_agent"]
    frame = [type(command) for _, command in commands(everything, "iframe")]
    assert cdp.SetDeviceMetricsOverride not in frame
    assert cdp.SetTouchEmulationEnabled in frame


def test_client_hints_agree_with_the_user_agent() -> None:
    pixel = metadata(PIXEL)
    assert pixel is not None
    assert (pixel.platform, pixel.platform_version, pixel.model, pixel.mobile) == ("Android", "14", "Pixel 8", True)
    assert ("Chromium", "150") in [(brand.brand, brand.version) for brand in pixel.brands or ()]
    assert ("Chromium", "150.0.7000.1") in [(brand.brand, brand.version) for brand in pixel.full_version_list or ()]
    windows = metadata(WINDOWS)
    assert windows is not None
    assert (windows.platform, windows.platform_version, windows.mobile) == ("Windows", "10.0", False)
    assert metadata(FIREFOX) is None


@pytest.mark.parametrize(
    ("locale", "languages"), [("de-CH", "de-CH,de"), ("fr", "fr"), ("zh-Hant-TW", "zh-Hant-TW,zh")]
)
def test_the_language_alone_is_asked_for_as_well(locale: str, languages: str) -> None:
    assert accept_language(locale) == languages


@pytest.mark.parametrize(("option", "value", "seen"), SEEN, ids=[f"{row[0]}-{n}" for n, row in enumerate(SEEN)])
async def test_the_first_script_of_every_target_sees_it(
    browser: Browser, site: Site, option: str, value: Any, seen: dict[str, Any]
) -> None:
    framed = site.html("/framed", f"<iframe src='{site.url('/context/look.html', host='localhost')}'></iframe>")
    async with await browser.new_context(**{option: value}) as context:
        page = await context.new_page(site.url("/context/look.html"))
        looked = await page.evaluate("seen")
        assert {name: looked[name] for name in seen} == seen
        if option in IN_WORKERS:
            from_worker = await page.evaluate("fromWorker")
            expected = {name: value for name, value in seen.items() if name != "platform"}
            assert {name: from_worker[name] for name in expected} == expected
        if option != "viewport":
            await page.goto(framed)
            frame = next(frame for frame in page._tab.frames if frame.parent is not None)
            assert frame.session is not page.cdp_session
            looked = await caller_scripts.evaluate(frame, "seen", deadline=Deadline(30))
            assert {name: looked[name] for name in seen} == seen


@pytest.mark.slow
async def test_the_server_is_asked_for_the_same_language_and_by_the_same_agent(browser: Browser, site: Site) -> None:
    headers: list[dict[str, str]] = []

    async def handler(request: web.Request) -> web.Response:
        headers.append({name.lower(): value for name, value in request.headers.items()})
        return web.Response(text="x", content_type="text/html")

    site.route("/asked", handler)
    async with await browser.new_context(user_agent=WINDOWS, locale="fr-BE") as context:
        await context.new_page(site.url("/asked"))
    assert headers[0]["user-agent"] == WINDOWS
    assert headers[0]["accept-language"].startswith("fr-BE,fr")
    assert 'v="149"' in headers[0]["sec-ch-ua"]
    assert headers[0]["sec-ch-ua-platform"] == '"Windows"'


@pytest.mark.slow
async def test_a_popup_sees_it_from_its_first_script_on(browser: Browser, site: Site) -> None:
    async with await browser.new_context(timezone="Asia/Tokyo", locale="de-CH") as context:
        page = await context.new_page(site.url("/context/look.html"))
        seen = await by_user(
            page, "new Promise(r => { const w = window.open('look.html'); w.onload = () => r(w.seen) })"
        )
        assert (seen["timezone"], seen["languages"]) == ("Asia/Tokyo", ["de-CH", "de"])


async def test_two_pages_of_one_process_share_a_locale(browser: Browser, site: Site) -> None:
    async with await browser.new_context(locale="de-CH") as context:
        first = await context.new_page(site.url("/context/look.html"))
        second = await context.new_page(site.url("/context/look.html"))
        assert [await page.evaluate("seen.locale") for page in (first, second)] == ["de-CH", "de-CH"]


async def test_a_place_is_told_without_a_question(browser: Browser, site: Site) -> None:
    place = {"latitude": 47.5, "longitude": 8.25, "accuracy": 5}
    async with await browser.new_context(geolocation=place) as context:
        page = await context.new_page(site.url("/context/look.html"))
        told = await page.evaluate(
            "new Promise((yes, no) => navigator.geolocation.getCurrentPosition(p => "
            "yes([p.coords.latitude, p.coords.longitude, p.coords.accuracy]), e => no(e.message)))"
        )
        assert told == [47.5, 8.25, 5]


async def test_a_page_can_be_given_another_size(page: Page, site: Site) -> None:
    await page.goto(site.url("/context/look.html"))
    await page.set_viewport(333, 222, device_scale_factor=2, touch=True)
    assert await page.evaluate("[innerWidth, innerHeight, devicePixelRatio]") == [333, 222, 2]
    await page.reload()
    assert await page.evaluate("'ontouchstart' in window")


POINTERS = """[["hover", "hover"], ["hover", "none"], ["pointer", "fine"], ["pointer", "coarse"]]
    .filter(([name, value]) => matchMedia(`(${name}: ${value})`).matches).map((pair) => pair.join(": "))"""


async def test_a_page_has_a_mouse_and_an_emulated_phone_has_none(browser: Browser, page: Page, site: Site) -> None:
    menu = "<style>#menu { display: none } @media (hover: hover) { nav:hover #menu { display: block } }</style>"
    await page.goto(site.html("/menu", f"{menu}<nav>Shop <b id=menu>Lamps</b></nav>"))
    assert await page.evaluate(POINTERS) == ["hover: hover", "pointer: fine"]
    await page.hover("nav")
    assert await page.locator("#menu").is_visible()
    async with await browser.new_context(
        viewport={"width": 390, "height": 844, "mobile": True, "touch": True}
    ) as phone:
        on_phone = await phone.new_page(site.url("/menu"))
        assert await on_phone.evaluate(POINTERS) == ["hover: none", "pointer: coarse"]


async def test_emulation_changes_in_open_pages_and_in_later_ones(browser: Browser, site: Site) -> None:
    seen = (
        "[innerWidth, navigator.language, Intl.DateTimeFormat().resolvedOptions().timeZone, navigator.maxTouchPoints]"
    )
    url = site.html("/start", "<meta name=viewport content='width=device-width'>")
    async with await browser.new_context(device="Pixel 7") as context:
        pages = [await context.new_page(url), await context.new_page(url)]
        await context.emulate(locale="de-CH", timezone="Asia/Tokyo")
        assert [await page.evaluate(seen) for page in pages] == [[412, "de-CH", "Asia/Tokyo", 1]] * 2
        await context.emulate(locale="fr-FR", device="iPhone 15 landscape")
        pages.append(await context.new_page(url))
        assert [await page.evaluate(seen) for page in pages] == [[659, "fr-FR", "Asia/Tokyo", 1]] * 3
        assert [page.viewport and page.viewport.width for page in pages] == [659] * 3
        await context.emulate(device=None, locale=None, timezone=None)
        assert (await pages[0].evaluate(seen))[1:] == ["en-US", "UTC", 0]
        assert context.options.viewport is None


async def test_what_the_browser_refuses_changes_nothing(page: Page) -> None:
    before = page.context.options
    with pytest.raises(OptionInvalid, match="Invalid timezone id") as raised:
        await page.context.emulate(viewport={"width": 300, "height": 300}, timezone="Mars/Olympus")
    assert raised.value.option == "timezone"
    assert page.context.options is before
    async with asyncio.timeout(HANG_S):
        while await page.evaluate("innerWidth") == 300:  # noqa: ASYNC110  the window gets its size back a moment later
            await asyncio.sleep(0.01)
    with pytest.raises(OptionInvalid, match="unknown option 'proxy'"):
        await page.context.emulate(proxy="localhost:1")  # type: ignore[call-arg]


async def test_a_device_of_its_own_replaces_the_inherited_one(browser: Browser) -> None:
    async with await browser.new_context(device="Pixel 7", viewport={"width": 300, "height": 200}) as context:
        assert context.options.viewport is not None
        assert context.options.viewport.width == 300
        assert "Pixel 7" in (context.options.user_agent or "")
