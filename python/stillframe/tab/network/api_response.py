"""The answer to a request that was made outside of the pages."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from stillframe.errors import InputError
from stillframe.model.structs import short_url
from stillframe.tab.network.bodies import charset_of

Pair = tuple[str, str]


class APIResponse:
    """The answer to a request of `context.request` or `route.fetch`; its body is here already."""

    def __init__(
        self, url: str, status: int, status_text: str, pairs: Sequence[Pair], body: bytes, redact: Callable[[Any], Any]
    ) -> None:
        self._url = url
        self._status = status
        self._status_text = status_text
        self._pairs = tuple(pairs)
        self._body: bytes | None = body
        self._redact = redact

    def __repr__(self) -> str:
        return f"APIResponse({self._status}, {short_url(self.url)})"

    @property
    def url(self) -> str:
        """Where the answer comes from, after all redirects."""
        url: str = self._redact(self._url)
        return url

    @property
    def status(self) -> int:
        """The HTTP status."""
        return self._status

    @property
    def status_text(self) -> str:
        """The reason phrase of the status."""
        return self._status_text

    @property
    def ok(self) -> bool:
        """Whether the status is 200 to 299."""
        return 200 <= self._status <= 299

    @property
    def headers(self) -> dict[str, str]:
        """The headers by their names in lower case; several `set-cookie` are on lines, others one list."""
        found: dict[str, str] = {}
        for name, value in self._pairs:
            key = name.lower()
            between = "\n" if key == "set-cookie" else ", "
            found[key] = f"{found[key]}{between}{value}" if key in found else value
        redacted: dict[str, str] = self._redact(found)
        return redacted

    @property
    def headers_array(self) -> list[dict[str, str]]:
        """The headers as they came, each as `{"name", "value"}`."""
        return [{"name": name, "value": self._redact(value)} for name, value in self._pairs]

    async def body(self) -> bytes:
        """Return the bytes of the body, decompressed; they are not redacted.

        Raises:
            InputError: The response was disposed of.
        """
        if self._body is None:
            raise InputError(f"the response of {self.url} was disposed of")
        return self._body

    async def text(self) -> str:
        """Return the body as text: in the charset of its header, otherwise in UTF-8; invalid bytes become U+FFFD."""
        charset = charset_of(self.headers.get("content-type", ""))
        content = await self.body()
        try:
            return content.decode(charset or "utf-8-sig", "replace")
        except LookupError:
            return content.decode("utf-8-sig", "replace")

    async def json(self) -> Any:
        """Return the body as JSON.

        Raises:
            ValueError: The body is not JSON.
            InputError: The response was disposed of.
        """
        return json.loads(await self.text())

    async def dispose(self) -> None:
        """Let go of the body."""
        self._body = None


def pairs_of(response: APIResponse) -> tuple[Pair, ...]:
    """Return the headers as they came, with all that is in them."""
    return response._pairs


async def content_of(response: APIResponse) -> bytes:
    """Return the body of a response."""
    return await response.body()
