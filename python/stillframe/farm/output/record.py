"""The record of one page: what a crawl writes about it, as one JSON object with camelCase keys."""

from __future__ import annotations

import asyncio
import base64
from typing import Any

from stillframe import Page
from stillframe.core import Snapshot
from stillframe.errors import StillframeError
from stillframe.extend import page_state
from stillframe.farm.output.bodies import PDF, Body, content_type_of, load_body
from stillframe.farm.output.frame_texts import Asks, FrameContent, read_content, whole
from stillframe.farm.output.pdf import read_pdf
from stillframe.model.structs import Value
from stillframe.model.verdict import Pending, Reason, Verdict
from stillframe.security.redaction import Redaction

TEXT_CHARACTERS = 1_000_000
"""How much text of a page is recorded: three long novels; our choice."""
LINKS = 10_000
"""How many different links of a page are recorded; the largest listings have some thousand; our choice."""
PENDING = 10
"""How many rows of pending work a record has; the first ones say what a page waited for."""
BEYOND = "horizon"
"""The reason of a verdict whose page goes on with work beyond what was waited for: there may be more of it later."""
ENDLESS = frozenset({"animation", "stream", "websocket", "worker"})
"""Kinds of pending work that have no end of their own, and so do not say that a page is not complete yet."""
READ_MS = 30_000.0
"""How long a page may take to be read, in milliseconds; 100,000 elements take about one second."""


class PageVerdict(Value, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """How the wait for the page ended; `pending` is the work that still went on, its first rows only.

    `stable` is false for a page that has work beyond the horizon, such as a timer of some seconds.
    """

    stable: bool
    reason: Reason
    detail: str | None = None
    waited_ms: float
    pending: tuple[Pending, ...] = ()


class PageTimings(Value, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Durations in milliseconds: to load, to become still, to be read, and all together."""

    load_ms: float | None = None
    settle_ms: float | None = None
    read_ms: float | None = None
    total_ms: float | None = None


class PageError(Value, frozen=True, kw_only=True, rename="camel"):
    """Why a page was not recorded: `kind` is the `code` of a stillframe error, or the class of another one."""

    kind: str
    message: str


class PageRecord(Value, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What a crawl writes about one page; keys without a value are left out of the JSON.

    `content_type` is that of the response (`text/html`), or what Chrome took it for. `robots` are the directives of
    `<meta name=robots>` and `X-Robots-Tag`, `canonical` is the URL that the page calls its own. `text` is what a person
    can read, shadow trees and frames included, each where it stands; of a PDF it is that of its pages, and missing if
    it could not be read. `links` are the different http and https URLs in page order, then that of a refresh, those of
    frames last, without fragments that are not routes of an application, such as `#/guide`. `signature` is
    `Signature.to_bytes` in Base64; a PDF has none. `text_truncated` and `links_truncated` say that a limit cut them, or
    that a frame could not be read.
    """

    url: str
    final_url: str | None = None
    status: int | None = None
    content_type: str | None = None
    title: str | None = None
    text: str | None = None
    links: tuple[str, ...] = ()
    robots: tuple[str, ...] = ()
    canonical: str | None = None
    signature: str | None = None
    verdict: PageVerdict | None = None
    timings: PageTimings | None = None
    depth: int = 0
    attempts: int | None = None
    error: PageError | None = None
    near_duplicate: dict[str, Any] | None = None
    text_truncated: bool = False
    links_truncated: bool = False


async def read_page(page: Page, url: str, **options: Any) -> PageRecord:
    """Read a page as it is now and return its record; takes and raises what `read_asking` does."""
    return (await read_asking(page, url, **options))[0]


async def read_asking(  # noqa: PLR0913  by keyword
    page: Page,
    url: str,
    *,
    depth: int = 0,
    attempts: int | None = None,
    timings: PageTimings | None = None,
    verdict: Verdict | None = None,
    text_characters: int = TEXT_CHARACTERS,
    max_links: int = LINKS,
    timeout_ms: float = READ_MS,
    body: Body | None = None,
) -> tuple[PageRecord, Asks | None]:
    """Read a page as it is now, and return its record and what it asks of crawlers.

    `url` is the URL that the crawl asked for. Asks the page one question, in a world that its scripts cannot see, and
    one more for each frame. The snapshot, which it takes at the same time, is the verdict's if nothing has changed
    since. Of a PDF the bytes are read: `body`, or what Chrome loads once more. `verdict` defaults to that of the last
    navigation. Secrets of the context are left out. Raises CommandTimeout after `timeout_ms`, ContextLost if the page
    navigates meanwhile, and SessionLost if it is gone.
    """
    response, verdict = page.response, verdict or page.verdict
    content_type = content_type_of(page.response_headers)
    common: dict[str, Any] = {
        "url": page_state(page).redact(url),
        "status": None if response is None else response.status,
        "verdict": None if verdict is None else verdict_of(verdict),
        "timings": timings,
        "depth": depth,
        "attempts": attempts,
    }
    if response is not None and content_type == PDF:
        found = body or await load_body(page)
        return PageRecord(**common, **await _pdf(page, response.url, found, text_characters)), None
    content, snapshot = await _read(page, text_characters, max_links, timeout_ms)
    record = PageRecord(
        **common,
        final_url=content.url,
        content_type=content_type or content.content_type,
        title=content.title,
        text=content.text,
        links=content.links,
        signature=base64.b64encode(snapshot.signature.to_bytes()).decode(),
        text_truncated=content.text_truncated,
        links_truncated=content.links_truncated,
    )
    return record, content.asks


async def _pdf(page: Page, url: str, body: Body | None, characters: int) -> dict[str, Any]:
    """Return the fields of a record that are read from a PDF; one that did not come whole has no text."""
    content = None if body is None or not body.whole else await read_pdf(body.content, characters=characters)
    found: dict[str, Any] = {"final_url": url, "content_type": PDF}
    if body is not None and not body.whole:
        found["text_truncated"] = True
    if content is not None:
        found |= {"title": content.title, "text": content.text, "text_truncated": content.truncated}
    return whole(page_state(page).redact(found))


async def _read(page: Page, characters: int, links: int, timeout_ms: float) -> tuple[FrameContent, Snapshot]:
    asked = asyncio.ensure_future(read_content(page, characters, links, timeout_ms=timeout_ms))
    try:
        snapshot = await page.snapshot(timeout_ms=timeout_ms)
        answer = await asked
        if snapshot.closed_shadow_roots():
            # The scripts see into a closed tree once it was passed to them.
            await asyncio.gather(*map(page_state(page).adopt_closed_roots, page_state(page).frames))
            answer = await read_content(page, characters, links, timeout_ms=timeout_ms)
    finally:
        asked.cancel()
        await asyncio.wait({asked})
    return answer, snapshot


def verdict_of(verdict: Verdict) -> PageVerdict:
    """Return the part of a verdict that a record has; a page with work beyond the horizon is not stable there."""
    return PageVerdict(
        stable=verdict.stable and verdict.reason != BEYOND and all(row.kind in ENDLESS for row in verdict.pending),
        reason=verdict.reason,
        detail=verdict.detail,
        waited_ms=verdict.waited_ms,
        pending=verdict.pending[:PENDING],
    )


def failed_page(
    url: str,
    error: BaseException,
    *,
    depth: int = 0,
    attempts: int | None = None,
    status: int | None = None,
    timings: PageTimings | None = None,
) -> PageRecord:
    """Return the record of a page that could not be recorded; secrets are left out of the URL and the message."""
    return PageRecord(
        url=Redaction.redact_everywhere(url),
        status=status,
        depth=depth,
        attempts=attempts,
        timings=timings,
        error=PageError(kind=error_kind(error), message=whole(Redaction.redact_everywhere(str(error)))),
    )


def error_kind(error: BaseException) -> str:
    """Return the word by which a crawl counts an error."""
    return error.code if isinstance(error, StillframeError) else type(error).__name__
