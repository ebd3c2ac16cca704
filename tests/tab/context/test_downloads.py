"""Where downloads are kept, under what name, and that each is reported on the page that caused it."""

from __future__ import annotations

import asyncio
import os
import stat
from pathlib import Path

import pytest
from aiohttp import web
from heard import by_user, heard
from hypothesis import given
from hypothesis import strategies as st

import stillframe
from site_server import Site
from stillframe.api.browser import Browser, Page
from stillframe.model.events import DownloadReport
from stillframe.tab.context.downloads import MAX_NAME_BYTES, keep, safe_name


def exists(path: Path | str) -> bool:
    return Path(path).exists()


def content(path: Path | str) -> str:
    return Path(path).read_text()


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def ended(event: object) -> bool:
    return isinstance(event, DownloadReport) and event.state != "inProgress"


@pytest.mark.parametrize(
    ("suggested", "safe"),
    [
        ("report.pdf", "report.pdf"),
        ("../../etc/passwd", "passwd"),
        ("..\\..\\boot.ini", "boot.ini"),
        ("/etc/", "download"),
        ("..", "download"),
        ("", "download"),
        (".bashrc", "bashrc"),
        ("a\x00b\nc", "a_b_c"),
        ("con.txt", "_con.txt"),
        ("trailing. ", "trailing"),
        ("übersicht 2026.csv", "übersicht 2026.csv"),
    ],
)
def test_names_are_made_harmless(suggested: str, safe: str) -> None:
    assert safe_name(suggested) == safe


@given(st.text())
def test_no_name_leaves_its_directory(suggested: str) -> None:
    name = safe_name(suggested)
    assert name
    assert name not in (".", "..")
    assert not set(name) & set("/\\\0")
    assert len(name.encode("utf-8", "replace")) <= MAX_NAME_BYTES
    assert Path("/dir", name).parent == Path("/dir")


def test_a_name_that_is_taken_gets_a_number(tmp_path: Path) -> None:
    kept = []
    for number in range(3):
        (tmp_path / "guid").write_text(str(number))
        kept.append(keep(tmp_path / "guid", "a.tar.gz"))
    assert [path.name for path in kept] == ["a.tar.gz", "a.tar (1).gz", "a.tar (2).gz"]
    assert [path.read_text() for path in kept] == ["0", "1", "2"]


async def test_a_download_is_kept_and_reported(page: Page, site: Site) -> None:
    await page.goto(site.html("/start", "<a href='/download/report.txt?body=figures' download>get</a>"))
    with page._tab.recorder.record() as record:
        async with heard(page, ended):
            await by_user(page, "document.querySelector('a').click()")
    (report,) = record.downloads
    assert (report.state, report.suggested_filename) == ("completed", "report.txt")
    assert report.path is not None
    saved = Path(report.path)
    assert (saved.name, content(saved)) == ("report.txt", "figures")
    assert mode(saved.parent) == 0o700
    assert saved.parent == page.context.downloads


async def test_a_url_that_is_a_download_leaves_the_page_as_it_is(page: Page, site: Site) -> None:
    start = site.html("/start", "", title="stays")
    await page.goto(start)
    async with heard(page, ended) as report:
        await page.goto(site.url("/download/a.bin"))
    assert (page.url, await page.title()) == (start, "stays")
    assert report.result().state == "completed"


async def test_private_downloads_go_with_their_context(browser: Browser, site: Site) -> None:
    async with await browser.new_context() as context:
        page = await context.new_page(site.html("/start", ""))
        async with heard(page, ended) as report:
            await page.goto(site.url("/download/a.bin"))
        saved = Path(report.result().path)
        assert exists(saved)
    assert not exists(saved.parent)


async def test_a_directory_of_the_caller_stays(browser: Browser, site: Site, tmp_path: Path) -> None:
    there = tmp_path / "new" / "downloads"
    async with await browser.new_context(downloads=there) as context:
        page = await context.new_page(site.html("/start", ""))
        for _ in range(2):
            async with heard(page, ended):
                await page.goto(site.url("/download/a.bin"))
    assert sorted(os.listdir(there)) == ["a (1).bin", "a.bin"]


async def test_refused_downloads_are_reported_as_cancelled(browser: Browser, site: Site) -> None:
    async with await browser.new_context(downloads=False) as context:
        page = await context.new_page(site.html("/start", "<a href='/download/a.bin' download>get</a>"))
        async with heard(page, ended) as report:
            await by_user(page, "document.querySelector('a').click()")
        assert (report.result().state, report.result().path) == ("canceled", None)
        assert context.downloads is None


async def test_a_hostile_name_stays_in_its_directory(page: Page, site: Site) -> None:
    async def handler(_: web.Request) -> web.Response:
        header = "attachment; filename=\"..%2f..%2fup.txt\"; filename*=UTF-8''..%2F..%2Fup.txt"
        return web.Response(text="x", headers={"Content-Disposition": header})

    site.route("/hostile", handler)
    await page.goto(site.html("/start", ""))
    async with heard(page, ended) as report:
        await page.goto(site.url("/hostile"))
    assert Path(report.result().path).parent == page.context.downloads


async def test_one_download_is_one_row_in_its_latest_state(page: Page, site: Site) -> None:
    async def handler(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Disposition": "attachment; filename=slow.bin"})
        await response.prepare(request)
        await response.write(b"first" * 1000)  # more than Chrome reads to guess a type
        await proceed.wait()
        await response.write(b"last")
        return response

    proceed = asyncio.Event()
    site.route("/slow.bin", handler)
    await page.goto(site.html("/start", ""))
    with page._tab.recorder.record() as record:
        async with heard(page, ended):
            async with heard(page, lambda event: isinstance(event, DownloadReport)):
                await page.goto(site.url("/slow.bin"))
            assert [report.state for report in record.downloads] == ["inProgress"]
            proceed.set()
    assert [report.state for report in record.downloads] == ["completed"]


@pytest.mark.parametrize(
    "how",
    [pytest.param("document.querySelector('a').click()", marks=pytest.mark.slow), "window.open('/download/a.bin'), 1"],
)
async def test_a_popup_that_is_a_download_is_reported_to_its_opener(page: Page, site: Site, how: str) -> None:
    await page.goto(site.html("/start", "<a href='/download/a.bin' target=_blank>get</a>"))
    async with heard(page, ended) as report:
        await by_user(page, how)
    assert report.result().state == "completed"


async def test_a_frame_of_another_process_downloads_on_behalf_of_its_page(page: Page, site: Site) -> None:
    site.html("/inner", "<a href='/download/a.bin' download>get</a>")
    await page.goto(site.html("/start", f"<iframe src='{site.url('/inner', host='localhost')}'></iframe>"))
    frame = next(frame for frame in page._tab.frames if frame.parent is not None)
    async with heard(page, ended) as report:
        await frame.evaluate("document.querySelector('a').click()")
    assert report.result().state == "completed"


@pytest.mark.browser
@pytest.mark.own_browser("its default context keeps downloads until it ends")
async def test_the_default_context_of_a_launched_browser_keeps_downloads(site: Site) -> None:
    async with stillframe.launch() as browser:
        page = await browser.new_page(site.html("/start", ""))
        async with heard(page, ended) as report:
            await page.goto(site.url("/download/a.bin"))
        assert content(report.result().path) == "saved"
    assert not exists(report.result().path)
