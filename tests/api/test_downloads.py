"""Downloads: saved, cancelled, deleted, and why they failed."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from aiohttp import web

from site_server import Site
from stillframe import Download
from stillframe.api.browser import Page
from stillframe.errors import DownloadFailed

BODY = '<a id=file download="a.csv" href="data:text/csv,1,2">file</a>'


async def begun(page: Page, selector: str) -> Download:
    async with page.expect_download() as download:
        await page.click(selector)
    return await download


async def test_a_download_is_saved_and_deleted(page: Page, site: Site, tmp_path: Path) -> None:
    await page.goto(site.html("/files", BODY))
    download = await begun(page, "#file")
    assert (download.page, download.suggested_filename, await download.failure()) == (page, "a.csv", None)
    assert (await download.save_as(tmp_path / "b.csv")).read_text() == "1,2"
    kept = await download.path()
    await download.cancel()
    assert kept.exists()
    await download.delete()
    assert not kept.exists()


async def test_a_download_that_is_cancelled_says_so(page: Page, site: Site) -> None:
    async def endless(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Disposition": "attachment; filename=slow.bin"})
        await response.prepare(request)
        await response.write(b"first" * 1000)  # more than Chrome reads to guess a type
        await proceed.wait()
        return response

    proceed = asyncio.Event()
    site.route("/slow.bin", endless)
    await page.goto(site.html("/slow", "<a id=slow href='/slow.bin' download>slow</a>"))
    async with page.expect_download() as begun:
        await page.evaluate("void slow.click()")
    download = await begun
    await download.cancel()
    proceed.set()
    assert await download.failure() == "canceled"
    with pytest.raises(DownloadFailed):
        await download.path()
    await download.delete()
