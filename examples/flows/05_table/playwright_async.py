"""Sort a table that the server sorts, and read its rows."""

from playwright.async_api import async_playwright


async def run(url, **options):
    async with async_playwright() as playwright, await playwright.chromium.launch(**options) as browser:
        page = await browser.new_page()
        await page.goto(url)
        await page.click("text=Price")
        await page.wait_for_selector("th[aria-sort=ascending]")
        return [row.split() for row in await page.locator("tbody tr").all_inner_texts()]
