"""Turn reports of what a person does into actions: what belongs together becomes one action. Pure logic.

A browser reports a press, a click and a new state for one click on a checkbox, and a key and a new text for each
letter. A draft is an action whose elements are not selectors yet; later reports may change the last ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from stillframe.recorder.events import Element, Point, Report

FIELD_KEYS = frozenset({"Enter", "Escape", "Tab", "ArrowUp", "ArrowDown", "PageUp", "PageDown"})
"""Keys that do something in a text field besides editing its text; what the others do is in the value."""
EDITING_CHORDS = frozenset("acvxyz")
"""Letters that select, copy, paste, cut, redo and undo with Control or Meta: what they change is in the value."""
BUTTONS = ("left", "middle", "right")
FIELDS = frozenset({"text", "editable", "picker"})

Gesture = tuple[str, str, int]
"""Frame, document and number of a press."""


class Draft(msgspec.Struct, kw_only=True):
    """An action whose elements are not selectors yet; `action` is its JSON name, `fields` its other fields."""

    action: str
    gesture: Gesture | None = None
    element: Element | None = None
    target: Element | None = None
    fields: dict[str, Any] = {}
    hovers: tuple[Element, ...] = ()
    secret: tuple[str, str, int] | None = None
    """Which text a field hides: frame, document and number of the text there. The text itself is not in the draft."""
    expect: dict[str, Any] | None = None
    """What the page showed after it, as the fields of a WaitFor."""
    showed_more: bool = False
    """Whether the page showed something new after it."""


class Drafts:
    """The actions of one recording, in order. `feed` takes reports, the other methods what the page does not report."""

    def __init__(self) -> None:
        self.all: list[Draft] = []
        self._hovers: dict[Gesture, tuple[Element, ...]] = {}

    def feed(self, frame: str, loader: str, report: Report) -> bool:
        """Take a report of a document; return whether an action was added or changed."""
        handler = HANDLERS.get(report.kind)
        return handler is not None and handler(self, _Reported(frame, loader, report))

    def add(self, action: str, **fields: Any) -> None:
        """Add an action on the page itself: navigate, go_back, go_forward or reload."""
        self.all.append(Draft(action=action, fields=fields))

    def led_to(self, fields: dict[str, Any] | None, *, more: bool) -> None:
        """Note what the page shows after the last action, and whether something new is among it."""
        if self.all:
            self.all[-1].expect = fields or self.all[-1].expect
            self.all[-1].showed_more |= more

    def finished(self) -> list[Draft]:
        """Return the actions that count: a turn of the wheel does if the page showed something new after it."""
        return [draft for draft in self.all if draft.action != "scroll" or draft.showed_more]

    # -- reports ---------------------------------------------------------------------------------

    def _press(self, reported: _Reported) -> bool:
        if reported.report.hovers:
            hovers = tuple(reported.element_of(number) for number in reported.report.hovers)
            self._hovers = {reported.gesture: hovers}
        if reported.report.fresh and self._last is not None:
            self._last.showed_more = True
        return False

    def _click(self, reported: _Reported) -> bool:
        report, element = reported.report, reported.element
        if report.control in ("file", "option"):
            return False  # the files, or the options of the select, are reported by themselves
        count = report.count
        if count > 1 and (last := self._last) is not None and last.element == element and _clicks(last) == count - 1:
            self.all[-1] = _multiple(last, count)
            return True
        modifiers = {"modifiers": list(report.modifiers)} if report.modifiers else {}
        position = {"position": _point(report.position)} if report.position else {}
        action, button = "click_element", {}
        if report.touch:
            action, modifiers = "tap_element", {}
        elif report.button == 2:
            action = "right_click"
        elif report.button == 1:
            button = {"button": BUTTONS[1]}
        return self._append(reported, action, **modifiers, **button, **position)

    def _drag(self, reported: _Reported) -> bool:
        report = reported.report
        self._drop_own(reported)
        fields: dict[str, Any] = {"sourcePosition": _point(report.source)} if _is_inside(report.source) else {}
        if report.target is None:
            return self._append(reported, "drag_to", offset=_point(report.offset), **fields)
        if _is_inside(report.drop):
            fields["targetPosition"] = _point(report.drop)
        self._append(reported, "drag_to", **fields)
        self.all[-1].target = reported.element_of(report.target)
        return True

    def _input(self, reported: _Reported) -> bool:
        report = reported.report
        if report.control == "file":
            self._drop_last(lambda last: last.action == "click_element")
            return self._append(reported, "upload_file", paths=list(report.files))
        if report.control == "check":
            return self._check(reported)
        if report.control == "select":
            return self._value(reported, "select_option", list(report.values))
        self._drop_last(lambda last: last.gesture == reported.gesture and last.action == "press_key")
        if report.control == "picker":
            self._drop_last(lambda last: last.gesture == reported.gesture)
        return self._value(reported, "set_value", report.value)

    def _check(self, reported: _Reported) -> bool:
        if not reported.report.rendered:
            # What stands for it was clicked, as it will be again.
            return False
        self._drop_own(reported)
        action = "check" if reported.report.checked else "uncheck"
        self._drop_last(lambda last: last.element == reported.element and last.action == action)
        return self._append(reported, action)

    def _value(self, reported: _Reported, action: str, value: Any) -> bool:
        """Set the value of a field, in place of the value before and of the click or the key that led there."""
        element = reported.element
        if action == "select_option":
            self._drop_own(reported)
        self._drop_last(lambda last: last.element == element and last.action == "click_element" and not last.expect)
        self._drop_last(lambda last: last.element == element and last.action == action)
        self._append(reported, action, value=value)
        if reported.report.hidden:
            self.all[-1].secret = (reported.frame, reported.loader, reported.report.secret)
        return True

    def _key(self, reported: _Reported) -> bool:
        report = reported.report
        in_field = report.control in FIELDS
        if _only_edits(report) if in_field else report.key == "Tab":
            return False
        fields = {"key": _chord(report)}
        last = self._last
        if last is not None and last.action == "press_key" and last.element == reported.element and not last.expect:
            times = last.fields.get("times", 1)
            if last.fields["key"] == fields["key"] and times < 100:
                last.fields["times"] = times + 1
                last.gesture = reported.gesture
                return True
        return self._append(reported, "press_key", **fields)

    def _wheel(self, reported: _Reported) -> bool:
        report, last = reported.report, self._last
        horizontal = abs(report.x) > abs(report.y)
        pixels = report.x if horizontal else report.y
        direction = (("left", "right") if horizontal else ("up", "down"))[pixels > 0]
        same = last is not None and last.action == "scroll" and last.element == reported.element
        if same and last is not None and last.fields["direction"] == direction and last.expect is None:
            last.fields["pixels"] += max(1, abs(round(pixels)))
            return True
        return self._append(reported, "scroll", direction=direction, pixels=max(1, abs(round(pixels))))

    # -- the list ----------------------------------------------------------------------------------

    @property
    def _last(self) -> Draft | None:
        return self.all[-1] if self.all else None

    def _append(self, reported: _Reported, action: str, **fields: Any) -> bool:
        draft = Draft(action=action, gesture=reported.gesture, element=reported.element, fields=fields)
        draft.hovers = self._hovers.pop(reported.gesture, ())
        self.all.append(draft)
        return True

    def _drop_last(self, test: Callable[[Draft], bool]) -> None:
        if self.all and test(self.all[-1]):
            dropped = self.all.pop()
            if dropped.hovers and dropped.gesture is not None:
                self._hovers[dropped.gesture] = dropped.hovers

    def _drop_own(self, reported: _Reported) -> None:
        """Drop the click or the key of the same gesture: the report says what it was for."""
        self._drop_last(lambda last: last.gesture == reported.gesture and last.action != "drag_to")


class _Reported(msgspec.Struct, frozen=True):
    """A report, and the document that made it."""

    frame: str
    loader: str
    report: Report

    def element_of(self, number: int) -> Element:
        return Element(self.frame, self.loader, number)

    @property
    def element(self) -> Element | None:
        return None if self.report.element is None else self.element_of(self.report.element)

    @property
    def gesture(self) -> Gesture:
        return (self.frame, self.loader, self.report.gesture)


HANDLERS: dict[str, Callable[[Drafts, _Reported], bool]] = {
    "press": Drafts._press,
    "click": Drafts._click,
    "drag": Drafts._drag,
    "input": Drafts._input,
    "key": Drafts._key,
    "wheel": Drafts._wheel,
}


def _clicks(draft: Draft) -> int:
    """Return how many clicks a draft makes; 0 for other actions."""
    if draft.action == "double_click":
        return 2
    is_plain = draft.action == "click_element" and draft.fields.get("button", "left") == "left"
    return int(draft.fields.get("clickCount", 1)) if is_plain else 0


def _multiple(draft: Draft, count: int) -> Draft:
    fields = {name: value for name, value in draft.fields.items() if name != "clickCount"}
    if count == 2:
        return msgspec.structs.replace(draft, action="double_click", fields=fields)
    return msgspec.structs.replace(draft, action="click_element", fields=fields | {"clickCount": min(count, 10)})


def _only_edits(report: Report) -> bool:
    """Return whether all that a key does in a text field shows in the field's value."""
    chord = bool({"Control", "Meta"}.intersection(report.modifiers))
    if chord:
        return report.key.lower() in EDITING_CHORDS or (report.key not in FIELD_KEYS and len(report.key) > 1)
    return report.key not in FIELD_KEYS and not report.key.startswith("F")


def _chord(report: Report) -> str:
    """Return the name of a key with the modifiers that were held, as PressKey takes it."""
    held = [name for name in report.modifiers if not (name == "Shift" and report.types)]
    key = "Space" if report.key == " " else report.key
    return "+".join([*held, key])


def _point(point: Point | None) -> dict[str, float]:
    assert point is not None
    return {"x": point.x, "y": point.y}


def _is_inside(point: Point | None) -> bool:
    """Return whether a point can be a position: it lies in the padding box, not on the border."""
    return point is not None and point.x >= 0 and point.y >= 0
