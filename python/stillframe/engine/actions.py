"""Perform one action: make its target ready, then send the input.

Everything before the first input event may be retried, for example when the document is replaced; nothing after it is.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar

from stillframe.cdp_types import input as cdp_input
from stillframe.cdp_types import page as cdp_page
from stillframe.engine.page_guard import NAVIGATING
from stillframe.errors import CommandTimeout, ContextLost, EvaluationFailed, PageUnresponsive, SessionLost, WaitTimeout
from stillframe.injected import elements
from stillframe.model import actions as a
from stillframe.model.result import NavigationResult
from stillframe.model.secret import Secret
from stillframe.tab.deadline import Deadline
from stillframe.tab.input import actionability as need
from stillframe.tab.input import coordinates, dispatching, dropping, filling, keyboard, mouse, touch, uploading, values
from stillframe.tab.input.actionability import Need, ReadyTarget, make_ready
from stillframe.tab.input.attempt import Attempt
from stillframe.tab.input.dragging import End, drag
from stillframe.tab.input.filling import send_keys
from stillframe.tab.input.focus_guard import FocusGuard
from stillframe.tab.input.keys import KEYS
from stillframe.tab.input.mouse import send_input
from stillframe.tab.input.press import PointerInput, Press, click
from stillframe.tab.locating import waits
from stillframe.tab.locating.selectors import parse as parse_selector
from stillframe.tab.navigation import navigation
from stillframe.tab.navigation.navigation import NAVIGATION_TIMEOUT

if TYPE_CHECKING:
    from stillframe.model.options import SequenceOptions
    from stillframe.tab.navigation.loading import WaitUntil
    from stillframe.tab.tab import Tab

A = TypeVar("A", bound=a.Action)
Handler = Callable[[Attempt, Any, Deadline], Awaitable[NavigationResult | None]]

DOWNLOAD_S = 1.0
"""Seconds for Chrome to request the download after an Alt-click; it first waits for a double click (0.5 s)."""

SILENT_S = 2.0
"""Seconds without an answer after which a page that is waited for is unresponsive.

A page that loads beside others on a busy machine answers nothing for a second, so a shorter wait proves nothing.
"""


async def perform(attempt: Attempt, action: a.Action, deadline: Deadline) -> NavigationResult | None:
    """Perform one action and return the response if it is a navigation.

    The deadline is that of finding the target and making it ready, and that of a navigation. Raises ActionFailed or one
    of its subclasses; the error of `unanswered` if the action has not finished by its `whole_limit`.
    Input that was sent is never sent again.
    """
    limit = whole_limit(attempt.tab, action, deadline)
    try:
        async with limit.enforced(action.kind):
            return await _HANDLERS[type(action)](attempt, action, deadline)
    except CommandTimeout as error:
        raise unanswered(attempt.tab, action, limit, error) from error


def unanswered(
    tab: Tab, action: a.BaseAction, limit: Deadline, error: CommandTimeout
) -> PageUnresponsive | WaitTimeout:
    """Return the error for an action that the page did not answer by its limit."""
    selector = getattr(action, "selector", None)
    target = _shown(action, selector)
    if isinstance(action, a.WaitFor) and limit.timeout < SILENT_S:
        return WaitTimeout(
            f"{target}: the page did not answer within {limit.shown}, so the condition could not be checked: "
            "it may be loading on a busy machine; give the wait a longer timeout_ms",
            selector=selector,
        )
    # A WebView takes no touch before it has drawn a frame, and a hidden one draws none.
    hidden = ", or its app is not in front and the screen not on" if tab.context.info.is_android else ""
    return PageUnresponsive(
        f"{target}: the page does not answer: one of its scripts runs without a pause, or the page is stopped{hidden} "
        f"({error}); reload it, or give the action a longer timeout_ms",
        selector=selector,
    )


def _shown(action: a.BaseAction, selector: str | None) -> str:
    """Return an action as its kind and what it is about, for messages."""
    if selector is not None:
        return f"{action.kind} on {selector}"
    if isinstance(action, a.WaitFor):
        return f"{action.kind} the " + (f"text {action.text!r}" if action.text else f"URL {action.url!r}")
    return action.kind


def finding_s(tab: Tab, action: a.Action, options: SequenceOptions) -> float:
    """Return how many seconds an action may take to find its target; navigations have a limit of their own for all."""
    if action.timeout_ms is not None:
        return action.timeout_ms / 1000
    if not isinstance(action, NAVIGATING):
        return options.action_timeout_ms / 1000
    default_ms = tab.timeouts.navigation_ms
    return NAVIGATION_TIMEOUT if default_ms is None else default_ms / 1000


def added_s(tab: Tab, action: a.Action, own_s: float) -> float:
    """Return how many seconds an action may take beyond those to find its target.

    What is held or typed slowly adds its own duration, and a page that handles keys slowly gets the limit again for
    every hundred keys.
    """
    again = filling.key_batches(tab, action) - 1
    return (own_s * again if again else 0.0) + _held_s(action) + filling.delays_s(tab, action)


def whole_limit(tab: Tab, action: a.Action, deadline: Deadline) -> Deadline:
    """Return the deadline of all of an action, given that of finding its target."""
    more_s = added_s(tab, action, deadline.timeout)
    return deadline.extended(more_s) if more_s else deadline


def _held_s(action: a.Action) -> float:
    """Return for how many seconds an action holds a button, a key or a finger."""
    match action:
        case a.LongPress():
            return action.duration_ms / 1000
        case a.PressKey():
            return action.times * action.delay_ms / 1000
        case a.Click():
            return (2 * action.click_count - 1) * action.delay_ms / 1000
        case a.DoubleClick():
            return 3 * action.delay_ms / 1000
        case _:
            return 0.0


def check(action: a.Action) -> None:
    """Reject errors that are detectable before anything runs; raises SelectorInvalid, ActionInvalid."""
    for selector in (getattr(action, "selector", None), getattr(action, "target", None)):
        if selector is not None:
            parse_selector(selector)
    if isinstance(action, a.PressKey):
        keyboard.parse_chord(action.key)
    if isinstance(action, (a.KeyDown, a.KeyUp)):
        keyboard.parse_key(action.key)
    if isinstance(action, (a.UploadFile, a.UploadContent, a.DropFiles)):
        uploading.files_of(action)


# -- pointer -------------------------------------------------------------------------------------


async def _click_element(attempt: Attempt, action: a.Click, deadline: Deadline) -> None:
    hold_s = action.delay_ms / 1000
    held = click(attempt, button=action.button, count=action.click_count, modifiers=action.modifiers, hold_s=hold_s)
    target = await _press(attempt, action, held, deadline)
    if action.modifiers == ("Alt",) and action.button == "left":
        await _download_requested(target)


async def _download_requested(target: ReadyTarget) -> None:
    """Wait until an Alt-click on a link requests its download; settling handles the download itself."""
    try:
        if await target.frame.call(elements.is_in_link(target.token)):
            with target.frame.session.subscribe(cdp_page.FrameRequestedNavigation) as requests:
                await requests.get(DOWNLOAD_S)
    except CommandTimeout:
        raise
    except (TimeoutError, ContextLost, SessionLost, EvaluationFailed):
        return  # the page prevented the download


async def _double_click(attempt: Attempt, action: a.DoubleClick, deadline: Deadline) -> None:
    hold_s = action.delay_ms / 1000
    held = click(attempt, button=action.button, count=2, modifiers=action.modifiers, hold_s=hold_s)
    await _press(attempt, action, held, deadline)


async def _right_click(attempt: Attempt, action: a.RightClick, deadline: Deadline) -> None:
    await _press(attempt, action, click(attempt, button="right", modifiers=action.modifiers), deadline)


async def _hover(attempt: Attempt, action: a.Hover, deadline: Deadline) -> None:
    pointer_input = PointerInput(_nothing, by="hover", modifiers=action.modifiers)
    await Press(attempt, action.selector, need.HOVER, need.at(action.position), pointer_input, deadline).send()


async def _nothing(_target: ReadyTarget, _deadline: Deadline) -> None:
    """Send nothing: hovering only moves the mouse, and that has happened already."""


async def _tap(attempt: Attempt, action: a.Tap, deadline: Deadline) -> None:
    async def send(target: ReadyTarget, limit: Deadline) -> None:
        await touch.tap(attempt.tab, target.x, target.y, limit, modifiers=action.modifiers)

    await _press(attempt, action, PointerInput(send, by="touch"), deadline)


async def _long_press(attempt: Attempt, action: a.LongPress, deadline: Deadline) -> None:
    held_s = action.duration_ms / 1000

    async def send(target: ReadyTarget, limit: Deadline) -> None:
        await touch.long_press(attempt.tab, target.x, target.y, held_s, limit)

    await _press(attempt, action, PointerInput(send, by="touch", held_s=held_s, answered=False), deadline)


async def _press(
    attempt: Attempt,
    action: a.Click | a.DoubleClick | a.RightClick | a.Tap | a.LongPress,
    pointer_input: PointerInput,
    deadline: Deadline,
) -> ReadyTarget:
    at = need.at(action.position)
    return await Press(attempt, action.selector, need.CLICK, at, pointer_input, deadline).send()


async def _drag_to(attempt: Attempt, action: a.DragTo, deadline: Deadline) -> None:
    async def find(wanted: Need) -> ReadyTarget:
        assert action.target is not None
        return await make_ready(attempt, action.target, wanted, need.at(action.target_position), deadline=deadline)

    async def end(source: ReadyTarget) -> End:
        if action.offset is not None:
            return End((source.x + action.offset.x, source.y + action.offset.y))
        target = await find(need.DROP)
        return End((target.x, target.y), target)

    if action.target is not None:
        async with deadline.enforced(f"drag_to {action.target}"):
            await find(need.HOVER)  # fail before the button goes down if the target cannot be used

    async def press(pointer_input: PointerInput) -> ReadyTarget:
        at = need.at(action.source_position)
        return await Press(attempt, action.selector, need.CLICK, at, pointer_input, deadline).send()

    await drag(attempt.tab, press, end, deadline, action.selector)


# -- scrolling -----------------------------------------------------------------------------------

VECTORS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
"""The direction in which each scroll moves through the content; a finger moves the opposite way."""


async def _scroll(attempt: Attempt, action: a.Scroll, deadline: Deadline) -> None:
    dx, dy = VECTORS[action.direction]
    if action.selector is None:
        spot = await attempt.tab.frames.main.call(elements.wheel_spot(dy != 0), timeout=deadline.hard_left_s)
        x, y = spot["x"], spot["y"]
    else:
        async with deadline.enforced(f"scroll over {action.selector}"):
            target = await make_ready(attempt, action.selector, need.HOVER, deadline=deadline)
        x, y = target.x, target.y
    wheel = cdp_input.DispatchMouseEvent(
        type="mouseWheel", x=x, y=y, delta_x=dx * action.pixels, delta_y=dy * action.pixels
    )
    await send_input(attempt.tab, [mouse.moved(x, y), wheel], deadline)


async def _scroll_to(attempt: Attempt, action: a.ScrollTo, deadline: Deadline) -> None:
    if action.selector is None:
        await attempt.tab.frames.main.call(elements.scroll_to_edge(None, action.edge), timeout=deadline.hard_left_s)
        return
    async with deadline.enforced(f"scroll_to {action.selector}"):
        wanted = need.DROP if action.edge is None else need.RENDERED
        target = await make_ready(attempt, action.selector, wanted, deadline=deadline)
    if action.edge is not None:
        await target.frame.call(elements.scroll_to_edge(target.token, action.edge), timeout=deadline.hard_left_s)


async def _swipe(attempt: Attempt, action: a.Swipe, deadline: Deadline) -> None:
    dx, dy = VECTORS[action.direction]
    if action.selector is None:
        spot = await attempt.tab.frames.main.call(elements.wheel_spot(dy != 0), timeout=deadline.hard_left_s)
        left, top, width, height = 0.0, 0.0, spot["width"], spot["height"]
    else:
        target = await make_ready(attempt, action.selector, need.HOVER, deadline=deadline)
        left, top, width, height = target.box
    x, y = left + width / 2, top + height / 2
    half_x, half_y = dx * width * action.percent / 2, dy * height * action.percent / 2
    await touch.swipe(attempt.tab, (x + half_x, y + half_y), (x - half_x, y - half_y), deadline)


# -- keyboard ------------------------------------------------------------------------------------


async def _press_key(attempt: Attempt, action: a.PressKey, deadline: Deadline) -> None:
    chord = keyboard.parse_chord(action.key)
    if action.selector is not None:
        async with deadline.enforced(f"press_key on {action.selector}"):
            await make_ready(attempt, action.selector, need.FOCUS, deadline=deadline)
    if attempt.follows_key:
        await filling.key_answered(attempt.tab, deadline, letter=not chord.modifiers and len(chord.key) == 1)
    keys = tuple(keyboard.chord_events(chord, attempt.tab.held.modifiers))
    await filling.press_keys(attempt, keys, action.times, deadline, hold_s=action.delay_ms / 1000)


async def _key_down(attempt: Attempt, action: a.KeyDown, deadline: Deadline) -> None:
    held, name = attempt.tab.held, keyboard.parse_key(action.key)
    repeats = held.press(KEYS[name].code, keyboard.bit_of(name))
    await send_keys(attempt, [keyboard.key_down(name, held.modifiers, repeats=repeats)], deadline)


async def _key_up(attempt: Attempt, action: a.KeyUp, deadline: Deadline) -> None:
    held, name = attempt.tab.held, keyboard.parse_key(action.key)
    held.release(KEYS[name].code)
    await send_keys(attempt, [keyboard.key_up(name, held.modifiers)], deadline)


async def _type_text(attempt: Attempt, action: a.TypeText | a.InsertText, deadline: Deadline) -> None:
    if action.selector is None:
        await _type(attempt, action, deadline)
    else:
        await filling.with_focus(lambda: _type(attempt, action, deadline), deadline)


async def _type(attempt: Attempt, action: a.TypeText | a.InsertText, deadline: Deadline) -> None:
    target = None
    if action.selector is not None:
        async with deadline.enforced(f"{action.kind} into {action.selector}"):
            target = await make_ready(attempt, action.selector, need.TYPE, deadline=deadline)
    text = await filling.text_for_frame(attempt.tab, action.text, target.frame if target else None)
    keys = tuple(keyboard.text_events(text) if isinstance(action, a.TypeText) else keyboard.inserted(text))
    secret = isinstance(action.text, Secret)
    pause_s = action.delay_ms / 1000 if isinstance(action, a.TypeText) else 0.0
    guard = FocusGuard(attempt.tab, keys, action.selector, target, secret=secret, one_by_one=pause_s > 0)
    if target.hidden if target else await guard.arm(deadline):
        filling.redact_typed(attempt.tab, text)
    if pause_s:
        deadline = deadline.extended(pause_s * len(text))
    await send_keys(attempt, keys, deadline, guard, pause_s=pause_s)


async def _focus(attempt: Attempt, action: a.Focus, deadline: Deadline) -> None:
    async with deadline.enforced(f"focus on {action.selector}"):
        await make_ready(attempt, action.selector, need.FOCUS, deadline=deadline)


async def _select_text(attempt: Attempt, action: a.SelectText, deadline: Deadline) -> None:
    async with deadline.enforced(f"select_text of {action.selector}"):
        await make_ready(attempt, action.selector, need.SELECT_TEXT, deadline=deadline)


# -- the page ------------------------------------------------------------------------------------


UNTIL: WaitUntil = "domcontentloaded"
"""The state each navigation waits for; the wait after the last action covers the rest."""


async def _navigate(attempt: Attempt, action: a.Navigate, deadline: Deadline) -> NavigationResult:
    return await navigation.navigate(attempt.tab, action.url, until=UNTIL, deadline=deadline, referer=action.referer)


async def _go_back(attempt: Attempt, _: a.GoBack, deadline: Deadline) -> NavigationResult:
    return await navigation.go(attempt.tab, -1, until=UNTIL, deadline=deadline)


async def _go_forward(attempt: Attempt, _: a.GoForward, deadline: Deadline) -> NavigationResult:
    return await navigation.go(attempt.tab, 1, until=UNTIL, deadline=deadline)


async def _reload(attempt: Attempt, _: a.Reload, deadline: Deadline) -> NavigationResult:
    return await navigation.reload(attempt.tab, until=UNTIL, deadline=deadline)


async def _wait_for(attempt: Attempt, action: a.WaitFor, deadline: Deadline) -> None:
    await waits.wait_for(attempt.tab, action, deadline, state=action.state)


async def _answer_dialog(attempt: Attempt, action: a.AnswerDialog, deadline: Deadline) -> None:
    # Nothing that happens before the first action can open a dialog, so it waits only if it has a timeout of its own.
    may_wait = attempt.follows_action or action.timeout_ms is not None
    await attempt.tab.dialogs.answer(action.accept, action.prompt_text, waits=may_wait, deadline=deadline)


_HANDLERS: dict[type[a.Action], Handler] = {
    a.SetValue: values.set_value,
    a.Click: _click_element,
    a.DoubleClick: _double_click,
    a.RightClick: _right_click,
    a.Tap: _tap,
    a.LongPress: _long_press,
    a.Hover: _hover,
    a.DragTo: _drag_to,
    a.Navigate: _navigate,
    a.GoBack: _go_back,
    a.GoForward: _go_forward,
    a.Reload: _reload,
    a.Scroll: _scroll,
    a.ScrollTo: _scroll_to,
    a.Swipe: _swipe,
    a.PressKey: _press_key,
    a.TypeText: _type_text,
    a.InsertText: _type_text,
    a.KeyDown: _key_down,
    a.KeyUp: _key_up,
    a.Focus: _focus,
    a.Blur: dispatching.blur,
    a.DispatchEvent: dispatching.dispatch_event,
    a.SelectText: _select_text,
    a.SelectOption: values.select_option,
    a.Check: values.check,
    a.Uncheck: values.uncheck,
    a.UploadFile: uploading.upload_file,
    a.UploadContent: uploading.upload_file,
    a.DropFiles: dropping.drop_files,
    a.WaitFor: _wait_for,
    a.AnswerDialog: _answer_dialog,
    a.MouseMove: coordinates.mouse_move,
    a.MouseClick: coordinates.mouse_click,
    a.MouseDrag: coordinates.mouse_drag,
    a.MouseWheel: coordinates.mouse_wheel,
}
