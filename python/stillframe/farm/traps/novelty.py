"""Whether a page brings anything that the pages of its trap have not brought before, as one worker has seen them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import unquote_plus

from stillframe.farm.traps.sketches import Seen

MAX_TEXT = 200_000
"""Characters of a page that are looked at."""
NEW_NUMBERS = 15
"""From how many new numbers on a page brings something; a calendar or a list of pages has fewer. Our choice."""
NEW_MEASURES = 3
"""From how many new numbers that say no time a page of a calendar brings something: a day's rates are as many. An empty
day may count the days of the year, and those until it. Our choice."""
MEASURE = re.compile(r"\d+(?:[.,]\d+)*")
WHEN = re.compile(r"(?<!\d)(?:\d{1,2}|(?:19|2[01])\d\d(?:\d\d){0,2}|\d{10}|\d{13})(?:[.,]|\Z)", re.ASCII)
"""A part of a number that says a time: a day, month, week, hour or year, a date without separators, or a moment."""
WORD = re.compile(r"[^\W\d_]+|\d+")
"""Words and numbers; a date such as 2031年5月 is two of each."""


class Novelty:
    """What was seen on pages that may belong to traps: words and numbers by trap, and links to pages of no trap."""

    def __init__(self) -> None:
        self._words = Seen()
        self._links = Seen()

    def brings(self, trap: str, url: str, text: str, links: Iterable[str], *, calendar: bool = False) -> bool:
        """Return whether a page has a word, many numbers, or a link to a page of no trap that are new.

        On a page of a calendar, a few numbers are enough that say no time.
        """
        fresh = sum([self._links.add(link) for link in links])
        words, numbers = self._count(trap, url, text)
        measures = self._measures(trap, url, text) if calendar else 0
        return fresh > 0 or words > 0 or numbers >= NEW_NUMBERS or measures >= NEW_MEASURES

    def _measures(self, trap: str, url: str, text: str) -> int:
        found = set(MEASURE.findall(text[:MAX_TEXT])) - set(MEASURE.findall(url))
        return sum([self._words.add((trap, "measure", each)) for each in found if WHEN.sub("", each)])

    def leads(self, trap: str, links: Iterable[str]) -> bool:
        """Return whether a page of a trap has a new link among these."""
        return sum([self._links.add((trap, link)) for link in links]) > 0

    def _count(self, trap: str, url: str, text: str) -> tuple[int, int]:
        own = set(WORD.findall(unquote_plus(url).casefold()))
        words = numbers = 0
        for word in set(WORD.findall(text[:MAX_TEXT].casefold())) - own:
            if self._words.add((trap, word)):
                numbers += (is_number := word[0].isdigit())
                words += not is_number
        return words, numbers
