"""A response that a page received, with its body, its headers on the wire, and where it came from."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from stillframe.errors import InputError
from stillframe.model import events
from stillframe.tab.deadline import Deadline
from stillframe.tab.network.bodies import Body, charset_of
from stillframe.tab.network.exchanges import SET_COOKIE
from stillframe.tab.network.requests import RESPONSE_MS, Progress, Request

if TYPE_CHECKING:
    from stillframe.cdp_types import network

BODY_MS = 30_000.0
"""Default limit in milliseconds for a body to arrive."""

BodyReader = Callable[[Deadline], Awaitable[Body]]
"""Reads the body of a response."""

PROTOCOLS = {"": "HTTP/1.1", "http/1.1": "HTTP/1.1", "http/1.0": "HTTP/1.0", "h2": "HTTP/2.0", "h3": "HTTP/3.0"}
"""The names of Chrome for versions of HTTP, and those that everybody knows."""


class Response(events.Response, frozen=True, kw_only=True, dict=True):
    """A response; its body can be read while the requesting document lives."""

    request: Request

    @property
    def page(self) -> Any:
        """The page that received it."""
        return self.request.page

    @property
    def frame(self) -> Any:
        """The Frame that asked for it; raises InputError for a response to a worker."""
        return self.request.frame

    async def body(self, *, timeout_ms: float | None = BODY_MS) -> bytes:
        """Wait for the whole body and return its bytes as the server meant them; it is not redacted.

        A response that has none by its status or its method, such as 204, gives empty bytes.

        Args:
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Raises:
            BodyGone: Chrome has not kept it: it keeps no bodies of redirects, drops large ones, and all with the
                document that asked.
            CommandTimeout: The call takes longer than `timeout_ms`.
            SessionLost: The page is gone.
            InputError: The response has no page.
        """
        return (await self._read(timeout_ms)).content

    async def text(self, *, timeout_ms: float | None = BODY_MS) -> str:
        """Return the body as text: in the charset of its header, otherwise in UTF-8, or else as Chrome reads it.

        Bytes that are invalid become U+FFFD.

        Args:
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Raises:
            BodyGone: Chrome has not kept it; see `body`.
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        body = await self._read(timeout_ms)
        if body.text is not None and charset_of(self.headers.get("content-type", "")):
            return body.text
        try:
            return body.content.decode("utf-8-sig")
        except UnicodeDecodeError:
            return body.content.decode("utf-8", "replace") if body.text is None else body.text

    async def json(self, *, timeout_ms: float | None = BODY_MS) -> Any:
        """Return the body as JSON.

        Args:
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Raises:
            BodyGone: Chrome has not kept it; see `body`.
            CommandTimeout: The call takes longer than `timeout_ms`.
            ValueError: The body is not JSON.
        """
        return json.loads(await self.text(timeout_ms=timeout_ms))

    async def finished(self, *, timeout_ms: float | None = RESPONSE_MS) -> str | None:
        """Wait until the whole response has come, and return None, or the network error if it broke off."""
        progress = self._progress()
        await progress.until(progress.ended, Deadline.of_ms(timeout_ms), f"the end of {self.url}")
        return progress.error

    async def all_headers(self) -> dict[str, str]:
        """Return the headers on the wire by names in lower case; those of `headers`, which are that already."""
        return dict(self.headers)

    async def headers_array(self) -> list[dict[str, str]]:
        """Return the headers on the wire, each as `{"name", "value"}`: a header that came twice is there twice."""
        received = self._progress().received
        names = {name.lower(): name for name in received.headers} if received is not None else {}
        several = {} if received is None else {name.lower(): str(value) for name, value in received.headers.items()}
        rows: list[dict[str, str]] = []
        for name, value in self.headers.items():
            is_list = name == SET_COOKIE or "\n" in several.get(name, "")
            given = value.split("\n") if name == SET_COOKIE else several[name].split("\n") if is_list else [value]
            rows += [{"name": names.get(name, name), "value": self._shown(each)} for each in given]
        return rows

    async def header_value(self, name: str) -> str | None:
        """Return the value of a header, several of one name as one list; those of Set-Cookie are on lines."""
        return self.headers.get(name.lower())

    async def header_values(self, name: str) -> list[str]:
        """Return all values of a header; none if there is none."""
        return [row["value"] for row in await self.headers_array() if row["name"].lower() == name.lower()]

    async def server_addr(self) -> dict[str, Any] | None:
        """Return `{"ipAddress", "port"}` of what has answered: the server, or a proxy. None for a cache or a route."""
        raw = self._progress().raw
        if raw is None or not raw.remote_ip_address:
            return None
        return {"ipAddress": raw.remote_ip_address.strip("[]"), "port": raw.remote_port}

    async def security_details(self) -> dict[str, Any] | None:
        """Return `{"issuer", "protocol", "subjectName", "validFrom", "validTo"}` of HTTPS; None for anything else.

        The times are in seconds since 1970.
        """
        raw = self._progress().raw
        details = None if raw is None else raw.security_details
        if details is None:
            return None
        return {
            "issuer": details.issuer,
            "protocol": details.protocol,
            "subjectName": details.subject_name,
            "validFrom": details.valid_from,
            "validTo": details.valid_to,
        }

    async def http_version(self) -> str:
        """Return the version of HTTP, such as `HTTP/1.1` or `HTTP/2.0`."""
        raw = self._progress().raw
        protocol = (raw.protocol if raw is not None else "") or ""
        return PROTOCOLS.get(protocol, protocol)

    def _shown(self, value: str) -> str:
        redact: Callable[[str], str] | None = self.__dict__.get("redact")
        return value if redact is None else redact(value)

    def _progress(self) -> Progress:
        progress: Progress | None = self.__dict__.get("progress")
        if progress is None:
            raise InputError("this response was not received from a page, so no more is known about it")
        return progress

    async def _read(self, timeout_ms: float | None) -> Body:
        reader: BodyReader | None = self.__dict__.get("reader")
        if reader is None:
            raise InputError("this response was not received from a page, so it has no body to read")
        return await reader(Deadline.of_ms(timeout_ms))


def response_of(
    response: network.Response, request: Request, headers: dict[str, str], redact: Callable[[str], str]
) -> Response:
    """Return a response without its body; `redact` removes secrets from its texts, which the headers have not."""
    return Response(
        url=redact(response.url),
        status=response.status,
        status_text=redact(response.status_text),
        headers=headers,
        mime_type=redact(response.mime_type),
        from_cache=bool(response.from_disk_cache or response.from_prefetch_cache),
        from_service_worker=bool(response.from_service_worker),
        request=request,
    )
