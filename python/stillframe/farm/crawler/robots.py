"""What a host's robots.txt allows (RFC 9309), read from its bytes as they come."""

from __future__ import annotations

from datetime import timedelta
from urllib.parse import urljoin, urlsplit

from crawlee.http_clients import HttpClient
from protego import Protego

from stillframe.security.redaction import logger

_log = logger(__name__)
MAX_BYTES = 500 * 1024
"""Bytes of the file that are read: the least that RFC 9309, section 2.5, asks for."""
ALLOW_ALL, DISALLOW_ALL = "User-agent: *\nAllow: /", "User-agent: *\nDisallow: /"
CLIENT_ERROR, SERVER_ERROR = 400, 500
ROBOTS_S = 10.0
"""Seconds for a host to send its robots.txt."""


class Robots:
    """The rules of one origin, with the methods that crawlee's crawlers call."""

    def __init__(self, url: str, text: str) -> None:
        self._origin = _origin(url)
        self._rules = Protego.parse(text)

    @property
    def sitemaps(self) -> list[str]:
        """The URLs of the sitemaps that it names."""
        return list(self._rules.sitemaps)

    def is_allowed(self, url: str, user_agent: str = "*") -> bool:
        """Return whether a URL may be loaded; the rules say nothing about other origins."""
        return _origin(url) != self._origin or bool(self._rules.can_fetch(url, user_agent))

    def get_crawl_delay(self, user_agent: str = "*") -> float | None:
        """Return the seconds between two pages that the host asks for, or None."""
        delay = self._rules.crawl_delay(user_agent)
        return None if delay is None else float(delay)


def robots_text(content: bytes) -> str:
    """Return the text of a robots.txt: without a byte order mark; a bad byte spoils its own line only."""
    return content[:MAX_BYTES].decode("utf-8-sig", "replace")


async def find_robots(url: str, client: HttpClient) -> Robots:
    """Load the robots.txt of a URL's origin.

    Without one (a client error), everything is allowed; while the server fails, nothing is (sections 2.3.1.3 and
    2.3.1.4). One that cannot be loaded at all is logged, and allows everything.
    """
    place = urljoin(url, "/robots.txt")
    try:
        response = await client.send_request(place, timeout=timedelta(seconds=ROBOTS_S))
        if response.status_code >= SERVER_ERROR:
            return Robots(url, DISALLOW_ALL)
        if response.status_code >= CLIENT_ERROR:
            return Robots(url, ALLOW_ALL)
        return Robots(url, robots_text(await response.read()))
    except Exception as error:  # those of the HTTP client have no type in common
        _log.warning("%s was not read: %s", place, error)
        return Robots(url, ALLOW_ALL)


def _origin(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme.lower(), parts.netloc.lower()
