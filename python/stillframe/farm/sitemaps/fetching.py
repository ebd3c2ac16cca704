"""The fetch of one sitemap into a file. What is done with its URLs takes time that does not count against the fetch."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from email.message import Message
from typing import IO
from urllib.parse import urljoin

import msgspec
from crawlee.http_clients import HttpClient, HttpResponse, ImpitHttpClient

from stillframe.extend import time_limit
from stillframe.farm.loading.links import is_web
from stillframe.farm.retry_after import retry_after_s
from stillframe.farm.sitemaps.unpacking import MAX_BYTES, TOO_LARGE, TRUNCATED

FETCH_S = 300.0
"""Seconds for one file to arrive: 50 MB at 170 KB/s."""
IDLE_S = 30.0
"""Seconds in which the next bytes must come."""
TRIES = 3
PAUSE_S = 1.0
"""The pause before the second try; four times as long before the third."""
LONGEST_PAUSE_S = 60.0
HOPS = 10
TIMEOUT, UNREACHABLE, REDIRECTS = "timeout", "unreachable", "too_many_redirects"
BUSY, ERRORS = frozenset({429, 503}), 400
LASTING = frozenset({TOO_LARGE, REDIRECTS})


class Fetched(msgspec.Struct, frozen=True, kw_only=True):
    """What arrived: the URL behind all redirects, the charset of the header, and a word for what went wrong."""

    url: str
    charset: str | None = None
    size: int = 0
    failure: str | None = None
    again_s: float | None = None
    """How long the server asks to wait."""

    @property
    def lasting(self) -> bool:
        """Whether another try would end the same."""
        failure = self.failure
        return failure is None or failure in LASTING or (failure.startswith("http_4") and failure != "http_429")


class _Broken(Exception):
    """A fetch that ends for a reason that has a word."""

    def __init__(self, reason: str, again_s: float | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.again_s = again_s


def sitemap_client(user_agent: str) -> HttpClient:
    """Return the HTTP client of sitemaps. It follows no redirects by itself, as it does not tell where they led."""
    return ImpitHttpClient(browser=None, headers={"user-agent": user_agent}, follow_redirects=False)


async def fetch(url: str, client: HttpClient, into: IO[bytes], *, max_bytes: int = MAX_BYTES) -> Fetched:
    """Load a file, three times at most; after the last try `into` has what arrived."""
    for number in range(TRIES):
        into.seek(0)
        into.truncate()
        found = await _fetch(url, client, into, max_bytes)
        if found.lasting or number == TRIES - 1:
            break
        await asyncio.sleep(min(LONGEST_PAUSE_S, max(found.again_s or 0.0, PAUSE_S * 4.0**number)))
    into.seek(0)
    return found


async def _fetch(url: str, client: HttpClient, into: IO[bytes], max_bytes: int) -> Fetched:
    at, charset, size, failure, again_s = url, None, 0, None, None
    try:
        async with time_limit(FETCH_S), _answer(url, client) as (response, at):
            _check_status(response)
            charset = charset_of(response.headers.get("content-type"))
            chunks = response.read_stream()
            while (chunk := await _next(chunks)) is not None:
                into.write(chunk[: max_bytes - size])
                size += len(chunk)
                if size > max_bytes:
                    failure = TOO_LARGE
                    break
    except _Broken as error:
        failure, again_s = error.reason, error.again_s
    except TimeoutError:
        failure = TIMEOUT
    except Exception:  # those of the HTTP client have no type in common
        failure = TRUNCATED if size else UNREACHABLE
    return Fetched(url=at, charset=charset, size=min(size, max_bytes), failure=failure, again_s=again_s)


def _check_status(response: HttpResponse) -> None:
    status = response.status_code
    if status >= ERRORS:
        after = response.headers.get("retry-after") if status in BUSY else None
        raise _Broken(f"http_{status}", retry_after_s(after, datetime.now(UTC)))


async def landing(url: str, client: HttpClient) -> str:
    """Return where the redirects of a URL lead, or the URL itself if nothing answers."""
    try:
        async with time_limit(IDLE_S), _answer(url, client) as (_, at):
            return at
    except Exception:  # as above
        return url


@asynccontextmanager
async def _answer(url: str, client: HttpClient) -> AsyncIterator[tuple[HttpResponse, str]]:
    """Yield the answer behind all redirects and its URL, with its body still to be read."""
    for _ in range(HOPS + 1):
        async with client.stream(url, timeout=timedelta(seconds=FETCH_S)) as response:
            status, location = response.status_code, response.headers.get("location")
            if 300 <= status < ERRORS and location:
                url = urljoin(url, location)
                if not is_web(url):
                    raise _Broken(UNREACHABLE)
                continue
            yield response, url
            return
    raise _Broken(REDIRECTS)


async def _next(chunks: AsyncIterator[bytes]) -> bytes | None:
    async with time_limit(IDLE_S):
        return await anext(chunks, None)


def charset_of(content_type: str | None) -> str | None:
    """Return the charset that a header names."""
    message = Message()
    message["content-type"] = content_type or ""
    found = message.get_param("charset")
    return found if isinstance(found, str) else None
