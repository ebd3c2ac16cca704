"""A document that a comment cites is in the repository, and the lists of cases and measurements are complete."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "python" / "stillframe"
PHONE = ROOT / "phone"
CASES = "docs/design/acceptance-cases.md"
MEASURED = "docs/design/measured.md"
ROOMS = ("python", "phone", "rust", "tests", "bench", "tools", "examples")
NOT_OURS = {"installed", "node_modules", "__pycache__", "target", "cdp_types"}
DOCUMENT = re.compile(r"(?<![\w/.{}-])(?:[\w-]+/)*[\w-]+\.md\b")
OF_OTHERS = {"changelog.md", "SKILL.md"}
"""Documents that are not ours: npm's package devtools-protocol has a changelog, and agents read a skill."""
IS_MEASURED = re.compile(r"\(measured\b|, measured\)|, measured (?:on|with)\b|was measured on")
CASE = re.compile(r"(?<![A-Za-z0-9])([WTP])0?(\d{1,2})([bc])?(?![A-Za-z0-9])")
TEST_OF_CASE = re.compile(r"def test_([wtP])(\d{1,2})([bc])?_")


def code(*suffixes: str) -> Iterator[Path]:
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*")):
            if path.suffix in suffixes and not NOT_OURS & set(path.relative_to(ROOT).parts):
                yield path


@cache
def prose(path: Path) -> str:
    """Return the comments and the texts on lines of their own (docstrings) of a Python file; all of any other file."""
    text = path.read_text("utf-8")
    if path.suffix != ".py":
        return text
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    comments = [token.string for token in tokens if token.type == tokenize.COMMENT]
    texts = [
        node.value.value
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    ]
    return "\n".join([*comments, *texts])


def cited(text: str) -> set[str]:
    return set(DOCUMENT.findall(re.sub(r"https?://\S+", "", text))) - OF_OTHERS


def names(pattern: re.Pattern[str], text: str) -> set[str]:
    return {f"{kind.upper()}{int(number)}{part or ''}" for kind, number, part in pattern.findall(text)}


@cache
def listed() -> dict[str, str]:
    """Return the cases of the page, with their test module."""
    rows = re.findall(r"^\| ([WTP]\d+[bc]?) \|.*\| `([^`|]+)` \|$", (ROOT / CASES).read_text("utf-8"), re.MULTILINE)
    return dict(rows)


def test_a_citation_is_recognised_and_an_address_is_none() -> None:
    text = "as docs/design/settling.md and CONTRIBUTING.md say; https://example.org/explainer.md"
    assert cited(text) == {"docs/design/settling.md", "CONTRIBUTING.md"}


def test_every_document_that_a_comment_cites_exists() -> None:
    missing = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in code(".py", ".pyi", ".rs", ".js", ".sh")
        if ".md" in path.read_text("utf-8")  # to tokenize all files takes seconds
        for name in cited(prose(path))
        if not (ROOT / name).is_file() and not (path.parent / name).is_file()
    }
    assert not missing


def test_every_case_that_a_test_cites_is_listed() -> None:
    about_cases = [
        path
        for path in code(".py")
        if path.is_relative_to(ROOT / "tests") and CASES in path.read_text("utf-8") and CASES in prose(path)
    ]
    assert len(about_cases) > 10
    used = {name for path in about_cases for name in names(CASE, prose(path))}
    used |= {name for path in code(".py") for name in names(TEST_OF_CASE, path.read_text("utf-8"))}
    assert sorted(used - listed().keys()) == []


@pytest.mark.parametrize("prefix", ["W", "T", "P"])
def test_the_cases_are_numbered_without_a_gap(prefix: str) -> None:
    numbers = [int(re.sub(r"\D", "", name)) for name in listed() if name.startswith(prefix)]
    assert sorted(set(numbers)) == list(range(1, max(numbers) + 1))


UNNAMED = {"W35", "W36"}
"""Cases whose tests do not carry the number in their name."""


SLOW_TEST = re.compile(r"^@pytest\.mark\.slow\n(?:@.*\n)*(?:async )?def \w+", re.MULTILINE)


def test_a_slow_test_is_recognised() -> None:
    text = "@pytest.mark.slow\n@BOTH\nasync def test_w01_x():\n    pass\n\n\ndef test_w02_y(): ..."
    assert names(TEST_OF_CASE, SLOW_TEST.sub("", text)) == {"W2"}


def test_every_listed_case_has_a_test_that_always_runs_in_the_module_that_it_names() -> None:
    missing = {
        name: module
        for name, module in listed().items()
        if not (ROOT / module).is_file()
        or name not in UNNAMED | names(TEST_OF_CASE, SLOW_TEST.sub("", (ROOT / module).read_text("utf-8")))
    }
    assert not missing


def test_every_module_that_says_measured_is_in_the_list_of_measured_facts() -> None:
    relying = {
        path.relative_to(home).as_posix()
        for path in code(".py")
        for home in (SOURCE, PHONE)
        if path.is_relative_to(home)
        and IS_MEASURED.search(path.read_text("utf-8"))  # most have no such word, and need not be parsed
        and IS_MEASURED.search(prose(path))
    }
    rows = re.findall(r"^\| .* \| .* \| ([^|]*) \|$", (ROOT / MEASURED).read_text("utf-8"), re.MULTILINE)
    assert set(re.findall(r"`([\w/]+\.py)`", " ".join(rows))) == relying
