"""Which URLs a browser may go to: the decision, without any I/O.

It is asked below all doors: before our own navigations, for every document that a page asks for (`page.network`), and
for every connection (`chrome.policy_proxy`), where the addresses are known too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from ipaddress import ip_address, ip_network
from typing import Any, NamedTuple

import msgspec

from stillframe.errors import OptionInvalid, UrlRefused
from stillframe.model.suggest import did_you_mean
from stillframe.security.addresses import Network, private_kind, unwrapped
from stillframe.security.urls import Address, Host, Url, parse_authority, parse_scheme, parse_url

WEB_SCHEMES = ("about", "blob", "data", "http", "https")
"""What may be loaded unless said otherwise: the web, and what a page makes of its own. Not `file:`, not `chrome:`."""

BLANK = ("blank", "srcdoc")
"""The documents that `about:` may name; Chrome leads others to its own pages."""

MAX_SCHEME = 100
"""Characters of a scheme that is refused; it may be as long as a URL."""

_BY_SCHEME = {"ws": "http", "wss": "https"}
"""Sockets go where the scheme they grew out of may go."""


class Refusal(NamedTuple):
    """Why something is refused: the rule that decided, and words for people."""

    rule: str
    reason: str


class UrlPolicy(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """Which hosts, addresses and schemes may be loaded; anything private is refused unless it is allowed.

    An entry of the host lists is a host (`example.org`, `127.0.0.1`, `::1`), all hosts below one (`*.example.org`, the
    host itself not included) or a network (`10.0.0.0/8`); each but the last may end in a port (`localhost:8080`).
    Denied wins over allowed. The lists go by Chrome's reading of a host, whatever its spelling.
    """

    allowed_hosts: tuple[str, ...] = ()
    """Nothing but these, if there are any. One that is named itself, or is in a network that is, may be private; one
    below a `*.` may not, for the owner of the names below decides where they lead (but `*.localhost` is loopback)."""
    denied_hosts: tuple[str, ...] = ()
    allowed_schemes: tuple[str, ...] = WEB_SCHEMES
    allow_private: bool = False
    """Let names and addresses lead into the machine, its network and its provider's: loopback, RFC 1918, link-local
    (169.254.169.254), carrier-grade NAT, unique local, multicast, reserved, and IPv6 that carries one of them."""

    def __post_init__(self) -> None:
        for name in ("allowed_hosts", "denied_hosts", "allowed_schemes"):
            msgspec.structs.force_setattr(self, name, _texts(name, getattr(self, name)))
        # Read now, so that what is wrong is told now; kept, because every request asks.
        _ = self._allowed, self._denied

    def check(self, url: str) -> None:
        """Raise UrlRefused, with the rule, unless the URL may be loaded as far as its text tells."""
        refusal = self.judge(url)
        if refusal is not None:
            raise UrlRefused(f"{url!r} is refused: {refusal.reason}", url=url, rule=refusal.rule)

    def check_address(self, address: Address | str, *, host: str | None = None, port: int | None = None) -> None:
        """Raise UrlRefused unless an address may be connected to, on behalf of the host that led to it."""
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
        """Return why a host is refused by its name, or None; an address is judged as such."""
        if denied := self._denied.match(host, port):
            return Refusal(f"denied_hosts: {denied}", f"the host {host} is denied by {denied!r}")
        if self._allowed and not self._allowed.match(host, port):
            return Refusal("allowed_hosts", f"the host {host} is not among the allowed ones")
        if host.address is not None:
            return self.judge_address(host.address, host, port)
        if host.is_localhost and not self._may_be_private(host, port):
            return _private(str(host), "loopback")
        return None

    def judge_address(self, address: Address, host: Host | None = None, port: int | None = None) -> Refusal | None:
        """Return why an address is refused that a host led to, or None."""
        literal = Host(str(unwrapped(address)), unwrapped(address))
        if denied := self._denied.match(literal, port):
            return Refusal(f"denied_hosts: {denied}", f"its address is denied by {denied!r}")
        kind = private_kind(address)
        if kind is None or self._may_be_private(literal, port) or (host and self._may_be_private(host, port)):
            return None
        return _private(str(host or literal), kind)

    def with_schemes(self, more: Iterable[str]) -> UrlPolicy:
        """Return the same policy with more schemes allowed."""
        schemes = tuple(dict.fromkeys((*self.allowed_schemes, *more)))
        return msgspec.structs.replace(self, allowed_schemes=schemes)

    @cached_property
    def _allowed(self) -> Rules:
        return _read_rules("allowed_hosts", self.allowed_hosts)

    @cached_property
    def _denied(self) -> Rules:
        return _read_rules("denied_hosts", self.denied_hosts)

    def _may_be_private(self, host: Host, port: int | None) -> bool:
        # Nobody owns the names below `localhost`, so `*.localhost` means what it says.
        named = self._allowed.match if host.is_localhost else self._allowed.names
        return self.allow_private or bool(named(host, port))

    def _judge_scheme(self, url: Url) -> Refusal | None:
        scheme = _BY_SCHEME.get(url.scheme, url.scheme)
        if scheme not in self.allowed_schemes:
            known = ", ".join(self.allowed_schemes)
            named = url.scheme[:MAX_SCHEME]
            return Refusal(f"scheme: {named}", f"the scheme {named!r} is not allowed ({known})")
        if scheme == "about" and url.path not in BLANK:
            return Refusal("scheme: about", "of about: only about:blank is allowed")
        if scheme == "blob" and not url.path.startswith("null/"):
            return self._judge_maker(url.path)
        return None

    def _judge_maker(self, url: str) -> Refusal | None:
        """Return why the page that made a blob is refused; its URL holds that of the page, and no other blob's."""
        if _is_blob(url):
            return Refusal("malformed", "a blob is made by a page, not by another blob")
        return self.judge(url)


class Rules:
    """A list of hosts in the form in which one of thousands is found at once."""

    def __init__(self, entries: Iterable[str] = ()) -> None:
        self._hosts: dict[tuple[str, int | None], str] = {}
        self._below: dict[tuple[str, int | None], str] = {}
        self._networks: list[tuple[Network, str]] = []
        for entry in entries:
            self.add(entry)

    def __bool__(self) -> bool:
        return bool(self._hosts or self._below or self._networks)

    def match(self, host: Host, port: int | None) -> str | None:
        """Return the entry that covers a host, or None."""
        return self._named(host, port) or self._above(host, port)

    def names(self, host: Host, port: int | None) -> bool:
        """Whether an entry names the host itself, or a network that its address is in."""
        return self._named(host, port) is not None

    def add(self, entry: str) -> None:
        """Take in one more; raises ValueError for what is neither a host nor a network."""
        if "/" in entry:
            self._networks.append((ip_network(entry.strip("[]"), strict=False), entry))
            return
        below = entry.startswith("*.")
        host, port = parse_authority(entry.removeprefix("*."))
        if below and host.address is not None:
            raise ValueError("there is nothing below an address")
        table = self._below if below else self._hosts
        table[_canonical(host), port] = entry

    def _named(self, host: Host, port: int | None) -> str | None:
        name = _canonical(host)
        exact = self._hosts.get((name, port)) or self._hosts.get((name, None))
        if exact is not None or host.address is None:
            return exact
        address = unwrapped(host.address)
        return next((entry for network, entry in self._networks if address in network), None)

    def _above(self, host: Host, port: int | None) -> str | None:
        _, dot, rest = host.name.partition(".")
        while dot and host.address is None:
            entry = self._below.get((rest, port)) or self._below.get((rest, None))
            if entry is not None:
                return entry
            _, dot, rest = rest.partition(".")
        return None


def parse_policy(value: Any) -> UrlPolicy:
    """Return a policy given as such or by its fields; raises OptionInvalid that names what is wrong."""
    if not isinstance(value, UrlPolicy | Mapping):
        raise OptionInvalid(f"option policy: it is a UrlPolicy or its fields, not {value!r}", option="policy")
    named = msgspec.structs.asdict(value) if isinstance(value, UrlPolicy) else dict(value)
    for name in named:
        if name not in UrlPolicy.__struct_fields__:
            hint = did_you_mean(name, UrlPolicy.__struct_fields__)
            raise OptionInvalid(f"option policy.{name}: there is no such field{hint}", option=f"policy.{name}")
    if not isinstance(named.get("allow_private", False), bool):
        raise OptionInvalid("option policy.allow_private: it is true or false", option="policy.allow_private")
    return UrlPolicy(**named)


def _is_blob(url: str) -> bool:
    try:
        return parse_scheme(url) == "blob"
    except ValueError:
        return False


def _private(name: str, kind: str) -> Refusal:
    words = f"{name} leads to a private address ({kind}); name the host in allowed_hosts to allow it"
    return Refusal(f"private: {kind}", words)


def _canonical(host: Host) -> str:
    return host.name if host.address is None else str(unwrapped(host.address))


def _texts(name: str, value: Any) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise OptionInvalid(f"option policy.{name}: it is a list, not {value!r}", option=f"policy.{name}")
    texts = tuple(value)
    if not all(isinstance(text, str) and text for text in texts):
        raise OptionInvalid(f"option policy.{name}: {value!r} holds what is no text", option=f"policy.{name}")
    return tuple(text.lower().rstrip(":") for text in texts) if name == "allowed_schemes" else texts


def _read_rules(name: str, entries: tuple[str, ...]) -> Rules:
    rules = Rules()
    for entry in entries:
        try:
            rules.add(entry)
        except ValueError as error:
            raise OptionInvalid(
                f"option policy.{name}: {entry!r} is no host: {error}; write example.org, *.example.org, "
                "localhost:8080, 127.0.0.1 or 10.0.0.0/8",
                option=f"policy.{name}",
            ) from None
    return rules
