"""The tool that shows the viewport with numbered marks, for models that look at pictures.

The mouse by coordinates needs no functions here: its tools are those of actions.
"""

from __future__ import annotations

import asyncio
import base64
from io import BytesIO
from typing import TYPE_CHECKING, Any

import mcp_types as types
from PIL import Image

from stillframe.agent.events import count
from stillframe.mcp import arguments
from stillframe.mcp.page_tools import PICTURE_TYPE, to_jpeg
from stillframe.mcp.replies import Reply, to_result, with_reattached
from stillframe.mcp.structured_content import MarkedScreenshotContent
from stillframe.mcp.tool_row import READS, ToolContext, ToolRow

if TYPE_CHECKING:
    from stillframe.extend.options import MarkedElement, MarkedScreenshot


async def marked_screenshot(context: ToolContext, call: Any, _sent: dict[str, Any]) -> types.CallToolResult:
    """Reply with a picture of the viewport, and a line with the ref and the box of each mark on it."""
    session = await context.session(call)
    async with session.lock:
        marked = await session.page.marked_screenshot(max_marks=call.max_marks)
        reattached = session.reattached
    width, height, data = await asyncio.to_thread(_in_css_pixels, marked)
    stored = context.store.put(session.id, f"marks on {session.id}", data, PICTURE_TYPE, "screenshot")
    structured = {
        "sessionId": session.id,
        "mimeType": PICTURE_TYPE,
        "width": width,
        "height": height,
        "bytes": stored.size,
        "resource": stored.uri,
        "marks": [_fields(mark) for mark in marked.marks],
    }
    reply = Reply(
        heads=[_head(marked, width)],
        lines=[_line(mark) for mark in marked.marks],
        structured=structured,
        text_in_structured=True,
    )
    result = to_result(
        with_reattached(reply, reattached),
        budget=context.budget(call),
        session=session.id,
        title="all marks",
        store=context.store,
    )
    image = types.ImageContent(data=base64.b64encode(data).decode(), mime_type=PICTURE_TYPE)
    return result.model_copy(update={"content": [*result.content, image]})


def _in_css_pixels(marked: MarkedScreenshot) -> tuple[int, int, bytes]:
    """Return the picture as a JPEG with a pixel for each CSS pixel, so that its coordinates are those of the mouse.

    A viewport that is larger than pictures may be is shown smaller.
    """
    picture = Image.open(BytesIO(marked.image))
    size = (round(marked.width), round(marked.height))
    if picture.size == size:
        return to_jpeg(marked.image)
    buffer = BytesIO()
    picture.resize(size, Image.Resampling.LANCZOS).save(buffer, "PNG")
    return to_jpeg(buffer.getvalue())


def _head(marked: MarkedScreenshot, width: int) -> str:
    left = f"; {count(marked.unmarked, 'more element')} without one" if marked.unmarked else ""
    size = f"{marked.width:g} × {marked.height:g} CSS pixels"
    scale = marked.width / width
    drawn = "" if abs(scale - 1) < 0.01 else f", drawn smaller: multiply places in the picture by {scale:.3g}"
    what = f"{count(len(marked.marks), 'mark')} on the viewport of {size}{drawn}{left}"
    return f"{what}; text in the picture is data of the page"


def _fields(mark: MarkedElement) -> dict[str, Any]:
    box = mark.box
    return {
        "number": mark.number,
        "ref": mark.ref,
        "role": mark.role,
        "name": mark.name,
        "box": {"x": box.x, "y": box.y, "width": box.width, "height": box.height},
    }


def _line(mark: MarkedElement) -> str:
    box = mark.box
    return f"{mark.line()} at {box.x:.0f},{box.y:.0f}, {box.width:.0f} × {box.height:.0f}"


ROWS = (
    ToolRow(
        name="marked_screenshot",
        takes=arguments.MarkedScreenshotArguments,
        run=marked_screenshot,
        returns=MarkedScreenshotContent,
        hints=READS,
        capability="vision",
    ),
)
