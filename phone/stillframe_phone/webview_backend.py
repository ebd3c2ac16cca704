"""The real browser behind a `WebViewFacade`: requests to its DevTools endpoint, each on a connection of its own."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from stillframe.extend import time_limit

TIMEOUT_S = 10.0
"""Seconds for one request; a healthy browser takes some milliseconds."""
CLOSE_TIMEOUT_S = 1.0
"""Seconds that the browser has to confirm the end of a WebSocket."""
IS_LOADED = """new Promise(done => document.URL !== 'about:blank' && document.readyState === 'complete'
    ? done(true) : setTimeout(done, 10, false))"""
ASK_AGAIN_S = 0.5
"""Seconds after which a question about a page is lost: a navigation to another process swallows it."""


class Backend:
    """A Chromium at `http://host:port`; `open` comes first."""

    def __init__(self, endpoint: str) -> None:
        self.endpoint = endpoint.rstrip("/")
        self.version: dict[str, Any] = {}
        """Its answer to /json/version."""

    async def open(self) -> None:
        """Read the browser's version. Raises OSError if none answers."""
        self.version = await self.get("/json/version")

    async def get(self, path: str) -> Any:
        """Return the answer to a GET. Raises OSError if it is not JSON."""
        host, _, port = self.endpoint.partition("://")[2].rpartition(":")
        async with time_limit(TIMEOUT_S):
            reader, writer = await asyncio.open_connection(host, int(port))
            try:
                writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
                status, length = _status_and_length(await reader.readuntil(b"\r\n\r\n"))
                body = await reader.readexactly(length)
            finally:
                writer.transport.abort()
        if status != 200:
            raise OSError(f"{self.endpoint}{path} answered {status}: {body.decode(errors='replace')}")
        return json.loads(body)

    async def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Send one command at browser scope and return its result. Raises OSError if the browser refuses it."""
        async with time_limit(TIMEOUT_S), self.connect() as browser:
            await browser.send(_command(method, **params))
            reply = json.loads(await browser.recv())
        if "error" in reply:
            raise OSError(f"{self.endpoint} refused {method}: {reply['error']['message']}")
        result: dict[str, Any] = reply["result"]
        return result

    async def close(self, target_id: str) -> None:
        """Close a page and wait until the browser no longer lists it. Raises OSError if there is no such page."""
        gone = {"method": "Target.targetDestroyed", "params": {"targetId": target_id}}
        async with time_limit(TIMEOUT_S), self.connect() as browser:
            await browser.send(_command("Target.setDiscoverTargets", discover=True))
            await browser.send(_command("Target.closeTarget", targetId=target_id))
            while (message := json.loads(await browser.recv())) != gone:
                if "error" in message:
                    raise OSError(f"{self.endpoint} does not close {target_id}: {message['error']['message']}")

    async def loaded(self, target_id: str) -> None:
        """Wait until a page has loaded what it was opened with. Raises TimeoutError after 10 s."""
        async with time_limit(TIMEOUT_S), self.connect(target_id) as page:
            while not await _answers_true(page, IS_LOADED):
                pass

    @asynccontextmanager
    async def connect(self, target_id: str | None = None) -> AsyncIterator[ClientConnection]:
        """Connect to a target, or to the browser itself."""
        url = self.version["webSocketDebuggerUrl"]
        if target_id is not None:
            url = f"{url.partition('/devtools/')[0]}/devtools/page/{target_id}"
        async with connect(
            url, compression=None, max_size=None, ping_interval=None, close_timeout=CLOSE_TIMEOUT_S, proxy=None
        ) as connection:
            yield connection


def _command(method: str, **params: Any) -> str:
    return json.dumps({"id": 1, "method": method, "params": params})


async def _answers_true(page: ClientConnection, expression: str) -> bool:
    await page.send(_command("Runtime.evaluate", expression=expression, awaitPromise=True))
    try:
        async with time_limit(ASK_AGAIN_S):
            return _is_true(json.loads(await page.recv()))
    except TimeoutError:
        return False


def _is_true(message: dict[str, Any]) -> bool:
    return message.get("result", {}).get("result", {}).get("value") is True


def _status_and_length(head: bytes) -> tuple[int, int]:
    lines = head.decode("latin-1").lower().split("\r\n")
    lengths = [int(line.partition(":")[2]) for line in lines if line.startswith("content-length:")]
    return int(lines[0].split(" ")[1]), lengths[0] if lengths else 0
