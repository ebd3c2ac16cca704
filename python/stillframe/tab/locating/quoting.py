"""Find where the parts of a selector end: quotes, brackets and `>>`. No I/O.

Every function takes linear time, however the text is quoted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NoReturn

from stillframe.errors import SelectorInvalid
from stillframe.security.redaction import Redaction

MAX_STEPS = 100
"""Parts of a chain; a path of ids and classes down a deep page has fewer."""

SHOWN = 200
"""Characters of a selector that an error message repeats."""

CHAIN = "write `a >> b`: each part is searched inside the matches of the part before it"

WORDS = frozenset({"text", "label", "placeholder", "testid", "title", "alt", "has-text", "has-not-text", "name", "url"})
"""Forms whose value is a text: a quote only hides `>>` if it begins the value."""

NESTING = frozenset({"has", "has-not", "and", "or", "chain"})
"""Forms whose value is a selector, in quotes if it has `>>` of its own."""

FORM = re.compile(r"([A-Za-z_-]+)=")

_PAIRS = {"[": "]", "(": ")"}
_TOKEN = re.compile(r"\\.|[\"'\[\]()]|>>", re.DOTALL)
_XPATH_TOKEN = re.compile(r"[\"']|>>")
_XPATH = ("//", "(//", "./", "..", "xpath=")
_ROLE_HEAD = re.compile(r"role=\s*[A-Za-z0-9-]*")

_REGEX = r"/(?:\\.|\[(?:\\.|[^\]\\])*\]|[^\\/\[])+/[dgimsuvy]*"
REGEX = re.compile(rf"{_REGEX}(?=\s*(?:>>|\Z))", re.DOTALL)
"""A regular expression in the place of a text: the last slash ends the value. No slash inside `[…]` ends it."""

ROLE_PART = re.compile(
    r"""\s*\[\s*(?P<key>[a-z-]+)\s*(?:(?P<operator>\*?=)\s*"""
    r"""(?:(?P<quoted>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|"""
    rf"""(?P<regex>{_REGEX}(?=\s*\]))|(?P<bare>[^\]"'\s][^\]]*))\s*)?\]\s*""",
    re.DOTALL,
)
"""One bracket of a role selector."""


def invalid(text: str, reason: str) -> NoReturn:
    """Reject a selector; the message repeats its beginning."""
    raise SelectorInvalid(f"selector {shortened(text)!r} does not parse: {reason}", selector=text)


def shortened(text: str) -> str:
    """Return a selector cut to the length that error messages show.

    Secrets go first: half of one, at the cut, would not be recognised later.
    """
    return text if len(text) <= SHOWN else f"{Redaction.redact_everywhere(text)[:SHOWN]}…"


def split_chain(text: str) -> list[str]:
    """Split a selector at each `>>` outside quotes and brackets; raises SelectorInvalid for an empty part."""
    parts: list[str] = []
    start = 0
    while True:
        end = _end_of_step(text, _start_of_words(text, start))
        parts.append(text[start:end].strip())
        if len(parts) > MAX_STEPS:
            invalid(text, f"it has more than {MAX_STEPS} parts")
        if end == len(text):
            break
        if text.startswith(">>>", end):
            invalid(text, f"`>>>` is not a combinator; {CHAIN}")
        start = end + 2
    _check_parts(text, parts)
    return parts


def _check_parts(text: str, parts: list[str]) -> None:
    if len(parts) == 1 or all(parts):
        return
    empty = parts.index("")
    where = "before the first `>>`" if empty == 0 else "after the last `>>`"
    if 0 < empty < len(parts) - 1:
        where = f"between `>>` and `>>` after {parts[empty - 1][:SHOWN]!r}"
    invalid(text, f"a part is empty {where}; {CHAIN}")


def _start_of_words(text: str, start: int) -> int:
    """Skip white space and `frame=` prefixes."""
    while start < len(text) and (text[start].isspace() or text.startswith("frame=", start)):
        start += 1 if text[start].isspace() else len("frame=")
    return start


def _end_of_step(text: str, start: int) -> int:
    form = FORM.match(text, start)
    while form is not None and form[1] in NESTING:
        start = _after_spaces(text, form.end())
        if text.startswith(("'", '"'), start):
            return _end_of_words(text, start)
        form = FORM.match(text, start)
    if text.startswith(("~", '"', "'"), start) or (form is not None and form[1] in WORDS):
        value = form.end() if form is not None else start + (text[start] == "~")
        return _end_of_words(text, value)
    if text.startswith(_XPATH, start):
        return _end_outside_quotes(text, start)
    if text.startswith("role=", start):
        return _end_of_role(text, start)
    return _end_outside_brackets(text, start)


def _end_of_words(text: str, start: int) -> int:
    start = _after_spaces(text, start)
    if (regex := REGEX.match(text, start)) is not None:
        return _found(text, regex.end())
    if start == len(text) or text[start] not in "\"'":
        return _found(text, start)
    quote = text[start]
    closing = re.compile(rf"\\.|{quote}(?=i?\s*(?:>>|\Z))", re.DOTALL)
    for token in closing.finditer(text, start + 1):
        if token[0] == quote:
            return _found(text, token.end())
    return len(text)  # the quote is not closed; unquoted() reports it


def _after_spaces(text: str, start: int) -> int:
    while start < len(text) and text[start].isspace():
        start += 1
    return start


def _end_outside_quotes(text: str, start: int) -> int:
    """Return where an XPath ends, which has no escapes."""
    quote = ""
    for token in _XPATH_TOKEN.finditer(text, start):
        if token[0] == ">>":
            if not quote:
                return token.start()
        elif quote in ("", token[0]):
            quote = "" if quote else token[0]
    return _closed(text, quote)


def _end_of_role(text: str, start: int) -> int:
    """Return where a role selector ends; a bare value may contain a quote, so brackets are read one by one."""
    head = _ROLE_HEAD.match(text, start)
    at = head.end() if head is not None else start
    while (part := ROLE_PART.match(text, at)) is not None:
        at = part.end()
    return _found(text, at)


def _end_outside_brackets(text: str, start: int) -> int:
    open_: list[str] = []
    for token in _TOKEN.finditer(text, start):
        if token[0] == ">>" and not open_:
            return token.start()
        _step_in_or_out(open_, token[0])
    return _closed(text, open_[-1] if open_ else "")


def _step_in_or_out(open_: list[str], char: str) -> None:
    """Track the closing characters still expected, innermost last; nothing opens inside quotes."""
    if open_ and char == open_[-1]:
        open_.pop()
    elif not (open_ and open_[-1] in "\"'"):
        if char in ('"', "'"):
            open_.append(char)
        elif char in _PAIRS:
            open_.append(_PAIRS[char])


def _found(text: str, start: int) -> int:
    at = text.find(">>", start)
    return len(text) if at < 0 else at


def _closed(text: str, owed: str) -> int:
    if owed:
        invalid(text, f"{owed} is missing: a quote or bracket is not closed")
    return len(text)


def closing(source: str, start: int) -> int:
    """Return the end of a bracket whose content begins at `start`; the source is balanced."""
    open_ = [_PAIRS[source[start - 1]]]
    for token in _TOKEN.finditer(source, start):
        _step_in_or_out(open_, token[0])
        if not open_:
            return token.end()
    return len(source)


def masked(text: str, source: str) -> str:
    """Return a text of the same length in which quoted, bracketed and escaped characters are replaced by `x`."""
    return "".join(_masked(text, source))


def _masked(text: str, source: str) -> Iterator[str]:
    open_: list[str] = []
    at = 0
    for token in _TOKEN.finditer(source):
        between = source[at : token.start()]
        yield "x" * len(between) if open_ else between
        hidden = bool(open_)
        _step_in_or_out(open_, token[0])
        yield "x" * len(token[0]) if hidden or open_ or token[0][0] == "\\" else token[0]
        at = token.end()
    _closed(text, open_[-1] if open_ else "")
    rest = source[at:]
    yield f"{rest[:-1]}x" if rest.endswith("\\") else rest


def unquoted(text: str, source: str, form: str) -> str:
    """Return a text without its quotes, if it is quoted; `form` is its name for error messages."""
    words = source.strip()
    quote = words[:1]
    if quote in ('"', "'") and quote:
        if len(words) < 2 or words[-1] != quote:
            invalid(text, f"the text begins with {quote} but does not end with it")
        words = re.sub(r"\\(.)", r"\1", words[1:-1], flags=re.DOTALL)
    if not words.strip():
        invalid(text, f"`{form}` needs a value")
    return words


def collapse(words: str) -> str:
    """Return a text with its white space collapsed to single spaces."""
    return " ".join(words.split())
