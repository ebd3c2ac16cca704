"""Read a list from page to page."""

from stillframe import launch


async def run(url, **options):
    async with launch(**options) as browser:
        page = await browser.new_page(url)
        names = [await item.text() for item in await page.locator("li").all()]
        while await page.locator("text=Next").count():
            await page.click("text=Next")
            names += [await item.text() for item in await page.locator("li").all()]
        return names
