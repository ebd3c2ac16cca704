"""What a sitemap holds: its entries, and the tally of those that are not URLs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urljoin, urlsplit

import msgspec

MAX_LOC = 8_192
"""Characters of a URL; the protocol allows 2,047, and servers hardly more than this."""
NAMED = 5
"""How many problems of one sitemap are named; the others are counted."""
SHOWN = 80
"""Characters of an entry in the description of its problem."""
UNDECODED = "\N{REPLACEMENT CHARACTER}"


Kind = Literal["page", "sitemap"]


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """A page that a sitemap names, or another sitemap; `lastmod` and `priority` are as the file has them."""

    url: str
    kind: Kind = "page"
    lastmod: str | None = None
    priority: str | None = None


@dataclass
class Problems:
    """The entries that were left out, and what else is wrong with a file: counted, and the first ones named."""

    skipped: int = 0
    named: list[str] = field(default_factory=list)

    def skip(self, loc: str, why: str) -> None:
        """Count an entry that is left out."""
        self.skipped += 1
        self.name(f"{why}: {loc[:SHOWN]!r}")

    def name(self, problem: str) -> None:
        """Describe a problem, if there is room."""
        if len(self.named) < NAMED:
            self.named.append(problem)


def cleaned(loc: str) -> str:
    """Return a URL as browsers read it: without spaces around it and without line breaks."""
    return loc.strip().translate(_BREAKS)


_BREAKS = {ord(each): None for each in "\t\r\n"}


def fault_of(url: str) -> str | None:
    """Return why a text is not the URL of a page, None if it is."""
    if len(url) > MAX_LOC:
        return "too long"
    if UNDECODED in url:
        return "characters that cannot be decoded"
    try:
        parts = urlsplit(url)
        good = parts.scheme.lower() in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    return None if good else "not an http or https URL"


def joined(base: str, reference: str) -> str:
    """Return a reference of an Atom feed as a URL, or as it is if it cannot be joined."""
    try:
        return urljoin(base, reference)
    except ValueError:
        return reference
