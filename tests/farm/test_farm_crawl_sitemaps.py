"""Sitemaps: their pages are crawled once, what lies in them costs nothing, and what was lost has a name."""

from __future__ import annotations

import asyncio
import contextlib
import json
import zlib
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from stillframe.errors import OptionInvalid, StoreUnavailable
from stillframe.farm.crawl import CrawlSettings
from stillframe.farm.crawl import sitemaps as module
from stillframe.farm.crawl.scope import Scope
from stillframe.farm.crawl.sitemap_progress import READ_BEFORE, STATE, SitemapProgress, SitemapsReport, report_of
from stillframe.farm.crawl.sitemaps import add_sitemaps, adding_sitemaps, fed_elsewhere
from stillframe.farm.leases import Leases
from stillframe.farm.sitemaps import fetching
from stillframe.farm.store import CrawlStore, worker_name
from stillframe.testing import app_server

BOUND = 30
File = str | bytes | int | Callable[[], "File"]
"""What a path answers with: a body, a status, or what a function returns."""


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Try again at once."""
    monkeypatch.setattr(fetching, "PAUSE_S", 0.0)


def urlset(*urls: str) -> str:
    return f"<urlset>{''.join(f'<url><loc>{url}</loc></url>' for url in urls)}</urlset>"


def index(*urls: str) -> str:
    return f"<sitemapindex>{''.join(f'<sitemap><loc>{url}</loc></sitemap>' for url in urls)}</sitemapindex>"


class Site:
    """A site of files by path, with `{site}` replaced by its URL; `seen` counts what was asked for."""

    def __init__(self, files: dict[str, File]) -> None:
        self.files = files
        self.url = ""
        self.seen: Counter[str] = Counter()

    async def answer(self, request: web.Request) -> web.Response:
        self.seen[request.path] += 1
        body = self.files.get(request.path, 404)
        while callable(body):
            body = body()
        if isinstance(body, int):
            return web.Response(status=body)
        if isinstance(body, bytes):
            return web.Response(body=body, content_type="application/gzip")
        if body.startswith("http"):
            raise web.HTTPMovedPermanently(body)
        return web.Response(text=body.replace("{site}", self.url), content_type="text/xml")

    def sitemaps(self, *paths: str, **more: object) -> CrawlSettings:
        named = tuple(path if path == "auto" else self.url + path for path in paths)
        return CrawlSettings(urls=(f"{self.url}/",), sitemaps=named, **more).check()  # type: ignore[arg-type]


@asynccontextmanager
async def serving(files: dict[str, File]) -> AsyncIterator[Site]:
    site = Site(files)
    app = web.Application()
    app.router.add_get("/{name:.*}", site.answer)
    async with app_server.serving(app) as port:
        site.url = f"http://127.0.0.1:{port}"
        yield site


@asynccontextmanager
async def opened(url: str, settings: CrawlSettings, mode: str = "create") -> AsyncIterator[CrawlStore]:
    store = await CrawlStore.open(url, "c", worker=worker_name(), mode=mode, settings=settings.to_builtins())  # type: ignore[arg-type]
    async with store:
        yield store


async def read(store: CrawlStore, settings: CrawlSettings, **options: object) -> SitemapsReport:
    async with asyncio.timeout(BOUND):
        await add_sitemaps(store, settings, asyncio.Event(), options=options)
    report = report_of(await store.get_state(STATE))
    assert report is not None
    return report


async def queued(store: CrawlStore) -> set[str]:
    """Return the paths in the queue, in no order."""
    found = set[str]()
    while leases := await store.lease(200):
        found |= {"/" + lease.url.partition("://")[2].partition("/")[2] for lease in leases}
    return found


async def outcome(url: str, site: Site, *paths: str, **more: object) -> tuple[set[str], SitemapsReport]:
    settings = site.sitemaps(*paths, **more)
    async with opened(url, settings) as store:
        report = await read(store, settings)
        return await queued(store), report


# -- where they are, and what counts --------------------------------------------------------------


async def test_the_sitemaps_of_robots_txt_are_read_with_those_that_they_name(sqlite_url: str) -> None:
    files: dict[str, File] = {
        "/robots.txt": "User-agent: *\nSitemap: {site}/index.xml\nSitemap: ftp://a/x.xml\n",
        "/index.xml": index("{site}/a.xml", "{site}/b.xml", "{site}/index.xml"),
        "/a.xml": urlset("{site}/1", "{site}/2"),
        "/b.xml": urlset("{site}/2", "{site}/3"),
        "/sitemap.xml": urlset("{site}/never"),
    }
    async with serving(files) as site:
        settings = site.sitemaps("auto")
        async with opened(sqlite_url, settings) as store:
            first, again = await read(store, settings), await read(store, settings)
            assert await queued(store) == {"/1", "/2", "/3"}
        assert first == again
        assert str(first) == "3 read, 0 failed, 4 pages, 0 entries skipped"
        assert site.seen["/index.xml"] == 1


async def test_without_one_in_robots_txt_the_usual_place_is_tried(sqlite_url: str) -> None:
    async with serving({"/sitemap.xml": urlset("{site}/1", "{site}/private/2", "http://b.invalid/")}) as site:
        found, report = await outcome(sqlite_url, site, "auto", exclude=("**/private/**",))
        assert (found, report.elsewhere) == ({"/1"}, 2)


async def test_what_a_sitemap_says_of_a_page_stands_in_its_request(sqlite_url: str) -> None:
    said = "<urlset><url><loc>{site}/1</loc><lastmod>2026-01-02</lastmod><priority>0.8</priority></url></urlset>"
    async with serving({"/s.xml": said}) as site:
        settings = site.sitemaps("/s.xml")
        async with opened(sqlite_url, settings) as store:
            await read(store, settings)
            (lease,) = await store.lease(2)
            body = json.loads(lease.body)
            assert body["sitemap"] == {"lastmod": "2026-01-02", "priority": "0.8"}


async def test_failures_have_a_name_and_cost_nothing_else(sqlite_url: str) -> None:
    bad = [f"{{site}}/{name}.xml" for name in ("none", "busy", "html", "torn", "good")]
    files: dict[str, File] = {
        "/index.xml": index(*bad, "http://elsewhere.invalid/s.xml"),
        "/busy.xml": 503,
        "/html.xml": "<html><body>no sitemap</body></html>",
        "/torn.xml": "<urlset><url><loc>{site}/1</loc></url><url><loc>{site}/2",
        "/good.xml": urlset("http://[", "{site}/3", "javascript:1"),
    }
    async with serving(files) as site:
        found, report = await outcome(sqlite_url, site, "/index.xml")
        assert found == {"/1", "/3"}
        reasons = {"http_404", "http_503", "not_a_sitemap", "truncated", "unreachable"}
        assert (report.read, report.unread, {*report.failed}, report.skipped) == (2, 0, reasons, 2)
        assert f"{site.url}/torn.xml: truncated" in report.problems
        assert f"{site.url}/good.xml: not an http or https URL: 'http://['" in report.problems
        assert (site.seen["/none.xml"], site.seen["/busy.xml"]) == (1, fetching.TRIES)


async def test_loops_and_depth_end(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_DEPTH", 3)
    levels: dict[str, File] = {f"/{n}.xml": index(f"{{site}}/{n + 1}.xml", "{site}/0.xml") for n in range(9)}
    async with serving(levels) as site:
        _, report = await outcome(sqlite_url, site, "/0.xml")
        assert (report.read, max(site.seen.values())) == (4, 1)
        assert (report.left_out, report.problems) == (2, (f"{site.url}/3.xml: sitemaps are nested deeper than 3",))


async def test_limits_end_the_reading_and_are_named(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BATCH", 10)
    async with serving({"/s.xml": urlset(*(f"{{site}}/{n}" for n in range(100)))}) as site:
        found, report = await outcome(sqlite_url, site, "/s.xml", max_pages=20)
        assert (len(found), report.limit) == (20, "20 pages")
        assert str(report).endswith("; cut at 20 pages")
    monkeypatch.setattr(module, "MAX_FAILED", 2)
    monkeypatch.setattr(module, "MAX_SITEMAPS", 8)
    async with serving({"/i.xml": index(*(f"{{site}}/{n}.xml" for n in range(20)))}) as site:
        _, report = await outcome(sqlite_url.replace("crawl.db", "other.db"), site, "/i.xml")
        assert (report.failed, report.unread, report.limit) == ({"http_404": 3}, 4, "2 failed sitemaps")
        assert report.left_out == 13


# -- the next run goes on -------------------------------------------------------------------------


class Cut(Exception):
    """Ends a run in the middle."""


async def cut_after(store: CrawlStore, settings: CrawlSettings, batches: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read until some batches are added, and end there as a crash would."""
    add, left = store.add, batches

    async def counted(new: object) -> object:
        nonlocal left
        if new and left == 0:
            raise Cut
        left -= bool(new)
        return await add(new)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(store, "add", counted)
        with pytest.raises(Cut):
            await read(store, settings)


@pytest.mark.parametrize("changed", [False, True])
async def test_a_run_goes_on_in_the_middle_of_a_sitemap(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch, changed: bool
) -> None:
    """With the entries behind those that were added; in a file that has changed, with all of them."""
    monkeypatch.setattr(module, "BATCH", 10)
    paths = [f"{{site}}/{n}" for n in range(35)]
    async with serving({"/i.xml": index("{site}/s.xml"), "/s.xml": urlset(*paths)}) as site:
        settings = site.sitemaps("/i.xml")
        async with opened(sqlite_url, settings) as store:
            await cut_after(store, settings, 2, monkeypatch)
            report = report_of(await store.get_state(STATE))
            assert report is not None
            assert (report.read, report.unread, report.pages) == (1, 1, 20)
        if changed:
            site.files["/s.xml"] = urlset("{site}/new", *paths)
        async with opened(sqlite_url, settings, "resume") as store:
            added = list[int]()
            add = store.add

            async def counted(new: object) -> object:
                answers = await add(new)  # type: ignore[arg-type]
                added.append(len(answers))
                return answers

            monkeypatch.setattr(store, "add", counted)
            report = await read(store, settings)
            assert (report.read, report.unread) == (2, 0)
            assert sum(added) == (36 if changed else 15)
            assert await queued(store) == {f"/{n}" for n in range(35)} | ({"/new"} if changed else set())
        assert site.seen["/i.xml"] == 1


async def test_a_sitemap_that_failed_is_tried_again_by_the_next_run(sqlite_url: str) -> None:
    async with serving({"/s.xml": 500}) as site:
        settings = site.sitemaps("/s.xml")
        async with opened(sqlite_url, settings) as store:
            assert (await read(store, settings)).failed == {"http_500": 1}
            site.files["/s.xml"] = urlset("{site}/1")
            report = await read(store, settings)
            assert (report.read, report.failed, report.pages) == (1, {}, 1)


async def test_a_crawl_of_an_earlier_version_that_had_read_all_reads_nothing(sqlite_url: str) -> None:
    async with serving({"/s.xml": urlset("{site}/1")}) as site:
        settings = site.sitemaps("/s.xml")
        async with opened(sqlite_url, settings) as store:
            await store.set_state(STATE, READ_BEFORE)
            await add_sitemaps(store, settings, asyncio.Event())
            assert (site.seen, report_of(await store.get_state(STATE))) == (Counter(), None)


async def test_a_stop_ends_the_reading(sqlite_url: str) -> None:
    asked, stop = asyncio.Event(), asyncio.Event()

    async def hang(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.set()
        await stop.wait()
        writer.close()

    server = await asyncio.start_server(hang, "127.0.0.1", 0)
    async with server:
        site = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        wanted = CrawlSettings(urls=(site,), sitemaps=(f"{site}/s.xml",), same_host=False)
        async with opened(sqlite_url, wanted) as store:
            reading = asyncio.create_task(add_sitemaps(store, wanted, stop))
            async with asyncio.timeout(BOUND):
                await asked.wait()
                stop.set()
                await reading
            report = report_of(await store.get_state(STATE))
            assert report is not None
            assert (report.read, report.unread) == (0, 1)


# -- beside the crawl -----------------------------------------------------------------------------


async def test_a_queue_is_not_finished_while_sitemaps_are_read(sqlite_url: str) -> None:
    async with serving({"/s.xml": urlset("{site}/1")}) as site:
        settings = site.sitemaps("/s.xml", max_pages=1)
        async with opened(sqlite_url, settings) as store:
            going = True

            async def feeding() -> bool:
                return going

            leases = Leases(store, feeding=feeding)
            assert not await leases.finished()
            going = False
            leases._finished = (0.0, False)
            assert await leases.finished()
            going = True
            leases._finished = (0.0, False)
            await read(store, settings)
            (lease,) = await store.lease()
            await store.complete(lease)
            assert await leases.finished()  # max_pages is reached


async def test_an_error_of_the_database_stops_the_crawl(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving({"/s.xml": urlset("{site}/1")}) as site:
        settings, stop = site.sitemaps("/s.xml"), asyncio.Event()
        async with opened(sqlite_url, settings) as store:

            async def fail(*_: object) -> None:
                raise StoreUnavailable("gone", url=sqlite_url)

            monkeypatch.setattr(store, "add", fail)

            async def crawl() -> None:
                async with asyncio.timeout(BOUND), adding_sitemaps(store, settings, stop) as feeding:
                    await stop.wait()
                    assert not await feeding()

            with pytest.raises(StoreUnavailable):
                await crawl()


async def test_workers_wait_for_another_process_only_while_it_lives(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving({"/s.xml": urlset("{site}/1")}) as site:
        settings = site.sitemaps("/s.xml")
        async with opened(sqlite_url, settings) as store:
            feeding = fed_elsewhere(store, settings)
            assert await feeding()
            with monkeypatch.context() as patch:
                patch.setattr(module, "SILENT_S", 0.0)
                assert not await feeding()
            await store.set_state(STATE, b'{"beat": 1}')
            assert await feeding()
            await read(store, settings)
            assert not await feeding()
            assert not await fed_elsewhere(store, site.sitemaps())()


async def test_a_start_that_redirects_takes_the_scope_along(sqlite_url: str) -> None:
    """The redirect is seen before the first entry is judged; /sitemap.xml is that of the new host."""
    async with serving({}) as site:
        other = site.url.replace("127.0.0.1", "localhost")
        site.files |= {
            "/": lambda: f"{other}/home",
            "/sitemap.xml": urlset(f"{other}/1", "{site}/2", "http://b.invalid/"),
        }
        settings = site.sitemaps("auto")
        async with opened(sqlite_url, settings) as store:
            report = await read(store, settings)
            assert (report.pages, report.elsewhere) == (2, 1)
            assert await queued(store) == {"/1", "/2"}
            scope = Scope(store, settings)
            assert not scope.admits(f"{other}/3")
            assert await scope.covers(f"{other}/3")
            assert scope.moved == {"127.0.0.1": "localhost"}


def test_a_sitemap_is_a_url_or_auto() -> None:
    with pytest.raises(OptionInvalid, match="no url"):
        CrawlSettings(urls=("http://a",), sitemaps=("no url",)).check()


async def test_sitemaps_of_a_host_whose_robots_txt_cannot_be_read_are_read_later(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ROBOTS_PATIENCE_S", 0.0)
    async with serving({"/extra.xml": urlset("{site}/1")}) as site:
        sitemaps = (f"{site.url}/extra.xml", "auto")
        settings = CrawlSettings(urls=("http://127.0.0.1:9",), sitemaps=sitemaps, same_host=False)
        async with opened(sqlite_url, settings) as store:
            report = await read(store, settings)
            assert report.pages == 1
            assert "127.0.0.1:9: its robots.txt" in report.problems[0]
            assert await SitemapProgress(store).load(), "a later run asks again"


@pytest.mark.parametrize("packed", [False, True])
async def test_ten_million_pages_cost_what_the_limits_are(sqlite_url: str, packed: bool) -> None:
    """One file of 10,000,000 pages, made while it is read; as they stand they are 400 MB, and packed they are 30."""
    sent = 0

    async def endless(request: web.Request) -> web.StreamResponse:
        nonlocal sent
        response = web.StreamResponse(headers={"Content-Type": "text/xml"})
        await response.prepare(request)
        deflate = zlib.compressobj(1, wbits=31) if packed else None
        with contextlib.suppress(ConnectionError):
            await response.write(deflate.compress(b"<urlset>") if deflate else b"<urlset>")
            for start in range(0, 10_000_000, 5_000):
                site = f"http://127.0.0.1:{request.url.port}/"
                piece = "".join(f"<url><loc>{site}{n}</loc></url>" for n in range(start, start + 5_000)).encode()
                piece = deflate.compress(piece) if deflate else piece
                sent += len(piece)
                await response.write(piece)
                if packed and start > 1_000_000:  # the rest costs the test time, and nothing else
                    break
        return response

    app = web.Application()
    app.router.add_get("/s.xml", endless)
    async with app_server.serving(app) as port:
        site = f"http://127.0.0.1:{port}"
        settings = CrawlSettings(
            urls=(f"{site}/",), sitemaps=(f"{site}/s.xml",), max_pages=2_000, same_host=True
        ).check()
        async with opened(sqlite_url, settings) as store:
            report = await read(store, settings)
    assert (report.pages, report.limit) == (2_000, "2000 pages")
    assert sent < 100 << 20


# -- the way that pages go ------------------------------------------------------------------------


async def test_everything_goes_through_the_proxy_of_the_pages(sqlite_url: str) -> None:
    """The proxy is all that can be reached: the start that redirects, robots.txt, and sitemaps on two hosts."""
    asked: list[str] = []
    files = {
        "http://shop.invalid/robots.txt": "",
        "http://shop.invalid/": "http://www.shop.invalid/",
        "http://www.shop.invalid/": "",
        "http://www.shop.invalid/robots.txt": "Sitemap: http://files.invalid/s.xml",
        "http://files.invalid/s.xml": index("http://www.shop.invalid/t.xml"),
        "http://www.shop.invalid/t.xml": urlset("http://www.shop.invalid/1"),
    }

    async def proxied(request: web.Request) -> web.Response:
        url = str(request.raw_path)
        asked.append(url)
        body = files[url]
        if body.startswith("http"):
            raise web.HTTPMovedPermanently(body)
        return web.Response(text=body, content_type="text/xml")

    app = web.Application()
    app.router.add_get("/{name:.*}", proxied)
    settings = CrawlSettings(urls=("http://shop.invalid/",), sitemaps=("auto",)).check()
    async with app_server.serving(app) as port, opened(sqlite_url, settings) as store:
        report = await read(store, settings, proxy=f"http://127.0.0.1:{port}")
        assert (report.pages, report.failed) == (1, {})
        assert asked == list(files)


@pytest.mark.parametrize("respected", [True, False])
async def test_a_start_that_robots_txt_forbids_is_not_asked_where_it_leads(sqlite_url: str, respected: bool) -> None:
    async with serving({"/robots.txt": "User-agent: *\nDisallow: /", "/s.xml": urlset("{site}/1")}) as site:
        paths, report = await outcome(sqlite_url, site, "/s.xml", respect_robots=respected)
        assert (paths, report.pages) == ({"/1"}, 1)  # what it names is judged when it is loaded
        assert site.seen["/"] == (0 if respected else 1)


async def test_the_policy_of_the_pages_holds_for_sitemaps_as_well(sqlite_url: str) -> None:
    async with serving({"/s.xml": urlset("{site}/1"), "/moved.xml": "http://127.0.0.2:9/s.xml"}) as site:
        settings = site.sitemaps("/s.xml", "/moved.xml")
        async with opened(sqlite_url, settings) as store:
            report = await read(store, settings, policy={"allowed_hosts": ["127.0.0.1"]})
            assert (report.read, report.failed) == (1, {"url_refused": 1})
        assert site.seen["/moved.xml"] == 1  # what is refused is not tried again
