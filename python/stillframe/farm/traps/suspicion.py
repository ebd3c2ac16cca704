"""What only many URLs show: combinations of filters, names of sessions, and numbers that happen to be days.

One worker's links are enough of a sample, so nothing of this is shared.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from urllib.parse import unquote_plus

import msgspec

from stillframe.farm.traps.segments import is_id
from stillframe.farm.traps.shapes import MAX_URL, Kind, Shape, page_names, shape_of
from stillframe.farm.traps.sketches import Distinct, Recent

MAX_WATCHED = 2_000
"""How many bases, and how many parameters, are watched; those that were met longest ago are forgotten."""
MAX_ANSWERS = 20_000
MAX_PARAMETERS = 16
COMBINATIONS = 64
"""From how many URLs of one base on its combinations are judged."""
COMBINED = 8.0
"""How many URLs there are for each value of the parameter with the most values, where filters are combined."""
SESSION_VALUES = 10
"""How many values a parameter has had before it is taken for one that names a session."""
SESSION_SHARES = 3.0
"""On how many pages each value was then, and how many values each page had."""
GROWN = 4
"""On how many levels paths with a segment that comes twice are met before they are taken for growing ones: the
table `/books/books` and its rows have two. Our choice."""
LISTED, LIST_URLS = 2.0, 20
"""How many pages a list has on average, where other parameters say which list it is; judged from 20 URLs on. Where
there are fewer, the number is that of the list which an item stands in: `?item=77&page=3`. Our choice."""
DAYS = 4
"""How many days there are for each other number in the place of a calendar, at least."""
SEPARATORS = str.maketrans(dict.fromkeys(",;|~+ ", ","))
"""What stands between several values of one parameter."""


class Suspect(msgspec.Struct, frozen=True, kw_only=True):
    """A URL, and the trap that it may belong to; `parameter` is the name of that of a session."""

    shape: Shape
    kind: Kind | None = None
    trap: str = ""
    parameter: str = ""

    @property
    def name(self) -> str:
        """The kind and the pattern of the trap, as they are shown."""
        return f"{self.kind} {self.trap}"


class Suspicion:
    """Tells which URLs may belong to a trap, by all that it has been asked for."""

    def __init__(self) -> None:
        self._filters: Recent[_Filters] = Recent(MAX_WATCHED)
        self._sessions: Recent[_Session] = Recent(MAX_WATCHED)
        self._days: Recent[_Days] = Recent(MAX_WATCHED)
        self._lists: Recent[_Lists] = Recent(MAX_WATCHED)
        self._levels: Recent[set[int]] = Recent(MAX_WATCHED)
        self._answers: dict[str, Suspect] = {}
        """The last answers, while they hold: nearly all links of a page stand on others, too."""

    def suspect(self, url: str) -> Suspect:
        """Take a URL in, and return what is suspected of it."""
        answer = self._answers.get(url)
        if answer is None:
            answer = self._suspect(url)
            if len(self._answers) >= MAX_ANSWERS:
                self._answers.clear()
            self._answers[url] = answer
        return answer

    def _suspect(self, url: str) -> Suspect:
        shape = shape_of(url)
        values = values_of(url)
        session = self._session(url, shape, values)
        combined = self._is_combined(shape, values)
        daily = "#" not in shape.base or self._is_daily(shape)
        if session:
            return Suspect(shape=shape, kind="session", trap=f"{shape.host}/**?{session}=*", parameter=session)
        if shape.loop and self._grows(shape):
            return Suspect(shape=shape, kind="path", trap=shape.loop)
        if combined and shape.kind in (None, "pagination", "query"):
            return Suspect(shape=shape, kind="facets", trap=f"{shape.base}?*")
        if shape.kind is None or (shape.kind == "calendar" and not daily) or not self._is_list(shape, values):
            return Suspect(shape=shape)
        return Suspect(shape=shape, kind=shape.kind, trap=shape.trap)

    def _session(self, url: str, shape: Shape, values: list[tuple[str, str]]) -> str:
        for name, value in values:
            if not is_id(value):
                continue
            session = self._sessions.get((shape.host, name), _Session)
            if session.is_session or self._changes(session.add(url, name, value)):
                return name
        return ""

    def _is_combined(self, shape: Shape, values: list[tuple[str, str]]) -> bool:
        if len(values) < 2:
            found = self._filters.peek(shape.base)
            return bool(values) and found is not None and found.is_combined
        filters = self._filters.get(shape.base, _Filters)
        return filters.is_combined or self._changes(filters.add(values))

    def _grows(self, shape: Shape) -> bool:
        """Return whether paths that have the same segment twice are met on many levels."""
        levels = self._levels.get(shape.loop, set)
        before = len(levels)
        levels.add(shape.base.rstrip("/").count("/"))
        return before >= GROWN or self._changes(len(levels) >= GROWN)

    def _is_list(self, shape: Shape, values: list[tuple[str, str]]) -> bool:
        """Return whether the number of a page in a URL counts the pages of a list; true for what has none."""
        if shape.kind != "pagination" or "?" not in shape.trap:
            return True
        pages = set(page_names(values))
        lists = self._lists.get((shape.base, shape.names), _Lists)
        was, lists.are_long = lists.are_long, lists.add(values, [each for each in values if each[0] not in pages])
        self._changes(was != lists.are_long)
        return lists.are_long

    def _changes(self, is_known_now: bool) -> bool:
        """Forget all answers if something has just become known."""
        if is_known_now:
            self._answers.clear()
        return is_known_now

    def _is_daily(self, shape: Shape) -> bool:
        if shape.names:
            return True  # a parameter says by its name that it is a day
        days = self._days.get(shape.base, _Days)
        days.days += shape.kind == "calendar"
        days.others += shape.kind is None
        was, days.is_daily = days.is_daily, days.days >= DAYS * days.others
        self._changes(was != days.is_daily and days.days > 0)
        return days.is_daily


class _Filters:
    """The combinations of one base: of filters there are many more than of the values of any of them."""

    def __init__(self) -> None:
        self.is_combined = False
        self._all = Distinct(4_096)
        self._values: dict[str, Distinct] = {}

    def add(self, values: list[tuple[str, str]]) -> bool:
        """Take the parameters of a URL in; return whether they are combinations."""
        self._all.add(tuple(sorted(values)))
        for name, value in values:
            if name in self._values or len(self._values) < MAX_PARAMETERS:
                self._values.setdefault(name, Distinct(1_024)).add(value)
        count = self._all.count
        if COMBINATIONS <= count < math.inf:
            self.is_combined = count >= COMBINED * max(each.count for each in self._values.values())
        return self.is_combined


class _Lists:
    """The lists of one base, and their pages."""

    def __init__(self) -> None:
        self.are_long = True
        self._all = Distinct(4_096)
        self._lists = Distinct(4_096)

    def add(self, values: Sequence[tuple[str, str]], which: Sequence[tuple[str, str]]) -> bool:
        """Take the parameters of a page and those of its list in; return whether lists have several pages."""
        self._all.add(tuple(values))
        self._lists.add(tuple(which))
        count, lists = self._all.count, self._lists.count
        return count < LIST_URLS or (self.are_long if math.inf in (count, lists) else count >= LISTED * lists)


class _Session:
    """A parameter with made-up values: a session's come on many pages each, and each page comes with many."""

    def __init__(self) -> None:
        self.is_session = False
        self._all = Distinct(8_192)
        self._values = Distinct(1_024)
        self._pages = Distinct(4_096)

    def add(self, url: str, name: str, value: str) -> bool:
        """Take a URL in; return whether the parameter names sessions."""
        self._all.add(url)
        self._values.add(value)
        self._pages.add(without(url, name))
        count, values, pages = self._all.count, self._values.count, self._pages.count
        self.is_session = values >= SESSION_VALUES and count >= SESSION_SHARES * max(values, pages)
        return self.is_session


class _Days:
    """How many URLs of a base have a day in the place of its numbers, and how many another number."""

    def __init__(self) -> None:
        self.is_daily = True
        self.days = 0
        self.others = 0


def values_of(url: str) -> list[tuple[str, str]]:
    """Return the parameters of a URL; one that lists several values has each of them."""
    query = url[:MAX_URL].partition("#")[0].partition("?")[2]
    found = []
    for each in query.split("&"):
        name, _, value = each.partition("=")
        if name:
            found += [(unquote_plus(name), part) for part in unquote_plus(value).translate(SEPARATORS).split(",")]
    return found


def without(url: str, name: str) -> str:
    """Return a URL without a parameter, and without its fragment."""
    rest, _, query = url.partition("#")[0].partition("?")
    return f"{rest}?{'&'.join(each for each in query.split('&') if unquote_plus(each.partition('=')[0]) != name)}"
