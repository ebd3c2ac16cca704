"""Dialogs that a handler answers in the event, and those that it leaves to the context's rule."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from site_server import Site
from stillframe import Dialog
from stillframe.api.browser import Browser, Page
from stillframe.errors import ActionInvalid, NoDialog

BODY = """<button id=ask onclick="out.textContent = prompt('Name?', 'nobody')">ask</button>
<button id=sure onclick="out.textContent = confirm('Sure?')">sure</button>
<button id=note onclick="alert('note'); out.textContent = 'noted'">note</button><p id=out></p>"""


@pytest.fixture
async def asking(page: Page, site: Site) -> Page:
    await page.goto(site.html("/asks", BODY))
    return page


async def test_a_handler_answers_with_what_the_dialog_says(asking: Page) -> None:
    seen: list[Any] = []

    async def answer(dialog: Dialog) -> None:
        seen.append((dialog.type, dialog.message, dialog.default_value, dialog.accepted, dialog.page))
        await asyncio.sleep(0)
        await dialog.accept("Ann" if dialog.type == "prompt" else None)

    remove = asking.on("dialog", answer)
    result = await asking.click("#ask")
    assert seen == [("prompt", "Name?", "nobody", None, asking)]
    assert await asking.locator("#out").text() == "Ann"
    assert [(dialog.type, dialog.accepted) for dialog in result.dialogs] == [("prompt", True)]
    await asking.click("#note")
    assert await asking.locator("#out").text() == "noted"
    remove()
    await asking.click("#sure")
    assert await asking.locator("#out").text() == "false"


async def test_what_no_handler_answers_is_left_to_the_rule(asking: Page) -> None:
    seen: list[Dialog] = []
    asking.on("dialog", seen.append)

    async def looks(dialog: Dialog) -> None:
        await asyncio.sleep(0)
        seen.append(dialog)

    asking.on("dialog", looks)
    result = await asking.click("#sure")
    assert await asking.locator("#out").text() == "false"
    assert len(seen) == 2
    assert [dialog.accepted for dialog in result.dialogs] == [False]


async def test_a_dialog_is_answered_once_and_takes_no_wrong_text(asking: Page) -> None:
    errors: list[Exception] = []

    async def answer(dialog: Dialog) -> None:
        with pytest.raises(ActionInvalid, match="takes none"):
            await dialog.accept("text")
        await dialog.accept()
        try:
            await dialog.dismiss()
        except NoDialog as error:
            errors.append(error)

    asking.on("dialog", answer)
    await asking.click("#sure")
    assert await asking.locator("#out").text() == "true"
    assert ["it was accepted" in str(error) for error in errors] == [True]


async def test_a_page_that_asks_the_caller_asks_its_handlers_first(browser: Browser, site: Site) -> None:
    async with await browser.new_context(dialogs="ask") as context:
        page = await context.new_page(site.html("/asks", BODY))

        async def only_prompts(dialog: Dialog) -> None:
            if dialog.type == "prompt":
                await dialog.dismiss()

        page.on("dialog", only_prompts)
        result = await page.click("#ask")
        assert result.open_dialog is None
        assert [dialog.accepted for dialog in result.dialogs] == [False]
        result = await page.click("#sure")
        assert result.open_dialog is not None
        await page.answer_dialog(True)
        assert await page.locator("#out").text() == "true"


async def test_closing_the_page_ends_a_handler_that_waits(browser: Browser, site: Site) -> None:
    async with await browser.new_context() as context:
        page = await context.new_page(site.html("/asks", BODY))
        begun = asyncio.Event()

        async def waits(_: Dialog) -> None:
            begun.set()
            await asyncio.Event().wait()

        page.on("dialog", waits)
        await page.evaluate("void setTimeout(() => sure.click())")
        await begun.wait()
        await page.close()
        assert page.closed
