"""`page.video`: the film of a page as the caller holds it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from ebml import files, film
from screens import RED, SMALL, failed, show

from stillframe.api.browser import Browser, Page
from stillframe.errors import OptionInvalid, VideoFailed, WaitTimeout

pytestmark = pytest.mark.needs("ffmpeg")


async def test_a_page_has_no_video_unless_its_context_wants_some(page: Page) -> None:
    assert page.video is None


async def test_a_copy_is_saved_once_the_page_is_closed(browser: Browser, tmp_path: Path) -> None:
    async with await browser.new_context(record_video_dir=tmp_path / "own", **SMALL) as context:
        page = await context.new_page()
        video = page.video
        assert video is not None
        await show(page, RED)
        saving = asyncio.ensure_future(video.save_as(tmp_path / "copies/shop.webm"))
        await page.close()
        copy = await saving
    assert copy == tmp_path / "copies/shop.webm"
    assert film(copy) == film(await video.path())


async def test_a_video_is_deleted(browser: Browser, tmp_path: Path) -> None:
    async with await browser.new_context(record_video_dir=tmp_path, **SMALL) as context:
        page = await context.new_page()
        video = page.video
        assert video is not None
        await show(page, RED)
        await page.close()
        await video.delete()
        await video.delete()  # once more does nothing
    assert files(tmp_path) == set()


async def test_a_wait_for_an_open_page_says_to_close_it(browser: Browser, tmp_path: Path) -> None:
    async with await browser.new_context(record_video_dir=tmp_path, **SMALL) as context:
        page = await context.new_page()
        assert page.video is not None
        with pytest.raises(WaitTimeout, match="close the page first"):
            await page.video.save_as(tmp_path / "x.webm", timeout_ms=1)
        with pytest.raises(WaitTimeout, match="close the page first"):
            await page.video.delete(timeout_ms=1)


async def test_a_directory_is_not_a_file_to_save_to(browser: Browser, tmp_path: Path) -> None:
    async with await browser.new_context(record_video_dir=tmp_path, **SMALL) as context:
        page = await context.new_page()
        await show(page, RED)
    assert page.video is not None
    with pytest.raises(OptionInvalid, match="is a directory"):
        await page.video.save_as(tmp_path)


async def test_a_film_that_failed_cannot_be_saved(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STILLFRAME_FFMPEG", "/bin/false")
    async with await browser.new_context(record_video_dir=tmp_path, **SMALL) as context:
        page = await context.new_page()
        await failed(page)
    assert page.video is not None
    with pytest.raises(VideoFailed, match="ended with the status 1"):
        await page.video.save_as(tmp_path / "x.webm")
    await page.video.delete()
    assert files(tmp_path) == set()
