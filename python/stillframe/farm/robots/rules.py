"""The rules of a robots.txt for one crawler (RFC 9309): bytes in, rules out. Pure logic.

We do not use Protego, which crawlee and Scrapy use. It takes text, so that a byte of another encoding is lost; it joins
`?` with `%3F`, gives the group `foo` to the crawler `foobar`, adds rules for `index.html`, splits lines at characters
such as U+2028, lets `Crawl-delay` end a group, and tries the rules one by one.
"""

from __future__ import annotations

import codecs
import math
import re
from collections.abc import Iterator
from typing import NamedTuple

from stillframe.security.urls import normalised

MAX_BYTES = 1 << 20
"""Bytes of the file that are read; section 2.5 asks for 500 KiB at least. The rest is ignored."""
MAX_RULES = 100_000
"""Rules that are kept, more than 500 KiB can hold (57,000); the rest is ignored. Our choice."""
MAX_TARGET = 8_192
"""Bytes of a URL that rules are compared with: more than servers accept, so that a comparison has a bound."""
MANY_WILD, SHORT_TARGET = 5_000, 2_048
"""A file with more wildcards than a site has is compared with fewer bytes: one URL then takes some 0.1 s."""
ANY = "*"
ROBOTS_PATH = b"/robots.txt"

AGENT = frozenset({b"user-agent", b"useragent", b"user agent"})
DISALLOW = frozenset({b"disallow", b"dissallow", b"dissalow", b"disalow", b"diasllow", b"disallaw"})
"""With the mistakes that are frequent: who writes them wants to forbid something."""
ALLOW = frozenset({b"allow"})
DELAY = frozenset({b"crawl-delay", b"crawl delay"})
SITEMAP = frozenset({b"sitemap", b"sitemaps", b"site-map"})
KEYS = AGENT | DISALLOW | ALLOW | DELAY | SITEMAP

_TOKEN = re.compile(rb"[A-Za-z0-9_-]+")
_LINES = re.compile(rb"\r\n|\r|\n")
_ODD = re.compile(rb"%([0-9A-Fa-f]{2})|[^A-Za-z0-9._~:@!&'()+,;=/?-]")
_ODD_IN_PATTERN = re.compile(rb"%([0-9A-Fa-f]{2})|[^A-Za-z0-9._~:@!&'()+,;=/?*-]")
_PLAIN_IN_PATH = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:@")
_PLAIN_IN_QUERY = _PLAIN_IN_PATH | frozenset(b"/?")


class Pattern(NamedTuple):
    """A path with wildcards: its pieces between them, and whether it ends where the URL ends."""

    octets: int
    allow: bool
    parts: tuple[bytes, ...]
    anchored: bool

    def matches(self, target: bytes) -> bool:
        """Return whether it matches: each piece at the first place after the one before, without backtracking."""
        first, *rest = self.parts
        if not target.startswith(first):
            return False
        at = len(first)
        if not rest:
            return at == len(target) or not self.anchored
        *middle, last = rest
        for part in middle:
            found = target.find(part, at)
            if found < 0:
                return False
            at = found + len(part)
        if self.anchored:
            return len(target) - at >= len(last) and target.endswith(last)
        return target.find(last, at) >= 0


class Rules:
    """What one crawler may load of an origin; `crawl_delay_s` and `sitemaps` are what the file says beside that."""

    def __init__(
        self, found: list[tuple[bytes, bool]], *, crawl_delay_s: float | None = None, sitemaps: tuple[str, ...] = ()
    ) -> None:
        self.crawl_delay_s = crawl_delay_s
        self.sitemaps = sitemaps
        self._plain: dict[bytes, bool] = {}
        wild: dict[bytes, bool] = {}
        for path, allow in found:
            kind = wild if b"*" in path or path.endswith(b"$") else self._plain
            kind[path] = allow or kind.get(path, False)
        self._lengths = sorted({len(path) for path in self._plain}, reverse=True)
        self._wild = sorted((_pattern(path, allow) for path, allow in wild.items()), reverse=True)

    def allows(self, url: str) -> bool:
        """Return whether a URL of the origin may be loaded.

        The rule with most octets decides, and of two equal ones the one that allows.
        """
        target = target_of(url)
        if target == ROBOTS_PATH:
            return True
        best, allowed = self._longest_plain(target)
        if len(self._wild) > MANY_WILD:
            target = target[:SHORT_TARGET]
        for pattern in self._wild:
            if (pattern.octets, pattern.allow) <= (best, allowed):
                break
            if pattern.matches(target):
                return pattern.allow
        return allowed

    def _longest_plain(self, target: bytes) -> tuple[int, bool]:
        for length in self._lengths:
            if length <= len(target) and (allow := self._plain.get(target[:length])) is not None:
                return length, allow
        return -1, True

    def __len__(self) -> int:
        return len(self._plain) + len(self._wild)


ALLOW_ALL = Rules([])


def parse(content: bytes, token: str = ANY) -> Rules:
    """Return the rules for a crawler's product token: those of all its groups, or of `*` if it has none."""
    reader = _Reader(token.lower().encode())
    for key, value in _records(content):
        reader.take(key, value)
    return reader.rules()


def target_of(url: str) -> bytes:
    """Return the path and query of a URL as Chrome requests it, in the form in which rules are compared."""
    try:
        whole = normalised(url)
    except ValueError:
        whole = url
    rest = whole.partition("#")[0].partition("://")[2] or whole
    start = min((at for at in (rest.find("/"), rest.find("?")) if at >= 0), default=len(rest))
    target = _comparable(rest[start:].encode("utf-8", "replace")[:MAX_TARGET], _ODD)
    return target if target.startswith(b"/") else b"/" + target


def path_of(value: bytes) -> bytes:
    """Return the path of a rule in the form in which it is compared, with `*`, and with `$` if that is its end."""
    if not value.startswith((b"/", b"*")):
        value = b"/" + value
    value, anchor = (value[:-1], b"$") if value.endswith(b"$") else (value, b"")
    return _comparable(value, _ODD_IN_PATTERN) + anchor


class _Reader:
    """Takes records in their order, and keeps what is of the crawler's groups and of `*`."""

    def __init__(self, token: bytes) -> None:
        self._token = token
        self._rules: dict[bytes, list[tuple[bytes, bool]]] = {}
        self._delays: dict[bytes, float] = {}
        self._sitemaps: list[str] = []
        self._current: set[bytes] = set()
        self._open = False
        """Whether the group's first lines are still being read; only rules end them (section 2.2.1)."""
        self._left = MAX_RULES

    def take(self, key: bytes, value: bytes) -> None:
        """Take one record."""
        if key in AGENT:
            self._begin(value)
        elif key in SITEMAP:
            self._sitemaps.append(value.decode("utf-8", "replace"))
        elif key in DELAY:
            self._delay(value)
        else:
            self._open = False
            if value and self._left and self._current:
                self._left -= 1
                rule = path_of(value), key in ALLOW
                for agent in self._current:
                    self._rules[agent].append(rule)

    def _begin(self, value: bytes) -> None:
        if not self._open:
            self._current, self._open = set(), True
        named = _TOKEN.match(value)
        agent = b"*" if value.split(None, 1)[:1] == [b"*"] else named.group().lower() if named else b""
        if agent in (self._token, b"*"):
            self._rules.setdefault(agent, [])
            self._current.add(agent)

    def _delay(self, value: bytes) -> None:
        try:
            delay = float(value)
        except ValueError:
            return
        if math.isfinite(delay) and delay >= 0:
            for agent in self._current:
                self._delays[agent] = max(delay, self._delays.get(agent, 0.0))

    def rules(self) -> Rules:
        """Return what was read."""
        agent = self._token if self._token in self._rules else b"*"
        return Rules(self._rules.get(agent, []), crawl_delay_s=self._delays.get(agent), sitemaps=tuple(self._sitemaps))


def _records(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the keys and values of lines that mean something; a line of another kind has no effect on the others."""
    for raw in _LINES.split(_utf8(content[:MAX_BYTES])):
        line = raw.partition(b"#")[0].strip(b" \t\0\f\v")
        key, colon, value = line.partition(b":")
        key = key.strip().lower()
        if not colon:  # "Disallow /private"
            key, _, value = line.partition(b" ")
            key = key.lower()
        if key in KEYS:
            yield key, value.strip()


def _utf8(content: bytes) -> bytes:
    """Return the content without its byte order mark, in UTF-8 if that says UTF-16.

    Bytes of other encodings stay as they are: so a rule in Latin-1 matches a URL with the same bytes.
    """
    for mark, encoding in ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
        if content.startswith(mark):
            return content[len(mark) :].decode(encoding, "replace").encode("utf-8", "replace")
    return content.removeprefix(codecs.BOM_UTF8)


def _comparable(octets: bytes, odd: re.Pattern[bytes]) -> bytes:
    """Return a path and query with the escapes of section 2.2.2.

    Escapes of letters, digits and `-._~` are decoded, other octets that a URL has only as escapes are encoded. The RFC
    encodes reserved characters in both; we decode `:` and `@`, and in the query `/` and `?`, with the same outcome, so
    that `*` in a rule may stand for a query. `%2F` in a path stays different from `/`, and `%3F` from `?`.
    """
    path, mark, query = octets.partition(b"?")
    return _escaped(path, odd, _PLAIN_IN_PATH) + mark + _escaped(query, odd, _PLAIN_IN_QUERY)


def _escaped(octets: bytes, odd: re.Pattern[bytes], plain: frozenset[int]) -> bytes:
    def replaced(match: re.Match[bytes]) -> bytes:
        escape = match.group(1)
        if escape is None:
            return b"%%%02X" % match.group()[0]
        octet = int(escape, 16)
        return bytes((octet,)) if octet in plain else b"%" + escape.upper()

    return odd.sub(replaced, octets)


def _pattern(path: bytes, allow: bool) -> Pattern:
    anchored = path.endswith(b"$")
    parts = re.sub(rb"\*+", b"*", path.removesuffix(b"$")).split(b"*")
    return Pattern(len(path), allow, tuple(parts), anchored)
