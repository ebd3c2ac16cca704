"""How frames get to a browser and back: over a pipe, a WebSocket, or in memory for tests."""

from __future__ import annotations

from stillframe.cdp.transport.base import Transport
from stillframe.cdp.transport.memory import MemoryTransport, Peer
from stillframe.cdp.transport.pipe import PipeTransport
from stillframe.cdp.transport.websocket import WebSocketTransport

__all__ = ["MemoryTransport", "Peer", "PipeTransport", "Transport", "WebSocketTransport"]
