"""What PlaywrightCrawler of crawlee has, on the pages of stillframe, which are handed over when they are still."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Container, Mapping, Sequence
from contextlib import AsyncExitStack
from datetime import timedelta
from typing import Any, NoReturn, TypeVar, Unpack

import msgspec
from crawlee import ConcurrencySettings, Request, RequestState, service_locator
from crawlee.crawlers import BasicCrawler, BasicCrawlerOptions, BasicCrawlingContext, ContextPipeline
from crawlee.errors import (
    ContextPipelineInterruptedError,
    HttpClientStatusCodeError,
    HttpStatusCodeError,
    SessionError,
    UserHandlerTimeoutError,
)
from crawlee.proxy_configuration import ProxyConfiguration
from crawlee.router import Router
from crawlee.statistics import StatisticsState
from crawlee.storages import RequestQueue

from stillframe.extend import time_limit
from stillframe.farm.crawler.blocked import check_not_blocked
from stillframe.farm.crawler.contexts import (
    StillframeCrawlingContext,
    StillframePostNavCrawlingContext,
    StillframePreNavCrawlingContext,
    Visit,
)
from stillframe.farm.crawler.enqueue import make_extract_links
from stillframe.farm.crawler.options import refuse_replaced
from stillframe.farm.crawler.request_manager import DefaultQueue, DeferringRequestManager
from stillframe.farm.crawler.sessions import apply_session, keep_session
from stillframe.farm.crawler.storage_client import Pushing, StoreStorageClient, pushing
from stillframe.farm.fetching import Proxy
from stillframe.farm.loading.deferring import Deferred, Holds, excused, until_shed
from stillframe.farm.loading.judging import ForbiddenByRobots, RobotsJudge
from stillframe.farm.loading.links import hostname
from stillframe.farm.loading.loader import PageLoader
from stillframe.farm.loading.navigating import Destination, LoadOptions
from stillframe.farm.loading.near_duplicates import NearDuplicates
from stillframe.farm.loading.pressure import RESCHEDULED
from stillframe.farm.loading.retries import blames_browser, is_lasting
from stillframe.farm.loading.trials import Trials
from stillframe.farm.loading.whole import hung
from stillframe.farm.pool import BrowserPool, PoolSettings
from stillframe.farm.reasons import MAX_DOCUMENT_BYTES, ROBOTS_WAIT_S
from stillframe.security.redaction import logger

_log = logger(__name__)
CRAWLEE_LOG = "stillframe.farm.crawlee"
"""The logger to which crawlee writes what it does with requests, retries and tracebacks included."""
NAVIGATION = timedelta(seconds=60)
"""crawlee's own limit of a navigation."""
HANDLER = timedelta(minutes=1)
"""crawlee's own limit of a handler."""
MARGIN = timedelta(seconds=30)
"""How much later crawlee's limit of a handler ends it than ours, which also looks whether the page answers."""
ROBOTS_WAIT = timedelta(seconds=ROBOTS_WAIT_S)
TRIALS = "stillframeTrials"
"""Key of `request.user_data`, which goes with the request to other workers."""

NEAR_DUPLICATE: Any = "near_duplicate"
"""The reason of a skipped page, beside those that crawlee has."""

AnyRequest = TypeVar("AnyRequest", bound=str | Request)
Context = TypeVar("Context", bound=StillframePreNavCrawlingContext)
Hook = TypeVar("Hook", bound=Callable[..., Awaitable[None]])
OnFinish = Callable[[Request, Exception | None], Awaitable[None]]
OnSkipped = Callable[[str, Any], Awaitable[None]]


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
        identity: Callable[[BasicCrawlingContext], str] | None = None,
        on_finish: OnFinish | None = None,
        **options: Unpack[BasicCrawlerOptions[StillframeCrawlingContext, StatisticsState]],
    ) -> None:
        refuse_replaced(options)
        self.pool = pool or BrowserPool(pool_settings, options=browser_options)
        self.holds = Holds()
        self._context_options = dict(context_options or {})
        if user_agent is not None:
            self._context_options["user_agent"] = user_agent
        self._navigation_timeout = navigation_timeout
        self._skips_near_duplicates = skip_near_duplicates is not False
        self._identity = identity or proxy_of
        self._on_finish = on_finish
        self._on_skipped: OnSkipped | None = None
        self._pre_navigation_hooks: list[Callable[[StillframePreNavCrawlingContext], Awaitable[None]]] = []
        self._post_navigation_hooks: list[Callable[[StillframePostNavCrawlingContext], Awaitable[None]]] = []
        self._errors: dict[str, Exception] = {}
        self._tries: dict[str, AsyncExitStack] = {}
        """What the last try of each request closes at its end; it may still be closing when the next one begins."""
        self._visits: dict[str, Visit] = {}
        """The visits of the requests that are being worked on, by unique key."""
        self._is_aborted = False
        self._handler_timeout = options.get("request_handler_timeout") or HANDLER
        options["request_handler_timeout"] = self._handler_timeout + MARGIN
        self._checks_blocked = options.get("retry_on_blocked", True)
        self._accepted = frozenset(options.get("ignore_http_error_status_codes") or ())
        self._refused = frozenset(options.get("additional_http_error_status_codes") or ())
        client = options.get("storage_client")
        self._store = client if isinstance(client, StoreStorageClient) else None
        if self._store is not None:
            self._store.queue.leases.call_when_lost(self.lose)
        judge = self._judge_of(options, robots_token, robots_wait)
        load_options = LoadOptions(
            navigation_timeout.total_seconds(), dict(goto_options or {}), max_document_bytes, download_types
        )
        self._loader = PageLoader(self.pool, load_options, self.holds, judge)
        self._manager = self._manager_of(options)
        options["request_manager"] = self._manager
        if options.get("concurrency_settings") is None:
            count = self.pool.settings.browsers * self.pool.settings.pages_per_browser
            options["concurrency_settings"] = ConcurrencySettings(
                min_concurrency=1, max_concurrency=count, desired_concurrency=count
            )
        options.setdefault("_logger", logger(CRAWLEE_LOG))
        pipeline: Any = ContextPipeline()
        for step in (
            self._open_page,
            self._load_page,
            self._check_status,
            self._after_navigation,
            self._finish_context,
        ):
            pipeline = pipeline.compose(step)
        options["_context_pipeline"] = pipeline
        managers = list(options.get("_additional_context_managers") or [])
        self._near_duplicates = self._index_of(near_duplicates or skip_near_duplicates)
        own = [None if pool else self.pool, self._near_duplicates, judge, self.holds]
        options["_additional_context_managers"] = [*managers, *(each for each in own if each is not None)]
        super().__init__(**options)

    def _judge_of(self, options: Any, token: str | None, wait: timedelta) -> RobotsJudge | None:
        if not options.pop("respect_robots_txt_file", True):  # crawlee's own reader stays off
            _log.warning("robots.txt is not honoured in this crawl: respect_robots_txt_file=False")
            return None
        return RobotsJudge(
            self.pool.options | self._context_options,
            token=token,
            wait_s=wait.total_seconds(),
            store=None if self._store is None else self._store.store,
            holds=self.holds,
            proxy=proxy_by(options.get("proxy_configuration")),
        )

    def _manager_of(self, options: Any) -> DeferringRequestManager:
        """Return the manager of requests, over the one that was given or the queue of the storage client."""

        async def open_queue() -> RequestQueue:
            return await RequestQueue.open(
                storage_client=options.get("storage_client") or service_locator.get_storage_client(),
                configuration=options.get("configuration") or service_locator.get_configuration(),
            )

        inner = options.get("request_manager") or DefaultQueue(open_queue)
        queue = None if self._store is None else self._store.queue
        return DeferringRequestManager(inner, holds=self.holds, store_queue=queue, on_finish=self._finished)

    # -- hooks -------------------------------------------------------------------------------------

    def pre_navigation_hook(self, hook: Hook) -> Hook:
        """Register a coroutine function that is called with each page before its navigation."""
        self._pre_navigation_hooks.append(hook)
        return hook

    def post_navigation_hook(self, hook: Hook) -> Hook:
        """Register a coroutine function that is called with each page when it is still, before the handler."""
        self._post_navigation_hooks.append(hook)
        return hook

    def on_skipped_request(self, callback: Any) -> Any:
        """Register a coroutine function that is called with the URL of each skipped request and the reason."""
        self._on_skipped = callback
        return super().on_skipped_request(callback)

    @property
    def router(self) -> Router[StillframeCrawlingContext]:
        """The router, whose handlers have as long as `request_handler_timeout`."""
        return _LimitedRouter(super().router, self._handle)

    @router.setter
    def router(self, router: Router[StillframeCrawlingContext]) -> None:
        BasicCrawler.router.__set__(self, router)  # type: ignore[attr-defined]

    def lose(self, key: str) -> None:
        """End the work on a page whose lease another worker has."""
        if key in self._visits:
            self._visits[key].lent.shed.set()

    def abort(self) -> None:
        """End the work on all pages now, and this crawler with it; they go back to the queue."""
        self._is_aborted = True
        self.stop("abort was called")  # or it would take the same pages again, without an end
        for visit in self._visits.values():
            visit.lent.shed.set()

    async def add_requests(self, requests: Sequence[str | Request], **options: Any) -> None:
        """Add requests; those that a robots.txt forbids are skipped, at once or when it is known."""
        await super().add_requests(await self.without_forbidden(requests), **options)

    async def without_forbidden(self, requests: Sequence[AnyRequest]) -> list[AnyRequest]:
        """Return the requests or URLs without those that a robots.txt forbids, as far as it has been read."""
        judge = self._loader.judge
        if judge is None:
            return list(requests)
        forbidden = await judge.forbidden([_url_of(each) for each in requests])
        for url in forbidden:
            await self._skipped(url, "robots_txt")
        return [each for each in requests if _url_of(each) not in forbidden]

    async def _skipped(self, url: str, reason: Any) -> None:
        if self._on_skipped is not None:
            await self._on_skipped(url, reason)

    # -- the pipeline ------------------------------------------------------------------------------

    async def _open_page(
        self, context: BasicCrawlingContext
    ) -> AsyncGenerator[StillframePreNavCrawlingContext, Exception | None]:
        request, stack = context.request, AsyncExitStack()
        context.register_deferred_cleanup(stack.aclose)  # the page stays open for error handlers and snapshots
        self._errors.pop(request.unique_key, None)
        self._tries[request.unique_key] = stack
        stack.callback(self._forget, request.unique_key, stack)
        pushing.set(Pushing(request.unique_key) if self._store else None)  # for what the handler pushes, until it fails
        trials = trials_of(request)
        if self._is_aborted:
            stopped = Deferred(f"the crawl was stopped before {request.url} was loaded", delay_s=0.0)
            await self._end_of_try(request, trials, stopped)
        try:
            lent = await self._loader.borrow(
                request.url,
                trials,
                stack,
                identity=self._identity(context),
                context=self._options_of(context) or None,
            )
        except Exception as error:
            await self._end_of_try(request, trials, error)
        visit = self._visits[request.unique_key] = Visit(lent, trials)
        found = StillframePreNavCrawlingContext(
            **basics(context), page=lent.page, visit=visit, goto_options=dict(self._loader.options.goto)
        )
        await self._guarded(found, self._call(self._pre_navigation_hooks, found))
        failed = yield found
        lent.reuse = lent.reuse and failed is None

    def _forget(self, key: str, stack: AsyncExitStack) -> None:
        """Forget a request at the end of a try, unless another try has begun."""
        if self._tries.get(key) is stack:
            for known in (self._tries, self._visits, self._errors):
                known.pop(key, None)

    def _options_of(self, context: BasicCrawlingContext) -> dict[str, Any]:
        proxy = context.proxy_info
        if proxy is None:
            return self._context_options
        credentials = {"username": proxy.username, "password": proxy.password} if proxy.username else {}
        server = f"{proxy.scheme}://{proxy.hostname}:{proxy.port}"
        return {**self._context_options, "proxy": {"server": server, **credentials}}

    async def _load_page(
        self, context: StillframePreNavCrawlingContext
    ) -> AsyncGenerator[StillframePostNavCrawlingContext, Exception | None]:
        page, visit = context.page, context.visit
        await self._guarded(context, self._load(context))
        assert visit.loaded is not None
        visit.lent.reuse = True
        yield StillframePostNavCrawlingContext(**fields(context), response=visit.loaded.response)
        await keep_session(page, context.session, self._identity(context))

    async def _load(self, context: StillframePreNavCrawlingContext) -> None:
        request, page = context.request, context.page
        await apply_session(page, context.session, self._identity(context))
        asked = Destination(request.url, request.method, dict(request.headers or {}), request.payload)
        loaded = context.visit.loaded = await self._loader.load(page, asked, context.goto_options)
        request.state = RequestState.AFTER_NAV
        request.loaded_url = loaded.url
        await self._loader.check_redirects(request.url, [url for url in loaded.way if follows(request, url)])

    async def _check_status(
        self, context: StillframePostNavCrawlingContext
    ) -> AsyncGenerator[StillframePostNavCrawlingContext, Exception | None]:
        await self._guarded(context, self._judge_status(context))
        yield context

    async def _judge_status(self, context: StillframePostNavCrawlingContext) -> None:
        request, visit, status = context.request, context.visit, context.response.status
        assert visit.loaded is not None
        if self._loader.check_pressure(request.url, request.unique_key, visit.loaded, visit.trials):
            request.no_retry = True
        if status is not None:
            self._raise_for_status(status, context)
        if self._checks_blocked and context.session is not None:
            await check_not_blocked(context.page)

    def _raise_for_status(self, status: int, context: StillframePostNavCrawlingContext) -> None:
        """Raise crawlee's error for a status that makes a page fail."""
        session, accepted = context.session, status in self._accepted
        if self._checks_blocked and session is not None and status not in RESCHEDULED:
            ignored = {"ignore_http_error_status_codes": set(self._accepted)}
            if session.is_blocked_status_code(status_code=status, **ignored):
                raise SessionError(f"the status {status} says that the session is blocked")
        if status in self._refused or (500 <= status < 600 and not accepted):
            raise HttpStatusCodeError(f"{context.request.url} was answered with", status)
        if 400 <= status < 500 and not accepted:
            raise HttpClientStatusCodeError(f"{context.request.url} was answered with", status)

    async def _after_navigation(
        self, context: StillframePostNavCrawlingContext
    ) -> AsyncGenerator[StillframePostNavCrawlingContext, Exception | None]:
        await self._guarded(context, self._call(self._post_navigation_hooks, context))
        yield context

    async def _call(self, hooks: Sequence[Callable[[Any], Awaitable[None]]], context: Any) -> None:
        """Call hooks, which have as long as a navigation; raises TimeoutError."""
        async with time_limit(self._navigation_timeout.total_seconds()):
            for hook in hooks:
                await hook(context)

    async def _finish_context(
        self, context: StillframePostNavCrawlingContext
    ) -> AsyncGenerator[StillframeCrawlingContext, Exception | None]:
        await self._guarded(context, self._find_near_duplicate(context))
        if self._skips_near_duplicates and context.visit.near_duplicate is not None:
            _log.info(
                "skipped %s, which is like an earlier page: %s", context.request.url, context.visit.near_duplicate
            )
            await self._skip(context.request, NEAR_DUPLICATE)
        extract: Any = make_extract_links(self, context)
        enqueue = self._create_enqueue_links_function(context, extract)
        yield StillframeCrawlingContext(**fields(context), extract_links=extract, enqueue_links=enqueue)

    async def _find_near_duplicate(self, context: StillframePostNavCrawlingContext) -> None:
        visit, index = context.visit, self._near_duplicates
        if index is not None and visit.loaded is not None and visit.loaded.is_document:
            visit.near_duplicate = await index.of_page(context.request.url, context.page)

    def _index_of(self, given: bool | NearDuplicates) -> NearDuplicates | None:
        """Return the index of near duplicates that was asked for."""
        if not isinstance(given, bool):
            return given
        if not given:
            return None
        if self._store is not None:
            return NearDuplicates(load=self._store.store.get_states, save=self._store.store.add_state)
        return NearDuplicates(load=self._load_values, save=self._save_value)

    async def _load_values(self, keys: Sequence[str]) -> dict[str, bytes]:
        values = await self.get_key_value_store()
        found = {key: await values.get_value(key) for key in keys}
        return {key: value for key, value in found.items() if value is not None}

    async def _save_value(self, key: str, value: bytes) -> bool:
        await (await self.get_key_value_store()).set_value(key, value, "application/octet-stream")
        return True

    async def _handle(self, context: StillframeCrawlingContext, router: Router[StillframeCrawlingContext]) -> None:
        """Call the handler of a page, which has as long as `request_handler_timeout`."""
        await self._guarded(context, self._limited(context, router))

    async def _limited(self, context: StillframeCrawlingContext, router: Router[StillframeCrawlingContext]) -> None:
        seconds = self._handler_timeout.total_seconds()
        try:
            async with time_limit(seconds):
                await router(context)
        except TimeoutError as error:
            late = UserHandlerTimeoutError(f"the handler of {context.request.url} took more than {seconds:g} s")
            raise await hung(context.page, context.request.url) or late from error

    # -- how tries end -----------------------------------------------------------------------------

    async def _guarded(self, context: StillframePreNavCrawlingContext, work: Awaitable[None]) -> None:
        """Do a part of the work on a page; end it when the pool asks for its tab or its lease is lost."""
        try:
            await until_shed(context.visit.lent.shed, work, context.request.url)
        except Exception as error:
            await self._end_of_try(context.request, context.visit.trials, error)

    async def _end_of_try(self, request: Request, trials: Trials, error: Exception) -> NoReturn:
        """Raise an error in the way in which crawlee does with the page what is right."""
        if (at := pushing.get()) is not None:
            at.failed = True
        if isinstance(error, ForbiddenByRobots):
            _log.info("skipped %s, which robots.txt forbids", request.url)
            await self._skip(request, "robots_txt")
        found = error if isinstance(error, Deferred) or request.no_retry else excused(request.url, trials, error)
        if not blames_browser(error):
            trials.avoid = None
        request.user_data[TRIALS] = msgspec.to_builtins(trials)
        if isinstance(found, Deferred):
            raise self._manager.defer(request, found) from error
        if is_lasting(error, request.retry_count + 1):
            request.no_retry = True
        self._errors[request.unique_key] = error
        raise error

    async def _skip(self, request: Request, reason: Any) -> NoReturn:
        """End a request without handing its page over."""
        request.state = RequestState.SKIPPED
        await self._skipped(request.url, reason)
        raise ContextPipelineInterruptedError

    async def _finished(self, request: Request) -> None:
        """Tell `on_finish` that a request is to be acknowledged."""
        error = self._errors.get(request.unique_key)  # crawlee asks again if the acknowledgement fails
        if self._on_finish is not None:
            await self._on_finish(request, error)


class _LimitedRouter(Router[StillframeCrawlingContext]):
    """A router whose handlers are called by something else; registering is up to the router behind it."""

    def __init__(
        self,
        router: Router[StillframeCrawlingContext],
        call: Callable[[StillframeCrawlingContext, Router[StillframeCrawlingContext]], Awaitable[None]],
    ) -> None:
        super().__init__()
        self._router = router
        self._call = call
        self.default_handler = router.default_handler  # type: ignore[method-assign]
        self.handler = router.handler  # type: ignore[method-assign]
        self.use = router.use  # type: ignore[method-assign]

    async def __call__(self, context: StillframeCrawlingContext) -> None:
        await self._call(context, self._router)


def _url_of(request: str | Request) -> str:
    return request if isinstance(request, str) else request.url


def follows(request: Request, url: str) -> bool:
    """Return whether crawlee follows a request there: on another host, only if its strategy allows that."""
    return request.enqueue_strategy != "same-hostname" or hostname(url) == hostname(request.url)


def trials_of(request: Request) -> Trials:
    """Return what earlier tries of a request have shown, nothing for what something else wrote."""
    try:
        return msgspec.convert(request.user_data.get(TRIALS) or {}, Trials)
    except msgspec.ValidationError:
        return Trials()


def proxy_by(configuration: ProxyConfiguration | None) -> Proxy | None:
    """Return what says through which proxy of crawlee's a URL is asked for."""
    if configuration is None:
        return None

    async def proxy(url: str) -> str | None:
        info = await configuration.new_proxy_info(None, Request.from_url(url), None)
        return None if info is None else info.url

    return proxy


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
