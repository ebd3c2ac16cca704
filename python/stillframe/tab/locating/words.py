"""Read the texts of selectors: a part of a text, the whole of one in quotes, or a regular expression. No I/O."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from stillframe.tab.locating.quoting import REGEX, collapse, invalid, unquoted

if TYPE_CHECKING:
    from stillframe.tab.locating.steps import Pattern

FLAGS = "imsu"
"""The flags of JavaScript that mean something where a text is searched once."""


class Words(NamedTuple):
    """What a selector says of a text; with a `pattern`, `text` is the source of it."""

    text: str
    exact: bool
    pattern: Pattern | None = None


def words(text: str, source: str, form: str) -> Words:
    """Read the text of a form such as `label=`; raises SelectorInvalid.

    `log in` is a part of the text in any case, and so is `"log in"i`; `"Log in"` is the whole text; `/log ?in/i` is a
    regular expression of JavaScript.
    """
    source = source.strip()
    if (found := pattern(text, source)) is not None:
        return Words(found[0], exact=False, pattern=found)
    if _PART.fullmatch(source):
        return Words(collapse(unquoted(text, source[:-1], form)), exact=False)
    return Words(collapse(unquoted(text, source, form)), exact=source[:1] in _QUOTES and bool(source))


def pattern(text: str, source: str) -> Pattern | None:
    """Read `/…/flags`; None for any other text."""
    if REGEX.fullmatch(source) is None:
        return None
    expression, _, flags = source[1:].rpartition("/")
    wrong = sorted(set(flags) - set(FLAGS)) or [flag for flag in FLAGS if flags.count(flag) > 1]
    if wrong:
        invalid(
            text,
            f"the regular expression {source[:60]} has the flag {wrong[0]!r}, which means nothing here; it takes "
            f"each of {', '.join(FLAGS)} once at most. If the slashes belong to the text, quote it",
        )
    return expression, flags


def refuse_pattern(text: str, source: str, form: str) -> None:
    """Refuse what looks like a regular expression: taken as a text it would match nothing, without a word."""
    if REGEX.fullmatch(source.strip()):
        invalid(
            text,
            f"`{form}` takes a text, not a regular expression; quote it if the slashes belong to the text: "
            f'{form}"{source.strip()[:40]}"',
        )


_QUOTES = ('"', "'")
_PART = re.compile(r"""(?:"(?:\\.|[^\\])*"|'(?:\\.|[^\\])*')i""", re.DOTALL)
