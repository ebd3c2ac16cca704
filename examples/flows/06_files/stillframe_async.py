"""Upload a file, and download another one."""

from stillframe import launch


async def run(url, **options):
    async with launch(**options) as browser:
        page = await browser.new_page(url)
        await page.set_input_files("#file", __file__)
        uploaded = await page.locator("#uploaded").text()
        async with page.expect_download() as download:
            await page.click("text=Report")
        return [uploaded, (await (await download).path()).read_text()]
