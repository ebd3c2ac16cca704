"""CSS selectors, cut where the browser cannot: at what reaches across shadow roots, and at filters that it lacks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from stillframe.tab.locating.quoting import collapse, invalid, masked, unquoted
from stillframe.tab.locating.steps import Css, Filter, HasText, Nth, Segment, Step, Visible


def css_steps(text: str, css: str, *, first: bool) -> Iterable[tuple[Step, str]]:
    """Read CSS as steps, each with its source; raises SelectorInvalid. `first` says that no scope goes before."""
    mask = masked(text, css)
    pseudos = [found for found in _PSEUDO.finditer(css) if mask[found.start()] == ":"]
    if not pseudos:
        return [(_plain(text, css, first=first), css)]
    if "," in mask:
        invalid(text, f"`{pseudos[0][0]}` stands in a list of selectors; {_AS_FILTER}")
    return _with_filters(text, css, mask, first)


def _with_filters(text: str, css: str, mask: str, first: bool) -> Iterator[tuple[Step, str]]:
    """Read `:has-text()`, `:visible` and `:nth-match()` as the filters that they are, and the rest as CSS."""
    plain = ""
    filters: list[tuple[Step, str]] = []
    for combinator, compound in _compounds(css, mask):
        if filters:
            yield _plain(text, plain, first=first), plain
            yield from filters
            first = False
            plain = _within(text, combinator)
        else:
            plain += combinator
        base, filters = _taken_apart(text, compound)
        if compound.startswith(":nth-match(") and plain:
            invalid(text, f"`:nth-match` does not begin the selector; {_AS_FILTER}")
        plain += base
    yield _plain(text, plain, first=first), plain
    yield from filters


def _compounds(css: str, mask: str) -> Iterator[tuple[str, str]]:
    """Yield the combinator before each compound of a selector, and the compound."""
    start, combinator = 0, ""
    for found in _COMBINATOR.finditer(mask):
        if found.start():
            yield combinator, css[start : found.start()]
        start, combinator = found.end(), found[0]
    yield combinator, css[start:]


def _within(text: str, combinator: str) -> str:
    if combinator.isspace():
        return ""
    if combinator.strip() != ">":
        invalid(text, f"`{combinator.strip()}` stands behind a filter; {_AS_FILTER}")
    return ":scope > "


def _taken_apart(text: str, compound: str) -> tuple[str, list[tuple[Step, str]]]:
    """Return what is CSS in a compound and the filters in it."""
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
    """Return the CSS and the filter that a pseudo-class stands for, and where it ends."""
    if found[1] == "visible":
        return "", Visible(True), found.end()
    if found[1] == "has-text":
        words = _HAS_TEXT.match(compound, found.end())
        if words is None:
            invalid(text, 'it reads :has-text("…"), with one text in quotes')
        return "", HasText(collapse(unquoted(text, words[1], ":has-text"))), words.end()
    whole = _NTH_MATCH.fullmatch(compound)
    if whole is None or not whole[1].strip():
        invalid(text, "it reads :nth-match(li, 3), with a number from 1 last and nothing beside it")
    return whole[1].strip(), Nth(int(whole[2]) - 1), len(compound)


def _plain(text: str, css: str, *, first: bool) -> Css:
    parts = list(_list(text, css))
    if not first and any(part[0] in ">+~" for part in parts):
        parts = [_relative(text, part) for part in parts]
        css = ", ".join(parts)
    scoped = not first and any(":scope" in masked(text, part) for part in parts)
    return Css(css, tuple(_segments(text, part) for part in parts), scoped)


def _relative(text: str, part: str) -> str:
    if part[0] in "+~":
        invalid(text, f"`{part[0]}` leads out of the scope; an XPath such as `xpath=following-sibling::*` can")
    return f":scope {part}" if part[0] == ">" else part


def _list(text: str, css: str) -> list[str]:
    """Cut a selector list at its commas."""
    ends = [*(at for at, char in enumerate(masked(text, css)) if char == ","), len(css)]
    parts = [css[start:end].strip() for start, end in zip([0, *(end + 1 for end in ends)], ends, strict=False)]
    if not all(parts):
        invalid(text, "a selector of the CSS list is empty")
    return parts


def _segments(text: str, part: str) -> tuple[Segment, ...]:
    """Cut a complex selector at its descendant combinators, the only ones that reach across shadow roots."""
    segments: list[Segment] = []
    start = climbs = 0
    for combinator in _COMBINATOR.finditer(masked(text, part)):
        if combinator[0].isspace():
            segments.append((part[start : combinator.start()], climbs))
            start, climbs = combinator.end(), 0
        else:
            climbs += combinator[0].count(">")
    return (*segments, (part[start:], climbs))


_COMBINATOR = re.compile(r"\s*[>+~]\s*|\s+")
_PSEUDO = re.compile(r":(has-text|visible|nth-match)(?![\w-])")
_HAS_TEXT = re.compile(r"""\(\s*("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')\s*\)""", re.DOTALL)
_NTH_MATCH = re.compile(r":nth-match\((.*),\s*0*([1-9][0-9]{0,8})\s*\)", re.DOTALL | re.ASCII)
_AS_FILTER = 'write it as a chain: `li >> has-text="…"`, `li >> visible=true`, `li >> nth=0`'
