"""The actions that a sequence consists of, one Struct for each.

In JSON an action is an object whose `action` names its kind and whose other keys are camelCase:
`{"action": "click_element", "selector": "#save"}`; see `stillframe.model.action_list`. In Python it is the Struct:
`Click("#save")`. The selector comes first in every constructor, and a wrong value raises ActionInvalid as soon as the
action is constructed.

Every action takes `timeout_ms`, its own limit for finding its target and making it ready. The default is the
`action_timeout_ms` of the sequence.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, overload

import msgspec

from stillframe.errors import ActionInvalid
from stillframe.model.file_payload import FilePayload, is_content, plain_payload
from stillframe.model.secret import Text
from stillframe.model.validation import Validated, milliseconds_problem

NonEmpty = Annotated[str, msgspec.Meta(min_length=1)]
Selector = NonEmpty
Direction = Literal["up", "down", "left", "right"]
Edge = Literal["top", "bottom", "left", "right"]
Pixels = Annotated[int, msgspec.Meta(gt=0, le=1_000_000)]
Milliseconds = Annotated[float, msgspec.Meta(gt=0, le=600_000)]
Button = Literal["left", "middle", "right"]
Modifier = Literal["Alt", "Control", "Meta", "Shift"]
Clicks = Annotated[int, msgspec.Meta(ge=1, le=10)]
Delay = Annotated[float, msgspec.Meta(ge=0, le=60_000)]
Share = Annotated[float, msgspec.Meta(gt=0, le=1)]

if TYPE_CHECKING:
    # Callers may give any sequence. What is stored is a tuple, so that actions stay immutable and hashable.
    Modifiers = Sequence[Modifier]
    Texts = str | Sequence[str]
    Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
    Payload = FilePayload | Mapping[str, Any] | bytes
    Payloads = Payload | Sequence[Payload]
else:
    Modifiers = tuple[Modifier, ...]
    Texts = str | tuple[str, ...]
    Paths = str | tuple[str, ...]
    Payload = FilePayload
    Payloads = tuple[FilePayload, ...]


def _action_invalid(message: str, field: str | None) -> ActionInvalid:
    return ActionInvalid(message, field=field)


def _path_texts(paths: Any) -> Any:
    if isinstance(paths, (list, tuple)):
        return tuple(map(_path_texts, paths))
    return os.fspath(paths) if isinstance(paths, os.PathLike) else paths


class BaseAction(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    rename="camel",
    tag_field="action",
    forbid_unknown_fields=True,
    metaclass=Validated,
):
    """What all actions share."""

    timeout_ms: Milliseconds | None = None

    invalid = staticmethod(_action_invalid)

    def __post_init__(self) -> None:
        if self.timeout_ms is not None:
            self._check_milliseconds("timeout_ms", self.timeout_ms)

    def _check_milliseconds(self, name: str, value: float) -> None:
        if problem := milliseconds_problem(name, value):
            raise ActionInvalid(problem, field=name)

    @property
    def kind(self) -> str:
        """The JSON name of the action, for example `click_element`."""
        return str(type(self).__struct_config__.tag)


LARGEST_BOX = 33_554_432
"""CSS pixels: no box in Chrome is larger (LayoutUnit has 26 bits for whole pixels)."""


Coordinate = Annotated[float, msgspec.Meta(ge=0, le=LARGEST_BOX)]
Distance = Annotated[float, msgspec.Meta(ge=-LARGEST_BOX, le=LARGEST_BOX)]


class Position(msgspec.Struct, frozen=True, forbid_unknown_fields=True, metaclass=Validated):
    """A point in an element, in CSS pixels of the element itself, from the top left of its padding box."""

    x: Coordinate
    y: Coordinate

    invalid = staticmethod(_action_invalid)


class Offset(msgspec.Struct, frozen=True, forbid_unknown_fields=True, metaclass=Validated):
    """A distance in CSS pixels of the viewport: `x` to the right and `y` down; negative to the left and up."""

    x: Distance
    y: Distance

    invalid = staticmethod(_action_invalid)


class SetValue(BaseAction, frozen=True, tag="set_value"):
    """Replace the value of a field as a user does: text, select, checkbox, date, range, contenteditable."""

    selector: Selector
    value: Text | bool


class Click(BaseAction, frozen=True, tag="click_element"):
    """Click an element: the middle of its visible part, or a `position` within it.

    A `click_count` of 2 is a double click, which selects a word; a triple click selects a paragraph. The button is held
    for `delay_ms`.
    """

    selector: Selector
    modifiers: Modifiers = ()
    button: Button = "left"
    click_count: Clicks = 1
    position: Position | None = None
    delay_ms: Delay = 0


class Tap(BaseAction, frozen=True, tag="tap_element"):
    """Touch an element with one finger and release it."""

    selector: Selector
    position: Position | None = None
    modifiers: Modifiers = ()


class Navigate(BaseAction, frozen=True, tag="navigate"):
    """Load a URL in the page; `referer` is the URL of the page that leads there, as its server is shown it."""

    url: NonEmpty
    referer: NonEmpty | None = None


class Scroll(BaseAction, frozen=True, kw_only=True, tag="scroll"):
    """Turn the mouse wheel over the page or over one element; `down` shows what lies below."""

    selector: Selector | None = None
    direction: Direction = "down"
    pixels: Pixels = 500

    OPERANDS = ("selector",)

    if TYPE_CHECKING:

        def __init__(
            self,
            selector: str | None = None,
            *,
            direction: Direction = "down",
            pixels: int = 500,
            timeout_ms: float | None = None,
        ) -> None: ...


class ScrollTo(BaseAction, frozen=True, kw_only=True, tag="scroll_to"):
    """Scroll an element into view, or what contains it to an `edge`; without an element, the page to an `edge`.

    Nothing is scrolled where the element is in view, or the edge reached. Scripts scroll so, not the mouse wheel.
    """

    selector: Selector | None = None
    edge: Edge | None = None

    OPERANDS = ("selector",)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.selector is None and self.edge is None:
            raise ActionInvalid("scroll_to takes a selector, an edge, or both")

    if TYPE_CHECKING:

        def __init__(
            self, selector: str | None = None, *, edge: Edge | None = None, timeout_ms: float | None = None
        ) -> None: ...


class MouseMove(BaseAction, frozen=True, tag="mouse_move"):
    """Move the mouse to a point of the viewport."""

    x: Coordinate
    y: Coordinate


class MouseClick(BaseAction, frozen=True, tag="mouse_click"):
    """Click at a point of the viewport, whatever is there.

    A click on an element finds it where it is now, and notices what covers it: prefer `Click` if there is a selector.
    """

    x: Coordinate
    y: Coordinate
    modifiers: Modifiers = ()
    button: Button = "left"
    click_count: Clicks = 1


class MouseDrag(BaseAction, frozen=True, tag="mouse_drag"):
    """Press the left button at a point of the viewport, move the mouse to another one, and release it there."""

    x: Coordinate
    y: Coordinate
    to_x: Coordinate
    to_y: Coordinate


class MouseWheel(BaseAction, frozen=True, tag="mouse_wheel"):
    """Turn the mouse wheel at a point of the viewport.

    A positive `delta_y` shows what lies below, a positive `delta_x` what lies to the right, in CSS pixels.
    """

    x: Coordinate
    y: Coordinate
    delta_x: Distance = 0
    delta_y: Distance = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.delta_x and not self.delta_y:
            raise ActionInvalid("mouse_wheel takes a delta_x or a delta_y that is not 0", field="delta_y")


class Swipe(BaseAction, frozen=True, kw_only=True, tag="swipe"):
    """Swipe over the page or over one element with one finger.

    `direction` is that of the content, opposite to the finger's: `down` shows what lies below. `percent` is the share
    of the width or height that the finger travels, up to 1.
    """

    selector: Selector | None = None
    direction: Direction
    percent: Share = 0.5

    OPERANDS = ("selector",)

    if TYPE_CHECKING:

        def __init__(
            self,
            selector: str | None = None,
            *,
            direction: Direction,
            percent: float = 0.5,
            timeout_ms: float | None = None,
        ) -> None: ...


class PressKey(BaseAction, frozen=True, kw_only=True, tag="press_key"):
    """Press a key or a chord: `PressKey("#search", "Enter")` on an element, `PressKey("Enter")` on what has the focus.

    Keys have the names of KeyboardEvent: `Enter`, `KeyA`, `Control+Shift+A`. The key is held for `delay_ms`.
    """

    selector: Selector | None = None
    key: NonEmpty
    times: Annotated[int, msgspec.Meta(ge=1, le=100)] = 1
    delay_ms: Delay = 0

    OPERANDS = ("selector", "key")

    if TYPE_CHECKING:

        @overload
        def __init__(
            self, key: str, /, *, times: int = 1, delay_ms: float = 0, timeout_ms: float | None = None
        ) -> None: ...
        @overload
        def __init__(
            self,
            selector: str | None = None,
            *,
            key: str,
            times: int = 1,
            delay_ms: float = 0,
            timeout_ms: float | None = None,
        ) -> None: ...
        @overload
        def __init__(
            self,
            selector: str | None,
            key: str,
            *,
            times: int = 1,
            delay_ms: float = 0,
            timeout_ms: float | None = None,
        ) -> None: ...
        def __init__(self, *arguments: Any, **fields: Any) -> None: ...


class TypeText(BaseAction, frozen=True, kw_only=True, tag="type_text"):
    """Type text key by key at the caret, and clear nothing before.

    `TypeText("#name", "Ann")` types into an element, `TypeText("Ann")` into what has the focus. `delay_ms` is the time
    between two letters.
    """

    selector: Selector | None = None
    text: Text
    delay_ms: Delay = 0

    OPERANDS = ("selector", "text")

    if TYPE_CHECKING:

        @overload
        def __init__(self, text: Text, /, *, delay_ms: float = 0, timeout_ms: float | None = None) -> None: ...
        @overload
        def __init__(
            self, selector: str | None = None, *, text: Text, delay_ms: float = 0, timeout_ms: float | None = None
        ) -> None: ...
        @overload
        def __init__(
            self, selector: str | None, text: Text, *, delay_ms: float = 0, timeout_ms: float | None = None
        ) -> None: ...
        def __init__(self, *arguments: Any, **fields: Any) -> None: ...


class KeyDown(BaseAction, frozen=True, tag="key_down"):
    """Press a key and hold it: a modifier holds for all later actions, until `KeyUp` or a new document.

    Keys have the names of KeyboardEvent: `Shift`, `ControlOrMeta`, `ArrowLeft`. A key that is down already repeats.
    """

    key: NonEmpty


class KeyUp(BaseAction, frozen=True, tag="key_up"):
    """Release a key that `KeyDown` holds."""

    key: NonEmpty


class InsertText(BaseAction, frozen=True, kw_only=True, tag="insert_text"):
    """Insert text at the caret in one step, without key events, as an input method or a paste does.

    `InsertText("#name", "Ann")` inserts into an element, `InsertText("Ann")` into what has the focus.
    """

    selector: Selector | None = None
    text: Text

    OPERANDS = ("selector", "text")

    if TYPE_CHECKING:

        @overload
        def __init__(self, text: Text, /, *, timeout_ms: float | None = None) -> None: ...
        @overload
        def __init__(self, selector: str | None = None, *, text: Text, timeout_ms: float | None = None) -> None: ...
        @overload
        def __init__(self, selector: str | None, text: Text, *, timeout_ms: float | None = None) -> None: ...
        def __init__(self, *arguments: Any, **fields: Any) -> None: ...


class Hover(BaseAction, frozen=True, tag="hover"):
    """Move the mouse over an element."""

    selector: Selector
    position: Position | None = None
    modifiers: Modifiers = ()


class DoubleClick(BaseAction, frozen=True, tag="double_click"):
    """Click an element twice; the button is held for `delay_ms` each time, and between the two."""

    selector: Selector
    modifiers: Modifiers = ()
    position: Position | None = None
    button: Button = "left"
    delay_ms: Delay = 0


class RightClick(BaseAction, frozen=True, tag="right_click"):
    """Click an element with the right button."""

    selector: Selector
    modifiers: Modifiers = ()
    position: Position | None = None


class SelectOption(BaseAction, frozen=True, tag="select_option"):
    """Choose options of a `<select>`, a combobox or a listbox by value or by name.

    A `<select>` has exactly these options selected afterwards. In a list that the page draws itself, options that were
    selected before stay selected; such a list is opened, and searched or scrolled if it does not show the option.
    """

    selector: Selector
    value: Texts


class Check(BaseAction, frozen=True, tag="check"):
    """Check a checkbox, a radio button, a switch or any other element that can be checked, such as an option."""

    selector: Selector
    position: Position | None = None


class Uncheck(BaseAction, frozen=True, tag="uncheck"):
    """Uncheck a checkbox, a switch or any other element that can be unchecked."""

    selector: Selector
    position: Position | None = None


class UploadFile(BaseAction, frozen=True, tag="upload_file"):
    """Give local files or a local folder to an `<input type=file>`, its label, or the button that asks for them."""

    selector: Selector
    paths: Paths

    @staticmethod
    def plain(fields: dict[str, Any]) -> dict[str, Any]:
        """Return the fields with the paths as texts."""
        return fields | {"paths": _path_texts(fields["paths"])} if "paths" in fields else fields


class UploadContent(BaseAction, frozen=True, tag="upload_content"):
    """Give files from memory to an `<input type=file>`, its label, or the button that asks for them.

    Each is a `FilePayload`, a mapping of its fields, or bytes. No file of this machine is read.
    """

    selector: Selector
    files: Payloads

    @staticmethod
    def plain(fields: dict[str, Any]) -> dict[str, Any]:
        """Return the fields with the files as mappings."""
        given = fields.get("files")
        if is_content(given):
            given = (given,)
        return fields | {"files": tuple(map(plain_payload, given))} if isinstance(given, list | tuple) else fields


def upload(selector: str, files: Paths | Payloads) -> UploadFile | UploadContent:
    """Return the action that gives files to an input: those of paths, or those from memory; raises ActionInvalid."""
    given: Any = files if isinstance(files, list | tuple) else (files,)
    contents = [is_content(each) for each in given]
    if not any(contents):
        return UploadFile(selector, files)  # type: ignore[arg-type]
    if not all(contents):
        raise ActionInvalid("files are either paths or files from memory, and not both in one call", field="paths")
    return UploadContent(selector, given)


class DropFiles(BaseAction, frozen=True, tag="drop_files"):
    """Drop local files onto an element, as if they were dragged from the desktop into the page.

    `data` is dropped with them, or alone: texts by their MIME type, such as `text/plain` or `text/uri-list`.
    """

    selector: Selector
    paths: Paths = ()
    position: Position | None = None
    data: dict[str, str] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.paths and not self.data:
            raise ActionInvalid("drop_files: paths is empty, and there is no data; give one of the two", field="paths")
        for kind in self.data or ():
            if "/" not in kind.strip("/"):
                raise ActionInvalid(
                    f"drop_files: {kind!r} is not a MIME type, such as 'text/plain' or 'text/html'", field="data"
                )

    plain = UploadFile.plain


def drop(selector: str, payload: Mapping[str, Any], position: Position | None) -> DropFiles:
    """Return the action for a mapping with `files`, `data`, or both, as Playwright has it; raises ActionInvalid."""
    if not isinstance(payload, Mapping) or not payload.keys() <= {"files", "data"}:
        # Without values: they may be secret.
        wrong = f"the keys {', '.join(map(repr, payload))}" if isinstance(payload, Mapping) else type(payload).__name__
        raise ActionInvalid(f"drop takes a mapping with 'files', 'data', or both, not {wrong}", field="payload")
    files = payload.get("files") or ()
    given = files if isinstance(files, list | tuple) else (files,)
    if any(map(is_content, given)):
        raise ActionInvalid(
            "drop takes files of this machine, because the browser drops only those: write the content to a file and "
            "give its path; set_input_files takes files from memory",
            field="files",
        )
    return DropFiles(selector, files, position, payload.get("data"))


class DragTo(BaseAction, frozen=True, tag="drag_to"):
    """Drag an element with the mouse, either onto another element (`target`) or by an `offset`.

    `source_position` is the point of the element to press, `target_position` the point of the target to release at.
    """

    selector: Selector
    target: Selector | None = None
    offset: Offset | None = None
    source_position: Position | None = None
    target_position: Position | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.target is None) == (self.offset is None):
            raise ActionInvalid("drag_to takes exactly one of target and offset")
        if self.target is None and self.target_position is not None:
            raise ActionInvalid("drag_to takes target_position only with a target", field="target_position")


class Focus(BaseAction, frozen=True, tag="focus"):
    """Give an element the keyboard focus."""

    selector: Selector


class Blur(BaseAction, frozen=True, tag="blur"):
    """Take the keyboard focus away from an element."""

    selector: Selector


class DispatchEvent(BaseAction, frozen=True, tag="dispatch_event"):
    """Dispatch an event to an element by script, which no page can take for a user's input (`isTrusted` is false).

    The class of the event is that of its `type`, as in browsers: a `click` is a MouseEvent. It bubbles, can be
    cancelled and crosses shadow roots unless `event_init` says otherwise; that has the members of the event, such as
    `{"clientX": 5}` or, for a type of the page's own, `{"detail": …}`. The element need not be visible.
    """

    selector: Selector
    type: NonEmpty
    event_init: dict[str, Any] | None = None


class SelectText(BaseAction, frozen=True, tag="select_text"):
    """Select the content of a field, or the text of any other element."""

    selector: Selector


class LongPress(BaseAction, frozen=True, tag="long_press"):
    """Touch an element and hold the finger there; under 700 ms Chrome treats it as a tap (measured)."""

    selector: Selector
    duration_ms: Milliseconds = 1000
    position: Position | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_milliseconds("duration_ms", self.duration_ms)


class GoBack(BaseAction, frozen=True, tag="go_back"):
    """Go back one entry in the history of the page."""


class GoForward(BaseAction, frozen=True, tag="go_forward"):
    """Go forward one entry in the history of the page."""


class Reload(BaseAction, frozen=True, tag="reload"):
    """Load the page again."""


class WaitFor(BaseAction, frozen=True, tag="wait_for"):
    """Wait until the element of a selector is in a `state`, the page shows a text, or the URL contains a text.

    Exactly one of `selector`, `text` and `url` is given.
    """

    selector: Selector | None = None
    text: NonEmpty | None = None
    url: NonEmpty | None = None
    state: Literal["visible", "hidden", "attached", "detached"] = "visible"

    def __post_init__(self) -> None:
        super().__post_init__()
        if sum(part is not None for part in (self.selector, self.text, self.url)) != 1:
            raise ActionInvalid("wait_for takes exactly one of selector, text and url")


class AnswerDialog(BaseAction, frozen=True, tag="answer_dialog"):
    """Answer the dialog that waits for an answer: accept or dismiss it, with the text for a prompt.

    Only pages with `dialogs="ask"` hold their dialogs. After other actions of a sequence it waits for a dialog as they
    wait for their elements.
    """

    accept: bool
    prompt_text: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.prompt_text is not None and not self.accept:
            raise ActionInvalid("a dialog that is dismissed takes no promptText: accept it", field="prompt_text")


Action = (
    SetValue
    | Click
    | Tap
    | Navigate
    | Scroll
    | ScrollTo
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
    | Blur
    | DispatchEvent
    | SelectText
    | LongPress
    | GoBack
    | GoForward
    | Reload
    | WaitFor
    | AnswerDialog
    | MouseMove
    | MouseClick
    | MouseDrag
    | MouseWheel
    | KeyDown
    | KeyUp
    | InsertText
    | UploadContent
    | DropFiles
)

KINDS: dict[str, type[Action]] = {str(kind.__struct_config__.tag): kind for kind in Action.__args__}
"""The Struct of each action by its JSON name."""
