"""The URL policy: decides which URLs a browser may load, without any I/O.

Every layer asks it: navigations before they start, interception for every document (`tab.network`), and the policy
proxy for every connection, where the addresses are known as well (`chrome.policy_proxy`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any, NamedTuple

import msgspec

from stillframe.errors import OptionInvalid, UrlRefused
from stillframe.model.suggest import unknown
from stillframe.security.urls import Address, Host, Url, parse_authority, parse_scheme, parse_url

# Classifies IP addresses: public, or reaching into a machine, its network or its provider's network.

_TABLE: dict[str, tuple[str, ...]] = {
    "this network": ("0.0.0.0/8", "::/128"),
    "loopback": ("127.0.0.0/8", "::1/128"),
    "link-local": ("169.254.0.0/16", "fe80::/10"),
    "private": ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7", "fec0::/10"),
    "carrier-grade NAT": ("100.64.0.0/10",),
    "multicast": ("224.0.0.0/4", "ff00::/8"),
    "documentation": ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32", "3fff::/20"),
    "benchmarking": ("198.18.0.0/15", "2001:2::/48"),
    "local NAT64": ("64:ff9b:1::/48",),
    "reserved": ("192.0.0.0/24", "192.88.99.0/24", "240.0.0.0/4", "100::/64", "5f00::/16", "2001::/23"),
}
"""IANA's special-purpose address registries (RFC 6890 and successors); the first match wins. The tables of `ipaddress`
differ between Python versions. Site-local fec0::/10 is deprecated (RFC 3879), but still private."""

KINDS = tuple((ip_network(text), kind) for kind, texts in _TABLE.items() for text in texts)

GLOBAL_UNICAST = IPv6Network("2000::/3")
"""The IPv6 addresses that IANA allocates for the internet (RFC 4291 §2.4)."""

_NAT64 = IPv6Network("64:ff9b::/96")
_COMPATIBLE = IPv6Network("::/96")
_TEREDO = IPv6Network("2001::/32")
_ISATAP = (0x5EFE, 0x200_5EFE)
"""The upper half of an interface identifier that contains an IPv4 address (RFC 5214 §6.1)."""

Network = IPv4Network | IPv6Network


def private_kind(address: Address) -> str | None:
    """Return the kind of a private address, or None if the address is globally routable.

    An address that embeds others (IPv4-mapped, NAT64, 6to4, Teredo, ISATAP) is private if any of them is.
    """
    for inner in embedded(address):
        kind = _own_kind(inner)
        if kind is not None:
            return kind
    return None if _translates(address) else _own_kind(address)


def embedded(address: Address) -> tuple[IPv4Address, ...]:
    """Return the IPv4 addresses that an IPv6 address embeds."""
    if isinstance(address, IPv4Address):
        return ()
    if _translates(address):
        return (IPv4Address(int(address) & 0xFFFF_FFFF),)
    if address in _TEREDO:
        return (IPv4Address(int(address) >> 64 & 0xFFFF_FFFF), IPv4Address(~int(address) & 0xFFFF_FFFF))
    if address.sixtofour is not None:
        return (address.sixtofour,)
    if int(address) >> 32 & 0xFFFF_FFFF in _ISATAP:
        return (IPv4Address(int(address) & 0xFFFF_FFFF),)
    return ()


def unwrapped(address: Address) -> Address:
    """Return the IPv4 address that an IPv6 address stands for, else the address itself."""
    return embedded(address)[0] if _translates(address) else address


def _translates(address: Address) -> bool:
    """Return whether packets to the address go to the IPv4 address in it."""
    if isinstance(address, IPv4Address):
        return False
    compatible = address in _COMPATIBLE and int(address) > 1
    return address.ipv4_mapped is not None or address in _NAT64 or compatible


def _own_kind(address: Address) -> str | None:
    for network, kind in KINDS:
        if address in network:
            return kind
    return "reserved" if isinstance(address, IPv6Address) and address not in GLOBAL_UNICAST else None


WEB_SCHEMES = ("about", "blob", "data", "http", "https")
"""The default `allowed_schemes`: the web, and what a page creates itself; neither `file:` nor `chrome:`."""

BLANK = ("blank", "srcdoc")
"""The allowed `about:` documents; Chrome redirects others to its own pages."""

MAX_SCHEME = 100
"""Characters of a refused scheme that a message quotes; a scheme may be as long as a URL."""

_BY_SCHEME = {"ws": "http", "wss": "https"}
"""WebSockets are allowed where the scheme of their handshake is allowed."""


class Refusal(NamedTuple):
    """Why something is refused: the rule that decided, and the reason for people."""

    rule: str
    reason: str


class UrlPolicy(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """Which hosts, addresses and schemes may load; private addresses are refused unless they are allowed.

    An entry of a host list is a host (`example.org`, `127.0.0.1`, `::1`), all its subdomains (`*.example.org`, without
    the host itself) or a network (`10.0.0.0/8`); each but a network may end in a port (`localhost:8080`). Denied
    entries take precedence. Hosts are compared as Chrome parses them, whatever their spelling.
    """

    allowed_hosts: tuple[str, ...] = ()
    """If not empty, only these hosts are allowed. A host or network listed itself may be private; a subdomain that only
    matches `*.` may not, because its owner decides where it points (except `*.localhost`, which is loopback)."""
    denied_hosts: tuple[str, ...] = ()
    """Hosts that are refused, even if another rule allows them."""
    allowed_schemes: tuple[str, ...] = WEB_SCHEMES
    """The only schemes that may load; `http` and `https` include WebSockets."""
    allow_private: bool = False
    """Allow private addresses: loopback, RFC 1918, link-local (169.254.169.254), carrier-grade NAT, unique local,
    multicast, reserved, and IPv6 addresses that embed one of them."""

    def __post_init__(self) -> None:
        for name in ("allowed_hosts", "denied_hosts", "allowed_schemes"):
            msgspec.structs.force_setattr(self, name, _texts(name, getattr(self, name)))
        # Parsed now, so that mistakes are reported at once; cached, because every request needs them.
        _ = self._allowed, self._denied

    def check(self, url: str) -> None:
        """Raise UrlRefused, with the rule, if the text of the URL is refused; its addresses are unknown here.

        Args:
            url: The URL.

        Raises:
            UrlRefused: A rule refuses it.
        """
        refusal = self.judge(url)
        if refusal is not None:
            raise UrlRefused(f"{url!r} is refused: {refusal.reason}", url=url, rule=refusal.rule)

    def check_address(self, address: Address | str, *, host: str | None = None, port: int | None = None) -> None:
        """Raise UrlRefused if a connection to an address of `host` is refused.

        Args:
            address: The IP address.
            host: The host that it is an address of.
            port: The port of the connection.

        Raises:
            UrlRefused: A rule refuses it.
        """
        ip = ip_address(address) if isinstance(address, str) else address
        refusal = self.judge_address(ip, parse_authority(host)[0] if host else None, port)
        if refusal is not None:
            raise UrlRefused(f"{host or ip} is refused: {refusal.reason}", url=str(host or ip), rule=refusal.rule)

    def judge(self, url: str) -> Refusal | None:
        """Return why a URL is refused, or None."""
        try:
            read = parse_url(url)
        except ValueError as error:
            return Refusal("malformed", str(error))
        return self._judge_scheme(read) or (read.host and self.judge_host(read.host, read.port)) or None

    def judge_host(self, host: Host, port: int | None = None) -> Refusal | None:
        """Return why a host is refused by its name, or by its address if it is one; None if it is allowed.

        Args:
            host: The host.
            port: The port of the connection.
        """
        if denied := self._denied.match(host, port):
            return Refusal(f"denied_hosts: {denied}", f"{denied!r} denies the host {host}")
        if self._allowed and not self._allowed.match(host, port):
            return Refusal("allowed_hosts", f"the host {host} is not in allowed_hosts")
        if host.address is not None:
            return self.judge_address(host.address, host, port)
        if host.is_localhost and not self._may_be_private(host, port):
            return _private(str(host), "loopback")
        return None

    def judge_address(self, address: Address, host: Host | None = None, port: int | None = None) -> Refusal | None:
        """Return why an address of `host` is refused, or None.

        Args:
            address: The IP address.
            host: The host that it is an address of.
            port: The port of the connection.
        """
        literal = Host(str(unwrapped(address)), unwrapped(address))
        if denied := self._denied.match(literal, port):
            return Refusal(f"denied_hosts: {denied}", f"{denied!r} denies its address")
        kind = private_kind(address)
        if kind is None or self._may_be_private(literal, port) or (host and self._may_be_private(host, port)):
            return None
        return _private(str(host or literal), kind)

    def with_schemes(self, more: Iterable[str]) -> UrlPolicy:
        """Return a copy of the policy that allows more schemes."""
        schemes = tuple(dict.fromkeys((*self.allowed_schemes, *more)))
        return msgspec.structs.replace(self, allowed_schemes=schemes)

    @cached_property
    def _allowed(self) -> Rules:
        return _read_rules("allowed_hosts", self.allowed_hosts)

    @cached_property
    def _denied(self) -> Rules:
        return _read_rules("denied_hosts", self.denied_hosts)

    def _may_be_private(self, host: Host, port: int | None) -> bool:
        # Nobody owns subdomains of `localhost`, so `*.localhost` allows them all.
        named = self._allowed.match if host.is_localhost else self._allowed.names
        return self.allow_private or bool(named(host, port))

    def _judge_scheme(self, url: Url) -> Refusal | None:
        scheme = _BY_SCHEME.get(url.scheme, url.scheme)
        if scheme not in self.allowed_schemes:
            known = ", ".join(self.allowed_schemes)
            named = url.scheme[:MAX_SCHEME]
            return Refusal(f"scheme: {named}", f"the scheme {named!r} is not allowed (allowed: {known})")
        if scheme == "about" and url.path not in BLANK:
            return Refusal("scheme: about", "about:blank is the only allowed about: page")
        if scheme == "blob" and not url.path.startswith("null/"):
            return self._judge_creator(url.path)
        return None

    def _judge_creator(self, url: str) -> Refusal | None:
        """Return why the page that created a blob is refused; a blob URL contains the origin of that page."""
        if _is_blob(url):
            return Refusal("malformed", "a blob URL contains the origin of a page, not another blob URL")
        return self.judge(url)


class Rules:
    """A list of hosts with lookups that stay fast for thousands of entries."""

    def __init__(self, entries: Iterable[str] = ()) -> None:
        self._hosts: dict[tuple[str, int | None], str] = {}
        self._subdomains: dict[tuple[str, int | None], str] = {}
        self._networks: list[tuple[Network, str]] = []
        for entry in entries:
            self.add(entry)

    def __bool__(self) -> bool:
        return bool(self._hosts or self._subdomains or self._networks)

    def match(self, host: Host, port: int | None) -> str | None:
        """Return the entry that covers a host, or None."""
        return self._exact_match(host, port) or self._parent_match(host, port)

    def names(self, host: Host, port: int | None) -> bool:
        """Return whether an entry is the host itself, or a network that contains its address."""
        return self._exact_match(host, port) is not None

    def add(self, entry: str) -> None:
        """Add an entry; raises ValueError if it is neither a host nor a network."""
        if "/" in entry:
            self._networks.append((ip_network(entry.strip("[]"), strict=False), entry))
            return
        wildcard = entry.startswith("*.")
        host, port = parse_authority(entry.removeprefix("*."))
        if wildcard and host.address is not None:
            raise ValueError("an address has no subdomains")
        table = self._subdomains if wildcard else self._hosts
        table[_canonical(host), port] = entry

    def _exact_match(self, host: Host, port: int | None) -> str | None:
        name = _canonical(host)
        exact = self._hosts.get((name, port)) or self._hosts.get((name, None))
        if exact is not None or host.address is None:
            return exact
        address = unwrapped(host.address)
        return next((entry for network, entry in self._networks if address in network), None)

    def _parent_match(self, host: Host, port: int | None) -> str | None:
        _, dot, rest = host.name.partition(".")
        while dot and host.address is None:
            entry = self._subdomains.get((rest, port)) or self._subdomains.get((rest, None))
            if entry is not None:
                return entry
            _, dot, rest = rest.partition(".")
        return None


def parse_policy(value: Any) -> UrlPolicy:
    """Return a UrlPolicy from a policy or a mapping of its fields; raises OptionInvalid that names the wrong field."""
    if not isinstance(value, UrlPolicy | Mapping):
        raise OptionInvalid(
            f"option policy: expected a UrlPolicy or a mapping of its fields, got {value!r}", option="policy"
        )
    fields = msgspec.structs.asdict(value) if isinstance(value, UrlPolicy) else dict(value)
    for name in fields:
        if name not in UrlPolicy.__struct_fields__:
            reason = unknown("field", name, UrlPolicy.__struct_fields__)
            raise OptionInvalid(f"option policy: {reason}", option=f"policy.{name}")
    if not isinstance(fields.get("allow_private", False), bool):
        raise OptionInvalid("option policy.allow_private: expected true or false", option="policy.allow_private")
    return UrlPolicy(**fields)


def _is_blob(url: str) -> bool:
    try:
        return parse_scheme(url) == "blob"
    except ValueError:
        return False


def _private(name: str, kind: str) -> Refusal:
    return Refusal(
        f"private: {kind}", f"{name} leads to a private address ({kind}); add the host to allowed_hosts to allow it"
    )


def _canonical(host: Host) -> str:
    return host.name if host.address is None else str(unwrapped(host.address))


def _texts(name: str, value: Any) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise OptionInvalid(f"option policy.{name}: expected a list of strings, got {value!r}", option=f"policy.{name}")
    texts = tuple(value)
    if not all(isinstance(text, str) and text for text in texts):
        raise OptionInvalid(
            f"option policy.{name}: expected a list of strings that are not empty, got {value!r}",
            option=f"policy.{name}",
        )
    return tuple(text.lower().rstrip(":") for text in texts) if name == "allowed_schemes" else texts


def _read_rules(name: str, entries: tuple[str, ...]) -> Rules:
    rules = Rules()
    for entry in entries:
        try:
            rules.add(entry)
        except ValueError as error:
            raise OptionInvalid(
                f"option policy.{name}: {entry!r} is not a host: {error}; write example.org, *.example.org, "
                "localhost:8080, 127.0.0.1 or 10.0.0.0/8",
                option=f"policy.{name}",
            ) from None
    return rules
