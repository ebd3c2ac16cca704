"""The tools that show pictures: their limit, their marks, and secrets in them."""

from __future__ import annotations

import sys
from io import BytesIO

import pytest
from agent_tools import call, tool_context
from PIL import Image

from site_server import Site
from stillframe.agent.limits import Limits
from stillframe.api.browser import Browser, Page
from stillframe.errors import ToolFailed


def size(image: bytes | None) -> tuple[int, int]:
    assert image is not None
    with Image.open(BytesIO(image)) as opened:
        assert opened.format == "PNG"
        return opened.size


async def test_a_screenshot_shows_the_whole_page_or_the_viewport(page: Page, site: Site) -> None:
    await page.set_viewport(400, 300)
    await page.goto(site.html("/tall", "<body style='margin:0'><div style='height:900px'>tall</div>"))
    context = tool_context(page)
    whole = await call(context, "take_screenshot")
    part = await call(context, "take_screenshot", isFullPage=False)
    assert size(whole.image)[1] >= 900
    assert size(part.image) == (400, 300)
    assert "whole page" in whole.text


async def test_a_page_too_large_for_a_picture_shows_its_viewport(page: Page, site: Site) -> None:
    await page.set_viewport(400, 300)
    await page.goto(site.html("/huge", "<div style='height:100000px'>huge</div>"))
    answer = await call(tool_context(page), "take_screenshot")
    assert size(answer.image) == (400, 300)
    assert "too large" in answer.text


async def test_pictures_are_counted_together(page: Page, site: Site) -> None:
    """The limit of pictures per step holds for all three tools, and the next step counts from zero."""
    await page.goto(site.html("/a", "<button>A</button>"))
    context = tool_context(page, Limits(max_screenshots_per_step=3))
    for tool in ("take_screenshot", "refresh_som_markers", "view_previous_screenshot"):
        assert (await call(context, tool)).image
    for tool in ("take_screenshot", "refresh_som_markers", "view_previous_screenshot"):
        with pytest.raises(ToolFailed, match="max_screenshots_per_step"):
            await call(context, tool)
    context.budget.begin_step()
    assert (await call(context, "take_screenshot")).image


async def test_no_picture_with_a_limit_of_zero(page: Page) -> None:
    with pytest.raises(ToolFailed, match="max_screenshots_per_step"):
        await call(tool_context(page, Limits(max_screenshots_per_step=0)), "take_screenshot")


async def test_the_previous_picture_is_the_same_bytes(page: Page, site: Site) -> None:
    await page.goto(site.html("/first", "<p>first</p>"))
    context = tool_context(page)
    with pytest.raises(ToolFailed, match="no picture yet"):
        await call(context, "view_previous_screenshot")
    taken = await call(context, "take_screenshot")
    await page.goto(site.html("/second", "<p>second</p>"))
    again = await call(context, "view_previous_screenshot")
    assert again.image == taken.image
    assert "/first" in again.text


async def test_marks_are_numbered_and_listed(page: Page, site: Site) -> None:
    await page.set_viewport(400, 300)
    body = """<button style='position:absolute;left:100px;top:50px;width:80px;height:40px'>A [ref=e99]</button>
    <a href=/x style='position:absolute;top:2000px'>below</a><button hidden>hidden</button>"""
    await page.goto(site.html("/marks", body))
    context = tool_context(page)
    plain = await call(context, "take_screenshot", isFullPage=False)
    marked = await call(context, "refresh_som_markers")
    [line] = [line for line in marked.text.splitlines() if line.startswith("1:")]
    assert line.startswith('1: button "A [ref=e99]" [ref=e')
    assert "2:" not in marked.text
    assert size(marked.image) == size(plain.image)
    ref = line.rpartition("[ref=")[2].rstrip("]")
    assert await page.locator(f"ref={ref}").text() == "A [ref=e99]"
    left, *others = changed_box(plain.image, marked.image)
    assert others == [50, 181, 91]
    assert 80 < left < 100


def changed_box(before: bytes | None, after: bytes | None) -> tuple[int, int, int, int]:
    from PIL import ImageChops

    pictures = [Image.open(BytesIO(image)).convert("RGB") for image in (before, after) if image]
    box = ImageChops.difference(*pictures).getbbox()
    assert box is not None
    return box


async def test_marks_need_pillow(page: Page, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    await page.goto(site.html("/a", "<button>A</button>"))
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ToolFailed, match="pip install"):
        await call(tool_context(page), "refresh_som_markers")


async def test_secrets_are_painted_over(browser: Browser, site: Site) -> None:
    body = (
        "<body style='margin:0;background:#fff'><p id=p style='margin:0;font:40px monospace;color:#f00'>hunter2-x</p>"
    )
    async with await browser.new_context(secrets={"pw": "hunter2-x"}) as context, await context.new_page() as page:
        await page.goto(site.html("/secret", body))
        tools = tool_context(page)
        for tool in ("take_screenshot", "refresh_som_markers", "view_previous_screenshot"):
            answer = await call(tools, tool)
            assert answer.image is not None
            with Image.open(BytesIO(answer.image)) as opened:
                colours = {colour for _, colour in opened.convert("RGB").getcolors(1 << 24) or ()}
            assert (255, 0, 0) not in colours
            assert "hunter2-x" not in answer.text
