"""The documents of the repository as the tests read them: blocks of code, tables, headings and links."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
SKILL = ROOT / "python" / "stillframe" / "cli" / "skill"
PATHS = (
    *(ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "phone" / "README.md", *sorted(DOCS.rglob("*.md"))),
    *(SKILL / "SKILL.md", SKILL / "llms.txt"),
)
FENCE = re.compile(r"^( *)```(\w*)[^\n]*\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
REPOSITORY = "https://github.com/stillframe/stillframe/"


class Block(NamedTuple):
    """A block of code: where it stands, its language and text, and what it leans on."""

    path: Path
    line: int
    language: str
    text: str
    html: str | None
    """The nearest HTML block above it in the same document."""
    output: str | None
    """The text block right below it."""

    @property
    def name(self) -> str:
        """The place of the block, for the names of tests."""
        return f"{self.path.relative_to(ROOT)}:{self.line}"


def blocks(path: Path) -> list[Block]:
    """Return the blocks of code of a document, in their order."""
    text, html = path.read_text("utf-8"), None
    found = list(FENCE.finditer(text))
    made = []
    for match, below in zip(found, [*found[1:], None], strict=False):
        language, code = match[2], _without_indent(match[3], match[1])
        output = _without_indent(below[3], below[1]) if below and _is_output(match, below, text) else None
        made.append(Block(path, text.count("\n", 0, match.start()) + 1, language, code, html, output))
        html = code if language == "html" else html
    return made


def _is_output(block: re.Match[str], below: re.Match[str], text: str) -> bool:
    """Whether a text block belongs to the block above it: at most one line of words stands between them."""
    return below[2] == "text" and text[block.end() : below.start()].strip().count("\n") == 0


def _without_indent(text: str, indent: str) -> str:
    return re.sub(rf"^{indent}", "", text, flags=re.MULTILINE)


def all_blocks(language: str) -> list[Block]:
    """Return the blocks of one language of all documents."""
    return [block for path in PATHS for block in blocks(path) if block.language == language]


def prose(path: Path) -> str:
    """Return a document without its blocks of code."""
    return FENCE.sub("", path.read_text("utf-8"))


def table(path: Path, heading: str) -> list[list[str]]:
    """Return the rows of the first table whose head begins with `heading`, as cells."""
    _, _, rest = path.read_text("utf-8").partition(f"\n| {heading} |")
    assert rest, f"{path.relative_to(ROOT)} has no table {heading!r}"
    rows = rest.partition("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", row.strip("|"))] for row in rows]


def names_in(cell: str) -> list[str]:
    """Return what a cell has in backticks."""
    return re.findall(r"`([^`]+)`", cell)


class Link(NamedTuple):
    """A link from one document to a file, and to a heading of it."""

    path: Path
    target: str
    anchor: str

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)} -> {self.target}{'#' * bool(self.anchor)}{self.anchor}"


def links(path: Path) -> Iterator[Link]:
    """Yield the links of a document, images included."""
    for address in re.findall(r"\]\(([^)\s]+)(?: \"[^\"]*\")?\)", re.sub(r"`[^`\n]*`", "", prose(path))):
        target, _, anchor = address.partition("#")
        yield Link(path, target, anchor)


@cache
def anchors(path: Path) -> frozenset[str]:
    """Return the anchors of the headings of a document, as GitHub and the site make them."""
    headings = re.findall(r"^#+ (.*)$", prose(path), re.MULTILINE)
    plain = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading) for heading in headings]
    named = [re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in plain]
    return frozenset(re.sub(r"-+", "-", name) for name in named) | frozenset(named)
