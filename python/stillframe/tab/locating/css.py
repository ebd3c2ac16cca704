"""Split CSS selectors where the browser cannot match: across shadow roots, and at filters that CSS lacks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from stillframe.tab.locating.quoting import collapse, invalid, masked, unquoted
from stillframe.tab.locating.steps import Css, Filter, HasText, Nth, Segment, Step, Visible


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
    """Read `:has-text()`, `:visible` and `:nth-match()` as filters, and the rest as CSS."""
    plain = ""
    filters: list[tuple[Step, str]] = []
    for combinator, compound in _compounds(css, mask):
        if filters:
            yield _css(text, plain, first=first), plain
            yield from filters
            first = False
            plain = _scope_prefix(text, combinator)
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


def _scope_prefix(text: str, combinator: str) -> str:
    if combinator.isspace():
        return ""
    if combinator.strip() != ">":
        invalid(text, f"`{combinator.strip()}` is not allowed after a filter; {_AS_FILTER}")
    return ":scope > "


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


def _css(text: str, css: str, *, first: bool) -> Css:
    parts = list(_list(text, css))
    if not first and any(part[0] in ">+~" for part in parts):
        parts = [_relative(text, part) for part in parts]
        css = ", ".join(parts)
    scoped = not first and any(":scope" in masked(text, part) for part in parts)
    return Css(css, tuple(_segments(text, part) for part in parts), scoped)


def _relative(text: str, part: str) -> str:
    if part[0] in "+~":
        invalid(text, f"`{part[0]}` selects outside the scope; use an XPath such as `xpath=following-sibling::*`")
    return f":scope {part}" if part[0] == ">" else part


def _list(text: str, css: str) -> list[str]:
    """Split a selector list at its commas."""
    ends = [*(at for at, char in enumerate(masked(text, css)) if char == ","), len(css)]
    parts = [css[start:end].strip() for start, end in zip([0, *(end + 1 for end in ends)], ends, strict=False)]
    if not all(parts):
        invalid(text, "the CSS list contains an empty selector")
    return parts


def _segments(text: str, part: str) -> tuple[Segment, ...]:
    """Split a complex selector at its descendant combinators, the only ones that cross shadow roots."""
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
