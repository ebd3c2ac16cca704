"""What a crawl does with each page: read it, follow its links, and record how it ended."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec
from crawlee import Request, RequestState
from crawlee.errors import (
    ContextPipelineInterruptedError,
    HttpClientStatusCodeError,
    HttpStatusCodeError,
    UserHandlerTimeoutError,
)

from stillframe.errors import NavigationFailed
from stillframe.extend import page_state
from stillframe.farm.crawl.directives import Directives, directives_of
from stillframe.farm.crawl.progress import Progress
from stillframe.farm.crawl.scope import Scope
from stillframe.farm.crawl.settings import CrawlSettings
from stillframe.farm.crawl.summary import FAILED
from stillframe.farm.crawler import (
    StillframeCrawlingContext,
    StillframePostNavCrawlingContext,
    StillframePreNavCrawlingContext,
)
from stillframe.farm.crawler.links import PLAIN, LinkFilter, host_of, without_credentials
from stillframe.farm.crawler.robots import BY_ROBOTS, SKIPPED_BY
from stillframe.farm.crawler.storage_client import StoreQueue
from stillframe.farm.errors import RendererHung
from stillframe.farm.output import PageRecord, PageTimings, WarcRecorder, failed_page
from stillframe.farm.output.bodies import PDF, Body, content_type_of, is_kept_elsewhere, load_body
from stillframe.farm.output.frame_texts import read_asks
from stillframe.farm.output.record import READ_MS, PageError, error_kind, read_asking
from stillframe.farm.reasons import DOWNLOAD, TOO_LARGE
from stillframe.farm.store import DATASET, DatasetRow
from stillframe.farm.store.counting import ROBOTS_REFUSED, SKIPPED
from stillframe.model.result import CaptureCounts, NavigationResult

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
        self._links = LinkFilter(settings.ignore_parameters)
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

    async def follows(self, request: Request, url: str) -> bool:
        """Return whether a URL to which a page was redirected is of the crawl: of its scope, or where a start leads."""
        return await self._scope.takes(request.url, url)

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
            asks = await read_asks(context.page, timeout_ms=READ_MS)
        else:
            body = await self._body(context, visit)
            record, asks = await read_asking(
                context.page,
                request.url,
                depth=request.crawl_depth,
                attempts=request.retry_count + 1,
                verdict=context.verdict,
                body=body,
            )
        asked = directives_of(asks, context.response_headers)
        record = completed(record, context.response, asked, empty=context.visit.empty)
        if not self._keeps(record, asked):
            await self._follow(context, record, asked)
            return
        record = msgspec.structs.replace(record, timings=visit.timings(arrived, context.verdict.waited_ms))
        payload = None if visit.recorder is None else await visit.recorder.finish()
        row = DatasetRow(dataset=DATASET, body=msgspec.json.encode(record), payload=payload)
        self._queue.stage(request.unique_key, [row])
        visit.record, visit.captures = record, state.captures - visit.captured
        await self._follow(context, record, asked)

    def _keeps(self, record: PageRecord, asked: Directives) -> bool:
        """Return whether a page is recorded; what is not counts as skipped."""
        if asked.is_noindex and self._settings.skip_noindex:
            return False
        return not (self._settings.skip_noncanonical and self._canonical(record) is not None)

    def _canonical(self, record: PageRecord) -> str | None:
        """Return the other URL of the same host that a page calls its own, None if there is none."""
        other, own = record.canonical, record.final_url or record.url
        same = other is None or host_of(other) != host_of(own) or self._links.key(other) == self._links.key(own)
        return None if same else other

    async def _body(self, context: StillframeCrawlingContext, visit: _Visit) -> Body | None:
        """Return the bytes of a PDF, a film or a sound, for its text and for the WARC file; None for other types."""
        content_type = content_type_of(context.response_headers)
        if not is_kept_elsewhere(content_type) or (content_type != PDF and visit.recorder is None):
            return None
        body = await load_body(context.page)
        if body is not None and visit.recorder is not None:
            visit.recorder.keep(context.response.url.partition("#")[0], body)
        return body

    def _short(self, context: StillframeCrawlingContext) -> PageRecord:
        """Return the record of a page that is like an earlier one: its evidence instead of its content."""
        record = PageRecord(
            url=context.request.url,
            final_url=context.page.url,
            status=context.response.status,
            content_type=content_type_of(context.response_headers),
            depth=context.request.crawl_depth,
            near_duplicate=msgspec.to_builtins(context.near_duplicate),
        )
        return page_state(context.page).redact(record)

    def _followed(self, record: PageRecord, asked: Directives) -> list[str]:
        """Return the links of a page that the crawl follows."""
        canonical = self._canonical(record) if self._settings.skip_noncanonical else None
        own = [] if canonical is None else [canonical]
        if self._settings.follow_nofollow:
            return [*own, *record.links]
        if asked.is_nofollow:
            return own
        left_out = {self._links.key(url) for url in asked.nofollow}
        return [*own, *(url for url in record.links if not left_out or self._links.key(url) not in left_out)]

    async def _follow(self, context: StillframeCrawlingContext, record: PageRecord, asked: Directives) -> None:
        admitted = (link for link in self._followed(record, asked) if self._scope.admits(link))
        requests = [request for link in admitted if (request := request_of(link, self._links)) is not None]
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
            refused = request.user_data.get(SKIPPED_BY) == BY_ROBOTS
            self._queue.stage(request.unique_key, [], outcome=ROBOTS_REFUSED if refused else SKIPPED)
            self._progress.skipped += 1
            self._progress.robots_refused += refused
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


def completed(record: PageRecord, response: NavigationResult, asked: Directives, *, empty: bool) -> PageRecord:
    """Return the record of a page with what it asks of crawlers, its refresh as a link, and no credentials in URLs.

    `empty` says that the server answered without a document: then the URL and the status are those of the response.
    """
    links = [without_credentials(link) for link in record.links]
    if asked.refresh is not None and asked.refresh not in links:
        links.append(asked.refresh)
    final_url = response.url if empty else record.final_url
    return msgspec.structs.replace(
        record,
        url=without_credentials(record.url),
        final_url=None if final_url is None else without_credentials(final_url),
        status=response.status if empty else record.status,
        links=tuple(dict.fromkeys(links)),
        robots=asked.robots,
        canonical=asked.canonical,
    )


def request_of(link: str, links: LinkFilter = PLAIN) -> Request | None:
    """Return the request of a link with its key, or None for a URL that Chrome takes and crawlee does not.

    It loads the link as `links` cleans it.
    """
    try:
        return Request.from_url(links.cleaned(link), unique_key=links.key(link))
    except ValueError:
        return None


def kind_of(error: BaseException) -> str:
    """Return the word by which a crawl counts an error: `http_500`, the reason of a navigation, or the error's code."""
    if isinstance(error, HttpStatusCodeError | HttpClientStatusCodeError):
        return f"http_{error.status_code}"
    reason = error.reason if isinstance(error, NavigationFailed) else None
    if isinstance(reason, str) and reason.startswith("net::ERR_"):
        return reason.removeprefix("net::").lower()
    if reason in REASONS:
        return REASONS[reason]
    handler = isinstance(error, TimeoutError | UserHandlerTimeoutError)
    return "handler_timeout" if handler else error_kind(error)


REASONS = {
    "timeout": "navigation_timeout",
    "unresponsive": RendererHung.code,
    DOWNLOAD: "download",
    TOO_LARGE: "too_large",
}
"""Kinds by the reason of a failed navigation, for reasons that are not a net error."""


def status_of(error: BaseException) -> int | None:
    """Return the HTTP status that an error is about."""
    return error.status_code if isinstance(error, HttpStatusCodeError | HttpClientStatusCodeError) else None
