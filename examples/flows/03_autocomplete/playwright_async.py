"""Type the beginning of a word, and choose a suggestion."""

from playwright.async_api import async_playwright


async def run(url, **options):
    async with async_playwright() as playwright, await playwright.chromium.launch(**options) as browser:
        page = await browser.new_page()
        await page.goto(url)
        await page.locator("#city").press_sequentially("lis")
        await page.click("text=Lisbon")
        return await page.input_value("#city")
