"""The DevTools protocol on asyncio: one connection, many sessions.

async with Connection(await WebSocketTransport.connect(url)) as connection:
    session = await connection.root.attach(target_id)
    await session.send(page.Navigate(url="https://example.org"))
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stillframe.cdp import transport
from stillframe.cdp.batch import Batch
from stillframe.cdp.connection import Connection
from stillframe.cdp.session import DEFAULT_TIMEOUT, CDPSession
from stillframe.cdp.subscription import Event, Expectation, Policy, Subscription
from stillframe.cdp.transport.base import Transport
from stillframe.cdp.transport.pipe import PipeTransport

if TYPE_CHECKING:
    from stillframe.cdp.transport.websocket import WebSocketTransport

__all__ = [
    "DEFAULT_TIMEOUT",
    "Batch",
    "CDPSession",
    "Connection",
    "Event",
    "Expectation",
    "PipeTransport",
    "Policy",
    "Subscription",
    "Transport",
    "WebSocketTransport",
]


def __getattr__(name: str) -> Any:
    """Import the WebSocket transport on first use; see `transport`."""
    if name != "WebSocketTransport":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(transport, name)
