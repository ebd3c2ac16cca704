"""What a page reports while it loads a Scrapy request: its documents, downloads and traffic."""

from __future__ import annotations

import contextlib
import ipaddress
from collections.abc import Callable, Iterator
from typing import Any

from scrapy import Request
from scrapy.http import Headers

from stillframe import Download, Page
from stillframe import Response as PageResponse
from stillframe.cdp_types import network
from stillframe.model.events import Request as PageRequest

DECODED = ("content-encoding", "content-length", "transfer-encoding")
"""Headers that describe the bytes on the wire, not the text of the page."""
KEPT = ("set-cookie",)
"""Headers that belong to the context: Scrapy's own middleware would carry its cookies into the others."""
PROTOCOLS = {"http/1.0": "HTTP/1.0", "http/1.1": "HTTP/1.1"}
"""Scrapy's names; those of newer protocols are the same, as `h2`."""
Count = Callable[[str], object]
IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address


class Heard:
    """What a page reported since `listening`; counts requests and responses by scrapy-playwright's names."""

    def __init__(self, page: Page, count: Count) -> None:
        self._page = page
        self._count = count
        self._responses: list[PageResponse] = []
        self._raw: network.Response | None = None
        self.downloads: list[Download] = []

    def request(self, request: PageRequest) -> None:
        """Count a request."""
        self._counted("request_count", request)
        if request.is_navigation_request:
            self._count("request_count/navigation")

    def response(self, response: PageResponse) -> None:
        """Count a response, and keep that of a document of the page."""
        self._counted("response_count", response.request)
        if response.request.is_navigation_request and response.request.frame_id == self._page.target_id:
            self._responses.append(response)

    def received(self, event: network.ResponseReceived) -> None:
        """Keep what Chrome says about the connection of a document."""
        if event.type == "Document" and event.frame_id == self._page.target_id:
            self._raw = event.response

    def _counted(self, name: str, request: PageRequest) -> None:
        self._count(name)
        self._count(f"{name}/resource_type/{request.resource_type}")
        self._count(f"{name}/method/{request.method}")

    # -- what the response gets --------------------------------------------------------------------

    @property
    def status(self) -> int | None:
        """The status of the last document."""
        return self._responses[-1].status if self._responses else None

    def headers(self) -> Headers:
        """Return the headers of the last document; Chrome puts the values of one name on lines of their own."""
        found = self._responses[-1].headers if self._responses else {}
        return Headers({name: value.split("\n") for name, value in found.items() if name not in DECODED + KEPT})

    def note_redirects(self, request: Request) -> None:
        """Write the redirects so far into the meta of a request, as Scrapy's RedirectMiddleware does."""
        hops = [response for response in self._responses if 300 <= response.status <= 399]
        if hops:
            request.meta["redirect_times"] = len(hops)
            request.meta["redirect_urls"] = [response.url for response in hops]
            request.meta["redirect_reasons"] = [response.status for response in hops]

    def ip_address(self) -> IpAddress | None:
        """Return the address of the server, or of the proxy, that sent the last document."""
        text = self._raw.remote_ip_address if self._raw else None
        with contextlib.suppress(ValueError):
            return ipaddress.ip_address(text.strip("[]")) if text else None
        return None

    def protocol(self) -> str | None:
        """Return the protocol of the last document by Scrapy's names, as `HTTP/1.1`."""
        found = self._raw.protocol if self._raw else None
        return PROTOCOLS.get(found, found) if found else None

    def security_details(self) -> dict[str, Any] | None:
        """Return who signed the last document's certificate, for whom and until when, by Playwright's names."""
        found = self._raw.security_details if self._raw else None
        if found is None:
            return None
        return {
            "issuer": found.issuer,
            "protocol": found.protocol,
            "subjectName": found.subject_name,
            "validFrom": found.valid_from,
            "validTo": found.valid_to,
        }


@contextlib.contextmanager
def listening(page: Page, count: Count) -> Iterator[Heard]:
    """Yield what the page reports while the block lasts."""
    heard = Heard(page, count)
    removers = [
        page.on("request", heard.request),
        page.on("response", heard.response),
        page.on("download", heard.downloads.append),
        page.cdp_session.on(network.ResponseReceived, heard.received),
    ]
    try:
        yield heard
    finally:
        for remove in removers:
            remove()
