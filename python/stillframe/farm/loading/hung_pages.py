"""Pages that do not answer, told from handlers that are slow."""

from __future__ import annotations

from stillframe import Page
from stillframe.errors import CommandError, SessionLost
from stillframe.extend import page_state
from stillframe.farm.errors import RendererHung

ANSWER_S = 2.0
"""How long a page may take for an answer that takes one that is not busy a millisecond; our choice."""


async def hung(page: Page, url: str) -> RendererHung | None:
    """Return the error of a page that does not answer, None if it does: then its handler was slow."""
    if await answers(page):
        return None
    return RendererHung(f"{url} does not answer: a script of it runs without a pause", url=url)


async def answers(page: Page) -> bool:
    """Return whether a page answers; one that is gone cannot hang."""
    try:
        await page_state(page).session.drain_events(timeout=ANSWER_S)
    except SessionLost:
        return True
    except CommandError:
        return False
    return True
