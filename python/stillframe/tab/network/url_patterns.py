"""Match URLs: globs as in Playwright, and regular expressions."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import quote

from stillframe.errors import OptionInvalid
from stillframe.security.urls import DEFAULT_PORTS, canonical_authority

_PARTS = re.compile(r"\*\*/|\*+|\\.|[{},]|[^*\\{},]+|\\", re.DOTALL)


def url_matcher(pattern: str | re.Pattern[str]) -> Callable[[str], bool]:
    """Return a predicate for URLs; raises OptionInvalid for a glob that can match no URL.

    A glob is held against the whole URL, without its fragment: `*` is any text without a slash, `**` any text, `{a,b}`
    one of several; every other character, `?` too, is itself, and a backslash takes the meaning off the next one. What
    a browser would write in another way may be written as people do: `HTTP://Example.org:80`, a space, an umlaut. A
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
    for part in _PARTS.findall(_normalised(glob)):
        if part in ("{", "}"):
            depth += 1 if part == "{" else -1
            made.append("(?:" if part == "{" else ")")
        elif part == "," and depth:
            made.append("|")
        else:
            made.append(_WILD.get(part) or (".*" if part.startswith("**") else _text(_literal(part))))
    if depth:
        raise OptionInvalid(f"option pattern: {glob!r} has an unbalanced brace", option="pattern")
    return "".join(made)


_WILD = {"**/": "(?:.*/)?", "*": "[^/]*"}


_EITHER = {r"\^": r"(?:\^|%5E)", r"\|": r"(?:\||%7C)"}
"""Characters of paths that only some browsers encode (Chromium 156 does), by their regular expressions."""


def _text(literal: str) -> str:
    return re.sub(r"\\[|^]", lambda found: _EITHER[found[0]], re.escape(literal))


def _literal(part: str) -> str:
    return part[1:] if len(part) == 2 and part[0] == "\\" else part


def browser_pattern(pattern: object) -> str:
    """Return a Fetch pattern that matches at least as much as `pattern`, so that fewer requests are paused."""
    if not isinstance(pattern, str):
        return "*"
    wide = re.sub(r"\{[^}]*\}|\\.|[?|^]", "*", _normalised(pattern))
    return re.sub(r"\*\*/|\*+", "*", wide)


# -- as browsers write URLs ------------------------------------------------------------------------

_WHOLE = re.compile(r"([^/?#]*?)://([^/?#]*)([^#]*)", re.DOTALL)
"""The scheme, the authority and the rest of a glob that has them, without a fragment."""
_MEANINGFUL = re.compile(r"[*{}\\]")
_LABEL = re.compile(r"[^.*{},\\:\[\]]+")
_ENCODED = re.compile(r"[^!#-;=?-_a-z{-~]+")
"""What is percent-encoded in paths and queries (URL standard, path and query percent-encode sets)."""


def _normalised(glob: str) -> str:
    """Return a glob with its literal parts in the spelling of browsers."""
    whole = _WHOLE.match(glob)
    if whole is None:
        return _encoded(glob.partition("#")[0])
    scheme, authority, rest = whole.groups()
    if not _MEANINGFUL.search(scheme):
        scheme = scheme.lower()
        if scheme not in DEFAULT_PORTS:
            return f"{scheme}://{authority}{_encoded(rest)}"
    authority = _authority(scheme, authority, glob)
    if not rest.startswith("/") and "**" not in authority:
        rest = f"/{rest}"
    return f"{scheme}://{authority}{_encoded(rest)}"


def _authority(scheme: str, text: str, glob: str) -> str:
    if not _MEANINGFUL.search(text):
        try:
            return canonical_authority(scheme if scheme in DEFAULT_PORTS else "http", text)
        except ValueError as error:
            raise OptionInvalid(f"option pattern: {glob!r} would match no URL: {error}", option="pattern") from None
    return _LABEL.sub(_label, text.removesuffix(f":{DEFAULT_PORTS.get(scheme)}"))


def _label(label: re.Match[str]) -> str:
    return label[0].lower() if label[0].isascii() else canonical_authority("http", label[0])


def _encoded(text: str) -> str:
    path, mark, query = text.partition("?")
    return "".join(_ENCODED.sub(_percent, part) for part in (path, mark, query.replace("'", "%27")))


def _percent(found: re.Match[str]) -> str:
    return quote(found[0], errors="replace")
