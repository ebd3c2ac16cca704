"""The pattern of a URL, and whether pages of its pattern can be without end by what the URL says alone.

Nothing here knows what other URLs there are: `suspicion` does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal
from urllib.parse import unquote_plus

import msgspec

from stillframe.farm.traps.segments import MONTH_NAME, YEAR, YEAR_AND_MONTH, kind_of, pattern_of, split_ending

Kind = Literal["calendar", "path", "pagination", "facets", "query", "session"]
"""What a trap is: days without end, a path that grows, pages of a list, combinations of filters, answers to questions
or ways back, names of sessions."""

MAX_NAMES = 8
"""How many names of parameters a pattern has; the others are `…`."""
MAX_SEGMENTS = 30
"""A path with more segments grows; those of real sites have about ten at most."""
MAX_CHARACTERS = 300
"""Of a pattern."""
MAX_URL = 16_384
"""Characters of a URL that are looked at."""

_YEARS = "year yr y jahr annee anno"
_MONTHS = "month mon m mo monat mois mes"
_DAYS = "day d tag jour dia week wk w woche semaine"
_DATES = (
    "date dt caldate cal start end startdate enddate from to fromdate todate begin since until datum fecha data "
    "time timestamp ts epoch"
)
_PAGES = (
    "page p pg paged pagina pagenum pageno pagenumber pageindex currentpage seite start limitstart st offset skip "
    "first cursor after before next"
)
_SEARCHES = "q query search searchterm sql keyword keywords find lookup suche recherche"
_RETURNS = (
    "next return returnto returnurl redirect back backurl referer referrer ref from continue dest destination goto"
)
_VIEWS = "day week month year list agenda today index default events view calendar print"


def _words(*texts: str) -> frozenset[str]:
    return frozenset(" ".join(texts).split())


CALENDAR_NAMES = _words(_YEARS, _MONTHS, _DAYS, _DATES)
"""Parts of names of parameters that hold days; the value must be one, too."""
DATE_PARTS = {"year": _words(_YEARS), "month": _words(_MONTHS), "day": _words(_DAYS)}
PAGE_NAMES = _words(_PAGES)
SEARCH_NAMES, RETURN_NAMES = _words(_SEARCHES), _words(_RETURNS)
"""Parts of names of parameters that hold a question in words, and the page to go back to."""
NO_DATES = _words("v ver version rev build id")
"""Names of parameters whose values look like days, and are versions."""
VIEWS = _words(_VIEWS)
"""What may stand behind the day in the path of a calendar."""
PAGE_SEGMENTS = _words("page p seite pagina")
_WORDS = re.compile(r"[a-z]+(?=[A-Z]|$|[^a-zA-Z])|[A-Z]?[a-z]+|[A-Z]+", re.ASCII)
_EPOCH = re.compile(r"\d{10}(?:\d{3})?", re.ASCII)
_INDEX = re.compile(r"\[\d*\]|%5B\d*%5D", re.IGNORECASE)
_ORIGIN = re.compile(r"(?:https?:)?[/\\]*([^/\\?#]*)", re.IGNORECASE)

Pairs = list[tuple[str, str]]


class Shape(msgspec.Struct, frozen=True, kw_only=True):
    """What a URL looks like.

    `base` is its host and path with kinds in the place of what varies (`#` a number, `{date}`, `{id}`, `*` a title),
    and `names` the sorted names of its parameters; both are `pattern`. A URL of a `kind` may be one of endlessly many,
    all of which have its `trap`. `loop` is the trap of a path that has a segment twice, if such paths grow.
    """

    host: str
    base: str
    names: tuple[str, ...] = ()
    kind: Kind | None = None
    trap: str = ""
    loop: str = ""

    @property
    def pattern(self) -> str:
        """The pattern: two pages of one kind have the same one."""
        return named(self.base, self.names)


def shape_of(url: str) -> Shape:
    """Return the shape of an http or https URL; any text has one, and it takes linear time."""
    url = url[:MAX_URL]
    rest, _, fragment = url.partition("#")
    start = _ORIGIN.match(rest)
    host = start[1].rpartition("@")[2].lower() if start else ""
    path, _, query = rest[start.end() if start else 0 :].partition("?")
    if fragment.startswith(("/", "!")):
        path = f"{path}#{fragment.partition('?')[0]}"
    segments = path.strip("/").split("/") if path.strip("/") else []
    base = _cut(f"{host}/{'/'.join(map(pattern_of, segments[:MAX_SEGMENTS]))}{'/' if path.endswith('/') else ''}")
    base = base.replace("//", "/")
    pairs = pairs_of(query)
    kind, trap = _trap(host, base, segments, pairs)
    names = tuple(sorted({name for name, _ in pairs}))
    return Shape(host=host, base=base, names=names, kind=kind, trap=trap, loop=_loop(host, segments))


def without_query(url: str) -> str:
    """Return a URL without its query and its fragment."""
    return url.partition("#")[0].partition("?")[0]


def pairs_of(query: str) -> Pairs:
    """Return the parameters of a query; numbers in names, and in brackets behind them, do not count."""
    found = []
    for each in query.split("&"):
        name, _, value = each.partition("=")
        if name:
            plain = re.sub(r"\d+", "#", _INDEX.sub("[]", unquote_plus(name)))
            found.append((plain, unquote_plus(value)))
    return found


def named(base: str, names: Sequence[str]) -> str:
    """Return a pattern: a base and names of parameters."""
    if not names:
        return base
    shown = [*(f"{name}=*" for name in names[:MAX_NAMES]), *(["…"] if len(names) > MAX_NAMES else [])]
    return _cut(f"{base}?{'&'.join(shown)}")


def _cut(text: str) -> str:
    return text if len(text) <= MAX_CHARACTERS else f"{text[: MAX_CHARACTERS - 1]}…"


# -- traps -----------------------------------------------------------------------------------------


def _trap(host: str, base: str, segments: Sequence[str], pairs: Pairs) -> tuple[Kind | None, str]:
    """Return the kind of trap that a URL may belong to, and the pattern of all of its pages."""
    if len(segments) > MAX_SEGMENTS:
        return "path", f"{host}/**{MAX_SEGMENTS}/**"
    if dates := calendar_names(pairs):
        return "calendar", named(base, dates)
    if not pairs and (dated := calendar_path(segments)) is not None:
        return "calendar", _cut(f"{host}/{'/'.join(dated)}{'/' if base.endswith('/') else ''}")
    if pages := page_names(pairs):
        return "pagination", named(base, pages)
    if is_page_path(segments):
        return "pagination", base
    if searches := query_names(pairs):
        return "query", named(base, searches)
    return None, ""


def _loop(host: str, segments: Sequence[str]) -> str:
    again = repeated(segments)
    return "" if again is None else _cut(f"{host}/**/{again}/**/{again}/**")


def repeated(segments: Sequence[str]) -> str | None:
    """Return the first segment that a path has twice, None if there is none; numbers do not count."""
    seen: set[str] = set()
    for segment in segments:
        if segment in seen and kind_of(segment) in ("word", "slug", "id"):
            return segment
        seen.add(segment)
    return None


def calendar_path(segments: Sequence[str]) -> list[str] | None:
    """Return the pattern of a path that ends with a day, a week or a month, and maybe the name of a view; else None.

    A year alone does not count: there are few of them, and many numbers look like one.
    """
    names = [split_ending(segment)[0].lower() for segment in segments]
    end = len(names)
    while end > 1 and (names[end - 1] in VIEWS or not names[end - 1]):
        end -= 1
    parts = 0
    while parts < 2 and parts < end - 1 and _is_part(names[end - 1 - parts]):
        parts += 1  # a month, or a month and a day, behind a year
    if parts and YEAR.fullmatch(names[end - 1 - parts]):
        parts += 1
    elif end and kind_of(names[end - 1]) == "date":
        parts = 1
    else:
        return None
    made = list(map(pattern_of, segments))
    for at in range(end - parts, end):
        made[at] = "{date}" + split_ending(segments[at])[1]
    return made


def _is_part(segment: str) -> bool:
    """Return whether a segment may be a month, a day or a week."""
    if MONTH_NAME.fullmatch(segment):
        return True
    number = segment.removeprefix("w").removeprefix("kw")
    return number.isascii() and number.isdigit() and len(number) <= 2 and int(number) <= 53


def calendar_names(pairs: Pairs) -> tuple[str, ...]:
    """Return the sorted names of the parameters that hold days; a month or a day alone counts only beside a year."""
    found: set[str] = set()
    parts: dict[str, set[str]] = {part: set() for part in DATE_PARTS}
    for name, value in pairs:
        words = {word.lower() for word in _WORDS.findall(name)} | {name.lower()}
        kind = kind_of(value) if value else "word"
        if words & NO_DATES:
            continue
        if kind == "date" or (words & CALENDAR_NAMES and (_EPOCH.fullmatch(value) or YEAR_AND_MONTH.fullmatch(value))):
            found.add(name)
        elif words & DATE_PARTS["year"] and YEAR.fullmatch(value):
            parts["year"].add(name)
        elif value and _is_part(value.lower()):
            for part in ("month", "day"):
                if words & DATE_PARTS[part]:
                    parts[part].add(name)
    if parts["year"]:
        found |= parts["year"] | parts["month"] | parts["day"]
    return tuple(sorted(found))


def page_names(pairs: Pairs) -> tuple[str, ...]:
    """Return the sorted names of the parameters that say which page of a list it is."""
    found = set()
    for name, value in pairs:
        words = {word.lower() for word in _WORDS.findall(name)} | {name.lower()}
        if not value or "#" in name or not words & PAGE_NAMES:
            continue
        if kind_of(value) in ("number", "date", "id") or "cursor" in words:
            found.add(name)
    return tuple(sorted(found))


def query_names(pairs: Pairs) -> tuple[str, ...]:
    """Return the sorted names of the parameters that hold a question in words, or the page to go back to."""
    found = set()
    for name, value in pairs:
        words = {word.lower() for word in _WORDS.findall(name)} | {name.lower()}
        asks = words & SEARCH_NAMES and value and kind_of(value) in ("word", "slug")
        if asks or (words & RETURN_NAMES and value.startswith(("/", "http://", "https://"))):
            found.add(name)
    return tuple(sorted(found))


def is_page_path(segments: Sequence[str]) -> bool:
    """Return whether a path ends with `page` and a number."""
    left = [segment for segment in segments if segment]
    return len(left) > 1 and left[-2].lower() in PAGE_SEGMENTS and kind_of(left[-1]) == "number"
