"""Confirm a question of the page."""

from stillframe import launch


async def run(url, **options):
    async with launch(dialogs="accept", **options) as browser:
        page = await browser.new_page(url)
        await page.click("text=Delete")
        return await page.locator("#status").text()
