"""Sessions in a real browser: names, separate storage, order within a session, parallel sessions."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web

from sampling import sampled
from shown import change, selectors
from site_server import Site
from stillframe import LoopGuard, LoopLimits, Session, Sessions, UrlPolicy
from stillframe.api.browser import Browser
from stillframe.errors import (
    ActionInvalid,
    ElementNotFound,
    InputError,
    LoopRefused,
    OptionInvalid,
    SelectorInvalid,
    SessionExists,
    SessionUnknown,
    StillframeError,
    UrlRefused,
)
from stillframe.model.actions import Click, Navigate, SetValue, WaitFor
from stillframe.model.result import SequenceResult
from stillframe.testing import Handler

BOTH = """<button id=open onclick="fetch('/open/%s').then(() => fetch('/gate/%s')).then(() =>
  document.body.insertAdjacentHTML('beforeend', '<p id=in>in'))">open</button>"""
"""A page that shows #in after a click in it and one in the other page, in either order."""
ECHO = "<input id=in><button id=go onclick='out.textContent = this.previousSibling.value'>go</button><p id=out>"


@pytest.fixture
async def sessions() -> AsyncIterator[Sessions]:
    async with Sessions() as sessions:
        yield sessions


def opener(site: Site, gate: str) -> Handler:
    """Respond to a request, and let through the requests that wait at a gate."""

    async def handler(_: web.Request) -> web.Response:
        site.open(gate)
        return web.Response(text="ok")

    return handler


async def opened(sessions: Sessions, browser: Browser, name: str | None = None, url: str | None = None) -> Session:
    """Open a session in the shared browser of all tests."""
    return await sessions.open(name, browser=browser, url=url)


async def test_w37_unknown_and_duplicate_ids_are_errors_before_anything_runs(
    sessions: Sessions, browser: Browser, site: Site
) -> None:
    await opened(sessions, browser, "checkout", site.url("/w03-three-buttons.html"))
    contexts = len(browser.contexts)
    with pytest.raises(SessionExists, match="'checkout' is already open"):
        await opened(sessions, browser, "checkout")
    with pytest.raises(SessionUnknown, match=r"did you mean 'checkout'\?\); open sessions: checkout"):
        await sessions.execute_sequence("chekout", [Click("#first")])
    with pytest.raises(SessionUnknown, match="open sessions: checkout"):
        await sessions.parallel({"checkout": [Click("#first")], "nobody": [Click("#first")]})
    assert len(browser.contexts) == contexts
    assert sessions.get("checkout").info().calls == 0
    assert await sessions.get("checkout").page.evaluate("document.getElementById('first-done')") is None


async def test_w37_two_that_open_the_same_name_at_once(sessions: Sessions, browser: Browser) -> None:
    outcomes = await asyncio.gather(*(opened(sessions, browser, "a") for _ in range(2)), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [Session, SessionExists]


async def test_a_name_is_free_again_when_opening_failed(sessions: Sessions, browser: Browser, site: Site) -> None:
    with pytest.raises(UrlRefused):
        await opened(sessions, browser, "a", "file:///etc/passwd")
    with pytest.raises(OptionInvalid, match="viewport"):
        await sessions.open("a", browser=browser, viewport="wide")
    with pytest.raises(SessionUnknown):
        sessions.get("a")
    await opened(sessions, browser, "a", site.url("/w20-static.html"))


async def test_sessions_have_their_own_cookies_and_storage(sessions: Sessions, browser: Browser, site: Site) -> None:
    url = site.url("/w20-static.html")
    one, two = await opened(sessions, browser, "one", url), await opened(sessions, browser, "two", url)
    await one.page.evaluate("document.cookie = 'who=one'; localStorage.setItem('who', 'one')")
    assert await two.page.evaluate("[document.cookie, localStorage.getItem('who')]") == ["", None]
    assert await one.page.evaluate("[document.cookie, localStorage.getItem('who')]") == ["who=one", "one"]


@pytest.mark.every_row
@pytest.mark.parametrize(("number", "turns"), sampled([(3, 2), (8, 3)], keep=[(3, 2)]))
async def test_several_at_once_do_not_mix(
    sessions: Sessions, browser: Browser, site: Site, number: int, turns: int
) -> None:
    url = site.html("/echo.html", ECHO)
    names = [f"s{each}" for each in range(number)]
    await asyncio.gather(*(opened(sessions, browser, name, url) for name in names))
    for turn in range(turns):
        outcomes = await sessions.parallel(
            {name: [SetValue("#in", f"{name}-{turn}"), Click("#go")] for name in names}, timeout_ms=20_000
        )
        for name, outcome in outcomes.items():
            assert isinstance(outcome, SequenceResult)
            told = {row.to for row in change(outcome).changed if row.field in ("textContent", "value")}
            assert told == {f"{name}-{turn}"}


async def test_w37_calls_in_one_session_run_one_after_the_other_in_order(
    sessions: Sessions, browser: Browser, site: Site
) -> None:
    log = "<script>const log = []; function add(text) { log.push(text) }</script>"
    buttons = "".join(f"<button id=b{number} onclick='add({number})'>{number}</button>" for number in range(6))
    session = await opened(sessions, browser, "a", site.html("/log.html", log + buttons))
    calls = [asyncio.create_task(session.execute_sequence([Click(f"#b{number}")])) for number in range(6)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert (session.info().running, session.info().waiting) == (True, 5)
    await asyncio.gather(*calls)
    assert await session.page.evaluate("log") == list(range(6))
    assert (session.info().running, session.info().waiting, session.info().calls) == (False, 0, 6)


async def test_w37_sessions_run_side_by_side(sessions: Sessions, browser: Browser, site: Site) -> None:
    """Each call ends only after a click in the other session, so neither could end if they ran one after the other."""
    for own, other in (("one", "two"), ("two", "one")):
        await opened(sessions, browser, own, site.html(f"/{own}.html", BOTH % (other, own)))
        site.route(f"/open/{other}", opener(site, other))
    actions = [Click("#open"), WaitFor(selector="#in")]
    outcomes = await sessions.parallel({"one": actions, "two": actions}, action_timeout_ms=20_000)
    assert [change(outcome).appeared[0].selector for outcome in outcomes.values()] == ["#in", "#in"]  # type: ignore[arg-type]


async def test_parallel_tells_the_outcome_of_each(sessions: Sessions, browser: Browser, site: Site) -> None:
    url = site.url("/w03-three-buttons.html")
    for name in ("good", "failing", "dead"):
        await opened(sessions, browser, name, url)
    await sessions.get("dead").page.close()
    outcomes = await sessions.parallel(
        {
            "good": [Click("#first")],
            "failing": {"actions": [Click("#nope")], "action_timeout_ms": 100, "verbose": True},
            "dead": [Click("#first")],
        },
        verbose=False,
    )
    good, failing, dead = outcomes.values()
    assert isinstance(good, SequenceResult)
    assert isinstance(failing, SequenceResult)
    assert selectors(change(good).appeared) == ["#first-done"]
    assert failing.failed is not None
    assert failing.failed.code == ElementNotFound.code
    assert (failing.steps is not None, good.steps) == (True, None)
    assert "session 'dead' is dead" in str(dead)


async def test_parallel_is_checked_as_a_whole_first(sessions: Sessions, browser: Browser, site: Site) -> None:
    for name in ("a", "b"):
        await opened(sessions, browser, name, site.url("/w03-three-buttons.html"))
    wrong: list[tuple[Any, type[Exception]]] = [
        ([], ActionInvalid),
        ([{"action": "clikc"}], ActionInvalid),
        ({"actoins": []}, ActionInvalid),
        ({"actions": [Click("#first")], "verbos": True}, OptionInvalid),
        (7, ActionInvalid),
    ]
    for each, error in wrong:
        with pytest.raises(StillframeError) as caught:
            await sessions.parallel({"a": [Click("#first")], "b": each})
        assert (type(caught.value), "session 'b'" in str(caught.value)) == (error, True), each
    assert sessions.get("a").info().calls == 0


async def test_a_bad_call_does_not_wait_for_a_long_one(sessions: Sessions, browser: Browser, site: Site) -> None:
    session = await opened(sessions, browser, "a", site.url("/w03-three-buttons.html"))
    async with session.lock:
        held = asyncio.create_task(sessions.execute_sequence("a", [{"action": "click_element"}]))
        with pytest.raises(ActionInvalid):
            await held
    with pytest.raises(SelectorInvalid):
        await session.execute_sequence([Click("role=[")])
    result = await session.execute_sequence([Click("#first")])
    assert selectors(change(result).appeared) == ["#first-done"]


async def test_who_holds_the_lock_acts_alone(sessions: Sessions, browser: Browser, site: Site) -> None:
    session = await opened(sessions, browser, "a")
    async with session.lock:
        other = asyncio.create_task(session.execute_sequence([Click("#third")]))
        await session.page.goto(site.url("/w03-three-buttons.html"))
        result = await session.execute_sequence([Click("#first")])
        assert selectors(change(result).appeared) == ["#first-done"]
        assert session.info().waiting == 1
    assert selectors(change(await other).appeared) == ["#third-done"]


async def test_a_page_answers_to_the_name_of_its_session(sessions: Sessions, browser: Browser, site: Site) -> None:
    session = await opened(sessions, browser, "a", site.url("/w03-three-buttons.html"))
    result = await session.page.execute_sequence([Click("#first")], session_id="a")
    assert selectors(change(result).appeared) == ["#first-done"]
    with pytest.raises(SessionUnknown, match="it belongs to session 'a'"):
        await session.page.execute_sequence([Click("#third")], session_id="b")


async def test_a_popup_leaves_the_session_on_its_page_until_it_switches(
    sessions: Sessions, browser: Browser, site: Site
) -> None:
    session = await opened(sessions, browser, "a", site.url("/w23-new-tab.html"))
    own = session.page
    result = await session.execute_sequence([Click("a")])
    (target,) = result.new_targets
    assert session.page is own
    assert [(tab.target_id, tab.current) for tab in session.info().tabs] == [
        (own.target_id, True),
        (target.target_id, False),
    ]
    switched = await session.switch(target.target_id)
    assert session.page is switched
    assert (own.session_name, switched.session_name) == (None, "a")
    assert change(await session.execute_sequence([Navigate(site.url("/w20-static.html"))])).url is not None
    await session.switch(own.target_id)
    with pytest.raises(OptionInvalid, match=f"no tab 'nope'.*its tabs: {own.target_id}"):
        await session.switch("nope")


async def test_each_session_has_a_loop_guard_of_its_own(browser: Browser, site: Site) -> None:
    async with Sessions(loops=lambda: LoopGuard(LoopLimits.pilo(3), mode="refuse")) as sessions:
        for name in ("looping", "other"):
            await opened(sessions, browser, name, site.url("/w05-no-op.html"))
        for _ in range(8):
            result = await sessions.execute_sequence("looping", [Click("button")])
        assert (result.failed and result.failed.code) == LoopRefused.code
        assert (await sessions.execute_sequence("other", [Click("button")])).failed is None
        session = sessions.get("looping")
        tab = await session.context.new_page(site.url("/w05-no-op.html"))
        first = session.page
        await session.switch(tab.target_id)
        assert (first.loop_guard, tab.loop_guard) == (None, session.loop_guard)
    with pytest.raises(OptionInvalid, match="loops takes LoopLimits"):
        Sessions(loops=3)  # type: ignore[arg-type]


async def test_a_policy_holds_for_every_session(browser: Browser, site: Site) -> None:
    async with Sessions(policy=UrlPolicy(allowed_hosts=("example.org",))) as sessions:
        with pytest.raises(UrlRefused):
            await opened(sessions, browser, "a", site.url("/w20-static.html"))
        session = await opened(sessions, browser, "a")
        with pytest.raises(UrlRefused):
            await session.execute_sequence([Navigate(site.url("/w20-static.html"))])
        async with await browser.new_context() as context, await context.new_page() as page:
            with pytest.raises(OptionInvalid, match="the page has no policy"):
                await sessions.open(page=page)


async def test_a_page_of_the_callers_stays_open(sessions: Sessions, browser: Browser, site: Site) -> None:
    async with await browser.new_context() as context, await context.new_page() as page:
        session = await sessions.open("mine", page=page, url=site.url("/w20-static.html"))
        other = await context.new_page()
        second = await sessions.open("second", page=other)
        assert (session.kind, session.pages, second.pages) == ("page", [page], [other])
        with pytest.raises(OptionInvalid, match="already belongs to session 'mine'"):
            await sessions.open(page=page)
        with pytest.raises(OptionInvalid, match="already open"):
            await sessions.open(page=await context.new_page(), locale="de-CH")
        await session.close()
        await session.close()
        assert not page.closed
        assert page.session_name is None
        assert (await sessions.open(page=page)).id == "page-1"


async def test_options_reach_the_pages(browser: Browser) -> None:
    async with Sessions(locale="de-CH", timezone="Asia/Tokyo") as sessions:
        session = await sessions.open(browser=browser, timezone="Europe/Zurich")
        told = await session.page.evaluate("[navigator.language, Intl.DateTimeFormat().resolvedOptions().timeZone]")
        assert told == ["de-CH", "Europe/Zurich"]


@pytest.mark.parametrize(
    ("options", "option"),
    [
        ({"locael": "de"}, "locael"),
        ({"headless": 7}, "headless"),
        ({"idle_ms": 0}, "idle_ms"),
        ({"idle_ms": -1}, "idle_ms"),
        ({"idle_ms": float("nan")}, "idle_ms"),
        ({"soft_limit": 0}, "soft_limit"),
    ],
)
def test_wrong_options_are_refused_when_the_sessions_are_made(options: dict[str, object], option: str) -> None:
    with pytest.raises(OptionInvalid) as caught:
        Sessions(**options)  # type: ignore[arg-type]
    assert caught.value.option == option


async def test_wrong_options_of_one_session(sessions: Sessions, browser: Browser) -> None:
    with pytest.raises(OptionInvalid, match="own_browser and browser, not both"):
        await sessions.open(own_browser=True, browser=browser)
    with pytest.raises(OptionInvalid, match=r"pass it to Sessions\(…\)"):
        await sessions.open(headless=True)
    with pytest.raises(OptionInvalid, match=r"did you mean 'locale'\?"):
        await sessions.open(browser=browser, locael="de")
    assert sessions.list() == []


@pytest.mark.slow  # test_registry.py has the warning
async def test_w38_the_sixth_session_is_warned_of_once_in_the_log(
    browser: Browser, caplog: pytest.LogCaptureFixture
) -> None:
    async with Sessions(soft_limit=2) as sessions:
        with caplog.at_level(logging.WARNING, "stillframe.sessions"):
            opened_ = [await opened(sessions, browser) for _ in range(4)]
        assert [session.warning.open if session.warning else None for session in opened_] == [None, None, 3, 4]
        assert [record.name for record in caplog.records] == ["stillframe.sessions"]


async def test_nothing_can_be_opened_after_the_end(browser: Browser) -> None:
    async with Sessions() as sessions:
        session = await opened(sessions, browser, "a")
    await sessions.close()
    with pytest.raises(InputError, match="are closed"):
        await sessions.open("b")
    with pytest.raises(SessionUnknown, match="was closed at the end of its block"):
        await session.execute_sequence([Click("#first")])
    with pytest.raises(SessionUnknown, match="was closed at the end of its block"):
        sessions.get("a")


# -- sessions beside others ------------------------------------------------------------------------


async def test_sessions_beside_others_share_the_browser_and_nothing_else(sessions: Sessions, site: Site) -> None:
    first = await sessions.open("same", url=site.html("/one", "<p>one</p>"))
    beside = sessions.beside()
    other = await beside.open("same", url=site.html("/other", "<p>other</p>"))
    assert other.page.context.browser is first.page.context.browser
    assert other.page.context is not first.page.context
    assert [info.url for info in sessions.list()] == [site.url("/one")]
    assert [info.url for info in beside.list()] == [site.url("/other")]
    await beside.close()
    assert await first.page.title() == ""
    with pytest.raises(InputError, match="these sessions are closed"):
        await beside.open()


async def test_the_end_of_the_sessions_is_that_of_those_beside_them() -> None:
    async with Sessions() as sessions:
        beside = sessions.beside()
        session = await beside.open()
        assert not sessions.list()
    assert session.page.context.browser.closed
    with pytest.raises(InputError, match="these sessions are closed"):
        sessions.beside()
    with pytest.raises(InputError, match="these sessions are closed"):
        await beside.open()
