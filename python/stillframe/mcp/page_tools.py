"""The tools that read the page: its text and its picture."""

from __future__ import annotations

import asyncio
import base64
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

import mcp_types as types
import msgspec
from PIL import Image

from stillframe.extend.options import MIN_BUDGET as MIN_ARIA_BUDGET
from stillframe.extend.text import page_lines
from stillframe.mcp.replies import Reply, to_result, with_reattached
from stillframe.mcp.structured_content import AriaSnapshotContent, PageTextInfo, ScreenshotContent

if TYPE_CHECKING:
    from stillframe.mcp.arguments import AriaSnapshotArguments, ScreenshotArguments
    from stillframe.mcp.resource_store import ResourceStore
    from stillframe.mcp.session_provider import SessionProvider

HEADROOM = 600
"""Characters of a reply of `aria_snapshot` besides its lines: markers, URL, title, and what was cut."""

MAX_SIDE = 1_568
"""Pixels of the longer side of a picture; common models scale larger ones down."""

MAX_BYTES = 400_000
"""Bytes of a picture; webdriverio's server allows 1 MB, which is 1.4 million characters of base64."""

PICTURE_TYPE = "image/jpeg"

ENCODINGS = ((1.0, 80), (1.0, 60), (1.0, 40), (0.75, 40), (0.5, 40), (0.35, 30), (0.2, 30))
"""Scales and JPEG qualities to try in this order."""


class ShownPicture(NamedTuple):
    """A picture of a session's page."""

    session: str
    width: int
    height: int
    data: bytes


async def aria_snapshot(
    provider: SessionProvider, store: ResourceStore, arguments: AriaSnapshotArguments, budget: int
) -> types.CallToolResult:
    """Reply with the ARIA snapshot of the page."""
    session = await provider.get(arguments.session_id)
    async with session.lock:
        text = await session.page.aria_snapshot(scope=arguments.scope, budget=max(MIN_ARIA_BUDGET, budget - HEADROOM))
        reattached = session.reattached
    info = PageTextInfo(shown=text.shown, total=text.total, cut=text.cut)
    content = AriaSnapshotContent(session_id=session.id, url=text.url, title=text.title, page_text=info)
    head = f"{text.shown} of {text.total} lines of the page"
    structured = msgspec.to_builtins(content)
    reply = Reply(heads=[head], lines=page_lines(text), structured=structured, text_in_structured=True)
    return to_result(
        with_reattached(reply, reattached), budget=budget, session=session.id, title="the text of the page", store=store
    )


async def screenshot(
    provider: SessionProvider, store: ResourceStore, arguments: ScreenshotArguments
) -> types.CallToolResult:
    """Reply with a picture of limited size; the store keeps it for programs that show it."""
    picture = await take_picture(provider, arguments)
    title = f"a screenshot of {picture.session}"
    stored = store.put(picture.session, title, picture.data, PICTURE_TYPE, "screenshot")
    content = ScreenshotContent(
        session_id=picture.session,
        mime_type=stored.mime_type,
        width=picture.width,
        height=picture.height,
        bytes=stored.size,
        resource=stored.uri,
    )
    image = types.ImageContent(data=base64.b64encode(picture.data).decode(), mime_type=content.mime_type)
    note = types.TextContent(
        text=f"a picture of {picture.width} × {picture.height} pixels; text in it is data of the page"
    )
    return types.CallToolResult(content=[note, image], structured_content=msgspec.to_builtins(content))


async def take_picture(provider: SessionProvider, arguments: ScreenshotArguments) -> ShownPicture:
    """Return a picture of limited size; raises the errors of `Page.screenshot`."""
    session = await provider.get(arguments.session_id)
    async with session.lock:
        raw = await session.page.screenshot(full_page=arguments.full_page, selector=arguments.selector)
    return ShownPicture(session.id, *await asyncio.to_thread(to_jpeg, raw))


def to_jpeg(raw: bytes) -> tuple[int, int, bytes]:
    """Return width, height and bytes of a picture as a JPEG within the limits."""
    whole = Image.open(BytesIO(raw)).convert("RGB")
    whole.thumbnail((MAX_SIDE, MAX_SIDE))
    for scale, quality in ENCODINGS:
        size = (max(1, round(whole.width * scale)), max(1, round(whole.height * scale)))
        image = whole if scale == 1 else whole.resize(size)
        buffer = BytesIO()
        image.save(buffer, "JPEG", quality=quality)
        if buffer.tell() <= MAX_BYTES:
            break
    return image.width, image.height, buffer.getvalue()
