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
WORD = re.compile(r"[^\W\d_]+|\d+")
"""Words and numbers; a date such as 2031年5月 is two of each."""


class Novelty:
    """What was seen on pages that may belong to traps: words and numbers by trap, and links to pages of no trap."""

    def __init__(self) -> None:
        self._words = Seen()
        self._links = Seen()

    def brings(self, trap: str, url: str, text: str, links: Iterable[str]) -> bool:
        """Return whether a page has a word, many numbers, or a link to a page of no trap that are new."""
        fresh = sum([self._links.add(link) for link in links])
        words, numbers = self._count(trap, url, text)
        return fresh > 0 or words > 0 or numbers >= NEW_NUMBERS

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
