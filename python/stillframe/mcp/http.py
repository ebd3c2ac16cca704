"""Streamable HTTP on loopback: behind Host and Origin checks, a token, and a bound on what is sent."""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import secrets
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
import uvicorn
from mcp.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from stillframe.errors import OptionInvalid
from stillframe.security.redaction import logger

PATH = "/mcp"
MOST_BODY = 4 * 1024 * 1024
"""Bytes of a request: the SDK's default. A sequence of a thousand actions takes some 100 kB."""

MOST_SESSIONS = 64
"""Connections of clients that shook hands; each costs a task, pages are counted elsewhere."""

TOKEN_BYTES = 32

_logger = logger("stillframe.mcp")


class Door(msgspec.Struct, kw_only=True):
    """Where to listen; `token` is drawn if none is given."""

    host: str = "127.0.0.1"
    port: int = 0
    token: str = ""

    def __post_init__(self) -> None:
        self.token = self.token or secrets.token_urlsafe(TOKEN_BYTES)
        if not _is_loopback(self.host):
            raise OptionInvalid(
                f"host {self.host!r}: only loopback (127.0.0.1, ::1, localhost); whoever can call this server can "
                "drive a browser, so let others in through an encrypted tunnel that knows them",
                option="host",
            )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class Guard:
    """Lets nobody in who names another Host or Origin, or does not know the token."""

    def __init__(self, app: ASGIApp, door: Door, port: int) -> None:
        self._app = app
        self._expected = f"Bearer {door.token}".encode()
        self._checks = TransportSecurityMiddleware(security(port))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 421, 403, 401 or 404, or pass on."""
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


def security(port: int) -> TransportSecuritySettings:
    """Return the only names that this server answers to: what another name leads here for is an attack."""
    names = [f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}"]
    return TransportSecuritySettings(allowed_hosts=names, allowed_origins=[f"http://{name}" for name in names])


async def serve_http(server: Server[Any], door: Door) -> None:
    """Serve until cancelled; prints address and token on standard error once it listens."""
    listener = _bound(door)
    port = listener.getsockname()[1]
    manager = StreamableHTTPSessionManager(
        server, security_settings=security(port), max_request_body_size=MOST_BODY, max_sessions=MOST_SESSIONS
    )
    config = uvicorn.Config(
        Guard(manager.handle_request, door, port),
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=1,
    )
    with listener:
        async with manager.run():
            _announce(door, port)
            await _until_cancelled(_Server(config), listener)


def _bound(door: Door) -> socket.socket:
    family = socket.AF_INET6 if ":" in door.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((door.host, door.port))
        listener.listen()  # before the address is told, so that whoever reads it can come at once
    except OSError as error:
        listener.close()
        raise OptionInvalid(f"cannot listen on {door.host}:{door.port}: {error.strerror}", option="port") from None
    return listener


def _announce(door: Door, port: int) -> None:
    host = f"[{door.host}]" if ":" in door.host else door.host
    sys.stderr.write(f"stillframe: serving http://{host}:{port}{PATH}\nAuthorization: Bearer {door.token}\n")
    sys.stderr.flush()


class _Server(uvicorn.Server):
    """Leaves signals to the command, which ends more than this server."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def _until_cancelled(server: uvicorn.Server, listener: socket.socket) -> None:
    serving = asyncio.create_task(server.serve([listener]), name="serve HTTP")
    try:
        await asyncio.shield(serving)
    finally:
        server.should_exit = True
        await asyncio.wait([serving])
