"""One robots.txt from its server, and what its answer means (RFC 9309, section 2.3.1).

crawlee's HTTP client fetches it, through the proxy of the pages: robots.txt is needed before a page is borrowed from
the pool, so that a context's own client is not there yet, and that client reads a body whole, while this one stops
after `MAX_BYTES`.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any, Literal
from urllib.parse import urljoin, urlsplit

import msgspec
from crawlee.http_clients import HttpResponse, ImpitHttpClient

from stillframe.errors import UrlRefused
from stillframe.extend import time_limit
from stillframe.farm.retry_after import retry_after_s
from stillframe.farm.robots.rules import MAX_BYTES
from stillframe.security.policy import UrlPolicy

ROBOTS_S = 10.0
"""Seconds for a host to send its robots.txt, redirects included."""
MAX_REDIRECTS = 5
"""Consecutive redirects that are followed, also to other hosts (section 2.3.1.2)."""
REDIRECTS = frozenset({301, 302, 303, 307, 308})
Kind = Literal["rules", "none", "unreachable"]
Proxy = Callable[[str], Awaitable[Any]]
"""Returns crawlee's ProxyInfo for a URL, or None."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What a server says: rules, that there are none, or nothing that counts; then `reason` says why."""

    kind: Kind
    body: bytes = b""
    reason: str = ""
    retry_after_s: float = 0.0


async def no_proxy(_url: str) -> None:
    """Return that there is no proxy."""


class RobotsClient:
    """Fetches robots.txt files with a user agent, through a proxy, and within a URL policy."""

    def __init__(
        self,
        *,
        user_agent: str,
        proxy: Proxy = no_proxy,
        policy: UrlPolicy | None = None,
        timeout_s: float = ROBOTS_S,
    ) -> None:
        self._headers = {"user-agent": user_agent, "accept": "text/plain,*/*;q=0.8"}
        self._proxy = proxy
        self._policy = policy
        self._timeout_s = timeout_s
        self._http = ImpitHttpClient(follow_redirects=False, browser=None)

    async def __aenter__(self) -> RobotsClient:
        await self._http.__aenter__()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self._http.__aexit__(None, None, None)

    async def fetch(self, origin: str) -> Answer:
        """Return the answer of an origin (`https://example.org`); raises nothing for what a server does."""
        try:
            async with time_limit(self._timeout_s):
                return await self._follow(f"{origin}/robots.txt")
        except TimeoutError:
            return Answer(kind="unreachable", reason=f"no answer within {self._timeout_s:g} s")
        except Exception as error:  # those of the HTTP client have no type in common
            return Answer(kind="unreachable", reason=str(error) or type(error).__name__)

    async def _follow(self, url: str) -> Answer:
        for hop in range(MAX_REDIRECTS + 1):
            proxy = await self._proxy(url)
            try:
                await self._check(url, direct=proxy is None)
            except UrlRefused as error:
                if hop:
                    raise
                return Answer(kind="none", reason=str(error))  # the pages are refused as well, which says more
            async with self._http.stream(url, headers=self._headers, proxy_info=proxy) as response:
                location = response.headers.get("location")
                if response.status_code not in REDIRECTS or location is None:
                    return await _read(response)
            url = urljoin(url, location)
            if urlsplit(url).scheme not in ("http", "https"):
                return Answer(kind="none", reason=f"redirected to {url}")
        return Answer(kind="none", reason=f"more than {MAX_REDIRECTS} redirects")

    async def _check(self, url: str, *, direct: bool) -> None:
        """Raise UrlRefused for a URL that the policy of the pages refuses, by its text or by its addresses."""
        if self._policy is None:
            return
        self._policy.check(url)
        parts = urlsplit(url)
        if not direct or parts.hostname is None:
            return
        loop = asyncio.get_running_loop()
        for found in await loop.getaddrinfo(parts.hostname, parts.port, type=socket.SOCK_STREAM):
            self._policy.check_address(str(found[4][0]), host=parts.netloc.rpartition("@")[2], port=parts.port)


async def _read(response: HttpResponse) -> Answer:
    status = response.status_code
    if HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
        return Answer(kind="rules", body=await _beginning(response))
    if status == HTTPStatus.TOO_MANY_REQUESTS or not HTTPStatus.BAD_REQUEST <= status < 500:
        wait = retry_after_s(response.headers.get("retry-after"), datetime.now(UTC)) or 0.0
        return Answer(kind="unreachable", reason=f"status {status}", retry_after_s=wait)
    return Answer(kind="none", reason=f"status {status}")


async def _beginning(response: HttpResponse) -> bytes:
    content = bytearray()
    async with aclosing(response.read_stream()) as chunks:  # type: ignore[type-var]
        async for chunk in chunks:
            content += chunk
            if len(content) >= MAX_BYTES:
                break
    return bytes(content[:MAX_BYTES])
