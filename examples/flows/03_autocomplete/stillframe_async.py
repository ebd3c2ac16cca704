"""Type the beginning of a word, and choose a suggestion."""

from stillframe import Click, TypeText, launch


async def run(url, **options):
    async with launch(**options) as browser:
        page = await browser.new_page(url)
        await page.execute_sequence([TypeText("#city", "lis"), Click("text=Lisbon")], check=True)
        return await page.locator("#city").value()
