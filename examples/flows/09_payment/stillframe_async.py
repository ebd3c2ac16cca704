"""Fill in a payment form in a frame of another site."""

from stillframe import launch


async def run(url, **options):
    async with launch(**options) as browser:
        page = await browser.new_page(url)
        form = page.locator("frame=#payment >> form")
        await form.locator("#card").fill("4242424242424242")
        await form.locator("#expiry").fill("12/30")
        await form.locator("text=Pay").click()
        return await form.locator("#receipt").text()
