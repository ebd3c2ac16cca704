"""Load a URL in a page of the pool, whole or not at all: for crawls and for Scrapy."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

from stillframe import Page
from stillframe.errors import CommandError, NavigationFailed, SessionLost
from stillframe.extend import page_state
from stillframe.farm.errors import RendererHung
from stillframe.farm.loading.document_limit import limited_document
from stillframe.farm.loading.documents import Documents, documents_of
from stillframe.model.result import NavigationResult

BLANK, BLANK_MS = "about:blank", 5_000.0
HUNG = "hung"
"""The reason of a verdict."""
ANSWER_S = 2.0
"""How long a page may take for an answer that takes one that is not busy a millisecond; our choice."""
WITHOUT_DOCUMENT = {
    ("net::ERR_ABORTED", 204),
    ("net::ERR_ABORTED", 205),
    ("net::ERR_INVALID_AUTH_CREDENTIALS", 401),
}
"""Net errors that stand for a response, and its status. Chrome shows the page of a 401 only to who has credentials."""


class Answered(NamedTuple):
    """What answered, and the URLs on the way to it, the first and the last included."""

    response: NavigationResult
    hops: tuple[str, ...]


async def load_whole(page: Page, url: str, options: Mapping[str, Any], max_document_bytes: int | None) -> Answered:
    """Navigate a page to a URL with options of `Page.goto`; a response without a document leaves the page empty.

    Raises what `Page.goto` raises, NavigationFailed with the reason TOO_LARGE for a document over its limit,
    DocumentTruncated, DocumentReplaced, and RendererHung.
    """
    with documents_of(page) as documents:
        try:
            async with (
                limited_document(page, url, max_document_bytes),
                _told_from_hung(page, documents, url, options.get("timeout_ms")),
            ):
                response = await page.goto(url, **options)
        except NavigationFailed as error:
            if not has_no_document(error, documents.status):
                raise
            await page.goto(BLANK, settle=True, timeout_ms=BLANK_MS)
            return Answered(NavigationResult(url=error.url, status=documents.status), documents.hops)
        if response.url.startswith(("http://", "https://")):
            documents.check(url)
    if page.verdict is not None and page.verdict.reason == HUNG:
        raise renderer_hung(url)
    return Answered(response, documents.hops)


def has_no_document(error: NavigationFailed, status: int | None) -> bool:
    """Return whether a navigation failed for lack of a document although the server has answered with a status."""
    return (error.reason, status) in WITHOUT_DOCUMENT


@asynccontextmanager
async def _told_from_hung(page: Page, documents: Documents, url: str, timeout_ms: float | None) -> AsyncIterator[None]:
    """Raise RendererHung for a navigation that takes too long because a script of the page runs without a pause.

    The page is asked just before the time is over: a navigation whose time is over stops the script. For some seconds
    after a navigation begins, Chrome hands no command to the page that it leaves, so that one does not count.
    """
    if timeout_ms is None:
        yield
        return
    answer_s = min(ANSWER_S, timeout_ms / 4000)

    async def ask() -> bool:
        await asyncio.sleep(timeout_ms / 1000 - 1.2 * answer_s)
        return not documents.is_shown or await answers(page, answer_s) or not documents.is_shown

    asked = asyncio.create_task(ask(), name=f"whether {url} hangs")
    try:
        yield
    except NavigationFailed as error:
        if error.cause == "timeout" and asked.done() and not asked.result():
            raise renderer_hung(url) from error
        raise
    finally:
        asked.cancel()
        await asyncio.wait((asked,))


def renderer_hung(url: str) -> RendererHung:
    """Return the error of a page that does not answer."""
    return RendererHung(f"{url} does not answer: a script of it runs without a pause", url=url)


async def answers(page: Page, timeout_s: float = ANSWER_S) -> bool:
    """Return whether a page answers; one that is gone cannot hang."""
    try:
        await page_state(page).session.drain_events(timeout=timeout_s)
    except SessionLost:
        return True
    except CommandError:
        return False
    return True


async def hung(page: Page, url: str) -> RendererHung | None:
    """Return the error of a page that does not answer, None if it does: then its handler was slow."""
    return None if await answers(page) else renderer_hung(url)
