"""The synchronous API against a real browser. Tests are coroutines, so that a loop runs already, as in a notebook."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import stillframe
import stillframe.cdp
import stillframe.sync
from site_server import Site
from stillframe.errors import (
    AssertionFailed,
    ElementNotFound,
    HandleReleased,
    InputError,
    OptionInvalid,
    SessionLost,
    SessionUnknown,
    WaitTimeout,
)
from stillframe.testing import expect

pytestmark = pytest.mark.browser

BUTTON = "<button onclick='this.textContent = \"done\"'>go</button>"


@pytest.fixture(scope="module")
def sync_browser() -> Iterator[stillframe.sync.Browser]:
    with stillframe.sync.launch() as browser:
        yield browser


@pytest.fixture(scope="module")
def sync_context(sync_browser: stillframe.sync.Browser) -> Iterator[stillframe.sync.BrowserContext]:
    with sync_browser.new_context() as context:
        yield context


@pytest.fixture
def sync_page(sync_context: stillframe.sync.BrowserContext) -> Iterator[stillframe.sync.Page]:
    """A new page, the only one of its context."""
    with sync_context.new_page() as page:
        yield page
    for popup in sync_context.pages:
        popup.close()


def own_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("stillframe-sync")]


async def test_a_call_works_while_a_loop_runs_and_returns_the_values_of_the_asynchronous_api(
    sync_page: stillframe.sync.Page,
) -> None:
    assert asyncio.get_running_loop().is_running()
    sync_page.goto(f"data:text/html,{BUTTON}")
    result = sync_page.click("button")
    assert type(result) is stillframe.SequenceResult
    assert (result.completed, sync_page.locator("button").text()) == (1, "done")
    assert isinstance(sync_page.snapshot(), stillframe.Snapshot)


async def test_pages_of_a_server_load_from_another_thread(sync_page: stillframe.sync.Page, site: Site) -> None:
    url = site.html("/", BUTTON, title="served")

    def visit() -> str:
        sync_page.goto(url)
        return sync_page.title()

    assert await asyncio.to_thread(visit) == "served"


def test_one_page_has_one_object(sync_page: stillframe.sync.Page) -> None:
    assert sync_page.context.pages[0] is sync_page
    assert sync_page.browser.contexts[-1] is sync_page.context
    assert sync_page.main_frame == sync_page.frames[0]
    assert len({sync_page.main_frame, sync_page.frames[0]}) == 1
    assert sync_page.opener() is None


def test_a_popup_is_the_value_of_its_expectation(sync_page: stillframe.sync.Page) -> None:
    sync_page.goto("data:text/html,<button onclick='window.open(`about:blank`)'>open</button>")
    with sync_page.expect_popup() as popup:
        sync_page.click("button")
    assert popup.value.opener() is sync_page
    assert sync_page.popups == [popup.value]


def test_an_expectation_that_nothing_meets_raises_at_the_end_of_its_block(sync_page: stillframe.sync.Page) -> None:
    with pytest.raises(WaitTimeout, match="opened no tab"), sync_page.expect_popup(timeout_ms=50):
        pass
    with pytest.raises(ZeroDivisionError), sync_page.expect_popup():
        raise ZeroDivisionError
    with pytest.raises(KeyboardInterrupt), sync_page.expect_popup():
        raise KeyboardInterrupt
    assert sync_page.evaluate("1") == 1
    with pytest.raises(OptionInvalid, match="has not begun"):
        _ = sync_page.expect_popup().value


async def test_what_events_give_is_synchronous(sync_page: stillframe.sync.Page, site: Site) -> None:
    def use() -> None:
        context = sync_page.context
        sync_page.goto(site.html("/", ""))
        errors: list[object] = []
        context.on("weberror", lambda error: errors.append(error.page))
        with context.expect_event("weberror"), sync_page.expect_response("**/") as came:
            sync_page.evaluate("void (fetch('/'), setTimeout(() => { throw 1 }))")
        response = came.value
        assert came.is_done()
        assert response.request.response() is response
        assert response.request.page is sync_page
        assert response.frame == sync_page.main_frame
        assert response.request.sizes()["responseBodySize"] == len(response.body())
        sync_page.evaluate("void setTimeout(() => console.log('later'), 20)")
        assert sync_page.wait_for_event("console", lambda message: message.page is sync_page).text == "later"
        assert sync_page.console_messages()[-1].page is sync_page
        assert errors == [sync_page]

    await asyncio.to_thread(use)  # the site answers on this loop


async def test_routes_fetch_and_sockets_answer(sync_page: stillframe.sync.Page, site: Site) -> None:
    def use() -> None:
        def change(route: stillframe.sync.Route) -> None:
            response = route.fetch()
            route.fulfill(response=response, body=f"{response.text()} changed")

        sync_page.goto(site.html("/", ""))
        site.html("/data", "text")
        sync_page.route("**/data", change)
        assert sync_page.evaluate("fetch('/data').then(r => r.text())").endswith(" changed")
        assert sync_page.request.get(site.url("/data")).ok
        sync_page.route_web_socket("**/ws", lambda socket: socket.on_message(lambda text: socket.send(f"mine {text}")))
        talk = """new Promise(done => { const socket = new WebSocket('/ws'); socket.onopen = () => socket.send('a')
            socket.onmessage = event => done(event.data) })"""
        sync_page.goto(site.url("/"))
        assert sync_page.evaluate(talk) == "mine a"

    await asyncio.to_thread(use)  # the site answers on this loop


def test_errors_are_the_same_classes_and_name_the_caller(sync_page: stillframe.sync.Page) -> None:
    with pytest.raises(OptionInvalid, match="timeout_ms"):
        sync_page.title(timeout_ms=-1)
    with pytest.raises(stillframe.StillframeError) as caught:
        sync_page.locator("#none").text(timeout_ms=50)
    assert "test_sync.py" in str(caught.traceback[0].path)


def test_a_call_that_fails_raises_unless_check_is_false(sync_page: stillframe.sync.Page) -> None:
    sync_page.goto(f"data:text/html,{BUTTON}")
    with pytest.raises(ElementNotFound) as caught:
        sync_page.click("#none", action_timeout_ms=50)
    assert caught.value.result.failed.code == "element_not_found"
    failed = sync_page.locator("#none").click(action_timeout_ms=50, check=False).failed
    assert failed is not None
    actions = [stillframe.Click("button"), stillframe.Click("#none", timeout_ms=50)]
    with pytest.raises(ElementNotFound) as checked:
        sync_page.execute_sequence(actions, check=True)
    assert (checked.value.index, checked.value.result.completed) == (1, 1)
    assert sync_page.execute_sequence(actions).completed == 1


def test_defaults_of_time_limits_are_those_of_the_page(sync_page: stillframe.sync.Page) -> None:
    sync_page.context.set_default_navigation_timeout(60_000)
    sync_page.set_default_timeout(50)
    with pytest.raises(ElementNotFound, match=r"within 0\.05 s"):
        sync_page.click("#none")
    with pytest.raises(ElementNotFound, match=r"within 0\.05 s"):
        sync_page.locator("#none").text()
    with pytest.raises(WaitTimeout, match="within 50 ms"), sync_page.expect_popup():
        pass
    with pytest.raises(OptionInvalid, match="set_default_timeout"):
        sync_page.set_default_timeout(-1)
    sync_page.context.set_default_navigation_timeout(None)


def test_a_name_of_playwright_says_what_there_is(sync_page: stillframe.sync.Page) -> None:
    with pytest.raises(AttributeError, match=r"page\.settle\(\)"):
        sync_page.wait_for_timeout(500)  # type: ignore[attr-defined]


def test_handlers_may_call_methods_and_run_in_order(sync_page: stillframe.sync.Page) -> None:
    heard: list[tuple[str, object]] = []
    done = threading.Event()

    def listen(event: stillframe.cdp.Event) -> None:
        binding = event.decode()["payload"]
        heard.append((binding, sync_page.evaluate("1 + 1")))
        if binding == "9":
            done.set()

    remove = sync_page.cdp_session.on("Runtime.bindingCalled", listen)
    sync_page.cdp_session.call("Runtime.enable")
    sync_page.cdp_session.call("Runtime.addBinding", {"name": "report"})
    sync_page.evaluate("for (let i = 0; i < 10; i++) report(String(i))")
    assert done.wait(20)
    assert heard == [(str(number), 2) for number in range(10)]
    remove()


def test_a_function_on_the_loop_reads_but_makes_no_call(sync_page: stillframe.sync.Page) -> None:
    seen: list[object] = []

    def on_step(index: int, step: object) -> None:
        seen.append(sync_page.url)
        with pytest.raises(InputError, match="would wait for itself"):
            sync_page.title()
        seen.append(index)

    sync_page.goto(f"data:text/html,{BUTTON}")
    sync_page.execute_sequence([stillframe.Click("button")], on_step=on_step)
    assert seen == [sync_page.url, 0]


def test_a_handler_that_is_async_is_refused(sync_page: stillframe.sync.Page) -> None:
    async def handler(event: object) -> None: ...

    with pytest.raises(OptionInvalid, match="plain functions"):
        sync_page.cdp_session.on("Page.loadEventFired", handler)


def test_events_come_to_handlers_and_iterators(sync_page: stillframe.sync.Page) -> None:
    heard: list[tuple[str, object]] = []
    remove = sync_page.on("console", lambda message: heard.append((message.text, sync_page.evaluate("document.title"))))
    stream = sync_page.events("console")
    sync_page.evaluate("for (let i = 0; i < 5; i++) console.log(i)")
    for number, message in enumerate(stream):
        assert (type(message), message.text) == (stillframe.ConsoleMessage, str(number))
        if number == 4:
            break
    remove()
    sync_page.evaluate("console.log('late')")
    assert stream.get(10).text == "late"
    stream.close()
    assert [text for text, _ in heard] == [str(number) for number in range(len(heard))]


def test_handles_are_of_their_own_class_and_go_into_arguments(sync_page: stillframe.sync.Page) -> None:
    sync_page.evaluate("document.body.innerHTML = '<iframe></iframe>', 0")
    with sync_page.evaluate_handle("document.body") as body, sync_page.evaluate_handle("({ a: 1 })") as made:
        assert isinstance(body, stillframe.sync.ElementHandle)
        assert type(made) is stillframe.sync.JSHandle
        told = sync_page.evaluate("({ one: [a], two }) => [a.tagName, two.a]", {"one": [body], "two": made})
        assert told == ["BODY", 1]
        assert body.owner_frame() == sync_page.main_frame
        assert {name: handle.json_value() for name, handle in made.get_properties().items()} == {"a": 1}
        (frame,) = sync_page.query_selector_all("iframe")
        assert frame.content_frame().parent == sync_page.main_frame
    with pytest.raises(HandleReleased):
        body.inner_text()
    assert sync_page.wait_for_function("(n) => n + 1", 1).json_value() == 2


def test_a_handler_gets_synchronous_objects(sync_page: stillframe.sync.Page) -> None:
    popups: list[object] = []
    came = threading.Event()

    def opened(popup: stillframe.sync.Page) -> None:
        popups.append((popup.title(), popup.opener() is sync_page))
        came.set()

    sync_page.goto("data:text/html,<button onclick='window.open(`about:blank`)'>open</button>")
    sync_page.on("popup", opened)
    sync_page.click("button")
    assert came.wait(20)
    assert popups == [("", True)]


def test_a_route_of_two_values_gets_the_request(sync_page: stillframe.sync.Page, site: Site) -> None:
    def answer(route: stillframe.sync.Route, request: stillframe.sync.Request) -> None:
        route.fulfill(body=f"{request.method} {route.request.url == request.url}")

    sync_page.route("**/asked", answer)
    sync_page.goto(site.url("/asked"))
    assert sync_page.inner_text("body") == "GET True"
    sync_page.unroute("**/asked", answer)
    with sync_page.browser.new_page(locale="de-CH") as own:
        assert own.evaluate("navigator.language") == "de-CH"


def test_a_route_decides_and_may_call_the_page(sync_page: stillframe.sync.Page) -> None:
    def answer(route: stillframe.sync.Route) -> None:
        assert sync_page.evaluate("1 + 1") == 2
        route.fulfill(json={"path": route.request.url})

    def shop(route: stillframe.sync.Route) -> None:
        route.fulfill(body="<title>shop</title>", content_type="text/html")

    sync_page.route("http://shop.test/", shop)
    sync_page.route("**/api/*", answer)
    sync_page.goto("http://shop.test/")
    with sync_page.expect_response("**/api/cart") as response:
        assert sync_page.evaluate("fetch('/api/cart').then(r => r.json())") == {"path": "http://shop.test/api/cart"}
    assert type(response.value) is stillframe.sync.Response
    assert response.value.json() == {"path": "http://shop.test/api/cart"}
    with sync_page.expect_response(lambda each: each.status == 200) as second:
        sync_page.evaluate("fetch('/api/b').then(r => r.text())")
    assert second.value.url == "http://shop.test/api/b"
    sync_page.unroute("**/api/*", answer)
    with pytest.raises(OptionInvalid, match="no route"):
        sync_page.unroute("**/api/*", answer)


def test_an_exposed_function_returns_a_value_and_rejects_with_its_error(sync_page: stillframe.sync.Page) -> None:
    def double(number: int) -> int:
        return int(sync_page.evaluate("1")) * number * 2

    def fail() -> None:
        raise SystemExit("not the end of the loop")

    sync_page.expose_function("double", double)
    sync_page.expose_function("fail", fail)
    assert sync_page.evaluate("double(21)") == 42
    assert "not the end of the loop" in sync_page.evaluate("fail().catch(e => e.message)")
    assert sync_page.evaluate("double(1)") == 2


def test_a_download_is_waited_for(sync_page: stillframe.sync.Page, tmp_path: Path) -> None:
    sync_page.goto("data:text/html,<a download='a.txt' href='data:text/plain,hello'>save</a>")
    with sync_page.expect_download() as download:
        sync_page.click("a")
    assert download.value.suggested_filename == "a.txt"
    assert download.value.save_as(tmp_path / "kept.txt").read_text() == "hello"


def test_many_threads_call_at_once(sync_page: stillframe.sync.Page) -> None:
    found: list[object] = []

    def work(number: int) -> None:
        found.extend(sync_page.evaluate(f"{number}") for _ in range(5))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(found, key=str) == sorted([number for number in range(8) for _ in range(5)], key=str)


def test_sessions_take_pages_and_browsers(
    sync_browser: stillframe.sync.Browser, sync_page: stillframe.sync.Page
) -> None:
    titles: list[tuple[str, str]] = []

    def note(session: stillframe.sync.Session) -> None:
        titles.append((session.id, session.page.title()))

    with stillframe.sync.Sessions(on_close=note) as sessions:
        own = sessions.open("own", page=sync_page)
        other = sessions.open("other", browser=sync_browser)
        assert own.page is sync_page
        assert other.browser is sync_browser
        assert [info.session_id for info in sessions.list()] == ["own", "other"]
        results = sessions.parallel({"own": [stillframe.Reload()], "other": [stillframe.Reload()]})
        assert [type(each) for each in results.values()] == [stillframe.SequenceResult] * 2
        with pytest.raises(SessionUnknown, match="own"):
            sessions.get("owm")
    assert sorted(titles) == [("other", ""), ("own", "")]
    assert not sync_page.closed
    assert not sync_browser.closed


def test_what_a_session_browser_closes_does_not_stop_the_thread(sync_browser: stillframe.sync.Browser) -> None:
    with stillframe.sync.Sessions() as sessions:
        session = sessions.open(own_browser=True)
        session.browser.close()
        session.browser.close()
        assert session.state == "dead"
        with pytest.raises(SessionLost):
            session.execute_sequence([stillframe.Reload()])
    assert sync_browser.pages is not None


PRELUDE = """
import faulthandler, threading
faulthandler.dump_traceback_later(110, exit=True)
import stillframe, stillframe.sync
import stillframe.errors
from stillframe.errors import ConnectionLost
def threads():
    return [thread for thread in threading.enumerate() if thread.name.startswith("stillframe-sync")]
"""


ENDS = {
    "an_interrupt_ends_the_call_and_the_browser_stays": """
import os, signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job of a shell ignores it
browser = stillframe.sync.launch()
page = browser.new_page("about:blank")
page.cdp_session.on("Runtime.bindingCalled", lambda event: os.kill(os.getpid(), signal.SIGINT))
page.cdp_session.call("Runtime.enable")
page.cdp_session.call("Runtime.addBinding", {"name": "report"})
try:
    page.evaluate("report(''), new Promise(() => {})", timeout_ms=None)
except KeyboardInterrupt:
    pass
else:
    raise AssertionError
assert page.evaluate("2 + 2") == 4
""",
    "a_call_that_waits_ends_with_the_browser": """
raised = []
def wait():
    try:
        page.evaluate("new Promise(() => {})", timeout_ms=None)
    except ConnectionLost as error:
        raised.append(error)
waiter = threading.Thread(target=wait)
waiter.start()
page.evaluate("1")
browser.close()
waiter.join(20)
assert raised and not waiter.is_alive() and threads() == []
""",
    "a_failed_launch_leaves_nothing": """
try:
    stillframe.sync.launch(executable="/no/such/browser")
except stillframe.StillframeError:
    pass
else:
    raise AssertionError
try:
    stillframe.sync.launch(headles=True)
except stillframe.errors.OptionInvalid as error:
    assert "headless" in str(error)
try:
    stillframe.sync.Sessions(idle_ms=-1)
except stillframe.errors.OptionInvalid:
    pass
assert threads() == []
""",
    "nothing_is_left_and_late_calls_raise": """
with stillframe.sync.launch() as browser:
    page = browser.new_page("data:text/html,<title>still</title>")
    context = browser.new_context()
assert threads() == []
assert page.closed and page.url.startswith("data:")
for call in (page.title, lambda: page.locator("p").text(), browser.new_page, context.cookies,
             page.expect_popup().__enter__, page.main_frame.content):
    try:
        call()
    except ConnectionLost as error:
        assert "is closed" in str(error), error
    else:
        raise AssertionError(call)
page.close(), context.close(), browser.close(), browser.close()
""",
    "a_script_that_forgets_to_close_ends": """
page = stillframe.sync.launch().new_page("about:blank")
assert page.evaluate("6 * 7") == 42
""",
}
"""Scripts that each leave nothing behind; the second goes on with the browser of the first, and the last one forgets to
close its own."""


class Ended(NamedTuple):
    """What became of a process that ran the scripts."""

    code: int
    passed: list[str]
    said: list[str]


@pytest.fixture(scope="module")
def ended() -> Ended:
    """Run the scripts in one process, where no other browser keeps the thread; its start costs more than they do."""
    code = PRELUDE + "".join(f"{script}print({name!r}, flush=True)\n" for name, script in ENDS.items())
    done = subprocess.run([sys.executable, "-W", "default", "-c", code], capture_output=True, text=True, timeout=120)
    said = [line for line in done.stderr.splitlines() if "no-sandbox" not in line]
    return Ended(done.returncode, done.stdout.split(), said)


@pytest.mark.parametrize("name", ENDS)
@pytest.mark.every_row
def test_the_end(ended: Ended, name: str) -> None:
    assert name in ended.passed, ended.said


def test_the_process_ends_by_itself_and_says_nothing(ended: Ended) -> None:
    """The warning about root aside."""
    assert (ended.code, ended.said) == (0, [])


async def test_locators_take_locators(sync_page: stillframe.sync.Page) -> None:
    inner = "<iframe srcdoc='<b id=in>deep</b>'></iframe>"
    sync_page.goto(f"data:text/html,<ul><li id=a>x <button>Go</button></li><li id=b>y</li></ul>{inner}")
    rows = sync_page.locator("li")
    go = sync_page.get_by_role("button", name=re.compile("^go$", re.IGNORECASE))
    assert rows.filter(has=go).attribute("id") == "a"
    assert rows.filter(has_not=go).or_(go).all_inner_texts() == ["Go", "y"]
    assert sync_page.locator("ul").locator(rows.last).attribute("id") == "b"
    assert sync_page.frame_locator("iframe").get_by_text("deep").get_attribute("id") == "in"
    assert isinstance(sync_page.locator("iframe").content_frame.owner, stillframe.sync.Locator)


async def test_handlers_answer_dialogs_and_close_what_is_in_the_way(sync_page: stillframe.sync.Page) -> None:
    cover = "<div id=o style='position: fixed; inset: 0; background: white'><b id=c onclick='o.remove()'>x</b></div>"
    sync_page.set_content(f"<button id=b onclick='this.textContent = prompt(1)'>b</button>{cover}")
    sync_page.on("dialog", lambda dialog: dialog.accept(f"{dialog.type} {dialog.page is sync_page}"))
    sync_page.add_locator_handler(sync_page.locator("#o"), lambda _: sync_page.click("#c"))
    sync_page.click("#b")
    assert sync_page.locator("#b").text() == "prompt True"
    assert sync_page.screenshot(mask=[sync_page.locator("#b")]).startswith(b"\x89PNG")
    sync_page.keyboard.press("Tab")


async def test_assertions_block_and_are_those_of_the_asynchronous_api(sync_page: stillframe.sync.Page) -> None:
    sync_page.goto("data:text/html,<title>Shop</title>" + BUTTON)
    assert isinstance(expect(sync_page.locator("button")), stillframe.sync.LocatorAssertions)
    expect(sync_page).to_have_title("Shop")
    expect(sync_page.locator("button")).to_have_text("go")
    expect(sync_page.locator("button")).not_.to_have_text("done")
    sync_page.evaluate("void setTimeout(() => document.querySelector('button').click(), 50)")
    expect(sync_page.locator("button")).to_have_text("done")
    with pytest.raises(AssertionFailed, match="the button"):
        expect(sync_page.locator("button"), "the button").not_to_have_text("done", timeout_ms=1)
