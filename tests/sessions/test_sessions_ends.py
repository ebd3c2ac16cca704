"""How sessions end: idle, closed, cancelled, killed. The call ends, other sessions continue, and nothing is left."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from typing import Any

import pytest

from shown import change, selectors
from site_server import Site
from stillframe import Session, Sessions
from stillframe.api.browser import Browser
from stillframe.cdp_types import page as cdp_page
from stillframe.errors import (
    CommandError,
    ConnectionLost,
    InputError,
    LaunchFailed,
    NavigationFailed,
    SessionUnknown,
    StillframeError,
    TargetClosed,
)
from stillframe.model.actions import Click, Navigate, WaitFor
from stillframe.model.result import SequenceResult
from stillframe.sessions.page_access import is_busy, on_lost

BOUND = 5.0
"""Seconds within which everything must end on a loaded machine; the goal is 0.3."""

FOREVER = {"actions": [WaitFor(selector="#never")], "action_timeout_ms": 60_000}


class Clock:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def sessions(clock: Clock) -> AsyncIterator[Sessions]:
    async with Sessions(clock=clock) as sessions:
        yield sessions


def forever(sessions: Sessions, name: str) -> asyncio.Task[SequenceResult]:
    """Start a call that never ends by itself."""
    return asyncio.create_task(sessions.execute_sequence(name, FOREVER["actions"], action_timeout_ms=60_000))


async def running(session: Session, waiting: int = 0) -> None:
    """Return when a call of the session runs, and `waiting` calls wait behind it."""
    async with asyncio.timeout(BOUND):
        # Two round trips after the ones at the start of the call.
        while not is_busy(session.page) or session.info().waiting < waiting:  # noqa: ASYNC110
            await asyncio.sleep(0)
        await session.page.cdp_session.drain_events()
        await session.page.cdp_session.drain_events()


async def gone(session: Session) -> None:
    """Return when the session's tab is gone."""
    ended = asyncio.get_running_loop().create_future()
    on_lost(session.page, lambda _: None if ended.done() else ended.set_result(None))
    async with asyncio.timeout(BOUND):
        await ended


# -- idle ------------------------------------------------------------------------------------------


async def test_w38_an_idle_session_is_closed_and_one_in_use_is_not(
    sessions: Sessions, clock: Clock, browser: Browser, site: Site
) -> None:
    url = site.url("/w03-three-buttons.html")
    idle, busy = await sessions.open("idle", browser=browser), await sessions.open("busy", browser=browser, url=url)
    first, second = forever(sessions, "busy"), asyncio.create_task(sessions.execute_sequence("busy", [Click("#first")]))
    await running(busy, waiting=1)
    clock.now += 1799
    assert await sessions.close_idle_sessions() == []
    clock.now += 1
    assert await sessions.close_idle_sessions() == ["idle"]
    assert idle.page.closed
    with pytest.raises(SessionUnknown, match="'idle' was closed after 1800 s without a call; open it again"):
        sessions.get("idle")
    clock.now += 10_000
    assert await sessions.close_idle_sessions() == []
    first.cancel()
    assert selectors(change(await second).appeared) == ["#first-done"]
    clock.now += 1799
    assert (await sessions.close_idle_sessions(), busy.info().idle_ms) == ([], 1_799_000)
    clock.now += 1
    assert await sessions.close_idle_sessions() == ["busy"]


async def test_a_page_used_past_its_session_keeps_it(
    sessions: Sessions, clock: Clock, browser: Browser, site: Site
) -> None:
    session = await sessions.open("a", browser=browser, url=site.url("/w03-three-buttons.html"))
    clock.now += 1000
    await session.page.execute_sequence([Click("#first")])
    clock.now += 1000
    assert await sessions.close_idle_sessions() == []
    clock.now += 1800
    assert await sessions.close_idle_sessions() == ["a"]


async def test_idle_sessions_close_by_themselves(browser: Browser) -> None:
    async with Sessions(idle_ms=50) as sessions:
        session = await sessions.open("a", browser=browser)
        await gone(session)
        with pytest.raises(SessionUnknown):
            sessions.get("a")


@pytest.mark.browser
async def test_the_shared_browser_is_launched_when_needed_and_closed_when_idle(
    sessions: Sessions, clock: Clock
) -> None:
    one, two = await asyncio.gather(sessions.open("one"), sessions.open("two"))
    assert one.browser is two.browser
    clock.now += 1000
    await sessions.close_sessions()
    assert (await sessions.open("three")).browser is one.browser
    await sessions.close_session("three")
    clock.now += 1800
    assert await sessions.close_idle_sessions() == []
    assert one.browser.closed
    assert (await sessions.open("four")).browser is not one.browser


# -- closing ---------------------------------------------------------------------------------------


async def test_closing_is_idempotent_and_frees_the_name(sessions: Sessions, browser: Browser) -> None:
    session = await sessions.open("a", browser=browser)
    contexts = len(browser.contexts)
    await asyncio.gather(
        sessions.close_session("a"), sessions.close_session("a"), session.close(), sessions.close_sessions()
    )
    await sessions.close_session("a")
    await session.close()
    assert len(browser.contexts) == contexts - 1
    assert (await sessions.open("a", browser=browser)).id == "a"
    await session.close()  # the earlier one of that name: the new one stays
    assert [info.session_id for info in sessions.list()] == ["a"]
    with pytest.raises(SessionUnknown, match="no session 'b' is open"):
        await sessions.close_session("b")


async def test_closing_ends_the_call_that_runs_and_those_that_wait(
    sessions: Sessions, browser: Browser, site: Site
) -> None:
    session = await sessions.open("a", browser=browser, url=site.url("/w20-static.html"))
    first, second = forever(sessions, "a"), forever(sessions, "a")
    await running(session, waiting=1)
    async with asyncio.timeout(BOUND):
        await sessions.close_session("a")
        assert _code(await _outcome(first)) == TargetClosed.code
        with pytest.raises(SessionUnknown, match="was closed by request"):
            await second


@pytest.mark.browser
async def test_the_end_of_the_block_ends_who_still_opens(site: Site) -> None:
    """With the browser or only the page still opening."""
    for own_browser in (False, True):
        async with Sessions() as sessions:
            opening = asyncio.create_task(sessions.open("a", own_browser=own_browser, url=site.url("/gate/never")))
            queued = asyncio.create_task(sessions.open("b", own_browser=own_browser, url=site.url("/gate/never")))
            await asyncio.sleep(0)
        for task in (opening, queued):
            with pytest.raises(InputError, match="was not opened: the block has ended"):
                await task


@pytest.mark.browser
async def test_an_end_that_is_cancelled_still_closes_everything() -> None:
    sessions = Sessions()
    session = await sessions.open("a")
    closing = asyncio.create_task(sessions.close())
    await asyncio.sleep(0)
    closing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await closing
    assert session.browser.closed


@pytest.mark.browser
async def test_opening_that_is_cancelled_leaves_nothing(sessions: Sessions, site: Site) -> None:
    opening = asyncio.create_task(sessions.open("a", url=site.url("/gate/never")))
    other = asyncio.create_task(sessions.open("b"))
    await asyncio.sleep(0)
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening
    browser = (await other).browser
    loading = asyncio.create_task(sessions.open("a", url=site.url("/gate/never")))
    async with asyncio.timeout(BOUND):
        while "/gate/never" not in site.requests:  # noqa: ASYNC110
            await asyncio.sleep(0)
    loading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await loading
    assert len(browser.contexts) == 2
    assert (await sessions.open("a")).id == "a"


@pytest.mark.slow  # test_sessions.py has the name of what cannot be opened
@pytest.mark.browser
async def test_what_cannot_be_opened_leaves_nothing(sessions: Sessions, site: Site) -> None:
    async with Sessions(executable="/bin/false") as broken:
        with pytest.raises(LaunchFailed):
            await broken.open("a")
        with pytest.raises(LaunchFailed):
            await broken.open("a")
    with pytest.raises(NavigationFailed):
        await sessions.open("a", url="http://127.0.0.1:1/")
    session = await sessions.open("a", url=site.url("/w20-static.html"))
    assert len(session.browser.contexts) == 2


# -- cancelling ------------------------------------------------------------------------------------


async def test_a_call_that_is_cancelled_leaves_the_session_usable(
    sessions: Sessions, browser: Browser, site: Site
) -> None:
    session = await sessions.open("a", browser=browser, url=site.url("/w03-three-buttons.html"))
    first, second, third = forever(sessions, "a"), forever(sessions, "a"), forever(sessions, "a")
    await running(session, waiting=2)
    second.cancel()
    first.cancel()
    await asyncio.wait([first, second])
    assert (first.cancelled(), second.cancelled()) == (True, True)
    await running(session)
    third.cancel()
    await asyncio.wait([third])
    result = await session.execute_sequence([Click("#first")])
    assert selectors(change(result).appeared) == ["#first-done"]
    assert (session.info().running, session.info().waiting) == (False, 0)


@pytest.mark.slow  # the test above has one call
async def test_parallel_that_is_cancelled_ends_all_and_leaves_them_usable(
    sessions: Sessions, browser: Browser, site: Site
) -> None:
    names = ("a", "b", "c")
    for name in names:
        await sessions.open(name, browser=browser, url=site.url("/w03-three-buttons.html"))
    task = asyncio.create_task(sessions.parallel(dict.fromkeys(names, FOREVER)))
    for name in names:
        await running(sessions.get(name))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert [info.running for info in sessions.list()] == [False] * 3
    outcomes = await sessions.parallel({name: [Click("#first")] for name in names})
    assert [selectors(change(result).appeared) for result in outcomes.values()] == [["#first-done"]] * 3  # type: ignore[arg-type]


# -- dying -----------------------------------------------------------------------------------------


@pytest.mark.browser
async def test_a_killed_browser_ends_all_calls_and_the_next_opening_launches_another(
    sessions: Sessions, site: Site
) -> None:
    first = await sessions.open("a", url=site.url("/w03-three-buttons.html"))
    second = await sessions.open("b")
    calls = [forever(sessions, "a"), forever(sessions, "a"), forever(sessions, "b")]
    await running(first, waiting=1)
    await running(second)
    os.kill(first.browser.info.pid or 0, signal.SIGKILL)
    async with asyncio.timeout(BOUND):
        outcomes = [await _outcome(call) for call in calls]
    assert [_code(outcome) for outcome in outcomes] == [ConnectionLost.code] * 3
    assert "session 'a' is dead" in str(outcomes[1])
    assert "close it and open it again" in str(outcomes[1])
    with pytest.raises(ConnectionLost, match=r"session 'b' is dead.*close it and open it again"):
        await sessions.execute_sequence("b", [Click("#first")])
    with pytest.raises(ConnectionLost, match="is dead"):
        async with first.lock:
            raise AssertionError("nobody gets in")
    assert [info.state for info in sessions.list()] == ["dead", "dead"]
    assert all("connection" in info.why for info in sessions.list())
    await sessions.close_session("a")
    again = await sessions.open("a", url=site.url("/w03-three-buttons.html"))
    assert again.browser is not first.browser
    assert selectors(change(await again.execute_sequence([Click("#first")])).appeared) == ["#first-done"]
    assert [info.state for info in sessions.list()] == ["dead", "open"]


async def test_a_session_with_a_browser_of_its_own_dies_alone(sessions: Sessions, browser: Browser, site: Site) -> None:
    own = await sessions.open("own", own_browser=True, window_size=(900, 700))
    other = await sessions.open("other", browser=browser, url=site.url("/w03-three-buttons.html"))
    assert (own.kind, len(own.browser.pages), own.browser is other.browser) == ("browser", 1, False)
    os.kill(own.browser.info.pid or 0, signal.SIGKILL)
    await gone(own)
    outcomes = await sessions.parallel({"own": [Click("#first")], "other": [Click("#first")]})
    assert isinstance(outcomes["own"], ConnectionLost)
    assert selectors(change(outcomes["other"]).appeared) == ["#first-done"]  # type: ignore[arg-type]
    await sessions.close_session("own")


async def test_a_session_whose_tab_was_closed_says_which_others_there_are(
    sessions: Sessions, browser: Browser, site: Site
) -> None:
    session = await sessions.open("a", browser=browser, url=site.url("/w03-three-buttons.html"))
    other = await session.context.new_page(site.url("/w03-three-buttons.html"))
    call, queued = forever(sessions, "a"), forever(sessions, "a")
    await running(session, waiting=1)
    await session.page.close()
    async with asyncio.timeout(BOUND):
        assert [_code(await _outcome(task)) for task in (call, queued)] == [TargetClosed.code] * 2
    with pytest.raises(TargetClosed, match=f"switch to another of its tabs \\({other.target_id}\\), or close it"):
        await session.execute_sequence([Click("#first")])
    assert session.info().state == "dead"
    await session.switch(other.target_id)
    assert selectors(change(await session.execute_sequence([Click("#first")])).appeared) == ["#first-done"]
    assert session.info().state == "open"


async def test_a_crashed_page_is_brought_back_by_a_navigation(sessions: Sessions, browser: Browser, site: Site) -> None:
    session = await sessions.open("a", browser=browser, url=site.url("/w03-three-buttons.html"))
    call = forever(sessions, "a")
    await running(session)
    with pytest.raises(CommandError):
        await session.page.cdp_session.send(cdp_page.Crash())
    async with asyncio.timeout(BOUND):
        await _outcome(call)
    assert session.info().state == "crashed"
    result = await session.execute_sequence([Navigate(site.url("/w20-static.html"))])
    assert (result.failed, session.info().state) == (None, "open")


async def _outcome(task: asyncio.Task[SequenceResult]) -> SequenceResult | StillframeError:
    try:
        return await task
    except StillframeError as error:
        return error


def _code(outcome: Any) -> str:
    """Return the code of a call's error, or of its failed action."""
    if isinstance(outcome, SequenceResult):
        assert outcome.failed is not None
        return outcome.failed.code
    return str(outcome.code)


async def test_on_close_sees_each_session_before_it_ends(browser: Browser, site: Site) -> None:
    seen: list[tuple[str, str]] = []

    async def closing(session: Session) -> None:
        seen.append((session.id, await session.page.title()))
        if session.id == "two":
            raise RuntimeError("not today")

    url = site.html("/start", "", title="Start")
    async with Sessions(on_close=closing) as sessions:
        for name in ("one", "two", "three"):
            await sessions.open(name, browser=browser, url=url)
        await sessions.close_session("one")
        assert seen == [("one", "Start")]
        await sessions.close_session("two")
        assert [info.session_id for info in sessions.list()] == ["three"]
    assert sorted(seen) == [("one", "Start"), ("three", "Start"), ("two", "Start")]
