"""The entries of an XML sitemap: of urlset, sitemapindex, RSS and Atom, with any namespace prefix or none.

lxml reads the XML, with `recover`, so that a fault costs what it touches and not the rest. It gets no entity but the
five of XML: a bare `&` and an entity of a DTD reach it as text, so nothing is expanded and nothing loaded.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping

from lxml import etree

from stillframe.farm.sitemaps.entries import MAX_LOC, UNDECODED, Entry, Kind, Problems, cleaned, fault_of, joined

ROOTS = frozenset({"urlset", "sitemapindex", "rss", "feed", "rdf"})
HOLDERS = {"url": "loc", "sitemap": "loc", "item": "link", "entry": "link"}
"""The elements that are one entry each, with the child that has its URL."""
TIMES = frozenset({"lastmod", "pubdate", "updated", "date"})
KEPT = TIMES | {"priority", "guid"}
MAX_META = 100
CDATA, CDATA_END = "<![CDATA[", "]]>"
REFERENCE = re.compile(r"&(?:(?:amp|lt|gt|quot|apos);|#(?:([0-9]{1,7})|x([0-9a-fA-F]{1,6}));)?")
CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
LONGEST_REFERENCE = 10


class XmlEntries:
    """Takes text, and yields entries; `root` is the name of the root element, `complete` whether it has ended."""

    def __init__(self, base: str, problems: Problems) -> None:
        self._target = _Target(base, problems)
        self._problems = problems
        self._escape = _Escape()
        self._parser = etree.XMLParser(
            target=self._target,
            encoding="utf-8",
            recover=True,
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            huge_tree=False,
        )
        self._tail = ""
        self._ended = False

    @property
    def root(self) -> str | None:
        """The local name of the root element, in lower case; None before it."""
        return self._target.root

    @property
    def complete(self) -> bool:
        """Whether the root element has ended; a parser that recovers may have lost its end among faults."""
        return self._target.complete or re.search(rf"</(?:[\w.-]+:)?{self.root}\s*>", self._tail, re.I) is not None

    def feed(self, text: str) -> Iterator[Entry]:
        """Yield the entries that this text ends."""
        self._tail = (self._tail + text)[-1_000:]
        yield from self._parse(self._escape.feed(text))

    def close(self, *, cut: bool) -> Iterator[Entry]:  # noqa: ARG002  as a list has it
        """Yield the entry that is complete but for its end, in a file that was cut."""
        yield from self._parse(self._escape.close())
        if not self._ended and self.root is not None:
            try:
                self._parser.close()
            except etree.XMLSyntaxError as error:
                self._problems.name(f"malformed: {error}")
        for fault in self._parser.feed_error_log:  # the first 100
            self._problems.name(f"malformed: line {fault.line}: {fault.message}")
        self._target.flush()
        yield from self._target.taken()

    def _parse(self, text: str) -> Iterator[Entry]:
        if text and not self._ended:
            try:
                self._parser.feed(text.encode())
            except etree.XMLSyntaxError as error:
                self._ended = True
                self._problems.name(f"malformed: {error}")
        yield from self._target.taken()


class _Target:
    """Hears the elements of a document; keeps one entry, and the names of the elements that are open."""

    def __init__(self, base: str, problems: Problems) -> None:
        self.root: str | None = None
        self.complete = False
        self._base = base
        self._problems = problems
        self._open: list[tuple[str, str]] = []
        self._text: list[str] | None = None
        self._size = 0
        self._loc: str | None = None
        self._kind: Kind = "page"
        self._meta: dict[str, str] = {}
        self._permalink = True
        self._taken: list[Entry] = []

    def taken(self) -> list[Entry]:
        """Return the entries since the last call."""
        taken, self._taken = self._taken, []
        return taken

    # -- what the parser calls ---------------------------------------------------------------------

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Begin an element."""
        namespace, _, name = tag.rpartition("}")
        name = name.lower()
        if self.root is None:
            self.root = name
        if name in HOLDERS:
            self.flush()
        self._open.append((namespace, name))
        self._text = None
        holder = self._holder()
        if holder is None:
            return
        if holder == "entry" and name == "link" and attributes.get("rel", "alternate") == "alternate":
            self._locate(joined(self._base, attributes.get("href", "").strip()), holder)
        if name == "guid":
            self._permalink = attributes.get("isPermaLink", "true").lower() != "false"
        if name == HOLDERS[holder] or name in KEPT:
            self._text, self._size = [], 0

    def data(self, text: str) -> None:
        """Take text of the element that is open."""
        if self._text is not None and self._size <= MAX_LOC:
            self._text.append(text)
            self._size += len(text)

    def end(self, tag: str) -> None:
        """End an element; what is open inside of it ends as well."""
        namespace, _, name = tag.rpartition("}")
        name = name.lower()
        holder = self._holder()
        if holder is not None and self._text is not None and self._open[-1] == (namespace, name):
            self._value(holder, name, "".join(self._text))
        self._text = None
        while self._open and self._open.pop() != (namespace, name):
            pass
        if name in HOLDERS:
            self.flush()
        if not self._open:
            self.complete = True

    def close(self) -> None:
        """End the document."""

    # -- entries -----------------------------------------------------------------------------------

    def _holder(self) -> str | None:
        """Return the entry whose child is open; None for children of another namespace, as image:loc."""
        if len(self._open) < 2:
            return None
        (around, holder), (namespace, name) = self._open[-2:]
        known = holder in HOLDERS and (namespace == around or name == "date")
        return holder if known else None

    def _value(self, holder: str, name: str, text: str) -> None:
        if name in TIMES:
            self._meta.setdefault("lastmod", text.strip()[:MAX_META])
        elif name == "guid":
            if self._permalink:
                self._meta["guid"] = text
        elif name == "priority":
            self._meta["priority"] = text.strip()[:MAX_META]
        elif name == "loc" or text.strip():
            self._locate(text, holder)

    def _locate(self, loc: str, holder: str) -> None:
        if self._loc is not None:
            self._emit(self._loc)
        self._loc, self._kind = loc, "sitemap" if holder == "sitemap" else "page"

    def flush(self) -> None:
        """End the entry that is being read, if it has a URL."""
        loc = self._loc if self._loc is not None else self._meta.get("guid")
        if loc is not None:
            self._emit(loc)
        self._loc, self._kind, self._meta, self._permalink = None, "page", {}, True

    def _emit(self, loc: str) -> None:
        url = cleaned(loc)
        fault = fault_of(url)
        if fault is not None:
            self._problems.skip(url, fault)
            return
        meta = self._meta
        self._taken.append(Entry(url=url, kind=self._kind, lastmod=meta.get("lastmod"), priority=meta.get("priority")))


class _Escape:
    """Makes text of each `&` that is not a reference XML knows, outside of CDATA; drops control characters."""

    def __init__(self) -> None:
        self._waiting = ""
        self._in_cdata = False

    def feed(self, text: str) -> str:
        self._waiting += text
        return "".join(self._parts())

    def close(self) -> str:
        rest, self._waiting = self._waiting, ""
        return self._escaped(rest)

    def _parts(self) -> Iterator[str]:
        text, at = self._waiting, 0
        while (found := text.find(self._mark, at)) >= 0:
            end = found + len(self._mark)
            yield self._escaped(text[at:found]) + self._mark
            at, self._in_cdata = end, not self._in_cdata
        # The beginning of a mark or of a reference waits for the rest.
        if self._in_cdata:
            keep = max(at, len(text) - len(CDATA_END) + 1)
        else:
            last = len(text) - LONGEST_REFERENCE
            keep = max(text.rfind("<", max(at, last)), text.rfind("&", max(at, last)))
            keep = len(text) if keep < 0 else keep
        self._waiting = text[keep:]
        yield self._escaped(text[at:keep])

    @property
    def _mark(self) -> str:
        return CDATA_END if self._in_cdata else CDATA

    def _escaped(self, text: str) -> str:
        text = CONTROL.sub(UNDECODED, text)
        return text if self._in_cdata else REFERENCE.sub(_reference, text)


def _reference(match: re.Match[str]) -> str:
    """Return a reference that XML knows as it is, and another one as text."""
    if len(match[0]) == 1:
        return "&amp;"
    if match.lastindex is None:
        return match[0]
    code = int(match[1]) if match[1] else int(match[2], 16)
    return match[0] if code <= sys.maxunicode and CONTROL.match(chr(code)) is None else UNDECODED
