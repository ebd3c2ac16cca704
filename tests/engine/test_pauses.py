"""What one action has begun is over before the next one that depends on it."""

from __future__ import annotations

import pytest

from site_server import Site
from stillframe.api.browser import Page
from stillframe.model.actions import (
    Action,
    Click,
    GoBack,
    GoForward,
    Navigate,
    PressKey,
    Reload,
    Scroll,
    TypeText,
    WaitFor,
)

pytestmark = pytest.mark.desktop  # a WebView of Chrome 74 reports no end of a step through the history

LEAVE = "location.assign('/next')"
WAYS = {
    "link": '<a id="go" href="/next">go</a>',
    "slow link": '<a id="go" href="/redirect?to=/next">go</a>',
    "form": '<form action="/next"><button id="go">go</button></form>',
    "microtask": f'<button id="go" onclick="Promise.resolve().then(() => {LEAVE})">go</button>',
    "task": f'<button id="go" onclick="setTimeout(() => {LEAVE})">go</button>',
    "timer": f'<button id="go" onclick="setTimeout(() => {LEAVE}, 120)">go</button>',
    "reply": f'<button id="go" onclick="fetch(\'/slow?ms=100\').then(() => {LEAVE})">go</button>',
    "history": """<button id="go" onclick="setTimeout(() => history.pushState(1, '', '/next'), 30)">go</button>""",
    "navigation API": """<button id="go" onclick="navigation.navigate('/next')">go</button><script>
        navigation.addEventListener('navigate', (event) => {
            if (event.destination.url.endsWith('/next')) event.intercept({ handler: async () => {} })
        })</script>""",
}
WITHIN = ("history", "navigation API")


@pytest.fixture
async def start(page: Page, site: Site) -> str:
    site.html("/before", "before")
    site.html("/next", "next")
    await page.goto(site.url("/before"))
    return site.url("/start")


@pytest.mark.parametrize("way", WAYS)
async def test_going_back_or_reloading_begins_where_the_click_led(page: Page, site: Site, start: str, way: str) -> None:
    site.html("/start", WAYS[way])
    await page.goto(start)
    back = await page.execute_sequence([Click("#go"), GoBack()])
    assert (back.failed, page.url) == (None, start)
    reloaded = await page.execute_sequence([Click("#go"), Reload()])
    assert (reloaded.failed, page.url.rstrip("?")) == (None, site.url("/next"))
    assert reloaded.reason == "navigated"


async def test_going_forward_begins_where_the_page_went_back_to(page: Page, site: Site, start: str) -> None:
    site.html("/start", """<button id="back" onclick="setTimeout(() => history.back(), 30)">back</button>""")
    await page.goto(start)
    result = await page.execute_sequence([Click("#back"), GoForward()])
    assert (result.failed, page.url) == (None, start)


async def test_a_form_has_arrived_before_the_next_url_is_loaded(page: Page, site: Site, start: str) -> None:
    site.html("/start", '<form action="/slow"><input name="ms" value="80"><button id="go">go</button></form>')
    await page.goto(start)
    result = await page.execute_sequence([Click("#go"), Navigate(site.url("/next")), GoBack()])
    assert (result.failed, page.url) == (None, site.url("/slow?ms=80"))


@pytest.mark.parametrize(
    "script",
    [
        "addEventListener('load', () => requestIdleCallback(attach))",
        "addEventListener('load', () => setTimeout(attach, 100))",
        "fetch('/slow?ms=150').then(attach)",
    ],
)
async def test_a_click_after_a_navigation_meets_the_handlers_of_the_page(page: Page, site: Site, script: str) -> None:
    site.html(
        "/late",
        "<button id='b'>press</button><p id='times'>0</p><script>"
        f"function attach() {{ b.onclick = () => {{ times.textContent++ }} }}; {script}</script>",
    )
    plan = [Navigate(site.url("/late")), Click("#b"), Reload(), Click("#b"), Click("#b")]
    result = await page.execute_sequence(plan)
    assert (result.completed, await page.evaluate("times.textContent")) == (5, "2")


@pytest.mark.parametrize(
    ("action", "heard"),
    [(PressKey("x"), "x"), (TypeText("x"), "x"), (Scroll(), "wheel")],
    ids=["press", "type", "scroll"],
)
async def test_input_without_an_element_goes_to_the_page_that_comes(
    page: Page, site: Site, action: Action, heard: str
) -> None:
    site.html("/start", WAYS["slow link"])
    site.html(
        "/next",
        "<script>onkeydown = (event) => { document.title = event.key }; onwheel = () => { document.title = 'wheel' }"
        "</script>",
    )
    await page.goto(site.url("/start"))
    result = await page.execute_sequence([Click("#go"), action])
    assert (result.failed, await page.title()) == (None, heard)


async def test_input_without_an_element_waits_for_the_scripts_of_a_page_that_has_just_come(
    page: Page, site: Site
) -> None:
    site.html("/start", WAYS["link"])
    site.html(
        "/next",
        "<p>next</p><script src='/slow?ms=150'></script>"
        "<script>onkeydown = (event) => { document.title = event.key }</script>",
    )
    await page.goto(site.url("/start"))
    result = await page.execute_sequence([Click("#go"), WaitFor(url=site.url("/next")), PressKey("x")])
    assert (result.failed, await page.title()) == (None, "x")
