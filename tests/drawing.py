"""Let real time pass in a test by what a browser does in it: it draws."""

from __future__ import annotations

from stillframe.api.browser import Page

FRAMES_PER_S = 60
"""What Chromium draws without a screen to keep up with."""


async def draw_frames(page: Page, count: int) -> None:
    """Wait until a page has drawn `count` frames, which it does whether or not its clock runs."""
    await page.evaluate(
        f"""new Promise((done) => {{
          let left = {count};
          const drawn = () => (left-- > 0 ? requestAnimationFrame(drawn) : done());
          drawn();
        }})""",
        timeout_ms=30_000,
    )
