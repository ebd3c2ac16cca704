"""Log in, and read the greeting."""

from stillframe import Click, SetValue, launch


async def run(url, **options):
    async with launch(**options) as browser:
        page = await browser.new_page(url)
        actions = [SetValue("#user", "ann"), SetValue("#password", "lantern"), Click("text=Log in")]
        await page.execute_sequence(actions, check=True)
        return await page.locator("#greeting").text()
