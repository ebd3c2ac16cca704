"""What breaks in the middle of a sequence: the app, the cable, the adb server; the result names it within a second."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from phones import Phone, RunningApp
from stillframe.api.browser import Page
from stillframe.errors import AdbServerUnavailable, AppKilled, TransportLost
from stillframe.model.actions import Tap, WaitFor
from stillframe.model.result import SequenceResult

pytestmark = [pytest.mark.browser, pytest.mark.serial]

PAGE = "data:text/html,<button id=a onclick=this.textContent='tapped'>a</button>"
TAPPED = """new Promise(done => {
    const look = () => a.textContent === 'tapped' ? done(true) : setTimeout(look, 5)
    look()
})"""
NAMED_WITHIN_S = 1.0


@pytest.fixture
async def own_phone() -> AsyncIterator[Phone]:
    """A phone whose adb server a test may end."""
    async with Phone.connected() as phone:
        yield phone


async def broken(page: Page, break_it: Callable[[], Awaitable[object]]) -> tuple[SequenceResult, float]:
    """Run a sequence, break something while it waits, and return the result and how long it took to come."""
    running = asyncio.ensure_future(page.execute_sequence([Tap("#a"), WaitFor("#never", timeout_ms=20_000)]))
    await page.evaluate(TAPPED, timeout_ms=20_000)
    began = time.monotonic()
    await break_it()
    return await running, time.monotonic() - began


def check(result: SequenceResult, took: float, code: str) -> None:
    assert result.completed == 1
    assert result.failed is not None
    assert (result.failed.index, result.failed.code) == (1, code), result.failed
    assert took < NAMED_WITHIN_S


async def start(phone: Phone, running: RunningApp) -> Page:
    return await (await phone.device.webview(package=running.app.package)).page()


async def test_the_app_is_killed(phone: Phone) -> None:
    async with phone.running("com.example.killed", url=PAGE) as running:
        page = await start(phone, running)
        pid = running.app.pid

        async def kill() -> None:
            running.app.kill(reason="low memory")

        result, took = await broken(page, kill)
        check(result, took, "app_killed")
        assert result.failed is not None
        assert result.failed.data["package"] == "com.example.killed"
        assert result.failed.data["pid"] == pid
        with pytest.raises(AppKilled, match=r"com\.example\.killed"):
            await page.evaluate("1")


async def test_the_app_restarts(phone: Phone) -> None:
    async with phone.running("com.example.restarted", url=PAGE) as running:
        view = await phone.device.webview(package="com.example.restarted")
        page = await view.page()

        async def restart() -> None:
            running.app.restart()

        result, took = await broken(page, restart)
        check(result, took, "app_killed")
        assert await (await view.page()).evaluate("2") == 2


async def test_the_cable_is_pulled_and_put_back(phone: Phone) -> None:
    async with phone.running(url=PAGE) as running:
        view = await phone.device.webview(package=running.app.package)
        page = await view.page()
        result, took = await broken(page, phone.emulated.disconnect)
        check(result, took, "transport_lost")
        with pytest.raises(TransportLost, match="cable"):
            await page.evaluate("1")
        await phone.emulated.reconnect()
        await phone.server.wait_for_state(phone.emulated.serial, "device")
        assert await (await view.page()).evaluate("2") == 2


async def test_the_adb_server_is_killed(own_phone: Phone) -> None:
    async with own_phone.running(url=PAGE) as running:
        view = await own_phone.device.webview(package=running.app.package)
        page = await view.page()
        result, took = await broken(page, own_phone.server.stop)
        check(result, took, "adb_server_died")
        with pytest.raises(AdbServerUnavailable, match="start-server"):
            await own_phone.device.webviews()
        await own_phone.server.start()
        await own_phone.server.connect(own_phone.emulated)
        assert await (await view.page()).evaluate("2") == 2


async def test_the_webview_is_closed_by_its_app(phone: Phone) -> None:
    async with phone.running(url=PAGE) as running:
        page = await start(phone, running)

        async def close() -> None:
            await running.facade.close_page(page.target_id)

        result, took = await broken(page, close)
        check(result, took, "target_closed")
