"""A WebSocket to an app on a device whose end says what went wrong: the app, the link, or the adb server."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from stillframe.errors import ConnectionLost

if TYPE_CHECKING:
    from stillframe.adb.devtools.app_endpoint import AppEndpoint
    from stillframe.cdp.transport.base import OnClose, OnFrame, Transport


class DiagnosedTransport:
    """Carries the frames of `inner`; when that closes by itself, it finds out why before it reports the end."""

    def __init__(self, app: AppEndpoint, inner: Transport) -> None:
        self.peer = app.name
        self._app = app
        self._inner = inner
        self._on_close: OnClose | None = None
        self._diagnosing: asyncio.Task[None] | None = None
        self._closing = False

    def start(self, on_frame: OnFrame, on_close: OnClose) -> None:
        """Start to deliver frames; the reason of `on_close` is diagnosed first."""
        self._on_close = on_close
        self._inner.start(on_frame, self._closed)

    def send(self, frame: bytes) -> None:
        """Queue one frame without blocking."""
        self._inner.send(frame)

    async def aclose(self) -> None:
        """Close, and end a diagnosis that runs. Idempotent."""
        self._closing = True
        await self._inner.aclose()
        if self._diagnosing is not None:
            self._diagnosing.cancel()
            await asyncio.gather(self._diagnosing, return_exceptions=True)
        self._end("closed by this client")

    def _closed(self, reason: str | ConnectionLost) -> None:
        if self._closing:
            self._end(reason)
        else:
            diagnose = self._diagnose(str(reason))
            self._diagnosing = asyncio.get_running_loop().create_task(diagnose, name="stillframe-diagnosis")

    async def _diagnose(self, reason: str) -> None:
        error = await self._app.diagnose(None, reason)
        self._end(error if isinstance(error, ConnectionLost) else reason)

    def _end(self, reason: str | ConnectionLost) -> None:
        on_close, self._on_close = self._on_close, None
        if on_close is not None:
            on_close(reason)
