"""Pages that take all they can get, and what a visit to one shows: times, whether it can be left, and its neighbour.

Each page starts its trouble on a click. A visit clicks, reads the page, lets another page of the browser act meanwhile,
and then goes elsewhere. `python -m bench bounds` visits all pages.
"""

# ruff: noqa: E501  a page is one line

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from bounds import on_click

import stillframe
from stillframe.api.browser import Page
from stillframe.errors import StillframeError
from stillframe.testing import PageServer

LIMIT_S = 1.0
"""The limit of each look, of each action, and of each wait."""
LEAVE_S = 5.0
"""The limit of the navigation that leaves the page."""
GOOD = "<button id=go onclick='this.textContent = \"done\"'>go</button>"

EMPTY_WASM_LOOP = "0,97,115,109,1,0,0,0,1,4,1,96,0,0,3,2,1,0,7,5,1,1,102,0,0,10,9,1,7,0,3,64,12,0,11,11"
WASM = f"new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array([{EMPTY_WASM_LOOP}])))"
FRAME = "const f = document.createElement('iframe'); f.srcdoc = `<script>{}</scr` + `ipt>`; document.body.append(f)"
WORKER = "new Worker(URL.createObjectURL(new Blob([`{}`])))"
SPIN = "for (const end = Date.now() + {}; Date.now() < end;);"

SCRIPTS: dict[str, str] = {
    # scripts that do not end
    "while": "while (1);",
    "do while": "do { x = 1 } while (x)",
    "recursion in try": "(function f() { try { f() } finally { f() } })()",
    "generator": "for (const x of (function* () { for (;;) yield 1 })());",
    "string that grows": "let s = 'x'; for (;;) { s += s.slice(0, 999); if (s.length > 1e8) s = 'x' }",
    "regular expression": "/^(a+)+$/.test('a'.repeat(40) + 'b')",
    "sort": "Array.from({length: 3e7}, Math.random).sort()",
    "JSON": "for (;;) JSON.parse(JSON.stringify(Array(1e5).fill({a: 1})))",
    "getter": "const o = {get a() { return o.a2 }, get a2() { for (;;); }}; o.a",
    "proxy": "new Proxy({}, {get() { for (;;); }}).x",
    "toString": "`${{toString() { for (;;); }}}`",
    "WebAssembly": f"{WASM}.exports.f()",
    "big integers": "let b = 3n; for (;;) b = (b * b) % (10n ** 9999n) + 2n",
    "crypto": "for (;;) crypto.getRandomValues(new Uint8Array(65536))",
    "eval": "for (;;) eval('1')",
    "debugger": "for (;;) { debugger }",
    "timer": "setTimeout(() => { for (;;); }, 20)",
    "timers that spin": f"setInterval(() => {{ {SPIN.format(400)} }}, 0)",
    "timers without end": "(function f() { setTimeout(f); setTimeout(f) })()",
    "microtasks": "(function f() { Promise.resolve().then(f) })()",
    "async loop": "(async () => { for (;;) await 0 })()",
    "messages": "const c = new MessageChannel(); c.port1.onmessage = () => c.port2.postMessage(0); c.port2.postMessage(0)",
    "idle callbacks": "(function f() { requestIdleCallback(f) })()",
    "frames": f"(function f() {{ {SPIN.format(300)} requestAnimationFrame(f) }})()",
    "jump and spin": "setTimeout(() => { for (;;); }); location.hash = 'x'",
    # what waits
    "alert": "for (;;) alert(1)",
    "confirm": "for (;;) confirm(1)",
    "prompt": "for (;;) prompt(1)",
    "print": "for (let i = 0; i < 50; i++) print()",
    "request": "const x = new XMLHttpRequest(); x.open('GET', '/hang', false); x.send()",
    "many requests that wait": "for (let i = 0; i < 300; i++) fetch('/hang?' + i)",
    "beforeunload": "onbeforeunload = () => { for (;;); }",
    "beforeunload that asks": "onbeforeunload = (e) => { e.preventDefault(); return 1 }",
    "pagehide": "onpagehide = () => { const end = Date.now() + 1500; while (Date.now() < end); }",
    "unload": "onunload = () => { const end = Date.now() + 1500; while (Date.now() < end); }",
    "visibilitychange": "onvisibilitychange = () => { for (;;); }",
    "navigation that waits": "location.href = '/hang'",
    "navigation that waits, and a loop": "location.href = '/hang'; for (;;);",
    "reload without end": "setInterval(() => location.reload(), 50)",
    "hash without end": "let n = 0; setInterval(() => { location.hash = n++ }, 0)",
    "history without end": "let n = 0; setInterval(() => { try { history.pushState(0, '', '?' + n++) } catch {} }, 0)",
    "titles without end": "let n = 0; setInterval(() => { document.title = n++ }, 0)",
    # observers, listeners and events
    "mutation observer": "new MutationObserver(() => { out.textContent += 1 }).observe(out, {childList: true}); out.append(1)",
    "resize observer": "new ResizeObserver(() => { out.style.height = Math.random() * 99 + 'px' }).observe(out)",
    "listeners": "for (let i = 0; i < 1e5; i++) document.addEventListener('mousemove', () => i)",
    "events": "for (let i = 0; i < 1e6; i++) document.dispatchEvent(new Event('x'))",
    "focus": "onfocus = onblur = () => go.focus(); go.onfocus = () => go.blur(); go.onblur = () => setTimeout(() => go.focus())",
    "selection": "document.onselectionchange = () => getSelection().selectAllChildren(document.body); getSelection().empty()",
    "console": "for (let i = 0; i < 2e5; i++) console.log(i)",
    "console, large": "for (let i = 0; i < 50; i++) console.log('x'.repeat(1e6))",
    "errors": "for (let i = 0; i < 2e4; i++) setTimeout(() => { throw new Error(i) })",
    "rejections": "for (let i = 0; i < 2e4; i++) Promise.reject(i)",
    # floods of requests
    "fetches": "for (let i = 0; i < 10000; i++) fetch('/x' + i)",
    "images": "for (let i = 0; i < 3000; i++) new Image().src = '/i' + i",
    "beacons": "for (let i = 0; i < 3000; i++) navigator.sendBeacon('/b' + i, 'x')",
    "sockets": "for (let i = 0; i < 250; i++) new WebSocket(`ws://${location.host}/s${i}`)",
    "streams": "for (let i = 0; i < 50; i++) new EventSource('/e' + i)",
    "data": "for (let i = 0; i < 2000; i++) fetch('data:,' + i)",
    "scripts": "for (let i = 0; i < 2000; i++) { const s = document.createElement('script'); s.src = '/s' + i; document.body.append(s) }",
    "styles": "for (let i = 0; i < 1000; i++) { const s = document.createElement('link'); s.rel = 'stylesheet'; s.href = '/c' + i; document.body.append(s) }",
    "downloads": "for (let i = 0; i < 50; i++) { const a = document.createElement('a'); a.href = 'data:,x'; a.download = 'x'; a.click() }",
    # other documents and threads
    "frame that spins": FRAME.format("for (;;);"),
    "frame that asks": FRAME.format("for (;;) alert(1)"),
    "frames, many": "for (let i = 0; i < 500; i++) document.body.append(document.createElement('iframe'))",
    "frames that come and go": "setInterval(() => { const f = document.createElement('iframe'); document.body.append(f); setTimeout(() => f.remove(), 5) }, 0)",
    "frames in frames": FRAME.format("if (window.length < 1 && location) parent.n = (parent.n || 0) + 1"),
    "popup that spins": "const w = open('about:blank'); w.setTimeout('for (;;);', 50)",
    "popups": "for (let i = 0; i < 20; i++) open('about:blank')",
    "worker that spins": WORKER.format("for (;;);"),
    "worker that floods": WORKER.format("for (;;) postMessage(1)"),
    "workers": f"for (let i = 0; i < 60; i++) {WORKER.format('setInterval(() => postMessage(1), 1)')}",
    "worker that waits": WORKER.format("Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)"),
    # large pages
    "nodes": "let s = ''; for (let i = 0; i < 1e6; i++) s += '<p>x'; document.body.innerHTML = s; document.body.offsetTop",
    "depth": "let e = document.body; for (let i = 0; i < 5e4; i++) e = e.appendChild(document.createElement('div'))",
    "text": "out.textContent = 'x '.repeat(2e7)",
    "attribute": "out.title = 'x'.repeat(5e7)",
    "attributes": "for (let i = 0; i < 1e5; i++) out.setAttribute('a' + i, i)",
    "classes": "out.className = Array.from({length: 1e5}, (_, i) => 'c' + i).join(' ')",
    "shadow roots": "for (let i = 0; i < 2e4; i++) { const d = document.createElement('div'); d.attachShadow({mode: 'closed'}).innerHTML = '<p>x'; document.body.append(d) }",
    "tables": "let s = '<td>'; for (let i = 0; i < 300; i++) s = `<table><tr><td>${s}</table>`; out.innerHTML = s",
    "options": "out.innerHTML = '<select>' + '<option>x'.repeat(2e5) + '</select>'",
    "document.write": "for (;;) document.write('<p>more</p>')",
    "nodes without end": "(function f() { for (let i = 0; i < 5000; i++) document.body.append('x'); setTimeout(f) })()",
    "rerendering": "setInterval(() => { out.innerHTML = '<b>x</b>'.repeat(5000) }, 0)",
    # layout and drawing
    "layout": "for (;;) { out.style.width = Math.random() * 99 + 'px'; out.offsetWidth }",
    "selectors": "const s = document.createElement('style'); s.textContent = ':has(* * * *) '.repeat(50) + '{}'; document.head.append(s); out.innerHTML = '<i>'.repeat(400)",
    "blur": "const s = document.createElement('style'); s.textContent = '.l { position: fixed; inset: 0; pointer-events: none; backdrop-filter: blur(200px) }'; document.head.append(s); for (let i = 0; i < 300; i++) document.body.append(Object.assign(document.createElement('div'), {className: 'l'}))",
    "canvas": "const c = document.createElement('canvas'); c.width = c.height = 8000; document.body.append(c); const x = c.getContext('2d'); (function f() { for (let i = 0; i < 50; i++) x.fillRect(i, i, 7000, 7000); requestAnimationFrame(f) })()",
    "canvases": "for (let i = 0; i < 200; i++) { const c = document.createElement('canvas'); c.width = c.height = 2000; c.getContext('2d').fillRect(0, 0, 9, 9); document.body.append(c) }",
    "svg": "let s = '<g id=g0><rect width=1 height=1 /></g>'; for (let i = 1; i < 12; i++) s += `<g id=g${i}>` + `<use href='#g${i - 1}' />`.repeat(4) + '</g>'; out.innerHTML = `<svg>${s}</svg>`",
    "shader": "const g = document.createElement('canvas').getContext('webgl'); if (g) { const s = g.createShader(g.FRAGMENT_SHADER); g.shaderSource(s, 'precision highp float; void main() { float x = 0.; for (int i = 0; i < 1000000; i++) x += sin(x + float(i)); gl_FragColor = vec4(x); }'); g.compileShader(s); for (let i = 0; i < 99; i++) g.finish() }",
    "animations": "for (let i = 0; i < 3000; i++) document.body.append(Object.assign(document.createElement('i'), {textContent: 'x'})); for (const e of document.querySelectorAll('i')) e.animate([{opacity: 0}, {opacity: 1}], {duration: 100, iterations: Infinity})",
    # memory and storage
    "memory": "const a = []; for (let i = 0; i < 50; i++) a.push(new Uint8Array(1e7).fill(1))",
    "local storage": "for (let i = 0; i < 1e4; i++) try { localStorage[i] = 'x'.repeat(1000) } catch {}",
    "cookies": "for (let i = 0; i < 2000; i++) document.cookie = `c${i}=${'x'.repeat(3000)}`",
    "databases": "for (let i = 0; i < 200; i++) indexedDB.open('d' + i)",
}


class Visit(NamedTuple):
    """What a visit showed."""

    over_s: dict[str, float]
    """By call, how many seconds it lasted beyond its own limits."""
    left: str
    """Empty if the page could be left and used, else the error."""
    told: bool
    """Whether the error says that the page does not answer or is gone."""
    neighbour_served: bool
    """Whether another page could be used, at the second attempt at the latest."""

    @property
    def good(self) -> bool:
        """Whether the page could be left, or the error said why not, and its neighbour was served."""
        return (not self.left or self.told) and self.neighbour_served


TELLING = ("does not answer", "is closed", "crashed", "draws nothing")


async def _act(page: Page) -> str:
    """Click, and return the error if that failed."""
    result = await page.execute_sequence(
        [stillframe.Click("#go")], timeout_ms=round(LIMIT_S * 1000), action_timeout_ms=round(LIMIT_S * 1000)
    )
    return result.failed.error if result.failed else ""


async def visit(script: str) -> Visit:
    """Visit a page that runs a script on its click, in a browser of its own."""
    over: dict[str, float] = {}

    async def timed(name: str, limit_s: float, call: Callable[[], Awaitable[Any]]) -> str:
        """Make a call and return its error, if it has one."""
        began = time.perf_counter()
        try:
            result = await call()
        except StillframeError as error:
            return str(error)
        else:
            return result if isinstance(result, str) else ""
        finally:
            over[name] = time.perf_counter() - began - limit_s

    async with PageServer() as server, stillframe.launch() as browser:
        server.html("/good", GOOD)
        neighbour = await (await browser.new_context()).new_page(server.url("/good"))
        page = await (await browser.new_context()).new_page(server.html("/page", on_click(script)))
        limit_ms = LIMIT_S * 1000
        await timed("click", 2 * LIMIT_S, lambda: _act(page))
        served = [await timed("neighbour", 2 * LIMIT_S, lambda: _act(neighbour)) == ""]
        await timed("evaluate", LIMIT_S, lambda: page.evaluate("1", timeout_ms=limit_ms))
        await timed("capture", LIMIT_S, lambda: page.snapshot(timeout_ms=limit_ms))
        await timed("screenshot", LIMIT_S, lambda: page.screenshot(timeout_ms=limit_ms))
        left = await timed("goto", LEAVE_S, lambda: page.goto(server.url("/good"), timeout_ms=LEAVE_S * 1000))
        error = left or await timed("use", 2 * LIMIT_S, lambda: _act(page))
        served.append(await timed("neighbour again", 2 * LIMIT_S, lambda: _act(neighbour)) == "")
        return Visit(over, error, any(text in error for text in TELLING), any(served))
