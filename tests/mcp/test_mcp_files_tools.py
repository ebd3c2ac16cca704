"""Files over MCP: the page as a PDF, downloads as resources, and uploads from where they are allowed."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web
from mcp_serving import capable

from site_server import Site
from stillframe.api.browser import Browser
from stillframe.mcp import files_tools
from stillframe.security.secret_store import Secrets


@pytest.fixture(scope="module")
async def call(browser: Browser) -> AsyncIterator[object]:
    async with capable(browser, "pdf,files") as caller:
        yield caller


def sends(content: bytes, content_type: str, name: str):
    async def send(_: web.Request) -> web.Response:
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return web.Response(body=content, content_type=content_type, headers=headers)

    return send


async def download(call, site: Site, content: bytes, content_type: str, name: str) -> int:
    """Let the page download a file, and return its number."""
    site.route("/file", sends(content, content_type, name))
    await call("navigate", url=site.html("/offers", "<a href=/file>get it</a>"))
    clicked = await call.run({"action": "click_element", "selector": "a"})
    assert clicked.structured["downloads"]
    return (await call("downloads")).structured["downloads"][-1]["number"]


async def test_the_page_as_a_pdf_is_a_resource(call, site: Site) -> None:
    await call("navigate", url=site.html("/pdf", "<h1>Print me</h1>"))
    answer = await call("save_pdf", landscape=True)
    assert answer.structured["mimeType"] == "application/pdf"
    assert answer.links == [answer.structured["resource"]]
    stored = (await call.client.read_resource(answer.structured["resource"])).contents[0]
    assert base64.b64decode(stored.blob).startswith(b"%PDF-")
    assert answer.structured["bytes"] == len(base64.b64decode(stored.blob))
    assert (await call("save_pdf", pageRanges="nine")).error["code"] == "option_invalid"


async def test_a_download_is_listed_and_its_text_read(call, site: Site) -> None:
    number = await download(call, site, "name;place\nAnn;Zürich\n".encode(), "text/csv", "people.csv")
    listed = await call("downloads")
    assert f'#{number} "people.csv" completed' in listed.text
    answer = await call("downloads", number=number)
    assert "Ann;Zürich" in answer.text
    assert answer.text.index("<<page") < answer.text.index("Ann") < answer.text.index("<</page")
    assert answer.structured["mimeType"] == "text/csv"
    assert (await call.client.read_resource(answer.structured["resource"])).contents[0].text.startswith("name;place")


async def test_a_file_that_is_not_text_is_a_resource_only(call, site: Site) -> None:
    content = bytes(range(256)) * 10
    number = await download(call, site, content, "application/zip", "all.zip")
    answer = await call("downloads", number=number)
    assert "<<page" not in answer.text
    assert "2560 bytes of application/zip" in answer.head
    stored = (await call.client.read_resource(answer.structured["resource"])).contents[0]
    assert base64.b64decode(stored.blob) == content


async def test_a_large_file_keeps_within_the_budget_and_one_too_large_is_refused(
    call, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = await download(call, site, b"long line " * 50_000, "text/plain", "long.txt")
    answer = await call("downloads", number=number, budget=1500)
    assert len(answer.text) <= 1500
    assert "long line" in answer.text
    monkeypatch.setattr(files_tools, "MAX_BYTES", 1000)
    refused = await call("downloads", number=number)
    assert refused.error["code"] == "file_too_large"
    unknown = await call("downloads", number=999)
    assert unknown.error["code"] == "download_unknown"
    assert unknown.error["advice"]


async def test_secrets_in_a_text_are_replaced(browser: Browser, site: Site) -> None:
    secret = "canary-7f3a-secret"
    async with capable(browser, "files", secrets=Secrets({"pass": secret})) as call:
        number = await download(call, site, f"token={secret}".encode(), "text/plain", "note.txt")
        answer = await call("downloads", number=number)
        assert "token=" in answer.text
        stored = await call.client.read_resource(answer.structured["resource"])
        assert secret not in str(answer.raw) + str(stored)


async def test_a_file_outside_of_the_allowed_directories_is_not_uploaded(
    browser: Browser, site: Site, tmp_path: Path
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("a")
    (tmp_path / "b.txt").write_text("b")
    async with capable(browser, "files", uploads=(tmp_path / "in",)) as call:
        await call("navigate", url=site.html("/up", "<input type=file>"))
        done = await call("upload_file", selector="input", paths=str(tmp_path / "in" / "a.txt"))
        assert done.structured["completed"] == 1
        other = str(tmp_path / "b.txt")
        for refused in (
            await call("upload_file", selector="input", paths=[other]),
            await call("upload_file", selector="input", paths=other),
            await call.run({"action": "upload_file", "selector": "input", "paths": other}),
            await call.run({"action": "set_input_files", "selector": "input", "paths": [other]}),
        ):
            assert refused.error["code"] == "upload_refused"
            assert "--allow-upload" in refused.text
