"""Tabs that were open before the connection: listed, used on demand, and otherwise left as they are."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest
from heard import by_user, heard

import stillframe
from launched import chrome_itself
from site_server import Site
from stillframe.api.browser import Browser, Page
from stillframe.cdp_types import target
from stillframe.errors import ConnectFailed, OptionInvalid, SessionDetached, SessionLost
from stillframe.model.events import NewTarget

WIDTH = 555
WORKING = "<button id=go onclick='this.textContent = document.title + \" went\"'>go</button>"


pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
async def launched() -> AsyncIterator[Browser]:
    """A browser for all tests here."""
    with chrome_itself():  # the shell has no tab in front
        chrome = await stillframe.launch(port=0)
    async with chrome:
        yield chrome


@pytest.fixture
async def owner(launched: Browser) -> AsyncIterator[Browser]:
    """A browser that another program runs, without any tab."""
    yield launched
    root = launched.cdp_session
    for info in (await root.send(target.GetTargets())).target_infos:
        if info.type == "page":
            await root.send(target.CloseTarget(target_id=info.target_id))
    await until(lambda: not launched.pages)


def endpoint(owner: Browser) -> str:
    assert owner.info.endpoint is not None
    return owner.info.endpoint


def in_use(browser: Browser) -> set[str]:
    """The tabs that a connection is attached to: nothing else can send them a command."""
    return {session.target_id for session in browser.cdp_session.children}


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(10):
        while not condition():  # noqa: ASYNC110  the browser announces tabs by itself
            await asyncio.sleep(0.01)


async def test_open_tabs_are_listed_and_left_alone(owner: Browser, site: Site) -> None:
    theirs = [await owner.new_page(site.html(f"/{name}", WORKING, title=name)) for name in ("one", "two")]
    await theirs[0].set_viewport(WIDTH, 400)
    width = await theirs[1].evaluate("innerWidth")
    async with stillframe.connect(endpoint(owner), viewport={"width": 800, "height": 600}) as browser:
        one, two = sorted(browser.pages, key=lambda page: page.url)
        assert (one.url, two.url) == (theirs[0].url, theirs[1].url)
        assert (await one.title(), await two.title()) == ("one", "two")
        assert (one.closed, one.context, await one.opener(), one.popups) == (False, browser.default_context, None, [])
        assert (one.viewport, two.viewport) == (None, None)
        assert [frame.url for frame in one.frames] == [one.url]
        assert one.captures.taken == 0
        with pytest.raises(SessionDetached, match="await a method"):
            _ = one.cdp_session
        assert in_use(browser) == set()
        await theirs[0].goto(site.html("/three", WORKING, title="three"))
        await until(lambda: one.url.endswith("/three"))
        assert await one.title() == "three"
        assert in_use(browser) == set()
        assert await theirs[0].evaluate("innerWidth") == WIDTH
        # In use from here on: the second one alone.
        await two.click("#go")
        assert await two.locator("#go").text() == "two went"
        assert await two.evaluate("innerWidth") == 800
        assert two.viewport is not None
        assert in_use(browser) == {two.target_id}
    assert [page.closed for page in theirs] == [False, False]
    assert (await theirs[1].settle(expect={"text": "two went"})).stable
    back = f"const look = () => innerWidth == {width} ? done(1) : requestAnimationFrame(look)"
    assert await theirs[1].evaluate(f"new Promise(done => {{ {back}; look() }})") == 1
    assert await theirs[0].evaluate("innerWidth") == WIDTH


async def targets(browser: Browser) -> set[str]:
    reply = await browser._connection.root.send(target.GetTargets())
    return {info.target_id for info in reply.target_infos if info.type == "page"}


async def contexts(browser: Browser) -> set[str]:
    return set((await browser._connection.root.send(target.GetBrowserContexts())).browser_context_ids)


async def test_what_a_connection_opened_is_closed_with_it_and_nothing_else(owner: Browser, site: Site) -> None:
    url = site.html("/popup", "")
    theirs = await owner.new_page(site.html("/theirs", "", title="theirs"))
    before = await targets(owner)
    async with stillframe.connect(endpoint(owner), timezone="Asia/Tokyo") as browser:
        assert [page.url for page in browser.pages] == [theirs.url]
        page = await browser.new_page(site.html("/ours", ""))
        assert await page.evaluate("Intl.DateTimeFormat().resolvedOptions().timeZone") == "Asia/Tokyo"
        async with await browser.new_context(timezone="Europe/Paris") as context:
            closed = await context.new_page(site.url("/ours"))
        assert closed.closed
        left_open = await browser.new_context()
        await left_open.new_page(site.url("/ours"))
        async with heard(page, lambda event: isinstance(event, NewTarget)):
            await by_user(page, "window.open('/popup'), 1")
        assert await theirs.title() == "theirs"
    assert await contexts(owner) == set()
    assert before <= await targets(owner)
    assert not theirs.closed
    assert await theirs.evaluate("Intl.DateTimeFormat().resolvedOptions().timeZone") == "UTC"
    assert url  # the popup of ours may outlive us only as long as the browser takes to close it


async def test_tabs_come_and_go(owner: Browser, site: Site) -> None:
    url = site.html("/start", WORKING, title="start")
    async with stillframe.connect(endpoint(owner)) as browser:
        assert browser.pages == []
        theirs = await owner.new_page(url)
        await until(lambda: [page.url for page in browser.pages] == [url])
        (page,) = browser.pages
        assert page.context.pages == [page]
        await theirs.close()
        await until(lambda: page.closed)
        assert (browser.pages, page.context.pages) == ([], [])
        with pytest.raises(SessionLost):
            await page.evaluate("1")


async def test_calls_at_once_attach_once_and_only_a_new_tab_is_an_event(owner: Browser, site: Site) -> None:
    await owner.new_page(site.html("/start", WORKING, title="start"))
    async with stillframe.connect(endpoint(owner)) as browser:
        told: list[Page] = []
        browser.default_context.on("page", told.append)
        (page,) = browser.pages
        same, *values = await asyncio.gather(browser.page(page.target_id), *(page.evaluate("1 + 1") for _ in range(5)))
        assert (same, values) == (page, [2] * 5)
        root = browser.cdp_session
        assert [child.target_id for child in root.children] == [page.target_id]
        with pytest.raises(OptionInvalid, match="open are"):
            await browser.page("gone")
        assert told == []
        new = await browser.new_page()
        await until(lambda: told)
        assert told == [new]


async def test_options_that_the_browser_refuses_fail_every_call(owner: Browser, site: Site) -> None:
    theirs = await owner.new_page(site.html("/start", WORKING, title="start"))
    async with stillframe.connect(endpoint(owner), timezone="Mars/Olympus") as browser:
        (page,) = browser.pages
        for _ in range(2):
            with pytest.raises(OptionInvalid, match="timezone"):
                await page.evaluate("1")
    assert await theirs.evaluate("1") == 1


async def test_popups_of_a_tab_in_use_are_reported_and_left(owner: Browser, site: Site) -> None:
    body = "<a id=go href=/popup target=_blank>go</a>"
    site.html("/popup", WORKING, title="popup")
    theirs = await owner.new_page(site.html("/start", body, title="start"))
    async with stillframe.connect(endpoint(owner)) as browser:
        (page,) = browser.pages
        result = await page.click("#go")
        popup = await browser.page(result.new_targets[0])
        assert (await popup.opener(), page.popups) == (page, [popup])
        assert await popup.title() == "popup"
        ours = await browser.new_page(site.url("/start"))
        result = await ours.click("#go")
        assert len(result.new_targets) == 1
        assert len(browser.pages) == 4
    assert not theirs.closed
    await until(lambda: len(owner.pages) == 2)
    assert sorted([await each.title() for each in owner.pages]) == ["popup", "start"]


async def test_a_tab_can_be_closed_without_being_used(owner: Browser, site: Site) -> None:
    theirs = await owner.new_page(site.html("/start", WORKING))
    async with stillframe.connect(endpoint(owner)) as browser:
        (page,) = browser.pages
        await page.close()
        assert page.closed
        assert browser.pages == []
    await until(lambda: theirs.closed)


async def test_pages_that_nobody_used_end_with_the_connection(owner: Browser, site: Site) -> None:
    await owner.new_page(site.html("/start", WORKING, title="start"))
    browser = await stillframe.connect(endpoint(owner))
    (page,) = browser.pages
    await browser.close()
    assert page.closed
    assert browser.pages == []
    for call in (page.title, page.content):
        with pytest.raises(SessionLost):
            await call()


async def test_a_named_session_can_use_an_open_tab(owner: Browser, site: Site) -> None:
    for name in ("one", "two"):
        await owner.new_page(site.html(f"/{name}", WORKING, title=name))
    async with stillframe.connect(endpoint(owner)) as browser:
        one, two = sorted(browser.pages, key=lambda page: page.url)
        async with stillframe.Sessions() as sessions:
            session = await sessions.open("mine", page=one)
            assert (session.page, session.state, in_use(browser)) == (one, "open", {one.target_id})
            assert await session.switch(two.target_id) is two
            assert (await session.execute_sequence([stillframe.Click("#go")])).failed is None
        assert (one.closed, two.closed) == (False, False)


async def test_the_tab_in_front(owner: Browser, site: Site) -> None:
    root = owner.cdp_session
    assert await owner.active_page() is None
    urls = [site.html(f"/{name}", WORKING, title=name) for name in ("one", "two", "three")]
    made = [await root.send(target.CreateTarget(url=url)) for url in urls]  # tabs of one window
    async with stillframe.connect(endpoint(owner)) as browser:
        for each in (made[1], made[0], made[2]):
            await root.send(target.ActivateTarget(target_id=each.target_id))
            active = await browser.active_page()
            assert active is not None
            assert active.target_id == each.target_id
            assert in_use(browser) == set()
        await active.click("#go")
        assert await active.locator("#go").text() == "three went"


async def test_a_browser_without_an_address_does_not_say_which_tab_is_in_front(browser: Browser, page: Page) -> None:
    with pytest.raises(ConnectFailed, match="port=0"):
        await browser.active_page()
