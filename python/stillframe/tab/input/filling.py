"""The text that an action types, with declared secrets filled in only where their policy allows, and how it is sent."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from stillframe.cdp.loop_clock import sleep
from stillframe.errors import CommandError
from stillframe.injected import elements
from stillframe.model.actions import Action, PressKey, TypeText
from stillframe.model.secret import Secret, Text
from stillframe.tab.deadline import Deadline
from stillframe.tab.input import actionability as need
from stillframe.tab.input.actionability import make_ready
from stillframe.tab.input.focus_guard import FOCUS_S, LETTERS, FocusTaken
from stillframe.tab.input.keyboard import KeyCommand, chord_events, parse_chord, text_events
from stillframe.tab.input.mouse import hold, send_input

if TYPE_CHECKING:
    from stillframe.tab.frames import Frame
    from stillframe.tab.input.attempt import Attempt
    from stillframe.tab.input.focus_guard import FocusGuard
    from stillframe.tab.tab import Tab

HAS_FOCUS = "document.hasFocus()"
"""Whether keys arrive in this document or in a frame inside it. Runs in the isolated world, so no page can forge it."""


ANSWER_FRAMES = 3
"""Frames for a page to answer a key: one for its listeners, one for what they render, one for what that leads to."""

ANSWER_S = 0.3
"""Seconds for a page to become still after a key; people press keys in a row about every 0.2 s."""

FOCUS_TRIES = 2
"""How often a field is focused again that lost the focus before the first letter."""

MAX_ANSWERED = 100
"""Key events of one action that the page answers one by one; more are scrolling, or are meant to be fast."""

KEY_BATCH = 2 * LETTERS
"""Key events sent together: a key goes down and up."""


async def with_focus(fill: Callable[[], Awaitable[None]], deadline: Deadline) -> None:
    """Focus a field and type; do it again if the page took the focus before the first letter.

    A dialog gives the focus to a part of its own as it opens, which may be after its field is ready. Raises FocusMoved.
    """
    for tries in range(FOCUS_TRIES, -1, -1):
        try:
            await fill()
        except FocusTaken:
            if not tries or not deadline.left_s:
                raise
        else:
            return


async def send_keys(
    attempt: Attempt,
    events: Iterable[KeyCommand],
    deadline: Deadline,
    guard: FocusGuard | None = None,
    *,
    pause_s: float = 0.0,
) -> None:
    """Send key events in order; raises CommandTimeout if the page takes longer than the deadline's limit for one batch.

    With a guard, which has the same events, raises FocusMoved instead of letting letters go into another field.
    `pause_s` is the pause between two batches.
    """
    keys = list(events)
    try:
        await _arm(attempt, deadline, guard)
        start = 0
        while start < len(keys):
            if start and pause_s:
                await sleep(pause_s)
            if start:
                deadline = Deadline(deadline.timeout)
            # A key may submit the field's form, and the content of the field goes with the page.
            attempt.tab.typed.ask()
            end = guard.batch_end(start) if guard else start + KEY_BATCH
            await send_input(attempt.tab, keys[start:end], deadline)
            start = await guard.arrived(end, deadline) if guard else end
        attempt.tab.typed.ask()
        if guard:
            await guard.keep_boxes()
    finally:
        if guard:
            guard.release()


async def press_keys(
    attempt: Attempt, keys: Sequence[KeyCommand], times: int, deadline: Deadline, *, hold_s: float = 0.0
) -> None:
    """Press a key some times. Outside of text fields, each may move something, so the page answers in between.

    The key stays down for `hold_s` each time, and goes up even if the call is cancelled meanwhile.
    """
    if hold_s:
        deadline = deadline.extended(times * hold_s)
        for _ in range(times):
            await _hold_keys(attempt, keys, hold_s, deadline)
        return
    if times == 1 or len(keys) * times > MAX_ANSWERED or not await _answers_keys(attempt.tab, deadline):
        await send_keys(attempt, [*keys] * times, deadline)
        return
    for number in range(times):
        if number:
            await key_answered(attempt.tab, deadline)
        await send_keys(attempt, keys, deadline)


async def _hold_keys(attempt: Attempt, keys: Sequence[KeyCommand], hold_s: float, deadline: Deadline) -> None:
    first_up = next(at for at, key in enumerate(keys) if getattr(key, "type", None) == "keyUp")
    await send_keys(attempt, keys[:first_up], deadline)
    await hold(hold_s, send_keys(attempt, keys[first_up:], deadline))


async def key_answered(tab: Tab, deadline: Deadline, *, letter: bool = False) -> None:
    """Wait until the page has answered the key before, as a person does who looks at the page.

    A `letter` does not wait in a text field: people type there without looking. Nothing waits when the time is short.
    """
    if deadline.left_s < 2 * ANSWER_S:
        return
    script = elements.key_answered(ANSWER_FRAMES, ANSWER_S * 1000, letter).expression
    async with tab.clock.undisturbed():
        await _in_focus(tab, script, deadline.within(ANSWER_S + FOCUS_S))


async def _answers_keys(tab: Tab, deadline: Deadline) -> bool:
    return any(await _in_focus(tab, f"{HAS_FOCUS} && {elements.takes_keys().expression}", deadline.within(FOCUS_S)))


async def _in_focus(tab: Tab, script: str, deadline: Deadline) -> list[object]:
    """Evaluate a script in every document; one that is busy or being replaced gives None."""
    known = [frame for frame in tab.frames if frame.context_id is not None]
    answers = await asyncio.gather(
        *(frame.evaluate(script, timeout=deadline.left_s) for frame in known), return_exceptions=True
    )
    for answer in answers:
        if isinstance(answer, BaseException) and not isinstance(answer, CommandError):
            raise answer
    return [None if isinstance(answer, BaseException) else answer for answer in answers]


async def _arm(attempt: Attempt, deadline: Deadline, guard: FocusGuard | None) -> None:
    waits: list[Awaitable[object]] = []
    if attempt.before_input.armed is not None:
        waits.append(attempt.before_input.armed(deadline))
    if guard is not None and guard.hides is None:
        waits.append(guard.arm(deadline))
    await asyncio.gather(*waits)


def redact_typed(tab: Tab, text: str) -> None:
    """Redact text about to be typed into a field that hides it: each line, because Enter and Tab move on."""
    for part in re.split(r"[\r\n\t]+", text):
        tab.context.redaction.add_typed(part)


def key_batches(tab: Tab, action: Action) -> int:
    """Return in how many batches the keys of an action are sent; one for an action without keys."""
    if isinstance(action, TypeText):
        keys = sum(1 for _ in text_events(_text_of(tab, action)))
    elif isinstance(action, PressKey):
        keys = sum(1 for _ in chord_events(parse_chord(action.key))) * action.times
    else:
        keys = 1
    return max(1, -(-keys // KEY_BATCH))


def delays_s(tab: Tab, action: Action) -> float:
    """Return the seconds between the letters that an action types, in total."""
    delayed = isinstance(action, TypeText) and action.delay_ms
    return len(_text_of(tab, action)) * action.delay_ms / 1000 if isinstance(action, TypeText) and delayed else 0.0


def _text_of(tab: Tab, action: TypeText) -> str:
    text = action.text
    if isinstance(text, Secret):
        return text.reveal() if text.name is None else tab.context.secrets.find(text.name).value
    return text


async def text_for_element(attempt: Attempt, value: Text | bool, selector: str, *, deadline: Deadline) -> str | bool:
    """Return the value for an element before it is made ready: even its process must not learn a forbidden secret.

    Raises SecretRefused, SecretUnknown, and the errors of finding the element.
    """
    if isinstance(value, Secret) and value.name is not None and attempt.tab.context.secrets.find(value.name).hosts:
        target = await make_ready(attempt, selector, {"any": need.VISIBLE}, deadline=deadline)
        return await text_for_frame(attempt.tab, value, target.frame)
    return value if isinstance(value, bool) else await text_for_frame(attempt.tab, value, None)


async def text_for_frame(tab: Tab, value: Text | bool, frame: Frame | None) -> str:
    """Return the text for a frame, or for the focused one; raises SecretRefused, SecretUnknown."""
    if not isinstance(value, Secret):
        return str(value)
    if value.name is None:
        tab.context.redaction.add_typed(value.reveal())
        return value.reveal()
    declared = tab.context.secrets.find(value.name)
    if declared.hosts:
        for place in [frame] if frame else await _focused(tab):
            # The browser's own URL of the frame: a document without one, such as srcdoc, has no host either.
            declared.check_url(place.url)
    tab.context.redaction.add_typed(declared.value)
    return declared.value


async def _focused(tab: Tab) -> list[Frame]:
    """Return the frames that may receive keys: focused, without a focused frame inside. The page if none reports focus.

    The focused element does not show this: a frame in a closed shadow root is invisible from outside.
    """
    frames = list(tab.frames)
    answers = await asyncio.gather(*(_has_focus(frame) for frame in frames))
    focused = [frame for frame, has in zip(frames, answers, strict=True) if has]
    within = {id(frame.parent) for frame in focused}
    return [frame for frame in focused if id(frame) not in within] or [tab.frames.main]


async def _has_focus(frame: Frame) -> bool:
    try:
        return bool(await frame.evaluate(HAS_FOCUS))
    except CommandError:
        return False  # its document is being replaced
