"""Tabs that pages open: reported to who opened them, usable as pages, and never in the way of the opener.

The rule for the focus: nothing moves. The sequence that opened a tab goes on in its own page; the tab is a `Page` of
the browser, found through `new_targets`, `browser.page`, `page.popups` or `page.opener()`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from aiohttp import web
from heard import by_user, heard

import stillframe
from sampling import sampled
from site_server import Site
from stillframe.api import popups
from stillframe.api.browser import Browser, Page
from stillframe.cdp_types import emulation, target
from stillframe.cdp_types import input as cdp_input
from stillframe.cdp_types import page as cdp_page
from stillframe.errors import OptionInvalid, SessionLost, WaitTimeout
from stillframe.model.actions import Action, Click, SetValue
from stillframe.model.events import NewTarget
from stillframe.model.secret import Secret
from stillframe.security.policy import UrlPolicy
from stillframe.tab.network.routing import Route


def came_to(url: str):  # type: ignore[no-untyped-def]
    return lambda event: isinstance(event, NewTarget) and event.url == url


def popup_of(page: Page) -> Page:
    (popup,) = page.popups
    return popup


@pytest.mark.parametrize(
    "how",
    [
        "window.open('/popup')",
        "window.open('/popup', '_blank', 'noopener')",
        "window.open('/popup', 'named', 'width=300,height=200')",
        "Object.assign(document.createElement('a'), {href: '/popup', target: '_blank'}).click()",
        "Object.assign(document.createElement('a'), {href: '/popup', target: '_blank', rel: 'opener'}).click()",
    ],
)
async def test_a_new_tab_is_reported_with_where_it_came_to_and_can_be_used(page: Page, site: Site, how: str) -> None:
    url = site.html("/popup", "<button onclick='document.title = 1'>", title="popup")
    await page.goto(site.html("/start", ""))
    with page._tab.recorder.record() as record:
        async with heard(page, came_to(url)):
            await by_user(page, f"{how}, 1")
    popup = popup_of(page)
    assert record.new_targets == (NewTarget(target_id=popup.target_id, type="page", url=url),)
    await popup._ready()
    await popup.goto(url)
    assert await popup.title() == "popup"
    assert await page.evaluate("1 + 1") == 2
    await popup.close()
    assert popup not in page.browser.pages


async def test_where_a_tab_comes_to_is_reported_whatever_becomes_of_it(page: Page, site: Site) -> None:
    end, slow = site.html("/end", ""), site.url("/gate/slow")
    await page.goto(site.html("/start", ""))
    for opened, url in (
        ("", "about:blank"),  # it stays blank
        (slow, slow),  # where it is going is known before it is there
        ("/redirect?to=/end", end),
        ("http://nowhere.invalid/", "http://nowhere.invalid/"),
    ):
        async with heard(page, came_to(url)):
            await by_user(page, f"window.open('{opened}'), 1")
    site.open("slow")


@pytest.mark.slow
async def test_a_tab_opened_by_a_frame_of_another_process_belongs_to_its_page(page: Page, site: Site) -> None:
    url = site.html("/popup", "")
    site.html("/inner", f"<a href='{url}' target=_blank>open</a>")
    await page.goto(site.html("/start", f"<iframe src='{site.url('/inner', host='localhost')}'></iframe>"))
    frame = next(frame for frame in page._tab.frames if frame.parent is not None)
    async with heard(page, came_to(url)):
        await by_user(frame, "document.querySelector('a').click()")
    assert await popup_of(page).opener() is page


async def test_the_dialogs_of_a_popup_are_answered(page: Page, site: Site) -> None:
    site.html("/popup", "<script>answer = confirm('from the popup')</script>")
    await page.goto(site.html("/start", ""))
    opened = "new Promise(r => { const popup = open('/popup'); popup.onload = () => r(popup.answer) })"
    assert await by_user(page, opened) is False


@pytest.mark.slow  # tabs of two pages, below, are told apart as well
@pytest.mark.parametrize("number", sampled((3, 8), (3,)))
async def test_many_tabs_at_once(page: Page, site: Site, number: int) -> None:
    url = site.html("/popup", "")
    await page.goto(site.html("/start", ""))
    arrived: set[str] = set()
    done = asyncio.Event()

    def listener(event: object, *_: object) -> None:
        if isinstance(event, NewTarget) and event.url.startswith(url):
            arrived.add(event.target_id)
            if len(arrived) == number:
                done.set()

    remove = page._tab.recorder.listen(listener)
    for each in range(number):
        await by_user(page, f"window.open('/popup?{each}'), 1")
    async with asyncio.timeout(20):
        await done.wait()
    remove()
    assert arrived == {other.target_id for other in page.context.pages if await other.opener() is page}


@pytest.mark.slow  # test_connect.py closes what a connection opened, a popup too
async def test_popups_are_closed_with_their_context(browser: Browser, site: Site) -> None:
    url = site.html("/popup", "")
    async with await browser.new_context() as context:
        page = await context.new_page(site.html("/start", ""))
        async with heard(page, came_to(url)):
            await by_user(page, "window.open('/popup'), 1")
        popup = popup_of(page)
    assert popup.closed
    assert popup not in browser.pages


async def test_a_tab_that_closes_itself_at_once_leaves_nothing(page: Page, site: Site) -> None:
    await page.goto(site.html("/start", ""))
    async with heard(page, lambda event: isinstance(event, NewTarget)):
        await by_user(page, "window.open('about:blank').close(), 1")
    await page.cdp_session.root.drain_events()
    others = [other for other in page.context.pages if other is not page]
    for other in others:
        async with asyncio.timeout(10):
            await asyncio.gather(other._ready(), return_exceptions=True)
            await other.close()
    assert page.context.pages == [page]


# -- by Ctrl, Shift and the middle button ----------------------------------------------------------

LINK = "<a id=x style='position:fixed;inset:0' {}>open</a>"
CTRL, SHIFT = 2, 8


async def press(page: Page, *, button: str = "left", modifiers: int = 0) -> None:
    for type_ in ("mouseMoved", "mousePressed", "mouseReleased"):
        held = {"button": button, "click_count": 1} if type_ != "mouseMoved" else {}
        event = cdp_input.DispatchMouseEvent(type=type_, x=50, y=50, modifiers=modifiers, **held)  # type: ignore[arg-type]
        await page.cdp_session.send(event)


HOW: dict[str, dict[str, Any]] = {
    "Ctrl": {"modifiers": CTRL},
    "Shift": {"modifiers": SHIFT},
    "Ctrl+Shift": {"modifiers": CTRL | SHIFT},
    "middle": {"button": "middle"},
}
WHERE = {
    "link": LINK.format("href=/popup"),
    "noopener": LINK.format("href=/popup rel=noopener target=_blank"),
    "named": LINK.format("href=/popup target=named"),
    "form": "<form action=/popup><input name=q hidden value=1><button style='position:fixed;inset:0'>open",
}
CASES = [(how, where) for how in HOW for where in WHERE if (how, where) != ("middle", "form")]
"""The middle button submits no form."""


@pytest.mark.parametrize(("how", "where"), CASES)
async def test_a_click_with_a_modifier_or_the_middle_button_tells_its_tab(
    page: Page, site: Site, how: str, where: str
) -> None:
    url = site.html("/popup", "<p>popup")
    await page.goto(site.html("/start", WHERE[where]))
    with page._tab.recorder.record() as record:
        async with page.expect_popup() as opening, heard(page, lambda event: event.url.startswith(url)):
            await press(page, **HOW[how])
    popup = await opening
    assert [(row.target_id, row.url.rstrip("?q=1")) for row in record.new_targets] == [(popup.target_id, url)]
    assert page.popups == [popup]
    assert await popup.opener() is page
    assert page.url == site.url("/start")
    await popup.goto(url)
    await popup.close()


@pytest.mark.parametrize("modifier", sampled(("Control", "Shift"), ("Control",)))
async def test_a_sequence_tells_the_tab_and_can_go_on_in_it(page: Page, site: Site, modifier: str) -> None:
    url = site.html("/popup", "<button onclick='document.title = 7'>go")
    await page.goto(site.html("/start", "<a href=/popup>open</a>"))
    result = await page.execute_sequence([Click("text=open", modifiers=(modifier,))])  # type: ignore[arg-type]
    assert [row.url for row in result.new_targets] == [url]
    popup = await page.browser.page(result.new_targets[0])
    assert popup is await page.browser.page(result.new_targets[0].target_id)
    there = await popup.execute_sequence([Click("text=go")])
    assert (there.failed, await popup.title()) == (None, "7")


async def test_a_link_in_a_frame_of_another_process_tells_its_tab(page: Page, site: Site) -> None:
    url = site.html("/popup", "")
    site.html("/inner", LINK.format(f"href={url}"))
    inner = site.url("/inner", host="localhost")
    await page.goto(site.html("/start", f"<iframe src='{inner}'></iframe>"))
    result = await page.execute_sequence([Click("frame=iframe >> #x", modifiers=("Control",))])
    assert [row.url for row in result.new_targets] == [url]


async def test_two_pages_that_open_tabs_are_told_apart(page: Page, site: Site) -> None:
    other = await page.context.new_page(site.html("/other", LINK.format("href=/popup?other")))
    await page.goto(site.html("/start", LINK.format("href=/popup?mine")))
    site.html("/popup", "")
    for opener in (page, other):
        async with opener.expect_popup() as opening:
            await press(opener, modifiers=CTRL)
        assert await (await opening).opener() is opener


async def test_a_page_that_we_open_belongs_to_nobody(page: Page, site: Site) -> None:
    await page.goto(site.html("/start", LINK.format("href=/popup")))
    site.html("/popup", "")
    async with page.expect_popup() as opening:
        opened, _ = await asyncio.gather(page.context.new_page(), press(page, modifiers=CTRL))
    assert await (await opening).opener() is page
    assert await opened.opener() is None


async def test_a_download_in_a_new_tab_is_reported_to_its_opener(page: Page, site: Site) -> None:
    await page.goto(site.html("/start", LINK.format("href=/download/a.txt")))
    async with heard(page, lambda event: getattr(event, "state", "") == "completed"):
        await press(page, modifiers=CTRL)


# -- finding them ----------------------------------------------------------------------------------


async def test_a_popup_that_closed_is_not_found_and_the_open_ones_are_named(page: Page, site: Site) -> None:
    await page.goto(site.html("/start", "<button onclick='open(\"/popup\")'>open"))
    site.html("/popup", "<script>close()</script>")
    result = await page.execute_sequence([Click("text=open")])
    for row in result.new_targets:
        with pytest.raises((OptionInvalid, SessionLost)):
            await page.browser.page(row)
    with pytest.raises(OptionInvalid, match=page.target_id):
        await page.browser.page("nobody")


async def test_a_popup_that_does_not_come_is_reported(page: Page, site: Site) -> None:
    await page.goto(site.html("/start", ""))
    with pytest.raises(WaitTimeout, match=r"opened no tab within 100 ms"):
        async with page.expect_popup(timeout_ms=100):
            await page.title()  # it opens nothing


async def test_what_the_block_raises_is_raised(page: Page) -> None:
    with pytest.raises(ZeroDivisionError):
        async with page.expect_popup():
            raise ZeroDivisionError


@pytest.mark.parametrize("how", sampled(("target=_blank", ""), ("target=_blank",)))
async def test_popups_look_as_their_context_says(browser: Browser, site: Site, how: str) -> None:
    async with await browser.new_context(locale="de-DE", timezone="Asia/Tokyo", user_agent="Own/1") as context:
        site.html("/popup", "<script>seen = [navigator.userAgent, navigator.language,"
                            "Intl.DateTimeFormat().resolvedOptions().timeZone]</script>")  # fmt: skip
        page = await context.new_page(site.html("/start", LINK.format(f"href=/popup {how}")))
        async with page.expect_popup() as opening, heard(page, came_to(site.url("/popup"))):
            await press(page, modifiers=0 if how else CTRL)
        popup = await opening
        await popup.settle()
        assert await popup.evaluate("seen") == ["Own/1", "de-DE", "Asia/Tokyo"]


@pytest.mark.parametrize(("how", "modifiers"), sampled((("", CTRL), ("target=_blank", 0)), (("", CTRL),)))
async def test_the_first_document_of_a_popup_is_requested_as_its_context_says(
    browser: Browser, site: Site, how: str, modifiers: int
) -> None:
    """Chrome requests it before the popup has a session (api/first_documents.py)."""
    agent = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/149.0.0.0"
    own: dict[str, Any] = {"user_agent": agent, "locale": "de-DE", "extra_headers": {"X-Own": "1"}}
    asked: list[dict[str, str]] = []

    async def answer(request: web.Request) -> web.Response:
        asked.append({name.lower(): value for name, value in request.headers.items()})
        if not request.query_string:
            raise web.HTTPFound("/popup?2")
        return web.Response(text="popup")

    site.route("/popup", answer)
    async with await browser.new_context(**own) as context:
        page = await context.new_page(site.html("/start", LINK.format(f"href=/popup {how}")))
        async with page.expect_popup() as opening, heard(page, came_to(site.url("/popup?2"))):
            await press(page, modifiers=modifiers)
        await (await opening).close()
    looked = ("user-agent", "accept-language", "x-own", "sec-ch-ua-platform")
    wanted = [agent, "de-DE,de;q=0.9", "1", '"Windows"']
    assert [[headers.get(name) for name in looked] for headers in asked] == [wanted] * 2


@pytest.mark.parametrize("modifiers", sampled((CTRL, 0), (CTRL,)))
async def test_routes_and_blocks_hold_for_the_first_document_of_a_popup(
    browser: Browser, site: Site, modifiers: int
) -> None:
    routed: list[str] = []

    async def answer(route: Route) -> None:
        routed.append(route.request.url)
        await route.fulfill(body="<p>routed", content_type="text/html")

    async with await browser.new_context(block=["*/blocked"]) as context:
        target = "" if modifiers else "target=_blank"
        for path in ("/blocked", "/popup"):
            page = await context.new_page(site.html("/start", LINK.format(f"href={path} {target}")))
            await context.route("**/popup", answer)
            async with page.expect_popup() as opening, heard(page, came_to(site.url(path))):
                await press(page, modifiers=modifiers)
            await (await opening).settle()
        assert await (await opening).evaluate("document.body.textContent") == "routed"
    assert routed == [site.url("/popup")]
    assert not {"/blocked", "/popup"} & set(site.requests)


async def test_headers_that_the_caller_overrides_on_a_page_are_left_alone(browser: Browser, site: Site) -> None:
    async with await browser.new_context(user_agent="Own/1") as context, await context.new_page() as page:
        await page.cdp_session.send(emulation.SetUserAgentOverride(user_agent="Raw/1"))
        await page.goto(site.html("/page", ""))
        assert await page.evaluate("navigator.userAgent") == "Raw/1"


@pytest.mark.parametrize("modifiers", [(), pytest.param(("Control",), marks=pytest.mark.slow)], ids=["target", "Ctrl"])
async def test_the_policy_holds_for_popups(browser: Browser, site: Site, modifiers: tuple[Any, ...]) -> None:
    policy = UrlPolicy(allowed_hosts=["127.0.0.1"])
    denied = site.html("/denied", "").replace("127.0.0.1", "localhost")
    async with await browser.new_context(policy=policy) as context:
        page = await context.new_page(site.html("/start", f"<a href='{denied}' target=_blank>open</a>"))
        site.requests.clear()
        await page.execute_sequence([Click("text=open", modifiers=modifiers)])
        assert "/denied" not in site.requests


async def test_a_secret_that_was_typed_in_a_popup_is_shown_nowhere(page: Page, site: Site) -> None:
    site.html("/popup", "<label>code <input></label><output></output>"
                        "<script>document.querySelector('input').oninput = (e) =>"
                        "document.querySelector('output').textContent = e.target.value</script>")  # fmt: skip
    await page.goto(site.html("/start", LINK.format("href=/popup target=_blank")))
    async with page.expect_popup() as opening:
        await press(page)
    typed: list[Action] = [SetValue("input", Secret("hunter2hunter2"))]
    result = await (await opening).execute_sequence(typed)
    assert b"hunter2hunter2" not in result.to_json()


# -- what is kept for tabs that never come -----------------------------------------------------------


class Tabs:
    """Records what a settler awaits."""

    def __init__(self) -> None:
        self.awaited: list[str] = []

    def requested(self, url: str) -> None:
        self.awaited.append(url)

    def arrived(self, url: str) -> None:
        self.awaited.remove(url)


class Asking:
    """A page that requests tabs: the session and the settler of one."""

    def __init__(self) -> None:
        self.tabs = Tabs()
        self.tab = SimpleNamespace(closed=False, context=None)
        self.open: Callable[[str], None] = lambda url: None
        self.request: Callable[[str], None] = lambda url: None

    def on(self, event: Any, handler: Callable[[Any], None]) -> None:
        if event is cdp_page.WindowOpen:
            self.open = lambda url: handler(SimpleNamespace(url=url))
        if event is cdp_page.FrameRequestedNavigation:
            self.request = lambda url: handler(SimpleNamespace(url=url, disposition="newTab"))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr(popups, "_now", lambda: now[0])
    return now


def test_windows_that_an_app_refuses_are_forgotten(monkeypatch: pytest.MonkeyPatch, clock: list[float]) -> None:
    monkeypatch.setattr(popups, "_link", lambda *linked: None)
    openers, page = popups.Openers(announced=False), Asking()
    openers.watch(page, page)  # type: ignore[arg-type]
    for number in range(100):
        page.open(f"http://refused/{number}")
        clock[0] += 2 * popups.SOON_S
    assert len(openers._wishes) == 1
    page.tabs.awaited.clear()
    page.open("http://made/")
    openers.opened(page, Asking(), "http://made/")  # type: ignore[arg-type]
    assert page.tabs.awaited == []


async def test_tabs_that_nobody_requested_are_forgotten(browser: Browser, clock: list[float]) -> None:
    async with await browser.new_context() as context:
        for _ in range(4):
            made = target.CreateTarget(url="about:blank", browser_context_id=context.id, new_window=True)
            await browser.cdp_session.send(made)
            await browser.cdp_session.drain_events()
            clock[0] += 2 * popups.SOON_S
        assert len(browser._openers._orphans) == 1


async def test_a_page_that_a_call_opens_waits_for_no_opener(browser: Browser) -> None:
    async with await browser.new_context() as context:
        page = await context.new_page()
        assert page._settler not in [orphan.settler for orphan in browser._openers._orphans]


def test_a_tab_may_take_its_time(monkeypatch: pytest.MonkeyPatch, clock: list[float]) -> None:
    """On a busy machine Chrome has taken three seconds to open one."""
    linked: list[Any] = []
    monkeypatch.setattr(popups, "_link", lambda *link: linked.append(link))
    openers, page, tab = popups.Openers(), Asking(), Asking()
    openers.watch(page, page)  # type: ignore[arg-type]
    page.request("http://made/")
    clock[0] += 10
    openers.adopted(tab, "")  # type: ignore[arg-type]
    assert linked == [(page, tab, "http://made/")]
    assert page.tabs.awaited == []


async def test_a_page_may_open_a_window_without_the_gesture_of_a_person(page: Page, site: Site) -> None:
    """Chrome's blocker would stop it in silence, as it does when a handler opens the window after a slow request."""
    site.html("/late", "<h1>late</h1>")
    await page.goto(site.html("/plain", "<p>plain</p>"))
    async with page.expect_popup() as popup:
        assert await page.evaluate("!!window.open('/late')")
    opened = await popup
    await opened.wait_for("h1")
    assert opened.url == site.url("/late")


async def test_new_targets_say_what_is_open_and_what_came_through_what_has_gone(page: Page, site: Site) -> None:
    end = site.html("/end", "end")
    middle = site.html("/middle", "<script>window.open('/end'); setTimeout(() => window.close(), 50)</script>")
    await page.goto(site.html("/start", "<button onclick=\"window.open('/middle')\">open</button>"))
    opened = []
    page.on("popup", opened.append)
    result = await page.click("button")
    assert [(row.url, row.closed) for row in result.new_targets] == [(end, False), (middle, True)]
    assert (await page.browser.page(result.new_targets[0])).url == end
    assert len(opened) == 1  # the other one is the popup of the popup
    await (await page.browser.page(result.new_targets[0])).close()


@pytest.mark.browser
@pytest.mark.chrome("the shell blocks no popups")
async def test_a_popup_that_the_browser_blocks_is_refused_and_no_new_target(site: Site) -> None:
    site.html("/popup", "popup")
    script = "window.open('/popup')"
    async with stillframe.launch(ignore_default_args=["--disable-popup-blocking"]) as browser:
        page = await browser.new_page(site.html("/start", f'<button onclick="{script}">now</button><p>two</p>'))
        allowed = await page.click("button")
        assert (allowed.reason, len(allowed.new_targets), allowed.refused) == ("new_target", 1, ())
        with page._tab.recorder.record() as record:
            assert await page.evaluate(f"!!{script}") is False
            await page.settle()
        assert record.new_targets == ()
        (row,) = record.refused
        assert (row.kind, row.url, "popup blocker" in row.rule) == ("popup", site.url("/popup"), True)
        await page.evaluate(f"document.querySelector('p').onclick = () => {{ {script}; {script} }}, 1")
        result = await page.click("p")
        assert (result.reason, len(result.new_targets), len(result.refused)) == ("new_target", 1, 1)
        assert await page.evaluate(f"!!{script}", user_gesture=True) is True


def test_windows_and_tabs_pair_in_either_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(popups, "_now", lambda: 0.0)
    windows = popups.AnnouncedWindows()
    windows.opened("a")
    assert windows.announced("a") is None
    first, second = windows.announced("a"), windows.announced("a")
    assert first is not None
    assert second is not None
    windows.opened("b")
    windows.opened("a")
    assert (windows.is_missing("a", first), windows.is_missing("a", second)) == (False, True)
    assert windows.is_missing("a", second) is False
