"""From what an action says to the text that is typed: declared secrets, and only where they are meant to go."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable
from typing import overload

from stillframe.errors import CommandError
from stillframe.model.actions import Action, PressKey, TypeText
from stillframe.model.secret import Secret, Text
from stillframe.tab.deadline import LATE_S, Deadline
from stillframe.tab.frames import Frame
from stillframe.tab.input import actionability as need
from stillframe.tab.input.actionability import ready
from stillframe.tab.input.attempt import Attempt
from stillframe.tab.input.keyboard import KeyCommand, chord_events, parse_chord, text_events
from stillframe.tab.input.mouse import send_input
from stillframe.tab.tab import Tab

HAS_FOCUS = "document.hasFocus()"
"""Whether keys arrive in this document, or in a frame of it. Asked in the isolated world: no page can forge it."""

FOCUS_S = 0.3
"""Seconds for a document to say what has the focus; one that is not busy takes 2 ms."""

KEYS_AT_ONCE = 100
"""Key events that are sent together. A page that handles keys slowly takes each lot in its own time, and a page that
never answers is told apart from it."""


async def send_keys(attempt: Attempt, events: Iterable[KeyCommand], deadline: Deadline) -> None:
    """Send key events in order; raises CommandTimeout if the page takes longer than the timeout for one lot."""
    keys = list(events)
    if attempt.before_input.armed is not None:
        await attempt.before_input.armed(deadline.left)
    for start in range(0, len(keys), KEYS_AT_ONCE):
        limit = deadline.late if start == 0 else deadline.timeout + LATE_S
        # What is in the field before goes with the page if a key sends its form.
        attempt.tab.typed.ask()
        await send_input(attempt.tab.session, keys[start : start + KEYS_AT_ONCE], timeout=limit)
    attempt.tab.typed.ask()


def hide(tab: Tab, text: str) -> None:
    """Mask what is about to be typed into a field that hides it: each line of it, since Enter and Tab lead on."""
    for part in re.split(r"[\r\n\t]+", text):
        tab.context.redaction.add_typed(part)


async def is_hidden(tab: Tab) -> bool:
    """Whether the field that has the focus hides what is typed into it; a document that does not answer says no."""
    known = [frame for frame in tab.frames if frame.context_id is not None]
    return any(await asyncio.gather(*map(_hides_focus, known)))


async def _hides_focus(frame: Frame) -> bool:
    try:
        return bool(await frame.evaluate(f"{HAS_FOCUS} && __sf.hidesFocus()", timeout=FOCUS_S))
    except CommandError:
        return False  # it is busy or on its way out; what is typed into it is told afterwards


def lots_of(tab: Tab, action: Action) -> int:
    """Return in how many lots the keys of an action are sent, one for an action without keys."""
    if isinstance(action, TypeText):
        text = action.text
        if isinstance(text, Secret):
            text = text.reveal() if text.name is None else tab.context.secrets.find(text.name).value
        keys = sum(1 for _ in text_events(text))
    elif isinstance(action, PressKey):
        keys = sum(1 for _ in chord_events(parse_chord(action.key))) * action.times
    else:
        keys = 1
    return max(1, -(-keys // KEYS_AT_ONCE))


@overload
async def for_element(attempt: Attempt, value: Text, selector: str, *, timeout: float) -> str: ...
@overload
async def for_element(attempt: Attempt, value: Text | bool, selector: str, *, timeout: float) -> str | bool: ...
async def for_element(attempt: Attempt, value: Text | bool, selector: str, *, timeout: float) -> str | bool:
    """Return the value for an element that is still to be made ready: not even its process learns what it may not.

    Raises SecretRefused, SecretUnknown, and what finding the element raises.
    """
    if isinstance(value, Secret) and value.name is not None and attempt.tab.context.secrets.find(value.name).hosts:
        target = await ready(attempt, selector, {"any": need.VISIBLE}, timeout=timeout)
        return await for_frame(attempt.tab, value, target.frame)
    return value if isinstance(value, bool) else await for_frame(attempt.tab, value, None)


async def for_frame(tab: Tab, value: Text | bool, frame: Frame | None) -> str:
    """Return the text for a frame, or for the one that has the focus; raises SecretRefused, SecretUnknown."""
    if not isinstance(value, Secret):
        return str(value)
    if value.name is None:
        tab.context.redaction.add_typed(value.reveal())
        return value.reveal()
    declared = tab.context.secrets.find(value.name)
    if declared.hosts:
        for place in [frame] if frame else await _focused(tab):
            # The browser's word: a document without a URL of its own, as of srcdoc, has no host either.
            declared.check_url(place.url)
    tab.context.redaction.add_typed(declared.value)
    return declared.value


async def _focused(tab: Tab) -> list[Frame]:
    """The frames that keys may go to: with the focus, and none in them that has it. The page if none says so.

    Which element has it does not tell: a frame in a closed shadow root is seen by nobody outside of that.
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
        return False  # its document is on its way out
