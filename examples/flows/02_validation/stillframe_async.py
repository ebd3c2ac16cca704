"""Fill in a form wrongly, read what it says, and correct it."""

from stillframe import Click, SetValue, launch


async def run(url, **options):
    async with launch(**options) as browser:
        page = await browser.new_page(url)
        await page.execute_sequence([SetValue("#email", "ann"), Click("text=Join")], check=True)
        error = await page.locator("#error").text()
        await page.execute_sequence([SetValue("#email", "ann@example.org"), Click("text=Join")], check=True)
        return [error, await page.locator("#welcome").text()]
