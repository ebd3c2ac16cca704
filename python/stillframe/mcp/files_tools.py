"""The tools for files: the page as a PDF, and what it downloaded. `upload_file` is an action."""

from __future__ import annotations

import asyncio
import mimetypes
from pathlib import Path
from typing import TYPE_CHECKING, Any

import mcp_types as types

from stillframe.agent.events import count
from stillframe.extend import page_state
from stillframe.extend.text import quote
from stillframe.mcp import arguments
from stillframe.mcp.error_mapping import ToolError
from stillframe.mcp.replies import Reply, to_result
from stillframe.mcp.resource_store import MAX_BYTES, Kind, Resource
from stillframe.mcp.structured_content import DownloadsContent, FileContent
from stillframe.mcp.tool_row import READS, ToolContext, ToolRow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stillframe import Download
    from stillframe.sessions import Session

DOWNLOAD_MS = 30_000.0
"""Milliseconds that a download may take until it is complete."""

TEXT_CHARS = 1_000_000
"""Characters of a text file in a reply and its resource."""

LINE_CHARS = 500
"""Characters of one line; a budget would show nothing of a longer one."""

PDF = "application/pdf"


async def save_pdf(context: ToolContext, call: Any, _sent: dict[str, Any]) -> types.CallToolResult:
    """Keep the page as a PDF, and reply with its URI; raises ToolError for one that is too large."""
    session = await context.session(call)
    async with session.lock:
        data = await session.page.pdf(
            landscape=call.landscape, print_background=call.print_background, page_ranges=call.page_ranges
        )
    stored = stored_file(context, session, "page.pdf", data, PDF, "pdf")
    return file_result(context, session, stored, [], context.budget(call))


async def downloads(context: ToolContext, call: Any, _sent: dict[str, Any]) -> types.CallToolResult:
    """Reply with the downloads of the session, or with the file of one of them."""
    session = await context.session(call)
    async with session.lock:
        found = context.provider.logs.downloads(session.context)
        if call.number is not None:
            return await _read(context, session, call, found)
    structured = {
        "sessionId": session.id,
        "downloads": [_fields(number, each) for number, each in found.items()],
    }
    reply = Reply(
        heads=[f"{count(len(found), 'download')}; number=… reads one"],
        lines=[_line(number, each) for number, each in found.items()],
        structured=structured,
        text_in_structured=True,
    )
    return to_result(reply, budget=context.budget(call), session=session.id, title="downloads", store=context.store)


async def _read(context: ToolContext, session: Session, call: Any, found: dict[int, Download]) -> types.CallToolResult:
    number = call.number
    download = found.get(number)
    if download is None:
        message = f"no download has the number {number}; there are {len(found)}"
        raise ToolError("download_unknown", message, number=number)
    path = await download.path(timeout_ms=DOWNLOAD_MS)
    size = (await asyncio.to_thread(path.stat)).st_size
    if size > MAX_BYTES:
        raise _too_large(download.suggested_filename, size)
    data = await asyncio.to_thread(path.read_bytes)
    mime_type = mimetypes.guess_type(download.suggested_filename)[0] or "application/octet-stream"
    text = _text_of(data, mime_type)
    if text is None:
        content: str | bytes = data
    else:
        content = text = page_state(session.page).redact(text)
    stored = stored_file(context, session, Path(path).name, content, mime_type, "download")
    lines = [] if text is None else _lines(text)
    return file_result(context, session, stored, lines, context.budget(call))


def _text_of(data: bytes, mime_type: str) -> str | None:
    """Return the text of a file, or None for one that is not text in UTF-8."""
    if b"\0" in data or mime_type.startswith(("image/", "audio/", "video/", "font/")) or mime_type == PDF:
        return None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


def _lines(text: str) -> list[str]:
    shown = text[:TEXT_CHARS].splitlines()
    return [line[at : at + LINE_CHARS] for line in shown for at in range(0, max(1, len(line)), LINE_CHARS)]


# -- replies -----------------------------------------------------------------------------------------


def stored_file(
    context: ToolContext, session: Session, title: str, content: str | bytes, mime_type: str, kind: Kind
) -> Resource:
    """Keep a file as a resource; raises ToolError for one that is too large."""
    try:
        return context.store.put(session.id, title, content, mime_type, kind)
    except ValueError:
        raise _too_large(title, len(content)) from None


def _too_large(name: str, size: int) -> ToolError:
    message = f"{name!r} has {size:,} bytes, and a resource may have {MAX_BYTES:,}"
    return ToolError("file_too_large", message, size=size)


def file_result(
    context: ToolContext, session: Session, stored: Resource, lines: Sequence[str] = (), budget: int | None = None
) -> types.CallToolResult:
    """Return the reply about a file: its URI, and lines of its text."""
    structured = {
        "sessionId": session.id,
        "resource": stored.uri,
        "mimeType": stored.mime_type,
        "bytes": stored.size,
    }
    reply = Reply(
        heads=[f"{stored.size} bytes of {stored.mime_type}: read {stored.uri}"],
        lines=list(lines),
        structured=structured,
        text_in_structured=True,
    )
    budget = context.settings.budget if budget is None else budget
    result = to_result(reply, budget=budget, session=session.id, title="the text of the file", store=context.store)
    link = types.ResourceLink(uri=stored.uri, name=stored.title, mime_type=stored.mime_type, size=stored.size)
    return result.model_copy(update={"content": [*result.content, link]})


def _fields(number: int, download: Download) -> dict[str, Any]:
    report = download.report
    return {
        "number": number,
        "filename": report.suggested_filename,
        "url": report.url,
        "state": report.state,
    }


def _line(number: int, download: Download) -> str:
    report = download.report
    return f"#{number} {quote(report.suggested_filename)} {report.state}, from {quote(report.url)}"


ROWS = (
    ToolRow(
        name="save_pdf",
        takes=arguments.PdfArguments,
        run=save_pdf,
        returns=FileContent,
        hints=READS,
        capability="pdf",
    ),
    ToolRow(
        name="downloads",
        takes=arguments.DownloadsArguments,
        run=downloads,
        returns=DownloadsContent,
        hints=READS,
        capability="files",
    ),
)
