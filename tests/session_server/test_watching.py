"""The changes of a page as they happen."""

from __future__ import annotations

from site_server import Site
from stillframe.api.browser import Page
from stillframe.session_server.server import Delta, deltas


def to(delta: Delta) -> list[str | None]:
    return [row.to for row in delta.state_change.changed]


async def test_changes_by_calls_and_by_the_page_itself_are_reported_until_it_closes(page: Page, site: Site) -> None:
    await page.goto(site.html("/page", "<button onclick='out.textContent = 1'>go</button><p id=out>0</p>"))
    news = deltas(page)
    # The first look tells nothing, and does not wait for a timer beyond the horizon.
    await page.evaluate("setTimeout(() => out.textContent = 'by itself', 3000)")
    assert to(await anext(news)) == ["by itself"]
    await page.click("button")
    assert to(await anext(news)) == ["1"]
    watchers = len(page._settler.watchers)
    await page.close()
    assert [delta async for delta in news] == []
    assert len(page._settler.watchers) == watchers - 1
