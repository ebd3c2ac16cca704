"""A browser: the pages and contexts opened in it."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec

from stillframe.api.context import CONTEXT_CLOSE_S, NEW_PAGE_S, BrowserContext
from stillframe.api.page import CLOSE_TIMEOUT, Page, SequenceEngine
from stillframe.api.popups import Openers, opened
from stillframe.cdp import Connection, Session
from stillframe.cdp_types import target
from stillframe.chrome import BrowserInfo, Gate
from stillframe.chrome.endpoint import is_loopback
from stillframe.engine.settle import parse_arrival
from stillframe.errors import ConnectionLost, OptionInvalid, StillframeError
from stillframe.model.events import NewTarget
from stillframe.model.options import Settle
from stillframe.model.result import CaptureCounts
from stillframe.tab.deadline import CALL_S, Deadline, time_limited
from stillframe.tab.navigation import ALLOWED_SCHEMES, NAVIGATION_TIMEOUT
from stillframe.tab.options import ContextOptions, parse_context_options

PAGES_ONLY = [target.FilterEntry(type="page")]
"""Of what a browser attaches by itself, its tabs; what is inside a tab is attached by the tab."""


class Browser:
    """A connected browser. One that we launched announces every tab; in somebody else's we touch our own tabs only."""

    def __init__(
        self,
        connection: Connection,
        info: BrowserInfo,
        engine: SequenceEngine,
        *,
        options: ContextOptions | None = None,
        allow_schemes: frozenset[str] = frozenset(),
        gate: Gate | None = None,
    ) -> None:
        self.connection = connection
        self.info = info
        self.engine = engine
        self.allowed_schemes = ALLOWED_SCHEMES | allow_schemes
        self.default_context = BrowserContext(self, None, options or ContextOptions(), gate)
        self._contexts: dict[str, BrowserContext] = {}
        self._pages: dict[str, Page] = {}
        self.painting = asyncio.Lock()
        """Held while a picture is taken: one at a time."""
        self.openers = Openers()
        """Whose the tabs are that Chrome names no opener of."""
        self._expected: dict[str, asyncio.Future[Page]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._captured = CaptureCounts()
        """What was captured of pages that are gone."""

    @property
    def captures(self) -> CaptureCounts:
        """How often pages were captured, those that are gone included."""
        return sum((page.captures for page in self.pages), self._captured)

    @property
    def pages(self) -> list[Page]:
        """The open pages, oldest first."""
        return list(self._pages.values())

    async def page(self, target: NewTarget | str, *, timeout: float | None = CALL_S) -> Page:
        """Return the open page of a row of `new_targets`, or of a target id, as soon as it can be used.

        `timeout` is in seconds. Raises OptionInvalid if it is not open, or not any more; SessionLost if it closes
        meanwhile; CommandTimeout.
        """
        return await self.find(target if isinstance(target, str) else target.target_id).ready(timeout=timeout)

    def find(self, target_id: str) -> Page:
        """Return the open page of a target id, which may not be ready yet; raises OptionInvalid."""
        if target_id in self._pages:
            return self._pages[target_id]
        known = ", ".join(f"{page.target_id} ({page.context.masks.redact(page.url)})" for page in self.pages) or "none"
        raise OptionInvalid(
            f"no page {target_id!r} is open; it may have closed itself; open are: {known}", option="target"
        )

    @property
    def contexts(self) -> list[BrowserContext]:
        """The browser's own context and those that were opened beside it."""
        return [self.default_context, *self._contexts.values()]

    @time_limited
    async def start(self, *, timeout: float | None = CALL_S) -> None:
        """Begin to listen for tabs; called once by whoever opens the browser."""
        root = self.connection.root
        if self.info.launched:
            root.auto_attach(self._attached, filter=PAGES_ONLY)
        else:
            root.on(target.TargetCreated, self._created)
            await root.send(target.SetDiscoverTargets(discover=True))
        root.on_closed(lambda _: self._cut_off())
        await root.fence()
        await self.default_context.start()

    @time_limited
    async def new_page(
        self,
        url: str | None = None,
        context: BrowserContext | None = None,
        *,
        timeout: float | None = NEW_PAGE_S,
        settle: bool | Settle = False,
        **options: Any,
    ) -> Page:
        """Open a tab, in the browser's own context if none is given, and load a URL in it if one is given.

        `timeout` is in seconds, for all of it. With `settle` the page is handed over when it is still, and its
        `verdict` says what came of that; `options` say how to wait, as in `Page.goto`. Raises UrlRefused, OptionInvalid
        and SelectorInvalid before the tab is opened, NavigationFailed after it was closed again, CommandTimeout.
        """
        deadline = Deadline(timeout)
        context = context or self.default_context
        if parse_arrival(settle, options) is not None and url is None:
            raise OptionInvalid("option settle: there is nothing to wait for; give a URL as well", option="settle")
        if url is not None:
            context.check_url(url)
        page = await self._open(context)
        try:
            await page.ready()
            if url is not None:
                left = min(NAVIGATION_TIMEOUT, deadline.left)
                await page.goto(url, timeout=left, settle=settle, **options)
        except StillframeError:
            await asyncio.shield(page.close(timeout=min(CLOSE_TIMEOUT, deadline.late / 2)))
            raise
        except BaseException:
            page.leave()
            raise
        return page

    @time_limited
    async def new_context(self, *, timeout: float | None = CALL_S, **options: Any) -> BrowserContext:
        """Open a context with its own cookies and storage; options are the fields of `ContextOptions`.

        What is not given, or None, is as in the browser's own context: as `launch` or `connect` was told. `timeout` is
        in seconds. Raises OptionInvalid, and CommandTimeout.
        """
        deadline = Deadline(timeout)
        given = {name: value for name, value in options.items() if value is not None}
        parsed = parse_context_options(self._inherited() | given)
        gate = None if parsed.policy is None else await self._gate(parsed)
        proxy = gate.proxy if gate else parsed.resolved_proxy()
        command = target.CreateBrowserContext(
            dispose_on_detach=True,
            proxy_server=proxy.server if proxy else None,
            proxy_bypass_list=";".join(proxy.bypass) if proxy and proxy.bypass else None,
        )
        try:
            context_id = await self._created_context(self.connection.root.post(command, timeout=None))
        except BaseException:
            if gate is not None:
                gate.stop()
            raise
        context = self._contexts[context_id] = BrowserContext(self, context_id, parsed, gate)
        try:
            await context.start()
        except BaseException:
            await asyncio.shield(context.close(timeout=deadline.late / 2))
            raise
        return context

    async def _gate(self, options: ContextOptions) -> Gate:
        """Open the gate of a context with a policy; raises OptionInvalid where the browser could not reach it."""
        assert options.policy is not None  # else there is nothing to keep to
        if not (self.info.launched or is_loopback(self.info.endpoint or "")):
            raise OptionInvalid(
                f"option policy: the browser at {self.info.endpoint} is on another machine, and what keeps to a policy "
                "listens on this one's loopback; run stillframe beside the browser",
                option="policy",
            )
        return await Gate(options.policy, upstream=options.resolved_proxy()).start()

    def _inherited(self) -> dict[str, Any]:
        """The options of the browser's own context that are not the defaults: other contexts begin with them."""
        own, plain = msgspec.structs.asdict(self.default_context.options), msgspec.structs.asdict(ContextOptions())
        return {name: value for name, value in own.items() if value != plain[name]}

    def forget_context(self, context: BrowserContext) -> None:
        """Strike a context off the list; called by the context when it is closed."""
        self._contexts.pop(context.id or "", None)

    @time_limited
    async def attach_page(self, target_id: str, *, timeout: float | None = CALL_S) -> Page:
        """Attach to a tab that is open already, in a browser that we did not launch; `timeout` is in seconds."""
        if target_id in self._pages:
            return self._pages[target_id]
        session = await self.connection.root.attach(target_id)
        return await self._adopt(session).ready()

    async def close(self, *, timeout: float | None = CONTEXT_CLOSE_S) -> None:
        """Close the pages and contexts we opened, side by side; its launcher ends the browser itself.

        Nothing is raised for those that are not gone after `timeout` seconds.
        """
        if self.connection.closed:
            return
        contexts = [context.close(timeout=timeout) for context in tuple(self._contexts.values())]
        own = () if self.info.launched else self.default_context.pages
        await asyncio.gather(*contexts, *(page.close(timeout=timeout) for page in tuple(own)))

    def release(self) -> None:
        """Let go of what the contexts hold outside of the browser, which is gone or about to go."""
        for context in self.contexts:
            context.release()

    def _cut_off(self) -> None:
        for context in self.contexts:
            context.cut_off()

    # -- plumbing ------------------------------------------------------------------------------

    async def _created_context(self, reply: asyncio.Future[target.CreateBrowserContextResult]) -> str:
        """Wait for a context that is being made; if nobody wants it any more, it is disposed of once it is there."""

        def dispose(late: asyncio.Future[target.CreateBrowserContextResult]) -> None:
            if not late.cancelled() and late.exception() is None:
                command = target.DisposeBrowserContext(browser_context_id=late.result().browser_context_id)
                self.connection.root.post(command)

        try:
            return (await asyncio.shield(reply)).browser_context_id
        except asyncio.CancelledError:
            reply.add_done_callback(dispose)
            raise

    async def _created_target(self, reply: asyncio.Future[target.CreateTargetResult]) -> str:
        """Wait for a tab that is being made; if nobody wants it any more, it is closed once it is there."""

        def close(late: asyncio.Future[target.CreateTargetResult]) -> None:
            if not late.cancelled() and late.exception() is None:
                self.connection.root.post(target.CloseTarget(target_id=late.result().target_id))

        try:
            return (await asyncio.shield(reply)).target_id
        except asyncio.CancelledError:
            reply.add_done_callback(close)
            raise

    async def _open(self, context: BrowserContext) -> Page:
        """Open a tab; in a window of its own where nobody sees the windows, because a tab that is not on display gets
        no frames (page/drawing.py)."""
        alone = self.info.is_headless
        page = await self._opened(context, alone)
        page.drawing.alone = alone
        return page

    async def _opened(self, context: BrowserContext, alone: bool) -> Page:
        root = self.connection.root
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

    def _attached(self, session: Session) -> None:
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
        return self.openers.wished(info.url, self._context_of(info))

    def _context_of(self, info: target.TargetInfo) -> BrowserContext:
        return self._contexts.get(info.browser_context_id or "", self.default_context)

    async def _attach_popup(self, target_id: str) -> None:
        try:
            await self.attach_page(target_id)
        except StillframeError:
            return

    def _adopt(self, session: Session) -> Page:
        info = session.target_info
        assert info is not None  # a page session always comes with its target
        context = self._context_of(info)
        page = Page(context, session)
        self._pages[page.target_id] = page
        context.adopt(page)
        session.on_closed(lambda error: self._forget(page, error))
        opener = self._pages.get(info.opener_id or "")
        if opener is None:
            self.openers.adopted(page, info.url)
        else:
            opened(opener, page, info.url)
        return page

    def _forget(self, page: Page, error: StillframeError) -> None:
        if not page.closed:
            return
        if self._pages.pop(page.target_id, None) is not None:
            self._captured += page.captures
        if page in page.context.pages:
            page.context.pages.remove(page)
        if isinstance(error, ConnectionLost):
            for expected in self._expected.values():
                if not expected.done():
                    expected.set_exception(error)
