"""Pages that do not answer, told from handlers that are slow."""

from __future__ import annotations

from typing import Any

from crawlee.errors import UserHandlerTimeoutError

from stillframe import Page
from stillframe.farm.errors import RendererHung
from stillframe.farm.loading import answers, renderer_hung


async def hung(error: Any) -> RendererHung | None:
    """Return the error of a page that does not answer, after crawlee's error of its handler; None for other errors."""
    page = getattr(error.crawling_context, "page", None)
    if not isinstance(error.wrapped_exception, TimeoutError | UserHandlerTimeoutError) or not isinstance(page, Page):
        return None
    if await answers(page):
        return None
    return renderer_hung(error.crawling_context.request.url)
