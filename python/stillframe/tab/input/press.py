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
from stillframe.tab.input.presses import Presses, PressReport
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
    """The input at the target's point: `send` gets the target and the seconds that are left.

    `presses` is how many presses it sends, and `ends` means that each must be released on the same element. `undo`
    restores the mouse state after a blocked press.
    """

    send: Callable[[ReadyTarget, float], Awaitable[None]]
    by: Literal["mouse", "hover", "touch"] = "mouse"
    presses: int = 1
    ends: bool = False
    released: bool = True
    """Whether `send` releases the button or finger it presses."""
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

    async def send(target: ReadyTarget, seconds: float) -> None:
        await send_click(
            attempt.tab,
            (target.x, target.y),
            button=button,
            count=count,
            modifiers=modifiers,
            hold_s=hold_s,
            timeout=seconds,
        )

    # The other buttons act on mousedown: a menu opens under the mouse.
    return PointerInput(send, presses=count, ends=button == "left" if ends is None else ends, modifiers=modifiers)


async def send_pointer_input(
    attempt: Attempt, selector: str, need: Need, args: dict[str, Any], pointer_input: PointerInput, *, timeout: float
) -> ReadyTarget:
    """Make an element ready, move the mouse there, check it again, send the input, and verify where it arrived.

    `timeout` is in seconds and covers everything except the page's late answer. Raises the errors of `make_ready`,
    PressMissed, and CommandTimeout if the page does not answer.
    """
    deadline = Deadline(timeout)
    passed = 0
    while True:
        args = args | {"passed": passed}
        async with deadline.enforced(selector):
            target = await make_ready(attempt, selector, need, args, deadline=deadline)
        if target.done:
            return target
        press = attempt.tab.presses.begin()
        verified = await _verify_target(attempt, selector, target, press, pointer_input, args, deadline)
        if verified is None:
            passed += len(target.points) > 1  # try another point of the element: its frame may be covered at this one
            continue
        if pointer_input.by == "hover":
            return target
        if verified.stirred:
            # jQuery UI's menus give the first move to the item that opened under the resting mouse, so a press right
            # after it would choose that item. A hand does not arrive in one move either.
            await send_input(attempt.tab, [_move_to(target, pointer_input)], timeout=deadline.late)
        await pointer_input.send(target, deadline.late)
        missed = await _find_failure(attempt, target, press, pointer_input, deadline)
        if missed is None or (missed.kind == "lost" and verified.kind == FRAME):
            return target
        if pointer_input.undo is not None:
            await pointer_input.undo(target)
        _forget(target.points, press)  # only after the blocked input has ended
        prevented = missed.kind == "wrong" and not missed.heard and not await _page_may_hear_first(target.frame)
        if not prevented or not deadline.left:
            raise _press_missed(selector, target, missed, prevented)


async def _verify_target(
    attempt: Attempt,
    selector: str,
    target: ReadyTarget,
    press: int,
    pointer_input: PointerInput,
    args: dict[str, Any],
    deadline: Deadline,
) -> Report | None:
    """Move the mouse to the target and check it again; None to start over."""
    try:
        async with deadline.enforced(selector):
            reports = await _verify_in_frames(attempt, target, press, pointer_input, args, deadline)
    except (ContextLost, SessionLost) as error:
        await Search(attempt.tab, selector, deadline).retry_after(error)
        return None
    for around, (point, report) in enumerate(zip(target.points, reports, strict=True)):
        if report.fault and deadline.left:
            if around and report.fault == "covered" and args["passed"] < MOVES:
                await _move_covered(point, args["passed"])
            return None
        if report.fault:
            raise fault_error(report, selector, point.frame, deadline)
    return reports[0]


async def _verify_in_frames(
    attempt: Attempt,
    target: ReadyTarget,
    press: int,
    pointer_input: PointerInput,
    args: dict[str, Any],
    deadline: Deadline,
) -> list[Report]:
    """Move the mouse to the point, and have every frame on the way check the element there.

    Returns when the page has handled the move, because Chrome would merge it with the next one.
    """
    wanted = {"id": press, "by": pointer_input.by, "ends": pointer_input.ends, "presses": pointer_input.presses}
    still = target.still if args.get("position") else None
    async with attempt.tab.clock.undisturbed():
        handled = []
        if pointer_input.by != "touch":
            move = attempt.tab.held.applied(_move_to(target, pointer_input))
            handled.append(attempt.tab.session.post(move, timeout=deadline.late))
        answers = await asyncio.gather(
            *(
                point.frame.call(
                    elements.expect_press(
                        *(point.token, point.x, point.y),
                        wanted | ({"role": "owner", "still": None} if number else {"role": "target", "still": still}),
                    ),
                    timeout=deadline.late,
                )
                for number, point in enumerate(target.points)
            ),
            *handled,
        )
    return [msgspec.convert(answer, Report) for answer in answers[: len(target.points)]]


async def _move_covered(point: FramePoint, turn: int) -> None:
    """Scroll a frame element to another height: something that sticks may cover its point where it is."""
    with contextlib.suppress(CommandError):  # the frame has gone, which the next look finds
        await point.frame.call(elements.move_covered(point.token, point.y, turn))


def _move_to(target: ReadyTarget, pointer_input: PointerInput) -> cdp_input.DispatchMouseEvent:
    return moved(target.x, target.y, modifiers=modifier_bits(pointer_input.modifiers))


# -- outcome -------------------------------------------------------------------------------------


async def _find_failure(
    attempt: Attempt, target: ReadyTarget, press: int, pointer_input: PointerInput, deadline: Deadline
) -> PressReport | None:
    """Return what went wrong with a press that was sent; None if it arrived."""
    reports = attempt.tab.presses.reports(press)
    if not _is_complete(reports, pointer_input):
        fetched = await _await_reports(attempt.tab.presses, target, press, pointer_input, deadline)
        reports = attempt.tab.presses.reports(press) or fetched or []
        if fetched is None:
            return _failure(reports)
    if failure := _failure(reports):
        return failure
    # Outer documents, and all of them while the button is down, have not seen the press end.
    _forget(target.points[1 if pointer_input.released else 0 :], press)
    if reports:
        return None
    if await _page_may_hear_first(target.frame):
        return None  # a listener of the page may have stopped the event before the page script's listener
    return PressReport(press, "lost", await _element_at(target.points), True)


async def _await_reports(
    presses: Presses, target: ReadyTarget, press: int, pointer_input: PointerInput, deadline: Deadline
) -> list[PressReport] | None:
    """Wait for the reports on a press, and fetch them meanwhile; None if the element's own document is gone.

    Input replies and binding calls use different channels, and a fetched answer comes after all binding calls. But
    Chrome holds back the fetch, not the calls, once the press has started a navigation.
    """
    called = asyncio.ensure_future(presses.until(press, lambda reports: _is_complete(reports, pointer_input)))
    tasks: list[asyncio.Future[Any]] = [called]
    try:
        if not pointer_input.answered:
            await asyncio.wait(tasks, timeout=min(UNANSWERED_S, deadline.late))
        fetched = asyncio.ensure_future(_fetch_reports(target.points, press, deadline))
        tasks.append(fetched)
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        return [] if called.done() else fetched.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _is_complete(reports: Sequence[PressReport], pointer_input: PointerInput) -> bool:
    wanted = "release" if pointer_input.released else "press"
    return _failure(reports) is not None or sum(report.kind == wanted for report in reports) >= pointer_input.presses


def _failure(reports: Sequence[PressReport]) -> PressReport | None:
    return next((report for report in reports if report.kind in ("wrong", "strayed", "lost")), None)


async def _fetch_reports(points: Sequence[FramePoint], press: int, deadline: Deadline) -> list[PressReport] | None:
    """Fetch the reports on a press from all documents on the way; None if the element's own document is gone."""
    answers = await asyncio.gather(
        *(point.frame.call(elements.press_reports(press), timeout=deadline.late) for point in points),
        return_exceptions=True,
    )
    for answer in answers:
        if isinstance(answer, BaseException) and not isinstance(answer, (ContextLost, SessionLost)):
            raise answer
    if isinstance(answers[0], BaseException):
        return None
    present = [answer for answer in answers if not isinstance(answer, BaseException)]
    return [PressReport(press, **report) for answer in present for report in answer]


def _forget(points: Sequence[FramePoint], press: int) -> None:
    """Tell documents to stop judging a press; awaits nothing."""
    for point in points:
        context = point.frame.world().context_id
        if context is not None:
            script = elements.forget_press(press).expression
            point.frame.session.post(runtime.Evaluate(expression=script, context_id=context, silent=True))


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
