"""Log in, and read the greeting."""

from playwright.async_api import async_playwright


async def run(url, **options):
    async with async_playwright() as playwright, await playwright.chromium.launch(**options) as browser:
        page = await browser.new_page()
        await page.goto(url)
        await page.fill("#user", "ann")
        await page.fill("#password", "lantern")
        await page.click("text=Log in")
        return await page.inner_text("#greeting")
