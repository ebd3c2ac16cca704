"""What a crawl does with each page: read it, follow its links, and record how it ended."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec
from crawlee import Request, RequestState
from crawlee.errors import ContextPipelineInterruptedError, HttpClientStatusCodeError, HttpStatusCodeError

from stillframe.extend import page_state
from stillframe.farm.crawl.progress import Progress
from stillframe.farm.crawl.scope import Scope
from stillframe.farm.crawl.settings import CrawlSettings
from stillframe.farm.crawl.summary import FAILED
from stillframe.farm.crawler import (
    StillframeCrawlingContext,
    StillframePostNavCrawlingContext,
    StillframePreNavCrawlingContext,
)
from stillframe.farm.crawler.links import page_key
from stillframe.farm.crawler.storage_client import StoreQueue
from stillframe.farm.output import PageRecord, PageTimings, WarcRecorder, failed_page, read_page
from stillframe.farm.output.record import PageError, error_kind
from stillframe.farm.reasons import DOWNLOAD, TOO_LARGE
from stillframe.farm.store import DATASET, DatasetRow
from stillframe.farm.store.counting import SKIPPED
from stillframe.model.result import CaptureCounts

if TYPE_CHECKING:
    from stillframe.farm.metrics import CrawlMetrics

OUTCOME_CHARACTERS = 40
"""As many as the database has room for."""
ADD_AT_ONCE = 500
"""crawlee adds the first thousand links of a call before it returns; a crash could lose those that it adds later."""


@dataclass
class _Visit:
    """What is measured of one visit; `captured` is how often its page had been captured before it."""

    browser: int
    started: float
    captured: CaptureCounts
    captures: CaptureCounts | None = None
    excess_ms: float | None = None
    record: PageRecord | None = None
    recorder: WarcRecorder | None = None

    @property
    def measured(self) -> dict[str, Any]:
        """What metrics ask for beside the record."""
        return {"browser": self.browser, "captures": self.captures, "excess_ms": self.excess_ms}

    def timings(self, arrived: float, settle_ms: float) -> PageTimings:
        """Return the times of a page that was handed over at `arrived` and has just been read."""
        now = time.monotonic()
        return PageTimings(
            load_ms=round(1000 * (arrived - self.started) - settle_ms, 1),
            settle_ms=round(settle_ms, 1),
            read_ms=round(1000 * (now - arrived), 1),
            total_ms=round(1000 * (now - self.started), 1),
        )


class PageHandler:
    """The hooks and handlers of a crawl for StillframeCrawler."""

    def __init__(
        self,
        settings: CrawlSettings,
        scope: Scope,
        queue: StoreQueue,
        progress: Progress,
        metrics: CrawlMetrics | None = None,
    ) -> None:
        self._settings = settings
        self._scope = scope
        self._queue = queue
        self._progress = progress
        self._metrics = metrics
        self._visits: dict[str, _Visit] = {}
        """The last visit of each page that is being worked on, by unique key."""

    async def before(self, context: StillframePreNavCrawlingContext) -> None:
        """Begin to record what Chrome receives, if WARC files were asked for."""
        captured = page_state(context.page).captures
        visit = _Visit(context.visit.lent.browser, time.monotonic(), captured)
        self._visits[context.request.unique_key] = visit
        if "warc" in self._settings.formats:
            recorder = visit.recorder = await WarcRecorder(context.page).__aenter__()

            async def end() -> None:
                await recorder.__aexit__(None, None, None)

            context.register_deferred_cleanup(end)

    async def arrived(self, context: StillframePostNavCrawlingContext) -> None:
        """Skip a page that has led out of the crawl's scope; a start moves the scope instead."""
        request = context.request
        if not await self._scope.arrive(request.url, request.loaded_url or request.url):
            raise ContextPipelineInterruptedError(f"{request.url} leads to {request.loaded_url}, on another host")

    async def handle(self, context: StillframeCrawlingContext) -> None:
        """Stage the record of a page, and add its links."""
        request, arrived = context.request, time.monotonic()
        visit, state = self._visits[request.unique_key], page_state(context.page)
        visit.excess_ms = state.excess_ms
        if context.near_duplicate is not None and self._settings.skip_near_duplicates:
            record = self._short(context)
        else:
            record = await read_page(
                context.page,
                request.url,
                depth=request.crawl_depth,
                attempts=request.retry_count + 1,
                verdict=context.verdict,
            )
        record = msgspec.structs.replace(record, timings=visit.timings(arrived, context.verdict.waited_ms))
        payload = None if visit.recorder is None else await visit.recorder.finish()
        row = DatasetRow(dataset=DATASET, body=msgspec.json.encode(record), payload=payload)
        self._queue.stage(request.unique_key, [row])
        visit.record, visit.captures = record, state.captures - visit.captured
        await self._follow(context, record.links)

    def _short(self, context: StillframeCrawlingContext) -> PageRecord:
        """Return the record of a page that is like an earlier one: its evidence instead of its content."""
        record = PageRecord(
            url=context.request.url,
            final_url=context.page.url,
            status=context.response.status,
            depth=context.request.crawl_depth,
            near_duplicate=msgspec.to_builtins(context.near_duplicate),
        )
        return page_state(context.page).redact(record)

    async def _follow(self, context: StillframeCrawlingContext, links: tuple[str, ...]) -> None:
        admitted = (link for link in links if self._scope.admits(link))
        requests = [request for link in admitted if (request := request_of(link)) is not None]
        for start in range(0, len(requests), ADD_AT_ONCE):
            await context.add_requests(requests[start : start + ADD_AT_ONCE], strategy="all")

    async def finish(self, request: Request, error: Exception | None) -> None:
        """Count a page that ended; stage the record of one that failed."""
        now, visit = time.monotonic(), self._visits.pop(request.unique_key, None)
        record = None if visit is None else visit.record
        if request.state == RequestState.ERROR:
            record = self._fail(request, error or RuntimeError("crawlee gave no reason"), now)
        elif record is None or request.state == RequestState.SKIPPED:
            # A page without a record has led to another host, and crawlee has not handed it over.
            self._queue.stage(request.unique_key, [], outcome=SKIPPED)
            self._progress.skipped += 1
            return
        else:
            self._progress.page_done(now, "near-duplicate" if record.verdict is None else record.verdict.reason)
        if self._metrics is not None and record is not None:
            measured = {} if visit is None else visit.measured
            self._metrics.page_done(record, **measured)

    def lost(self, end: Callable[[str], None]) -> Callable[[str], None]:
        """Return what is called with the key of a page whose lease is lost: it counts that, and calls `end`."""

        def lose(key: str) -> None:
            self._progress.lost_leases += 1
            if self._metrics is not None:
                self._metrics.lease_lost()
            end(key)

        return lose

    def _fail(self, request: Request, error: Exception, now: float) -> PageRecord:
        key, kind = request.unique_key, kind_of(error)
        record = failed_page(
            request.url, error, depth=request.crawl_depth, attempts=request.retry_count + 1, status=status_of(error)
        )
        assert record.error is not None
        record = msgspec.structs.replace(record, error=PageError(kind=kind, message=record.error.message))
        self._queue.unstage(key)
        rows = [DatasetRow(dataset=DATASET, body=msgspec.json.encode(record))]
        self._queue.stage(key, rows, outcome=(FAILED + kind)[:OUTCOME_CHARACTERS])
        self._progress.page_failed(now, kind)
        return record


def request_of(link: str) -> Request | None:
    """Return the request of a link with its key, or None for a URL that Chrome takes and crawlee does not."""
    try:
        return Request.from_url(link, unique_key=page_key(link))
    except ValueError:
        return None


def kind_of(error: BaseException) -> str:
    """Return the word by which a crawl counts an error: `http_500`, the reason of a navigation, or the error's code."""
    if isinstance(error, HttpStatusCodeError | HttpClientStatusCodeError):
        return f"http_{error.status_code}"
    reason = getattr(error, "reason", None)
    if isinstance(reason, str) and reason.startswith("net::ERR_"):
        return reason.removeprefix("net::").lower()
    if reason in REASONS:
        return REASONS[reason]
    return "handler_timeout" if isinstance(error, TimeoutError) else error_kind(error)


REASONS = {"timeout": "navigation_timeout", DOWNLOAD: "download", TOO_LARGE: "too_large"}
"""Kinds by the reason of a failed navigation, for reasons that are not a net error."""


def status_of(error: BaseException) -> int | None:
    """Return the HTTP status that an error is about."""
    return error.status_code if isinstance(error, HttpStatusCodeError | HttpClientStatusCodeError) else None
