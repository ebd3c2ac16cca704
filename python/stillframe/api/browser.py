"""Browsers, their contexts and their pages: three classes that know one another, hence one module."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from typing import Any

import msgspec

from stillframe.api.context import BlankTab, ContextBase
from stillframe.api.events import CONTEXT_EVENTS, ContextEventName, Handler, known_event
from stillframe.api.expecting import expecting
from stillframe.api.page import NAVIGATION_MS, PageBase
from stillframe.api.popups import Openers, opened
from stillframe.cdp import CDPSession, Connection
from stillframe.cdp_types import target
from stillframe.chrome import BrowserInfo, PolicyProxy
from stillframe.chrome.endpoint import is_loopback
from stillframe.engine.settle import parse_arrival
from stillframe.errors import CommandError, ConnectionLost, OptionInvalid, StillframeError
from stillframe.model.options import Settle
from stillframe.model.result import CaptureCounts, NewTarget
from stillframe.security.urls import ALLOWED_SCHEMES
from stillframe.settling.settler import Settler
from stillframe.tab.context import ContextState
from stillframe.tab.deadline import CALL_MS, Deadline, in_seconds, time_limited
from stillframe.tab.options import ContextOptions, parse_context_options
from stillframe.tab.setup import Setup
from stillframe.tab.tab import CLOSE_S, Tab

PAGES_ONLY = [target.FilterEntry(type="page")]
"""Of what a browser attaches by itself, its tabs; a tab attaches what is inside it."""

WORKERS = frozenset({"worker", "shared_worker", "service_worker"})

CLOSE_MS = CLOSE_S * 1000
CONTEXT_CLOSE_MS = 10_000.0
"""Milliseconds that the pages of a context may take to close, and the context after them; it takes 100 (measured)."""
NEW_PAGE_MS = CALL_MS + NAVIGATION_MS
"""Milliseconds that a new tab may take: to open, and to load its URL."""


class Page(PageBase):
    """A page. `new_page` makes it; it closes with `close`, or with its context or browser."""

    def __init__(self, context: BrowserContext, session: CDPSession) -> None:
        tab = Tab(context._state, session)
        tab.on_session(self._prepare)
        for source in context._init_scripts:
            tab.document_scripts.prepare(source)
        super().__init__(tab, Settler(tab, context._windows))
        self._context = context
        self._requests = context._requests
        self._setup: Setup
        tab.start()

    def __repr__(self) -> str:
        return f"Page({self.target_id[:8]}, {self._tab.context.redaction.redact(self.url)!r})"

    def _prepare(self, session: CDPSession) -> None:
        if session.target_type not in WORKERS:
            self._context.browser._openers.watch(session, self._settler)
        setup = self._context._prepare(session, self._tab)
        if session is self._tab.session:
            self._setup = setup

    # -- where it belongs ------------------------------------------------------------------------

    @property
    def context(self) -> BrowserContext:
        """The context of the page."""
        return self._context

    @property
    def browser(self) -> Browser:
        """The browser of the page."""
        return self._context.browser

    @property
    def opener(self) -> Page | None:
        """The open page that opened this one, or None."""
        return self.browser._page_of(self._tab.opener)

    @property
    def popups(self) -> list[Page]:
        """The open tabs that this one has opened, oldest first."""
        return [page for page in self._context.pages if page._tab.opener is self._tab]

    def expect_popup(self, *, timeout_ms: float | None = CALL_MS) -> AbstractAsyncContextManager[asyncio.Future[Page]]:
        """Wait for the tab that this page opens: `async with page.expect_popup() as popup: …`, then `await popup`.

        Listening begins before the block; its end waits until the first tab that opened can be used. After a sequence
        there is nothing to wait for: `browser.page(result.new_targets[0])`. Raises WaitTimeout, and SessionLost for a
        tab that closes at once.
        """
        return expecting(
            self._popups,
            session=self._tab.session,
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

    async def _ready(self) -> Page:
        """Wait until the page can be used; raises SessionLost if it goes away before, OptionInvalid for its options."""
        await self._tab.ready()
        await self._setup.done()
        return self

    async def close(self, *, timeout_ms: float | None = CLOSE_MS) -> None:
        """Close the page and wait until it is gone, `timeout_ms` at most; does nothing if it is gone already.

        A page that is not gone by then goes with its context or its browser; nothing is raised.
        """
        await self._tab.close(in_seconds(timeout_ms))

    async def __aenter__(self) -> Page:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()


class BrowserContext(ContextBase):
    """A group of pages that share cookies and storage with each other only; `id` is None for the default context.

    It closes with `close`, with its block, or with the browser.
    """

    def __init__(
        self, browser: Browser, context_id: str | None, options: ContextOptions, policy_proxy: PolicyProxy | None = None
    ) -> None:
        state = ContextState(
            context_id,
            options,
            browser.info,
            allowed_schemes=browser.allowed_schemes,
            painting=browser._painting,
        )
        super().__init__(state, browser._connection.root, policy_proxy)
        self._browser = browser
        self._pages: list[Page] = []

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
        **options: Any,
    ) -> Page:
        """Open a page in this context; see `Browser.new_page`."""
        return await self._browser.new_page(url, context=self, timeout_ms=timeout_ms, settle=settle, **options)

    async def close(self, *, timeout_ms: float | None = CONTEXT_CLOSE_MS) -> None:
        """Close all pages of the context, forget its cookies and storage, delete its private downloads.

        Pages of the default context close, the rest of it stays. Idempotent. What is not gone after `timeout_ms` goes
        with the browser; nothing is raised.
        """
        deadline = Deadline(in_seconds(timeout_ms))
        try:
            await asyncio.gather(*(page._tab.close(deadline.left / 2) for page in self.pages))
            if self.id is not None:
                self._browser._contexts.pop(self.id, None)
                command = target.DisposeBrowserContext(browser_context_id=self.id)
                await self._root.send(command, timeout=deadline.left)
        except CommandError:
            return  # it went with its browser, or the browser is stopped
        finally:
            if self.id is not None:
                self._release()
                if self._policy_proxy is not None:
                    await self._policy_proxy.aclose()

    async def __aenter__(self) -> BrowserContext:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await asyncio.shield(self.close())

    def _adopt(self, page: Page) -> None:
        self._pages.append(page)
        self._tabs.append(page._tab)
        page._tab.frames.on_document(self._shown)
        self._tell("page", page)

    def _forget(self, page: Page) -> None:
        if page in self._pages:
            self._pages.remove(page)
            self._tabs.remove(page._tab)

    # -- what it tells ---------------------------------------------------------------------------

    def on(self, event: ContextEventName, handler: Handler) -> Callable[[], None]:
        """Call `handler` with every such event from now on; returns a function that takes it back.

        `page` gives each Page that opens in the context and can be used, popups included; `close` the context, once it
        is closed or its browser is gone. The handler may be async; what it raises is logged. Raises OptionInvalid.
        """
        name = known_event(event, CONTEXT_EVENTS)
        background = self._state.background

        def call(value: object) -> None:
            background.call(handler, value, name=f"handler of {name} events")

        return self._pages_opened(call) if name == "page" else self._listen_for(name, call)

    def expect_page(self, *, timeout_ms: float | None = CALL_MS) -> AbstractAsyncContextManager[asyncio.Future[Page]]:
        """Wait for a page that opens here: `async with context.expect_page() as page: …`, then `await page`.

        Listening begins before the block; its end waits until the first page that opened can be used. Raises
        WaitTimeout, and SessionLost for a page that closes at once.
        """
        return expecting(
            lambda came: self._listen_for("page", came),
            session=self._root,
            timeout_ms=timeout_ms,
            missing=lambda: "no page opened in the context",
            finish=Page._ready,
        )

    def _pages_opened(self, take: Callable[[Page], object]) -> Callable[[], None]:
        async def give(page: Page) -> None:
            take(await page._ready())

        return self._listen_for("page", lambda page: self._state.background.start(give(page), "report of a page"))

    async def _open_blank(self) -> BlankTab:
        page = await self.new_page()
        return BlankTab(page._tab, page._setup)


class Browser:
    """A connected browser. In one that stillframe launched all tabs are its own; in another it touches only those that
    it opened or was asked for."""

    def __init__(
        self,
        connection: Connection,
        info: BrowserInfo,
        *,
        options: ContextOptions | None = None,
        allow_schemes: frozenset[str] = frozenset(),
        policy_proxy: PolicyProxy | None = None,
        owned: AsyncExitStack | None = None,
    ) -> None:
        self.info = info
        """What the browser says of itself."""
        self.allowed_schemes = ALLOWED_SCHEMES | allow_schemes
        self._connection = connection
        self._painting = asyncio.Lock()
        self._openers = Openers()
        self._owned = owned
        """What ends with the browser: its process, its policy proxy, the connection."""
        self.default_context = BrowserContext(self, None, options or ContextOptions(), policy_proxy)
        """The context that the browser begins with."""
        self._contexts: dict[str, BrowserContext] = {}
        self._pages: dict[str, Page] = {}
        self._expected: dict[str, asyncio.Future[Page]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._captured = CaptureCounts()
        """What was captured of pages that are gone."""

    # -- what it has -----------------------------------------------------------------------------

    @property
    def captures(self) -> CaptureCounts:
        """How often pages were captured, those that are gone included."""
        return sum((page.captures for page in self.pages), self._captured)

    @property
    def cdp_session(self) -> CDPSession:
        """The CDP session of the browser itself, for commands and events that have no method here."""
        return self._connection.root

    @property
    def closed(self) -> bool:
        """Whether the connection to the browser is gone."""
        return self._connection.closed

    @property
    def pages(self) -> list[Page]:
        """The open pages, oldest first."""
        return list(self._pages.values())

    @property
    def contexts(self) -> list[BrowserContext]:
        """The default context and those that were opened beside it."""
        return [self.default_context, *self._contexts.values()]

    @time_limited
    async def page(self, target: NewTarget | str, *, timeout_ms: float | None = CALL_MS) -> Page:
        """Return the open page of a row of `new_targets`, or of a target id, as soon as it can be used.

        Raises OptionInvalid if it is not open, or not any more; SessionLost if it closes meanwhile; CommandTimeout.
        """
        return await self._find(target if isinstance(target, str) else target.target_id)._ready()

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
    async def start(self, *, timeout_ms: float | None = CALL_MS) -> None:
        """Begin to listen for tabs; `launch` and `connect` call this once."""
        root = self._connection.root
        if self.info.launched:
            root.auto_attach(self._attached, filter=PAGES_ONLY)
        else:
            root.on(target.TargetCreated, self._created)
            await root.send(target.SetDiscoverTargets(discover=True))
        root.on_closed(lambda _: self._cut_off())
        await root.drain_events()
        await self.default_context._start()

    @time_limited
    async def new_page(
        self,
        url: str | None = None,
        context: BrowserContext | None = None,
        *,
        timeout_ms: float | None = NEW_PAGE_MS,
        settle: bool | Settle = False,
        **options: Any,
    ) -> Page:
        """Open a page, in the default context if none is given, and load a URL in it if one is given.

        `timeout_ms` is for all of it. With `settle` the page is returned when it is still, and its `verdict` says how
        the wait ended; `options` say how to wait, as in `Page.goto`. Raises UrlRefused, OptionInvalid and
        SelectorInvalid before the page opens, NavigationFailed after it was closed again, CommandTimeout.
        """
        deadline = Deadline(in_seconds(timeout_ms))
        context = context or self.default_context
        if parse_arrival(settle, options) is not None and url is None:
            raise OptionInvalid("option settle: there is nothing to wait for; give a URL as well", option="settle")
        if url is not None:
            context.check_url(url)
        page = await self._open(context)
        try:
            await page._ready()
            if url is not None:
                left_ms = min(NAVIGATION_MS, deadline.left * 1000)
                await page.goto(url, timeout_ms=left_ms, settle=settle, **options)
        except StillframeError:
            await asyncio.shield(page._tab.close(min(CLOSE_S, deadline.late / 2)))
            raise
        except BaseException:
            page._tab.leave()
            raise
        return page

    @time_limited
    async def new_context(self, *, timeout_ms: float | None = CALL_MS, **options: Any) -> BrowserContext:
        """Open a context with its own cookies and storage; options are the fields of `ContextOptions`.

        What is not given, or None, is as in the default context: what `launch` or `connect` got. Raises OptionInvalid,
        and CommandTimeout.
        """
        deadline = Deadline(in_seconds(timeout_ms))
        given = {name: value for name, value in options.items() if value is not None}
        parsed = parse_context_options(self._inherited() | given)
        policy_proxy = None if parsed.policy is None else await self._policy_proxy(parsed)
        proxy = policy_proxy.proxy if policy_proxy else parsed.resolved_proxy()
        command = target.CreateBrowserContext(
            dispose_on_detach=True,
            proxy_server=proxy.server if proxy else None,
            proxy_bypass_list=";".join(proxy.bypass) if proxy and proxy.bypass else None,
        )
        try:
            context_id = await self._created_context(self._connection.root.post(command, timeout=None))
        except BaseException:
            if policy_proxy is not None:
                policy_proxy.stop()
            raise
        context = self._contexts[context_id] = BrowserContext(self, context_id, parsed, policy_proxy)
        try:
            await context._start()
        except BaseException:
            await asyncio.shield(context.close(timeout_ms=deadline.late * 500))
            raise
        return context

    async def _policy_proxy(self, options: ContextOptions) -> PolicyProxy:
        """Start the policy proxy of a context; raises OptionInvalid where the browser could not reach it."""
        assert options.policy is not None  # else there is no policy to enforce
        if not (self.info.launched or is_loopback(self.info.endpoint or "")):
            raise OptionInvalid(
                f"option policy: the browser at {self.info.endpoint} is on another machine, and the proxy that enforces "
                "a policy listens on this one's loopback; run stillframe beside the browser",
                option="policy",
            )
        return await PolicyProxy(options.policy, upstream=options.resolved_proxy()).start()

    def _inherited(self) -> dict[str, Any]:
        """The options of the default context that are not the defaults: other contexts begin with them."""
        own, plain = msgspec.structs.asdict(self.default_context.options), msgspec.structs.asdict(ContextOptions())
        return {name: value for name, value in own.items() if value != plain[name]}

    @time_limited
    async def attach_page(self, target_id: str, *, timeout_ms: float | None = CALL_MS) -> Page:
        """Attach to a tab that is open already, in a browser that stillframe did not launch."""
        if target_id in self._pages:
            return self._pages[target_id]
        session = await self._connection.root.attach(target_id)
        return await self._adopt(session)._ready()

    # -- the end ---------------------------------------------------------------------------------

    async def close(self, *, timeout_ms: float | None = CONTEXT_CLOSE_MS) -> None:
        """Close the browser that was launched; of one that was connected to, only the pages and contexts opened here.

        Idempotent. Nothing is raised for what is not gone after `timeout_ms`.
        """
        try:
            if not self.closed and not self.info.launched:
                contexts = [context.close(timeout_ms=timeout_ms) for context in tuple(self._contexts.values())]
                own = [page.close(timeout_ms=timeout_ms) for page in self.default_context.pages]
                await asyncio.gather(*contexts, *own)
        finally:
            self._release()
            if self._owned is not None:
                await self._owned.aclose()

    async def __aenter__(self) -> Browser:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await asyncio.shield(self.close())

    def _release(self) -> None:
        """Let go of what the contexts hold outside of the browser, which is gone or about to go."""
        for context in self.contexts:
            context._release()

    def _cut_off(self) -> None:
        for context in self.contexts:
            context._cut_off()

    # -- tabs that come and go -------------------------------------------------------------------

    async def _created_context(self, reply: asyncio.Future[target.CreateBrowserContextResult]) -> str:
        """Wait for a context that is being made; if nobody wants it any more, it is disposed of once it is there."""

        def dispose(late: asyncio.Future[target.CreateBrowserContextResult]) -> None:
            if not late.cancelled() and late.exception() is None:
                command = target.DisposeBrowserContext(browser_context_id=late.result().browser_context_id)
                self._connection.root.post(command)

        try:
            return (await asyncio.shield(reply)).browser_context_id
        except asyncio.CancelledError:
            reply.add_done_callback(dispose)
            raise

    async def _created_target(self, reply: asyncio.Future[target.CreateTargetResult]) -> str:
        """Wait for a tab that is being made; if nobody wants it any more, it is closed once it is there."""

        def close(late: asyncio.Future[target.CreateTargetResult]) -> None:
            if not late.cancelled() and late.exception() is None:
                self._connection.root.post(target.CloseTarget(target_id=late.result().target_id))

        try:
            return (await asyncio.shield(reply)).target_id
        except asyncio.CancelledError:
            reply.add_done_callback(close)
            raise

    async def _open(self, context: BrowserContext) -> Page:
        """Open a tab; in a window of its own where nobody sees the windows, because a tab that is not on display gets
        no frames (tab/drawing.py)."""
        alone = self.info.is_headless
        page = await self._opened(context, alone)
        page._tab.drawing.alone = alone
        return page

    async def _opened(self, context: BrowserContext, alone: bool) -> Page:
        root = self._connection.root
        command = target.CreateTarget(url="about:blank", browser_context_id=context.id, new_window=alone or None)
        target_id = await self._created_target(root.post(command, timeout=None))
        if not self.info.launched:
            return await self.attach_page(target_id)
        if target_id in self._pages:
            return self._pages[target_id]
        expected: asyncio.Future[Page] = asyncio.get_running_loop().create_future()
        self._expected[target_id] = expected
        try:
            return await expected
        finally:
            self._expected.pop(target_id, None)

    def _attached(self, session: CDPSession) -> None:
        page = self._adopt(session)
        expected = self._expected.get(page.target_id)
        if expected is not None and not expected.done():
            expected.set_result(page)

    def _created(self, event: target.TargetCreated) -> None:
        info = event.target_info
        if info.type == "page" and info.target_id not in self._pages and self._opened_by_us(info):
            task = asyncio.get_running_loop().create_task(self._attach_popup(info.target_id))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def _opened_by_us(self, info: target.TargetInfo) -> bool:
        """Whether one of our tabs has opened that tab."""
        if info.opener_id is not None:
            return info.opener_id in self._pages
        return self._openers.wished(info.url, self._context_of(info)._state)

    def _context_of(self, info: target.TargetInfo) -> BrowserContext:
        return self._contexts.get(info.browser_context_id or "", self.default_context)

    async def _attach_popup(self, target_id: str) -> None:
        try:
            await self.attach_page(target_id)
        except StillframeError:
            return

    def _adopt(self, session: CDPSession) -> Page:
        info = session.target_info
        assert info is not None  # a page session always comes with its target
        context = self._context_of(info)
        page = Page(context, session)
        self._pages[page.target_id] = page
        context._adopt(page)
        session.on_closed(lambda error: self._forget(page, error))
        opener = self._pages.get(info.opener_id or "")
        if opener is None:
            self._openers.adopted(page._settler, info.url)
        else:
            opened(opener._settler, page._settler, info.url)
        return page

    def _forget(self, page: Page, error: StillframeError) -> None:
        if not page.closed:
            return
        if self._pages.pop(page.target_id, None) is not None:
            self._captured += page.captures
        page.context._forget(page)
        if isinstance(error, ConnectionLost):
            for expected in self._expected.values():
                if not expected.done():
                    expected.set_exception(error)
