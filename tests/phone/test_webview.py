"""A facade in front of a real Chromium behaves like the DevTools socket of a WebView, also when it ends."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

import stillframe
from launched import chrome_itself
from site_server import Site
from stillframe.api.browser import Browser
from stillframe_phone.webview import WebViewFacade

pytestmark = pytest.mark.browser

LIMIT_S = 10.0
PAGE = "data:text/html,<title>a <b></title><p>text"


@pytest.fixture(scope="module")
async def chromium() -> AsyncIterator[Browser]:
    with chrome_itself():  # a WebView has the version of Chrome, and shows pages before they have loaded
        chrome = await stillframe.launch(port=0)
    async with chrome:
        yield chrome


@pytest.fixture
def shared_parts(chromium: Browser, site_server: Site) -> None:
    """Start the browser first, so that it is not taken for a leak of the first test."""


@pytest.fixture
def endpoint(chromium: Browser) -> str:
    assert chromium.info.endpoint is not None
    return chromium.info.endpoint


@pytest.fixture
async def facade(endpoint: str) -> AsyncIterator[WebViewFacade]:
    async with WebViewFacade(endpoint) as facade:
        yield facade


class Client:
    """A client of the protocol that keeps the order of what arrives."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.events: list[dict[str, Any]] = []
        self._ids = 0

    async def send(self, method: str, session: str | None = None, **params: Any) -> int:
        self._ids += 1
        tail = {"sessionId": session} if session else {}
        await self.socket.send(json.dumps({"id": self._ids, "method": method, "params": params, **tail}))
        return self._ids

    async def receive(self) -> dict[str, Any]:
        async with asyncio.timeout(LIMIT_S):
            message: dict[str, Any] = json.loads(await self.socket.recv())
        return message

    async def reply(self, number: int) -> dict[str, Any]:
        while True:
            message = await self.receive()
            if message.get("id") == number:
                return message
            self.events.append(message)

    async def call(self, method: str, session: str | None = None, **params: Any) -> Any:
        """Return the result; an error as `(code, message)`."""
        message = await self.reply(await self.send(method, session, **params))
        if "error" in message:
            return message["error"]["code"], message["error"]["message"]
        return message["result"]

    async def until(self, method: str) -> dict[str, Any]:
        """Return the first event of a name, also one that has arrived."""
        while True:
            for event in self.events:
                if event["method"] == method:
                    self.events.remove(event)
                    return event
            self.events.append(await self.receive())

    async def evaluate(self, expression: str) -> Any:
        found = await self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        return found["result"].get("value")


@asynccontextmanager
async def client(facade: WebViewFacade, path: str) -> AsyncIterator[Client]:
    url = f"ws://127.0.0.1:{facade.port}{path}"
    async with connect(url, max_size=None, compression=None, ping_interval=None, proxy=None) as socket:
        yield Client(socket)


def page_client(facade: WebViewFacade, target_id: str) -> Any:
    return client(facade, f"/devtools/page/{target_id}")


async def request(facade: WebViewFacade, line: str, *headers: str) -> tuple[int, Any]:
    """Send one request and return status and body, by its length: the connection stays open."""
    reader, writer = await asyncio.open_connection("127.0.0.1", facade.port)
    try:
        lines = [f"{line} HTTP/1.1", *(headers or (f"Host: 127.0.0.1:{facade.port}",)), "", ""]
        writer.write("\r\n".join(lines).encode())
        async with asyncio.timeout(LIMIT_S):
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            length = next(
                int(each.partition(":")[2]) for each in head.split("\r\n") if each.startswith("Content-Length")
            )
            body = (await reader.readexactly(length)).decode()
    finally:
        writer.close()
        await writer.wait_closed()
    return int(head.split(" ")[1]), json.loads(body) if "application/json" in head and body[:1] in "[{" else body


# -- HTTP


async def test_the_version_is_that_of_an_app(endpoint: str) -> None:
    async with WebViewFacade(endpoint, milestone=74, package="com.shop") as facade:
        status, answer = await request(facade, "GET /json/version", "Host: localhost:99")
    assert status == 200
    assert answer["Android-Package"] == "com.shop"
    assert answer["Browser"] == "Chrome/74.0.3729.185"
    assert "; wv)" in answer["User-Agent"]
    assert "Chrome/74.0.3729.185" in answer["User-Agent"]
    assert answer["webSocketDebuggerUrl"] == "ws://localhost:99/devtools/browser"


async def test_a_modern_one_has_the_version_of_the_real_browser(endpoint: str, chromium: Browser) -> None:
    async with WebViewFacade(endpoint, kind="chrome", package="") as facade:
        _, answer = await request(facade, "GET /json/version")
    assert "Android-Package" not in answer
    assert answer["Browser"] == chromium.info.product


async def test_pages_are_listed_with_their_views(facade: WebViewFacade) -> None:
    target_id = await facade.open_page(PAGE, screen_y=100)
    async with page_client(facade, target_id) as page:
        assert await page.evaluate("document.title") == "a <b>"
    for path in ("/json", "/json/list", "/json/", "/json/list?t=1"):
        status, (row,) = await request(facade, f"GET {path}", "Host: 127.0.0.1:5")
        assert status == 200
        assert (row["id"], row["type"], row["title"]) == (target_id, "page", "a &lt;b&gt;")
        assert row["webSocketDebuggerUrl"] == f"ws://127.0.0.1:5/devtools/page/{target_id}"
        assert json.loads(row["description"])["screenY"] == 100


async def test_a_page_may_be_opened_without_waiting_for_it(facade: WebViewFacade, site: Site) -> None:
    target_id = await facade.open_page(site.url("/gate/page"), wait=False)
    async with page_client(facade, target_id) as page:
        await page.call("Page.enable")
        site.open("page")
        await page.until("Page.loadEventFired")
        assert await page.evaluate("document.body.innerText") == "open"


async def test_each_app_shows_its_own_pages(facade: WebViewFacade, endpoint: str, chromium: Browser) -> None:
    await facade.open_page()
    async with WebViewFacade(endpoint, kind="chrome") as other, await chromium.new_page() as page:
        mine = await other.open_page("data:text/html,tab")
        _, (row,) = await request(other, "GET /json/list")
        assert (row["id"], row["description"]) == (mine, "")
        await page.evaluate("0")
        assert len((await request(facade, "GET /json"))[1]) == 1


async def test_a_page_of_another_context_can_be_shown(facade: WebViewFacade, endpoint: str) -> None:
    async with WebViewFacade(endpoint) as other:
        target_id = await other.open_page()
        facade.show(target_id, width=5)
        _, (row,) = await request(facade, "GET /json")
        assert json.loads(row["description"])["width"] == 5
        async with page_client(facade, target_id) as page:
            assert await page.evaluate("1") == 1


@pytest.mark.parametrize(
    ("line", "status", "text"),
    [
        ("PUT /json/new?about:blank", 500, "Could not create new page"),
        ("GET /json/new", 405, "Using unsafe HTTP verb GET to invoke /json/new. This action supports only PUT verb."),
        ("GET /json/protocol", 404, "Unknown command: protocol"),
        ("GET /json/activate/none", 404, "No such target id: none"),
        ("GET /json/close/none", 404, "No such target id: none"),
        ("GET /", 404, ""),
    ],
)
async def test_what_a_webview_does_not_do_over_http(facade: WebViewFacade, line: str, status: int, text: str) -> None:
    assert await request(facade, line) == (status, text)


async def test_chrome_opens_activates_and_closes_tabs_over_http(endpoint: str) -> None:
    async with WebViewFacade(endpoint, kind="chrome") as facade:
        status, row = await request(facade, "PUT /json/new?data:text/html,new")
        assert (status, row["url"]) == (200, "data:text/html,new")
        assert await request(facade, f"GET /json/activate/{row['id']}") == (200, "Target activated")
        assert await request(facade, f"GET /json/close/{row['id']}") == (200, "Target is closing")


async def test_bad_hosts_are_refused(facade: WebViewFacade) -> None:
    text = "Host header is specified and is not an IP address or localhost."
    assert await request(facade, "GET /json", "Host: example.com") == (500, text)


async def test_several_requests_go_over_one_connection(facade: WebViewFacade) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", facade.port)
    for _ in range(3):
        writer.write(b"GET /none HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 404")
    writer.close()
    await writer.wait_closed()


@pytest.mark.parametrize("data", [b"\r\n\r\n", b"nonsense\r\n\r\n", b"x" * 200_000, b"GET / HTTP/2\r\n\r\n"])
async def test_what_is_not_http_ends_the_connection(facade: WebViewFacade, data: bytes) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", facade.port)
    writer.write(data)
    async with asyncio.timeout(LIMIT_S):
        with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
            await reader.readexactly(1)
    writer.close()


# -- WebSockets


async def test_an_unknown_target_an_origin_and_a_bad_path_are_refused(facade: WebViewFacade) -> None:
    target_id = await facade.open_page()
    for path, headers, status in (
        ("/devtools/page/none", {}, 500),
        ("/devtools/nothing", {}, 404),
        (f"/devtools/page/{target_id}", {"Origin": "http://x"}, 403),
    ):
        with pytest.raises(InvalidStatus) as failure:
            await connect(f"ws://127.0.0.1:{facade.port}{path}", additional_headers=headers, proxy=None)
        assert failure.value.response.status_code == status
    assert failure.value.response.body.startswith(b"Rejected an incoming WebSocket connection from the http://x")


async def test_an_old_webview_has_the_protocol_of_its_time(endpoint: str) -> None:
    async with (
        WebViewFacade(endpoint, milestone=74) as facade,
        page_client(facade, await facade.open_page(PAGE)) as page,
    ):
        found = await page.call("Accessibility.queryAXTree", accessibleName="x")
        assert found == (-32601, "'Accessibility.queryAXTree' wasn't found")
        options = {"computedStyles": [], "includePaintOrder": True, "includeDOMRects": True}
        (document,) = (await page.call("DOMSnapshot.captureSnapshot", **options))["documents"]
        assert "scrollOffsetX" in document
        assert not {"contentWidth", "title"} & document.keys()
        assert not {"paintOrders", "offsetRects", "clientRects"} & document["layout"].keys()
        assert "cssContentSize" not in await page.call("Page.getLayoutMetrics")
        assert (await page.call("Browser.getVersion"))["product"] == "Chrome/74.0.3729.185"
        await page.call("Page.enable")
        await page.call("Page.navigate", url="data:text/html,next")
        await page.until("Page.loadEventFired")
        assert not [each for each in page.events if each["method"] == "Page.frameStartedNavigating"]
        assert facade.commands["Accessibility.queryAXTree"] == 1


async def test_a_modern_webview_has_them(facade: WebViewFacade) -> None:
    async with page_client(facade, await facade.open_page(PAGE)) as page:
        found = await page.call("DOMSnapshot.captureSnapshot", computedStyles=[], includePaintOrder=True)
        assert "paintOrders" in found["documents"][0]["layout"]
        await page.call("Page.enable")
        await page.call("Page.navigate", url="data:text/html,next")
        assert await page.until("Page.frameStartedNavigating")


async def test_flat_sessions_at_browser_scope_have_the_protocol_of_their_time(endpoint: str) -> None:
    async with WebViewFacade(endpoint, milestone=74) as facade, client(facade, "/devtools/browser") as browser:
        target_id = await facade.open_page(PAGE)
        session = (await browser.call("Target.attachToTarget", targetId=target_id, flatten=True))["sessionId"]
        assert await browser.call("DOM.scrollIntoViewIfNeeded", session) == (
            -32601,
            "'DOM.scrollIntoViewIfNeeded' wasn't found",
        )
        found = await browser.call("DOMSnapshot.captureSnapshot", session, computedStyles=[])
        assert "contentWidth" not in found["documents"][0]


async def test_the_browser_scope_shows_one_app(facade: WebViewFacade, endpoint: str) -> None:
    target_id = await facade.open_page()
    async with WebViewFacade(endpoint) as other, client(facade, "/devtools/browser") as browser:
        foreign = await other.open_page()
        listed = (await browser.call("Target.getTargets"))["targetInfos"]
        assert [each["targetId"] for each in listed] == [target_id]
        await browser.call("Target.setDiscoverTargets", discover=True)
        await browser.call("Target.setAutoAttach", autoAttach=True, waitForDebuggerOnStart=True, flatten=True)
        # The other app's pages neither appear nor wait for this client.
        async with page_client(other, foreign) as page:
            assert await page.evaluate("1 + 1") == 2
        opened = await other.open_page(PAGE)
        async with page_client(other, opened) as page:
            assert await page.evaluate("document.title") == "a <b>"
        second = await facade.open_page()
        shown = {(await browser.until("Target.attachedToTarget"))["params"]["targetInfo"]["targetId"] for _ in range(2)}
        assert shown == {target_id, second}
        assert opened not in json.dumps(browser.events)
        assert await browser.call("Target.createTarget", url="about:blank") == (-32000, "Not supported")
        assert (await browser.call("Target.getBrowserContexts"))["browserContextIds"] == []


async def test_chrome_opens_tabs_in_its_own_cookie_jar(endpoint: str) -> None:
    async with (
        WebViewFacade(endpoint, kind="chrome", milestone=113) as facade,
        client(facade, "/devtools/browser") as browser,
    ):
        made = await browser.call("Target.createTarget", url="about:blank")
        assert [row["id"] for row in (await request(facade, "GET /json"))[1]] == [made["targetId"]]
        await browser.call("Storage.setCookies", cookies=[{"name": "a", "value": "1", "url": "http://localhost"}])
        assert [each["name"] for each in (await browser.call("Storage.getCookies"))["cookies"]] == ["a"]
    async with WebViewFacade(endpoint, kind="chrome") as fresh, client(fresh, "/devtools/browser") as browser:
        assert await browser.call("Storage.getCookies") == {"cookies": []}


async def test_an_old_chrome_answers_tab_numbers(endpoint: str) -> None:
    async with (
        WebViewFacade(endpoint, kind="chrome", milestone=91) as facade,
        client(facade, "/devtools/browser") as browser,
    ):
        made = [(await browser.call("Target.createTarget", url="about:blank"))["targetId"] for _ in range(2)]
        assert made == ["2", "3"]
        assert len((await browser.call("Target.getTargets"))["targetInfos"]) == 2


async def test_large_messages_arrive_whole_and_in_order_on_many_connections(facade: WebViewFacade) -> None:
    target_id = await facade.open_page()
    length = 1_000_000

    async def talk(number: int) -> None:
        async with page_client(facade, target_id) as page:
            large = await page.send("Runtime.evaluate", expression=f"'é'.repeat({length})", returnByValue=True)
            small = [await page.send("Runtime.evaluate", expression=str(each)) for each in range(50)]
            assert len((await page.reply(large))["result"]["result"]["value"]) == length
            assert [(await page.receive())["id"] for _ in small] == small
            sent = await page.call("Runtime.evaluate", expression=f"'{'x' * length}'.length + {number}")
            assert sent["result"]["value"] == length + number

    async with asyncio.timeout(60):
        await asyncio.gather(*(talk(number) for number in range(4)))


async def test_a_client_may_send_fragments_and_pings(facade: WebViewFacade) -> None:
    async with page_client(facade, await facade.open_page()) as page:
        await page.socket.send(['{"id": 5, "method": "Runtime.', 'evaluate", "params": {"expr', 'ession": "7"}}'])
        assert (await page.reply(5))["result"]["result"]["value"] == 7
        async with asyncio.timeout(LIMIT_S):
            await (await page.socket.ping())


async def test_a_page_that_closes_says_so_and_closes_the_connection(facade: WebViewFacade) -> None:
    target_id = await facade.open_page()
    async with page_client(facade, target_id) as page:
        await page.call("Inspector.enable")
        await facade.close_page(target_id)
        with pytest.raises(ConnectionClosed) as failure:
            await page.until("never")
        reasons = [each["params"]["reason"] for each in page.events if each["method"] == "Inspector.detached"]
        assert reasons[-1] == "target_closed"
        assert failure.value.rcvd is None  # Chromium sends no closing frame


# -- switches


async def test_a_hidden_view_answers_neither_touches_nor_screenshots(facade: WebViewFacade) -> None:
    target_id = await facade.open_page(PAGE)
    async with page_client(facade, target_id) as page:
        facade.hide(target_id)
        touch = await page.send("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": 5, "y": 5}])
        screenshot = await page.send("Page.captureScreenshot")
        await page.call("Page.enable")
        assert await page.evaluate("2") == 2
        assert not {touch, screenshot} & {each.get("id") for each in page.events}
        _, (row,) = await request(facade, "GET /json")
        assert json.loads(row["description"])["visible"] is False
        facade.show(target_id, visible=True)
        assert await page.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": 5, "y": 5}]) == {}
        assert (await page.call("Page.captureScreenshot"))["data"]


async def test_a_frozen_app_takes_connections_and_never_answers(facade: WebViewFacade) -> None:
    async with page_client(facade, await facade.open_page()) as page:
        facade.freeze()
        number = await page.send("Runtime.evaluate", expression="3")
        waiting = asyncio.create_task(request(facade, "GET /json/version"))
        pong = await page.socket.ping()
        _, pending = await asyncio.wait([waiting, asyncio.ensure_future(pong)], timeout=0.2)
        assert len(pending) == 2
        assert facade.connections == 2
        facade.thaw()
        assert (await page.reply(number))["result"]["result"]["value"] == 3
        assert (await waiting)[0] == 200
        await pong


async def test_killing_the_app_resets_connections_and_refuses_new_ones(facade: WebViewFacade) -> None:
    async with page_client(facade, await facade.open_page()) as page:
        await page.send("Runtime.evaluate", expression="new Promise(() => {})", awaitPromise=True)
        await page.evaluate("1")
        facade.kill()
        with pytest.raises(ConnectionClosed) as failure:
            await page.receive()
        assert failure.value.rcvd is None
        with pytest.raises(ConnectionRefusedError):
            await request(facade, "GET /json")


async def test_a_frozen_app_can_be_killed(facade: WebViewFacade) -> None:
    async with page_client(facade, await facade.open_page()) as page:
        facade.freeze()
        await page.send("Runtime.evaluate", expression="1")
        facade.kill()
        with pytest.raises(ConnectionClosed):
            await page.receive()


async def test_a_restarted_app_has_the_same_port_and_new_targets(facade: WebViewFacade) -> None:
    port, old = facade.port, await facade.open_page(PAGE, screen_y=7)
    facade.freeze()
    renewed = await facade.restart()
    assert facade.port == port
    assert list(renewed) == [old]
    assert renewed[old] != old
    _, (row,) = await request(facade, "GET /json")
    assert (row["id"], row["url"]) == (renewed[old], PAGE)
    assert json.loads(row["description"])["screenY"] == 7
    async with page_client(facade, renewed[old]) as page:
        assert await page.evaluate("1") == 1


# -- the end


async def test_closing_ends_every_connection_and_closes_the_pages(endpoint: str) -> None:
    async with WebViewFacade(endpoint) as facade:
        target_id = await facade.open_page()
        sockets = [
            await connect(f"ws://127.0.0.1:{facade.port}/devtools/page/{target_id}", proxy=None) for _ in range(5)
        ]
        idle = [await asyncio.open_connection("127.0.0.1", facade.port) for _ in range(3)]
    assert facade.connections == 0
    for socket in sockets:
        async with asyncio.timeout(LIMIT_S):
            await socket.wait_closed()
    for reader, writer in idle:
        with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
            await reader.readexactly(1)
        writer.close()
    async with WebViewFacade(endpoint) as other:
        other.show(target_id)
        assert (await request(other, "GET /json"))[1] == []
    await facade.aclose()


async def test_clients_that_vanish_leave_nothing(facade: WebViewFacade) -> None:
    target_id = await facade.open_page()
    for _ in range(5):
        async with page_client(facade, target_id) as page:
            await page.send("Runtime.evaluate", expression="'x'.repeat(3e6)", returnByValue=True)
            page.socket.transport.abort()
    async with asyncio.timeout(LIMIT_S):
        while facade.connections:  # noqa: ASYNC110  the count has no event
            await asyncio.sleep(0)


@pytest.mark.parametrize("turns", [0, 1, 5, 20, 60])
async def test_a_cancelled_user_leaves_nothing(endpoint: str, turns: int) -> None:
    async def use() -> None:
        async with WebViewFacade(endpoint) as facade, page_client(facade, await facade.open_page(PAGE)) as page:
            await page.call("Runtime.evaluate", expression="new Promise(() => {})", awaitPromise=True)

    user = asyncio.create_task(use())
    for _ in range(turns):
        await asyncio.sleep(0)
    user.cancel()
    async with asyncio.timeout(LIMIT_S):
        with pytest.raises(asyncio.CancelledError):
            await user


async def test_no_browser_no_facade() -> None:
    with pytest.raises(OSError, match=r"127\.0\.0\.1"):
        async with WebViewFacade("http://127.0.0.1:1"):
            pass


@pytest.mark.parametrize("milestone", [68, 999])
def test_a_milestone_outside_of_the_table_is_refused(milestone: int) -> None:
    with pytest.raises(ValueError, match=f"milestone {milestone} is outside of 69 to "):
        WebViewFacade("http://127.0.0.1:1", milestone=milestone)


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="kind is 'webview' or 'chrome', not 'ios'"):
        WebViewFacade("http://127.0.0.1:1", kind="ios")  # type: ignore[arg-type]


async def test_a_browser_that_dies_ends_its_clients_and_the_facade() -> None:
    async with (
        stillframe.launch(port=0) as browser,
        WebViewFacade(browser.info.endpoint or "") as facade,
        page_client(facade, await facade.open_page()) as page,
    ):
        await browser.close()
        with pytest.raises(ConnectionClosed):
            await page.until("never")
