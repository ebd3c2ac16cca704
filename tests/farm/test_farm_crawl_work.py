"""How many pages a worker has open at once."""

from __future__ import annotations

import os

import pytest

from stillframe.farm.crawl import CrawlSettings
from stillframe.farm.crawl.work import Concurrency, pages_at_once, pool_settings


@pytest.mark.parametrize(("cores", "concurrency", "pages"), [(2, "auto", 4), (None, "auto", 2), (2, 1, 1), (2, 9, 9)])
def test_pages_at_once_follow_the_cores_unless_a_number_is_given(
    cores: int | None, concurrency: Concurrency, pages: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    assert pages_at_once(concurrency) == pages


@pytest.mark.parametrize(("pages", "browsers", "each"), [(1, 1, 1), (8, 1, 8), (9, 2, 5), (40, 5, 8)])
def test_pages_are_spread_over_as_few_browsers_as_they_need(pages: int, browsers: int, each: int) -> None:
    settings = pool_settings(CrawlSettings(recycle_pages=70), pages)
    assert (settings.browsers, settings.pages_per_browser, settings.recycle_pages) == (browsers, each, 70)
