"""The DevTools protocol, spoken by asyncio: one connection, many sessions.

async with Connection(await WebSocketTransport.connect(url)) as connection:
    session = await connection.root.attach(target_id)
    await session.send(page.Navigate(url="https://example.org"))
"""

from __future__ import annotations

from stillframe.cdp.batch import Batch
from stillframe.cdp.connection import Connection
from stillframe.cdp.session import DEFAULT_TIMEOUT, Session
from stillframe.cdp.subscription import Event, Expectation, Policy, Subscription
from stillframe.cdp.transport import MemoryTransport, Peer, PipeTransport, Transport, WebSocketTransport

__all__ = [
    "DEFAULT_TIMEOUT",
    "Batch",
    "Connection",
    "Event",
    "Expectation",
    "MemoryTransport",
    "Peer",
    "PipeTransport",
    "Policy",
    "Session",
    "Subscription",
    "Transport",
    "WebSocketTransport",
]
