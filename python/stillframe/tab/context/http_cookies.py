"""Which cookies of a context a request to a URL takes, and which cookies a response sets; RFC 6265. Pure logic.

The browser does this for its pages; here it is for requests that are made outside of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

from stillframe.security.urls import parse_url
from stillframe.tab.context.storage_state import CookieState, SameSite

SAME_SITES: dict[str, SameSite] = {"strict": "Strict", "lax": "Lax", "none": "None"}
LONG_AGO = 1.0
"""The time of a cookie that a server deletes, in seconds since 1970: 0 could be taken for none."""


def cookie_header(url: str, cookies: Iterable[CookieState], now: float) -> str:
    """Return the value of the header Cookie for a URL, empty without cookies; longer paths come first (§5.4)."""
    taken = [cookie for cookie in cookies if _is_for(url, cookie, now)]
    taken.sort(key=lambda cookie: -len(cookie.path or "/"))
    return "; ".join(f"{cookie.name}={cookie.value}" if cookie.name else cookie.value for cookie in taken)


def set_cookie(url: str, line: str, now: float) -> CookieState | None:
    """Return the cookie that a line of Set-Cookie sets for a URL, or None for one that a browser would refuse."""
    pair, *rest = line.split(";")
    name, equals, value = pair.partition("=")
    if not equals:
        name, value = "", name
    name, value = name.strip(), value.strip()
    if not name and not value:
        return None
    given = {key.strip().lower(): text.strip() for key, _, text in (part.partition("=") for part in rest)}
    host = _host(url)
    domain = given.get("domain", "").lstrip(".").lower()
    if domain and not _matches(host, domain):
        return None
    secure = "secure" in given
    if secure and not _is_trusted(url):
        return None
    path = given.get("path", "")
    return CookieState(
        name=name,
        value=value,
        domain=f".{domain}" if domain else host,
        path=path if path.startswith("/") else _default_path(url),
        expires=_expiry(given, now),
        http_only="httponly" in given,
        secure=secure,
        same_site=SAME_SITES.get(given.get("samesite", "").lower()),
    )


def _expiry(given: dict[str, str], now: float) -> float:
    """Return when a cookie ends; Max-Age takes precedence, and what does not parse is as if it were not there."""
    try:
        left = int(given["max-age"])
    except (KeyError, ValueError):
        pass
    else:
        return now + left if left > 0 else LONG_AGO
    try:
        return max(LONG_AGO, parsedate_to_datetime(given["expires"].replace("-", " ")).timestamp())
    except (KeyError, ValueError, OverflowError):
        return -1


def _is_for(url: str, cookie: CookieState, now: float) -> bool:
    if cookie.partition_key is not None or (cookie.expires != -1 and cookie.expires <= now):
        return False  # a request of no page has no partition
    return is_sent_to(url, cookie)


def is_sent_to(url: str, cookie: CookieState) -> bool:
    """Return whether the domain, the path and the security of a cookie let it go to a URL (§5.4)."""
    domain = cookie.domain or ""
    host = _host(url)
    if not (_matches(host, domain[1:]) if domain.startswith(".") else host == domain):
        return False
    return _is_below(urlsplit(url).path or "/", cookie.path or "/") and (not cookie.secure or _is_trusted(url))


def _host(url: str) -> str:
    host = parse_url(url).host
    return "" if host is None else host.name


def _matches(host: str, domain: str) -> bool:
    """Return whether a host belongs to a domain (§5.1.3); an address has no subdomains."""
    is_name = not host.replace(".", "").isdigit() and ":" not in host
    return host == domain or (is_name and host.endswith(f".{domain}") and "." in domain)


def _is_below(path: str, of: str) -> bool:
    return path == of or (path.startswith(of) and (of.endswith("/") or path[len(of)] == "/"))


def _is_trusted(url: str) -> bool:
    """Return whether a secure cookie may travel: over TLS, and on this machine, as Chrome has it."""
    parsed = parse_url(url)
    return parsed.scheme == "https" or (parsed.host is not None and parsed.host.is_loopback)


def _default_path(url: str) -> str:
    path = urlsplit(url).path
    return path[: path.rfind("/")] or "/" if path.startswith("/") else "/"
