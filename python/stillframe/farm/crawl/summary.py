"""What a crawl did."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from stillframe.farm.crawl.sitemap_progress import SitemapsReport
from stillframe.farm.traps.traps import LeftOut

NOTHING_ALLOWED, NO_PAGE = "robots_refused", "no_page_loaded"
"""Why a crawl got nothing."""
FAILED = "failed:"
"""The beginning of the outcome of a page that failed; what follows is the kind of its error."""


class CrawlSummary(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What stands in the database when a run of a crawl ends.

    `done`, `failed` and `skipped` count pages of all runs and workers, `errors` the failed ones by kind, and
    `robots_refused` the skipped ones that robots.txt forbids. `verdicts` and `pages_per_s` are of this run. `reason`
    says why a crawl got no page. `moved` has the hosts of starts that redirected, and the hosts that they led to.
    `traps` are the traps that have ended, and `budgets` those that were used up, a hundred of each at most.
    """

    name: str
    exit: int
    done: int
    failed: int
    skipped: int
    robots_refused: int = 0
    pending: int
    errors: Mapping[str, int]
    verdicts: Mapping[str, int]
    pages: int
    seconds: float
    pages_per_s: float
    restarts: int
    lost_leases: int
    sitemaps: SitemapsReport | None = None
    moved: Mapping[str, str] = {}
    traps: Mapping[str, LeftOut] = {}
    budgets: Mapping[str, LeftOut] = {}
    out: str | None = None
    reason: str | None = None


def errors_of(outcomes: Mapping[str, int]) -> dict[str, int]:
    """Return the failed pages by kind, the most frequent first."""
    found = {name.removeprefix(FAILED): count for name, count in outcomes.items() if name.startswith(FAILED)}
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))
