"""Pages that do not answer, told from handlers that are slow."""

from __future__ import annotations

from typing import Any

from crawlee.errors import UserHandlerTimeoutError

from stillframe import Page
from stillframe.errors import CommandError, SessionLost
from stillframe.extend import page_state
from stillframe.farm.errors import RendererHung

ANSWER_S = 2.0
"""How long a page may take for an answer that takes one that is not busy a millisecond; our choice."""


async def hung(error: Any) -> RendererHung | None:
    """Return the error of a page that does not answer, after crawlee's error of its handler; None for other errors."""
    page = getattr(error.crawling_context, "page", None)
    if not isinstance(error.wrapped_exception, TimeoutError | UserHandlerTimeoutError) or not isinstance(page, Page):
        return None
    if await answers(page):
        return None
    url = error.crawling_context.request.url
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
