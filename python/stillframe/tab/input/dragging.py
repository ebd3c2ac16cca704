"""Drag with the mouse, on pages that use mouse events and on those that use the browser's drag and drop.

Chrome passes drag and drop to the operating system, where input events do not reach it. With interception, Chrome
reports the drag data instead, and stillframe sends the drag events itself. Before Chrome 91 nothing intercepts: there,
only pages that use mouse events can be dragged on.

A page answers a move in its next frames, and what it shows then decides what the drop does. So each move waits for a
frame, and the release for the page to be still. Input goes to the process of the frame at its point; the other
processes on the way learn of the end by events of their own, or a drag would go on there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from stillframe.cdp_types import input as cdp_input
from stillframe.cdp_types import runtime
from stillframe.errors import ContextLost, DropMissed, EvaluationFailed, SessionLost
from stillframe.injected import elements
from stillframe.tab.deadline import Deadline
from stillframe.tab.input.mouse import moved, path, pressed, released, send_input
from stillframe.tab.input.press import PointerInput
from stillframe.tab.unsupported import unsupported

if TYPE_CHECKING:
    from stillframe.cdp import CDPSession
    from stillframe.cdp.subscription import Subscription
    from stillframe.injected.call import Call
    from stillframe.tab.frames import Frame
    from stillframe.tab.input.actionability import ReadyTarget
    from stillframe.tab.input.geometry import Point
    from stillframe.tab.input.route import FramePoint
    from stillframe.tab.tab import Tab


class End(NamedTuple):
    """Where a drag ends: a point of the page, and the element there unless the drag goes by an offset."""

    point: Point
    target: ReadyTarget | None = None


SendPress = Callable[[PointerInput], Awaitable["ReadyTarget"]]
Move = Callable[["Point"], Awaitable[None]]
FindEnd = Callable[["ReadyTarget"], Awaitable[End]]

LIFT_PX = 12
"""How far the mouse moves before a drag must have started; Chrome's own threshold is 3 px."""

STEPS = 6
"""Moves on the way: pages measure speed and direction, and drop zones expect to see the mouse enter."""

INTERCEPT_S = 5.0
"""Seconds for Chrome to report the data of a drag that the page has started."""

UNDO_S = 1.0
"""Seconds for the page to process the released button."""

DROP_FRAMES = 3
"""Frames for a page to answer the last move before the drop: one for its listeners, one for what they render."""

STILL_MS = 500
"""Milliseconds for the page to become still before the drop; one with an animation never does."""

MAX_SCROLLS = 10
"""How often the mouse follows a target that the page scrolls while something is dragged near its edge."""

OUTSIDE = -10_000.0
"""A coordinate outside of every viewport."""


class Ended(msgspec.Struct, frozen=True):
    """What a document has seen of a drag."""

    dropped: bool
    released: bool
    effect: str
    ended: bool
    """Whether the browser's drag that began here is over."""
    rebuilt: bool


async def drag(tab: Tab, press: SendPress, find_end: FindEnd, deadline: Deadline, selector: str) -> None:
    """Press on the source, move to the current position of the end, and release; the button is always released.

    `press` makes the source ready and sends the press. Raises what `press` and `find_end` raise, DropMissed, and
    CommandTimeout if the page does not answer.
    """
    session = tab.session
    intercepts = tab.context.capabilities.has(cdp_input.SetInterceptDrags.method)
    if intercepts:
        await session.send(cdp_input.SetInterceptDrags(enabled=True))
    try:
        with session.subscribe(cdp_input.DragIntercepted) as intercepted:
            source = await press(_button_down(tab))
            async with deadline.enforced(source.what):
                await _Drag(tab, source, deadline, selector).run(find_end, intercepted)
    finally:
        if intercepts:
            session.post(cdp_input.SetInterceptDrags(enabled=False))


def _button_down(tab: Tab) -> PointerInput:
    """Return the input that a drag begins with; the button stays down."""

    async def send(source: ReadyTarget, deadline: Deadline) -> None:
        await send_input(tab, [pressed(source.x, source.y)], deadline)

    async def undo(source: ReadyTarget) -> None:
        await send_input(tab, [released(source.x, source.y)], Deadline(UNDO_S))

    return PointerInput(send, released=False, undo=undo)


class _Drag:
    """One drag, from the pressed button on."""

    def __init__(self, tab: Tab, source: ReadyTarget, deadline: Deadline, selector: str) -> None:
        self._tab = tab
        self._source = source
        self._deadline = deadline
        self._selector = selector
        self._origin = _root_of(source.points)
        """The source's point in its own process."""
        self._frames: list[Frame] = []
        self._data: cdp_input.DragData | None = None
        self._at: Point = (source.x, source.y)
        self._scrolled_before: Point | None = None
        """How far everything around the target was scrolled when its place was found."""

    async def run(self, find_end: FindEnd, intercepted: Subscription[cdp_input.DragIntercepted]) -> None:
        try:
            await self._watch(self._source.frame)
            lift = self._at[0] + LIFT_PX, self._at[1] + LIFT_PX
            for point in path(self._at, lift, 2):
                await self._move(point)
            if await self._has_started():
                self._data = await self._dragged(intercepted)
            end = await find_end(self._source)
            if end.target is not None:
                await self._watch(end.target.frame)
            self._scrolled_before = await self._scrolled(end)
            await (self._carry(lift, end) if self._data else self._release(lift, end))
        except BaseException:
            self._undo()
            raise
        finally:
            self._post(elements.drag_end())

    def _undo(self) -> None:
        if self._data is None:
            self._tab.session.post(released(*self._at))
            if not self._origin.frame.is_main:
                self._origin_session.post(released(self._origin.x, self._origin.y))
        else:
            self._origin_session.post(self._event("dragCancel", (self._origin.x, self._origin.y)))

    @property
    def _origin_session(self) -> CDPSession:
        return self._origin.frame.session

    # -- what the page answers -----------------------------------------------------------------

    async def _watch(self, frame: Frame) -> None:
        if frame not in self._frames:
            self._frames.append(frame)
            await self._ask(elements.watch_drag(), [frame])

    async def _answered(self, frames: int, ms: float = 0.0) -> None:
        """Give the page some frames to answer, and then up to `ms` milliseconds to be still."""
        async with self._tab.clock.undisturbed():
            ms = min(ms, self._deadline.left_s * 500)
            await self._ask(elements.answered(frames, ms), self._frames)

    async def _ask(self, call: Call, frames: Sequence[Frame]) -> list[object]:
        """Call a function in documents; those that are gone by now give None."""
        answers = await asyncio.gather(
            *(frame.call(call, timeout=self._deadline.hard_left_s) for frame in frames), return_exceptions=True
        )
        for answer in answers:
            if isinstance(answer, BaseException) and not isinstance(
                answer, (ContextLost, SessionLost, EvaluationFailed)
            ):
                raise answer
        return [None if isinstance(answer, BaseException) else answer for answer in answers]

    def _post(self, call: Call) -> None:
        for frame in self._frames:
            if frame.context_id is not None:
                frame.session.post(
                    runtime.Evaluate(expression=call.expression, context_id=frame.context_id, silent=True)
                )

    async def _has_started(self) -> bool:
        return await self._ask(elements.drag_start(), [self._source.frame]) == ["started"]

    async def _dragged(self, intercepted: Subscription[cdp_input.DragIntercepted]) -> cdp_input.DragData:
        """Return the data of a drag that the page has started; raises UnsupportedByBrowser where nothing intercepts."""
        capabilities = self._tab.context.capabilities
        if not capabilities.has(cdp_input.DragIntercepted.method):
            hint = "the page uses the browser's drag and drop, which input events do not reach"
            raise unsupported(capabilities, cdp_input.DragIntercepted.method, hint)
        return (await intercepted.get(min(INTERCEPT_S, self._deadline.hard_left_s))).data

    async def _scrolled(self, end: End) -> Point | None:
        """Return how far everything around the target is scrolled; None if that is unknown."""
        if end.target is None:
            return None
        [scrolled] = await self._ask(elements.scrolled_around(end.target.token), [end.target.frame])
        return (scrolled[0], scrolled[1]) if isinstance(scrolled, list) else None

    async def _follow(self, end: End, move: Move) -> Point:
        """Let the page answer, and move on for as long as it scrolls the target away; returns where that is."""
        point, before = end.point, self._scrolled_before
        await self._answered(DROP_FRAMES, STILL_MS)
        for _ in range(MAX_SCROLLS):
            now = await self._scrolled(end)
            if now is None or before is None or now == before:
                break
            start, point, before = point, (point[0] + before[0] - now[0], point[1] + before[1] - now[1]), now
            for each in path(start, point, 2):
                await move(each)
            await self._answered(DROP_FRAMES, STILL_MS)
        return point

    # -- with the mouse ------------------------------------------------------------------------

    async def _move(self, point: Point) -> None:
        self._at = point
        await self._send(moved(*point, held="left"))
        await self._also_in_source(lambda x, y: moved(x, y, held="left"))
        await self._answered(1)

    async def _send(self, *events: cdp_input.DispatchMouseEvent | cdp_input.DispatchDragEvent) -> None:
        await send_input(self._tab, events, self._deadline)

    async def _also_in_source(self, event: Callable[[float, float], cdp_input.DispatchMouseEvent]) -> None:
        """Send an event outside of a frame to the frame's own process as well: the mouse was pressed there.

        For a person Chrome sends such events there until the button is released.
        """
        origin = self._origin
        if origin.frame.is_main:
            return
        x, y = origin.x + self._at[0] - self._source.x, origin.y + self._at[1] - self._source.y
        [size] = await self._ask(elements.view_size(), [origin.frame])
        if isinstance(size, list) and not (0 <= x < size[0] and 0 <= y < size[1]):
            try:
                await origin.frame.session.send(event(x, y), timeout=self._deadline.hard_left_s)
            except (ContextLost, SessionLost):
                return  # the page has removed the frame

    async def _release(self, start: Point, end: End) -> None:
        for point in path(start, end.point, STEPS):
            await self._move(point)
        await self._send(released(*await self._follow(end, self._move)))
        await self._also_in_source(released)
        ends = await self._ends(self._frames)
        if ends and not any(each.released for each in ends):
            others = [frame for frame in self._tab.frames if frame.context_id is not None]
            if not any(each.released for each in await self._ends(others)):
                raise self._missed(end, "the page has not seen the button released there")

    # -- with the browser's drag and drop ------------------------------------------------------

    def _event(self, kind: str, point: Point) -> cdp_input.DispatchDragEvent:
        assert self._data is not None
        return cdp_input.DispatchDragEvent(type=kind, x=point[0], y=point[1], data=self._data)

    async def _over(self, point: Point) -> None:
        # A process ignores what comes before the drag has entered it; to enter it again changes nothing.
        await self._send(self._event("dragEnter", point), self._event("dragOver", point))
        await self._answered(1)

    async def _carry(self, start: Point, end: End) -> None:
        """Move the data to the end and drop it; raises DropMissed if nothing there takes it."""
        *way, last = path(start, end.point, STEPS)
        for point in way:
            await self._over(point)
        away = end.target is not None and _root_of(end.target.points).frame is not self._origin.frame
        if away:
            await self._origin_session.send(
                self._event("dragOver", (OUTSIDE, OUTSIDE)), timeout=self._deadline.hard_left_s
            )
        await self._over(last)
        last = await self._follow(end, self._over)
        await self._send(self._event("dragOver", last), self._event("drop", last))
        source = self._source.frame
        known = [frame for frame in self._tab.frames if frame.context_id is not None] if end.target is None else []
        there = [frame for frame in known or self._frames if frame is not source]
        ends = await self._ends([*there, source])
        dropped = next((each for each in ends if each.dropped), None)
        if away or (end.target is None and not any(each.ended for each in ends)):
            await self._end_at_source(dropped.effect if dropped else "none")
        if ends and dropped is None and not any(each.rebuilt for each in ends):
            raise self._missed(end, "nothing there takes what is dragged")

    async def _end_at_source(self, effect: str) -> None:
        """Let the drag end in the process where it began, which the drop in another one does not reach."""
        session, point = self._origin_session, (self._origin.x, self._origin.y)
        around = [frame for frame in self._tab.frames if frame.session is session and frame.context_id is not None]
        await self._ask(elements.expect_drag_end(effect), around)
        try:
            for kind in ("dragEnter", "dragOver", "drop"):
                await session.send(self._event(kind, point), timeout=self._deadline.hard_left_s)
        except (ContextLost, SessionLost):
            return
        finally:
            for frame in around:
                if frame not in self._frames:
                    self._frames.append(frame)  # `run` ends it there, too

    async def _ends(self, frames: Sequence[Frame]) -> list[Ended]:
        """Return what documents have seen of the drag; those that a drop has replaced are left out."""
        answers = await self._ask(elements.drag_end(), frames)
        return [msgspec.convert(answer, Ended) for answer in answers if answer is not None]

    def _missed(self, end: End, words: str) -> DropMissed:
        where = end.target.what if end.target else f"the point {end.point[0]:g}, {end.point[1]:g} of the page"
        return DropMissed(
            f"{self._selector} is {self._source.what} in {self._source.frame.describe()}; it was dragged to {where}, "
            f"but {words}: take a new snapshot and choose another target or position",
            selector=self._selector,
        )


def _root_of(points: Sequence[FramePoint]) -> FramePoint:
    """Return the point in the viewport of the element's process."""
    return next(point for point in points if point.frame.is_process_root)
