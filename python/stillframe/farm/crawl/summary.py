"""What a crawl did."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from stillframe.farm.crawl.sitemap_progress import SitemapsReport
from stillframe.farm.traps.traps import LeftOut

NOTHING_ALLOWED, NO_PAGE, ALL_SKIPPED, EMPTY = "robots_refused", "no_page_loaded", "all_skipped", "no_pages"
"""Why a crawl got nothing."""
MAX_KINDS = 20
"""How many kinds a summary names; the sum of the others is `other`."""
OTHER = "other"
FAILED = "failed:"
"""The beginning of the outcome of a page that failed; what follows is the kind of its error."""


class CrawlSummary(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What stands in the database when a run of a crawl ends.

    `done`, `failed` and `skipped` count pages of all runs and workers, `errors` the failed ones by kind (the twenty
    most frequent, the rest as `other`), and `robots_refused` the skipped ones that robots.txt forbids. `verdicts` and
    `pages_per_s` are of this run. `reason` says why a crawl got no page: `robots_refused`, `no_page_loaded`,
    `all_skipped` or `no_pages`. `moved` has the hosts of starts that redirected, and the hosts that they led to.
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
    return bounded({name.removeprefix(FAILED): n for name, n in outcomes.items() if name.startswith(FAILED)})


def bounded(counts: Mapping[str, int]) -> dict[str, int]:
    """Return counts by kind, the most frequent first; those beyond `MAX_KINDS` are one sum.

    >>> bounded({"http_500": 1, "http_502": 4})
    {'http_502': 4, 'http_500': 1}
    """
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    rest = sum(count for _, count in ranked[MAX_KINDS:])
    return dict(ranked[:MAX_KINDS]) | ({OTHER: rest} if rest else {})
