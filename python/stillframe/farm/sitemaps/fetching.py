"""The fetch of one sitemap into a file. What is done with its URLs takes time that does not count against the fetch."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from email.message import Message
from typing import IO

import msgspec

from stillframe.farm.fetching import Arrival, FetchEnded, Fetcher, Limits
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
TIMEOUT, UNREACHABLE, REDIRECTS, REFUSED = "timeout", "unreachable", "too_many_redirects", "url_refused"
ENDINGS = {"too_many_redirects": REDIRECTS, "not_web": UNREACHABLE, "refused": REFUSED}
BUSY, ERRORS = frozenset({429, 503}), 400
LASTING = frozenset({TOO_LARGE, REDIRECTS, REFUSED})


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


async def fetch(url: str, fetcher: Fetcher, into: IO[bytes], *, max_bytes: int = MAX_BYTES) -> Fetched:
    """Load a file, three times at most; after the last try `into` has what arrived."""
    for number in range(TRIES):
        into.seek(0)
        into.truncate()
        found = await _fetch(url, fetcher, into, max_bytes)
        if found.lasting or number == TRIES - 1:
            break
        await asyncio.sleep(min(LONGEST_PAUSE_S, max(found.again_s or 0.0, PAUSE_S * 4.0**number)))
    into.seek(0)
    return found


async def _fetch(url: str, fetcher: Fetcher, into: IO[bytes], max_bytes: int) -> Fetched:
    at, charset, size, failure, again_s = url, None, 0, None, None
    limits = Limits(seconds=FETCH_S, hops=HOPS, size=max_bytes, idle_s=IDLE_S)
    try:
        async with fetcher.get(url, limits) as arrival:
            at = arrival.url
            _check_status(arrival)
            charset = charset_of(arrival.headers.get("content-type"))
            async for chunk in arrival.body():
                into.write(chunk)
                size += len(chunk)
            failure = TOO_LARGE if arrival.is_cut else None
    except _Broken as error:
        failure, again_s = error.reason, error.again_s
    except FetchEnded as error:
        failure = ENDINGS[error.reason]
    except TimeoutError:
        failure = TIMEOUT
    except Exception:  # those of the HTTP client have no type in common
        failure = TRUNCATED if size else UNREACHABLE
    return Fetched(url=at, charset=charset, size=size, failure=failure, again_s=again_s)


def _check_status(arrival: Arrival) -> None:
    status = arrival.status
    if status >= ERRORS:
        after = arrival.headers.get("retry-after") if status in BUSY else None
        raise _Broken(f"http_{status}", retry_after_s(after, datetime.now(UTC)))


async def landing(url: str, fetcher: Fetcher) -> str:
    """Return where the redirects of a URL lead, or the URL itself if nothing answers."""
    limits = Limits(seconds=IDLE_S, hops=HOPS, size=0)
    try:
        async with fetcher.get(url, limits) as arrival:
            return arrival.url
    except Exception:  # as above
        return url


def charset_of(content_type: str | None) -> str | None:
    """Return the charset that a header names."""
    message = Message()
    message["content-type"] = content_type or ""
    found = message.get_param("charset")
    return found if isinstance(found, str) else None
