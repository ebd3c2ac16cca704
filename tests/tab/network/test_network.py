"""Blocking by pattern, extra headers, being offline, and logins for proxies and servers."""

from __future__ import annotations

import pytest
from aiohttp import web

import stillframe
from login_proxy import basic, guarded_proxy
from site_server import Site
from stillframe.api.browser import Browser
from stillframe.errors import NavigationFailed
from stillframe.tab.network.network import block_matcher, same_origin

FETCHED = "fetch('/data').then(r => r.status, () => 'failed')"
FETCHED_BY_WORKER = """new Promise(resolve => {
    const source = `onmessage = e => fetch(e.data).then(r => postMessage(r.status), () => postMessage('failed'))`
    const worker = new Worker(URL.createObjectURL(new Blob([source])))
    worker.onmessage = event => resolve(event.data)
    worker.postMessage(new URL('/data', location).href)
})"""


@pytest.mark.parametrize(
    ("pattern", "url", "matches"),
    [
        ("*.png", "http://x/a.png", True),
        ("*.png", "http://x/a.png?b", False),
        ("*", "http://x/", True),
        ("http://x/?", "http://x/a", True),
        ("http://x/?", "http://x/ab", False),
        (r"http://x/\?a", "http://x/?a", True),
        (r"http://x/\?a", "http://x/ba", False),
        ("*[a]*", "http://x/[a]", True),
        ("*[a]*", "http://x/a", False),
    ],
)
def test_patterns_have_the_rules_of_the_browser(pattern: str, url: str, matches: bool) -> None:
    assert bool(block_matcher([pattern])(url)) is matches


def test_no_pattern_blocks_nothing() -> None:
    assert not block_matcher([])("http://x/")


def test_origins_are_compared_with_their_ports() -> None:
    assert same_origin("https://a", "https://a:443/x")
    assert not same_origin("https://a", "http://a")
    assert not same_origin("https://a", "https://a:444")


def data(site: Site) -> None:
    async def handler(_: web.Request) -> web.Response:
        return web.Response(text="data")

    site.route("/data", handler)
    site.route("/pic.png", handler)


async def test_blocked_requests_never_reach_the_server(browser: Browser, site: Site) -> None:
    data(site)
    inner = site.html("/inner", "<img src=/pic.png>")
    other = site.url("/inner", host="localhost")
    start = site.html("/start", f"<img src=/pic.png><iframe src='{inner}'></iframe><iframe src='{other}'></iframe>")
    async with await browser.new_context(block=["*/data", "*.png"]) as context:
        page = await context.new_page(start)
        assert await page.evaluate(FETCHED) == "failed"
        assert await page.evaluate(FETCHED_BY_WORKER) == "failed"
    assert site.requests.count("/inner") == 2
    assert not {"/data", "/pic.png"} & set(site.requests)


async def test_blocked_documents_are_not_loaded(browser: Browser, site: Site) -> None:
    site.html("/ads", "ads")
    start = site.html("/start", "<iframe src=/ads></iframe><p>text")
    async with await browser.new_context(block=["*/ads"]) as context:
        page = await context.new_page(start)
        with pytest.raises(NavigationFailed, match="ERR_BLOCKED_BY_CLIENT"):
            await page.goto(site.url("/ads"))
    assert "/ads" not in site.requests


async def test_what_matches_no_pattern_is_loaded(browser: Browser, site: Site) -> None:
    data(site)
    async with await browser.new_context(block=["*/nothing*"]) as context:
        page = await context.new_page(site.html("/start", ""))
        assert await page.evaluate(FETCHED) == 200
        assert await page.evaluate(FETCHED_BY_WORKER) == 200


async def test_extra_headers_go_with_every_request(browser: Browser, site: Site) -> None:
    seen: dict[str, str | None] = {}

    async def handler(request: web.Request) -> web.Response:
        seen[request.path] = request.headers.get("X-Still")
        return web.Response(text="<p>x", content_type="text/html")

    for path in ("/data", "/inner", "/start"):
        site.route(path, handler)
    async with await browser.new_context(extra_headers={"X-Still": "frame"}) as context:
        page = await context.new_page(site.url("/start"))
        await page.evaluate(FETCHED)
        assert seen == {"/start": "frame", "/data": "frame"}
        seen.clear()
        await page.evaluate(FETCHED_BY_WORKER)
        assert seen == {"/data": "frame"}


async def test_offline_pages_get_nothing_until_they_are_online_again(browser: Browser, site: Site) -> None:
    data(site)
    start = site.html("/start", "")
    async with await browser.new_context(offline=True) as context:
        page = await context.new_page()
        assert await page.evaluate("navigator.onLine") is False
        with pytest.raises(NavigationFailed, match="ERR_INTERNET_DISCONNECTED"):
            await page.goto(start)
        await context.set_offline(False)
        await page.goto(start)
        assert await page.evaluate(FETCHED) == 200
        assert await (await context.new_page()).evaluate("navigator.onLine") is True
        await context.set_offline(True)
        assert await page.evaluate(FETCHED) == "failed"
        assert await page.evaluate(FETCHED_BY_WORKER) == "failed"
        later = await context.new_page()
        assert await later.evaluate("navigator.onLine") is False
    assert site.requests.count("/data") == 1


# -- logins --------------------------------------------------------------------------------------


async def test_a_proxy_gets_its_login(browser: Browser) -> None:
    async with guarded_proxy() as proxy, await browser.new_context(proxy=f"ann:hush@{proxy.address}") as context:
        page = await context.new_page("http://anywhere.test/")
        assert await page.title() == "through the proxy"
        assert proxy.seen[0] == ("http://anywhere.test/", None, None)
        assert proxy.seen[1] == ("http://anywhere.test/", basic("ann", "hush"), None)


async def test_a_server_never_gets_the_login_of_the_proxy(browser: Browser) -> None:
    async with guarded_proxy() as proxy, await browser.new_context(proxy=f"ann:hush@{proxy.address}") as context:
        page = await context.new_page()
        # That it stays a 401 is the point.
        assert (await page.goto("http://anywhere.test/secured")).status == 401
        assert {authorization for _, _, authorization in proxy.seen} == {None}


async def test_a_wrong_login_is_given_once_and_not_shown(browser: Browser) -> None:
    async with guarded_proxy() as proxy, await browser.new_context(proxy=f"ann:wrong@{proxy.address}") as context:
        page = await context.new_page()
        response = await page.goto("http://anywhere.test/")
        assert response.status == 407
        assert "wrong" not in str(response)
        assert len(proxy.seen) == 2


async def test_loopback_goes_through_the_proxy_only_when_asked(browser: Browser, site: Site) -> None:
    start = site.html("/start", "", title="direct")
    async with guarded_proxy() as proxy:
        for bypass, title in (((), "direct"), (("<-loopback>",), "through the proxy")):
            settings = {"server": proxy.address, "bypass": bypass, "username": "ann", "password": "hush"}
            async with await browser.new_context(proxy=settings) as context:
                page = await context.new_page(start)
                assert await page.title() == title


async def test_patterns_are_blocked_behind_a_proxy_too(browser: Browser) -> None:
    async with (
        guarded_proxy() as proxy,
        await browser.new_context(proxy=f"ann:hush@{proxy.address}", block=["*/data"]) as context,
    ):
        page = await context.new_page("http://anywhere.test/")
        assert await page.evaluate(FETCHED) == "failed"
        assert not [url for url, _, _ in proxy.seen if url.endswith("/data")]


@pytest.mark.slow
@pytest.mark.browser
async def test_a_launched_browser_takes_a_proxy_with_a_login() -> None:
    async with guarded_proxy() as proxy, stillframe.launch(proxy=f"ann:hush@{proxy.address}") as browser:
        page = await browser.new_page("http://anywhere.test/")
        assert await page.title() == "through the proxy"
        assert "hush" not in repr(browser.info)


@pytest.mark.parametrize(("origin", "allowed"), [(None, True), ("own", True), ("https://elsewhere.test", False)])
async def test_a_server_gets_the_login_that_is_meant_for_it(
    browser: Browser, site: Site, origin: str | None, allowed: bool
) -> None:
    async def handler(request: web.Request) -> web.Response:
        if request.headers.get("Authorization") == basic("bob", "whisper"):
            return web.Response(text="<title>in</title>", content_type="text/html")
        headers = {"WWW-Authenticate": 'Basic realm="r"'}
        return web.Response(status=401, headers=headers, text="<title>out</title>", content_type="text/html")

    site.route("/secured", handler)
    credentials = {"username": "bob", "password": "whisper"}
    if origin is not None:
        credentials["origin"] = site.url("/").rstrip("/") if origin == "own" else origin
    async with await browser.new_context(http_credentials=credentials) as context:
        page = await context.new_page(site.url("/secured"))
        assert await page.title() == ("in" if allowed else "out")
