"""What PlaywrightCrawler of crawlee has, on the pages of stillframe, which are handed over when they are still."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Container, Mapping, Sequence
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from typing import Any, NoReturn, TypeVar, Unpack

from crawlee import ConcurrencySettings, Request, RequestState
from crawlee.crawlers import BasicCrawler, BasicCrawlerOptions, BasicCrawlingContext, ContextPipeline
from crawlee.errors import (
    ContextPipelineInitializationError,
    ContextPipelineInterruptedError,
    RequestHandlerError,
    RequestThrottledError,
)
from crawlee.statistics import StatisticsState

from stillframe.errors import UrlRefused
from stillframe.extend import time_limit
from stillframe.farm.crawler.blocked import check_not_blocked
from stillframe.farm.crawler.contexts import (
    StillframeCrawlingContext,
    StillframePostNavCrawlingContext,
    StillframePreNavCrawlingContext,
    Visit,
)
from stillframe.farm.crawler.deferring import PAUSE_S, Deferred, Holds, borrow, count, excused
from stillframe.farm.crawler.enqueue import make_extract_links
from stillframe.farm.crawler.hung_pages import hung
from stillframe.farm.crawler.judging import Follows, RobotsJudge
from stillframe.farm.crawler.links import host_of, is_web
from stillframe.farm.crawler.navigating import BLANK, apply_session, is_download, keep_session, load
from stillframe.farm.crawler.near_duplicates import NearDuplicates
from stillframe.farm.crawler.options import refuse_replaced
from stillframe.farm.crawler.pressure import RESCHEDULED, Pressure
from stillframe.farm.crawler.retries import blames_browser, is_lasting
from stillframe.farm.crawler.robots import BY_ROBOTS, SKIPPED_BY
from stillframe.farm.crawler.storage_client import StoreStorageClient, pushing
from stillframe.farm.errors import HostBusy
from stillframe.farm.output.bodies import content_type_of, is_in_document
from stillframe.farm.pool import BrowserPool, PooledPage, PoolSettings
from stillframe.farm.reasons import MAX_DOCUMENT_BYTES, ROBOTS_WAIT_S
from stillframe.farm.retry_after import retry_after_s
from stillframe.security.redaction import logger

_log = logger(__name__)
CRAWLEE_LOG = "stillframe.farm.crawlee"
"""The logger to which crawlee writes what it does with requests, retries and tracebacks included."""
NAVIGATION = timedelta(seconds=60)
"""crawlee's own limit of a navigation."""
ROBOTS_WAIT = timedelta(seconds=ROBOTS_WAIT_S)
AVOID = "stillframeAvoidBrowser"
RESCHEDULES = "stillframeReschedules"
"""Keys of `request.user_data`, which goes with the request to other workers."""

NEAR_DUPLICATE: Any = "near_duplicate"
"""The reason of a skipped page, beside those that crawlee has."""

AnyRequest = TypeVar("AnyRequest", bound=str | Request)
Hook = TypeVar("Hook", bound=Callable[..., Awaitable[None]])
OnFinish = Callable[[Request, Exception | None], Awaitable[None]]


class StillframeCrawler(BasicCrawler[StillframeCrawlingContext, StatisticsState]):
    """Crawls with stillframe: a handler gets each page when it is still, with the verdict.

    Takes what crawlee's `PlaywrightCrawler` takes, with differences: `respect_robots_txt_file` is on unless it is
    False, and pages wait while the robots.txt of their host cannot be read. Pages answered with 429 or 503 go back to
    the queue, behind their neighbours, and their host is held for as long as `Retry-After` says, or when several of its
    pages are answered so. Other failures are tried again on another browser, unless they are lasting or a sequence has
    sent input.

    Both near-duplicate options keep the index of pages with the crawl, in its store or its key-value store, or as their
    `NearDuplicates` says.

    Args:
        pool: The pool of browsers; by default one of its own.
        pool_settings: The settings of that pool.
        browser_options: The options of `stillframe.launch` for its browsers.
        context_options: The options of `new_context` for the contexts of pages.
        goto_options: The options of `Page.goto`.
        navigation_timeout: The limit of a navigation.
        max_document_bytes: How much HTML a page may have, unpacked; None for any.
        download_types: Types that are handed over although they became a download, as PDFs do where Chrome has no
            viewer of them (`{"application/pdf"}`); the page then shows nothing of them.
        skip_near_duplicates: Whether to hand over no page that is nearly equal to an earlier one, and call
            `on_skipped_request` with NEAR_DUPLICATE.
        near_duplicates: Whether to hand such pages over, with `context.near_duplicate`.
        user_agent: The user agent of pages and of the requests for robots.txt; by default Chrome's and ours.
        robots_token: The product token whose groups in robots.txt count; by default that of `user_agent`.
        robots_wait: How long to wait for a robots.txt that cannot be read, until the pages of its host fail.
        follows: A coroutine function that says whether a URL to which a request was redirected belongs to the crawl, so
            that robots.txt is asked; by default the `enqueue_strategy` of the request does.
        identity: A function that says which pages share cookies; by default all of one proxy.
        on_finish: A coroutine function, awaited before a request is acknowledged, with the error if it failed.
        **options: Those of crawlee's `BasicCrawler`.
    """

    def __init__(  # noqa: PLR0913  by keyword
        self,
        *,
        pool: BrowserPool | None = None,
        pool_settings: PoolSettings | None = None,
        browser_options: Mapping[str, Any] | None = None,
        context_options: Mapping[str, Any] | None = None,
        goto_options: Mapping[str, Any] | None = None,
        navigation_timeout: timedelta = NAVIGATION,
        max_document_bytes: int | None = MAX_DOCUMENT_BYTES,
        download_types: Container[str] = (),
        skip_near_duplicates: bool | NearDuplicates = False,
        near_duplicates: bool | NearDuplicates = False,
        user_agent: str | None = None,
        robots_token: str | None = None,
        robots_wait: timedelta = ROBOTS_WAIT,
        follows: Follows | None = None,
        identity: Callable[[BasicCrawlingContext], str] | None = None,
        on_finish: OnFinish | None = None,
        **options: Unpack[BasicCrawlerOptions[StillframeCrawlingContext, StatisticsState]],
    ) -> None:
        refuse_replaced(options)
        self.pool = pool or BrowserPool(pool_settings, options=browser_options)
        self.holds = Holds()
        self._pressure = Pressure()
        self._context_options = dict(context_options or {})
        if user_agent is not None:
            self._context_options["user_agent"] = user_agent
        self._goto_options = dict(goto_options or {})
        self._navigation_timeout = navigation_timeout
        self._max_document_bytes = max_document_bytes
        self._download_types = download_types
        self._skip_near_duplicates = skip_near_duplicates is not False
        self._identity = identity or proxy_of
        self._on_finish = on_finish
        self._pre_navigation_hooks: list[Callable[[StillframePreNavCrawlingContext], Awaitable[None]]] = []
        self._post_navigation_hooks: list[Callable[[StillframePostNavCrawlingContext], Awaitable[None]]] = []
        self._errors: dict[str, Exception] = {}
        self._working: dict[str, asyncio.Task[None]] = {}
        self._aborted = False
        client = options.get("storage_client")
        self._store = client if isinstance(client, StoreStorageClient) else None
        self._robots: RobotsJudge | None = None
        if options.pop("respect_robots_txt_file", True):  # crawlee's own reader stays off
            self._robots = RobotsJudge(
                self.pool.options | self._context_options,
                token=robots_token,
                wait=robots_wait,
                store=None if self._store is None else self._store.store,
                proxies=options.get("proxy_configuration"),
                holds=self.holds,
                follows=follows,
            )
        else:
            _log.warning("robots.txt is not honoured in this crawl: respect_robots_txt_file=False")
        if options.get("concurrency_settings") is None:
            count = self.pool.settings.browsers * self.pool.settings.pages_per_browser
            options["concurrency_settings"] = ConcurrencySettings(
                min_concurrency=1, max_concurrency=count, desired_concurrency=count
            )
        options.setdefault("_logger", logger(CRAWLEE_LOG))
        pipeline: Any = ContextPipeline()
        for step in (self._open_page, self._navigate, self._check_status, self._after_navigation, self._finish_context):
            pipeline = pipeline.compose(step)
        options["_context_pipeline"] = pipeline
        managers = list(options.get("_additional_context_managers") or [])
        self._near_duplicates = self._index_of(near_duplicates or skip_near_duplicates)
        own = [None if pool else self.pool, self._near_duplicates, self._robots, self.holds]
        options["_additional_context_managers"] = [*managers, *(each for each in own if each is not None)]
        super().__init__(**options)

    # -- hooks -------------------------------------------------------------------------------------

    def pre_navigation_hook(self, hook: Hook) -> Hook:
        """Register a coroutine function that is called with each page before its navigation."""
        self._pre_navigation_hooks.append(hook)
        return hook

    def post_navigation_hook(self, hook: Hook) -> Hook:
        """Register a coroutine function that is called with each page when it is still, before the handler."""
        self._post_navigation_hooks.append(hook)
        return hook

    def lose(self, key: str) -> None:
        """End the work on a page whose lease another worker has."""
        if key in self._working:
            self._working[key].cancel()

    def abort(self) -> None:
        """End the work on all pages now; they go back to the queue."""
        self._aborted = True
        for work in self._working.values():
            work.cancel()

    async def add_requests(self, requests: Sequence[str | Request], **options: Any) -> None:
        """Add requests; those that a robots.txt forbids are skipped, at once or when it is known."""
        await super().add_requests(await self.without_forbidden(requests), **options)

    async def without_forbidden(self, requests: Sequence[AnyRequest]) -> list[AnyRequest]:
        """Return the requests or URLs without those that a robots.txt forbids, as far as it has been read."""
        robots = self._robots
        if robots is None:
            return list(requests)
        forbidden = set[str]()
        for url in map(_url_of, requests):
            await asyncio.sleep(0)  # a hostile file takes some 0.1 s a URL
            if url not in forbidden and robots.forbids(url):
                forbidden.add(url)
                await self._handle_skipped_request(url, "robots_txt")
        return [each for each in requests if _url_of(each) not in forbidden]

    # -- the pipeline ------------------------------------------------------------------------------

    async def _open_page(
        self, context: BasicCrawlingContext
    ) -> AsyncGenerator[StillframePreNavCrawlingContext, Exception | None]:
        request = context.request
        if not is_web(request.url):
            raise UrlRefused(f"{request.url} is not an http or https URL, so a crawl does not load it", url=request.url)
        if (left := self.holds.left_s(host_of(request.url))) > 0:
            raise Deferred(f"the host of {request.url} asked for time", delay_s=left)
        if self._pressure.is_given_up(host_of(request.url), time.monotonic()):
            raise HostBusy(f"{request.url} was not loaded: its host asks for time, and nothing else", url=request.url)
        if self._robots is not None and not await self._robots.allows(request):
            await self._refuse(request)
        stack = AsyncExitStack()
        context.register_deferred_cleanup(stack.aclose)  # the page stays open for error handlers and snapshots
        avoid = request.user_data.get(AVOID)
        lent = await borrow(
            self.pool,
            stack,
            self._identity(context),
            avoid=avoid if isinstance(avoid, int) else None,
            context=self._options_of(context) or None,
        )
        lent.reuse = False  # until it has arrived
        request.user_data[AVOID] = lent.browser  # unless the page is to blame
        self._watch_shedding(lent, request, stack)
        visit = Visit(lent)
        found = StillframePreNavCrawlingContext(
            **basics(context), page=lent.page, visit=visit, goto_options=dict(self._goto_options)
        )
        await self._call(self._pre_navigation_hooks, found)
        error = yield found
        lent.reuse = lent.reuse and error is None

    def _options_of(self, context: BasicCrawlingContext) -> dict[str, Any]:
        proxy = context.proxy_info
        if proxy is None:
            return self._context_options
        credentials = {"username": proxy.username, "password": proxy.password} if proxy.username else {}
        server = f"{proxy.scheme}://{proxy.hostname}:{proxy.port}"
        return {**self._context_options, "proxy": {"server": server, **credentials}}

    def _watch_shedding(self, lent: PooledPage, request: Request, stack: AsyncExitStack) -> None:
        """End the work on the page when the pool asks for it."""

        async def watch() -> None:
            await lent.shed.wait()
            lent.reuse = False
            task = self._working.get(request.unique_key)
            if task is not None:
                task.cancel()

        watcher = asyncio.create_task(watch(), name=f"watch {request.url}")
        stack.callback(watcher.cancel)

    async def _navigate(
        self, context: StillframePreNavCrawlingContext
    ) -> AsyncGenerator[StillframePostNavCrawlingContext, Exception | None]:
        request, page = context.request, context.page
        await apply_session(page, context.session)
        timeout_s = self._navigation_timeout.total_seconds()
        limit, types = self._max_document_bytes, self._download_types
        response, hops = await load(page, request, context.goto_options, timeout_s, limit, types)
        request.state = RequestState.AFTER_NAV
        request.loaded_url = page.url if is_web(page.url) and not is_download(page) else request.url
        if self._robots is not None and not await self._robots.allows_loaded(request, hops):
            await self._refuse(request)
        context.visit.headers = page.response_headers
        context.visit.empty = page.url == BLANK
        context.visit.lent.reuse = True
        yield StillframePostNavCrawlingContext(**fields(context), response=response)
        await keep_session(page, context.session)

    async def _refuse(self, request: Request) -> NoReturn:
        """Skip a page that robots.txt forbids."""
        _log.info("skipped %s, which robots.txt forbids", request.url)
        request.state = RequestState.SKIPPED
        request.user_data[SKIPPED_BY] = BY_ROBOTS
        await self._handle_skipped_request(request, "robots_txt")
        raise ContextPipelineInterruptedError

    async def _check_status(
        self, context: StillframePostNavCrawlingContext
    ) -> AsyncGenerator[StillframePostNavCrawlingContext, Exception | None]:
        status = context.response.status
        host, page = host_of(context.request.url), context.request.unique_key
        if status in RESCHEDULED:
            self._reschedule(context, host, page)
        elif status is not None:
            self._pressure.answered(host, page, time.monotonic())
        if status is not None:
            if self._retry_on_blocked and status not in RESCHEDULED:
                self._raise_for_session_blocked_status_code(context.session, status)
            self._raise_for_error_status_code(status)
        if self._retry_on_blocked and context.session is not None:
            await check_not_blocked(context.page)
        yield context

    def _reschedule(self, context: StillframePostNavCrawlingContext, host: str, page: str) -> None:
        """Raise Deferred, unless the server has asked for time too often."""
        times = count(context.request, RESCHEDULES)
        asked = retry_after_s(context.response_headers.get("retry-after"), datetime.now(UTC))
        wait = self._pressure.asked(host, page, time.monotonic(), retry_after_s=asked, times=times)
        if wait.host_s:
            self.holds.hold(host, wait.host_s)
        if wait.gives_up:
            context.request.no_retry = True
            return
        who = "its host is held" if wait.host_s else "the page waits"
        raise Deferred(
            f"{context.request.url} was answered with {context.response.status}: {who} for {wait.page_s:.3g} s",
            delay_s=wait.page_s,
            hold_host_s=wait.host_s,
            behind=True,
        )

    async def _after_navigation(
        self, context: StillframePostNavCrawlingContext
    ) -> AsyncGenerator[StillframePostNavCrawlingContext, Exception | None]:
        await self._call(self._post_navigation_hooks, context)
        yield context

    async def _call(self, hooks: Sequence[Callable[[Any], Awaitable[None]]], context: Any) -> None:
        """Call hooks, which have as long as a navigation; raises TimeoutError."""
        async with time_limit(self._navigation_timeout.total_seconds()):
            for hook in hooks:
                await hook(context)

    async def _finish_context(
        self, context: StillframePostNavCrawlingContext
    ) -> AsyncGenerator[StillframeCrawlingContext, Exception | None]:
        is_document = not context.visit.empty and is_in_document(content_type_of(context.response_headers))
        if self._near_duplicates is not None and is_document:
            signature = (await context.page.snapshot()).signature
            context.visit.near_duplicate = self._near_duplicates.find(context.request.url, signature)
            await self._near_duplicates.save()
        if self._skip_near_duplicates and context.visit.near_duplicate is not None:
            _log.info(
                "skipped %s, which is like an earlier page: %s", context.request.url, context.visit.near_duplicate
            )
            context.request.state = RequestState.SKIPPED
            await self._handle_skipped_request(context.request, NEAR_DUPLICATE)
            raise ContextPipelineInterruptedError
        extract: Any = make_extract_links(self, context)
        enqueue = self._create_enqueue_links_function(context, extract)
        yield StillframeCrawlingContext(**fields(context), extract_links=extract, enqueue_links=enqueue)

    def _index_of(self, given: bool | NearDuplicates) -> NearDuplicates | None:
        """Return the index of near duplicates that was asked for."""
        if not isinstance(given, bool):
            return given
        if not given:
            return None
        if self._store is not None:
            return NearDuplicates(load=self._store.store.get_state, save=self._store.store.set_state)
        return NearDuplicates(load=self._load_value, save=self._save_value)

    async def _load_value(self, key: str) -> bytes | None:
        return await (await self.get_key_value_store()).get_value(key)  # type: ignore[no-any-return]

    async def _save_value(self, key: str, value: bytes) -> None:
        await (await self.get_key_value_store()).set_value(key, value, "application/octet-stream")

    # -- what crawlee calls around it ---------------------------------------------------------------

    async def _run_request_handler(self, context: BasicCrawlingContext) -> None:
        key = context.request.unique_key
        if self._aborted:
            stopped = Deferred(f"the crawl was stopped before {context.request.url} was loaded", delay_s=0.0)
            raise RequestHandlerError(stopped, context)
        work = self._working[key] = asyncio.ensure_future(super()._run_request_handler(context))
        try:
            await asyncio.shield(work)
        except asyncio.CancelledError:
            if not work.done():  # the crawl itself is cancelled
                work.cancel()
                await asyncio.wait({work})
                raise
            ended = Deferred(f"the work on {context.request.url} was ended", delay_s=PAUSE_S)
            raise RequestHandlerError(ended, context) from None
        except (RequestHandlerError, ContextPipelineInitializationError) as error:
            changed = excused(context.request, error.wrapped_exception) or await hung(error)
            if changed is None:
                raise
            raise RequestHandlerError(changed, error.crawling_context) from error
        finally:
            del self._working[key]

    def _is_held_back(self, _request: Request) -> bool:
        return True  # only Deferred is raised here, and `_defer_throttled_request` waits as it says

    async def _defer_throttled_request(self, request: Request, error: RequestThrottledError) -> None:
        delay = error.delay_s if isinstance(error, Deferred) else PAUSE_S
        request.state = RequestState.ERROR_HANDLER
        _log.info("%s", error)
        if self._store is not None:
            hold, behind = (error.hold_host_s, error.behind) if isinstance(error, Deferred) else (0.0, False)
            await self._store.queue.reclaim_request(request, delay_s=delay, hold_host_s=hold, behind=behind)
        else:
            manager = await self.get_request_manager()
            self.holds.later(delay, lambda: manager.reclaim_request(request, forefront=request.forefront))
        self._statistics.record_request_processing_deferral(request.unique_key)
        if isinstance(error, Deferred) and error.ends is not None:
            raise error.ends

    async def _handle_request_retries(self, context: Any, error: Exception) -> None:
        request = context.request
        if is_lasting(error, request.retry_count + 1):
            request.no_retry = True
        if not blames_browser(error):
            request.user_data.pop(AVOID, None)
        self._errors[request.unique_key] = error
        try:
            await super()._handle_request_retries(context, error)
        finally:
            self._errors.pop(request.unique_key, None)

    async def _commit_request_handler_result(self, context: BasicCrawlingContext) -> None:
        token = pushing.set(context.request.unique_key if self._store else None)
        try:
            await super()._commit_request_handler_result(context)
        finally:
            pushing.reset(token)

    async def _mark_request_as_handled(self, request: Request) -> None:
        if self._on_finish is not None:
            await self._on_finish(request, self._errors.get(request.unique_key))
        await super()._mark_request_as_handled(request)


def _url_of(request: str | Request) -> str:
    return request if isinstance(request, str) else request.url


def proxy_of(context: BasicCrawlingContext) -> str:
    """Return the default identity of a page: its proxy."""
    return "" if context.proxy_info is None else context.proxy_info.url


BASICS = tuple(name for name in BasicCrawlingContext.__dataclass_fields__)


def basics(context: BasicCrawlingContext) -> dict[str, Any]:
    """Return the fields of crawlee's context."""
    return {name: getattr(context, name) for name in BASICS}


def fields(context: Any) -> dict[str, Any]:
    """Return all fields of a context."""
    return {name: getattr(context, name) for name in type(context).__dataclass_fields__}
