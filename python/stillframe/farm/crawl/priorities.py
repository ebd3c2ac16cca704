"""Which pages of a crawl come first: those of its globs, and if asked for, those that sitemaps call important."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from msgspec import structs

from stillframe.farm.crawl.settings import CrawlSettings, numbered
from stillframe.farm.store import NewRequest

STEP = 10
"""How much a tenth of a sitemap's priority is: more than its `lastmod` can be."""
USUAL = 0.5
"""The priority of a page whose sitemap gives none, by the protocol."""


class Priorities:
    """The priorities of a crawl's pages; 0 for all others."""

    def __init__(self, settings: CrawlSettings) -> None:
        self._globs = [numbered("priorities", given, least=-100)[1:] for given in settings.priorities]
        self._by_sitemap = settings.sitemap_priorities

    def of(self, url: str) -> int:
        """Return the priority of a URL: the number of the first glob that matches."""
        plain = url.partition("#")[0]
        return next((number for regex, number in self._globs if regex.match(plain)), 0)

    def of_entry(self, url: str, priority: str | None, lastmod: str | None, now: datetime) -> int:
        """Return the priority of a page of a sitemap; globs decide before the sitemap."""
        own = self.of(url)
        return own if own or not self._by_sitemap else said(priority, lastmod, now)

    def given(self, requests: Sequence[NewRequest]) -> list[NewRequest]:
        """Return requests with their priorities."""
        if not self._globs:
            return list(requests)
        return [structs.replace(request, priority=self.of(request.url)) for request in requests]


def said(priority: str | None, lastmod: str | None, now: datetime) -> int:
    """Return the priority that a sitemap gives a page: -50 to 50 by `priority`, and 0 to 9 more by `lastmod`.

    One that was changed today gets 9, and one less each time that its age doubles. What cannot be read does not count.
    """
    try:
        number = float(priority or USUAL)
    except ValueError:
        number = USUAL
    share = min(1.0, max(0.0, number)) if math.isfinite(number) else USUAL
    return STEP * (round(10 * share) - 5) + freshness(lastmod, now)


def freshness(lastmod: str | None, now: datetime) -> int:
    """Return 9 for a page that was changed within a day, one less each time that its age doubles, and 0 at least."""
    changed = None if lastmod is None else read_time(lastmod)
    if changed is None:
        return 0
    days = max(0.0, (now - changed).total_seconds() / 86_400)
    return max(0, STEP - 1 - math.ceil(math.log2(max(1.0, days))))


def read_time(text: str) -> datetime | None:
    """Return the time of a sitemap or a feed, in UTC where it names no zone; None for what cannot be read."""
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            found = read(text.strip())
            return found if found.tzinfo else found.replace(tzinfo=UTC)
        except (ValueError, OverflowError):
            continue
    return None
