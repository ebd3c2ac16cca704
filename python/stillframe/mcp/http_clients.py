"""Which client makes an HTTP request, and whether it still reads the response.

Until protocol 2025-11-25 clients have an MCP session. Requests of 2026-07-28 have none: a header, the URL, or a cookie
tells their clients apart.
"""

from __future__ import annotations

import re
import secrets
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.requests import Request

from stillframe.mcp.event_store import Reader, current_reader

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADER = "stillframe-client"
"""The header in which a client may send any name of its own."""

PARAMETER = "client"
"""The parameter of the URL with the same meaning, for clients that cannot send headers."""

COOKIE = "stillframe-client"
"""The cookie that the server gives to clients without a name; many HTTP libraries keep it, as that of Python's SDK."""

NAME = re.compile(r"[\x21-\x7e]{1,128}")
READER = "stillframe.reader"
CLIENT = "stillframe.client"


class ClientMiddleware:
    """Finds out who makes a request, and notices when the client leaves."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with its client and its reader."""
        reader = scope[READER] = Reader()
        request = Request(scope)
        scope[CLIENT] = _name(request)
        cookie = b"" if scope[CLIENT] is not None or not _is_stateless(request) else _new_cookie()

        async def watched() -> Message:
            message = await receive()
            if message["type"] == "http.disconnect":
                reader.leave()
            return message

        async def sending(message: Message) -> None:
            if cookie and message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), (b"set-cookie", cookie)]}
            await send(message)
            reader.sent(message.get("body", b""))

        current = current_reader.set(reader)
        try:
            await self._app(scope, watched, sending)
        finally:
            current_reader.reset(current)
            reader.leave()


def reader_of(request: Any) -> Reader | None:
    """Return the reader of the response to a request; None over stdio."""
    return None if request is None else request.scope.get(READER)


def client_of(request: Any) -> str | None:
    """Return the name of the client of a request without an MCP session; None if it has none."""
    name: str | None = request.scope.get(CLIENT)
    return name


def _is_stateless(request: Request) -> bool:
    version = request.headers.get("mcp-protocol-version")
    return version is not None and version not in HANDSHAKE_PROTOCOL_VERSIONS


def _name(request: Request) -> str | None:
    """Return the name of the client with its source, so that nobody can pose as another one by a cookie's name."""
    given = parse_qs(request.url.query).get(PARAMETER, [])
    for source, name in (
        ("name", request.headers.get(HEADER)),
        ("name", given[0] if given else None),
        ("cookie", request.cookies.get(COOKIE)),
    ):
        if name and NAME.fullmatch(name):
            return f"{source}:{name}"
    return None


def _new_cookie() -> bytes:
    return f"{COOKIE}={secrets.token_urlsafe(16)}; Path=/mcp; HttpOnly; SameSite=Strict".encode()
