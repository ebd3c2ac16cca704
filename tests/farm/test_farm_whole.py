"""Pages that do not come whole, that have no document, that hang, or that go on in a tab which has been given back."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from crawl_site import by_url

from stillframe.api.browser import Page
from stillframe.errors import NavigationFailed
from stillframe.farm.crawl import CrawlSettings, CrawlSummary, run_crawl
from stillframe.farm.errors import DocumentReplaced, RendererHung
from stillframe.farm.loading.navigating import Destination, LoadOptions, load
from stillframe.farm.loading.whole import has_no_document
from stillframe.farm.pool import BrowserPool, PoolSettings
from stillframe.settling.machine import REASONS

pytestmark = pytest.mark.browser
BOUND = 100
PART = b"<title>Part</title><p>part of the text"
HANGS_BEFORE = "<title>Hangs before it is loaded</title><script>for (;;);</script>"
HANGS = "<title>Hangs</title><script>addEventListener('load', () => setTimeout(() => { for (;;); }, 100))</script>"
RELOADS = "<title>Reloads</title><script>setTimeout(() => location.reload(), 30)</script>"
TICKS = "<title>Ticks</title><script>setTimeout(() => { document.title = 'Late' }, 30000)</script>"


class RawSite:
    """A server that answers with bytes; `seen` counts the requests by path."""

    def __init__(self) -> None:
        self.answers: dict[str, bytes] = {"/robots.txt": answer(b"", "404 Not Found"), "/favicon.ico": answer(b"")}
        self.resets: set[str] = set()
        self.silent: set[str] = set()
        self.seen: Counter[str] = Counter()
        self.order: list[str] = []
        self.url = ""

    def add(
        self, path: str, html: str = "", *, body: bytes | None = None, status: str = "200 OK", **headers: str
    ) -> str:
        """Answer a path so, and return its URL."""
        self.answers[path] = answer(html.encode() if body is None else body, status, **headers)
        return self.url + path

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, IndexError):
            path = (await reader.readline()).decode().split()[1]
            while (await reader.readline()).strip():
                pass
            self.seen[path] += 1
            self.order.append(path)
            if path in self.silent:
                await reader.read()
            writer.write(self.answers.get(path.partition("?")[0], answer(b"", "404 Not Found")))
            await writer.drain()
            if path in self.resets:
                await asyncio.sleep(0.1)
                linger = struct.pack("ii", 1, 0)
                writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                writer.transport.abort()
        writer.close()


def answer(body: bytes, status: str = "200 OK", **headers: str) -> bytes:
    lines = {"Content-Type": "text/html", "Connection": "close", **{k.replace("_", "-"): v for k, v in headers.items()}}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"HTTP/1.1 {status}\r\n{head}\r\n".encode() + body


@asynccontextmanager
async def raw_site() -> AsyncIterator[RawSite]:
    site = RawSite()
    server = await asyncio.start_server(site.serve, "127.0.0.1", 0)
    site.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        yield site


async def crawl(out: Path, *urls: str, concurrency: int = 2, **more: Any) -> CrawlSummary:
    options = {"retries": 1, "navigation_s": 10.0, "handler_s": 20.0, "settle_s": 2.0, **more}
    async with asyncio.timeout(BOUND):
        return await run_crawl(CrawlSettings(urls=urls, **options), out=out, concurrency=concurrency)


BROKEN = ("/short", "/reset", "/chunks", "/gzip")
FINE = ("/first", "/plain", "/stops", "/ticks")
EMPTY = ("/login", "/nothing")


class Crawled(NamedTuple):
    """The outcome of one crawl of all these pages, by path."""

    summary: CrawlSummary
    found: dict[str, dict[str, Any]]
    seen: Counter[str]


@pytest.fixture(scope="module")
async def crawled(tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    """One crawl for several tests: to start Chrome costs more than their pages."""
    out = tmp_path_factory.mktemp("whole") / "out"
    async with raw_site() as site:
        site.add("/short", body=PART, Content_Length="100000")
        site.add("/reset", body=PART, Content_Length="100000")
        site.resets.add("/reset")
        site.add("/chunks", body=b"26\r\n" + PART, Transfer_Encoding="chunked")
        site.add("/gzip", body=b"this is not gzip", Content_Encoding="gzip", Content_Length="16")
        site.add("/first", "<title>First</title><p>the text of the first page")
        site.add("/login", "<title>Log in</title>who", status="401 Unauthorized", WWW_Authenticate="Basic realm=x")
        site.add("/plain", "<title>No</title>no", status="401 Unauthorized")
        site.add("/nothing", body=b"", status="204 No Content")
        site.add("/stops", "<title>Stops</title><script>window.stop()</script><p>text")
        site.add("/ticks", TICKS)
        site.add("/hangs", HANGS)
        urls = [site.url + path for path in (*FINE, *EMPTY, *BROKEN, "/hangs")]
        summary = await crawl(out, *urls)
        found = {url.removeprefix(site.url): record for url, record in by_url(out).items()}
        for record in found.values():
            record["finalUrl"] = record.get("finalUrl", "").removeprefix(site.url)
        return Crawled(summary, found, site.seen)


def test_documents_that_do_not_come_whole_fail_and_are_tried_again(crawled: Crawled) -> None:
    assert [crawled.found[path]["error"]["kind"] for path in BROKEN] == ["document_truncated"] * len(BROKEN)
    assert [crawled.found[path]["attempts"] for path in BROKEN] == [2] * len(BROKEN)
    assert not any("text" in crawled.found[path] for path in BROKEN)
    assert crawled.summary.errors == {"document_truncated": len(BROKEN), "renderer_hung": 1}


def test_pages_that_stop_themselves_are_pages(crawled: Crawled) -> None:
    assert [crawled.found[path]["title"] for path in FINE] == ["First", "No", "Stops", "Ticks"]
    assert [crawled.found[path]["status"] for path in FINE] == [200, 401, 200, 200]
    assert (crawled.summary.done, crawled.summary.skipped) == (len(FINE) + len(EMPTY), 0)


def test_answers_without_a_document_have_their_status(crawled: Crawled) -> None:
    login, nothing = (crawled.found[path] for path in EMPTY)
    assert [(each["status"], each["finalUrl"]) for each in (login, nothing)] == [(401, "/login"), (204, "/nothing")]
    assert login.get("text", "") in ("", "who")  # Chrome does not always show the page of who has no password
    assert (nothing.get("text", ""), nothing.get("title", "")) == ("", "")
    assert crawled.seen["/nothing"] == 1


@pytest.mark.parametrize(
    ("reason", "status", "without"),
    [
        ("net::ERR_ABORTED", 204, True),
        ("net::ERR_ABORTED", 205, True),
        ("net::ERR_ABORTED", 200, False),
        ("net::ERR_ABORTED", None, False),
        ("net::ERR_INVALID_AUTH_CREDENTIALS", 401, True),
        ("net::ERR_INVALID_AUTH_CREDENTIALS", 407, False),
        ("net::ERR_CONNECTION_RESET", 204, False),
    ],
)
def test_what_counts_as_an_answer_without_a_document(reason: str, status: int | None, without: bool) -> None:
    assert has_no_document(NavigationFailed("x", url="http://a/", reason=reason), status) == without


def test_a_page_that_hangs_is_a_kind_of_its_own(crawled: Crawled) -> None:
    assert crawled.found["/hangs"]["error"]["kind"] == "renderer_hung"
    assert crawled.seen["/hangs"] == 2


def test_a_page_with_work_beyond_the_horizon_is_not_stable_in_its_record(crawled: Crawled) -> None:
    verdict = crawled.found["/ticks"]["verdict"]
    assert not verdict["stable"]
    assert verdict["pending"][0]["kind"] == "timer"
    assert crawled.found["/first"]["verdict"]["stable"]


def test_the_summary_counts_verdicts_by_one_word(crawled: Crawled) -> None:
    assert set(crawled.summary.verdicts) <= set(REASONS)
    assert sum(crawled.summary.verdicts.values()) == crawled.summary.done


async def test_a_page_that_hangs_before_it_is_loaded_is_told_from_a_slow_one() -> None:
    options = LoadOptions(1.0)
    async with raw_site() as site, BrowserPool(PoolSettings(pages_per_browser=1)) as pool:
        hangs, slow = site.add("/hangs", HANGS_BEFORE), site.add("/slow", "<img src=/never>")
        site.silent.add("/never")
        async with asyncio.timeout(BOUND):
            async with pool.page() as lent:
                with pytest.raises(RendererHung, match="/hangs does not answer"):
                    await load(lent.page, Destination(hangs), options)
            async with pool.page() as lent:
                with pytest.raises(NavigationFailed, match="/slow did not load within 1 s"):
                    await load(lent.page, Destination(slow), options)


async def test_a_tab_runs_nothing_of_its_last_page() -> None:
    async with raw_site() as site, BrowserPool(PoolSettings(pages_per_browser=1)) as pool:
        reloads, ticks = site.add("/reloads", RELOADS), site.add("/ticks", TICKS)
        for url, settle in ((reloads, False), (ticks, True)):
            async with asyncio.timeout(BOUND), pool.page() as lent:
                await lent.page.goto(url, until="commit", settle=settle)
            async with pool.page() as lent:
                assert lent.page.url == "about:blank"
        seen = site.seen["/reloads"]
        async with pool.page() as lent:  # takes longer than a reload would
            await lent.page.goto(ticks)
        assert site.seen["/reloads"] == seen


async def test_what_is_shown_is_what_was_asked_for(page: Page) -> None:
    """The page that is left reloads itself at that very moment; Chrome then shows it once more, now and then."""
    async with raw_site() as site:
        reloads, wanted = site.add("/reloads", RELOADS), site.add("/wanted", "<title>Wanted</title>")
        for n in range(6):
            await page.goto(reloads, until="commit", settle=False)
            await asyncio.sleep(0.02 + n / 500)
            with contextlib.suppress(DocumentReplaced):
                loaded = await load(page, Destination(wanted), LoadOptions(10.0, {"settle": False}))
                assert loaded.response.url == wanted


async def test_what_pages_ask_of_crawlers_is_recorded_and_kept(tmp_path: Path) -> None:
    start = """<title>Start</title><meta http-equiv=refresh content="600;url=/refreshed"><link rel=canonical href=/own>
        <a rel=nofollow href=/marked>1</a><a href=/hidden>2</a><a href="/dir">3</a><a href="/dir/">4</a>
        <a href="/dir?fbclid=1&ref=2">5</a><a href="{secret}">6</a>"""
    async with raw_site() as site:
        host = site.url.removeprefix("http://")
        url = site.add("/start", start.replace("{secret}", f"http://ann:geheim@{host}/secret"))
        for path in ("/refreshed", "/own", "/marked", "/dir", "/dir/", "/secret", "/behind"):
            site.add(path, f"<title>{path}</title>")
        site.add("/hidden", "<title>Hidden</title><a href=/behind>x</a>", X_Robots_Tag="noindex, nofollow")
        await crawl(tmp_path / "a", url, ignore_parameters=("ref",))
        found = by_url(tmp_path / "a")
        paths = {each.removeprefix(site.url) for each in found}
        assert paths == {"/start", "/refreshed", "/hidden", "/dir", "/dir/", "/secret"}
        assert found[url]["canonical"] == f"{site.url}/own"
        assert found[f"{site.url}/hidden"]["robots"] == ["noindex", "nofollow"]
        assert f"{site.url}/refreshed" in found[url]["links"]
        assert "geheim" not in (tmp_path / "a" / "pages.jsonl").read_text()
        assert not any(b"geheim" in each.read_bytes() for each in (tmp_path / "a").iterdir() if each.is_file())
        options = {"follow_nofollow": True, "skip_noindex": True, "skip_noncanonical": True}
        summary = await crawl(tmp_path / "b", url, ignore_parameters=("ref",), **options)
        paths = {each.removeprefix(site.url) for each in by_url(tmp_path / "b")}
        assert paths == {"/own", "/refreshed", "/marked", "/behind", "/dir", "/dir/", "/secret"}
        assert summary.skipped == 2


async def test_one_page_that_always_asks_for_time_does_not_hold_its_host(tmp_path: Path) -> None:
    """The other sixty pages are loaded meanwhile."""
    async with raw_site() as site:
        paths = [f"/p/{n}" for n in range(60)]
        start = site.add(
            "/start", "<title>Start</title>" + "".join(f"<a href={path}>x</a>" for path in ("/busy", *paths))
        )
        for path in paths:
            site.add(path, f"<title>{path}</title>")
        site.add("/busy", "busy", status="503 Service Unavailable")
        crawling = asyncio.create_task(crawl(tmp_path / "out", start, concurrency=4))
        try:
            async with asyncio.timeout(BOUND):
                while len([path for path in site.seen if path.startswith("/p/")]) < 0.95 * len(paths):
                    await asyncio.sleep(0.05)
                    assert not crawling.done()
            # A held host would have given it a try for every page or two, after 5, 10, 20 and 40 s.
            assert site.order.index("/busy") < site.order.index(paths[10])
            assert site.seen["/busy"] <= 5
        finally:
            crawling.cancel()
            await asyncio.gather(crawling, return_exceptions=True)
