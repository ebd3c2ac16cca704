"""Fill in a form wrongly, read what it says, and correct it."""

from playwright.async_api import async_playwright


async def run(url, **options):
    async with async_playwright() as playwright, await playwright.chromium.launch(**options) as browser:
        page = await browser.new_page()
        await page.goto(url)
        await page.fill("#email", "ann")
        await page.click("text=Join")
        error = await page.inner_text("#error")
        await page.fill("#email", "ann@example.org")
        await page.click("text=Join")
        return [error, await page.inner_text("#welcome")]
