"""Record the streams of signals that the tests of the settling machine replay.

    python tests/settling/record_streams.py [name ...]

Run every scenario, or the named ones, in a real browser and write `streams/`. Short ids and URLs without a port keep
the difference between two recordings readable. A scenario takes up to three seconds; all of them take a few minutes.
"""

from __future__ import annotations

import asyncio
import re
import sys
from typing import Any

import msgspec
import streams
from aiohttp import web

import stillframe
from stillframe.api.browser import Browser
from stillframe.model.options import parse_options
from stillframe.model.verdict import Verdict, outcome_of
from stillframe.settling.signals import Effect, Signal
from stillframe.testing import PageServer

PAGE = """
<button id=go>Go</button><div id=out></div><div id=spot style="width:50px;height:50px"></div>
<script>
const $ = (id) => document.getElementById(id);
const mark = (text = "done") => {{ $("out").textContent = text }};
const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const get = (url, options) => fetch(url, options).then((answer) => answer.text());
{before}
$("go").onclick = async () => {{ {click} }};
</script>
"""


class Scenario(msgspec.Struct, frozen=True, kw_only=True):
    """A page, the effect of a click on its button, and how long it runs before the click."""

    click: str = ""
    before: str = ""
    warm_ms: float = 0.0
    options: dict[str, Any] = {}
    again_ms: float | None = None
    """If given, a second wait without any action follows after this time: it contains the late changes of the first."""


SCENARIOS = {
    "nothing": Scenario(),
    "write": Scenario(click="mark()"),
    "fetch": Scenario(click="await get('/slow?ms=300'); mark()"),
    "fetch-protocol": Scenario(click="await get('/slow?ms=300'); mark()", options={"observe": "protocol"}),
    "fetch-dom": Scenario(click="await get('/slow?ms=300'); mark()", options={"observe": "dom"}),
    "fetch-chain": Scenario(click="await get('/slow?ms=200'); mark('one'); await get('/slow?ms=300'); mark('two')"),
    "post-then-get": Scenario(click="await get('/slow?ms=150', {method: 'POST'}); await get('/slow?ms=150'); mark()"),
    "debounce": Scenario(click="setTimeout(async () => { await get('/slow?ms=100'); mark() }, 300)"),
    "timer-chain": Scenario(click="for (let n = 0; n < 4; n++) { await later(300); mark(n) }"),
    "timer-toast": Scenario(click="mark(); setTimeout(() => mark(''), 5000)"),
    "interval-cleared": Scenario(
        click="let n = 0; const id = setInterval(() => { mark(n); if (++n == 5) clearInterval(id) }, 100)"
    ),
    "interval-endless": Scenario(click="setInterval(() => {}, 150)"),
    "frames": Scenario(
        click="let n = 0; const step = () => { mark(n); if (++n < 30) requestAnimationFrame(step) }; step()"
    ),
    "database": Scenario(
        click="indexedDB.open('x', 1).onsuccess = () => mark(); indexedDB.open('y', 1).onsuccess = () => mark('two')"
    ),
    "messages": Scenario(
        click="const c = new MessageChannel(); let n = 0; c.port1.onmessage = () => "
        "++n < 25 ? c.port2.postMessage(0) : mark(); c.port2.postMessage(0)"
    ),
    "spinner": Scenario(click="$('spot').className = 'loading'; await later(700); $('spot').className = ''; mark()"),
    "spinner-for-ever": Scenario(click="$('spot').className = 'loading'", options={"timeout_ms": 2500}),
    "animation": Scenario(click="$('spot').animate([{opacity: 1}, {opacity: 0.2}], 400).finished.then(() => mark())"),
    "hung-request": Scenario(click="get('/hang')", options={"horizon_ms": 800}),
    "late-answer": Scenario(click="await get('/slow?ms=700'); mark()", options={"horizon_ms": 300}, again_ms=800.0),
    "polling": Scenario(before="setInterval(() => get('/slow?ms=30'), 200)", warm_ms=1500.0),
    "polling-and-fetch": Scenario(
        before="setInterval(() => get('/slow?ms=30'), 200)", click="await get('/slow?ms=333'); mark()", warm_ms=1500.0
    ),
    "clock": Scenario(before="setInterval(() => { $('spot').textContent = Date.now() }, 100)", warm_ms=1500.0),
    "socket-reply": Scenario(
        before="const ws = new WebSocket(`ws://${location.host}/ws?ms=200`); ws.onmessage = () => mark()",
        click="ws.send('x')",
        warm_ms=300.0,
    ),
    "socket-opened": Scenario(
        click="const ws = new WebSocket(`ws://${location.host}/ws?ms=150`);"
        "ws.onopen = () => ws.send('x'); ws.onmessage = () => mark()"
    ),
    "stream-opened": Scenario(
        click="let n = 0; new EventSource('/events?every=150').onmessage = () => ++n < 3 && mark(n)"
    ),
    "stream-brings-the-answer": Scenario(
        before="new EventSource('/feed').onmessage = (event) => mark(event.data)",
        click="get('/post', {method: 'POST'})",
        warm_ms=300.0,
    ),
    "answer-streams": Scenario(
        click="const reader = (await fetch('/answer')).body.getReader(); let n = 0;"
        "while (!(await reader.read()).done) mark(++n)"
    ),
    "answer-streams-for-long": Scenario(
        click="const reader = (await fetch('/answer?pieces=40')).body.getReader(); let n = 0;"
        "while (!(await reader.read()).done) mark(++n)",
        options={"horizon_ms": 1000},
    ),
    "refresh-beside-a-poll": Scenario(
        before="const load = () => get('/slow?ms=250').then(() => $('spot').textContent = 'fresh');"
        "setInterval(load, 500)",
        click="await load(); mark()",
        warm_ms=2700.0,
    ),
    "chatty-socket-reply": Scenario(
        before="const ws = new WebSocket(`ws://${location.host}/ticker`);"
        "ws.onmessage = (event) => event.data == 'reply' && mark()",
        click="ws.send('x')",
        warm_ms=1500.0,
    ),
    "new-tab": Scenario(click="window.open('/slow')"),
    "worker-computes": Scenario(
        click="const w = new Worker(URL.createObjectURL(new Blob(['onmessage = () => { const t = Date.now();"
        " while (Date.now() - t < 300); postMessage(1) }']))); w.onmessage = () => mark(); w.postMessage(1)"
    ),
    "worker-fetches-and-dies": Scenario(
        click="const w = new Worker(URL.createObjectURL(new Blob([`fetch('${location.origin}/hang')`])));"
        "setTimeout(() => { w.terminate(); mark() }, 400)"
    ),
    "frame": Scenario(
        click="const f = document.createElement('iframe'); f.onload = () => mark();"
        "f.src = '/slow?ms=250&type=text/html'; document.body.append(f)"
    ),
    "frame-removed": Scenario(
        click="const f = document.createElement('iframe'); f.src = '/hang'; document.body.append(f);"
        "setTimeout(() => { f.remove(); mark() }, 300)"
    ),
    "navigation": Scenario(click="location = '/slow?ms=200&type=text/html&body=<h1>next</h1>'"),
    "navigation-redirected": Scenario(
        click="location = '/redirect?to=' + encodeURIComponent('/slow?ms=200&type=text/html&body=next')"
    ),
    "navigation-loop": Scenario(
        click="location = '/slow?ms=20&type=text/html&body='"
        " + encodeURIComponent('<script>location.reload()<\\/script>')",
        options={"timeout_ms": 2000},
    ),
    "push-state": Scenario(click="history.pushState(0, '', '#two'); await get('/slow?ms=150'); mark()"),
    "dialog": Scenario(click="alert('hello'); mark()"),
    "dialog-loop": Scenario(
        click="setTimeout(() => { for (const end = Date.now() + 3000; Date.now() < end;) alert('again') })",
        options={"timeout_ms": 2500, "horizon_ms": 800},
    ),
    "download": Scenario(click="location = '/download/a.txt'"),
    "busy-for-ever": Scenario(
        click="setTimeout(() => { for (const end = Date.now() + 2500; Date.now() < end;); }, 30)",
        options={"timeout_ms": 1800},
    ),
}


async def _answer(request: web.Request) -> web.StreamResponse:
    """Serve `/answer?pieces=6`: a response written in pieces, one every 100 ms."""
    response = web.StreamResponse(headers={"Content-Type": "text/plain"})
    await response.prepare(request)
    for number in range(int(request.query.get("pieces", "6"))):
        await response.write(f"{number} ".encode())
        await asyncio.sleep(0.1)
    return response


async def _ticker(request: web.Request) -> web.StreamResponse:
    """Serve `/ticker`: a WebSocket that sends a message every 50 ms, and replies after 200 ms."""
    socket = web.WebSocketResponse()
    await socket.prepare(request)

    async def tick() -> None:
        while True:
            await socket.send_str("tick")
            await asyncio.sleep(0.05)

    ticking = asyncio.ensure_future(tick())
    try:
        async for _ in socket:
            await asyncio.sleep(0.2)
            await socket.send_str("reply")
    finally:
        ticking.cancel()
    return socket


class Feed:
    """Serve `/post`, which responds at once, and `/feed`, which announces it 150 ms later."""

    def __init__(self) -> None:
        self._posted = asyncio.Event()

    async def post(self, _: web.Request) -> web.Response:
        self._posted.set()
        return web.Response(text="taken")

    async def feed(self, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await response.write(b": hello\n\n")
        await self._posted.wait()
        await asyncio.sleep(0.15)
        await response.write(b"data: posted\n\n")
        await asyncio.Event().wait()
        return response


class Recorder:
    """Records the signals that a machine gets."""

    def __init__(self, page: stillframe.Page) -> None:
        self.lines: list[tuple[float, Signal]] = []
        self.page = page
        page._settler.watchers.append(self._heard)

    def _heard(self, now: float, signal: Signal, effects: tuple[Effect, ...]) -> None:
        self.lines.append((now, signal))

    def stop(self) -> None:
        """Stop recording."""
        self.page._settler.watchers.remove(self._heard)


async def record(
    browser: Browser, site: PageServer, name: str, scenario: Scenario
) -> tuple[list[streams.Line], Verdict]:
    """Run a scenario; return the signals that the machine got, and its last verdict."""
    feed = Feed()
    for path, handler in (("/answer", _answer), ("/ticker", _ticker), ("/post", feed.post), ("/feed", feed.feed)):
        site.route(path, handler)
    async with await browser.new_context() as context, await context.new_page() as page:
        recorder = Recorder(page)
        await page.goto(site.html("/it.html", PAGE.format(before=scenario.before, click=scenario.click)))
        # A recording needs real time: the rhythm of the page is learned in it.
        await asyncio.sleep(scenario.warm_ms / 1000)
        verdict = await _wait(page, scenario, "void setTimeout(() => document.getElementById('go').click())")
        if scenario.again_ms is not None:
            await asyncio.sleep(scenario.again_ms / 1000)
            verdict = await _wait(page, scenario, "0")
        recorder.stop()
    return recorder.lines, verdict


async def _wait(page: stillframe.Page, scenario: Scenario, action: str) -> Verdict:
    async with page._settler.armed(parse_options(scenario.options)) as settling:
        await page.evaluate(action)
        return await settling.verdict()


class Names:
    """Short and stable names for ids that a browser generates each time."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._short: dict[str, str] = {}

    def plain(self, value: Any) -> Any:
        """Return a value of a signal with its ids and URLs replaced."""
        if isinstance(value, dict):
            return {key: self.plain(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.plain(item) for item in value]
        if not isinstance(value, str):
            return value
        value = value.replace(f"127.0.0.1:{self._port}", "site")
        value = re.sub(r"blob:http://site/[0-9a-f-]{36}", "blob:http://site/1", value)
        return re.sub(r"\b[0-9A-F]{32}\b|^\d+\.\d+$", lambda match: self._name(match.group()), value)

    def _name(self, id_: str) -> str:
        return self._short.setdefault(id_, f"id{len(self._short) + 1}")


def plain(lines: list[streams.Line], port: int) -> list[streams.Line]:
    """Return a stream without the parts that differ between recordings."""
    names = Names(port)
    return [(now, msgspec.convert(names.plain(msgspec.to_builtins(signal)), type(signal))) for now, signal in lines]


async def main(wanted: list[str]) -> None:
    """Record the named scenarios, or all of them."""
    if unknown := sorted({*wanted} - {*SCENARIOS}):
        sys.exit(f"no scenario is called {', '.join(unknown)}; there are: {', '.join(SCENARIOS)}")
    streams.STREAMS.mkdir(exist_ok=True)
    known = streams.verdicts() if streams.VERDICTS.exists() else {}
    async with PageServer() as site, stillframe.launch() as browser:
        for name in wanted or SCENARIOS:
            lines, verdict = await record(browser, site, name, SCENARIOS[name])
            streams.write(name, plain(lines, site.port))
            known[name] = streams.kept(streams.replay(streams.read(name)))
            replayed = outcome_of(known[name].reason, None, known[name].detail)
            if replayed != Names(site.port).plain(verdict.outcome):
                sys.exit(f"{name}: replayed, this ends in {replayed!r} and not in {verdict.outcome!r}")
            sys.stdout.write(f"{name}: {verdict.outcome}, {verdict.waited_ms:.0f} ms, {len(lines)} lines\n")
    known = {name: known[name] for name in sorted(known) if name in SCENARIOS}
    text = msgspec.json.format(msgspec.json.encode(known), indent=1)
    streams.VERDICTS.write_bytes(text + b"\n")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
