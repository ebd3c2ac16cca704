"""Test pages of your own with pytest: the plugin brings the fixture `page`, and keeps a trace of each test that fails.

Needs pytest and pytest-asyncio; run it with `pytest examples/test_shop.py`. It prints:

    2 passed
"""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from stillframe import Page
from stillframe.demo import Shop
from stillframe.errors import ElementDisabled

pytestmark = pytest.mark.asyncio


@pytest_asyncio.fixture
async def shop() -> AsyncIterator[Shop]:
    async with Shop() as shop:
        yield shop


async def test_a_lamp_goes_into_the_cart(page: Page, shop: Shop) -> None:
    await page.goto(shop.url("/shop"))
    await page.click("#add-moth")
    assert await page.locator("#cart-count").text() == "1"
    assert shop.requests[-1] == "POST /api/cart"


async def test_a_lamp_that_is_sold_out_cannot_be_bought(page: Page, shop: Shop) -> None:
    await page.goto(shop.url("/shop"))
    with pytest.raises(ElementDisabled):
        await page.click("#add-beacon", action_timeout_ms=300)
    assert await page.locator("#cart-count").text() == "0"
