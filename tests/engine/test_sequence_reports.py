"""Console messages and uncaught errors in the result of a verbose sequence."""

from __future__ import annotations

from typing import Any

import pytest

from sampling import sampled
from site_server import Site
from stillframe.api.browser import Browser, Page
from stillframe.testing import FrameLog

CLICK: list[dict[str, Any]] = [{"action": "click_element", "selector": "button"}]
PAGE = """<script>console.log('before'); function go() { console.warn('pressed', 1); null.x }</script>
<button onclick="go()">go</button>"""


async def test_a_verbose_result_has_console_and_errors_of_the_sequence(page: Page, site: Site) -> None:
    await page.goto(site.html("/", PAGE))
    for _ in range(2):
        result = await page.execute_sequence(CLICK, verbose=True)
        assert result.console is not None
        assert result.errors is not None
        assert [(row.type, row.text) for row in result.console if row.source == "console-api"] == [
            ("warning", "pressed 1")
        ]
        assert [row.message for row in result.errors] == ["TypeError: Cannot read properties of null (reading 'x')"]
    told = result.to_dict()
    assert told["console"][0]["timestampMs"] > 0
    assert told["errors"][0]["stack"]
    assert b"timestampMs" not in result.to_json(measured=False)


async def test_a_plain_result_has_neither_and_sends_nothing_for_them(page: Page, site: Site) -> None:
    await page.goto(site.html("/", PAGE))
    with FrameLog(page.browser._connection) as wire:
        result = await page.execute_sequence(CLICK)
        sent = [method for method, *_ in wire.by_method()]
    assert (result.console, result.errors) == (None, None)
    assert not {"console", "errors"} & result.to_dict().keys()
    assert not [method for method in sent if method.startswith(("Console.", "Log.", "Page.addScript"))]


async def test_what_a_flood_leaves_out_is_counted_and_texts_are_cut(page: Page, site: Site) -> None:
    flood = "for (let i = 0; i < 1500; i++) console.log('x'.repeat(2000))"
    body = f"<button onclick=\"{flood}; throw new Error('e'.repeat(9e4))\">"
    await page.goto(site.html("/", body))
    result = await page.execute_sequence(CLICK, verbose=True, limit=5)
    assert result.console is not None
    assert result.errors is not None
    assert result.omitted is not None
    assert (len(result.console), result.omitted.console) == (5, 1495)
    assert max(len(row.text) for row in result.console) == 1000
    assert len(result.errors[0].message) == 1000
    assert len(result.errors[0].stack) == 4000


@pytest.mark.parametrize("typed", sampled((False, True), (True,)))
async def test_no_secret_is_in_them(browser: Browser, site: Site, typed: bool) -> None:
    page_source = "<input type=password oninput='console.log(this.value); null[this.value]'>"
    async with await browser.new_context(secrets={"key": "lantern-in-the-dark"}) as context:
        page = await context.new_page(site.html("/", page_source))
        value: Any = "my own lantern" if typed else {"secret": "key"}
        actions = [{"action": "set_value", "selector": "input", "value": value}]
        result = await page.execute_sequence(actions, verbose=True)
        assert result.failed is None
        assert result.console
        assert result.errors
        assert b"lantern" not in result.to_json()
