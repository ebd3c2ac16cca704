"""Attaching to a browser that somebody else runs."""

from __future__ import annotations

from typing import NamedTuple

from stillframe.cdp import Connection
from stillframe.cdp.looptime import time_limit
from stillframe.cdp.transport import WebSocketTransport
from stillframe.cdp_types import browser
from stillframe.chrome.endpoint import WEBSOCKET_SCHEMES, find_websocket, parse_endpoint
from stillframe.chrome.info import BrowserInfo
from stillframe.errors import ConnectFailed, StillframeError

ATTACH_TIMEOUT_S = 10.0


class Attached(NamedTuple):
    """An open connection to a browser that somebody else runs, and what it says about itself."""

    connection: Connection
    info: BrowserInfo


async def attach(endpoint: str, *, timeout: float = ATTACH_TIMEOUT_S) -> Attached:
    """Connect to a running browser and return the connection once the browser has answered.

    `endpoint` is `http(s)://host:port`, `ws(s)://host:port/devtools/browser/…` or a bare `host:port`. Raises
    ConnectFailed, after `timeout` seconds in all, when nobody or something else answers there. The caller closes the
    connection, which leaves the browser running.
    """
    parts = parse_endpoint(endpoint)
    try:
        async with time_limit(timeout):
            direct = parts.scheme in WEBSOCKET_SCHEMES
            url = parts.geturl() if direct else await find_websocket(parts, endpoint)
            # The inner deadline is longer: the outer one must be the one that speaks.
            connection = Connection(await WebSocketTransport.connect(url, timeout=2 * timeout))
            return await _introduce(connection, endpoint)
    except TimeoutError:
        raise ConnectFailed(
            f"{endpoint!r} did not answer within {timeout:g} s: a browser there may be stopped or overloaded, or the "
            "port belongs to another program",
            endpoint=endpoint,
        ) from None


async def _introduce(connection: Connection, endpoint: str) -> Attached:
    """Ask the browser who it is: a stopped one still accepts connections."""
    try:
        version = await connection.root.send(browser.GetVersion(), timeout=None)
    except BaseException as error:
        await connection.aclose()
        if isinstance(error, StillframeError):
            raise ConnectFailed(
                f"{endpoint!r} accepted the connection, but does not answer as a browser: {error}", endpoint=endpoint
            ) from error
        raise
    info = BrowserInfo(
        product=version.product,
        protocol_version=version.protocol_version,
        revision=version.revision,
        user_agent=version.user_agent,
        js_version=version.js_version,
        transport="websocket",
        launched=False,
        endpoint=endpoint,
    )
    return Attached(connection, info)
