"""Pages of one colour, and the wait until Chrome's screencast has shown them."""

from __future__ import annotations

import base64
import io
from typing import Any

from PIL import Image

from patience import HANG_S
from stillframe.api.browser import Page
from stillframe.cdp.loop_clock import time_limit
from stillframe.cdp_types.page import ScreencastFrame
from stillframe.video.timeline import FPS

Colour = tuple[int, int, int]

SMALL: dict[str, Any] = {"viewport": {"width": 160, "height": 120}}
RED, BLUE = (255, 0, 0), (0, 0, 255)


BEGIN_FRAMES = """
window.edge = document.documentElement.animate(
  [{ outline: "1px solid" }, { outline: "9px solid" }], { duration: 500, iterations: Infinity })
"""
"""A page that rests sends no pictures; the edge of this one keeps changing."""


def near(colour: Colour, other: Colour) -> bool:
    """Whether two colours look the same: JPEG and VP8 do not keep every shade."""
    return all(abs(one - two) < 60 for one, two in zip(colour, other, strict=True))


def _middle(jpeg: str) -> Colour:
    image = Image.open(io.BytesIO(base64.b64decode(jpeg))).convert("RGB")
    return image.getpixel((image.width // 2, image.height // 2))  # type: ignore[return-value]


async def show(page: Page, colour: Colour) -> None:
    """Fill a page with a colour, and wait until its screencast has shown that for some frames of a film."""
    shown = lambda event: near(_middle(event.data), colour)  # noqa: E731
    async with page.cdp_session.expect(ScreencastFrame, where=shown, timeout=HANG_S) as first:
        await page.evaluate(f"document.documentElement.style.background = 'rgb{colour}'")
    began = first.value.metadata.timestamp
    assert began is not None
    later = lambda event: event.metadata.timestamp > began + 3 / FPS  # noqa: E731
    async with page.cdp_session.expect(ScreencastFrame, where=later, timeout=HANG_S):
        await page.evaluate(BEGIN_FRAMES)
    await page.evaluate("window.edge.cancel()")


async def failed(page: Page) -> None:
    """Change a page until its film has failed, which it notices when it writes."""
    assert page._film is not None
    async with time_limit(HANG_S):
        while not page._film.task.done():
            await page.evaluate("document.documentElement.style.background = `hsl(${360 * Math.random()} 90% 50%)`")
