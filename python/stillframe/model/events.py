"""Events of a page as values: console, page errors, requests, responses, dialogs, downloads and new tabs.

In JSON the keys are camelCase. Their names are Playwright's where it has one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from stillframe.model.structs import TrafficValue, Value


class PageValue(Value, frozen=True, dict=True):
    """The value of an event that knows its page."""

    @property
    def page(self) -> Any:
        """The Page that it comes from; None for a value that no event has brought."""
        return self.__dict__.get("page")


class SourceLocation(Value, frozen=True, kw_only=True, rename="camel"):
    """A place in the source of a page; `line` and `column` are counted from 1, as Chrome's console shows them."""

    url: str
    line: int
    column: int


class ConsoleMessage(PageValue, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A message in the console of a page, of its frames and workers.

    `text` is the arguments as text, separated by spaces; format directives such as `%s` stay as they are. For
    listeners of `page.on` and `page.events`, objects show what is in them, as `{a: 1}` and `[1]`; in results, traces,
    workers and frames of the page's own process, or if the page navigates at once, they are `[object Object]`.
    """

    type: str
    """`log`, `debug`, `info`, `warning` or `error`: the level in CDP."""
    text: str
    source: str = "console-api"
    """`console-api` for what a script wrote, else the part of the browser that reports: network, violation, …"""
    location: SourceLocation | None = None
    timestamp_ms: float | None = None
    """When it was called, in milliseconds since 1970."""


class PageError(PageValue, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """An exception that no code of the page caught, or a promise whose rejection none handled.

    `message` begins with the name of the error's class, such as `TypeError: x is not a function`.
    """

    message: str
    stack: str = ""
    location: SourceLocation | None = None
    timestamp_ms: float | None = None
    """When it was thrown, in milliseconds since 1970."""


class Request(TrafficValue, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A request that the page sent; `id` is the same in its response and its failure.

    What a service worker sends, CORS preflights and `data:` URLs are none of the page's requests.
    """

    id: str
    url: str
    """Where it is sent to, without a fragment."""
    method: str
    resource_type: str
    """The kind of resource in lower case: document, stylesheet, image, script, xhr, fetch, websocket, …"""
    headers: Mapping[str, str]
    """The headers by their names in lower case: at first those that the page gives, then, in this mapping, all that
    went over the wire (`cookie`, `accept`, `sec-fetch-mode`, …). They are there once the response is, unless a cache, a
    service worker or a route answered."""
    post_data: str | None = None
    """The body as text, with U+FFFD for bytes that are not text; without the content of files on disk."""
    is_navigation_request: bool = False
    """Whether it loads the document of a frame."""
    frame_id: str = ""
    redirected_from_url: str | None = msgspec.field(default=None, name="redirectedFrom")
    """The URL of the request that was redirected here."""


class Response(TrafficValue, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The response to one request. What a navigation returns is a `NavigationResult`."""

    url: str
    status: int
    status_text: str
    headers: Mapping[str, str]
    """The headers by their names in lower case; the values of several `set-cookie` are on lines of their own."""
    request: Request
    mime_type: str = ""
    from_cache: bool = False
    from_service_worker: bool = False

    @property
    def ok(self) -> bool:
        """Whether the status is 200 to 299."""
        return 200 <= self.status <= 299


class RequestFailure(Value, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A request without a response; `error` is the network error, such as `net::ERR_ABORTED`.

    What it does not have reads as that of the request itself; `failure` is `error`.
    """

    request: Request
    error: str
    canceled: bool = False
    """Whether the page or the user stopped it."""

    @property
    def url(self) -> str:
        """Where the request was sent to."""
        return self.request.url

    @property
    def method(self) -> str:
        """The method of the request."""
        return self.request.method

    @property
    def resource_type(self) -> str:
        """The kind of resource, as that of the request."""
        return self.request.resource_type

    @property
    def failure(self) -> str:
        """The network error; another name of `error`."""
        return self.error

    if not TYPE_CHECKING:  # type checkers must not take it for a class with any attribute

        def __getattr__(self, name: str) -> Any:
            """Return an attribute of the request: Playwright's event gives the request itself."""
            if name.startswith("_"):
                raise AttributeError(name)
            return getattr(self.request, name)


class DialogReport(TrafficValue, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A JavaScript dialog and how it was answered; `type` is alert, confirm, prompt or beforeunload."""

    type: str
    message: str
    accepted: bool
    url: str
    expired: bool = False
    """Whether it was held for an answer and dismissed because none came in time; absent from the JSON if not."""


class OpenDialog(TrafficValue, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A JavaScript dialog that waits for an answer; `type` is alert, confirm, prompt or beforeunload.

    `url` is the address of the document that opened it.
    """

    type: str
    message: str
    url: str
    default_prompt: str = ""
    """The text that a prompt shows in its field; an answer without a text of its own gives this one."""


class DownloadReport(TrafficValue, frozen=True, kw_only=True, rename="camel"):
    """A download; `state` is inProgress, completed or canceled, and `path` is the file it was saved to."""

    url: str
    suggested_filename: str
    state: str
    path: str | None = None


class NewTarget(TrafficValue, frozen=True, kw_only=True, rename="camel"):
    """A tab or popup that the page opened, or that such a tab opened; the sequence itself stays with its own page.

    `browser.page(row)` returns its page, for sequences there; a named session switches to it by `target_id`.
    """

    target_id: str
    type: str
    url: str
    closed: bool = False
    """Whether it has gone again."""


class RefusedUrl(TrafficValue, frozen=True, kw_only=True, rename="camel"):
    """Something that the page tried to load and the policy refused; `rule` names the rule of the policy.

    A `popup` may also be refused by Chrome's popup blocker, and a navigation to an address that only another program
    opens, such as `slack://…`, by a headless browser; `rule` then says so.

    `kind` is navigation, redirect, popup or frame for documents; for other requests it is Chrome's resource type in
    lower case (fetch, image, script, websocket, ping, prefetch, …), or connection if no request of a page is known.
    """

    url: str
    rule: str
    kind: str
