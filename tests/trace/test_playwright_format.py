"""A trace in Playwright's format, as a file and in Playwright's own viewer."""

from __future__ import annotations

import base64
import importlib.util
import io
import zipfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from aiohttp import web
from traces import SEQUENCE, rec, trace_of

from site_server import Site
from stillframe.api.browser import Browser, Page
from stillframe.model.actions import Click, Hover
from stillframe.testing.app_server import serving
from stillframe.trace.playwright_format import FORMAT_VERSION, exported
from stillframe.trace.reading import read_trace

JPEG = b"\xff\xd8\xff screenshot"


def parts(content: bytes) -> dict[str, list[Any]]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        return {
            name: [msgspec.json.decode(line) for line in archive.read(name).splitlines()]
            for name in ("trace.trace", "trace.network")
        } | {"resources": [archive.read(name) for name in archive.namelist() if name.startswith("resources/")]}


def test_a_sequence_with_its_actions_requests_and_console(tmp_path: Path) -> None:
    found = parts(exported(trace_of(tmp_path, *SEQUENCE)))
    first, *events = found["trace.trace"]
    assert (first["type"], first["version"], first["wallTime"]) == ("context-options", FORMAT_VERSION, 1.7e12)
    before = {event["callId"]: event for event in events if event["type"] == "before"}
    assert before["sequence@1"]["title"] == "sequence 1: quiet"
    assert before["sequence@1.0"]["parentId"] == "sequence@1"
    assert (before["sequence@1.0"]["startTime"], before["sequence@1.0"]["method"]) == (3, "click_element")
    logs = [event["message"] for event in events if event["type"] == "log"]
    assert logs == ["waits for request POST http://a/buy", "verdict: quiet"]
    assert [event["text"] for event in events if event["type"] == "console"] == ["oops"]
    (entry,) = [event["snapshot"] for event in found["trace.network"]]
    assert (entry["request"]["method"], entry["response"]["status"], entry["time"]) == ("POST", 200, 17)
    assert entry["response"]["headers"] == [{"name": "a", "value": "b"}]
    assert entry["startedDateTime"] == "2023-11-14T22:13:20.004Z"


def test_screenshots_follow_the_actions_that_they_belong_to(tmp_path: Path) -> None:
    data = base64.b64encode(JPEG).decode()
    screenshot = rec(2, "screenshot", sequence=1, when="before", width=800, height=600, url="http://a/b", data=data)
    broken = rec(71, "screenshot", sequence=1, when="after", width=0, height=0, url="http://a/b", data="%")
    found = parts(exported(trace_of(tmp_path, *SEQUENCE[:3], screenshot, *SEQUENCE[3:-1], broken)))
    frame, snapshot = found["trace.trace"][-2:]
    assert (frame["type"], frame["width"], frame["timestamp"]) == ("screencast-frame", 800, 2)
    assert snapshot["snapshot"]["snapshotName"] == "before@sequence@1"
    assert snapshot["snapshot"]["frameUrl"] == "http://a/b"
    assert found["resources"] == [JPEG]


# -- in Playwright's viewer ------------------------------------------------------------------------

SHOP = """<title>Shop</title><style>body { margin: 0; background: rgb(0, 128, 0) }</style>
<button id=buy onclick="console.error('sold out'); fetch('/stock')
  .then(() => document.body.style.background = 'rgb(0, 0, 255)')">Buy</button>"""

COLOUR = """(async () => {
  const shown = document.querySelector("img")
  await shown?.decode()
  const draw = new OffscreenCanvas(1, 1).getContext("2d")
  if (shown) draw.drawImage(shown, shown.naturalWidth - 5, shown.naturalHeight - 5, 1, 1, 0, 0, 1, 1)
  const [red, green, blue] = draw.getImageData(0, 0, 1, 1).data
  return green > 100 ? "green" : blue > 200 ? "blue" : `${red}, ${green}, ${blue}`
})()"""
"""The colour in the corner of the screenshot that stands in for a snapshot."""


def viewer_app(content: bytes) -> web.Application:
    """The viewer as Playwright's package ships it, with one trace beside it."""
    package = importlib.util.find_spec("playwright")
    assert package is not None, "playwright is in the group test of pyproject.toml: run make setup"
    assert package.origin is not None
    app = web.Application()

    async def trace(_: web.Request) -> web.Response:
        return web.Response(body=content, content_type="application/zip")

    app.router.add_get("/trace.zip", trace)
    app.router.add_static("/", Path(package.origin).parent / "driver/package/lib/vite/traceViewer")
    return app


@pytest.fixture(scope="module")
async def traced(browser: Browser, site_server: Site, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The trace of two sequences, the second of which fails."""
    site_server.html("/stock", "1")
    path = tmp_path_factory.mktemp("traced") / "shop.trace.jsonl"
    async with (
        await browser.new_context() as context,
        await context.new_page() as page,
        page.trace(path, screenshots=True),
    ):
        await page.goto(site_server.html("/shop", SHOP))
        await page.execute_sequence([Hover("#buy"), Click("#buy")])
        await page.execute_sequence([Click("#none", timeout_ms=100)])
    return exported(read_trace(path))


@pytest.fixture(scope="module")
async def viewer(browser: Browser, traced: bytes) -> AsyncIterator[Page]:
    """The viewer with that trace."""
    async with serving(viewer_app(traced)) as port, await browser.new_context() as context:
        origin = f"http://127.0.0.1:{port}"
        async with await context.new_page() as page:
            await page.goto(f"{origin}/index.html?trace={origin}/trace.zip")
            assert await page.locator("text=sequence 1: quiet").text(timeout_ms=20_000)
            yield page


async def look(viewer: Page, tab: str) -> str:
    """Open a tab of the viewer and return the text of the whole page."""
    await viewer.click(f"css=[role=tab][title={tab}]")
    return (await viewer.aria_snapshot()).text


@pytest.mark.browser
async def test_the_viewer_lists_actions_errors_console_and_requests(viewer: Page, site_server: Site) -> None:
    await viewer.click("css=[role=treeitem] >> text=sequence 1: quiet")
    await viewer.press(None, "ArrowRight")
    actions = await look(viewer, "Call")
    assert f"goto {site_server.url('/shop')}" in actions
    assert actions.index("sequence 1: quiet") < actions.index("hover #buy") < actions.index("click_element #buy")
    assert actions.index("click_element #buy") < actions.index("sequence 2")
    assert "waits for request GET" in await look(viewer, "Log")
    assert "Element not found: #none" in await look(viewer, "Errors")
    assert "sold out" in await look(viewer, "Console")
    requests = await look(viewer, "Network")
    assert "stock" in requests
    assert "text/html" in requests


@pytest.mark.browser
async def test_the_viewer_shows_the_page_before_and_after(viewer: Page) -> None:
    await viewer.click("css=[role=treeitem] >> text=sequence 1: quiet")
    for phase, colour in (("before", "green"), ("after", "blue")):
        await viewer.click(f"css=[role=tab][title={phase.title()}]")
        frame = viewer.frame(url=f"/snapshot/*phase={phase}")
        assert frame is not None
        assert await frame.evaluate(COLOUR) == colour
