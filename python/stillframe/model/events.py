"""What a page reports while it runs: console messages, uncaught errors, requests and their responses."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from stillframe.errors import InputError

BodyReader = Callable[[float | None], Awaitable[bytes]]
"""Reads the body of a response; takes the limit in seconds, None for no limit."""


class ConsoleMessage(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A message in the console of the page, of one of its frames or workers.

    `type` is log, debug, info, warning or error. `text` holds all arguments as text, joined by spaces: an object as
    `[object Object]` or its like, and format directives such as `%s` stay as they are. `source` is `console-api` for
    what a script wrote, else what Chrome reports by itself: network, violation, security, deprecation, … `line` and
    `column` count from 1; they are None where Chrome names no place.
    """

    type: str
    text: str
    source: str = "console-api"
    url: str = ""
    line: int | None = None
    column: int | None = None
    timestamp_ms: float
    """When the message arrived here, in milliseconds since 1970."""


class PageError(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """An exception that no script of the page caught, or a promise rejection that none handled.

    `message` begins with the name of the error: `TypeError: x is not a function`. `stack` is the error's own, empty for
    what is no Error, and for a page that formats stacks itself. An error that the page's own `error` listener prevents
    from being shown is reported as well. `line` and `column` count from 1 and are None for rejections.
    """

    message: str
    stack: str = ""
    url: str = ""
    line: int | None = None
    column: int | None = None
    frame_url: str = ""
    timestamp_ms: float
    """When the error arrived here, in milliseconds since 1970."""


class NetworkRequest(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A request of the page, of one of its frames or workers.

    `resource_type` is what Chrome calls it, in lower case: document, script, image, xhr, fetch, websocket, …; for a
    route `fetch` is `xhr` too. `headers` have lower-case names and lack those that Chrome adds later, such as `cookie`.
    `post_data` is None without a body, and for one that is too long or is no text. `frame_url` is the document that
    asks; `failure` says why the request failed, for `requestfailed` only: a net error such as `net::ERR_ABORTED`.
    """

    url: str
    method: str
    resource_type: str
    headers: dict[str, str]
    post_data: str | None = None
    frame_url: str = ""
    is_navigation: bool = False
    failure: str | None = None

    def post_data_json(self) -> Any:
        """Return the body as JSON; raises ValueError for one that is not."""
        return json.loads(self.post_data or "")


class NetworkResponse(msgspec.Struct, frozen=True, kw_only=True, rename="camel", dict=True):
    """The response to one request; what a navigation came to is `stillframe.Response`.

    `headers` have lower-case names. `from_cache` is True for what no server was asked for.
    """

    url: str
    status: int
    status_text: str = ""
    headers: dict[str, str]
    mime_type: str = ""
    from_cache: bool = False
    from_service_worker: bool = False
    request: NetworkRequest

    @property
    def ok(self) -> bool:
        """Whether the status is 200 to 299."""
        return 200 <= self.status <= 299

    async def body(self, *, timeout_ms: float | None = 30_000.0) -> bytes:
        """Return the whole body; waits until it has arrived, and is not redacted.

        Chrome keeps bodies while the document that asked is there and drops large ones. Raises CdpError for one that
        it does not have, CommandTimeout, and SessionLost for a page that is gone.
        """
        reader: BodyReader | None = self.__dict__.get("_reader")
        if reader is None:
            raise InputError("this response was not received from a page, so it has no body to read")
        return await reader(None if timeout_ms is None else timeout_ms / 1000)

    async def text(self, *, timeout_ms: float | None = 30_000.0) -> str:
        """Return the body as text in UTF-8, with U+FFFD for what is not; raises as `body` does."""
        return (await self.body(timeout_ms=timeout_ms)).decode("utf-8", "replace")

    async def json(self, *, timeout_ms: float | None = 30_000.0) -> Any:
        """Return the body as JSON; raises as `body` does, and ValueError for a body that is not JSON."""
        return json.loads(await self.body(timeout_ms=timeout_ms))


def readable(response: NetworkResponse, reader: BodyReader) -> NetworkResponse:
    """Let a response read its body; copies of it read the same one."""
    response.__dict__["_reader"] = reader
    return response
