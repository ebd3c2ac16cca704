"""Parses URLs like Chrome does: the scheme, the host in its canonical spelling, the port, the origin.

The URL standard allows many spellings of one host: decimal, octal and hexadecimal IPv4, full-width digits, percent
signs, backslashes, any text before an `@`. So this module, and no other, parses URLs with a parser of that standard
(`ada_url`), and rules about hosts compare its results, never the text. It also rejects ambiguous URLs that Chrome may
accept.
"""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import NamedTuple

from ada_url import URL  # noqa: TID251  this is the one place

from stillframe.errors import UrlRefused
from stillframe.model.bounds import short

Address = IPv4Address | IPv6Address

DEFAULT_PORTS = {"http": 80, "ws": 80, "https": 443, "wss": 443, "ftp": 21}
"""The special schemes of the URL standard, except `file`, with their default ports."""

WEB = ("http", "https")

LOOPBACK: tuple[Address, ...] = (IPv6Address("::1"), IPv4Address("127.0.0.1"))
"""The addresses of `localhost` and its subdomains, in the order in which Chrome tries them."""

MAX_NAME = 253
"""Characters of a host name as text, from 255 bytes on the wire (RFC 1035 §2.3.4)."""
MAX_QUOTED = 100
"""Characters of a host that a message quotes."""

_SCHEME = re.compile(r"[\x00-\x20]*[A-Za-z][A-Za-z0-9+.\t\n\r-]*:")
_NAME = re.compile(r"(?:[a-z0-9_-]+\.)*[a-z0-9_-]+\.?")
"""Host names in use. The URL standard allows more, such as empty labels, which no resolver answers."""
_NOT_IN_AUTHORITY = frozenset("/\\?#@\t\n\r ")
"""Characters that end a host or are ignored in a URL, and so are mistakes in a host by itself."""
_WITHOUT_SCHEME = re.compile(r"\w[\w.-]*(?:[/?#]\S*)?")
"""A URL without its scheme."""
_AUTHORITY = re.compile(r":[/\\\s]*([^/\\?#]*)")
_PORT = re.compile(r":([^\]:]*)$")


ALLOWED_SCHEMES = frozenset({"about", "data", "http", "https"})
"""What may be loaded unless the browser was opened with more: `file:` and `chrome:` reach beyond the web."""


class Host(NamedTuple):
    """A host in Chrome's spelling, without a trailing dot; `address` is set if the host is an IP address."""

    name: str
    address: Address | None = None

    @property
    def is_localhost(self) -> bool:
        """Whether the name is `localhost` or a subdomain, which always means this machine (RFC 6761 §6.3)."""
        return self.name.rpartition(".")[2] == "localhost"

    @property
    def is_loopback(self) -> bool:
        """Whether the name or address is loopback."""
        return self.is_localhost if self.address is None else self.address.is_loopback

    def __str__(self) -> str:
        return f"[{self.name}]" if isinstance(self.address, IPv6Address) else self.name


class Url(NamedTuple):
    """The parts of a URL that rules refer to; `host` and `port` are None for schemes without a host."""

    scheme: str
    host: Host | None
    port: int | None
    path: str
    """The path for schemes without a host: `blank` for about:blank#top, the inner URL for blob:; else empty."""


def parse_url(text: str) -> Url:
    """Parse a URL; raises ValueError with a reason if it is invalid or its host is ambiguous."""
    url = _parsed(text)
    scheme = url.protocol[:-1]
    if scheme not in DEFAULT_PORTS:
        return Url(scheme, None, None, url.pathname)
    return Url(scheme, _host(url.hostname), int(url.port) if url.port else DEFAULT_PORTS[scheme], "")


def parse_scheme(text: str) -> str:
    """Return the scheme of a URL in lower case; raises ValueError with a reason if the URL is invalid."""
    return _parsed(text).protocol[:-1]


def normalised(text: str) -> str:
    """Return a URL as Chrome would request it, with its fragment; raises ValueError with a reason."""
    return _parsed(text).href


def origin_of(text: str) -> str:
    """Return `scheme://host[:port]` without a default port, or an empty text if the URL has no origin."""
    try:
        origin = _parsed(text).origin
    except ValueError:
        return ""
    return "" if origin == "null" else origin


def canonical_authority(scheme: str, text: str) -> str:
    """Return `host` or `host:port` as URLs of a scheme have it, without a login or default port; raises ValueError."""
    return _parsed(f"{scheme}://{text}/").host


def same_origin(one: str, other: str) -> bool:
    """Return whether two URLs have the same scheme, host and port; False for URLs without a host."""
    origin = origin_of(one)
    return bool(origin) and origin == origin_of(other)


def is_origin(text: str) -> bool:
    """Return whether a text is exactly `http(s)://host[:port]`."""
    try:
        url = _parsed(text)
    except ValueError:
        return False
    return url.protocol[:-1] in WEB and url.href == f"{url.origin}/" and not text.endswith(("/", "\\"))


def parse_authority(text: str) -> tuple[Host, int | None]:
    """Parse `host` or `host:port`; an IPv6 address needs brackets if a port follows. Raises ValueError."""
    if text.count(":") > 1 and not text.startswith("["):
        text = f"[{text}]"
    if not text or _NOT_IN_AUTHORITY & set(text):
        raise ValueError(f"{_quoted(text)} is not a host name" if text else "it has no host")
    url = _parsed(f"http://{text}/")
    # The parser drops the default port of a scheme; parsing with a second scheme recovers it.
    port = url.port or URL(f"https://{text}/").port
    return _host(url.hostname), int(port) if port else None


def parse_host(text: str) -> Host:
    """Parse a host: a name, an IPv4 address in any spelling, or an IPv6 address; raises ValueError."""
    host, port = parse_authority(text)
    if port is not None:
        raise ValueError(f"{_quoted(text)} is not a host name: it has a port")
    return host


def _parsed(text: str) -> URL:
    try:
        return URL(_scalars(text))
    except ValueError:
        raise ValueError(_fault(text)) from None


def _scalars(text: str) -> str:
    """Return the text with U+FFFD for lone surrogates, as JavaScript converts strings for its URL parser."""
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _host(name: str) -> Host:
    if name.startswith("["):
        address: Address = IPv6Address(name[1:-1])
        return Host(str(address), address)
    if not _NAME.fullmatch(name) or len(name) > MAX_NAME + 1:
        raise ValueError(f"{_quoted(name)} is not a host name")
    if name[-1].isdigit():  # the parser converts a name that ends in a number to an IPv4 address
        return _numbered(name)
    return Host(name.removesuffix("."))


def _numbered(name: str) -> Host:
    try:
        return Host(name, ip_address(name))
    except ValueError:
        return Host(name)


# -- reasons ----------------------------------------------------------------------------------------


def _fault(text: str) -> str:
    """Return what is wrong with an invalid URL, for messages only."""
    if not _SCHEME.match(text):
        example = text if len(text) <= MAX_QUOTED and _WITHOUT_SCHEME.fullmatch(text) else "example.org/"
        return f"it has no scheme: write the complete URL, for example https://{example}"
    found = _AUTHORITY.search(text)
    host = found[1].rpartition("@")[2] if found else ""
    port = _PORT.search(host)
    if port is not None and port[1] and not (port[1].isascii() and port[1].isdigit() and int(port[1][:6]) < 1 << 16):
        return f"{_quoted(port[1])} is not a port"
    return _fault_of_host(host[: port.start()] if port else host)


def _fault_of_host(host: str) -> str:
    import idna  # takes 5 ms, which only a mistake costs

    if not host:
        return "it has no host"
    if host.startswith("["):
        return f"{_quoted(host)} is not an IPv6 address"
    try:
        idna.encode(host[:MAX_NAME], uts46=True)
    except idna.IDNAError as error:
        return f"{_quoted(host)} is not a host name: {str(error)[:MAX_QUOTED]}"
    return f"{_quoted(host)} is not a host name"


def _quoted(text: str) -> str:
    return repr(short(text, MAX_QUOTED))


def check_url(url: str, allowed: frozenset[str] = ALLOWED_SCHEMES) -> None:
    """Raise UrlRefused unless the URL has an allowed scheme and, for http, a host."""
    try:
        scheme = parse_scheme(url)
    except ValueError as error:
        raise UrlRefused(f"{url!r} is not a URL: {error}", url=url) from None
    if scheme not in allowed:
        raise UrlRefused(
            f"{url!r}: the scheme {scheme!r} is not allowed ({', '.join(sorted(allowed))}); "
            f"to allow it, open the browser with allow_schemes={{{scheme!r}}}",
            url=url,
        )
