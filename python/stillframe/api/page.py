"""The calls of one page: navigate, act, wait, read, take screenshots. Each passes its work to the engine or the tab."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Unpack
from weakref import WeakValueDictionary

from stillframe.api import pictures, tracing
from stillframe.api.actions import MouseActions, SelectorActions
from stillframe.api.document_calls import DocumentCalls
from stillframe.api.expectations import PageExpectations
from stillframe.api.frame import Frame, frame_of, frames_of, main_frame_of
from stillframe.api.frame_waits import UrlPattern
from stillframe.api.handlers import Handlers
from stillframe.api.history import PageHistory
from stillframe.api.locator import PICTURE_MS, Locator, selectors_of
from stillframe.api.overlays import PageOverlays
from stillframe.api.page_input import PageInput
from stillframe.api.page_window import PageWindow
from stillframe.api.parts import default_limit, page_call
from stillframe.api.routing import PageRouting
from stillframe.api.scripts import Scripts
from stillframe.api.tracing import Tracing
from stillframe.api.web_storage import PageStorage
from stillframe.api.webmcp import WebMCP
from stillframe.api.workers import Worker
from stillframe.cdp import CDPSession
from stillframe.core import Snapshot
from stillframe.engine import sequence
from stillframe.engine import settle as waiting
from stillframe.engine.page_parts import PageParts
from stillframe.engine.sequence import OnStep
from stillframe.errors import OptionInvalid
from stillframe.loopguard import LoopGuard
from stillframe.model.actions import Action, AnswerDialog
from stillframe.model.aria_snapshot import AriaSnapshot
from stillframe.model.call_options import check_flag
from stillframe.model.events import OpenDialog
from stillframe.model.keywords import ActionKeywords, NavigationKeywords, SequenceKeywords, SettleKeywords
from stillframe.model.options import Settle
from stillframe.model.playwright_parameters import named
from stillframe.model.result import CaptureCounts, NavigationResult, SequenceResult
from stillframe.model.verdict import Verdict
from stillframe.tab.context.emulation import metrics, touch
from stillframe.tab.context.keywords import PdfKeywords, ScreenKeywords
from stillframe.tab.context.options import Viewport, check_viewport
from stillframe.tab.deadline import CALL_MS, Deadline, DefaultMs
from stillframe.tab.frames import Frame as TabFrame
from stillframe.tab.navigation import navigation
from stillframe.tab.navigation.loading import WaitUntil
from stillframe.tab.reading import aria_snapshot, marks, picture, reading, screenshot
from stillframe.tab.reading.marks import MarkedScreenshot
from stillframe.tab.saving import saved
from stillframe.trace.format import MAX_BYTES

NAVIGATION_MS = DefaultMs(navigation.NAVIGATION_TIMEOUT * 1000)


class PageBase(
    SelectorActions,
    Scripts,
    MouseActions,
    PageInput,
    DocumentCalls,
    PageWindow,
    PageOverlays,
    PageExpectations,
    PageHistory,
    PageRouting,
    PageStorage,
):
    """A page by itself; `Page` adds its context, its browser and its popups."""

    def __init__(self, parts: PageParts) -> None:
        super().__init__(parts)
        self._settler = parts.settler
        self._history = parts.history
        self._handlers = Handlers()
        self._workers: WeakValueDictionary[CDPSession, Worker] = WeakValueDictionary()
        self._tab.events.extras.update(page=self, frame_of=partial(Frame, parts))

    # -- properties ------------------------------------------------------------------------------

    @property
    def target_id(self) -> str:
        """The id of the page's CDP target."""
        return self._tab.target_id

    @property
    def url(self) -> str:
        """The URL of the top document, fragment included."""
        return self._tab.url

    @property
    def closed(self) -> bool:
        """Whether the tab or the connection is closed; a crashed page is not closed."""
        return self._tab.closed

    @property
    def cdp_session(self) -> CDPSession:
        """The CDP session of the page, for commands and events without a method here.

        Raises SessionDetached for a page that is not attached yet; see `Browser.pages`.
        """
        return self._tab.session

    @property
    def session_name(self) -> str | None:
        """The name of the `stillframe.Sessions` session that uses the page, or None."""
        return self._history.session_name

    @property
    def viewport(self) -> Viewport | None:
        """The size set by `set_viewport` or by the context, or None if the page has the size of its window."""
        return self._tab.viewport if self._tab.attached else None

    @property
    def response(self) -> NavigationResult | None:
        """The response to the last navigation, including `new_page(url)` and navigations of sequences."""
        return self._tab.response

    @property
    def response_headers(self) -> dict[str, str]:
        """The headers of that response, by their names in lower case; empty if no server responded."""
        return self._tab.context.redaction.redact(self._tab.response_headers)

    @property
    def dialog(self) -> OpenDialog | None:
        """The dialog that blocks the page until `answer_dialog`; None if there is none.

        It may be that of a tab which the page opened, or of the one that opened it: they share a thread. Only with the
        option `dialogs="ask"` does a dialog wait.
        """
        return self._tab.dialogs.open

    @property
    def verdict(self) -> Verdict | None:
        """How the wait of the last navigation ended; None if it did not wait for a still page."""
        return self._history.arrival

    @property
    def captures(self) -> CaptureCounts:
        """The number of snapshots captured and reused, and their size in bytes."""
        return self._tab.captures.counts

    @property
    def loop_guard(self) -> LoopGuard | None:
        """The guard that watches the actions of all sequences on the page for loops; see `stillframe.loopguard`."""
        return self._history.loop_guard

    @loop_guard.setter
    def loop_guard(self, guard: LoopGuard | None) -> None:
        self._history.loop_guard = guard

    # -- tracing ---------------------------------------------------------------------------------

    def trace(self, path: str | os.PathLike[str], *, screenshots: bool = False, max_bytes: int = MAX_BYTES) -> Tracing:
        """Record the page in a new trace file: `async with page.trace("shop.trace.jsonl"): …`.

        The file has one JSON object per line (`stillframe trace show FILE` makes a report of it) and is readable up to
        the last moment of a process that was killed. It holds actions, signals, the pending set, verdicts, deltas,
        requests and the console; no secrets, no request bodies and no response bodies. It ends at `max_bytes`, and at a
        failed write: the page goes on, and `close` or the end of the block raises TraceFailed.

        Args:
            path: The file, which must not exist.
            screenshots: Whether it holds a screenshot before and after each sequence.
            max_bytes: Its size at most; default 256,000,000.

        Returns:
            The trace, to enter or to close.

        Raises:
            TraceFailed: The file exists or cannot be created.
            OptionInvalid: `max_bytes` holds nothing.
        """
        return tracing.begin(self._parts, path, screenshots=screenshots, max_bytes=max_bytes)

    # -- navigation ------------------------------------------------------------------------------

    @page_call
    async def goto(
        self,
        url: str,
        *,
        until: WaitUntil = "load",
        timeout_ms: float | None = NAVIGATION_MS,
        settle: bool | Settle = False,
        referer: str | None = None,
        **options: Unpack[NavigationKeywords],
    ) -> NavigationResult:
        """Load a URL, follow its redirects, and return the final URL and the HTTP status.

        The call ends with the commit, the DOMContentLoaded or the load event of the last document; redirects by scripts
        while a document loads are followed as well. An HTTP error status raises nothing. After `timeout_ms` the page
        stops loading.

        A page that has not answered for a second is freed before it is left: its script is terminated, and if that does
        not help, its renderer ends.

        With `settle` the call waits until the page is still, and `page.verdict` says how that wait ended. The wait
        follows an application that loads: `horizon_ms` counts from the last sign of loading. Such a call waits for
        sequences that run on the page.

        Args:
            url: The URL, which may be relative to `base_url`.
            until: What to wait for: `load`, `domcontentloaded` or `commit`.
            timeout_ms: The limit of navigation and wait, in ms: 30,000 unless `set_default_navigation_timeout` changes
                it; None for no limit.
            settle: Whether to wait until the page is still, or how: a value of `SequenceOptions.settle`.
            referer: The URL of the page that leads there; as in a browser, a server of another origin is shown only its
                origin.
            **options: How to wait with `settle`: the options of `Page.settle` but `timeout_ms`, in place of which
                `settle_timeout_ms` (5,000 by default) limits the wait.

        Raises:
            UrlRefused: The URL is not allowed.
            OptionInvalid: An option is invalid; nothing has been loaded.
            SelectorInvalid: The selector of `expect` does not parse; nothing has been loaded.
            NavigationFailed: Nothing could be loaded, with the net error; also after `timeout_ms`, after 20 redirects
                by script, and with the reason `unresponsive` for a page that nothing frees.
        """
        deadline = Deadline.of_ms(timeout_ms)
        go = partial(navigation.navigate, self._tab, url, until=until, deadline=deadline, referer=referer)
        return await self._arrive(go, settle, options, deadline)

    @page_call
    async def go_back(
        self,
        *,
        until: WaitUntil = "load",
        timeout_ms: float | None = NAVIGATION_MS,
        settle: bool | Settle = False,
        **options: Unpack[NavigationKeywords],
    ) -> NavigationResult:
        """Go one entry back in the history; otherwise like `goto`.

        Args:
            until: What to wait for: `load`, `domcontentloaded` or `commit`.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_navigation_timeout` changes it; None
                for no limit.
            settle: Whether to wait until the page is still, or how: a value of `SequenceOptions.settle`.
            **options: How to wait with `settle`, as for `goto`.

        Raises:
            ActionFailed: There is no entry.
            NavigationFailed: Nothing could be loaded.
        """
        deadline = Deadline.of_ms(timeout_ms)
        go = partial(navigation.go, self._tab, -1, until=until, deadline=deadline)
        return await self._arrive(go, settle, options, deadline)

    @page_call
    async def go_forward(
        self,
        *,
        until: WaitUntil = "load",
        timeout_ms: float | None = NAVIGATION_MS,
        settle: bool | Settle = False,
        **options: Unpack[NavigationKeywords],
    ) -> NavigationResult:
        """Go one entry forward in the history; otherwise like `goto`.

        Args:
            until: What to wait for: `load`, `domcontentloaded` or `commit`.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_navigation_timeout` changes it; None
                for no limit.
            settle: Whether to wait until the page is still, or how: a value of `SequenceOptions.settle`.
            **options: How to wait with `settle`, as for `goto`.

        Raises:
            ActionFailed: There is no entry.
            NavigationFailed: Nothing could be loaded.
        """
        deadline = Deadline.of_ms(timeout_ms)
        go = partial(navigation.go, self._tab, 1, until=until, deadline=deadline)
        return await self._arrive(go, settle, options, deadline)

    @page_call
    async def reload(
        self,
        *,
        until: WaitUntil = "load",
        timeout_ms: float | None = NAVIGATION_MS,
        settle: bool | Settle = False,
        **options: Unpack[NavigationKeywords],
    ) -> NavigationResult:
        """Load the page again; otherwise like `goto`.

        Args:
            until: What to wait for: `load`, `domcontentloaded` or `commit`.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_navigation_timeout` changes it; None
                for no limit.
            settle: Whether to wait until the page is still, or how: a value of `SequenceOptions.settle`.
            **options: How to wait with `settle`, as for `goto`.

        Raises:
            NavigationFailed: Nothing could be loaded.
        """
        deadline = Deadline.of_ms(timeout_ms)
        go = partial(navigation.reload, self._tab, until=until, deadline=deadline)
        return await self._arrive(go, settle, options, deadline)

    async def _arrive(
        self, go: Any, settle: bool | Settle, options: Mapping[str, Any], deadline: Deadline
    ) -> NavigationResult:
        return await waiting.arrive(self._settler, self._history, go, settle, options, deadline)

    # -- time limits -----------------------------------------------------------------------------

    @named
    def set_default_timeout(self, timeout_ms: float | None) -> None:
        """Set the limit of the page's calls that are not given one.

        It is the `action_timeout_ms` of actions and waits, the `timeout_ms` of reads, screenshots and `expect_…`, and
        the limit of navigations unless `set_default_navigation_timeout` has set another. It is not that of `evaluate`,
        nor that of the wait for a still page after an action (`timeout_ms` there). The page's own default comes before
        that of its context.

        Args:
            timeout_ms: The limit in ms, above 0 and at most 600,000; None gives back the defaults.

        Raises:
            OptionInvalid: It is not such a number.
        """
        self._timeouts.set_call(timeout_ms)

    @named
    def set_default_navigation_timeout(self, timeout_ms: float | None) -> None:
        """Set the limit of navigations that are not given one, those of sequences included.

        Args:
            timeout_ms: The limit in ms, above 0 and at most 600,000; None gives back the defaults.

        Raises:
            OptionInvalid: It is not such a number.
        """
        self._timeouts.set_navigation(timeout_ms)

    # -- acting and waiting ----------------------------------------------------------------------

    @page_call
    async def execute_sequence(
        self,
        actions: Sequence[Action | Mapping[str, Any]],
        *,
        check: bool = False,
        on_step: OnStep | None = None,
        **options: Unpack[SequenceKeywords],
    ) -> SequenceResult:
        """Run actions, wait until the page is still, and return exactly what changed.

        Calls on one page run one after the other. The sequence stops at the first action that fails: it is `failed` in
        the result, which shows what the earlier ones changed.

        The call takes at most the sum of its limits and one second, whatever the page or the browser does. Each action
        has its own `timeout_ms`, or else `action_timeout_ms`; navigations have 30 s, a long press its duration more,
        and typing the same again for every hundred key events. The wait has `timeout_ms`. The snapshots before and
        after take what is left of that, each at most half of `action_timeout_ms` and `timeout_ms` together. The time
        that earlier calls on the page take does not count, nor does one stall of the caller's event loop, and of many
        stalls some two seconds.

        If a snapshot is missing, what changed is not known: `state_change` is None, `stable` is False, and `reason`
        is `unseen`, `crashed` or `closed`. With any other reason, None means that nothing changed. Scripts of the page
        are terminated in two cases only: if one blocks `settle="virtual"`, or a navigation (see `goto`).

        Args:
            actions: Structs of `stillframe.model.actions`, or dicts as in the JSON form.
            check: Whether the error of a failed action is raised, with the `index` of the action and the `result`.
            on_step: A function of the index and the Step of each action, called when it ends.
            **options: The fields of `stillframe.model.options.SequenceOptions`, by their Python or JSON names.

        Raises:
            ActionInvalid: An action is invalid; nothing has run.
            OptionInvalid: An option is invalid; nothing has run.
            SessionLost: The page is closed.
            ActionFailed: With `check`, an action fails.
        """
        __tracebackhide__ = True
        check_flag(check)
        result = await sequence.execute(self._settler, self._history, actions, options, on_step)
        return result.raise_for_failure() if check else result

    async def answer_dialog(
        self, accept: bool, *, prompt_text: str | None = None, **options: Unpack[ActionKeywords]
    ) -> SequenceResult:
        """Answer the dialog that blocks the page, wait until the page is still, and return what changed.

        The changes are those since the call that the dialog ended. If the answer leads to another dialog, that is
        `open_dialog` of the result.

        Args:
            accept: Whether to accept it, or to dismiss it.
            prompt_text: The text for a prompt, which otherwise gets its default text.
            **options: How to wait and what to report: the fields of `SequenceOptions`, and `check`.

        Returns:
            What changed, as `Page.execute_sequence` returns it.

        Raises:
            NoDialog: No dialog waits. With `check=False` it is `failed` in the result.
        """
        return await self._act(AnswerDialog(accept=accept, prompt_text=prompt_text), options)

    @page_call
    async def settle(self, **options: Unpack[SettleKeywords]) -> Verdict:
        """Wait until the page is still, and return why the wait ended. Activity that began earlier is awaited too.

        The call waits for sequences that run on the page. A page that does not become still raises nothing: the verdict
        says so.

        Args:
            **options: The fields of `SequenceOptions` that say how to wait, by their Python or JSON names: settle,
                observe, timeout_ms, horizon_ms, stability_ms, poll_interval_ms and expect.

        Raises:
            OptionInvalid: An option is invalid; nothing has been waited for.
            SelectorInvalid: The selector of `expect` does not parse; nothing has been waited for.
        """
        return await waiting.settle(self._settler, options)

    # -- reading ---------------------------------------------------------------------------------

    @default_limit
    async def title(self, *, timeout_ms: float | None = CALL_MS) -> str:
        """Return the title of the top document.

        Args:
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Raises:
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        return await self.main_frame.title(timeout_ms=timeout_ms)

    @page_call
    async def content(self, *, timeout_ms: float | None = CALL_MS) -> str:
        """Return the top document as HTML, its doctype included; shadow roots and frames are not part of it.

        Secrets of the context, and what is in fields that hide it, are left out.

        Args:
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Raises:
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        return await reading.markup(self._tab, self._tab.frames.main, deadline=Deadline.of_ms(timeout_ms))

    @page_call
    async def snapshot(self, *, timeout_ms: float | None = CALL_MS, fresh: bool = False) -> Snapshot:
        """Return a DOM snapshot of the whole page: shadow roots, frames and out-of-process frames included.

        If nothing has changed since the last snapshot, the same object is returned. The last snapshot is kept until its
        document is replaced.

        Args:
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.
            fresh: Whether Chrome captures the page in any case.

        Raises:
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        return await self._tab.captures.take(Deadline.of_ms(timeout_ms), fresh=fresh)

    @page_call
    async def aria_snapshot(
        self,
        *,
        scope: str = "page",
        budget: int = aria_snapshot.BUDGET,
        tree: aria_snapshot.Tree = "compact",
        links: bool = False,
        timeout_ms: float | None = aria_snapshot.ARIA_MS,
    ) -> AriaSnapshot:
        """Return the accessible tree of the page as text for a model, in reading order and with refs.

        Args:
            scope: `page`, `viewport`, a selector such as `ref=e12` for one element and its content, or `from=e12` for
                everything from there on.
            budget: How many characters the text may have; dialogs, controls and the beginnings of lists take
                precedence, and the text says what it leaves out.
            tree: `compact` makes the text of a DOM snapshot, `accessibility` asks Chrome for its own tree, which takes
                far longer.
            links: Whether the targets of links are added.
            timeout_ms: The limit of the call, in ms: 60,000 unless `set_default_timeout` changes it; None for no limit.

        Raises:
            OptionInvalid: An argument is invalid.
            RefStale: The element of a ref is gone.
            SelectorInvalid: The selector does not parse.
            ElementNotFound: Nothing matches the selector.
            AmbiguousSelector: Several elements match the selector.
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        deadline = Deadline.of_ms(timeout_ms)
        return await aria_snapshot.page_text(
            self._tab, scope=scope, budget=budget, tree=tree, links=links, deadline=deadline
        )

    # -- elements and frames ---------------------------------------------------------------------

    @property
    def main_frame(self) -> Frame:
        """The top frame."""
        return main_frame_of(self._parts)

    @property
    def frames(self) -> list[Frame]:
        """All frames, those of other processes included, the main frame first.

        A page that is not attached yet (see `Browser.pages`) knows its main frame only.
        """
        return frames_of(self._parts)

    def frame(self, name: str | None = None, *, url: UrlPattern | None = None) -> Frame | None:
        """Return the first frame of that name or with such a URL, or None; exactly one of the two is given.

        Args:
            name: The name of the frame.
            url: A part of the URL (`*` stands for anything), a compiled regular expression that is searched in it, or a
                function of it.

        Raises:
            OptionInvalid: Not exactly one of them is given.
        """
        return frame_of(self._parts, name, url)

    @property
    def webmcp(self) -> WebMCP:
        """The tools that the page offers to agents: `await page.webmcp.tools()` lists them, `call_tool` calls one."""
        return WebMCP(self._parts)

    @property
    def _place(self) -> str:
        return ""

    @property
    def _frame(self) -> TabFrame:
        return self._tab.frames.main

    def _frame_of_id(self, frame_id: str) -> Frame:
        return Frame(self._parts, frame_id)

    @property
    def _frame_id(self) -> str:
        return self._tab.target_id

    # -- screenshots --------------------------------------------------------------------------------

    @page_call
    async def screenshot(  # noqa: PLR0913  by keyword
        self,
        *,
        path: str | os.PathLike[str] | None = None,
        format: screenshot.ImageFormat | None = None,
        type: screenshot.ImageFormat | None = None,
        quality: int | None = None,
        full_page: bool = False,
        clip: screenshot.Clip | None = None,
        selector: str | None = None,
        mask: Sequence[str | Locator] = (),
        mask_color: str = picture.MASK_COLOR,
        animations: picture.Animations = "allow",
        caret: picture.Caret = "initial",
        omit_background: bool = False,
        scale: picture.Scale = "device",
        style: str = "",
        timeout_ms: float | None = PICTURE_MS,
    ) -> bytes:
        """Return a screenshot of the viewport, of the whole page (`full_page`), or of a part of it.

        Text that shows a secret of the context is painted over. Closed shadow roots keep their own animations and
        styles.

        Args:
            path: The file to write the picture to as well; its name says the format unless `format` does.
            format: `png` (the default), `jpeg` or `webp`.
            type: Playwright's name of `format`.
            quality: 0 to 100, for jpeg and webp.
            full_page: Whether the picture shows the whole page.
            clip: What it shows: x, y, width and height in CSS pixels from the top left of the document, in this order
                or by name.
            selector: The one element that it shows, scrolled into view.
            mask: What is covered: selectors or locators.
            mask_color: The colour of what covers it.
            animations: `disabled` ends animations that have an end, shows others at their start, and lets them run on
                afterwards.
            caret: `hide` hides the caret.
            omit_background: Whether to leave out the white behind a page without a background of its own, in png and
                webp.
            scale: `css` has one pixel per CSS pixel on any screen, `device` those of the screen.
            style: CSS for all documents of the page, while the picture is taken.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Raises:
            OptionInvalid: An option is invalid, or the picture has more pixels than Chrome can draw.
            SelectorInvalid: The selector does not parse.
            ElementNotFound: Nothing matches the selector within `timeout_ms`.
            AmbiguousSelector: Several elements match the selector.
            ElementHidden: The element is not rendered.
            SecretShown: There is a secret to paint over, and Pillow is not installed.
        """
        return await pictures.take(
            self._tab,
            path,
            Deadline.of_ms(timeout_ms),
            {
                "format": format,
                "type": type,
                "quality": quality,
                "mask_color": mask_color,
                "animations": animations,
                "caret": caret,
                "omit_background": omit_background,
                "scale": scale,
                "style": style,
            },
            full_page=full_page,
            clip=clip,
            selector=selector,
            mask=selectors_of(mask),
        )

    @page_call
    async def marked_screenshot(
        self, *, max_marks: int = marks.MAX_MARKS, timeout_ms: float | None = PICTURE_MS
    ) -> MarkedScreenshot:
        """Return a picture of the viewport on which each element with a ref has a number, and the box of each.

        Text that shows a secret of the context is painted over.

        Args:
            max_marks: How many elements are marked at most, the first in reading order; default 60.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Returns:
            `image` is a PNG, `marks` says which ref, role, name and box each number stands for, and `boxes` has the
            boxes by ref.

        Raises:
            OptionInvalid: An argument is invalid.
            InputError: Pillow is not installed.
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        if not isinstance(max_marks, int) or max_marks < 0:
            raise OptionInvalid(f"option max_marks: {max_marks!r} is not a number of marks", option="max_marks")
        return await marks.marked_screenshot(self._tab, max_marks=max_marks, deadline=Deadline.of_ms(timeout_ms))

    @page_call
    async def pdf(
        self,
        *,
        path: str | os.PathLike[str] | None = None,
        timeout_ms: float | None = PICTURE_MS,
        **options: Unpack[PdfKeywords],
    ) -> bytes:
        """Return the page as a PDF: `await page.pdf(format="A4")`.

        Args:
            path: The file to write it to as well.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.
            **options: `format` is Letter, Legal, Tabloid, Ledger or A0 to A6; `width`, `height` and `margin` (one
                length, or a mapping of top, right, bottom and left) are CSS pixels, or texts with a unit such as
                `"1cm"`. The others are those of `cdp_types.page.PrintToPDF`, whose lengths are in inches.

        Raises:
            OptionInvalid: An argument is invalid.
            SecretShown: The page shows a secret of the context.
        """
        return await saved(await screenshot.pdf(self._tab, options, deadline=Deadline.of_ms(timeout_ms)), path)

    @page_call
    async def set_viewport(
        self, width: int, height: int, *, timeout_ms: float | None = CALL_MS, **more: Unpack[ScreenKeywords]
    ) -> None:
        """Resize the page.

        Args:
            width: The width of the viewport in CSS pixels.
            height: Its height.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.
            **more: The other fields of `Viewport`.

        Raises:
            OptionInvalid: An argument is invalid.
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        self._tab.viewport = viewport = check_viewport({"width": width, "height": height, **more})
        async with self._tab.session.batch() as batch:
            batch.send(metrics(viewport))
            batch.send(touch(viewport))
