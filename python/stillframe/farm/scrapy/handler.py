"""The download handler: requests with the meta key `stillframe` load in a browser, all others as Scrapy does."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import time
from collections import defaultdict
from collections.abc import AsyncIterator
from typing import Any

import scrapy
from scrapy import Request
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.crawler import Crawler
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
)
from scrapy.http import HtmlResponse, Response
from scrapy.responsetypes import responsetypes
from scrapy.utils.misc import load_object
from scrapy.utils.reactor import is_asyncio_reactor_installed

from stillframe import Page
from stillframe.errors import (
    CommandTimeout,
    DownloadFailed,
    NavigationFailed,
    OptionInvalid,
    SessionLost,
    TargetCrashed,
    WaitTimeout,
)
from stillframe.farm.errors import DocumentReplaced, DocumentTruncated, PoolTimeout, RendererHung
from stillframe.farm.loading.whole import BLANK, answers, load_whole, renderer_hung
from stillframe.farm.pool import BrowserPool, PooledPage
from stillframe.farm.reasons import TOO_LARGE
from stillframe.farm.scrapy.arriving import goto_options
from stillframe.farm.scrapy.heard import Heard, listening
from stillframe.farm.scrapy.page_methods import apply, only_read
from stillframe.farm.scrapy.requests import RequestChanges, cookies_of
from stillframe.farm.scrapy.settings import SCRAPY_HEADERS, HandlerSettings, read_settings
from stillframe.model.result import NavigationResult
from stillframe.model.suggest import did_you_mean

# The keys of `Request.meta` that this handler reads and writes.

PREFIX, THEIRS = "stillframe", "playwright"
READ = (
    "stillframe",
    "stillframe_context",
    "stillframe_context_kwargs",
    "stillframe_include_page",
    "stillframe_page",
    "stillframe_page_event_handlers",
    "stillframe_page_goto_kwargs",
    "stillframe_page_init_callback",
    "stillframe_page_methods",
)
WRITTEN = (
    "stillframe_delta",
    "stillframe_results",
    "stillframe_security_details",
    "stillframe_suggested_filename",
    "stillframe_verdict",
)


def check_keys(request: Request) -> None:
    """Refuse keys without an effect: raises OptionInvalid for unknown ones, and for those of scrapy-playwright."""
    for key in request.meta:
        if not isinstance(key, str) or key in READ or key in WRITTEN:
            continue
        if key == THEIRS or key.startswith(f"{THEIRS}_"):
            named = PREFIX + key.removeprefix(THEIRS)
            hint = f"its name here is {named}" if named in READ else "nothing here has its effect"
            raise OptionInvalid(f"{request.url}: the meta key {key} is scrapy-playwright's: {hint}", option=key)
        if key.startswith(f"{PREFIX}_"):
            known = ", ".join(READ)
            raise OptionInvalid(
                f"{request.url}: no meta key {key}{did_you_mean(key, READ)}; known: {known}", option=key
            )


def forget_written(request: Request) -> None:
    """Remove what another response has left in the meta, where a spider passes it on."""
    for key in WRITTEN:
        request.meta.pop(key, None)


DEFAULT_CONTEXT = "default"
OLDEST_SCRAPY = (2, 14, 0)
"""The first version whose download handlers are coroutines."""
REACTOR = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"
FAILURES: dict[str, type[Exception]] = {
    "net::ERR_CONNECTION_REFUSED": DownloadConnectionRefusedError,
    "net::ERR_NAME_NOT_RESOLVED": CannotResolveHostError,
    "net::ERR_CONNECTION_TIMED_OUT": DownloadTimeoutError,
    "net::ERR_TIMED_OUT": DownloadTimeoutError,
    "timeout": DownloadTimeoutError,
    "unresponsive": DownloadTimeoutError,
    TOO_LARGE: DownloadCancelledError,
}
"""Scrapy's exceptions for reasons of NavigationFailed; others are DownloadFailedError. Scrapy retries all but
DownloadCancelledError."""


SPOILING = (TargetCrashed, NavigationFailed, DocumentReplaced, RendererHung)
"""Errors after which a page is not used again; of NavigationFailed only one that leaves it loading."""


class StillframeDownloadHandler(HTTP11DownloadHandler):
    """Loads requests that have `meta={"stillframe": True}` in pages of a BrowserPool.

    Needs Scrapy 2.14 and the asyncio reactor. Raises OptionInvalid for wrong settings when the crawl starts.
    """

    lazy = False

    def __init__(self, crawler: Crawler) -> None:
        if scrapy.version_info < OLDEST_SCRAPY:
            raise OptionInvalid(f"Scrapy {scrapy.__version__} is too old for this handler: install 2.14 or later")
        if not is_asyncio_reactor_installed():
            raise OptionInvalid(
                f"stillframe needs asyncio: set TWISTED_REACTOR to {REACTOR!r}", option="TWISTED_REACTOR"
            )
        super().__init__(crawler)
        self.settings: HandlerSettings = read_settings(crawler.settings)
        self._browsers: BrowserPool | None = None
        self._opening = asyncio.Lock()
        self._slots: dict[str, asyncio.Semaphore] = defaultdict(self._new_slot)
        self._held: dict[Page, contextlib.AsyncExitStack] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._pages = 0

    def _new_slot(self) -> asyncio.Semaphore:
        return asyncio.Semaphore(self.settings.max_pages_per_context)

    def _count(self, name: str, count: int = 1) -> None:
        if self.crawler.stats is not None:
            self.crawler.stats.inc_value(f"stillframe/{name}", count)

    # -- Scrapy calls these ------------------------------------------------------------------------

    async def download_request(self, request: Request) -> Response:
        """Load a request. Raises what Scrapy's RetryMiddleware retries, and errors of actions as they are."""
        if not request.meta.get("stillframe"):
            return await super().download_request(request)
        check_keys(request)
        forget_written(request)
        try:
            return await self._download(request)
        except NavigationFailed as error:
            self._count("failures/navigation")
            raise FAILURES.get(error.reason, DownloadFailedError)(str(error)) from error
        except (DocumentTruncated, DocumentReplaced) as error:
            self._count(f"failures/{error.code}")
            raise DownloadFailedError(str(error)) from error
        except RendererHung as error:
            self._count(f"failures/{error.code}")
            raise DownloadTimeoutError(str(error)) from error
        except PoolTimeout as error:
            raise DownloadTimeoutError(str(error)) from error
        except (SessionLost, DownloadFailed) as error:
            self._count("failures/lost")
            raise DownloadFailedError(str(error)) from error

    async def close(self) -> None:
        """End all browsers, also pages that the spider did not close."""
        await super().close()
        if self._browsers is not None:
            self._count("browser_count", self._browsers.status().launched)
            await self._browsers.close()
        for page in tuple(self._held):
            await self._release(page)
        await asyncio.gather(*self._tasks)

    # -- pages -------------------------------------------------------------------------------------

    async def _opened_pool(self) -> BrowserPool:
        async with self._opening:
            if self._browsers is None:
                pool = BrowserPool(self.settings.pool, options=self.settings.launch_options)
                self._browsers = await pool.__aenter__()
        return self._browsers

    @contextlib.asynccontextmanager
    async def _page(self, request: Request) -> AsyncIterator[Page]:
        """Lend the page of a request: the one that its meta holds, or one of the pool.

        A page that the request does not include goes back afterwards; a crashed one is replaced.
        """
        include = bool(request.meta.get("stillframe_include_page"))
        page = request.meta.get("stillframe_page")
        async with contextlib.AsyncExitStack() as stack:
            if not isinstance(page, Page) or page.closed:
                page = await self._new_page(request, stack, include=include)
            elif not include:
                stack.push_async_callback(page.close)
            try:
                yield page
            except SPOILING as error:
                if not isinstance(error, NavigationFailed) or error.reason == TOO_LARGE:
                    await page.close()  # no other request must get it
                raise

    async def _new_page(self, request: Request, stack: contextlib.AsyncExitStack, *, include: bool) -> Page:
        async with contextlib.AsyncExitStack() as lending:
            page = (await self._lend(request, lending)).page
            kept = lending.pop_all()
        if include:
            request.meta["stillframe_page"] = page
            self._hold(page, kept)
        else:
            request.meta.pop("stillframe_page", None)
            stack.push_async_exit(kept)
        return page

    async def _lend(self, request: Request, stack: contextlib.AsyncExitStack) -> PooledPage:
        name = request.meta.setdefault("stillframe_context", DEFAULT_CONTEXT)
        options = self.settings.context_options(name, request.meta.get("stillframe_context_kwargs"))
        pool = await self._opened_pool()
        await stack.enter_async_context(self._slots[name])
        identity = "" if name == DEFAULT_CONTEXT else name
        pooled = await stack.enter_async_context(pool.page(identity, context=options))
        self._opened(stack)
        return pooled

    def _opened(self, stack: contextlib.AsyncExitStack) -> None:
        """Count a page now, and once more when it goes back."""
        self._pages += 1
        self._count("page_count")
        if self.crawler.stats is not None:
            self.crawler.stats.max_value("stillframe/page_count/max_concurrent", self._pages)
            self.crawler.stats.max_value("stillframe/context_count", len(self._slots))

        def closed() -> None:
            self._pages -= 1
            self._count("page_count/closed")

        stack.callback(closed)

    def _hold(self, page: Page, stack: contextlib.AsyncExitStack) -> None:
        self._held[page] = stack
        page.on("close", self._closed)

    def _closed(self, page: Page) -> None:
        task = asyncio.get_running_loop().create_task(self._release(page), name="release page of a spider")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _release(self, page: Page) -> None:
        stack = self._held.pop(page, None)
        if stack is not None:
            await stack.aclose()

    # -- one request -------------------------------------------------------------------------------

    async def _download(self, request: Request) -> Response:
        before = request.meta.get("stillframe_page")
        async with self._page(request) as page, self._routed(page, request):
            await self._prepare(page, request, new=page is not before)
            with listening(page, self._count) as heard:
                started = time.monotonic()
                limit = request.meta.get("download_maxsize", self.settings.max_document_bytes) or None
                options = goto_options(request, self.settings.navigation_timeout_ms)
                arrival, _ = await load_whole(page, request.url, options, limit)
                if heard.downloads:
                    return await self._file(request, heard)
                heard.note_redirects(request)
                async with _told_from_hung(page, request):
                    results = await _applied(page, request)
                    request.meta["download_latency"] = time.monotonic() - started
                    self._note(page, request, results)
                    return await _html(page, request, arrival, heard)

    @contextlib.asynccontextmanager
    async def _routed(self, page: Page, request: Request) -> AsyncIterator[None]:
        changes = RequestChanges(request, self.settings, page.target_id)
        if not changes.needed:
            yield
            return
        await page.route("**", changes.handle, use_cache=True)
        try:
            yield
        finally:
            self._count("request_count/aborted", changes.aborted)
            with contextlib.suppress(SessionLost):
                await page.unroute("**", changes.handle)

    async def _prepare(self, page: Page, request: Request, *, new: bool) -> None:
        if self.settings.process_headers == SCRAPY_HEADERS and (cookies := cookies_of(request)):
            await page.context.add_cookies(cookies)
        for event, handler in (request.meta.get("stillframe_page_event_handlers") or {}).items():
            page.on(event, self._handler(handler) if isinstance(handler, str) else handler)
        callback = request.meta.get("stillframe_page_init_callback")
        if callback is not None and new:
            result = load_object(callback)(page, request)
            if inspect.isawaitable(result):
                await result

    def _handler(self, name: str) -> Any:
        spider = self.crawler.spider
        if not hasattr(spider, name):
            raise OptionInvalid(
                f"stillframe_page_event_handlers: the spider has no method {name!r}",
                option="stillframe_page_event_handlers",
            )
        return getattr(spider, name)

    def _note(self, page: Page, request: Request, results: list[Any]) -> None:
        request.meta["stillframe_verdict"] = page.verdict
        request.meta["stillframe_results"] = results
        request.meta["stillframe_delta"] = results[-1].state_change if results else None
        if page.verdict is not None:
            self._count(f"verdict/{page.verdict.reason}")

    async def _file(self, request: Request, heard: Heard) -> Response:
        download = heard.downloads[0]
        try:
            path = await download.path(timeout_ms=self.settings.download_timeout_ms)
        except WaitTimeout as error:
            raise DownloadTimeoutError(str(error)) from error
        body = await asyncio.to_thread(path.read_bytes)
        self._count("download_count")
        request.meta["stillframe_suggested_filename"] = download.suggested_filename
        kind = responsetypes.from_args(url=download.url, filename=download.suggested_filename, body=body)
        return kind(
            url=download.url,
            status=heard.status or 200,
            body=body,
            headers=heard.headers(),
            request=request,
            flags=["stillframe"],
        )


@contextlib.asynccontextmanager
async def _told_from_hung(page: Page, request: Request) -> AsyncIterator[None]:
    """Raise RendererHung in place of the CommandTimeout of a page that does not answer."""
    try:
        yield
    except CommandTimeout as error:
        if await answers(page):
            raise
        raise renderer_hung(request.url) from error


async def _applied(page: Page, request: Request) -> list[Any]:
    """Run the page methods; a request that fails here is not retried, because input may have been sent."""
    methods = request.meta.get("stillframe_page_methods")
    try:
        return await apply(page, methods)
    except Exception as error:
        if not (isinstance(error, SessionLost) and only_read(methods)):
            request.meta["dont_retry"] = True
        raise


async def _html(page: Page, request: Request, arrival: NavigationResult, heard: Heard) -> HtmlResponse:
    is_empty = page.url == BLANK  # the server has answered without a document
    response = arrival if is_empty else page.response or arrival
    content = await page.content()
    if (details := heard.security_details()) is not None:
        request.meta["stillframe_security_details"] = details
    return HtmlResponse(
        url=arrival.url if is_empty else page.url,
        status=response.status or 200,
        headers=heard.headers(),
        body=content.encode("utf-8", "replace"),
        encoding="utf-8",
        request=request,
        flags=["stillframe"],
        ip_address=heard.ip_address(),
        protocol=heard.protocol(),
    )
