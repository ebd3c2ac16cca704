"""The server on a WebView of an Android device, and on the browser of one."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from mcp import Client
from mcp_client import over_stdio

from phones import Phone, RunningApp
from stillframe.adb.webview import WebView
from stillframe.cli import main
from stillframe.mcp.error_mapping import ADVICE
from stillframe.mcp.server import make_server
from stillframe.mcp.settings import Settings
from stillframe.security.policy import UrlPolicy
from stillframe.sessions.device_choice import DeviceChoice, WebViewName
from stillframe_phone import EmulatedApp, WebViewFacade

pytestmark = pytest.mark.browser

NAME = "com.example.shop"
SHOP = """data:text/html,<title>Shop</title><p id=state>-</p>
<button id=buy onclick="state.textContent = 'bought'">Buy</button>"""
TAP = {"action": "tap", "selector": "#buy"}


class Reply:
    """What a tool answered."""

    def __init__(self, result: Any) -> None:
        self.text = "\n".join(part.text for part in result.content if part.type == "text")
        self.head = self.text.partition("\n<<")[0]
        self.structured: dict[str, Any] = result.structured_content or {}
        self.error: dict[str, Any] = (result.meta or {}).get("stillframe/error", {})
        self.is_error = bool(result.is_error)


class Caller:
    """Calls the tools of a server."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def __call__(self, tool: str, **arguments: Any) -> Reply:
        return Reply(await self._client.call_tool(tool, arguments))

    async def run(self, *actions: dict[str, Any], **options: Any) -> Reply:
        """Call `execute_sequence`."""
        return await self("execute_sequence", actions=list(actions), **options)


@asynccontextmanager
async def serving(phone: Phone, webview: str | None = NAME, **settings: Any) -> AsyncIterator[Caller]:
    """Serve on a WebView of the phone, or on its browser."""
    name = None if webview is None else WebViewName.parse(webview)
    choice = DeviceChoice(phone.emulated.serial, name, phone.server.address)
    policy = UrlPolicy(allow_private=True, allowed_schemes=["http", "https", "data"])
    async with Client(make_server(Settings(**{"device": choice, "policy": policy, **settings}))) as client:
        yield Caller(client)


@pytest.fixture
async def shop(phone: Phone) -> AsyncIterator[RunningApp]:
    async with phone.running(NAME, url=SHOP) as running:
        yield running


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `WebView.page` give up after some looks."""
    page = WebView.page

    async def soon(self: WebView, *, timeout_ms: float | None = 700.0) -> Any:
        return await page(self, timeout_ms=timeout_ms)

    monkeypatch.setattr(WebView, "page", soon)


# -- a WebView -------------------------------------------------------------------------------------


async def test_tools_act_on_the_webview_and_say_that_its_page_is_a_new_one(phone: Phone, shop: RunningApp) -> None:
    async with serving(phone) as call:
        reply = await call.run(TAP)
        assert not reply.is_error, reply.text
        assert reply.structured["sessionId"] == "default"
        assert [row["to"] for row in reply.structured["stateChange"]["changed"]] == ["bought"]
        before = shop.app.pid
        shop.app.restart()
        assert shop.app.pid != before
        # The loss may still be unknown to the first call, which then names it.
        reply = await call.run(TAP)
        lost = reply.is_error or "app_killed" in str(reply.structured.get("failed"))
        if lost:
            assert "app_killed" in reply.text
            assert ADVICE["app_killed"] in reply.text
            reply = await call("aria_snapshot")
        assert "earlier refs are stale (app_killed)" in reply.head
        assert not reply.is_error
        reply = await call.run(TAP)
        assert "stale" not in reply.head
        (info,) = (await call("sessions")).structured["sessions"]
        assert (info["kind"], info["state"], info["reattached"]) == ("webview", "open", 1)
        reply = await call("aria_snapshot")
        assert 'button "Buy"' in reply.text
        assert (await call("screenshot")).structured["mimeType"] == "image/jpeg"
        reply = await call("navigate", url="data:text/html,<h1>Other</h1>")
        assert "Other" in reply.text
    assert shop.app.running


@pytest.mark.slow  # test_webview_sessions.py has this without the server
@pytest.mark.usefixtures("impatient")
async def test_a_call_while_the_app_does_not_run_says_so_and_the_next_one_works(phone: Phone, shop: RunningApp) -> None:
    async with serving(phone) as call:
        await call.run(TAP)
        shop.app.kill()
        codes = []
        while "app_not_running" not in codes:
            reply = await call("aria_snapshot")
            assert reply.is_error
            codes.append(reply.error["code"])
        assert set(codes) <= {"app_killed", "app_not_running"}
        assert ADVICE["app_not_running"] in reply.text
        shop.app.start()
        reply = await call.run(TAP)
        assert not reply.is_error, reply.text


async def test_a_webview_opens_no_tabs_and_no_browser(phone: Phone, shop: RunningApp) -> None:
    async with serving(phone) as call:
        assert not (await call("sessions", action="open", sessionId="mine", url=SHOP)).is_error
        for arguments, words in (
            ({"sessionId": "second"}, "session 'mine' has the WebView of this server"),
            ({"sessionId": "second", "ownBrowser": True}, "launches no browser"),
        ):
            reply = await call("sessions", action="open", **arguments)
            assert (reply.is_error, reply.error["code"]) == (True, "option_invalid")
            assert words in reply.text
        reply = await call.run(TAP)
        assert reply.error["code"] == "option_invalid"
        assert not (await call.run(TAP, sessionId="mine")).is_error
        await call("sessions", action="close", sessionId="mine")
        assert not (await call.run(TAP)).is_error


async def test_the_policy_of_the_server_holds_in_the_webview(phone: Phone, shop: RunningApp) -> None:
    async with serving(phone, policy=UrlPolicy(allowed_hosts=["example.org"])) as call:
        assert not (await call.run(TAP)).is_error
        reply = await call("navigate", url="https://example.com/")
        assert "url_refused" in reply.text
        assert 'button "Buy"' in (await call("aria_snapshot")).text


async def test_a_hidden_or_missing_webview_is_a_typed_error_of_the_call(
    phone: Phone, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = DeviceChoice.find

    async def soon(self: DeviceChoice, device: Any) -> WebView:
        assert self.webview is not None
        return await device.webview(package=self.webview.package, timeout_ms=300.0)  # type: ignore[no-any-return]

    monkeypatch.setattr(DeviceChoice, "find", soon)
    async with serving(phone) as call:
        reply = await call("aria_snapshot")
        assert (reply.is_error, reply.error["code"]) == (True, "app_not_running")
        async with phone.running(NAME, url=SHOP) as running:
            view = await phone.device.webview(package=NAME)
            running.facade.hide(view.target_id)
            reply = await call("aria_snapshot")
            assert reply.error["code"] == "target_not_visible"
            running.facade.show(view.target_id, visible=True)
            monkeypatch.setattr(DeviceChoice, "find", find)
            assert not (await call("aria_snapshot")).is_error


# -- a browser -------------------------------------------------------------------------------------


async def test_sessions_are_tabs_of_chrome_on_the_device(phone: Phone) -> None:
    assert phone.chromium.info.endpoint is not None
    async with WebViewFacade(phone.chromium.info.endpoint, kind="chrome") as facade:
        tab = await facade.open_page("data:text/html,<title>A tab</title>")
        chrome = phone.emulated.install(EmulatedApp("com.android.chrome"))
        chrome.listen("chrome_devtools_remote", facade.port)
        chrome.start()
        try:
            async with serving(phone, None) as call:
                for name in ("default", "second"):
                    reply = await call("sessions", action="open", sessionId=name, url=SHOP)
                    assert not reply.is_error, reply.text
                    assert [row["kind"] for row in reply.structured["sessions"]] == ["tab"]
                    assert not (await call.run(TAP, sessionId=name)).is_error
                await call("sessions", action="close", sessionId="second")
                reply = await call("sessions", action="open", sessionId="own", ownBrowser=True)
                assert "launches no browser" in reply.text
            browser = await phone.device.chrome()
            assert [page.target_id for page in browser.pages] == [tab]
            await browser.close()
        finally:
            chrome.kill()
            phone.emulated.uninstall("com.android.chrome")


# -- the command -----------------------------------------------------------------------------------


async def test_the_command_serves_a_webview(phone: Phone, shop: RunningApp) -> None:
    options = ("--webview", NAME, "--device", phone.emulated.serial, "--adb-server", phone.server.address)
    command = [sys.executable, "-m", "stillframe", "mcp", *options, "--allow-scheme", "data"]
    async with over_stdio(command) as client:
        reply = await client.call("execute_sequence", {"actions": [TAP]})
        assert not reply.is_error, reply.text
        assert reply.structured is not None
        assert reply.structured["stateChange"]["changed"][0]["to"] == "bought"


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--webview", "shop"], "is not PACKAGE"),
        (["--webview", NAME, "--connect", "http://127.0.0.1:9"], "name two browsers"),
    ],
)
def test_options_of_a_device_that_are_wrong_are_named(
    args: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["mcp", *args])
    out, errors = capsys.readouterr()
    assert (ended.value.code, out) == (2, "")
    assert words in errors


@pytest.mark.slow  # test_mcp_command.py has a browser that does not answer, tests/adb the server
def test_an_adb_server_that_does_not_answer_is_reported_at_the_start() -> None:
    command = [sys.executable, "-m", "stillframe", "mcp", "--webview", NAME, "--adb-server", "[::1]:9"]
    done = subprocess.run(command, input="", capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (3, "")
    assert "no adb server answers at [::1]:9" in done.stderr
