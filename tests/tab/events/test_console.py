"""What the console of a page says, and how often."""

from __future__ import annotations

import asyncio
import json

import pytest

from site_server import Site
from stillframe.api.browser import Page
from stillframe.model.actions import Click
from stillframe.model.events import ConsoleMessage


async def test_what_a_worker_logs_comes_once(page: Page, site: Site) -> None:
    await page.goto(site.html("/", ""))
    heard: list[ConsoleMessage] = []
    page.on("console", heard.append)
    script = "console.log('in a worker'); postMessage(1)"
    await page.evaluate(
        f"new Promise(done => new Worker(URL.createObjectURL(new Blob([`{script}`]))).onmessage = () => done())"
    )
    await page.cdp_session.drain_events()
    assert [(message.text, message.source) for message in heard] == [("in a worker", "console-api")]


async def test_what_this_package_does_in_a_sandbox_is_not_in_its_console(page: Page, site: Site) -> None:
    site.html("/inner", "inner")
    heard: list[ConsoleMessage] = []
    page.on("console", heard.append)
    frames = "<iframe sandbox srcdoc=x></iframe><iframe sandbox src=/inner></iframe>"
    await page.goto(site.html("/", f"<button>go</button>{frames}"))
    result = await page.execute_sequence([Click("button")], verbose=True)
    await page.aria_snapshot()
    for session in page._tab.sessions():
        await session.drain_events()
    assert result.console == ()
    assert [message for message in heard if message.source == "security"] == []


@pytest.mark.parametrize(
    ("logged", "text"),
    [
        ("console.log('hello', {foo: 'bar'}, [1], window)", "hello {foo: bar} [1] Window"),
        (
            "console.info([1, 'a', , , {b: 2}], {f() {}, get g() { return 1 }})",
            "[1, a, empty × 2, Object] {f: ƒ, g: (…)}",
        ),
        ("console.warn({a: null, b: undefined, c: [1, 2], d: true})", "{a: null, b: undefined, c: Array(2), d: true}"),
        (
            "console.log({}, [], -0, 10n, null, undefined, NaN, true, Symbol('s'))",
            "{} [] -0 10n null undefined NaN true Symbol(s)",
        ),
        ("console.error(new Error('wrong'), {a: 1})", "Error: wrong {a: 1}"),
        ("console.dir(new (class Shop { open = 1 }))", "Shop"),
        ("console.assert(false, 'not', {a: 1})", "not {a: 1}"),
        ("console.log({a: 1, b: 2, c: 3, d: 4, e: 5, f: 6})", "{a: 1, b: 2, c: 3, d: 4, e: 5, …}"),
        ("console.log('%s', {a: 1})", "%s {a: 1}"),
        ("console.error(new Error('wrong'))", "Error: wrong"),
    ],
)
async def test_objects_show_what_is_in_them(page: Page, site: Site, logged: str, text: str) -> None:
    await page.goto(site.html("/", ""))
    async with page.events("console") as messages:
        mine = (each async for each in messages if each.source == "console-api")
        await page.evaluate(f"console.log({{first: 1}}), {logged}, console.log('last'), console.assert(true, {{}}), 0")
        assert [(await anext(mine)).text for _ in range(3)] == ["{first: 1}", text, "last"]
        await page.goto(site.html("/next", f"<script>{logged}</script>"))
        assert (await anext(mine)).text == text


async def test_objects_come_in_turn_until_nobody_listens(page: Page, site: Site) -> None:
    await page.goto(
        site.html("/", f"<iframe src='{site.html('/inner', '').replace('127.0.0.1', 'localhost')}'></iframe>")
    )
    for _ in range(2):
        async with page.events("console") as messages:
            await page.evaluate("console.log([1]), console.log(2)")
            await page.frames[1].evaluate("console.log([3])")
            assert sorted([(await anext(messages)).text for _ in range(3)]) == ["2", "[1]", "[3]"]
    await page.evaluate("globalThis.paused = 0; debugger; paused = 1")
    assert await page.evaluate("paused") == 1


async def test_objects_show_what_is_in_them_in_frames_of_the_same_process(page: Page, site: Site) -> None:
    site.html("/inner", "inner <iframe srcdoc='<p>deep'></iframe>")
    await page.goto(site.html("/", "<iframe src=/inner></iframe><iframe srcdoc='<p>other'></iframe>"))
    async with page.events("console") as messages:
        for frame in page.frames:
            await frame.evaluate("console.log({a: [1]}), console.log([location.href.length > 0], {b: 2}), 0")
            assert [(await anext(messages)).text for _ in range(2)] == ["{a: Array(1)}", "[true] {b: 2}"]
        site.html("/next", "<script>console.log({c: 3})</script>")
        await page.frames[1].evaluate("location.href = '/next'")
        assert (await anext(messages)).text == "{c: 3}"


WORKER = """
onmessage = ({ data }) => { console.log(data, {from: 'message'}); postMessage(data) };
console.log({early: true}, [1, 2]);
postMessage('ready');
"""


async def test_objects_show_what_is_in_them_in_workers(page: Page, site: Site) -> None:
    """The hooks of `execute_sequence` come and go beside it, and use the debugger of the worker as well."""
    start = f"start = () => {{ worker = new Worker(URL.createObjectURL(new Blob([{json.dumps(WORKER)}]))) }}"
    answer = "new Promise((done) => { worker.onmessage = () => done(); worker.postMessage('hi') })"
    await page.goto(site.html("/", f"<button onclick='start()'>go</button><script>{start}</script>"))
    for _ in range(2):
        async with page.events("console") as messages:
            await page.execute_sequence([Click("button")])
            assert (await anext(messages)).text == "{early: true} [1, 2]"
            await page.evaluate(answer)
            assert (await anext(messages)).text == "hi {from: message}"
        await page.evaluate(answer)
    console = page._tab.events.console
    assert (console._objects, console._removers) == ({}, None)


async def test_a_worker_that_ends_while_somebody_listens_is_forgotten(page: Page, site: Site) -> None:
    await page.goto(site.html("/", ""))
    started = "new Promise((done) => { worker.onmessage = () => done() })"
    async with page.events("console") as messages:
        await page.evaluate(f"worker = new Worker(URL.createObjectURL(new Blob([{json.dumps(WORKER)}]))), {started}")
        await anext(messages)
        [worker] = [session for session in page._tab.sessions() if session.target_type == "worker"]
        ended = asyncio.Event()
        worker.on_closed(lambda _: ended.set())
        await page.evaluate("worker.terminate()")
        await asyncio.wait_for(ended.wait(), 10)
        assert worker not in page._tab.events.console._objects


@pytest.mark.parametrize("frame", [0, 1])
async def test_a_flood_of_objects_comes_in_turn_and_is_looked_for_once(page: Page, site: Site, frame: int) -> None:
    """A document keeps the arguments of its last 64 calls; of those before, the message has only the type."""
    await page.goto(site.html("/", "<iframe srcdoc='<p>inner'></iframe>"))
    async with page.events("console") as messages:
        logs = "for (let n = 0; n < 200; n++) console.log({n}); console.log('end')"
        await page.frames[frame].evaluate(f"void (() => {{ {logs} }})()")
        texts = [(await anext(messages)).text for _ in range(201)]
        assert texts == ["[object Object]"] * 136 + [f"{{n: {n}}}" for n in range(136, 200)] + ["end"]
        [objects] = page._tab.events.console._objects.values()
        assert len(objects._searches) == 1


async def test_a_frame_that_leaves_with_its_objects_still_has_its_message(page: Page, site: Site) -> None:
    await page.goto(site.html("/", "<iframe srcdoc='<p>inner'></iframe>"))
    async with page.events("console") as messages:
        log = "frames[0].console.log({a: 1}, 'last words'), document.querySelector('iframe').remove()"
        await page.evaluate(f"{log}, console.log({{b: 2}}), 0")
        assert [(await anext(messages)).text for _ in range(2)] == ["[object Object] last words", "{b: 2}"]
