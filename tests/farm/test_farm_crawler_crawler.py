"""The crawler for crawlee's users, with crawlee's own storages in memory and a real browser."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from crawl_site import CrawlSite, text_of
from crawlee import ConcurrencySettings, Request
from crawlee.configuration import Configuration
from crawlee.crawlers import BasicCrawlingContext
from crawlee.events import LocalEventManager
from crawlee.sessions import SessionPool
from crawlee.storage_clients import FileSystemStorageClient, MemoryStorageClient

from stillframe import Click
from stillframe.errors import BrowserError, DiskFull, OptionInvalid, SessionLost
from stillframe.farm.crawler import (
    StillframeCrawler,
    StillframeCrawlingContext,
    StillframePostNavCrawlingContext,
    StillframePreNavCrawlingContext,
    StoreStorageClient,
)
from stillframe.farm.crawler.contexts import Visit
from stillframe.farm.crawler.crawler import follows
from stillframe.farm.loading import deferring
from stillframe.farm.loading.trials import Trials
from stillframe.farm.pool import BrowserPool, PoolSettings, Probes
from stillframe.farm.store import CrawlStore, Return, worker_name

pytestmark = pytest.mark.browser
BOUND = 60


def crawler_of(**options: Any) -> StillframeCrawler:
    configuration = Configuration(purge_on_start=True, log_level="CRITICAL")
    given: dict[str, Any] = {
        "pool_settings": PoolSettings(pages_per_browser=2),
        "storage_client": MemoryStorageClient(),
        "configuration": configuration,
        "event_manager": LocalEventManager.from_config(configuration),
        "configure_logging": False,
    }
    return StillframeCrawler(**{**given, **options})


@pytest.fixture(scope="module")
async def pool() -> AsyncIterator[BrowserPool]:
    """One pool for all crawlers that do not end its browser."""
    async with BrowserPool(PoolSettings(pages_per_browser=2)) as pool:
        yield pool


async def run(crawler: StillframeCrawler, *urls: str | Request) -> None:
    """Run a crawler to its end, in time: one that is cancelled returns as if it had ended."""
    running = asyncio.create_task(crawler.run(list(urls)))
    done, _ = await asyncio.wait({running}, timeout=BOUND)
    running.cancel()
    await running
    assert done


async def test_handlers_and_hooks_get_pages_that_are_still(pool: BrowserPool) -> None:
    async with CrawlSite(3) as site:
        crawler, seen, hooks = crawler_of(pool=pool), {}, []

        @crawler.pre_navigation_hook
        async def before(context: StillframePreNavCrawlingContext) -> None:
            hooks.append(("before", context.page.url))
            await context.block_requests(["**/favicon.ico"])

        @crawler.post_navigation_hook
        async def after(context: StillframePostNavCrawlingContext) -> None:
            hooks.append(("after", context.response_headers["content-type"]))

        @crawler.router.default_handler
        async def handle(context: StillframeCrawlingContext) -> None:
            number = int(context.request.url.rpartition("/")[2])
            assert context.verdict.stable
            assert context.delta is None
            assert text_of(number) in await context.text()
            seen[number] = context.response.status
            await context.push_data({"number": number})
            await context.enqueue_links(selector="nav a")

        await run(crawler, site.root)
        assert seen == dict.fromkeys(range(3), 200)
        assert len(hooks) == 6
        data = await crawler.get_data()
        assert sorted(int(str(item["number"])) for item in data.items) == list(range(3))


async def test_a_page_on_which_a_sequence_acted_is_not_retried(pool: BrowserPool) -> None:
    async with CrawlSite(2) as site:
        crawler, tries = crawler_of(pool=pool, max_request_retries=3), []

        @crawler.router.default_handler
        async def handle(context: StillframeCrawlingContext) -> None:
            tries.append(context.request.url)
            if context.request.url == site.root:
                result = await context.sequence([Click("nav a")])
                assert context.delta is result.state_change
            if len(tries) < 3:
                raise KeyError("a handler that fails")

        await run(crawler, site.root)
        assert tries == [site.root]
        other = f"{site.url}/p/1"
        await run(crawler, other)
        assert tries == [site.root, other, other]


async def test_a_host_that_asks_for_time_is_left_alone_and_nothing_is_retried(pool: BrowserPool) -> None:
    async with CrawlSite(1) as site:
        crawler, failures, titles = crawler_of(pool=pool, max_request_retries=0), [], []

        @crawler.router.default_handler
        async def handle(context: StillframeCrawlingContext) -> None:
            titles.append(await context.page.title())

        @crawler.failed_request_handler
        async def failed(context: Any, error: Exception) -> None:
            failures.append(error)

        await run(crawler, f"{site.url}/throttled")
        assert failures == []
        assert titles == ["At last"]


async def test_what_a_handler_pushes_is_committed_with_its_page(tmp_path: Path, pool: BrowserPool) -> None:
    async with CrawlSite(2) as site:
        store = await CrawlStore.open(f"sqlite:///{tmp_path / 'c.db'}", "c", worker=worker_name())
        async with store, StoreStorageClient(store) as client:
            crawler, failed_once = crawler_of(pool=pool, storage_client=client), set[str]()

            @crawler.router.default_handler
            async def handle(context: StillframeCrawlingContext) -> None:
                await context.push_data({"url": context.request.url})
                await context.enqueue_links()
                if context.request.url not in failed_once:
                    failed_once.add(context.request.url)
                    raise KeyError("the first time each page fails after it pushed")

            await run(crawler, site.root)
            rows = await store.rows(0, 100)
            assert len(rows) == 2
            assert (await store.counts()).outcomes == {"done": 2}


async def test_what_the_handler_of_an_error_pushes_stays_and_what_the_failed_try_pushed_does_not(
    sqlite_url: str, pool: BrowserPool
) -> None:
    async with CrawlSite(1) as site:
        store = await CrawlStore.open(sqlite_url, "c", worker=worker_name())
        async with store, StoreStorageClient(store) as client:
            crawler, tries = crawler_of(pool=pool, storage_client=client), []

            @crawler.router.default_handler
            async def handle(context: StillframeCrawlingContext) -> None:
                tries.append(context.request.url)
                await (await crawler.get_dataset()).push_data({"try": len(tries)})
                if len(tries) == 1:
                    raise KeyError("the first try")

            @crawler.error_handler
            async def note(*_: object) -> None:
                await (await crawler.get_dataset()).push_data({"failed": len(tries)})

            await run(crawler, site.root)
            assert [json.loads(row.body) for row in await store.rows(0, 100)] == [{"failed": 1}, {"try": 2}]


async def test_a_page_that_is_shed_or_lost_goes_back_to_the_queue_and_the_crawl_goes_on(pool: BrowserPool) -> None:
    async with CrawlSite(2) as site:
        crawler, seen, ended = crawler_of(pool=pool, max_request_retries=0), list[str](), list[str]()

        @crawler.pre_navigation_hook
        async def end_the_first_visits(context: StillframePreNavCrawlingContext) -> None:
            url = context.request.url
            if url in ended:
                return
            ended.append(url)
            if url == site.root:
                context.visit.lent.shed.set()
            else:
                crawler.lose(context.request.unique_key)
            await asyncio.Event().wait()

        @crawler.router.default_handler
        async def handle(context: StillframeCrawlingContext) -> None:
            seen.append(context.request.url)

        await run(crawler, site.root, f"{site.url}/p/1")
        assert sorted(seen) == sorted(ended) == [site.root, f"{site.url}/p/1"]


@contextlib.asynccontextmanager
async def two_pages_kept(folder: Path) -> AsyncIterator[StoreStorageClient]:
    """Yield a storage, and check that two pages are in its queue when the crawl has ended."""
    store = await CrawlStore.open(f"sqlite:///{folder / 'c.db'}", "c", worker=worker_name())
    async with store, StoreStorageClient(store) as client:
        yield client
        counts = await store.counts()
        assert (counts.pending + counts.leased, counts.finished) == (2, 0)


async def test_a_crawl_without_browsers_ends_and_keeps_its_pages(tmp_path: Path) -> None:
    async with two_pages_kept(tmp_path) as client:
        crawler = crawler_of(
            storage_client=client,
            browser_options={"executable": "/bin/false"},
            respect_robots_txt_file=False,
            pool_settings=PoolSettings(pages_per_browser=2, launch_attempts=2, first_backoff_s=0.01),
        )
        with pytest.raises(BrowserError):
            await run(crawler, "http://127.0.0.1:9/a", "http://127.0.0.1:9/b")


def crowded(share: list[float], free_disk: float = 1e12) -> BrowserPool:
    """Return a pool on a machine whose memory is used up to a share, with short waits."""
    probes = Probes(memory=lambda: share[0], free_disk=lambda _: free_disk, pss=lambda _: 0)
    settings = PoolSettings(pages_per_browser=2, page_timeout_s=0.1, health_interval_s=0.05)
    return BrowserPool(settings, probes=probes)


async def test_a_page_waits_for_memory_without_being_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deferring, "PAUSE_S", 0.05)
    share, asked, seen = [0.1], list[str](), list[str]()

    def identity(context: BasicCrawlingContext) -> str:
        asked.append(context.request.url)
        if len(asked) == 3:
            share[0] = 0.1
        return ""

    async with CrawlSite(1) as site, crowded(share) as pool, pool.page(timeout_ms=1000 * BOUND):
        share[0] = 0.9
        async with asyncio.timeout(BOUND):
            while pool.status().admitting != "memory":  # noqa: ASYNC110 - the pool reads the memory by itself
                await asyncio.sleep(0.01)
        crawler = crawler_of(pool=pool, max_request_retries=0, identity=identity)

        @crawler.router.default_handler
        async def handle(context: StillframeCrawlingContext) -> None:
            seen.append(context.request.url)

        await run(crawler, site.root)
        assert seen == [site.root]
        assert len(asked) >= 3


async def test_a_full_disk_ends_the_crawl_and_keeps_its_pages(tmp_path: Path) -> None:
    async with two_pages_kept(tmp_path) as client, crowded([0.1], free_disk=1e6) as pool:
        crawler = crawler_of(pool=pool, storage_client=client, respect_robots_txt_file=False)
        with pytest.raises(DiskFull) as full:
            await run(crawler, "http://127.0.0.1:9/a", "http://127.0.0.1:9/b")
        assert (full.value.free_bytes, full.value.needed_bytes) == (1_000_000, 200_000_000)


@pytest.mark.slow  # the pool has a test that avoids a browser, and a whole crawl has a page that never answers
async def test_a_page_that_failed_to_load_is_tried_on_another_browser() -> None:
    async with CrawlSite(1) as site:
        browsers = list[int]()
        crawler = crawler_of(
            pool_settings=PoolSettings(browsers=2, pages_per_browser=1, launch_stagger_s=0.0),
            concurrency_settings=ConcurrencySettings(max_concurrency=1, desired_concurrency=1),
            navigation_timeout=timedelta(seconds=0.5),
        )

        @crawler.pre_navigation_hook
        async def note(context: StillframePreNavCrawlingContext) -> None:
            browsers.append(context.visit.lent.browser)

        @crawler.router.default_handler
        async def handle(context: StillframeCrawlingContext) -> None:
            raise AssertionError("the page never answers")

        async with asyncio.timeout(BOUND):
            await crawler.run([Request.from_url(f"{site.url}/hang", max_retries=1)])
        assert len(set(browsers)) == len(browsers) == 2


async def test_pages_whose_browser_ended_are_not_charged_for_it() -> None:
    async with CrawlSite(2) as site:
        crawler, seen, ended = crawler_of(max_request_retries=0), list[str](), list[int]()

        @crawler.post_navigation_hook
        async def end_the_first_browser(context: StillframePostNavCrawlingContext) -> None:
            if not ended:
                ended.append(context.visit.lent.browser)
                with contextlib.suppress(SessionLost):
                    await context.page.browser.cdp_session.call("Browser.crash")

        @crawler.router.default_handler
        async def handle(context: StillframeCrawlingContext) -> None:
            seen.append(await context.page.title())

        await run(crawler, *site.tree())
        assert sorted(seen) == ["Page 0", "Page 1"]


async def test_pages_like_an_earlier_one_are_skipped_in_this_run_and_the_next(
    tmp_path: Path, pool: BrowserPool
) -> None:
    async with CrawlSite(1) as site:
        seen, skipped = list[str](), list[tuple[str, str]]()
        for path in ("/twin/1", "/twin/2", "/twin/3"):
            configuration = Configuration(purge_on_start=False, storage_dir=str(tmp_path), log_level="CRITICAL")
            crawler = crawler_of(
                pool=pool,
                storage_client=FileSystemStorageClient(),
                configuration=configuration,
                skip_near_duplicates=True,
            )

            @crawler.router.default_handler
            async def handle(context: StillframeCrawlingContext) -> None:
                seen.append(context.request.url)

            @crawler.on_skipped_request
            async def skip(url: str, reason: str) -> None:
                skipped.append((url, reason))

            await run(crawler, site.url + path)
        assert seen == [f"{site.url}/twin/1"]
        assert skipped == [(f"{site.url}/twin/{number}", "near_duplicate") for number in (2, 3)]


async def test_hooks_have_as_long_as_a_navigation(pool: BrowserPool) -> None:
    async with CrawlSite(1) as site:
        crawler, errors = (
            crawler_of(pool=pool, max_request_retries=0, navigation_timeout=timedelta(seconds=0.3)),
            list[str](),
        )

        @crawler.pre_navigation_hook
        async def hang(context: StillframePreNavCrawlingContext) -> None:
            await asyncio.Event().wait()

        @crawler.failed_request_handler
        async def failed(context: Any, error: Exception) -> None:
            errors.append(type(error).__name__)

        await run(crawler, site.root)
        assert errors == ["TimeoutError"]


async def test_options_of_goto_may_have_playwrights_names(pool: BrowserPool) -> None:
    async with CrawlSite(1) as site:
        crawler, found = (
            crawler_of(pool=pool, goto_options={"wait_until": "networkidle", "referer": f"{site.url}/x"}),
            [],
        )

        @crawler.router.default_handler
        async def handle(context: StillframeCrawlingContext) -> None:
            found.append((context.verdict.stable, await context.page.title()))

        await run(crawler, f"{site.url}/referer")
        assert found == [(True, f"{site.url}/x")]


async def test_a_page_that_blocks_a_session_is_loaded_with_another(pool: BrowserPool) -> None:
    async with CrawlSite(1) as site:
        crawler, sessions = crawler_of(pool=pool, max_session_rotations=2), list[str]()

        @crawler.post_navigation_hook
        async def note(context: StillframePostNavCrawlingContext) -> None:
            raise AssertionError("a page that blocks is not handed over")

        @crawler.pre_navigation_hook
        async def see(context: StillframePreNavCrawlingContext) -> None:
            assert context.session is not None
            sessions.append(context.session.id)

        await run(crawler, f"{site.url}/blocking")
        assert len(set(sessions)) == len(sessions) == 2


async def test_identities_do_not_share_the_cookies_of_a_session(pool: BrowserPool) -> None:
    """Crawlee hands one session to the pages of both."""
    async with CrawlSite(1) as site:
        crawler = crawler_of(
            pool=pool,
            session_pool=SessionPool(max_pool_size=1),
            concurrency_settings=ConcurrencySettings(desired_concurrency=1, max_concurrency=1),
            identity=lambda context: str(context.request.user_data["person"]),
        )
        seen = list[tuple[str, str]]()

        @crawler.router.default_handler
        async def handle(context: StillframeCrawlingContext) -> None:
            person = str(context.request.user_data["person"])
            cookies = {each["name"]: each["value"] for each in await context.page.context.cookies()}
            seen.append((person, cookies.get("signed_in", "")))
            await context.page.context.add_cookies([{"name": "signed_in", "value": person, "url": site.url}])

        requests = [
            Request.from_url(site.root, unique_key=f"{person} {n}", user_data={"person": person})
            for n in range(2)
            for person in ("ann", "bob")
        ]
        await run(crawler, *requests)
        assert seen == [("ann", ""), ("bob", ""), ("ann", "ann"), ("bob", "bob")]


@pytest.mark.parametrize("name", ["headless", "browser_launch_options", "use_incognito_pages"])
def test_options_that_have_another_name_here_say_so(name: str) -> None:
    with pytest.raises(OptionInvalid, match=f"no option {name}: use "):
        crawler_of(**{name: True})


@pytest.mark.parametrize(
    ("strategy", "url", "followed"),
    [
        ("same-hostname", "http://shop.example:81/b", True),
        ("same-hostname", "http://other.example/", False),
        ("all", "http://other.example/", True),
    ],
)
def test_a_redirect_is_judged_where_crawlee_follows_it(strategy: Any, url: str, followed: bool) -> None:
    assert follows(Request.from_url("http://shop.example/a", enqueue_strategy=strategy), url) is followed


async def test_work_on_a_page_whose_lease_is_lost_ends(sqlite_url: str) -> None:
    store = await CrawlStore.open(sqlite_url, "c", worker=worker_name())
    async with store, StoreStorageClient(store) as client:
        crawler = crawler_of(storage_client=client)
        await client.queue.add_batch_of_requests([Request.from_url("http://h/")])
        request = await client.queue.fetch_next_request()
        assert request is not None
        lent: Any = SimpleNamespace(shed=asyncio.Event())
        crawler._visits[request.unique_key] = Visit(lent, Trials())
        await store.release(Return(lease=client.queue.leases.of(request.unique_key)))  # type: ignore[arg-type]
        await client.queue.leases.renew()
        assert lent.shed.is_set()


async def test_a_failure_is_told_again_when_its_request_is_acknowledged_again() -> None:
    told = list[Exception | None]()

    async def on_finish(_request: Request, error: Exception | None) -> None:
        told.append(error)

    crawler, request, error = crawler_of(on_finish=on_finish), Request.from_url("http://h/"), KeyError("x")
    crawler._errors[request.unique_key] = error
    for _ in range(2):
        await crawler._finished(request)
    assert told == [error, error]


def test_a_try_that_ends_late_leaves_the_next_one_alone() -> None:
    crawler, stacks = crawler_of(), [AsyncExitStack(), AsyncExitStack()]
    lent: Any = SimpleNamespace(shed=asyncio.Event())
    crawler._tries["a"], crawler._visits["a"], crawler._errors["a"] = stacks[1], Visit(lent, Trials()), KeyError("a")
    crawler._forget("a", stacks[0])
    assert [*crawler._tries, *crawler._visits, *crawler._errors] == ["a", "a", "a"]
    crawler._forget("a", stacks[1])
    assert [*crawler._tries, *crawler._visits, *crawler._errors] == []


async def test_a_crawler_that_is_aborted_ends_and_keeps_its_pages(tmp_path: Path) -> None:
    """No page waits for a browser."""
    async with two_pages_kept(tmp_path) as client:
        crawler = crawler_of(
            storage_client=client, browser_options={"executable": "/bin/false"}, respect_robots_txt_file=False
        )
        crawler.abort()
        await run(crawler, "http://127.0.0.1:9/a", "http://127.0.0.1:9/b")
