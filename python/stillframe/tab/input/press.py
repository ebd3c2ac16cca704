"""Moving the mouse to an element, pressing there, and making sure that the press arrived.

Between the last look at the page and the press a frame may pass, and what passed the look may be gone: a popup whose
opening animation begins, a row that moves up. So the agent judges each press as it comes in (agent/press.js). One that
is about to reach another element is blocked before the page hears of it, and then all is done again; where the page
may have heard of it, nothing is repeated and the action fails with PressMissed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Literal

import msgspec

from stillframe.cdp_types import dom_debugger, runtime
from stillframe.errors import CdpError, CommandError, ContextLost, PressMissed, SessionLost
from stillframe.tab.deadline import Deadline
from stillframe.tab.frames import Frame
from stillframe.tab.input.actionability import Need, Ready, fault_error, ready
from stillframe.tab.input.attempt import Attempt
from stillframe.tab.input.keyboard import modifier_bits
from stillframe.tab.input.mouse import Button, click_events, moved, send_input
from stillframe.tab.input.route import Place
from stillframe.tab.locating.locate import Search
from stillframe.tab.locating.sought import Report
from stillframe.tab.presses import Note

FRAME = "frame"
"""The agent's word for an element that holds a frame: the press happens in the frame, where no listener of ours is."""

HEARD = frozenset({"pointerdown", "mousedown", "touchstart", "pointerup", "mouseup", "click"})
"""Events that a listener on the window may have heard before ours could block them."""


class Stroke(msgspec.Struct, frozen=True):
    """What is done at the point: `send` gets the element and the seconds that are left.

    `presses` is how often it presses, and `ends` says that it must be released where it began to do its work. `undo`
    brings the mouse back into the state before, when the press was blocked.
    """

    send: Callable[[Ready, float], Awaitable[None]]
    by: Literal["mouse", "hover", "touch"] = "mouse"
    presses: int = 1
    ends: bool = False
    released: bool = True
    """Whether `send` releases what it presses."""
    modifiers: Sequence[str] = ()
    undo: Callable[[Ready], Awaitable[None]] | None = None


def click(
    attempt: Attempt,
    *,
    button: Button = "left",
    count: int = 1,
    modifiers: Sequence[str] = (),
    ends: bool | None = None,
) -> Stroke:
    """Return the stroke of a click; `ends` says that it must be released where it began, as the left button must."""

    async def send(target: Ready, seconds: float) -> None:
        events = click_events(target.x, target.y, button=button, count=count, modifiers=modifiers)
        await send_input(attempt.tab.session, events, timeout=seconds)

    # The other buttons do their work when they go down: a menu opens under the mouse.
    return Stroke(send, presses=count, ends=button == "left" if ends is None else ends, modifiers=modifiers)


async def strike(
    attempt: Attempt, selector: str, need: Need, args: dict[str, Any], stroke: Stroke, *, timeout: float
) -> Ready:
    """Make an element ready, bring the mouse there, look again, press, and see where the press arrives.

    `timeout` is in seconds and covers all of it, but for the moment in which the page may answer. Raises what `ready`
    raises, PressMissed, and CommandTimeout when the page does not answer.
    """
    deadline = Deadline(timeout)
    passed = 0
    while True:
        args = args | {"passed": passed}
        async with deadline.enforced(selector):
            target = await ready(attempt, selector, need, args, timeout=timeout, deadline=deadline)
        if target.done:
            return target
        press = attempt.tab.presses.begin()
        met = await _met(attempt, selector, target, press, stroke, args, deadline)
        if met is None:
            passed += len(target.places) > 1  # another place of the element may be free of what covers its frame
            continue
        if stroke.by == "hover":
            return target
        await stroke.send(target, deadline.late)
        missed = await _missed(attempt, target, press, stroke, deadline)
        if missed is None or (missed.kind == "lost" and met.kind == FRAME):
            return target
        if stroke.undo is not None:
            await stroke.undo(target)
        _forget(target.places, press)  # not before the end of what was blocked
        prevented = missed.kind == "wrong" and not missed.heard and not await _overheard(target.frame)
        if not prevented or not deadline.left:
            raise _error(selector, target, missed, prevented)


async def _met(
    attempt: Attempt, selector: str, target: Ready, press: int, stroke: Stroke, args: dict[str, Any], deadline: Deadline
) -> Report | None:
    """Move the mouse to the element and look again; None if that is to be tried once more, from the beginning."""
    try:
        async with deadline.enforced(selector):
            reports = await _looks(attempt, target, press, stroke, args, deadline)
    except (ContextLost, SessionLost) as error:
        await Search(attempt.tab, selector, deadline).again(error)
        return None
    for place, report in zip(target.places, reports, strict=True):
        if report.fault and deadline.left:
            return None
        if report.fault:
            raise fault_error(report, selector, place.frame, deadline)
    return reports[0]


async def _looks(
    attempt: Attempt, target: Ready, press: int, stroke: Stroke, args: dict[str, Any], deadline: Deadline
) -> list[Report]:
    """Move the mouse to the point and look at it again in all frames on the way."""
    if stroke.by != "touch":
        attempt.tab.session.post(moved(target.x, target.y, modifiers=modifier_bits(stroke.modifiers)))
    wanted = {"id": press, "by": stroke.by, "ends": stroke.ends, "presses": stroke.presses}
    still = target.still if args.get("position") else None
    answers = await asyncio.gather(
        *(
            place.frame.call(
                "(token, x, y, want) => __sf.meet(token, x, y, want)",
                *(place.token, place.x, place.y),
                wanted | ({"role": "owner", "still": None} if number else {"role": "target", "still": still}),
                timeout=deadline.late,
            )
            for number, place in enumerate(target.places)
        )
    )
    return [msgspec.convert(answer, Report) for answer in answers]


# -- what came of it -----------------------------------------------------------------------------


async def _missed(attempt: Attempt, target: Ready, press: int, stroke: Stroke, deadline: Deadline) -> Note | None:
    """Return what went wrong with a press that was sent, None if nothing did."""
    notes = attempt.tab.presses.notes(press)
    if not _is_told(notes, stroke):
        # The answer to input and what the page tells come on two ways; what is asked for comes after what was told.
        asked = await _asked(target.places, press, deadline)
        notes = attempt.tab.presses.notes(press) or asked or []
        if asked is None:
            return _failure(notes)
    if failure := _failure(notes):
        return failure
    # Documents around the element's own, and all of them while the button is down, have not seen a press end.
    _forget(target.places[1 if stroke.released else 0 :], press)
    if notes:
        return None
    if await _overheard(target.frame):
        return None  # a listener of the page may have kept it from ours
    return Note(press, "lost", await _under(target.places), True)


def _is_told(notes: Sequence[Note], stroke: Stroke) -> bool:
    wanted = "release" if stroke.released else "press"
    return _failure(notes) is not None or sum(note.kind == wanted for note in notes) >= stroke.presses


def _failure(notes: Sequence[Note]) -> Note | None:
    return next((note for note in notes if note.kind in ("wrong", "strayed", "lost")), None)


async def _asked(places: Sequence[Place], press: int, deadline: Deadline) -> list[Note] | None:
    """Ask all documents on the way what came of a press; None if the element's own is gone."""
    answers = await asyncio.gather(
        *(place.frame.call("(id) => __sf.pressNotes(id)", press, timeout=deadline.late) for place in places),
        return_exceptions=True,
    )
    for answer in answers:
        if isinstance(answer, BaseException) and not isinstance(answer, (ContextLost, SessionLost)):
            raise answer
    if isinstance(answers[0], BaseException):
        return None
    return [Note(press, **note) for answer in answers if not isinstance(answer, BaseException) for note in answer]


def _forget(places: Sequence[Place], press: int) -> None:
    """Let documents judge no more presses; nothing is awaited."""
    for place in places:
        context = place.frame.world().context_id
        if context is not None:
            script = f"__sf.forgetPress({press})"
            place.frame.session.post(runtime.Evaluate(expression=script, context_id=context, silent=True))


async def _under(places: Sequence[Place]) -> str:
    """Return what lies at the point instead of the element, in the outermost frame that has something there."""
    for place in reversed(places):
        try:
            found = await place.frame.call("(token, x, y) => __sf.under(token, x, y)", place.token, place.x, place.y)
        except (CdpError, SessionLost):
            continue
        if found:
            return str(found)
    return "nothing"


async def _overheard(frame: Frame) -> bool:
    """Whether the page itself listens on the window before anybody else: it may have heard what was blocked."""
    try:
        window = await frame.main_window()
        answer = await frame.session.send(dom_debugger.GetEventListeners(object_id=window))
    except (CommandError, SessionLost):
        return True
    return any(each.use_capture and each.type in HEARD for each in answer.listeners)


def _error(selector: str, target: Ready, missed: Note, prevented: bool) -> PressMissed:
    what = f"{selector} is {target.what} in {target.frame.describe()}"
    if missed.kind == "strayed":
        words = f"the press was not ended there but on {missed.hit}, so it did no click"
    else:
        words = f"the press went to {missed.hit}, which came to lie there in the moment of the press"
    end = "the page has heard nothing of it" if prevented else "look at the page before you try again"
    return PressMissed(f"{what}; {words}: {end}", selector=selector, receiver=missed.hit, prevented=prevented)
