"""Android devices without `await`: the same names, in a thread of their own."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import stillframe.sync
from phones import Phone, RunningApp
from stillframe import Tap
from stillframe.errors import AppKilled, ConnectionLost, OptionInvalid

SHOP = """data:text/html,<title>Shop</title><p id=state>-</p>
<button id=buy onclick="state.textContent = 'bought'">Buy</button>"""


def opened(phone: Phone) -> stillframe.sync.AndroidDevice:
    return stillframe.sync.android(phone.emulated.serial, adb_server=phone.server.address)


def use_forever(page: stillframe.sync.Page) -> None:
    while True:
        page.evaluate("1")


async def test_a_webview_is_driven_without_asyncio(phone: Phone) -> None:
    def drive(package: str) -> list[Any]:
        with opened(phone) as device:
            view = device.webview(package=package)
            page = view.page()
            assert type(page) is stillframe.sync.Page
            assert view.page() is page
            assert [each.url for each in device.webviews(package=package)] == [view.url]
            assert device.context(view.context_name) is page
            assert device.info.model == "Pixel 7"
            assert device.adb.shell("echo hello").stdout == b"hello\n"
            assert not hasattr(device.adb, "open")
            device.native.press_key("BACK")
            return [row.to for row in page.execute_sequence([Tap("#buy")]).state_change.changed]

    async with phone.running(url=SHOP) as running:
        assert await asyncio.to_thread(drive, running.app.package) == ["bought"]
    assert phone.emulated.inputs[-1].kind == "keyevent"


async def test_a_session_finds_the_app_again(phone: Phone) -> None:
    def drive(running: RunningApp) -> None:
        with opened(phone) as device, stillframe.sync.Sessions() as sessions:
            view = device.webview(package=running.app.package)
            session = sessions.open(webview=view)
            session.execute_sequence([Tap("#buy")])
            loop.call_soon_threadsafe(running.app.restart)
            with pytest.raises(AppKilled):
                use_forever(session.page)
            result = session.execute_sequence([Tap("#buy")])
            assert result.failed is None
            assert isinstance(session.reattached, AppKilled)
            assert session.page is view.page()

    loop = asyncio.get_running_loop()
    async with phone.running(url=SHOP) as running:
        await asyncio.to_thread(drive, running)


async def test_after_the_end_calls_say_so(phone: Phone) -> None:
    def drive() -> None:
        device = opened(phone)
        device.close()
        device.close()
        assert device.serial == phone.emulated.serial
        with pytest.raises(ConnectionLost):
            device.webviews()
        with pytest.raises(OptionInvalid):
            stillframe.sync.android(adb_server="nowhere")

    await asyncio.to_thread(drive)
