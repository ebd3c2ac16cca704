"""Follow a link into a new window, and read its heading."""

from playwright.async_api import async_playwright


async def run(url, **options):
    async with async_playwright() as playwright, await playwright.chromium.launch(**options) as browser:
        page = await browser.new_page()
        await page.goto(url)
        async with page.expect_popup() as info:
            await page.click("text=Terms")
        return await (await info.value).inner_text("h1")
