"""Scrapy crawls a site that renders by script, with stillframe as its download handler."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
import tldextract
from aiohttp import web

from stillframe.testing import app_server

CRAWL = Path(__file__).with_name("scrapy_crawl.py")
MOVED = Path(__file__).with_name("scrapy_moved.py")
PAGE = """<title>Shop</title><div id=out></div><button id=more onclick="
  setTimeout(() => { const p = document.createElement('p'); p.id = 'extra'; p.textContent = 'more';
    document.body.append(p) }, 50)
">More</button><script>fetch('/data').then(r => r.text()).then(t => { out.textContent = t })</script>"""


async def page(_: web.Request) -> web.Response:
    return web.Response(text=PAGE, content_type="text/html", headers={"X-Site": "loopback"})


async def echo(request: web.Request) -> web.Response:
    text = f"{request.method} {await request.text()} {request.headers.get('X-Own')}"
    return web.Response(text=f"<p id=out>{text}</p>", content_type="text/html")


async def slow(_: web.Request) -> web.Response:
    await asyncio.Event().wait()
    raise AssertionError


async def redirect(_: web.Request) -> web.Response:
    raise web.HTTPFound("/page")


async def headers(request: web.Request) -> web.Response:
    """Show the headers of the document, and those of a request that it makes."""
    own = [request.headers.get(name) for name in ("User-Agent", "Referer", "Cookie")]
    script = "fetch('/agent').then(r => r.text()).then(t => { out.textContent += ' ' + t })"
    return web.Response(text=f"<p id=out>{own}</p><script>{script}</script>", content_type="text/html")


async def agent(request: web.Request) -> web.Response:
    return web.Response(text=request.headers["User-Agent"])


async def cookie(request: web.Request) -> web.Response:
    return web.Response(text="<p id=out>set", content_type="text/html", headers={"Set-Cookie": "c=1"})


async def file(_: web.Request) -> web.Response:
    return web.Response(body=b"rows", headers={"Content-Disposition": "attachment; filename=a.csv"})


async def cut(request: web.Request) -> web.StreamResponse:
    """Break the connection after a part of the document."""
    response = web.StreamResponse(headers={"Content-Type": "text/html", "Content-Length": "100000"})
    await response.prepare(request)
    await response.write(b"<p id=out>part")
    assert request.transport is not None
    request.transport.close()
    return response


async def hangs(_: web.Request) -> web.Response:
    script = "addEventListener('load', () => setTimeout(() => { for (;;); }, 100))"
    return web.Response(text=f"<p id=out>hangs<script>{script}</script>", content_type="text/html")


async def nothing(_: web.Request) -> web.Response:
    return web.Response(status=204, headers={"X-Site": "loopback"})


class Late:
    """Pages whose element comes at the second visit, and one that is served when two of them have been visited."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.both = asyncio.Event()

    async def late(self, request: web.Request) -> web.Response:
        text = "<p id=out>late" if request.query_string in self.seen else "<p>"
        self.seen.append(request.query_string)
        if len(set(self.seen)) == 2:
            self.both.set()
        return web.Response(text=text, content_type="text/html")

    async def gate(self, _: web.Request) -> web.Response:
        await self.both.wait()
        return web.Response(text="<p id=out>", content_type="text/html")


async def data(_: web.Request) -> web.Response:
    return web.Response(text="rendered")


@pytest.fixture(scope="module")
async def server() -> AsyncIterator[str]:
    app, late = web.Application(), Late()
    app.add_routes(
        [
            web.route("*", "/echo", echo),
            *(
                web.get(f"/{each.__name__}", each)
                for each in (
                    page,
                    data,
                    slow,
                    redirect,
                    headers,
                    agent,
                    cookie,
                    file,
                    cut,
                    hangs,
                    nothing,
                    late.late,
                    late.gate,
                )
            ),
        ]
    )
    async with app_server.serving(app) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture(scope="module", autouse=True)
def suffixes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Fill the cache of public suffixes that Scrapy's cookies need, which it would fetch from the internet."""
    folder = tmp_path_factory.mktemp("suffixes")
    offline = requests.Session()
    offline.adapters.clear()
    tldextract.TLDExtract(cache_dir=str(folder))("a.example", session=offline)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TLDEXTRACT_CACHE", str(folder))
        yield


async def crawl(script: Path, *arguments: str) -> dict[str, Any]:
    """Return the outcome of each spider of a script, and the log."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(script), *arguments, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    try:
        async with asyncio.timeout(60):
            output, errors = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode == 0, errors.decode()
    result: dict[str, Any] = json.loads(output)
    return result | {"log": errors.decode()}


@pytest.fixture(scope="module")
async def crawled(server: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The outcome of all spiders, which run in one process, with the folder of their pictures."""
    folder = tmp_path_factory.mktemp("moved")
    return await crawl(MOVED, server, str(folder), server) | {"folder": folder}


@pytest.mark.browser
async def test_each_kind_of_request_gets_what_it_asks_for(crawled: dict[str, Any]) -> None:
    result = crawled["kinds"]
    by_kind = {item.pop("kind"): item for item in result["items"]}
    assert by_kind["plain"]["text"] is None
    assert by_kind["plain"]["flags"] == []
    assert by_kind["rendered"] == {
        "status": 200,
        "flags": ["stillframe"],
        "text": "rendered",
        "extra": None,
        "server": "loopback",
        "verdict": by_kind["rendered"]["verdict"],
        "changed": False,
    }
    assert (by_kind["clicked"]["extra"], by_kind["clicked"]["changed"]) == ("more", True)
    assert by_kind["clicked"]["title"] == "Shop"
    assert (by_kind["held"]["text"], by_kind["held"]["asked"]) == ("rendered", 2)
    assert (by_kind["kept"]["text"], by_kind["kept"]["language"]) == ("rendered", "de-CH")
    assert by_kind["missing"]["status"] == 404
    assert by_kind["posted"]["text"] == "POST a=1 yes"
    assert by_kind["refused"]["error"] == "DownloadConnectionRefusedError"
    assert by_kind["absent"]["error"] == "WaitTimeout"
    assert by_kind["slow"]["error"] == "DownloadTimeoutError"
    stats = result["stats"]
    assert stats["retry/reason_count/scrapy.exceptions.DownloadConnectionRefusedError"] == 1
    assert stats["stillframe/page_count"] == 11  # without a second attempt of "absent"
    assert "Traceback" not in crawled["log"]


@pytest.mark.heavy
async def test_another_reactor_is_refused_with_the_setting_to_change(server: str) -> None:
    result = await crawl(CRAWL, server, "twisted.internet.selectreactor.SelectReactor")
    assert "set TWISTED_REACTOR to 'twisted.internet.asyncioreactor.AsyncioSelectorReactor'" in result["log"]


def by_kind(result: dict[str, Any]) -> dict[str, dict[str, Any]]:
    found = {item["kind"]: item for item in result["items"]}
    assert len(found) == len(result["items"])
    return found


REFUSED = {
    "odd wait": "wait_until 'still' is none of commit, domcontentloaded, load, networkidle",
    "unknown key": "no meta key stillframe_include_pages (did you mean 'stillframe_include_page'?)",
    "old key": "playwright_include_page is scrapy-playwright's: its name here is stillframe_include_page",
    "no handler": "the spider has no method 'absent'",
    "no method": "<PageMethod for method 'absent'> is neither an action nor a method of a page",
    "wrong arguments": "page method 'title'",
}


@pytest.mark.browser
async def test_spiders_of_scrapy_playwright_find_what_they_know(server: str, crawled: dict[str, Any]) -> None:
    found = by_kind(crawled["moved"])
    assert {kind: text in found[kind]["message"] for kind, text in REFUSED.items()} == dict.fromkeys(REFUSED, True)
    assert found["redirected"]["url"] == f"{server}/page"
    assert found["redirected"]["redirects"] == [[f"{server}/redirect"], [302]]
    assert found["redirected"]["address"] == ["127.0.0.1", "HTTP/1.1"]
    assert found["reads"]["results"] == ["Shop", 42, "Shop", "page#x"]
    assert (crawled["folder"] / "made" / "page.jpg").read_bytes().startswith(b"\xff\xd8")
    assert found["waits"]["text"] == "later"
    assert "'http://from.example/'" in found["idle"]["text"]
    assert found["committed"]["status"] == 200
    assert found["agent"]["text"] == "['mine', None, 'a=b'] mine"
    assert found["heard"]["heard"] == ["document", "fetch"]
    assert found["file"]["file"] == ["a.csv", "rows"]
    assert found["zone"]["results"] == ["Asia/Tokyo"]
    assert (found["proxied"]["url"], found["proxied"]["status"]) == ("http://site.test/page", 200)
    assert "'a=b; c=1'" in found["cookies of first"]["text"]
    assert "'a=b'" in found["cookies of second"]["text"]


@pytest.mark.browser
async def test_pages_are_closed_by_the_spider_or_with_the_request_that_does_not_include_them(
    crawled: dict[str, Any],
) -> None:
    found = by_kind(crawled["moved"])
    assert found["chained again"]["closed"]
    assert (found["errback"]["error"], found["errback"]["closed"]) == ("WaitTimeout", False)
    assert (found["crashed"]["error"], found["crashed"]["closed"]) == ("DownloadFailedError", True)
    assert found["large"]["error"] == "DownloadCancelledError"
    assert "more than 100 bytes" in found["large"]["message"]
    stats = crawled["moved"]["stats"]
    assert stats["stillframe/page_count"] == stats["stillframe/page_count/closed"]
    assert stats["stillframe/page_count/max_concurrent"] >= 3
    assert stats["stillframe/browser_count"] == 1
    assert stats["stillframe/request_count/resource_type/fetch"] > 0
    assert stats["stillframe/response_count/method/GET"] > 0


@pytest.mark.browser
async def test_documents_come_whole_or_fail(server: str, crawled: dict[str, Any]) -> None:
    found, stats = by_kind(crawled["moved"]), crawled["moved"]["stats"]
    assert found["cut"]["error"] == "DownloadFailedError"
    assert "did not come whole" in found["cut"]["message"]
    assert stats["stillframe/failures/document_truncated"] == 2  # Scrapy has tried it again
    assert found["hangs"]["error"] == "DownloadTimeoutError"
    assert "does not answer" in found["hangs"]["message"]
    assert (found["nothing"]["status"], found["nothing"]["url"]) == (204, f"{server}/nothing")


@pytest.mark.browser
async def test_pages_that_only_waited_are_loaded_again_when_their_browser_was_killed(
    crawled: dict[str, Any],
) -> None:
    found = by_kind(crawled["killer"])
    assert found["gate"]["error"] == "DownloadFailedError"
    assert {kind: item["status"] for kind, item in found.items() if kind != "gate"} == {
        "late?1": 200,
        "late?2": 200,
        "page?after": 200,
    }
