"""What hooks and handlers of a crawl get: blocking by crawlee's patterns."""

from __future__ import annotations

import pytest
from crawl_site import CrawlSite
from test_farm_crawler_crawler import crawler_of, run

from stillframe.farm.crawler import StillframeCrawlingContext, StillframePreNavCrawlingContext
from stillframe.farm.crawler.contexts import BLOCKED, blocking


@pytest.mark.parametrize(
    ("patterns", "url", "blocked"),
    [
        (BLOCKED, "http://h/a.png?v=1", True),
        (BLOCKED, "http://h/a.js", False),
        (["adsbygoogle.js"], "http://h/x/adsbygoogle.js", True),
        (["h/ads/*.js"], "http://h/ads/x/y.js", True),
        (["*.js"], "http://h/jobs", False),
        (["**/favicon.ico"], "http://h/favicon.ico", True),
        (["a.b?c"], "http://h/aXb?c", False),
    ],
)
def test_patterns_are_those_of_crawlee(patterns: list[str], url: str, blocked: bool) -> None:
    assert (blocking(patterns).search(url) is not None) is blocked


@pytest.mark.browser
async def test_extra_patterns_are_blocked_as_well_and_the_document_is_not() -> None:
    async with CrawlSite(1) as site:
        crawler, texts = crawler_of(max_request_retries=0), list[str]()

        @crawler.pre_navigation_hook
        async def block(context: StillframePreNavCrawlingContext) -> None:
            await context.block_requests(extra_url_patterns=["/text/", "/p/"])

        @crawler.router.default_handler
        async def handle(context: StillframeCrawlingContext) -> None:
            texts.append(await context.page.evaluate("document.querySelector('#text').textContent"))

        await run(crawler, site.root)
        assert texts == [""]
        assert site.seen["/text/0"] == 0
