"""A tab that is handed on is like a new one, whatever the test before has done; what cannot be undone is closed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
from aiohttp import web

import page_pool
from page_pool import PagePool
from sampling import sampled
from site_server import Site
from stillframe.api.browser import Browser, Page
from stillframe.cdp_types import browser as cdp_browser
from stillframe.cdp_types import page as cdp_page
from stillframe.cdp_types import runtime
from stillframe.errors import CommandError
from stillframe.model.actions import Click, Hover, SetValue

PROBE = """(async () => ({
    cookies: document.cookie,
    local: {...localStorage},
    session: {...sessionStorage},
    databases: (await indexedDB.databases()).map((each) => each.name),
    caches: await caches.keys(),
    workers: (await navigator.serviceWorker.getRegistrations()).length,
    controlled: navigator.serviceWorker.controller !== null,
    name: window.name,
    opener: window.opener !== null,
    history: history.length,
    referrer: document.referrer,
    scroll: [scrollX, scrollY],
    size: [innerWidth, innerHeight, devicePixelRatio],
    zoom: visualViewport.scale,
    agent: navigator.userAgent,
    languages: navigator.languages,
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    online: navigator.onLine,
    dark: matchMedia('(prefers-color-scheme: dark)').matches,
    touch: navigator.maxTouchPoints,
    globals: Object.keys(window).filter((each) => /^left/.test(each)),
    hovered: document.querySelectorAll('#target:hover').length,
    focused: document.activeElement.id,
    value: document.getElementById('field').value,
    permission: (await navigator.permissions.query({name: 'geolocation'})).state,
    fullscreen: document.fullscreenElement !== null,
}))()"""
"""What a page can tell of those before it."""

SUBJECT = "<button id=target style='width:300px;height:300px'>target</button><input id=field><p>subject"
WORKER = "onfetch = () => {}; onactivate = (event) => event.waitUntil(clients.claim())"
STORE = """(async () => {
    document.cookie = 'left=1; max-age=1000';
    localStorage.left = sessionStorage.left = window.name = 'left';
    await new Promise((done) => {
        indexedDB.open('left').onsuccess = (event) => { event.target.result.close(); done() };
    });
    await (await caches.open('left')).put('/left', new Response('left'));
})()"""
SERVE = "navigator.serviceWorker.register('/left.js').then(() => navigator.serviceWorker.ready).then(() => true)"


async def worker(_: web.Request) -> web.Response:
    return web.Response(text=WORKER, content_type="text/javascript")


@pytest.fixture
def subject(site: Site) -> str:
    site.route("/left.js", worker)
    return site.html("/subject", SUBJECT)


@pytest.fixture
async def pool(browser: Browser, site: Site) -> AsyncIterator[PagePool]:
    pool = PagePool(browser, site.url("").rstrip("/"))
    yield pool
    await pool.close()


async def probed(page: Page, url: str) -> dict[str, Any]:
    await page.goto(url)
    answer = await page.evaluate(PROBE)
    assert isinstance(answer, dict)
    return answer


# -- what tests do ---------------------------------------------------------------------------------


async def store(page: Page) -> None:
    await page.evaluate(STORE)
    await page.context.add_cookies([{"name": "left", "value": "2", "url": page.url}])


async def use_the_pointer(page: Page) -> None:
    await page.execute_sequence([Hover("#target"), Click("#target"), SetValue("#field", "left")])


async def go_places(page: Page) -> None:
    url = page.url
    for number in range(3):
        await page.goto(f"{url}?{number}")
    await page.evaluate("history.pushState(null, '', '#left')")
    await page.go_back()


async def scroll(page: Page) -> None:
    await page.evaluate("document.body.style.height = '9000px'; scrollTo(0, 4000)")


async def emulate(page: Page) -> None:
    await page.set_viewport(400, 300, device_scale_factor=2, mobile=True, touch=True)
    await page.context.set_offline(True)


async def extend_documents(page: Page) -> None:
    await page.add_init_script("window.leftByScript = 1")
    await page.expose_function("leftExposed", lambda: 1)
    await page.cdp_session.send(runtime.AddBinding(name="leftBinding"))
    await page.cdp_session.send(cdp_page.AddScriptToEvaluateOnNewDocument(source="window.leftByProtocol = 1"))
    await page.reload()


async def route_requests(page: Page) -> None:
    await page.route("**/*", lambda route: route.fulfill(body="left", content_type="text/html"))
    await page.context.route("**/*", lambda route: route.abort())


async def grant(page: Page) -> None:
    allow = cdp_browser.GrantPermissions(permissions=["geolocation"], browser_context_id=page.context.id)
    await page.browser.cdp_session.send(allow)


async def stay_busy(page: Page) -> None:
    await page.evaluate("setInterval(() => { document.title += '.' }, 5); new Promise(() => {})[0]")


TRACES: dict[str, Callable[[Page], Awaitable[None]]] = {
    "storage": store,
    "the pointer and the focus": use_the_pointer,
    "the history": go_places,
    "the scroll position": scroll,
    "emulation": emulate,
    "scripts, bindings and functions": extend_documents,
    "routes": route_requests,
    "permissions": grant,
    "timers": stay_busy,
}


@pytest.fixture
async def new(browser: Browser, subject: str) -> dict[str, Any]:
    """What the probe says of a new tab in a new context."""
    async with await browser.new_context() as context, await context.new_page() as page:
        return await probed(page, subject)


async def everything(page: Page) -> None:
    """Leave all traces in one page, in an order in which none is in the way of another or takes it away."""
    loads = (store, go_places, extend_documents)
    for leave in (*loads, use_the_pointer, scroll, grant, stay_busy, emulate, route_requests):
        await leave(page)


@pytest.mark.parametrize("leave", sampled([everything, *TRACES.values()], [everything]))
async def test_nothing_is_carried_over(
    pool: PagePool, subject: str, new: dict[str, Any], leave: Callable[[Page], Awaitable[None]]
) -> None:
    async with pool.page() as page:
        await page.goto(subject)
        await leave(page)
        before = page.target_id
    async with pool.page() as page:
        assert page.target_id == before, "the tab was not handed on, so the test shows nothing"
        assert page.url == "about:blank"
        assert await probed(page, subject) == new


@pytest.mark.slow  # it is about the probe of this file, which no test of the product uses
async def test_each_trace_is_one_that_the_probe_would_find(
    browser: Browser, subject: str, new: dict[str, Any], subtests: pytest.Subtests
) -> None:
    """A trace that nothing can see would prove nothing."""
    # Those that are left out end with the document or with the session.
    for name in TRACES.keys() - {"routes", "timers", "the scroll position"}:
        with subtests.test(name):
            async with await browser.new_context() as context, await context.new_page() as page:
                await page.goto(subject)
                await TRACES[name](page)
                assert await page.evaluate(PROBE) != new


async def test_the_objects_are_new_ones(pool: PagePool, subject: str) -> None:
    async with pool.page() as former:
        await former.goto(subject)
        await former.execute_sequence([Click("#target")])
        refs = former.context
    async with pool.page() as page:
        assert (page is former, page.context is refs, page.context.pages) == (False, False, [page])
        assert former.closed
        with pytest.raises(CommandError):
            await former.evaluate("1")


async def close(page: Page) -> None:
    await page.close()


async def crash(page: Page) -> None:
    page.cdp_session.post(cdp_page.Crash(), timeout=1)
    with pytest.raises(CommandError):
        await page.evaluate("1")


async def open_another(page: Page) -> None:
    await page.context.new_page()


async def visit_another_site(page: Page) -> None:
    await page.goto(page.url.replace("127.0.0.1", "localhost"))


async def leave_a_worker(page: Page) -> None:
    await page.evaluate(SERVE)


async def hang(page: Page) -> None:
    await page.cdp_session.send(runtime.Evaluate(expression="setTimeout(() => { for (;;); })"))


@pytest.mark.every_row
@pytest.mark.parametrize(
    "spoil", sampled([close, crash, open_another, visit_another_site, leave_a_worker, hang], [leave_a_worker, hang])
)
async def test_what_cannot_be_cleaned_is_closed(
    pool: PagePool,
    subject: str,
    spoil: Callable[[Page], Awaitable[None]],
    new: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if spoil is hang:
        monkeypatch.setattr(page_pool, "CLEAN_S", 0.2)  # it hangs for ever
    async with pool.page() as page:
        await page.goto(subject)
        await spoil(page)
        spoiled = page.target_id
    assert page.context not in page.browser.contexts
    async with pool.page() as page:
        assert page.target_id != spoiled
        assert await probed(page, subject) == new
