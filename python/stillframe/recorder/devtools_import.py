"""Turn a user flow of Chrome DevTools' Recorder into a recording. Pure: nothing of a flow is ever evaluated."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from stillframe.errors import ActionInvalid
from stillframe.extend.syntax import KEYS, MODIFIERS, parse_chord
from stillframe.model.bounds import short
from stillframe.recorder import devtools_steps as d
from stillframe.recorder.devtools_selectors import frame_scope, from_devtools
from stillframe.recorder.devtools_waits import waits
from stillframe.recorder.errors import FlowInvalid
from stillframe.recorder.recording import RecordedViewport, Recording
from stillframe.scripts.script import ScriptAction

REPLAY_TIMEOUT_MS = 5000
"""What `@puppeteer/replay` waits for an element unless a flow or a step says otherwise."""
LONG_PRESS_MS = 700
"""The shortest touch that Chrome takes for a long press (measured)."""
OUR_BUTTONS = {theirs: ours for ours, theirs in d.BUTTONS.items()}
MAX_PIXELS = 1_000_000
MAX_TIMES = 100
"""The bounds of a scroll and of a repeated key."""
PICTURE = re.compile(r"\b(canvas|svg|img|image|video|object|embed|area|map)\b")
BY_WORDS = ("aria/", "text/")
SECRET_FIELD = re.compile(r"pass(?:word|wort|code|phrase)|\bpasswd\b|\bpwd\b|one-time-code|\bcvc\b|\bcvv\b", re.I)
"""What a selector of a field says whose text is a secret."""
PLACEHOLDER = re.compile(r"\$\{([^{}]{1,100})\}")
"""What stands for a secret in the value of a flow: `${password}`."""
URL_EXPRESSION = re.compile(r'location\.href\.includes\(("(?:\\.|[^"\\])*")\)')
"""The only expression that is read: the one that `devtools_export` writes for a wait for a URL."""


def from_flow(flow: object) -> tuple[Recording, tuple[str, ...]]:
    """Return the recording of a flow, and a warning for each thing that was left out.

    A value `${name}` becomes the secret of that name, and what is typed into a password field becomes a secret as well.

    Args:
        flow: The flow, as plain builtins.

    Raises:
        FlowInvalid: It is not a flow, or a step cannot be played.
    """
    parsed = d.parse_flow(flow)
    reading = _Reading()
    for index, step in enumerate(parsed.steps):
        try:
            reading.take(step)
        except ActionInvalid as error:
            reason = str(error).removeprefix("action 0 ")
            raise FlowInvalid(f"steps[{index}] ({step.kind}): {reason}", step=index) from None
        reading.index += 1
    if not reading.actions:
        raise FlowInvalid("the flow does nothing on a page: it needs a navigate step and one step more")
    recording = Recording(
        url=reading.url,
        title=parsed.title,
        viewport=reading.viewport,
        steps=tuple(reading.actions),
        options={"actionTimeoutMs": parsed.timeout or REPLAY_TIMEOUT_MS},
    )
    return recording, tuple(reading.warnings)


class _Reading:
    """What the steps so far came to. The methods raise ActionInvalid for a step that cannot be played."""

    def __init__(self) -> None:
        self.index = 0
        self.url = ""
        self.viewport: RecordedViewport | None = None
        self.actions: list[ScriptAction] = []
        self.warnings: list[str] = []
        self._keys = HeldKeys()
        self._scrolled: dict[str, tuple[float, float]] = {}
        """How far each element was scrolled; the page itself has an empty selector."""

    def take(self, step: d.DevToolsStep) -> None:
        """Read one step and the navigation that must follow it."""
        HANDLERS[type(step)](self, step)
        if isinstance(step, d.NavigateStep | d.SetViewportStep):
            return
        for url in (event.url for event in step.asserted_events or () if event.url):
            self._scrolled.clear()
            self._add(step, "wait_for", url=re.split(r"[?#]", url, maxsplit=1)[0])

    def _add(self, step: d.DevToolsStep, kind: str, selectors: Sequence[str] = (), **fields: Any) -> None:
        if not self.url:
            raise ActionInvalid("no page is open yet: put a navigate step with the URL of the page before it")
        where = {"selector": selectors[0]} if selectors else {}
        limit = {"timeoutMs": step.timeout} if step.timeout else {}
        action = ScriptAction(action={"action": kind, **where, **fields, **limit}, selectors=tuple(selectors[1:]))
        action.parsed()
        self.actions.append(action)

    def _warn(self, step: d.DevToolsStep, reason: str) -> None:
        self.warnings.append(f"steps[{self.index}] ({step.kind}): {reason}")

    def _selectors(self, step: d.ElementStep | d.ScrollStep) -> list[str]:
        given = step.selectors or ()
        found = from_devtools(given, self._scope(step))
        if not found:
            shown = short(json.dumps(given, ensure_ascii=False), 300)
            raise ActionInvalid(f"none of its selectors can be used: {shown}; give it a CSS selector")
        return found

    def _scope(self, step: d.FrameStep) -> str:
        if step.target not in (None, "", "main"):
            self._warn(step, f"it is played in the frame of {short(step.target, 200)}; a popup cannot be played")
        return frame_scope(step.frame or (), step.target)

    # -- pages -----------------------------------------------------------------------------------

    def _navigate(self, step: d.NavigateStep) -> None:
        self._scrolled.clear()
        if self.url:
            self._add(step, "navigate", url=step.url)
        elif not step.url:
            raise ActionInvalid("it has no URL")
        self.url = self.url or step.url

    def _set_viewport(self, step: d.SetViewportStep) -> None:
        if self.viewport is not None:
            self._warn(step, "it is left out: a recording keeps the viewport that it begins with")
            return
        # DevTools writes 0 for the scale of the screen.
        scale = step.device_scale_factor or 1
        width, height = round(step.width), round(step.height)
        if not (1 <= width <= 10_000_000 and 1 <= height <= 10_000_000 and 0 < scale <= 10):
            raise ActionInvalid(f"{width} × {height} CSS pixels at scale {scale:g} are not a viewport")
        self.viewport = RecordedViewport(
            width=width, height=height, device_scale_factor=scale, mobile=step.is_mobile, touch=step.has_touch
        )

    def _leave_out(self, step: d.DevToolsStep) -> None:
        self._warn(step, "it is left out")

    # -- pointer ---------------------------------------------------------------------------------

    def _click(self, step: d.ClickStep) -> None:
        if step.button in ("back", "forward"):
            self._add(step, f"go_{step.button}")
        elif step.device_type == "touch":
            self._touch(step)
        elif step.button == "secondary":
            self._add(step, "right_click", self._selectors(step), **self._modifiers(), **_position(step))
        else:
            self._add(
                step, "click_element", self._selectors(step), **self._modifiers(), **_press(step), **_position(step)
            )

    def _touch(self, step: d.ClickStep) -> None:
        if (step.duration or 0) >= LONG_PRESS_MS:
            self._add(step, "long_press", self._selectors(step), durationMs=step.duration, **_position(step))
        else:
            self._add(step, "tap_element", self._selectors(step), **_position(step))

    def _double_click(self, step: d.DoubleClickStep) -> None:
        if step.button not in OUR_BUTTONS:
            raise ActionInvalid(f"the button {step.button!r} cannot click twice")
        self._add(step, "double_click", self._selectors(step), **self._modifiers(), **_press(step), **_position(step))

    def _modifiers(self) -> dict[str, list[str]]:
        held = self._keys.held()
        return {"modifiers": held} if held else {}

    def _hover(self, step: d.HoverStep) -> None:
        self._add(step, "hover", self._selectors(step))

    def _scroll(self, step: d.ScrollStep) -> None:
        selectors = self._selectors(step) if step.selectors else self._page(step)
        key = selectors[0] if selectors else ""
        x, y = self._scrolled.get(key, (0, 0))
        self._scrolled[key] = step.x, step.y
        for distance, ways in ((step.y - y, ("up", "down")), (step.x - x, ("left", "right"))):
            if pixels := min(round(abs(distance)), MAX_PIXELS):
                self._add(step, "scroll", selectors, direction=ways[distance > 0], pixels=pixels)

    def _page(self, step: d.ScrollStep) -> list[str]:
        scope = self._scope(step)
        return [f"{scope}html"] if scope else []

    # -- keys and values -------------------------------------------------------------------------

    def _change(self, step: d.ChangeStep) -> None:
        self._keys.held()  # what was held went into the text
        selectors = self._selectors(step)
        last = self.actions[-1] if self.actions else None
        is_again = last is not None and last.action["action"] == "set_value"
        if is_again and last is not None and [last.action["selector"], *last.selectors] == selectors:
            self.actions.pop()
        self._add(step, "set_value", selectors, value=self._value(step))

    def _value(self, step: d.ChangeStep) -> str | dict[str, str]:
        if named := PLACEHOLDER.fullmatch(step.value):
            return {"secretName": named[1]}
        words = " ".join(part for each in step.selectors for part in ([each] if isinstance(each, str) else each))
        if not step.value or not (secret := SECRET_FIELD.search(words)):
            return step.value
        name = re.sub(r"\W+", "_", secret[0].lower())
        self._warn(step, f"the field is one for secrets, so its value is left out: declare the secret {name!r}")
        return {"secretName": name}

    def _key_down(self, step: d.KeyDownStep) -> None:
        self._press(step, self._keys.down(step.key))

    def _key_up(self, step: d.KeyUpStep) -> None:
        self._press(step, self._keys.up(step.key))

    def _press(self, step: d.DevToolsStep, fields: dict[str, str]) -> None:
        if not fields:
            return
        last = self.actions[-1].action if self.actions else {}
        times = last.get("times", 1)
        if last.get("action") == "press_key" and last["key"] == fields.get("key") and times < MAX_TIMES:
            self.actions[-1] = ScriptAction(action={**last, "times": times + 1})
        else:
            self._add(step, "press_key" if "key" in fields else "type_text", **fields)

    # -- waiting ---------------------------------------------------------------------------------

    def _wait_for_element(self, step: d.WaitForElementStep) -> None:
        for wait in waits(step, self._selectors(step)):
            self._add(step, "wait_for", wait.selectors, state=wait.state)

    def _wait_for_expression(self, step: d.WaitForExpressionStep) -> None:
        if (found := URL_EXPRESSION.fullmatch(step.expression)) is None:
            raise ActionInvalid("scripts of a flow are never run: use a waitForElement step instead, or remove it")
        self._add(step, "wait_for", url=json.loads(found[1]))

    def _custom(self, step: d.CustomStep) -> None:
        raise ActionInvalid(f"{short(step.name, 100)!r} is a step of an extension, which cannot be played: remove it")


def _press(step: d.PointerStep) -> dict[str, Any]:
    """Return the fields for the button of a click and for how long it was held, if they are not the usual ones."""
    button = OUR_BUTTONS[step.button]
    held = {"delayMs": step.duration} if (step.duration or 0) >= LONG_PRESS_MS else {}
    return held if button == "left" else {"button": button, **held}


def _position(step: d.PointerStep) -> dict[str, Any]:
    """Return the field for where an element is pressed, if that matters.

    A named element, such as a button or a link, does the same wherever it is pressed, and its middle remains inside
    when the layout changes.
    """
    parts = [part for each in step.selectors for part in ([each] if isinstance(each, str) else each[-1:])]
    is_named = any(part.startswith(BY_WORDS) for part in parts) and not any(map(PICTURE.search, parts))
    x, y = step.offset_x, step.offset_y
    return {} if is_named or x is None or y is None or min(x, y) < 0 else {"position": {"x": x, "y": y}}


HANDLERS: dict[type[d.DevToolsStep], Callable[[_Reading, Any], None]] = {
    d.NavigateStep: _Reading._navigate,
    d.SetViewportStep: _Reading._set_viewport,
    d.EmulateNetworkConditionsStep: _Reading._leave_out,
    d.CloseStep: _Reading._leave_out,
    d.ClickStep: _Reading._click,
    d.DoubleClickStep: _Reading._double_click,
    d.HoverStep: _Reading._hover,
    d.ScrollStep: _Reading._scroll,
    d.ChangeStep: _Reading._change,
    d.KeyDownStep: _Reading._key_down,
    d.KeyUpStep: _Reading._key_up,
    d.WaitForElementStep: _Reading._wait_for_element,
    d.WaitForExpressionStep: _Reading._wait_for_expression,
    d.CustomStep: _Reading._custom,
}
"""The method that reads each kind of step."""


# The keys of a user flow: steps for each key that goes down or up become chords, and modifiers of clicks.

NAMES = {"\r": "Enter", "\n": "Enter", " ": "Space"}
"""Keys that Puppeteer has by another name as well."""
UNHEARD = frozenset({"AltGraph", "Dead", "Process", "Unidentified", "Compose"})
"""Keys that only lead to the next character."""


class HeldKeys:
    """The modifiers that are down, in the order they went down."""

    def __init__(self) -> None:
        self._used: dict[str, bool] = {}
        """Whether each modifier that is down has done something."""

    def held(self) -> list[str]:
        """Return the modifiers that are down, which have now done something."""
        self._used = dict.fromkeys(self._used, True)
        return list(self._used)

    def down(self, key: str) -> dict[str, str]:
        """Return the fields of the press_key or type_text that a key means; nothing for a modifier.

        Raises ActionInvalid for a key that no US keyboard has.
        """
        name = NAMES.get(key, key)
        if (modifier := _modifier(name)) is not None:
            self._used.setdefault(modifier, False)
            return {}
        if name in UNHEARD:
            return {}
        if len(name) == 1 and name not in KEYS:
            return {"text": name}
        chord = "+".join([*self.held(), name])
        parse_chord(chord)
        return {"key": chord}

    def up(self, key: str) -> dict[str, str]:
        """Return the fields of a press_key if a modifier was pressed for its own sake, else nothing."""
        modifier = _modifier(NAMES.get(key, key))
        return {} if modifier is None or self._used.pop(modifier, True) else {"key": modifier}


def _modifier(name: str) -> str | None:
    key = KEYS.get(name)
    return key.key if key is not None and key.key in MODIFIERS else None
