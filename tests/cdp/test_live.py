"""What Chromium does at the ends of things: the reasons why the mux is as it is."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from cdp_support import Live, Piped

from patience import HANG_S
from stillframe import errors
from stillframe.cdp import CDPSession, Connection, wire
from stillframe.cdp_types import browser, dom_snapshot, page, runtime, target

pytestmark = pytest.mark.browser

FOREVER = runtime.Evaluate(expression="new Promise(() => {})", await_promise=True)
Launch = Callable[[], AbstractAsyncContextManager[Piped]]


async def error_of(future: asyncio.Future[object]) -> BaseException | None:
    async with asyncio.timeout(HANG_S):
        await asyncio.wait([future])
    return future.exception()


async def value(session: CDPSession, expression: str) -> object:
    result = await session.send(runtime.Evaluate(expression=expression, return_by_value=True))
    return result.result.value


async def test_a_renderer_crash_ends_what_chrome_leaves_unanswered_until_the_reload(live: Live) -> None:
    pending = [live.page.post(FOREVER), live.page.post(page.Crash())]
    for future in pending:
        assert isinstance(await error_of(future), errors.TargetCrashed)
    with pytest.raises(errors.TargetCrashed, match="reload, navigate or close"):
        await value(live.page, "1")
    assert isinstance(live.page.error, errors.TargetCrashed)
    await live.goto("data:text/html,again")
    assert live.page.error is None
    assert await value(live.page, "document.body.textContent") == "again"


async def test_a_closed_target_ends_its_pending_calls(live: Live) -> None:
    pending = live.page.post(FOREVER)
    await live.connection.root.send(target.CloseTarget(target_id=live.page.target_id))
    error = await error_of(pending)
    assert isinstance(error, errors.TargetClosed)
    assert live.page.target_id in str(error)
    assert live.page.session_id not in live.connection.sessions


async def test_detaching_ends_pending_calls_and_leaves_the_target(live: Live) -> None:
    target_id = live.page.target_id
    pending = live.page.post(FOREVER)
    await live.page.detach()
    assert isinstance(await error_of(pending), errors.SessionDetached)
    again = await live.connection.root.attach(target_id)
    assert await value(again, "1") == 1


async def test_a_navigation_loses_the_context(live: Live) -> None:
    await live.goto("data:text/html,one")
    pending = live.page.post(FOREVER)
    await live.goto("data:text/html,two")
    assert isinstance(await error_of(pending), errors.ContextLost)


async def test_contexts_that_are_gone_are_recognised_by_type(live: Live) -> None:
    frame = (await live.page.send(page.GetFrameTree())).frame_tree.frame
    world = await live.page.send(page.CreateIsolatedWorld(frame_id=frame.id))
    await live.goto("data:text/html,two")
    with pytest.raises(errors.ContextLost):
        await live.page.send(runtime.Evaluate(expression="1", context_id=world.execution_context_id))
    with pytest.raises(errors.ContextLost):
        await live.page.send(runtime.Evaluate(expression="1", unique_context_id="1.2"))
    with pytest.raises(errors.ContextLost):
        await live.page.send(
            runtime.CallFunctionOn(function_declaration="() => 1", execution_context_id=world.execution_context_id)
        )


async def test_an_unknown_method_and_bad_parameters_have_their_numbers(live: Live) -> None:
    for method, params, number in (("No.such", {}, -32601), ("Page.navigate", {"url": 5}, -32602)):
        with pytest.raises(errors.CdpError) as caught:
            await live.page.call(method, params)
        assert caught.value.number == number


async def test_a_session_chrome_does_not_know_is_a_lost_session(live: Live) -> None:
    live.page._prefixes["Page.enable"] = wire.prefix("Page.enable", "0123456789")
    with pytest.raises(errors.SessionLost):
        await live.page.send(page.Enable(), timeout=5)


async def test_the_largest_id_is_answered(live: Live) -> None:
    live.connection._mux.last_id = wire.MAX_ID - 2
    assert [await value(live.page, str(n)) for n in range(4)] == [0, 1, 2, 3]
    assert live.connection._mux.last_id < 10


async def test_a_dialog_holds_up_its_page_only_until_it_is_handled(live: Live) -> None:
    async with live.page.expect(page.JavascriptDialogOpening) as dialog:
        alert = live.page.post(runtime.Evaluate(expression="alert('hm'), 7", return_by_value=True))
    held = live.page.post(runtime.Evaluate(expression="1"))
    assert (dialog.value.type, dialog.value.message) == ("alert", "hm")
    assert (await live.connection.root.send(browser.GetVersion())).protocol_version == "1.3"
    assert not held.done()
    await live.page.send(page.HandleJavaScriptDialog(accept=True))
    assert (await alert).result.value == 7
    await held


async def test_a_handler_may_answer_the_dialog(live: Live) -> None:
    live.page.on(
        page.JavascriptDialogOpening,
        lambda event: live.page.post(page.HandleJavaScriptDialog(accept=True, prompt_text="typed")),
    )
    assert await value(live.page, "prompt('q') + confirm('c')") == "typedtrue"


async def test_an_endless_loop_ends_by_deadline_and_the_browser_still_answers(live: Live) -> None:
    with pytest.raises(errors.CommandTimeout):
        await live.page.send(runtime.Evaluate(expression="while (1);"), timeout=0.2)
    await live.page.send(runtime.TerminateExecution())
    assert await value(live.page, "1") == 1
    assert live.connection.pending == []


async def test_a_snapshot_is_the_bytes_of_its_result(live: Live) -> None:
    await live.goto("data:text/html,<p>hello")
    command = dom_snapshot.CaptureSnapshot(computed_styles=[])
    raw = await live.page.send_raw(command)
    typed = await live.page.send(command)
    assert bytes(raw).startswith(b'{"documents":[')
    assert "hello" in typed.strings


async def test_a_fence_comes_after_the_events_before_it(live: Live) -> None:
    heard: list[int] = []
    await live.page.send(runtime.Enable())
    live.page.on(runtime.ConsoleAPICalled, lambda event: heard.append(event.args[0].value))
    live.page.post(runtime.Evaluate(expression="for (let n = 0; n < 500; n++) console.log(n)"))
    await live.page.drain_events()
    assert heard == list(range(500))


async def test_a_flood_of_events_is_bounded_and_replies_come_through(live: Live) -> None:
    await live.page.send(runtime.Enable())
    with live.page.subscribe(runtime.ConsoleAPICalled, maxsize=10) as events:
        flood = "for (let n = 0; n < 20000; n++) console.log(n)"
        await live.page.send(runtime.Evaluate(expression=flood))
        assert await value(live.page, "1") == 1
        assert events.dropped == 20_000 - 10
        assert (await events.get()).args[0].value == 19_990


class Site(BaseHTTPRequestHandler):
    """A page with a frame from the other name of this machine, which has a worker."""

    def do_GET(self) -> None:
        port = self.server.server_address[1]
        body = f"<iframe src='http://localhost:{port}/frame'></iframe>"
        if self.path == "/frame":
            body = "<script>new Worker(URL.createObjectURL(new Blob(['console.log(6 * 7)'])))</script>inside"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def site_with_frame() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()
        thread.join()


async def test_frames_in_other_processes_and_their_workers_are_attached_and_run(
    live: Live, site_with_frame: str
) -> None:
    """127.0.0.1 and localhost are two sites, so the frame gets its own process."""
    found: asyncio.Queue[CDPSession] = asyncio.Queue()

    logged = asyncio.get_running_loop().create_future()

    def prepare(child: CDPSession) -> None:
        child.on(runtime.ConsoleAPICalled, lambda event: logged.set_result(event.args[0].value))
        child.post(runtime.Enable())
        found.put_nowait(child)

    await live.page.auto_attach(prepare)
    await live.goto(site_with_frame)
    async with asyncio.timeout(10):
        frame, worker = await found.get(), await found.get()
    assert (frame.target_type, worker.target_type) == ("iframe", "worker")
    assert frame.parent is live.page
    assert worker.parent is frame
    assert await value(frame, "document.body.textContent") == "inside"
    async with asyncio.timeout(10):
        assert await logged == 42  # so nothing of the worker ran before we heard it
    await worker.drain_events()
    pending = [frame.post(FOREVER), worker.post(FOREVER)]
    ended = [asyncio.get_running_loop().create_future() for _ in pending]
    frame.on_closed(ended[0].set_result)
    worker.on_closed(ended[1].set_result)
    await live.goto("data:text/html,elsewhere")
    async with asyncio.timeout(10):
        assert {type(await end) for end in ended} == {errors.TargetClosed}
    for future in pending:
        assert isinstance(await error_of(future), errors.TargetClosed | errors.ContextLost)
    assert live.page.children == []


async def test_text_with_lone_surrogates_reaches_us(live: Live) -> None:
    """A page may log or hold half a character; Chrome passes it on as it is."""
    await live.page.send(runtime.Enable())
    async with live.page.expect(runtime.ConsoleAPICalled) as logged:
        assert await value(live.page, "console.log('a\\udc00'), 'x\\ud800y'") == "x\ufffdy"
    assert logged.value.args[0].value == "a\ufffd"


async def test_auto_attach_from_the_browser_brings_new_pages(live: Live) -> None:
    found: asyncio.Queue[CDPSession] = asyncio.Queue()
    await live.connection.root.auto_attach(found.put_nowait, filter=[target.FilterEntry(type="page")])
    created = await live.connection.root.send(target.CreateTarget(url="about:blank"))
    async with asyncio.timeout(HANG_S):
        while (session := await found.get()).target_id != created.target_id:
            pass
    assert await value(session, "1") == 1
    await live.connection.root.send(target.CloseTarget(target_id=created.target_id))


@pytest.mark.serial
async def test_the_death_of_the_browser_ends_everything_at_once(pipe_browser: Launch) -> None:
    async with pipe_browser() as (connection, process):
        session = await page_of(connection)
        pending = [session.post(FOREVER), connection.root.post(target.GetTargets(), timeout=None)]
        await connection.root.drain_events()
        os.kill(process.pid, signal.SIGKILL)
        loop = asyncio.get_running_loop()
        begin = loop.time()
        assert isinstance(await error_of(pending[0]), errors.ConnectionLost)
        assert loop.time() - begin < 0.3 * 10  # ten times the promise: the machine may be busy
        with pytest.raises(errors.ConnectionLost, match="closed the pipe"):
            await session.send(page.Enable())


async def test_closing_the_pipe_ends_the_browser(pipe_browser: Launch) -> None:
    async with pipe_browser() as (connection, process):
        session = await page_of(connection)
        assert await value(session, "6 * 7") == 42
    assert process.returncode == 0


async def test_large_messages_pass_the_pipe_both_ways(pipe_browser: Launch) -> None:
    async with pipe_browser() as (connection, _):
        session = await page_of(connection)
        text = "é" * 3_000_000
        await session.send(runtime.Evaluate(expression=f"window.big = '{text}'; 1"))
        assert await value(session, "window.big") == text


async def page_of(connection: Connection) -> CDPSession:
    created = await connection.root.send(target.CreateTarget(url="about:blank"))
    return await connection.root.attach(created.target_id)
