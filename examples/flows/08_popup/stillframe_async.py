"""Follow a link into a new window, and read its heading."""

from stillframe import launch


async def run(url, **options):
    async with launch(**options) as browser:
        page = await browser.new_page(url)
        async with page.expect_popup() as popup:
            await page.click("text=Terms")
        return await (await popup).locator("h1").text()
