"""Scroll down until a list that loads as it goes has forty items."""

from stillframe import launch


async def run(url, **options):
    async with launch(**options) as browser:
        page = await browser.new_page(url)
        while (count := await page.locator("li").count()) < 40:
            await page.scroll(pixels=5000)
        return count
