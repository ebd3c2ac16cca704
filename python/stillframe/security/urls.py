"""What a URL names, read as Chrome reads it: the scheme, the host in its one true spelling, the port, the origin.

The URL standard gives one host many spellings: decimal, octal and hexadecimal IPv4, full-width digits, percent signs,
backslashes, whatever stands before an `@`. So URLs are read by a parser of that standard (`ada_url`), here and nowhere
else, and a rule about hosts is held against the result, never against the text. What cannot be read with certainty is
refused here, where Chrome may be more lenient.
"""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import NamedTuple

from ada_url import URL

from stillframe.errors import UrlRefused
from stillframe.model.bounds import short

Address = IPv4Address | IPv6Address

DEFAULT_PORTS = {"http": 80, "ws": 80, "https": 443, "wss": 443, "ftp": 21}
"""The schemes that the URL standard calls special, but for `file`, with the ports they go to."""

WEB = ("http", "https")

LOOPBACK: tuple[Address, ...] = (IPv6Address("::1"), IPv4Address("127.0.0.1"))
"""What `localhost` and all names below it are, in the order in which Chrome tries them."""

MAX_NAME = 253
"""Characters of a host name in text form: what 255 bytes on the wire leave (RFC 1035 §2.3.4)."""
MAX_QUOTED = 100
"""Characters of a host that are quoted in a message."""

_SCHEME = re.compile(r"[\x00-\x20]*[A-Za-z][A-Za-z0-9+.\t\n\r-]*:")
_NAME = re.compile(r"(?:[a-z0-9_-]+\.)*[a-z0-9_-]+\.?")
"""What hosts in use are made of; the standard allows more, empty labels too, and no resolver answers for it."""
_NOT_OF_AUTHORITY = frozenset("/\\?#@\t\n\r ")
"""What ends a host or says nothing in a URL, and has no place where a host stands alone."""
_WITHOUT_SCHEME = re.compile(r"\w[\w.-]*(?:[/?#]\S*)?")
"""What a URL is that lacks nothing but its scheme."""
_AUTHORITY = re.compile(r":[/\\\s]*([^/\\?#]*)")
_PORT = re.compile(r":([^\]:]*)$")


ALLOWED_SCHEMES = frozenset({"about", "data", "http", "https"})
"""What may be loaded unless the browser was opened with more: `file:` and `chrome:` reach beyond the web."""


class Host(NamedTuple):
    """A host as Chrome spells it, without a trailing dot; `address` is there if it is one."""

    name: str
    address: Address | None = None

    @property
    def is_localhost(self) -> bool:
        """Whether the name is this machine by definition (RFC 6761 §6.3), which no resolver has a say in."""
        return self.name.rpartition(".")[2] == "localhost"

    @property
    def is_loopback(self) -> bool:
        """Whether it is this machine, by its name or as an address."""
        return self.is_localhost if self.address is None else self.address.is_loopback

    def __str__(self) -> str:
        return f"[{self.name}]" if isinstance(self.address, IPv6Address) else self.name


class Url(NamedTuple):
    """The parts of a URL that rules are about; `host` and `port` are None for schemes without a host."""

    scheme: str
    host: Host | None
    port: int | None
    path: str
    """Of schemes without a host: `blank` in about:blank#top, a whole URL in one of blob:. Else empty."""


def read_url(text: str) -> Url:
    """Read a URL; raises ValueError with words for what is no URL or names no certain host."""
    url = _parsed(text)
    scheme = url.protocol[:-1]
    if scheme not in DEFAULT_PORTS:
        return Url(scheme, None, None, url.pathname)
    return Url(scheme, _host(url.hostname), int(url.port) if url.port else DEFAULT_PORTS[scheme], "")


def read_scheme(text: str) -> str:
    """Return the scheme of a URL in lower case; raises ValueError with words for what is no URL."""
    return _parsed(text).protocol[:-1]


def origin_of(text: str) -> str:
    """Return `scheme://host[:port]` of a URL, the port unless it is the scheme's own; empty where there is no such."""
    try:
        origin = _parsed(text).origin
    except ValueError:
        return ""
    return "" if origin == "null" else origin


def same_origin(one: str, other: str) -> bool:
    """Whether two URLs have the same scheme, host and port; those without a host have none in common."""
    origin = origin_of(one)
    return bool(origin) and origin == origin_of(other)


def is_origin(text: str) -> bool:
    """Whether a text is `http(s)://host[:port]` and nothing more."""
    try:
        url = _parsed(text)
    except ValueError:
        return False
    return url.protocol[:-1] in WEB and url.href == f"{url.origin}/" and not text.endswith(("/", "\\"))


def read_authority(text: str) -> tuple[Host, int | None]:
    """Read `host` or `host:port`, an IPv6 address in brackets or, without a port, bare; raises ValueError."""
    if text.count(":") > 1 and not text.startswith("["):
        text = f"[{text}]"
    if not text or _NOT_OF_AUTHORITY & set(text):
        raise ValueError(f"{_quoted(text)} is no name of a host" if text else "it names no host")
    url = _parsed(f"http://{text}/")
    # Each scheme leaves its own port unsaid, and no two have the same.
    port = url.port or URL(f"https://{text}/").port
    return _host(url.hostname), int(port) if port else None


def read_host(text: str) -> Host:
    """Read a host: a name, an IPv4 address in any spelling, an IPv6 address; raises ValueError."""
    host, port = read_authority(text)
    if port is not None:
        raise ValueError(f"{_quoted(text)} is no name of a host: it has a port")
    return host


def _parsed(text: str) -> URL:
    try:
        return URL(_scalars(text))
    except ValueError:
        raise ValueError(_fault(text)) from None


def _scalars(text: str) -> str:
    """Return the text with U+FFFD for what is no character, as every string of JavaScript comes to a URL parser."""
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _host(name: str) -> Host:
    if name.startswith("["):
        address: Address = IPv6Address(name[1:-1])
        return Host(str(address), address)
    if not _NAME.fullmatch(name) or len(name) > MAX_NAME + 1:
        raise ValueError(f"{_quoted(name)} is no name of a host")
    if name[-1].isdigit():  # a name whose last label is a number has been read as one
        return _numbered(name)
    return Host(name.removesuffix("."))


def _numbered(name: str) -> Host:
    try:
        return Host(name, ip_address(name))
    except ValueError:
        return Host(name)


# -- what is wrong with a text ---------------------------------------------------------------------


def _fault(text: str) -> str:
    """Say what is wrong with a text that was not read as a URL; for people, nothing is decided by it."""
    if not _SCHEME.match(text):
        example = text if len(text) <= MAX_QUOTED and _WITHOUT_SCHEME.fullmatch(text) else "example.org/"
        return f"it has no scheme: write the whole URL, for example https://{example}"
    found = _AUTHORITY.search(text)
    host = found[1].rpartition("@")[2] if found else ""
    port = _PORT.search(host)
    if port is not None and port[1] and not (port[1].isascii() and port[1].isdigit() and int(port[1][:6]) < 1 << 16):
        return f"{_quoted(port[1])} is no port"
    return _fault_of_host(host[: port.start()] if port else host)


def _fault_of_host(host: str) -> str:
    import idna  # 5 ms that only a mistake costs

    if not host:
        return "it names no host"
    if host.startswith("["):
        return f"{_quoted(host)} is no IPv6 address"
    try:
        idna.encode(host[:MAX_NAME], uts46=True)
    except idna.IDNAError as error:
        return f"{_quoted(host)} is no name of a host: {str(error)[:MAX_QUOTED]}"
    return f"{_quoted(host)} is no name of a host"


def _quoted(text: str) -> str:
    return repr(short(text, MAX_QUOTED))


def check_url(url: str, allowed: frozenset[str] = ALLOWED_SCHEMES) -> None:
    """Raise UrlRefused unless the URL has an allowed scheme and, for http, a host."""
    try:
        scheme = read_scheme(url)
    except ValueError as error:
        raise UrlRefused(f"{url!r} is not a URL: {error}", url=url) from None
    if scheme not in allowed:
        raise UrlRefused(
            f"{url!r}: the scheme {scheme!r} is not allowed ({', '.join(sorted(allowed))}); "
            f"to allow it, open the browser with allow_schemes={{{scheme!r}}}",
            url=url,
        )
