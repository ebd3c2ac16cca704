"""Pictures are real pictures of the right size, and a PDF is a PDF."""

from __future__ import annotations

import asyncio
import struct
import zlib
from typing import Any

import pytest

from sampling import sampled
from site_server import Site
from stillframe.api.browser import Browser, Page
from stillframe.cdp_types import browser as cdp_browser
from stillframe.errors import ElementHidden, OptionInvalid

TALL = "<body style='margin: 0'><div style='width: 900px; height: 3000px; background: linear-gradient(red, blue)'>"


def png_size(image: bytes) -> tuple[int, int]:
    assert image.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", image[16:24])
    return width, height


def jpeg_size(image: bytes) -> tuple[int, int]:
    assert image.startswith(b"\xff\xd8\xff")
    at = 2
    while image[at + 1] not in (0xC0, 0xC1, 0xC2):
        at += 2 + int.from_bytes(image[at + 2 : at + 4], "big")
    height, width = struct.unpack(">HH", image[at + 5 : at + 9])
    return width, height


def webp_size(image: bytes) -> tuple[int, int]:
    assert (image[:4], image[8:12]) == (b"RIFF", b"WEBP")
    if image[12:16] == b"VP8X":
        return int.from_bytes(image[24:27], "little") + 1, int.from_bytes(image[27:30], "little") + 1
    width, height = struct.unpack("<HH", image[26:30])
    return width & 0x3FFF, height & 0x3FFF


def pixel(image: bytes) -> tuple[int, int, int]:
    """The first pixel of a PNG: the first row has no row above, so filters other than Sub and None cannot matter."""
    at, body, kind = 8, b"", image[25]
    while at < len(image):
        size = int.from_bytes(image[at : at + 4], "big")
        if image[at + 4 : at + 8] == b"IDAT":
            body += image[at + 8 : at + 8 + size]
        at += size + 12
    assert kind in (2, 6)
    red, green, blue = zlib.decompress(body)[1:4]
    return red, green, blue


async def test_a_picture_shows_what_is_in_view(page: Page, site: Site) -> None:
    await page.set_viewport(640, 480)
    await page.goto(site.html("/tall", TALL))
    assert png_size(await page.screenshot(format="png")) == (640, 480)
    assert jpeg_size(await page.screenshot(format="jpeg")) == (640, 480)
    assert webp_size(await page.screenshot(format="webp")) == (640, 480)


async def test_a_picture_of_the_whole_page_leaves_it_where_it_was(page: Page, site: Site) -> None:
    await page.set_viewport(640, 480)
    await page.goto(site.html("/tall", TALL))
    await page.evaluate("scrollTo(0, 700)")
    assert png_size(await page.screenshot(full_page=True)) == (900, 3000)
    assert await page.evaluate("[innerWidth, innerHeight, scrollY]") == [640, 480, 700]


async def test_a_clip_is_a_part_of_the_document(page: Page, site: Site) -> None:
    await page.goto(site.html("/tall", TALL))
    clips: tuple[Any, ...] = ((10, 2900, 50, 60), {"x": 10, "y": 2900, "width": 50, "height": 60})
    for clip in clips:
        image = await page.screenshot(clip=clip)
        assert png_size(image) == (50, 60), clip
        red, _, blue = pixel(image)
        assert blue > 200 > red, clip


BLUE = "<p>above<div id=blue style='width: 120px; height: 40px; background: rgb(0, 0, 255)'></div>"


@pytest.mark.parametrize("where", sampled(["page", "frame", "process"], ["page"]))
async def test_an_element_is_shown_alone(page: Page, site: Site, where: str) -> None:
    url = site.html("/blue", BLUE)
    if where != "page":
        inner = site.url("/blue", host="localhost") if where == "process" else url
        style = "style='margin-top: 1500px; border: 7px solid red; padding: 5px'"
        url = site.html("/framed", f"<iframe {style} src='{inner}'></iframe>")
    await page.goto(url)
    image = await page.screenshot(selector="#blue" if where == "page" else "frame=iframe >> #blue")
    assert png_size(image) == (120, 40)
    assert pixel(image) == (0, 0, 255)


@pytest.mark.parametrize("times", sampled((2, 20), (2,)))
async def test_an_element_in_a_frame_of_another_process_is_drawn_first(
    browser: Browser, site: Site, times: int
) -> None:
    """Without waiting for it, 3 of 40 pictures showed a frame that had drawn nothing."""
    site.html("/blue", BLUE)
    inner = site.url("/blue", host="localhost")
    url = site.html("/far", f"<iframe style='margin-top: 1500px' src='{inner}'></iframe>")
    for _ in range(times):
        page = await browser.new_page(url)
        assert pixel(await page.screenshot(selector="frame=iframe >> #blue")) == (0, 0, 255)
        await page.close()


@pytest.mark.parametrize(
    "options",
    [
        {"selector": "#low"},
        {"selector": "#top"},
        {"selector": "div"},
        {"clip": (0, 0, 50, 40)},
        {"clip": (0, 1500, 50, 900)},
        {"full_page": True},
        {},
    ],
)
async def test_a_picture_tells_the_page_of_no_resize(page: Page, site: Site, options: dict[str, Any]) -> None:
    """A page that measures itself would lay itself out again, load other images, or close its menus."""
    low = "<b id=low style='position: absolute; top: 2000px'>low</b><b id=top>top</b>"
    await page.goto(site.html("/sizes", low + TALL))
    await page.evaluate(
        "globalThis.sizes = []; visualViewport.onresize = onresize = () => sizes.push([innerWidth, innerHeight])"
    )
    assert png_size(await page.screenshot(**options))
    assert await page.evaluate("new Promise(requestAnimationFrame).then(() => sizes)") == []
    await page.set_viewport(700, 500)  # the page hears of this one
    await page.settle()
    assert [700, 500] in await page.evaluate("new Promise(requestAnimationFrame).then(() => sizes)")


async def test_a_picture_of_what_fits_resizes_neither_the_page_nor_its_frames(page: Page, site: Site) -> None:
    """The event can be kept from a page, but not a change of a media query, which follows from the size itself."""
    tell = "<script>onresize = () => top.postMessage('resize', '*')</script>"
    site.html("/inside", tell)
    frames = f"<iframe src=/inside></iframe><iframe src={site.url('/inside', host='localhost')}></iframe>"
    low = "<b id=low style='position: absolute; left: 0; top: 2000px; background: blue'>low</b>"
    await page.goto(site.html("/outside", f"{frames}<style>iframe {{ width: 90%; height: 50vh }}</style>{low}{TALL}"))
    await page.evaluate(
        "told = []; onmessage = (event) => told.push(event.data);"
        "matchMedia('(min-height: 300px)').onchange = () => told.push('media query')"
    )
    told = "new Promise(requestAnimationFrame).then(() => told)"
    for options in ({"selector": "#low"}, {"clip": (0, 2000, 50, 10)}, {"clip": (700, 2900, 50, 10)}):
        assert await page.screenshot(**options)
        assert await page.evaluate(told) == []
    assert pixel(await page.screenshot(clip=(0, 2001, 50, 10))) == (0, 0, 255)
    assert await page.screenshot(full_page=True)
    assert "resize" not in await page.evaluate(told)


@pytest.mark.parametrize("options", [{"full_page": True}, {"clip": (0, 0, 50, 1900)}])
async def test_a_picture_leaves_scrolled_what_is_as_high_as_the_window(
    page: Page, site: Site, options: dict[str, Any]
) -> None:
    """Chrome makes the window one pixel high for a moment."""
    inner = "<div id=list style='height: 50vh; overflow: auto'><p style='height: 300vh'></div>"
    await page.goto(site.html("/high", f"{inner}<div style='height: 200vh; scroll-behavior: smooth'></div>"))
    await page.evaluate("list.scrollTop = 70; scrollTo(0, 300); onscroll = () => { document.title += 'scrolled' }")
    await page.settle()
    await page.evaluate("document.title = ''")
    assert await page.screenshot(**options)
    assert await page.evaluate("[scrollY, list.scrollTop, document.title]") == [300, 70, ""]


async def test_a_page_behind_its_popup_is_shown_each_time(page: Page, site: Site) -> None:
    """Chrome leaves some pictures of a tab behind another one for when that is closed, from the fourth or so on."""
    site.html("/front", "<h1>front</h1>")
    await page.goto(site.html("/behind", "<a target=_blank href=/front>open</a>"))
    async with page.expect_popup():
        await page.click("text=open")
    for _ in range(8):
        assert png_size(await page.screenshot(timeout_ms=20_000))


async def test_an_element_without_a_size_is_not_shown(page: Page, site: Site) -> None:
    await page.goto(site.html("/none", "<b id=none></b>"))
    with pytest.raises(ElementHidden, match="#none"):
        await page.screenshot(selector="#none")


async def test_device_pixels_count(page: Page, site: Site) -> None:
    await page.set_viewport(200, 100, device_scale_factor=2)
    await page.goto(site.html("/tall", TALL))
    assert png_size(await page.screenshot()) == (400, 200)


async def test_the_format_may_be_called_the_type(page: Page, site: Site) -> None:
    await page.goto(site.html("/", "<b>here"))
    assert jpeg_size(await page.screenshot(type="jpeg")) == png_size(await page.screenshot())
    assert (await page.locator("b").screenshot(type="webp"))[8:12] == b"WEBP"
    with pytest.raises(OptionInvalid, match="'jpeg' is not the format 'png'"):
        await page.screenshot(format="png", type="jpeg")


async def test_an_unknown_option_of_a_locator_is_named(page: Page) -> None:
    with pytest.raises(OptionInvalid, match="unknown option 'typ'; did you mean 'type'"):
        await page.locator("b").screenshot(typ="jpeg")  # type: ignore[call-arg]


async def test_quality_decides_the_size(page: Page, site: Site) -> None:
    await page.goto(site.html("/text", "<p>" + "words and letters " * 500))
    for format in ("jpeg", "webp"):
        poor, fine = [await page.screenshot(format=format, quality=quality) for quality in (1, 95)]  # type: ignore[arg-type]
        assert len(poor) * 2 < len(fine)


@pytest.mark.parametrize(
    ("option", "options"),
    [
        ("format", {"format": "pgn"}),
        ("quality", {"quality": 50}),
        ("quality", {"format": "jpeg", "quality": 101}),
        ("clip", {"clip": (1, 2, 3)}),
        ("clip", {"clip": (0, 0, 0, 10)}),
        ("clip", {"clip": {"x": 1, "y": 1, "w": 3, "h": 4}}),
        ("clip", {"clip": (0, 0, 10, "tall")}),
        ("clip", {"clip": (0, 0, 10, 10), "full_page": True}),
        ("selector", {"selector": "p", "full_page": True}),
        ("clip", {"clip": (0, 0, 10, 20_000)}),
    ],
)
async def test_wrong_options_of_a_picture_are_named(page: Page, option: str, options: dict[str, Any]) -> None:
    with pytest.raises(OptionInvalid) as caught:
        await page.screenshot(**options)
    assert caught.value.option == option


async def test_a_page_larger_than_chrome_can_draw_is_refused_with_advice(page: Page, site: Site) -> None:
    await page.goto(site.html("/huge", "<div style='height: 20000px'>"))
    with pytest.raises(OptionInvalid, match="take parts of it with clip"):
        await page.screenshot(full_page=True)


async def test_pictures_of_several_pages_at_once(browser: Browser, site: Site) -> None:
    start = site.html("/tall", TALL)
    async with await browser.new_context(viewport={"width": 300, "height": 200}) as context:
        pages = [await context.new_page(start) for _ in range(2)]
        images = await asyncio.gather(*(page.screenshot() for page in pages))
        assert [png_size(image) for image in images] == [(300, 200)] * 2


async def test_a_pdf_is_read_to_its_end(page: Page, site: Site) -> None:
    await page.goto(site.html("/text", "<p>words</p>" * 2000))
    whole = await page.pdf(print_background=True)
    assert whole.startswith(b"%PDF-")
    assert whole.rstrip().endswith(b"%%EOF")
    part = await page.pdf(page_ranges="1", landscape=True, paper_width=4, paper_height=6)
    assert part.startswith(b"%PDF-")
    assert len(part) < len(whole)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"landscap": True}, "did you mean 'landscape'"),
        ({"transfer_mode": "ReturnAsBase64"}, "unknown option 'transfer_mode'"),
        ({"scale": "big"}, "scale"),
        ({"page_ranges": "5-1"}, "(?i)range"),
        ({"paper_width": -1}, "(?i)paper"),
    ],
)
async def test_wrong_options_of_a_pdf_are_named(page: Page, options: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionInvalid, match=words):
        await page.pdf(**options)


async def test_a_tab_in_a_minimized_window_has_a_picture(chrome_browser: Browser, site: Site) -> None:
    async with await chrome_browser.new_context() as context:
        page = await context.new_page(site.html("/tall", TALL))
        root = page.cdp_session.root
        window = await root.send(cdp_browser.GetWindowForTarget(target_id=page.target_id))
        minimized = cdp_browser.Bounds(window_state="minimized")
        await root.send(cdp_browser.SetWindowBounds(window_id=window.window_id, bounds=minimized))
        for full_page in (False, True):
            assert png_size(await page.screenshot(full_page=full_page, timeout_ms=8000))[0] > 100
