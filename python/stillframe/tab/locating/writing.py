"""Write selectors: what the methods of locators make of their arguments. `selectors` reads them. No I/O."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from stillframe.errors import SelectorInvalid
from stillframe.tab.locating.python_patterns import javascript
from stillframe.tab.locating.quoting import FORM, NESTING, collapse, split_chain

TextOrPattern = str | re.Pattern[str]


def quoted(text: str) -> str:
    """Return a text in the quotes that need the fewest backslashes."""
    quote = "'" if text.count('"') > text.count("'") else '"'
    return quote + text.replace("\\", "\\\\").replace(quote, f"\\{quote}") + quote


def by_text(form: str, text: TextOrPattern, *, exact: bool = False) -> str:
    """Return `text=…`, `label=…` and so on: for a part of a text in any case, a whole text, or an expression."""
    if isinstance(text, re.Pattern):
        return f"{form}={_pattern(text)}"
    _check_text(form, text)
    if exact:
        return f"{form}={quoted(text)}"
    words = collapse(text)
    return f"{form}={words}" if _PLAIN.fullmatch(words) else f"{form}={quoted(words)}i"


def by_test_id(test_id: TextOrPattern) -> str:
    """Return `testid=…`, for the whole id or an expression."""
    return by_text("testid", test_id, exact=True)


def by_role(
    role: str, *, name: TextOrPattern | None, exact: bool, include_hidden: bool, states: Mapping[str, Any]
) -> str:
    """Return `role=…` with the name and those states that are not None."""
    _check_text("role", role)
    selector = f"role={role}"
    if isinstance(name, re.Pattern):
        selector += f"[name={_pattern(name)}]"
    elif name is not None:
        _check_text("name", name)
        selector += f"[name{'' if exact else '*'}={quoted(name)}]"
    selector += "".join(f"[{key}={_state(value)}]" for key, value in states.items() if value is not None)
    return f"{selector}[include-hidden={_state(include_hidden)}]"


def with_text(selector: str, form: str, text: TextOrPattern) -> str:
    """Return a selector with the filter `has-text=` or `has-not-text=`."""
    if isinstance(text, re.Pattern):
        return f"{selector} >> {form}={_pattern(text)}"
    _check_text(form, text)
    return f"{selector} >> {form}={quoted(text)}"


def joined(selector: str, form: str, inner: str) -> str:
    """Return a selector with a step that holds a selector, such as `has=`; both are of one frame."""
    return f"{selector} >> {form}={quoted(_in_the_frame_of(selector, inner))}"


def inside(selector: str, inner: str) -> str:
    """Return a selector for what a whole selector matches in each match of another one."""
    inner = _in_the_frame_of(selector, inner)
    if any(_form_of(part) in _COUNTING or ":nth-match(" in part for part in split_chain(inner)):
        return joined(selector, "chain", inner)
    return f"{selector} >> {inner}"


def into_frame(selector: str) -> str:
    """Return what comes before a selector in the frame that this one matches."""
    parts = split_chain(selector)
    at = max(at for at, part in enumerate(parts) if _form_of(part) not in _FILTERS)
    return " >> ".join([*parts[:at], f"frame={parts[at]}", *parts[at + 1 :]])


def owner_of(into: str) -> str:
    """Return the selector that `into_frame` made this of."""
    parts = split_chain(into)
    at = max(at for at, part in enumerate(parts) if part.startswith("frame="))
    return " >> ".join([*parts[:at], parts[at].removeprefix("frame="), *parts[at + 1 :]])


def _in_the_frame_of(selector: str, inner: str) -> str:
    frames, rest = _split_frames(inner)
    if frames and frames != _split_frames(selector)[0]:
        raise SelectorInvalid(
            f"{inner!r} is in another frame than {selector!r}: locators that are combined look in one frame",
            selector=inner,
        )
    return rest


def _split_frames(selector: str) -> tuple[str, str]:
    """Return the parts of a selector that enter frames, and the others."""
    parts = split_chain(selector)
    at = max((at for at, part in enumerate(parts) if part.startswith("frame=")), default=-1) + 1
    while at and at < len(parts) and _form_of(parts[at]) in _FILTERS:
        at += 1
    return " >> ".join(parts[:at]), " >> ".join(parts[at:])


def _form_of(part: str) -> str:
    form = FORM.match(part)
    return form[1] if form is not None else ""


def _pattern(pattern: re.Pattern[str]) -> str:
    source, flags = javascript(pattern)
    return f"/{source}/{flags}"


def _state(value: bool | int | str) -> str:
    return str(value).lower()


def _check_text(form: str, text: object) -> None:
    if not isinstance(text, str):
        raise SelectorInvalid(
            f"{form} takes a text or a compiled regular expression, not {type(text).__name__}", selector=f"{form}="
        )


_PLAIN = re.compile(r"""[^\s"'/>][^>]*""")
"""A text that means itself without quotes."""
_COUNTING = frozenset({"nth", "and", "or", "chain"})
_FILTERS = frozenset({"nth", "visible", "has-text", "has-not-text", *NESTING} - {"chain"})
