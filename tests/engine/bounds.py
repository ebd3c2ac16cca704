"""Pages that never finish and processes that do not run, and the time that each public call takes on them.

In each case a click (or a signal) starts the trouble; then every call is made with a limit of its own. No call may last
longer than the sum of its own limits and one second. `python -m bench bounds` measures the same cases and calls.
"""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, NamedTuple

from aiohttp import web

import stillframe
from stillframe.api.browser import Browser, Page
from stillframe.cdp import CDPSession
from stillframe.cdp_types import page as cdp_page
from stillframe.cdp_types import runtime, system_info
from stillframe.errors import StillframeError
from stillframe.testing import PageServer

LIMIT_S = 0.6
"""The limit of each call, and the settling limit of sequences."""
ACTION_S = 0.5
MARGIN_S = 1.0
"""How much longer than its own limits a call may last."""
FRAME = "localhost"
"""Another site than 127.0.0.1, so its frames have a process of their own."""

Start = Callable[[Page], Awaitable[object]]


class Case(NamedTuple):
    """A page with a button `#go`, and what else starts the trouble."""

    body: str
    start: Start | None = None


# -- what starts it --------------------------------------------------------------------------------


async def renderer_of(session: CDPSession) -> int:
    """Return the process id of a frame's renderer: the one that works when its script does."""
    root = session.root
    spin = "for (const end = performance.now() + 200; performance.now() < end;);"

    async def used() -> dict[int, float]:
        processes = (await root.send(system_info.GetProcessInfo())).process_info
        return {each.id: each.cpu_time for each in processes if each.type == "renderer"}

    before = await used()
    await session.send(runtime.Evaluate(expression=spin))
    after = await used()
    return max(after, key=lambda pid: after[pid] - before.get(pid, 0.0))


async def stop_renderer(page: Page) -> None:
    """Stop the process of the page."""
    os.kill(await renderer_of(page.cdp_session), signal.SIGSTOP)


async def stop_frame(page: Page) -> int:
    """Stop the process of the frame in another process, and return its id."""
    async with asyncio.timeout(5):
        while len(page._tab.frames.sessions) < 2:  # noqa: ASYNC110  the frame tree has no event for it
            await asyncio.sleep(0.01)
    pid = await renderer_of(page._tab.frames.sessions[1])
    os.kill(pid, signal.SIGSTOP)
    return pid


async def stop_browser(page: Page) -> None:
    """Stop the process of the browser; its children go on."""
    assert page.browser.info.pid is not None
    os.kill(page.browser.info.pid, signal.SIGSTOP)


async def stop_everything(page: Page) -> None:
    """Stop the browser and all its children."""
    assert page.browser.info.pid is not None
    os.killpg(page.browser.info.pid, signal.SIGSTOP)


async def crash(page: Page) -> None:
    """Crash the renderer."""
    page.cdp_session.post(cdp_page.Crash(), timeout=1)


async def drop_captures(page: Page) -> None:
    """Let no answer to a capture come: the browser owes it for ever."""
    transport = page.cdp_session.channel.transport
    send = transport.send

    def keep(data: bytes) -> None:
        if b"DOMSnapshot.captureSnapshot" not in bytes(data):
            send(data)

    transport.send = keep  # type: ignore[method-assign]


async def leave(page: Page) -> None:
    """Begin to go where no server ever answers."""
    page.cdp_session.post(cdp_page.Navigate(url=page.url.replace("/page", "/hang")), timeout=None)


# -- the pages -------------------------------------------------------------------------------------


def on_click(script: str, more: str = "") -> str:
    """A page whose button runs a script."""
    return f"<!doctype html><title>bounds</title>{more}<button id=go>Go</button><p id=out></p><script>\
go.onclick = () => {{ {script} }}</script>"


def in_frame(address: str) -> str:
    """A page whose button lets a frame loop."""
    return on_click("frames[0].postMessage(1, '*')", f"<iframe src='{address}'></iframe>")


LOOPER = "frame<script>onmessage = () => { for (;;); }</script>"
WORKER = "postMessage(0); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)"
BLOB = f"new Worker(URL.createObjectURL(new Blob([`{WORKER}`])))"
SILENT = "self.onactivate = e => e.waitUntil(clients.claim()); self.onfetch = e => e.respondWith(new Promise(() => {}))"

CASES: dict[str, Case] = {
    "endless loop in a click handler": Case(on_click("for (;;);")),
    "endless loop in a timer": Case(on_click("setTimeout(() => { for (;;); }, 20)")),
    "endless loop in microtasks": Case(on_click("(function again() { Promise.resolve().then(again) })()")),
    "endless loop in a frame": Case(in_frame("/looper")),
    "endless loop in a frame of another process": Case(in_frame("http://{frame}/looper")),
    "endless loop in a mutation observer": Case(
        on_click("new MutationObserver(() => { out.textContent += 1 }).observe(out, {childList: true}); out.append(1)")
    ),
    "while (1) alert()": Case(on_click("for (;;) alert(1)")),
    "while (1) confirm()": Case(on_click("for (;;) confirm(1)")),
    "beforeunload that always asks": Case(
        on_click("onbeforeunload = (e) => { e.preventDefault(); return 1 }; setInterval(() => location.reload(), 50)")
    ),
    "a loop in beforeunload": Case(on_click("onbeforeunload = () => { for (;;); }; location.href = '/other'")),
    "endless document.write": Case(on_click("for (;;) document.write('<p>more</p>')")),
    "a frame callback of 10 s": Case(
        on_click("requestAnimationFrame(() => { const end = Date.now() + 1e4; while (Date.now() < end); })")
    ),
    "frame callbacks without end, 300 ms each": Case(
        on_click("(function f() { const t = Date.now() + 300; while (Date.now() < t); requestAnimationFrame(f) })()")
    ),
    "debugger": Case(on_click("for (;;) { debugger }")),
    "window.print()": Case(on_click("print()")),
    "synchronous request without an answer": Case(
        on_click("const x = new XMLHttpRequest(); x.open('GET', '/hang', false); x.send()")
    ),
    "navigation without an answer": Case(on_click("location.href = '/hang'")),
    "service worker without an answer": Case(
        on_click(
            "fetch('/data'); location.href = '/other'", "<script>navigator.serviceWorker.register('/sw.js')</script>"
        )
    ),
    "Atomics.wait in a worker": Case(on_click(f"{BLOB}.onmessage = () => {{ out.textContent = 1 }}")),
    "endless loop in a worker": Case(
        on_click("new Worker(URL.createObjectURL(new Blob(['for (;;);'])))"),
    ),
    "stopped renderer": Case(on_click(""), stop_renderer),
    "stopped renderer of a frame": Case(in_frame("http://{frame}/looper"), stop_frame),
    "stopped browser": Case(on_click(""), stop_browser),
    "stopped browser and renderers": Case(on_click(""), stop_everything),
    "crashed renderer": Case(on_click(""), crash),
    "a capture that never comes": Case(on_click("out.textContent = 1"), drop_captures),
    "navigation under way without an answer": Case(on_click(""), leave),
}


async def _worker(_: web.Request) -> web.Response:
    return web.Response(text=SILENT, content_type="text/javascript")


def serve_case(server: PageServer, case: Case) -> str:
    """Serve the page of a case and what it loads, and return its URL."""
    server.html("/other", "<p>other", title="other")
    server.html("/looper", LOOPER, title="looper")
    server.route("/sw.js", _worker)
    return server.html("/page", case.body.replace("{frame}", f"{FRAME}:{server.port}"))


# -- the calls -------------------------------------------------------------------------------------


async def _sequence(page: Page) -> None:
    await page.execute_sequence(
        [stillframe.Click("#go")], timeout_ms=round(LIMIT_S * 1000), action_timeout_ms=round(ACTION_S * 1000)
    )


async def _waiting(page: Page) -> None:
    never = stillframe.WaitFor(selector="#never")
    await page.execute_sequence([never], timeout_ms=round(LIMIT_S * 1000), action_timeout_ms=round(ACTION_S * 1000))


async def _new_page(page: Page) -> None:
    await (await page.context.new_page(timeout_ms=LIMIT_S * 1000)).close(timeout_ms=LIMIT_S * 1000)


async def _new_context(page: Page) -> None:
    await (await page.browser.new_context(timeout_ms=LIMIT_S * 1000)).close(timeout_ms=LIMIT_S * 1000)


class Call(NamedTuple):
    """A call and the sum of its limits, in seconds."""

    make: Callable[[Page], Awaitable[Any]]
    limit: float = LIMIT_S


FIRST = {"sequence: click": Call(_sequence, LIMIT_S + ACTION_S)}
"""What starts the trouble."""
TURNS = {
    "sequence: click again": Call(_sequence, LIMIT_S + ACTION_S),
    "sequence: wait for": Call(_waiting, LIMIT_S + ACTION_S),
    "settle": Call(lambda page: page.settle(timeout_ms=round(LIMIT_S * 1000))),
    "settle: quiet": Call(lambda page: page.settle(timeout_ms=round(LIMIT_S * 1000), settle="quiet")),
}
"""Calls that wait for each other."""
LOOKS = {
    "evaluate": Call(lambda page: page.evaluate("1", timeout_ms=LIMIT_S * 1000)),
    "title": Call(lambda page: page.title(timeout_ms=LIMIT_S * 1000)),
    "capture": Call(lambda page: page.snapshot(timeout_ms=LIMIT_S * 1000)),
    "capture: fresh": Call(lambda page: page.snapshot(timeout_ms=LIMIT_S * 1000, fresh=True)),
    "snapshot": Call(lambda page: page.aria_snapshot(timeout_ms=LIMIT_S * 1000)),
    "snapshot: of an element": Call(lambda page: page.aria_snapshot(scope="#go", timeout_ms=LIMIT_S * 1000)),
    "snapshot: accessibility": Call(lambda page: page.aria_snapshot(tree="accessibility", timeout_ms=LIMIT_S * 1000)),
    "screenshot": Call(lambda page: page.screenshot(timeout_ms=LIMIT_S * 1000)),
    "screenshot: of an element": Call(lambda page: page.screenshot(selector="#go", timeout_ms=LIMIT_S * 1000)),
    "pdf": Call(lambda page: page.pdf(timeout_ms=LIMIT_S * 1000)),
    "set_viewport": Call(lambda page: page.set_viewport(800, 600, timeout_ms=LIMIT_S * 1000)),
    "cookies": Call(lambda page: page.context.cookies(timeout_ms=LIMIT_S * 1000)),
    "storage_state": Call(lambda page: page.context.storage_state(timeout_ms=LIMIT_S * 1000)),
    "set_offline": Call(lambda page: page.context.set_offline(False, timeout_ms=LIMIT_S * 1000)),
    "new_page": Call(_new_page, 2 * LIMIT_S),
    "new_context": Call(_new_context, 2 * LIMIT_S),
}
"""Calls that may be made side by side."""
LAST = {
    "go_back": Call(lambda page: page.go_back(timeout_ms=LIMIT_S * 1000)),
    "reload": Call(lambda page: page.reload(timeout_ms=LIMIT_S * 1000)),
    "goto": Call(lambda page: page.goto("about:blank", timeout_ms=LIMIT_S * 1000)),
    "close": Call(lambda page: page.close(timeout_ms=LIMIT_S * 1000)),
    "context.close": Call(lambda page: page.context.close(timeout_ms=LIMIT_S * 1000)),
    "browser.close": Call(lambda page: page.browser.close(timeout_ms=LIMIT_S * 1000)),
}
"""Calls that may end the trouble."""
CALLS = FIRST | TURNS | LOOKS | LAST


async def timed(call: Call, page: Page) -> float:
    """Make a call, whatever comes of it, and return its seconds; a call that lasts for a minute is ended."""
    began = time.perf_counter()
    with suppress(StillframeError, TimeoutError):
        async with asyncio.timeout(60):
            await call.make(page)
    return time.perf_counter() - began


@asynccontextmanager
async def troubled(case: Case) -> AsyncIterator[tuple[Browser, Page]]:
    """A browser of its own with the page of a case, before anything is clicked, and what starts without a click."""
    async with PageServer() as server, stillframe.launch() as browser:
        context = await browser.new_context()
        page = await context.new_page(serve_case(server, case))
        if case.start is not None:
            await case.start(page)
        yield browser, page


async def measured(case: Case, *, side_by_side: bool = False) -> dict[str, float]:
    """Return the seconds of every call on the page of a case, one after the other unless that is not wanted."""
    took: dict[str, float] = {}

    async def make(name: str, page: Page) -> None:
        took[name] = await timed(CALLS[name], page)

    async with troubled(case) as (_, page):
        for name in FIRST | TURNS:
            await make(name, page)
        if side_by_side:
            await asyncio.gather(*(make(name, page) for name in LOOKS))
        else:
            for name in LOOKS:
                await make(name, page)
        for name in LAST:
            await make(name, page)
    return took


def late(took: dict[str, float]) -> dict[str, float]:
    """Return the calls that lasted longer than their limits and the margin, with their seconds."""
    return {name: round(seconds, 2) for name, seconds in took.items() if seconds > CALLS[name].limit + MARGIN_S}
