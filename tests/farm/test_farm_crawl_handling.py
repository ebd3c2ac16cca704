"""The requests that a crawl makes of links, and pages that are not handed over."""

from __future__ import annotations

from pathlib import Path

import pytest
from crawl_site import CrawlSite, by_url

from stillframe.farm.crawl import CrawlSettings, run_crawl
from stillframe.farm.crawl.handling import request_of
from stillframe.farm.crawler.links import page_key
from stillframe.farm.crawler.storage_client import new_request


def test_the_request_of_a_link_is_that_of_its_page() -> None:
    request = request_of("http://h/Guide?b#part")
    assert request is not None
    assert (request.url, request.unique_key) == ("http://h/Guide?b#part", page_key("http://h/Guide?b"))
    assert new_request(request).key == request.unique_key


@pytest.mark.parametrize("link", ["http://xn--a/", "http://\u00e4..b/", "http://h/\ud800"])
def test_a_link_that_crawlee_does_not_take_costs_nothing(link: str) -> None:
    assert request_of(link) is None


@pytest.mark.browser
async def test_a_page_that_leads_to_another_host_is_skipped(tmp_path: Path) -> None:
    async with CrawlSite() as site:
        site.start = ("/away", "/Routed")
        summary = await run_crawl(CrawlSettings(urls=(f"{site.url}/start",)), out=tmp_path / "out", concurrency=2)
        assert (summary.done, summary.skipped, summary.pages) == (2, 1, 2)
        assert {*by_url(tmp_path / "out")} == {f"{site.url}/start", f"{site.url}/Routed"}
