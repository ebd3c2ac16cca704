"""Set the values of controls: text, options, dates, and checked states.

Text fields and editable elements are focused, their content is selected, and the new text is inserted as one edit
(`beforeinput`, `input`; `change` comes when the focus leaves, as it does for a user). A select and the fields that have
a picker (date, time, month, week, datetime-local, color, range) get their value by their own setter, followed by
`input` and `change`. A checkable control is clicked unless it is in the wanted state already.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stillframe.cdp_types import input as cdp_input
from stillframe.errors import ContextLost, ElementDetached, ElementUnsuitable, EvaluationFailed
from stillframe.injected import elements
from stillframe.model.secret import Secret
from stillframe.tab.input import actionability as need
from stillframe.tab.input import filling, keyboard
from stillframe.tab.input.actionability import ReadyTarget, make_ready
from stillframe.tab.input.choosing import Choice, choose_behind
from stillframe.tab.input.filling import send_keys
from stillframe.tab.input.focus_guard import FocusGuard
from stillframe.tab.input.press import Press, click

if TYPE_CHECKING:
    from stillframe.injected.call import Call
    from stillframe.model import actions as a
    from stillframe.tab.deadline import Deadline
    from stillframe.tab.input.attempt import Attempt

STATE_S = 1.0
"""Seconds for a clicked checkbox to show its new state: frameworks may write it back a moment later."""

MAX_CLICKS = 2
"""Clicks that lead from any of three states to any other: checked, unchecked and mixed take turns."""

_BOOLS = {"true": True, "false": False}
_STATES = {"on": "checked", "off": "unchecked", "mixed": "mixed"}


async def set_value(attempt: Attempt, action: a.SetValue, deadline: Deadline) -> None:
    """Set the value of any control that takes one; raises ActionFailed, SecretRefused, SecretUnknown."""
    async with deadline.enforced(f"set_value on {action.selector}"):
        await filling.with_focus(lambda: _set_value(attempt, action, deadline), deadline)


async def _set_value(attempt: Attempt, action: a.SetValue, deadline: Deadline) -> None:
    value = await filling.text_for_element(attempt, action.value, action.selector, deadline=deadline)
    on = value if isinstance(value, bool) else _BOOLS.get(value.strip().lower())
    wanted = need.CHECK if isinstance(value, bool) else need.SET_VALUE if on is None else need.SET_VALUE_OR_CHECK
    target = await make_ready(attempt, action.selector, wanted, {"value": value, "on": on}, deadline=deadline)
    await filling.text_for_frame(attempt.tab, action.value, target.frame)  # the element may have changed meanwhile
    if target.kind == "check":
        await _toggle(attempt, action.selector, bool(on), deadline)
    elif target.kind == "select":
        await _choose(attempt, action.selector, target, [str(value)], deadline)
    elif target.kind == "picker":
        await _call_once(action.selector, target, elements.set_value(target.token, str(value)), deadline)
    elif value:
        secret = isinstance(action.value, Secret)
        await _insert(attempt, action.selector, target, str(value), deadline, secret=secret)
    else:
        keys = tuple(keyboard.chord_events(keyboard.Chord((), "Delete")))
        await send_keys(attempt, keys, deadline, FocusGuard(attempt.tab, keys, action.selector, target, stays=True))


async def _insert(
    attempt: Attempt, selector: str, target: ReadyTarget, text: str, deadline: Deadline, *, secret: bool = False
) -> None:
    if target.hidden:
        attempt.tab.context.redaction.add_typed(text)
    keys = (cdp_input.InsertText(text=text),)
    guard = FocusGuard(attempt.tab, keys, selector, target, secret=secret, stays=True)
    await send_keys(attempt, keys, deadline, guard)
    if guard.complete:
        return
    try:
        arrived = await target.frame.call(elements.text_arrived(target.token), timeout=deadline.hard_left_s)
    except ContextLost:
        return  # the text made the page load another document
    if not arrived:
        raise ElementUnsuitable(
            f"{selector} is {target.what}; the text did not arrive there: when the field was focused, the page moved "
            "the focus or replaced the field",
            selector=selector,
        )


async def select_option(attempt: Attempt, action: a.SelectOption, deadline: Deadline) -> None:
    """Choose options of a list; raises ActionFailed."""
    values = [action.value] if isinstance(action.value, str) else list(action.value)
    async with deadline.enforced(f"select_option of {action.selector}"):
        target = await make_ready(attempt, action.selector, need.SELECT, {"value": values}, deadline=deadline)
        if target.kind == "select":
            await _choose(attempt, action.selector, target, values, deadline)
        elif target.kind == "datalist":
            await _insert(attempt, action.selector, target, target.detail, deadline)
        else:
            await Choice(attempt, action.selector, target, deadline).choose(values)


async def _choose(attempt: Attempt, selector: str, target: ReadyTarget, values: list[str], deadline: Deadline) -> None:
    """Choose options of a select, and in the widget that the page draws for it unless that follows by itself."""
    widget = await _call_once(selector, target, elements.choose(target.token, values), deadline)
    if widget:
        await choose_behind(attempt, selector, target, widget, deadline)


# -- checking ------------------------------------------------------------------------------------


async def check(attempt: Attempt, action: a.Check, deadline: Deadline) -> None:
    """Check a control unless it is checked; raises ActionFailed."""
    await _set_checked(attempt, action, True, deadline)


async def uncheck(attempt: Attempt, action: a.Uncheck, deadline: Deadline) -> None:
    """Uncheck a control unless it is unchecked; raises ActionFailed."""
    await _set_checked(attempt, action, False, deadline)


async def _set_checked(attempt: Attempt, action: a.Check | a.Uncheck, on: bool, deadline: Deadline) -> None:
    async with deadline.enforced(f"{action.kind} {action.selector}"):
        await _toggle(attempt, action.selector, on, deadline, action.position)


async def _toggle(
    attempt: Attempt, selector: str, on: bool, deadline: Deadline, position: a.Position | None = None
) -> None:
    seen: list[str] = []
    args = {"on": on, **need.at(position)}
    while True:
        target = await Press(attempt, selector, need.CHECK, args, click(attempt), deadline).send()
        if target.done:
            return
        state = await _state(target, on, deadline)
        if state in (None, "on" if on else "off"):
            return
        seen += [state] if seen else [target.detail, state]
        if len(seen) > MAX_CLICKS or "mixed" not in seen or seen[-1] == seen[-2]:
            raise _not_changed(selector, target, seen)


async def _state(target: ReadyTarget, on: bool, deadline: Deadline) -> str | None:
    """Return the new state of a clicked control; None if the click replaced the control."""
    ms = min(STATE_S, deadline.hard_left_s) * 1000
    become = elements.wait_for_state(target.token, on, target.detail, ms)
    try:
        report = await target.frame.call(become, timeout=ms / 1000 + deadline.hard_left_s)
    except (ContextLost, EvaluationFailed):
        return None
    return str(report["detail"])


def _not_changed(selector: str, target: ReadyTarget, seen: list[str]) -> ElementUnsuitable:
    states = [_STATES[state] for state in seen]
    if len(set(states)) == 1:
        words = f"it was clicked and is still {states[0]}: the page reverted it"
    else:
        words = f"it was clicked {len(states) - 1} times and went from {' to '.join(states)}"
    return ElementUnsuitable(f"{selector} is {target.what}; {words}", selector=selector)


# -- values set by script ------------------------------------------------------------------------


async def _call_once(selector: str, target: ReadyTarget, call: Call, deadline: Deadline) -> Any:
    try:
        return await target.frame.call(call, timeout=deadline.hard_left_s)
    except (ContextLost, EvaluationFailed) as error:
        # It is unknown whether the value was set, so there is no retry.
        raise ElementDetached(
            f"{selector} is {target.what}; it left the document while its value was being set: take a new snapshot",
            selector=selector,
        ) from error
