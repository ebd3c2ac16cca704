"""PDFs, pictures and sounds: their type, their text and their bytes."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import pytest
from aiohttp import web
from output_warc import picture, read_records
from pdfs import pdf_of

from stillframe import Page
from stillframe.farm.output import WarcRecorder, pdf, read_page
from stillframe.farm.output.bodies import content_type_of, is_in_document, is_kept_elsewhere, load_body
from stillframe.farm.output.parquet import columns_of
from stillframe.farm.output.pdf import read_pdf
from stillframe.testing import PageServer

TYPES = {
    "text/html; charset=utf-8": ("text/html", True, False),
    "Application/PDF": ("application/pdf", False, True),
    "image/png": ("image/png", False, False),
    "audio/wav": ("audio/wav", False, True),
    "video/mp4;codecs=x": ("video/mp4", False, True),
    "application/json": ("application/json", True, False),
    "text/html\ntext/plain": ("text/html", True, False),
    "nonsense": (None, True, False),
    "": (None, True, False),
}
needs_reader = pytest.mark.skipif(not pdf._has_reader(), reason="the text of PDFs needs pypdf")


@pytest.mark.parametrize("header", TYPES)
def test_types(header: str) -> None:
    found = content_type_of({"content-type": header})
    assert (found, is_in_document(found), is_kept_elsewhere(found)) == TYPES[header]
    assert content_type_of({}) is None


def test_the_type_is_a_column() -> None:
    assert columns_of(b'{"url": "http://a/", "contentType": "application/pdf"}')["contentType"] == "application/pdf"


@needs_reader
async def test_the_text_of_a_pdf() -> None:
    content = pdf_of("First page", "Second page", title="Two pages")
    found = await read_pdf(content, characters=1000)
    cut, empty = await asyncio.gather(read_pdf(content, characters=5), read_pdf(pdf_of(""), characters=5))
    assert found == ("Two pages", "First page\n\nSecond page", False)
    assert cut == ("Two pages", "First", True)
    assert empty == ("", "", False)


@needs_reader
async def test_what_is_not_a_pdf() -> None:
    contents = (b"", b"<html>", pdf_of("a")[:200])
    for found in await asyncio.gather(*(read_pdf(content, characters=1000) for content in contents)):
        assert found is None or not found.text


async def test_a_reader_that_goes_on_is_ended(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    (tmp_path / "pdf_reader.py").write_text("import sys, time\nsys.stdin.buffer.read()\ntime.sleep(600)\n")
    monkeypatch.setattr(pdf, "__file__", str(tmp_path / "pdf.py"))
    monkeypatch.setattr(pdf, "_has_reader", lambda: True)
    assert await read_pdf(pdf_of("a"), characters=9, timeout_s=0.5) is None
    reading = asyncio.ensure_future(read_pdf(pdf_of("a"), characters=9))
    await asyncio.sleep(0)
    reading.cancel()
    await asyncio.wait({reading})


@needs_reader
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the memory of a process")
async def test_a_reader_that_takes_too_much_memory_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "PDF_MEMORY", 1_000_000)
    assert await read_pdf(pdf_of("a"), characters=9) is None


async def test_without_a_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "_has_reader", lambda: False)
    assert await read_pdf(pdf_of("a"), characters=9) is None


SOUND = b"RIFF$\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0D\xac\0\0\x88X\1\0\2\0\x10\0data\0\0\0\0"
FILES = {
    "/a.pdf": ("application/pdf", pdf_of("Words of a PDF", title="A PDF")),
    "/a.png": ("image/png", picture(40)),
    "/a.wav": ("audio/wav", SOUND),
}


def _serve(site: PageServer) -> None:
    for path, (kind, body) in FILES.items():

        async def handler(_: web.Request, kind: str = kind, body: bytes = body) -> web.Response:
            return web.Response(body=body, headers={"Content-Type": kind})

        site.route(path, handler)


@pytest.mark.browser
async def test_files_are_records_with_their_type_and_bytes(page: Page, site: PageServer) -> None:
    _serve(site)
    for path, (kind, content) in FILES.items():
        async with WarcRecorder(page) as recorder:
            await page.goto(site.url(path), settle=True)
            body = None
            if is_kept_elsewhere(kind):
                body = await load_body(page)
                assert body == (content, True)
                recorder.keep(site.url(path), body)
            record = await read_page(page, site.url(path), body=body)
            records = read_records(await recorder.finish())
        assert (record.content_type, record.status, record.final_url) == (kind, 200, site.url(path))
        assert content in [each.body for each in records if each.kind == "response" and each.path == path]
        if kind == "application/pdf":
            assert record.signature is None
            assert record.text == ("Words of a PDF" if pdf._has_reader() else None)
        else:
            assert record.text == ""


@pytest.mark.browser
async def test_a_body_over_the_limit_is_cut(page: Page, site: PageServer) -> None:
    _serve(site)
    await page.goto(site.url("/a.pdf"), settle=True)
    body = await load_body(page, limit=100)
    assert body == (FILES["/a.pdf"][1][:100], False)
    record = await read_page(page, site.url("/a.pdf"), body=body)
    assert record.text is None
    assert record.text_truncated
