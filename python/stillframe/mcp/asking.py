"""Asking the person in front of the client: for a confirmation, a choice, or by a page of the server for a secret.

Until protocol 2025-11-25 the server sends the client a request and waits. Since 2026-07-28 the call returns what is
needed, and the client calls again with the answers: so a call asks before it does anything else.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

import mcp_types as types
import msgspec
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from stillframe.mcp.error_mapping import ToolError

if TYPE_CHECKING:
    from stillframe.mcp.clients import Context

URL_MODE_SINCE = "2025-11-25"


class InputNeeded(Exception):
    """What a stateless client has to ask before it calls again."""

    def __init__(self, requests: dict[str, types.ElicitRequest], state: _State) -> None:
        super().__init__(", ".join(requests))
        self.result = types.InputRequiredResult(
            input_requests=dict(requests), request_state=msgspec.json.encode(state).decode()
        )


class _State(msgspec.Struct):
    """What was asked so far; the SDK seals it for the way through the client."""

    asked: tuple[str, ...] = ()
    answered: dict[str, dict[str, Any]] = {}
    pages: dict[str, str] = {}


class Page(Protocol):
    """A page on which a person types a secret."""

    url: str
    token: str


class Asker:
    """Asks the client of one call."""

    def __init__(self, context: Context, params: types.CallToolRequestParams) -> None:
        self._context = context
        self._is_stateless = context.protocol_version in MODERN_PROTOCOL_VERSIONS
        self._responses: Mapping[str, Any] = params.input_responses or {}
        self._state = _read(params.request_state)

    @property
    def can_show_form(self) -> bool:
        """Whether the client asks by forms; one that names no mode does."""
        ability = self._ability
        return ability is not None and (ability.form is not None or ability.url is None)

    @property
    def can_open_url(self) -> bool:
        """Whether the client shows a page of the server to the person."""
        ability = self._ability
        return ability is not None and ability.url is not None and self._context.protocol_version >= URL_MODE_SINCE

    @property
    def _ability(self) -> types.ElicitationCapability | None:
        capabilities = self._context.session.client_capabilities
        return None if capabilities is None else capabilities.elicitation

    async def form(self, key: str, message: str, properties: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the person filled in; raises ToolError if they declined, and InputNeeded."""
        schema = {"type": "object", "properties": dict(properties), "required": list(properties)}
        params = types.ElicitRequestFormParams(message=message, requested_schema=schema)
        return await self._ask(key, types.ElicitRequest(params=params), message)

    async def consent(self, key: str, message: str, page: Page) -> None:
        """Let the client show a page; raises ToolError if the person declined, and InputNeeded."""
        self._state.pages[key] = page.token
        identity = None if self._is_stateless else page.token
        params = types.ElicitRequestURLParams(message=message, url=page.url, elicitation_id=identity)
        await self._ask(key, types.ElicitRequest(params=params), message)

    def page_token(self, key: str) -> str | None:
        """Return the token of the page that an earlier round of this call showed."""
        return self._state.pages.get(key)

    async def completed(self, page: Page) -> None:
        """Tell the client that the person is done with a page; clients of 2026-07-28 see it by the result."""
        if not self._is_stateless:
            await self._context.session.send_elicit_complete(page.token, self._context.request_id)

    async def _ask(self, key: str, request: types.ElicitRequest, message: str) -> dict[str, Any]:
        answered = self._state.answered.get(key)
        if answered is not None:
            return answered
        result = self._response(key, request) if self._is_stateless else await self._send(request)
        if result.action != "accept":
            word = "declined" if result.action == "decline" else "dismissed"
            raise ToolError("declined", f"the person {word} this: {message}", action=result.action)
        content = self._state.answered[key] = dict(result.content or {})
        return content

    def _response(self, key: str, request: types.ElicitRequest) -> types.ElicitResult:
        response = self._responses.get(key) if key in self._state.asked else None
        if not isinstance(response, types.ElicitResult):
            asked = tuple(dict.fromkeys([*self._state.asked, key]))
            raise InputNeeded({key: request}, msgspec.structs.replace(self._state, asked=asked))
        return response

    async def _send(self, request: types.ElicitRequest) -> types.ElicitResult:
        from mcp.shared.message import ServerMessageMetadata

        metadata = ServerMessageMetadata(related_request_id=self._context.request_id)
        try:
            return await self._context.session.send_request(request, types.ElicitResult, metadata=metadata)
        except MCPError as error:
            raise ToolError("ask_failed", f"the client could not ask the person: {error}") from error


def _read(state: str | None) -> _State:
    if state is None:
        return _State()
    try:
        return msgspec.json.decode(state, type=_State)
    except msgspec.DecodeError:
        return _State()  # not one of ours: all is asked again


def new_token() -> str:
    """Return what nobody can guess."""
    return secrets.token_urlsafe(16)
