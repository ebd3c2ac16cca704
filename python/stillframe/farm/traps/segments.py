"""What a part of a URL is: a number, a date, a made-up name, a title; and its pattern without that.

The core has a pattern of URLs, too, but only its hash, for signatures; this one says what kind each part is.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

SegmentKind = Literal["number", "date", "id", "slug", "word"]
"""A `word` is any other text; its pattern is itself, with `#` for numbers in it."""
PATTERNS: dict[SegmentKind, str] = {"number": "#", "date": "{date}", "id": "{id}", "slug": "*"}

_YEAR = r"(?:1[5-9]|2\d)\d\d"
_MONTH, _DAY = r"(?:1[0-2]|0?[1-9])", r"(?:3[01]|[12]\d|0?[1-9])"
_MONTHS = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
MONTH_NAME = re.compile(_MONTHS, re.IGNORECASE)
YEAR = re.compile(_YEAR, re.ASCII)
YEAR_AND_MONTH = re.compile(rf"{_YEAR}(?:0[1-9]|1[0-2])", re.ASCII)
_DATE = re.compile(
    rf"{_YEAR}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"
    rf"|{_YEAR}[-_.]{_MONTH}(?:[-_.]{_DAY})?(?:[T_ +].*)?"
    rf"|{_YEAR}[-_]?w\d\d?|{_YEAR}[-_]?q[1-4]"
    rf"|{_DAY}[-_.]{_MONTH}[-_.]{_YEAR}|{_MONTH}[-_.]{_DAY}[-_.]{_YEAR}|{_MONTH}[-_.]{_YEAR}"
    rf"|{_YEAR}[-_]{_MONTHS}(?:[-_]{_DAY})?|(?:{_DAY}[-_])?{_MONTHS}[-_]{_YEAR}",
    re.IGNORECASE | re.ASCII,
)
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)
_HEX = re.compile(r"(?=.*\d)(?=.*[a-f])[0-9a-f]{8,}", re.IGNORECASE)
_TOKEN = re.compile(r"[\w~.+=-]{16,}", re.ASCII)
_ENDING = re.compile(r"(.+)(\.[a-z][a-z0-9]{1,4})", re.IGNORECASE | re.DOTALL)
_DIGITS = re.compile(r"\d+", re.ASCII)
_SWITCHES = re.compile(r"(?<=\d)(?=[A-Za-z])|(?<=[A-Za-z])(?=\d)|(?<=[a-z])(?=[A-Z])", re.ASCII)
LONG = 64
"""Characters from which a text is a title; names are shorter."""
HYPHENS = 3
"""Titles have that many or more, names of sections have not: the core's rule as well."""
MET_BEFORE = 8_192
"""Segments whose kinds are remembered: the links of a site are made of few of them."""
SWITCHES = 4
"""How often a made-up name changes between digits, small and capital letters, at least."""


@lru_cache(MET_BEFORE)
def kind_of(segment: str) -> SegmentKind:
    """Return what a segment of a path, or a value of a query, is; an ending such as `.html` does not count."""
    name = split_ending(segment)[0]
    if name.isascii() and name.isdigit():
        return "date" if _DATE.fullmatch(name) else "number"
    if _DATE.fullmatch(name):
        return "date"
    if is_id(name):
        return "id"
    return "slug" if len(name) > LONG or name.count("-") + name.count("_") >= HYPHENS else "word"


def is_id(text: str) -> bool:
    """Return whether a text is a name that a program has made: a UUID, a hash, a token."""
    if _UUID.fullmatch(text) or _HEX.fullmatch(text):
        return True
    return bool(_TOKEN.fullmatch(text)) and len(_SWITCHES.findall(text)) >= SWITCHES


@lru_cache(MET_BEFORE)
def pattern_of(segment: str) -> str:
    """Return a segment with its kind in the place of what varies."""
    name, ending = split_ending(segment)
    kind = kind_of(name)
    if kind == "date" and name.isdigit():
        kind = "number"  # a number that happens to be a day has the pattern of its neighbours
    return (PATTERNS[kind] if kind != "word" else _DIGITS.sub("#", name)) + ending


def split_ending(segment: str) -> tuple[str, str]:
    """Return a segment without and with its ending, which is empty without one."""
    found = _ENDING.fullmatch(segment)
    return (segment, "") if found is None else (found[1], found[2])
