"""Fill in a payment form in a frame of another site."""

from playwright.async_api import async_playwright


async def run(url, **options):
    async with async_playwright() as playwright, await playwright.chromium.launch(**options) as browser:
        page = await browser.new_page()
        await page.goto(url)
        form = page.frame_locator("#payment")
        await form.locator("#card").fill("4242424242424242")
        await form.locator("#expiry").fill("12/30")
        await form.locator("text=Pay").click()
        return await form.locator("#receipt").inner_text()
