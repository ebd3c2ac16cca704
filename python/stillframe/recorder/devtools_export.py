"""Turn a recording into a user flow that Chrome DevTools' Recorder and `@puppeteer/replay` play. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from stillframe.errors import ActionInvalid
from stillframe.extend.syntax import KEYS, parse_chord
from stillframe.model import actions as a
from stillframe.model.secret import Secret, Text
from stillframe.recorder.devtools_selectors import frames_of, to_devtools
from stillframe.recorder.devtools_steps import BUTTONS
from stillframe.recorder.errors import FlowInvalid

if TYPE_CHECKING:
    from stillframe.recorder.recording import RecordedViewport, Recording
    from stillframe.scripts.script import ScriptAction

Steps = list[dict[str, Any]]

OFFSET = (7, 8)
"""Where a flow presses an element whose size is unknown, in CSS pixels; a flow has no name for its middle. The point
lies within a checkbox of 13 pixels, a letter 8 pixels wide, and a button of 48 pixels with round ends."""
MAX_TIMEOUT_MS = 30_000
"""The longest timeout that `@puppeteer/replay` takes."""
NTH = re.compile(r"\s*>>\s*nth=(\d+)\s*\Z")
FOCUSING = (
    a.Click,
    a.DoubleClick,
    a.Tap,
    a.Check,
    a.Uncheck,
    a.SetValue,
    a.SelectOption,
    a.PressKey,
    a.TypeText,
    a.Focus,
)
ADVICE = "remove the action, or export a Python script instead"


def to_flow(recording: Recording) -> dict[str, Any]:
    """Return the flow of a recording as plain builtins; a secret becomes `${name}`, for a person to replace.

    Args:
        recording: The recording.

    Raises:
        FlowInvalid: A flow has no step for an action, or the recording answers dialogs.
    """
    if recording.dialogs:
        raise FlowInvalid("the page asks something in a dialog, which no flow answers; export a Python script instead")
    writing = _Writing(recording)
    for index, step in enumerate(recording.plan):
        try:
            writing.take(step)
        except ActionInvalid as error:
            where = f"actions[{index}]" if index < len(recording.steps) else "expect"
            kind = step.action.get("action")
            raise FlowInvalid(f"{where} ({kind}) cannot be written as a flow: {error}", step=index) from None
    timeout = recording.options.get("actionTimeoutMs")
    limit = {"timeout": _timeout(timeout)} if timeout else {}
    return {"title": recording.title or recording.url, **limit, "steps": writing.steps}


class _Writing:
    """The steps so far. The methods raise ActionInvalid for what a flow has no step for."""

    def __init__(self, recording: Recording) -> None:
        self.steps: Steps = [] if recording.viewport is None else [_viewport(recording.viewport)]
        self.steps.append({"type": "navigate", "url": recording.url})
        named = [step for step in recording.steps if step.frame_path and "selector" in step.action]
        self._frames = {frames_of(step.action["selector"]): step.frame_path for step in named}
        """The paths of the frames that the selectors of the recording enter."""
        self._scrolled: dict[str | None, list[float]] = {}
        self._focused: str | None = None
        """The selector of the element that was last given the focus."""

    def take(self, step: ScriptAction) -> None:
        """Write the steps of one action."""
        action = step.parsed()
        handler = HANDLERS.get(type(action))
        if handler is None:
            raise ActionInvalid(f"a flow has no such step; {ADVICE}")
        before = len(self.steps)
        handler(self, action, step)
        if isinstance(action, FOCUSING):
            self._focused = action.selector or self._focused
        for added in self.steps[before:]:
            if action.timeout_ms is not None:
                added["timeout"] = _timeout(action.timeout_ms)

    def _add(self, kind: str, where: dict[str, Any] | None = None, **fields: Any) -> None:
        self.steps.append({"type": kind, "target": "main", **(where or {}), **fields})

    def _where(self, step: ScriptAction) -> dict[str, Any]:
        own = (step.fingerprint or {}).get("selector")
        return self._found([step.action["selector"], *step.selectors, *([own] if own else [])], step.frame_path)

    def _found(self, selectors: Sequence[str], frame_path: Sequence[int]) -> dict[str, Any]:
        """Return target, frame and selectors of the element of these selectors, best first."""
        place, found = to_devtools(selectors, frame_path or self._frames.get(frames_of(selectors[0]), ()))
        if not found:
            raise ActionInvalid(
                f"DevTools has no selector for {selectors[0]}: give the action a CSS selector, "
                "in a frame with its number: frame=iframe >> nth=0 >> …"
            )
        return {"target": place.target, "selectors": found, **({"frame": list(place.frame)} if place.frame else {})}

    def _pointer(self, kind: str, action: Any, step: ScriptAction, **fields: Any) -> None:
        at: a.Position | None = getattr(action, "position", None)
        x, y = _middle(step) if at is None else (at.x, at.y)
        held = [KEYS[name].code for name in getattr(action, "modifiers", ())]
        self._keys("keyDown", held)
        self._add(kind, self._where(step), offsetX=x, offsetY=y, **fields)
        self._keys("keyUp", held[::-1])

    def _keys(self, kind: str, names: Sequence[str]) -> None:
        for name in names:
            self._add(kind, key=name)

    # -- pages -----------------------------------------------------------------------------------

    def navigate(self, action: a.Navigate, _step: ScriptAction) -> None:
        self._scrolled.clear()
        self._focused = None
        if action.referer is not None:
            raise ActionInvalid(f"a flow sends no referer of its own; {ADVICE}")
        self._add("navigate", url=action.url)

    def wait_for(self, action: a.WaitFor, step: ScriptAction) -> None:
        if action.url is not None:
            # Not an asserted event: the page may be there already.
            self._add("waitForExpression", expression=f"location.href.includes({json.dumps(action.url)})")
        elif action.text is not None:
            self._add("waitForElement", {"selectors": [[f"text/{action.text}"]]})
        elif action.selector is not None:
            selectors, index = _counted([action.selector, *step.selectors])
            is_there = action.state in ("visible", "attached")
            count = {"operator": ">=", "count": index + 1} if is_there else {"operator": "<=", "count": index}
            self._add("waitForElement", self._found(selectors, step.frame_path), **count)

    # -- pointer ---------------------------------------------------------------------------------

    def click(self, action: a.Click, step: ScriptAction) -> None:
        if action.click_count > 2:
            raise ActionInvalid(f"a flow clicks at most twice; {ADVICE}")
        self._pointer("doubleClick" if action.click_count == 2 else "click", action, step, **_press(action))

    def double_click(self, action: a.DoubleClick, step: ScriptAction) -> None:
        self._pointer("doubleClick", action, step, **_press(action))

    def right_click(self, action: a.RightClick, step: ScriptAction) -> None:
        self._pointer("click", action, step, button="secondary")

    def tap(self, action: a.Tap, step: ScriptAction) -> None:
        self._pointer("click", action, step, deviceType="touch")

    def long_press(self, action: a.LongPress, step: ScriptAction) -> None:
        self._pointer("click", action, step, deviceType="touch", duration=action.duration_ms)

    def toggle(self, action: a.Check | a.Uncheck, step: ScriptAction) -> None:
        # A person clicked it, so it had the other state.
        self._pointer("click", action, step)

    def hover(self, _action: a.Hover, step: ScriptAction) -> None:
        self._add("hover", self._where(step))

    def scroll(self, action: a.Scroll, step: ScriptAction) -> None:
        to = self._scrolled.setdefault(action.selector, [0, 0])
        axis, sign = {"left": (0, -1), "right": (0, 1), "up": (1, -1), "down": (1, 1)}[action.direction]
        to[axis] = max(0, to[axis] + sign * action.pixels)
        self._add("scroll", self._where(step) if action.selector else None, x=to[0], y=to[1])

    # -- keys and values -------------------------------------------------------------------------

    def set_value(self, action: a.SetValue, step: ScriptAction) -> None:
        if isinstance(action.value, bool):
            self._pointer("click", action, step)
        else:
            self._add("change", self._where(step), value=_plain(action.value))

    def select_option(self, action: a.SelectOption, step: ScriptAction) -> None:
        values = (action.value,) if isinstance(action.value, str) else tuple(action.value)
        if len(values) != 1:
            raise ActionInvalid(f"a flow selects one option, not {len(values)}; {ADVICE}")
        self._add("change", self._where(step), value=values[0])

    def press_key(self, action: a.PressKey, step: ScriptAction) -> None:
        self._focus(action, step)
        chord = parse_chord(action.key)
        for _ in range(action.times):
            self._keys("keyDown", [*chord.modifiers, chord.key])
            self._keys("keyUp", [chord.key, *chord.modifiers[::-1]])

    def type_text(self, action: a.TypeText, step: ScriptAction) -> None:
        self._focus(action, step)
        if isinstance(action.text, Secret):
            raise ActionInvalid(f"a flow types a secret only as the value of a field; {ADVICE}")
        for char in action.text:
            if char not in KEYS and char != "\n":
                raise ActionInvalid(f"{char!r} is not on a US keyboard, and a flow has only its keys; {ADVICE}")
            self._keys("keyDown", [char])
            self._keys("keyUp", [char])

    def focus(self, action: a.Focus, step: ScriptAction) -> None:
        self._focus(action, step)

    def _focus(self, action: a.PressKey | a.TypeText | a.Focus, step: ScriptAction) -> None:
        """Click an element that does not have the focus: a flow gives it in no other way."""
        if action.selector not in (None, self._focused):
            self._pointer("click", action, step)


def _viewport(viewport: RecordedViewport) -> dict[str, Any]:
    return {
        "type": "setViewport",
        "width": viewport.width,
        "height": viewport.height,
        "deviceScaleFactor": viewport.device_scale_factor,
        "isMobile": viewport.mobile,
        "hasTouch": viewport.touch,
        "isLandscape": viewport.width > viewport.height,
    }


def _press(action: a.Click | a.DoubleClick) -> dict[str, Any]:
    """Return the button of a click and how long it is held, as far as they are not the usual ones."""
    button = {} if action.button == "left" else {"button": BUTTONS[action.button]}
    return button | ({"duration": action.delay_ms} if action.delay_ms else {})


def _middle(step: ScriptAction) -> tuple[float, float]:
    """Return the middle of an action's element as an offset in it."""
    bounds: Sequence[float] = (step.fingerprint or {}).get("bounds") or ()
    known = len(bounds) == 4 and all(isinstance(each, int | float) and each > 0 for each in bounds[2:])
    return (round(bounds[2] / 2), round(bounds[3] / 2)) if known else OFFSET


def _counted(selectors: Sequence[str]) -> tuple[list[str], int]:
    """Return selectors without a last `nth=`, and the number in that of the first."""
    found = NTH.search(selectors[0])
    return [NTH.sub("", each) for each in selectors], int(found[1]) if found else 0


def _plain(value: Text) -> str:
    return f"${{{value.name}}}" if isinstance(value, Secret) else value


def _timeout(milliseconds: float) -> float:
    return min(milliseconds, MAX_TIMEOUT_MS)


HANDLERS: dict[type[a.Action], Callable[[_Writing, Any, ScriptAction], None]] = {
    a.Navigate: _Writing.navigate,
    a.WaitFor: _Writing.wait_for,
    a.Click: _Writing.click,
    a.DoubleClick: _Writing.double_click,
    a.RightClick: _Writing.right_click,
    a.Tap: _Writing.tap,
    a.LongPress: _Writing.long_press,
    a.Check: _Writing.toggle,
    a.Uncheck: _Writing.toggle,
    a.Hover: _Writing.hover,
    a.Scroll: _Writing.scroll,
    a.SetValue: _Writing.set_value,
    a.SelectOption: _Writing.select_option,
    a.PressKey: _Writing.press_key,
    a.TypeText: _Writing.type_text,
    a.Focus: _Writing.focus,
}
"""The method that writes each kind of action; a flow has no step for the others."""
