"""What `settle="virtual"` costs and keeps: wall time over what the server takes, repeats, a page held for a minute.

Each figure is taken on pages of its own in one browser; `causal` stands beside it, in random order.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from aiohttp import web

import stillframe
from bench.measure import Table, interleaved, table
from bench.site import html, serving, slow
from stillframe.api.browser import Browser
from stillframe.demo.shop import PASSWORD, USER, Shop
from stillframe.model.actions import Click, SetValue
from stillframe.model.secret import Secret

HELD_S = 60.0
REPEATS = 200
ROUNDS = 15

PAGE = """<!doctype html><button id=nothing>n</button><button id=fetch>f</button><button id=timer>t</button>
<button id=chain>c</button><button id=both>b</button><div id=out></div><p id=ticks>0</p><script>
const add = (text) => { out.append(Object.assign(document.createElement('p'), { textContent: text })); };
const get = (ms) => fetch('/slow?ms=' + ms).then((reply) => reply.text()).then(add);
const chain = (links) => setTimeout(() => { add(links); if (links > 1) chain(links - 1); }, 300);
const at = (id, what) => document.getElementById(id).addEventListener('click', what);
at('fetch', () => get(300));
at('timer', () => setTimeout(() => add('second'), 1000));
at('chain', () => chain(10));
at('both', () => { chain(10); get(400); });
</script>"""
COURSE = """<!doctype html><button id=go>go</button><div id=out></div><script>
const add = (id) => out.append(Object.assign(document.createElement('p'), { id, textContent: id }));
const socket = new WebSocket(`ws://${location.host}/ws`);
socket.onopen = () => add('open');
socket.onmessage = () => add('replied');
const worker = new Worker(URL.createObjectURL(new Blob(['onmessage = () => setTimeout(() => postMessage(0), 50)'])));
worker.onmessage = () => add('worked');
go.onclick = () => {
  setTimeout(() => add('timed'), 700);
  fetch('/slow?ms=200').then((reply) => reply.text()).then(() => add('fetched'));
  requestAnimationFrame(() => requestAnimationFrame(() => add('drawn')));
  worker.postMessage(0);
  setTimeout(() => socket.send('a'), 300);
};
</script>"""
"""Timers, a fetch, frames, a worker and a socket, far enough apart for their order to be that of the page."""
TICKS = "<script>setInterval(() => { ticks.textContent++; }, 50);</script>"

EXTERNAL_MS = {"nothing": 0, "fetch": 300, "timer": 0, "chain": 0, "both": 400}
"""By button, how long the server takes: what no clock can shorten."""


Sample = Callable[[], Awaitable[float]]


async def _page(request: web.Request) -> web.Response:
    return web.Response(text=PAGE + (TICKS if "ticks" in request.query else ""), content_type="text/html")


async def waits(browser: Browser, url: str, rounds: int) -> list[Table]:
    """The whole call of `execute_sequence`, captures and click included, less what the server takes."""
    tables = []
    async with (
        await browser.new_context() as context,
        await context.new_page(url) as page,
        await browser.new_context() as other,
        await other.new_page(url) as causal,
    ):
        for button, external in EXTERNAL_MS.items():

            def run(way: str, on: stillframe.Page, button: str = button, external: int = external) -> Sample:
                async def sample() -> float:
                    clock = asyncio.get_running_loop().time
                    began = clock()
                    await on.execute_sequence([Click(f"#{button}")], settle=way, observe="calls", horizon_ms=4000)
                    return (clock() - began) * 1000 - external

                return sample

            ways = {"virtual": run("virtual", page), "causal": run("causal", causal)}
            samples = await interleaved(ways, rounds)
            tables.append(table(f"{button}: wall time over {external} ms of the server's", "ms", "causal", samples))
    return tables


async def distinct(browser: Browser, repeats: int) -> int:
    """How many different results the same login gives, times left out."""
    login = [SetValue("#user", USER), SetValue("#pass", Secret(PASSWORD)), Click("#submit")]
    results = set()
    async with Shop() as shop:
        for _ in range(repeats):
            async with await browser.new_context() as context, await context.new_page(shop.url("/login")) as page:
                result = await page.execute_sequence(login, settle="virtual", verbose=True)
                results.add(result.to_json(measured=False))
    for text in sorted(results)[1:]:
        print(text.decode()[:2000])
    return len(results)


async def courses(browser: Browser, url: str, repeats: int) -> int:
    """How many different results the same course of timers, frames, a fetch, a worker and a socket gives."""
    results = set()
    for _ in range(repeats):
        async with await browser.new_context() as context, await context.new_page(url) as page:
            await page._tab.frames.main.call("(css) => __sf.waitFor({kind: 'css', css}, 'attached', 5000)", "#open")
            result = await page.execute_sequence([Click("#go")], settle="virtual", verbose=True)
            results.add(result.to_json(measured=False))
    for text in sorted(results)[1:]:
        print(text.decode()[:2000])
    return len(results)


async def _echo(request: web.Request) -> web.WebSocketResponse:
    socket = web.WebSocketResponse()
    await socket.prepare(request)
    async for message in socket:
        await asyncio.sleep(0.06)
        await socket.send_str(message.data)
    return socket


async def held(browser: Browser, url: str, seconds: float) -> bool:
    """Whether a page that ticks looks the same after a while."""
    async with await browser.new_context() as context, await context.new_page(url + "?ticks") as page:
        await page.execute_sequence([Click("#nothing")], settle="virtual")
        before = (await page.snapshot()).digests.exact
        await asyncio.sleep(seconds)
        return (await page.snapshot()).digests.exact == before


async def run(*, rounds: int = ROUNDS) -> list[Table]:
    """Measure one browser; the repeats and the minute are as many and as long in every run."""
    routes = {"/": _page, "/slow": slow, "/course": html(COURSE), "/ws": _echo}
    async with serving(routes) as port, stillframe.launch(virtual_time=True) as browser:
        url = f"http://127.0.0.1:{port}/"
        tables = await waits(browser, url, rounds)
        results = await distinct(browser, REPEATS)
        varied = await courses(browser, url + "course", REPEATS)
        changes = float(not await held(browser, url, HELD_S))
    kept = {f"{REPEATS} logins": [float(results)]}, {f"held for {HELD_S:.0f} s": [changes]}
    return [
        *tables,
        table("different results of the same login", "results", "", kept[0]),
        table("different results of the same course", "results", "", {f"{REPEATS} courses": [float(varied)]}),
        table("changes of a page that ticks", "changes", "", kept[1]),
    ]
