"""WebViews and browsers of a device, end to end: the real adb server, an emulated device, pages of a real Chromium.

Many tests run on a WebView with the protocol of Chromium 74, and in `make test-all` on a modern one as well.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest

import stillframe
from phones import SOCKET, Phone
from sampling import sampled
from stillframe.adb import webview
from stillframe.adb.android import android
from stillframe.adb.devtools import webview_transport
from stillframe.errors import (
    AppFrozen,
    AppKilled,
    AppNotRunning,
    DeviceAmbiguous,
    DeviceNotFound,
    DeviceOffline,
    DeviceUnauthorized,
    NoDebuggableWebView,
    NoDevices,
    OptionInvalid,
    RefStale,
    TargetNotVisible,
    UnsupportedByBrowser,
    UrlRefused,
    WebViewAmbiguous,
    WebViewHasNoPages,
)
from stillframe.model.actions import LongPress, SetValue, Swipe, Tap, TypeText
from stillframe.testing import AdbServerProcess
from stillframe_phone import EmulatedApp, EmulatedDevice, WebViewFacade
from stillframe_phone.emulated.apps import chrome

pytestmark = pytest.mark.browser

MILESTONES = pytest.mark.parametrize("milestone", sampled((None, 74), (74,)), ids=["modern", "74"])
"""What a WebView speaks. The old one lacks more, and the tests without milestones use a modern one."""

SHOP = """data:text/html,<title>Shop</title><meta name=viewport content=width=device-width>
<button id=buy aria-label='Buy now' onclick="setTimeout(() => { state.textContent = 'bought' }, 60)">Buy</button>
<p id=state>-</p><input id=name placeholder=Name><div id=list style='height:4000px'>a long list</div>"""
PNG = b"\x89PNG"
QUICK_MS = 300.0
"""Milliseconds for a look that finds nothing: enough for some looks at the device."""


async def until(true: Callable[[], bool]) -> bool:
    """Wait some seconds at most until a condition outside this process holds."""
    for _ in range(500):
        if true():
            return True
        await asyncio.sleep(0.01)
    return False


def rows(result: Any) -> list[tuple[str, Any, Any]]:
    return [(row.selector, row.from_, row.to) for row in result.state_change.changed]


@MILESTONES
async def test_a_sequence_on_a_webview_with_taps_and_swipes(phone: Phone, milestone: int | None) -> None:
    async with phone.running("com.example.shop", milestone=milestone, url=SHOP):
        view = await phone.device.webview(package="com.example.shop")
        page = await view.page()
        assert (await page.title(), view.context_name, view.visible) == ("Shop", "WEBVIEW_com.example.shop", True)
        result = await page.execute_sequence([SetValue("#name", "Ann"), Tap("~Buy now")])
        assert (result.completed, result.stable, result.failed) == (2, True, None)
        assert ("#state", "-", "bought") in rows(result)
        assert await view.page() is page
        await page.evaluate("window.kinds = []; buy.addEventListener('pointerdown', e => kinds.push(e.pointerType))")
        await page.execute_sequence([Tap("#buy"), LongPress("#state")])
        assert await page.evaluate("kinds") == ["touch"]
        # The direction is that of the content, the opposite of the finger's: down shows what is below.
        await page.execute_sequence([Swipe(direction="down")])
        below = await page.evaluate("scrollY")
        assert below > 100
        await page.execute_sequence([Swipe(direction="up")])
        assert await page.evaluate("scrollY") < below


async def test_a_webview_is_found_by_url_and_awaited(phone: Phone) -> None:
    async with phone.running("com.example.late") as running:
        looking = asyncio.ensure_future(phone.device.webview(package="com.example.late", url=re.compile("late=1")))
        await running.facade.open_page("data:text/html,late=1")
        view = await looking
        assert view.url == "data:text/html,late=1"
        listed = await phone.device.webviews(package="com.example.late")
        assert sorted(each.url for each in listed) == ["about:blank", "data:text/html,late=1"]
        assert {each.pid for each in listed} == {running.app.pid}


async def test_the_shown_and_larger_one_of_several_webviews_counts(phone: Phone) -> None:
    async with phone.running("com.example.several", url="data:text/html,first") as running:
        first = (await phone.device.webview(package="com.example.several")).target_id
        banner = await running.facade.open_page("data:text/html,banner", width=400, height=50)
        view = await phone.device.webview(package="com.example.several")
        assert view.target_id == first
        running.facade.hide(first)
        view = await phone.device.webview(package="com.example.several")
        assert view.target_id == banner
        assert view.bounds is not None
        assert (view.bounds.width, view.bounds.height) == (400, 50)


@pytest.mark.slow
async def test_several_webviews_are_used_at_the_same_time(phone: Phone) -> None:
    async with phone.running(url=SHOP) as one, phone.running(url=SHOP) as other:
        views = [await phone.device.webview(package=each.app.package) for each in (one, other)]
        pages = await asyncio.gather(*(view.page() for view in views))
        results = await asyncio.gather(*(page.execute_sequence([Tap("#buy")]) for page in pages))
        assert [rows(result) for result in results] == [[("#state", "-", "bought")]] * 2
        with pytest.raises(WebViewAmbiguous, match="2 apps or processes have a WebView"):
            await phone.device.webview()


async def test_webviews_are_used_at_the_same_time_after_others_have_ended(phone: Phone) -> None:
    async with phone.running(url=SHOP) as one, phone.running(url=SHOP) as other:
        for each in (one, other):
            await (await phone.device.webview(package=each.app.package)).page()
    async with phone.running(url=SHOP) as one, phone.running(url=SHOP) as other:
        views = [await phone.device.webview(package=each.app.package) for each in (one, other)]
        pages = await asyncio.gather(*(view.page() for view in views))
        assert [await page.evaluate("document.title") for page in pages] == ["Shop", "Shop"]


async def test_processes_of_one_app_are_told_apart(phone: Phone) -> None:
    async with phone.running("com.example.split", url="data:text/html,main") as running:
        assert phone.chromium.info.endpoint is not None
        async with WebViewFacade(phone.chromium.info.endpoint, package="com.example.split") as web:
            await web.open_page("data:text/html,web")
            running.app.listen(SOCKET, web.port, process=":web")
            running.app.start(":web")
            names = {"NATIVE_APP", "WEBVIEW_com.example.split", "WEBVIEW_com.example.split:web"}
            assert set(await phone.device.contexts()) == names
            view = await phone.device.webview(package="com.example.split", process="web")
            assert (view.url, view.process) == ("data:text/html,web", "com.example.split:web")
            page = await phone.device.context("WEBVIEW_com.example.split")
            assert await page.evaluate("document.body.textContent") == "main"
            with pytest.raises(WebViewAmbiguous):
                await phone.device.webview(package="com.example.split")


async def test_contexts_of_appium(phone: Phone) -> None:
    with pytest.raises(OptionInvalid, match=r"NATIVE_APP.*device\.native"):
        await phone.device.context("NATIVE_APP")
    async with phone.running("com.example.shop"):
        with pytest.raises(OptionInvalid, match=r"WEBVIEW_com\.example\.shop"):
            await phone.device.context("WEBVIEW_com.example.shob")


@MILESTONES
async def test_an_app_that_starts_again_has_a_new_page_and_stale_refs(phone: Phone, milestone: int | None) -> None:
    async with phone.running("com.example.again", milestone=milestone, url=SHOP) as running:
        view = await phone.device.webview(package="com.example.again")
        page = await view.page()
        result = await page.execute_sequence([Tap("#buy")])
        ref = result.state_change.changed[0].ref
        pid = view.pid
        running.app.restart()
        with pytest.raises(AppKilled):
            await page.evaluate("new Promise(() => {})")
        again = await view.page()
        assert again is not page
        assert view.pid != pid
        failed = (await again.execute_sequence([Tap(f"ref={ref}")])).failed
        assert failed is not None
        assert failed.code == RefStale.code
        assert rows(await again.execute_sequence([SetValue("#name", "Ann")])) == [("#name", "", "Ann")]


@MILESTONES
async def test_a_webview_has_cookies_and_what_it_cannot_do_is_refused(phone: Phone, milestone: int | None) -> None:
    async with phone.running(milestone=milestone) as running:
        page = await (await phone.device.webview(package=running.app.package)).page()
        for refused in (page.browser.new_page(), page.browser.new_context()):
            with pytest.raises(UnsupportedByBrowser):
                await refused
        context = page.context
        await context.add_cookies([{"name": "a", "value": "1", "url": "https://shop.test/"}])
        assert [(each["name"], each["value"]) for each in await context.cookies()] == [("a", "1")]
        await context.clear_cookies()
        assert await context.cookies() == []
        await page.close()
        assert page.closed
        assert [each.url for each in await phone.device.webviews(package=running.app.package)] == ["about:blank"]


@pytest.mark.slow
async def test_a_window_that_a_page_opens_is_a_popup(phone: Phone) -> None:
    async with phone.running(url="data:text/html,<button onclick=window.open('about:blank')>open") as running:
        page = await (await phone.device.webview(package=running.app.package)).page()
        async with page.expect_popup() as popup:
            await page.click("text=open")
        assert await (await popup).opener() is page


@MILESTONES
async def test_a_sequence_waits_for_a_webview_that_its_app_makes_late(
    phone: Phone, milestone: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webview_transport, "LOOK_AGAIN_S", (0.4,))
    url = "data:text/html,<button onclick=window.open('about:blank')>open"
    async with phone.running(url=url, milestone=milestone) as running:
        page = await (await phone.device.webview(package=running.app.package)).page()
        result = await page.execute_sequence([Tap("text=open")])
        (new,) = result.new_targets
        assert [popup.target_id for popup in page.popups] == [new.target_id]
        assert result.stable


# -- browsers --------------------------------------------------------------------------------------


@pytest.mark.chrome("a tab in a new window of the shell is listed later than it is opened")
@pytest.mark.parametrize("milestone", sampled((None, 100), (100,)), ids=["modern", "100"])
async def test_tabs_of_chrome(phone: Phone, milestone: int | None) -> None:
    with pytest.raises(AppNotRunning, match="Chrome does not run on"):
        await phone.device.chrome()
    async with (
        stillframe.launch(port=0) as desktop,
        WebViewFacade(desktop.info.endpoint or "", kind="chrome", milestone=milestone) as facade,
    ):
        await facade.open_page(SHOP)
        chrome = phone.emulated.install(EmulatedApp("com.android.chrome"))
        chrome.listen("chrome_devtools_remote", facade.port)
        chrome.start()
        try:
            browser = await phone.device.chrome()
            assert [page.url for page in browser.pages] == [SHOP.replace("\n", "")] or browser.pages
            page = await phone.device.context("CHROMIUM")
            assert rows(await page.execute_sequence([Tap("#buy")])) == [("#state", "-", "bought")]
            async with await browser.new_page("data:text/html,<h1>new") as new:
                assert await new.evaluate("document.body.textContent") == "new"
            await browser.close()
        finally:
            chrome.kill()
            phone.emulated.uninstall("com.android.chrome")


# -- what bad input gets ---------------------------------------------------------------------------


async def test_an_app_without_a_webview_says_what_to_do(phone: Phone) -> None:
    package = "com.example.plain"
    with pytest.raises(AppNotRunning, match=package):
        await phone.device.webview(package=package, timeout_ms=QUICK_MS)
    app = phone.emulated.install(EmulatedApp(package, debuggable=False))
    app.start()
    try:
        with pytest.raises(NoDebuggableWebView, match="setWebContentsDebuggingEnabled") as raised:
            await phone.device.webview(package=package, timeout_ms=QUICK_MS)
        assert (raised.value.package, raised.value.pid, raised.value.debuggable) == (package, app.pid, False)
        with pytest.raises(NoDebuggableWebView, match="setWebContentsDebuggingEnabled"):
            await phone.device.webview(timeout_ms=0)
    finally:
        app.kill()
        phone.emulated.uninstall(package)


async def test_a_webview_without_a_page_that_matches_or_that_is_hidden_is_named(phone: Phone) -> None:
    async with phone.running("com.example.shop", url="data:text/html,home") as running:
        with pytest.raises(WebViewHasNoPages, match="data:text/html,home") as raised:
            await phone.device.webview(package="com.example.shop", url="**/cart", timeout_ms=QUICK_MS)
        assert raised.value.pages == ("data:text/html,home",)
        target_id = (await phone.device.webview(package="com.example.shop")).target_id
        running.facade.hide(target_id)
        with pytest.raises(TargetNotVisible, match="bring the app to the foreground"):
            await phone.device.webview(package="com.example.shop", timeout_ms=QUICK_MS)
        view = await phone.device.webview(package="com.example.shop", hidden=True)
        assert (view.target_id, view.visible) == (target_id, False)
        page = await view.page()
        assert await page.evaluate("1 + 1") == 2
        await running.facade.close_page(target_id)
        with pytest.raises(WebViewHasNoPages):
            await phone.device.webview(package="com.example.shop", timeout_ms=QUICK_MS)


@pytest.mark.serial
async def test_a_frozen_app_is_not_connected_to(phone: Phone) -> None:
    async with phone.running("com.example.iced") as running:
        running.app.freeze()
        began = time.monotonic()
        for _ in range(3):
            with pytest.raises(AppFrozen, match=r"com\.example\.iced.*bring the app to the front") as raised:
                await phone.device.webview(package="com.example.iced", timeout_ms=QUICK_MS)
        assert raised.value.pid == running.app.pid
        assert time.monotonic() - began < 9
        assert await phone.device.webviews(package="com.example.iced") == []
        # The device still works: nothing has filled the queue of the frozen app.
        assert (await phone.device.shell("echo fine")).text == "fine\n"
        running.app.thaw()
        running.app.start()
        assert (await phone.device.webview(package="com.example.iced")).url == "about:blank"


async def test_devices_that_cannot_be_used(adb_server: AdbServerProcess) -> None:
    address = adb_server.address
    with pytest.raises(NoDevices, match="USB debugging"):
        await android(adb_server=address)
    async with EmulatedDevice() as first, EmulatedDevice() as second:
        await adb_server.connect(first)
        await adb_server.connect(second)
        with pytest.raises(DeviceAmbiguous, match=re.escape(first.serial)) as ambiguous:
            await android(adb_server=address)
        assert {serial for serial, _ in ambiguous.value.devices} == {first.serial, second.serial}
        with pytest.raises(DeviceNotFound, match=re.escape(second.serial)):
            await android("emulator-5554", adb_server=address)
        await second.revoke_authorization()
        await adb_server.wait_for_state(second.serial, "unauthorized")
        with pytest.raises(DeviceUnauthorized, match=r"(?i)allow"):
            await android(second.serial, adb_server=address)
        await second.go_offline()
        await adb_server.wait_for_state(second.serial, "offline")
        with pytest.raises(DeviceOffline):
            await android(second.serial, adb_server=address)
        for device in (first, second):
            await adb_server.disconnect(device)


async def test_bad_arguments(phone: Phone) -> None:
    with pytest.raises(OptionInvalid, match="adb_server"):
        await android(adb_server="nonsense:port")
    with pytest.raises(OptionInvalid, match="observe"):
        await android(adb_server=phone.server.address, observe="closely")  # type: ignore[arg-type]
    with pytest.raises(OptionInvalid, match="would match no URL"):
        await phone.device.webview(url="cart")
    with pytest.raises(UrlRefused):
        await phone.device.launch_chrome("file:///etc/passwd")


# -- nothing is left ---------------------------------------------------------------------------------


async def test_the_environment_names_the_device(phone: Phone, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADB_SERVER_SOCKET", f"tcp:{phone.server.address}")
    monkeypatch.setenv("ANDROID_SERIAL", phone.emulated.serial)
    async with android() as device:
        assert (device.serial, device.info.sdk) == (phone.emulated.serial, 34)
        assert (await device.shell("getprop ro.product.model")).text == "Pixel 7\n"


async def test_context_options_apply_to_a_webview_and_nothing_stays_open_on_the_device(phone: Phone) -> None:
    async with phone.running(url=SHOP) as running:
        async with android(phone.emulated.serial, adb_server=phone.server.address, locale="de-CH") as device:
            page = await (await device.webview(package=running.app.package)).page()
            assert await page.evaluate("navigator.language") == "de-CH"
            await page.execute_sequence([TypeText("#name", "x")])
            assert running.facade.connections > 0
        assert await until(lambda: running.facade.connections == 0)


@pytest.mark.parametrize("devices", sampled((2, 4), (2,)))
async def test_several_devices_at_once(adb_server: AdbServerProcess, phone: Phone, devices: int) -> None:
    async with AsyncExitStack() as stack:
        pages = []
        assert phone.chromium.info.endpoint is not None
        for number in range(devices):
            emulated = await stack.enter_async_context(EmulatedDevice(model=f"Phone {number}"))
            await adb_server.connect(emulated)
            stack.push_async_callback(adb_server.disconnect, emulated)
            facade = await stack.enter_async_context(WebViewFacade(phone.chromium.info.endpoint))
            await facade.open_page(SHOP)
            app = emulated.install(EmulatedApp("com.example.shop"))
            app.listen(SOCKET, facade.port)
            app.start()
            device = await stack.enter_async_context(android(emulated.serial, adb_server=adb_server.address))
            assert device.info.model == f"Phone {number}"
            pages.append(await (await device.webview(package="com.example.shop")).page())
        results = await asyncio.gather(*(page.execute_sequence([Tap("#buy")]) for page in pages))
        assert [rows(result) for result in results] == [[("#state", "-", "bought")]] * devices


# -- the device itself -------------------------------------------------------------------------------


async def test_apps_start_and_stop(phone: Phone) -> None:
    app = phone.emulated.install(EmulatedApp("com.example.started"))
    try:
        await phone.device.start_app("com.example.started")
        assert app.running
        assert await phone.device.foreground_package() == "com.example.started"
        await phone.device.stop_app("com.example.started")
        assert not app.running
        with pytest.raises(AppNotRunning, match="not installed"):
            await phone.device.start_app("com.example.none")
    finally:
        phone.emulated.uninstall("com.example.started")


async def test_chrome_is_launched_with_a_socket_of_its_own(phone: Phone) -> None:
    assert phone.chromium.info.endpoint is not None
    async with WebViewFacade(phone.chromium.info.endpoint, kind="chrome") as facade:
        await facade.open_page(SHOP)
        installed = phone.emulated.install(chrome())
        installed.listen("chrome_devtools_remote", facade.port)
        try:
            async with android(phone.emulated.serial, adb_server=phone.server.address) as device:
                browser = await device.launch_chrome("https://shop.test/", args=["--lang=de"])
                page = await browser.active_page()
                assert page is not None
                assert rows(await page.execute_sequence([Tap("#buy")])) == [("#state", "-", "bought")]
                assert "--lang=de" in installed.command_line
                assert (await device.shell("cat /data/local/tmp/chrome-command-line", check=False)).returncode != 0
            assert not installed.running
        finally:
            phone.emulated.uninstall(installed.package)


async def test_pictures_of_a_webview_and_a_touch_while_it_is_hidden(
    phone: Phone, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with phone.running(url=SHOP) as running:
        view = await phone.device.webview(package=running.app.package)
        drawn = await view.screenshot()
        assert drawn.startswith(PNG)
        # A WebView that does not draw is cut from the screen, once it has had its time.
        monkeypatch.setattr(webview, "DRAWN_MS", 300)
        running.facade.hide(view.target_id)
        with pytest.raises(TargetNotVisible, match="bring the app to the foreground"):
            await view.screenshot()
        whole = await phone.device.screenshot()
        assert whole.startswith(PNG)
        assert drawn != whole
        running.facade.show(view.target_id, visible=True)
        page = await view.page()
        running.facade.hide(view.target_id)
        failed = (await page.execute_sequence([Tap("#buy", timeout_ms=500)])).failed
        assert failed is not None
        assert failed.code == "page_unresponsive"
        assert "its app is not in front" in failed.error


async def test_native_elements(phone: Phone) -> None:
    assert await phone.device.native.elements() == []
    await phone.device.native.press_key("BACK")
    assert phone.emulated.inputs[-1].kind == "keyevent"
