"""The MCP App: a small page that clients show beside a call, with the page of the agent and what changed there."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import mcp_types as types

if TYPE_CHECKING:
    from stillframe.mcp.clients import Context

# The SDK's own constants are in a module that imports its whole framework for tools.
EXTENSION = "io.modelcontextprotocol/ui"
MIME_TYPE = "text/html;profile=mcp-app"
URI = "ui://stillframe/page.html"

SHOWN_BY = frozenset({"execute_sequence", "navigate", "screenshot"})
"""The tools whose calls the app shows."""

META: dict[str, Any] = {"ui": {"resourceUri": URI}}


def is_wanted(context: Context) -> bool:
    """Return whether the client shows apps."""
    capabilities = context.session.client_capabilities
    settings = ((capabilities.extensions if capabilities is not None else None) or {}).get(EXTENSION)
    return settings is not None and MIME_TYPE in (settings.get("mimeTypes") or ())


def with_app(tool: types.Tool) -> types.Tool:
    """Return a tool that names the app."""
    if tool.name not in SHOWN_BY:
        return tool
    return tool.model_copy(update={"meta": {**(tool.meta or {}), **META}})


def resource() -> types.Resource:
    """Return the app as clients list it."""
    return types.Resource(
        uri=URI, name="page", title="The page of the agent", mime_type=MIME_TYPE, size=len(source().encode())
    )


def contents() -> types.TextResourceContents:
    """Return the app. It loads nothing: neither domains nor permissions are asked for."""
    return types.TextResourceContents(
        uri=URI, mime_type=MIME_TYPE, text=source(), _meta={"ui": {"csp": {}, "prefersBorder": True}}
    )


@cache
def source() -> str:
    """Return the HTML of the app."""
    return (Path(__file__).parent / "page_app.html").read_text("utf-8")
