"""`settle="virtual"`: the same deltas as `causal`, in less time, and a page that stands still between calls."""

from __future__ import annotations

import asyncio
import itertools
import re

import pytest
from aiohttp import web

import stillframe
from drawing import FRAMES_PER_S, draw_frames
from sampling import sampled
from shown import change, selectors
from site_server import Site
from stillframe.api.browser import Browser, Page
from stillframe.demo.shop import PASSWORD, USER, Shop
from stillframe.errors import OptionInvalid
from stillframe.model.actions import Click, Navigate, SetValue, TypeText
from stillframe.model.result import SequenceResult
from stillframe.model.secret import Secret

pytestmark = pytest.mark.desktop  # a browser lets a page's clock be taken only if it was launched so

HELD_FRAMES = FRAMES_PER_S // 2
"""How many frames a page draws while it has to stand still; bench/virtual.py looks for a minute."""


@pytest.fixture
def browser(virtual_time_browser: Browser) -> Browser:
    """The browser of these tests."""
    return virtual_time_browser


ADD = "const add = (id) => { const p = document.createElement('p'); p.id = id; p.textContent = id; out.append(p); };"

CHAIN = f"""<button id=go>go</button><button id=nothing>no</button><div id=out></div><script>{ADD}
go.onclick = () => {{
  let links = 0;
  const link = () => {{ add('link' + ++links); if (links < 10) setTimeout(link, 300); }};
  setTimeout(link, 300);
  fetch('/slow?ms=400').then((reply) => reply.text()).then(() => add('fetched'));
}};</script>"""

CHANNELS = f"""<style>#box {{ width: 10px; height: 10px; transition: width 200ms }} #box.wide {{ width: 90px }}</style>
<button id=go>go</button><button id=nothing>no</button><div id=box></div><div id=out></div><script>{ADD}
const socket = new WebSocket(`ws://${{location.host}}/ws?ms=200`);
socket.onopen = () => add('open');
socket.onmessage = () => add('reply');
new EventSource('/pushes').onmessage = ({{ data }}) => data === 'pushed' && add('pushed');
const worker = new Worker(URL.createObjectURL(new Blob(['onmessage = () => setTimeout(() => postMessage(0), 300)'])));
worker.onmessage = () => add('worked');
box.ontransitionend = () => add('widened');
go.onclick = () => {{
  socket.send('a');
  fetch('/push', {{ method: 'POST' }});
  worker.postMessage(0);
  box.className = 'wide';
  setTimeout(() => add('second'), 500);
}};</script>"""


@pytest.fixture
def pushing(site: Site) -> Site:
    """The site with an event stream that tells, a while later, of every request to push."""
    pushes: asyncio.Queue[None] = asyncio.Queue()

    async def stream(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        try:
            await response.write(b"data: hello\n\n")
            while True:
                await pushes.get()
                await response.write(b"data: pushed\n\n")
        except (ConnectionError, asyncio.CancelledError):
            return response

    async def push(_: web.Request) -> web.Response:
        asyncio.get_running_loop().call_later(0.1, pushes.put_nowait, None)
        return web.Response(text="soon")

    site.route("/pushes", stream)
    site.route("/push", push)
    return site


def appeared(result: SequenceResult) -> list[str]:
    """What appeared, in an order that does not depend on which of two came first."""
    return sorted(selectors(change(result).appeared))


UNTIL_ATTACHED = """(async () => {
  while (!document.querySelector('%s')) await new Promise(requestAnimationFrame);
})()"""


async def both(browser: Browser, url: str, ready: str, **options: int) -> tuple[SequenceResult, SequenceResult]:
    """Click `#go` on a fresh page for each of the two ways to settle."""
    results = []
    for way in ("causal", "virtual"):
        async with await browser.new_context() as context, await context.new_page(url) as page:
            await page.evaluate(UNTIL_ATTACHED % ready)
            results.append(await page.execute_sequence([Click("#go")], settle=way, observe="calls", **options))
    return results[0], results[1]


@pytest.mark.serial
async def test_a_chain_of_timers_takes_no_time(browser: Browser, site: Site) -> None:
    causal, virtual = await both(browser, site.html("/chain", CHAIN), "#go", horizon_ms=4000)
    assert appeared(virtual) == appeared(causal)
    assert len(appeared(virtual)) == 11
    assert virtual.clock is not None
    assert causal.clock is None
    assert virtual.stable
    assert virtual.clock.page_ms > 3000
    # Alone on its machine it takes 0.5 s, 400 ms of them the request's.
    assert virtual.clock.wall_ms < causal.stability_wait_ms / 2
    assert virtual.clock.behind_ms < 0


async def test_what_comes_from_outside_comes_in_its_own_time(browser: Browser, pushing: Site) -> None:
    causal, virtual = await both(browser, pushing.html("/channels", CHANNELS), "#open")
    assert appeared(causal) == ["#pushed", "#reply", "#second", "#widened", "#worked"]
    assert appeared(virtual) == appeared(causal)
    assert virtual.stable


async def test_a_click_that_does_nothing_has_no_effect(page: Page, site: Site) -> None:
    await page.goto(site.html("/chain", CHAIN))
    results = [await page.execute_sequence([Click("#nothing")], settle="virtual") for _ in range(2)]
    assert [(result.reason, result.state_change) for result in results] == [("no_effect", None)] * 2
    assert [result.clock.page_ms >= 500 for result in results if result.clock] == [True] * 2, results


async def test_between_calls_the_page_stands_still(page: Page, site: Site) -> None:
    body = """<button id=go>go</button><p id=ticks>0</p><script>
    setInterval(() => { ticks.textContent = performance.now(); }, 20);
    new Worker(URL.createObjectURL(new Blob(['setInterval(() => postMessage(0), 20)']))).onmessage = () =>
      { document.title += '.'; };</script>"""
    await page.goto(site.html("/ticks", body))
    await page.execute_sequence([Click("#go")], settle="virtual")
    before = (await page.snapshot()).digests.exact
    await draw_frames(page, HELD_FRAMES)
    assert (await page.snapshot()).digests.exact == before


async def test_a_held_page_does_what_it_is_asked(page: Page, site: Site) -> None:
    body = "<button id=go>go</button><input id=field onchange='document.title = value'><a id=on href='/on'>on</a>"
    here, there = site.html("/held", body), site.html("/on", "<h1 id=there>on</h1>")
    await page.goto(here)
    await page.execute_sequence([Click("#go")], settle="virtual")
    assert await page.evaluate("1 + 1") == 2
    assert (await page.screenshot()).startswith(b"\x89PNG")
    typed = await page.execute_sequence([Click("#field"), TypeText("abc")], settle="virtual")
    assert typed.failed is None
    assert await page.evaluate("field.value") == "abc"
    await page.reload()
    await page.goto(there)
    await page.go_back()
    assert page.url == here
    await page.go_forward()
    assert page.url == there
    result = await page.execute_sequence([Navigate(here), Click("#on")], settle="virtual")
    assert (result.stable, result.reason, page.url) == (True, "navigated", there)


async def test_dialogs_and_downloads_come_to_a_held_page(page: Page, site: Site) -> None:
    body = """<button id=ask onclick="document.title = confirm('sure?')">ask</button>
    <a id=save href='/download/file.txt'>save</a>"""
    await page.goto(site.html("/dialogs", body))
    asked = await page.execute_sequence([Click("#ask")], settle="virtual")
    assert [dialog.message for dialog in asked.dialogs] == ["sure?"]
    saved = await page.execute_sequence([Click("#save")], settle="virtual")
    assert [download.suggested_filename for download in saved.downloads] == ["file.txt"]


@pytest.mark.parametrize("target", sampled(("_blank", "named"), ("_blank",)))
async def test_a_new_tab_goes_by_the_same_clock(page: Page, site: Site, target: str) -> None:
    ticking = (
        "<p id=ticks>0</p><script>window.first = Date.now(); setInterval(() => { ticks.textContent++ }, 20)</script>"
    )
    opened = site.html("/opened", ticking)
    await page.goto(
        site.html("/opener", f"<a id=open href='{opened}' target={target}>open</a><button id=go>go</button>")
    )
    await page.execute_sequence([Click("#go")], settle="virtual")
    result = await page.execute_sequence([Click("#open")], settle="virtual")
    (target_id,) = [new.target_id for new in result.new_targets]
    (popup,) = [other for other in page.context.pages if other.target_id == target_id]
    assert popup._tab.clock.virtual is page._tab.clock.virtual
    await popup.settle(settle="virtual", expect={"selector": "#ticks"})
    before = await popup.evaluate("ticks.textContent")
    await draw_frames(popup, HELD_FRAMES // 2)
    assert await popup.evaluate("ticks.textContent") == before


async def test_a_frame_of_another_process_goes_by_the_same_clock(page: Page, site: Site) -> None:
    site.html("/inner", "<p id=ticks>0</p><script>setInterval(() => { ticks.textContent++ }, 20)</script>")
    inner = site.url("/inner", host="localhost")
    await page.goto(
        site.html("/outer", f"<button id=go onclick=\"frame.src = '{inner}'\">go</button><iframe id=frame>")
    )
    await page.execute_sequence([Click("#go")], settle="virtual")
    (frame,) = [frame for frame in page._tab.frames if not frame.is_main]
    assert frame.is_process_root
    before = await frame.evaluate("document.getElementById('ticks').textContent")
    await draw_frames(page, HELD_FRAMES // 2)
    assert await frame.evaluate("document.getElementById('ticks').textContent") == before


async def test_causal_and_quiet_let_the_clock_run_while_they_wait(page: Page, site: Site) -> None:
    await page.goto(site.html("/chain", CHAIN))
    await page.execute_sequence([Click("#nothing")], settle="virtual")
    result = await page.execute_sequence([Click("#go")], settle="causal", observe="calls", horizon_ms=500)
    assert "#link1" in appeared(result)
    assert result.clock is None
    assert (await page.execute_sequence([Click("#nothing")], settle="quiet", timeout_ms=300)).reason


@pytest.mark.serial
async def test_polling_and_open_streams_do_not_stall_it(page: Page, pushing: Site) -> None:
    polls, polled = itertools.count(1), asyncio.Event()

    async def poll(_: web.Request) -> web.Response:
        # A rhythm is learned while nobody acts.
        if next(polls) == 12:
            polled.set()
        return web.Response(text="nothing new")

    body = f"""<button id=go>go</button><div id=out></div><script>{ADD}
    new EventSource('/pushes'); setInterval(() => fetch('/poll'), 150);
    go.onclick = () => setTimeout(() => add('done'), 500);</script>"""
    pushing.route("/poll", poll)
    await page.goto(pushing.html("/polling", body))
    await asyncio.wait_for(polled.wait(), 30)
    result = await page.execute_sequence([Click("#go")], settle="virtual")
    assert appeared(result) == ["#done"]
    assert result.clock is not None
    # Half of what the same wait takes in real time; the timeout would be 5000.
    assert result.clock.wall_ms < 2500


# Each ends after a while of its own, some of them by the clock that they look at all the time.
BUSY = {
    "microtasks and messages": """const { port1, port2 } = new MessageChannel();
      let left;
      port1.onmessage = async () => {
        for (let turn = 0; turn < 20; turn++) await null;
        if (--left) port2.postMessage(0); else add('done');
      };
      go.onclick = () => { left = 300; port2.postMessage(0); };""",
    "messages until a time": """const { port1, port2 } = new MessageChannel();
      let end;
      port1.onmessage = async () => { await null; if (Date.now() < end) port2.postMessage(0); else add('done'); };
      go.onclick = () => { end = Date.now() + 300; port2.postMessage(0); };""",
    "microtasks until a time": """go.onclick = async () => {
        const end = performance.now() + 300;
        while (performance.now() < end) await null;
        add('done');
      };""",
    "a long task in a timer": """go.onclick = () => setTimeout(() => {
        const end = performance.now() + 500;
        while (performance.now() < end);
        add('done');
      }, 20);""",
    "a long task in the event": """go.onclick = () => {
        const end = Date.now() + 500;
        while (Date.now() < end);
        add('done');
      };""",
    "messages without end beside a timer": """onmessage = () => postMessage(0);
      postMessage(0);
      go.onclick = () => setTimeout(() => add('done'), 300);""",
}


@pytest.mark.parametrize("script", BUSY.values(), ids=BUSY.keys())
async def test_busy_pages_get_their_time(page: Page, site: Site, script: str) -> None:
    await page.goto(site.html("/busy", f"<button id=go>go</button><div id=out></div><script>{ADD}{script}</script>"))
    result = await page.execute_sequence([Click("#go")], settle="virtual", timeout_ms=15_000)
    assert result.failed is None
    assert appeared(result) == ["#done"], result.reason


@pytest.mark.slow  # either clock reports that a page hangs; tests/engine/test_bounds_results.py has the other
async def test_a_script_that_never_ends_hangs_and_says_by_which_clock(page: Page, site: Site) -> None:
    await page.goto(site.html("/endless", "<button id=go onclick='setTimeout(() => { for (;;); })'>go</button>"))
    result = await page.execute_sequence([Click("#go")], settle="virtual", timeout_ms=2500)
    assert not result.stable
    assert "hung" in (result.reason, result.wait_reason)
    # While it is asked for an answer its page time goes as the wall's does: either may be over first.
    assert re.fullmatch(r"2500 ms (of real time|of page time) are over", result.detail or ""), result.outcome


SOCKETS = f"""<button id=go>go</button><button id=open>open</button><div id=out></div><script>{ADD}
let socket = new WebSocket(`ws://${{location.host}}/late`);
socket.onmessage = ({{ data }}) => add(data);
go.onclick = () => socket.send(location.hash);
document.getElementById('open').onclick = () => {{
  new WebSocket(`ws://${{location.host}}/greets`).onmessage = ({{ data }}) => add(data);
}};</script>"""


LATE_S = 0.5
"""When a socket says something: a clock that does not wait for it jumps over a second in some milliseconds."""


@pytest.fixture
def late(site: Site) -> Site:
    """The site with sockets that answer late, greet late, or never say anything."""

    async def answers(request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        async for message in socket:
            if message.data != "#silent":
                await asyncio.sleep(LATE_S)
                await socket.send_str("answered")
        return socket

    async def greets(request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await asyncio.sleep(LATE_S)
        await socket.send_str("greeted")
        async for _ in socket:
            pass
        return socket

    site.route("/late", answers)
    site.route("/greets", greets)
    return site


async def test_an_answer_over_a_socket_is_not_jumped_over(page: Page, late: Site) -> None:
    await page.goto(late.html("/sockets", SOCKETS))
    opened = await page.execute_sequence([Click("#open")], settle="virtual")
    assert appeared(opened) == ["#greeted"]
    answered = await page.execute_sequence([Click("#go")], settle="virtual")
    assert appeared(answered) == ["#answered"]
    assert answered.clock is not None
    assert answered.clock.wall_ms >= 900 * LATE_S


async def test_a_socket_that_says_nothing_when_it_opens_may_answer_later(page: Page, site: Site) -> None:
    accepted = asyncio.Event()

    async def accepts(request: web.Request) -> web.Response:
        accepted.set()
        return web.Response()

    async def answers(request: web.Request) -> web.WebSocketResponse:
        await accepted.wait()
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.receive()
        await asyncio.sleep(LATE_S)
        await socket.send_str("answered")
        await socket.receive()
        return socket

    site.route("/accepts", accepts)
    site.route("/answers", answers)
    body = f"""<button id=go>go</button><button id=open>open</button><div id=out></div><script>{ADD}
    const socket = new WebSocket(`ws://${{location.host}}/answers`);
    socket.onmessage = ({{ data }}) => add(data);
    document.getElementById('open').onclick = () => {{ fetch('/accepts'); }};
    go.onclick = () => socket.send('hello');</script>"""
    await page.goto(site.html("/opened", body))
    # What it could say when it opens is awaited for the horizon.
    await page.execute_sequence([Click("#open")], settle="virtual", horizon_ms=500)
    answered = await page.execute_sequence([Click("#go")], settle="virtual")
    assert appeared(answered) == ["#answered"]


@pytest.mark.serial
async def test_a_socket_that_never_answers_costs_the_horizon_once(page: Page, late: Site) -> None:
    await page.goto(late.html("/sockets", SOCKETS) + "#silent")
    first, second = [await page.execute_sequence([Click("#go")], settle="virtual") for _ in range(2)]
    assert first.clock is not None
    assert second.clock is not None
    assert first.clock.wall_ms > second.clock.wall_ms + 500
    assert first.stable
    assert second.stable


async def test_a_popup_settles_too_and_tells_its_opener(page: Page, site: Site) -> None:
    body = f"""<button id=go>go</button><div id=out></div><script>{ADD}
    if (location.search) setTimeout(() => {{ opener.postMessage('signed-in'); add('told'); }}, 300);
    onmessage = ({{ data }}) => add(data);
    go.onclick = () => {{ open('?popup', 'popup'); }};</script>"""
    await page.goto(site.html("/popup", body))
    result = await page.execute_sequence([Click("#go")], settle="virtual")
    assert appeared(result) == ["#signed-in"]
    (popup,) = [other for other in page.context.pages if other is not page]
    assert await popup.evaluate("document.querySelector('#told') !== null")
    before = await popup.evaluate("Date.now()")
    await draw_frames(popup, HELD_FRAMES // 2)
    assert await popup.evaluate("Date.now()") == before


async def test_idle_callbacks_have_their_turn(page: Page, site: Site) -> None:
    body = f"""<button id=go>go</button><div id=out></div><script>{ADD}
    const idle = (left) => requestIdleCallback(() => left ? setTimeout(() => idle(left - 1), 400) : add('idle'));
    go.onclick = () => idle(3);</script>"""
    await page.goto(site.html("/idle", body))
    # Page time passes while the callbacks wait for a busy machine.
    result = await page.execute_sequence([Click("#go")], settle="virtual", horizon_ms=10_000, timeout_ms=20_000)
    assert appeared(result) == ["#idle"]
    assert result.stable


@pytest.mark.parametrize(
    ("script", "limit"),
    [
        ("fetch('/hang')", "the horizon of 400 ms of page time is over"),
        ("out.className = 'loading', out.textContent = 'loading'", "5000 ms of page time are over"),
    ],
)
async def test_the_detail_says_which_limit_of_which_clock(page: Page, site: Site, script: str, limit: str) -> None:
    await page.goto(site.html("/limits", f'<button id=go onclick="{script}">go</button><p id=out></p>'))
    result = await page.execute_sequence([Click("#go")], settle="virtual", horizon_ms=400)
    assert not result.stable
    assert (result.detail or "").endswith(f"({limit})")
    assert result.clock is not None
    assert result.clock.page_ms >= 400


COURSE = f"""<button id=go>go</button><div id=out></div><script>{ADD}
const socket = new WebSocket(`ws://${{location.host}}/ws?ms=60`);
socket.onopen = () => add('open');
socket.onmessage = () => add('replied');
const worker = new Worker(URL.createObjectURL(new Blob(['onmessage = () => setTimeout(() => postMessage(0), 150)'])));
worker.onmessage = () => add('worked');
go.onclick = () => {{
  setTimeout(() => add('timed'), 1000);
  fetch('/slow?ms=500').then((reply) => reply.text()).then(() => add('fetched'));
  requestAnimationFrame(() => requestAnimationFrame(() => add('drawn')));
  worker.postMessage(0);
  setTimeout(() => socket.send('a'), 250);
}};</script>"""
"""Each part has 100 ms and more before the next one: what comes from a server or a worker comes by wall time."""


@pytest.mark.serial
async def test_a_course_of_all_kinds_gives_the_same_bytes(browser: Browser, site: Site) -> None:
    url, told = site.html("/course", COURSE), set()
    for _ in range(6):
        async with await browser.new_context() as context, await context.new_page(url) as page:
            await page.evaluate(UNTIL_ATTACHED % "#open")
            result = await page.execute_sequence([Click("#go")], settle="virtual", verbose=True)
            assert appeared(result) == ["#drawn", "#fetched", "#replied", "#timed", "#worked"]
            told.add(result.to_json(measured=False))
    assert len(told) == 1, told


async def test_no_letter_is_lost_while_the_page_computes(page: Page, site: Site) -> None:
    # A script that keeps the page from using its time is paused, and Chrome drops what is typed in that moment.
    body = """<input id=field><script>
    field.onkeydown = () => { for (let n = 0; n < 1e8; n++) Math.imul(n, n); };</script>"""
    await page.goto(site.html("/busy", body))
    result = await page.execute_sequence([TypeText("#field", text="hello")], settle="virtual", action_timeout_ms=20_000)
    assert result.failed is None
    assert await page.evaluate("document.getElementById('field').value") == "hello"


async def test_a_page_that_is_closed_ends_it(page: Page, site: Site) -> None:
    asked = asyncio.Event()

    async def slow(_: web.Request) -> web.Response:
        asked.set()
        await asyncio.Event().wait()
        return web.Response()

    await page.goto(site.html("/chain", CHAIN))
    site.route("/slow", slow)
    await page.execute_sequence([Click("#nothing")], settle="virtual")
    run = asyncio.ensure_future(
        page.execute_sequence([Click("#go")], settle="virtual", timeout_ms=10_000, horizon_ms=9000)
    )
    await asyncio.wait_for(asked.wait(), 10)
    await page.close()
    result = await run
    assert not result.stable
    assert result.reason == "closed"


@pytest.mark.browser
async def test_a_page_that_others_will_go_on_using_is_refused(site: Site) -> None:
    launched = stillframe.launch(port=0, virtual_time=True)
    async with launched as host, stillframe.connect(host.info.endpoint or "") as browser:
        url = site.html("/chain", CHAIN)
        async with await browser.new_page(url) as page:
            with pytest.raises(OptionInvalid, match="may outlive"):
                await page.execute_sequence([Click("#nothing")], settle="virtual")
        async with await browser.new_context() as context, await context.new_page(url) as page:
            result = await page.execute_sequence([Click("#nothing")], settle="virtual")
            assert result.reason == "no_effect"


@pytest.mark.parametrize("times", sampled((2, 5), (2,)))
async def test_the_same_course_gives_the_same_bytes(browser: Browser, times: int) -> None:
    async with Shop() as shop:
        told = [await _login(browser, shop.url("/login")) for _ in range(times)]
    assert len(set(told)) == 1


async def _login(browser: Browser, url: str) -> bytes:
    async with await browser.new_context() as context, await context.new_page(url) as page:
        login = [SetValue("#user", USER), SetValue("#pass", Secret(PASSWORD)), Click("#submit")]
        result = await page.execute_sequence(login, settle="virtual", verbose=True)
        assert result.failed is None
        return result.to_json(measured=False)
