"""Whole manuals, crawled by `stillframe crawl` and held against their HTML: `python -m bench.farm.whole [NAME …]`.

The oracle is lxml on the files that the server sends: it knows no browser, and nothing of ours. Space is left out of
the comparison, so it does not matter how lines are broken; every other character of each article has to be there in
its order, and each line of the text has to be a part of the page that is shown.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import http.server
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

import msgspec
from lxml import html

from bench.farm.manuals import MANUALS, Manual, built

REPOSITORY = Path(__file__).parents[2]
USAGE = 2
SHOWN = 5
"""How many faults of a kind are printed."""
LIMIT_S = 3_600.0
NEVER_SHOWN = "|".join(f".//{name}" for name in ("script", "style", "template", "noscript", "head", "title"))
HIDDEN = ".//*[@hidden]|.//details[not(@open)]/*[not(self::summary)]|.//option|.//textarea"
"""What no browser shows, with what is not text of the page."""
SPACE = re.compile(r"[\s\u200b\ufeff]+")


class Shown(msgspec.Struct, frozen=True):
    """What a page's HTML shows, without space: all of it, and its articles; `links` are paths of pages."""

    text: str
    articles: tuple[str, ...]
    links: tuple[str, ...]


class Outcome(msgspec.Struct, kw_only=True):
    """What the crawl of one manual did."""

    name: str
    pages: int
    characters: int = 0
    seconds: float = 0.0
    exit: int = 0
    missing: list[str] = msgspec.field(default_factory=list)
    twice: list[str] = msgspec.field(default_factory=list)
    failed: Counter[str] = msgspec.field(default_factory=Counter)
    lost: dict[str, str] = msgspec.field(default_factory=dict)
    not_shown: dict[str, list[str]] = msgspec.field(default_factory=dict)

    @property
    def right(self) -> bool:
        """Whether every page is there once, with every word and nothing else."""
        return not (self.exit or self.missing or self.twice or self.failed or self.lost or self.not_shown)


# -- what is compared: pure --------------------------------------------------------------------------


def squeezed(text: str) -> str:
    """Return a text without space, in lower case: style sheets break lines and write capitals."""
    return SPACE.sub("", text).lower()


def shown(content: bytes, path: str, article: str) -> Shown:
    """Return what a page shows."""
    tree = html.document_fromstring(content, parser=html.HTMLParser(encoding="utf-8"))
    links = tuple(found for link in tree.iter("a") if (found := path_of(link.get("href"), path)) is not None)
    for each in tree.xpath(f"{NEVER_SHOWN}|{HIDDEN}"):
        each.drop_tree()
    for comment in tree.xpath("//comment()"):
        comment.drop_tree()
    body = tree.find("body")
    return Shown(
        text=squeezed("" if body is None else body.text_content()),
        articles=tuple(squeezed(each.text_content()) for each in tree.xpath(article)),
        links=links,
    )


def path_of(href: str | None, page: str) -> str | None:
    """Return the path that a link leads to from the path of a page, None for another host and for no page."""
    if href is None:
        return None
    try:
        parts = urlsplit(urljoin(f"http://h{page}", href.strip()))
    except ValueError:
        return None
    return unquote(parts.path) or "/" if parts.netloc == "h" and parts.scheme == "http" else None


def file_of(root: Path, path: str) -> Path | None:
    """Return the HTML file that a server sends for a path."""
    found = root / path.lstrip("/")
    file = found / "index.html" if path.endswith("/") else found
    return file if file.is_file() and file.suffix == ".html" else None


def walked(root: Path, start: str, manual: Manual) -> dict[str, Shown]:
    """Return what all pages show that can be reached from one by the links of the HTML, by their paths."""
    found: dict[str, Shown] = {}
    ahead = [start]
    while ahead:
        path = ahead.pop()
        file = file_of(root, path)
        if path in found or file is None:
            continue
        found[path] = shown(file.read_bytes(), path, manual.article)
        ahead += found[path].links
    return found


def first_lost(article: str, text: str) -> str:
    """Return where an article differs from the text that should hold it, empty if the text does."""
    if article in text:
        return ""
    least, most = 0, len(article)
    while least < most:  # the longest beginning that is there
        middle = (least + most + 1) // 2
        least, most = (middle, most) if article[:middle] in text else (least, middle - 1)
    return f"…{article[max(0, least - 40) : least]}|{article[least : least + 60]}…"


def unshown(text: str, page: Shown) -> list[str]:
    """Return the lines of a text that are not part of what a page shows."""
    return [line for line in dict.fromkeys(text.splitlines()) if squeezed(line) not in page.text]


def judged(records: Sequence[Mapping[str, Any]], pages: Mapping[str, Shown], manual: Manual) -> Outcome:
    """Hold the records of a crawl against the pages that the HTML has."""
    counts = Counter(unquote(urlsplit(record["url"]).path) or "/" for record in records)
    outcome = Outcome(
        name=manual.name,
        pages=len(pages),
        missing=[path for path in pages if path not in counts],
        twice=[path for path, count in counts.items() if count > 1],
    )
    for record in records:
        path = unquote(urlsplit(record["url"]).path) or "/"
        page, text = pages.get(path), record.get("text", "")
        if "error" in record:
            outcome.failed[f"{record['error']['kind']} {path}"] += 1
        elif page is not None:
            outcome.characters += sum(map(len, page.articles))
            lost = "; ".join(filter(None, (first_lost(article, squeezed(text)) for article in page.articles)))
            if lost or not page.articles:
                outcome.lost[path] = lost or "it has no article"
            if extra := unshown(text, page):
                outcome.not_shown[path] = extra
    return outcome


# -- a crawl -----------------------------------------------------------------------------------------


class _Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder on loopback and yield the origin."""
    handler = functools.partial(_Handler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()


def crawled(manual: Manual, concurrency: int, kept: Path | None = None) -> Outcome:
    """Crawl a manual with the command line, into a folder that is kept if one is given, and judge the crawl."""
    root = built(manual, lambda said: print(said, file=sys.stderr, flush=True))
    pages = walked(root, "/", manual)
    if len(pages) < manual.least_pages:
        raise SystemExit(f"{manual.name}: {len(pages)} pages, not {manual.least_pages}: {root} is not built whole")
    with served(root) as origin, tempfile.TemporaryDirectory(prefix="bench-whole-") as folder:
        out, began = (kept or Path(folder)) / manual.name, time.monotonic()
        command = [sys.executable, "-m", "stillframe", "crawl", f"{origin}/", "--out", str(out)]
        done = subprocess.run(
            [*command, "--concurrency", str(concurrency), "--include", f"{origin}/**"],
            env={**os.environ, "PYTHONPATH": str(REPOSITORY / "python")},
            check=False,
            timeout=LIMIT_S,
        )
        seconds = time.monotonic() - began
        records = [msgspec.json.decode(line) for line in (out / "pages.jsonl").read_bytes().splitlines()]
    outcome = judged(records, pages, manual)
    outcome.seconds, outcome.exit = seconds, done.returncode
    return outcome


def lines_of(outcome: Outcome) -> list[str]:
    """Return what is printed of a manual: its figures, and the first faults of each kind."""
    faults = {
        "missing": outcome.missing,
        "twice": outcome.twice,
        "failed": list(outcome.failed),
        "lost": [f"{path}: {lost}" for path, lost in outcome.lost.items()],
        "not shown": [f"{path}: {lines[:SHOWN]}" for path, lines in outcome.not_shown.items()],
    }
    figures = ", ".join(f"{len(found)} {name}" for name, found in faults.items())
    head = (
        f"{outcome.name}: {outcome.pages} pages, {outcome.characters} characters in articles, {outcome.seconds:.0f} s, "
        f"{outcome.pages / max(outcome.seconds, 0.1):.1f} pages/s, exit {outcome.exit}: {figures}"
    )
    return [head, *(f"  {name}: {fault}" for name, found in faults.items() for fault in found[:SHOWN])]


def main(arguments: Sequence[str]) -> int:
    """Crawl the manuals that are named, or all; the exit code is 1 if one has a fault."""
    parser = argparse.ArgumentParser(prog="bench.farm.whole", description="Crawl whole manuals beside their HTML.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of: {', '.join(each.name for each in MANUALS)}")
    parser.add_argument("--concurrency", type=int, default=4, help="pages open at once")
    parser.add_argument("--out", type=Path, help="a folder to keep the crawls in")
    options = parser.parse_args(arguments)
    manuals = [each for each in MANUALS if not options.names or each.name in options.names]
    if unknown := {*options.names} - {each.name for each in manuals}:
        print(f"no such manual: {', '.join(sorted(unknown))}; {parser.format_help()}", file=sys.stderr)
        return USAGE
    outcomes = [crawled(manual, options.concurrency, options.out) for manual in manuals]
    for outcome in outcomes:
        print(*lines_of(outcome), sep="\n", flush=True)
    return int(not all(outcome.right for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
