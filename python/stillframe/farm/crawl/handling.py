"""What a crawl does with each page: read it, follow its links, and record how it ended."""

from __future__ import annotations

import time
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

import msgspec

from stillframe.errors import NavigationFailed
from stillframe.extend import page_state
from stillframe.farm.crawl.directives import Directives, directives_of
from stillframe.farm.crawl.priorities import Priorities
from stillframe.farm.crawl.progress import Progress
from stillframe.farm.crawl.scope import Scope
from stillframe.farm.crawl.settings import CrawlSettings
from stillframe.farm.crawl.summary import FAILED
from stillframe.farm.crawl.visiting import Ending, HttpStatusError, Visit
from stillframe.farm.errors import RendererHung
from stillframe.farm.loading.links import host_of, request_of, without_credentials
from stillframe.farm.loading.navigating import Loaded
from stillframe.farm.loading.scrolling import scroll_to_end
from stillframe.farm.output import PageRecord, PageTimings, WarcRecorder, failed_page
from stillframe.farm.output.bodies import PDF, Body, content_type_of, is_kept_elsewhere, load_body
from stillframe.farm.output.frame_texts import Asks, read_asks
from stillframe.farm.output.record import READ_MS, PageError, error_kind, read_asking
from stillframe.farm.reasons import DOWNLOAD, TOO_LARGE
from stillframe.farm.store import DATASET, DatasetRow, NewRequest
from stillframe.farm.store.counting import ROBOTS_REFUSED, SKIPPED
from stillframe.model.result import NavigationResult

if TYPE_CHECKING:
    from stillframe.farm.metrics import CrawlMetrics

OUTCOME_CHARACTERS = 40
"""As many as the database has room for."""


def timings_of(visit: Visit, settle_ms: float) -> PageTimings:
    """Return the times of a page that has just been read."""
    now = time.monotonic()
    return PageTimings(
        load_ms=round(1000 * (visit.arrived - visit.started) - settle_ms, 1),
        settle_ms=round(settle_ms, 1),
        read_ms=round(1000 * (now - visit.arrived), 1),
        total_ms=round(1000 * (now - visit.started), 1),
    )


class PageHandler:
    """Reads the pages of a crawl, and counts how they end."""

    def __init__(
        self,
        settings: CrawlSettings,
        scope: Scope,
        progress: Progress,
        metrics: CrawlMetrics | None = None,
    ) -> None:
        self._settings = settings
        self._scope = scope
        self._progress = progress
        self._metrics = metrics
        self._links = settings.links
        self._priorities = Priorities(settings)

    def admit(self, visit: Visit) -> Ending | None:
        """Count a page that is to be loaded, until `closed`; return the end of one that a trap or a budget leaves out.

        What names a session is left out of its URL, which is another page then.
        """
        lease, traps = visit.lease, self._scope.traps
        admitted = traps.admit(lease.url, trusted=not lease.depth)
        if admitted == lease.url:
            traps.open(lease.key, lease.url)
            return None
        other = None if admitted is None else request_of(admitted, lease.depth, self._links)
        return Ending(links=[] if other is None else self._priorities.given([other]), outcome=SKIPPED)

    def closed(self, visit: Visit) -> None:
        """Note that a page is open no longer, whatever became of it."""
        self._scope.traps.close(visit.lease.key)

    async def before(self, visit: Visit, stack: AsyncExitStack) -> None:
        """Begin to record what Chrome receives, if WARC files were asked for."""
        if "warc" in self._settings.formats:
            visit.recorder = await stack.enter_async_context(WarcRecorder(visit.page))

    async def handle(self, visit: Visit, loaded: Loaded) -> Ending:
        """Return the record of a page and its links."""
        state = page_state(visit.page)
        visit.excess_ms = state.excess_ms
        if self._settings.scroll:
            await scroll_to_end(visit.page)
        record, asks = await self._read(visit, loaded)
        asked = directives_of(asks, loaded.headers, loaded.url)
        record = completed(record, loaded.response, asked, empty=loaded.empty)
        links = self._requests(record, asked, depth=visit.lease.depth + 1)
        if not self._keeps(record, asked):
            return Ending(links=links, outcome=SKIPPED)
        settle_ms = 0.0 if visit.page.verdict is None else visit.page.verdict.waited_ms
        record = msgspec.structs.replace(record, timings=timings_of(visit, settle_ms))
        payload = None if visit.recorder is None else await visit.recorder.finish()
        visit.captures = state.captures - visit.captured
        row = DatasetRow(dataset=DATASET, body=msgspec.json.encode(record), payload=payload)
        return Ending(rows=[row], links=links, record=record)

    async def _read(self, visit: Visit, loaded: Loaded) -> tuple[PageRecord, Asks | None]:
        lease = visit.lease
        if visit.near_duplicate is not None and self._settings.skip_near_duplicates:
            return self._short(visit, loaded), await read_asks(visit.page, timeout_ms=READ_MS)
        return await read_asking(
            visit.page, lease.url, depth=lease.depth, attempts=lease.attempts, body=await self._body(visit, loaded)
        )

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

    async def _body(self, visit: Visit, loaded: Loaded) -> Body | None:
        """Return the bytes of a PDF, a film or a sound, for its text and for the WARC file; None for other types."""
        content_type = content_type_of(loaded.headers)
        if not is_kept_elsewhere(content_type) or (content_type != PDF and visit.recorder is None):
            return None
        body = await load_body(visit.page)
        if body is not None and visit.recorder is not None:
            visit.recorder.keep(loaded.response.url.partition("#")[0], body)
        return body

    def _short(self, visit: Visit, loaded: Loaded) -> PageRecord:
        """Return the record of a page that is like an earlier one: its evidence instead of its content."""
        record = PageRecord(
            url=visit.lease.url,
            final_url=visit.page.url,
            status=loaded.response.status,
            content_type=content_type_of(loaded.headers),
            depth=visit.lease.depth,
            near_duplicate=msgspec.to_builtins(visit.near_duplicate),
        )
        return page_state(visit.page).redact(record)

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

    def _requests(self, record: PageRecord, asked: Directives, *, depth: int) -> list[NewRequest]:
        """Return the links that the crawl follows as requests; what robots.txt forbids ends when its turn comes."""
        inside = [self._links.cleaned(link) for link in self._followed(record, asked) if self._scope.admits(link)]
        followed = self._scope.traps.visited(record.url, record.title or "", record.text or "", inside)
        if self._settings.depth is not None and depth > self._settings.depth:
            return []
        found = (request_of(link, depth, self._links) for link in followed)
        return self._priorities.given(list({request.key: request for request in found if request is not None}.values()))

    # -- how pages end -----------------------------------------------------------------------------

    def failed(self, visit: Visit, error: Exception) -> Ending:
        """Return the record of a page that failed."""
        kind, lease = kind_of(error), visit.lease
        status = error.status if isinstance(error, HttpStatusError) else None
        record = failed_page(lease.url, error, depth=lease.depth, attempts=lease.attempts, status=status)
        assert record.error is not None
        record = msgspec.structs.replace(record, error=PageError(kind=kind, message=record.error.message))
        rows = [DatasetRow(dataset=DATASET, body=msgspec.json.encode(record))]
        return Ending(rows=rows, outcome=(FAILED + kind)[:OUTCOME_CHARACTERS], record=record)

    def ended(self, visit: Visit, ending: Ending) -> None:
        """Count a page whose end is in the database."""
        now, record = time.monotonic(), ending.record
        if record is None:
            self._progress.skipped += 1
            refused = ending.outcome == ROBOTS_REFUSED
            self._progress.robots_refused += refused
            if self._metrics is not None:
                kind = "robots" if refused else "left_out"
                self._metrics.page_done(PageRecord(url=visit.lease.url), outcome="skipped", kind=kind)
            return
        self._scope.traps.close(visit.lease.key, crawled=True)
        if record.error is not None:
            self._progress.page_failed(now, record.error.kind)
        else:
            self._progress.page_done(now, "near-duplicate" if record.verdict is None else record.verdict.reason)
        if self._metrics is not None:
            self._metrics.page_done(record, **visit.measured)

    def retried(self, visit: Visit, error: Exception) -> None:
        """Count a try that failed, of a page that is tried again."""
        if self._metrics is not None:
            record = PageRecord(url=visit.lease.url, depth=visit.lease.depth, attempts=visit.lease.attempts)
            self._metrics.page_done(record, outcome="retried", kind=kind_of(error))

    def lost(self) -> None:
        """Count a page whose lease another worker took."""
        self._progress.lost_leases += 1
        if self._metrics is not None:
            self._metrics.lease_lost()


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


def kind_of(error: BaseException) -> str:
    """Return the word by which a crawl counts an error: `http_500`, the reason of a navigation, or the error's code."""
    if isinstance(error, HttpStatusError):
        return f"http_{error.status}" if error.status in HTTP else "http_other"
    reason = error.reason if isinstance(error, NavigationFailed) else None
    if isinstance(reason, str) and reason.startswith("net::ERR_"):
        return reason.removeprefix("net::").lower()
    if reason in REASONS:
        return REASONS[reason]
    return "handler_timeout" if isinstance(error, TimeoutError) else error_kind(error)


HTTP = range(400, 600)
"""Statuses that are kinds of their own; a hostile server can make up any number of others."""
REASONS = {
    "timeout": "navigation_timeout",
    "unresponsive": RendererHung.code,
    DOWNLOAD: "download",
    TOO_LARGE: "too_large",
}
"""Kinds by the reason of a failed navigation, for reasons that are not a net error."""
