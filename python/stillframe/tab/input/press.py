"""Move the mouse to an element, press there, and verify that the press arrived.

A frame may pass between the last check and the press, and the element may move away: a popup starts its opening
animation, or a row moves up. So the page script judges each press as it arrives (elements/press.ts). If a press would
hit another element, it blocks the press before the page receives it, and everything is tried again; if the page may
have received part of it, nothing is repeated and the action fails with PressMissed.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from stillframe.cdp_types import dom_debugger, runtime
from stillframe.cdp_types import input as cdp_input
from stillframe.errors import CdpError, CommandError, ContextLost, PressMissed, SessionLost
from stillframe.injected import elements
from stillframe.tab.deadline import Deadline
from stillframe.tab.input.actionability import Need, ReadyTarget, fault_error, make_ready
from stillframe.tab.input.keyboard import modifier_bits
from stillframe.tab.input.mouse import Button, moved, send_click, send_input
from stillframe.tab.input.presses import PressReport
from stillframe.tab.locating.locate import Search
from stillframe.tab.locating.query import Report

if TYPE_CHECKING:
    from stillframe.tab.frames import Frame
    from stillframe.tab.input.attempt import Attempt
    from stillframe.tab.input.route import FramePoint

FRAME = "frame"
"""The page script's kind of an element that holds a frame: no listener of the page script judges a press inside it."""

MOVES = 3
"""How often a frame whose point is covered is scrolled to another height."""

UNANSWERED_S = 0.5
"""Seconds for a page to report an input that Chrome does not answer; an idle page takes a few milliseconds."""

HEARD = frozenset({"pointerdown", "mousedown", "touchstart", "pointerup", "mouseup", "click"})
"""Events that a page's listener on the window may receive before the page script's listener can block them."""


class PointerInput(msgspec.Struct, frozen=True):
    """The input at the target's point, which `send` sends.

    `presses` is how many presses it sends, and `ends` means that each must be released on the same element. `undo`
    restores the mouse state after a blocked press.
    """

    send: Callable[[ReadyTarget, Deadline], Awaitable[None]]
    by: Literal["mouse", "hover", "touch"] = "mouse"
    presses: int = 1
    ends: bool = False
    released: bool = True
    """Whether `send` releases the button or finger it presses."""
    held_s: float = 0.0
    """For how long `send` holds buttons or fingers, in all: the deadline of the press is that much later from then."""
    answered: bool = True
    """Whether `send` returns only after the page has handled the input."""
    modifiers: Sequence[str] = ()
    undo: Callable[[ReadyTarget], Awaitable[None]] | None = None


def click(
    attempt: Attempt,
    *,
    button: Button = "left",
    count: int = 1,
    modifiers: Sequence[str] = (),
    hold_s: float = 0.0,
    ends: bool | None = None,
) -> PointerInput:
    """Return the input of a click; `ends` means it must be released on the same element, as for the left button."""

    async def send(target: ReadyTarget, deadline: Deadline) -> None:
        at = target.x, target.y
        await send_click(attempt.tab, at, deadline, button=button, count=count, modifiers=modifiers, hold_s=hold_s)

    # The other buttons act on mousedown: a menu opens under the mouse.
    ends = button == "left" if ends is None else ends
    held_s = (2 * count - 1) * hold_s
    return PointerInput(send, presses=count, ends=ends, held_s=held_s, modifiers=modifiers)


class Press:
    """One press, or one hover, on the element of a selector."""

    def __init__(
        self,
        attempt: Attempt,
        selector: str,
        need: Need,
        args: dict[str, Any],
        pointer_input: PointerInput,
        deadline: Deadline,
    ) -> None:
        """Press where an element meets a need; `args` are those of `make_ready`."""
        self._attempt = attempt
        self._tab = attempt.tab
        self._selector = selector
        self._need = need
        self._args = args
        self._input = pointer_input
        self._deadline = deadline
        self._passed = 0
        """How many points of the element were covered by something in a frame around its own."""
        self._number = 0
        """The number of the last try, in what documents report."""

    async def send(self) -> ReadyTarget:
        """Make the element ready, move the mouse there, check it again, send the input, and verify where it arrived.

        The deadline covers everything except the page's late answer. Raises the errors of `make_ready`, PressMissed,
        and CommandTimeout if the page does not answer.
        """
        while True:
            async with self._deadline.enforced(self._selector):
                target = await make_ready(
                    self._attempt,
                    self._selector,
                    self._need,
                    self._args | {"passed": self._passed},
                    deadline=self._deadline,
                )
            if target.done:
                return target
            self._number = self._tab.presses.begin()
            verified = await self._verify(target)
            if verified is None:
                self._passed += len(target.points) > 1  # try another point: its frame may be covered at this one
                continue
            if self._input.by == "hover":
                return target
            missed = await self._send(target, stirred=verified.stirred)
            if missed is None or (missed.kind == "lost" and verified.kind == FRAME):
                return target
            if self._input.undo is not None:
                await self._input.undo(target)
            self._forget(target.points)  # only after the blocked input has ended
            prevented = missed.kind == "wrong" and not missed.heard and not await _page_may_hear_first(target.frame)
            if not prevented or not self._deadline.left_s:
                raise _press_missed(self._selector, target, missed, prevented)

    # -- before the press ----------------------------------------------------------------------

    async def _verify(self, target: ReadyTarget) -> Report | None:
        """Move the mouse to the target and check it again; None to start over."""
        try:
            async with self._deadline.enforced(self._selector):
                reports = await self._verify_in_frames(target)
        except (ContextLost, SessionLost) as error:
            await Search(self._tab, self._selector, self._deadline).retry_after(error)
            return None
        for around, (point, report) in enumerate(zip(target.points, reports, strict=True)):
            if report.fault and self._deadline.left_s:
                if around and report.fault == "covered" and self._passed < MOVES:
                    await _move_covered(point, self._passed)
                return None
            if report.fault:
                raise fault_error(report, self._selector, point.frame, self._deadline)
        return reports[0]

    async def _verify_in_frames(self, target: ReadyTarget) -> list[Report]:
        """Move the mouse to the point, and have every frame on the way check the element there.

        Returns when the page has handled the move, because Chrome would merge it with the next one.
        """
        given, limit_s = self._input, self._deadline.hard_left_s
        wanted = {"id": self._number, "by": given.by, "ends": given.ends, "presses": given.presses}
        still = target.still if self._args.get("position") else None
        async with self._tab.clock.undisturbed():
            handled = []
            if given.by != "touch":
                move = self._tab.held.applied(self._move_to(target))
                handled.append(self._tab.session.post(move, timeout=limit_s))
            answers = await asyncio.gather(
                *(
                    point.frame.call(
                        elements.expect_press(
                            *(point.token, point.x, point.y),
                            wanted
                            | ({"role": "owner", "still": None} if number else {"role": "target", "still": still}),
                        ),
                        timeout=limit_s,
                    )
                    for number, point in enumerate(target.points)
                ),
                *handled,
            )
        return [msgspec.convert(answer, Report) for answer in answers[: len(target.points)]]

    def _move_to(self, target: ReadyTarget) -> cdp_input.DispatchMouseEvent:
        return moved(target.x, target.y, modifiers=modifier_bits(self._input.modifiers))

    # -- the press and its outcome -------------------------------------------------------------

    async def _send(self, target: ReadyTarget, *, stirred: bool) -> PressReport | None:
        """Send the input, and return what went wrong with it; None if it arrived."""
        held_s = self._input.held_s
        deadline = self._deadline.extended(held_s) if held_s else self._deadline
        if stirred:
            # jQuery UI's menus give the first move to the item that opened under the resting mouse, so a press right
            # after it would choose that item. A hand does not arrive in one move either.
            await send_input(self._tab, [self._move_to(target)], deadline)
        await self._input.send(target, deadline)
        return await self._failure(target, deadline)

    async def _failure(self, target: ReadyTarget, deadline: Deadline) -> PressReport | None:
        reports = self._reports
        if not self._is_complete(reports):
            fetched = await self._await_reports(target, deadline)
            reports = self._reports or fetched or []
            if fetched is None:
                return _failure_in(reports)
        if failure := _failure_in(reports):
            return failure
        # Outer documents, and all of them while the button is down, have not seen the press end.
        self._forget(target.points[1 if self._input.released else 0 :])
        if reports:
            return None
        if await _page_may_hear_first(target.frame):
            return None  # a listener of the page may have stopped the event before the page script's listener
        return PressReport(self._number, "lost", await _element_at(target.points), True)

    @property
    def _reports(self) -> list[PressReport]:
        return self._tab.presses.reports(self._number)

    async def _await_reports(self, target: ReadyTarget, deadline: Deadline) -> list[PressReport] | None:
        """Wait for the reports on the press, and fetch them meanwhile; None if the element's own document is gone.

        Input replies and binding calls use different channels, and a fetched answer comes after all binding calls. But
        Chrome holds back the fetch, not the calls, once the press has started a navigation.
        """
        called = asyncio.ensure_future(self._tab.presses.until(self._number, self._is_complete))
        tasks: list[asyncio.Future[Any]] = [called]
        try:
            if not self._input.answered:
                await asyncio.wait(tasks, timeout=min(UNANSWERED_S, deadline.hard_left_s))
            fetched = asyncio.ensure_future(self._fetch_reports(target.points, deadline))
            tasks.append(fetched)
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            return [] if called.done() else fetched.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def _is_complete(self, reports: Sequence[PressReport]) -> bool:
        wanted = "release" if self._input.released else "press"
        seen = sum(report.kind == wanted for report in reports)
        return _failure_in(reports) is not None or seen >= self._input.presses

    async def _fetch_reports(self, points: Sequence[FramePoint], deadline: Deadline) -> list[PressReport] | None:
        """Fetch the reports from all documents on the way; None if the element's own document is gone."""
        call = elements.press_reports(self._number)
        answers = await asyncio.gather(
            *(point.frame.call(call, timeout=deadline.hard_left_s) for point in points), return_exceptions=True
        )
        for answer in answers:
            if isinstance(answer, BaseException) and not isinstance(answer, (ContextLost, SessionLost)):
                raise answer
        if isinstance(answers[0], BaseException):
            return None
        present = [answer for answer in answers if not isinstance(answer, BaseException)]
        return [PressReport(self._number, **report) for answer in present for report in answer]

    def _forget(self, points: Sequence[FramePoint]) -> None:
        """Tell documents to stop judging the press; awaits nothing."""
        for point in points:
            context = point.frame.world().context_id
            if context is not None:
                script = elements.forget_press(self._number).expression
                point.frame.session.post(runtime.Evaluate(expression=script, context_id=context, silent=True))


def _failure_in(reports: Sequence[PressReport]) -> PressReport | None:
    return next((report for report in reports if report.kind in ("wrong", "strayed", "lost")), None)


async def _move_covered(point: FramePoint, turn: int) -> None:
    """Scroll a frame element to another height: something that sticks may cover its point where it is."""
    with contextlib.suppress(CommandError):  # the frame has gone, which the next look finds
        await point.frame.call(elements.move_covered(point.token, point.y, turn))


async def _element_at(points: Sequence[FramePoint]) -> str:
    """Return the element at the point instead of the target, in the outermost frame that has one there."""
    for point in reversed(points):
        try:
            found = await point.frame.call(elements.element_at(point.token, point.x, point.y))
        except (CdpError, SessionLost):
            continue
        if found:
            return str(found)
    return "nothing"


async def _page_may_hear_first(frame: Frame) -> bool:
    """Return whether the page has capturing listeners on the window, which may receive an event that is blocked."""
    try:
        window = await frame.main_window()
        answer = await frame.session.send(dom_debugger.GetEventListeners(object_id=window))
    except (CommandError, SessionLost):
        return True
    return any(each.use_capture and each.type in HEARD for each in answer.listeners)


def _press_missed(selector: str, target: ReadyTarget, missed: PressReport, prevented: bool) -> PressMissed:
    what = f"{selector} is {target.what} in {target.frame.describe()}"
    if missed.kind == "strayed":
        words = f"the press was released on {missed.hit}, so it caused no click"
    else:
        words = f"the press hit {missed.hit}, which moved to that point just before the press"
    end = "the page received none of it" if prevented else "take a new snapshot before you try again"
    return PressMissed(f"{what}; {words}: {end}", selector=selector, receiver=missed.hit, prevented=prevented)
