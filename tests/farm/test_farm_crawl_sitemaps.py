"""Sitemaps: their pages are crawled once, and what lies in them costs nothing."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import web

from stillframe.errors import OptionInvalid
from stillframe.farm.crawl import CrawlSettings
from stillframe.farm.crawl import sitemaps as module
from stillframe.farm.crawl.sitemaps import add_sitemaps
from stillframe.farm.store import CrawlStore, worker_name
from stillframe.testing import app_server

BOUND = 30
BOMB = gzip.compress(b"<urlset>" + b" " * 80_000_000 + b"<url><loc>{site}/behind</loc></url></urlset>")
"""80 KB that are 80 MB."""


def urlset(*urls: str) -> str:
    return f"<urlset>{''.join(f'<url><loc>{url}</loc></url>' for url in urls)}</urlset>"


def index(*urls: str) -> str:
    return f"<sitemapindex>{''.join(f'<sitemap><loc>{url}</loc></sitemap>' for url in urls)}</sitemapindex>"


@asynccontextmanager
async def serving(**files: str | bytes) -> AsyncIterator[str]:
    """Serve files by name (`_` stands for a dot) with `{site}` replaced, and yield the site's URL."""
    site = ""

    async def answer(request: web.Request) -> web.Response:
        body = files.get(request.path.lstrip("/").replace(".", "_"))
        if body is None:
            return web.Response(status=404, text="none")
        if isinstance(body, bytes):
            return web.Response(body=body, content_type="application/gzip")
        kind = "text/plain" if request.path.endswith(".txt") else "text/xml"
        return web.Response(text=body.replace("{site}", site), content_type=kind)

    app = web.Application()
    app.router.add_get("/{name:.*}", answer)
    async with app_server.serving(app) as port:
        site = f"http://127.0.0.1:{port}"
        yield site


async def pages(url: str, settings: CrawlSettings, *, times: int = 1) -> set[str]:
    """Return what stands in the queue after the sitemaps were read."""
    async with await CrawlStore.open(url, "c", worker=worker_name(), settings=settings.to_builtins()) as store:
        async with asyncio.timeout(BOUND):
            for _ in range(times):
                await add_sitemaps(store, settings, asyncio.Event())
        found = set[str]()
        while leases := await store.lease(100):
            found |= {lease.url for lease in leases}
        return found


def settings(site: str, *sitemaps: str, **more: object) -> CrawlSettings:
    return CrawlSettings(urls=(f"{site}/",), sitemaps=sitemaps or ("auto",), **more).check()  # type: ignore[arg-type]


async def test_the_sitemaps_of_robots_txt_are_read_with_those_that_they_name(sqlite_url: str) -> None:
    async with serving(
        robots_txt="User-agent: *\nSitemap: {site}/index.xml\nSitemap: ftp://a/x.xml\n",
        index_xml=index("{site}/a.xml", "{site}/b.xml", "{site}/index.xml"),
        a_xml=urlset("{site}/1", "{site}/2"),
        b_xml=urlset("{site}/2", "{site}/3"),
        sitemap_xml=urlset("{site}/never"),
    ) as site:
        assert await pages(sqlite_url, settings(site), times=2) == {f"{site}/{n}" for n in (1, 2, 3)}


async def test_without_one_in_robots_txt_the_usual_place_is_tried(sqlite_url: str) -> None:
    async with serving(sitemap_xml=urlset("{site}/1", "{site}/private/2")) as site:
        assert await pages(sqlite_url, settings(site, exclude=("**/private/**",))) == {f"{site}/1"}


@pytest.mark.parametrize(
    ("lie", "found"),
    [
        (urlset("http://elsewhere.invalid/x", "javascript:1", "mailto:a@b", "no url", "", "{site}/1"), {"1"}),
        ("<html><body>no sitemap</body></html>", set()),
        ("<urlset><url><loc>{site}/1</loc></url><url><loc>{site}/2", {"1"}),
        ("", set()),
        (urlset("{site}/1", "http://["), {"1"}),
        (index(*(f"{{site}}/none-{n}.xml" for n in range(3)), "http://elsewhere.invalid/s.xml"), set()),
        (BOMB, set()),
    ],
    ids=["other-hosts", "html", "torn", "empty", "no-url", "dead-index", "bomb"],
)
async def test_what_a_sitemap_lies_about_adds_nothing(sqlite_url: str, lie: str | bytes, found: set[str]) -> None:
    name = "sitemap_xml_gz" if isinstance(lie, bytes) else "sitemap_xml"
    async with serving(**{name: lie}) as site:
        place = f"{site}/sitemap.xml.gz" if isinstance(lie, bytes) else "auto"
        assert await pages(sqlite_url, settings(site, place)) == {f"{site}/{path}" for path in found}


async def test_a_sitemap_that_does_not_end_is_cut(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BATCH", 10)
    async with serving(sitemap_xml=urlset(*(f"{{site}}/{n}" for n in range(100)))) as site:
        assert len(await pages(sqlite_url, settings(site, max_pages=20))) == 20


async def test_a_stop_ends_the_reading_and_the_next_run_reads_again(tmp_path: Path, sqlite_url: str) -> None:
    asked, stop = asyncio.Event(), asyncio.Event()

    async def hang(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.set()
        await stop.wait()
        writer.close()

    server = await asyncio.start_server(hang, "127.0.0.1", 0)
    async with server:
        site = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        wanted = settings(site, f"{site}/sitemap.xml")
        async with await CrawlStore.open(sqlite_url, "c", worker=worker_name(), settings={}) as store:
            reading = asyncio.create_task(add_sitemaps(store, wanted, stop))
            async with asyncio.timeout(BOUND):
                await asked.wait()
                stop.set()
                await reading
            assert await store.get_state(module.STATE) is None


def test_a_sitemap_is_a_url_or_auto() -> None:
    with pytest.raises(OptionInvalid, match="no url"):
        settings("http://a", "no url")


async def test_sitemaps_of_a_host_whose_robots_txt_cannot_be_read_are_read_later(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ROBOTS_PATIENCE_S", 0.0)
    async with serving(extra_xml=urlset("{site}/1")) as site:
        asked = settings("http://127.0.0.1:9", f"{site}/extra.xml", "auto", same_host=False)
        async with await CrawlStore.open(sqlite_url, "c", worker=worker_name(), settings=asked.to_builtins()) as store:
            await add_sitemaps(store, asked, asyncio.Event())
            assert [lease.url for lease in await store.lease(10)] == [f"{site}/1"]
            assert await store.get_state(module.STATE) is None
