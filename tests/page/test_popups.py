"""Tabs that pages open: reported to who opened them, usable as pages, and never in the way of the opener.

The rule for the focus: nothing moves. The sequence that opened a tab goes on in its own page; the tab is a `Page` of
the browser, found through `new_targets`, `browser.pages` or `page.opener`.
"""

from __future__ import annotations

import asyncio

import pytest
from heard import by_user, heard

from site_server import Site
from stillframe.model.result import NewTarget
from stillframe.page.browser import Browser
from stillframe.page.page import Page


def came_to(url: str):  # type: ignore[no-untyped-def]
    return lambda event: isinstance(event, NewTarget) and event.url == url


def popup_of(page: Page) -> Page:
    (popup,) = [other for other in page.context.pages if other.opener is page]
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
    with page.journal.record() as record:
        async with heard(page, came_to(url)):
            await by_user(page, f"{how}, 1")
    popup = popup_of(page)
    assert record.new_targets == (NewTarget(target_id=popup.target_id, type="page", url=url),)
    await popup.ready()
    await popup.goto(url)
    assert await popup.title() == "popup"
    assert await page.evaluate("1 + 1") == 2
    await popup.close()
    assert popup not in page.browser.pages


async def test_a_tab_that_stays_blank_is_reported_as_blank(page: Page, site: Site) -> None:
    await page.goto(site.html("/start", ""))
    async with heard(page, came_to("about:blank")):
        await by_user(page, "window.open(), 1")


async def test_where_a_slow_tab_is_going_is_known_before_it_is_there(page: Page, site: Site) -> None:
    await page.goto(site.html("/start", ""))
    async with heard(page, came_to(site.url("/gate/slow"))):
        await by_user(page, "window.open('/gate/slow'), 1")
    site.open("slow")


async def test_redirects_are_followed_and_failures_named(page: Page, site: Site) -> None:
    end = site.html("/end", "")
    await page.goto(site.html("/start", ""))
    async with heard(page, came_to(end)):
        await by_user(page, "window.open('/redirect?to=/end'), 1")
    async with heard(page, came_to("http://nowhere.invalid/")):
        await by_user(page, "window.open('http://nowhere.invalid/'), 1")


async def test_a_tab_opened_by_a_frame_of_another_process_belongs_to_its_page(page: Page, site: Site) -> None:
    url = site.html("/popup", "")
    site.html("/inner", f"<a href='{url}' target=_blank>open</a>")
    await page.goto(site.html("/start", f"<iframe src='{site.url('/inner', host='localhost')}'></iframe>"))
    frame = next(frame for frame in page.frames if frame.parent is not None)
    async with heard(page, came_to(url)):
        await by_user(frame, "document.querySelector('a').click()")
    assert popup_of(page).opener is page


async def test_the_dialogs_of_a_popup_are_answered(page: Page, site: Site) -> None:
    site.html("/popup", "<script>answer = confirm('from the popup')</script>")
    await page.goto(site.html("/start", ""))
    opened = "new Promise(r => { const popup = open('/popup'); popup.onload = () => r(popup.answer) })"
    assert await by_user(page, opened) is False


async def test_many_tabs_at_once(page: Page, site: Site) -> None:
    url = site.html("/popup", "")
    await page.goto(site.html("/start", ""))
    arrived: set[str] = set()
    done = asyncio.Event()

    def listener(event: object) -> None:
        if isinstance(event, NewTarget) and event.url.startswith(url):
            arrived.add(event.target_id)
            if len(arrived) == 8:
                done.set()

    remove = page.journal.listen(listener)
    for number in range(8):
        await by_user(page, f"window.open('/popup?{number}'), 1")
    async with asyncio.timeout(20):
        await done.wait()
    remove()
    assert arrived == {other.target_id for other in page.context.pages if other.opener is page}


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
    await page.session.connection.root.fence()
    others = [other for other in page.context.pages if other is not page]
    for other in others:
        async with asyncio.timeout(10):
            await asyncio.gather(other.ready(), return_exceptions=True)
            await other.close()
    assert page.context.pages == [page]
