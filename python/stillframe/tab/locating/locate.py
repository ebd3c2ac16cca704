"""Find elements: into frames, through shadow roots, waiting for exactly one match.

The page script does the waiting: it searches again when the document changes, and Python awaits one promise. Python
does what the page script cannot do alone: entering frames, resolving refs, and passing on closed shadow roots.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from stillframe.cdp.loop_clock import time_limit
from stillframe.cdp_types import dom
from stillframe.errors import (
    AmbiguousSelector,
    CdpError,
    ContextLost,
    ElementDetached,
    ElementNotFound,
    ElementUnsuitable,
    EvaluationFailed,
    SelectorInvalid,
    SessionLost,
)
from stillframe.injected import elements
from stillframe.tab.frames import FRAME_TAGS, ElementHandle, Frame
from stillframe.tab.locating import selectors
from stillframe.tab.locating.answering import show_listeners
from stillframe.tab.locating.by_ref import resolve_ref
from stillframe.tab.locating.closed_roots import adopt_closed_roots
from stillframe.tab.locating.lazy_frames import NOT_LOADED, awaited_document, bring_lazy_frame, owner_of
from stillframe.tab.locating.nearest import missing, nearest
from stillframe.tab.locating.query import Identity, Query, Report, Target
from stillframe.tab.locating.quoting import shortened
from stillframe.tab.remote import CONTEXT_LOST

if TYPE_CHECKING:
    from stillframe.tab.deadline import Deadline
    from stillframe.tab.tab import Tab

ACTION_TIMEOUT = 3.0
"""Seconds to wait for an element by default, as webdriverio's element commands do."""

SEARCH_INTERVALS = (0.15, 0.85, 2.0)
"""Seconds of waiting after which closed shadow roots are searched again; the last one repeats.

Few, because each takes a snapshot (4 ms for 1,000 nodes, 400 ms for 100,000)."""

RETRY_S = 0.05
"""Seconds to wait for the next document after one was lost, before the search continues anyway."""

ANSWER_MARGIN = 5.0
"""Seconds by which a busy page may answer late."""


FrameTest = Callable[["Frame"], Coroutine[Any, Any, bool]]


class Search:
    """One selector, searched for until a deadline, however often documents are replaced meanwhile."""

    def __init__(self, tab: Tab, text: str, deadline: Deadline) -> None:
        self.tab = tab
        self.selector = selectors.parse(text)
        self.text = text
        self.shown = shortened(text)
        self.deadline = deadline
        self.heal = True
        """Whether a ref may heal to the element that replaced its own."""

    async def prepare(self, need: dict[str, Any], args: dict[str, Any] | None = None) -> tuple[Frame, Report]:
        """Bring the element into the state that an action needs; the report may contain a fault of the element.

        Raises ElementNotFound, AmbiguousSelector, SelectorInvalid, ElementDetached.
        """
        while True:
            try:
                return await self._prepare(await self.enter(), self.selector.chain, need, args or {})
            except (CdpError, SessionLost) as error:
                await self.retry_after(error)

    async def enter(self) -> Frame:
        """Enter the frames that the selector names, and return the innermost one."""
        frame = self.tab.frames.main
        for hop in self.selector.hops:
            frame = await self._enter(frame, hop)
            await self._await_lazy(frame)
        return frame

    async def query(self, frame: Frame, chain: selectors.Chain) -> tuple[Frame, Target]:
        """Return what to pass to a frame's page script, with the frame: a chain, or the element for a lone ref."""
        first, *rest = chain.steps
        if not isinstance(first, selectors.Ref):
            return frame, Query([msgspec.to_builtins(step) for step in chain.steps])
        frame, handle = await resolve_ref(self.tab, first.ref, self.deadline, heal=self.heal)
        return frame, Query([msgspec.to_builtins(step) for step in rest], handle) if rest else handle

    # -- asking the page script ----------------------------------------------------------------

    async def _prepare(
        self, frame: Frame, chain: selectors.Chain, need: dict[str, Any], args: dict[str, Any]
    ) -> tuple[Frame, Report]:
        outer = frame
        while True:
            frame, target = await self.query(outer, chain)
            report = await self._ask(frame, target, need, args)
            if report.fault != "detached" or not report.final:
                break
            # It left while it was made ready: the page may have recreated the element of a ref.
            if not isinstance(chain.steps[0], selectors.Ref) or not self.deadline.left_s:
                raise self._detached()
        if report.fault == "syntax":
            raise self.syntax(report)
        if report.fault == "none":
            raise await self._not_found(frame, chain, target, report)
        if report.fault == "many":
            raise self.ambiguous(frame, report)
        return frame, report

    async def _ask(self, frame: Frame, target: Target, need: dict[str, Any], args: dict[str, Any]) -> Report:
        for interval in search_intervals():
            last = interval >= self.deadline.left_s
            report = await ask(frame, target, need, args, self.deadline.within(interval))
            if report.fault != "none":
                if not report.fault or report.final or not self.deadline.left_s:
                    return report
                if report.widget:
                    await show_listeners(frame, await handle_of(frame, report.widget, self.text))
                return await ask(frame, target, need, args, self.deadline)
            if not await adopt_closed_roots(self.tab, frame) and last:
                return report
        raise AssertionError("search intervals never end")

    async def retry_after(self, error: CdpError | SessionLost) -> None:
        """Wait for a new document after one went away, or re-raise; nothing was sent to the page yet."""
        gone = isinstance(error, SessionLost) or error.number == CONTEXT_LOST
        if not gone or self.tab.session.error is not None:
            raise error
        if not self.deadline.left_s:
            raise ElementDetached(
                f"{self.shown}: its document went away before the action, and no new one came within "
                f"{self.deadline.shown}; wait for the navigation to finish first",
                selector=self.text,
            ) from error
        await next_document(self.tab, self.deadline.within(RETRY_S))

    # -- frames and refs -----------------------------------------------------------------------

    async def _enter(self, frame: Frame, hop: selectors.Hop) -> Frame:
        step, path = hop.frame, hop.path
        if isinstance(step, selectors.FrameId):
            return self._frame_of_id(step.id)
        if isinstance(step, selectors.FrameName):
            return await self._frame_where(frame, path, _named(step.name), f"the name {step.name!r}")
        if isinstance(step, selectors.FrameUrl):
            return await self._frame_where(frame, path, _shows(step.url), f"the URL {step.url!r}")
        owner_frame, report = await self._prepare(frame, path, ATTACHED, {})
        handle = await handle_of(owner_frame, report.token, self.text)
        node = (await handle.session.send(dom.DescribeNode(object_id=handle.object_id))).node
        if node.frame_id is None or node.node_name.lower() not in FRAME_TAGS:
            raise ElementUnsuitable(f"{self.shown}: {report.what} is not a frame", selector=self.text)
        return await self._frame_where(owner_frame, NO_SCOPES, _has_id(node.frame_id), f"{report.what}")

    async def _await_lazy(self, frame: Frame) -> None:
        """Scroll a frame into view that loads its document only then, and wait for that."""
        if not self.deadline.left_s or not await bring_lazy_frame(frame):
            return
        while frame.url in NOT_LOADED and self.deadline.left_s:
            await next_document(self.tab, self.deadline)

    @property
    def frame_is_gone(self) -> bool:
        """Whether the selector names a frame by an id that has left the page: such a frame never comes back."""
        steps = [hop.frame for hop in self.selector.hops]
        return any(isinstance(step, selectors.FrameId) and step.id not in self.tab.frames.by_id for step in steps)

    def _frame_of_id(self, frame_id: str) -> Frame:
        """Return the frame with an id; does not wait, because a frame that is gone never comes back."""
        found = self.tab.frames.by_id.get(frame_id)
        if found is None:
            raise ElementNotFound(
                f"Element not found: {self.shown}: the frame has left the page; use a frame of page.frames",
                selector=self.text,
            )
        return found

    async def _frame_where(self, frame: Frame, scopes: selectors.Chain, test: FrameTest, what: str) -> Frame:
        while True:
            inner, inside = await self._inside(frame, scopes)
            below = [
                child for child in inner.walk() if child is not inner and await test(child) and await inside(child)
            ]
            if len(below) == 1:
                return below[0]
            if not self.deadline.left_s:
                raise self._no_frame(inner, below, what)
            await next_document(self.tab, self.deadline)

    async def _inside(self, frame: Frame, scopes: selectors.Chain) -> tuple[Frame, FrameTest]:
        """Return the frame of the scopes, and a predicate whether a frame below it is inside one of them."""
        if not scopes.steps:
            return frame, _anywhere
        frame, target = await self.query(frame, scopes)

        within = Query([], target) if isinstance(target, ElementHandle) else target

        async def inside(child: Frame) -> bool:
            while child.parent is not None and child.parent is not frame:
                child = child.parent
            try:
                return self._answer(await within.call(frame, elements.contains_held(await _hold_owner(child))))
            except ContextLost:
                raise
            except CdpError:
                return False  # the frame went away meanwhile

        return frame, inside

    def _answer(self, answer: Any) -> bool:
        report = msgspec.convert(answer, Report)
        if report.fault:
            raise self.syntax(report)
        return report.done

    def _no_frame(self, frame: Frame, below: Sequence[Frame], what: str) -> Exception:
        known = [f"{child.name or '(no name)'} {child.url}" for child in frame.walk() if child is not frame]
        if below:
            return AmbiguousSelector(
                f"{self.shown}: {len(below)} frames in {frame.describe()} match {what}; narrow it down",
                selector=self.text,
                matches=[child.url for child in below[:5]],
                count=len(below),
            )
        return ElementNotFound(
            f"Element not found: {self.shown}: no frame in {frame.describe()} matches {what}; its frames are: "
            f"{'; '.join(known[:5]) or 'none'}",
            selector=self.text,
            candidates=known[:3],
        )

    # -- errors --------------------------------------------------------------------------------

    def syntax(self, report: Report) -> SelectorInvalid:
        """Return the error for a selector that the browser cannot parse."""
        return SelectorInvalid(
            f"selector {self.shown!r} does not parse: {report.detail}; if it is not CSS, begin it with a prefix such "
            "as text= or xpath=",
            selector=self.text,
        )

    def _detached(self) -> ElementDetached:
        return ElementDetached(
            f"{self.shown}: the element has left the document; take a new snapshot", selector=self.text
        )

    async def _not_found(self, frame: Frame, chain: selectors.Chain, target: Target, report: Report) -> ElementNotFound:
        scoped = isinstance(target, Query) and target.scope is not None
        near = await nearest(frame, target, report.step) if isinstance(target, Query) else []
        hint = f"; nearest: {', '.join(near)}" if near else ""
        reason = "; ".join(filter(None, (missing(chain, report.step + scoped, report.count), report.detail)))
        return ElementNotFound(
            f"Element not found: {self.shown} in {frame.describe()} within {self.deadline.shown}"
            f"{reason and f': {reason}'}{hint}",
            selector=self.text,
            candidates=near,
        )

    def ambiguous(self, frame: Frame, report: Report) -> AmbiguousSelector:
        """Return the error that lists the matching elements."""
        more = report.count - len(report.matches)
        listed = ", ".join(report.matches) + (f" and {more} more" if more else "")
        return AmbiguousSelector(
            f"{self.shown} matches {report.count} elements in {frame.describe()}: {listed}; narrow it down to one",
            selector=self.text,
            matches=report.matches,
            count=report.count,
        )


async def _hold_owner(child: Frame) -> int:
    """Have the page script of the outer frame keep the frame element of a child; return the element's token."""
    return int(await (await owner_of(child)).call(elements.hold()))


def _has_id(frame_id: str) -> FrameTest:
    async def test(frame: Frame) -> bool:
        return frame.id == frame_id

    return test


def _named(name: str) -> FrameTest:
    async def test(frame: Frame) -> bool:
        awaited = await awaited_document(frame)
        return name in (frame.name, awaited and awaited.name)

    return test


def _shows(pattern: str) -> FrameTest:
    async def test(frame: Frame) -> bool:
        awaited = await awaited_document(frame)
        return url_matches(pattern, awaited.url if awaited else frame.url)

    return test


async def _anywhere(_: Frame) -> bool:
    return True


async def next_document(tab: Tab, deadline: Deadline) -> None:
    """Wait until a frame shows another document, or until the deadline."""
    changed = asyncio.Event()
    remove = tab.frames.on_document(lambda _: changed.set())
    try:
        async with time_limit(deadline.left_s):
            await changed.wait()
    except TimeoutError:
        return
    finally:
        remove()


def search_intervals() -> Iterator[float]:
    """Yield `SEARCH_INTERVALS`, the last one again and again."""
    yield from SEARCH_INTERVALS
    while True:
        yield SEARCH_INTERVALS[-1]


NO_SCOPES = selectors.Chain()
ATTACHED: dict[str, Any] = {"any": []}
"""The need of a caller that only requires the element to be attached."""
IDENTITY: dict[str, Any] = {"any": ["identity"]}
"""The need of a caller that identifies the element before any input."""


async def ask(frame: Frame, target: Target, need: dict[str, Any], args: dict[str, Any], deadline: Deadline) -> Report:
    """Have the page script find an element and make it ready by the deadline; raises ContextLost if it goes."""
    left_s = deadline.left_s
    timeout, call = left_s + ANSWER_MARGIN, elements.prepare(need, args, left_s * 1000)
    if isinstance(target, ElementHandle):
        answer = await target.call(call, timeout=timeout)
    else:
        answer = await target.call(frame, call, timeout=timeout)
    return msgspec.convert(answer, Report)


async def locate(tab: Tab, selector: str, deadline: Deadline) -> ElementHandle:
    """Wait for exactly one matching element and return a handle to it.

    Raises SelectorInvalid, ElementNotFound with the nearest candidates, AmbiguousSelector with the matches.
    """
    search = Search(tab, selector, deadline)
    frame, report = await search.prepare(ATTACHED)
    return await handle_of(frame, report.token, selector)


async def handle_of(frame: Frame, token: int, selector: str) -> ElementHandle:
    """Return a handle to an element that the page script just reported; raises ElementDetached if it is gone."""
    try:
        return await frame.world().call_handle(elements.get(token))
    except EvaluationFailed as error:
        raise ElementDetached(
            f"{selector}: the element left the document right after it was found: take a new snapshot",
            selector=selector,
        ) from error


async def accessible_identity(frame: Frame, token: int, tag: str, deadline: Deadline) -> Identity | None:
    """Return the role and the name of an element that the page reported; None if the page does not tell."""
    handle = await handle_of(frame, token, tag)
    try:
        return (await ask(frame, handle, IDENTITY, {}, deadline)).identity
    finally:
        handle.forget()


def url_matches(pattern: str, url: str) -> bool:
    """Return whether the URL contains the pattern's parts in order; `*` between them matches anything."""
    at = 0
    for part in pattern.split("*"):
        found = url.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return True
