"""Let functions of the caller handle requests: answer, fail, change or continue them."""

from __future__ import annotations

import base64
import inspect
import json as json_format
import mimetypes
import os
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, Unpack, get_args

import msgspec

from stillframe.cdp_types import fetch, network
from stillframe.errors import CdpError, InputError, OptionInvalid, SessionLost
from stillframe.model.structs import short_url
from stillframe.model.suggest import did_you_mean
from stillframe.security.redaction import logger
from stillframe.security.urls import same_origin
from stillframe.tab.background import parameters_of
from stillframe.tab.network.api_response import APIResponse, content_of, pairs_of
from stillframe.tab.network.exchanges import SET_COOKIE, lowered
from stillframe.tab.network.requests import Request
from stillframe.tab.network.route_headers import (
    HeaderChanges,
    HeaderValues,
    Pairs,
    entries,
    header_pairs,
    phrase,
    sent_headers,
)
from stillframe.tab.network.url_patterns import browser_pattern, url_matcher

if TYPE_CHECKING:
    from stillframe.cdp import CDPSession
    from stillframe.tab.network.api_request import APIRequestContext

RoutePattern = str | re.Pattern[str] | Callable[[str], object]
"""A glob of the whole URL, an expression that is searched in it, or a function of it."""

CheckUrl = Callable[[str], None]
"""Raises UrlRefused for a URL that may not be loaded."""

Headers = list[fetch.HeaderEntry] | None
"""All headers of a request; None for those that it has."""

ERROR_CODES = {reason.lower(): reason for reason in get_args(network.KnownErrorReason)}
"""The error codes of `Route.abort`, spelled as in Playwright, and Chrome's names."""

GONE = ("Invalid InterceptionId", "Fetch domain is not enabled")
"""Chrome's messages when a request has ended meanwhile, and when interception was turned off, which lets it go on."""

OF_THE_TRANSFER = frozenset({"content-encoding", "content-length", "transfer-encoding", "connection", "keep-alive"})
NOT_FETCHED = frozenset({"cookie", "accept-encoding", "host", "content-length"})
"""Headers of a request that the client outside of the page makes itself."""


class RouteFetchKeywords(TypedDict, total=False):
    """The options of `Route.fetch`."""

    timeout_ms: float | None
    max_redirects: int
    ignore_https_errors: bool


log = logger("stillframe.tab")


class Uses:
    """How often a route may still be asked."""

    def __init__(self, left: int) -> None:
        self.left = left

    def take(self) -> bool:
        """Take one; returns whether there was one."""
        self.left -= 1
        return self.left >= 0


class Overrides(NamedTuple):
    """What the routes that fell back want to be sent in place of the request's own values."""

    url: str | None = None
    method: str | None = None
    headers: Pairs | None = None
    post_data: bytes | None = None

    def over(self, earlier: Overrides) -> Overrides:
        """Return these, and those of earlier routes where these have none."""
        return Overrides._make(old if new is None else new for new, old in zip(self, earlier, strict=True))

    def shown(self, request: Request) -> Request:
        """Return the request as the next routes see it."""
        changes: dict[str, Any] = {name: getattr(self, name) for name in ("url", "method") if getattr(self, name)}
        if self.headers is not None:
            changes["headers"] = dict(self.headers)
        if self.post_data is not None:
            changes["post_data"] = self.post_data.decode("utf-8", "replace")
        made = msgspec.structs.replace(request, **changes)
        made.__dict__.update(request.__dict__)
        return made


POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


class RouteEntry(NamedTuple):
    """One route: its URL pattern and its handler."""

    pattern: RoutePattern
    matches: Callable[[Request, str], bool]
    handler: RouteHandler
    use_cache: bool = False
    """Whether Chrome's caches may answer while the route is there."""
    uses: Uses | None = None
    """How often it may be asked; None for no limit."""
    takes_request: bool = False
    """Whether the handler gets the request as well."""

    @property
    def is_spent(self) -> bool:
        """Return whether it has been asked as often as it may be."""
        return self.uses is not None and self.uses.left <= 0

    def ask(self, route: Route) -> object:
        """Call the handler."""
        handler: Callable[..., object] = self.handler
        return handler(route, route.request) if self.takes_request else handler(route)


def row(
    pattern: RoutePattern, handler: RouteHandler, *, use_cache: bool = False, times: int | None = None
) -> RouteEntry:
    """Return a route; raises OptionInvalid for a pattern that matches nothing, or a handler that is not callable."""
    if times is not None and (not isinstance(times, int) or times < 1):
        raise OptionInvalid(f"option times: {times!r} is not how often the route is asked, 1 or more", option="times")
    uses = None if times is None else Uses(times)
    if not callable(handler):
        raise OptionInvalid(
            f"option handler: {handler!r} is not a function of a Route, or of a Route and its Request", option="handler"
        )
    matches: Callable[[Request, str], bool]
    if isinstance(pattern, str | re.Pattern) or not callable(pattern):
        fits = url_matcher(pattern)
        matches = lambda _, url: fits(url)  # noqa: E731
    else:
        # It is code of the caller, so it sees the URL without the secrets of the context, as handlers do.
        matches = lambda request, _: bool(pattern(request.url))  # noqa: E731
    return RouteEntry(pattern, matches, handler, use_cache, uses, _takes_request(handler))


def _takes_request(handler: Callable[..., object]) -> bool:
    """Return whether a handler must get two values; a parameter with a default is the caller's own."""
    needed = [each for each in parameters_of(handler) or () if each.default is each.empty and each.kind in POSITIONAL]
    return len(needed) == 2


class Rules:
    """The routes and the extra headers of one page or one context."""

    def __init__(self) -> None:
        self.routes: list[RouteEntry] = []
        self.headers: dict[str, str] = {}

    def remove(self, pattern: RoutePattern, handler: RouteHandler | None) -> None:
        """Remove the routes of a pattern, or only that of one handler; raises OptionInvalid if there is none."""
        gone = [each for each in self.routes if each.pattern == pattern and handler in (None, each.handler)]
        if not gone:
            known = ", ".join(repr(each.pattern) for each in self.routes) or "none"
            raise OptionInvalid(f"there is no route {pattern!r} to remove; routes: {known}", option="pattern")
        self.routes = [each for each in self.routes if each not in gone]

    def clear(self) -> None:
        """Remove all routes."""
        self.routes = []

    def prune(self) -> None:
        """Remove the routes that have been asked as often as they may be."""
        self.routes = [each for each in self.routes if not each.is_spent]


def patterns_of(rows: Sequence[RouteEntry]) -> list[fetch.RequestPattern]:
    """Return the request patterns that Chrome must pause for the routes; they match at least as much."""
    return [fetch.RequestPattern(url_pattern=url) for url in dict.fromkeys(browser_pattern(r.pattern) for r in rows)]


class Chain:
    """What the routes have done with a request and its redirects."""

    def __init__(self) -> None:
        self.asked: list[RouteEntry] = []
        """The routes that were asked; a redirect does not come to them again."""
        self.changes = HeaderChanges()


class Paused(NamedTuple):
    """A request that Chrome has paused."""

    session: CDPSession
    event: fetch.RequestPaused
    request: Request
    """The request as handlers see it, without secrets."""
    check_url: CheckUrl
    asking: str
    """The URL of the requesting document."""
    chain: Chain
    keep: Callable[[bytes, str | None], object]
    """Keeps the body and the cookies of an answer for those who listen to responses."""
    follow: Callable[[], object]
    """Has Chrome pause the redirects of the request, wherever they lead."""
    client: APIRequestContext
    """Sends requests outside of the page."""
    headers: Headers = None
    """What it is sent with unless a handler gives other headers."""
    overrides: Overrides = Overrides()
    """What routes that fell back have changed."""

    @property
    def url(self) -> str:
        """Return the URL as it would be sent, without a fragment."""
        return self.event.request.url

    @property
    def origin(self) -> str:
        """Return the origin that asks, which may be `null`; empty if there is none."""
        named = lowered(self.event.request.headers).get("origin")
        return named or ("/".join(self.asking.split("/")[:3]) if self.asking.startswith("http") else "")

    @property
    def is_preflight(self) -> bool:
        """Return whether this is a CORS preflight, which Chrome sends by itself."""
        headers = lowered(self.event.request.headers)
        return self.event.request.method == "OPTIONS" and "access-control-request-method" in headers

    def unchanged(self) -> fetch.ContinueRequest:
        """Return the command that lets the request go on, with what the routes have changed."""
        return self.continued(Overrides())

    def continued(self, given: Overrides) -> fetch.ContinueRequest:
        """Return the command that sends the request with other values."""
        wanted = given.over(self.overrides)
        asked = self.event.request
        sent = None if wanted.headers is None else sent_headers(asked, wanted.headers)
        if sent is not None:
            self.chain.changes.note(asked, sent)
            self.follow()
        return fetch.ContinueRequest(
            request_id=self.event.request_id,
            url=wanted.url,
            method_=wanted.method,
            headers=self.headers if sent is None else entries(sent),
            post_data=None if wanted.post_data is None else base64.b64encode(wanted.post_data).decode(),
        )

    async def posted(self) -> bytes | None:
        """Return what the request posts; Chrome hands over what is large or in a Blob only when it is asked."""
        asked = self.event.request
        if asked.post_data_entries:
            return b"".join(base64.b64decode(entry.bytes or "") for entry in asked.post_data_entries)
        if asked.post_data is not None:
            return asked.post_data.encode()
        if not asked.has_post_data or self.event.network_id is None:
            return None
        result = await self.session.send(network.GetRequestPostData(request_id=self.event.network_id))
        return base64.b64decode(result.post_data) if result.base64_encoded else result.post_data.encode()

    async def answer(self, command: Any) -> None:
        """Send a decision; ignores a request that is gone."""
        try:
            with suppress(SessionLost):
                await self.session.send(command)
        except CdpError as error:
            if not any(gone in error.text for gone in GONE):
                raise


def request_of(event: fetch.RequestPaused) -> Request:
    """Return a paused request as a value; its `resource_type` is `xhr` for `fetch` too."""
    return Request(
        id=event.network_id or event.request_id,
        url=event.request.url,
        method=event.request.method,
        resource_type=event.resource_type.lower(),
        headers=lowered(event.request.headers),
        post_data=event.request.post_data,
        is_navigation_request=event.resource_type == "Document",
        frame_id=event.frame_id,
    )


def unredacted(route: Route) -> Request:
    """Return the request of a route with the secrets that it sends; it must not be shown."""
    return request_of(route._paused.event)


async def decide(paused: Paused, rows: Sequence[RouteEntry]) -> None:
    """Call the routes of a request in turn until one decides; without a decision the request continues."""
    if paused.is_preflight:
        # The routes decide about the actual request instead.
        await paused.answer(_allowing(paused))
        return
    for each in rows:
        if each.uses is not None and not each.uses.take():
            continue
        paused.chain.asked.append(each)
        route = Route(paused)
        try:
            result = each.ask(route)
            if inspect.isawaitable(result):
                await result
        except Exception:
            log.exception("the route %r failed at %s", each.pattern, paused.request.url)
        if route.decided:
            return
        if not route.fell_back:
            log.error("the route %r made no decision about %s; the request continues", each.pattern, paused.request.url)
            break
        paused = route._passed_on()
    await paused.answer(paused.unchanged())


class Route:
    """A request that waits for a decision: call one of `fulfill`, `abort`, `continue_` and `fallback`, once.

    The page waits meanwhile, and a sequence takes the request for one that is under way. A handler that returns, or
    raises, without a decision lets the request go on, and that is logged.
    """

    def __init__(self, paused: Paused) -> None:
        self._paused = paused
        self.decided = False
        """Whether the request was answered, failed or continued."""
        self.fell_back = False
        """Whether the decision is left to earlier routes."""
        self._given = Overrides()

    def __repr__(self) -> str:
        return f"Route({self.request.method} {short_url(self.request.url)})"

    @property
    def request(self) -> Request:
        """Return the request as it would be sent, with the context's secrets replaced."""
        return self._paused.request

    async def fulfill(
        self,
        *,
        status: int | None = None,
        headers: HeaderValues | None = None,
        body: str | bytes | None = None,
        json: Any = msgspec.UNSET,
        path: str | os.PathLike[str] | None = None,
        content_type: str | None = None,
        response: APIResponse | None = None,
    ) -> None:
        """Answer the request without a server; the body is one of `body`, `json` and `path`.

        Where the page and the URL have different origins, headers that allow it are added unless some are given.

        Args:
            status: The HTTP status; 200 by default.
            headers: A mapping or a list of pairs; several `Set-Cookie` are several pairs, or the lines of one value.
            body: The body as text or bytes.
            json: The body as any JSON value.
            path: The file with the body.
            content_type: Its type; by default that of the headers, of JSON or of the file's name.
            response: An answer, such as `await route.fetch()`, that gives status, headers and body where the other
                arguments do not.

        Raises:
            OptionInvalid: An argument is invalid.
            OSError: The file cannot be read.
        """
        given = [body is not None, json is not msgspec.UNSET, path is not None]
        if sum(given) > 1:
            raise OptionInvalid("fulfill takes one of body, json and path", option="body")
        if response is not None and not isinstance(response, APIResponse):
            raise OptionInvalid(f"option response: {response!r} is not what route.fetch() returns", option="response")
        if status is None:
            status = 200 if response is None else response.status
        if not isinstance(status, int) or not 100 <= status <= 999:
            raise OptionInvalid(f"option status: {status!r} is not an HTTP status, 100 to 999", option="status")
        content, kind = _content(body, json, path)
        if response is not None and not any(given):
            content = await content_of(response)
        sent = header_pairs(headers or {}) if headers is not None or response is None else fulfilled_headers(response)
        if response is not None and kind == "application/json":
            sent = [pair for pair in sent if pair[0] != "content-type"]
        names = {name for name, _ in sent}
        if content_type or ("content-type" not in names and kind):
            sent = [pair for pair in sent if pair[0] != "content-type"]
            sent.append(("content-type", content_type or kind))
        if "access-control-allow-origin" not in names:
            allowing = self._cors()
            sent = [pair for pair in sent if pair[0] not in allowing] + list(allowing.items())
        if "content-length" not in names:
            sent.append(("content-length", str(len(content))))
        self._paused.keep(content, "\n".join(value for name, value in sent if name == SET_COOKIE) or None)
        # Where the answer redirects to, the routes decide as about any request; it may be paused before Chrome's reply.
        self._paused.chain.asked.clear()
        await self._decide(
            fetch.FulfillRequest(
                request_id=self._paused.event.request_id,
                response_code=status,
                response_phrase=phrase(status),
                response_headers=entries(sent),
                body=base64.b64encode(content).decode(),
            )
        )

    async def abort(self, error_code: str = "failed") -> None:
        """Fail the request.

        A navigation that is `aborted` leaves the page as it is, all others show Chrome's error page.

        Args:
            error_code: A word such as `aborted`, `connectionrefused` or `timedout`.

        Raises:
            OptionInvalid: The code is unknown.
        """
        reason = ERROR_CODES.get(error_code)
        if reason is None:
            hint = did_you_mean(error_code, tuple(ERROR_CODES))
            raise OptionInvalid(
                f"option error_code: no error {error_code!r}{hint}; known: {', '.join(ERROR_CODES)}",
                option="error_code",
            )
        await self._decide(fetch.FailRequest(request_id=self._paused.event.request_id, error_reason=reason))

    async def continue_(
        self,
        *,
        url: str | None = None,
        method: str | None = None,
        headers: HeaderValues | None = None,
        post_data: str | bytes | None = None,
    ) -> None:
        """Send the request with the given values in place of its own.

        Cookies are always those that the browser has at that moment, and Origin stays unless another one is given. The
        changes of headers go on to redirects, but credentials not to another origin; the other values are for this
        request alone.

        Args:
            url: Another URL of the same scheme, which the page does not see.
            method: Another method.
            headers: What replaces all headers.
            post_data: Another body.

        Raises:
            UrlRefused: The context's policy refuses the URL.
            OptionInvalid: An argument is invalid.
        """
        given = self._overrides(url, method, headers, post_data)
        self._check_open()
        await self._decide(self._paused.continued(given))

    async def fallback(
        self,
        *,
        url: str | None = None,
        method: str | None = None,
        headers: HeaderValues | None = None,
        post_data: str | bytes | None = None,
    ) -> None:
        """Leave the decision to the previous matching route; without one the request continues.

        That route sees the request with the given values in place of its own, and so it is sent. Which routes match is
        decided by the URL that the page has requested.

        Args:
            url: Another URL of the same scheme, which the page does not see.
            method: Another method.
            headers: What replaces all headers.
            post_data: Another body.

        Raises:
            UrlRefused: The context's policy refuses the URL.
            OptionInvalid: An argument is invalid.
        """
        given = self._overrides(url, method, headers, post_data)
        self._check_open()
        self.fell_back = True
        self._given = given

    async def fetch(
        self,
        *,
        url: str | None = None,
        method: str | None = None,
        headers: HeaderValues | None = None,
        post_data: str | bytes | None = None,
        **options: Unpack[RouteFetchKeywords],
    ) -> APIResponse:
        """Make the request outside of the page and return its answer, for `fulfill(response=…)`; the page still waits.

        It shares cookies, proxy and policy of `context.request`; redirects are followed, and no route is asked about
        it.

        Args:
            url: Another URL.
            method: Another method.
            headers: What replaces all headers.
            post_data: Another body.
            **options: `timeout_ms`, `max_redirects` and `ignore_https_errors`, as for `context.request`.

        Raises:
            FetchFailed: The request fails, as for `context.request`.
            UrlRefused: The context's policy refuses the URL.
            OptionInvalid: An argument is invalid.
        """
        paused = self._paused
        wanted = self._overrides(url, method, headers, post_data).over(paused.overrides)
        asked = paused.event.request
        sent = header_pairs(lowered(asked.headers)) if wanted.headers is None else wanted.headers
        body = await paused.posted() if wanted.post_data is None else wanted.post_data
        verb = wanted.method or asked.method
        kept = [pair for pair in sent if pair[0] not in NOT_FETCHED]
        return await paused.client.fetch(
            wanted.url or asked.url,
            verb,
            headers=kept,
            data=None if verb in ("GET", "HEAD") else body,
            **options,
        )

    def _passed_on(self) -> Paused:
        """Return the request as the next route gets it."""
        wanted = self._given.over(self._paused.overrides)
        return self._paused._replace(request=self._given.shown(self._paused.request), overrides=wanted)

    def _overrides(
        self, url: str | None, method: str | None, headers: HeaderValues | None, post_data: str | bytes | None
    ) -> Overrides:
        if url is not None:
            self._check_url(url)
        return Overrides(
            url,
            method,
            None if headers is None else header_pairs(headers),
            post_data.encode() if isinstance(post_data, str) else post_data,
        )

    def _check_url(self, url: str) -> None:
        self._paused.check_url(url)
        if url.partition(":")[0].lower() != self._paused.url.partition(":")[0]:
            raise OptionInvalid(
                f"option url: {url!r} has another scheme than the request, which Chrome does not allow", option="url"
            )

    def _check_open(self) -> None:
        if self.decided or self.fell_back:
            raise InputError(f"the request {self.request.url} was decided already; decide about each route only once")

    async def _decide(self, command: Any) -> None:
        self._check_open()
        self.decided = True
        try:
            await self._paused.answer(command)
        except CdpError:
            self.decided = False  # it is still waiting
            raise

    def _cors(self) -> dict[str, str]:
        """Return CORS headers that let the page read the response of another origin."""
        origin = self._paused.origin
        if self.request.is_navigation_request or not origin or same_origin(origin, self._paused.url):
            return {}
        return _allowing_origin(origin)


def fulfilled_headers(response: APIResponse) -> Pairs:
    """Return the headers of an answer for a page: not those about how it was sent, for the body is decoded."""
    return [(name.lower(), value) for name, value in pairs_of(response) if name.lower() not in OF_THE_TRANSFER]


RouteHandler = Callable[[Route], object] | Callable[[Route, Request], object]
"""Takes a Route; may be async."""


def _allowing_origin(origin: str) -> dict[str, str]:
    return {"access-control-allow-origin": origin, "access-control-allow-credentials": "true", "vary": "Origin"}


def _allowing(paused: Paused) -> fetch.FulfillRequest:
    asked = lowered(paused.event.request.headers)
    headers = _allowing_origin(paused.origin) | {
        "access-control-allow-methods": asked["access-control-request-method"],
        "access-control-allow-headers": asked.get("access-control-request-headers", "*"),
    }
    return fetch.FulfillRequest(
        request_id=paused.event.request_id, response_code=204, response_headers=entries(headers.items()), body=""
    )


def _content(body: str | bytes | None, json: Any, path: str | os.PathLike[str] | None) -> tuple[bytes, str]:
    if path is not None:
        return Path(path).read_bytes(), mimetypes.guess_type(os.fspath(path))[0] or "application/octet-stream"
    if json is not msgspec.UNSET:
        return json_format.dumps(json).encode(), "application/json"
    if body is None:
        return b"", ""
    return (body.encode(), "text/plain; charset=utf-8") if isinstance(body, str) else (bytes(body), "")
