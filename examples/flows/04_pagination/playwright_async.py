"""Read a list from page to page."""

from playwright.async_api import async_playwright


async def run(url, **options):
    async with async_playwright() as playwright, await playwright.chromium.launch(**options) as browser:
        page = await browser.new_page()
        await page.goto(url)
        names = await page.locator("li").all_inner_texts()
        while await page.locator("text=Next").count():
            async with page.expect_navigation():
                await page.click("text=Next")
            names += await page.locator("li").all_inner_texts()
        return names
