"""Notices that a client's resources have changed: over the connection until 2025-11-25, by subscription since then."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourcesListChanged
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

if TYPE_CHECKING:
    from mcp.server.connection import Connection

MAX_SUBSCRIPTIONS = 16
"""Streams of one client by which it hears of changes."""


class Announcer:
    """Tells one client of changes; many at once are one notice."""

    def __init__(self) -> None:
        self._bus = InMemorySubscriptionBus()
        self.listen = ListenHandler(self._bus, max_subscriptions=MAX_SUBSCRIPTIONS)
        """Serves `subscriptions/listen`."""
        self._connections: set[Any] = set()
        self._announcing: asyncio.Task[None] | None = None
        self._has_changed = False

    def add(self, connection: Connection) -> None:
        """Tell a connection of changes, until it ends."""
        if connection.protocol_version not in MODERN_PROTOCOL_VERSIONS and connection not in self._connections:
            self._connections.add(connection)
            connection.exit_stack.callback(self._connections.discard, connection)

    def announce(self) -> None:
        """Announce a change soon."""
        self._has_changed = True
        if self._announcing is None or self._announcing.done():
            self._announcing = asyncio.get_running_loop().create_task(self._announce(), name="announce resources")

    async def stop(self) -> None:
        """End the subscriptions."""
        self.listen.close()
        if self._announcing is not None and not self._announcing.done():
            self._announcing.cancel()
            await asyncio.wait([self._announcing])

    async def _announce(self) -> None:
        while self._has_changed:
            await asyncio.sleep(0)  # so that one call announces once what it stores
            self._has_changed = False
            await self._bus.publish(ResourcesListChanged())
            for connection in list(self._connections):
                await connection.send_resource_list_changed()
