"""A page that hangs can be left; where it cannot, the error names the page and not the server."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from site_server import Site
from stillframe.api.browser import Browser, Page
from stillframe.errors import CommandTimeout, NavigationFailed, TargetCrashed
from stillframe.model.actions import GoBack, Navigate
from stillframe.tab.navigation import hung_page
from stillframe.tab.navigation.loading import Loading

START = "<p>start"
LOOP = "for (;;);"
REQUEST = "const x = new XMLHttpRequest(); x.open('GET', '/hang', false); x.send()"
UNLOAD = "onbeforeunload = () => { for (;;); }"

Leave = Callable[[Page, str], Awaitable[object]]


async def by_sequence(page: Page, url: str) -> None:
    result = await page.execute_sequence([Navigate(url)], timeout_ms=1000, action_timeout_ms=500)
    assert (result.completed, result.failed) == (1, None)


async def by_history(page: Page, _url: str) -> None:
    result = await page.execute_sequence([GoBack()], timeout_ms=1000, action_timeout_ms=500)
    assert (result.completed, result.failed) == (1, None)


LEAVE: dict[str, tuple[str, Leave]] = {
    "goto, a loop": (LOOP, lambda page, url: page.goto(url, settle=True)),
    "back, a request": (REQUEST, lambda page, _: page.go_back()),
    "sequence, a request": (REQUEST, by_sequence),
    "goto, a loop in beforeunload": (UNLOAD, lambda page, url: page.goto(url)),
    "sequence back, a loop": (LOOP, by_history),
}


async def hang(page: Page, site: Site, script: str) -> None:
    """Show a page that hangs as soon as it may."""
    await page.goto(site.html("/hangs", f"<script>hang = () => {{ {script} }}</script>"))
    await page.evaluate("void setTimeout(hang, 0)")


@pytest.mark.serial
@pytest.mark.every_row
@pytest.mark.parametrize("kind", LEAVE)
async def test_a_page_that_hangs_is_left(page: Page, site: Site, kind: str) -> None:
    script, leave = LEAVE[kind]
    url = site.html("/start", START)
    await page.goto(url)
    await hang(page, site, script)
    await leave(page, url)
    assert await page.evaluate("document.body.innerText") == "start"


@pytest.mark.serial
async def test_a_page_that_hangs_is_loaded_again(page: Page, site: Site) -> None:
    await hang(page, site, LOOP)
    assert (await page.reload()).status == 200
    assert await page.evaluate("typeof hang") == "function"


async def test_where_nothing_frees_the_page_the_error_names_it(browser: Browser, site: Site) -> None:
    page = await browser.new_page()
    # The next document waits for a renderer that nothing reaches any more.
    await hang(page, site, f"location.href = '{site.html('/start', START)}'; for (;;);")
    with pytest.raises(NavigationFailed, match="the page does not answer") as raised:
        await page.goto(site.url("/start"), timeout_ms=2000)
    assert "server" not in str(raised.value)
    await page.close()
    assert page.closed


@pytest.mark.serial
async def test_a_script_that_takes_its_time_is_not_terminated(page: Page, site: Site) -> None:
    await hang(page, site, "const end = Date.now() + 500; while (Date.now() < end); localStorage.saved = 'yes'")
    await page.goto(site.html("/start", START))
    assert await page.evaluate("localStorage.saved") == "yes"


async def test_a_page_that_waits_for_its_server_is_left_without_harm(
    page: Page, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hung_page, "terminate", pytest.fail)
    await hang(page, site, "location.href = '/hang'")
    assert (await page.goto(site.html("/start", START))).status == 200


async def test_the_history_of_a_page_without_a_renderer_is_there(page: Page, site: Site) -> None:
    await page.goto(site.html("/start", START))
    await page.goto(site.html("/next", "<p>next"))
    with pytest.raises((TargetCrashed, CommandTimeout)):
        await page.cdp_session.call("Page.crash", timeout=5)
    await page.go_back()
    assert await page.evaluate("document.body.innerText") == "start"


async def test_a_page_that_answers_is_not_terminated_while_its_browser_is_busy(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminated: list[object] = []
    monkeypatch.setattr(hung_page, "terminate", terminated.append)
    monkeypatch.setattr(hung_page, "UNLOAD_S", 0.0)
    tab = page._tab
    async with hung_page.handlers_limited(tab.session, Loading(tab.frames.main.id, announced=True)):
        for _ in range(5):
            await page.evaluate("new Promise(requestAnimationFrame)")
    assert terminated == []
