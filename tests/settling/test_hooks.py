"""Call hooks on real pages: calls that are scheduled and have not run are known, and a page can hardly notice.

What the hooks reveal to a page that looks for them, each with a test below:

- the text of a wrapped function, which has no name: `function () { [native code] }`;
- in a worker, a non-enumerable property with a random name on the prototype of async generator functions;
- time: some microseconds for every wrapped call.

Nothing else: a wrapper has the name, the length, the errors and the stacks of its native, no stack is captured once a
page inspects stacks, and nothing ever pauses.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest
from aiohttp import web
from heard import by_user, heard

from sampling import sampled
from site_server import Site
from stillframe.api.browser import Browser, Page
from stillframe.model.events import NewTarget
from stillframe.model.options import parse_options
from stillframe.model.verdict import Verdict

EXCESS_MS = 1000
"""How long after the last mark a verdict may come; generous, to catch a wrong rule, not a busy machine."""

PAGE = """
<button id=go>Go</button><div id=out></div><script>{before}</script><script>
var marks = [];
var mark = () => {{ document.getElementById("out").textContent += "m"; marks.push(Date.now()); }};
var later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
document.getElementById("go").onclick = async () => {{ {click} }};
</script>
"""


async def show(page: Page, site: Site, click: str, *, before: str = "", path: str = "/it.html", **more: Any) -> None:
    await page.goto(site.html(path, PAGE.format(click=click, before=before), **more))


async def settle(page: Page, expression: str = "void document.getElementById('go').click()", **given: Any) -> Verdict:
    async with page._settler.armed(parse_options(given)) as settling:
        await page.evaluate(expression)
        return await settling.verdict()


async def scheduled(page: Page) -> list[str]:
    """Return the calls that the page has scheduled since it was armed."""
    told = await page._tab.frames.main.evaluate("__sfSettle.scheduledWork(null)")
    return [call["what"] for call in told["scheduled"]["calls"]]


async def expect_marks(
    page: Page, site: Site, click: str, count: int = 1, *, excess_ms: float = EXCESS_MS, **more: Any
) -> Verdict:
    """Click, settle, and check that all marks exist and that the verdict came soon after the last one."""
    await show(page, site, click, **more)
    verdict = await settle(page)
    returned = time.time() * 1000
    marks = await page.evaluate("marks")
    assert len(marks) == count, f"premature: {verdict}"
    assert verdict.stable, verdict
    assert returned - marks[-1] <= excess_ms, verdict
    return verdict


# -- what is awaited -----------------------------------------------------------------------------

DATABASE = """
const open = indexedDB.open("it"); open.onupgradeneeded = () => open.result.createObjectStore("s");
open.onsuccess = () => { const store = open.result.transaction("s", "readwrite").objectStore("s"); let n = 0;
  const next = () => { if (n++ === 20) return mark(); store.put(n, n).onsuccess = next; }; next(); }
"""
SPIN = "const t = Date.now(); while (Date.now() - t < 8)"

CALLS: dict[str, tuple[str, int]] = {
    "setTimeout": ("setTimeout(mark, 400)", 1),
    "a string for a delay": ("setTimeout(mark, '300')", 1),
    "a string for a callback": ("setTimeout('mark()', 300)", 1),
    "a chain": ("for (let n = 0; n < 5; n++) { await later(150); mark() }", 5),
    "two timers at once": ("setTimeout(mark, 200); setTimeout(mark, 500)", 2),
    "a timer cleared by another": (
        "const t = setTimeout(mark, 1500); setTimeout(() => { clearTimeout(t); mark() }, 200)",
        1,
    ),
    "setInterval, one tick": ("const i = setInterval(() => { clearInterval(i); mark() }, 300)", 1),
    "setInterval, three ticks": (
        "let n = 0; const i = setInterval(() => { mark(); ++n > 2 && clearInterval(i) }, 120)",
        3,
    ),
    "clearTimeout of an interval": ("const i = setInterval(() => { clearTimeout(i); mark() }, 200)", 1),
    "frame after frame": (
        "let n = 0; const f = () => ++n < 30 ? requestAnimationFrame(f) : mark(); requestAnimationFrame(f)",
        1,
    ),
    "an idle callback": ("requestIdleCallback(() => setTimeout(mark, 150))", 1),
    "postTask": ("scheduler.postTask(mark, {delay: 300})", 1),
    "yield after yield": ("for (let n = 0; n < 20; n++) { " + SPIN + "; await scheduler.yield() } mark()", 1),
    "messages to a port": (
        "const c = new MessageChannel(); let n = 0; c.port1.onmessage = () => { " + SPIN + "; ++n < 20 ? "
        "c.port2.postMessage(0) : mark() }; c.port2.postMessage(0)",
        1,
    ),
    "messages to the window": (
        "let n = 0; onmessage = () => { " + SPIN + "; ++n < 20 ? postMessage(0) : mark() }; postMessage(0)",
        1,
    ),
    "messages on a channel": (
        "const a = new BroadcastChannel('it'), b = new BroadcastChannel('it'); let n = 0; "
        "b.onmessage = () => { " + SPIN + "; ++n < 20 ? a.postMessage(0) : mark() }; a.postMessage(0)",
        1,
    ),
    "a timer in a worker": (
        "const w = new Worker(URL.createObjectURL(new Blob(["
        "'onmessage = () => setTimeout(() => postMessage(0), 400)'])));"
        "w.onmessage = mark; w.postMessage(0)",
        1,
    ),
    "a chain in a worker": (
        "const w = new Worker(URL.createObjectURL(new Blob(['let n = 0; const f = () => ++n < 8 ? setTimeout(f, 60) : "
        "postMessage(0); onmessage = f']))); w.onmessage = mark; w.postMessage(0)",
        1,
    ),
    "a database": (DATABASE, 1),
    "a reader": (
        "const r = new FileReader(); r.onload = () => setTimeout(mark, 100); r.readAsText(new Blob(['x'.repeat(3e6)]))",
        1,
    ),
    "the text of a blob": ("await new Blob(['x'.repeat(8e7)]).text(); mark()", 1),
    "the stream of a blob": (
        "await new Blob(['x'.repeat(3e7)]).stream().pipeTo(new WritableStream()); mark()",
        1,
    ),
    "the bytes of a blob": ("await new Blob(['x'.repeat(8e7)]).arrayBuffer(); mark()", 1),
    "cryptography": (
        "const k = await crypto.subtle.importKey('raw', new Uint8Array(9), 'PBKDF2', false, ['deriveBits']);"
        "await crypto.subtle.deriveBits("
        "{name: 'PBKDF2', hash: 'SHA-256', salt: new Uint8Array(9), iterations: 20000}, k, 256);"
        "mark()",
        1,
    ),
    "a cache": (
        "const c = await caches.open('it'); await c.put('/x', new Response('x')); await c.match('/x'); mark()",
        1,
    ),
    "a lock": ("await navigator.locks.request('it', () => later(200)); mark()", 1),
    "a bitmap": ("await createImageBitmap(new ImageData(900, 900)); mark()", 1),
    "debounce, then fetch": (
        "let t; const f = () => { clearTimeout(t); t = setTimeout(() => fetch('/slow?ms=200').then(mark), 300) }; "
        "f(); await later(50); f(); await later(50); f()",
        1,
    ),
    "a timer set by a timer set by a fetch": (
        "await fetch('/slow?ms=100'); await later(200); await later(200); mark()",
        1,
    ),
}


@pytest.mark.parametrize("name", CALLS)
async def test_what_is_scheduled_is_awaited(page: Page, site: Site, name: str) -> None:
    click, count = CALLS[name]
    await expect_marks(page, site, click, count)


async def test_an_idle_callback_is_awaited_while_the_thread_has_no_idle_time(page: Page, site: Site) -> None:
    """The page's own tasks leave none for more than the time that an idle callback gets on a thread at rest."""
    work = (
        "let until = Infinity; const { port1, port2 } = new MessageChannel(); port1.onmessage = () => {"
        " const from = performance.now(); while (performance.now() - from < 30) {}"
        " if (performance.now() < until) port2.postMessage(0) }; port2.postMessage(0)"
    )
    await show(page, site, "until = performance.now() + 1700; requestIdleCallback(mark)", before=work)
    await page.evaluate("later(1500)")
    verdict = await settle(page, horizon_ms=4000)
    assert len(await page.evaluate("marks")) == 1, verdict


async def test_a_second_wait_knows_what_the_first_one_did(page: Page, site: Site) -> None:
    """The same calls again right afterwards: none from the first wait counts as a loop."""
    await show(page, site, "marks.length = 0; for (let n = 0; n < 5; n++) { await later(100); mark() }")
    for _ in range(4):
        assert (await settle(page)).stable
        assert len(await page.evaluate("marks")) == 5


@pytest.mark.serial
async def test_a_timer_beyond_the_horizon_is_reported_not_awaited(page: Page, site: Site) -> None:
    await show(page, site, "mark(); setTimeout(mark, 60000)")
    verdict = await settle(page)
    assert verdict.stable
    (row,) = verdict.pending
    assert (row.kind, row.what) == ("timer", "setTimeout 60000 ms")
    assert row.site is not None
    assert row.site.startswith(site.url("/it.html"))
    assert verdict.waited_ms < EXCESS_MS


@pytest.mark.serial
async def test_an_interval_without_end_ends_at_the_horizon(page: Page, site: Site) -> None:
    await show(page, site, "setInterval(mark, 200)")
    verdict = await settle(page, horizon_ms=700)
    assert (verdict.stable, verdict.outcome) == (False, "horizon: timer setInterval 200 ms")
    assert 700 <= verdict.waited_ms < 700 + EXCESS_MS


@pytest.mark.serial
async def test_an_aborted_task_is_not_awaited(page: Page, site: Site) -> None:
    click = (
        "const c = new AbortController(); scheduler.postTask(mark, {delay: 1500, signal: c.signal}).catch(mark);"
        "later(100).then(() => c.abort())"
    )
    verdict = await expect_marks(page, site, click)
    assert verdict.waited_ms < 1000


# -- what is not awaited -------------------------------------------------------------------------

LOOPS = {
    "a chain": "const tick = () => setTimeout(tick, 100); tick()",
    "a slow chain": "const tick = () => setTimeout(tick, 900); tick()",
    "a chain with work in it": (
        "const tick = () => setTimeout(async () => { await fetch('/slow?ms=30'); tick() }, 200); tick()"
    ),
    "an interval": "setInterval(() => 0, 100)",
    "frames": "const f = () => requestAnimationFrame(f); f()",
    "messages": (
        "const c = new MessageChannel(); c.port2.postMessage(0);"
        "c.port1.onmessage = () => setTimeout(() => c.port2.postMessage(0), 80)"
    ),
}


@pytest.mark.serial
@pytest.mark.parametrize("name", LOOPS)
async def test_what_goes_on_by_itself_is_not_awaited(page: Page, site: Site, name: str) -> None:
    """The loop itself is not awaited, and it does not hide the effects of the click."""
    await show(page, site, "setTimeout(mark, 250)", before=LOOPS[name])
    await page.evaluate("later(2500)")
    verdict = await settle(page)
    assert verdict.stable, verdict
    assert len(await page.evaluate("marks")) == 1
    assert verdict.waited_ms < 250 + EXCESS_MS, verdict


@pytest.mark.serial
async def test_a_loop_is_named_with_its_rate(page: Page, site: Site) -> None:
    await show(page, site, "setTimeout(mark, 300)", before=LOOPS["a chain"])
    await page.evaluate("later(1000)")
    rows = [row for row in (await settle(page)).ignored if row.kind == "timer"]
    assert [row.key.partition(" @")[0] for row in rows] == ["setTimeout 100 ms"]
    assert rows[0].rate == pytest.approx(10, abs=2)


@pytest.mark.serial
async def test_timers_of_before_are_foreign(page: Page, site: Site) -> None:
    await show(page, site, "mark()", before="for (let n = 0; n < 50; n++) setTimeout(() => 0, 1000 + n)")
    verdict = await settle(page)
    assert (verdict.stable, verdict.pending) == (True, ())
    assert verdict.waited_ms < EXCESS_MS


EQUAL = """
const put = (what) => setTimeout(() => { marks.push(what) }, 400);
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const until = (at) => { while (performance.now() < at) {} };
"""
"""Functions that set equal timers for the page itself and for the click."""
EQUAL_TIMERS = {
    "in the handler": ("put('own')", "put('mine')"),
    "after a promise": ("put('own')", "await null; put('mine')"),
    "in a helper that sleeps": ("sleep(400)", "await sleep(400); marks.push('mine')"),
    "in such a helper, after a promise": ("sleep(400)", "await null; await sleep(400); marks.push('mine')"),
    "while such a helper loops": (
        "(async () => { while (true) await sleep(400) })()",
        "await sleep(400); marks.push('mine')",
    ),
}


@pytest.mark.every_row
@pytest.mark.parametrize("name", EQUAL_TIMERS)
async def test_a_timer_of_the_actions_is_awaited_although_an_equal_one_is_due(
    page: Page, site: Site, name: str
) -> None:
    """The page's own timer is due and has not run when the click sets its timer: only the callers differ."""
    own, click = EQUAL_TIMERS[name]
    await show(page, site, click, before=EQUAL)
    await page.evaluate(f"window.due = performance.now() + 400; {own}; 0")
    await settle(page, "until(due + 3), document.getElementById('go').click()")
    assert "mine" in await page.evaluate("marks")


LOOPS_JUST_BEGUN = {
    "a named callback": "const set = () => setTimeout(tick, 300); function tick() { set() } set()",
    "an unnamed callback": "const set = () => setTimeout(() => set(), 300); set()",
    "a timer that is cleared first": "let id; const tick = () => { clearTimeout(id); id = setTimeout(tick, 300) }; "
    "tick()",
    "a sleeping loop": "const nap = () => new Promise((done) => setTimeout(done, 300)); "
    "(async () => { while (true) await nap() })()",
}


@pytest.mark.every_row
@pytest.mark.parametrize("name", LOOPS_JUST_BEGUN)
async def test_a_loop_that_has_just_begun_is_left_out(page: Page, site: Site, name: str) -> None:
    """The first round cannot always tell it from a timer of the actions; the second one can."""
    await show(page, site, "setTimeout(mark, 700)")  # two rounds
    await page.evaluate(f"void (() => {{ {LOOPS_JUST_BEGUN[name]} }})()")
    verdict = await settle(page)
    assert verdict.stable, verdict


async def test_a_loop_of_a_long_script_is_left_out(page: Page, site: Site) -> None:
    """Chrome counts the lines of the script for the stack of the first call: 45 ms, in which its timer runs already."""
    await show(page, site, "setTimeout(mark, 700)")
    lines = "\n" * 4_000_000
    loop = LOOPS_JUST_BEGUN["a sleeping loop"]
    took = "const began = performance.now(); RUN; return performance.now() - began".replace("RUN", loop)
    assert await page.evaluate(f"(() => {{ /*{lines}*/ {took} }})()") > 5
    verdict = await settle(page)
    assert verdict.stable, verdict


@pytest.mark.every_row
@pytest.mark.parametrize("name", LOOPS_JUST_BEGUN)
async def test_a_loop_that_has_just_begun_is_left_out_when_a_long_task_delays_it(
    page: Page, site: Site, name: str
) -> None:
    task = "setTimeout(() => { for (const end = performance.now() + 150; performance.now() < end;); }, 290)"
    await show(page, site, "setTimeout(mark, 700)")
    await page.evaluate(f"void (() => {{ {task}; {LOOPS_JUST_BEGUN[name]} }})()")
    verdict = await settle(page)
    assert verdict.stable, verdict


async def test_a_timer_is_awaited_that_is_set_soon_after_an_equal_one_of_the_page_has_run(
    page: Page, site: Site
) -> None:
    before = "var asked = 0; const nap = async () => { await 0; setTimeout(() => asked && mark(), 300) };"
    await show(page, site, "setTimeout(() => { asked = 1; nap() }, 360)", before=before)
    await page.evaluate("void nap()")
    verdict = await settle(page)
    assert (verdict.stable, await page.evaluate("marks.length")) == (True, 1), verdict


# -- pages that change what they stand on ----------------------------------------------------------

HOSTILE = {
    "a wrapped setTimeout": (
        "const native = setTimeout; window.setTimeout = (f, ms, ...rest) => native(() => f(...rest), ms)"
    ),
    "Error.prepareStackTrace": "Error.prepareStackTrace = () => { throw 'seen' }",
    "no stacks": "Error.stackTraceLimit = 0",
    "no Error": "window.Error = undefined; delete window.Error",
    "broken Function.prototype": "for (const n of ['call', 'apply', 'bind']) Function.prototype[n] = () => { throw 1 }",
    "broken Array.prototype": (
        "Array.prototype.concat = Array.prototype.map = () => { throw 1 };"
        "Object.defineProperty(Array.prototype, 3, {set() { throw 1 }})"
    ),
    "broken String.prototype": "String.prototype.indexOf = String.prototype.slice = () => { throw 1 }",
    "toJSON everywhere": "Object.prototype.toJSON = String.prototype.toJSON = Array.prototype.toJSON = () => 'no'",
    "another performance": "performance.now = () => 0; Date.now = ((now) => now)(Date.now)",
    "setters on Object.prototype": (
        "for (const n of ['at', 'due', 'next', 'kind', 'period'])"
        " Object.defineProperty(Object.prototype, n, {set() { throw 1 }, get() { return 7 }, configurable: true})"
    ),
    "frozen prototypes": (
        "for (const f of [async function*() {}, function*() {}]) Object.freeze(Object.getPrototypeOf(f));"
        "Object.freeze(Object.prototype); Object.freeze(Function.prototype)"
    ),
    "functions that cannot be replaced": (
        "for (const n of ['setTimeout', 'clearTimeout', 'requestAnimationFrame'])"
        " Object.defineProperty(window, n, {writable: false, configurable: false})"
    ),
    "frozen functions": "for (const f of [setTimeout, clearTimeout, setInterval, postMessage]) Object.freeze(f)",
    "another text of functions": "Function.prototype.toString = () => 'function () {}'",
    "another Proxy and Reflect": "window.Proxy = window.Reflect = undefined",
    "other events": (
        "window.CustomEvent = window.Event = class {};"
        "for (const n of ['addEventListener', 'dispatchEvent']) EventTarget.prototype[n] = () => { throw 1 }"
    ),
    "names of ours": "var debug = 1, undebug = 2, record = 3, hook = 4",
}


@pytest.mark.parametrize("name", HOSTILE)
async def test_whatever_a_page_overrides(page: Page, site: Site, name: str) -> None:
    await expect_marks(
        page, site, "const t = setTimeout(mark, 1500); await later(300); clearTimeout(t); mark()", before=HOSTILE[name]
    )


async def test_names_of_the_caller_do_not_shadow_ours(page: Page, site: Site) -> None:
    click = (
        "(function (Error, globalThis, Object, performance) { var arguments = 5; let undefined = 3; const self = 1;"
        " setTimeout(mark, 300) })()"
    )
    await expect_marks(page, site, click)


async def test_a_page_finds_nothing_to_take_away(page: Page, site: Site) -> None:
    before = (
        "{ const home = Object.getPrototypeOf(async function*() {});"
        " for (const key of Object.getOwnPropertyNames(home)) if (key[0] === '_') delete home[key] }"
    )
    await show(page, site, "setTimeout(mark, 300); mark()", before=before)
    verdict = await settle(page)
    assert verdict.stable
    assert len(await page.evaluate("marks")) == 2


POLICIES = ["script-src 'unsafe-inline'", "script-src 'unsafe-inline'; require-trusted-types-for 'script'"]


@pytest.mark.parametrize("policy", sampled(POLICIES, POLICIES[-1:]))
async def test_a_content_security_policy_does_not_matter(page: Page, site: Site, policy: str) -> None:
    async def answer(_: web.Request) -> web.Response:
        text = PAGE.format(click="setTimeout(mark, 300)", before="")
        return web.Response(text=text, content_type="text/html", headers={"Content-Security-Policy": policy})

    site.route("/strict.html", answer)
    await page.goto(site.url("/strict.html"))
    assert (await settle(page)).stable
    assert len(await page.evaluate("marks")) == 1


async def test_a_page_without_scripts_of_its_own(page: Page, site: Site) -> None:
    async def answer(_: web.Request) -> web.Response:
        headers = {"Content-Security-Policy": "script-src 'none'"}
        return web.Response(text="<p id=out>", content_type="text/html", headers=headers)

    site.route("/none.html", answer)
    await page.goto(site.url("/none.html"))
    assert (await settle(page, "void setTimeout(() => document.getElementById('out').textContent = 'm', 300)")).stable
    assert await page.evaluate("document.getElementById('out').textContent") == "m"


async def test_ten_thousand_timers(page: Page, site: Site) -> None:
    verdict = await expect_marks(
        page, site, "for (let n = 0; n < 10000; n++) setTimeout(() => 0, n % 300); setTimeout(mark, 450)"
    )
    assert verdict.pending == ()


async def test_ten_thousand_timers_that_are_cleared(page: Page, site: Site) -> None:
    """Beyond the limit of the list only the last call is known, so a cleared one may be awaited."""
    click = (
        "const ids = []; for (let n = 0; n < 10000; n++) ids.push(setTimeout(() => 0, 700 + n % 300));"
        "ids.forEach(clearTimeout); mark()"
    )
    verdict = await expect_marks(page, site, click, excess_ms=1000 + EXCESS_MS)
    assert verdict.pending == ()


async def test_a_page_that_wrapped_the_functions_before_us(browser: Browser, site: Site) -> None:
    """When its calls begin to be observed, the page of a context that observes less has already run its scripts."""
    before = (
        "const native = setTimeout; window.setTimeout = function setTimeout(f, ms, ...rest) {"
        " return native(() => f(...rest), ms) }; Object.freeze(window.setTimeout)"
    )
    async with await browser.new_context(observe="dom") as context, await context.new_page() as page:
        await show(page, site, "setTimeout(mark, 400)", before=before)
        verdict = await settle(page, observe="calls")
        assert (verdict.stable, len(await page.evaluate("marks"))) == (True, 1), verdict


SELF_TEST = """(() => {
    const failed = [], is = (name, right) => right || failed.push(name);
    const text = Function.prototype.toString.call(setTimeout);
    is("name", setTimeout.name === "setTimeout" && setInterval.name === "setInterval");
    is("length", setTimeout.length === 1 && requestAnimationFrame.length === 1 && clearTimeout.length === 0);
    is("native", /^function.*\\(\\) \\{ \\[native code\\] \\}$/.test(text));
    is("instanceof", setTimeout instanceof Function && Object.getPrototypeOf(setTimeout) === Function.prototype);
    is("prototype", !("prototype" in setTimeout) && !Object.hasOwn(setTimeout, "prototype"));
    const thrown = (work) => { try { work() } catch (error) { return error } };
    is("new", thrown(() => new setTimeout(() => 0)) instanceof TypeError);
    is("new.target", thrown(() => Reflect.construct(Object, [], setTimeout)) instanceof TypeError);
    is("illegal", thrown(() => setTimeout.call({}, () => 0)) instanceof TypeError);
    const error = thrown(function probe() { setTimeout() });
    is("error", error instanceof TypeError && error.stack.split("\\n")[1].includes("probe"));
    is("key", Object.keys(window).includes("setTimeout"));
    const { enumerable, configurable, writable } = Object.getOwnPropertyDescriptor(window, "setTimeout");
    is("descriptor", enumerable && configurable && writable);
    is("id", typeof setTimeout(() => 0) === "number");
    let depth = 0; const dive = () => { depth++; dive() }; thrown(dive);
    is("depth", depth > 1000);
    return new Promise((done) => setTimeout((...given) => {
        is("arguments", given.join() === "1,2");
        is("this", (function () { return this === window }).call(undefined));
        is("stack", !new Error().stack.includes("Object.apply"));
        done(failed);
    }, 1, 1, 2));
})()"""


async def test_the_functions_pass_a_page_s_own_tests(page: Page, site: Site) -> None:
    await show(page, site, "")
    assert await page.evaluate(SELF_TEST) == []


# -- frames, workers, other documents --------------------------------------------------------------

INNER = (
    "<p id=p></p><script>onmessage = () => start(); var start = () => { let n = 0;"
    " const i = setInterval(() => { p.textContent = ++n; n > 3 && clearInterval(i) }, 120) }</script>"
)


async def frame_text(page: Page) -> str:
    (frame,) = page._tab.frames.main.children.values()
    return str(await frame.evaluate("document.getElementById('p').textContent"))


@pytest.mark.parametrize("kind", sampled(("srcdoc", "sandboxed", "same site", "another site"), ("another site",)))
async def test_what_a_frame_schedules_is_awaited(page: Page, site: Site, kind: str) -> None:
    site.html("/inner.html", INNER)
    attributes = {
        "srcdoc": f'srcdoc="{INNER}"',
        "sandboxed": f'sandbox="allow-scripts" srcdoc="{INNER}"',
        "same site": f'src="{site.url("/inner.html")}"',
        "another site": f'src="{site.url("/inner.html", host="localhost")}"',
    }
    url = site.html("/it.html", f"<iframe {attributes[kind]}></iframe>")
    await page.goto(url)
    verdict = await settle(page, "frames[0].postMessage(0, '*')")
    assert verdict.stable, verdict
    assert await frame_text(page) == "4"
    assert verdict.waited_ms < 480 + EXCESS_MS


@pytest.mark.slow
async def test_a_frame_that_the_click_brings(page: Page, site: Site) -> None:
    site.html("/inner.html", INNER + "<script>start()</script>")
    click = f"const f = document.createElement('iframe'); f.src = '{site.url('/inner.html', host='localhost')}';"
    await show(page, site, click + "document.body.append(f)")
    assert (await settle(page)).stable
    assert await frame_text(page) == "4"


async def test_a_document_that_is_written_anew(page: Page, site: Site) -> None:
    await show(page, site, "document.open(); document.write('<p id=out>'); document.close(); setTimeout(mark, 300)")
    assert (await settle(page)).stable
    assert len(await page.evaluate("marks")) == 1


async def test_a_document_that_writes_itself_in_many_parts(page: Page, site: Site) -> None:
    before = "for (let n = 0; n < 20; n++) document.write(`<p>${n}<script>setTimeout(() => 0, ${n})<\\/script>`)"
    await expect_marks(page, site, "setTimeout(mark, 300)", before=before)


async def test_a_frame_that_may_run_no_scripts(page: Page, site: Site) -> None:
    url = site.html("/it.html", '<iframe sandbox="allow-same-origin" srcdoc="<p id=p>still</p>"></iframe>')
    await page.goto(url)
    verdict = await settle(page, "void setTimeout(() => frames[0].document.getElementById('p').textContent = 'm', 300)")
    assert verdict.stable, verdict
    assert await frame_text(page) == "m"


@pytest.mark.parametrize("frames", sampled((30, 100), (30,)))
async def test_frames_that_come_and_go_by_the_hundred(page: Page, site: Site, frames: int) -> None:
    click = (
        f"const frames = {frames};"
        "for (let n = 0; n < frames; n++) { const f = document.createElement('iframe'); document.body.append(f);"
        " f.contentWindow.setTimeout(() => 0, 5000); setTimeout(() => f.remove(), n) } setTimeout(mark, 400)"
    )
    verdict = await expect_marks(page, site, click, excess_ms=3 * EXCESS_MS)
    assert verdict.pending == (), verdict


async def test_a_document_from_the_back_forward_cache(page: Page, site: Site) -> None:
    site.html("/other.html", "<p>other")
    await show(
        page, site, "setTimeout(mark, 300)", before="var shown = 0; onpageshow = (e) => { shown += e.persisted }"
    )
    await page.settle()
    await page.goto(site.url("/other.html"))
    await page.go_back()
    verdict = await settle(page)
    assert verdict.stable, verdict
    assert len(await page.evaluate("marks")) == 1


async def test_a_prerendered_document(page: Page, site: Site) -> None:
    site.html("/ahead.html", PAGE.format(before="", click="setTimeout(mark, 300)"))
    rules = (
        '<script type="speculationrules">{"prerender": [{"urls": ["/ahead.html"], "eagerness": "immediate"}]}</script>'
    )
    await page.goto(site.html("/it.html", rules + '<a href="/ahead.html">on</a>'))
    async with asyncio.timeout(10):
        while not any("ahead" in path for path in site.requests):
            await page.evaluate("new Promise(requestAnimationFrame)")
    assert (await settle(page, "void document.querySelector('a').click()")).stable
    assert page.url.endswith("/ahead.html")
    verdict = await settle(page)
    assert (verdict.stable, len(await page.evaluate("marks"))) == (True, 1), verdict


async def test_the_next_document_is_hooked_too(page: Page, site: Site) -> None:
    site.html("/next.html", PAGE.format(before="setTimeout(() => mark(), 400)", click=""))
    await show(page, site, "location = '/next.html'")
    verdict = await settle(page)
    assert (verdict.stable, verdict.reason) == (True, "navigated")
    assert len(await page.evaluate("marks")) == 1


async def test_a_page_that_the_page_opens_is_hooked(page: Page, site: Site) -> None:
    """The two share a process; each knows its own calls only, and knows each once."""
    url = site.html("/popup.html", PAGE.format(before="", click="setTimeout(mark, 300)"))
    await show(page, site, "")
    async with heard(page, lambda event: isinstance(event, NewTarget) and event.url == url):
        await by_user(page, "window.open('/popup.html'), 1")
    (popup,) = [other for other in page.context.pages if await other.opener() is page]
    async with popup:
        await popup.goto(url)
        assert (await settle(popup)).stable
        assert len(await popup.evaluate("marks")) == 1
        async with popup._settler.armed(parse_options({})), page._settler.armed(parse_options({})):
            await popup.evaluate("void setTimeout(() => 0, 1000)")
            assert [await scheduled(popup), await scheduled(page)] == [["setTimeout 1000 ms"], []]


async def test_the_first_statement_of_a_worker_is_hooked(page: Page, site: Site) -> None:
    click = (
        "const w = new Worker(URL.createObjectURL(new Blob(['\\n\\nsetTimeout(() => postMessage(0), 400)'])));"
        "w.onmessage = mark"
    )
    await expect_marks(page, site, click)


async def test_many_workers_come_and_go(page: Page, site: Site) -> None:
    """A worker that is still starting crashes its renderer if it is asked too much."""
    click = (
        "let n = 0; for (let i = 0; i < 12; i++) { const w = new Worker(URL.createObjectURL(new Blob(["
        "'const t = setTimeout(() => 0, 900); setTimeout(() => { clearTimeout(t); postMessage(0); close() }, 30)'])));"
        "w.onmessage = () => { if (++n === 12) mark() } }"
    )
    # The ends of twelve workers arrive late on a busy machine: at worst their long timers are awaited.
    await expect_marks(page, site, click, excess_ms=900 + EXCESS_MS)


# -- cost, and what is left behind -----------------------------------------------------------------

TRACES = """[
    Object.getOwnPropertyNames(Object.getPrototypeOf(async function*() {})).filter((key) => key[0] === "_").length,
    Object.getOwnPropertyNames(window).filter((key) => key.startsWith("_")).length,
    setTimeout.toString(), Object.getOwnPropertyNames(setTimeout).join(), setTimeout.name, setTimeout.length,
]"""
NATIVE = ["function setTimeout() { [native code] }", "length,name", "setTimeout", 1]
WRAPPED = ["function () { [native code] }", *NATIVE[1:]]


async def test_what_observing_calls_shows(page: Page, site: Site) -> None:
    await show(page, site, "")
    assert await page.evaluate(TRACES) == [0, 0, *WRAPPED]


@pytest.mark.serial
async def test_observing_less_leaves_nothing_behind(page: Page, site: Site) -> None:
    await show(page, site, "await later(800); mark()")
    assert (await settle(page)).stable
    for observe in ("dom", "protocol"):
        assert (await settle(page, observe=observe)).waited_ms < 800
        assert await page.evaluate(TRACES) == [0, 0, *NATIVE]
        await page.goto(page.url)
        assert await page.evaluate(TRACES) == [0, 0, *NATIVE]
    assert (await settle(page)).waited_ms > 400
    assert await page.evaluate(TRACES) == [0, 0, *WRAPPED]


async def test_a_context_that_observes_less_is_never_hooked(browser: Browser, site: Site) -> None:
    async with await browser.new_context(observe="dom") as context, await context.new_page() as page:
        await show(page, site, "")
        assert await page.evaluate(TRACES) == [0, 0, *NATIVE]
        assert not page._settler.page.hooks.installed


async def test_ids_of_timers_stay_in_a_row(page: Page, site: Site) -> None:
    await show(
        page, site, "ids.push(setTimeout(() => 0), setTimeout(() => 0))", before="var ids = [setTimeout(() => 0)]"
    )
    await settle(page)
    assert await page.evaluate("ids") == [1, 2, 3]


async def test_nothing_ever_pauses(page: Page, site: Site) -> None:
    paused: list[Any] = []
    page.cdp_session.on("Debugger.paused", paused.append)
    await expect_marks(page, site, "debugger; setTimeout(() => { debugger; mark() }, 200); eval('debugger')")
    assert paused == []


async def test_a_page_that_schedules_without_measure_is_not_slowed_for_long(page: Page, site: Site) -> None:
    click = (
        "const c = new MessageChannel(); let n = 0; c.port2.postMessage(0);"
        "c.port1.onmessage = () => ++n < 6000 ? c.port2.postMessage(0) : mark()"
    )
    await show(page, site, click)
    verdict = await settle(page)
    assert len(await page.evaluate("marks")) == 1, verdict


async def test_memory_is_bounded(page: Page, site: Site) -> None:
    await show(page, site, "for (let n = 0; n < 1000; n++) setTimeout(() => 0, 400 + n % 100); setTimeout(mark, 900)")
    verdict = await settle(page)
    assert verdict.stable, verdict
    assert len(await page.evaluate("marks")) == 1
