"""Which pages are filmed, and at what size."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ebml import files
from screens import BLUE, RED, SMALL, show

from site_server import Site
from stillframe.api.browser import Browser
from stillframe.errors import FfmpegNotFound
from stillframe.tab.context.options import parse_context_options
from stillframe.video.films import size_of


@pytest.mark.parametrize(
    ("options", "size"),
    [
        ({}, (800, 450)),
        ({"viewport": {"width": 640, "height": 480}}, (640, 480)),
        ({"viewport": {"width": 1280, "height": 720}}, (800, 450)),
        ({"viewport": {"width": 375, "height": 1001}}, (300, 800)),
        ({"record_video_size": {"width": 1281, "height": 721}}, (1280, 720)),
        ({"record_video_size": {"width": 1, "height": 1}}, (2, 2)),
    ],
)
def test_the_size_is_the_wanted_one_or_that_of_the_viewport_scaled_down(
    options: dict[str, Any], size: tuple[int, int]
) -> None:
    assert size_of(parse_context_options(options)) == size


@pytest.mark.needs("ffmpeg")
async def test_a_popup_has_a_film_of_its_own(browser: Browser, site: Site, tmp_path: Path) -> None:
    url = site.html("/opener", "<button onclick=\"window.open('about:blank')\">open</button>")
    async with await browser.new_context(record_video_dir=tmp_path, **SMALL) as context:
        page = await context.new_page(url)
        async with page.expect_popup() as opened:
            await page.click("button")
        popup = await opened.value
        await show(popup, RED)
        # A call on a tab that shares its window starts and stops a screencast of its own, unless there is one.
        assert (await popup.settle()).stable
        await show(popup, BLUE)
        videos = [page.video, popup.video]
    paths = {await video.path() for video in videos if video is not None}
    assert len(paths) == 2
    assert paths == files(tmp_path)


@pytest.mark.needs("ffmpeg")
async def test_the_page_that_a_context_opens_for_its_own_use_has_none(
    browser: Browser, site: Site, tmp_path: Path
) -> None:
    async with await browser.new_context(record_video_dir=tmp_path, **SMALL) as context:
        page = await context.new_page(site.html("/stored", "<script>localStorage.a = 1</script>"))
        await context.storage_state()
        assert [*context._films._films] == [page._film]
        await show(page, RED)
    assert len(files(tmp_path)) == 1


async def test_without_ffmpeg_no_context_opens(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STILLFRAME_FFMPEG", "/nowhere/ffmpeg")
    before = browser.contexts
    with pytest.raises(FfmpegNotFound):
        await browser.new_context(record_video_dir=tmp_path)
    assert browser.contexts == before
