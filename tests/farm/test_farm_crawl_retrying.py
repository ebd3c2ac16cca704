"""Failed pages that are tried again by the kinds of their errors."""

from __future__ import annotations

from pathlib import Path

import pytest
from aiohttp import web
from crawl_site import by_url
from store_cases import opened, page, row

from stillframe.errors import OptionInvalid
from stillframe.farm.crawl import CrawlSettings, run_crawl
from stillframe.farm.crawl.retrying import patterns_of, retry, untried
from stillframe.farm.exits import CrawlExit
from stillframe.farm.loading.trials import Trials, read_trials
from stillframe.testing.app_server import serving

KNOWN = ["err_connection_reset", "http_404", "http_500", "http_503", "navigation_timeout"]


@pytest.mark.parametrize(
    ("kinds", "patterns"),
    [
        (["http_503"], ["failed:http_503"]),
        (["http_5xx", "navigation_timeout"], ["failed:http_5??", "failed:navigation_timeout"]),
        (["err_*"], ["failed:err_*"]),
        (["all"], ["failed:*"]),
    ],
)
def test_kinds_patterns_and_families_of_statuses(kinds: list[str], patterns: list[str]) -> None:
    assert patterns_of(kinds, KNOWN, crawl="x") == patterns


def test_a_kind_is_found_although_the_database_has_cut_it() -> None:
    kind = "err_ssl_version_or_cipher_mismatch_and_more"
    cut = ("failed:" + kind)[:40]
    assert patterns_of([kind], [cut.removeprefix("failed:")], crawl="x") == [cut]


@pytest.mark.parametrize("kind", ["htp_503", "http_4x", "http_502", "HTTP_503", "", "[a-z]*", "failed:http_503"])
def test_a_kind_that_no_page_has_is_refused_with_those_that_there_are(kind: str) -> None:
    with pytest.raises(OptionInvalid, match=r"has failed as .*: give one of err_connection_reset, http_404") as caught:
        patterns_of(["http_503", kind], KNOWN, crawl="x")
    assert caught.value.option == "kind"


def test_a_crawl_without_failures_says_so() -> None:
    with pytest.raises(OptionInvalid, match="none has failed"):
        patterns_of(["all"], [], crawl="x")


def test_what_the_tries_of_a_page_have_shown_is_forgotten_and_what_a_sitemap_says_is_kept() -> None:
    tried = Trials(avoid=3, reschedules=5, lost_browsers=4, sitemap={"priority": "0.5"})
    assert read_trials(untried(tried.encode())) == Trials(sitemap={"priority": "0.5"})
    assert read_trials(untried("not JSON")) == Trials()


async def test_failed_pages_are_pending_again_while_a_worker_runs(store_url: str) -> None:
    outcomes = ["failed:http_503", "done", "failed:http_500", "failed:download"]
    async with await opened(store_url) as store:
        await store.add([page(n) for n in range(len(outcomes) + 1)])
        leases = await store.lease(len(outcomes) + 1)
        for lease, outcome in zip(leases[:-1], outcomes, strict=True):
            await store.complete(lease, rows=[row(outcome)], outcome=outcome)
        async with await opened(store_url, worker="other", mode="join") as operator:
            assert await retry(operator, ["http_5xx"]) == 2
            with pytest.raises(OptionInvalid, match="give one of download"):
                await retry(operator, ["http_5xx"])
        counts = await store.counts()
        assert (counts.pending, counts.leased, counts.outcomes) == (2, 1, {"done": 1, "failed:download": 1})
        assert [found.body for found in await store.rows(0, 10)] == [b"done", b"failed:download"]
        again = await store.lease(5)
        assert {(lease.url, lease.attempts) for lease in again} == {("http://a/0", 1), ("http://a/2", 1)}
        for lease in (*again, leases[-1]):
            await store.complete(lease, rows=[row("again")])
        assert await store.is_finished()


@pytest.mark.browser
async def test_a_crawl_is_resumed_with_the_pages_that_failed_and_each_stands_once(tmp_path: Path) -> None:
    broken = True

    async def answer(request: web.Request) -> web.Response:
        if request.path == "/bad" and broken:
            return web.Response(status=500, text="broken")
        links = "<a href=/bad>bad</a><a href=/good>good</a>" if request.path == "/" else ""
        return web.Response(text=f"<title>{request.path}</title>{links}", content_type="text/html")

    app = web.Application()
    app.router.add_get("/{path:.*}", answer)
    async with serving(app) as port:
        url, out = f"http://127.0.0.1:{port}", tmp_path / "out"
        settings = CrawlSettings(urls=(f"{url}/",), retries=0, respect_robots=False)
        first = await run_crawl(settings, out=out, concurrency=2)
        assert (first.done, first.errors) == (2, {"http_500": 1})
        broken = False
        with pytest.raises(OptionInvalid, match="give one of http_500"):
            await run_crawl(None, out=out, resume=True, retry_kinds=["http_404"])
        second = await run_crawl(None, out=out, resume=True, concurrency=1, retry_kinds=["http_5xx"])
    assert (second.exit, second.done, second.failed, second.pages) == (CrawlExit.OK, 3, 0, 1)
    lines = (out / "pages.jsonl").read_text().splitlines()
    assert len(lines) == 3
    assert by_url(out)[f"{url}/bad"]["title"] == "/bad"
    assert not any("error" in record for record in by_url(out).values())
