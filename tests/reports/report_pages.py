"""What the tests of public reports share: a page from a body, and what such a page writes down."""

from __future__ import annotations

from site_server import Site
from stillframe.api.browser import Page

OUT = "<p id=out></p><script>const say = (text) => { out.textContent += text + ' ' }</script>"
"""A paragraph in which a page notes what happens to it."""


async def opened(page: Page, site: Site, body: str) -> str:
    """Load a page that notes what happens to it; return its URL."""
    url = site.html("/page", OUT + body)
    await page.goto(url)
    return url


async def noted(page: Page) -> str:
    """Return what the page has noted."""
    return " ".join(str(await page.evaluate("out.textContent")).split())
