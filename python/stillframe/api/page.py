"""What can be done with one page: navigate, act, wait, read, look. Each call hands over to the engine or the tab."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from stillframe.api.events import PageEvents
from stillframe.api.redacted import redacted
from stillframe.api.routing import PageRouting
from stillframe.cdp import CDPSession
from stillframe.core import Snapshot
from stillframe.engine import sequence
from stillframe.engine import settle as waiting
from stillframe.engine.history import History
from stillframe.engine.sequence import OnStep
from stillframe.loopguard import LoopGuard
from stillframe.model.options import Settle
from stillframe.model.result import CaptureCounts, Response, SequenceResult
from stillframe.model.text import PageText
from stillframe.model.verdict import Verdict
from stillframe.settling import signals
from stillframe.settling.settler import Settler
from stillframe.tab import aria_snapshot, navigation, screenshot
from stillframe.tab.deadline import CALL_MS, Deadline, in_seconds, time_limited
from stillframe.tab.emulation import metrics, touch
from stillframe.tab.loading import WaitUntil
from stillframe.tab.options import Viewport, check_viewport
from stillframe.tab.tab import Tab

NAVIGATION_MS = navigation.NAVIGATION_TIMEOUT * 1000
PICTURE_MS = screenshot.CAPTURE_TIMEOUT * 1000
ARIA_MS = 60_000.0
"""Milliseconds that a text of the page may take: Chrome's accessibility tree of 20,000 elements takes nine seconds on a
busy machine (measured)."""


class PageParts(NamedTuple):
    """What a page is made of, for the rooms above `api`."""

    tab: Tab
    settler: Settler
    history: History


def parts_of(page: PageBase) -> PageParts:
    """Return the parts of a page."""
    return PageParts(page._tab, page._settler, page._history)


class PageBase(PageEvents, PageRouting):
    """What a page can do by itself; `Page` adds its context, its browser and its popups."""

    def __init__(self, tab: Tab, settler: Settler) -> None:
        self._tab = tab
        self._settler = settler
        self._history = History(tab.frames)

    # -- what it is ------------------------------------------------------------------------------

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
        """Whether the tab, or the connection to it, is gone; a crashed page is not closed."""
        return self._tab.closed

    @property
    def cdp_session(self) -> CDPSession:
        """The CDP session of the page, for commands and events that have no method here."""
        return self._tab.session

    @property
    def session_name(self) -> str | None:
        """The name of the session of `stillframe.Sessions` that the page belongs to, if it does."""
        return self._history.session_name

    @property
    def viewport(self) -> Viewport | None:
        """The size that the page was given; None if it has that of its window."""
        return self._tab.viewport

    @property
    def response(self) -> Response | None:
        """What the last navigation came to, `new_page(url)` and those of sequences included."""
        return self._tab.response

    @property
    def verdict(self) -> Verdict | None:
        """How the last navigation settled; None if it was not asked to."""
        return self._history.arrival

    @property
    def captures(self) -> CaptureCounts:
        """How many snapshots were captured, how many captures were spared, and how large they were."""
        return self._tab.captures.counts

    @property
    def loop_guard(self) -> LoopGuard | None:
        """Watches the actions of all sequences on the page for loops, if it is set; see `stillframe.loopguard`."""
        return self._history.loop_guard

    @loop_guard.setter
    def loop_guard(self, guard: LoopGuard | None) -> None:
        self._history.loop_guard = guard

    # -- navigation ------------------------------------------------------------------------------

    @redacted
    @time_limited
    async def goto(
        self,
        url: str,
        *,
        until: WaitUntil = "load",
        timeout_ms: float | None = NAVIGATION_MS,
        settle: bool | Settle = False,
        **options: Any,
    ) -> Response:
        """Load a URL, follow where it leads by itself, and return its final URL and HTTP status.

        The wait ends with the commit, the DOMContentLoaded or the load event of the last document: one that leads to
        another while it loads is followed. A failed status is no error. After `timeout_ms` the page stops loading.
        Raises UrlRefused for a URL that is not allowed, NavigationFailed with the net error when nothing could be
        loaded, time ran out, or more than 20 documents in a row led on by script.

        With `settle` (True, or how, as in `SequenceOptions.settle`) the wait goes on until the page is still, and
        `page.verdict` says how it ended. It follows the application that loads: `horizon_ms` counts from the last sign
        that it still does. `options` are those of `Page.settle`, `settle_timeout_ms` instead of its `timeout_ms`
        (5000 by default): `timeout_ms` covers navigation and wait. Serialised with sequences then. Raises OptionInvalid and SelectorInvalid before it loads.
        """
        go = partial(navigation.navigate, self._tab, url, until=until, timeout=in_seconds(timeout_ms))
        return await self._arrive(go, settle, options, timeout_ms)

    @redacted
    @time_limited
    async def go_back(
        self,
        *,
        until: WaitUntil = "load",
        timeout_ms: float | None = NAVIGATION_MS,
        settle: bool | Settle = False,
        **options: Any,
    ) -> Response:
        """Go one entry back in the history, as `goto` goes; raises ActionFailed if there is none."""
        go = partial(navigation.go, self._tab, -1, until=until, timeout=in_seconds(timeout_ms))
        return await self._arrive(go, settle, options, timeout_ms)

    @redacted
    @time_limited
    async def go_forward(
        self,
        *,
        until: WaitUntil = "load",
        timeout_ms: float | None = NAVIGATION_MS,
        settle: bool | Settle = False,
        **options: Any,
    ) -> Response:
        """Go one entry forward in the history, as `goto` goes; raises ActionFailed if there is none."""
        go = partial(navigation.go, self._tab, 1, until=until, timeout=in_seconds(timeout_ms))
        return await self._arrive(go, settle, options, timeout_ms)

    @redacted
    @time_limited
    async def reload(
        self,
        *,
        until: WaitUntil = "load",
        timeout_ms: float | None = NAVIGATION_MS,
        settle: bool | Settle = False,
        **options: Any,
    ) -> Response:
        """Load the page again, as `goto` loads it."""
        go = partial(navigation.reload, self._tab, until=until, timeout=in_seconds(timeout_ms))
        return await self._arrive(go, settle, options, timeout_ms)

    async def _arrive(
        self, go: Any, settle: bool | Settle, options: Mapping[str, Any], timeout_ms: float | None
    ) -> Response:
        timeout = in_seconds(timeout_ms)
        response = await waiting.arrive(self._settler, self._history, go, settle, options, timeout)
        self._tab.response = response
        return response

    # -- acting and waiting ----------------------------------------------------------------------

    @redacted
    async def execute_sequence(
        self, actions: Sequence[Any], *, on_step: OnStep | None = None, **options: Any
    ) -> SequenceResult:
        """Run actions, wait until the page is still, and return exactly what changed.

        `actions` are Structs of `stillframe.model.actions` or dicts as in the JSON form; `options` are the fields of
        `stillframe.model.options.SequenceOptions`, by their Python or JSON names. Calls on one page are serialised.
        A failing action is not raised: it is `failed` in the result, with what the earlier ones changed. `on_step` gets
        the index and the Step of every attempted action as soon as it has ended. Raises ActionInvalid and OptionInvalid
        before anything runs, SessionLost for a page that is gone.

        It lasts no longer than the sum of its own limits and one second, whatever the page or the browser does: each
        action has its `timeout_ms`, else `action_timeout_ms` (navigations 30 s, a long press its duration more, typing
        the same again for every hundred key events), and the wait has `timeout_ms`. The looks at the page before and
        after take what is left of that, each half of `action_timeout_ms` and `timeout_ms` at most. The wait for earlier
        calls on the page, and stalls of the caller's own loop, do not count.

        Where a look is missing, `state_change` is None, `stable` False, and `reason` begins with `unseen`, `crashed` or
        `closed`: what changed is not known. With any other reason None means that nothing changed. The page's own
        scripts are not ended, but for one that holds up `settle="virtual"` and one that a failed navigation meets.
        """
        return await sequence.execute(self._settler, self._history, actions, options, on_step)

    @redacted
    async def settle(self, **options: Any) -> Verdict:
        """Wait until the page is still, and return why the wait ended; it awaits what is going on already, too.

        `options` are those of `SequenceOptions` that say how to wait: settle, observe, timeout_ms, horizon_ms,
        stability_ms, poll_interval_ms and expect, by their Python or JSON names. Serialised with sequences. The verdict
        reports whatever the page does; raises OptionInvalid and SelectorInvalid before it waits.
        """
        return await waiting.settle(self._settler, options)

    # -- reading ---------------------------------------------------------------------------------

    @redacted
    @time_limited
    async def evaluate(self, expression: str, *, timeout_ms: float | None = CALL_MS) -> Any:
        """Evaluate an expression in the page's own world and return its value; a promise is awaited.

        NaN, ±Infinity and -0 are floats; a BigInt is an int, as is a number without a fraction. A Date is a datetime
        in UTC (a float of milliseconds outside of Python's years, NaN if it is none), a RegExp a `re.Pattern` (a text
        if Python has no such expression), a URL a `urllib.parse.ParseResult`, an Error a `JsError`, a Map a dict and a
        Set a set (lists, of pairs for a Map, if it holds what Python cannot hash), an ArrayBuffer or its bytes `bytes`,
        another typed array a list. undefined, functions and symbols are None; `ref: <Node>`, `ref: <Document>` and
        `ref: <Window>` stand for what is no value. Objects that are the same, or hold themselves, are so here too.

        Raises EvaluationFailed if it throws, ContextLost if the document goes away. After `timeout_ms` the script is
        ended, a promise is given up, and EvaluationTimeout raised; the page goes on, unless it hung before.
        """
        self._settler.note(signals.CallerScriptRan())
        return await self._tab.frames.main.evaluate(expression, isolated=False, timeout=in_seconds(timeout_ms))

    @redacted
    @time_limited
    async def title(self, *, timeout_ms: float | None = CALL_MS) -> str:
        """Return the title of the top document; raises CommandTimeout after `timeout_ms`."""
        return str(await self._tab.frames.main.evaluate("document.title", timeout=in_seconds(timeout_ms)))

    @redacted
    @time_limited
    async def snapshot(self, *, timeout_ms: float | None = CALL_MS, fresh: bool = False) -> Snapshot:
        """Return a DOM snapshot of the whole page: shadow roots, frames and out-of-process frames included.

        It is the one before, the same object, if nothing has changed since, which two round trips or the bytes show.
        With `fresh` Chrome captures in any case. The last snapshot is kept while its document is there.
        """
        return await self._tab.captures.take(timeout=in_seconds(timeout_ms), fresh=fresh)

    @redacted
    @time_limited
    async def aria_snapshot(
        self,
        *,
        scope: str = "page",
        budget: int = aria_snapshot.BUDGET,
        tree: aria_snapshot.Tree = "compact",
        links: bool = False,
        timeout_ms: float | None = ARIA_MS,
    ) -> PageText:
        """Return what the page says as text for a model: its accessible tree in reading order, with refs.

        `scope` is "page", "viewport", a selector such as `ref=e12` for one element and what it holds, or `from=e12` for
        all from there on. `budget` is in characters: dialogs, controls and what comes first in lists go before the
        rest, and the text says what it leaves out. `links` adds where they lead. It is made of a DOM snapshot, with no
        call of its own; `tree="accessibility"` asks Chrome for its own tree instead, which takes far longer. Raises
        CommandTimeout, OptionInvalid, RefStale for a ref whose element is gone, and for a selector what locating
        raises.
        """
        deadline = Deadline(in_seconds(timeout_ms))
        return await aria_snapshot.page_text(
            self._tab, scope=scope, budget=budget, tree=tree, links=links, deadline=deadline
        )

    # -- pictures --------------------------------------------------------------------------------

    @redacted
    @time_limited
    async def screenshot(
        self,
        *,
        format: screenshot.ImageFormat = "png",
        quality: int | None = None,
        full_page: bool = False,
        clip: screenshot.Clip | None = None,
        selector: str | None = None,
        timeout_ms: float | None = PICTURE_MS,
    ) -> bytes:
        """Return a picture of what is in view, of the whole page, or of a part of it.

        `quality` is 0 to 100, for jpeg and webp. `clip` is x, y, width and height in CSS pixels from the top left of
        the document, in this order or by name. `selector` shows one element, scrolled into view within its scrollers.
        Text that shows a secret of the context is painted over. Raises OptionInvalid, also for more pixels than Chrome
        can draw; for a selector what locating raises, and ElementHidden; SecretShown where Pillow is not installed.
        """
        timeout = in_seconds(timeout_ms)
        return await screenshot.screenshot(
            self._tab,
            format=format,
            quality=quality,
            full_page=full_page,
            clip=clip,
            selector=selector,
            timeout=timeout,
        )

    @redacted
    @time_limited
    async def pdf(self, *, timeout_ms: float | None = PICTURE_MS, **options: Any) -> bytes:
        """Return the page as a PDF; the options are those of `cdp_types.page.PrintToPDF`, lengths in inches.

        Raises OptionInvalid, and SecretShown if a secret of the context is on the page.
        """
        return await screenshot.pdf(self._tab, options, timeout=in_seconds(timeout_ms))

    @redacted
    @time_limited
    async def set_viewport(self, width: int, height: int, *, timeout_ms: float | None = CALL_MS, **more: Any) -> None:
        """Give this page another size, in CSS pixels; `more` are the other fields of `Viewport`.

        Raises OptionInvalid, and CommandTimeout.
        """
        self._tab.viewport = viewport = check_viewport({"width": width, "height": height, **more})
        async with self._tab.session.batch() as batch:
            batch.send(metrics(viewport))
            batch.send(touch(viewport))
