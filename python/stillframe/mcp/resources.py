"""What clients can read: stored results and files, and the page as it is now."""

from __future__ import annotations

import base64
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import mcp_types as types
import msgspec
from mcp.shared.uri_template import UriTemplate

from stillframe.mcp import page_tools
from stillframe.mcp.arguments import AriaSnapshotArguments, ScreenshotArguments
from stillframe.mcp.resource_store import KINDS, SCHEME, Resource

if TYPE_CHECKING:
    from stillframe.mcp.session_provider import SessionProvider

Contents = types.TextResourceContents | types.BlobResourceContents
_Read = Callable[[Any, str], Awaitable[tuple[str, str | bytes]]]
"""Takes a SessionProvider and the name of a session."""

STORED = f"{SCHEME}{{kind}}/{{id}}"
"""The URIs of stored resources."""


class LiveRow(msgspec.Struct, frozen=True):
    """A template for what a session shows now; `read` returns its media type and its content."""

    template: str
    title: str
    description: str
    mime_type: str
    read: _Read


async def _page_text(provider: SessionProvider, session_id: str) -> tuple[str, str | bytes]:
    arguments = AriaSnapshotArguments(session_id=session_id)
    result = await page_tools.aria_snapshot(provider, provider.store, arguments, provider.settings.budget)
    return "text/plain", "\n".join(part.text for part in result.content if isinstance(part, types.TextContent))


async def _picture(provider: SessionProvider, session_id: str) -> tuple[str, str | bytes]:
    picture = await page_tools.take_picture(provider, ScreenshotArguments(session_id=session_id))
    return page_tools.PICTURE_TYPE, picture.data


LIVE: tuple[LiveRow, ...] = (
    LiveRow(
        f"{SCHEME}session/{{sessionId}}/page",
        "The page of a session",
        "The ARIA snapshot of the page that a session shows now, fenced as text of the page.",
        "text/plain",
        _page_text,
    ),
    LiveRow(
        f"{SCHEME}session/{{sessionId}}/screenshot",
        "The picture of a session",
        "A picture of the page that a session shows now.",
        page_tools.PICTURE_TYPE,
        _picture,
    ),
)


def templates() -> list[types.ResourceTemplate]:
    """Return the templates of all resources."""
    stored = types.ResourceTemplate(
        uri_template=STORED,
        name="stored",
        title="A stored result or file",
        description=f"What a reply left out, or a file that a call made ({', '.join(KINDS)}): replies name their URIs.",
    )
    live = [
        types.ResourceTemplate(
            uri_template=row.template,
            name=row.template.rpartition("/")[2],
            title=row.title,
            description=row.description,
            mime_type=row.mime_type,
        )
        for row in LIVE
    ]
    return [*live, stored]


def stored_resource(each: Resource) -> types.Resource:
    """Return a stored resource as clients list it."""
    return types.Resource(uri=each.uri, name=each.title, mime_type=each.mime_type, size=each.size)


def live_of(uri: str) -> tuple[LiveRow, str] | None:
    """Return the row of a URI and the session in it, or None if it is a stored resource's."""
    for row in LIVE:
        values = UriTemplate.parse(row.template).match(uri)
        if values is not None:
            return row, str(values["sessionId"])
    return None


def contents(uri: str, mime_type: str, content: str | bytes) -> Contents:
    """Return the content of a resource: text as text, bytes as a blob."""
    if isinstance(content, str):
        return types.TextResourceContents(uri=uri, mime_type=mime_type, text=content)
    return types.BlobResourceContents(uri=uri, mime_type=mime_type, blob=base64.b64encode(content).decode())


def completes(uri_template: str, argument: str) -> Any:
    """Return what an argument of a template can be completed with; None for an unknown template."""
    if uri_template not in (STORED, *(row.template for row in LIVE)):
        return None
    return "session" if argument == "sessionId" else ""
