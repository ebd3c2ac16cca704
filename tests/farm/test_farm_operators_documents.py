"""Documents of operators: one crawl with a browser over one site, and the record of each."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from crawl_site import by_url
from operators.documents import CASES, OTHERS
from operators.raw import raw_server

from stillframe.farm.crawl import CrawlSettings, run_crawl

pytestmark = pytest.mark.browser
BOUND = 180
PATHS = {case.name: f"/case/{n}" for n, case in enumerate(CASES)}


def fields_of(record: dict[str, Any], site: str, names: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a record that are compared."""
    found: dict[str, Any] = {
        **record,
        "error": record.get("error", {}).get("kind"),
        "text": " ".join(record.get("text", "").split()),
        "title": record.get("title", ""),
        "links": [link.removeprefix(site) for link in record.get("links", [])],
        "finalUrl": record.get("finalUrl", "").removeprefix(site),
    }
    return {name: found.get(name) for name in names}


async def test_documents_of_operators(tmp_path: Path) -> None:
    async with asyncio.timeout(BOUND), raw_server(OTHERS) as server:
        site = f"http://127.0.0.1:{server.port}"
        for case in CASES:
            assert isinstance(case.given, bytes)
            server.answers[PATHS[case.name]] = case.given
        urls = tuple(site + path for path in PATHS.values())
        settings = CrawlSettings(urls=urls, depth=0, retries=0, settle_s=3.0)
        await run_crawl(settings, out=tmp_path / "out", concurrency=4)
    found = by_url(tmp_path / "out")
    wrong = {}
    for case in CASES:
        record = found.get(site + PATHS[case.name], {})
        fields = fields_of(record, site, case.expected)
        if fields != case.expected:
            wrong[case.name] = f"{fields}, not {case.expected} ({case.why})"
    assert not wrong
