"""`dialogs="ask"`: a dialog is held until it is answered, and nothing waits for a page that stands still behind it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from patience import HANG_S
from site_server import Site
from stillframe.api.browser import Browser, BrowserContext, Page
from stillframe.errors import DialogOpen, NoDialog, StillframeError
from stillframe.model.result import SequenceResult

ASKING = """<title>Shop</title>
<button id=delete onclick="state.textContent = confirm('Delete the lamp?') ? 'deleted' : 'kept'">Delete</button>
<button id=name onclick="state.textContent = prompt('Name?', 'Ann')">Name</button>
<button id=alert onclick="alert('Watch out'); state.textContent = 'alerted'">Alert</button>
<button id=both onclick="state.textContent = confirm('First?') + ' ' + confirm('Second?')">Both</button>
<button id=later onclick="if (confirm('Sure?')) setTimeout(() => state.textContent = 'later', 200)">Later</button>
<input id=field onchange="state.textContent = confirm('Keep?')">
<p id=state>none</p>"""


@pytest.fixture
async def asking(browser: Browser) -> AsyncIterator[BrowserContext]:
    async with await browser.new_context(dialogs="ask") as context:
        yield context


@pytest.fixture
async def shop(asking: BrowserContext, site: Site) -> Page:
    return await asking.new_page(site.html("/start", ASKING))


def state_of(result: SequenceResult) -> str | None:
    assert result.state_change is not None, result
    return next(row.to for row in result.state_change.changed if row.selector == "#state")


async def held(page: Page) -> None:
    """Wait until a dialog is held that no call of ours has opened."""
    async with asyncio.timeout(HANG_S):
        while page.dialog is None:  # noqa: ASYNC110  no event tells of a dialog between calls
            await asyncio.sleep(0.01)


async def test_a_click_ends_with_its_dialog_and_the_answer_has_the_changes(shop: Page) -> None:
    result = await shop.click("#delete")
    assert (result.completed, result.reason, result.stable, result.state_change) == (1, "dialog", False, None)
    assert result.open_dialog is not None
    assert (result.open_dialog.type, result.open_dialog.message) == ("confirm", "Delete the lamp?")
    assert result.open_dialog == shop.dialog
    assert [row.kind for row in result.pending] == ["dialog"]
    answered = await shop.answer_dialog(True)
    assert state_of(answered) == "deleted"
    assert (answered.open_dialog, shop.dialog) == (None, None)
    assert [(each.message, each.accepted) for each in answered.dialogs] == [("Delete the lamp?", True)]
    assert "openDialog" not in answered.to_dict()
    assert answered.late == ()


ANSWERS: list[tuple[str, dict[str, Any], str]] = [
    ("#delete", {"accept": False}, "kept"),
    ("#name", {"accept": True}, "Ann"),
    ("#name", {"accept": True, "prompt_text": "Eve"}, "Eve"),
    ("#name", {"accept": False}, ""),
    ("#alert", {"accept": False}, "alerted"),
    ("#later", {"accept": True}, "later"),
]


async def test_each_kind_of_dialog_takes_its_answer(shop: Page) -> None:
    for selector, answer, state in ANSWERS:
        asked = await shop.click(selector)
        assert asked.open_dialog is not None, selector
        assert state_of(await shop.answer_dialog(**answer)) == state, (selector, answer)
        await shop.evaluate("state.textContent = 'none'")


async def test_one_dialog_after_the_other(shop: Page) -> None:
    assert (await shop.click("#both")).open_dialog.message == "First?"  # type: ignore[union-attr]
    second = await shop.answer_dialog(True)
    assert second.open_dialog is not None
    assert (second.open_dialog.message, second.completed, second.state_change) == ("Second?", 1, None)
    assert [each.message for each in second.dialogs] == ["First?"]
    assert state_of(await shop.answer_dialog(False)) == "true false"


async def test_one_sequence_asks_and_answers(shop: Page) -> None:
    actions = [
        {"action": "click_element", "selector": "#both"},
        {"action": "answer_dialog", "accept": True},
        {"action": "answer_dialog", "accept": True},
        {"action": "set_value", "selector": "#field", "value": "x"},
    ]
    result = await shop.execute_sequence(actions)
    assert (result.completed, result.failed, state_of(result)) == (4, None, "true true")


async def test_an_action_after_the_dialog_is_not_done(shop: Page) -> None:
    result = await shop.execute_sequence(
        [{"action": "click_element", "selector": "#delete"}, {"action": "click_element", "selector": "#name"}]
    )
    assert result.failed is not None
    assert (result.completed, result.failed.index, result.failed.code) == (1, 1, "dialog_open")
    assert "click_element was not done" in result.failed.error
    with pytest.raises(DialogOpen) as raised:
        result.raise_for_failure()
    assert (raised.value.type, raised.value.dialog_message) == ("confirm", "Delete the lamp?")
    assert state_of(await shop.answer_dialog(False)) == "kept"


CALLS: dict[str, Callable[[Page], Awaitable[Any]]] = {
    "evaluate": lambda page: page.evaluate("1"),
    "screenshot": lambda page: page.screenshot(),
    "aria_snapshot": lambda page: page.aria_snapshot(),
    "goto": lambda page: page.goto(page.url),
    "locator": lambda page: page.locator("#state").text(),
    "set_viewport": lambda page: page.set_viewport(300, 300),
    "click": lambda page: page.click("#delete"),
}


async def test_other_calls_say_how_to_answer(shop: Page) -> None:
    await shop.click("#delete")
    for call in CALLS.values():
        with pytest.raises(DialogOpen, match="answer it with answer_dialog"):
            await call(shop)
    for change in (shop.context.emulate(locale="de-CH"), shop.context.set_offline(True)):
        with pytest.raises(DialogOpen):
            await change
    assert (await shop.context.storage_state())["cookies"] == []
    assert (await shop.settle()).reason == "dialog"
    assert state_of(await shop.answer_dialog(True)) == "deleted"


async def test_a_call_that_a_dialog_interrupts_raises(shop: Page, site: Site) -> None:
    with pytest.raises(DialogOpen):
        await shop.evaluate("state.textContent = confirm('Here?')")
    answered = await shop.answer_dialog(True)  # nothing has captured the page before
    assert (answered.state_change, answered.reason) == (None, "unseen")
    assert answered.detail == "the page was never captured before the dialog"
    assert await shop.locator("#state").text() == "true"
    with pytest.raises(DialogOpen):
        await shop.goto(site.html("/loading", "<script>alert('Welcome')</script><h1>In</h1>"))
    assert shop.url.endswith("/loading")
    answered = await shop.answer_dialog(True)
    assert [row.text for row in answered.state_change.appeared] == ["In"]  # type: ignore[union-attr]


WRONG: list[tuple[str | None, dict[str, Any], str, str]] = [
    (None, {"accept": True}, "no_dialog", "no dialog is open"),
    ("#delete", {"accept": True, "prompt_text": "x"}, "action_invalid", "a confirm is open, which takes none"),
]


async def test_a_wrong_answer_says_why(shop: Page) -> None:
    for selector, answer, code, message in WRONG:
        if selector is not None:
            await shop.click(selector)
        with pytest.raises(StillframeError, match=message) as caught:
            await shop.answer_dialog(**answer)
        assert caught.value.code == code
    assert state_of(await shop.answer_dialog(False)) == "kept"


async def test_a_dialog_on_load_belongs_to_the_navigation(shop: Page, site: Site) -> None:
    url = site.html("/load", "<script>state = confirm('Cookies?')</script><h1>In</h1>")
    result = await shop.execute_sequence([{"action": "navigate", "url": url}])
    assert (result.completed, result.failed) == (1, None)
    assert result.open_dialog is not None
    answered = await shop.answer_dialog(False)
    assert answered.state_change is not None
    assert answered.state_change.url is not None
    assert answered.state_change.url.to == url
    assert await shop.evaluate("state") is False


async def test_a_dialog_of_a_timer_blocks_the_next_call(shop: Page) -> None:
    await shop.execute_sequence([{"action": "hover", "selector": "#delete"}])
    await shop.evaluate("setTimeout(() => state.textContent = confirm('Still there?'), 20)")
    await held(shop)
    with pytest.raises(DialogOpen, match="Still there"):
        await shop.click("#delete")
    assert state_of(await shop.answer_dialog(True)) == "true"


async def test_beforeunload_keeps_or_leaves_the_page(shop: Page, site: Site) -> None:
    stay = site.html("/stay", "<input id=field><script>onbeforeunload = e => e.preventDefault()</script>")
    other = site.html("/other", "<h1>Other</h1>")
    await shop.goto(stay)
    await shop.click("#field")
    for accept, url in ((False, stay), (True, other)):
        asked = await shop.execute_sequence([{"action": "navigate", "url": other}])
        assert asked.open_dialog is not None
        assert asked.open_dialog.type == "beforeunload"
        await shop.answer_dialog(accept)
        assert shop.url == url


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_a_dialog_of_a_frame(shop: Page, site: Site, host: str) -> None:
    site.html("/inner", ASKING)
    await shop.goto(site.html("/outer", f"<iframe src='{site.url('/inner', host=host)}'></iframe>"))
    asked = await shop.click("frame=iframe >> #delete")
    assert asked.open_dialog is not None
    assert asked.open_dialog.url.endswith("/inner")
    assert (await shop.answer_dialog(True)).state_change is not None
    assert await shop.locator("frame=iframe >> #state").text() == "deleted"


async def test_a_dialog_of_a_popup_blocks_its_opener_too(shop: Page, site: Site) -> None:
    site.html("/popup", "<script>document.title = confirm('From the popup?')</script>")
    await shop.goto(site.html("/opener", "<button onclick=\"window.open('/popup')\">Open</button>"))
    opened = await shop.click("text=Open")
    await held(shop)
    assert opened.open_dialog is None or opened.open_dialog == shop.dialog
    with pytest.raises(DialogOpen):
        await shop.evaluate("1")
    await shop.answer_dialog(True)
    popup = shop.context.pages[-1]
    assert popup is not shop
    assert await popup.title() == "true"


async def test_a_dialog_that_nobody_answers_is_dismissed(browser: Browser, site: Site) -> None:
    async with await browser.new_context(dialogs="ask", dialog_timeout_ms=200) as context:
        page = await context.new_page(site.html("/start", ASKING))
        await page.click("#delete")
        async with asyncio.timeout(HANG_S):
            while page.dialog is not None:  # noqa: ASYNC110  no event tells of it
                await asyncio.sleep(0.01)
        with pytest.raises(NoDialog) as gone:
            await page.answer_dialog(True)
        assert str(gone.value) == (
            "no dialog is open, so there is nothing to answer; the last one, a confirm, was dismissed after 0.2 s "
            "without an answer"
        )
        assert [(each.message, each.accepted, each.expired) for each in gone.value.result.dialogs] == [
            ("Delete the lamp?", False, True)
        ]
        assert (await page.hover("#delete")).dialogs == ()


@pytest.mark.parametrize("close", ["page", "context"])
async def test_closing_ends_a_dialog(browser: Browser, site: Site, close: str) -> None:
    async with await browser.new_context(dialogs="ask") as context:
        page = await context.new_page(site.html("/start", ASKING))
        await page.click("#delete")
        async with asyncio.timeout(HANG_S):
            await (page if close == "page" else context).close()
        assert page.closed


async def test_a_page_that_will_not_be_left_closes_at_once(shop: Page, site: Site) -> None:
    await shop.goto(site.html("/stay", "<input id=field><script>onbeforeunload = e => e.preventDefault()</script>"))
    await shop.click("#field")
    async with asyncio.timeout(HANG_S):
        await shop.close()
    assert (shop.closed, shop.dialog) == (True, None)


async def test_the_quiet_rule_ends_with_the_dialog(shop: Page) -> None:
    result = await shop.execute_sequence([{"action": "click_element", "selector": "#delete"}], settle="quiet")
    assert (result.reason, result.open_dialog) == ("dialog", shop.dialog)
    assert state_of(await shop.answer_dialog(True, settle="quiet")) == "deleted"


async def test_the_virtual_clock_ends_with_the_dialog(virtual_time_browser: Browser, site: Site) -> None:
    async with await virtual_time_browser.new_context(dialogs="ask") as context:
        page = await context.new_page(site.html("/start", ASKING))
        result = await page.execute_sequence([{"action": "click_element", "selector": "#later"}], settle="virtual")
        assert (result.reason, result.open_dialog) == ("dialog", page.dialog)
        assert state_of(await page.answer_dialog(True, settle="virtual")) == "later"
