"""One robots.txt from its server, and what its answer means (RFC 9309, section 2.3.1)."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Literal

import msgspec

from stillframe.farm.fetching import Arrival, FetchEnded, Fetcher, Limits
from stillframe.farm.retry_after import retry_after_s
from stillframe.farm.robots.rules import MAX_BYTES

ROBOTS_S = 10.0
"""Seconds for a host to send its robots.txt, redirects included."""
MAX_REDIRECTS = 5
"""Consecutive redirects that are followed, also to other hosts (section 2.3.1.2)."""
LIMITS = Limits(seconds=ROBOTS_S, hops=MAX_REDIRECTS, size=MAX_BYTES)
ACCEPT = "text/plain,*/*;q=0.8"
Kind = Literal["rules", "none", "unreachable"]


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What a server says: rules, that there are none, or nothing that counts; then `reason` says why."""

    kind: Kind
    body: bytes = b""
    reason: str = ""
    retry_after_s: float = 0.0


class RobotsClient:
    """Fetches robots.txt files with what fetches the other files of a crawl; a context manager."""

    def __init__(self, fetcher: Fetcher, *, limits: Limits = LIMITS) -> None:
        self._fetcher = fetcher
        self._limits = limits

    async def __aenter__(self) -> RobotsClient:
        await self._fetcher.__aenter__()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self._fetcher.__aexit__(*exc)

    async def fetch(self, origin: str) -> Answer:
        """Return the answer of an origin (`https://example.org`); raises nothing for what a server does."""
        try:
            async with self._fetcher.get(f"{origin}/robots.txt", self._limits, accept=ACCEPT) as arrival:
                return await _read(arrival)
        except FetchEnded as error:
            # A policy that refuses the origin refuses its pages as well, which says more.
            is_hidden = error.reason == "refused" and error.hop > 0
            return Answer(kind="unreachable" if is_hidden else "none", reason=str(error))
        except TimeoutError:
            return Answer(kind="unreachable", reason=f"no answer within {self._limits.seconds:g} s")
        except Exception as error:  # those of the HTTP client have no type in common
            return Answer(kind="unreachable", reason=told(error))


def told(error: Exception) -> str:
    """Return the error of the HTTP client in one line: its first, with what the system says, without the structure."""
    first, _, rest = str(error).partition("\n")
    system = SYSTEM.search(rest)
    return f"{first} {system[1]}".strip() if system else first or type(error).__name__


SYSTEM = re.compile(r'message: "([^"]+)"')


async def _read(arrival: Arrival) -> Answer:
    status = arrival.status
    if HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
        return Answer(kind="rules", body=b"".join([chunk async for chunk in arrival.body()]))
    if status == HTTPStatus.TOO_MANY_REQUESTS or not HTTPStatus.BAD_REQUEST <= status < 500:
        wait = retry_after_s(arrival.headers.get("retry-after"), datetime.now(UTC)) or 0.0
        return Answer(kind="unreachable", reason=f"status {status}", retry_after_s=wait)
    return Answer(kind="none", reason=f"status {status}")
