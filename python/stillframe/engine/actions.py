"""Perform one action: make its target ready, then send the input.

Everything before the first input event may be retried, for example when the document is replaced; nothing after it is.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from stillframe.cdp_types import input as cdp_input
from stillframe.cdp_types import page as cdp_page
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
from stillframe.tab.input.press import PointerInput, click, send_pointer_input
from stillframe.tab.locating import waits
from stillframe.tab.locating.locate import ACTION_TIMEOUT
from stillframe.tab.locating.selectors import parse as parse_selector
from stillframe.tab.navigation import navigation
from stillframe.tab.navigation.navigation import NAVIGATION_TIMEOUT

if TYPE_CHECKING:
    from stillframe.tab.navigation.loading import WaitUntil
    from stillframe.tab.tab import Tab

A = TypeVar("A", bound=a.Action)
Handler = Callable[[Attempt, Any, float], Awaitable[NavigationResult | None]]

DOWNLOAD_S = 1.0
"""Seconds for Chrome to request the download after an Alt-click; it first waits for a double click (0.5 s)."""

SILENT_S = 2.0
"""Seconds without an answer after which a page that is waited for is unresponsive.

A page that loads beside others on a busy machine answers nothing for a second, so a shorter wait proves nothing.
"""


async def perform(attempt: Attempt, action: a.Action, *, timeout: float = ACTION_TIMEOUT) -> NavigationResult | None:
    """Perform one action and return the response if it is a navigation.

    `timeout` is in seconds and bounds the time to find the target and make it ready. Navigations use their own time
    limit, unless the action has a `timeout_ms`. Raises ActionFailed or one of its subclasses; the error of
    `unanswered` if the action has not finished within `limit_of`. Input that was sent is never sent again.
    """
    limit = limit_of(attempt.tab, action, timeout)
    try:
        async with Deadline(limit).enforced(action.kind):
            return await _HANDLERS[type(action)](attempt, action, timeout)
    except CommandTimeout as error:
        raise unanswered(attempt.tab, action, limit, error) from error


def unanswered(tab: Tab, action: a.BaseAction, limit: float, error: CommandTimeout) -> PageUnresponsive | WaitTimeout:
    """Return the error for an action that the page did not answer within `limit` seconds."""
    selector = getattr(action, "selector", None)
    target = _shown(action, selector)
    if isinstance(action, a.WaitFor) and limit < SILENT_S:
        return WaitTimeout(
            f"{target}: the page did not answer within {round(limit, 2):g} s, so the condition could not be checked: "
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


def limit_of(tab: Tab, action: a.Action, timeout: float) -> float:
    """Return the seconds that an action may take in total, of which finding its target may take `timeout`.

    Navigations have a limit of their own, what is held or typed slowly adds its own duration, and a page that handles
    keys slowly gets the timeout again for every hundred keys.
    """
    if isinstance(action, (a.Navigate, a.GoBack, a.GoForward, a.Reload)):
        return _limit(tab, action)
    return timeout * filling.key_batches(tab, action) + _held_s(action) + filling.delays_s(tab, action)


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


async def _click_element(attempt: Attempt, action: a.Click, timeout: float) -> None:
    target = await _clicked(attempt, action, action.button, action.click_count, timeout, hold_ms=action.delay_ms)
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


async def _double_click(attempt: Attempt, action: a.DoubleClick, timeout: float) -> None:
    await _clicked(attempt, action, action.button, 2, timeout, hold_ms=action.delay_ms)


async def _right_click(attempt: Attempt, action: a.RightClick, timeout: float) -> None:
    await _clicked(attempt, action, "right", 1, timeout)


async def _clicked(
    attempt: Attempt,
    action: a.Click | a.DoubleClick | a.RightClick,
    button: mouse.Button,
    count: int,
    timeout: float,
    *,
    hold_ms: float = 0,
) -> ReadyTarget:
    held = click(attempt, button=button, count=count, modifiers=action.modifiers, hold_s=hold_ms / 1000)
    return await send_pointer_input(
        attempt, action.selector, need.CLICK, need.at(action.position), held, timeout=timeout
    )


async def _hover(attempt: Attempt, action: a.Hover, timeout: float) -> None:
    pointer_input = PointerInput(_nothing, by="hover", modifiers=action.modifiers)
    await send_pointer_input(
        attempt, action.selector, need.HOVER, need.at(action.position), pointer_input, timeout=timeout
    )


async def _nothing(_target: ReadyTarget, _seconds: float) -> None:
    """Send nothing: hovering only moves the mouse, and that has happened already."""


async def _tap(attempt: Attempt, action: a.Tap, timeout: float) -> None:
    async def send(target: ReadyTarget, seconds: float) -> None:
        await touch.tap(attempt.tab, target.x, target.y, modifiers=action.modifiers, timeout=seconds)

    pointer_input = PointerInput(send, by="touch")
    await send_pointer_input(
        attempt, action.selector, need.CLICK, need.at(action.position), pointer_input, timeout=timeout
    )


async def _long_press(attempt: Attempt, action: a.LongPress, timeout: float) -> None:
    async def send(target: ReadyTarget, seconds: float) -> None:
        await touch.long_press(attempt.tab, target.x, target.y, action.duration_ms / 1000, timeout=seconds)

    pointer_input = PointerInput(send, by="touch", answered=False)
    await send_pointer_input(
        attempt, action.selector, need.CLICK, need.at(action.position), pointer_input, timeout=timeout
    )


async def _drag_to(attempt: Attempt, action: a.DragTo, timeout: float) -> None:
    deadline = Deadline(timeout)

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
    press = partial(
        send_pointer_input, attempt, action.selector, need.CLICK, need.at(action.source_position), timeout=deadline.left
    )
    await drag(attempt.tab, press, end, deadline, action.selector)


# -- scrolling -----------------------------------------------------------------------------------

VECTORS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
"""The direction in which each scroll moves through the content; a finger moves the opposite way."""


async def _scroll(attempt: Attempt, action: a.Scroll, timeout: float) -> None:
    deadline = Deadline(timeout)
    dx, dy = VECTORS[action.direction]
    if action.selector is None:
        spot = await attempt.tab.frames.main.call(elements.wheel_spot(dy != 0), timeout=deadline.late)
        x, y = spot["x"], spot["y"]
    else:
        async with deadline.enforced(f"scroll over {action.selector}"):
            target = await make_ready(attempt, action.selector, need.HOVER, deadline=deadline)
        x, y = target.x, target.y
    wheel = cdp_input.DispatchMouseEvent(
        type="mouseWheel", x=x, y=y, delta_x=dx * action.pixels, delta_y=dy * action.pixels
    )
    await send_input(attempt.tab, [mouse.moved(x, y), wheel], timeout=deadline.late)


async def _scroll_to(attempt: Attempt, action: a.ScrollTo, timeout: float) -> None:
    deadline = Deadline(timeout)
    if action.selector is None:
        await attempt.tab.frames.main.call(elements.scroll_to_edge(None, action.edge), timeout=deadline.late)
        return
    async with deadline.enforced(f"scroll_to {action.selector}"):
        wanted = need.DROP if action.edge is None else need.RENDERED
        target = await make_ready(attempt, action.selector, wanted, deadline=deadline)
    if action.edge is not None:
        await target.frame.call(elements.scroll_to_edge(target.token, action.edge), timeout=deadline.late)


async def _swipe(attempt: Attempt, action: a.Swipe, timeout: float) -> None:
    dx, dy = VECTORS[action.direction]
    if action.selector is None:
        spot = await attempt.tab.frames.main.call(elements.wheel_spot(dy != 0))
        left, top, width, height = 0.0, 0.0, spot["width"], spot["height"]
    else:
        left, top, width, height = (
            await make_ready(attempt, action.selector, need.HOVER, deadline=Deadline(timeout))
        ).box
    x, y = left + width / 2, top + height / 2
    half_x, half_y = dx * width * action.percent / 2, dy * height * action.percent / 2
    await touch.swipe(attempt.tab, (x + half_x, y + half_y), (x - half_x, y - half_y))


# -- keyboard ------------------------------------------------------------------------------------


async def _press_key(attempt: Attempt, action: a.PressKey, timeout: float) -> None:
    deadline = Deadline(timeout)
    chord = keyboard.parse_chord(action.key)
    if action.selector is not None:
        async with deadline.enforced(f"press_key on {action.selector}"):
            await make_ready(attempt, action.selector, need.FOCUS, deadline=deadline)
    if attempt.follows_key:
        await filling.key_answered(attempt.tab, deadline, letter=not chord.modifiers and len(chord.key) == 1)
    keys = tuple(keyboard.chord_events(chord, attempt.tab.held.modifiers))
    await filling.press_keys(attempt, keys, action.times, deadline, hold_s=action.delay_ms / 1000)


async def _key_down(attempt: Attempt, action: a.KeyDown, timeout: float) -> None:
    held, name = attempt.tab.held, keyboard.parse_key(action.key)
    repeats = held.press(KEYS[name].code, keyboard.bit_of(name))
    await send_keys(attempt, [keyboard.key_down(name, held.modifiers, repeats=repeats)], Deadline(timeout))


async def _key_up(attempt: Attempt, action: a.KeyUp, timeout: float) -> None:
    held, name = attempt.tab.held, keyboard.parse_key(action.key)
    held.release(KEYS[name].code)
    await send_keys(attempt, [keyboard.key_up(name, held.modifiers)], Deadline(timeout))


async def _type_text(attempt: Attempt, action: a.TypeText | a.InsertText, timeout: float) -> None:
    deadline = Deadline(timeout)
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
    if target.hidden if target else await guard.arm(deadline.late):
        filling.redact_typed(attempt.tab, text)
    await send_keys(attempt, keys, Deadline(deadline.left + pause_s * len(text)), guard, pause_s=pause_s)


async def _focus(attempt: Attempt, action: a.Focus, timeout: float) -> None:
    deadline = Deadline(timeout)
    async with deadline.enforced(f"focus on {action.selector}"):
        await make_ready(attempt, action.selector, need.FOCUS, deadline=deadline)


async def _select_text(attempt: Attempt, action: a.SelectText, timeout: float) -> None:
    deadline = Deadline(timeout)
    async with deadline.enforced(f"select_text of {action.selector}"):
        await make_ready(attempt, action.selector, need.SELECT_TEXT, deadline=deadline)


# -- the page ------------------------------------------------------------------------------------


UNTIL: WaitUntil = "domcontentloaded"
"""The state each navigation waits for; the wait after the last action covers the rest."""


def _limit(tab: Tab, action: a.Action) -> float:
    if action.timeout_ms is not None:
        return action.timeout_ms / 1000
    default_ms = tab.timeouts.navigation_ms
    return NAVIGATION_TIMEOUT if default_ms is None else default_ms / 1000


async def _navigate(attempt: Attempt, action: a.Navigate, _timeout: float) -> NavigationResult:
    deadline = Deadline(_limit(attempt.tab, action))
    return await navigation.navigate(attempt.tab, action.url, until=UNTIL, deadline=deadline, referer=action.referer)


async def _go_back(attempt: Attempt, action: a.GoBack, _timeout: float) -> NavigationResult:
    return await navigation.go(attempt.tab, -1, until=UNTIL, deadline=Deadline(_limit(attempt.tab, action)))


async def _go_forward(attempt: Attempt, action: a.GoForward, _timeout: float) -> NavigationResult:
    return await navigation.go(attempt.tab, 1, until=UNTIL, deadline=Deadline(_limit(attempt.tab, action)))


async def _reload(attempt: Attempt, action: a.Reload, _timeout: float) -> NavigationResult:
    return await navigation.reload(attempt.tab, until=UNTIL, deadline=Deadline(_limit(attempt.tab, action)))


async def _wait_for(attempt: Attempt, action: a.WaitFor, timeout: float) -> None:
    await waits.wait_for(attempt.tab, action, state=action.state, timeout=timeout)


async def _answer_dialog(attempt: Attempt, action: a.AnswerDialog, timeout: float) -> None:
    # Nothing that happens before the first action can open a dialog, so it waits only if it has a timeout of its own.
    may_wait = attempt.follows_action or action.timeout_ms is not None
    dialogs = attempt.tab.dialogs
    await dialogs.answer(action.accept, action.prompt_text, waits=may_wait, deadline=Deadline(timeout))


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
