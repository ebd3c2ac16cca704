"""What routes answer, what goes on to the server, and what becomes of redirects and caches."""

from __future__ import annotations

from typing import Any

import pytest
from aiohttp import web

from site_server import Site
from stillframe.api.browser import Browser, Page
from stillframe.cdp_types import network
from stillframe.errors import OptionInvalid
from stillframe.tab.network.route_headers import HeaderChanges, header_pairs, sent_headers
from stillframe.tab.network.routing import Route

ECHO = "fetch('{}').then(r => r.json(), e => String(e))"


def echo(site: Site, path: str = "/echo") -> None:
    """Answer with the headers of the request, and let every site read them that says who it is."""

    async def handler(request: web.Request) -> web.Response:
        headers = {
            "Access-Control-Allow-Origin": request.headers.get("Origin", "*"),
            "Access-Control-Allow-Headers": "x-own",
        }
        return web.json_response({name.lower(): value for name, value in request.headers.items()}, headers=headers)

    site.route(path, handler)


def redirect(site: Site, path: str, to: str) -> None:
    async def handler(_: web.Request) -> web.Response:
        return web.Response(status=302, headers={"Location": to, "Access-Control-Allow-Origin": "*"})

    site.route(path, handler)


# -- answers -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "text"), [(418, "I'm a Teapot"), (430, "Unknown"), (299, "Unknown"), (999, "Unknown")]
)
async def test_every_status_can_be_answered(page: Page, site: Site, status: int, text: str) -> None:
    await page.goto(site.html("/", ""))
    await page.route("**/made", lambda route: route.fulfill(status=status, body="made"))
    answer = await page.evaluate("fetch('/made').then(async r => [r.status, r.statusText, await r.text()])")
    assert (answer[0], answer[1].lower(), answer[2]) == (status, text.lower(), "made")
    assert "/made" not in site.requests


@pytest.mark.parametrize(
    "headers", [{"Set-Cookie": "a=1\nb=2; path=/"}, [("Set-Cookie", "a=1"), ("set-cookie", "b=2")]]
)
async def test_an_answer_sets_several_cookies(page: Page, site: Site, headers: Any) -> None:
    await page.goto(site.html("/", ""))
    await page.route("**/made", lambda route: route.fulfill(headers=headers))
    async with page.expect_response("**/made") as waiting:
        await page.evaluate("fetch('/made')")
    assert await page.evaluate("document.cookie") == "a=1; b=2"
    assert (await waiting).headers["set-cookie"].splitlines()[0] == "a=1"


@pytest.mark.parametrize("headers", [7, ["ab"], [("a", "b", "c")], {"x": "a\nb"}, [("a b", "c")]])
def test_headers_that_cannot_be_sent_are_an_error(headers: Any) -> None:
    if headers == ["ab"]:
        assert header_pairs(headers) == [("a", "b")]
        return
    with pytest.raises(OptionInvalid):
        header_pairs(headers)


@pytest.mark.parametrize("document", ["", "<iframe sandbox=allow-scripts srcdoc=x></iframe>"])
async def test_a_document_without_an_origin_can_read_answers(page: Page, site: Site, document: str) -> None:
    await page.goto(site.html("/", document) if document else "data:text/html,x")
    await page.route("**/made", lambda route: route.fulfill(body="made"))
    ask = f"fetch('{site.url('/made')}', {{headers: {{'x-own': '1'}}}}).then(r => r.text(), e => String(e))"
    assert await page.frames[-1].evaluate(ask) == "made"


# -- what goes on --------------------------------------------------------------------------------


async def test_a_request_goes_on_with_the_cookies_of_that_moment(page: Page, site: Site) -> None:
    echo(site)
    await page.goto(site.html("/", ""))
    await page.evaluate("document.cookie = 'early=1'")

    async def late(route: Route) -> None:
        await page.evaluate("document.cookie = 'late=1'")
        await route.continue_(headers={**route.request.headers, "cookie": "mine=1", "x-own": "1"})

    await page.route("**/echo", late)
    sent = await page.evaluate(ECHO.format("/echo"))
    assert (sent["cookie"], sent["x-own"]) == ("early=1; late=1", "1")


async def test_a_request_to_another_site_keeps_its_origin(page: Page, site: Site) -> None:
    echo(site)
    await page.goto(site.html("/", ""))
    await page.route("**/echo", lambda route: route.continue_(headers={"x-own": "1"}))
    sent = await page.evaluate(ECHO.format(site.url("/echo", host="localhost")))
    assert (sent["origin"], sent["x-own"]) == (site.url("").rstrip("/"), "1")
    assert "sec-ch-ua" not in sent


@pytest.mark.parametrize(("host", "pattern"), [("127.0.0.1", "**/first"), ("localhost", "**/*")])
@pytest.mark.every_row  # the pattern of the one does not match where it is redirected
async def test_changed_headers_go_on_to_redirects_that_come_to_no_route_again(
    page: Page, site: Site, host: str, pattern: str
) -> None:
    echo(site)
    redirect(site, "/first", "/second")
    redirect(site, "/second", site.url("/echo", host=host))
    await page.goto(site.html("/", ""))
    asked: list[str] = []

    async def change(route: Route) -> None:
        asked.append(route.request.url)
        headers = {name: value for name, value in route.request.headers.items() if name != "accept"}
        await route.continue_(headers={**headers, "x-own": "1", "authorization": "Bearer x"})

    await page.route(pattern, change)
    sent = await page.evaluate(ECHO.format("/first"))
    assert asked == [site.url("/first")]
    assert (sent["x-own"], sent.get("accept")) == ("1", None)
    assert sent.get("authorization") == ("Bearer x" if host == "127.0.0.1" else None)


async def test_a_redirect_comes_to_routes_that_have_not_decided_yet(page: Page, site: Site) -> None:
    redirect(site, "/first", "/second")
    await page.goto(site.html("/", ""))
    await page.route("**/second", lambda route: route.fulfill(body="second"))
    await page.route("**/first", lambda route: route.continue_(headers={"x-own": "1"}))
    assert await page.evaluate("fetch('/first').then(r => r.text())") == "second"
    answers = {"/one": {"status": 302, "headers": {"Location": "/two"}}, "/two": {"body": "two"}}
    await page.route("**/*", lambda route: route.fulfill(**answers[route.request.url[len(site.url("")) - 1 :]]))
    assert await page.evaluate("fetch('/one').then(r => r.text())") == "two"


def test_what_changes_in_a_redirect_is_what_the_route_has_changed() -> None:
    def request(url: str, **headers: str) -> network.Request:
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        return network.Request(url=url, method="GET", headers=given, initial_priority="High", referrer_policy="origin")

    asked = request("http://a/", Accept="*/*", Content_Type="text/plain", Cookie="a=1")
    sent = sent_headers(asked, header_pairs({"content-type": "text/plain", "authorization": "x", "host": "b"}))
    changes = HeaderChanges()
    assert changes.applied(asked) is None
    changes.note(asked, sent)

    def applied(url: str) -> dict[str, str]:
        found = changes.applied(request(url, Accept="*/*", Cookie="a=2", X_Hop="1"))
        return {entry.name: entry.value for entry in found or ()}

    assert applied("http://a/next") == {"x-hop": "1", "authorization": "x", "host": "b"}
    assert applied("http://b/") == {"x-hop": "1"}
    assert applied("http://a/again") == {"x-hop": "1"}


# -- caches --------------------------------------------------------------------------------------


async def test_no_cache_answers_while_there_is_a_route(chrome_browser: Browser, site: Site) -> None:
    # chrome-headless-shell keeps no documents that were left.
    async def handler(request: web.Request) -> web.Response:
        headers = {"Cache-Control": "max-age=99"}
        return web.Response(
            text="<svg xmlns='http://www.w3.org/2000/svg'/>", content_type="image/svg+xml", headers=headers
        )

    for path in ("/old", "/old.svg"):
        site.route(path, handler)
    shown = "<script>addEventListener('pageshow', e => document.title = e.persisted)</script>"
    load = """Promise.all([
        fetch('/old').then(r => r.text()),
        new Promise(done => Object.assign(new Image(), {onload: () => done(), src: '/old.svg'}))])"""

    async def came() -> list[object]:
        """Return how often the server was asked, and whether the document came back as it was."""
        site.requests.clear()
        await page.evaluate(f"{load}.then(() => 0)")
        await page.goto(site.url("/two"))
        await page.go_back()
        return [site.requests.count("/old"), site.requests.count("/old.svg"), await page.title()]

    site.html("/two", "")
    page = await chrome_browser.new_page(site.html("/", shown))
    await came()
    route = lambda route: route.continue_()  # noqa: E731
    await page.route("**/none", route, use_cache=True)
    assert await came() == [0, 0, "true"]
    await page.route("**/none", route)
    assert await came() == [1, 1, "false"]
    await page.unroute("**/none")
    await page.reload()
    assert await came() == [0, 0, "true"]
    await page.close()
