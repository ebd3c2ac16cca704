"""The actions a sequence is made of: one typed Struct each, and the validation of a whole list.

In JSON an action is an object whose `action` names its kind and whose other keys are camelCase:
`{"action": "click_element", "selector": "#save"}`. In Python it is the Struct itself: `Click("#save")`.
Every action takes `timeout_ms`, its own limit for finding its target and getting it ready (default: the
sequence's `action_timeout_ms`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import msgspec

from stillframe.errors import ActionInvalid
from stillframe.model.secret import Secret, Text
from stillframe.model.suggest import did_you_mean

NonEmpty = Annotated[str, msgspec.Meta(min_length=1)]
Selector = NonEmpty
Direction = Literal["up", "down", "left", "right"]
Pixels = Annotated[int, msgspec.Meta(gt=0, le=1_000_000)]
Milliseconds = Annotated[int, msgspec.Meta(gt=0, le=600_000)]


class Action(msgspec.Struct, frozen=True, kw_only=True, rename="camel", tag_field="action", forbid_unknown_fields=True):
    """What all actions share."""

    timeout_ms: Milliseconds | None = None

    @property
    def kind(self) -> str:
        """The JSON name of the action, for example `click_element`."""
        return str(type(self).__struct_config__.tag)


FARTHEST = 33_554_432
"""CSS pixels: no box of Chrome's is larger (LayoutUnit has 26 bits for whole pixels)."""


class Position(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A place in an element: CSS pixels of the element itself, from the top left of its padding box."""

    x: Annotated[float, msgspec.Meta(ge=0, le=FARTHEST)]
    y: Annotated[float, msgspec.Meta(ge=0, le=FARTHEST)]


class Offset(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A way to go, in CSS pixels of the page's viewport: to the right and down, or negative."""

    x: Annotated[float, msgspec.Meta(ge=-FARTHEST, le=FARTHEST)]
    y: Annotated[float, msgspec.Meta(ge=-FARTHEST, le=FARTHEST)]


Button = Literal["left", "middle", "right"]
Modifiers = tuple[Literal["Alt", "Control", "Meta", "Shift"], ...]
Clicks = Annotated[int, msgspec.Meta(ge=1, le=10)]


class SetValue(Action, frozen=True, tag="set_value"):
    """Replace the value of a field, as a user would: text, select, checkbox, date, range, contenteditable."""

    selector: Selector
    value: Text | bool


class Click(Action, frozen=True, tag="click_element"):
    """Click an element, in the middle of what is in view of it or at a `position` within it.

    A `click_count` of 2 is a double click, which selects a word; 3 select a paragraph.
    """

    selector: Selector
    modifiers: Modifiers = ()
    button: Button = "left"
    click_count: Clicks = 1
    position: Position | None = None


class Tap(Action, frozen=True, tag="tap_element"):
    """Touch an element with one finger and let go."""

    selector: Selector
    position: Position | None = None


class Navigate(Action, frozen=True, tag="navigate"):
    """Load a URL in the page."""

    url: NonEmpty


class Scroll(Action, frozen=True, tag="scroll"):
    """Turn the mouse wheel over the page or over one element; `down` shows what lies below."""

    direction: Direction = "down"
    pixels: Pixels = 500
    selector: Selector | None = None


class Swipe(Action, frozen=True, tag="swipe"):
    """Swipe with one finger; the direction is the content's, opposite to the finger's: `down` shows what lies below.

    `percent` is the share of the page's or the element's side that the finger travels.
    """

    direction: Direction
    selector: Selector | None = None
    percent: Annotated[float, msgspec.Meta(gt=0, le=1)] = 0.5


class PressKey(Action, frozen=True, tag="press_key"):
    """Press a key or a chord such as `Enter`, `KeyA` or `Control+Shift+A`, on an element or on what has the focus."""

    key: NonEmpty
    selector: Selector | None = None
    times: Annotated[int, msgspec.Meta(ge=1, le=100)] = 1


class TypeText(Action, frozen=True, tag="type_text"):
    """Type text key by key at the caret, into an element or into what has the focus; nothing is cleared."""

    text: Text
    selector: Selector | None = None


class Hover(Action, frozen=True, tag="hover"):
    """Move the mouse over an element."""

    selector: Selector
    position: Position | None = None


class DoubleClick(Action, frozen=True, tag="double_click"):
    """Click an element twice with the left button."""

    selector: Selector
    modifiers: Modifiers = ()
    position: Position | None = None


class RightClick(Action, frozen=True, tag="right_click"):
    """Click an element with the right button."""

    selector: Selector
    modifiers: Modifiers = ()
    position: Position | None = None


class SelectOption(Action, frozen=True, tag="select_option"):
    """Choose options of a `<select>`, a combobox or a listbox by value or by name.

    A `<select>` then has exactly these. A list that the page draws itself is opened, and typed into or scrolled where
    the option is not shown at once; what was chosen there before stays chosen.
    """

    selector: Selector
    value: str | tuple[str, ...]


class Check(Action, frozen=True, tag="check"):
    """Make a checkbox, a radio button, a switch or whatever else can be on, such as an option, checked."""

    selector: Selector


class Uncheck(Action, frozen=True, tag="uncheck"):
    """Make a checkbox, a switch or whatever else can be off, unchecked."""

    selector: Selector


class UploadFile(Action, frozen=True, tag="upload_file"):
    """Give files or a folder of this machine to an `<input type=file>`, its label or the button that asks for them."""

    selector: Selector
    paths: str | tuple[str, ...]


class DragTo(Action, frozen=True, tag="drag_to"):
    """Drag an element with the mouse: onto another one (`target`) or by an `offset`; exactly one of them.

    `source_position` is where in the element to press, `target_position` where in the target to let go.
    """

    selector: Selector
    target: Selector | None = None
    offset: Offset | None = None
    source_position: Position | None = None
    target_position: Position | None = None

    def __post_init__(self) -> None:
        if (self.target is None) == (self.offset is None):
            raise ActionInvalid("drag_to takes exactly one of target and offset")
        if self.target is None and self.target_position is not None:
            raise ActionInvalid("drag_to takes target_position only with a target", field="targetPosition")


class Focus(Action, frozen=True, tag="focus"):
    """Give an element the keyboard focus."""

    selector: Selector


class SelectText(Action, frozen=True, tag="select_text"):
    """Select the content of a field, or the text of any other element, as a user marks it."""

    selector: Selector


class LongPress(Action, frozen=True, tag="long_press"):
    """Touch an element and hold the finger there; Chrome takes less than 700 ms for a tap (measured)."""

    selector: Selector
    duration_ms: Milliseconds = 1000
    position: Position | None = None


class GoBack(Action, frozen=True, tag="go_back"):
    """Go back in the history of the page."""


class GoForward(Action, frozen=True, tag="go_forward"):
    """Go forward in the history of the page."""


class Reload(Action, frozen=True, tag="reload"):
    """Load the page again."""


class WaitFor(Action, frozen=True, tag="wait_for"):
    """Wait until a selector is in a state, a text is on the page, or the URL contains a part; exactly one of them."""

    selector: Selector | None = None
    text: NonEmpty | None = None
    url: NonEmpty | None = None
    state: Literal["visible", "hidden", "attached", "detached"] = "visible"

    def __post_init__(self) -> None:
        if sum(part is not None for part in (self.selector, self.text, self.url)) != 1:
            raise ActionInvalid("wait_for takes exactly one of selector, text and url")


AnyAction = (
    SetValue
    | Click
    | Tap
    | Navigate
    | Scroll
    | Swipe
    | PressKey
    | TypeText
    | Hover
    | DoubleClick
    | RightClick
    | SelectOption
    | Check
    | Uncheck
    | UploadFile
    | DragTo
    | Focus
    | SelectText
    | LongPress
    | GoBack
    | GoForward
    | Reload
    | WaitFor
)

KINDS: dict[str, type[Action]] = {str(kind.__struct_config__.tag): kind for kind in AnyAction.__args__}
"""Every action's JSON name and its Struct."""


def parse_actions(actions: Any) -> tuple[Action, ...]:
    """Validate a whole list of actions, Structs and plain dicts mixed, before any of them runs.

    Raises ActionInvalid with the index and the field of the first one that is wrong.
    """
    if isinstance(actions, (str, bytes)) or not isinstance(actions, Sequence):
        raise ActionInvalid(f"actions must be a list, not {type(actions).__name__}")
    if not actions:
        raise ActionInvalid("actions is empty: give at least one action")
    return tuple(_parse(index, action) for index, action in enumerate(actions))


def _parse(index: int, action: Any) -> Action:
    if isinstance(action, Action):
        # A Struct built in Python has not been validated: its own round trip does it.
        action = msgspec.to_builtins(action)
    if not isinstance(action, dict):
        raise ActionInvalid(f"action {index} must be an object, not {type(action).__name__}", index=index)
    kind = _kind(index, action)
    try:
        return msgspec.convert(action, kind)
    except msgspec.ValidationError as error:
        raise _invalid(index, action["action"], kind, error) from None


def _kind(index: int, action: dict[str, Any]) -> type[Action]:
    name = action.get("action")
    if name is None:
        raise ActionInvalid(
            f"action {index} has no `action`: name its kind, one of {_known()}", index=index, field="action"
        )
    if not isinstance(name, str) or name not in KINDS:
        hint = did_you_mean(str(name), KINDS)
        raise ActionInvalid(
            f"action {index}: unknown action {name!r}{hint}; known: {_known()}", index=index, field="action"
        )
    return KINDS[name]


def _invalid(index: int, name: str, kind: type[Action], error: msgspec.ValidationError) -> ActionInvalid:
    reason, _, path = str(error).partition(" - at `$")
    field = path.rstrip("`").lstrip(".") or None
    fields = ", ".join(kind.__struct_encode_fields__)
    return ActionInvalid(
        f"action {index} ({name}){f', field {field}' if field else ''}: {reason}; its fields are {fields}",
        index=index,
        field=field,
    )


def _known() -> str:
    return ", ".join(KINDS)


def names_of(action: Action) -> tuple[str, ...]:
    """Return the names of the declared secrets that an action refers to."""
    values = (getattr(action, name) for name in type(action).__struct_fields__)
    return tuple(value.name for value in values if isinstance(value, Secret) and value.name is not None)


def secrets_of(actions: Sequence[Action]) -> tuple[str, ...]:
    """Return the texts of all secrets that the actions hold, longest first."""
    values = (getattr(action, name) for action in actions for name in type(action).__struct_fields__)
    texts = {value.reveal() for value in values if isinstance(value, Secret) and value.reveal()}
    return tuple(sorted(texts, key=lambda text: (-len(text), text)))
