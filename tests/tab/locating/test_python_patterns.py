"""Python regular expressions in JavaScript: the same answers in Chrome as in Python, or a refusal that says why."""

from __future__ import annotations

import re

import pytest

from stillframe.api.browser import Page
from stillframe.errors import SelectorInvalid
from stillframe.tab.locating.python_patterns import javascript

TEXTS = (
    "",
    "Save",
    "save all",
    "Größe 7",
    "a-b_c",
    "٣ items",
    "12 items",
    "x{2} [y] (z)",
    "1/2 = 50 %",
    "aXb aXb",
    "$5.00 + $6",
    "naïve café",
    "日本語 テスト",
    "😀 smile",
    "a\\b",
    "tab-tab",
    "--",
    "]^",
    "two two",
    "AAA",
)

PATTERNS = (
    re.compile(""),
    re.compile("save", re.IGNORECASE),
    re.compile("^Save$"),
    re.compile(r"\ASave\Z"),
    re.compile(r"\ASave\Z", re.MULTILINE),
    re.compile("(?i)SAVE ALL"),
    re.compile(r"\d+ items"),
    re.compile(r"\d+ items", re.ASCII),
    re.compile(r"\w+ \d"),
    re.compile(r"^\w+ \d", re.ASCII),
    re.compile(r"\bröße"),
    re.compile(r"\Bröße\b"),
    re.compile(r"caf\b", re.ASCII),
    re.compile(r"caf\b"),
    re.compile(r"[\w-]{5}"),
    re.compile(r"[^\W\d_]{4,}"),
    re.compile(r"^[\W_]+$"),
    re.compile(r"[^\w\s]"),
    re.compile(r"[\D]"),
    re.compile(r"^\S+\s\S+$"),
    re.compile(r"^\S+\s\S+$", re.ASCII),
    re.compile(r"x{2}"),
    re.compile(r"x\{2\} \[y\]"),
    re.compile(r"x{a}|\(z"),
    re.compile(r"A{,2}$"),
    re.compile(r"A{3}"),
    re.compile(r"A{2,}?A"),
    re.compile(r"1/2"),
    re.compile(r"[/]2"),
    re.compile(re.escape("$5.00 + $6")),
    re.compile(re.escape("1/2 = 50 %")),
    re.compile(re.escape("a-b_c")),
    re.compile(r"(?P<word>\w+) (?P=word)"),
    re.compile(r"(\w+) \1"),
    re.compile(r"(a)Xb a\1?X"),
    re.compile(r"(?:two ){1,2}two"),
    re.compile(r"two(?= two)"),
    re.compile(r"two(?! two)"),
    re.compile(r"(?<=two )two"),
    re.compile(r"(?<!two )two"),
    re.compile(r"[]^]{2}"),
    re.compile(r"[^]^]"),
    re.compile(r"[a\-]b"),
    re.compile(r"[+-\-]"),
    re.compile(r"\x41{3}"),
    re.compile("\\u65e5\\u672c"),
    re.compile("\\U0001F600"),
    re.compile(r"\N{GRINNING FACE} s"),
    re.compile("^. smile"),
    re.compile(r"\101{3}"),
    re.compile(r"a\\b"),
    re.compile(r"[\\]"),
    re.compile(r"(?#a comment)Save"),
    re.compile("two  # the first\n \\  two", re.VERBOSE),
    re.compile("[ ] items", re.VERBOSE),
    re.compile("item.$|(?i:)") if False else re.compile("item.$", re.DOTALL | re.MULTILINE),
    re.compile(r"^$"),
    re.compile("ÏVE", re.IGNORECASE),
    re.compile("a|b|"),
    re.compile(r"\$5\.00 \+"),
    re.compile(r"[.*+?]"),
    re.compile(r"(?:)+?"),
    re.compile(r"[\b]"),
    re.compile(r"\t|\n|\f|\v|\a|\r"),
    re.compile("}|]"),
)

SEARCH = """([pairs, texts]) => pairs.map(([source, flags]) => texts.map((text) => {
  const found = new RegExp(source, flags).exec(text);
  return found && found[0];
}))"""


async def test_chrome_finds_what_python_finds(page: Page) -> None:
    pairs = [javascript(pattern) for pattern in PATTERNS]
    found = await page._tab.frames.main.call(SEARCH, [pairs, TEXTS])
    answers = {pattern.pattern: row for pattern, row in zip(PATTERNS, found, strict=True)}
    matches = {
        pattern.pattern: [(match := pattern.search(text)) and match[0] for text in TEXTS] for pattern in PATTERNS
    }
    assert answers == matches
    assert sum(match is not None for row in matches.values() for match in row) > 200


@pytest.mark.parametrize(
    ("pattern", "source", "flags"),
    [
        (re.compile("save", re.IGNORECASE), "save", "iu"),
        (re.compile("a.b", re.DOTALL | re.MULTILINE), "a.b", "msu"),
        (re.compile("a/b"), r"a\/b", "u"),
        (re.compile(""), "(?:)", "u"),
        (re.compile("a\nb"), r"a\u{a}b", "u"),
    ],
)
def test_the_source_is_one_line_without_slashes(pattern: re.Pattern[str], source: str, flags: str) -> None:
    assert javascript(pattern) == (source, flags)


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        (re.compile("a++b"), "'++b' at 1 is a possessive quantifier"),
        (re.compile("a{2}+b"), "'{2}+b' at 1 is a possessive quantifier"),
        (re.compile("x(?>ab)"), "'(?>ab)' at 1 is an atomic group"),
        (re.compile("(a)?(?(1)b|c)"), "'(?(1)b|c)' at 4 is a condition"),
        (re.compile("a(?i:b)"), "'(?i:b)' at 1 is a group with flags of its own"),
        (re.compile(b"a"), "it is for bytes"),
    ],
)
def test_what_javascript_lacks_is_refused_by_name(pattern: re.Pattern[str], reason: str) -> None:
    with pytest.raises(SelectorInvalid) as caught:
        javascript(pattern)
    assert reason in str(caught.value)
