"""Pictures with marks, and the mouse by coordinates, over MCP."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from io import BytesIO

import pytest
from mcp_serving import capable
from PIL import Image

from site_server import Site
from stillframe.api.browser import Browser

BODY = """<style>body { margin: 0 }</style>
<button style='position:absolute;left:100px;top:50px;width:80px;height:40px' onclick="this.textContent='pressed'">Go
</button><a href=/x style='position:absolute;top:5000px'>below</a>"""


@pytest.fixture(scope="module")
async def call(browser: Browser) -> AsyncIterator[object]:
    async with capable(browser, "vision", context={"viewport": {"width": 800, "height": 600}}) as caller:
        yield caller


async def test_marks_have_refs_and_places_that_can_be_clicked(call, site: Site) -> None:
    await call("navigate", url=site.html("/marks", BODY))
    answer = await call("marked_screenshot")
    assert answer.head.startswith("1 mark on the viewport of 800 × 600 CSS pixels")
    assert '1: button "Go" [ref=e' in answer.text
    assert "at 100,50, 80 × 40" in answer.text
    [mark] = answer.structured["marks"]
    assert mark["box"] == {"x": 100, "y": 50, "width": 80, "height": 40}
    image = next(part for part in answer.raw.content if part.type == "image")
    assert Image.open(BytesIO(base64.b64decode(image.data))).size == (800, 600)
    stored = (await call.client.read_resource(answer.structured["resource"])).contents[0]
    assert stored.blob == image.data
    clicked = await call("mouse_click", x=140, y=70)
    assert "pressed" in clicked.text
    again = await call.run({"action": "mouse_move", "x": 1, "y": 1}, {"action": "mouse_click", "x": 140, "y": 70})
    assert again.structured["completed"] == 2


async def test_a_picture_has_a_pixel_for_each_css_pixel(browser: Browser, site: Site) -> None:
    viewport = {"width": 500, "height": 400, "device_scale_factor": 2}
    async with capable(browser, "vision", context={"viewport": viewport}) as call:
        await call("navigate", url=site.html("/sharp", BODY))
        answer = await call("marked_screenshot")
        assert (answer.structured["width"], answer.structured["height"]) == (500, 400)
        assert "at 100,50" in answer.text


async def test_no_more_marks_than_the_limit(call, site: Site) -> None:
    await call("navigate", url=site.html("/many", "<button>b</button>" * 9))
    answer = await call("marked_screenshot", maxMarks=4)
    assert len(answer.structured["marks"]) == 4
    assert "5 more elements without one" in answer.head
    assert (await call("marked_screenshot", maxMarks=0)).error["code"] == "option_invalid"


async def test_a_point_outside_of_the_viewport_is_a_failure_that_says_so(call, site: Site) -> None:
    await call("navigate", url=site.html("/outside", BODY))
    answer = await call("mouse_click", x=5000, y=10)
    assert answer.structured["failed"]["code"] == "point_outside"
    assert "scroll" in answer.text
    assert (await call("mouse_drag", x=1, y=1, toX=-3, toY=1)).error["code"] == "option_invalid"


async def test_without_the_capability_no_action_takes_coordinates(serving, site: Site) -> None:
    async with serving() as call:
        schema = next(tool for tool in (await call.client.list_tools()).tools if tool.name == "execute_sequence")
        assert "mouse_click" not in str(schema.input_schema)
        for answer in (
            await call.run({"action": "mouse_click", "x": 1, "y": 1}),
            await call("mouse_click", x=1, y=1),
            await call("marked_screenshot"),
        ):
            assert answer.error["code"] == "tool_hidden"
            assert "--caps vision" in answer.text
