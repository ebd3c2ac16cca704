"""Failed pages that are tried again, by the kinds of their errors."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from stillframe.errors import OptionInvalid
from stillframe.farm.crawl.handling import OUTCOME_CHARACTERS
from stillframe.farm.crawl.summary import FAILED
from stillframe.farm.loading.trials import Trials, read_trials
from stillframe.farm.store import CrawlStore, requeue

ALL = "all"
KIND = re.compile(r"[\w*?]+")
MOST_NAMED = 20
"""How many kinds a message names."""
_FAMILY = re.compile(r"(http_\d)xx")


async def retry(store: CrawlStore, kinds: Sequence[str]) -> int:
    """Return the failed pages of a crawl to its queue, as if they had never been tried, and return their number.

    Workers may run meanwhile. The records of these pages are deleted, also from files; see `stillframe.farm.store`.

    Args:
        store: The store of the crawl.
        kinds: Kinds of errors as the summary names them (`http_503`, `navigation_timeout`), patterns with `*` and `?`,
            families of statuses (`http_5xx`), or `all`.

    Raises:
        OptionInvalid: No page has failed with one of them.
        StoreUnavailable: The database does not answer.
    """
    outcomes = (await store.counts()).outcomes
    patterns = patterns_of(kinds, kinds_of(outcomes), crawl=store.name)
    return await requeue(store, patterns, body=untried)


def kinds_of(outcomes: Iterable[str]) -> list[str]:
    """Return the kinds of errors among outcomes."""
    return sorted(each.removeprefix(FAILED) for each in outcomes if each.startswith(FAILED))


def patterns_of(kinds: Iterable[str], known: Sequence[str], *, crawl: str) -> list[str]:
    """Return the outcomes that kinds stand for, as patterns. Raises OptionInvalid for one that no page has."""
    found: list[str] = []
    for kind in kinds:
        pattern = "*" if kind == ALL else _FAMILY.sub(r"\1??", kind)
        pattern = pattern[: OUTCOME_CHARACTERS - len(FAILED)]
        if KIND.fullmatch(pattern) is None or not any(fnmatchcase(each, pattern) for each in known):
            named = ", ".join(known[:MOST_NAMED]) + (", …" if known[MOST_NAMED:] else "")
            raise OptionInvalid(
                f"no page of the crawl {crawl!r} has failed as {kind!r}: "
                + (f"give one of {named}, a pattern such as http_5xx, or all" if known else "none has failed"),
                option="kind",
            )
        found.append(FAILED + pattern)
    return found


def untried(body: str) -> str:
    """Return what goes with a page to its next worker, without what its tries have shown."""
    return Trials(sitemap=read_trials(body).sitemap).encode()
