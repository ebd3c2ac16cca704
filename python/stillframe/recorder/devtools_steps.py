"""The user flow of Chrome DevTools' Recorder as values: every kind of step, as `@puppeteer/replay` defines it."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

import msgspec

from stillframe.model.bounds import short
from stillframe.model.validation import UNKNOWN
from stillframe.recorder.errors import FlowInvalid

MAX_STEPS = 10_000
"""Steps of a flow that is read. A key takes two of them."""
STEP_PATH = re.compile(r"steps\[(\d+)\]")

Parts = tuple[str, ...]
"""A selector: its parts from the outermost shadow host to the element."""
Timeout = Annotated[int, msgspec.Meta(gt=0, le=600_000)] | Annotated[float, msgspec.Meta(gt=0, le=600_000)]
Number = (
    Annotated[int, msgspec.Meta(ge=-1_000_000_000, le=1_000_000_000)] | Annotated[float, msgspec.Meta(ge=-1e9, le=1e9)]
)
Index = Annotated[int, msgspec.Meta(ge=0, le=9_999)]


class AssertedEvent(msgspec.Struct, frozen=True):
    """What must happen after a step; the only type is `navigation`."""

    type: Literal["navigation"]
    url: str | None = None
    title: str | None = None


BUTTONS = {"left": "primary", "middle": "auxiliary", "right": "secondary"}
"""What a flow calls the buttons that click."""


class DevToolsStep(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", rename="camel"):
    """What all steps share. `target` is `main`, or the URL of a popup or of a frame with a process of its own."""

    timeout: Timeout | None = None
    asserted_events: tuple[AssertedEvent, ...] | None = None
    target: str | None = None

    @property
    def kind(self) -> str:
        """The type in JSON."""
        return str(self.__struct_config__.tag)


class FrameStep(DevToolsStep, frozen=True, kw_only=True):
    """A step in a frame: `frame` has the index of a child frame for each level below the target."""

    frame: tuple[Index, ...] | None = None


class ElementStep(FrameStep, frozen=True, kw_only=True):
    """A step on an element, with alternative selectors, best first."""

    selectors: Annotated[tuple[str | Parts, ...], msgspec.Meta(min_length=1)]


class PointerStep(ElementStep, frozen=True, kw_only=True):
    """A press; the offset is in CSS pixels from the top left of the border box, the duration in milliseconds."""

    offset_x: Number | None = None
    offset_y: Number | None = None
    device_type: Literal["mouse", "pen", "touch"] = "mouse"
    button: Literal["primary", "auxiliary", "secondary", "back", "forward"] = "primary"
    duration: Number | None = None


class ClickStep(PointerStep, frozen=True, kw_only=True, tag="click"):
    """A click, a tap or a long press."""


class DoubleClickStep(PointerStep, frozen=True, kw_only=True, tag="doubleClick"):
    """Two clicks."""


class HoverStep(ElementStep, frozen=True, kw_only=True, tag="hover"):
    """The mouse moves over an element."""


class ChangeStep(ElementStep, frozen=True, kw_only=True, tag="change"):
    """A field gets a value."""

    value: str


class KeyDownStep(DevToolsStep, frozen=True, kw_only=True, tag="keyDown"):
    """A key goes down."""

    key: str


class KeyUpStep(DevToolsStep, frozen=True, kw_only=True, tag="keyUp"):
    """A key goes up."""

    key: str


class ScrollStep(FrameStep, frozen=True, kw_only=True, tag="scroll"):
    """A page or an element scrolls to a position in CSS pixels."""

    selectors: tuple[str | Parts, ...] | None = None
    x: Number = 0
    y: Number = 0


class NavigateStep(DevToolsStep, frozen=True, kw_only=True, tag="navigate"):
    """The page loads a URL."""

    url: str


class SetViewportStep(DevToolsStep, frozen=True, kw_only=True, tag="setViewport"):
    """The page gets a size in CSS pixels."""

    width: Number
    height: Number
    device_scale_factor: Number = 1
    is_mobile: bool = False
    has_touch: bool = False
    is_landscape: bool = False


class WaitForElementStep(ElementStep, frozen=True, kw_only=True, tag="waitForElement"):
    """The number of elements compares so with `count`; with `visible` False it does not."""

    operator: Literal[">=", "==", "<="] = ">="
    count: Annotated[int, msgspec.Meta(ge=0, le=9_999)] = 1
    visible: bool = True
    attributes: dict[str, str] | None = None
    properties: dict[str, Any] | None = None


class WaitForExpressionStep(FrameStep, frozen=True, kw_only=True, tag="waitForExpression"):
    """A JavaScript expression becomes true."""

    expression: str


class EmulateNetworkConditionsStep(DevToolsStep, frozen=True, kw_only=True, tag="emulateNetworkConditions"):
    """The network is slow."""


class CloseStep(DevToolsStep, frozen=True, kw_only=True, tag="close"):
    """The page closes."""


class CustomStep(FrameStep, frozen=True, kw_only=True, tag="customStep"):
    """A step of an extension."""

    name: str = ""


AnyStep = (
    ClickStep
    | DoubleClickStep
    | HoverStep
    | ChangeStep
    | KeyDownStep
    | KeyUpStep
    | ScrollStep
    | NavigateStep
    | SetViewportStep
    | WaitForElementStep
    | WaitForExpressionStep
    | EmulateNetworkConditionsStep
    | CloseStep
    | CustomStep
)
TYPES = tuple(str(kind.__struct_config__.tag) for kind in AnyStep.__args__)


class UserFlow(msgspec.Struct, frozen=True, kw_only=True):
    """A flow; `timeout` is in milliseconds."""

    title: str = ""
    timeout: Timeout | None = None
    steps: Annotated[tuple[AnyStep, ...], msgspec.Meta(max_length=MAX_STEPS)]


def parse_flow(value: object) -> UserFlow:
    """Return a flow of plain builtins as a value; raises FlowInvalid with the step that is wrong.

    Keys that are unknown are left out: DevTools' extensions add their own.
    """
    try:
        return msgspec.convert(value, UserFlow)
    except msgspec.ValidationError as error:
        reason, _, path = str(error).partition(" - at `$")
        path = path.rstrip("`").lstrip(".")
        step = STEP_PATH.match(path)
        if path.endswith(".type") and not UNKNOWN.fullmatch(reason):
            reason = f"{short(reason, 200)}; the types are {', '.join(TYPES)}"
        raise FlowInvalid(
            f"not a user flow: {short(path, 200) or 'the value'}: {short(reason, 500)}",
            step=int(step[1]) if step else None,
        ) from None
