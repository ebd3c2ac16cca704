"""One GET request with its redirects, within the limits of who asks: no body and no chain of redirects is endless.

impit sends it. The clients of contexts do not: robots.txt is needed before a page is borrowed from the
pool, and they read bodies whole, while a body is read here as far as somebody wants it.
"""

from __future__ import annotations

import asyncio
import socket
from base64 import b64encode
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Literal
from urllib.parse import urljoin, urlsplit

import impit
import msgspec

from stillframe.errors import UrlRefused
from stillframe.extend import time_limit
from stillframe.security.policy import UrlPolicy
from stillframe.security.urls import same_origin

REDIRECTS = frozenset({301, 302, 303, 307, 308})
Proxy = Callable[[str], Awaitable[str | None]]
"""Returns the URL of the proxy for a URL, or None."""
CLIENTS = 100
"""How many proxies keep their connections; our choice."""
Ending = Literal["too_many_redirects", "not_web", "refused"]


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """How long a fetch takes and how much it brings, redirects included.

    `seconds` are for the whole fetch, `idle_s` for the next bytes; `size` is in bytes, unpacked.
    """

    seconds: float
    hops: int
    size: int
    idle_s: float | None = None


class FetchEnded(Exception):
    """A fetch that ended before an answer: after `hop` redirects, for a `reason` that says which rule ended it."""

    def __init__(self, message: str, *, reason: Ending, hop: int) -> None:
        super().__init__(message)
        self.reason = reason
        self.hop = hop


class Arrival:
    """An answer and the URL behind all redirects; its body is still to be read."""

    def __init__(self, url: str, response: impit.Response, limits: Limits) -> None:
        self.url = url
        self.status = response.status_code
        self.headers: Mapping[str, str] = response.headers
        self.is_cut = False
        """Whether there is more of the body than was read."""
        self._response = response
        self._limits = limits

    async def body(self) -> AsyncIterator[bytes]:
        """Yield the body as it comes, up to its limit. Raises TimeoutError, and what the HTTP client raises."""
        left = self._limits.size
        chunks = self._response.aiter_bytes()
        while (chunk := await self._next(chunks)) is not None:
            self.is_cut = len(chunk) > left
            yield chunk[:left]
            left -= min(left, len(chunk))
            if self.is_cut:
                return

    async def _next(self, chunks: AsyncIterator[bytes]) -> bytes | None:
        if self._limits.idle_s is None:
            return await anext(chunks, None)
        async with time_limit(self._limits.idle_s):
            return await anext(chunks, None)


async def no_proxy(_url: str) -> None:
    """Return that there is no proxy."""


class Fetcher:
    """Asks for files with a user agent, through a proxy, and within a URL policy; a context manager."""

    def __init__(
        self,
        *,
        user_agent: str,
        proxy: Proxy = no_proxy,
        policy: UrlPolicy | None = None,
        headers: Mapping[str, str] | None = None,
        login: Mapping[str, str] | None = None,
        verify: bool = True,
    ) -> None:
        """Make one.

        `login` has a `username` and a `password` for the server of its `origin`. `verify` says whether certificates
        must be valid.
        """
        self._headers = {"user-agent": user_agent} | {name.lower(): text for name, text in (headers or {}).items()}
        self._login = login
        self._proxy = proxy
        self._policy = policy
        self._verify = verify
        self._clients: dict[str | None, impit.AsyncClient] = {}
        """By the URL of their proxy, the last used last."""

    async def __aenter__(self) -> Fetcher:
        return self

    async def __aexit__(self, *exc: object) -> None:
        self._clients.clear()

    @asynccontextmanager
    async def get(self, url: str, limits: Limits, *, accept: str = "*/*") -> AsyncIterator[Arrival]:
        """Yield the answer behind all redirects, each of which goes through the proxy and is judged by the policy.

        Raises FetchEnded, TimeoutError, also inside the block, and what the HTTP client raises, which has no type.
        """
        async with time_limit(limits.seconds):
            for hop in range(limits.hops + 1):
                client = self._client(await self._checked(url, hop))
                headers = {**self._headers, **self._authorization(url), "accept": accept}
                response = await client.request("GET", url, headers=headers, timeout=limits.seconds, stream=True)
                try:
                    location = response.headers.get("location")
                    if response.status_code not in REDIRECTS or location is None:
                        yield Arrival(url, response, limits)
                        return
                finally:
                    response.close()
                url = urljoin(url, location)
                if urlsplit(url).scheme not in ("http", "https"):
                    raise FetchEnded(f"redirected to {url}", reason="not_web", hop=hop + 1)
            raise FetchEnded(f"more than {limits.hops} redirects", reason="too_many_redirects", hop=limits.hops + 1)

    def _authorization(self, url: str) -> dict[str, str]:
        if self._login is None or not same_origin(self._login.get("origin", ""), url):
            return {}
        login = f"{self._login['username']}:{self._login['password']}"
        return {"authorization": f"Basic {b64encode(login.encode()).decode()}"}

    def _client(self, proxy: str | None) -> impit.AsyncClient:
        client = self._clients.pop(proxy, None) or impit.AsyncClient(proxy=proxy, verify=self._verify)
        self._clients[proxy] = client
        if len(self._clients) > CLIENTS:
            del self._clients[next(iter(self._clients))]
        return client

    async def _checked(self, url: str, hop: int) -> str | None:
        """Return the proxy of a URL; raise FetchEnded if the policy refuses it by its text or by its addresses."""
        proxy = await self._proxy(url)
        try:
            await self._check(url, direct=proxy is None)
        except UrlRefused as error:
            raise FetchEnded(str(error), reason="refused", hop=hop) from error
        return proxy

    async def _check(self, url: str, *, direct: bool) -> None:
        if self._policy is None:
            return
        self._policy.check(url)
        parts = urlsplit(url)
        if not direct or parts.hostname is None:
            return
        loop = asyncio.get_running_loop()
        for found in await loop.getaddrinfo(parts.hostname, parts.port, type=socket.SOCK_STREAM):
            self._policy.check_address(str(found[4][0]), host=parts.netloc.rpartition("@")[2], port=parts.port)
