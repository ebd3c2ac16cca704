"""The commands about Android devices, and those that act on a page of one."""

from __future__ import annotations

import asyncio
import json
import os
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from command_line import Done, call, stillframe
from needing import require
from phones import SOCKET, Phone, RunningApp
from sampling import sampled
from stillframe.cli import app
from stillframe.cli.choice import BrowserChoice, device_choice
from stillframe.cli.output import exit_code_for_error
from stillframe.errors import AppFrozen, NoDevices, OptionInvalid
from stillframe.sessions.device_choice import DeviceChoice, WebViewName
from stillframe.testing import AdbServerProcess
from stillframe_phone import EmulatedApp, EmulatedDevice, WebViewFacade

SHOP = """data:text/html,<title>Shop</title><p id=state>-</p>
<button id=buy onclick="state.textContent = 'bought'">Buy</button>"""
NAME = "com.example.shop"
TAP = [{"action": "tap", "selector": "#buy"}]


@pytest.fixture
async def shop(phone: Phone) -> AsyncIterator[RunningApp]:
    async with phone.running(NAME, url=SHOP) as running:
        yield running


@asynccontextmanager
async def chrome(phone: Phone, package: str = "com.android.chrome") -> AsyncIterator[WebViewFacade]:
    """Run a browser with one tab on the phone."""
    assert phone.chromium.info.endpoint is not None
    async with WebViewFacade(phone.chromium.info.endpoint, kind="chrome", package=package) as facade:
        await facade.open_page("data:text/html,<title>A tab</title>")
        browser = phone.emulated.install(EmulatedApp(package))
        name = "chrome_devtools_remote" + ("" if package == "com.android.chrome" else "_{pid}")
        browser.listen(name, facade.port)
        browser.start()
        try:
            yield facade
        finally:
            browser.kill()
            phone.emulated.uninstall(package)


async def on(phone: Phone, *args: str | os.PathLike[str], stdin: Any = None, **env: str) -> Done:
    """Run one command whose adb server is the phone's."""
    given = b"" if stdin is None else json.dumps(stdin).encode()
    return await stillframe(*args, stdin=given, env={**phone.server.environment, "COLUMNS": "160", **env})


# -- options ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("com.example.shop", ("com.example.shop", None, None)),
        ("com.example.shop:web", ("com.example.shop", "web", None)),
        ("com.example.shop:", ("com.example.shop", "", None)),
        ("com.example.shop@**/cart*", ("com.example.shop", None, "**/cart*")),
        ("com.example.shop:web@https://a.example:8443/@me", ("com.example.shop", "web", "https://a.example:8443/@me")),
    ],
)
def test_a_webview_is_named_by_package_process_and_url(text: str, name: tuple[str, str | None, str | None]) -> None:
    assert WebViewName.parse(text) == name
    choice = device_choice(None, text, False, None, connect=None)
    assert choice == DeviceChoice(webview=WebViewName(*name))
    assert BrowserChoice(device=choice).in_webview


@pytest.mark.parametrize("text", ["", "shop", "com.example.shop@", "com example.shop", "@*", "com.example.shop:a b"])
def test_another_name_of_a_webview_is_refused(text: str) -> None:
    with pytest.raises(OptionInvalid, match=r"is not PACKAGE\[:PROCESS\]\[@URL\]") as caught:
        WebViewName.parse(text)
    assert caught.value.option == "webview"


def test_a_browser_on_a_device_opens_a_tab() -> None:
    for args in (("S", None, False), (None, None, True), (None, "com.android.chrome", False)):
        choice = device_choice(*args, None, connect=None)
        assert choice is not None
        assert not choice.in_webview
    assert device_choice(None, None, False, None, connect=None) is None
    with pytest.raises(OptionInvalid, match="is a browser"):
        WebViewName.parse("com.android.chrome@*")


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--webview", NAME, "--chrome"), "--webview and --chrome name two browsers"),
        (("--webview", NAME, "--connect", "http://x"), "--connect and --webview name two browsers"),
        (("--device", "S", "--connect", "http://x"), "--connect and --device name two browsers"),
        (("--adb-server", "127.0.0.1:1"), "--adb-server alone has no effect"),
        (("--webview", "shop"), "is not PACKAGE"),
        (("--device", "S", "--adb-server", "nowhere"), "'nowhere' is not HOST:PORT"),
    ],
)
@pytest.mark.parametrize("command", ["snapshot", "settle", "run"])
def test_options_that_collide_are_a_mistake(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, command: str, args: tuple[str, ...], words: str
) -> None:
    path = tmp_path / "sequence.json"
    path.write_text(json.dumps(TAP))
    done = call(capfd, command, str(path) if command == "run" else "about:blank", *args, "--json")
    assert (done.code, done.json["error"]["code"]) == (2, "option_invalid")
    assert words in done.json["error"]["message"]


@pytest.mark.parametrize("args", [("settle",), ("snapshot",), ("snapshot", "--chrome"), ("settle", "--device", "S")])
def test_only_a_webview_needs_no_url(capfd: pytest.CaptureFixture[str], args: tuple[str, ...]) -> None:
    done = call(capfd, *args, "--json")
    assert (done.code, done.json["error"]["code"]) == (2, "usage")
    assert "only --webview can do without" in done.json["error"]["message"]


def test_errors_of_devices_exit_as_those_of_browsers() -> None:
    assert {exit_code_for_error(error) for error in (NoDevices("none"), AppFrozen("frozen", package=None))} == {3}


# -- devices ---------------------------------------------------------------------------------------


async def test_devices_are_listed_with_what_to_do(phone: Phone) -> None:
    async with EmulatedDevice() as locked:
        await locked.revoke_authorization()
        await phone.server.connect(locked, state="unauthorized")
        done = await on(phone, "devices", "--json")
        assert done.code == 0, done.whole
        rows = {row["serial"]: row for row in done.json["devices"]}
        assert set(rows) == {phone.emulated.serial, locked.serial}
        usable, other = rows[phone.emulated.serial], rows[locked.serial]
        assert (usable["state"], usable["advice"]) == ("device", "")
        assert (usable["model"], usable["release"], usable["sdk"]) == ("Pixel 7", "14", 34)
        assert (other["state"], other["release"]) == ("unauthorized", None)
        assert "accept the dialog" in other["advice"]
        shown = (await on(phone, "devices")).out
        for words in ("SERIAL", "Pixel 7", "14 (API 34)", f"{locked.serial}: unlock it and accept the dialog"):
            assert words in shown
        await phone.server.disconnect(locked)


async def test_a_device_that_hangs_is_listed(phone: Phone) -> None:
    async with EmulatedDevice() as silent:
        await phone.server.connect(silent)
        await silent.go_silent()
        done = await on(phone, "devices", "--json")
        rows = {row["serial"]: row for row in done.json["devices"]}
        assert "did not answer" in rows[silent.serial]["advice"]
        assert rows[phone.emulated.serial]["model"] == "Pixel 7"
        await silent.go_online()
        await phone.server.disconnect(silent)


@pytest.mark.heavy
async def test_no_device_is_not_a_failure_of_the_list(own_server: Callable[..., Any]) -> None:
    done = await own_server("devices")
    assert (done.code, done.err) == (0, "")
    assert "USB debugging" in done.out
    assert (await own_server("devices", "--json")).json == {"devices": []}
    done = await own_server("webviews", "--json")
    assert (done.code, done.json["error"]["code"]) == (3, "no_devices")
    done = await own_server("snapshot", "--webview", NAME, "--json")
    assert (done.code, done.json["error"]["code"]) == (3, "no_devices")


@pytest.fixture
async def own_server() -> AsyncIterator[Callable[..., Any]]:
    """Run commands at an adb server without devices."""
    require("adb")
    async with AdbServerProcess() as server:

        async def run(*args: str) -> Done:
            return await stillframe(*args, env=server.environment)

        yield run


@pytest.mark.heavy
@pytest.mark.parametrize("command", [("devices",), ("webviews",), ("snapshot", "--webview", NAME)])
async def test_a_server_elsewhere_is_not_started(command: tuple[str, ...]) -> None:
    with socket.socket(socket.AF_INET6) as free:
        free.bind(("::1", 0))
        address = f"[::1]:{free.getsockname()[1]}"
        done = await stillframe(*command, "--adb-server", address, "--json")
    assert (done.code, done.json["error"]["code"]) == (3, "adb_server_unavailable")
    assert address in done.json["error"]["message"]


def test_a_wrong_address_is_a_mistake(capfd: pytest.CaptureFixture[str]) -> None:
    for command in ("devices", "webviews"):
        done = call(capfd, command, "--adb-server", "localhost", "--json")
        assert (done.code, done.json["error"]["code"]) == (2, "option_invalid")
        assert "'localhost' is not HOST:PORT" in done.json["error"]["message"]


# -- WebViews --------------------------------------------------------------------------------------


async def test_webviews_and_browsers_are_listed_and_nothing_is_hidden_in_silence(
    phone: Phone, shop: RunningApp
) -> None:
    hidden = await shop.facade.open_page("data:text/html,<title>Hidden</title>", visible=False)
    async with phone.running("com.example.frozen") as frozen, phone.running("com.example.bare") as bare, chrome(phone):
        frozen.app.freeze()
        await bare.facade.close_page((await phone.device.webview(package="com.example.bare")).target_id)
        done = await on(phone, "webviews", "--json")
        assert done.code == 0, done.whole
        rows = done.json["webviews"]
        assert done.json["problems"] == []
        assert [(row["context"], row["state"], row["title"]) for row in rows] == [
            (f"WEBVIEW_{NAME}", "visible", "Shop"),
            (f"WEBVIEW_{NAME}", "hidden", "Hidden"),
            ("WEBVIEW_com.example.frozen", "frozen", ""),
            ("WEBVIEW_com.example.bare", "no_pages", ""),
            ("CHROMIUM", "visible", "A tab"),
        ]
        assert [bool(row["advice"]) for row in rows] == [False, True, True, True, False]
        assert (rows[0]["pid"], rows[0]["package"], rows[0]["process"]) == (shop.app.pid, NAME, NAME)
        assert (rows[0]["visible"], rows[1]["visible"], rows[1]["targetId"]) == (True, False, hidden)
        assert rows[4]["socket"] == "chrome_devtools_remote"
        shown = (await on(phone, "webviews")).out
        for words in ("CONTEXT", "no pages", "bring the app to the front", "open the screen of the app", "A tab"):
            assert words in shown


async def test_webviews_of_one_package_and_one_process(phone: Phone, shop: RunningApp) -> None:
    assert phone.chromium.info.endpoint is not None
    async with WebViewFacade(phone.chromium.info.endpoint, package=NAME) as web, phone.running():
        await web.open_page(SHOP)
        shop.app.listen(SOCKET, web.port, process=":web")
        shop.app.start(":web")
        rows = (await on(phone, "webviews", "--package", NAME, "--json")).json["webviews"]
        assert [row["context"] for row in rows] == [f"WEBVIEW_{NAME}", f"WEBVIEW_{NAME}:web"]
        done = await on(phone, "run", "-", "--webview", f"{NAME}:web", "--json", stdin=TAP)
        assert done.code == 0, done.whole
        done = await on(phone, "run", "-", "--webview", NAME, "--json", stdin=TAP)
        assert (done.code, done.json["error"]["code"]) == (3, "webview_ambiguous")


async def test_a_package_without_a_webview_says_why(phone: Phone) -> None:
    done = await on(phone, "webviews", "--package", "com.example.none", "--json")
    assert (done.code, done.json["error"]["code"]) == (3, "app_not_running")
    closed = phone.emulated.install(EmulatedApp("com.example.closed", debuggable=False))
    closed.start()
    done = await on(phone, "webviews", "--package", "com.example.closed")
    assert (done.code, done.out) == (3, "")
    assert "setWebContentsDebuggingEnabled" in done.err
    closed.kill()


async def test_devices_without_a_webview_and_devices_that_cannot_be_used_are_named(phone: Phone) -> None:
    done = await on(phone, "webviews", "--json")
    assert (done.code, done.json["webviews"]) == (0, [])
    assert [each["code"] for each in done.json["problems"]] == ["no_debuggable_webview"]
    async with EmulatedDevice() as locked, phone.running(url=SHOP):
        await locked.revoke_authorization()
        await phone.server.connect(locked, state="unauthorized")
        done = await on(phone, "webviews", "--json")
        assert (done.code, len(done.json["webviews"])) == (0, 1)
        assert [(each["serial"], each["code"]) for each in done.json["problems"]] == [
            (locked.serial, "device_unauthorized")
        ]
        done = await on(phone, "webviews", "--device", locked.serial, "--json")
        assert (done.code, done.json["error"]["code"]) == (3, "device_unauthorized")
        assert (await on(phone, "webviews", "--json", ANDROID_SERIAL=locked.serial)).code == 3
        await phone.server.disconnect(locked)


async def test_titles_cannot_command_the_terminal(phone: Phone) -> None:
    async with phone.running(url="data:text/html,<title>a&%238238;[bold]b</title>"):
        shown = (await on(phone, "webviews")).out
    assert "a\\u202e[bold]b" in shown


# -- commands on a page ----------------------------------------------------------------------------


async def test_a_sequence_runs_on_what_the_webview_shows(phone: Phone, shop: RunningApp) -> None:
    options = ("--webview", NAME, "--device", phone.emulated.serial, "--adb-server", phone.server.address)
    done = await stillframe("run", "-", *options, "--json", stdin=json.dumps(TAP).encode())
    assert done.code == 0, done.whole
    (row,) = done.json["stateChange"]["changed"]
    assert (row["selector"], row["to"]) == ("#state", "bought")
    assert shop.app.running  # and keeps its page
    done = await on(phone, "run", "-", "--webview", f"{NAME}@data:**", "--url", SHOP, stdin=TAP)
    assert done.code == 0, done.whole
    assert "✓  tap" in done.out


async def test_a_webview_is_read_and_settled_as_it_is(phone: Phone, shop: RunningApp) -> None:
    done = await on(phone, "snapshot", "--webview", NAME, "--aria")
    assert done.code == 0, done.whole
    assert 'button "Buy"' in done.out
    done = await on(phone, "snapshot", "--webview", NAME, "--json")
    assert (done.code, done.json["title"]) == (0, "Shop")
    done = await on(phone, "settle", "--webview", NAME, "--json")
    assert (done.code, done.json["verdict"]["stable"]) == (0, True)
    done = await on(phone, "settle", "data:text/html,<p>other", "--webview", NAME, "--json")
    assert (done.code, done.json["url"]) == (0, "data:text/html,<p>other")


async def test_chrome_on_the_device_gets_a_tab_of_its_own(phone: Phone) -> None:
    async with chrome(phone) as facade:
        before = facade.connections
        for option in (("--chrome",), ("--device", phone.emulated.serial), ("--webview", "com.android.chrome")):
            done = await on(phone, "run", "-", "--url", SHOP, *option, "--json", stdin=TAP)
            assert done.code == 0, done.whole
            assert done.json["stateChange"]["changed"][0]["to"] == "bought"
        rows = (await on(phone, "webviews", "--json")).json["webviews"]
        assert [(row["context"], row["title"]) for row in rows] == [("CHROMIUM", "A tab")]
        assert facade.connections == before
        async with chrome(phone, "com.brave.browser"):
            done = await on(phone, "run", "-", "--url", SHOP, "--chrome", "--json", stdin=TAP)
            assert done.code == 0, done.whole


NOT_THERE = [
    (("--webview", "com.example.none"), "app_not_running"),
    (("--chrome", "--url", "about:blank"), "app_not_running"),
    (("--webview", NAME, "--device", "emulator-5554"), "device_not_found"),
]
"""An app is awaited for ten seconds; `webviews` does not wait, and exits likewise in a test above."""


@pytest.mark.parametrize(("args", "code"), sampled(NOT_THERE, NOT_THERE[2:]))
async def test_what_is_not_there_exits_with_3(phone: Phone, args: tuple[str, ...], code: str) -> None:
    done = await on(phone, "run", "-", *args, "--json", stdin=TAP)
    assert (done.code, done.json["error"]["code"]) == (3, code), done


async def test_an_app_that_dies_in_a_sequence_is_in_its_result(phone: Phone, shop: RunningApp) -> None:
    actions = [{"action": "tap", "selector": "#buy"}, {"action": "wait_for", "selector": "#never", "timeoutMs": 50_000}]
    running = asyncio.create_task(on(phone, "run", "-", "--webview", NAME, "--json", stdin=actions))
    async with asyncio.timeout(20):
        while not shop.facade.commands["Input.dispatchTouchEvent"]:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    shop.app.kill()
    done = await running
    assert done.code == 1, done.whole
    assert done.json["failed"]["code"] == "app_killed"


def test_the_commands_are_in_the_help(capfd: pytest.CaptureFixture[str]) -> None:
    done = call(capfd, "--help")
    for word in ("devices", "webviews"):
        assert word in done.out
    for command in ("run", "settle", "snapshot", "mcp"):
        done = call(capfd, command, "--help")
        for option in ("--device", "--webview", "--chrome", "--adb-server"):
            assert option in done.out, command
    assert app.cli is not None
