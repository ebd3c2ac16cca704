"""Drag a card into another column."""

from playwright.async_api import async_playwright


async def run(url, **options):
    async with async_playwright() as playwright, await playwright.chromium.launch(**options) as browser:
        page = await browser.new_page()
        await page.goto(url)
        await page.drag_and_drop("#card", "#done")
        return await page.inner_text("#done")
