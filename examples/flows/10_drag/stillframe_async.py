"""Drag a card into another column."""

from stillframe import launch


async def run(url, **options):
    async with launch(**options) as browser:
        page = await browser.new_page(url)
        await page.drag_to("#card", "#done")
        return await page.locator("#done").text()
