"""Requests and responses of a page as the network had them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from aiohttp import web
from cdp_support import Wired

from site_server import Site
from stillframe.api.browser import Browser, Page
from stillframe.errors import BodyGone, InputError
from stillframe.model.events import Request, RequestFailure
from stillframe.security.redaction import Redaction
from stillframe.tab.network import traffic
from stillframe.tab.network.responses import Response
from stillframe.tab.network.traffic import Traffic

NAMES: tuple[Any, ...] = ("request", "response", "requestfinished", "requestfailed")
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Heard:
    """The requests and responses of a page from now on, in their order."""

    def __init__(self, page: Page) -> None:
        self.news: list[tuple[str, Any]] = []
        for name in NAMES:
            page.on(name, lambda value, name=name: self.news.append((name, value)))

    @property
    def requests(self) -> list[Request]:
        return [value for name, value in self.news if name == "request" and not _is_icon(value)]

    @property
    def responses(self) -> list[Response]:
        return [value for name, value in self.news if name == "response" and not _is_icon(value)]

    def of(self, path: str) -> list[str]:
        """The names of the events of one path."""
        return [name for name, value in self.news if _url(value).partition("?")[0].endswith(path)]


def _is_icon(value: Request | Response) -> bool:
    """Whether the browser asks by itself, which chrome-headless-shell does not."""
    return value.url.endswith("/favicon.ico")


def _url(value: Request | Response | RequestFailure) -> str:
    return value.request.url if isinstance(value, RequestFailure) else value.url


def answering(status: int = 200, text: str = "", **headers: str | list[str]) -> Handler:
    """Return a handler that answers always the same; a list is one header per value."""
    lists = {name: [values] if isinstance(values, str) else values for name, values in headers.items()}
    pairs = [(name.replace("_", "-"), value) for name, values in lists.items() for value in values]

    async def handler(_: web.Request) -> web.Response:
        return web.Response(status=status, text=text, headers=pairs, content_type="text/html")

    return handler


async def test_headers_are_those_on_the_wire(page: Page, site: Site) -> None:
    both = {"Set_Cookie": ["a=1", "b=2"], "X_List": ["1", "2"]}
    site.route("/first", answering(302, Location="/told", Set_Cookie=["first=1", "second=2"]))
    site.route("/told", answering(**both))
    heard = Heard(page)
    await page.goto(site.url("/first#part"))
    assert page.response_headers["set-cookie"] == "a=1\nb=2"
    assert [request.url for request in heard.requests] == [site.url("/first"), site.url("/told")]
    assert [request.headers.get("cookie") for request in heard.requests] == [None, "first=1; second=2"]
    assert [each.headers["set-cookie"] for each in heard.responses] == ["first=1\nsecond=2", "a=1\nb=2"]
    assert heard.responses[1].headers["x-list"] == "1, 2"
    assert [response.request for response in heard.responses] == heard.requests
    with pytest.raises(InputError, match="no bodies of redirects"):
        await heard.responses[0].body()
    for script in ("fetch('/told')", worker("fetch('{origin}/told').then(() => postMessage(1))")):
        await page.evaluate(script)
        sent = heard.requests[-1]
        assert {"accept", "accept-encoding", "cookie", "sec-fetch-mode", "user-agent"} <= sent.headers.keys()
        assert (sent.url, sent.headers["sec-fetch-mode"]) == (site.url("/told"), "cors")
        assert heard.responses[-1].headers["set-cookie"] == "a=1\nb=2"


def worker(script: str) -> str:
    """Return an expression that runs a script in a worker and waits for its first message."""
    source = script.replace("{origin}", "${location.origin}")
    return f"new Promise(done => new Worker(URL.createObjectURL(new Blob([`{source}`]))).onmessage = done)"


async def test_what_never_went_over_the_wire_is_reported_as_well(page: Page, site: Site) -> None:
    site.route("/old", answering(text="old", Cache_Control="max-age=99", Set_Cookie="a=1"))
    await page.goto(site.html("/", ""))
    await page.evaluate("fetch('/old').then(r => r.text())")
    heard = Heard(page)
    await page.evaluate("fetch('/old').then(r => r.text())")
    await page.route("**/made", lambda route: route.fulfill(body="made", headers={"X-Own": "1"}))
    await page.evaluate("fetch('/made').then(r => r.text())")
    await page.cdp_session.drain_events()
    assert [name for name, _ in heard.news] == ["request", "response", "requestfinished"] * 2
    assert [(r.from_cache, r.headers.get("x-own")) for r in heard.responses] == [(True, None), (False, "1")]


async def test_a_service_worker_answers_without_requests_of_its_own(page: Page, site: Site) -> None:
    site.route(
        "/worker.js", script("onfetch = e => e.respondWith(fetch(e.request)); onactivate = () => clients.claim()")
    )
    site.route("/data", answering(text="data"))
    await page.goto(site.html("/", ""))
    await page.evaluate("""new Promise(async done => {
        navigator.serviceWorker.oncontrollerchange = done
        await navigator.serviceWorker.register('/worker.js')
    })""")
    heard = Heard(page)
    async with page.expect_response("**/data") as waiting:
        await page.evaluate("fetch('/data').then(r => r.text())")
    assert (await waiting).from_service_worker
    assert await (await waiting).text() == "data"
    await page.cdp_session.drain_events()
    assert heard.of("/data") == ["request", "response", "requestfinished"]


def script(text: str) -> Handler:
    async def handler(_: web.Request) -> web.Response:
        return web.Response(text=text, content_type="text/javascript")

    return handler


async def test_requests_are_what_the_page_asks_a_server_for(page: Page, site: Site) -> None:
    allowed = {"Access_Control_Allow_Origin": "*", "Access_Control_Allow_Headers": "x-own"}
    site.route("/data", answering(**allowed))
    await page.goto(site.html("/", ""))
    heard = Heard(page)
    await page.evaluate(
        f"fetch('{site.url('/data', host='localhost')}', {{headers: {{'x-own': '1'}}}}).then(r => r.text())"
    )
    await page.evaluate("fetch('data:text/plain,x').then(r => r.text())")
    await page.goto("data:text/html,<p>x")
    assert [request.method for request in heard.requests] == ["GET"]
    assert heard.requests[0].headers["x-own"] == "1"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("new Blob(['in a blob'])", "in a blob"),
        ("new Blob(['x'.repeat(200000)])", "x" * 200_000),
        (
            "(form => form.append('a', new File(['of a file'], 'a.txt')) ?? form)(new FormData())",
            "of a file",
        ),
    ],
)
async def test_bodies_that_chrome_reports_only_when_asked(page: Page, site: Site, body: str, text: str) -> None:
    await page.goto(site.html("/", ""))
    heard = Heard(page)
    async with page.expect_request("**/") as waiting:
        await page.evaluate(f"fetch('/', {{method: 'POST', body: {body}}}).then(r => r.text())")
    assert text in ((await waiting).post_data or "")
    assert await heard.responses[0].body()
    assert heard.of("/") == ["request", "response", "requestfinished"]


@pytest.mark.parametrize(("status", "method"), [(204, "GET"), (205, "GET"), (304, "GET"), (200, "HEAD"), (404, "PUT")])
async def test_a_response_without_a_body_that_nothing_reads_is_complete(
    page: Page, site: Site, status: int, method: str
) -> None:
    site.route("/empty", answering(status))
    await page.goto(site.html("/", ""))
    heard = Heard(page)
    await page.evaluate(f"fetch('/empty', {{method: '{method}'}}).then(r => r.status)")
    assert await heard.responses[0].body() == b""
    assert heard.of("/empty") == ["request", "response", "requestfinished"]


async def test_a_document_of_another_process_has_an_end_and_a_body(page: Page, site: Site) -> None:
    inner = site.html("/inner", "<p>inner").replace("127.0.0.1", "localhost")
    heard = Heard(page)
    await page.goto(site.html("/", f"<iframe src='{inner}'></iframe>"))
    [response] = [each for each in heard.responses if each.url == inner]
    assert "<p>inner" in await response.text()
    assert heard.of("/inner") == ["request", "response", "requestfinished"]
    outer = heard.responses[0]
    await page.goto("about:blank")
    with pytest.raises(BodyGone, match="no longer has the body of http"):
        await outer.body()


@pytest.mark.every_row
@pytest.mark.parametrize("how", ["navigated", "removed"])
async def test_a_body_that_no_script_reads_goes_with_its_document(page: Page, site: Site, how: str) -> None:
    site.html("/inner", "<script>fetch('/gate/answer').then(() => parent.postMessage('came', '*'))</script>")
    leaves = {"navigated": "inner.src = 'about:blank'", "removed": "inner.remove()"}[how]
    site.html("/outer", f"<iframe id=inner src=/inner></iframe><script>onmessage = () => {{ {leaves} }}</script>")
    async with page.expect_response("**/gate/answer") as coming:
        await page.goto(site.url("/outer"))
        site.open("answer")
    with pytest.raises(BodyGone, match="/gate/answer: the page has left the document that asked for it"):
        await (await coming).body()


async def test_a_fulfilled_body_is_kept_where_chrome_throws_it_away(page: Page, site: Site) -> None:
    await page.goto(site.html("/", ""))
    await page.route("**/a.css", lambda route: route.fulfill(status=404, body="none", content_type="text/css"))
    heard = Heard(page)
    await page.evaluate("""new Promise(done => {
        const link = document.createElement('link')
        document.head.append(Object.assign(link, {rel: 'stylesheet', href: '/a.css', onerror: () => done()}))
    })""")
    assert await heard.responses[0].text() == "none"


async def test_secrets_are_in_no_header(browser: Browser, site: Site) -> None:
    site.route("/in", answering(Set_Cookie="key=lantern-in-the-dark"))
    async with await browser.new_context(secrets={"key": "lantern-in-the-dark"}) as context:
        page = await context.new_page()
        heard = Heard(page)
        await page.goto(site.url("/in"))
        await page.goto(site.url("/in?lantern-in-the-dark"))
        assert "cookie" in heard.requests[-1].headers
        assert len(heard.responses) == 2
        assert "lantern" not in repr((heard.news, page.response_headers))


# -- the order of events ---------------------------------------------------------------------------


HEADERS: dict[str, Any] = {"url": "http://a/", "headers": {"X-Planned": "1"}}
REQUEST = HEADERS | {"method": "GET", "initialPriority": "High", "referrerPolicy": "origin"}
RESPONSE = HEADERS | {"status": 302, "statusText": "", "mimeType": "", "charset": "", "securityState": "neutral"}
RESPONSE |= {"connectionReused": False, "connectionId": 0, "encodedDataLength": 0}
COMMON: dict[str, Any] = {
    "requestId": "1",
    "loaderId": "",
    "documentURL": "",
    "timestamp": 0,
    "wallTime": 0,
    "type": "Fetch",
}
EVENTS: dict[str, tuple[str, dict[str, Any]]] = {
    "request": ("requestWillBeSent", {"request": REQUEST, "initiator": {"type": "script"}}),
    "sent": ("requestWillBeSentExtraInfo", {"headers": {"X-Sent": "1", ":path": "/"}, "associatedCookies": []}),
    "response": ("responseReceived", {"response": RESPONSE, "hasExtraInfo": True}),
    "no wire": ("responseReceived", {"response": RESPONSE, "hasExtraInfo": False}),
    "received": (
        "responseReceivedExtraInfo",
        {"headers": {"X-Received": "1"}, "blockedCookies": [], "statusCode": 302},
    ),
    "confirmed": (
        "responseReceivedExtraInfo",
        {"headers": {"Set-Cookie": "a"}, "blockedCookies": [], "statusCode": 304},
    ),
    "finished": ("loadingFinished", {"encodedDataLength": 0}),
    "failed": ("loadingFailed", {"errorText": "net::ERR_FAILED"}),
}
EVENTS["redirect"] = (
    EVENTS["request"][0],
    EVENTS["request"][1] | {"redirectResponse": RESPONSE, "redirectHasExtraInfo": True},
)
EVENTS["upgrade"] = (EVENTS["request"][0], EVENTS["redirect"][1] | {"redirectHasExtraInfo": False})


@pytest.mark.parametrize(
    ("events", "told", "sent", "received"),
    [
        ("request sent received response finished", "request response requestfinished", "sent", "received"),
        ("sent request received response finished", "request response requestfinished", "sent", "received"),
        ("sent received request response finished", "request response requestfinished", "sent", "received"),
        ("request response finished sent received", "request response requestfinished", "sent", "received"),
        ("request sent response finished", "request", "sent", ""),
        ("request no-wire finished", "request response requestfinished", "planned", "planned"),
        ("request sent confirmed response", "request response", "sent", "planned set-cookie"),
        ("request sent failed", "request requestfailed", "sent", ""),
        (
            "request sent received redirect sent received response",
            "request response requestfinished request response",
            "sent sent",
            "received received",
        ),
        ("request redirect sent", "request", "sent planned", ""),
        (
            "request sent upgrade",
            "request response requestfinished request",
            "planned sent",
            "planned",
        ),
    ],
)
async def test_what_went_over_the_wire_comes_in_any_order(
    wired: Wired, events: str, told: str, sent: str, received: str
) -> None:
    session = await wired.session()
    news: list[tuple[str, Any]] = []
    tracked = Traffic(lambda: [session], Redaction(), lambda name, value: news.append((name, value)), {})
    tracked.start()
    for event in events.split():
        method, params = EVENTS[event.replace("-", " ")]
        wired.peer.emit(f"Network.{method}", COMMON | params, session_id="S")
    await session.drain_events()
    assert [name for name, _ in news] == told.split()
    hops = [hop for exchange in tracked._open.values() for hop in exchange.hops]
    requests = [hop.request for hop in hops] or [value for name, value in news if name == "request"]
    assert [" ".join(request.headers).replace("x-", "") for request in requests] == sent.split()
    responses = [value for name, value in news if name == "response"]
    assert " ".join(" ".join(response.headers) for response in responses).replace("x-", "") == received


async def test_announced_headers_that_never_come_are_not_waited_for(
    wired: Wired, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(traffic, "WIRE_S", 0)
    session = await wired.session()
    news: list[str] = []
    tracked = Traffic(lambda: [session], Redaction(), lambda name, _: news.append(name), {})
    tracked.start()
    for event in ("request", "response", "finished"):
        wired.peer.emit(f"Network.{EVENTS[event][0]}", COMMON | EVENTS[event][1], session_id="S")
    await session.drain_events()
    await session.drain_events()
    assert news == ["request", "response", "requestfinished"]
    assert not tracked._open


async def test_a_request_knows_its_response_and_its_redirects(page: Page, site: Site) -> None:
    site.route("/first", answering(302, Location="/told", Set_Cookie=["first=1"]))
    site.route("/told", answering(X_List=["1", "2"], Set_Cookie=["a=1", "b=2"], text="four"))
    await page.goto(site.html("/", ""))
    async with page.expect_response("**/told") as told:
        await page.evaluate("void fetch('/first', {method: 'POST', body: '{\"a\": 1}'})")
    response = await told.value
    request, first = response.request, response.request.redirected_from
    assert first is not None
    assert (first.redirected_to, first.redirected_from, request.redirected_to) == (request, None, None)
    assert (await first.response()).status == 302
    assert await request.response() is response
    assert (first.post_data_json, first.post_data_buffer, request.post_data_buffer) == ({"a": 1}, b'{"a": 1}', None)
    assert request.frame == response.frame == page.main_frame
    assert request.page is response.page is page
    assert await response.finished() is None
    assert await response.header_values("x-list") == ["1", "2"]
    assert await response.header_values("SET-COOKIE") == ["a=1", "b=2"]
    assert await response.header_value("X-List") == "1, 2"
    assert {"name": "X-List", "value": "2"} in await response.headers_array()
    assert (await response.all_headers())["set-cookie"] == "a=1\nb=2"
    assert await response.server_addr() == {"ipAddress": "127.0.0.1", "port": site.port}
    assert await response.security_details() is None
    assert await response.http_version() == "HTTP/1.1"
    assert await request.header_value("Cookie") == "first=1"
    assert "Cookie" in [row["name"] for row in await request.headers_array()]
    sizes = await request.sizes()
    assert (sizes["responseBodySize"], sizes["requestBodySize"]) == (4, 0)
    assert sizes["responseHeadersSize"] > 100
    assert sizes["requestHeadersSize"] > 100
    assert (await first.sizes())["requestBodySize"] == 8
    times = request.timing
    assert 1.6e12 < times["startTime"] < 4e12
    assert 0 <= times["requestStart"] <= times["responseStart"] <= times["responseEnd"]


async def test_a_request_that_fails_has_no_response(page: Page, site: Site) -> None:
    await page.goto(site.html("/", ""))
    async with page.expect_event("requestfailed") as failed:
        await page.evaluate("void fetch('http://127.0.0.1:1/').catch(() => 0)")
    failure = await failed.value
    assert failure.failure == failure.request.failure == "net::ERR_UNSAFE_PORT" or failure.failure.startswith("net::")
    assert failure.url == "http://127.0.0.1:1/"
    assert await failure.request.response() is None
    assert failure.request.timing["responseEnd"] == -1


async def test_what_a_form_posts_is_a_dict(page: Page, site: Site) -> None:
    await page.goto(site.html("/", ""))
    async with page.expect_request("**/form") as asked:
        await page.evaluate("void fetch('/form', {method: 'POST', body: new URLSearchParams({a: '1 2', b: ''})})")
    request = await asked.value
    assert request.post_data_json == {"a": "1 2", "b": ""}
    async with page.expect_request("**/text") as asked:
        await page.evaluate("void fetch('/text', {method: 'POST', body: 'no json'})")
    with pytest.raises(ValueError, match="Expecting value"):
        (await asked.value).post_data_json  # noqa: B018
    assert (await asked.value).redirected_from is None
