"""Locator handlers: what comes up over a page is closed, and the action goes on."""

from __future__ import annotations

import pytest

from site_server import Site
from stillframe import Locator
from stillframe.api.browser import Page
from stillframe.errors import ActionInvalid, ElementCovered, OptionInvalid

BODY = """<button id=buy onclick="out.textContent = 'bought'">buy</button><p id=out></p>
<div id=banner hidden style="position: fixed; inset: 0; background: white"><button id=no
  onclick="this.parentNode.hidden = true">no</button><b>offer</b></div>
<script>const show = (ms) => setTimeout(() => { banner.hidden = false }, ms)</script>"""


@pytest.fixture
async def shop(page: Page, site: Site) -> Page:
    await page.goto(site.html("/shop", BODY))
    return page


async def test_what_covers_the_target_is_closed_and_the_action_goes_on(shop: Page) -> None:
    seen: list[str] = []

    async def close(locator: Locator) -> None:
        seen.append(await locator.text())
        await shop.click("#no")
        with pytest.raises(OptionInvalid, match="locator handler cannot wait"):
            await shop.settle()

    await shop.add_locator_handler(shop.locator("#banner b"), close)
    await shop.evaluate("banner.hidden = false")
    result = await shop.click("#buy")
    assert (seen, await shop.locator("#out").text()) == (["offer"], "bought")
    assert result.state_change is not None
    await shop.click("#buy")
    assert seen == ["offer"]
    await shop.remove_locator_handler(shop.locator("#banner b"))
    await shop.evaluate("banner.hidden = false")
    result = await shop.execute_sequence([{"action": "click_element", "selector": "#buy", "timeoutMs": 200}])
    assert result.failed is not None
    assert result.failed.code == ElementCovered.code


async def test_what_comes_up_while_an_action_waits_is_handled(shop: Page) -> None:
    await shop.evaluate("buy.hidden = true, no.addEventListener('click', () => { buy.hidden = false }), show(200)")
    await shop.add_locator_handler(shop.locator("#banner"), lambda _: shop.mouse.click(10, 10), times=1)
    await shop.click("#buy", action_timeout_ms=10_000)
    assert await shop.locator("#out").text() == "bought"


async def test_wrong_handlers_are_refused(page: Page) -> None:
    with pytest.raises(OptionInvalid, match="must be a locator"):
        await page.add_locator_handler("#banner", print)  # type: ignore[arg-type]
    with pytest.raises(ActionInvalid, match="times is 0"):
        await page.add_locator_handler(page.locator("p"), print, times=0)
