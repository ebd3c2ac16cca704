"""Sessions on WebViews: the name outlives the app's process, and calls find the page of its successor."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from phones import Phone, RunningApp
from shown import change, selectors
from stillframe import Session, Sessions, UrlPolicy
from stillframe.adb.android import android
from stillframe.adb.webview import WebView
from stillframe.errors import (
    AppKilled,
    AppNotRunning,
    OptionInvalid,
    RefStale,
    SessionUnknown,
    StillframeError,
    TransportLost,
    UrlRefused,
    WebViewHasNoPages,
)
from stillframe.model.actions import Click, Tap, WaitFor
from stillframe.model.result import SequenceResult
from stillframe.sessions.page_access import is_busy, on_lost

BOUND = 10.0
"""Seconds within which everything must end on a loaded machine; the goal is 1."""

PAGE = """data:text/html,<title>Shop</title><p id=state>-</p>
<button id=buy onclick="state.insertAdjacentHTML('afterend', '<p id=bought>bought')">Buy</button>"""


@pytest.fixture
async def sessions() -> AsyncIterator[Sessions]:
    async with Sessions() as sessions:
        yield sessions


@asynccontextmanager
async def opened(phone: Phone, sessions: Sessions, name: str = "phone") -> AsyncIterator[tuple[Session, RunningApp]]:
    """Run an app for the block, and open a session on its WebView."""
    async with phone.running(url=PAGE) as running:
        session = await sessions.open(name, webview=await view_of(phone, running))
        try:
            yield session, running
        finally:
            await session.close()


async def view_of(phone: Phone, running: RunningApp) -> WebView:
    return await phone.device.webview(package=running.app.package)


async def lost(session: Session) -> None:
    """Return when the session's page is gone."""
    gone: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    on_lost(session.page, lambda error: None if gone.done() else gone.set_result(error))
    async with asyncio.timeout(BOUND):
        await gone


async def busy(session: Session, waiting: int = 0) -> None:
    """Return when a call runs on the session's page, and `waiting` calls wait behind it."""
    async with asyncio.timeout(BOUND):
        # Two round trips after the ones at the start of the call.
        while not is_busy(session.page) or session.info().waiting < waiting:  # noqa: ASYNC110
            await asyncio.sleep(0)
        await session.page.cdp_session.drain_events()
        await session.page.cdp_session.drain_events()


async def code_of(call: asyncio.Task[SequenceResult]) -> str:
    """Return the code of a call's error, or of its failed action."""
    try:
        result = await call
    except StillframeError as error:
        return error.code
    assert result.failed is not None
    return result.failed.code


# -- after the app has ended -----------------------------------------------------------------------


async def test_a_session_attaches_again_after_its_app_has_started_again(
    phone: Phone, sessions: Sessions, caplog: pytest.LogCaptureFixture
) -> None:
    async with opened(phone, sessions) as (session, running):
        result = await session.execute_sequence([Tap("#buy")])
        ref = next(row.ref for row in change(result).appeared if row.selector == "#bought")
        assert (session.kind, session.info().state, session.reattached) == ("webview", "open", None)
        first, before = session.page, running.app.pid
        running.app.restart()
        await lost(session)
        info = session.info()
        assert (info.state, info.reattached) == ("lost", 0)
        assert str(before) in info.why
        with caplog.at_level(logging.WARNING, "stillframe.sessions"):
            result = await session.execute_sequence([Tap("#buy")])
        assert result.raise_for_failure().completed == 1
        assert isinstance(session.reattached, AppKilled)
        assert session.reattached.pid == before
        assert session.page is not first
        assert (session.page.session_name, first.session_name) == ("phone", None)
        assert (session.info().state, session.info().reattached) == ("open", 1)
        (record,) = (record for record in caplog.records if record.name == "stillframe.sessions")
        assert f"attached to WEBVIEW_{running.app.package} again; refs of before are stale" in record.getMessage()
        # Elements have new refs, and no ref of before means any of them.
        result = await session.execute_sequence([Tap(f"ref={ref}")], action_timeout_ms=300, heal=False)
        assert result.failed is not None
        assert result.failed.code == RefStale.code
        assert session.reattached is None


async def test_calls_that_wait_go_on_after_the_app_has_started_again(phone: Phone, sessions: Sessions) -> None:
    async with opened(phone, sessions) as (session, running):
        actions = [WaitFor(selector="#never", timeout_ms=60_000)]
        first = asyncio.create_task(session.execute_sequence(actions))
        second = asyncio.create_task(session.execute_sequence([Tap("#buy")]))
        third = asyncio.create_task(session.execute_sequence([WaitFor(selector="#bought")]))
        await busy(session, waiting=2)
        running.app.restart()
        assert await code_of(first) == AppKilled.code
        # In order, on one new page: the third call sees what the second one did.
        assert selectors(change(await second).appeared) == ["#bought"]
        assert (await third).failed is None
        assert session.info().reattached == 1


async def test_while_the_app_does_not_run_each_call_says_so_and_the_session_stays(
    phone: Phone, sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(phone, sessions) as (session, running):
        shorten(monkeypatch)
        running.app.kill()
        await lost(session)
        with pytest.raises(AppNotRunning, match=running.app.package):
            await session.execute_sequence([Tap("#buy")])
        assert (session.info().state, session.info().running) == ("lost", False)
        running.app.start()
        assert (await session.execute_sequence([Tap("#buy")])).failed is None


def shorten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `WebView.page` give up after some looks."""
    page = WebView.page

    async def soon(self: WebView, *, timeout_ms: float | None = 700.0) -> Any:
        return await page(self, timeout_ms=timeout_ms)

    monkeypatch.setattr(WebView, "page", soon)


async def test_a_pulled_cable_is_the_same_to_a_session(phone: Phone, sessions: Sessions) -> None:
    async with opened(phone, sessions) as (session, _):
        await phone.emulated.disconnect()
        await lost(session)
        await phone.emulated.reconnect()
        await phone.server.wait_for_state(phone.emulated.serial, "device")
        assert (await session.execute_sequence([Tap("#buy")])).failed is None
        assert isinstance(session.reattached, TransportLost)


async def test_a_view_that_the_app_replaces_is_found_again(phone: Phone, sessions: Sessions) -> None:
    async with opened(phone, sessions) as (session, running):
        await running.facade.open_page(PAGE)
        await running.facade.close_page(session.page.target_id)
        await lost(session)
        assert (await session.execute_sequence([Tap("#buy")])).failed is None
        assert session.info().reattached == 1


@pytest.mark.slow  # the tests above attach again as well
async def test_who_holds_the_lock_gets_the_page_of_now(phone: Phone, sessions: Sessions) -> None:
    async with opened(phone, sessions) as (session, running):
        running.app.restart()
        await lost(session)
        async with session.lock:
            assert await session.page.title() == "Shop"
            assert session.reattached is not None


# -- closing meanwhile -----------------------------------------------------------------------------


async def test_closing_ends_a_call_that_waits_for_the_app(phone: Phone, sessions: Sessions) -> None:
    async with opened(phone, sessions) as (session, running):
        running.app.kill()
        await lost(session)
        call = asyncio.create_task(session.execute_sequence([Tap("#buy")]))
        queued = asyncio.create_task(session.execute_sequence([Tap("#buy")]))
        async with asyncio.timeout(BOUND):
            while session.info().waiting < 1:  # noqa: ASYNC110
                await asyncio.sleep(0)
        async with asyncio.timeout(BOUND / 2):  # less than a WebView is awaited
            await session.close()
            for task in (call, queued):
                with pytest.raises(SessionUnknown, match="was closed by request"):
                    await task


@pytest.mark.slow  # test_sessions_ends.py has a cancelled call, and a test above an app that starts again
async def test_a_cancelled_call_that_waits_for_the_app_leaves_the_session_usable(
    phone: Phone, sessions: Sessions
) -> None:
    async with opened(phone, sessions) as (session, running):
        running.app.kill()
        await lost(session)
        call = asyncio.create_task(session.execute_sequence([Tap("#buy")]))
        async with asyncio.timeout(BOUND):
            while not session.info().running:  # noqa: ASYNC110
                await asyncio.sleep(0)
        call.cancel()
        await asyncio.wait([call])
        assert call.cancelled()
        running.app.start()
        assert (await session.execute_sequence([Tap("#buy")])).failed is None


async def test_the_webview_stays_and_can_have_another_session(phone: Phone, sessions: Sessions) -> None:
    async with phone.running(url=PAGE) as running:
        view = await view_of(phone, running)
        session = await sessions.open(webview=view)
        assert session.id == "webview-1"
        page = session.page
        with pytest.raises(OptionInvalid, match="already belongs to session 'webview-1'") as caught:
            await sessions.open("other", webview=await view_of(phone, running))
        assert caught.value.option == "webview"
        await session.close()
        assert (page.closed, page.session_name) == (False, None)
        assert (await sessions.open("other", webview=view)).page is page
        await sessions.close_session("other")


async def test_two_sessions_do_not_meet_on_one_page(phone: Phone, sessions: Sessions) -> None:
    async with phone.running(url=PAGE) as running:
        await running.facade.open_page(PAGE.replace("Shop", "Cart"))
        views = await phone.device.webviews(package=running.app.package)
        one, two = [await sessions.open(name, webview=view) for name, view in zip("ab", views, strict=True)]
        await running.facade.close_page(one.page.target_id)
        await lost(one)
        with pytest.raises(OptionInvalid, match="already belongs to session 'b'"):
            await one.execute_sequence([Tap("#buy")])
        assert (await two.execute_sequence([Tap("#buy")])).failed is None
        await sessions.close_sessions()


# -- options ---------------------------------------------------------------------------------------


async def test_a_url_is_loaded_in_the_webview(phone: Phone, sessions: Sessions) -> None:
    async with phone.running(url="about:blank") as running:
        session = await sessions.open(webview=await view_of(phone, running), url=PAGE)
        assert await session.page.title() == "Shop"
        await session.close()


async def test_options_without_a_meaning_are_refused_before_anything_happens(phone: Phone, sessions: Sessions) -> None:
    async with phone.running(url=PAGE) as running:
        view = await view_of(phone, running)
        for options, option, words in (
            ({"locale": "de-CH"}, "locale", r"pass it to android\(…\)"),
            ({"headless": True}, "headless", "has no effect"),
            ({"own_browser": True}, "webview", "own_browser and webview, not both"),
            ({"browser": phone.chromium}, "webview", "browser and webview, not both"),
            ({"own_context": False}, "own_context", "pass browser=…"),
        ):
            with pytest.raises(OptionInvalid, match=words) as caught:
                await sessions.open(webview=view, **options)  # type: ignore[arg-type]
            assert caught.value.option == option
        with pytest.raises(OptionInvalid, match="takes a WebView"):
            await sessions.open(webview="com.example.shop")  # type: ignore[arg-type]
        with pytest.raises(UrlRefused):
            await sessions.open(webview=view, url="file:///etc/passwd")
        assert view.target_id not in {page.target_id for page in phone.chromium.pages if page.session_name}
        assert sessions.list() == []


@pytest.mark.slow  # test_devices.py of the MCP server has a policy
async def test_sessions_with_a_policy_take_only_webviews_with_one(phone: Phone) -> None:
    policy = UrlPolicy(allowed_schemes=["https", "data"])
    async with Sessions(policy=policy) as sessions, phone.running(url=PAGE) as running:
        with pytest.raises(OptionInvalid, match="the webview has no policy"):
            await sessions.open("a", webview=await view_of(phone, running))
        async with android(phone.emulated.serial, adb_server=phone.server.address, policy=policy) as device:
            view = await device.webview(package=running.app.package)
            session = await sessions.open("a", webview=view)
            result = await session.execute_sequence([Tap("#buy")])
            assert selectors(change(result).appeared) == ["#bought"]
            await session.close()


@pytest.mark.slow  # test_sessions.py has the name of what cannot be opened
async def test_a_webview_that_cannot_be_opened_leaves_the_name_free(
    phone: Phone, sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with phone.running(url=PAGE) as running:
        view = await view_of(phone, running)
        shorten(monkeypatch)
        await running.facade.close_page(view.target_id)
        with pytest.raises(WebViewHasNoPages):
            await sessions.open("a", webview=view)
        await running.facade.open_page(PAGE)
        session = await sessions.open("a", webview=view)
        assert (await session.execute_sequence([Tap("#buy")])).failed is None
        await session.close()


# -- tabs ------------------------------------------------------------------------------------------


async def test_a_tab_in_the_default_context_closes_with_its_session(phone: Phone, sessions: Sessions) -> None:
    browser = phone.chromium
    session = await sessions.open(browser=browser, own_context=False, url=PAGE)
    assert (session.id, session.kind, session.context) == ("tab-1", "tab", browser.default_context)
    assert selectors(change(await session.execute_sequence([Click("#buy")])).appeared) == ["#bought"]
    page = session.page
    with pytest.raises(OptionInvalid, match="the default context is already open"):
        await sessions.open(browser=browser, own_context=False, locale="de-CH")
    with pytest.raises(OptionInvalid, match="pass browser="):
        await sessions.open(own_context=False)
    await session.close()
    assert page.closed
    assert not browser.closed
