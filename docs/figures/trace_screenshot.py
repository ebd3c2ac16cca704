"""Make docs/images/trace.png: log in to the demo shop with a trace, and take a screenshot of its report.

The times in it differ from run to run, so nothing compares it; make it again when the report looks different.
"""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

import stillframe
from stillframe import Click, Secret, SetValue
from stillframe.demo import Shop
from stillframe.trace.reading import read_trace
from stillframe.trace.report import report

IMAGE = Path(__file__).parent.parent / "images" / "trace.png"
VIEWPORT = {"width": 1280, "height": 760}
LOGIN = [SetValue("#user", "ann"), SetValue("#pass", Secret("lantern")), Click("#submit")]
MAX_BYTES = 200_000


async def traced_login(trace: Path) -> None:
    """Log in to the demo shop and write a trace of it."""
    async with Shop() as shop, stillframe.launch(viewport=VIEWPORT) as browser:
        page = await browser.new_page(shop.url("/login"))
        async with page.trace(trace, screenshots=True):
            await page.execute_sequence(LOGIN, check=True)


async def screenshot_of(report_file: Path) -> bytes:
    """Return a screenshot of a report that shows the page before and after."""
    async with stillframe.launch(viewport=VIEWPORT, color_scheme="light", allow_schemes=["file"]) as browser:
        page = await browser.new_page(report_file.as_uri(), settle=True)
        await page.click("text=Screens")
        return await page.screenshot()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        trace, report_file = Path(folder, "login.trace.jsonl"), Path(folder, "login.html")
        asyncio.run(traced_login(trace))
        report_file.write_text(report(read_trace(trace)), "utf-8")
        image = asyncio.run(screenshot_of(report_file))
    assert len(image) <= MAX_BYTES, f"{len(image):,} bytes; make the viewport smaller"
    IMAGE.write_bytes(image)


if __name__ == "__main__":
    main()
