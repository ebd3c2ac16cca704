"""Split CSS selectors where the browser cannot match: across shadow roots, and at filters that CSS lacks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from stillframe.tab.locating.quoting import closing, collapse, invalid, masked, unquoted
from stillframe.tab.locating.steps import And, Css, Filter, HasText, Link, Nth, Step, Test, Text, Visible
from stillframe.tab.locating.words import pattern

MAX_DEPTH = 10
"""Pseudo-classes within one another; selectors that people write have two or three."""


def css_steps(text: str, css: str, *, first: bool) -> Iterable[tuple[Step, str]]:
    """Read CSS as steps, each with its source; raises SelectorInvalid. `first` means that no scope comes before."""
    mask = masked(text, css)
    pseudos = [found for found in _PSEUDO.finditer(css) if mask[found.start()] == ":"]
    if not pseudos:
        return [(_css(text, css, first=first), css)]
    if "," in mask:
        invalid(text, f"`{pseudos[0][0]}` is not allowed in a list of selectors; {_AS_FILTER}")
    return _with_filters(text, css, mask, first)


def _with_filters(text: str, css: str, mask: str, first: bool) -> Iterator[tuple[Step, str]]:
    """Read `:has-text()`, `:text()`, `:visible`, `:nth-match()` and the like as filters, and the rest as CSS."""
    plain = ""
    filters: list[tuple[Step, str]] = []
    for combinator, compound in _compounds(css, mask):
        if filters:
            yield _css(text, plain, first=first), plain
            yield from filters
            first = False
            plain = _scope_prefix(combinator)
        else:
            plain += combinator
        base, filters = _split_compound(text, compound)
        if compound.startswith(":nth-match(") and plain:
            invalid(text, f"`:nth-match` must begin the selector; {_AS_FILTER}")
        plain += base
    yield _css(text, plain, first=first), plain
    yield from filters


def _compounds(css: str, mask: str) -> Iterator[tuple[str, str]]:
    """Yield each compound of a selector with the combinator before it."""
    start, combinator = 0, ""
    for found in _COMBINATOR.finditer(mask):
        if found.start():
            yield combinator, css[start : found.start()]
        start, combinator = found.end(), found[0]
    yield combinator, css[start:]


def _scope_prefix(combinator: str) -> str:
    return "" if combinator.isspace() else f":scope {combinator.strip()} "


def _split_compound(text: str, compound: str) -> tuple[str, list[tuple[Step, str]]]:
    """Split a compound into its CSS and its filters."""
    plain: list[str] = []
    filters: list[tuple[Step, str]] = []
    mask = masked(text, compound)
    at = 0
    for found in _PSEUDO.finditer(compound):
        if mask[found.start()] != ":":
            continue
        plain.append(compound[at : found.start()])
        base, step, at = _pseudo(text, compound, found)
        plain.append(base)
        filters.append((step, compound[found.start() : at]))
    plain.append(compound[at:])
    return "".join(plain) or "*", filters


def _pseudo(text: str, compound: str, found: re.Match[str]) -> tuple[str, Filter, int]:
    """Return the CSS and the filter of a pseudo-class, and where it ends."""
    if found[1] == "visible":
        return "", Visible(True), found.end()
    if found[1] in _TEXTS:
        words = _ARGUMENT.match(compound, found.end())
        if words is None:
            invalid(text, f':{found[1]} takes texts in quotes, as in :{found[1]}("…")')
        return "", And((_text_test(text, found[1], words),)), words.end()
    if found[1] == "has-text":
        words = _HAS_TEXT.match(compound, found.end())
        if words is None:
            invalid(text, ':has-text takes one text in quotes, as in :has-text("…")')
        return "", HasText(collapse(unquoted(text, words[1], ":has-text"))), words.end()
    whole = _NTH_MATCH.fullmatch(compound)
    if whole is None or not whole[1].strip():
        invalid(
            text, ":nth-match takes a selector and a number from 1, as in :nth-match(li, 3), and nothing may follow"
        )
    return whole[1].strip(), Nth(int(whole[2]) - 1), len(compound)


def _text_test(text: str, name: str, found: re.Match[str]) -> Text:
    """Read the argument of `:text()`, `:text-is()` or `:text-matches()`, which are Playwright's."""
    words = unquoted(text, found[1], f":{name}")
    if name != "text-matches":
        return Text(collapse(words), exact=name == "text-is")
    flags = unquoted(text, found[2], ":text-matches") if found[2] else ""
    source = f"/{words}/{flags}" if "/" not in words else f"/{words.replace('/', _SLASH)}/{flags}"
    expression = pattern(text, source)
    if expression is None:
        invalid(text, ':text-matches takes an expression and its flags, as in :text-matches("log ?in", "i")')
    return Text(expression[0], False, expression)


def _css(text: str, css: str, *, first: bool) -> Css:
    parts = _list(text, css)
    if not first:
        parts = [_relative(part) for part in parts]
    return Css(", ".join(parts), tuple(_links(text, part) for part in parts))


def _relative(part: str) -> str:
    return f":scope {part}" if part[0] in ">+~" else part


def _list(text: str, css: str) -> list[str]:
    """Split a selector list at its commas."""
    ends = [*(at for at, char in enumerate(masked(text, css)) if char == ","), len(css)]
    parts = [css[start:end].strip() for start, end in zip([0, *(end + 1 for end in ends)], ends, strict=False)]
    if not all(parts):
        invalid(text, "the CSS list contains an empty selector")
    return parts


def _links(text: str, part: str, depth: int = 0) -> tuple[Link, ...]:
    """Split a complex selector into its compounds, each with the combinator before it."""
    compounds = _compounds(part, masked(text, part))
    return tuple((combinator.strip() or combinator[:1], *_tests(text, one, depth)) for combinator, one in compounds)


def _tests(text: str, compound: str, depth: int) -> tuple[str, str, tuple[Test, ...]]:
    """Return a compound; and if it has tests that may cross shadow roots, its other parts, and these tests."""
    mask = masked(text, compound)
    base: list[str] = []
    tests: list[Test] = []
    at = 0
    for found in _NESTING.finditer(compound):
        if mask[found.start()] != ":":
            continue
        end = found.end() if found[1] is None else closing(compound, found.end())
        test = _test(text, found, compound[found.end() : end - 1], depth)
        if test is not None:
            base.append(compound[at : found.start()])
            tests.append(test)
            at = end
    return compound, "".join([*base, compound[at:]] if tests else base) or "*" * bool(tests), tuple(tests)


def _test(text: str, found: re.Match[str], argument: str, depth: int) -> Test | None:
    """Return a pseudo-class as a test; None if the browser can match it, because it never crosses a shadow root."""
    if found[1] is None:
        return "scope", ()
    if _WITHIN_A_TREE.fullmatch(argument) or not argument.strip():
        return None
    if depth == MAX_DEPTH:
        invalid(text, f"its pseudo-classes are nested more than {MAX_DEPTH} deep")
    name = found[1].lower()
    parts = tuple(_links(text, part, depth + 1) for part in _list(text, argument))
    return (name, parts) if name == "has" or any(map(_crosses, parts)) else None


def _crosses(links: tuple[Link, ...]) -> bool:
    """Return whether a selector means more than one compound, or names its scope."""
    return len(links) > 1 or any(tests for _, _, _, tests in links)


_COMBINATOR = re.compile(r"\s*[>+~]\s*|\s+")
_NESTING = re.compile(r":(?:(is|where|not|has)\(|scope(?![\w-]))", re.IGNORECASE)
_WITHIN_A_TREE = re.compile(r"\s*\*\s*>\s*\*\s*")
"""The only argument whose `>` ends at a shadow root: whether an element has a parent in its own tree. The core asks."""
_PSEUDO = re.compile(r":(has-text|visible|nth-match|text(?:-is|-matches)?(?=\())(?![\w-])")
_TEXTS = ("text", "text-is", "text-matches")
_SLASH = r"\/"
_QUOTED = r"""("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')"""
_ARGUMENT = re.compile(rf"\(\s*{_QUOTED}\s*(?:,\s*{_QUOTED}\s*)?\)", re.DOTALL)
_HAS_TEXT = re.compile(r"""\(\s*("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')\s*\)""", re.DOTALL)
_NTH_MATCH = re.compile(r":nth-match\((.*),\s*0*([1-9][0-9]{0,8})\s*\)", re.DOTALL | re.ASCII)
_AS_FILTER = 'write it as a chain: `li >> has-text="…"`, `li >> visible=true`, `li >> nth=0`'
