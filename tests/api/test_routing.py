"""Requests that functions decide, extra headers, scripts before the page's own, functions that pages call."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from sampling import sampled
from shown import waited
from site_server import Site
from stillframe.api.browser import Browser, Page
from stillframe.errors import InputError, NavigationFailed, OptionInvalid, UrlRefused
from stillframe.model.events import Request
from stillframe.security.policy import UrlPolicy
from stillframe.tab.network.routing import Route
from stillframe.tab.network.url_patterns import browser_pattern, url_matcher
from stillframe.testing import FrameLog

OTHER_PROCESS = pytest.mark.parametrize("host", sampled(("127.0.0.1", "localhost"), ("localhost",)))
"""Where a frame comes from. One of another process has a session of its own, so more can go wrong with it."""
FETCHED = "fetch('/data').then(async r => [r.status, await r.text(), r.headers.get('content-type')], e => String(e))"


def data(site: Site, text: str = "from the server") -> None:
    async def handler(request: web.Request) -> web.Response:
        return web.json_response(
            {"text": text, "method": request.method, "body": await request.text()} | dict(request.headers)
        )

    site.route("/data", handler)


def methods(wire: FrameLog) -> set[str]:
    return {method for method, *_ in wire.by_method()}


# -- patterns ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern", "url", "matches"),
    [
        ("**/*.png", "http://x/a/b.png", True),
        ("**/*.png", "http://x/a/b.png?c", False),
        ("**/*.{png,jpg}", "http://x/b.jpg", True),
        ("**/*.{png,jpg}", "http://x/b.gif", False),
        ("http://x/*", "http://x/a/b", False),
        ("http://x/**", "http://x/a/b#c", True),
        ("**/a?b", "http://x/a?b", True),
        ("**/a?b", "http://x/acb", False),
        (r"**/\*", "http://x/*", True),
        (r"**/\*", "http://x/a", False),
        (re.compile(r"\.png$"), "http://x/a.png", True),
    ],
)
def test_patterns_mean_what_they_mean_in_playwright(pattern: Any, url: str, matches: bool) -> None:
    assert url_matcher(pattern)(url) is matches


@pytest.mark.parametrize(
    ("pattern", "wide"),
    [("**/*.png", "**.png"), ("http://x/{a,b}?c", "http://x/*c"), (re.compile("x"), "*"), (len, "*")],
)
def test_the_browser_pauses_at_least_what_matches(pattern: Any, wide: str) -> None:
    assert browser_pattern(pattern) == wide


@pytest.mark.parametrize(("pattern", "said"), [("/api", r"'\*\*/api'"), ("**/{a", "brace"), (7, "is not a glob")])
def test_a_pattern_that_matches_nothing_is_an_error(pattern: Any, said: str) -> None:
    with pytest.raises(OptionInvalid, match=said):
        url_matcher(pattern)


# -- decisions -----------------------------------------------------------------------------------


async def test_a_request_is_answered_without_a_server(page: Page, site: Site, tmp_path: Path) -> None:
    await page.goto(site.html("/", ""))
    seen: list[Request] = []

    async def answer(route: Route) -> None:
        seen.append(route.request)
        await route.fulfill(status=201, json={"a": 1}, headers={"X-Own": "1"})

    await page.route("**/data", answer)
    assert await page.evaluate(FETCHED) == [201, '{"a": 1}', "application/json"]
    assert [(r.url, r.method, r.resource_type) for r in seen] == [(site.url("/data"), "GET", "xhr")]
    assert "/data" not in site.requests
    file = tmp_path / "page.html"
    file.write_text("<title>of a file</title>")
    await page.route("**/file", lambda route: route.fulfill(path=file))
    assert (await page.goto(site.url("/file"))).status == 200
    assert await page.title() == "of a file"


async def test_a_request_is_failed(page: Page, site: Site) -> None:
    await page.goto(site.html("/", ""))
    await page.route(re.compile("/data$"), lambda route: route.abort("connectionrefused"))
    assert "Failed to fetch" in await page.evaluate(FETCHED)
    with pytest.raises(NavigationFailed, match="ERR_CONNECTION_REFUSED"):
        await page.goto(site.url("/data"))


async def test_a_request_goes_on_changed(page: Page, site: Site) -> None:
    data(site)
    await page.goto(site.html("/", ""))

    async def change(route: Route) -> None:
        headers = dict(route.request.headers) | {"x-key": "k"}
        await route.continue_(url=site.url("/data"), method="PUT", headers=headers, post_data="changed")

    await page.route("**/other", change)
    answer = json.loads(await page.evaluate("fetch('/other').then(r => r.text())"))
    assert (answer["method"], answer["body"], answer["x-key"]) == ("PUT", "changed", "k")


async def test_a_function_of_the_url_is_a_pattern(page: Page, site: Site) -> None:
    data(site)
    await page.goto(site.html("/", ""))
    await page.route(lambda url: url.endswith("/data?answered"), lambda route: route.fulfill(body="by us"))
    assert await page.evaluate("fetch('/data?answered').then(r => r.text())") == "by us"
    assert (await page.evaluate(FETCHED))[0] == 200


async def test_the_last_route_decides_and_those_of_the_page_go_first(page: Page, site: Site) -> None:
    data(site)
    await page.goto(site.html("/", ""))
    order: list[str] = []

    def named(name: str) -> Any:
        async def handler(route: Route) -> None:
            order.append(name)
            await route.fallback()

        return handler

    await page.route("**/data", named("page 1"))
    await page.context.route("**/data", named("context 1"))
    await page.route("**/*", named("page 2"))
    await page.context.route("**/data", named("context 2"))
    assert (await page.evaluate(FETCHED))[0] == 200
    assert order == ["page 2", "page 1", "context 2", "context 1"]


async def test_without_a_decision_the_request_goes_on(page: Page, site: Site, caplog: pytest.LogCaptureFixture) -> None:
    data(site)
    await page.goto(site.html("/", ""))

    async def fail(route: Route) -> None:
        raise RuntimeError("broken handler")

    await page.route("**/data", fail)
    with caplog.at_level(logging.ERROR, "stillframe.tab"):
        assert (await page.evaluate(FETCHED))[0] == 200
        await page.unroute("**/data")
        await page.route("**/data", lambda route: None)
        assert (await page.evaluate(FETCHED))[0] == 200
    assert "broken handler" in caplog.text
    assert "made no decision" in caplog.text


async def test_a_second_decision_and_bad_ones_are_errors(page: Page, site: Site) -> None:
    data(site)
    await page.goto(site.html("/", ""))
    raised: list[BaseException] = []

    async def handler(route: Route) -> None:
        wrong = (
            lambda: route.fulfill(status=7),
            lambda: route.fulfill(body="a", json=1),
            lambda: route.fulfill(headers={"a b": "c"}),
            lambda: route.abort("refused"),
            lambda: route.continue_(url="file:///etc/passwd"),
            lambda: route.continue_(url="https://127.0.0.1/"),
            lambda: route.fulfill(body="ok"),
            lambda: route.abort(),
        )
        for attempt in wrong:
            try:
                await attempt()
            except InputError as error:
                raised.append(error)

    await page.route("**/data", handler)
    assert (await page.evaluate(FETCHED))[:2] == [200, "ok"]
    assert [type(error) for error in raised] == [OptionInvalid] * 4 + [UrlRefused, OptionInvalid, InputError]
    assert "decided already" in str(raised[-1])
    with pytest.raises(OptionInvalid, match="not a function"):
        await page.route("**/data", "no function")  # type: ignore[arg-type]


async def test_after_the_last_route_nothing_is_intercepted(page: Page, site: Site) -> None:
    data(site)
    await page.goto(site.html("/", ""))
    handler = lambda route: route.fulfill(body="routed")  # noqa: E731
    await page.route("**/data", handler)
    await page.context.route("**/data", handler)
    assert (await page.evaluate(FETCHED))[1] == "routed"
    await page.unroute("**/data", handler)
    assert (await page.evaluate(FETCHED))[1] == "routed"
    await page.context.unroute("**/data")
    with FrameLog(page.browser._connection) as wire:
        assert (await page.evaluate(FETCHED))[0] == 200
        assert not any("Fetch" in method for method in methods(wire))
    with pytest.raises(OptionInvalid, match="no route"):
        await page.unroute("**/data")


async def test_a_request_whose_last_route_is_removed_goes_on(
    page: Page, site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    data(site)
    await page.goto(site.html("/", ""))
    paused, removed, decided = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def late(route: Route) -> None:
        paused.set()
        await removed.wait()
        try:
            await route.continue_()
        finally:
            decided.set()

    await page.route("**/data", late)
    fetched = asyncio.create_task(page.evaluate(FETCHED))
    await paused.wait()
    await page.unroute("**/data")
    removed.set()
    assert (await fetched)[0] == 200
    await decided.wait()
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


async def test_only_what_matches_is_paused(page: Page, site: Site) -> None:
    data(site)
    await page.goto(site.html("/", ""))
    await page.route("**/*.png", lambda route: route.abort())
    with FrameLog(page.browser._connection) as wire:
        assert (await page.evaluate(FETCHED))[0] == 200
        assert "Fetch.requestPaused" not in methods(wire)


# -- together with the rest ------------------------------------------------------------------------


async def test_a_routed_request_is_pending_while_its_handler_thinks(page: Page, site: Site) -> None:
    body = "<button onclick=\"fetch('/data').then(r => r.text()).then(t => out.textContent = t)\">go</button><p id=out>"
    await page.goto(site.html("/", body))

    async def slow(route: Route) -> None:
        await asyncio.sleep(0.8)
        await route.fulfill(body="thought about")

    await page.route("**/data", slow)
    result = await page.execute_sequence([{"action": "click_element", "selector": "button"}], verbose=True)
    assert result.stable
    assert waited(result) >= 300
    assert b"thought about" in result.to_json()


@OTHER_PROCESS
async def test_frames_workers_and_popups_are_routed(page: Page, site: Site, host: str) -> None:
    site.html("/inner", "<script>fetch('/data').then(r => r.text()).then(t => document.title = t)</script>")
    site.html("/popup", "<script>fetch('/data').then(r => r.text()).then(t => document.title = t)</script>")
    frames: list[str] = []

    async def answer(route: Route) -> None:
        frames.append(route.request.frame_id)
        await route.fulfill(body="routed")

    await page.context.route("**/data", answer)
    await page.goto(
        site.html("/", f"<iframe src='{site.url('/inner', host=host)}'></iframe><a href=/popup target=_blank>p")
    )
    worker = """new Promise(resolve => {
        const source = `onmessage = e => fetch(e.data).then(r => r.text()).then(postMessage)`
        const worker = new Worker(URL.createObjectURL(new Blob([source])))
        worker.onmessage = event => resolve(event.data)
        worker.postMessage(new URL('/data', location).href)
    })"""
    assert await page.evaluate(worker) == "routed"
    async with page.expect_popup() as popup:
        await page.execute_sequence([{"action": "click_element", "selector": "a"}])
    await (await popup).settle()
    assert await (await popup).title() == "routed"
    await page.settle()
    assert len(set(frames)) == 3  # the page for its worker, its frame, and the popup
    assert "/data" not in site.requests


async def test_answers_to_another_origin_can_be_read(page: Page, site: Site) -> None:
    await page.goto(site.html("/", ""))
    await page.route("**/data", lambda route: route.fulfill(json=[1]))
    other = site.url("/data", host="localhost")
    ask = f"fetch('{other}', {{method: 'PUT', headers: {{'x-own': '1'}}}}).then(r => r.json(), e => String(e))"
    assert await page.evaluate(ask) == [1]
    assert "/data" not in site.requests


async def test_the_policy_and_blocked_patterns_go_first(browser: Browser, site: Site) -> None:
    asked: list[str] = []

    async def answer(route: Route) -> None:
        asked.append(route.request.url)
        await route.fulfill(body="routed", content_type="text/html")

    policy = UrlPolicy(allowed_hosts=(f"127.0.0.1:{site.port}",))
    async with await browser.new_context(policy=policy, block=["*/blocked"]) as context:
        await context.route("**", answer)
        page = await context.new_page(site.url("/start"))
        assert "Failed" in await page.evaluate("fetch('/blocked').catch(e => String(e))")
        assert "Failed" in await page.evaluate(f"fetch('{site.url('/x', host='localhost')}').catch(e => String(e))")
        with pytest.raises(UrlRefused):
            await page.goto(site.url("/y", host="localhost"))
    assert site.url("/start") in asked
    assert not [url for url in asked if "localhost" in url or "blocked" in url]


async def test_routes_and_logins_go_together(browser: Browser, site: Site) -> None:
    async def guarded(request: web.Request) -> web.Response:
        if "Authorization" not in request.headers:
            return web.Response(status=401, headers={"WWW-Authenticate": 'Basic realm="x"'})
        return web.Response(text="let in")

    site.route("/guarded", guarded)
    credentials = {"username": "u", "password": "p"}
    async with await browser.new_context(http_credentials=credentials) as context:
        page = await context.new_page(site.html("/", ""))
        await page.route("**/guarded", lambda route: route.continue_())
        assert await page.evaluate("fetch('/guarded').then(r => r.text())") == "let in"
        await page.unroute("**/guarded")
        assert await page.evaluate("fetch('/guarded').then(r => r.text())") == "let in"


async def test_a_page_that_is_offline_still_has_its_routes(page: Page, site: Site) -> None:
    data(site)
    await page.goto(site.html("/", ""))
    await page.context.set_offline(True)
    await page.route("**/data", lambda route: route.fulfill(body="routed"))
    assert (await page.evaluate(FETCHED))[1] == "routed"
    await page.route("**/data", lambda route: route.continue_())
    assert "Failed" in await page.evaluate(FETCHED)


async def test_a_handler_that_never_decides_ends_with_its_context(browser: Browser, site: Site) -> None:
    thinking, ended = asyncio.Event(), asyncio.Event()

    async def forever(route: Route) -> None:
        thinking.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async with await browser.new_context() as context:
        page = await context.new_page(site.html("/", ""))
        await page.route("**/data", forever)
        await page.evaluate("void fetch('/data').catch(() => 0)")
        await thinking.wait()
        await page.close()
    async with asyncio.timeout(10):
        await ended.wait()


# -- headers -------------------------------------------------------------------------------------


async def test_extra_headers_of_page_and_context(browser: Browser, site: Site) -> None:
    data(site)
    async with await browser.new_context(extra_headers={"x-a": "option", "x-b": "option"}) as context:
        page = await context.new_page(site.html("/", ""))
        await context.set_extra_http_headers({"X-B": "context", "x-c": "context"})
        await page.set_extra_http_headers({"x-c": "page"})
        sent = json.loads((await page.evaluate(FETCHED))[1])
        assert {name.lower(): sent[name] for name in sent if name.lower().startswith("x-")} == {
            "x-a": "option",
            "x-b": "context",
            "x-c": "page",
        }
        other = await context.new_page(site.url("/"))
        sent = json.loads((await other.evaluate(FETCHED))[1])
        assert sent["x-c"] == "context"
        await page.set_extra_http_headers({})
        assert json.loads((await page.evaluate(FETCHED))[1])["x-c"] == "context"
        with pytest.raises(OptionInvalid, match="not a valid header name"):
            await page.set_extra_http_headers({"a b": "c"})
        with pytest.raises(OptionInvalid, match="needs a string as its value"):
            await page.set_extra_http_headers({"a": 1})  # type: ignore[dict-item]


# -- scripts -------------------------------------------------------------------------------------


@OTHER_PROCESS
async def test_init_scripts_run_before_the_pages_own(page: Page, site: Site, tmp_path: Path, host: str) -> None:
    file = tmp_path / "init.js"
    file.write_text("window.steps = [...(window.steps ?? []), 'page']")
    await page.goto(site.html("/", ""))
    await page.context.add_init_script("window.steps = [...(window.steps ?? []), 'context']")
    await page.add_init_script(path=file)
    assert await page.evaluate("typeof steps") == "undefined"
    own = "<script>window.steps.push('own'); parent.postMessage(steps.join(), '*')</script>"
    site.html("/inner", own)
    frame = f"<iframe src='{site.url('/inner', host=host)}'></iframe>"
    body = f"<script>onmessage = e => document.title = e.data</script>{frame}"
    await page.goto(site.html("/two", own + body, title="none"))
    assert await page.evaluate("steps.join()") == "context,page,own"
    await page.settle()
    assert await page.title() == "context,page,own"
    other = await page.context.new_page(site.url("/two"))
    assert await other.evaluate("steps.join()") == "context,own"


async def test_a_script_is_text_or_a_file(page: Page) -> None:
    with pytest.raises(OptionInvalid, match="one of them"):
        await page.add_init_script()
    with pytest.raises(OptionInvalid, match="not JavaScript text"):
        await page.add_init_script(7)  # type: ignore[arg-type]


# -- functions -----------------------------------------------------------------------------------


@OTHER_PROCESS
async def test_pages_call_python_functions(page: Page, site: Site, host: str) -> None:
    async def add(first: int, second: int) -> dict[str, int]:
        await asyncio.sleep(0)
        return {"sum": first + second}

    await page.goto(site.html("/", ""))
    await page.expose_function("add", add)
    await page.expose_function("shout", str.upper)
    assert await page.evaluate("add(1, 2)") == {"sum": 3}
    assert await page.evaluate("Promise.all([shout('a'), shout('b')])") == ["A", "B"]
    early = "<script>shout('early').then(t => parent.postMessage(t, '*'))</script>"
    site.html("/inner", early)
    frame = f"<iframe src='{site.url('/inner', host=host)}'></iframe>"
    body = f"<script>onmessage = e => document.title += e.data</script>{frame}"
    await page.goto(site.html("/two", body))
    assert await page.evaluate("shout('c')") == "C"
    await page.evaluate(
        "new Promise(done => { const look = () => document.title ? done() : setTimeout(look, 10); look() })"
    )
    assert await page.title() == "EARLY"


async def test_errors_of_functions_reject_the_promise(browser: Browser, site: Site) -> None:
    def fail(text: str) -> None:
        raise ValueError(f"no {text} with lantern-in-the-dark")

    async with await browser.new_context(secrets={"key": "lantern-in-the-dark"}) as context:
        page = await context.new_page(site.html("/", ""))
        await page.expose_function("fail", fail)
        await page.expose_function("odd", lambda: object())
        rejected = await page.evaluate("fail('way').catch(e => [e instanceof Error, e.message])")
        assert rejected[0] is True
        assert rejected[1].startswith("ValueError: no way with ")
        assert "lantern" not in rejected[1]
        assert (await page.evaluate("odd().catch(e => e.message)")).startswith("TypeError")
        assert "TypeError" in await page.evaluate("fail().catch(e => e.message)")
        assert "circular" in await page.evaluate("{ const o = {}; o.o = o; fail(o).catch(e => e.message) }")


async def test_all_pages_of_a_context_call_a_function(browser: Browser, site: Site) -> None:
    async with await browser.new_context() as context:
        site.html("/new", "<script>shout('from the start').then(t => document.title = t)</script>")
        page = await context.new_page(site.html("/", "<a href=/new target=_blank>open"))
        await context.expose_function("shout", str.upper)
        assert await page.evaluate("shout('there')") == "THERE"
        later = await context.new_page(site.url("/new"))
        assert await later.title() == "FROM THE START"
        async with page.expect_popup() as opened:
            await page.click("a")
        assert await (await opened.value).evaluate("shout('popup')") == "POPUP"
        for name, said in (("shout", "already exposed"), ("a b", "not a JavaScript identifier")):
            with pytest.raises(OptionInvalid, match=said):
                await context.expose_function(name, len)
        with pytest.raises(OptionInvalid, match="is not callable"):
            await context.expose_function("two", 2)  # type: ignore[arg-type]
        await page.expose_function("mine", len)
        with pytest.raises(OptionInvalid, match="already exposed"):
            await context.expose_function("mine", len)


async def test_names_of_functions_are_checked(page: Page) -> None:
    await page.expose_function("one", len)
    for name, said in (
        ("one", "already exposed"),
        ("a b", "not a JavaScript identifier"),
        ("", "not a JavaScript identifier"),
    ):
        with pytest.raises(OptionInvalid, match=said):
            await page.expose_function(name, len)
    with pytest.raises(OptionInvalid, match="is not callable"):
        await page.expose_function("two", 2)  # type: ignore[arg-type]


# -- pages of a context --------------------------------------------------------------------------


async def test_a_context_tells_of_its_pages_and_its_end(browser: Browser, site: Site) -> None:
    pages: list[Page] = []
    ends: list[Any] = []
    context = await browser.new_context()
    both = asyncio.Event()

    def opened(page: Page) -> None:
        pages.append(page)
        if len(pages) == 2:
            both.set()

    remove = context.on("page", opened)
    context.on("close", ends.append)
    async with context.expect_page() as waiting:
        page = await context.new_page(site.html("/", "<a href=/ target=_blank>open"))
    assert await waiting is page
    async with context.expect_page() as waiting:
        await page.execute_sequence([{"action": "click_element", "selector": "a"}])
    popup = await waiting
    assert await popup.opener() is page
    async with asyncio.timeout(10):
        await both.wait()
    assert pages == [page, popup]
    remove()
    await context.close()
    assert ends == [context]
    with pytest.raises(OptionInvalid, match="did you mean 'page'"):
        context.on("pages", ends.append)  # type: ignore[arg-type]


# -- requests of routes ----------------------------------------------------------------------------


async def test_a_route_changes_the_real_answer(page: Page, site: Site) -> None:
    data(site)
    await page.goto(site.html("/", ""))

    async def change(route: Route) -> None:
        response = await route.fetch()
        await route.fulfill(response=response, json=await response.json() | {"added": True})

    await page.route("**/data", change)
    told = await page.evaluate("fetch('/data', {method: 'POST', body: new Blob(['hi'])}).then(r => r.json())")
    assert (told["added"], told["method"], told["body"]) == (True, "POST", "hi")

    async def elsewhere(route: Route) -> None:
        response = await route.fetch(url=site.url("/data"), method="PUT", headers={"X-Own": "1"}, post_data="other")
        await route.fulfill(response=response, status=201)

    await page.route("**/other", elsewhere)
    status, told = await page.evaluate("fetch('/other').then(async r => [r.status, await r.json()])")
    assert (status, told["method"], told["body"], told["x-own"]) == (201, "PUT", "other", "1")
    assert "Accept-Language" not in told


async def test_a_route_may_be_for_some_requests_only(page: Page, site: Site) -> None:
    data(site)
    await page.goto(site.html("/", ""))
    await page.route("**/data", lambda route: route.fulfill(body="mine"), times=2)
    three = "Promise.all([1, 2, 3].map(() => fetch('/data').then(r => r.text())))"
    for mine in (2, 0):
        assert [text == "mine" for text in await page.evaluate(three)].count(True) == mine
    with pytest.raises(OptionInvalid, match="no route"):
        await page.unroute("**/data")
    with pytest.raises(OptionInvalid, match="1 or more"):
        await page.route("**/data", lambda route: route.abort(), times=0)


async def test_what_falls_back_may_be_changed(page: Page, site: Site) -> None:
    data(site)
    await page.goto(site.html("/", ""))
    seen: list[tuple[str, str | None, str | None]] = []

    async def last(route: Route) -> None:
        seen.append((route.request.method, route.request.post_data, route.request.headers.get("x-own")))
        await route.continue_(method="PATCH")

    await page.context.route("**/data", last)
    await page.route("**/data", lambda route: route.fallback(method="PUT", post_data="two"))
    await page.route("**/data", lambda route: route.fallback(headers={"X-Own": "1"}, post_data="one"))
    told = await page.evaluate("fetch('/data', {method: 'POST', body: 'zero'}).then(r => r.json())")
    assert seen == [("PUT", "two", "1")]
    assert (told["method"], told["body"], told["x-own"]) == ("PATCH", "two", "1")
    await page.context.unroute("**/data")
    told = await page.evaluate("fetch('/data', {method: 'POST', body: 'zero'}).then(r => r.json())")
    assert (told["method"], told["body"], told["x-own"]) == ("PUT", "two", "1")
    await page.unroute_all()
    told = await page.evaluate("fetch('/data', {method: 'POST', body: 'zero'}).then(r => r.json())")
    assert (told["method"], told["body"]) == ("POST", "zero")
