"""How a crawl goes out and appears, and that none of its secrets is written down."""

from __future__ import annotations

import asyncio
import base64
import gzip
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

import pytest
from aiohttp import web
from crawl_site import by_url

from login_proxy import guarded_proxy
from stillframe.errors import OptionInvalid
from stillframe.farm.crawl import CrawlSettings, run_crawl
from stillframe.farm.crawl.access import context_options
from stillframe.testing.app_server import serving

URL = "https://shop.test/a"
PASSWORD, KEY = "hush-7f3a9", "key-51c8e2"
LOGIN = "Basic " + base64.b64encode(f"ann:{PASSWORD}".encode()).decode()
ROWS = """<title>Rows</title><ul></ul><div id=end style="height:10px"></div><script>
let rows = 0;
const more = () => { for (let i = 0; i < 20 && rows < 60; i++) {
  const row = document.createElement("li"); row.style.height = "100px"; row.textContent = "row " + ++rows;
  document.querySelector("ul").append(row); } };
new IntersectionObserver(seen => seen.some(each => each.isIntersecting) && more())
  .observe(document.querySelector("#end"));
</script>"""


def options(environment: dict[str, str] | None = None, **settings: Any) -> dict[str, Any]:
    return context_options(CrawlSettings(urls=(URL,), **settings).check(), environment or {})


# -- what is written and what it stands for -------------------------------------------------------


def test_options_without_secrets_are_those_of_a_context() -> None:
    assert options() == {}
    given = {"locale": "de-CH", "timezone": "Europe/Zurich", "viewport": "800x600", "device": "Pixel 7"}
    assert options(**given, headers=("X-Team=shop",), block=("*.png",), user_agent="Bot/1", proxy="http://p:3128") == {
        **given,
        "viewport": {"width": 800, "height": 600},
        "extra_headers": {"X-Team": "shop"},
        "block": ("*.png",),
        "user_agent": "Bot/1",
        "proxy": "http://p:3128",
    }


def test_names_stand_for_variables_and_for_files(tmp_path: Path) -> None:
    (tmp_path / "key").write_text(f"{KEY}\n")
    environment = {
        "PASSWORD": "a/b@c",
        "KEY_FILE": str(tmp_path / "key"),
        "PROXY": "http://u:p@q:1",
        "LOGIN": "ann:hush",
    }
    assert options(
        environment,
        proxy="http://ann:${PASSWORD}@p:3128",
        headers=("Authorization=Bearer ${KEY}",),
        http_credentials="${LOGIN}",
    ) == {
        "proxy": "http://ann:a%2Fb%40c@p:3128",
        "extra_headers": {"Authorization": f"Bearer {KEY}"},
        "http_credentials": {"username": "ann", "password": "hush", "origin": "https://shop.test"},
        "secrets": {"PASSWORD": "a/b@c", "KEY": KEY, "LOGIN": "ann:hush"},
    }
    assert options(environment, proxy="${PROXY}")["proxy"] == "http://u:p@q:1"


@pytest.mark.parametrize(
    ("settings", "option"),
    [
        ({"proxy": "http://ann:hush@p:3128"}, "proxy"),
        ({"proxy": "ann:hush${PASSWORD}@p:3128"}, "proxy"),
        ({"proxy": "http://ann:@p:3128"}, "proxy"),
        ({"headers": ("X-Api-Key=",)}, "headers"),
        ({"http_credentials": "ann:hush"}, "http_credentials"),
        ({"headers": ("Cookie=sid=hush",)}, "headers"),
        ({"headers": ("authorization=Bearer hush",)}, "headers"),
        ({"headers": ("X-Api-Key=hush${KEY}",)}, "headers"),
        ({"headers": ("X-Gate=Basic hush",)}, "headers"),
    ],
)
def test_a_secret_that_is_written_down_is_refused_and_not_repeated(settings: dict[str, Any], option: str) -> None:
    with pytest.raises(OptionInvalid, match="write \\$\\{NAME\\}") as caught:
        CrawlSettings(urls=(URL,), **settings).check()
    assert caught.value.option == option
    assert "hush" not in str(caught.value)


@pytest.mark.parametrize(
    ("settings", "option", "says"),
    [
        ({"viewport": "wide"}, "viewport", "not a size such as 1280x800"),
        ({"locale": "no tag"}, "locale", "not a language tag"),
        ({"device": "Pixel 99999"}, "device", "Pixel 99999"),
        ({"headers": ("hush",)}, "headers", "write NAME=VALUE"),
        ({"headers": ("a b=c",)}, "extra_headers", "not a valid header name"),
        ({"http_credentials": "ann"}, "http_credentials", "write USER:"),
        ({"http_credentials": "ann:"}, "http_credentials", "write USER:"),
    ],
)
def test_options_that_cannot_work_are_refused_before_a_crawl_begins(
    settings: dict[str, Any], option: str, says: str
) -> None:
    with pytest.raises(OptionInvalid, match=says) as caught:
        CrawlSettings(urls=(URL,), **settings).check()
    assert caught.value.option == option
    assert "hush" not in str(caught.value)


@pytest.mark.parametrize(
    ("environment", "settings", "says"),
    [
        ({}, {"proxy": "http://ann:${KEY}@p:1"}, "set KEY, or KEY_FILE"),
        ({"KEY_FILE": "/nowhere/key"}, {"proxy": "${KEY}"}, "KEY_FILE: cannot read /nowhere/key: No such file"),
        ({}, {"storage_state": "/nowhere/state.json"}, "/nowhere/state.json"),
    ],
)
def test_what_a_worker_lacks_is_named(environment: dict[str, str], settings: dict[str, Any], says: str) -> None:
    with pytest.raises(OptionInvalid, match=says):
        options(environment, **settings)


# -- whole crawls ---------------------------------------------------------------------------------


class Closed:
    """A site that shows its pages only to who has the login, the key and the cookie."""

    def __init__(self) -> None:
        self.languages = set[str]()
        self.refused = list[str]()

    async def answer(self, request: web.Request) -> web.Response:
        if request.path == "/favicon.ico":
            return web.Response(status=204)
        if request.headers.get("Authorization") != LOGIN or request.headers.get("X-Api-Key") != KEY:
            self.refused.append(request.path)
            return web.Response(status=401, headers={"WWW-Authenticate": 'Basic realm="shop"'})
        match request.path:
            case "/robots.txt":
                return web.Response(text="User-agent: *\nDisallow: /private\n")
            case "/sitemap.xml":
                return web.Response(text=f"<urlset><url><loc>{request.url.origin()}/rows</loc></url></urlset>")
            case "/rows":
                return web.Response(text=ROWS, content_type="text/html")
        self.languages.add(request.headers["Accept-Language"])
        text = f"{request.cookies.get('sid')} says {PASSWORD} and {KEY}"
        return web.Response(text=f"<title>In</title><p>{text}</p><a href=/private>p</a>", content_type="text/html")


@asynccontextmanager
async def closed() -> AsyncIterator[tuple[Closed, str]]:
    site, app = Closed(), web.Application()
    app.router.add_get("/{path:.*}", site.answer)
    async with serving(app) as port:
        yield site, f"http://127.0.0.1:{port}"


@pytest.mark.browser
async def test_a_closed_site_is_crawled_and_no_secret_is_in_any_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PASSWORD", PASSWORD)
    monkeypatch.setenv("KEY", KEY)
    state, out = tmp_path / "state.json", tmp_path / "out"
    async with closed() as (site, url):
        cookie = {"name": "sid", "value": "cookie-c0ffee", "domain": "127.0.0.1", "path": "/"}
        state.write_text(json.dumps({"cookies": [cookie], "origins": []}))
        settings = CrawlSettings(
            urls=(f"{url}/",),
            sitemaps=("auto",),
            http_credentials="ann:${PASSWORD}",
            headers=("X-Api-Key=${KEY}",),
            storage_state=str(state),
            locale="de-CH",
            scroll=True,
            formats=("jsonl", "warc"),
        )
        summary = await run_crawl(settings, out=out, concurrency=1)
        found = by_url(out)
        assert (summary.exit, summary.done, summary.robots_refused) == (0, 2, 1), summary
        assert found[f"{url}/"]["text"].startswith("cookie-c0ffee says")
        assert "row 60" in found[f"{url}/rows"]["text"].splitlines()
        assert {each.split(",")[0] for each in site.languages} == {"de-CH"}
        assert not {"/robots.txt", "/sitemap.xml"} & {*site.refused}, "they are asked for as pages are"
    written = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    plain = {path: gzip.decompress(data) if path.suffix == ".gz" else data for path, data in written.items()}
    assert any(path.name.endswith(".warc.gz") for path in plain)
    for secret in (PASSWORD, KEY, LOGIN.partition(" ")[2]):
        assert [path.name for path, data in plain.items() if secret.encode() in data] == []


@pytest.mark.browser
async def test_pages_and_robots_txt_go_through_the_proxy_with_its_login(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROXY_PASSWORD", "hush")
    async with guarded_proxy() as proxy:
        address = proxy.address.removeprefix("http://")
        settings = CrawlSettings(urls=("http://shop.test/",), proxy=f"http://ann:${{PROXY_PASSWORD}}@{address}")
        summary = await run_crawl(settings, out=tmp_path / "out", concurrency=1)
        seen = {url for url, login, _ in proxy.seen if login is not None}
    assert (summary.exit, summary.done) == (0, 1)
    assert by_url(tmp_path / "out")["http://shop.test/"]["title"] == "through the proxy"
    assert {"http://shop.test/robots.txt", "http://shop.test/"} <= seen


@pytest.mark.browser
async def test_pages_whose_proxy_died_fail_by_a_kind_and_are_loaded_when_it_is_back(tmp_path: Path) -> None:
    links = b"".join(b"<a href=/%d>x</a>" % n for n in range(6))
    asked = list[str]()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append((await reader.readuntil(b"\r\n\r\n")).split()[1].decode())
        body = b"User-agent: *\n" if asked[-1].endswith("/robots.txt") else b"<title>Page</title>" + links
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"
        writer.write(head % len(body) + body)
        await writer.drain()
        writer.close()
        if len([url for url in asked if "robots" not in url and "favicon" not in url]) == 3:
            proxy.close()

    proxy = await asyncio.start_server(serve, "127.0.0.1", 0)
    port, out = proxy.sockets[0].getsockname()[1], tmp_path / "out"
    settings = CrawlSettings(urls=("http://shop.test/",), proxy=f"http://127.0.0.1:{port}", retries=0)
    first = await run_crawl(settings, out=out, concurrency=1)
    assert (first.exit, first.done, first.errors) == (0, 3, {"err_proxy_connection_failed": 4})
    asked[:] = ["a page"] * 3  # this one does not die
    async with await asyncio.start_server(serve, "127.0.0.1", port):
        second = await run_crawl(None, out=out, resume=True, concurrency=1, retry_kinds=["err_proxy_*"])
    assert (second.exit, second.done, second.failed) == (0, 7, 0)
    assert len((out / "pages.jsonl").read_text().splitlines()) == 7


WORKER = """
oninstall = () => skipWaiting();
onactivate = (event) => event.waitUntil(clients.claim());
const answer = () => new Response("<title>Worker</title>", { headers: { "Content-Type": "text/html" } });
onfetch = (event) => event.request.mode === "navigate" && event.respondWith(answer());
"""
REGISTERS = """<title>Registers</title><a href=/other>o</a><script>
navigator.serviceWorker.register("/worker.js").then(() => navigator.serviceWorker.ready)
  .then(() => "ready", (error) => error.name)
  .then((text) => { document.body.append(text); fetch("/ready") }), fetch("/until-ready")</script>"""


@pytest.mark.browser
@pytest.mark.parametrize(("rule", "title"), [("block", "Other"), ("allow", "Worker")])
async def test_a_service_worker_answers_for_no_page_unless_it_is_allowed(
    tmp_path: Path, rule: Literal["allow", "block"], title: str
) -> None:
    pages, ready = {"/": REGISTERS, "/other": "<title>Other</title>"}, asyncio.Event()

    async def answer(request: web.Request) -> web.Response:
        if request.path == "/ready":
            ready.set()
        if request.path == "/until-ready":
            await ready.wait()
        if request.path == "/worker.js":
            return web.Response(text=WORKER, content_type="text/javascript")
        text = pages.get(request.path)
        return web.Response(status=200 if text else 404, text=text or "", content_type="text/html")

    app = web.Application()
    app.router.add_get("/{path:.*}", answer)
    async with serving(app) as port:
        url = f"http://127.0.0.1:{port}/"
        settings = CrawlSettings(urls=(url,), service_workers=rule)
        summary = await run_crawl(settings, out=tmp_path / "out", concurrency=1)
    found = by_url(tmp_path / "out")
    assert summary.done == len(pages)
    assert {each["title"] for each in found.values()} == {"Registers", title}
    assert found[url]["text"].endswith("ready" if rule == "allow" else "SecurityError")
