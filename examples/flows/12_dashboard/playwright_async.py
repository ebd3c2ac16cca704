"""Read a dashboard whose parts arrive one after another."""

from playwright.async_api import async_playwright, expect


async def run(url, **options):
    async with async_playwright() as playwright, await playwright.chromium.launch(**options) as browser:
        page = await browser.new_page()
        await page.goto(url)
        await expect(page.locator(".loading")).to_have_count(0)
        return await page.locator(".widget").all_inner_texts()
