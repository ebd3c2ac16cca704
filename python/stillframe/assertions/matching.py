"""Whether what was read is what an assertion expects. Pure: nothing here waits or asks a page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from stillframe.errors import OptionInvalid
from stillframe.tab.locating.writing import TextOrPattern

ExpectedTexts = TextOrPattern | Sequence[TextOrPattern]
"""One text for one element, or a text for each of several."""

_SPACE = re.compile(r"[\s\u200b]+")


class Comparison(NamedTuple):
    """How texts are compared. Expressions are searched in the text as it is, everything else in its words."""

    whole: bool = True
    """Whether the text has to be all of it, not a part."""
    ignore_case: bool | None = None
    """None leaves it to the flags of an expression."""
    collapsed: bool = True
    """Whether white space counts as one space, and none at the ends."""


def says(actual: Any, expected: TextOrPattern, how: Comparison) -> bool:
    """Return whether a text is the expected one."""
    if not isinstance(actual, str):
        return False
    if isinstance(expected, re.Pattern):
        return _flagged(expected, how.ignore_case).search(actual) is not None
    actual, expected = _normal(actual, how), _normal(expected, how)
    return actual == expected if how.whole else expected in actual


def say_all(actual: Sequence[Any], expected: Sequence[TextOrPattern], how: Comparison) -> bool:
    """Return whether texts are the expected ones in their order; parts of texts may skip some between."""
    if how.whole:
        return len(actual) == len(expected) and all(
            says(one, other, how) for one, other in zip(actual, expected, strict=True)
        )
    rest = iter(actual)
    return all(any(says(text, each, how) for text in rest) for each in expected)


def classes_say(actual: Any, expected: str) -> bool:
    """Return whether an attribute `class` has all these classes."""
    return isinstance(actual, str) and set(expected.split()) <= set(actual.split())


def _normal(text: str, how: Comparison) -> str:
    text = _SPACE.sub(" ", text).strip() if how.collapsed else text
    return text.casefold() if how.ignore_case else text


def _flagged(pattern: re.Pattern[str], ignore_case: bool | None) -> re.Pattern[str]:
    if ignore_case is None:
        return pattern
    flags = pattern.flags | re.IGNORECASE if ignore_case else pattern.flags & ~re.IGNORECASE
    return re.compile(pattern.pattern, flags)


def checked_text(value: Any, call: str, name: str) -> TextOrPattern:
    """Return a text or a compiled expression of texts; raises OptionInvalid for anything else."""
    if isinstance(value, str) or (isinstance(value, re.Pattern) and isinstance(value.pattern, str)):
        return value
    raise OptionInvalid(f"{call} takes a text or a compiled regular expression as {name}, not {value!r}", option=name)


def checked_texts(value: Any, call: str, name: str) -> ExpectedTexts:
    """Return a text, an expression, or a list of them; raises OptionInvalid for anything else."""
    if isinstance(value, list | tuple):
        return [checked_text(each, call, name) for each in value]
    return checked_text(value, call, name)


def shown(value: Any) -> str:
    """Return a value as a failure shows it; an expression as in JavaScript."""
    if isinstance(value, re.Pattern):
        return f"/{value.pattern}/{'i' if value.flags & re.IGNORECASE else ''}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(shown, value))}]"
    return repr(value)
