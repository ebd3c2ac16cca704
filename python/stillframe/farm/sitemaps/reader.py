"""The reader of sitemaps: chunks of bytes in, entries out. It does no I/O, and trusts nothing that it reads."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stillframe.farm.sitemaps.decoding import Decoder
from stillframe.farm.sitemaps.entries import MAX_LOC, Entry, Problems, cleaned, fault_of
from stillframe.farm.sitemaps.unpacking import MAX_BYTES, TRUNCATED, Unpacker
from stillframe.farm.sitemaps.xml_entries import ROOTS, XmlEntries

BLOCK = 16_384
"""Characters that are parsed at once. All blocks have this size, so the result does not depend on the network's."""
XML = re.compile(r"<\?xml|<(?:[\w.-]+:)?(?:urlset|sitemapindex|rss|feed|RDF)\b", re.I)
NOT_A_SITEMAP = "not_a_sitemap"


class SitemapReader:
    """Reads one sitemap: XML (urlset, sitemapindex, RSS, Atom) or a list of URLs, packed or not, in any encoding.

    Each call yields the entries that it completes, and is to be exhausted before the next. `failure` is a word for why
    the file is not complete, or no sitemap; what was read before that counts.

    Args:
        base: The URL of the sitemap, for the relative links of Atom.
        charset: The charset that the header of the response names.
        max_bytes: How much of the file is read, unpacked.
    """

    def __init__(self, base: str = "", charset: str | None = None, max_bytes: int = MAX_BYTES) -> None:
        self.failure: str | None = None
        self._problems = Problems()
        self._base = base
        self._unpacker = Unpacker(max_bytes)
        self._decoder = Decoder(charset)
        self._waiting = ""
        self._format: XmlEntries | _Lines | None = None

    @property
    def skipped(self) -> int:
        """How many entries were left out, because they are not URLs."""
        return self._problems.skipped

    @property
    def problems(self) -> tuple[str, ...]:
        """The first problems, described."""
        return tuple(self._problems.named)

    def feed(self, data: bytes) -> Iterator[Entry]:
        """Yield the entries that these bytes complete."""
        for piece in self._unpacker.feed(data):
            yield from self._blocks(self._decoder.feed(piece))

    @property
    def over(self) -> bool:
        """Whether more bytes would change nothing."""
        return self.failure is not None or self._unpacker.failure is not None

    def close(self, *, cut: bool = False) -> Iterator[Entry]:
        """Yield the entries at the end of the file; `cut` if it did not arrive whole."""
        for piece in self._unpacker.close():
            yield from self._blocks(self._decoder.feed(piece))
        yield from self._blocks(self._decoder.close())
        if self.failure is None:
            last, self._waiting = self._waiting, ""
            yield from self._parse(last)
        if self._format is not None and self.failure is None:
            yield from self._format.close(cut=cut or self._unpacker.failure is not None)
        self.failure = self.failure or self._unpacker.failure or (TRUNCATED if cut else self._judge())

    def _judge(self) -> str | None:
        match self._format:
            case None:
                return NOT_A_SITEMAP
            case _Lines():
                return None if self._format.good or not self._format.bad else NOT_A_SITEMAP
        if self._format.root not in ROOTS:
            return NOT_A_SITEMAP
        return None if self._format.complete else TRUNCATED

    def _blocks(self, text: str) -> Iterator[Entry]:
        self._waiting += text
        while len(self._waiting) >= BLOCK and self.failure is None:
            block, self._waiting = self._waiting[:BLOCK], self._waiting[BLOCK:]
            yield from self._parse(block)
        if self.failure is not None:
            self._waiting = ""

    def _parse(self, block: str) -> Iterator[Entry]:
        if self._format is None:
            block = block.lstrip("\ufeff \t\r\n\0")
            if not block:
                return
            found = XML.search(block)
            if found is None and not block.startswith("<"):
                self._format = _Lines(self._problems)
            else:
                self._format = XmlEntries(self._base, self._problems)
                block = block[found.start() :] if found is not None else block
        yield from self._format.feed(block)
        if isinstance(self._format, XmlEntries) and self._format.root not in (None, *ROOTS):
            self._problems.name(f"its root is <{self._format.root}>")
            self.failure = NOT_A_SITEMAP


class _Lines:
    """A list of URLs, one a line."""

    def __init__(self, problems: Problems) -> None:
        self.good = 0
        self.bad = 0
        self._problems = problems
        self._rest = ""

    def feed(self, text: str) -> Iterator[Entry]:
        *lines, self._rest = re.split(r"[\r\n]+", self._rest + text)
        self._rest = self._rest[: MAX_LOC + 1]
        for line in lines:
            yield from self._line(line)

    def close(self, *, cut: bool) -> Iterator[Entry]:
        if not cut:
            yield from self._line(self._rest)

    def _line(self, line: str) -> Iterator[Entry]:
        url = cleaned(line)
        if not url:
            return
        fault = fault_of(url)
        if fault is None:
            self.good += 1
            yield Entry(url=url)
        else:
            self.bad += 1
            self._problems.skip(url, fault)
