"""Scroll down until a list that loads as it goes has forty items."""

from playwright.async_api import async_playwright


async def run(url, **options):
    async with async_playwright() as playwright, await playwright.chromium.launch(**options) as browser:
        page = await browser.new_page()
        await page.goto(url)
        while (count := await page.locator("li").count()) < 40:
            await page.mouse.wheel(0, 5000)
            await page.locator("li").nth(count).wait_for()
        return count
