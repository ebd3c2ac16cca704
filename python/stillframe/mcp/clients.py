"""The clients of the server: each finds its own sessions and resources, and no others.

A client is an MCP session (until protocol 2025-11-25), the process on the other end of stdio, or the name in a
stateless request over HTTP (2026-07-28). A stateless request without a name owns only the sessions whose `sessionId` it
knows.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from mcp.server import ServerRequestContext

from stillframe.mcp.arguments import GoalArguments, SessionsArguments, ToolArguments
from stillframe.mcp.calls import Caller
from stillframe.mcp.error_mapping import ToolError
from stillframe.mcp.http_clients import client_of, reader_of
from stillframe.mcp.resource_store import TTL_S
from stillframe.mcp.session_provider import DEFAULT_SESSION, SessionProvider

if TYPE_CHECKING:
    from stillframe.mcp.resource_store import Resource
    from stillframe.mcp.settings import Settings

Context = ServerRequestContext[SessionProvider, Any]

MAX_CLIENTS = 64
"""Clients with sessions; each costs a task, and its sessions have a limit of their own."""


class Place(NamedTuple):
    """Where a call runs: the sessions of its client, its arguments, and the session that was opened for it."""

    provider: SessionProvider
    arguments: Any
    caller: Caller
    opened: str | None = None


class _Held:
    """The sessions of a client without an MCP session, and when it called last."""

    def __init__(self, provider: SessionProvider, now: float) -> None:
        self.provider = provider
        self.used = now


class Clients:
    """Finds the sessions of the client that calls. `clock` returns seconds."""

    def __init__(self, settings: Settings, clock: Callable[[], float] = time.monotonic) -> None:
        self._shared = settings.shared
        self._clock = clock
        self._sessions: dict[str, SessionProvider] = {}
        self._held: dict[Hashable, _Held] = {}
        self._nobody: SessionProvider | None = None
        self._closing: set[asyncio.Task[None]] = set()

    def provider(self, context: Context) -> SessionProvider:
        """Return the sessions of the client; those of a stateless request without a name are empty."""
        provider = self._provider(context)
        provider.announcer.add(context.session._connection)
        return provider

    def _provider(self, context: Context) -> SessionProvider:
        everybody = context.lifespan_context
        connection = context.session._connection  # the SDK has no other way to the end of an MCP session
        name = connection.session_id
        if self._shared or everybody.is_on_device or (name is None and context.request is None):
            return everybody
        if name is None:
            client = client_of(context.request)
            return self._empty(everybody) if client is None else self._hold(everybody, client)
        if name not in self._sessions:
            provider = self._sessions[name] = everybody.beside()
            connection.exit_stack.push_async_callback(self._end, name, provider)
        return self._sessions[name]

    def place(self, context: Context, tool: str, arguments: ToolArguments) -> Place:
        """Return where a call runs.

        A stateless request without a client's name gets a session of its own if it begins with a URL. Raises ToolError
        if it needs a page from before and does not say which.
        """
        provider, opened = self.provider(context), None
        if provider is self._nobody:
            if arguments.session_id is None and _begins(tool, arguments):
                opened = f"s-{secrets.token_hex(6)}"
                arguments = msgspec.structs.replace(arguments, session_id=opened)
            provider = self._by_session(context.lifespan_context, arguments, opened)
        client = context.session._connection.session_id or _client(context)
        session = (id(provider), arguments.session_id or DEFAULT_SESSION)
        is_tools_own = isinstance(arguments, SessionsArguments)
        caller = Caller(client, session, reader_of(context.request))
        return Place(provider, arguments, caller, None if is_tools_own else opened)

    def owner(self, context: Context) -> Hashable:
        """Return who may ask for the tasks that a request begins; None for a client that knows them."""
        if self._shared or context.request is None:
            return None
        return context.session._connection.session_id or client_of(context.request)

    def of_session(self, context: Context, session_id: str) -> SessionProvider:
        """Return the sessions among which a client finds one by its id."""
        provider = self.provider(context)
        held = self._held.get(("session", session_id))
        return held.provider if provider is self._nobody and held is not None else provider

    def resource(self, context: Context, uri: str) -> Resource | None:
        """Return a stored resource of the client; one without a name may read whatever URI it was given."""
        provider = self.provider(context)
        stores = [provider.store]
        if provider is self._nobody:
            stores = [held.provider.store for key, held in self._held.items() if isinstance(key, tuple)]
        return next((found for store in stores if (found := store.get(uri)) is not None), None)

    async def stop(self) -> None:
        """Wait for the sessions that are closing."""
        if self._closing:
            await asyncio.wait(self._closing)

    def _by_session(self, everybody: SessionProvider, arguments: ToolArguments, opened: str | None) -> SessionProvider:
        """Return the provider with the one session that a request without a client's name knows."""
        name = arguments.session_id
        key = ("session", name)
        opens = opened is not None or (isinstance(arguments, SessionsArguments) and arguments.action == "open")
        if name is not None and (opens or key in self._held):
            return self._hold(everybody, key)
        if name is None and not isinstance(arguments, SessionsArguments):
            raise ToolError("session_required", "this request names no session, and its protocol names no client")
        return self._empty(everybody)

    def _empty(self, everybody: SessionProvider) -> SessionProvider:
        if self._nobody is None:
            self._nobody = everybody.beside(opens_default=False)
        return self._nobody

    def _hold(self, everybody: SessionProvider, key: Hashable) -> SessionProvider:
        now = self._clock()
        if key not in self._held:
            self._sweep(now)
            if len(self._held) >= MAX_CLIENTS:
                raise ToolError("too_many_clients", f"{MAX_CLIENTS} clients have sessions open")
            self._held[key] = _Held(everybody.beside(), now)
        held = self._held[key]
        held.used = now
        return held.provider

    def _sweep(self, now: float) -> None:
        """Forget clients that have nothing open and did not call for as long as their resources last."""
        for key, held in list(self._held.items()):
            if held.used < now - TTL_S and not held.provider.sessions.list():
                del self._held[key]
                closing = asyncio.create_task(held.provider.close(), name="close the sessions of a client")
                self._closing.add(closing)
                closing.add_done_callback(self._closing.discard)

    async def _end(self, name: str, provider: SessionProvider) -> None:
        del self._sessions[name]
        await provider.close()


def _client(context: Context) -> Hashable:
    """Return who makes a request without an MCP session."""
    if context.request is None:
        return None
    return client_of(context.request) or id(context.request)


def _begins(tool: str, arguments: ToolArguments) -> bool:
    """Return whether a call needs no page from before: it opens a session, or a URL first."""
    if isinstance(arguments, SessionsArguments):
        return arguments.action == "open"
    if isinstance(arguments, GoalArguments):
        return arguments.url is not None
    actions: list[dict[str, Any]] = getattr(arguments, "actions", [])
    return tool == "navigate" or (bool(actions) and actions[0].get("action") == "navigate")
