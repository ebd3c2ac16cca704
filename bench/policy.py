"""What a policy and secrets cost: requests through the gate and without it, judging a URL, painting a picture.

All on loopback, where a proxy costs the most beside what it carries. The same page asks the same server in a context
with a policy, whose every connection goes through the gate, and in one without.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from functools import partial

from aiohttp import WSMsgType, web

import stillframe
from bench.measure import Table, interleaved, table
from bench.site import html, serving
from stillframe.api.browser import Page
from stillframe.security.policy import UrlPolicy

ROUNDS = 9
ONE_BY_ONE = 50
AT_ONCE = 300
BODY_BYTES = 20_000_000
MESSAGES = 100
HOSTS = 10_000
JUDGED = 5_000

SECRET = "a-lantern-in-the-cellar"
ROWS = "".join(f"<p>row {number} of many" for number in range(500))
PAGE = f"<!doctype html><title>policy</title><p>{SECRET}</p>{ROWS}"

ALONE = f"""(async () => {{ const began = performance.now()
    for (let n = 0; n < {ONE_BY_ONE}; n++) await (await fetch("/small?" + n, {{cache: "no-store"}})).text()
    return (performance.now() - began) / {ONE_BY_ONE} }})()"""
TOGETHER = f"""(async () => {{ const began = performance.now()
    const all = [...Array({AT_ONCE}).keys()].map(n => fetch("/small?" + n, {{cache: "no-store"}}).then(r => r.text()))
    await Promise.all(all)
    return (performance.now() - began) / {AT_ONCE} }})()"""
LARGE = """(async () => { const began = performance.now()
    const size = (await (await fetch("/large", {cache: "no-store"})).arrayBuffer()).byteLength
    return 1e6 * (performance.now() - began) / size })()"""
SOCKET = f"""new Promise(done => {{
    const socket = new WebSocket(`ws://${{location.host}}/ws`)
    let left = {MESSAGES}, began
    const say = () => socket.send("x")
    const end = () => (socket.close(), done((performance.now() - began) / {MESSAGES}))
    socket.onopen = () => {{ began = performance.now(); say() }}
    socket.onmessage = () => --left ? say() : end() }})"""

CASES = {
    f"a small request, {ONE_BY_ONE} one by one": ("ms per request", ALONE),
    f"a small request, {AT_ONCE} at once": ("ms per request", TOGETHER),
    f"a body of {BODY_BYTES // 1_000_000} MB": ("ms per MB", LARGE),
    "a message there and back on a WebSocket": ("ms per message", SOCKET),
}


async def run(rounds: int | None = None) -> list[Table]:
    """Return the tables; all of one are of one run."""
    rounds = rounds or ROUNDS
    routes = {"/": html(PAGE), "/small": _small, "/large": _large, "/ws": _echo}
    async with serving(routes) as port, stillframe.launch() as browser:
        url = f"http://127.0.0.1:{port}/"
        policy = UrlPolicy(allowed_hosts=[f"127.0.0.1:{port}"])
        async with (
            await browser.new_context() as plain,
            await browser.new_context(policy=policy) as kept,
            await browser.new_context(secrets={"lantern": SECRET}) as secretive,
            await browser.new_context(secrets={"other": "not-on-the-page"}) as discreet,
        ):
            pages = {"no policy": await plain.new_page(url), "a policy": await kept.new_page(url)}
            tables = [
                await _compared(pages, question, unit, rounds, partial(_in_page, script))
                for question, (unit, script) in CASES.items()
            ]
            tables.append(await _compared(pages, "loading a page", "ms", rounds, partial(_load, url)))
            pictured = {
                "no secrets": pages["no policy"],
                "secrets, none shown": await discreet.new_page(url),
                "a secret shown": await secretive.new_page(url),
            }
            tables.append(await _compared(pictured, "a screenshot of 500 rows", "ms", rounds, _picture))
    return [*tables, _judging(rounds)]


Measure = Callable[[Page], Awaitable[float]]


async def _compared(pages: dict[str, Page], question: str, unit: str, rounds: int, measure: Measure) -> Table:
    contestants = {name: partial(measure, page) for name, page in pages.items()}
    samples = await interleaved(contestants, rounds)
    return table(question, unit, next(iter(pages)), samples)


async def _in_page(script: str, page: Page) -> float:
    return float(await page.evaluate(script))


async def _load(url: str, page: Page) -> float:
    began = time.perf_counter()
    await page.goto(url)
    return (time.perf_counter() - began) * 1000


async def _picture(page: Page) -> float:
    began = time.perf_counter()
    await page.screenshot()
    return (time.perf_counter() - began) * 1000


def _judging(rounds: int) -> Table:
    hosts = [f"*.host-{number}.example" for number in range(HOSTS)]
    policies = {
        "no lists": UrlPolicy(),
        f"{HOSTS} hosts denied": UrlPolicy(denied_hosts=hosts),
        f"{HOSTS} hosts allowed": UrlPolicy(allowed_hosts=[*hosts, "*.example.org"]),
    }
    samples: dict[str, list[float]] = {name: [] for name in policies}
    for _ in range(rounds):
        for name, policy in policies.items():
            began = time.perf_counter()
            for number in range(JUDGED):
                policy.judge(f"https://a.b.example.org/path?{number}")
            samples[name].append((time.perf_counter() - began) / JUDGED * 1e6)
    return table("judging a URL by its text", "µs", "no lists", samples)


async def _small(_: web.Request) -> web.Response:
    return web.Response(text="small")


async def _large(_: web.Request) -> web.Response:
    return web.Response(body=b"x" * BODY_BYTES)


async def _echo(request: web.Request) -> web.WebSocketResponse:
    socket = web.WebSocketResponse()
    await socket.prepare(request)
    async for message in socket:
        if message.type is WSMsgType.TEXT:
            await socket.send_str(message.data)
    return socket
