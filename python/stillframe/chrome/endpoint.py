"""DevTools endpoints: what the caller may write, and what the browser answers at /json/version.

The HTTP client is the few lines that one small GET on one connection needs.
"""

from __future__ import annotations

import asyncio
import ipaddress
import os
import socket
from typing import Any
from urllib.parse import SplitResult, urlsplit

import msgspec

from stillframe.errors import ConnectFailed
from stillframe.security.urls import read_host

# The answer of /json/version is under 1 KiB; anything much larger is not DevTools.
MAX_ANSWER_BYTES = 256 * 1024
MAX_LIST_BYTES = 32 * 1024 * 1024
"""Bytes of a list of targets that are read; each of them may have an icon in its URL."""
HTTP_SCHEMES = {"http": 80, "https": 443}
WEBSOCKET_SCHEMES = {"ws": 80, "wss": 443}
START_HINT = "start one with --remote-debugging-port=9222 and a --user-data-dir of its own"


def parse_endpoint(endpoint: str) -> SplitResult:
    """Split `http(s)://host:port`, `ws(s)://…` or a bare `host:port`; raises ConnectFailed."""
    text = endpoint.strip()
    try:
        parts = urlsplit(text if "://" in text else f"http://{text}")
        host = parts.hostname
        _ = parts.port
    except ValueError as error:
        raise ConnectFailed(f"{endpoint!r} is not an address: {error}", endpoint=endpoint) from None
    if parts.scheme not in HTTP_SCHEMES and parts.scheme not in WEBSOCKET_SCHEMES:
        raise ConnectFailed(
            f"{endpoint!r} has the scheme {parts.scheme!r}; give http://host:port, ws://host:port/devtools/browser/… "
            "or host:port",
            endpoint=endpoint,
        )
    if not host:
        raise ConnectFailed(f"{endpoint!r} names no host; give http://host:port", endpoint=endpoint)
    _refuse_page_endpoint(endpoint, parts)
    return parts


def is_loopback(endpoint: str) -> bool:
    """Whether an endpoint is on this machine, as far as its text tells."""
    try:
        return read_host(parse_endpoint(endpoint).hostname or "").is_loopback
    except ValueError:
        return False


async def find_websocket(parts: SplitResult, endpoint: str) -> str:
    """Ask `/json/version` for the browser's websocket address; raises ConnectFailed. The caller holds the deadline.

    Chrome answers only when the Host header is an address or localhost, so names are resolved here. The address that
    it returns keeps the host and port that reached it, which a port forward may have changed.
    """
    netloc, connect = await _reachable(parts, endpoint)
    status, body = await _get(connect, netloc, "/json/version", endpoint, tls=parts.scheme == "https")
    if status != 200:
        raise _not_devtools(endpoint, f"it answered /json/version with status {status}")
    path = urlsplit(_websocket_url(body, endpoint)).path
    return f"{'wss' if parts.scheme == 'https' else 'ws'}://{netloc}{path}"


async def targets_by_activity(endpoint: str) -> list[str]:
    """Return the ids of the browser's targets, the one that was in front last first; nothing is sent to them.

    `endpoint` is what `attach` takes. Raises ConnectFailed where the browser serves no list of targets over HTTP.
    """
    parts = parse_endpoint(endpoint)
    is_secure = parts.scheme in ("https", "wss")
    plain = parts._replace(scheme="https" if is_secure else "http")
    netloc, connect = await _reachable(plain, endpoint)
    status, body = await _get(connect, netloc, "/json/list", endpoint, tls=is_secure, most=MAX_LIST_BYTES)
    try:
        if status == 200:
            return [str(row["id"]) for row in msgspec.json.decode(body)]
    except (msgspec.DecodeError, KeyError, TypeError):
        pass
    raise _not_devtools(endpoint, f"it serves no list of targets at /json/list (status {status})")


def _websocket_url(body: bytes, endpoint: str) -> str:
    try:
        answer: Any = msgspec.json.decode(body)
    except msgspec.DecodeError:
        raise _not_devtools(endpoint, "its answer to /json/version is not JSON") from None
    url = answer.get("webSocketDebuggerUrl") if isinstance(answer, dict) else None
    if not isinstance(url, str):
        raise _not_devtools(endpoint, "its answer to /json/version names no webSocketDebuggerUrl")
    return url


async def _reachable(parts: SplitResult, endpoint: str) -> tuple[str, tuple[str, int]]:
    """Return the `host:port` for the Host header and the pair to connect to."""
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
    connect: tuple[str, int], netloc: str, path: str, endpoint: str, *, tls: bool, most: int = MAX_ANSWER_BYTES
) -> tuple[int, bytes]:
    try:
        reader, writer = await asyncio.open_connection(*connect, ssl=tls or None, limit=MAX_ANSWER_BYTES)
    except OSError as error:
        raise unreachable(endpoint, error) from None
    try:
        writer.write(f"GET {path} HTTP/1.1\r\nHost: {netloc}\r\nConnection: close\r\n\r\n".encode())
        return await _read_answer(reader, endpoint, most)
    except OSError as error:
        raise _not_devtools(endpoint, f"it broke the connection ({error.strerror or error})") from None
    finally:
        writer.close()


async def _read_answer(reader: asyncio.StreamReader, endpoint: str, most: int) -> tuple[int, bytes]:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        version, status, *_ = lines[0].split(" ")
        if not version.startswith("HTTP/"):
            raise ValueError(version)
        length = min(_content_length(lines[1:], most), most)
        return int(status), await _read_body(reader, length)
    except (ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        raise _not_devtools(endpoint, "it does not speak HTTP") from None


def _content_length(lines: list[str], most: int) -> int:
    for line in lines:
        name, _, value = line.partition(":")
        if name.strip().lower() == "content-length":
            return int(value)
    return most


async def _read_body(reader: asyncio.StreamReader, length: int) -> bytes:
    body = b""
    while len(body) < length and (chunk := await reader.read(length - len(body))):
        body += chunk
    return body


def unreachable(endpoint: str, error: OSError) -> ConnectFailed:
    """Say that nothing listens at `endpoint`, or that it cannot be reached."""
    # asyncio puts its own words into strerror; the number says what the system said.
    reason = os.strerror(error.errno) if error.errno and error.errno > 0 else str(error)
    return ConnectFailed(
        f"cannot connect to {endpoint!r}: {reason}; is a browser listening there? {START_HINT}", endpoint=endpoint
    )


def _not_devtools(endpoint: str, what: str) -> ConnectFailed:
    return ConnectFailed(
        f"{endpoint!r} is not a DevTools endpoint: {what}; another program may hold the port: {START_HINT}",
        endpoint=endpoint,
    )


def _refuse_page_endpoint(endpoint: str, parts: SplitResult) -> None:
    if parts.path.startswith("/devtools/") and not parts.path.startswith("/devtools/browser"):
        raise ConnectFailed(
            f"{endpoint!r} is the address of one target, not of a browser; give its http://host:port instead",
            endpoint=endpoint,
        )


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
