"""A script given to `evaluate` that runs into its limit is ended, and the page goes on; its own scripts are not."""

from __future__ import annotations

import asyncio
import time

import pytest
from aiohttp import web

from site_server import Site
from stillframe.api.browser import Browser, Page
from stillframe.errors import CommandTimeout, EvaluationTimeout
from stillframe.tab.deadline import Deadline
from stillframe.tab.javascript import caller_scripts

LIMIT_S = 0.4
AT_ONCE_S = 0.5
ENDLESS = {
    "a loop": "(() => { for (;;); })()",
    "a loop after a promise": "(async () => { await 0; for (;;); })()",
    "a loop after a timer": "(async () => { await new Promise((done) => setTimeout(done, 50)); for (;;); })()",
    "microtasks": "new Promise(() => { (function again() { Promise.resolve().then(again) })() })",
    "a promise that is never settled": "new Promise(() => {})",
}


@pytest.mark.serial
@pytest.mark.parametrize("kind", ENDLESS)
async def test_it_is_ended_and_the_next_works_at_once(page: Page, kind: str) -> None:
    began = time.monotonic()
    with pytest.raises(EvaluationTimeout) as raised:
        await page.evaluate(ENDLESS[kind], timeout_ms=LIMIT_S * 1000)
    assert time.monotonic() - began < LIMIT_S + 1
    assert (raised.value.ended, raised.value.timeout_ms, raised.value.code) == (
        True,
        LIMIT_S * 1000,
        "evaluation_timeout",
    )
    began = time.monotonic()
    assert await page.evaluate("1 + 1", timeout_ms=2000) == 2
    assert time.monotonic() - began < AT_ONCE_S


async def test_where_nothing_ends_it_that_is_said(browser: Browser, site: Site) -> None:
    """Nothing ends a synchronous request while its server is silent."""
    never = asyncio.Event()

    async def silent(_: web.Request) -> web.Response:
        await never.wait()
        return web.Response()

    site.route("/silent", silent)
    page = await browser.new_page(site.html("/asks.html", "<p>"))
    ask = "(() => { const asked = new XMLHttpRequest(); asked.open('GET', '/silent', false); asked.send() })()"
    with pytest.raises(EvaluationTimeout, match="close the page") as raised:
        await page.evaluate(ask, timeout_ms=LIMIT_S * 1000)
    assert not raised.value.ended
    await page.close()
    assert page.closed


async def test_one_in_a_frame_of_the_same_process_is_ended(page: Page, site: Site) -> None:
    site.html("/frame.html", "<iframe srcdoc='<p>inner'></iframe>")
    await page.goto(site.url("/frame.html"))
    frame = list(page._tab.frames)[1]
    with pytest.raises(EvaluationTimeout) as raised:
        await caller_scripts.evaluate(frame, "(() => { for (;;); })()", deadline=Deadline(LIMIT_S))
    assert raised.value.ended
    assert await caller_scripts.evaluate(frame, "document.body.textContent.trim()", deadline=Deadline(2)) == "inner"


@pytest.mark.parametrize("where", ["page", "frame"])
async def test_a_loop_of_the_page_is_not_ended(page: Page, site: Site, where: str) -> None:
    begun, goes_on = asyncio.Event(), True

    async def more(_: web.Request) -> web.Response:
        begun.set()
        return web.Response(text="more" if goes_on else "")

    site.route("/more", more)
    loop = (
        "const ask = new XMLHttpRequest();"
        "do { ask.open('GET', '/more', false); ask.send() } while (ask.responseText === 'more'); done = 1"
    )
    site.html("/busy.html", f"<iframe srcdoc></iframe><script>setTimeout(() => {{ {loop} }}, 50)</script>")
    await page.goto(site.url("/busy.html"))
    await asyncio.wait_for(begun.wait(), 10)
    asked = page if where == "page" else page.frames[1]
    with pytest.raises(CommandTimeout) as raised:
        await asked.evaluate("1", timeout_ms=LIMIT_S * 1000)
    goes_on = False
    assert isinstance(raised.value, EvaluationTimeout)
    assert not raised.value.ended
    assert "of its own" in str(raised.value)
    assert await page.evaluate("done", timeout_ms=10000) == 1


async def test_nothing_is_left_of_a_script_that_was_given_up(page: Page) -> None:
    with pytest.raises(EvaluationTimeout):
        await page.evaluate("new Promise(() => {})", timeout_ms=100)
    session = page.cdp_session.session_id
    left = [method for _, method, of in page.cdp_session.channel.pending if of == session]
    assert "Runtime.evaluate" not in left
    assert "Runtime.getIsolateId" not in left


async def test_a_stall_of_our_loop_is_not_the_script_s_time(page: Page) -> None:
    asyncio.get_running_loop().call_later(0.05, time.sleep, 1.0)
    assert await page.evaluate("new Promise((done) => setTimeout(() => done(7), 200))", timeout_ms=600) == 7
