"""A recording expects what is likely to come again: what appeared, or a text, or an address, never a number."""

from __future__ import annotations

from typing import Any

import pytest

from site_server import Site
from stillframe.api.browser import Page
from stillframe.core import Redactor
from stillframe.recorder.expectation import ROWS, expected

BODY = "<button id=go>Go</button><div id=slot></div><p id=said>nothing</p><p id=bye>Good bye</p>"


async def after(page: Page, script: str, secrets: Redactor | None = None) -> dict[str, Any] | None:
    before = await page.snapshot()
    await page.evaluate(script)
    now = await page.snapshot()
    redactor = secrets or Redactor()
    return expected(before, now, before.diff(now, limit=ROWS, secrets=redactor), redactor)


@pytest.mark.parametrize(
    ("script", "fields"),
    [
        ("slot.innerHTML = '<h2>Welcome</h2>'", {"selector": 'role=heading[name="Welcome"]'}),
        ("slot.innerHTML = '<h2 id=order-17>Order 17</h2>'; said.textContent = 'Thank you'", {"text": "Thank you"}),
        ("said.textContent = 'Saved'", {"text": "Saved"}),
        ("said.textContent = 'Saved at 10:42'", None),
        ("said.textContent = 'x'", None),
        ("bye.remove()", {"selector": 'text="Good bye"', "state": "hidden"}),
        ("history.pushState(0, '', '/other'); said.textContent = '1'", {"url": "/other"}),
        ("history.pushState(0, '', '/order/17'); said.textContent = '1'", None),
        ("document.title = 'other'", None),
        ("slot.innerHTML = '<ul><li>One <b>more</b></li><li>Two</li></ul>'", {"selector": "#slot > ul"}),
    ],
)
async def test_what_lasts_is_expected(page: Page, site: Site, script: str, fields: dict[str, Any] | None) -> None:
    await page.goto(site.html("/page", BODY))
    assert await after(page, script) == fields


async def test_a_text_in_a_frame_is_expected_there(page: Page, site: Site) -> None:
    inner = site.html("/inner", "<p id=said>nothing</p>")
    await page.goto(site.html("/page", f"<iframe id=inner src={inner}></iframe>"))
    fields = await after(
        page, "document.querySelector('#inner').contentDocument.querySelector('#said').textContent = 'Saved'"
    )
    assert fields == {"selector": 'frame=#inner >> text="Saved"'}


async def test_nothing_with_a_secret_is_expected(page: Page, site: Site) -> None:
    await page.goto(site.html("/page", BODY))
    secrets = Redactor(["lantern"])
    assert await after(page, "slot.innerHTML = '<h2>Hello lantern</h2>'; said.textContent = 'lantern'", secrets) is None


async def test_what_the_document_before_had_as_well_is_not_expected(page: Page, site: Site) -> None:
    await page.goto(site.html("/one", "<nav id=menu>Menu</nav><main><h1>First</h1></main>"))
    before = await page.snapshot()
    await page.goto(site.html("/two", "<nav id=menu>Menu</nav><main><h1>Second</h1></main>"))
    now = await page.snapshot()
    fields = expected(before, now, before.diff(now, limit=ROWS), Redactor())
    assert fields in ({"selector": 'role=heading[name="Second"]'}, {"text": "Second"}), fields
