"""Browsers, contexts and pages: three classes that refer to one another, hence one module."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

import msgspec

from stillframe.api import tracing
from stillframe.api.browser_events import BrowserEvents
from stillframe.api.context import ContextBase
from stillframe.api.context_proxies import DIRECT, ContextProxies, start_proxies
from stillframe.api.context_storage import BlankTab
from stillframe.api.expecting import Expectation, Predicate, expecting
from stillframe.api.first_documents import FirstDocuments, NewTab
from stillframe.api.page import NAVIGATION_MS, PageBase
from stillframe.api.parts import default_limit
from stillframe.api.playwright_names import PlaywrightNames
from stillframe.api.popups import Openers
from stillframe.api.video import Video
from stillframe.cdp import CDPSession, Connection
from stillframe.cdp.loop_clock import time_limit
from stillframe.cdp_types import target
from stillframe.cdp_types._base import Command
from stillframe.chrome.browser_info import BrowserInfo
from stillframe.chrome.close_on_fork import in_inherited_loop, own_loop_on_fork
from stillframe.chrome.endpoint import is_loopback
from stillframe.chrome.loopback_key import LoopbackKey
from stillframe.engine.history import History
from stillframe.engine.page_parts import PageParts
from stillframe.engine.settle import parse_arrival
from stillframe.errors import (
    CdpError,
    CommandError,
    ConnectFailed,
    ConnectionLost,
    OptionInvalid,
    StillframeError,
    TargetClosed,
)
from stillframe.model.events import NewTarget
from stillframe.model.keywords import NavigationKeywords
from stillframe.model.options import Settle
from stillframe.model.result import CaptureCounts
from stillframe.security.urls import ALLOWED_SCHEMES
from stillframe.settling.settler import Settler
from stillframe.tab.background import Background
from stillframe.tab.context.context import ContextState
from stillframe.tab.context.gpu import GpuProcess
from stillframe.tab.context.keywords import ContextKeywords, NewPageKeywords, split_context_options
from stillframe.tab.context.names import translated
from stillframe.tab.context.options import ContextOptions, parse_context_options
from stillframe.tab.context.setup import Setup
from stillframe.tab.deadline import CALL_MS, Deadline, in_seconds, time_limited
from stillframe.tab.network.api_request import APIRequestContext
from stillframe.tab.refs import RefNumbers
from stillframe.tab.session_tree import shows_documents
from stillframe.tab.tab import CLOSE_S, Tab

if TYPE_CHECKING:
    from stillframe.video.film import Film

R = TypeVar("R")

PAGES_ONLY = [target.FilterEntry(type="page")]
"""The targets that a browser attaches to by itself: its tabs. A tab attaches to what is inside it."""

CLOSE_MS = CLOSE_S * 1000
CONTEXT_CLOSE_MS = 10_000.0
"""Milliseconds that the pages of a context may take to close, and the context after them; it takes 100 (measured)."""
FILMS_SHARE = 0.8
"""Share of the time left that a context waits for its films; one that takes longer goes on in the background."""
NEW_PAGE_MS = CALL_MS + NAVIGATION_MS
"""Milliseconds that a new tab may take: to open, and to load its URL."""


class Page(PageBase):
    """A tab of a browser: navigate, act, wait, read, take pictures.

    `new_page` opens one, and `Browser.pages` lists the open ones. It closes with `close`, with its `async with`
    block, or with the context or the browser. After that, calls raise a SessionLost that says what is gone.
    """

    def __init__(self, context: BrowserContext, info: target.TargetInfo) -> None:
        tab = Tab(context._state, info)
        tab.on_session(self._prepare)
        for source in context._init_scripts:
            tab.document_scripts.prepare(source)
        settler, requests = Settler(tab, context._windows), context._requests
        super().__init__(PageParts(tab, settler, History(tab), requests, self._attach, self._frame_of_id))
        self._context = context
        self._requests = requests
        self._har_recorders = context._har_recorders
        self._film: Film | None = None
        self._setup: Setup
        self._attaching: asyncio.Task[None] | None = None
        self._opened_here = context.id is not None or context.browser.info.launched
        """Whether it closes with the connection; tabs that were open before, or that others open, do not."""
        self._was_open = not context.browser._started
        """Whether the tab was open before the connection, so that using it is not a new page."""
        self._hidden = False
        """Whether the context has opened it for its own use: then it is of no concern to the caller."""
        self._owns_context = False
        """Whether its context was opened for it and closes with it."""
        self._made_by_call = False
        """Whether a call of ours has opened the tab: then nothing loads before its set-up."""

    def __repr__(self) -> str:
        return f"Page({self.target_id[:8]}, {self._tab.context.redaction.redact(self.url)!r})"

    def _prepare(self, session: CDPSession) -> None:
        if self._hidden:
            return
        if shows_documents(session):
            self._context.browser._openers.watch(session, self._settler)
        setup = self._context._prepare(session, self._tab)
        if session is self._tab.session:
            self._setup = setup
            if not self._context._opens_blank:
                self._begin_trace()
                self._begin_film()

    def _begin_trace(self) -> None:
        options = self._context.options
        if options.trace is not None:
            tracing.begin_in(self._parts, options.trace, screenshots=options.trace_screenshots)

    def _begin_film(self) -> None:
        self._film = self._context._films.begin(self._tab)

    # -- where it belongs ------------------------------------------------------------------------

    @property
    def context(self) -> BrowserContext:
        """The context of the page."""
        return self._context

    @property
    def request(self) -> APIRequestContext:
        """The `request` of its context: HTTP requests outside of the page."""
        return self._context.request

    @property
    def browser(self) -> Browser:
        """The browser of the page."""
        return self._context.browser

    @default_limit
    async def title(self, *, timeout_ms: float | None = CALL_MS) -> str:
        """Return the title of the top document.

        For a tab that was open before and has not been used yet (see `Browser.pages`), this is the browser's answer.

        Args:
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Raises:
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        if self._tab.attached:
            return await super().title(timeout_ms=timeout_ms)
        command = target.GetTargetInfo(target_id=self.target_id)
        info = (await self.browser.cdp_session.send(command, timeout=in_seconds(timeout_ms))).target_info
        return self._tab.context.redaction.redact(info.title)

    @property
    def video(self) -> Video | None:
        """The film of the page; None unless its context has a `record_video_dir`, and before the page is attached."""
        return None if self._film is None else Video(self._film)

    async def opener(self) -> Page | None:
        """Return the page that opened this one; None if there is none, or if it is closed."""
        return self.browser._page_of(self._tab.opener)

    @property
    def popups(self) -> list[Page]:
        """The open pages that this one has opened, oldest first."""
        return [page for page in self._context.pages if page._tab.opener is self._tab]

    @default_limit
    def expect_popup(
        self, predicate: Predicate | None = None, *, timeout_ms: float | None = CALL_MS
    ) -> AbstractAsyncContextManager[Expectation[Page]]:
        """Wait for a tab that the page opens: `async with page.expect_popup() as popup: …`, then `await popup.value`.

        Listening begins before the block; its end waits until the tab can be used. After a sequence there is nothing to
        wait for: `browser.page(result.new_targets[0])`.

        Args:
            predicate: A function of the Page that is true for the one to wait for; by default the first one.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Returns:
            A block whose `value` is the Page.

        Raises:
            WaitTimeout: No such tab opens within `timeout_ms`.
            SessionLost: The tab closes at once.
        """
        if predicate is not None:
            return self._expect("popup", "opened no tab", predicate, timeout_ms)
        return expecting(
            self._popups,
            attach=self._attached_session,
            timeout_ms=timeout_ms,
            missing=lambda: f"the page at {self._shown_url()} opened no tab",
            finish=Page._ready,
        )

    def _popups(self, take: Callable[[Page], object]) -> Callable[[], None]:
        """Give `take` each tab that this page opens, as soon as it is known; it may not be ready yet."""

        def opened(event: NewTarget) -> None:
            page = self.browser._pages.get(event.target_id)
            if page is not None:
                take(page)

        return self._tab.events.listen("popup", opened)

    def _listen(self, name: str, take: Callable[[Any], object]) -> Callable[[], None]:
        if name != "popup":
            return super()._listen(name, take)
        background = self._tab.context.background

        async def give(page: Page) -> None:
            take(await page._ready())

        return self._popups(lambda page: background.start(give(page), "report of a popup"))

    # -- life ------------------------------------------------------------------------------------

    async def _attach(self) -> None:
        """Attach to the tab, unless that has been done; calls at the same time wait for one attempt.

        Raises SessionLost if the tab goes away meanwhile, OptionInvalid for options that the browser does not take.
        """
        if self._attaching is None:
            if self._tab.attached:
                return
            attach = self.browser._attach(self)
            self._attaching = asyncio.get_running_loop().create_task(attach, name="stillframe-attach")
            self._attaching.add_done_callback(self._attach_ended)
        await asyncio.shield(self._attaching)

    def _attach_ended(self, attempt: asyncio.Task[None]) -> None:
        """Forget an attempt that succeeded, or that may be repeated; another failure is that of every later call."""
        if attempt.cancelled() or attempt.exception() is None or not self._tab.attached:
            self._attaching = None

    async def _ready(self) -> Page:
        """Wait until the page can be used; raises SessionLost if it goes away before, OptionInvalid for its options."""
        await self._attach()
        await self._tab.ready()
        await self._setup.done()
        return self

    async def close(self, *, timeout_ms: float | None = CLOSE_MS) -> None:
        """Close the page and wait until it is gone; does nothing if it is gone already.

        A page that `Browser.new_page` opened with options of a context closes that context. Nothing is raised for a
        page that takes longer: it closes with its context or its browser.

        Args:
            timeout_ms: The limit of the call, in ms: 5,000 by default; None for no limit.
        """
        if self._owns_context:
            await self._context.close(timeout_ms=timeout_ms)
            return
        deadline = Deadline.of_ms(timeout_ms)
        if not self._tab.attached and not self.closed:
            try:
                async with time_limit(deadline.left_s):
                    await self._attach()
            except (StillframeError, TimeoutError):
                self.browser.cdp_session.post(target.CloseTarget(target_id=self.target_id))
                return
        await self._tab.close(deadline)

    async def __aenter__(self) -> Page:
        return self

    async def __aexit__(self, *exc: object) -> None:
        if not in_inherited_loop():
            await self.close()


class BrowserContext(ContextBase):
    """A group of pages that share cookies and storage with each other only; `id` is None for the default context.

    `Browser.new_context` opens one. It closes with `close`, with its `async with` block, or with the browser.
    """

    def __init__(
        self,
        browser: Browser,
        context_id: str | None,
        options: ContextOptions,
        proxies: ContextProxies | None = None,
    ) -> None:
        state = ContextState(
            context_id,
            options,
            browser.info,
            allowed_schemes=browser.allowed_schemes,
            painting=browser._painting,
            gpu=browser._gpu,
            ref_numbers=browser._ref_numbers,
        )
        proxies = proxies or ContextProxies(given=options.resolved_proxy())
        super().__init__(state, browser._connection.root, proxies)
        self._browser = browser
        self._pages: list[Page] = []
        self._untold: list[Page] | None = None
        """The pages that opened while the context opens one for its own use."""
        self._blanks = asyncio.Lock()

    @property
    def browser(self) -> Browser:
        """The browser of the context."""
        return self._browser

    @property
    def pages(self) -> list[Page]:
        """The open pages, oldest first."""
        return list(self._pages)

    async def new_page(
        self,
        url: str | None = None,
        *,
        timeout_ms: float | None = NEW_PAGE_MS,
        settle: bool | Settle = False,
        **options: Unpack[NavigationKeywords],
    ) -> Page:
        """Open a page in this context; see `Browser.new_page`.

        Args:
            url: The URL to load; by default the page stays blank.
            timeout_ms: The limit of the call, in ms: 60,000 by default; None for no limit.
            settle: Whether to wait until the page is still, or how: a value of `SequenceOptions.settle`.
            **options: How to wait with `settle`, as in `Page.goto`.

        Returns:
            The page, with its URL loaded.

        Raises:
            UrlRefused: The URL is not allowed; no page has opened.
            NavigationFailed: The URL cannot be loaded; the page is closed again.
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        given: dict[str, Any] = {**options}
        return await self._browser.new_page(url, context=self, timeout_ms=timeout_ms, settle=settle, **given)

    async def close(self, *, timeout_ms: float | None = CONTEXT_CLOSE_MS) -> None:
        """Close all pages of the context, forget its cookies and storage, delete its private downloads.

        Of the default context only the pages close, and of those only the ones that were opened here. Idempotent. What
        is not gone in time goes with the browser; nothing is raised.

        Args:
            timeout_ms: The limit of the call, in ms: 10,000 by default; None for no limit.
        """
        deadline = Deadline.of_ms(timeout_ms)
        await self._har_recorders.finish()
        try:
            half = deadline.within(deadline.left_s / 2)
            await asyncio.gather(*(page._tab.close(half) for page in self._own_pages()))
            if self.id is not None:
                self._films.end()
            await self._films.written(deadline.within(deadline.left_s * FILMS_SHARE))
            if self.id is not None:
                self._browser._contexts.pop(self.id, None)
                self._browser._first_documents.release(self)
                command = target.DisposeBrowserContext(browser_context_id=self.id)
                await self._root.send(command, timeout=deadline.left_s)
        except CommandError:
            return  # it went with its browser, or the browser is stopped
        finally:
            if self.id is not None:
                self._release()
                await self._proxies.aclose()

    async def __aenter__(self) -> BrowserContext:
        return self

    async def __aexit__(self, *exc: object) -> None:
        if not in_inherited_loop():
            await asyncio.shield(self.close())

    def _own_pages(self) -> list[Page]:
        return [page for page in self._pages if page._opened_here]

    def _adopt(self, page: Page) -> None:
        """Take in a page that was attached to."""
        self._tabs.append(page._tab)
        page._tab.frames.on_document(self._shown)
        if self._socket_rows:
            page._tab.socket_routes.start(self._socket_rows)
        for name, function in self._exposed.items():
            page._tab.exposed.add(name, function)
        if self._untold is not None:
            self._untold.append(page)
        elif not page._was_open:
            self._listeners.tell("page", page)

    def _forget(self, page: Page) -> None:
        if page in self._pages:
            self._pages.remove(page)
        if page._tab in self._tabs:
            self._tabs.remove(page._tab)

    # -- what it tells ---------------------------------------------------------------------------

    @default_limit
    def expect_page(
        self, predicate: Predicate | None = None, *, timeout_ms: float | None = CALL_MS
    ) -> AbstractAsyncContextManager[Expectation[Page]]:
        """Wait for a page that opens here: `async with context.expect_page() as page: …`, then `await page.value`.

        Listening begins before the block; its end waits until the page can be used.

        Args:
            predicate: A function of the Page that is true for the one to wait for; by default the first one.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Returns:
            A block whose `value` is the Page.

        Raises:
            WaitTimeout: No such page opens within `timeout_ms`.
            SessionLost: The page closes at once.
        """
        if predicate is not None:
            return self.expect_event("page", predicate, timeout_ms=timeout_ms)
        return expecting(
            partial(self._listeners.listen, "page"),
            attach=self._browser_session,
            timeout_ms=timeout_ms,
            missing=lambda: "no page opened in the context",
            finish=Page._ready,
        )

    async def _hold_first_documents(self) -> None:
        if self._state.info.launched:
            await self._browser._first_documents.hold_for(self)

    @property
    def _opens_blank(self) -> bool:
        """Whether it opens a page for its own use, which may be any of those that open now."""
        return self._untold is not None

    def _told_pages(self) -> list[Page]:
        return [page for page in self._pages if page not in (self._untold or ())]

    async def _open_blank(self) -> BlankTab:
        """Open a page that no event and no file reports; others that open meanwhile are reported afterwards."""
        async with self._blanks:
            self._untold, blank = [], None
            try:
                blank = await self.new_page()
                self._hide(blank)
            finally:
                untold, self._untold = self._untold, None
                for page in untold:
                    if page is not blank:
                        page._begin_trace()
                        page._begin_film()
                        self._listeners.tell("page", page)
        return BlankTab(blank._tab, blank._setup)

    def _hide(self, page: Page) -> None:
        page._hidden = True
        self._forget(page)
        self._har_recorders.forget(page._tab)


class Browser(BrowserEvents, PlaywrightNames):
    """A connected browser: one that `launch` started, or one that runs already (`connect`).

    Of a browser that runs already, `pages` lists all tabs. A tab that was open before is attached by the first call on
    its page; until then nothing is sent to it. Closing the connection leaves such tabs open.
    """

    def __init__(  # noqa: PLR0913  by keyword
        self,
        connection: Connection,
        info: BrowserInfo,
        *,
        options: ContextOptions | None = None,
        allow_schemes: frozenset[str] = frozenset(),
        proxies: ContextProxies | None = None,
        loopback_key: LoopbackKey | None = None,
        owned: AsyncExitStack | None = None,
        by_activity: Callable[[], Awaitable[list[str]]] | None = None,
        ref_numbers: RefNumbers | None = None,
        announces_tabs: bool = True,
    ) -> None:
        super().__init__()
        self.info = info
        """The version, endpoint, profile and switches of the browser."""
        self.allowed_schemes = ALLOWED_SCHEMES | allow_schemes
        self._connection = connection
        self._started = False
        """Whether the tabs that were open before the connection are listed."""
        self._painting = asyncio.Lock()
        self._gpu = GpuProcess()
        self._by_activity = by_activity
        """Lists the ids of the targets, the one that was in front last first; None where nothing lists them."""
        self._ref_numbers = ref_numbers
        self._openers = Openers(announced=announces_tabs)
        self._first_documents = FirstDocuments(connection.root, self._new_tab)
        self._loopback_key = loopback_key
        """The key of the certificates that the browser accepts from a proxy of ours; None if it accepts none."""
        own_loop_on_fork()
        self._owned = owned
        """What closes with the browser: its process, its proxies, the connection."""
        self._ending: asyncio.Task[None] | None = None
        """Closes those, from the first `close` on."""
        self.default_context = BrowserContext(self, None, options or ContextOptions(), proxies)
        """The context that the browser begins with."""
        self._contexts: dict[str, BrowserContext] = {}
        self._pages: dict[str, Page] = {}
        self._expected: dict[str, asyncio.Future[Page]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._captured = CaptureCounts()
        """The captures of pages that are gone."""

    # -- what it has -----------------------------------------------------------------------------

    @property
    def captures(self) -> CaptureCounts:
        """The number of snapshots captured, including those of closed pages."""
        return sum((page.captures for page in self.pages), self._captured)

    @property
    def cdp_session(self) -> CDPSession:
        """The CDP session of the browser itself, for commands and events that have no method here."""
        return self._connection.root

    @property
    def closed(self) -> bool:
        """Whether the connection to the browser is closed."""
        return self._connection.closed

    @property
    def version(self) -> str:
        """The version, such as `140.0.7339.80`; `info.product` has the name of the product as well."""
        return self.info.product.rpartition("/")[2]

    def is_connected(self) -> bool:
        """Return whether the connection to the browser is open; `closed` is the opposite."""
        return not self.closed

    @property
    def pages(self) -> list[Page]:
        """The open pages, oldest first; of a browser that ran before, in the order in which it lists them at first.

        The `url` and `title()` of a page that nobody has used yet are what the browser says of its tab.
        """
        return [page for page in self._pages.values() if not page._hidden]

    @property
    def contexts(self) -> list[BrowserContext]:
        """The default context and those that `new_context` opened."""
        return [self.default_context, *self._contexts.values()]

    @time_limited
    async def page(self, target: NewTarget | str, *, timeout_ms: float | None = CALL_MS) -> Page:
        """Return the open page of a row of `new_targets`, or of a target id, attached and ready to be used.

        Args:
            target: The row, or the id.
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Raises:
            OptionInvalid: It is not open, or not any more.
            SessionLost: It closes meanwhile.
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        return await self._find(target if isinstance(target, str) else target.target_id)._ready()

    @time_limited
    async def active_page(self, *, timeout_ms: float | None = CALL_MS) -> Page | None:
        """Return the page of the tab that is in front, or was last; None if no tab is open.

        Nothing is sent to any tab: the browser lists its tabs at its HTTP address, the last active one first.

        Args:
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Raises:
            ConnectFailed: The browser has no such address.
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        if self._by_activity is None:
            raise ConnectFailed(
                "the browser has no address where it lists its tabs, so which one is active is not known: "
                "launch it with port=0",
                endpoint="",
            )
        listed = await self._by_activity()
        return next((self._pages[target_id] for target_id in listed if target_id in self._pages), None)

    def _find(self, target_id: str) -> Page:
        """Return the open page of a target id, which may not be ready yet; raises OptionInvalid."""
        if target_id in self._pages:
            return self._pages[target_id]
        redact = self.default_context.redaction.redact_everywhere
        known = ", ".join(f"{page.target_id} ({redact(page.url)})" for page in self.pages) or "none"
        raise OptionInvalid(
            f"no page {target_id!r} is open; it may have closed itself; open are: {known}", option="target"
        )

    def _page_of(self, tab: Tab | None) -> Page | None:
        return None if tab is None else self._pages.get(tab.target_id)

    # -- opening ---------------------------------------------------------------------------------

    @time_limited
    async def _start(self, *, timeout_ms: float | None = CALL_MS) -> None:
        """Begin to listen for tabs; `launch` and `connect` call this once."""
        root = self._connection.root
        if self.info.launched:
            self._first_documents.start()
            root.auto_attach(self._attached, filter=PAGES_ONLY)
        else:
            root.on(target.TargetCreated, self._created)
            root.on(target.TargetInfoChanged, self._changed)
            root.on(target.TargetDestroyed, self._destroyed)
            await root.send(target.SetDiscoverTargets(discover=True))
        root.on_closed(lambda _: self._cut_off())
        await root.drain_events()
        self._started = True
        await self.default_context._start()

    @time_limited
    async def new_page(
        self,
        url: str | None = None,
        context: BrowserContext | None = None,
        *,
        timeout_ms: float | None = NEW_PAGE_MS,
        settle: bool | Settle = False,
        **options: Unpack[NewPageKeywords],
    ) -> Page:
        """Open a page, in the default context unless another one is given, and load a URL if one is given.

        Args:
            url: The URL to load; by default the page stays blank.
            context: The context that the page opens in.
            timeout_ms: The limit of the call, in ms: 60,000 by default; None for no limit.
            settle: Whether to wait until the page is still, or how: a value of `SequenceOptions.settle`. The `verdict`
                of the page says how the wait ended.
            **options: How to wait with `settle`, as in `Page.goto`. Options of a context, such as `viewport`, open the
                page in a context of its own, which closes with it.

        Returns:
            The page, with its URL loaded.

        Raises:
            UrlRefused: The URL is not allowed; no page has opened.
            OptionInvalid: An option is invalid; no page has opened.
            SelectorInvalid: The selector of `expect` does not parse; no page has opened.
            NavigationFailed: The URL cannot be loaded; the page is closed again.
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        deadline = Deadline.of_ms(timeout_ms)
        own, waits = split_context_options(options)
        if own:
            return await self._page_in_its_context(url, context, own, deadline, settle=settle, **waits)
        context = context or self.default_context
        if parse_arrival(settle, waits) is not None and url is None:
            raise OptionInvalid("option settle: there is nothing to wait for; give a URL as well", option="settle")
        if url is not None:
            context.check_url(url)
        page = await self._open(context)
        try:
            await page._ready()
            if url is not None:
                left_ms = min(page._timeouts.navigation_ms or NAVIGATION_MS, deadline.left_s * 1000)
                await page.goto(url, timeout_ms=left_ms, settle=settle, **waits)
        except StillframeError:
            await asyncio.shield(page._tab.close(Deadline(min(CLOSE_S, deadline.hard_left_s / 2))))
            raise
        except BaseException:
            page._tab.leave()
            raise
        return page

    async def _page_in_its_context(
        self, url: str | None, given: BrowserContext | None, own: dict[str, Any], deadline: Deadline, **options: Any
    ) -> Page:
        if given is not None:
            name = min(own)
            raise OptionInvalid(
                f"option {name} belongs to a context, and the page opens in an existing one: give it to new_context",
                option=name,
            )
        context = await self.new_context(timeout_ms=deadline.left_s * 1000, **own)
        try:
            page = await self.new_page(url, context, timeout_ms=deadline.left_s * 1000, **options)
        except BaseException:
            await asyncio.shield(context.close(timeout_ms=deadline.hard_left_s * 500))
            raise
        page._owns_context = True
        return page

    @time_limited
    async def new_context(
        self, *, timeout_ms: float | None = CALL_MS, **options: Unpack[ContextKeywords]
    ) -> BrowserContext:
        """Open a context with its own cookies and storage.

        Args:
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.
            **options: The fields of `ContextOptions`. One that is missing or None is that of the default context, as
                given to `launch` or `connect`.

        Raises:
            OptionInvalid: An option is unknown or invalid.
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        deadline = Deadline.of_ms(timeout_ms)
        given = {name: value for name, value in translated(options).items() if value is not None}
        inherited = self._inherited()
        if "device" in given:  # the screen and the name of the inherited device go with it
            inherited = {name: value for name, value in inherited.items() if name not in ("viewport", "user_agent")}
        parsed = parse_context_options(inherited | given)
        self._check_reachable(parsed)
        proxies = await start_proxies(parsed, self._loopback_key)
        proxy = proxies.for_browser
        command = target.CreateBrowserContext(
            dispose_on_detach=True,
            proxy_server=proxy.server if proxy else self._without_proxy,
            proxy_bypass_list=";".join(proxy.bypass) if proxy and proxy.bypass else None,
        )
        try:
            context_id = (await self._made(command, _dispose)).browser_context_id
        except BaseException:
            proxies.stop()
            raise
        context = self._contexts[context_id] = BrowserContext(self, context_id, parsed, proxies)
        try:
            await context._start()
        except BaseException:
            await asyncio.shield(context.close(timeout_ms=deadline.hard_left_s * 500))
            raise
        self._listeners.tell("context", context)
        return context

    @property
    def _without_proxy(self) -> str | None:
        """The proxy of a context without one: by default it takes that of the launch, which may show certificates."""
        return DIRECT if self.default_context._proxies.certificates else None

    def _check_reachable(self, options: ContextOptions) -> None:
        """Raise OptionInvalid if the browser could not reach the policy proxy of a context."""
        if options.policy is not None and not (self.info.launched or is_loopback(self.info.endpoint or "")):
            raise OptionInvalid(
                f"option policy: the browser at {self.info.endpoint} is on another machine, and the proxy that "
                "enforces a policy listens on the loopback of this one; run stillframe beside the browser",
                option="policy",
            )

    def _inherited(self) -> dict[str, Any]:
        """Return the options of the default context that are not the defaults: other contexts begin with them."""
        own, plain = msgspec.structs.asdict(self.default_context.options), msgspec.structs.asdict(ContextOptions())
        return {name: value for name, value in own.items() if value != plain[name]}

    # -- the end ---------------------------------------------------------------------------------

    async def close(self, *, timeout_ms: float | None = CONTEXT_CLOSE_MS) -> None:
        """Close a browser that `launch` started; of another one, the pages and contexts opened here.

        Idempotent. Nothing is raised for what takes longer: a process that does not end goes on being ended, and
        killed, after the call.

        Args:
            timeout_ms: The limit of the call, in ms: 10,000 by default; None for no limit.
        """
        deadline = Deadline.of_ms(timeout_ms)
        contexts = self.contexts
        for context in contexts:
            await context._har_recorders.finish()
            context._films.end()
        try:
            if not self.closed and not self.info.launched:
                others = [context.close(timeout_ms=timeout_ms) for context in tuple(self._contexts.values())]
                own = [page.close(timeout_ms=timeout_ms) for page in self.default_context._own_pages()]
                await asyncio.gather(*others, *own)
        finally:
            self._release()
            if self._owned is not None:
                ending = self._ending = self._ending or asyncio.create_task(self._owned.aclose(), name="close browser")
                left = None if timeout_ms is None else deadline.left_s
                await asyncio.wait({ending}, timeout=left)
                if ending.done():
                    ending.result()
            await asyncio.gather(*(context._films.written(deadline) for context in contexts))

    async def __aenter__(self) -> Browser:
        return self

    async def __aexit__(self, *exc: object) -> None:
        if in_inherited_loop():
            return  # the browser is the parent's
        # A block leaves no process: ending one has limits of its own, ten seconds together.
        limit = None if self.info.launched else CONTEXT_CLOSE_MS
        await asyncio.shield(self.close(timeout_ms=limit))

    def _release(self) -> None:
        """Let go of what the contexts hold outside of the browser, which is gone or about to go."""
        for context in self.contexts:
            context._release()

    def _cut_off(self) -> None:
        for context in self.contexts:
            context._cut_off()
        for page in self.pages:
            if not page._tab.attached:
                self._lose(page)
        self._listeners.tell_last("disconnected", self)

    @property
    def _background(self) -> Background:
        return self.default_context._state.background

    # -- tabs that come and go -------------------------------------------------------------------

    async def _made(self, command: Command[R], undo: Callable[[R], Command[Any]]) -> R:
        """Send a command that makes something; if the caller gives up, undo it once it is there."""
        root = self._connection.root
        reply = root.post(command, timeout=None)

        def abandoned(late: asyncio.Future[R]) -> None:
            if not late.cancelled() and late.exception() is None:
                root.post(undo(late.result()))

        try:
            return await asyncio.shield(reply)
        except asyncio.CancelledError:
            reply.add_done_callback(abandoned)
            raise

    async def _open(self, context: BrowserContext) -> Page:
        """Open a tab, in a window of its own where nobody sees the windows.

        A tab that is not on display gets no frames (tab/drawing.py).
        """
        alone = self.info.is_headless
        page = await self._opened(context, alone)
        page._tab.drawing.alone = alone
        page._made_by_call = True
        self._openers.made_by_call(page._settler)
        return page

    async def _opened(self, context: BrowserContext, alone: bool) -> Page:
        command = target.CreateTarget(url="about:blank", browser_context_id=context.id, new_window=alone or None)
        before = frozenset(self._pages)
        target_id = (await self._made(command, _close)).target_id
        if not self.info.launched:
            page = await self._announced(target_id, before)
            page._opened_here = True
            return await page._ready()
        if target_id in self._pages:
            return self._pages[target_id]
        expected: asyncio.Future[Page] = asyncio.get_running_loop().create_future()
        self._expected[target_id] = expected
        try:
            return await expected
        finally:
            self._expected.pop(target_id, None)

    async def _announced(self, target_id: str, before: frozenset[str]) -> Page:
        """Return the page of a new tab, which the browser announces before it says that it made one.

        Chrome for Android before version 112 gives the number of the tab instead of its id; then it is the new one that
        is blank.
        """
        if target_id in self._pages:
            return self._pages[target_id]
        await self._connection.root.drain_events()
        made = [page for page in self._pages.values() if page.target_id not in before and page.url == "about:blank"]
        if not made:
            raise TargetClosed(f"the browser opened the tab {target_id}, and does not list it")
        return made[-1]

    def _attached(self, session: CDPSession) -> None:
        """Take in a tab of a browser that was launched; it waits until this returns."""
        info = session.target_info
        assert info is not None  # a page session always comes with its target
        page = self._listed(info)
        self._follow(page, session)
        expected = self._expected.get(page.target_id)
        if expected is not None and not expected.done():
            expected.set_result(page)

    def _new_tab(self, target_id: str) -> NewTab | None:
        page = self._pages.get(target_id)
        if page is None or page._made_by_call or not page._tab.is_blank:
            return None
        return page._tab, page._requests

    async def _attach(self, page: Page) -> None:
        """Attach to a tab of a browser that ran before, and wait until its page can be used."""
        try:
            session = await self._connection.root.attach(page.target_id)
        except CdpError as error:
            raise TargetClosed(f"the tab {page.target_id} cannot be attached to: {error.text}") from error
        self._follow(page, session)
        await page._tab.ready()
        await page._setup.done()

    def _created(self, event: target.TargetCreated) -> None:
        info = event.target_info
        if info.target_id in self._pages or not _is_tab(info):
            return
        page = self._listed(info)
        opener = self._opener_of(info)
        if opener is not None:
            page._opened_here = opener._opened_here
            task = asyncio.get_running_loop().create_task(self._attach_popup(page, opener._settler))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def _changed(self, event: target.TargetInfoChanged) -> None:
        page = self._pages.get(event.target_info.target_id)
        if page is not None:
            page._tab.info = event.target_info

    def _destroyed(self, event: target.TargetDestroyed) -> None:
        page = self._pages.get(event.target_id)
        if page is not None and not page._tab.attached:
            self._lose(page)

    def _opener_of(self, info: target.TargetInfo) -> Page | None:
        """Return the page in use that has opened a tab."""
        if info.opener_id is not None:
            page = self._pages.get(info.opener_id)
            return page if page is not None and page._tab.attached else None
        settler = self._openers.wished(info.url, self._context_of(info)._state)
        return None if settler is None else self._page_of(settler.tab)

    def _context_of(self, info: target.TargetInfo) -> BrowserContext:
        return self._contexts.get(info.browser_context_id or "", self.default_context)

    async def _attach_popup(self, page: Page, opener: Settler) -> None:
        url = page.url
        opener.tabs.requested(url)
        try:
            await page._ready()
        except StillframeError:
            return
        finally:
            opener.tabs.arrived(url)

    def _listed(self, info: target.TargetInfo) -> Page:
        """Make the page of a tab; nothing is sent."""
        self._openers.listed(info.opener_id)
        context = self._context_of(info)
        page = self._pages[info.target_id] = Page(context, info)
        context._pages.append(page)
        return page

    def _follow(self, page: Page, session: CDPSession) -> None:
        """Begin to use the tab of a page."""
        page._tab.start(session)
        page.context._adopt(page)
        session.on_closed(lambda error: self._forget(page, error))
        info = page._tab.info
        opener = self._pages.get(info.opener_id or "")
        if opener is None or not opener._tab.attached:
            self._openers.adopted(page._settler, info.url)
        else:
            self._openers.opened(opener._settler, page._settler, info.url)

    def _forget(self, page: Page, error: StillframeError) -> None:
        if not page.closed:
            return
        self._drop(page)
        if isinstance(error, ConnectionLost):
            for expected in self._expected.values():
                if not expected.done():
                    expected.set_exception(error)

    def _lose(self, page: Page) -> None:
        """Note that a tab went away that was not attached."""
        page._tab.gone = True
        self._drop(page)

    def _drop(self, page: Page) -> None:
        if self._pages.pop(page.target_id, None) is not None:
            self._captured += page.captures
        page.context._forget(page)


def _dispose(made: target.CreateBrowserContextResult) -> Command[Any]:
    return target.DisposeBrowserContext(browser_context_id=made.browser_context_id)


def _close(made: target.CreateTargetResult) -> Command[Any]:
    return target.CloseTarget(target_id=made.target_id)


def _is_tab(info: target.TargetInfo) -> bool:
    """Whether a target is a tab that a user sees: not a page that is loaded ahead, and no window of DevTools."""
    return info.type == "page" and info.subtype is None and not info.url.startswith("devtools://")
