"""A trace as a HAR file: the requests with their headers and times. A trace has no bodies, no cookies and no sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from stillframe._core import __version__
from stillframe.extend.network import (
    Body,
    Har,
    HarEntry,
    Log,
    PageRow,
    PageTimings,
    Product,
    RequestPart,
    ResponsePart,
    Timings,
    moment,
    named,
    query_of,
)
from stillframe.trace.timeline import timeline

if TYPE_CHECKING:
    from stillframe.trace.reading import Trace
    from stillframe.trace.spans import Span

PAGE = "page_1"


def exported(trace: Trace) -> bytes:
    """Return the HAR file."""
    name, _, version = trace.header.browser.partition("/")
    page = PageRow(
        id=PAGE,
        title=trace.header.url,
        started_date_time=moment(trace.header.started_at / 1000),
        page_timings=PageTimings(),
    )
    log = Log(
        creator=Product("stillframe", __version__),
        browser=Product(name, version),
        pages=[page],
        entries=[entry_of(trace, span) for span in timeline(trace).spans if span.lane == "requests"],
    )
    return msgspec.json.encode(Har(log))


def entry_of(trace: Trace, span: Span) -> HarEntry:
    """Return the entry of a request."""
    details = span.details
    answered = details.get("responseAt")
    waited = (answered if isinstance(answered, int | float) else span.end) - span.begin
    timings = Timings(wait=round(waited, 3), receive=round(max(0.0, span.end - span.begin - waited), 3))
    url = str(details.get("url", ""))
    return HarEntry(
        pageref=PAGE,
        started_date_time=moment((trace.header.started_at + span.begin) / 1000),
        time=round(timings.total, 3),
        request=RequestPart(
            method=str(details.get("method", "GET")),
            url=url,
            http_version="HTTP/1.1",
            cookies=[],
            headers=named(_headers(details.get("headers"))),
            query_string=query_of(url),
        ),
        response=_response(details),
        timings=timings,
    )


def _response(details: dict[str, Any]) -> ResponsePart:
    headers, status = _headers(details.get("responseHeaders")), details.get("status")
    response = ResponsePart(
        status=status if isinstance(status, int) else 0,
        status_text=str(details.get("statusText", "")),
        http_version="HTTP/1.1",
        cookies=[],
        headers=named(headers),
        content=Body(size=-1, mime_type=str(details.get("mimeType", "x-unknown"))),
        redirect_url=headers.get("location", ""),
    )
    if error := details.get("error"):
        response.error = response.failure_text = str(error)
    return response


def _headers(value: Any) -> dict[str, str]:
    return {str(name): str(text) for name, text in value.items()} if isinstance(value, dict) else {}
