"""Take screenshots of the viewport, of the whole page and of one element, and print the page to PDF.

It prints:

    viewport: 390 x 844
    whole page: more than 844 pixels high
    one lamp: as large as its box
    PDF: 1 page
"""

import asyncio
import re
import struct

import stillframe
from stillframe.demo import Shop


def size(png: bytes) -> tuple[int, int]:
    """Return width and height in pixels, from the header of a PNG."""
    width, height = struct.unpack(">II", png[16:24])
    return width, height


async def main() -> None:
    async with Shop() as shop, stillframe.launch(viewport={"width": 390, "height": 844}) as browser:
        page = await browser.new_page(shop.url("/shop"))

        width, height = size(await page.screenshot())
        print(f"viewport: {width} x {height}")

        _, whole = size(await page.screenshot(full_page=True))
        print(f"whole page: {'more than' if whole > height else 'only'} {height} pixels high")

        lamp = page.locator("#lamp-moth")
        shown = size(await page.screenshot(selector="#lamp-moth"))
        box = await lamp.box()
        close = box is not None and abs(shown[0] - box.width) <= 1 and abs(shown[1] - box.height) <= 1
        print(f"one lamp: {'as large as its box' if close else f'{shown}, but its box is {box}'}")

        pdf = await page.pdf(landscape=True, print_background=True)
        pages = re.findall(rb"/Type /Page\b", pdf)
        print(f"PDF: {len(pages)} page{'s' * (len(pages) != 1)}")


asyncio.run(main())
