"""Click a link that downloads a file, wait until the file is complete, and read it.

It prints:

    receipts.csv: 2 receipts, € 75
    the click ended with: download
"""

import asyncio
import csv
import tempfile
from pathlib import Path

import stillframe
from stillframe import Click, Secret, SetValue
from stillframe.demo import Shop


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with Shop() as shop, stillframe.launch() as browser:
            page = await browser.new_page(shop.url("/login"))
            await page.execute_sequence(
                [SetValue("#user", "ann"), SetValue("#pass", Secret("lantern")), Click("#submit")]
            )
            await page.goto(shop.url("/account"))
            async with page.expect_download() as downloading:
                result = await page.click("text=Receipts")
            download = await downloading
            file = await download.save_as(Path(folder, download.suggested_filename))
            with file.open(newline="") as lines:
                euros = [int(row["euros"]) for row in csv.DictReader(lines)]
            print(f"{file.name}: {len(euros)} receipts, € {sum(euros)}")
            print(f"the click ended with: {result.reason}")


asyncio.run(main())
