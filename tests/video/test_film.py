"""Films of pages: what they show, and what ends them."""

from __future__ import annotations

import os
import signal
import stat
from pathlib import Path

import psutil
import pytest
from ebml import colours, film
from screens import BLUE, RED, SMALL, failed, near, show

import stillframe
from patience import HANG_S
from processes import named
from site_server import Site
from stillframe.api.browser import Browser, BrowserContext, Page
from stillframe.cdp.loop_clock import time_limit
from stillframe.cdp_types.page import Crash
from stillframe.errors import CommandError, VideoFailed
from stillframe.video import film as module
from stillframe.video.timeline import FPS

pytestmark = pytest.mark.needs("ffmpeg")

SIXTY_FRAMES = """
new Promise((resolve) => {
  let frames = 0;
  const count = () => ++frames < 60 ? requestAnimationFrame(count) : resolve(frames);
  count();
})
"""


async def filming(browser: Browser, directory: Path) -> BrowserContext:
    return await browser.new_context(record_video_dir=directory, **SMALL)


async def path_of(page: Page) -> Path:
    assert page.video is not None
    return await page.video.path()


def ffmpeg_of(path: Path) -> psutil.Process | None:
    """Return the process that makes a film."""
    return next(iter(named(os.getpid(), path.name)), None)


async def started(page: Page) -> psutil.Process:
    """Return the process that makes the film of a page, once it has begun."""
    await show(page, RED)
    await show(page, BLUE)
    async with time_limit(HANG_S):
        while (process := ffmpeg_of(await path_of(page))) is None:
            await page.evaluate("1")
    return process


async def test_a_film_shows_what_the_page_shows_at_25_frames_per_second(browser: Browser, tmp_path: Path) -> None:
    async with await filming(browser, tmp_path) as context, await context.new_page() as page:
        await show(page, RED)
        await show(page, BLUE)
        path = await path_of(page)
    made = film(path)
    assert (made.codec, made.size) == ("V_VP8", (160, 120))
    assert made.times == [1000 // FPS * number for number in range(len(made.times))]
    frames = colours(path)
    assert any(near(colour, RED) for colour in frames)
    # The last picture is there for a second.
    assert all(near(colour, BLUE) for colour in frames[-FPS:])
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


async def test_pictures_of_another_size_stand_at_the_top_left(browser: Browser, tmp_path: Path) -> None:
    size = {"width": 201, "height": 140}
    async with (
        await browser.new_context(record_video_dir=tmp_path, record_video_size=size, **SMALL) as context,
        await context.new_page() as page,
    ):
        await show(page, RED)
        path = await path_of(page)
    assert film(path).size == (200, 140)


async def test_the_film_of_a_page_whose_renderer_crashed_goes_on(browser: Browser, site: Site, tmp_path: Path) -> None:
    async with await filming(browser, tmp_path) as context:
        page = await context.new_page(site.html("/filmed", ""))
        await show(page, RED)
        with pytest.raises(CommandError):
            await page.cdp_session.send(Crash())
        await page.reload()
        await show(page, BLUE)
        path = await path_of(page)
    frames = colours(path)
    assert near(frames[-1], BLUE)
    assert any(near(colour, RED) for colour in frames)


async def test_the_film_of_a_killed_ffmpeg_fails_and_the_page_goes_on(browser: Browser, tmp_path: Path) -> None:
    async with await filming(browser, tmp_path) as context:
        page = await context.new_page()
        process = await started(page)
        process.kill()
        assert page._film is not None
        await page._film.task
        assert await page.evaluate("1 + 1") == 2
        with pytest.raises(VideoFailed, match="ended with the status -9") as found:
            await path_of(page)
        assert found.value.path.startswith(str(tmp_path))


async def test_a_stopped_ffmpeg_is_killed_when_the_page_has_closed(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "END_S", 0.1)
    async with await filming(browser, tmp_path) as context:
        page = await context.new_page()
        (await started(page)).send_signal(signal.SIGSTOP)
        await page.close()
        assert page._film is not None
        await page._film.task
        with pytest.raises(VideoFailed, match="did not write the end"):
            await path_of(page)


async def test_a_slow_ffmpeg_does_not_slow_the_page_and_pictures_are_left_out(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "END_S", 0.1)
    async with await filming(browser, tmp_path) as context:
        page = await context.new_page()
        (await started(page)).send_signal(signal.SIGSTOP)
        for _ in range(2):
            await show(page, RED)
            await show(page, BLUE)
        assert await page.evaluate(SIXTY_FRAMES) == 60
        assert page._film is not None
        assert len(page._film._queue) <= module.QUEUED


@pytest.mark.own_browser("it is killed")
async def test_the_film_of_a_killed_browser_is_complete_and_nothing_is_left(tmp_path: Path) -> None:
    async with stillframe.launch(record_video_dir=tmp_path, **SMALL) as browser:
        page = await browser.new_page()
        await show(page, RED)
        os.kill(browser.info.pid, signal.SIGKILL)
    path = await path_of(page)
    assert near(colours(path)[-1], RED)
    assert ffmpeg_of(path) is None


async def test_a_directory_that_is_gone_is_an_error_of_the_film_alone(browser: Browser, tmp_path: Path) -> None:
    directory = tmp_path / "films"
    async with await filming(browser, directory) as context:
        directory.rmdir()
        page = await context.new_page()
        await failed(page)
        with pytest.raises(VideoFailed, match="No such file or directory"):
            await path_of(page)
