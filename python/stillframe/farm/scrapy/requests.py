"""What a Scrapy request changes in the requests of a page: method, headers, body, and requests to abort."""

from __future__ import annotations

import inspect
from typing import Any

from scrapy import Request
from scrapy.settings import default_settings

from stillframe import Route
from stillframe.farm.scrapy.arriving import referer_of
from stillframe.farm.scrapy.settings import SCRAPY_HEADERS, HandlerSettings
from stillframe.model.events import Request as PageRequest

ORDINARY = {
    **{name.lower(): value for name, value in default_settings.DEFAULT_REQUEST_HEADERS.items()},
    "user-agent": default_settings.USER_AGENT,
}
"""Headers that Scrapy sends when nobody set any; those of the browser are better."""
OF_THE_BROWSER = ("accept-encoding", "content-length", "cookie", "host", "connection")
"""Headers that the browser sends; cookies become cookies of the page's context: see `cookies_of`."""


def chosen_headers(request: Request) -> dict[str, str]:
    """Return the headers of a request that somebody set, by their names in lower case."""
    texts = {str(name).lower(): value for name, value in request.headers.to_unicode_dict().items()}
    return {name: value for name, value in texts.items() if name not in OF_THE_BROWSER and ORDINARY.get(name) != value}


def cookies_of(request: Request) -> list[dict[str, str]]:
    """Return the cookies of a request, for `BrowserContext.add_cookies`; a header would replace the context's."""
    text = request.headers.to_unicode_dict().get("Cookie") or ""
    pairs = (part.strip().partition("=") for part in text.split(";"))
    return [{"name": name, "value": value, "url": request.url} for name, separator, value in pairs if separator]


class RequestChanges:
    """Handles the routes of one page while it loads a Scrapy request."""

    def __init__(self, request: Request, settings: HandlerSettings, frame_id: str) -> None:
        self._request = request
        self._settings = settings
        self._headers = chosen_headers(request) if settings.process_headers == SCRAPY_HEADERS else {}
        self._headers |= referer_of(request)
        self._agent = {name: value for name, value in self._headers.items() if name == "user-agent"}
        self._frame_id = frame_id
        self._done = False
        self.aborted = 0

    @property
    def needed(self) -> bool:
        """Whether any request has to be intercepted; that makes a page slower."""
        return bool(
            self._headers
            or self._request.method != "GET"
            or self._request.body
            or callable(self._settings.process_headers)
            or self._settings.abort_request
        )

    async def handle(self, route: Route) -> None:
        """Decide one request of the page."""
        abort = self._settings.abort_request
        if abort is not None and await _result(abort(route.request)):
            self.aborted += 1
            await route.abort("blockedbyclient")
            return
        await route.continue_(**await self._changes(route.request))

    async def _changes(self, request: PageRequest) -> dict[str, Any]:
        process, changes = self._settings.process_headers, dict[str, Any]()
        if callable(process):
            changes["headers"] = await _result(process(page_request=request, scrapy_request=self._request))
        elif self._agent:
            changes["headers"] = {**request.headers, **self._agent}
        if self._done or not request.is_navigation_request or request.frame_id != self._frame_id:
            return changes
        self._done = True
        if self._headers:
            changes["headers"] = {**request.headers, **changes.get("headers", {}), **self._headers}
        if self._request.method != request.method:
            changes["method"] = self._request.method
        if self._request.body:
            changes["post_data"] = self._request.body
        return changes


async def _result(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value
