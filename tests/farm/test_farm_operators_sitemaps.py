"""Sitemaps of operators, from the bytes of the server to the queue of a crawl; without a browser."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from operators.raw import RawServer, raw_server
from operators.sitemaps import CASES, SitemapCase

from stillframe.farm.crawl import CrawlSettings
from stillframe.farm.crawl.sitemap_progress import STATE, report_of
from stillframe.farm.crawl.sitemaps import add_sitemaps
from stillframe.farm.sitemaps import fetching
from stillframe.farm.store import CrawlStore, worker_name

BOUND = 60
HOSTS = {case.name: f"127.2.0.{n + 1}" for n, case in enumerate(CASES)}


async def queued(store: CrawlStore) -> frozenset[str]:
    """Return the paths in a queue, unescaped."""
    found = set[str]()
    while leases := await store.lease(200):
        found |= {"/" + unquote(lease.url).partition("://")[2].partition("/")[2] for lease in leases}
    return frozenset(found)


async def outcome(case: SitemapCase, site: RawServer, folder: Path) -> tuple[Any, ...]:
    """Return what a crawl of the host of a case has queued, and says of its sitemaps."""
    url = f"http://{HOSTS[case.name]}:{site.port}"
    site.answers |= {HOSTS[case.name] + path: answer for path, answer in case.given(url).items()}
    named = tuple(each if each == "auto" else url + each for each in case.sitemaps)
    settings = CrawlSettings(urls=(f"{url}/",), sitemaps=named).check()
    database = f"sqlite:///{folder / f'{HOSTS[case.name]}.db'}"
    store = await CrawlStore.open(database, "c", worker=worker_name(), mode="create", settings=settings.to_builtins())
    async with store:
        await add_sitemaps(store, settings, asyncio.Event())
        report = report_of(await store.get_state(STATE))
        assert report is not None
        return await queued(store), report.read, dict(report.failed), report.skipped, report.elsewhere


async def test_sitemaps_of_operators(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them at once: each has a host and a crawl of its own."""
    monkeypatch.setattr(fetching, "PAUSE_S", 0.0)
    async with asyncio.timeout(BOUND), raw_server({}) as site:
        found = await asyncio.gather(*(outcome(case, site, tmp_path) for case in CASES))
    wrong = {}
    for case, each in zip(CASES, found, strict=True):
        expected = (case.expected, case.read, dict(case.failed), case.skipped, case.elsewhere)
        if each != expected:
            wrong[case.name] = f"{each}, not {expected} ({case.why})"
    assert not wrong
