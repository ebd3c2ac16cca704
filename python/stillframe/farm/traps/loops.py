"""Pages that are the same at every depth: relative links on them lead ever deeper, as `a/b/` does from `/x/a/b/`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from urllib.parse import unquote_plus

import msgspec

from stillframe.farm.traps.novelty import MAX_TEXT, WORD
from stillframe.farm.traps.shapes import MAX_URL, repeated, without_query
from stillframe.farm.traps.sketches import Alike, Recent, Seen

MAX_FOLDERS = 1_000
"""How many kinds of pages are remembered, by the name of their folder and their links."""
MAX_ALIKE = 4
"""How many different pages of each kind."""
ALIKE = 0.8
"""Which share of their words two copies have in common: a motto and the name of a visitor may differ. Our choice."""
COPIES = "(copies)"


class Path(msgspec.Struct, frozen=True):
    """The host and the segments of a path."""

    host: str
    segments: Sequence[str]

    @property
    def again(self) -> str | None:
        """The first segment that comes twice, if any."""
        return repeated(self.segments)

    @property
    def traps(self) -> tuple[str, str]:
        """The traps that pages below may belong to: of the whole host, and of its section."""
        return f"{self.host}/** {COPIES}", f"{self.host}/{'/'.join(self.segments[:1])}/** {COPIES}"

    def trap(self, again: str) -> str:
        """Return the trap of a path with a segment that comes twice: of what is above the first of the two."""
        return self.traps[self.segments.index(again) > 0]


def path_of(url: str) -> Path:
    """Return the path of a URL; of a folder, if it ends with a slash."""
    host, *segments = without_query(url[:MAX_URL]).partition("://")[2].strip("/").split("/")
    return Path(host.lower(), segments)


class Loops:
    """Which pages were copies of others that are less deep, and what they linked to, as one worker has seen them."""

    def __init__(self) -> None:
        self._pages: Recent[list[tuple[int, Alike]]] = Recent(MAX_FOLDERS)
        self._below = Seen(1 << 20)
        self._any_below = False

    def visited(self, url: str, title: str, text: str, links: Iterable[str]) -> bool:
        """Take a page in, and return whether it is a copy.

        A copy has nearly the same words as a page in a folder of the same name that is less deep, beside numbers,
        words of its path and those of these links, and the same links to what is below its folder.
        """
        folder = folder_of(url)
        below = {link for link in links if link.startswith(folder) and link != url} if folder.count("/") > 3 else set()
        if not below or not self._is_copy(folder, below, words_of(url, title, text, below)):
            return False
        self._any_below = True
        for link in below:
            self._below.add(link)
        return True

    def _is_copy(self, folder: str, below: Iterable[str], words: Alike) -> bool:
        path = path_of(folder)
        relative = frozenset(link.removeprefix(folder) for link in below)
        pages, depth = self._pages.get((path.host, path.segments[-1], relative), list), len(path.segments)
        alike = [at for at, (_, other) in enumerate(pages) if words.share(other) >= ALIKE]
        if any(pages[at][0] < depth for at in alike):
            return True
        others = [each for at, each in enumerate(pages) if at not in alike]
        pages[:] = [*others[-MAX_ALIKE + 1 :], (depth, words)]
        return False

    def is_below(self, link: str) -> bool:
        """Return whether a copy has linked to this as to a page below it."""
        return self._any_below and link in self._below


def folder_of(url: str) -> str:
    """Return a URL up to the last slash of its path."""
    return without_query(url[:MAX_URL]).rpartition("/")[0] + "/"


def words_of(url: str, title: str, text: str, links: Iterable[str]) -> Alike:
    """Return the words of a page without those of its URL and of links."""
    own = set(WORD.findall(unquote_plus(" ".join([url, *links])).casefold()))
    words = WORD.findall(f"{title} {text[:MAX_TEXT]}".casefold())
    return Alike({word for word in words if not word[0].isdigit()} - own)
