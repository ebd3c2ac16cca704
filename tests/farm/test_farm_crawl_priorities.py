"""Which pages come first."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from stillframe.farm.crawl.priorities import Priorities, said
from stillframe.farm.crawl.settings import CrawlSettings
from stillframe.farm.crawl.work import add_start
from stillframe.farm.store import CrawlStore
from stillframe.farm.store.positions import check_priority

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
URLS = ("http://h/", "http://h/docs/a", "http://h/old/b")


@pytest.mark.parametrize(
    ("priority", "lastmod", "number"),
    [
        (None, None, 0),
        ("0.5", None, 0),
        ("1.0", None, 50),
        ("0", None, -50),
        ("0.75", None, 30),
        ("7", None, 50),
        ("-1", None, -50),
        ("nan", None, 0),
        ("high", None, 0),
        ("", "2026-11-30", 9),
        (None, "2026-11-30T11:00:00+00:00", 9),
        (None, "2026-11-28", 7),
        (None, "Mon, 23 Nov 2026 12:00:00 GMT", 6),
        (None, "2026-10-01", 3),
        (None, "2020-01-01T00:00:00Z", 0),
        (None, "2031-01-01", 9),
        (None, "yesterday", 0),
        ("1.0", "2026-11-30", 59),
    ],
)
def test_what_a_sitemap_says_is_a_priority(priority: str | None, lastmod: str | None, number: int) -> None:
    assert said(priority, lastmod, NOW) == number
    check_priority(number)


def test_globs_decide_before_the_sitemap_and_the_first_one_counts() -> None:
    given = ("**/docs/**=10", "**/old/**=-100", "**/docs/a=90")
    globs = Priorities(CrawlSettings(urls=URLS, priorities=given, sitemap_priorities=True))
    assert [globs.of(url) for url in (*URLS, "http://h/docs/a#part")] == [0, 10, -100, 10]
    assert [globs.of_entry(url, "1.0", None, NOW) for url in URLS] == [50, 10, -100]
    assert Priorities(CrawlSettings(urls=URLS)).of_entry("http://h/", "1.0", None, NOW) == 0


async def test_pages_are_loaded_by_their_priority_and_else_in_their_order(sqlite_url: str) -> None:
    settings = CrawlSettings(urls=URLS, priorities=("**/docs/**=10", "**/old/**=1")).check()
    async with await CrawlStore.open(sqlite_url, "crawl", worker="w", settings=settings.to_builtins()) as store:
        await add_start(store, settings)
        assert [lease.url for lease in await store.lease(9)] == [URLS[1], URLS[2], URLS[0]]
