"""Log in once, keep the cookies in a file, and start the next browser with them.

It prints:

    logged in, and kept 1 cookie in shop.json
    the next browser begins at /account: Ann's account
    without the file it is sent to /login
"""

import asyncio
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

import stillframe
from stillframe import Click, Secret, SetValue
from stillframe.demo import Shop


async def log_in(shop: Shop, file: Path) -> None:
    async with stillframe.launch() as browser:
        page = await browser.new_page(shop.url("/login"))
        result = await page.execute_sequence(
            [SetValue("#user", "ann"), SetValue("#pass", Secret("lantern")), Click("#submit")]
        )
        result.raise_for_failure()
        state = await page.context.storage_state(path=file)
        print(f"logged in, and kept {len(state['cookies'])} cookie in {file.name}")


async def main() -> None:
    async with Shop() as shop:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "shop.json")
            await log_in(shop, file)
            async with stillframe.launch() as browser:
                async with await browser.new_context(storage_state=file) as context:
                    page = await context.new_page(shop.url("/account"))
                    print(f"the next browser begins at {urlsplit(page.url).path}: {await page.locator('h1').text()}")
                page = await browser.new_page(shop.url("/account"))
                print(f"without the file it is sent to {urlsplit(page.url).path}")


asyncio.run(main())
