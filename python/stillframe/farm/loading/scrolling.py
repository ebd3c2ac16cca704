"""Pages that get longer when somebody goes down."""

from __future__ import annotations

from stillframe import Page

SCROLLS = 50
"""How many times a page is scrolled to its end at most; endless feeds have no other end."""

WITHOUT = -1
"""The height of what cannot be scrolled, as an image in XML."""
TO_THE_END = f"""
(all => all === null ? {WITHOUT} : (scrollTo(0, all.scrollHeight), all.scrollHeight))(document.scrollingElement)"""


async def scroll_to_end(page: Page) -> None:
    """Scroll down, and wait until the page is still, until it does not get longer."""
    height = WITHOUT
    for _ in range(SCROLLS):
        now = await page.evaluate(TO_THE_END)
        if now == height:
            return
        height = now
        await page.settle()
