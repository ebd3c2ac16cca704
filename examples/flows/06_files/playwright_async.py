"""Upload a file, and download another one."""

from playwright.async_api import async_playwright


async def run(url, **options):
    async with async_playwright() as playwright, await playwright.chromium.launch(**options) as browser:
        page = await browser.new_page()
        await page.goto(url)
        await page.set_input_files("#file", __file__)
        uploaded = await page.inner_text("#uploaded")
        async with page.expect_download() as info:
            await page.click("text=Report")
        return [uploaded, (await (await info.value).path()).read_text()]
