"""What pages tell while they run: handlers, iteration, and waiting for what a block causes."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from cdp_support import Wired

from sampling import sampled
from site_server import Site
from stillframe.api.browser import Browser, Page
from stillframe.cdp_types import page as cdp_page
from stillframe.errors import (
    CommandTimeout,
    DownloadFailed,
    OptionInvalid,
    SessionLost,
    SubscriptionLagged,
    WaitTimeout,
)
from stillframe.model.events import ConsoleMessage, PageError, Request, RequestFailure, SourceLocation
from stillframe.tab.events.console import Console
from stillframe.tab.events.worker_debuggers import WorkerDebuggers
from stillframe.tab.network.responses import Response
from stillframe.testing import FrameLog

PATIENCE = 15.0

OTHER_PROCESS = pytest.mark.parametrize("host", sampled(("127.0.0.1", "localhost"), ("localhost",)))
"""Where a frame comes from. One of another process has a session of its own, so more can go wrong with it."""


def methods(wire: FrameLog) -> set[str]:
    return {method for method, *_ in wire.by_method()}


class Heard:
    """The values of one event, and a way to wait for them."""

    def __init__(self, page: Any, name: Any) -> None:
        self.all: list[Any] = []
        self._came = asyncio.Event()
        self.remove = page.on(name, self._take)

    def _take(self, value: Any) -> None:
        self.all.append(value)
        self._came.set()

    async def until(self, wanted: Callable[[Any], bool] = lambda _: True) -> Any:
        async with asyncio.timeout(PATIENCE):
            while True:
                for value in self.all:
                    if wanted(value):
                        return value
                self._came.clear()
                await self._came.wait()


# -- console -------------------------------------------------------------------------------------


async def test_console_messages_come_with_type_text_and_place(page: Page, site: Site) -> None:
    await page.goto(site.html("/", "<script>\nfunction say() {\n  console.warn('two', 2, {a: 1})\n}</script>"))
    console = Heard(page, "console")
    await page.evaluate("say()")
    message: ConsoleMessage = await console.until()
    assert (message.type, message.text, message.source) == ("warning", "two 2 {a: 1}", "console-api")
    assert message.location == SourceLocation(url=site.url("/"), line=3, column=11)
    assert message.timestamp_ms > 1.6e12


async def test_messages_from_before_are_not_told_again(page: Page) -> None:
    await page.evaluate("console.log('before')")
    console = Heard(page, "console")
    await page.evaluate("console.log('after')")
    assert (await console.until()).text == "after"


@OTHER_PROCESS
async def test_console_goes_on_in_other_documents_and_frames(page: Page, site: Site, host: str) -> None:
    site.html("/inner", "<script>console.info('in a frame')</script>")
    console = Heard(page, "console")
    await page.goto(site.html("/one", "<script>console.info('one')</script>"))
    site.html("/two", f"<script>console.info('two')</script><iframe src='{site.url('/inner', host=host)}'></iframe>")
    await page.goto(site.url("/two", host="localhost"))
    await console.until(lambda message: message.text == "in a frame")
    assert [m.text for m in console.all if m.source == "console-api"] == ["one", "two", "in a frame"]


@pytest.mark.slow  # the next test has the order that lost one
@pytest.mark.parametrize("rounds", sampled((1, 10), (1,)))
async def test_a_listener_hears_the_first_document_however_soon_it_comes(
    browser: Browser, site: Site, rounds: int
) -> None:
    """10 of 240 tabs missed it while messages before the reply to Console.enable counted as earlier ones."""
    url = site.html("/one", "<script>console.info('one')</script>")

    async def heard_first() -> str:
        page = await browser.new_page()
        console = Heard(page, "console")
        await page.goto(url)
        first = (await console.until()).text
        await page.close()
        return first

    for _ in range(rounds):
        assert await asyncio.gather(*(heard_first() for _ in range(4))) == ["one"] * 4


@pytest.mark.parametrize("navigated", [True, False])
async def test_what_comes_before_the_reply_is_earlier_unless_the_document_is_new(wired: Wired, navigated: bool) -> None:
    """What the test above waits for by chance, with the messages in the order that lost one."""
    session = await wired.session()
    wired.peer.hold("Console.enable", "Log.enable")
    told: list[ConsoleMessage] = []
    console = Console(lambda: [session], lambda _: [], WorkerDebuggers(), told.append)
    console.start()
    if navigated:
        frame = {"id": "F", "loaderId": "L", "url": "http://a/", "securityOrigin": "", "mimeType": "text/html"}
        wired.peer.emit("Page.frameNavigated", {"frame": frame, "type": "Navigation"}, session_id="S")
    for number in range(2):
        message = {"source": "console-api", "level": "info", "text": str(number)}
        wired.peer.emit("Console.messageAdded", {"message": message}, session_id="S")
        wired.peer.release("Console.enable")
        await session.drain_events()
    assert [message.text for message in told] == (["0", "1"] if navigated else ["1"])
    wired.peer.release("Log.enable")
    console.stop()
    await session.drain_events()


async def test_workers_have_a_console_too(page: Page, site: Site) -> None:
    await page.goto(site.html("/", ""))
    console = Heard(page, "console")
    await page.evaluate("void new Worker(URL.createObjectURL(new Blob([`console.log('in a worker')`])))")
    await console.until(lambda message: message.text == "in a worker")


async def test_reports_of_the_browser_arrive_as_well(page: Page, site: Site) -> None:
    console = Heard(page, "console")
    await page.goto(site.html("/", "<img src=/none.png>"))
    message = await console.until(lambda message: message.source == "network")
    assert (message.type, message.location.url) == ("error", site.url("/none.png"))
    assert "404" in message.text


async def test_a_page_cannot_tell_that_its_console_is_heard(browser: Browser, site: Site) -> None:
    # Everything that a page can see of its arguments being read; Runtime.enable would show in the last three.
    traps = """<script>
    function probe() {
      const seen = []
      const get = (name, value) => ({get() { seen.push(name); return value }})
      const spy = (object, name, value) => Object.defineProperty(object, name, get(name, value))
      const error = new Error('x')
      for (const name of ['stack', 'message', 'name']) spy(error, name, 's')
      console.debug(error)
      const ownKeys = () => (seen.push('keys'), [])
      const proxy = new Proxy({}, {get: (_, key) => void seen.push(`get ${String(key)}`), ownKeys})
      console.log(proxy)
      console.table(proxy)
      const list = [1]
      spy(list, 0, 1)
      console.log(list, spy({}, 'id', 1), spy(/x/, 'source', 'y'))
      Error.prepareStackTrace = () => (seen.push('prepared'), 'st')
      class Own extends Error { get name() { seen.push('own name'); return 'n' } }
      console.log(new Own('q'))
      console.trace(new Error('prepared'))
      delete Error.prepareStackTrace
      const names = Object.getOwnPropertyNames(globalThis).length
      return JSON.stringify([seen, names, String(console.log), console.log.name])
    }</script>"""
    async with await browser.new_context() as context:
        url = site.html("/", traps)
        seen = []
        for listens in (False, True):
            page = await context.new_page()
            errors = console = None
            if listens:
                console, errors = Heard(page, "console"), Heard(page, "pageerror")
            await page.goto(url)
            seen.append(await page.evaluate("probe()"))
            if console is not None:
                await console.until()
        assert seen[0] == seen[1]
        assert errors is not None


async def test_nothing_is_sent_while_nobody_listens_and_all_is_off_again(page: Page, site: Site) -> None:
    await page.goto(site.html("/", ""))
    await page.cdp_session.drain_events()
    with FrameLog(page.browser._connection) as wire:
        removers = [Heard(page, name).remove for name in ("request", "response", "dialog", "popup", "close", "crash")]
        for remove in removers:
            remove()
        assert not [frame for frame in wire.frames if frame.sent]
    console = Heard(page, "console")
    await page.evaluate("console.log(1)")
    await console.until()
    console.remove()
    console.remove()
    await page.cdp_session.drain_events()
    with FrameLog(page.browser._connection) as wire:
        await page.evaluate("console.log(2)")
        await page.cdp_session.drain_events()
        assert "Console.messageAdded" not in methods(wire)
    assert [message.text for message in console.all] == ["1"]


async def test_secrets_are_in_no_event(browser: Browser, site: Site) -> None:
    async with await browser.new_context(secrets={"key": "lantern-in-the-dark"}) as context:
        page = await context.new_page(site.html("/", ""))
        heard = [Heard(page, name) for name in ("console", "pageerror", "request")]
        await page.evaluate(
            "console.log('it is lantern-in-the-dark'); void Promise.reject(new Error('lantern-in-the-dark'));"
            "void fetch('/x?lantern-in-the-dark', {headers: {'x-key': 'lantern-in-the-dark'}})"
        )
        for one in heard:
            assert "lantern" not in repr(await one.until())


# -- errors --------------------------------------------------------------------------------------


async def test_uncaught_errors_and_rejections(page: Page, site: Site) -> None:
    errors = Heard(page, "pageerror")
    url = site.html("/", "<script>\nfunction fail() { null.x }\nsetTimeout(fail)</script><img src=/none.png>")
    await page.goto(url)
    error: PageError = await errors.until()
    assert error.message == "TypeError: Cannot read properties of null (reading 'x')"
    assert "at fail" in error.stack
    assert error.location is not None
    assert (error.location.url, error.location.line) == (url, 2)
    await page.evaluate("void Promise.reject(new RangeError('far')), void Promise.reject(7)")
    assert (await errors.until(lambda e: "far" in e.message)).message == "RangeError: far"
    assert (await errors.until(lambda e: e.message == "7")).stack == ""
    assert len(errors.all) == 3


@OTHER_PROCESS
async def test_errors_while_a_document_loads_and_in_frames(page: Page, site: Site, host: str) -> None:
    site.html("/inner", "<script>throw new Error('inner')</script>")
    errors = Heard(page, "pageerror")
    frame = f"<iframe src='{site.url('/inner', host=host)}'></iframe>"
    await page.goto(site.html("/", f"<script>throw new Error('outer')</script>{frame}"))
    await errors.until(lambda e: e.message == "Error: inner")
    await errors.until(lambda e: e.message == "Error: outer")
    assert len(errors.all) == 2


async def test_errors_of_a_document_that_is_there_until_the_listener_goes(page: Page, site: Site) -> None:
    await page.goto(site.html("/", ""))
    errors = Heard(page, "pageerror")
    await page.evaluate("void setTimeout(() => { throw new Error('one') })")
    await errors.until()
    errors.remove()
    await page.cdp_session.drain_events()
    with FrameLog(page.browser._connection) as wire:
        await page.evaluate(
            "new Promise(done => { setTimeout(() => { throw new Error('two') }); setTimeout(done, 20) })"
        )
        await page.cdp_session.drain_events()
        assert "Runtime.bindingCalled" not in methods(wire)
    again = Heard(page, "pageerror")
    await page.evaluate("void setTimeout(() => { throw new Error('three') })")
    await again.until()
    assert [error.message for error in (*errors.all, *again.all)] == ["Error: one", "Error: three"]


async def test_a_stack_is_not_read_where_the_page_would_notice(page: Page, site: Site) -> None:
    errors = Heard(page, "pageerror")
    body = """<script>let read = 0
    Error.prepareStackTrace = () => { read += 1; return 'mine' }
    setTimeout(() => { throw new Error('x') })</script>"""
    await page.goto(site.html("/", body))
    error = await errors.until()
    assert (error.message, error.stack) == ("Error: x", "")
    assert await page.evaluate("read") == 0


# -- requests ------------------------------------------------------------------------------------


async def test_requests_responses_and_bodies(page: Page, site: Site) -> None:
    async def answer(request: web.Request) -> web.Response:
        return web.json_response({"got": await request.text()}, headers={"X-Own": "1"})

    site.route("/save", answer)
    await page.goto(site.html("/", ""))
    requests, responses, ends = (Heard(page, name) for name in ("request", "response", "requestfinished"))
    await page.evaluate("fetch('/save', {method: 'POST', body: 'x=1', headers: {'X-Key': 'k'}}).then(r => r.text())")
    request: Request = await requests.until()
    assert (request.url, request.method, request.resource_type) == (site.url("/save"), "POST", "fetch")
    assert request.headers["x-key"] == "k"
    assert request.post_data == "x=1"
    assert (request.frame_id, request.is_navigation_request) == (page.target_id, False)
    response: Response = await responses.until()
    assert (response.status, response.ok, response.from_cache) == (200, True, False)
    assert response.headers["x-own"] == "1"
    assert response.request == request
    assert await response.json() == {"got": "x=1"}
    assert await ends.until() == request


async def test_a_body_is_waited_for_and_bounded_in_time(page: Page, site: Site) -> None:
    async def slow(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(b"first ")
        await site._gate("rest").wait()
        await response.write(b"last")
        return response

    site.route("/slow-body", slow)
    await page.goto(site.html("/", ""))
    async with page.expect_response("**/slow-body") as waiting:
        await page.evaluate("void fetch('/slow-body').then(r => r.text())")
    response = await waiting
    with pytest.raises(CommandTimeout, match="slow-body did not arrive"):
        await response.body(timeout_ms=50)
    site.open("rest")
    assert await response.text() == "first last"


async def test_redirects_failures_and_navigations(page: Page, site: Site) -> None:
    requests, responses, failures = (Heard(page, name) for name in ("request", "response", "requestfailed"))
    site.html("/end", "")
    await page.goto(site.url("/redirect?to=/end"))
    assert [(r.url, r.is_navigation_request) for r in requests.all[:2]] == [
        (site.url("/redirect?to=/end"), True),
        (site.url("/end"), True),
    ]
    assert [r.status for r in responses.all[:2]] == [302, 200]
    await page.evaluate("fetch('http://127.0.0.1:1/').catch(() => 0)")
    failed: RequestFailure = await failures.until()
    assert failed.request.url == "http://127.0.0.1:1/"
    assert failed.error.startswith("net::ERR_")


async def test_a_response_that_no_page_received_has_no_body() -> None:
    request = Request(id="1", url="http://x/", method="GET", resource_type="fetch", headers={})
    with pytest.raises(ValueError, match="not received from a page"):
        await Response(url="http://x/", status=200, status_text="OK", headers={}, request=request).body()


# -- other events --------------------------------------------------------------------------------


async def test_dialogs_popups_close_and_crash(browser: Browser, page: Page, site: Site) -> None:
    site.html("/popup", "popup")
    await page.goto(site.html("/", "<a href=/popup target=_blank>open</a>"))
    dialogs, popups = Heard(page, "dialog"), Heard(page, "popup")
    await page.evaluate("alert('hello')")
    assert (await dialogs.until()).message == "hello"
    await page.execute_sequence([{"action": "click_element", "selector": "a"}])
    popup = await popups.until()
    assert isinstance(popup, Page)
    assert await popup.opener() is page
    closes, crashes = Heard(popup, "close"), Heard(popup, "crash")
    await popup.close()
    assert await closes.until() is popup
    assert crashes.all == []
    crashed = Heard(page, "crash")
    page.cdp_session.post(cdp_page.Crash())
    assert await crashed.until() is page


async def test_downloads_are_handles(page: Page, site: Site, tmp_path: Path) -> None:
    await page.goto(site.html("/", "<a href='/download/a.txt?body=saved'>get</a>"))
    downloads = Heard(page, "download")
    async with page.expect_download() as waiting:
        await page.execute_sequence([{"action": "click_element", "selector": "a"}])
    download = await waiting
    assert (download.suggested_filename, download.url) == ("a.txt", site.url("/download/a.txt?body=saved"))
    assert (await download.path()).read_text() == "saved"
    saved = await download.save_as(tmp_path / "new" / "b.txt")
    assert saved.read_text() == "saved"
    with pytest.raises(OptionInvalid, match="is a directory"):
        await download.save_as(tmp_path)
    assert len(downloads.all) == 1


async def test_a_refused_download_says_so(browser: Browser, site: Site) -> None:
    async with await browser.new_context(downloads=False) as context:
        page = await context.new_page(site.html("/", "<a href='/download/a.txt'>get</a>"))
        async with page.expect_download() as waiting:
            await page.execute_sequence([{"action": "click_element", "selector": "a"}])
        with pytest.raises(DownloadFailed, match="cancelled"):
            await (await waiting).path()


@pytest.mark.parametrize("end", ["close", "stop"])
async def test_a_download_ends_with_its_context(browser: Browser, site: Site, end: str) -> None:
    async def slow(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Disposition": "attachment; filename=slow.bin"})
        await response.prepare(request)
        await response.write(b"x" * 1000)
        await asyncio.Event().wait()
        return response

    site.route("/slow.bin", slow)
    async with await browser.new_context() as context:
        page = await context.new_page(site.html("/", "<a href='/slow.bin'>get</a>"))
        async with page.expect_download() as waiting:
            await page.click("a", expect={"text": "get"})
        download = await waiting
        path = asyncio.create_task(download.path(timeout_ms=60_000))
        await asyncio.sleep(0)
        if end == "close":
            await context.close()
        else:
            context._release()  # as at the end of the browser
        with pytest.raises(DownloadFailed, match="cancelled"):
            await path
        assert download.report.state == "canceled"


# -- handlers and streams ------------------------------------------------------------------------


async def test_what_handlers_raise_is_logged_and_stops_nobody(page: Page, caplog: pytest.LogCaptureFixture) -> None:
    async def later(message: ConsoleMessage) -> None:
        raise RuntimeError(f"async {message.text}")

    def now(message: ConsoleMessage) -> None:
        raise RuntimeError(f"sync {message.text}")

    page.on("console", later)
    page.on("console", now)
    console = Heard(page, "console")
    with caplog.at_level(logging.ERROR, "stillframe.tab"):
        await page.evaluate("console.log('x')")
        await console.until()
        await asyncio.sleep(0)
    assert "async x" in caplog.text
    assert "sync x" in caplog.text


async def test_async_handlers_end_with_their_context(browser: Browser) -> None:
    ended = asyncio.Event()
    started = asyncio.Event()

    async def forever(_: ConsoleMessage) -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async with await browser.new_context() as context:
        page = await context.new_page()
        page.on("console", forever)
        await page.evaluate("console.log(1)")
        await started.wait()
    async with asyncio.timeout(PATIENCE):
        await ended.wait()


async def test_events_can_be_iterated_until_the_page_closes(browser: Browser) -> None:
    async with await browser.new_context() as context:
        page = await context.new_page()
        messages = page.events("console")
        await page.evaluate("console.log(1), console.log(2)")
        await page.cdp_session.drain_events()
        await page.close()
        assert [message.text async for message in messages] == ["1", "2"]


async def test_a_slow_reader_hears_that_it_lagged(page: Page) -> None:
    async with page.events("console", maxsize=2) as messages:
        await page.evaluate("for (let i = 0; i < 5; i++) console.log(i)")
        await page.cdp_session.drain_events()
        with pytest.raises(SubscriptionLagged) as lagged:
            await anext(messages)
        assert lagged.value.dropped == 3
        assert [(await anext(messages)).text for _ in range(2)] == ["3", "4"]


async def test_a_stream_that_nobody_holds_stops_listening(page: Page) -> None:
    await page.evaluate("0")
    stream = page.events("console")
    await page.evaluate("console.log(1)")
    async for message in stream:
        assert message.text == "1"
        break
    del stream
    with FrameLog(page.browser._connection) as wire:
        await page.evaluate("console.log(2)")
        assert "Console.messageAdded" not in methods(wire)


async def test_an_unknown_event_names_the_nearest(page: Page) -> None:
    with pytest.raises(OptionInvalid, match="did you mean 'console'"):
        page.on("consol", print)  # type: ignore[arg-type]
    with pytest.raises(OptionInvalid, match="maxsize"):
        page.events("console", maxsize=0)


# -- expecting -----------------------------------------------------------------------------------


async def test_expecting_by_glob_expression_and_function(page: Page, site: Site) -> None:
    await page.goto(site.html("/", ""))
    site.html("/a/b", "b")
    async with (
        page.expect_request("**/a/*") as glob,
        page.expect_request(re.compile(r"/a/b\?q=\d")) as expression,
        page.expect_response(lambda response: response.status == 200 and "q=1" in response.url) as function,
    ):
        await page.evaluate("void fetch('/a/b?q=1')")
    assert (await glob).url == (await expression).url == (await function).url == site.url("/a/b?q=1")


async def test_expecting_in_vain_names_what_was_waited_for(page: Page, site: Site) -> None:
    await page.goto(site.html("/", ""))
    with pytest.raises(WaitTimeout, match=r"no response of the page at .* matched '\*\*/never' within 30 ms"):
        async with page.expect_response("**/never", timeout_ms=30):
            pass
    with pytest.raises(WaitTimeout, match="began no download within 30 ms"):
        async with page.expect_download(timeout_ms=30):
            pass
    with pytest.raises(OptionInvalid, match=r"did you mean '\*\*/save'"):
        page.expect_request("/save")


async def test_expecting_ends_when_the_page_closes(browser: Browser) -> None:
    async with await browser.new_context() as context:
        page = await context.new_page()
        with pytest.raises(SessionLost):
            async with page.expect_download():
                await page.close()


async def test_an_error_of_the_block_is_not_taken_for_a_timeout(page: Page) -> None:
    with pytest.raises(TimeoutError, match="own"):
        async with page.expect_download(timeout_ms=30):
            raise TimeoutError("own")
