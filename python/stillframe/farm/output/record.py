"""The record of one page: what a crawl writes about it, as one JSON object with camelCase keys."""

from __future__ import annotations

import asyncio
import base64
from typing import Any, TypeVar

import msgspec

from stillframe import Page
from stillframe.core import Snapshot
from stillframe.errors import StillframeError
from stillframe.extend import page_state
from stillframe.injected import content_source
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

T = TypeVar("T")


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

    `robots` are the directives of `<meta name=robots>` and `X-Robots-Tag`, `canonical` is the URL that the page calls
    its own. `links` are the different http and https URLs of the main document in page order, that of a refresh last,
    without fragments that are not routes of an application, such as `#/guide`. `signature` is `Signature.to_bytes` in
    Base64. `text_truncated` and `links_truncated` say that a limit cut them. Text and links of open shadow trees come
    after the others.
    """

    url: str
    final_url: str | None = None
    status: int | None = None
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


class PageContent(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What one question to the page returns."""

    url: str
    title: str
    text: str
    links: tuple[str, ...]
    text_truncated: bool
    links_truncated: bool


async def read_page(  # noqa: PLR0913  by keyword
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
) -> PageRecord:
    """Read a page as it is now and return its record; `url` is the URL that the crawl asked for.

    Asks the page one question, in a world that its scripts cannot see, and at the same time takes the snapshot, which
    is the verdict's if nothing has changed since. `verdict` defaults to that of the last navigation. Secrets
    of the context are left out. Raises CommandTimeout after `timeout_ms`, ContextLost if the page navigates meanwhile,
    and SessionLost if it is gone.
    """
    question = content_source(max_text=text_characters, max_links=max_links)
    content, snapshot = await _read(page, question, timeout_ms)
    response, verdict = page.response, verdict or page.verdict
    return PageRecord(
        url=page_state(page).redact(url),
        final_url=content.url,
        status=None if response is None else response.status,
        title=content.title,
        text=content.text,
        links=content.links,
        signature=base64.b64encode(snapshot.signature.to_bytes()).decode(),
        verdict=None if verdict is None else verdict_of(verdict),
        timings=timings,
        depth=depth,
        attempts=attempts,
        text_truncated=content.text_truncated,
        links_truncated=content.links_truncated,
    )


async def _read(page: Page, question: str, timeout_ms: float) -> tuple[PageContent, Snapshot]:
    state = page_state(page)
    asked = asyncio.ensure_future(state.frames.main.evaluate(question, timeout=timeout_ms / 1000))
    try:
        snapshot = await page.snapshot(timeout_ms=timeout_ms)
        answer = await asked
    finally:
        asked.cancel()
        await asyncio.wait({asked})
    return msgspec.convert(whole(state.redact(answer)), PageContent), snapshot


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


def whole(value: T) -> T:
    """Return a JSON-like value in which half surrogates, which JSON cannot have, are replaced by U+FFFD."""
    changed: Any = value
    if isinstance(value, str):
        changed = value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    elif isinstance(value, dict):
        changed = {key: whole(one) for key, one in value.items()}
    elif isinstance(value, list):
        changed = [whole(one) for one in value]
    return changed  # type: ignore[no-any-return]
