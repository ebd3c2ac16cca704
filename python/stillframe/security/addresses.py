"""Classifies IP addresses: public, or reaching into a machine, its network or its provider's network."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stillframe.security.urls import Address

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
