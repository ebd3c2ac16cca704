"""The names of docs/names.md are gone from the code, the tests, the benches and the documents."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
DOCUMENT = ROOT / "docs" / "names.md"
NAMES = DOCUMENT.read_text("utf-8")
REUSED = "Names that mean something else now"
BEHIND = "Classes and functions behind the public names"
SUFFIXES = frozenset({".py", ".pyi", ".js", ".md", ".sh"})
SKIPPED = frozenset({"cdp_types", "installed", "node_modules", "__pycache__"})
"""Folders of generated code, and of software that is not part of the repository."""


def sections() -> dict[str, str]:
    """Return the text below each heading of the document."""
    _, *parts = re.split(r"^## (.*)$", NAMES, flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def first_cells(text: str) -> Iterator[str]:
    """Yield what the first column of a table has in backticks."""
    for row in text.splitlines():
        if row.startswith("| "):
            yield from re.findall(r"`([^`]+)`", row.split("|")[1])


def old_names() -> set[str]:
    return {name for heading, text in sections().items() if heading != REUSED for name in first_cells(text)}


def pattern_of(name: str) -> str | None:
    """Return the expression that finds an old name in a text; None for a word that is common in English.

    Found are dotted and file paths, calls such as `page.capture()`, flags, and identifiers of more than one word.
    """
    if re.fullmatch(r"--[a-z-]+", name):
        return rf"(?<![\w-]){name}(?![\w-])"
    if re.fullmatch(r"(\w+\.)+\w+(\(\))?", name):
        return rf"\b{re.escape(name.removesuffix('()'))}" + (r"\(" if name.endswith("()") else r"\b")
    if re.fullmatch(r"[\w./]+/[\w./]*", name):
        return rf"\b{re.escape(name)}"
    if re.fullmatch(r"[A-Z]\w*[a-z][A-Z]\w*|[a-z]\w*_\w+", name):
        return rf"\b{name}\b"
    return None


def files() -> Iterator[Path]:
    for folder in ("python", "tests", "bench", "tools", "docs"):
        for path in (ROOT / folder).rglob("*.*"):
            if path.suffix in SUFFIXES and not SKIPPED & set(path.parts) and path not in (Path(__file__), DOCUMENT):
                yield path
    yield from (ROOT / name for name in ("README.md", "CONTRIBUTING.md"))


class OldName(NamedTuple):
    """A name to look for: its words, which a text must have before it is searched with the pattern."""

    name: str
    words: frozenset[str]
    pattern: re.Pattern[str]

    def lines(self, text: str) -> Iterator[int]:
        """Yield the lines that have the name."""
        if self.name.removesuffix("()") in text:  # much faster than the pattern
            yield from (text.count("\n", 0, hit.start()) + 1 for hit in self.pattern.finditer(text))


def searched() -> list[OldName]:
    return [
        OldName(name, frozenset(re.findall(r"\w+", name)), re.compile(pattern))
        for name in OLD
        if (pattern := pattern_of(name))
    ]


OLD = sorted(old_names() - {"idle_s", "timeout_ms"})
"""Private code still calls seconds `idle_s`, and `timeout_ms` is now the limit of a whole navigation."""


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("stillframe.settle.driver", "from stillframe.settle.driver import x", True),
        ("stillframe.settle", "stillframe.settling", False),
        ("page.capture()", "await page.capture()", True),
        ("page.capture()", "page.captures", False),
        ("page.session", "page.session_name", False),
        ("--text", "--text-limit 3", False),
        ("--text", "stillframe snapshot URL --text", True),
        ("SettleDriver", "SettleDrivers", False),
        ("tests/page/", "see tests/page/test_options.py", True),
    ],
)
def test_an_old_name_is_told_from_its_like(name: str, text: str, found: bool) -> None:
    expression = pattern_of(name)
    assert expression
    assert bool(re.search(expression, text)) is found


def test_the_document_has_the_names() -> None:
    assert len(OLD) > 200
    assert {"stillframe.page.page", "stillframe.Tier", "--deadline", "Deed"} <= set(OLD)


def test_no_old_name_is_left() -> None:
    names = searched()
    found = []
    for path in files():
        text = path.read_text("utf-8", "replace")
        words = set(re.findall(r"\w+", text))
        here = (old for old in names if old.words <= words)
        found += [f"{path.relative_to(ROOT)}:{line}: {old.name}" for old in here for line in old.lines(text)]
    assert not found


def test_no_class_has_an_old_name() -> None:
    """Words that are common in English too stand in texts, but name no class any more."""
    old = set(OLD)
    found = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in (ROOT / "python" / "stillframe").rglob("*.py")
        if "cdp_types" not in path.parts
        for name in re.findall(r"^class (\w+)", path.read_text("utf-8"), re.MULTILINE)
        if name in old
    ]
    assert not found


def test_the_new_modules_exist() -> None:
    rows = [row.split("|") for row in sections()["Modules"].splitlines() if row.startswith("| `")]
    new = [name for row in rows for name in re.findall(r"`([^`]+)`", row[2])]
    places = [ROOT.joinpath("python", *name.split(".")) for name in new]
    missing = [place for place in places if not place.is_dir() and not place.with_suffix(".py").is_file()]
    assert new
    assert not missing


def test_the_new_classes_and_functions_exist() -> None:
    """The last word of each new name is defined somewhere in the package."""
    source = "\n".join(path.read_text("utf-8") for path in (ROOT / "python" / "stillframe").rglob("*.py"))
    defined = set(re.findall(r"^ *(?:class|(?:async )?def) (\w+)", source, re.MULTILINE))
    rows = [row.split("|")[2] for row in sections()[BEHIND].splitlines() if row.startswith("| `")]
    new = {name.rpartition(".")[2] for cell in rows for name in re.findall(r"`([^`]+)`", cell)}
    assert new
    assert not new - defined
