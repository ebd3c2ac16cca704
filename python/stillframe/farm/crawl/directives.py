"""What a page asks of crawlers: robots directives of the document and its headers, nofollow, canonical, refreshes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from urllib.parse import urljoin

import msgspec

from stillframe.farm.loading.links import is_web, without_credentials
from stillframe.farm.output.frame_texts import Asks

MOST, LONGEST = 20, 100
"""How many directives are kept, and how many characters of each; the known ones are ten and short."""
ALL_OF_THEM = {"none": ("noindex", "nofollow")}
WITH_VALUE = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})
"""Directives that have a value after a colon; any other word there is the name of a crawler."""
HEADER = "x-robots-tag"
REFRESH = re.compile(
    r"""\s*[\d.]+[\s;,]+(?:url\s*=\s*|(?!url\s*=))(?:"([^"]*)|'([^']*)|([^"'].*))""", re.IGNORECASE | re.DOTALL
)
"""The HTML standard, "shared declarative refresh steps": seconds, then the URL with or without `url=` and quotes."""


class Directives(msgspec.Struct, frozen=True, kw_only=True):
    """What a page asks: `nofollow` are links that it does not vouch for, `refresh` is where it leads by itself."""

    robots: tuple[str, ...] = ()
    canonical: str | None = None
    refresh: str | None = None
    nofollow: frozenset[str] = frozenset()

    @property
    def is_nofollow(self) -> bool:
        """Whether none of its links are to be followed."""
        return "nofollow" in self.robots

    @property
    def is_noindex(self) -> bool:
        """Whether it is not to be kept."""
        return "noindex" in self.robots


def directives_of(asks: Asks | None, headers: Mapping[str, str], url: str) -> Directives:
    """Return what a document, None for a file without one, and the headers of the response of a URL ask."""
    asks = asks or Asks()
    return Directives(
        robots=words((*asks.robots, *header_texts(headers.get(HEADER, "")))),
        canonical=_url(asks.canonical),
        refresh=_url(asks.refresh or header_refresh(headers.get("refresh", ""), url)),
        nofollow=frozenset(without_credentials(url) for url in asks.nofollow),
    )


def words(texts: Iterable[str]) -> tuple[str, ...]:
    """Return directives in lower case, each once; `none` stands for two."""
    listed = [word.strip().lower()[:LONGEST] for text in texts for word in text.split(",") if word.strip()]
    return tuple(dict.fromkeys(one for word in listed for one in ALL_OF_THEM.get(word, (word,))))[:MOST]


def header_texts(value: str) -> list[str]:
    """Return the parts of `X-Robots-Tag` that are for every crawler.

    A header may begin with the name of a crawler and a colon; what follows is for that one, up to the next name.
    """
    texts = []
    for line in value.split("\n"):
        is_ours = True
        for part in line.split(","):
            name = NAMED.match(part)
            if name is not None and name[1].lower() not in WITH_VALUE:
                is_ours = name[1] == "*"
                part = part[name.end() :]
            if is_ours:
                texts.append(part)
    return texts


def header_refresh(value: str, base: str) -> str | None:
    """Return where the header `Refresh` of a response leads, None if nowhere else."""
    found = REFRESH.match(value)
    written = "" if found is None else next(filter(None, found.groups()), "").strip()
    try:
        return urljoin(base, written) if written else None
    except ValueError:  # an address without an end, as in `http://[`
        return None


NAMED = re.compile(r"\s*([\w*-]+)\s*:")


def _url(url: str | None) -> str | None:
    return without_credentials(url) if url is not None and is_web(url) else None
