"""One attached page: its frames, its journal, and what can be done with it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from stillframe.api import popups
from stillframe.api.redacted import masked
from stillframe.cdp import Session
from stillframe.cdp.looptime import time_limit
from stillframe.cdp_types import emulation, target
from stillframe.cdp_types import page as cdp_page
from stillframe.engine.page_identity import Recognition
from stillframe.engine.settle import arrive, settle
from stillframe.errors import CommandError
from stillframe.injected import elements_source
from stillframe.model.aria_snapshot import AriaSnapshot
from stillframe.model.options import Settle
from stillframe.model.result import CaptureCounts, NavigationResult, SequenceResult, Step
from stillframe.model.verdict import Verdict
from stillframe.settling import signals
from stillframe.settling.settler import Settler
from stillframe.tab import navigation
from stillframe.tab import screenshot as output
from stillframe.tab.aria_snapshot import BUDGET, Tree, page_text
from stillframe.tab.captures import Captures
from stillframe.tab.deadline import CALL_S, Deadline, checked, time_limited
from stillframe.tab.dialogs import Dialogs
from stillframe.tab.drawing import Drawing
from stillframe.tab.emulation import metrics, touch
from stillframe.tab.frames import FrameTree
from stillframe.tab.input.press import Presses
from stillframe.tab.loading import WaitUntil
from stillframe.tab.options import check_viewport
from stillframe.tab.recorder import Journal
from stillframe.tab.refs import RefTable
from stillframe.tab.typed_secrets import Typed

if TYPE_CHECKING:
    from stillframe.api.browser import Browser
    from stillframe.api.context import BrowserContext, Setup
    from stillframe.core import Redactor, Snapshot
    from stillframe.loopguard import LoopGuard
    from stillframe.tab.frames import Frame
    from stillframe.tab.locating.locate import Identity

CLOSE_TIMEOUT = 5.0
"""Seconds to wait for a closed tab to be gone; Chrome takes 0.5 s for one that is busy in a loop (measured)."""

SNAPSHOT_S = 60.0
"""Seconds that a text of the page may take: Chrome's accessibility tree of 20,000 elements takes nine on a busy
machine (measured)."""

OnStep = Callable[[int, Step], None]

Inspector = Callable[[str, "Frame", "Identity | None"], None]


class SequenceEngine(Protocol):
    """What runs sequences on a page; it lives a layer above and is handed down by whoever opens the browser."""

    async def execute(
        self, page: Page, actions: Any, options: dict[str, Any], on_step: OnStep | None = None
    ) -> SequenceResult:
        """Run the actions on the page; see `Page.execute_sequence`."""


class Page:
    """A tab. Made by `Browser.new_page`; closed with `close`, or with its context or browser."""

    def __init__(self, context: BrowserContext, session: Session) -> None:
        self.context = context
        self.session = session
        self.target_id = session.target_info.target_id if session.target_info else ""
        self.opener: Page | None = None
        self.response: NavigationResult | None = None
        """What the last `goto`, `reload`, `go_back` or `go_forward` came to; of `new_page(url)` too."""
        self.verdict: Verdict | None = None
        """How the wait of that navigation ended; None if it was not asked to settle."""
        self.lock = asyncio.Lock()
        """Held while a sequence runs: calls on one page are serialised."""
        self.session_name: str | None = None
        """Of the named session whose calls act on the page, if there is one; see `stillframe.Sessions`."""
        self.loop_guard: LoopGuard | None = None
        """Watches the actions of all sequences on the page for loops, if it is set; see `stillframe.loopguard`."""
        self.left: Snapshot | None = None
        """What the last sequence left, to tell what came after it."""
        self.inspect: Inspector | None = None
        """Told of the element of an action before anything is done to it, while that action is performed."""
        self.frames = FrameTree()
        self.refs = RefTable(context.ref_numbers)
        self.presses = Presses(self)
        self.typed = Typed(self)
        self.journal = Journal(context.masks)
        self.dialogs = Dialogs(self.journal, context.options.dialogs)
        self.drawing = Drawing(self)
        self.settling = Settler(self)
        self._captures = Captures(self)
        self.recognition = Recognition(self)
        self.viewport = context.options.viewport
        """The size that the tab was given; None if it has that of its window."""
        self.setup: Setup
        """What the context has told the tab to look like."""
        self._ready: asyncio.Future[Any] = self._begin()

    def __repr__(self) -> str:
        return f"Page({self.target_id[:8]}, {self.context.masks.redact(self.url)!r})"

    @property
    def browser(self) -> Browser:
        """The browser the page belongs to."""
        return self.context.browser

    @property
    def secrets(self) -> Redactor:
        """Takes out every text that no result shows: declared, or typed on a page of the context."""
        return self.context.masks.redactor

    @property
    def url(self) -> str:
        """The URL of the top document, fragment included."""
        return self.frames.main.url

    @property
    def popups(self) -> list[Page]:
        """The open tabs that this one has opened, oldest first."""
        return [page for page in self.context.pages if page.opener is self]

    @property
    def closed(self) -> bool:
        """Whether the tab, or the way to it, is gone; a crashed page is not closed."""
        error = self.session.error
        return error is not None and error.code != "target_crashed"

    # -- life ----------------------------------------------------------------------------------

    @time_limited
    async def ready(self, *, timeout: float | None = CALL_S) -> Page:
        """Wait until the tab has told what frames it has; raises SessionLost if it goes away before."""
        await asyncio.shield(self._ready)
        await self.setup.done()
        return self

    async def close(self, *, timeout: float | None = CLOSE_TIMEOUT) -> None:
        """Close the tab and wait until it is gone, `timeout` seconds at most; does nothing if it is gone already.

        A tab that is not gone by then goes with its context or its browser; nothing is raised.
        """
        if self.closed:
            return
        gone = asyncio.get_running_loop().create_future()
        remove = self.session.on_closed(lambda _: None if gone.done() else gone.set_result(None))
        try:
            async with time_limit(checked(timeout)):
                await self.session.connection.root.send(target.CloseTarget(target_id=self.target_id), timeout=None)
                await gone
        except (CommandError, TimeoutError):
            # Gone meanwhile, or a tab that will not go: the context or the browser takes it along.
            return
        finally:
            remove()

    def leave(self) -> None:
        """Ask the browser to close the tab; awaits nothing."""
        self.session.connection.root.post(target.CloseTarget(target_id=self.target_id))

    async def __aenter__(self) -> Page:
        return await self.ready()

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    # -- doing ---------------------------------------------------------------------------------

    @masked
    @time_limited
    async def goto(
        self,
        url: str,
        *,
        until: WaitUntil = "load",
        timeout: float | None = navigation.NAVIGATION_TIMEOUT,
        settle: bool | Settle = False,
        **options: Any,
    ) -> NavigationResult:
        """Load a URL, follow where it leads by itself, and return where it came to and with which HTTP status.

        The wait ends with the commit, the DOMContentLoaded or the load event of the last document: one that leads to
        another while it loads is followed. A failed status is no error. `timeout` is in seconds; after it the page
        stops loading. Raises UrlRefused for a URL that is not allowed, NavigationFailed with the net error when nothing
        could be loaded, time ran out, or more than 20 documents in a row led on by script.

        With `settle` (True, or how, as in `SequenceOptions.settle`) the wait goes on until the page is still, and
        `page.verdict` says what came of it. It follows the application that loads: `horizon_ms` counts from the last
        sign that it still does. `options` are those of `Page.settle`; the wait has what is left of `timeout`, and
        `timeout_ms` at most. Serialised with sequences then. Raises OptionInvalid and SelectorInvalid before it loads.
        """
        go = partial(navigation.navigate, self, url, until=until, timeout=timeout)
        return await arrive(self, go, settle, options, timeout)

    @masked
    @time_limited
    async def go_back(
        self,
        *,
        until: WaitUntil = "load",
        timeout: float | None = navigation.NAVIGATION_TIMEOUT,
        settle: bool | Settle = False,
        **options: Any,
    ) -> NavigationResult:
        """Go one entry back in the history, as `goto` goes; raises ActionFailed if there is none."""
        go = partial(navigation.go, self, -1, until=until, timeout=timeout)
        return await arrive(self, go, settle, options, timeout)

    @masked
    @time_limited
    async def go_forward(
        self,
        *,
        until: WaitUntil = "load",
        timeout: float | None = navigation.NAVIGATION_TIMEOUT,
        settle: bool | Settle = False,
        **options: Any,
    ) -> NavigationResult:
        """Go one entry forward in the history, as `goto` goes; raises ActionFailed if there is none."""
        go = partial(navigation.go, self, 1, until=until, timeout=timeout)
        return await arrive(self, go, settle, options, timeout)

    @masked
    @time_limited
    async def reload(
        self,
        *,
        until: WaitUntil = "load",
        timeout: float | None = navigation.NAVIGATION_TIMEOUT,
        settle: bool | Settle = False,
        **options: Any,
    ) -> NavigationResult:
        """Load the page again, as `goto` loads it."""
        go = partial(navigation.reload, self, until=until, timeout=timeout)
        return await arrive(self, go, settle, options, timeout)

    @masked
    @time_limited
    async def evaluate(self, expression: str, *, timeout: float | None = CALL_S) -> Any:
        """Evaluate an expression in the page's own world and return its value; a promise is awaited.

        NaN, ±Infinity and -0 are floats; a BigInt is an int, as is a number without a fraction. A Date is a datetime
        in UTC (a float of milliseconds outside of Python's years, NaN if it is none), a RegExp a `re.Pattern` (a text
        if Python has no such expression), a URL a `urllib.parse.ParseResult`, an Error a `JsError`, a Map a dict and a
        Set a set (lists, of pairs for a Map, if it holds what Python cannot hash), an ArrayBuffer or its bytes `bytes`,
        another typed array a list. undefined, functions and symbols are None; `ref: <Node>`, `ref: <Document>` and
        `ref: <Window>` stand for what is no value. Objects that are the same, or hold themselves, are so here too.

        Raises EvaluationFailed if it throws, ContextLost if the document goes away. After `timeout` seconds the script
        is ended, a promise is given up, and EvaluationTimeout raised; the page goes on, unless it hung before.
        """
        self.settling.note(signals.Meddled())
        return await self.frames.main.evaluate(expression, isolated=False, timeout=timeout)

    @masked
    @time_limited
    async def title(self, *, timeout: float | None = CALL_S) -> str:
        """Return the title of the top document; raises CommandTimeout after `timeout` seconds."""
        return str(await self.frames.main.evaluate("document.title", timeout=timeout))

    @masked
    @time_limited
    async def capture(self, *, timeout: float | None = CALL_S, fresh: bool = False) -> Snapshot:
        """Return a snapshot of the whole page: shadow roots, frames and out-of-process frames included.

        It is the one before, the same object, if nothing has changed since: two round trips tell (`page.marks`), or the
        bytes. With `fresh` Chrome is asked in any case. The last snapshot is kept while its document is there.
        """
        return await self._captures.take(timeout=timeout, fresh=fresh)

    @masked
    @time_limited
    async def snapshot(
        self,
        *,
        scope: str = "page",
        budget: int = BUDGET,
        tree: Tree = "compact",
        links: bool = False,
        timeout: float | None = SNAPSHOT_S,
    ) -> AriaSnapshot:
        """Return what the page says as text for a model: its accessible tree in reading order, with refs.

        `scope` is "page", "viewport", a selector such as `ref=e12` for one element and what it holds, or `from=e12` for
        all from there on. `budget` is in characters: dialogs, controls and what comes first in lists go before the
        rest, and what is left out is said. `links` adds where they lead. It is made of a snapshot (`capture`), with no
        call of its own; `tree="accessibility"` asks Chrome for its own tree instead, which takes far longer. `timeout`
        is in seconds. Raises CommandTimeout, OptionInvalid, RefStale for a ref whose element is gone, and for a
        selector what locating raises.
        """
        return await page_text(self, scope=scope, budget=budget, tree=tree, links=links, deadline=Deadline(timeout))

    @property
    def captures(self) -> CaptureCounts:
        """How many captures the page has been asked for, how many were spared, and how large they were."""
        return self._captures.counts

    @masked
    async def execute_sequence(
        self, actions: Sequence[Any], *, on_step: OnStep | None = None, **options: Any
    ) -> SequenceResult:
        """Run actions, wait until the page is still, and return exactly what changed.

        `actions` are Structs of `stillframe.model.actions` or dicts as in the JSON form; `options` are the fields of
        `stillframe.model.options.SequenceOptions`, by their Python or JSON names. Calls on one page are serialised.
        A failing action is not raised: it is `failed` in the result, with what the earlier ones changed. `on_step` is
        called with the index and the Step of every attempted action as soon as it has ended. Raises ActionInvalid and
        OptionInvalid before anything runs, SessionLost for a page that is gone.

        It lasts no longer than the sum of its own limits and one second, whatever the page or the browser does: each
        action has its `timeout_ms`, else `action_timeout_ms` (navigations 30 s, a long press its duration more, typing
        the same again for every hundred key events), and the wait has `timeout_ms`. The looks at the page before and
        after take what is left of that, each half of `action_timeout_ms` and `timeout_ms` at most. The wait for earlier
        calls on the page, and stalls of the caller's own loop, do not count.

        Where a look is missing, `state_change` is None, `stable` False, and `reason` begins with `unseen`, `crashed` or
        `closed`: what changed is not known. With any other reason None means that nothing changed. The page's own
        scripts are not ended, but for one that holds up `settle="virtual"` and one that a failed navigation meets.
        """
        return await self.browser.engine.execute(self, actions, options, on_step)

    def expect_popup(self, *, timeout: float = 30.0) -> AbstractAsyncContextManager[asyncio.Future[Page]]:
        """Wait for the tab that this page opens: `async with page.expect_popup() as popup: …`, then `await popup`.

        Listening begins before the block; its end waits until the first tab that was opened can be used. `timeout` is
        in seconds. After a sequence there is nothing to wait for: `browser.page(result.new_targets[0])`. Raises
        WaitTimeout, and SessionLost for a tab that closes at once.
        """
        return popups.expect_popup(self, timeout)

    @masked
    async def settle(self, **options: Any) -> Verdict:
        """Wait until the page is still, and return why the wait ended; what is going on already is awaited too.

        `options` are those of `SequenceOptions` that say how to wait: settle, observe, timeout_ms, horizon_ms,
        stability_ms, poll_interval_ms and expect, by their Python or JSON names. Serialised with sequences. Whatever
        the page does is told by the verdict; raises OptionInvalid and SelectorInvalid before it waits.
        """
        return await settle(self, options)

    # -- looking -------------------------------------------------------------------------------

    @masked
    @time_limited
    async def screenshot(
        self,
        *,
        format: output.ImageFormat = "png",
        quality: int | None = None,
        full_page: bool = False,
        clip: output.Clip | None = None,
        selector: str | None = None,
        timeout: float | None = output.CAPTURE_TIMEOUT,
    ) -> bytes:
        """Return a picture of what is in view, of the whole page, or of a part of it.

        `quality` is 0 to 100, for jpeg and webp. `clip` is x, y, width and height in CSS pixels from the top left of
        the document, in this order or by name. `selector` shows one element, scrolled into view within its scrollers.
        Text that shows a secret of the context is painted over. Raises OptionInvalid, also for more pixels than Chrome
        can draw; for a selector what locating raises, and ElementHidden; SecretShown where Pillow is not installed.
        """
        return await output.screenshot(
            self, format=format, quality=quality, full_page=full_page, clip=clip, selector=selector, timeout=timeout
        )

    @masked
    @time_limited
    async def pdf(self, *, timeout: float | None = output.CAPTURE_TIMEOUT, **options: Any) -> bytes:
        """Return the page as a PDF; the options are those of `cdp_types.page.PrintToPDF`, lengths in inches.

        Raises OptionInvalid, and SecretShown if a secret of the context is on the page.
        """
        return await output.pdf(self, options, timeout=timeout)

    @masked
    @time_limited
    async def set_viewport(self, width: int, height: int, *, timeout: float | None = CALL_S, **more: Any) -> None:
        """Give this tab another size, in CSS pixels; `more` are the other fields of `Viewport`.

        `timeout` is in seconds. Raises OptionInvalid, and CommandTimeout.
        """
        self.viewport = viewport = check_viewport({"width": width, "height": height, **more})
        async with self.session.batch() as batch:
            batch.send(metrics(viewport))
            batch.send(touch(viewport))

    # -- plumbing ------------------------------------------------------------------------------

    def _begin(self) -> asyncio.Future[Any]:
        self.frames.scripts.append(elements_source())
        self.frames.adopt_main(self.session, self.target_id)
        self.frames.on_document(lambda frame: self.refs.forget(frame.url) if frame.is_main else None)
        ready = self._enable(self.session)
        self.session.auto_attach(self._attached)
        return ready

    def _attached(self, child: Session) -> None:
        info = child.target_info
        if info is not None and info.type == "iframe":
            self.frames.adopt_child(child, info.target_id, info.parent_frame_id)
            self._enable(child)
        elif info is not None:
            self.context.prepare(child, self)
            self.settling.watch(child)

    def _enable(self, session: Session) -> asyncio.Future[Any]:
        """Send a frame session all it needs in one go, awaiting nothing: its target may be waiting for us to finish."""
        self.dialogs.watch(session)
        self.browser.openers.watch(session, self)
        session.post(cdp_page.Enable())
        session.post(cdp_page.SetLifecycleEventsEnabled(enabled=True))
        # Without it a background tab has no frames, its timers run once a second, and a frame in another process never
        # gets a focus event.
        session.post(emulation.SetFocusEmulationEnabled(enabled=True))
        setup = self.context.prepare(session, self)
        if session is self.session:
            self.setup = setup
        self.settling.watch(session)
        self.frames.register(session)
        tree = session.post(cdp_page.GetFrameTree())
        tree.add_done_callback(lambda reply: self._fill(session, reply))
        return tree

    def _fill(self, session: Session, reply: asyncio.Future[Any]) -> None:
        if not reply.cancelled() and reply.exception() is None:
            self.frames.fill(session, reply.result().frame_tree)
