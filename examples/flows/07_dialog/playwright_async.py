"""Confirm a question of the page."""

from playwright.async_api import async_playwright


async def run(url, **options):
    async with async_playwright() as playwright, await playwright.chromium.launch(**options) as browser:
        page = await browser.new_page()
        await page.goto(url)
        page.on("dialog", lambda dialog: dialog.accept())
        await page.click("text=Delete")
        return await page.inner_text("#status")
