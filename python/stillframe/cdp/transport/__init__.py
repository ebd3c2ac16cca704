"""Transports of frames to a browser and back: a pipe (JSON or CBOR), or a WebSocket.

Each is imported on first use, so that a browser on a pipe does not cost the import of the WebSocket library (40 ms).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stillframe.cdp.transport.base import Transport
    from stillframe.cdp.transport.cbor_pipe import CborPipeTransport
    from stillframe.cdp.transport.pipe import PipeTransport
    from stillframe.cdp.transport.websocket import WebSocketTransport

_MODULES = {
    "CborPipeTransport": "cbor_pipe",
    "PipeTransport": "pipe",
    "Transport": "base",
    "WebSocketTransport": "websocket",
}

__all__ = ["CborPipeTransport", "PipeTransport", "Transport", "WebSocketTransport"]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
