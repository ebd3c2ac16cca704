"""Streamable HTTP on loopback, with checks of Host, Origin and token, and a limit on the size of requests."""

from __future__ import annotations

import hmac
import ipaddress
import secrets
import sys
import time
from typing import TYPE_CHECKING, Any

import msgspec
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import JSONResponse

from stillframe.errors import OptionInvalid
from stillframe.mcp.clients import MAX_CLIENTS
from stillframe.mcp.event_store import RETRY_MS, EventLog
from stillframe.mcp.http_clients import ClientMiddleware
from stillframe.mcp.loopback import LoopbackServer, listen
from stillframe.security.redaction import logger

if TYPE_CHECKING:
    from mcp.server import Server
    from mcp.server.streamable_http import EventStore
    from starlette.types import ASGIApp, Receive, Scope, Send

PATH = "/mcp"
MAX_BODY_BYTES = 4 * 1024 * 1024
"""The SDK's default. A sequence of a thousand actions takes about 100 kB."""

TOKEN_BYTES = 32
MIN_TOKEN = 16
"""Characters of a token that a person chooses: 22 of a random one have 128 bits, as a key has."""

_logger = logger("stillframe.mcp")


class HttpOptions(msgspec.Struct, kw_only=True):
    """Where to listen, and the token of clients: at least `MIN_TOKEN` printable characters, by default random ones."""

    host: str = "127.0.0.1"
    port: int = 0
    token: str = ""
    is_random: bool = False

    def __post_init__(self) -> None:
        self.is_random = not self.token
        self.token = self.token or secrets.token_urlsafe(TOKEN_BYTES)
        if len(self.token) < MIN_TOKEN or not (
            self.token.isascii() and self.token.isprintable() and " " not in self.token
        ):
            raise OptionInvalid(
                f"the token needs at least {MIN_TOKEN} printable ASCII characters without spaces: everybody on this "
                "machine may try to guess it",
                option="token",
            )
        if not _is_loopback(self.host):
            raise OptionInvalid(
                f"host {self.host!r}: only loopback (127.0.0.1, ::1, localhost), because every client of this server "
                "can drive a browser; give remote clients an encrypted tunnel that authenticates them",
                option="host",
            )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class AuthMiddleware:
    """Refuses requests with another Host or Origin, or without the token."""

    def __init__(self, app: ASGIApp, options: HttpOptions, port: int) -> None:
        self._app = app
        self._expected = f"Bearer {options.token}".encode()
        self._checks = TransportSecurityMiddleware(transport_security(port))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond with 421, 403, 401 or 404, or pass the request on."""
        request = Request(scope, receive)
        refusal: Any = await self._checks.validate_request(request) or self._refusal(request)
        await (refusal or self._app)(scope, receive, send)

    def _refusal(self, request: Request) -> JSONResponse | None:
        given = request.headers.get("authorization", "").encode("latin-1", "replace")
        if not hmac.compare_digest(given, self._expected):
            error = {"error": {"code": "token_wrong", "advice": "send Authorization: Bearer … with the server's token"}}
            return JSONResponse(error, 401, {"WWW-Authenticate": "Bearer"})
        if request.url.path != PATH:
            return JSONResponse({"error": {"code": "not_found", "advice": f"the server is at {PATH}"}}, 404)
        return None


def transport_security(port: int) -> TransportSecuritySettings:
    """Return the only names of this server: a request by another name is an attack."""
    names = [f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}"]
    return TransportSecuritySettings(allowed_hosts=names, allowed_origins=[f"http://{name}" for name in names])


async def serve_http(server: Server[Any], options: HttpOptions) -> None:
    """Serve until cancelled; prints address and token to standard error when it listens."""
    listener = listen(options.host, options.port)
    port = listener.getsockname()[1]
    manager = _SessionManager(
        server,
        retry_interval=RETRY_MS,
        security_settings=transport_security(port),
        max_request_body_size=MAX_BODY_BYTES,
        max_sessions=MAX_CLIENTS,
    )
    async with manager.run():
        app = AuthMiddleware(ClientMiddleware(manager.handle_request), options, port)
        serving = LoopbackServer(listener, lambda _: app)
        _announce(options, port)
        await serving.until_cancelled()


def _announce(options: HttpOptions, port: int) -> None:
    host = f"[{options.host}]" if ":" in options.host else options.host
    # A chosen token is known to the user, and others may read this line.
    token = f"Authorization: Bearer {options.token}" if options.is_random else "with the token that was given"
    sys.stderr.write(f"stillframe: serving http://{host}:{port}{PATH}\n{token}\n")
    sys.stderr.flush()


class _SessionManager(StreamableHTTPSessionManager):
    """Gives each MCP session a store of its own for its events: the SDK gives all of them the same one.

    It names the streams by the ids of their requests, which clients choose alike.
    """

    _log: EventLog | None = None

    @property
    def event_store(self) -> EventStore:
        """The store of the next session."""
        self._log = self._log or EventLog(time.monotonic)
        return self._log.session()

    @event_store.setter
    def event_store(self, _: EventStore | None) -> None:
        """Ignore the one store that the SDK was given for all."""
