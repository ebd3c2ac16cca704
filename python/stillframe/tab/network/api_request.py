"""HTTP requests outside of the pages, with the cookies, proxy, policy, credentials and certificates of their context.

The library that sends them is aiohttp, an extra. Each hop of a redirect is judged, and takes the cookies of its own URL
and leaves those that it sets, as in the browser.
"""

from __future__ import annotations

import base64
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from http import HTTPStatus
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, Unpack
from urllib.parse import urljoin, urlsplit

from stillframe.cdp.loop_clock import time_limit
from stillframe.chrome.client_certificates import certificate_of_url
from stillframe.errors import CommandTimeout, FetchFailed, InputError, OptionInvalid, StillframeError
from stillframe.model.playwright_parameters import option_error
from stillframe.security.urls import normalised, parse_url, same_origin
from stillframe.tab.context import cookies
from stillframe.tab.context.http_cookies import cookie_header, set_cookie
from stillframe.tab.deadline import CALL_MS, Deadline
from stillframe.tab.network.api_bodies import Content, content_of, with_params
from stillframe.tab.network.api_response import APIResponse
from stillframe.tab.network.route_headers import OF_THE_ORIGIN, HeaderValues, Pairs, header_pairs

if TYPE_CHECKING:
    from stillframe.cdp import CDPSession
    from stillframe.chrome.options import Proxy
    from stillframe.tab.context.context import ContextState

MAX_REDIRECTS = 20
"""Fetch's limit for redirects, as in browsers."""
REDIRECTS = frozenset({301, 302, 303, 307, 308})
OF_THE_BODY = frozenset({"content-type", "content-length", "content-encoding", "content-language", "transfer-encoding"})
OF_THE_CLIENT = frozenset({"host", "content-length", "transfer-encoding", "connection", "proxy-connection"})
"""Headers that say how a message is sent: the client decides."""


class FetchKeywords(TypedDict, total=False):
    """The options of a request."""

    params: Mapping[str, Any] | str
    headers: HeaderValues
    data: Any
    form: Mapping[str, Any]
    multipart: Mapping[str, Any]
    timeout_ms: float | None
    fail_on_status_code: bool
    ignore_https_errors: bool
    max_redirects: int


OPTIONS = tuple(FetchKeywords.__annotations__)


class Client(NamedTuple):
    """What a request takes from its context."""

    state: ContextState
    root: CDPSession
    headers: Callable[[], Mapping[str, str]]
    """The extra headers of the context."""
    proxy: Callable[[], Proxy | None]
    check: Callable[[str], Awaitable[None]]
    """Raises UrlRefused for a URL that the context may not load."""
    is_offline: Callable[[], bool]


class Hop(NamedTuple):
    """One request as it is sent."""

    method: str
    url: str
    headers: Pairs
    content: Content

    def redirected(self, status: int, url: str) -> Hop:
        """Return the request to where this one was redirected; Fetch standard, HTTP-redirect fetch."""
        headers, method, content = self.headers, self.method, self.content
        if (status in (301, 302) and method == "POST") or (status == HTTPStatus.SEE_OTHER and method not in _NO_BODY):
            method, content = "GET", Content()
            headers = [pair for pair in headers if pair[0] not in OF_THE_BODY]
        if not same_origin(self.url, url):
            headers = [pair for pair in headers if pair[0] not in OF_THE_ORIGIN | {"cookie"}]
        return Hop(method, url, headers, content)


_NO_BODY = ("GET", "HEAD")


class APIRequestContext:
    """Requests outside of the pages that share the context's cookies, proxy, policy, credentials and extra headers.

    `context.request` and `page.request` are it. No page sees these requests, and no route. It needs the extra
    `stillframe[request]`. The options of all its methods:

    - `params`: a mapping, or text, that is added to the query.
    - `headers`: in addition to those of the context, or in their place. Cookies are those of the context unless a
      header `cookie` is given.
    - One of `data` (text, bytes, or anything that JSON has), `form` (a mapping of fields) and `multipart` (a mapping of
      fields to texts, paths, or files as `{"name", "mimeType", "buffer"}`).
    - `timeout_ms`: 30 s unless given, for everything together.
    - `max_redirects`: 20 unless given; with 0 a redirect itself is the answer.
    - `fail_on_status_code`: raise FetchFailed for a status other than 2xx and 3xx.
    - `ignore_https_errors`: accept any certificate.

    They raise FetchFailed for a server that does not answer or redirects too often, CommandTimeout, UrlRefused, also on
    the way of redirects, OptionInvalid.
    """

    def __init__(self, client: Client) -> None:
        self._client = client

    async def get(self, url: str, **options: Unpack[FetchKeywords]) -> APIResponse:
        """Send a GET request and return the answer; the class lists options and errors.

        Args:
            url: The URL, which may be relative to `base_url`.
            **options: The options that the class lists.
        """
        return await self.fetch(url, "GET", **options)

    async def post(self, url: str, **options: Unpack[FetchKeywords]) -> APIResponse:
        """Send a POST request and return the answer; the class lists options and errors.

        Args:
            url: The URL, which may be relative to `base_url`.
            **options: The options that the class lists.
        """
        return await self.fetch(url, "POST", **options)

    async def put(self, url: str, **options: Unpack[FetchKeywords]) -> APIResponse:
        """Send a PUT request and return the answer; the class lists options and errors.

        Args:
            url: The URL, which may be relative to `base_url`.
            **options: The options that the class lists.
        """
        return await self.fetch(url, "PUT", **options)

    async def patch(self, url: str, **options: Unpack[FetchKeywords]) -> APIResponse:
        """Send a PATCH request and return the answer; the class lists options and errors.

        Args:
            url: The URL, which may be relative to `base_url`.
            **options: The options that the class lists.
        """
        return await self.fetch(url, "PATCH", **options)

    async def delete(self, url: str, **options: Unpack[FetchKeywords]) -> APIResponse:
        """Send a DELETE request and return the answer; the class lists options and errors.

        Args:
            url: The URL, which may be relative to `base_url`.
            **options: The options that the class lists.
        """
        return await self.fetch(url, "DELETE", **options)

    async def head(self, url: str, **options: Unpack[FetchKeywords]) -> APIResponse:
        """Send a HEAD request and return the answer, which has no body; the class lists options and errors.

        Args:
            url: The URL, which may be relative to `base_url`.
            **options: The options that the class lists.
        """
        return await self.fetch(url, "HEAD", **options)

    async def fetch(self, url: str, method: str = "GET", **options: Unpack[FetchKeywords]) -> APIResponse:
        """Send a request of any method and return the answer; the class lists options and errors.

        Args:
            url: The URL, which may be relative to `base_url`.
            method: The method.
            **options: The options that the class lists.
        """
        for name in options:
            if name not in OPTIONS:
                raise option_error("fetch", name, OPTIONS)
        timeout_ms = options.get("timeout_ms", CALL_MS)
        deadline = Deadline.of_ms(timeout_ms)
        hop = self._hop(url, method, options)
        redact = self._client.state.redaction.redact
        try:
            async with time_limit(deadline.left_s):
                response = await self._follow(hop, options)
        except StillframeError as error:
            self._client.state.redaction.redact_error(error)
            raise
        except TimeoutError:
            raise CommandTimeout(
                f"{method} {redact(url)}: no answer within {timeout_ms:g} ms", timeout_ms=timeout_ms or 0.0, method=""
            ) from None
        if options.get("fail_on_status_code") and response.status >= HTTPStatus.BAD_REQUEST:
            raise FetchFailed(
                f"{method} {response.url}: the server answered {response.status} {response.status_text}",
                url=response.url,
                reason=str(response.status),
            )
        return response

    def _hop(self, url: str, method: str, options: Mapping[str, Any]) -> Hop:
        if not isinstance(method, str) or not method.isalpha():
            raise OptionInvalid(f"option method: {method!r} is not an HTTP method", option="method")
        state = self._client.state
        state.check_url(url)
        try:
            whole = normalised(with_params(state.absolute(url), options.get("params")))
            is_web = parse_url(whole).scheme in ("http", "https")
        except ValueError as error:
            raise InputError(f"{url!r} is not a URL: {error}") from None
        if not is_web:
            raise InputError(f"{url!r} is not a URL of http or https")
        given = header_pairs(options.get("headers") or {})
        content = content_of(options)
        names = {name for name, _ in given}
        own = {name.lower(): value for name, value in self._client.headers().items()}
        own.setdefault("user-agent", state.options.user_agent or state.info.user_agent)
        own.setdefault("accept", "*/*")
        if state.options.locale:
            own.setdefault("accept-language", state.options.locale)
        if content.content_type:
            own["content-type"] = content.content_type
        headers = [*given, *((name, value) for name, value in own.items() if name not in names)]
        return Hop(method.upper(), whole, [pair for pair in headers if pair[0] not in OF_THE_CLIENT], content)

    async def _follow(self, hop: Hop, options: Mapping[str, Any]) -> APIResponse:
        """Send a request, log in if that is asked for, and follow its redirects."""
        most, logged_in = options.get("max_redirects", MAX_REDIRECTS), False
        left = most
        while True:
            await self._client.check(hop.url)
            response = await self._send(hop, ignore_https=bool(options.get("ignore_https_errors")))
            if response.status == HTTPStatus.UNAUTHORIZED and not logged_in and (login := self._login(hop, response)):
                hop, logged_in = hop._replace(headers=[*hop.headers, ("authorization", login)]), True
                continue
            location = response.headers.get("location")
            if response.status not in REDIRECTS or location is None or most == 0:
                return response
            if left == 0:
                raise FetchFailed(
                    f"{hop.method} {hop.url}: more than {most} redirects", url=hop.url, reason="too many redirects"
                )
            left -= 1
            hop = hop.redirected(response.status, _joined(hop.url, location))

    def _login(self, hop: Hop, response: APIResponse) -> str | None:
        credentials = self._client.state.options.http_credentials
        asked = response.headers.get("www-authenticate", "").lower()
        if credentials is None or "basic" not in asked or any(name == "authorization" for name, _ in hop.headers):
            return None
        if credentials.origin and not same_origin(credentials.origin, hop.url):
            return None
        return _basic(credentials.username, credentials.password)

    async def _send(self, hop: Hop, *, ignore_https: bool) -> APIResponse:
        """Send one request and keep the cookies of its answer; raises FetchFailed."""
        client = self._client
        if client.is_offline():
            raise FetchFailed(f"{hop.method} {hop.url}: the context is offline", url=hop.url, reason="offline")
        aiohttp = library()
        headers = [*hop.headers]
        if not any(name == "cookie" for name, _ in headers):
            known = await cookies.get_cookies(client.root, client.state.id)
            if text := cookie_header(hop.url, known, time.time()):
                headers.append(("cookie", text))
        way = _through(client.proxy(), hop.url)
        options = {
            "headers": [*headers, *way.headers],
            "data": _body(aiohttp, hop.content),
            "allow_redirects": False,
            "ssl": self._tls(hop.url, verify=not (ignore_https or client.state.options.ignore_https_errors)),
            **way.options,
        }
        try:
            async with (
                aiohttp.ClientSession(
                    cookie_jar=aiohttp.DummyCookieJar(), timeout=aiohttp.ClientTimeout(total=None)
                ) as session,
                session.request(hop.method, _as_it_is(hop.url), **options) as answer,
            ):
                body = await answer.read()
                pairs = [(name.decode("latin-1"), _text(value)) for name, value in answer.raw_headers]
                status, reason = answer.status, answer.reason or ""
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise FetchFailed(f"{hop.method} {hop.url}: {error}", url=hop.url, reason=str(error)) from error
        await self._keep(hop.url, [value for name, value in pairs if name.lower() == "set-cookie"])
        return APIResponse(hop.url, status, reason, pairs, body, client.state.redaction.redact)

    def _tls(self, url: str, *, verify: bool) -> Any:
        """Return how aiohttp checks the server and shows who asks."""
        certificate = certificate_of_url(self._client.state.options.client_certificates, url)
        return verify if certificate is None else certificate.context(verify=verify)

    async def _keep(self, url: str, lines: list[str]) -> None:
        now = time.time()
        for line in lines:
            cookie = set_cookie(url, line, now)
            if cookie is not None:
                with suppress(OptionInvalid):  # the browser takes no such cookie, not from a page either
                    await cookies.set_cookies(self._client.root, self._client.state.id, [cookie])


def _text(value: bytes) -> str:
    """Return the value of a header; most are ASCII, and some servers send UTF-8."""
    return value.decode("utf-8", "replace")


def library() -> Any:
    """Return aiohttp; raises InputError if it is not installed."""
    try:
        return import_module("aiohttp")
    except ImportError:
        raise InputError("requests outside of the pages need aiohttp: pip install 'stillframe[request]'") from None


def _as_it_is(url: str) -> Any:
    return import_module("yarl").URL(url, encoded=True)


def _body(aiohttp: Any, content: Content) -> Any:
    if not content.parts:
        return content.content
    form = aiohttp.FormData(default_to_multipart=True)
    for part in content.parts:
        if part.filename is None:
            form.add_field(part.name, part.content.decode())
        else:
            form.add_field(part.name, part.content, filename=part.filename, content_type=part.content_type)
    return form


def _joined(url: str, location: str) -> str:
    """Return where a redirect leads; the fragment stays unless the new URL has one. Raises FetchFailed."""
    try:
        target = normalised(urljoin(url, location))
    except ValueError as error:
        raise FetchFailed(f"{url}: the server redirects to {location!r}: {error}", url=url, reason="redirect") from None
    if urlsplit(target).scheme not in ("http", "https"):
        raise FetchFailed(f"{url}: the server redirects to {location!r}", url=url, reason="redirect")
    fragment = urlsplit(url).fragment
    return f"{target}#{fragment}" if fragment and not urlsplit(target).fragment else target


class Way(NamedTuple):
    """How a request goes through a proxy: options of aiohttp, and headers of the request itself."""

    options: dict[str, Any]
    headers: tuple[tuple[str, str], ...] = ()


def _basic(username: str, password: str) -> str:
    return f"Basic {base64.b64encode(f'{username}:{password}'.encode()).decode()}"


def _through(proxy: Proxy | None, url: str) -> Way:
    """Return what sends a request through a proxy; raises OptionInvalid for a kind that aiohttp lacks."""
    if proxy is None or _bypasses(proxy, url):
        return Way({})
    server = proxy.server if "://" in proxy.server else f"http://{proxy.server}"
    if urlsplit(server).scheme not in ("http", "https"):
        raise OptionInvalid(
            f"option proxy: requests outside of the pages cannot go through {server}: use an http or https proxy",
            option="proxy",
        )
    if not proxy.username:
        return Way({"proxy": server})
    login = _basic(proxy.username, proxy.password or "")
    if urlsplit(url).scheme == "https":  # the proxy sees the request for a tunnel only
        return Way({"proxy": server, "proxy_headers": {"Proxy-Authorization": login}})
    return Way({"proxy": server}, (("proxy-authorization", login),))


def _bypasses(proxy: Proxy, url: str) -> bool:
    """Return whether a URL is requested without the proxy; loopback is, unless the rules say `<-loopback>`."""
    parsed = parse_url(url)
    if parsed.host is None:
        return False
    if parsed.host.is_loopback and "<-loopback>" not in proxy.bypass:
        return True
    host, port = parsed.host.name, parsed.port
    for rule in proxy.bypass:
        name, _, only = rule.partition(":")
        below = f".{name.lstrip('*').lstrip('.')}"
        fits = "." not in host if rule == "<local>" else host == name or host.endswith(below)
        if (fits or name == "*") and (not only or only == str(port)):
            return True
    return False
