"""Sort a table that the server sorts, and read its rows."""

from stillframe import launch


async def run(url, **options):
    async with launch(**options) as browser:
        page = await browser.new_page(url)
        await page.click("text=Price")
        return [(await row.text()).split() for row in await page.locator("tbody tr").all()]
