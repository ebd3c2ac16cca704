"""The WebViews of a process as a browser: one WebSocket per page, commands for the browser answered here."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, cast

import pytest

from stillframe.adb.devtools.app_endpoint import AppEndpoint
from stillframe.adb.devtools.targets import DevtoolsTarget, EndpointVersion
from stillframe.adb.devtools.webview_transport import WebViewTransport
from stillframe.cdp import CDPSession, Connection
from stillframe.cdp_types import browser, runtime, storage, target
from stillframe.errors import (
    AppKilled,
    CdpError,
    ConnectFailed,
    ConnectionLost,
    SessionDetached,
    SessionLost,
    TargetClosed,
    UnsupportedByBrowser,
)
from stillframe.testing import MemoryTransport

PATIENCE = 10.0


class App:
    """A process with WebViews in memory; every WebSocket to a page is a MemoryTransport that the test scripts."""

    name = "SERIAL:webview_devtools_remote_1"

    def __init__(self, *pages: str) -> None:
        self.pages = {page: f"https://{page.lower()}.test/" for page in pages}
        self.opened: dict[str, list[MemoryTransport]] = {}
        self.refused: Exception | None = None
        self.loss: SessionLost = ConnectionLost("the reason")
        self.diagnosed: list[tuple[str | None, str]] = []
        self.activated: list[str] = []

    async def version(self) -> EndpointVersion:
        return EndpointVersion("Chrome/113.0.5672.136", 113, "com.example", "1.3", "agent", "11.3")

    async def targets(self) -> list[DevtoolsTarget]:
        return [DevtoolsTarget(id, "page", url, id, f"/devtools/page/{id}") for id, url in self.pages.items()]

    async def open(self, path: str) -> MemoryTransport:
        if self.refused is not None:
            raise self.refused
        transport = MemoryTransport()
        transport.peer_side.answer("Runtime.getIsolateId", {"id": path})
        transport.peer_side.answer("Network.getAllCookies", {"cookies": []})
        self.opened.setdefault(path.rpartition("/")[2], []).append(transport)
        return transport

    async def activate(self, target_id: str) -> None:
        self.activated.append(target_id)

    async def diagnose(self, target_id: str | None, reason: str) -> SessionLost:
        self.diagnosed.append((target_id, reason))
        return self.loss


class Phone:
    """A connection to an app in memory."""

    def __init__(self, app: App, transport: WebViewTransport, connection: Connection) -> None:
        self.app = app
        self.transport = transport
        self.connection = connection
        self.root = connection.root

    def page(self, name: str, number: int = 0) -> MemoryTransport:
        return self.app.opened[name][number]


@pytest.fixture
async def phone() -> AsyncIterator[Phone]:
    app = App("A", "B")
    transport = await WebViewTransport.open(cast("AppEndpoint", app))
    async with Connection(transport) as connection:
        yield Phone(app, transport, connection)
    left = [each for opened in app.opened.values() for each in opened if not each.closed]
    assert not left


async def isolate(session: CDPSession) -> str:
    return (await session.send(runtime.GetIsolateId())).id


async def test_the_browser_is_what_the_socket_says(phone: Phone) -> None:
    version = await phone.root.send(browser.GetVersion())
    assert (version.product, version.user_agent, version.js_version) == ("Chrome/113.0.5672.136", "agent", "11.3")


async def test_targets_are_announced_once_discovery_is_on(phone: Phone) -> None:
    created = phone.root.subscribe(target.TargetCreated)
    changed = phone.root.subscribe(target.TargetInfoChanged)
    destroyed = phone.root.subscribe(target.TargetDestroyed)
    await phone.transport.refresh()
    await phone.root.send(target.SetDiscoverTargets(discover=True))
    assert [(await anext(created)).target_info.target_id for _ in "AB"] == ["A", "B"]
    phone.app.pages = {"B": "https://elsewhere.test/", "C": "https://c.test/"}
    listed = (await phone.root.send(target.GetTargets())).target_infos
    assert [info.target_id for info in listed] == ["B", "C"]
    assert (await anext(created)).target_info.url == "https://c.test/"
    assert (await anext(changed)).target_info.url == "https://elsewhere.test/"
    assert (await anext(destroyed)).target_id == "A"


async def test_each_page_has_its_own_websocket(phone: Phone) -> None:
    first, second = await phone.root.attach("A"), await phone.root.attach("B")
    assert (await isolate(first), await isolate(second)) == ("/devtools/page/A", "/devtools/page/B")
    assert first.target_info is not None
    assert (first.target_type, first.target_info.url) == ("page", "https://a.test/")
    assert phone.page("A").peer_side.methods == phone.page("B").peer_side.methods == ["Runtime.getIsolateId"]


async def test_a_page_can_be_attached_to_twice(phone: Phone) -> None:
    first, again = await phone.root.attach("A"), await phone.root.attach("A")
    assert first.session_id != again.session_id
    await isolate(again)
    assert [each.peer_side.methods for each in phone.app.opened["A"]] == [[], ["Runtime.getIsolateId"]]


async def test_events_and_child_sessions_of_a_page_find_their_session(phone: Phone) -> None:
    page = await phone.root.attach("A")
    children: list[CDPSession] = []
    phone.page("A").peer_side.answer("Target.setAutoAttach", {})
    page.auto_attach(children.append, wait_for_debugger=False)
    info = {"targetId": "FRAME", "type": "iframe", "title": "", "url": "", "attached": True, "canAccessOpener": False}
    event = {"sessionId": "CHILD", "targetInfo": info, "waitingForDebugger": False}
    phone.page("A").peer_side.emit("Target.attachedToTarget", event)
    phone.page("A").peer_side.answer("Runtime.getIsolateId", {"id": "asked"})
    await page.drain_events()
    assert [(child.session_id, child.parent) for child in children] == [("CHILD", page)]
    assert await isolate(children[0]) == "asked"
    async with page.expect("Page.loadEventFired"):
        phone.page("A").peer_side.emit("Page.loadEventFired", {"timestamp": 1})
    async with children[0].expect("Page.loadEventFired"):
        phone.page("A").peer_side.emit("Page.loadEventFired", {"timestamp": 1}, session_id="CHILD")
    phone.page("A").peer_side.emit("Target.detachedFromTarget", {"sessionId": "CHILD", "targetId": "FRAME"})
    await page.drain_events()
    assert isinstance(children[0].error, TargetClosed)
    answer = asyncio.ensure_future(page.call("Runtime.getIsolateId"))
    assert await answer == {"id": "asked"}


async def test_detaching_closes_only_that_websocket(phone: Phone) -> None:
    first, second = await phone.root.attach("A"), await phone.root.attach("B")
    await first.detach()
    assert phone.page("A").closed
    assert isinstance(first.error, SessionDetached)
    assert await isolate(second) == "/devtools/page/B"
    assert phone.app.diagnosed == []


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (target.CreateTarget(url="about:blank"), "Not supported"),
        (target.CreateBrowserContext(), "Failed to create browser context."),
        (browser.Close(), "Not supported"),
        (target.CloseTarget(target_id="A"), "Not supported"),
        (browser.GetWindowForTarget(), "'Browser.getWindowForTarget' wasn't found"),
    ],
)
async def test_what_only_a_browser_can_do_is_refused(phone: Phone, command: Any, text: str) -> None:
    with pytest.raises(UnsupportedByBrowser) as raised:
        await phone.root.send(command)
    assert raised.value.text == text


async def test_activating_goes_over_http(phone: Phone) -> None:
    await phone.root.send(target.ActivateTarget(target_id="B"))
    assert phone.app.activated == ["B"]


async def test_unknown_targets_and_sessions_are_refused(phone: Phone) -> None:
    with pytest.raises(CdpError, match="No target with given id found"):
        await phone.root.attach("NONE")
    with pytest.raises(CdpError, match="No target with given id found"):
        await phone.root.send(target.ActivateTarget(target_id="NONE"))
    with pytest.raises(CdpError, match="No session with given id"):
        await phone.root.send(target.DetachFromTarget(session_id="NONE"))


async def test_a_target_that_appeared_meanwhile_can_be_attached_to(phone: Phone) -> None:
    phone.app.pages["C"] = "https://c.test/"
    assert await isolate(await phone.root.attach("C")) == "/devtools/page/C"


async def test_cookies_come_from_a_page(phone: Phone) -> None:
    cookie = {"name": "n", "value": "v", "domain": "a.test", "path": "/", "expires": -1, "size": 2, "session": True}
    phone.app.refused = ConnectFailed("the app is busy", endpoint="x")
    with pytest.raises(CdpError, match="the app is busy"):
        await phone.root.send(storage.GetCookies())
    phone.app.refused = None
    opened: list[MemoryTransport] = []

    async def scripted(path: str) -> MemoryTransport:
        transport = MemoryTransport()
        transport.peer_side.answer("Network.getAllCookies", {"cookies": [cookie | {"httpOnly": True, "secure": False}]})
        opened.append(transport)
        return transport

    phone.app.open = scripted  # type: ignore[method-assign]
    reply = await phone.root.call("Storage.getCookies")
    assert [each["name"] for each in reply["cookies"]] == ["n"]
    assert [each.closed for each in opened] == [True]


async def test_a_page_that_is_closed_ends_alone(phone: Phone) -> None:
    first, second = await phone.root.attach("A"), await phone.root.attach("B")
    await phone.root.send(target.SetDiscoverTargets(discover=True))
    phone.app.loss = TargetClosed("the WebView is gone")
    async with phone.root.expect(target.TargetDestroyed) as destroyed:
        phone.page("A").peer_side.disconnect("it closed")
    assert destroyed.value.target_id == "A"
    assert isinstance(first.error, TargetClosed)
    assert phone.app.diagnosed == [("A", "it closed")]
    assert await isolate(second) == "/devtools/page/B"


async def test_a_killed_app_ends_everything_and_says_so(phone: Phone) -> None:
    first, second = await phone.root.attach("A"), await phone.root.attach("B")
    for page in (phone.page("A"), phone.page("B")):
        page.peer_side.hold("Runtime.getIsolateId")
    waiting = [asyncio.ensure_future(isolate(session)) for session in (first, second)]
    await phone.page("A").peer_side.wait_for("Runtime.getIsolateId")
    phone.app.loss = AppKilled("com.example was killed", serial="SERIAL", package="com.example", pid=1)
    phone.page("A").peer_side.disconnect()
    async with asyncio.timeout(PATIENCE):
        for call in waiting:
            with pytest.raises(AppKilled, match=r"Runtime\.getIsolateId: com\.example was killed") as raised:
                await call
            assert (raised.value.package, raised.value.pid, raised.value.method) == (
                "com.example",
                1,
                "Runtime.getIsolateId",
            )
    assert isinstance(phone.connection.error, AppKilled)
    with pytest.raises(AppKilled):
        await phone.root.send(browser.GetVersion())


async def test_a_window_that_a_page_opens_is_found_and_has_its_opener(phone: Phone) -> None:
    await phone.root.attach("A")
    await phone.root.send(target.SetDiscoverTargets(discover=True))
    async with phone.root.expect(target.TargetCreated, where=lambda event: event.target_info.target_id == "C") as made:
        phone.page("A").peer_side.emit(
            "Page.windowOpen", {"url": "https://c.test/", "windowName": "", "windowFeatures": []}
        )
        phone.app.pages["C"] = "https://c.test/"
    assert made.value.target_info.opener_id == "A"


async def test_an_attach_that_fails_says_why(phone: Phone) -> None:
    phone.app.refused = ConnectFailed("cannot connect: the app is gone", endpoint="x")
    with pytest.raises(CdpError, match="cannot connect: the app is gone"):
        await phone.root.attach("A")


async def test_closing_during_an_attach_leaves_nothing_open() -> None:
    app = App("A")
    gate = asyncio.Event()
    plain = app.open

    async def slow(path: str) -> MemoryTransport:
        await gate.wait()
        return await plain(path)

    app.open = slow  # type: ignore[method-assign]
    connection = Connection(await WebViewTransport.open(cast("AppEndpoint", app)))
    attaching = asyncio.ensure_future(connection.root.attach("A"))
    await asyncio.sleep(0)
    await connection.aclose()
    gate.set()
    with pytest.raises(ConnectionLost):
        await attaching
    assert app.opened == {}
