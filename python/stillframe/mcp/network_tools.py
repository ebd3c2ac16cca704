"""The tools that read what a page requested: the list of requests, and one request with its headers and bodies."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from stillframe.agent.events import count
from stillframe.errors import CommandError, InputError, OptionInvalid
from stillframe.extend import page_state
from stillframe.extend.options import url_matcher
from stillframe.extend.text import quote
from stillframe.mcp import arguments
from stillframe.mcp.error_mapping import ToolError
from stillframe.mcp.replies import Reply, to_result
from stillframe.mcp.structured_content import RequestContent, RequestsContent
from stillframe.mcp.tool_row import READS, ToolContext, ToolRow
from stillframe.model.bounds import short

if TYPE_CHECKING:
    import mcp_types as types

    from stillframe import Page
    from stillframe.mcp.page_record import Exchange

URL_CHARS = 300
"""Characters of a URL in the list of requests."""

MAX_BODY_CHARS = 1_000_000
"""Characters of a body that a reply and its resource have together."""

LINE_CHARS = 500
"""Characters of one line of a body: minified ones have a single line, of which a budget would show nothing."""

BODY_MS = 10_000.0
"""Milliseconds that a body may take to arrive."""

STATIC = frozenset({"image", "media", "font", "stylesheet", "script", "manifest", "texttrack"})
"""Types of resources that a list leaves out where they succeeded: they say little about what a page does."""

_BINARY = re.compile(r"(?:image/(?!svg)|audio/|video/|font/|application/(?:pdf|zip|wasm|octet-stream))")
_STATUS = re.compile(r"[1-5](?:\d\d|xx)", re.IGNORECASE)


# -- the list --------------------------------------------------------------------------------------


async def list_requests(context: ToolContext, call: Any, _sent: dict[str, Any]) -> types.CallToolResult:
    """Reply with the requests of the current tab that pass the filter, the newest first."""
    passes = _filter(call)
    session = await context.session(call)
    async with session.lock:
        record = context.provider.logs.record(session.page)
        found = [each for each in record.newest_exchanges() if passes(each)]
        last = record.exchanges[-1].number if record.exchanges else 0
    structured: dict[str, Any] = {"sessionId": session.id, "requests": [_fields(each) for each in found], "last": last}
    head = f"{count(len(found), 'request')} of {len(record.exchanges)} kept, the newest first; since={last} skips all"
    reply = Reply(heads=[head], lines=[_line(each) for each in found], structured=structured, text_in_structured=True)
    return to_result(reply, budget=context.budget(call), session=session.id, title="requests", store=context.store)


def _filter(call: Any) -> Callable[[Exchange], bool]:
    """Return the test of a call; raises OptionInvalid for a glob or a status that does not exist."""
    matches = _url_filter(call.url)
    status = (call.status or "").lower()
    if status and not _STATUS.fullmatch(status):
        raise OptionInvalid(f"argument status: {call.status!r} is not a status such as 404 or 5xx", option="status")

    def passes(exchange: Exchange) -> bool:
        request, code = exchange.request, str(exchange.response.status) if exchange.response else ""
        return (
            exchange.number > call.since
            and matches(request.url)
            and call.type in (None, request.resource_type)
            and (call.method or request.method).upper() == request.method.upper()
            and (not status or (len(code) == len(status) and code.startswith(status.rstrip("x"))))
            and (exchange.has_failed or not call.failed)
            and (exchange.has_failed or call.include_static or call.type is not None or not _is_static(exchange))
        )

    return passes


def _url_filter(url: str | None) -> Callable[[str], bool]:
    """Return a test for URLs: a glob if there is a star in it, else a part of the URL."""
    if not url:
        return lambda _: True
    if "*" in url:
        return url_matcher(url)
    return lambda whole: url in whole


def _is_static(exchange: Exchange) -> bool:
    return exchange.request.resource_type in STATIC


def _fields(exchange: Exchange) -> dict[str, Any]:
    request, response = exchange.request, exchange.response
    fields = {"number": exchange.number, "method": request.method, "url": request.url, "type": request.resource_type}
    if response is not None:
        fields |= {"status": response.status, "mimeType": response.mime_type}
    return fields | ({"error": exchange.error} if exchange.error else {})


def _line(exchange: Exchange) -> str:
    request, response = exchange.request, exchange.response
    mime_type = f", {response.mime_type}" if response is not None and response.mime_type else ""
    url = quote(short(request.url, URL_CHARS))
    return f"#{exchange.number} {request.method} {url} {exchange.outcome} ({request.resource_type}{mime_type})"


# -- one request -----------------------------------------------------------------------------------


async def read_request(context: ToolContext, call: Any, _sent: dict[str, Any]) -> types.CallToolResult:
    """Reply with the headers and bodies of one request; raises ToolError for one that is not kept."""
    session = await context.session(call)
    async with session.lock:
        page = session.page
        exchange = context.provider.logs.record(page).exchange(call.number)
        if exchange is None:
            message = f"no request has the number {call.number} on this tab"
            raise ToolError("request_unknown", message, number=call.number)
        body = await _body(page, exchange)
    structured = {"sessionId": session.id, **_fields(exchange), **_headers(exchange)}
    reply = Reply(
        heads=[f"request {exchange.number}"],
        lines=list(_request_lines(exchange, body)),
        structured=structured,
        text_in_structured=True,
    )
    title = f"request {exchange.number}"
    return to_result(reply, budget=context.budget(call), session=session.id, title=title, store=context.store)


def _headers(exchange: Exchange) -> dict[str, Any]:
    response = {} if exchange.response is None else {"responseHeaders": dict(exchange.response.headers)}
    return {"requestHeaders": dict(exchange.request.headers), **response}


def _request_lines(exchange: Exchange, body: list[str]) -> Iterator[str]:
    yield _line(exchange)
    yield from _header_lines("request headers", exchange.request.headers)
    if exchange.request.post_data:
        yield "request body:"
        yield from _text_lines(exchange.request.post_data)
    if exchange.response is not None:
        yield from _header_lines("response headers", exchange.response.headers)
        yield from body


def _header_lines(title: str, headers: Mapping[str, str]) -> Iterator[str]:
    yield f"{title}:"
    for name, value in headers.items():
        yield from (f"  {name}: {line}" for line in value.splitlines() or [""])


async def _body(page: Page, exchange: Exchange) -> list[str]:
    """Return the lines about the body of a response: its text, or why there is none to read."""
    response = exchange.response
    if response is None:
        return []
    try:
        if _BINARY.match(response.mime_type):
            size = len(await response.body(timeout_ms=BODY_MS))
            return [f"response body: {size} bytes of {response.mime_type}, not shown"]
        text = await response.text(timeout_ms=BODY_MS)
    except (CommandError, InputError) as error:
        return [f"response body: not there ({error})"]
    if not text:
        return ["response body: empty"]
    shown = page_state(page).redact(text)
    return [f"response body, {len(text)} characters:", *_text_lines(shown)]


def _text_lines(text: str) -> Iterator[str]:
    for line in text[:MAX_BODY_CHARS].splitlines():
        yield from (line[at : at + LINE_CHARS] for at in range(0, max(1, len(line)), LINE_CHARS))
    if len(text) > MAX_BODY_CHARS:
        yield f"… the first {MAX_BODY_CHARS} of {len(text)} characters"


ROWS = (
    ToolRow(
        name="network_requests",
        takes=arguments.RequestsArguments,
        run=list_requests,
        returns=RequestsContent,
        hints=READS,
        capability="network",
    ),
    ToolRow(
        name="network_request",
        takes=arguments.RequestArguments,
        run=read_request,
        returns=RequestContent,
        hints=READS,
        capability="network",
    ),
)
