"""Connecting to a running browser over its DevTools endpoint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from stillframe.cdp import Connection, transport
from stillframe.cdp.loop_clock import time_limit
from stillframe.cdp_types import browser
from stillframe.chrome.browser_info import BrowserInfo
from stillframe.chrome.endpoint import WEBSOCKET_SCHEMES, find_websocket, parse_endpoint
from stillframe.errors import ConnectFailed, StillframeError

CONNECT_TIMEOUT_S = 10.0
"""Seconds for the whole connection by default: a healthy browser takes some milliseconds, a busy machine a second."""


class ConnectedBrowser(NamedTuple):
    """An open connection to a running browser, and what the browser says about itself."""

    connection: Connection
    info: BrowserInfo


async def connect(
    endpoint: str, *, timeout: float = CONNECT_TIMEOUT_S, headers: Mapping[str, str] | None = None
) -> ConnectedBrowser:
    """Connect to a running browser and return the connection once the browser has answered a command.

    `endpoint` is `http(s)://host:port`, `ws(s)://host:port/devtools/browser/…` or a bare `host:port`. Raises
    ConnectFailed if no browser answers there within `timeout` seconds. The caller closes the connection; the browser
    keeps running. `headers` are sent with every request to the endpoint.
    """
    parts = parse_endpoint(endpoint)
    try:
        async with time_limit(timeout):
            direct = parts.scheme in WEBSOCKET_SCHEMES
            url = parts.geturl() if direct else await find_websocket(parts, endpoint, headers)
            # The limit above must expire first, because its message names the endpoint.
            connection = Connection(
                await transport.WebSocketTransport.connect(url, timeout=2 * timeout, headers=headers)
            )
            return await _identify(connection, endpoint)
    except StillframeError:
        raise  # some are TimeoutErrors as well, but this limit did not raise them
    except TimeoutError:
        raise ConnectFailed(
            f"{endpoint!r} did not answer within {timeout:g} s: the browser there may be stopped or overloaded, or "
            "another program holds the port",
            endpoint=endpoint,
        ) from None


async def _identify(connection: Connection, endpoint: str) -> ConnectedBrowser:
    """Ask the browser for its version: even a stopped browser accepts connections, but it does not answer."""
    try:
        version = await connection.root.send(browser.GetVersion(), timeout=None)
    except BaseException as error:
        await connection.aclose()
        if isinstance(error, StillframeError):
            raise ConnectFailed(
                f"{endpoint!r} accepted the connection, but does not answer like a browser: {error}", endpoint=endpoint
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
    return ConnectedBrowser(connection, info)
