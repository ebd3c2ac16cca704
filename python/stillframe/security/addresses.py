"""Which addresses lie on the public internet, and which reach into a machine, its network or its provider's."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network

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
"""The special-purpose registries of IANA (RFC 6890 and successors), first match wins; not left to `ipaddress`, whose
tables differ between versions of Python. Site-local fec0::/10 is long deprecated and still private."""

KINDS = tuple((ip_network(text), kind) for kind, texts in _TABLE.items() for text in texts)

GLOBAL_UNICAST = IPv6Network("2000::/3")
"""All of IPv6 that IANA has given out for the internet."""

_NAT64 = IPv6Network("64:ff9b::/96")
_COMPATIBLE = IPv6Network("::/96")
_TEREDO = IPv6Network("2001::/32")
_ISATAP = (0x5EFE, 0x200_5EFE)
"""The upper half of an interface identifier that holds an IPv4 address (RFC 5214 §6.1)."""

Network = IPv4Network | IPv6Network


def private_kind(address: Address) -> str | None:
    """Return what makes an address private, None if it is globally routable.

    Addresses that carry others (IPv4-mapped, NAT64, 6to4, Teredo, ISATAP) are private if any of those is.
    """
    for inner in embedded(address):
        kind = _own_kind(inner)
        if kind is not None:
            return kind
    return None if _carried(address) else _own_kind(address)


def embedded(address: Address) -> tuple[IPv4Address, ...]:
    """Return the IPv4 addresses that an IPv6 address carries."""
    if isinstance(address, IPv4Address):
        return ()
    if _carried(address):
        return (IPv4Address(int(address) & 0xFFFF_FFFF),)
    if address in _TEREDO:
        return (IPv4Address(int(address) >> 64 & 0xFFFF_FFFF), IPv4Address(~int(address) & 0xFFFF_FFFF))
    if address.sixtofour is not None:
        return (address.sixtofour,)
    if int(address) >> 32 & 0xFFFF_FFFF in _ISATAP:
        return (IPv4Address(int(address) & 0xFFFF_FFFF),)
    return ()


def unwrapped(address: Address) -> Address:
    """Return the IPv4 address that an IPv6 address is only another spelling of, else the address itself."""
    return embedded(address)[0] if _carried(address) else address


def _carried(address: Address) -> bool:
    """Whether packets to the address go to the IPv4 address in it."""
    if isinstance(address, IPv4Address):
        return False
    compatible = address in _COMPATIBLE and int(address) > 1
    return address.ipv4_mapped is not None or address in _NAT64 or compatible


def _own_kind(address: Address) -> str | None:
    for network, kind in KINDS:
        if address in network:
            return kind
    return "reserved" if isinstance(address, IPv6Address) and address not in GLOBAL_UNICAST else None
