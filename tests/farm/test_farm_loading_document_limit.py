"""Documents that are larger than the limit of a crawl, and what does not count for it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from aiohttp import web

from stillframe import Browser
from stillframe.errors import NavigationFailed
from stillframe.farm.loading.document_limit import limited_document
from stillframe.farm.reasons import TOO_LARGE
from stillframe.testing import app_server

pytestmark = pytest.mark.browser
LIMIT = 10_000
SMALL = "<title>Small</title>"
LARGE = "<title>Large</title><!--" + "x" * LIMIT


async def chunked(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/html"})
    response.enable_chunked_encoding()
    await response.prepare(request)
    await response.write(LARGE.encode())
    return response


async def redirect(_: web.Request) -> web.Response:
    return web.Response(status=302, headers={"Location": "/small"}, text=LARGE)


def of(html: str) -> object:
    async def answer(_: web.Request) -> web.Response:
        return web.Response(text=html, content_type="text/html")

    return answer


@pytest.fixture(scope="module")
async def site() -> AsyncIterator[str]:
    app = web.Application()
    pages = {
        "/small": of(SMALL),
        "/large": of(LARGE),
        "/framed": of(SMALL + "<iframe src=/large></iframe><img src=/large>"),
        "/chunked": chunked,
        "/redirect": redirect,
    }
    for path, handler in pages.items():
        app.router.add_get(path, handler)  # type: ignore[arg-type]
    async with app_server.serving(app) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.mark.parametrize("path", ["/large", "/chunked"])
async def test_a_document_over_the_limit_is_not_loaded(browser: Browser, site: str, path: str) -> None:
    async with await browser.new_page() as page:
        with pytest.raises(NavigationFailed, match="more than 10,000 bytes") as found:
            async with limited_document(page, site + path, LIMIT):
                await page.goto(site + path)
        assert (found.value.reason, found.value.url) == (TOO_LARGE, site + path)


@pytest.mark.parametrize("path", ["/small", "/framed", "/redirect"])
async def test_frames_pictures_and_redirects_do_not_count(browser: Browser, site: str, path: str) -> None:
    async with await browser.new_page() as page, limited_document(page, site + path, LIMIT):
        await page.goto(site + path)
        assert await page.title() == "Small"


async def test_without_a_limit_any_size_is_loaded(browser: Browser, site: str) -> None:
    async with await browser.new_page() as page, limited_document(page, site, None):
        await page.goto(site + "/chunked")
        assert await page.title() == "Large"


async def test_the_limit_ends_with_its_body(browser: Browser, site: str) -> None:
    async with await browser.new_page() as page:
        with pytest.raises(TimeoutError, match="mine"):
            async with limited_document(page, site, LIMIT):
                raise TimeoutError("mine")
        await page.goto(site + "/large")
        assert await page.title() == "Large"
