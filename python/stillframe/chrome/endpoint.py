"""DevTools endpoints: parsing the caller's address, and reading the WebSocket URL from /json/version.

Each request has a connection of its own.
"""

from __future__ import annotations

import asyncio
import ipaddress
import os
import socket
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urlsplit

import msgspec

from stillframe.errors import ConnectFailed
from stillframe.security.urls import parse_host

if TYPE_CHECKING:
    from stillframe.chrome.http_exchange import HttpAnswer

MAX_ANSWER_BYTES = 256 * 1024
"""Bytes of an answer to /json/version that are read: DevTools sends less than 1 KiB."""
MAX_LIST_BYTES = 32 * 1024 * 1024
"""Bytes of a list of targets that are read; each of them may have an icon in its URL."""
HTTP_SCHEMES = {"http": 80, "https": 443}
WEBSOCKET_SCHEMES = {"ws": 80, "wss": 443}
START_HINT = "start a browser with --remote-debugging-port=9222 and its own --user-data-dir"


def parse_endpoint(endpoint: str) -> SplitResult:
    """Parse `http(s)://host:port`, `ws(s)://…` or a bare `host:port`; raises ConnectFailed."""
    text = endpoint.strip()
    try:
        parts = urlsplit(text if "://" in text else f"http://{text}")
        host = parts.hostname
        _ = parts.port
    except ValueError as error:
        raise ConnectFailed(f"{endpoint!r} is not an address: {error}", endpoint=endpoint) from None
    if parts.scheme not in HTTP_SCHEMES and parts.scheme not in WEBSOCKET_SCHEMES:
        raise ConnectFailed(
            f"{endpoint!r} has the scheme {parts.scheme!r}; use http://host:port, ws://host:port/devtools/browser/… "
            "or host:port",
            endpoint=endpoint,
        )
    if not host:
        raise ConnectFailed(f"{endpoint!r} has no host; use http://host:port", endpoint=endpoint)
    _refuse_page_endpoint(endpoint, parts)
    return parts


def is_loopback(endpoint: str) -> bool:
    """Return whether the text of an endpoint names this machine."""
    try:
        return parse_host(parse_endpoint(endpoint).hostname or "").is_loopback
    except ValueError:
        return False


async def find_websocket(parts: SplitResult, endpoint: str, headers: Mapping[str, str] | None = None) -> str:
    """Return the browser's WebSocket URL from `/json/version`; raises ConnectFailed. The caller sets the time limit.

    Chrome answers only if the Host header is an address or localhost, so names are resolved here. The returned URL has
    the host and port that were dialled, because the browser does not know of a port forward.
    """
    netloc, connect = await _reachable(parts, endpoint)
    answer = await _get(connect, netloc, "/json/version", endpoint, tls=parts.scheme == "https", headers=headers)
    if answer.status != 200:
        raise _not_devtools(endpoint, f"it answered /json/version with status {answer.status}")
    path = urlsplit(_websocket_url(answer.body, endpoint)).path
    return f"{'wss' if parts.scheme == 'https' else 'ws'}://{netloc}{path}"


async def targets_by_activity(endpoint: str, headers: Mapping[str, str] | None = None) -> list[str]:
    """Return the ids of the browser's targets, the one that was in front last first; nothing is sent to them.

    `endpoint` is what `attach` takes. Raises ConnectFailed where the browser serves no list of targets over HTTP.
    """
    parts = parse_endpoint(endpoint)
    is_secure = parts.scheme in ("https", "wss")
    plain = parts._replace(scheme="https" if is_secure else "http")
    netloc, connect = await _reachable(plain, endpoint)
    answer = await _get(connect, netloc, "/json/list", endpoint, tls=is_secure, most=MAX_LIST_BYTES, headers=headers)
    try:
        if answer.status == 200:
            return [str(row["id"]) for row in msgspec.json.decode(answer.body)]
    except (msgspec.DecodeError, KeyError, TypeError):
        pass
    raise _not_devtools(endpoint, f"it serves no list of targets at /json/list (status {answer.status})")


def _websocket_url(body: bytes, endpoint: str) -> str:
    try:
        answer: Any = msgspec.json.decode(body)
    except msgspec.DecodeError:
        raise _not_devtools(endpoint, "its answer to /json/version is not JSON") from None
    url = answer.get("webSocketDebuggerUrl") if isinstance(answer, dict) else None
    if not isinstance(url, str):
        raise _not_devtools(endpoint, "its answer to /json/version has no webSocketDebuggerUrl")
    return url


async def _reachable(parts: SplitResult, endpoint: str) -> tuple[str, tuple[str, int]]:
    """Return `host:port` for the Host header, and the address to connect to."""
    port = parts.port if parts.port is not None else HTTP_SCHEMES[parts.scheme]
    host = parts.hostname or ""
    if parts.scheme == "http" and host != "localhost" and not _is_address(host):
        host = await _resolve(host, port, endpoint)
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}", (host, port)


async def _resolve(host: str, port: int, endpoint: str) -> str:
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise ConnectFailed(
            f"cannot connect to {endpoint!r}: the name {host!r} does not resolve ({error.strerror or error})",
            endpoint=endpoint,
        ) from None
    return str(found[0][4][0])


async def _get(
    connect: tuple[str, int],
    netloc: str,
    path: str,
    endpoint: str,
    *,
    tls: bool,
    most: int = MAX_ANSWER_BYTES,
    headers: Mapping[str, str] | None = None,
) -> HttpAnswer:
    from stillframe.chrome.http_exchange import READ_BYTES, HttpExchange  # h11, which a launched browser does not need

    try:
        reader, writer = await asyncio.open_connection(*connect, ssl=tls or None)
    except OSError as error:
        raise unreachable(endpoint, error) from None
    exchange = HttpExchange(path, netloc, most=most, headers=headers)
    try:
        writer.write(exchange.request)
        while (answer := exchange.feed(await reader.read(READ_BYTES))) is None:
            pass
    except (ValueError, EOFError) as error:
        raise _not_devtools(endpoint, f"it does not speak HTTP ({error})") from None
    except OSError as error:
        raise _not_devtools(endpoint, f"it broke the connection ({error.strerror or error})") from None
    else:
        return answer
    finally:
        writer.close()


def unreachable(endpoint: str, error: OSError) -> ConnectFailed:
    """Return the error for an endpoint where nothing listens or that cannot be reached."""
    # asyncio replaces the text in strerror; the number still has the system's reason.
    reason = os.strerror(error.errno) if error.errno and error.errno > 0 else str(error)
    return ConnectFailed(
        f"cannot connect to {endpoint!r}: {reason}; no browser may be listening there; {START_HINT}", endpoint=endpoint
    )


def _not_devtools(endpoint: str, what: str) -> ConnectFailed:
    return ConnectFailed(
        f"{endpoint!r} is not a DevTools endpoint: {what}; another program may hold the port; {START_HINT}",
        endpoint=endpoint,
    )


def _refuse_page_endpoint(endpoint: str, parts: SplitResult) -> None:
    if parts.path.startswith("/devtools/") and not parts.path.startswith("/devtools/browser"):
        raise ConnectFailed(
            f"{endpoint!r} is the address of one target, not of a browser; use http://host:port instead",
            endpoint=endpoint,
        )


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
