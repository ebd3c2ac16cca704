"""A crawl with Chrome of a site with five traps, with its budgets, its summary, and what a later run keeps of it."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest
from trap_site import TrapSite

from stillframe.farm.crawl import CrawlSettings, run_crawl
from stillframe.farm.crawl.scope import Scope
from stillframe.farm.crawl.settings import read_settings
from stillframe.farm.store import CrawlStore
from stillframe.testing import app_server

PAGES, TRAP_PAGES = 5, 3


@pytest.mark.browser
async def test_a_crawl_ends_names_its_traps_and_has_all_real_pages(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    site, out = TrapSite(PAGES), tmp_path / "out"
    with caplog.at_level(logging.WARNING, "stillframe.farm.traps"):
        async with app_server.serving(site.app()) as port:
            site.origin = f"http://127.0.0.1:{port}"
            settings = CrawlSettings(
                urls=(f"{site.origin}/",),
                settle_s=1.0,
                trap_pages=TRAP_PAGES,
                budgets=("**/folder/**=4", "**/list**=2"),
                exclude=("**/shop**",),
            )
            summary = await run_crawl(settings, out=out, concurrency=4)
    found = {json.loads(line)["url"] for line in (out / "pages.jsonl").read_text().splitlines()}
    assert site.products <= found
    assert (summary.exit, summary.pending, summary.failed) == (0, 0, 0)
    name = f"calendar 127.0.0.1:{port}/calendar/{{date}}/{{date}}/{{date}}/"
    assert summary.traps[name].crawled >= TRAP_PAGES
    assert summary.traps[name].left_out > 0
    assert {budget: each.crawled for budget, each in summary.budgets.items()} == {
        "budget **/folder/**": 4,
        "budget **/list**": 2,
    }
    assert sum("/folder/" in url for url in found) == 4
    messages = [record.message for record in caplog.records if record.name.startswith("stillframe.farm.traps")]
    assert len(messages) == len(set(messages)) == len(summary.traps) + len(summary.budgets)


async def test_a_crawl_of_an_earlier_version_takes_dir_and_dir_slash_for_one_page(sqlite_url: str) -> None:
    urls = ("http://h/",)
    recorded = CrawlSettings(urls=urls).to_builtins()
    del recorded["page_keys"]
    async with await CrawlStore.open(sqlite_url, "old", worker="w", settings=recorded) as store:
        old = read_settings(store.settings).links
    new = read_settings(CrawlSettings(urls=urls).to_builtins()).links
    pairs = [("http://h/dir", "http://h/dir/"), ("http://h", "http://h/"), ("http://h/a/?b=1", "http://h/a?b=1")]
    assert [old.key(one) == old.key(other) for one, other in pairs] == [True] * 3
    assert [new.key(one) == new.key(other) for one, other in pairs] == [False, True, False]
    assert old.key("http://h/dir?utm_id=1") == "http://h/dir"


async def test_a_worker_leaves_behind_what_it_has_counted(sqlite_url: str) -> None:
    settings = CrawlSettings(urls=("http://h/",), max_pages_per_host=1, trap_pages=1)
    async with await CrawlStore.open(sqlite_url, "crawl", worker="w", settings=settings.to_builtins()) as store:
        async with Scope(store, settings) as scope:
            scope.traps.open("a", "http://h/a")
            scope.traps.close("a", crawled=True)
            assert scope.traps.admit("http://h/b") is None
        async with Scope(store, settings) as scope:
            assert scope.traps.admit("http://h/c") is None
