"""Match URLs: globs as in Playwright, and regular expressions."""

from __future__ import annotations

import re
from collections.abc import Callable

from stillframe.errors import OptionInvalid

_PARTS = re.compile(r"\*\*/|\*+|\\.|[{},]|[^*\\{},]+|\\", re.DOTALL)


def url_matcher(pattern: str | re.Pattern[str]) -> Callable[[str], bool]:
    """Return a predicate for URLs; raises OptionInvalid for a glob that can match no URL.

    A glob is held against the whole URL, without its fragment: `*` is any text without a slash, `**` any text, `{a,b}`
    one of several; every other character, `?` too, is itself, and a backslash takes the meaning off the next one. A
    regular expression may match anywhere in the URL.
    """
    if isinstance(pattern, re.Pattern):
        return lambda url: pattern.search(url) is not None
    if not isinstance(pattern, str):
        raise OptionInvalid(
            f"option pattern: {pattern!r} is not a glob, a compiled regular expression or a function", option="pattern"
        )
    if not (pattern.startswith(("*", "{")) or ":" in pattern):
        raise OptionInvalid(
            f"option pattern: {pattern!r} would match no URL; did you mean {'**/' + pattern.lstrip('/')!r}?",
            option="pattern",
        )
    whole = re.compile(glob_regex(pattern), re.DOTALL)
    return lambda url: whole.fullmatch(url.partition("#")[0]) is not None


def glob_regex(glob: str) -> str:
    """Return the regular expression of a glob."""
    depth, made = 0, []
    for part in _PARTS.findall(glob):
        if part in ("{", "}"):
            depth += 1 if part == "{" else -1
            made.append("(?:" if part == "{" else ")")
        elif part == "," and depth:
            made.append("|")
        else:
            made.append(_WILD.get(part) or (".*" if part.startswith("**") else re.escape(_literal(part))))
    if depth:
        raise OptionInvalid(f"option pattern: {glob!r} has an unbalanced brace", option="pattern")
    return "".join(made)


_WILD = {"**/": "(?:.*/)?", "*": "[^/]*"}


def _literal(part: str) -> str:
    return part[1:] if len(part) == 2 and part[0] == "\\" else part


def browser_pattern(pattern: object) -> str:
    """Return a Fetch pattern that matches at least as much as `pattern`, so that fewer requests are paused."""
    if not isinstance(pattern, str):
        return "*"
    wide = re.sub(r"\{[^}]*\}|\\.|\?", "*", pattern)
    return re.sub(r"\*\*/|\*+", "*", wide)
