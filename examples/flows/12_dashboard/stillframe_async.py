"""Read a dashboard whose parts arrive one after another."""

from stillframe import launch


async def run(url, **options):
    async with launch(**options) as browser:
        page = await browser.new_page(url, settle=True)
        return [await widget.text() for widget in await page.locator(".widget").all()]
