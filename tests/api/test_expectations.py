"""Waiting for what a block causes, for URLs and documents, and the objects that these waits give."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from site_server import Site
from stillframe.api.browser import Page
from stillframe.api.expecting import Expectation, described
from stillframe.errors import OptionInvalid, SessionLost, WaitTimeout

LATER = "void setTimeout(() => { location.href = '/two' }, 20)"
SOCKET = """(url => {
    window.socket = new WebSocket(url)
    socket.onopen = () => socket.send('hello')
})"""


async def test_what_came_is_awaited_in_either_way(page: Page, site: Site) -> None:
    await page.goto(site.html("/", ""))
    async with page.expect_request("**/two") as request:
        assert not request.is_done()
        await page.evaluate("void fetch('/two')")
    assert request.is_done()
    assert await request.value is await request
    assert isinstance(request, Expectation)
    async with page.expect_popup() as popup:
        await page.evaluate("void window.open('/two')", user_gesture=True)
        assert await (await popup.value).opener() is page  # within the block as well
    await (await popup.value).close()


async def test_a_time_out_says_what_came_instead(page: Page, site: Site) -> None:
    await page.goto(site.html("/", ""))
    said = r"no request .* matched '\*\*/none' within 50 ms; 1 came .* GET .*/two"
    with pytest.raises(WaitTimeout, match=said) as told:
        async with page.expect_request("**/none", timeout_ms=50):
            await page.evaluate("fetch('/two')")
    assert told.value.came == (f"GET {site.url('/two')}",)
    assert "**/none" in told.value.awaited
    with pytest.raises(WaitTimeout, match=r"started no worker within 20 ms$"):
        async with page.expect_worker(timeout_ms=20):
            pass
    with pytest.raises(WaitTimeout, match=r"logged nothing that the function takes .* they were: 'a', 'b'"):
        async with page.expect_console_message(lambda message: message.text == "c", timeout_ms=50):
            await page.evaluate("console.log('a'), console.log('b')")


async def test_what_is_wrong_is_raised_at_once(page: Page) -> None:
    with pytest.raises(ZeroDivisionError):
        async with page.expect_console_message(lambda _: 1 / 0):
            await page.evaluate("console.log(1)")
    with pytest.raises(OptionInvalid, match="did you mean 'websocket'"):
        page.expect_event("websockets")
    with pytest.raises(OptionInvalid, match="not a function of the value"):
        page.expect_download("report.pdf")


@pytest.mark.parametrize(("value", "text"), [("x" * 200, f"{'x' * 118!r}"[:-2]), (7, "7")])
def test_any_value_is_one_line(value: object, text: str) -> None:
    assert described(value).startswith(text)
    assert len(described(value)) <= 120


async def test_a_navigation_gives_its_response(page: Page, site: Site) -> None:
    site.html("/two", "<title>two</title>")
    await page.goto(site.html("/", ""))
    async with page.expect_navigation("**/two") as arrived:
        await page.evaluate("history.pushState(0, '', '/here')")
        await page.evaluate(LATER)
    response = await arrived.value
    assert response is not None
    assert (response.status, response.url, page.url) == (200, site.url("/two"), site.url("/two"))
    async with page.main_frame.expect_navigation() as arrived:
        await page.evaluate("location.hash = 'x'")
    assert await arrived.value is None
    with pytest.raises(WaitTimeout, match=r"did not navigate to a URL that matches '.*/none'"):
        async with page.expect_navigation("**/none", timeout_ms=20):
            pass


async def test_a_url_is_awaited(page: Page, site: Site) -> None:
    site.html("/two", "")
    await page.goto(site.html("/", ""))
    await page.wait_for_url(site.url("/"))
    await page.evaluate(LATER)
    await page.wait_for_url("**/two")
    assert await page.evaluate("document.readyState") == "complete"
    await page.wait_for_url(re.compile("/t"))
    await page.wait_for_url(lambda url: url.endswith("two"))
    with pytest.raises(WaitTimeout, match=rf"no URL matched /none/ within 0.05 s; the page is at {site.url('/two')}"):
        await page.wait_for_url(re.compile("none"), timeout_ms=50)
    with pytest.raises(OptionInvalid, match=r"did you mean '\*\*/two'"):
        await page.wait_for_url("/two")


async def test_a_frame_has_waits_of_its_own(page: Page, site: Site) -> None:
    site.html("/inner", "")
    site.html("/next", "<img src='/gate/late?type=image/png'>")
    await page.goto(site.html("/", f"<iframe name=f src='{site.url('/inner', host='localhost')}'></iframe>"))
    frame = page.frame(name="f")
    assert frame is not None
    await frame.wait_for_load_state()
    await page.evaluate(f"void (document.querySelector('iframe').src = '{site.url('/next', host='localhost')}')")
    await frame.wait_for_url("**/next", until="domcontentloaded")
    with pytest.raises(WaitTimeout, match=r"'load' within 0.05 s"):
        await frame.wait_for_load_state(timeout_ms=50)
    site.open("late")
    await frame.wait_for_load_state()


@pytest.mark.parametrize(
    ("state", "said"), [("networkidle", r"await page\.settle\(\)"), ("laod", "did you mean 'load'")]
)
async def test_there_are_two_states_to_wait_for(page: Page, state: Any, said: str) -> None:
    await page.wait_for_load_state("domcontentloaded")
    with pytest.raises(OptionInvalid, match=said):
        await page.wait_for_load_state(state)


async def test_deferred_scripts_run_before_domcontentloaded(page: Page, site: Site) -> None:
    await page.goto(site.html("/", "<script defer src='/gate/script?type=text/javascript'></script>"), until="commit")
    with pytest.raises(WaitTimeout):
        await page.wait_for_load_state("domcontentloaded", timeout_ms=50)
    site.open("script")
    await page.wait_for_load_state("domcontentloaded")


@pytest.mark.parametrize(
    "wait",
    [lambda page: page.wait_for_url("**/none"), lambda page: page.wait_for_event("worker")],
    ids=["url", "event"],
)
async def test_waits_end_with_the_page(page: Page, wait: Callable[[Page], Coroutine[Any, Any, Any]]) -> None:
    other = await page.context.new_page()
    waiting = asyncio.create_task(wait(other))
    await asyncio.sleep(0)
    await other.close()
    with pytest.raises(SessionLost):
        await waiting


async def test_a_file_dialog_is_answered(page: Page, site: Site, tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("content")
    body = """<input type=file id=one style='display:none'><button onclick='one.click()'>Choose</button>
        <button id=free onclick="window.free = Object.assign(document.createElement('input'),
            {type: 'file', multiple: true}); free.click()">Choose more</button>"""
    await page.goto(site.html("/", body))
    async with page.expect_file_chooser() as asked:
        await page.click("text=Choose >> nth=0")
    chooser = await asked.value
    assert not chooser.is_multiple()
    assert await chooser.element.attribute("id") == "one"
    await chooser.set_files(file)
    assert await page.evaluate("one.files[0].name") == "a.txt"
    async with page.expect_file_chooser() as asked:
        await page.click("#free")
    chooser = await asked.value
    assert chooser.is_multiple()
    await chooser.set_files([file])
    assert await page.evaluate("free.files.length") == 1


async def test_messages_of_a_websocket_are_reported(page: Page, site: Site) -> None:
    await page.goto(site.html("/", ""))
    url = site.url("/ws?ms=0").replace("http", "ws")
    async with page.expect_websocket() as opened:
        await page.evaluate(f"{SOCKET}('{url}')")
    socket = await opened.value
    told: list[tuple[str, Any]] = []
    for name in ("framesent", "framereceived", "close"):
        socket.on(name, lambda value, name=name: told.append((name, value)))
    async with socket.expect_event("framereceived", lambda text: text in ("hello", "again")):
        await page.evaluate("socket.readyState === 1 && socket.send('again')")
    assert ("framereceived", "hello") in told or ("framereceived", "again") in told
    async with socket.expect_event("close"):
        await page.evaluate("socket.close()")
    assert socket.is_closed()
    assert told[-1] == ("close", socket)
    assert socket.url == url


async def test_a_worker_is_reported_and_evaluates(page: Page, site: Site) -> None:
    await page.goto(site.html("/", ""))
    async with page.expect_worker() as started:
        await page.evaluate("void (window.w = new Worker(URL.createObjectURL(new Blob(['self.x = 1']))))")
    worker = await started.value
    assert worker.url.startswith("blob:")
    assert page.workers == [worker]
    assert await worker.evaluate("typeof document") == "undefined"
    assert await worker.evaluate("async n => ({twice: n * 2})", 21) == {"twice": 42}
    with pytest.raises(OptionInvalid, match="not a JSON value"):
        await worker.evaluate("n => n", {1})
    told: list[Any] = []
    worker.once("close", told.append)
    page.workers[0].on("close", print)
    worker.remove_listener("close", print)
    with pytest.raises(OptionInvalid, match="is not a handler of close events"):
        worker.remove_listener("close", print)
    async with worker.expect_event("close"):
        await page.evaluate("w.terminate()")
    assert worker.closed
    assert told == [worker]
    assert page.workers == []


async def test_frames_and_documents_are_reported(page: Page, site: Site) -> None:
    site.html("/inner", "")
    await page.goto(site.html("/", ""))
    told: list[tuple[str, str]] = []
    for name in ("frameattached", "framenavigated", "framedetached", "domcontentloaded", "load"):
        page.on(name, lambda value, name=name: told.append((name, value.url.rpartition("/")[2])))
    await page.evaluate(
        "new Promise(done => { const f = document.createElement('iframe'); f.src = '/inner'; "
        "f.onload = () => { f.remove(); done() }; document.body.append(f) })"
    )
    await page.reload()
    await page.evaluate("history.pushState(0, '', '/here')")
    await page.evaluate("1")
    assert told == [
        ("frameattached", ""),
        ("framenavigated", "inner"),
        ("framedetached", "inner"),
        ("framenavigated", ""),
        ("domcontentloaded", ""),
        ("load", ""),
        ("framenavigated", "here"),
    ]


async def test_handlers_are_taken_back_by_their_names(page: Page) -> None:
    told: list[str] = []

    def heard(message: Any) -> None:
        told.append(message.text)

    page.on("console", heard)
    page.once("console", lambda message: told.append(f"once {message.text}"))
    for number in range(2):
        async with page.expect_console_message():
            await page.evaluate(f"console.log({number})")
    page.remove_listener("console", heard)
    async with page.expect_console_message():
        await page.evaluate("console.log('unheard')")
    assert sorted(told) == ["0", "1", "once 0"]
    with pytest.raises(OptionInvalid, match="is not a handler of console events"):
        page.remove_listener("console", heard)


async def test_what_happened_before_is_there(page: Page, site: Site) -> None:
    script = "console.log('early'); setTimeout(() => { throw new Error('boom') }); Promise.reject(new TypeError('no'))"
    async with page.context.expect_event("requestfinished", lambda request: "late" in request.url):
        await page.goto(site.html("/", f"<script>{script}; fetch('/late')</script>"))
    messages = [message for message in await page.console_messages() if message.source == "console-api"]
    assert [(message.text, message.page) for message in messages] == [("early", page)]
    assert {error.message for error in await page.page_errors()} == {"TypeError: no", "Error: boom"}
    assert [request.url for request in await page.requests() if "icon" not in request.url] == [
        site.url("/"),
        site.url("/late"),
    ]
    assert page.context.pages == [page]


async def test_a_context_tells_the_events_of_its_pages(page: Page, site: Site) -> None:
    context = page.context
    told: list[tuple[str, Any]] = []
    for name in ("request", "response", "weberror", "pageload", "pageclose"):
        context.on(name, lambda value, name=name: told.append((name, getattr(value, "page", value))))
    await page.goto(site.html("/", "<script>setTimeout(() => { throw 1 })</script>"))
    async with context.expect_event("pageload"):
        other = await context.new_page(site.url("/"))
    async with context.expect_console_message(lambda message: message.page is other) as message:
        await page.evaluate("console.log(1)")
        await other.evaluate("console.log(2)")
    assert (await message.value).text == "2"
    await other.close()
    for one in (page, other):
        assert {name for name, of in told if of is one} >= {"request", "response", "weberror", "pageload"}
    assert ("pageclose", other) in told
