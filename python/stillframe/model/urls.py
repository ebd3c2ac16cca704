"""What a URL names, read as Chrome reads it: the scheme, the host in its one true spelling, the port.

The URL standard gives one host many spellings: decimal, octal and hexadecimal IPv4, full-width digits, percent signs,
backslashes, whatever stands before an `@`. A rule about hosts is held against the result of reading it, never against
the text. What cannot be read with certainty is refused here, where Chrome may be more lenient.
"""

from __future__ import annotations

import re
import unicodedata
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

Address = IPv4Address | IPv6Address

DEFAULT_PORTS = {"http": 80, "ws": 80, "https": 443, "wss": 443, "ftp": 21}
"""The schemes that the URL standard calls special, but for `file`, with the ports they go to."""

LOOPBACK: tuple[Address, ...] = (IPv6Address("::1"), IPv4Address("127.0.0.1"))
"""What `localhost` and all names below it are, in the order in which Chrome tries them."""

MAX_PORT = 65_535
MAX_NAME = 253
"""Characters of a host name in text form: what 255 bytes on the wire leave (RFC 1035 §2.3.4)."""

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*(?=:)")
_STRIPPED = "".join(map(chr, range(0x21)))
"""C0 controls and space, which the standard cuts off both ends."""
_SKIPPED = re.compile(r"[\t\n\r]")
_NAME = re.compile(r"(?:[a-z0-9_-]+\.)*[a-z0-9_-]+\.?")
"""What hosts in use are made of; the standard allows more, empty labels too, and no resolver answers for it."""
_IGNORED = re.compile("[\u00ad\u034f\u180b-\u180d\u200b\u2060\u2064\ufe00-\ufe0f\ufeff]")
"""What UTS 46 maps to nothing."""
_UNSURE = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs"})
"""Categories of Unicode that no host has: controls, what is not assigned, separators."""


class Host(NamedTuple):
    """A host as Chrome spells it, without a trailing dot; `address` is there if it is one."""

    name: str
    address: Address | None = None

    @property
    def is_localhost(self) -> bool:
        """Whether the name is this machine by definition (RFC 6761 §6.3), which no resolver has a say in."""
        return self.name.rpartition(".")[2] == "localhost"

    def __str__(self) -> str:
        return f"[{self.name}]" if isinstance(self.address, IPv6Address) else self.name


class Url(NamedTuple):
    """The parts of a URL that rules are about; `host` and `port` are None for schemes without a host."""

    scheme: str
    host: Host | None
    port: int | None
    rest: str
    """What follows the scheme and its colon."""


def read_url(text: str) -> Url:
    """Read a URL; raises ValueError with words for what is no URL or names no certain host."""
    text = _SKIPPED.sub("", text.strip(_STRIPPED))
    found = _SCHEME.match(text)
    if found is None:
        raise ValueError("it has no scheme: write the whole URL, for example https://example.org/")
    scheme, rest = found[0].lower(), text[found.end() + 1 :]
    if scheme not in DEFAULT_PORTS:
        return Url(scheme, None, None, rest)
    authority = re.split(r"[/\\?#]", rest.lstrip("/\\"), maxsplit=1)[0]
    host, port = _host_and_port(authority.rpartition("@")[2])
    return Url(scheme, host, DEFAULT_PORTS[scheme] if port is None else port, rest)


def read_authority(text: str) -> tuple[Host, int | None]:
    """Read `host` or `host:port`, an IPv6 address in brackets or, without a port, bare; raises ValueError."""
    if text.count(":") > 1 and not text.startswith("["):
        return read_host(f"[{text}]"), None
    return _host_and_port(text)


def read_host(text: str) -> Host:
    """Read a host: a name, an IPv4 address in any spelling, an IPv6 address in brackets; raises ValueError."""
    if text.startswith("["):
        return _ipv6(text)
    name = _ascii(unquote_to_bytes(text).decode("utf-8", "replace"))
    if _ends_in_number(name):
        address = _ipv4(name)
        return Host(str(address), address)
    if not _NAME.fullmatch(name) or len(name) > MAX_NAME + 1:
        raise ValueError(f"{text!r} is no name of a host" if text else "it names no host")
    return Host(name.removesuffix("."))


def _host_and_port(text: str) -> tuple[Host, int | None]:
    host, colon, port = text.rpartition(":")
    if not colon or text.endswith("]"):
        return read_host(text), None
    if port and not (port.isascii() and port.isdecimal() and int(port) <= MAX_PORT):
        raise ValueError(f"{port!r} is no port")
    return read_host(host), int(port) if port else None


def _ipv6(text: str) -> Host:
    if not text.endswith("]") or "%" in text:
        raise ValueError(f"{text!r} is no IPv6 address")
    try:
        address = IPv6Address(text[1:-1])
    except AddressValueError:
        raise ValueError(f"{text!r} is no IPv6 address") from None
    return Host(str(address), address)


def _ascii(text: str) -> str:
    """Return a name in lower-case ASCII, other scripts as `xn--` labels."""
    if text.isascii():
        return text.lower()
    mapped = _mapped(text)
    return ".".join(label if label.isascii() else _punycode(label) for label in mapped.split("."))


def _mapped(text: str) -> str:
    """Map characters as UTS 46 does, without transition: one letter for its variants, ß and ς as they are."""
    folded = "".join(char if char in "ßς" else "ß" if char == "ẞ" else char.casefold() for char in text)
    normal = unicodedata.normalize("NFKC", _IGNORED.sub("", folded))
    lower = "".join(char if char in "ßς" else char.casefold() for char in normal)
    mapped = unicodedata.normalize("NFKC", _IGNORED.sub("", lower)).replace("。", ".")
    for char in mapped:
        if char == "\ufffd" or unicodedata.category(char) in _UNSURE:
            raise ValueError(f"U+{ord(char):04X} stands in the name of its host")
    return mapped


def _punycode(label: str) -> str:
    return "xn--" + label.encode("punycode").decode("ascii")


def _ends_in_number(name: str) -> bool:
    last = name.removesuffix(".").rpartition(".")[2]
    return bool(last) and (last.isdigit() or re.fullmatch(r"0x[0-9a-f]*", last) is not None)


def _ipv4(name: str) -> IPv4Address:
    """Read one to four numbers, each decimal, octal (0…) or hexadecimal (0x…), the last filling what is left."""
    try:
        *upper, last = [_number(part) for part in name.removesuffix(".").split(".")]
    except ValueError:
        raise ValueError(f"{name!r} ends as an IPv4 address and is none") from None
    if len(upper) > 3 or any(part > 255 for part in upper) or last >= 256 ** (4 - len(upper)):
        raise ValueError(f"{name!r} ends as an IPv4 address and is none")
    return IPv4Address(sum(part << 8 * (3 - place) for place, part in enumerate(upper)) + last)


def _number(part: str) -> int:
    if part.startswith("0x"):
        return int(part[2:] or "0", 16) if re.fullmatch(r"[0-9a-f]*", part[2:]) else int("")
    if not (part.isascii() and part.isdigit()):
        raise ValueError
    return int(part, 8 if part.startswith("0") and len(part) > 1 else 10)
