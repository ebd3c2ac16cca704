#!/usr/bin/env python3
"""Check the built documentation: every link and image in it leads somewhere, and no page loads from another server.

    tools/check_site.py site

Exit code 0 if all is well, 1 with a line for every problem otherwise. Links to other servers are not followed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

LOADS = {"img": "src", "script": "src", "link": "href", "iframe": "src", "source": "src", "video": "src"}
"""The attribute by which an element loads a file."""
NOT_LOADED = frozenset({"canonical", "next", "prev", "alternate"})
"""Kinds of `<link>` that name a page and load nothing."""


class Reference(NamedTuple):
    """Something that a page links or loads."""

    url: str
    loaded: bool


class Page(HTMLParser):
    """The anchors and the references of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.references: list[Reference] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.anchors.update(value for name in ("id", "name") if (value := values.get(name)))
        attribute = "href" if tag == "a" else LOADS.get(tag, "")
        if attribute in values and not NOT_LOADED & set(values.get("rel", "").split()):
            self.references.append(Reference(values[attribute], loaded=tag != "a"))


def problems(site: Path) -> Iterator[str]:
    """Yield what is wrong with a site, with the page it is wrong on."""
    pages = {path: Page(path.read_text("utf-8")) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        for reference in dict.fromkeys(page.references):
            if problem := problem_of(reference, path, site, pages):
                yield f"{path.relative_to(site)}: {reference.url} {problem}"


def problem_of(reference: Reference, path: Path, site: Path, pages: dict[Path, Page]) -> str:
    """Return what is wrong with a reference of a page; an empty text if nothing is."""
    url = urlsplit(reference.url)
    if url.scheme or url.netloc:
        return "is loaded from another server" if reference.loaded and url.scheme != "data" else ""
    target = (site / url.path.lstrip("/") if url.path.startswith("/") else path.parent / unquote(url.path)).resolve()
    target = path.resolve() if not url.path else target / "index.html" if target.is_dir() else target
    if not target.is_file():
        return "does not exist"
    known = pages.get(target)
    return "has no such heading" if url.fragment and known and unquote(url.fragment) not in known.anchors else ""


def main() -> int:
    site = Path(sys.argv[1]).resolve()
    found = list(problems(site))
    for problem in found:
        print(problem)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
